// Devices: the driver's ordinals, attributes under HIP's numbers, peers, versions.
#include <cstdio>
#include <cstring>

#include "runtime.h"

namespace hipnv {

namespace {

// HIP's number of a version: major * 10^7 + minor * 10^5 + patch. The ABI that this library has.
constexpr int kHipVersion = 60400000;

// HIP's attribute and the driver's. An attribute of HIP that is not here has no counterpart: 0.
struct AttributePair {
    int hip;
    cuda::Enum cuda;
};
constexpr AttributePair kAttributes[] = {
    {hipDeviceAttributeEccEnabled, 32},
    {hipDeviceAttributeAccessPolicyMaxWindowSize, 109},
    {hipDeviceAttributeAsyncEngineCount, 40},
    {hipDeviceAttributeCanMapHostMemory, 19},
    {hipDeviceAttributeCanUseHostPointerForRegisteredMem, 91},
    {hipDeviceAttributeClockRate, 13},
    {hipDeviceAttributeComputeMode, 20},
    {hipDeviceAttributeComputePreemptionSupported, 90},
    {hipDeviceAttributeConcurrentKernels, 31},
    {hipDeviceAttributeConcurrentManagedAccess, 89},
    {hipDeviceAttributeCooperativeLaunch, 95},
    {hipDeviceAttributeCooperativeMultiDeviceLaunch, 96},
    {hipDeviceAttributeDeviceOverlap, 15},
    {hipDeviceAttributeDirectManagedMemAccessFromHost, 101},
    {hipDeviceAttributeGlobalL1CacheSupported, 79},
    {hipDeviceAttributeHostNativeAtomicSupported, 86},
    {hipDeviceAttributeIntegrated, 18},
    {hipDeviceAttributeIsMultiGpuBoard, 84},
    {hipDeviceAttributeKernelExecTimeout, 17},
    {hipDeviceAttributeL2CacheSize, 38},
    {hipDeviceAttributeLocalL1CacheSupported, 80},
    {hipDeviceAttributeComputeCapabilityMajor, 75},
    {hipDeviceAttributeManagedMemory, 83},
    {hipDeviceAttributeMaxBlocksPerMultiProcessor, 106},
    {hipDeviceAttributeMaxBlockDimX, 2},
    {hipDeviceAttributeMaxBlockDimY, 3},
    {hipDeviceAttributeMaxBlockDimZ, 4},
    {hipDeviceAttributeMaxGridDimX, 5},
    {hipDeviceAttributeMaxGridDimY, 6},
    {hipDeviceAttributeMaxGridDimZ, 7},
    {hipDeviceAttributeMaxThreadsDim, 2},
    {hipDeviceAttributeMaxThreadsPerBlock, 1},
    {hipDeviceAttributeMaxThreadsPerMultiProcessor, 39},
    {hipDeviceAttributeMaxPitch, 11},
    {hipDeviceAttributeMemoryBusWidth, 37},
    {hipDeviceAttributeMemoryClockRate, 36},
    {hipDeviceAttributeComputeCapabilityMinor, 76},
    {hipDeviceAttributeMultiGpuBoardGroupID, 85},
    {hipDeviceAttributeMultiprocessorCount, 16},
    {hipDeviceAttributePageableMemoryAccess, 88},
    {hipDeviceAttributePageableMemoryAccessUsesHostPageTables, 100},
    {hipDeviceAttributePciBusId, 33},
    {hipDeviceAttributePciDeviceId, 34},
    {hipDeviceAttributePciDomainID, 50},
    {hipDeviceAttributePersistingL2CacheMaxSize, 108},
    {hipDeviceAttributeMaxRegistersPerBlock, 12},
    {hipDeviceAttributeMaxRegistersPerMultiprocessor, 82},
    {hipDeviceAttributeReservedSharedMemPerBlock, 111},
    {hipDeviceAttributeMaxSharedMemoryPerBlock, 8},
    {hipDeviceAttributeSharedMemPerBlockOptin, 97},
    {hipDeviceAttributeSharedMemPerMultiprocessor, 81},
    {hipDeviceAttributeSingleToDoublePrecisionPerfRatio, 87},
    {hipDeviceAttributeStreamPrioritiesSupported, 78},
    {hipDeviceAttributeSurfaceAlignment, 30},
    {hipDeviceAttributeTccDriver, 35},
    {hipDeviceAttributeTextureAlignment, 14},
    {hipDeviceAttributeTexturePitchAlignment, 51},
    {hipDeviceAttributeTotalConstantMemory, 9},
    {hipDeviceAttributeUnifiedAddressing, 41},
    {hipDeviceAttributeWarpSize, 10},
    {hipDeviceAttributeMemoryPoolsSupported, 115},
    {hipDeviceAttributeVirtualMemoryManagementSupported, 102},
    {hipDeviceAttributeHostRegisterSupported, 99},
    {hipDeviceAttributeMemoryPoolSupportedHandleTypes, 119},
    {hipDeviceAttributeMaxSharedMemoryPerMultiprocessor, 81},
    {hipDeviceAttributePhysicalMultiProcessorCount, 16},
};

bool is_known_attribute(int attribute) {
    return (attribute >= 0 && attribute <= hipDeviceAttributeMemoryPoolSupportedHandleTypes) ||
           (attribute >= hipDeviceAttributeClockInstructionRate &&
            attribute <= hipDeviceAttributeWallClockRate);
}

hipError_t find_attribute(int device, int attribute, int *value) {
    if (!is_known_attribute(attribute)) return hipErrorInvalidValue;
    for (const AttributePair &pair : kAttributes)
        if (pair.hip == attribute)
            return translate(cuda::driver().cuDeviceGetAttribute(value, pair.cuda, device));
    *value = 0;
    return hipSuccess;
}

int attribute_of(int device, int attribute) {
    int value = 0;
    find_attribute(device, attribute, &value);
    return value;
}

// Calls about a device need no context of it.
template <class Body>
hipError_t on_device(int device, bool valid, Body &&body) {
    const hipError_t status = initialize();
    if (status != hipSuccess) return report(status);
    if (device < 0 || device >= n_devices()) return report(hipErrorInvalidDevice);
    return report(valid ? body(cuda::driver()) : hipErrorInvalidValue);
}

void fill_sizes(hipDeviceProp_tR0600 &p, int device) {
    const auto get = [device](int attribute) { return attribute_of(device, attribute); };
    p.sharedMemPerBlock = static_cast<size_t>(get(hipDeviceAttributeMaxSharedMemoryPerBlock));
    p.sharedMemPerBlockOptin = static_cast<size_t>(get(hipDeviceAttributeSharedMemPerBlockOptin));
    p.sharedMemPerMultiprocessor = p.maxSharedMemoryPerMultiProcessor =
        static_cast<size_t>(get(hipDeviceAttributeSharedMemPerMultiprocessor));
    p.regsPerBlock = get(hipDeviceAttributeMaxRegistersPerBlock);
    p.regsPerMultiprocessor = get(hipDeviceAttributeMaxRegistersPerMultiprocessor);
    p.warpSize = get(hipDeviceAttributeWarpSize);
    p.memPitch = static_cast<size_t>(get(hipDeviceAttributeMaxPitch));
    p.maxThreadsPerBlock = get(hipDeviceAttributeMaxThreadsPerBlock);
    for (int i = 0; i < 3; ++i) {
        p.maxThreadsDim[i] = get(hipDeviceAttributeMaxBlockDimX + i);
        p.maxGridSize[i] = get(hipDeviceAttributeMaxGridDimX + i);
    }
    p.totalConstMem = static_cast<size_t>(get(hipDeviceAttributeTotalConstantMemory));
    p.maxThreadsPerMultiProcessor = get(hipDeviceAttributeMaxThreadsPerMultiProcessor);
    p.maxBlocksPerMultiProcessor = get(hipDeviceAttributeMaxBlocksPerMultiProcessor);
    p.multiProcessorCount = get(hipDeviceAttributeMultiprocessorCount);
    p.l2CacheSize = get(hipDeviceAttributeL2CacheSize);
    p.memoryBusWidth = get(hipDeviceAttributeMemoryBusWidth);
    p.clockRate = get(hipDeviceAttributeClockRate);
    p.memoryClockRate = get(hipDeviceAttributeMemoryClockRate);
}

void fill_abilities(hipDeviceProp_tR0600 &p, int device) {
    const auto get = [device](int attribute) { return attribute_of(device, attribute); };
    p.integrated = get(hipDeviceAttributeIntegrated);
    p.canMapHostMemory = get(hipDeviceAttributeCanMapHostMemory);
    p.concurrentKernels = get(hipDeviceAttributeConcurrentKernels);
    p.ECCEnabled = get(hipDeviceAttributeEccEnabled);
    p.pciBusID = get(hipDeviceAttributePciBusId);
    p.pciDeviceID = get(hipDeviceAttributePciDeviceId);
    p.pciDomainID = get(hipDeviceAttributePciDomainID);
    p.asyncEngineCount = get(hipDeviceAttributeAsyncEngineCount);
    p.unifiedAddressing = get(hipDeviceAttributeUnifiedAddressing);
    p.managedMemory = get(hipDeviceAttributeManagedMemory);
    p.concurrentManagedAccess = get(hipDeviceAttributeConcurrentManagedAccess);
    p.streamPrioritiesSupported = get(hipDeviceAttributeStreamPrioritiesSupported);
    p.pageableMemoryAccess = get(hipDeviceAttributePageableMemoryAccess);
    p.cooperativeLaunch = get(hipDeviceAttributeCooperativeLaunch);
    p.hostRegisterSupported = get(hipDeviceAttributeHostRegisterSupported);
    p.memoryPoolsSupported = get(hipDeviceAttributeMemoryPoolsSupported);
    p.arch.features = kArchFeatures;
}

hipError_t fill(hipDeviceProp_tR0600 &p, int device, const cuda::Driver &driver) {
    std::memset(&p, 0, sizeof p);
    cuda::Result result = driver.cuDeviceGetName(p.name, sizeof p.name, device);
    if (result == 0) result = driver.cuDeviceTotalMem_v2(&p.totalGlobalMem, device);
    if (result != 0) return translate(result);
    p.major = attribute_of(device, hipDeviceAttributeComputeCapabilityMajor);
    p.minor = attribute_of(device, hipDeviceAttributeComputeCapabilityMinor);
    std::snprintf(p.gcnArchName, sizeof p.gcnArchName, "sm_%d%d", p.major, p.minor);
    fill_sizes(p, device);
    fill_abilities(p, device);
    return hipSuccess;
}

hipError_t change_peer(int peer, bool enable) {
    return api_call([&](const cuda::Driver &driver) {
        if (peer == thread_state.device) return hipErrorInvalidDevice;
        CUcontext context = nullptr;
        const hipError_t status = find_context(peer, &context);
        if (status != hipSuccess) return status;
        return translate(enable ? driver.cuCtxEnablePeerAccess(context, 0)
                                : driver.cuCtxDisablePeerAccess(context));
    });
}

}  // namespace

}  // namespace hipnv

