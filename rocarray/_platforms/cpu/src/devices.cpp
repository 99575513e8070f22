// Devices: the pretend devices of the machine, their properties, peers, versions.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

#include "functions.h"
#include "hiprtc_internal.h"
#include "stream_queue.h"

namespace hipcpu {

namespace {

// HIP's number of a version: major * 10^7 + minor * 10^5 + patch.
constexpr int kHipVersion = 60400000;

std::string processor_name() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        if (line.rfind("model name", 0) != 0) continue;
        const size_t colon = line.find(": ");
        if (colon != std::string::npos) return line.substr(colon + 2);
    }
    return "processor";
}

int cache_bytes(int level) {
    const long n = sysconf(level);
    return n > 0 ? static_cast<int>(std::min<long>(n, INT32_MAX)) : 1 << 20;
}

void set_sizes(hipDeviceProp_tR0600 &p, const Settings &settings) {
    p.totalGlobalMem = settings.memory_limit;
    p.sharedMemPerBlock = p.sharedMemPerMultiprocessor = kMaxLdsBytes;
    p.maxSharedMemoryPerMultiProcessor = p.sharedMemPerBlockOptin = kMaxLdsBytes;
    p.regsPerBlock = p.regsPerMultiprocessor = 65536;
    p.warpSize = 1;
    p.memPitch = INT32_MAX;
    p.maxThreadsPerBlock = kMaxBlockItems;
    std::fill_n(p.maxThreadsDim, 3, static_cast<int>(kMaxBlockItems));
    std::fill_n(p.maxGridSize, 3, INT32_MAX);
    p.totalConstMem = INT32_MAX;
    p.textureAlignment = p.texturePitchAlignment = p.surfaceAlignment = kAllocationAlignment;
    p.multiProcessorCount = settings.n_threads;
    p.maxThreadsPerMultiProcessor = kMaxItemsPerUnit;
    p.maxBlocksPerMultiProcessor = kMaxBlocksPerUnit;
    p.memoryBusWidth = 64;
    p.clockRate = p.memoryClockRate = 2'000'000;  // kHz
    p.clockInstructionRate = 1'000'000;
    p.l2CacheSize = cache_bytes(_SC_LEVEL2_CACHE_SIZE);
}

void set_abilities(hipDeviceProp_tR0600 &p) {
    p.integrated = p.canMapHostMemory = p.concurrentKernels = 1;
    p.deviceOverlap = p.asyncEngineCount = 1;
    p.unifiedAddressing = p.managedMemory = p.concurrentManagedAccess = 1;
    p.streamPrioritiesSupported = 1;
    p.globalL1CacheSupported = p.localL1CacheSupported = 1;
    p.hostNativeAtomicSupported = 1;
    p.pageableMemoryAccess = p.pageableMemoryAccessUsesHostPageTables = 1;
    p.directManagedMemAccessFromHost = 1;
    p.canUseHostPointerForRegisteredMem = p.hostRegisterSupported = 1;
    p.hostRegisterReadOnlySupported = 1;
    p.memoryPoolsSupported = 0;
    p.arch.features = kArchFeatures;
    p.isLargeBar = 1;
}

hipDeviceProp_tR0600 make_properties(int ordinal) {
    const Settings &settings = runtime().settings;
    hipDeviceProp_tR0600 p;
    std::memset(&p, 0, sizeof p);
    std::snprintf(p.name, sizeof p.name, "%s", processor_name().c_str());
    std::snprintf(p.gcnArchName, sizeof p.gcnArchName, "%s", rtc::native_architecture());
    std::snprintf(p.uuid.bytes, sizeof p.uuid.bytes, "cpu-%d", ordinal);
    p.major = 9;  // as GPUs of AMD's 9 family say: what a program may ask for is there
    p.pciBusID = ordinal + 1;
    set_sizes(p, settings);
    set_abilities(p);
    return p;
}

const hipDeviceProp_tR0600 &properties(int ordinal) {
    static const auto *all = [] {
        auto *list = new std::vector<hipDeviceProp_tR0600>;
        for (size_t i = 0; i < runtime().devices.size(); ++i)
            list->push_back(make_properties(static_cast<int>(i)));
        return list;
    }();
    return (*all)[static_cast<size_t>(ordinal)];
}

