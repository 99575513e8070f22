"""HIP's runtime API: the functions that we call, the enums and structs that they use.

Prototypes are ROCm's own words; `tools/check_declarations.py` proves them against its headers.
"""

from rocarray._rocm.specs.library import Function, Library, Struct

# (function, first ROCm version that has it, whether it may block or take long, prototype)
FUNCTIONS = [
    Function("5.7", True, "hipError_t hipInit(unsigned int flags)"),
    Function("5.7", False, "hipError_t hipDriverGetVersion(int* driverVersion)"),
    Function("5.7", False, "hipError_t hipRuntimeGetVersion(int* runtimeVersion)"),
    Function("5.7", False, "const char* hipGetErrorName(hipError_t hip_error)"),
    Function("5.7", False, "const char* hipGetErrorString(hipError_t hipError)"),
    Function("5.7", False, "hipError_t hipGetLastError(void)"),
    Function("5.7", False, "hipError_t hipPeekAtLastError(void)"),
    Function("5.7", False, "hipError_t hipGetDeviceCount(int* count)"),
    Function("5.7", False, "hipError_t hipGetDevice(int* deviceId)"),
    Function("5.7", False, "hipError_t hipSetDevice(int deviceId)"),
    Function(
        "5.7",
        False,
        "hipError_t hipDeviceGetAttribute(int* pi, "
        "hipDeviceAttribute_t attr, int deviceId)",
    ),
    Function("5.7", False, "hipError_t hipDeviceGetName(char* name, int len, hipDevice_t device)"),
    Function("5.7", False, "hipError_t hipDeviceGetPCIBusId(char* pciBusId, int len, int device)"),
    Function("5.7", False, "hipError_t hipDeviceTotalMem(size_t* bytes, hipDevice_t device)"),
    Function("5.7", True, "hipError_t hipDeviceSynchronize(void)"),
    Function("5.7", True, "hipError_t hipDeviceReset(void)"),
    Function(
        "5.7",
        False,
        "h"
        "ipError_t hipDeviceGetStreamPriorityRange(int* leastPriority, int* greatestPriority)",
    ),
    Function(
        "5.7",
        False,
        "hipError_t hipDeviceCanAccessPeer(int* canAccessPeer, "
        "int deviceId, int peerDeviceId)",
    ),
    Function(
        "5.7",
        True,
        "hipError_t hipDeviceEnablePeerAccess(int peerDeviceId, "
        "unsigned int flags)",
    ),
    Function("5.7", False, "hipError_t hipDeviceDisablePeerAccess(int peerDeviceId)"),
    Function("5.7", False, "hipError_t hipMemGetInfo(size_t* free, size_t* total)"),
    Function(
        "6.0",
        False,
        "h"
        "ipError_t hipGetDevicePropertiesR0600(hipDeviceProp_t* prop, int deviceId)",
    ),
    Function("5.7", True, "hipError_t hipMalloc(void** ptr, size_t size)"),
    Function("5.7", True, "hipError_t hipFree(void* ptr)"),
    Function(
        "5.7",
        True,
        "hipError_t hipMallocAsync(void** dev_ptr, size_t size, "
        "hipStream_t stream)",
    ),
    Function("5.7", True, "hipError_t hipFreeAsync(void* dev_ptr, hipStream_t stream)"),
    Function(
        "5.7",
        True,
        "hipError_t hipMallocManaged(void** dev_ptr, size_t size, "
        "unsigned int flags)",
    ),
    Function("5.7", True, "hipError_t hipHostMalloc(void** ptr, size_t size, unsigned int flags)"),
    Function("5.7", True, "hipError_t hipHostFree(void* ptr)"),
    Function(
        "5.7",
        True,
        "hipError_t hipHostRegister(void* hostPtr, "
        "size_t sizeBytes, unsigned int flags)",
    ),
    Function("5.7", True, "hipError_t hipHostUnregister(void* hostPtr)"),
    Function(
        "5.7",
        False,
        "hipError_t hipHostGetDevicePointer(void** devPtr, "
        "void* hstPtr, unsigned int flags)",
    ),
    Function(
        "5.7",
        False,
        "h"
        "ipError_t hipPointerGetAttributes(hipPointerAttribute_t* attributes, const void* ptr)",
    ),
    Function(
        "5.7",
        True,
        "hipError_t hipMemcpy(void* dst, const void* src, "
        "size_t sizeBytes, hipMemcpyKind kind)",
    ),
    Function(
        "5.7",
        True,
        "hipError_t hipMemcpyAsync(void* dst, const void* src, size_t sizeBytes, "
        "hipMemcpyKind kind, hipStream_t stream)",
    ),
    Function(
        "5.7",
        True,
        "hipError_t hipMemcpyPeer(void* dst, int dstDeviceId, const void* src, "
        "int srcDeviceId, size_t sizeBytes)",
    ),
    Function(
        "5.7",
        True,
        "hipError_t hipMemcpyPeerAsync(void* dst, int dstDeviceId, const void* src, "
        "int srcDevice, size_t sizeBytes, hipStream_t stream)",
    ),
    Function(
        "5.7",
        True,
        "hipError_t hipMemcpy2DAsync(void* dst, size_t dpitch, const void* src, size_t spitch, "
        "size_t width, size_t height, hipMemcpyKind kind, hipStream_t stream)",
    ),
    Function("5.7", True, "hipError_t hipMemset(void* dst, int value, size_t sizeBytes)"),
    Function(
        "5.7",
        True,
        "hipError_t hipMemsetAsync(void* dst, int value, "
        "size_t sizeBytes, hipStream_t stream)",
    ),
    Function(
        "5.7",
        True,
        "hipError_t hipMemcpyHtoD(hipDeviceptr_t dst, void* src, "
        "size_t sizeBytes)",
    ),
    Function(
        "5.7",
        True,
        "hipError_t hipMemcpyDtoH(void* dst, hipDeviceptr_t src, "
        "size_t sizeBytes)",
    ),
    Function(
        "5.7",
        True,
        "hipError_t hipMemcpyDtoD(hipDeviceptr_t dst, "
        "hipDeviceptr_t src, size_t sizeBytes)",
    ),
    Function(
        "5.7",
        True,
        "hipError_t hipStreamCreateWithFlags(hipStream_t* stream, "
        "unsigned int flags)",
    ),
    Function(
        "5.7",
        True,
        "hipError_t hipStreamCreateWithPriority(hipStream_t* stream, "
        "unsigned int flags, int priority)",
    ),
    Function("5.7", True, "hipError_t hipStreamDestroy(hipStream_t stream)"),
    Function("5.7", True, "hipError_t hipStreamSynchronize(hipStream_t stream)"),
    Function("5.7", False, "hipError_t hipStreamQuery(hipStream_t stream)"),
    Function(
        "5.7",
        True,
        "hipError_t hipStreamWaitEvent(hipStream_t stream, "
        "hipEvent_t event, unsigned int flags)",
    ),
    Function("5.7", False, "hipError_t hipStreamGetFlags(hipStream_t stream, unsigned int* flags)"),
    Function("5.7", False, "hipError_t hipStreamGetPriority(hipStream_t stream, int* priority)"),
    Function(
        "5.7",
        False,
        "hipError_t hipStreamGetDevice(hipStream_t stream, "
        "hipDevice_t* device)",
    ),
    Function(
        "5.7",
        True,
        "hipError_t hipStreamAddCallback(hipStream_t stream, "
        "hipStreamCallback_t callback, void* userData, unsigned int flags)",
    ),
    Function(
        "5.7",
        True,
        "hipError_t hipLaunchHostFunc(hipStream_t stream, "
        "hipHostFn_t fn, void* userData)",
    ),
    Function(
        "5.7",
        False,
        "hipError_t hipStreamBeginCapture(hipStream_t stream, "
        "hipStreamCaptureMode mode)",
    ),
    Function("5.7", True, "hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t* pGraph)"),
    Function(
        "5.7",
        False,
        "hipError_t hipStreamIsCapturing(hipStream_t stream, "
        "hipStreamCaptureStatus* pCaptureStatus)",
    ),
    Function("5.7", False, "hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned flags)"),
    Function("5.7", True, "hipError_t hipEventDestroy(hipEvent_t event)"),
    Function("5.7", True, "hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream)"),
    Function("5.7", False, "hipError_t hipEventQuery(hipEvent_t event)"),
    Function("5.7", True, "hipError_t hipEventSynchronize(hipEvent_t event)"),
    Function(
        "5.7",
        False,
        "hipError_t hipEventElapsedTime(float* ms, "
        "hipEvent_t start, hipEvent_t stop)",
    ),
    Function("5.7", True, "hipError_t hipModuleLoadData(hipModule_t* module, const void* image)"),
    Function("5.7", True, "hipError_t hipModuleLoad(hipModule_t* module, const char* fname)"),
    Function("5.7", True, "hipError_t hipModuleUnload(hipModule_t module)"),
    Function(
        "5.7",
        False,
        "hipError_t hipModuleGetFunction(hipFunction_t* function, "
        "hipModule_t module, const char* kname)",
    ),
    Function(
        "5.7",
        False,
        "hipError_t hipModuleGetGlobal(hipDeviceptr_t* dptr, size_t* bytes, "
        "hipModule_t hmod, const char* name)",
    ),
    Function(
        "5.7",
        False,
        "hipError_t hipFuncGetAttribute(int* value, "
        "hipFunction_attribute attrib, hipFunction_t hfunc)",
    ),
    Function(
        "5.7",
        True,
        "hipError_t hipModuleLaunchKernel(hipFunction_t f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ, unsigned int blockDimX, "
        "unsigned int blockDimY, unsigned int blockDimZ, unsigned int sharedMemBytes, hipStream_t stream, void** kernelParams, void** extra)",
    ),
    Function(
        "5.7",
        False,
        "hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int* numBlocks, "
        "hipFunction_t f, int blockSize, size_t dynSharedMemPerBlk)",
    ),
    Function(
        "5.7",
        False,
        "hipError_t hipModuleOccupancyMaxPotentialBlockSize(int* gridSize, int* blockSize, "
        "hipFunction_t f, size_t dynSharedMemPerBlk, int blockSizeLimit)",
    ),
    Function(
        "5.7",
        True,
        "hipError_t hipGraphInstantiate(hipGraphExec_t* pGraphExec, hipGraph_t graph, "
        "hipGraphNode_t* pErrorNode, char* pLogBuffer, size_t bufferSize)",
    ),
    Function(
        "5.7",
        True,
        "hipError_t hipGraphLaunch(hipGraphExec_t graphExec, "
        "hipStream_t stream)",
    ),
    Function(
        "5.7",
        True,
        "hipError_t hipGraphUpload(hipGraphExec_t graphExec, "
        "hipStream_t stream)",
    ),
    Function("5.7", False, "hipError_t hipGraphDestroy(hipGraph_t graph)"),
    Function("5.7", False, "hipError_t hipGraphExecDestroy(hipGraphExec_t graphExec)"),
    Function(
        "5.7",
        False,
        "hipError_t hipGraphGetNodes(hipGraph_t graph, "
        "hipGraphNode_t* nodes, size_t* numNodes)",
    ),
    Function("5.7", False, "hipError_t hipProfilerStart()"),
    Function("5.7", False, "hipError_t hipProfilerStop()"),
]

