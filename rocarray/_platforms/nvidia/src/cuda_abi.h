// The part of the CUDA driver's C ABI that we call: own declarations, so that no header of NVIDIA's
// is needed to build. Enums are plain ints here. `tools/check_cuda_declarations.py` proves them.
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphExec_st *CUgraphExec;
typedef struct CUgraphNode_st *CUgraphNode;

namespace cuda {

typedef int Result;
typedef int Device;
typedef int Enum;
typedef unsigned long long DevicePointer;

constexpr Result kNoDevice = 100;             // CUDA_ERROR_NO_DEVICE
constexpr Result kNotPermitted = 800;         // CUDA_ERROR_NOT_PERMITTED
constexpr Result kRequiresNewerDriver = 36;   // CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER
constexpr Enum kMemoryHost = 1;               // CU_MEMORYTYPE_HOST
constexpr Enum kMemoryDevice = 2;             // CU_MEMORYTYPE_DEVICE
constexpr Enum kMemoryUnified = 4;            // CU_MEMORYTYPE_UNIFIED
constexpr Enum kPointerMemoryType = 2;        // CU_POINTER_ATTRIBUTE_MEMORY_TYPE
constexpr Enum kPointerDevicePointer = 3;     // CU_POINTER_ATTRIBUTE_DEVICE_POINTER
constexpr Enum kPointerHostPointer = 4;       // CU_POINTER_ATTRIBUTE_HOST_POINTER
constexpr Enum kPointerIsManaged = 8;         // CU_POINTER_ATTRIBUTE_IS_MANAGED
constexpr Enum kPointerDevice = 9;            // CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
constexpr Enum kFunctionDynamicShared = 8;    // CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
constexpr Enum kComputeCapabilityMajor = 75;  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
constexpr Enum kComputeCapabilityMinor = 76;  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR
constexpr unsigned kHostAllocFlags = 7;  // CU_MEMHOSTALLOC_PORTABLE, _DEVICEMAP, _WRITECOMBINED
constexpr unsigned kHostRegisterFlags =
    0x0b;  // CU_MEMHOSTREGISTER_PORTABLE, _DEVICEMAP, _READ_ONLY

struct Memcpy2D {
    size_t srcXInBytes, srcY;
    Enum srcMemoryType;
    const void *srcHost;
    DevicePointer srcDevice;
    void *srcArray;
    size_t srcPitch;
    size_t dstXInBytes, dstY;
    Enum dstMemoryType;
    void *dstHost;
    DevicePointer dstDevice;
    void *dstArray;
    size_t dstPitch;
    size_t WidthInBytes, Height;
};
static_assert(sizeof(Memcpy2D) == 128, "layout of CUDA_MEMCPY2D_v2");

typedef void (*HostFunction)(void *);
typedef void (*StreamCallback)(CUstream, Result, void *);
typedef size_t (*BlockSizeToShared)(int);

// X(symbol, (arguments)): every function of libcuda.so.1 that we use.
#define CUDA_FUNCTIONS(X)                                                                        \
    X(cuInit, (unsigned))                                                                        \
    X(cuDriverGetVersion, (int *))                                                               \
    X(cuDeviceGetCount, (int *))                                                                 \
    X(cuDeviceGetName, (char *, int, Device))                                                    \
    X(cuDeviceTotalMem_v2, (size_t *, Device))                                                   \
    X(cuDeviceGetAttribute, (int *, Enum, Device))                                               \
    X(cuDeviceGetPCIBusId, (char *, int, Device))                                                \
    X(cuDeviceCanAccessPeer, (int *, Device, Device))                                            \
    X(cuDevicePrimaryCtxRetain, (CUcontext *, Device))                                           \
    X(cuDevicePrimaryCtxRelease_v2, (Device))                                                    \
    X(cuDevicePrimaryCtxReset_v2, (Device))                                                      \
    X(cuCtxGetCurrent, (CUcontext *))                                                            \
    X(cuCtxSetCurrent, (CUcontext))                                                              \
    X(cuCtxGetDevice, (Device *))                                                                \
    X(cuCtxSynchronize, (void))                                                                  \
    X(cuCtxGetStreamPriorityRange, (int *, int *))                                               \
    X(cuCtxEnablePeerAccess, (CUcontext, unsigned))                                              \
    X(cuCtxDisablePeerAccess, (CUcontext))                                                       \
    X(cuMemGetInfo_v2, (size_t *, size_t *))                                                     \
    X(cuMemAlloc_v2, (DevicePointer *, size_t))                                                  \
    X(cuMemFree_v2, (DevicePointer))                                                             \
    X(cuMemAllocAsync, (DevicePointer *, size_t, CUstream))                                      \
    X(cuMemFreeAsync, (DevicePointer, CUstream))                                                 \
    X(cuMemAllocManaged, (DevicePointer *, size_t, unsigned))                                    \
    X(cuMemHostAlloc, (void **, size_t, unsigned))                                               \
    X(cuMemFreeHost, (void *))                                                                   \
    X(cuMemHostRegister_v2, (void *, size_t, unsigned))                                          \
    X(cuMemHostUnregister, (void *))                                                             \
    X(cuMemHostGetDevicePointer_v2, (DevicePointer *, void *, unsigned))                         \
    X(cuMemHostGetFlags, (unsigned *, void *))                                                   \
    X(cuPointerGetAttributes, (unsigned, Enum *, void **, DevicePointer))                        \
    X(cuMemcpy, (DevicePointer, DevicePointer, size_t))                                          \
    X(cuMemcpyAsync, (DevicePointer, DevicePointer, size_t, CUstream))                           \
    X(cuMemcpyHtoD_v2, (DevicePointer, const void *, size_t))                                    \
    X(cuMemcpyDtoH_v2, (void *, DevicePointer, size_t))                                          \
    X(cuMemcpyDtoD_v2, (DevicePointer, DevicePointer, size_t))                                   \
    X(cuMemcpyHtoDAsync_v2, (DevicePointer, const void *, size_t, CUstream))                     \
    X(cuMemcpyDtoHAsync_v2, (void *, DevicePointer, size_t, CUstream))                           \
    X(cuMemcpyPeer, (DevicePointer, CUcontext, DevicePointer, CUcontext, size_t))                \
    X(cuMemcpyPeerAsync, (DevicePointer, CUcontext, DevicePointer, CUcontext, size_t, CUstream)) \
    X(cuMemcpy2DAsync_v2, (const Memcpy2D *, CUstream))                                          \
    X(cuMemsetD8_v2, (DevicePointer, unsigned char, size_t))                                     \
    X(cuMemsetD8Async, (DevicePointer, unsigned char, size_t, CUstream))                         \
    X(cuStreamCreateWithPriority, (CUstream *, unsigned, int))                                   \
    X(cuStreamDestroy_v2, (CUstream))                                                            \
    X(cuStreamSynchronize, (CUstream))                                                           \
    X(cuStreamQuery, (CUstream))                                                                 \
    X(cuStreamWaitEvent, (CUstream, CUevent, unsigned))                                          \
    X(cuStreamGetFlags, (CUstream, unsigned *))                                                  \
    X(cuStreamGetPriority, (CUstream, int *))                                                    \
    X(cuStreamGetCtx, (CUstream, CUcontext *))                                                   \
    X(cuStreamAddCallback, (CUstream, StreamCallback, void *, unsigned))                         \
    X(cuLaunchHostFunc, (CUstream, HostFunction, void *))                                        \
    X(cuStreamBeginCapture_v2, (CUstream, Enum))                                                 \
    X(cuStreamEndCapture, (CUstream, CUgraph *))                                                 \
    X(cuStreamIsCapturing, (CUstream, Enum *))                                                   \
    X(cuEventCreate, (CUevent *, unsigned))                                                      \
    X(cuEventDestroy_v2, (CUevent))                                                              \
    X(cuEventRecord, (CUevent, CUstream))                                                        \
    X(cuEventQuery, (CUevent))                                                                   \
    X(cuEventSynchronize, (CUevent))                                                             \
    X(cuEventElapsedTime, (float *, CUevent, CUevent))                                           \
    X(cuModuleLoadData, (CUmodule *, const void *))                                              \
    X(cuModuleLoad, (CUmodule *, const char *))                                                  \
    X(cuModuleUnload, (CUmodule))                                                                \
    X(cuModuleGetFunction, (CUfunction *, CUmodule, const char *))                               \
    X(cuModuleGetGlobal_v2, (DevicePointer *, size_t *, CUmodule, const char *))                 \
    X(cuFuncGetAttribute, (int *, Enum, CUfunction))                                             \
    X(cuFuncSetAttribute, (CUfunction, Enum, int))                                               \
    X(cuLaunchKernel, (CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,   \
                       unsigned, CUstream, void **, void **))                                    \
    X(cuOccupancyMaxActiveBlocksPerMultiprocessor, (int *, CUfunction, int, size_t))             \
    X(cuOccupancyMaxPotentialBlockSize,                                                          \
      (int *, int *, CUfunction, BlockSizeToShared, size_t, int))                                \
    X(cuGraphInstantiateWithFlags, (CUgraphExec *, CUgraph, unsigned long long))                 \
    X(cuGraphLaunch, (CUgraphExec, CUstream))                                                    \
    X(cuGraphUpload, (CUgraphExec, CUstream))                                                    \
    X(cuGraphDestroy, (CUgraph))                                                                 \
    X(cuGraphExecDestroy, (CUgraphExec))                                                         \
    X(cuGraphGetNodes, (CUgraph, CUgraphNode *, size_t *))                                       \
    X(cuProfilerStart, (void))                                                                   \
    X(cuProfilerStop, (void))

}  // namespace cuda
