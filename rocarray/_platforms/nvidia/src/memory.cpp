// Device, managed and host memory, and what a pointer is.
#include "runtime.h"

namespace hipnv {

namespace {

constexpr int kNoDevice = -2;  // hipInvalidDeviceId

// HIP gives a null pointer for no bytes; the driver refuses.
template <class Allocate>
hipError_t allocate(void **pointer, size_t n_bytes, Allocate &&driver_allocate) {
    return api_call([&](const cuda::Driver &driver) {
        if (!pointer) return hipErrorInvalidValue;
        *pointer = nullptr;
        if (n_bytes == 0) return hipSuccess;
        cuda::DevicePointer address = 0;
        const cuda::Result result = driver_allocate(driver, &address);
        *pointer = pointer_to(address);
        return translate(result);
    });
}

hipError_t describe(hipPointerAttribute_t *attributes, const void *pointer,
                    const cuda::Driver &driver) {
    cuda::Enum names[] = {cuda::kPointerMemoryType, cuda::kPointerDevicePointer,
                          cuda::kPointerHostPointer, cuda::kPointerIsManaged, cuda::kPointerDevice};
    cuda::Enum type = 0;
    cuda::DevicePointer device_pointer = 0;
    void *host_pointer = nullptr;
    unsigned is_managed = 0;
    int device = kNoDevice;
    void *values[] = {&type, &device_pointer, &host_pointer, &is_managed, &device};
    *attributes = {};
    attributes->device = kNoDevice;
    const cuda::Result result =
        driver.cuPointerGetAttributes(5, names, values, address_of(pointer));
    if (result != 0) return translate(result);
    // Memory that nobody registered has no type: HIP's call fails for it.
    if (type == 0) return hipErrorInvalidValue;
    attributes->type = is_managed                  ? hipMemoryTypeManaged
                       : type == cuda::kMemoryHost ? hipMemoryTypeHost
                                                   : hipMemoryTypeDevice;
    attributes->device = device;
    attributes->devicePointer = pointer_to(device_pointer);
    attributes->hostPointer = host_pointer;
    attributes->isManaged = is_managed != 0;
    if (attributes->type == hipMemoryTypeHost)
        driver.cuMemHostGetFlags(&attributes->allocationFlags, host_pointer);
    return hipSuccess;
}

}  // namespace

}  // namespace hipnv

using namespace hipnv;

HIP_EXPORT hipError_t hipMalloc(void **pointer, size_t n_bytes) {
    return allocate(pointer, n_bytes, [&](const cuda::Driver &driver, cuda::DevicePointer *p) {
        return driver.cuMemAlloc_v2(p, n_bytes);
    });
}

HIP_EXPORT hipError_t hipMallocAsync(void **pointer, size_t n_bytes, hipStream_t stream) {
    return allocate(pointer, n_bytes, [&](const cuda::Driver &driver, cuda::DevicePointer *p) {
        return driver.cuMemAllocAsync(p, n_bytes, native(stream));
    });
}

HIP_EXPORT hipError_t hipMallocManaged(void **pointer, size_t n_bytes, unsigned flags) {
    if (flags != hipMemAttachGlobal && flags != hipMemAttachHost)
        return report(hipErrorInvalidValue);
    return allocate(pointer, n_bytes, [&](const cuda::Driver &driver, cuda::DevicePointer *p) {
        return driver.cuMemAllocManaged(p, n_bytes, flags);
    });
}

HIP_EXPORT hipError_t hipFree(void *pointer) {
    return api_call([&](const cuda::Driver &driver) {
        return pointer ? translate(driver.cuMemFree_v2(address_of(pointer))) : hipSuccess;
    });
}

HIP_EXPORT hipError_t hipFreeAsync(void *pointer, hipStream_t stream) {
    return api_call([&](const cuda::Driver &driver) {
        if (!pointer) return hipSuccess;
        return translate(driver.cuMemFreeAsync(address_of(pointer), native(stream)));
    });
}

HIP_EXPORT hipError_t hipHostMalloc(void **pointer, size_t n_bytes, unsigned flags) {
    return api_call([&](const cuda::Driver &driver) {
        if (!pointer) return hipErrorInvalidValue;
        *pointer = nullptr;
        if (n_bytes == 0) return hipSuccess;
        // HIP's flags of coherence and NUMA have no counterpart: CUDA's host memory is coherent.
        return translate(driver.cuMemHostAlloc(pointer, n_bytes, flags & cuda::kHostAllocFlags));
    });
}

HIP_EXPORT hipError_t hipHostFree(void *pointer) {
    return api_call([&](const cuda::Driver &driver) {
        return pointer ? translate(driver.cuMemFreeHost(pointer)) : hipSuccess;
    });
}

HIP_EXPORT hipError_t hipHostRegister(void *pointer, size_t n_bytes, unsigned flags) {
    return api_call([&](const cuda::Driver &driver) {
        if (!pointer || n_bytes == 0) return hipErrorInvalidValue;
        return translate(
            driver.cuMemHostRegister_v2(pointer, n_bytes, flags & cuda::kHostRegisterFlags));
    });
}

HIP_EXPORT hipError_t hipHostUnregister(void *pointer) {
    return api_call([&](const cuda::Driver &driver) {
        return pointer ? translate(driver.cuMemHostUnregister(pointer)) : hipErrorInvalidValue;
    });
}

HIP_EXPORT hipError_t hipHostGetDevicePointer(void **device_pointer, void *host_pointer,
                                              unsigned flags) {
    return api_call([&](const cuda::Driver &driver) {
        if (!device_pointer || !host_pointer || flags != 0) return hipErrorInvalidValue;
        cuda::DevicePointer address = 0;
        const cuda::Result result =
            driver.cuMemHostGetDevicePointer_v2(&address, host_pointer, flags);
        *device_pointer = pointer_to(address);
        return translate(result);
    });
}

HIP_EXPORT hipError_t hipPointerGetAttributes(hipPointerAttribute_t *attributes,
                                              const void *pointer) {
    return api_call([&](const cuda::Driver &driver) {
        if (!attributes || !pointer) return hipErrorInvalidValue;
        return describe(attributes, pointer, driver);
    });
}