ENUMS = {
    "hipError_t": {
        "hipSuccess": 0,
        "hipErrorInvalidValue": 1,
        "hipErrorOutOfMemory": 2,
        "hipErrorMemoryAllocation": 2,
        "hipErrorNotInitialized": 3,
        "hipErrorInitializationError": 3,
        "hipErrorDeinitialized": 4,
        "hipErrorProfilerDisabled": 5,
        "hipErrorProfilerNotInitialized": 6,
        "hipErrorProfilerAlreadyStarted": 7,
        "hipErrorProfilerAlreadyStopped": 8,
        "hipErrorInvalidConfiguration": 9,
        "hipErrorInvalidPitchValue": 12,
        "hipErrorInvalidSymbol": 13,
        "hipErrorInvalidDevicePointer": 17,
        "hipErrorInvalidMemcpyDirection": 21,
        "hipErrorInsufficientDriver": 35,
        "hipErrorMissingConfiguration": 52,
        "hipErrorPriorLaunchFailure": 53,
        "hipErrorInvalidDeviceFunction": 98,
        "hipErrorNoDevice": 100,
        "hipErrorInvalidDevice": 101,
        "hipErrorInvalidImage": 200,
        "hipErrorInvalidContext": 201,
        "hipErrorContextAlreadyCurrent": 202,
        "hipErrorMapFailed": 205,
        "hipErrorMapBufferObjectFailed": 205,
        "hipErrorUnmapFailed": 206,
        "hipErrorArrayIsMapped": 207,
        "hipErrorAlreadyMapped": 208,
        "hipErrorNoBinaryForGpu": 209,
        "hipErrorAlreadyAcquired": 210,
        "hipErrorNotMapped": 211,
        "hipErrorNotMappedAsArray": 212,
        "hipErrorNotMappedAsPointer": 213,
        "hipErrorECCNotCorrectable": 214,
        "hipErrorUnsupportedLimit": 215,
        "hipErrorContextAlreadyInUse": 216,
        "hipErrorPeerAccessUnsupported": 217,
        "hipErrorInvalidKernelFile": 218,
        "hipErrorInvalidGraphicsContext": 219,
        "hipErrorInvalidSource": 300,
        "hipErrorFileNotFound": 301,
        "hipErrorSharedObjectSymbolNotFound": 302,
        "hipErrorSharedObjectInitFailed": 303,
        "hipErrorOperatingSystem": 304,
        "hipErrorInvalidHandle": 400,
        "hipErrorInvalidResourceHandle": 400,
        "hipErrorIllegalState": 401,
        "hipErrorNotFound": 500,
        "hipErrorNotReady": 600,
        "hipErrorIllegalAddress": 700,
        "hipErrorLaunchOutOfResources": 701,
        "hipErrorLaunchTimeOut": 702,
        "hipErrorPeerAccessAlreadyEnabled": 704,
        "hipErrorPeerAccessNotEnabled": 705,
        "hipErrorSetOnActiveProcess": 708,
        "hipErrorContextIsDestroyed": 709,
        "hipErrorAssert": 710,
        "hipErrorHostMemoryAlreadyRegistered": 712,
        "hipErrorHostMemoryNotRegistered": 713,
        "hipErrorLaunchFailure": 719,
        "hipErrorCooperativeLaunchTooLarge": 720,
        "hipErrorNotSupported": 801,
        "hipErrorStreamCaptureUnsupported": 900,
        "hipErrorStreamCaptureInvalidated": 901,
        "hipErrorStreamCaptureMerge": 902,
        "hipErrorStreamCaptureUnmatched": 903,
        "hipErrorStreamCaptureUnjoined": 904,
        "hipErrorStreamCaptureIsolation": 905,
        "hipErrorStreamCaptureImplicit": 906,
        "hipErrorCapturedEvent": 907,
        "hipErrorStreamCaptureWrongThread": 908,
        "hipErrorGraphExecUpdateFailure": 910,
        "hipErrorInvalidChannelDescriptor": 911,
        "hipErrorInvalidTexture": 912,
        "hipErrorUnknown": 999,
        "hipErrorRuntimeMemory": 1052,
        "hipErrorRuntimeOther": 1053,
        "hipErrorTbd": 1054,
    },
    "hipDeviceAttribute_t": {
        "hipDeviceAttributeCudaCompatibleBegin": 0,
        "hipDeviceAttributeEccEnabled": 0,
        "hipDeviceAttributeAccessPolicyMaxWindowSize": 1,
        "hipDeviceAttributeAsyncEngineCount": 2,
        "hipDeviceAttributeCanMapHostMemory": 3,
        "hipDeviceAttributeCanUseHostPointerForRegisteredMem": 4,
        "hipDeviceAttributeClockRate": 5,
        "hipDeviceAttributeComputeMode": 6,
        "hipDeviceAttributeComputePreemptionSupported": 7,
        "hipDeviceAttributeConcurrentKernels": 8,
        "hipDeviceAttributeConcurrentManagedAccess": 9,
        "hipDeviceAttributeCooperativeLaunch": 10,
        "hipDeviceAttributeCooperativeMultiDeviceLaunch": 11,
        "hipDeviceAttributeDeviceOverlap": 12,
        "hipDeviceAttributeDirectManagedMemAccessFromHost": 13,
        "hipDeviceAttributeGlobalL1CacheSupported": 14,
        "hipDeviceAttributeHostNativeAtomicSupported": 15,
        "hipDeviceAttributeIntegrated": 16,
        "hipDeviceAttributeIsMultiGpuBoard": 17,
        "hipDeviceAttributeKernelExecTimeout": 18,
        "hipDeviceAttributeL2CacheSize": 19,
        "hipDeviceAttributeLocalL1CacheSupported": 20,
        "hipDeviceAttributeLuid": 21,
        "hipDeviceAttributeLuidDeviceNodeMask": 22,
        "hipDeviceAttributeComputeCapabilityMajor": 23,
        "hipDeviceAttributeManagedMemory": 24,
        "hipDeviceAttributeMaxBlocksPerMultiProcessor": 25,
        "hipDeviceAttributeMaxBlockDimX": 26,
        "hipDeviceAttributeMaxBlockDimY": 27,
        "hipDeviceAttributeMaxBlockDimZ": 28,
        "hipDeviceAttributeMaxGridDimX": 29,
        "hipDeviceAttributeMaxGridDimY": 30,
        "hipDeviceAttributeMaxGridDimZ": 31,
        "hipDeviceAttributeMaxSurface1D": 32,
        "hipDeviceAttributeMaxSurface1DLayered": 33,
        "hipDeviceAttributeMaxSurface2D": 34,
        "hipDeviceAttributeMaxSurface2DLayered": 35,
        "hipDeviceAttributeMaxSurface3D": 36,
        "hipDeviceAttributeMaxSurfaceCubemap": 37,
        "hipDeviceAttributeMaxSurfaceCubemapLayered": 38,
        "hipDeviceAttributeMaxTexture1DWidth": 39,
        "hipDeviceAttributeMaxTexture1DLayered": 40,
        "hipDeviceAttributeMaxTexture1DLinear": 41,
        "hipDeviceAttributeMaxTexture1DMipmap": 42,
        "hipDeviceAttributeMaxTexture2DWidth": 43,
        "hipDeviceAttributeMaxTexture2DHeight": 44,
        "hipDeviceAttributeMaxTexture2DGather": 45,
        "hipDeviceAttributeMaxTexture2DLayered": 46,
        "hipDeviceAttributeMaxTexture2DLinear": 47,
        "hipDeviceAttributeMaxTexture2DMipmap": 48,
        "hipDeviceAttributeMaxTexture3DWidth": 49,
        "hipDeviceAttributeMaxTexture3DHeight": 50,
        "hipDeviceAttributeMaxTexture3DDepth": 51,
        "hipDeviceAttributeMaxTexture3DAlt": 52,
        "hipDeviceAttributeMaxTextureCubemap": 53,
        "hipDeviceAttributeMaxTextureCubemapLayered": 54,
        "hipDeviceAttributeMaxThreadsDim": 55,
        "hipDeviceAttributeMaxThreadsPerBlock": 56,
        "hipDeviceAttributeMaxThreadsPerMultiProcessor": 57,
        "hipDeviceAttributeMaxPitch": 58,
        "hipDeviceAttributeMemoryBusWidth": 59,
        "hipDeviceAttributeMemoryClockRate": 60,
        "hipDeviceAttributeComputeCapabilityMinor": 61,
        "hipDeviceAttributeMultiGpuBoardGroupID": 62,
        "hipDeviceAttributeMultiprocessorCount": 63,
        "hipDeviceAttributeUnused1": 64,
        "hipDeviceAttributePageableMemoryAccess": 65,
        "hipDeviceAttributePageableMemoryAccessUsesHostPageTables": 66,
        "hipDeviceAttributePciBusId": 67,
        "hipDeviceAttributePciDeviceId": 68,
        "hipDeviceAttributePciDomainID": 69,
        "hipDeviceAttributePersistingL2CacheMaxSize": 70,
        "hipDeviceAttributeMaxRegistersPerBlock": 71,
        "hipDeviceAttributeMaxRegistersPerMultiprocessor": 72,
        "hipDeviceAttributeReservedSharedMemPerBlock": 73,
        "hipDeviceAttributeMaxSharedMemoryPerBlock": 74,
        "hipDeviceAttributeSharedMemPerBlockOptin": 75,
        "hipDeviceAttributeSharedMemPerMultiprocessor": 76,
        "hipDeviceAttributeSingleToDoublePrecisionPerfRatio": 77,
        "hipDeviceAttributeStreamPrioritiesSupported": 78,
        "hipDeviceAttributeSurfaceAlignment": 79,
        "hipDeviceAttributeTccDriver": 80,
        "hipDeviceAttributeTextureAlignment": 81,
        "hipDeviceAttributeTexturePitchAlignment": 82,
        "hipDeviceAttributeTotalConstantMemory": 83,
        "hipDeviceAttributeTotalGlobalMem": 84,
        "hipDeviceAttributeUnifiedAddressing": 85,
        "hipDeviceAttributeUnused2": 86,
        "hipDeviceAttributeWarpSize": 87,
        "hipDeviceAttributeMemoryPoolsSupported": 88,
        "hipDeviceAttributeVirtualMemoryManagementSupported": 89,
        "hipDeviceAttributeHostRegisterSupported": 90,
        "hipDeviceAttributeMemoryPoolSupportedHandleTypes": 91,
        "hipDeviceAttributeCudaCompatibleEnd": 9999,
        "hipDeviceAttributeAmdSpecificBegin": 10000,
        "hipDeviceAttributeClockInstructionRate": 10000,
        "hipDeviceAttributeUnused3": 10001,
        "hipDeviceAttributeMaxSharedMemoryPerMultiprocessor": 10002,
        "hipDeviceAttributeUnused4": 10003,
        "hipDeviceAttributeUnused5": 10004,
        "hipDeviceAttributeHdpMemFlushCntl": 10005,
        "hipDeviceAttributeHdpRegFlushCntl": 10006,
        "hipDeviceAttributeCooperativeMultiDeviceUnmatchedFunc": 10007,
        "hipDeviceAttributeCooperativeMultiDeviceUnmatchedGridDim": 10008,
        "hipDeviceAttributeCooperativeMultiDeviceUnmatchedBlockDim": 10009,
        "hipDeviceAttributeCooperativeMultiDeviceUnmatchedSharedMem": 10010,
        "hipDeviceAttributeIsLargeBar": 10011,
        "hipDeviceAttributeAsicRevision": 10012,
        "hipDeviceAttributeCanUseStreamWaitValue": 10013,
        "hipDeviceAttributeImageSupport": 10014,
        "hipDeviceAttributePhysicalMultiProcessorCount": 10015,
        "hipDeviceAttributeFineGrainSupport": 10016,
        "hipDeviceAttributeWallClockRate": 10017,
        "hipDeviceAttributeAmdSpecificEnd": 19999,
        "hipDeviceAttributeVendorSpecificBegin": 20000,
    },
    "hipMemcpyKind": {
        "hipMemcpyHostToHost": 0,
        "hipMemcpyHostToDevice": 1,
        "hipMemcpyDeviceToHost": 2,
        "hipMemcpyDeviceToDevice": 3,
        "hipMemcpyDefault": 4,
        "hipMemcpyDeviceToDeviceNoCU": 1024,
    },
    "hipMemoryType": {
        "hipMemoryTypeUnregistered": 0,
        "hipMemoryTypeHost": 1,
        "hipMemoryTypeDevice": 2,
        "hipMemoryTypeManaged": 3,
        "hipMemoryTypeArray": 10,
        "hipMemoryTypeUnified": 11,
    },
    "hipStreamCaptureMode": {
        "hipStreamCaptureModeGlobal": 0,
        "hipStreamCaptureModeThreadLocal": 1,
        "hipStreamCaptureModeRelaxed": 2,
    },
    "hipStreamCaptureStatus": {
        "hipStreamCaptureStatusNone": 0,
        "hipStreamCaptureStatusActive": 1,
        "hipStreamCaptureStatusInvalidated": 2,
    },
    "hipFunction_attribute": {
        "HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK": 0,
        "HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES": 1,
        "HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES": 2,
        "HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES": 3,
        "HIP_FUNC_ATTRIBUTE_NUM_REGS": 4,
        "HIP_FUNC_ATTRIBUTE_PTX_VERSION": 5,
        "HIP_FUNC_ATTRIBUTE_BINARY_VERSION": 6,
        "HIP_FUNC_ATTRIBUTE_CACHE_MODE_CA": 7,
        "HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES": 8,
        "HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT": 9,
        "HIP_FUNC_ATTRIBUTE_MAX": 10,
    },
}

