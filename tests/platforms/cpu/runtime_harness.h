// What the cases of the HIP runtime share: the functions under test, checks, a registry of cases.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "hip_abi.h"

extern "C" {
const char *hipGetErrorName(hipError_t);
const char *hipGetErrorString(hipError_t);
hipError_t hipGetLastError();
hipError_t hipPeekAtLastError();
hipError_t hipInit(unsigned);
hipError_t hipDriverGetVersion(int *);
hipError_t hipGetDeviceCount(int *);
hipError_t hipGetDevice(int *);
hipError_t hipSetDevice(int);
hipError_t hipDeviceGetAttribute(int *, hipDeviceAttribute_t, int);
hipError_t hipGetDevicePropertiesR0600(hipDeviceProp_tR0600 *, int);
hipError_t hipDeviceGetPCIBusId(char *, int, int);
hipError_t hipDeviceGetByPCIBusId(int *, const char *);
hipError_t hipDeviceCanAccessPeer(int *, int, int);
hipError_t hipDeviceEnablePeerAccess(int, unsigned);
hipError_t hipDeviceDisablePeerAccess(int);
hipError_t hipDeviceSynchronize();
hipError_t hipMalloc(void **, size_t);
hipError_t hipMallocManaged(void **, size_t, unsigned);
hipError_t hipMallocAsync(void **, size_t, hipStream_t);
hipError_t hipFree(void *);
hipError_t hipFreeAsync(void *, hipStream_t);
hipError_t hipHostMalloc(void **, size_t, unsigned);
hipError_t hipHostFree(void *);
hipError_t hipHostRegister(void *, size_t, unsigned);
hipError_t hipHostUnregister(void *);
hipError_t hipHostGetDevicePointer(void **, void *, unsigned);
hipError_t hipMemGetInfo(size_t *, size_t *);
hipError_t hipMemGetAddressRange(hipDeviceptr_t *, size_t *, hipDeviceptr_t);
hipError_t hipPointerGetAttributes(hipPointerAttribute_t *, const void *);
hipError_t hipMemcpy(void *, const void *, size_t, hipMemcpyKind);
hipError_t hipMemcpyAsync(void *, const void *, size_t, hipMemcpyKind, hipStream_t);
hipError_t hipMemcpyPeer(void *, int, const void *, int, size_t);
hipError_t hipMemcpyPeerAsync(void *, int, const void *, int, size_t, hipStream_t);
hipError_t hipMemcpy2D(void *, size_t, const void *, size_t, size_t, size_t, hipMemcpyKind);
hipError_t hipMemset(void *, int, size_t);
hipError_t hipMemsetAsync(void *, int, size_t, hipStream_t);
hipError_t hipMemsetD16Async(hipDeviceptr_t, unsigned short, size_t, hipStream_t);
hipError_t hipMemsetD32Async(hipDeviceptr_t, int, size_t, hipStream_t);
hipError_t hipMemset2DAsync(void *, size_t, int, size_t, size_t, hipStream_t);
hipError_t hipStreamCreateWithFlags(hipStream_t *, unsigned);
hipError_t hipStreamCreateWithPriority(hipStream_t *, unsigned, int);
hipError_t hipDeviceGetStreamPriorityRange(int *, int *);
hipError_t hipStreamDestroy(hipStream_t);
hipError_t hipStreamQuery(hipStream_t);
hipError_t hipStreamSynchronize(hipStream_t);
hipError_t hipStreamGetFlags(hipStream_t, unsigned *);
hipError_t hipStreamGetPriority(hipStream_t, int *);
hipError_t hipStreamGetDevice(hipStream_t, hipDevice_t *);
hipError_t hipStreamWaitEvent(hipStream_t, hipEvent_t, unsigned);
hipError_t hipLaunchHostFunc(hipStream_t, hipHostFn_t, void *);
hipError_t hipStreamAddCallback(hipStream_t, hipStreamCallback_t, void *, unsigned);
hipError_t hipEventCreateWithFlags(hipEvent_t *, unsigned);
hipError_t hipEventDestroy(hipEvent_t);
hipError_t hipEventRecord(hipEvent_t, hipStream_t);
hipError_t hipEventQuery(hipEvent_t);
hipError_t hipEventSynchronize(hipEvent_t);
hipError_t hipEventElapsedTime(float *, hipEvent_t, hipEvent_t);
hipError_t hipModuleLoad(hipModule_t *, const char *);
hipError_t hipModuleLoadData(hipModule_t *, const void *);
hipError_t hipModuleUnload(hipModule_t);
hipError_t hipModuleGetFunction(hipFunction_t *, hipModule_t, const char *);
hipError_t hipModuleGetGlobal(hipDeviceptr_t *, size_t *, hipModule_t, const char *);
hipError_t hipFuncGetAttribute(int *, hipFunction_attribute, hipFunction_t);
hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int *, hipFunction_t, int, size_t);
hipError_t hipModuleOccupancyMaxPotentialBlockSize(int *, int *, hipFunction_t, size_t, int);
hipError_t hipModuleLaunchKernel(hipFunction_t, unsigned, unsigned, unsigned, unsigned, unsigned,
                                 unsigned, unsigned, hipStream_t, void **, void **);