using namespace hipnv;

HIP_EXPORT hipError_t hipInit(unsigned flags) {
    return report(flags == 0 ? initialize() : hipErrorInvalidValue);
}

HIP_EXPORT hipError_t hipRuntimeGetVersion(int *version) {
    if (!version) return report(hipErrorInvalidValue);
    *version = kHipVersion;
    return hipSuccess;
}

HIP_EXPORT hipError_t hipDriverGetVersion(int *version) { return hipRuntimeGetVersion(version); }

HIP_EXPORT hipError_t hipGetDeviceCount(int *count) {
    if (!count) return report(hipErrorInvalidValue);
    *count = n_devices();
    return report(initialize());
}

HIP_EXPORT hipError_t hipGetDevice(int *device) {
    if (!device) return report(hipErrorInvalidValue);
    *device = thread_state.device;
    return report(initialize());
}

HIP_EXPORT hipError_t hipSetDevice(int device) {
    return on_device(device, true, [&](const cuda::Driver &) {
        thread_state.device = device;
        return activate();
    });
}

HIP_EXPORT hipError_t hipDeviceGetAttribute(int *value, hipDeviceAttribute_t attribute,
                                            int device) {
    return on_device(device, value != nullptr, [&](const cuda::Driver &driver) {
        if (attribute != hipDeviceAttributeTotalGlobalMem)
            return find_attribute(device, attribute, value);
        size_t n_bytes = 0;
        const cuda::Result result = driver.cuDeviceTotalMem_v2(&n_bytes, device);
        *value = n_bytes > INT32_MAX ? INT32_MAX : static_cast<int>(n_bytes);
        return translate(result);
    });
}