int as_int(size_t n) { return static_cast<int>(std::min<size_t>(n, INT32_MAX)); }

bool is_known_attribute(int attribute) {
    return (attribute >= 0 && attribute <= hipDeviceAttributeMemoryPoolSupportedHandleTypes) ||
           (attribute >= hipDeviceAttributeClockInstructionRate &&
            attribute <= hipDeviceAttributeWallClockRate);
}

bool find_attribute(const hipDeviceProp_tR0600 &p, int attribute, int *value) {
    const auto set = [value](size_t n) {
        *value = as_int(n);
        return true;
    };
    switch (attribute) {
        case hipDeviceAttributeAsyncEngineCount:
        case hipDeviceAttributeCanMapHostMemory:
        case hipDeviceAttributeCanUseHostPointerForRegisteredMem:
        case hipDeviceAttributeConcurrentKernels:
        case hipDeviceAttributeConcurrentManagedAccess:
        case hipDeviceAttributeDeviceOverlap:
        case hipDeviceAttributeDirectManagedMemAccessFromHost:
        case hipDeviceAttributeGlobalL1CacheSupported:
        case hipDeviceAttributeHostNativeAtomicSupported:
        case hipDeviceAttributeIntegrated:
        case hipDeviceAttributeLocalL1CacheSupported:
        case hipDeviceAttributeManagedMemory:
        case hipDeviceAttributePageableMemoryAccess:
        case hipDeviceAttributePageableMemoryAccessUsesHostPageTables:
        case hipDeviceAttributeStreamPrioritiesSupported:
        case hipDeviceAttributeUnifiedAddressing:
        case hipDeviceAttributeHostRegisterSupported:
        case hipDeviceAttributeIsLargeBar:
        case hipDeviceAttributeFineGrainSupport: return set(1);
        case hipDeviceAttributeClockRate:
        case hipDeviceAttributeMemoryClockRate: return set(p.clockRate);
        case hipDeviceAttributeClockInstructionRate:
        case hipDeviceAttributeWallClockRate: return set(p.clockInstructionRate);
        case hipDeviceAttributeL2CacheSize: return set(p.l2CacheSize);
        case hipDeviceAttributeComputeCapabilityMajor: return set(p.major);
        case hipDeviceAttributeMaxBlocksPerMultiProcessor: return set(p.maxBlocksPerMultiProcessor);
        case hipDeviceAttributeMaxBlockDimX:
        case hipDeviceAttributeMaxBlockDimY:
        case hipDeviceAttributeMaxBlockDimZ:
        case hipDeviceAttributeMaxThreadsDim:
        case hipDeviceAttributeMaxThreadsPerBlock: return set(p.maxThreadsPerBlock);
        case hipDeviceAttributeMaxGridDimX:
        case hipDeviceAttributeMaxGridDimY:
        case hipDeviceAttributeMaxGridDimZ: return set(p.maxGridSize[0]);
        case hipDeviceAttributeMaxThreadsPerMultiProcessor:
            return set(p.maxThreadsPerMultiProcessor);
        case hipDeviceAttributeMaxPitch: return set(p.memPitch);
        case hipDeviceAttributeMemoryBusWidth: return set(p.memoryBusWidth);
        case hipDeviceAttributeMultiprocessorCount:
        case hipDeviceAttributePhysicalMultiProcessorCount: return set(p.multiProcessorCount);
        case hipDeviceAttributePciBusId: return set(p.pciBusID);
        case hipDeviceAttributeMaxRegistersPerBlock:
        case hipDeviceAttributeMaxRegistersPerMultiprocessor: return set(p.regsPerBlock);
        case hipDeviceAttributeMaxSharedMemoryPerBlock:
        case hipDeviceAttributeSharedMemPerBlockOptin:
        case hipDeviceAttributeSharedMemPerMultiprocessor:
        case hipDeviceAttributeMaxSharedMemoryPerMultiprocessor: return set(p.sharedMemPerBlock);
        case hipDeviceAttributeSurfaceAlignment:
        case hipDeviceAttributeTextureAlignment:
        case hipDeviceAttributeTexturePitchAlignment: return set(p.textureAlignment);
        case hipDeviceAttributeTotalConstantMemory: return set(p.totalConstMem);
        case hipDeviceAttributeTotalGlobalMem: return set(p.totalGlobalMem);
        case hipDeviceAttributeWarpSize: return set(p.warpSize);
        default:  // what a processor has no part of: textures, ECC, cooperative launches, ...
            return is_known_attribute(attribute) && set(0);
    }
}