# Opaque handles: pointers to structs that only the library knows.
HANDLES = [
    "hipStream_t",
    "hipEvent_t",
    "hipModule_t",
    "hipFunction_t",
    "hipGraph_t",
    "hipGraphExec_t",
    "hipGraphNode_t",
]

TYPEDEFS = {
    "hipDevice_t": "int",
    "hipDeviceptr_t": "void*",
}

FUNCTION_TYPES = {
    "hipHostFn_t": "void (*)(void* user_data)",
    "hipStreamCallback_t": "void (*)(hipStream_t stream, hipError_t status, void* user_data)",
}

# (member, type, offset); the rest is padding. `name` is the header's where it differs.
STRUCTS = [
    Struct(
        "hipDeviceProp_t",
        header_name="hipDeviceProp_tR0600",
        n_bytes=1472,
        members=[
            ("name", "char[256]", 0),
            ("totalGlobalMem", "size_t", 288),
            ("gcnArchName", "char[256]", 1160),
        ],
    ),
    Struct(
        "hipPointerAttribute_t",
        n_bytes=32,
        members=[
            ("type", "int", 0),
            ("device", "int", 4),
            ("devicePointer", "void*", 8),
            ("hostPointer", "void*", 16),
            ("isManaged", "int", 24),
            ("allocationFlags", "unsigned", 28),
        ],
    ),
]

CONSTANTS = {
    "hipEventDefault": 0,
    "hipEventBlockingSync": 1,
    "hipEventDisableTiming": 2,
    "hipStreamDefault": 0,
    "hipStreamNonBlocking": 1,
    "hipHostMallocDefault": 0,
    "hipHostMallocPortable": 1,
    "hipHostMallocMapped": 2,
    "hipHostRegisterDefault": 0,
    "hipMemAttachGlobal": 1,
}

LIBRARY = Library(
    name="hip",
    status_type="hipError_t",
    success="hipSuccess",
    error_name="hipGetErrorName",
    header="hip/hip_runtime_api.h",
    exception="HIPError",
    functions=FUNCTIONS,
    enums=ENUMS,
    handles=HANDLES,
    typedefs=TYPEDEFS,
    function_types=FUNCTION_TYPES,
    structs=STRUCTS,
    constants=CONSTANTS,
)