HIP_EXPORT hipError_t hipDeviceGetName(char *name, int n_bytes, hipDevice_t device) {
    return on_device(device, name && n_bytes > 0, [&](const cuda::Driver &driver) {
        return translate(driver.cuDeviceGetName(name, n_bytes, device));
    });
}

HIP_EXPORT hipError_t hipDeviceGetPCIBusId(char *text, int n_bytes, int device) {
    return on_device(device, text && n_bytes > 0, [&](const cuda::Driver &driver) {
        return translate(driver.cuDeviceGetPCIBusId(text, n_bytes, device));
    });
}

HIP_EXPORT hipError_t hipDeviceTotalMem(size_t *n_bytes, hipDevice_t device) {
    return on_device(device, n_bytes != nullptr, [&](const cuda::Driver &driver) {
        return translate(driver.cuDeviceTotalMem_v2(n_bytes, device));
    });
}

HIP_EXPORT hipError_t hipGetDevicePropertiesR0600(hipDeviceProp_tR0600 *properties, int device) {
    return on_device(device, properties != nullptr,
                     [&](const cuda::Driver &driver) { return fill(*properties, device, driver); });
}

HIP_EXPORT hipError_t hipDeviceSynchronize(void) {
    return driver_call([](const cuda::Driver &driver) { return driver.cuCtxSynchronize(); });
}