template <class F>
hipError_t on_device(int ordinal, bool valid, F &&body) {
    return api_call([&] {
        if (!is_device(ordinal)) return hipErrorInvalidDevice;
        if (!valid) return hipErrorInvalidValue;
        return body(*runtime().devices[static_cast<size_t>(ordinal)]);
    });
}

hipError_t change_peer(int peer, bool enable) {
    if (!is_device(peer)) return hipErrorInvalidDevice;
    Device &device = current_device();
    if (peer == device.ordinal) return hipErrorInvalidDevice;
    const uint64_t bit = uint64_t{1} << peer;
    if (enable)
        return device.peers_enabled.fetch_or(bit) & bit ? hipErrorPeerAccessAlreadyEnabled
                                                        : hipSuccess;
    return device.peers_enabled.fetch_and(~bit) & bit ? hipSuccess : hipErrorPeerAccessNotEnabled;
}

}  // namespace

}  // namespace hipcpu

using namespace hipcpu;

HIP_EXPORT hipError_t hipInit(unsigned flags) {
    return api_call([&] { return flags == 0 ? hipSuccess : hipErrorInvalidValue; });
}

HIP_EXPORT hipError_t hipDriverGetVersion(int *version) {
    if (!version) return report(hipErrorInvalidValue);
    *version = kHipVersion;
    return hipSuccess;
}

HIP_EXPORT hipError_t hipRuntimeGetVersion(int *version) { return hipDriverGetVersion(version); }

HIP_EXPORT hipError_t hipGetDeviceCount(int *count) {
    return api_call([&] {
        if (!count) return hipErrorInvalidValue;
        *count = static_cast<int>(runtime().devices.size());
        return hipSuccess;
    });
}

HIP_EXPORT hipError_t hipSetDevice(int ordinal) {
    return api_call([&] {
        if (!is_device(ordinal)) return hipErrorInvalidDevice;
        thread_state.device = ordinal;
        return hipSuccess;
    });
}

HIP_EXPORT hipError_t hipGetDevice(int *ordinal) {
    return api_call([&] {
        if (!ordinal) return hipErrorInvalidValue;
        *ordinal = thread_state.device;
        return hipSuccess;
    });
}

HIP_EXPORT hipError_t hipDeviceGet(hipDevice_t *device, int ordinal) {
    return on_device(ordinal, device != nullptr, [&](Device &) {
        *device = ordinal;
        return hipSuccess;
    });
}

HIP_EXPORT hipError_t hipGetDevicePropertiesR0600(hipDeviceProp_tR0600 *p, int ordinal) {
    return on_device(ordinal, p != nullptr, [&](Device &) {
        *p = properties(ordinal);
        return hipSuccess;
    });
}

HIP_EXPORT hipError_t hipDeviceGetAttribute(int *value, hipDeviceAttribute_t attribute,
                                            int ordinal) {
    return on_device(ordinal, value != nullptr, [&](Device &) {
        return find_attribute(properties(ordinal), static_cast<int>(attribute), value)
                   ? hipSuccess
                   : hipErrorInvalidValue;
    });
}

HIP_EXPORT hipError_t hipDeviceGetName(char *name, int n_bytes, hipDevice_t device) {
    return on_device(device, name != nullptr && n_bytes > 0, [&](Device &) {
        std::snprintf(name, static_cast<size_t>(n_bytes), "%s", properties(device).name);
        return hipSuccess;
    });
}

HIP_EXPORT hipError_t hipDeviceGetUuid(hipUUID *uuid, hipDevice_t device) {
    return on_device(device, uuid != nullptr, [&](Device &) {
        *uuid = properties(device).uuid;
        return hipSuccess;
    });
}