hipError_t hipStreamBeginCapture(hipStream_t, hipStreamCaptureMode);
hipError_t hipStreamEndCapture(hipStream_t, hipGraph_t *);
hipError_t hipStreamIsCapturing(hipStream_t, hipStreamCaptureStatus *);
hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode *);
hipError_t hipGraphInstantiate(hipGraphExec_t *, hipGraph_t, hipGraphNode_t *, char *, size_t);
hipError_t hipGraphLaunch(hipGraphExec_t, hipStream_t);
hipError_t hipGraphUpload(hipGraphExec_t, hipStream_t);
hipError_t hipGraphExecDestroy(hipGraphExec_t);
hipError_t hipGraphDestroy(hipGraph_t);
hipError_t hipGraphGetNodes(hipGraph_t, hipGraphNode_t *, size_t *);
hipError_t hipGraphNodeGetType(hipGraphNode_t, hipGraphNodeType *);
}

namespace harness {

inline std::atomic<int> failures{0};

#define CHECK(condition)                                                    \
    do {                                                                    \
        if (!(condition)) {                                                 \
            printf("%s:%d: %s is false\n", __FILE__, __LINE__, #condition); \
            ++harness::failures;                                            \
        }                                                                   \
    } while (false)

#define CHECK_STATUS(call, expected)                                               \
    do {                                                                           \
        const hipError_t got_ = (call);                                            \
        if (got_ != (expected)) {                                                  \
            printf("%s:%d: %s gives %s, expected %s\n", __FILE__, __LINE__, #call, \
                   hipGetErrorName(got_), hipGetErrorName(expected));              \
            ++harness::failures;                                                   \
        }                                                                          \
    } while (false)
#define OK(call) CHECK_STATUS(call, hipSuccess)

inline std::map<std::string, void (*)()> &cases() {
    static std::map<std::string, void (*)()> all;
    return all;
}
struct Registration {
    Registration(const char *name, void (*body)()) { cases()[name] = body; }
};
#define CASE(name)                                                 \
    static void name();                                            \
    static harness::Registration registration_##name(#name, name); \
    static void name()

template <class T>
T *allocate(size_t n) {
    void *pointer = nullptr;
    OK(hipMalloc(&pointer, n * sizeof(T)));
    return static_cast<T *>(pointer);
}

inline hipStream_t new_stream(unsigned flags = hipStreamNonBlocking) {
    hipStream_t stream = nullptr;
    OK(hipStreamCreateWithFlags(&stream, flags));
    return stream;
}

inline hipEvent_t new_event(unsigned flags = hipEventDefault) {
    hipEvent_t event = nullptr;
    OK(hipEventCreateWithFlags(&event, flags));
    return event;
}

// Holds a stream up: its queue does not move before `open`, or the end of the gate's life.
class Gate {
 public:
    explicit Gate(hipStream_t stream) {
        OK(hipLaunchHostFunc(stream, wait, new std::shared_ptr<std::atomic<bool>>(open_)));
    }
    ~Gate() { open(); }
    void open() { *open_ = true; }

 private:
    static void wait(void *data) {
        // Shared: the gate may be gone before this thread has seen that it is open.
        const std::unique_ptr<std::shared_ptr<std::atomic<bool>>> open(
            static_cast<std::shared_ptr<std::atomic<bool>> *>(data));
        while (!**open) std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    std::shared_ptr<std::atomic<bool>> open_ = std::make_shared<std::atomic<bool>>(false);
};

// The code object of runtime_kernels.cpp; its path is in the environment.
inline std::string code_object() {
    std::ifstream file(getenv("ROCARRAY_TEST_CODE_OBJECT"), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

struct Kernels {
    hipModule_t module = nullptr;
    Kernels() { OK(hipModuleLoadData(&module, code_object().data())); }
    ~Kernels() { OK(hipModuleUnload(module)); }
    hipFunction_t operator[](const char *name) const {
        hipFunction_t function = nullptr;
        OK(hipModuleGetFunction(&function, module, name));
        return function;
    }
};

template <class... A>
hipError_t launch(hipFunction_t function, unsigned grid, unsigned block, hipStream_t stream,
                  A... arguments) {
    void *pointers[] = {&arguments..., nullptr};
    return hipModuleLaunchKernel(function, grid, 1, 1, block, 1, 1, 0, stream, pointers, nullptr);
}

}  // namespace harness