HIP_EXPORT hipError_t hipDeviceReset(void) {
    return api_call([](const cuda::Driver &driver) {
        const cuda::Result result = driver.cuCtxSynchronize();
        const hipError_t status = reset_context(thread_state.device);
        return result ? translate(result) : status;
    });
}

HIP_EXPORT hipError_t hipDeviceGetStreamPriorityRange(int *least, int *greatest) {
    return driver_call([&](const cuda::Driver &driver) {
        return driver.cuCtxGetStreamPriorityRange(least, greatest);
    });
}

HIP_EXPORT hipError_t hipDeviceCanAccessPeer(int *can, int device, int peer) {
    return on_device(device, can != nullptr, [&](const cuda::Driver &driver) {
        if (peer < 0 || peer >= n_devices()) return hipErrorInvalidDevice;
        *can = 0;
        if (device == peer) return hipSuccess;
        return translate(driver.cuDeviceCanAccessPeer(can, device, peer));
    });
}

HIP_EXPORT hipError_t hipDeviceEnablePeerAccess(int peer, unsigned flags) {
    return flags ? report(hipErrorInvalidValue) : change_peer(peer, true);
}

HIP_EXPORT hipError_t hipDeviceDisablePeerAccess(int peer) { return change_peer(peer, false); }

HIP_EXPORT hipError_t hipMemGetInfo(size_t *free, size_t *total) {
    return api_call([&](const cuda::Driver &driver) {
        if (!free || !total) return hipErrorInvalidValue;
        return translate(driver.cuMemGetInfo_v2(free, total));
    });
}

HIP_EXPORT hipError_t hipProfilerStart() {
    return driver_call([](const cuda::Driver &driver) { return driver.cuProfilerStart(); });
}

HIP_EXPORT hipError_t hipProfilerStop() {
    return driver_call([](const cuda::Driver &driver) { return driver.cuProfilerStop(); });
}