HIP_EXPORT hipError_t hipDeviceComputeCapability(int *major, int *minor, hipDevice_t device) {
    return on_device(device, major && minor, [&](Device &) {
        *major = properties(device).major;
        *minor = properties(device).minor;
        return hipSuccess;
    });
}

HIP_EXPORT hipError_t hipDeviceTotalMem(size_t *n_bytes, hipDevice_t device) {
    return on_device(device, n_bytes != nullptr, [&](Device &) {
        *n_bytes = runtime().settings.memory_limit;
        return hipSuccess;
    });
}

HIP_EXPORT hipError_t hipDeviceGetPCIBusId(char *text, int n_bytes, int device) {
    return on_device(device, text != nullptr && n_bytes > 0, [&](Device &) {
        std::snprintf(text, static_cast<size_t>(n_bytes), "0000:%02x:00.0",
                      static_cast<unsigned>(properties(device).pciBusID));
        return hipSuccess;
    });
}

HIP_EXPORT hipError_t hipDeviceGetByPCIBusId(int *device, const char *text) {
    return api_call([&] {
        unsigned domain, bus;
        if (!device || !text || std::sscanf(text, "%x:%x:", &domain, &bus) != 2)
            return hipErrorInvalidValue;
        if (domain != 0 || !is_device(static_cast<int>(bus) - 1)) return hipErrorInvalidValue;
        *device = static_cast<int>(bus) - 1;
        return hipSuccess;
    });
}

HIP_EXPORT hipError_t hipDeviceCanAccessPeer(int *can, int device, int peer) {
    return on_device(device, can != nullptr, [&](Device &) {
        if (!is_device(peer)) return hipErrorInvalidDevice;
        *can = device != peer;
        return hipSuccess;
    });
}

HIP_EXPORT hipError_t hipDeviceEnablePeerAccess(int peer, unsigned flags) {
    return api_call([&] { return flags ? hipErrorInvalidValue : change_peer(peer, true); });
}

HIP_EXPORT hipError_t hipDeviceDisablePeerAccess(int peer) {
    return api_call([&] { return change_peer(peer, false); });
}

HIP_EXPORT hipError_t hipDeviceGetP2PAttribute(int *value, hipDeviceP2PAttr attribute, int source,
                                               int target) {
    return on_device(source, value && source != target, [&](Device &) {
        if (!is_device(target)) return hipErrorInvalidDevice;
        if (attribute > hipDevP2PAttrHipArrayAccessSupported) return hipErrorInvalidValue;
        *value = attribute == hipDevP2PAttrAccessSupported ||
                 attribute == hipDevP2PAttrNativeAtomicSupported;
        return hipSuccess;
    });
}

// Waits for the device's work. Its allocations stay: they are the process's own memory.
HIP_EXPORT hipError_t hipDeviceReset(void) {
    return api_call([] {
        const hipError_t status = check_no_capture();
        if (status == hipSuccess) synchronize_device(current_device());
        return status;
    });
}

HIP_EXPORT hipError_t hipDeviceGetLimit(size_t *value, hipLimit_t limit) {
    return api_call([&] {
        if (!value) return hipErrorInvalidValue;
        if (limit != hipLimitStackSize && limit != hipLimitMallocHeapSize)
            return hipErrorUnsupportedLimit;
        *value = limit == hipLimitStackSize ? 64 * 1024 : runtime().settings.memory_limit;
        return hipSuccess;
    });
}

HIP_EXPORT hipError_t hipGetDeviceFlags(unsigned *flags) {
    return api_call([&] {
        if (!flags) return hipErrorInvalidValue;
        *flags = 0;
        return hipSuccess;
    });
}

HIP_EXPORT hipError_t hipSetDeviceFlags(unsigned) {
    return api_call([] { return hipSuccess; });
}

HIP_EXPORT hipError_t hipDeviceSetCacheConfig(hipFuncCache_t) {
    return api_call([] { return hipSuccess; });
}

HIP_EXPORT hipError_t hipProfilerStart() {
    return api_call([] { return hipSuccess; });
}

HIP_EXPORT hipError_t hipProfilerStop() {
    return api_call([] { return hipSuccess; });
}
