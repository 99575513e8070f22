// Copies and fills. Addresses are unified: the driver sees from them which memory they lie in.
#include "runtime.h"

namespace hipnv {

namespace {

bool is_kind(hipMemcpyKind kind) {
    return (kind >= hipMemcpyHostToHost && kind <= hipMemcpyDefault) ||
           kind == hipMemcpyDeviceToDeviceNoCU;
}

// What both kinds of copies refuse; hipSuccess with `*done` for copies of nothing.
hipError_t check(const void *target, const void *source, size_t n_bytes, hipMemcpyKind kind,
                 bool *done) {
    *done = false;
    if (!is_kind(kind)) return hipErrorInvalidMemcpyDirection;
    *done = n_bytes == 0;
    return *done || (target && source) ? hipSuccess : hipErrorInvalidValue;
}

hipError_t copy(void *target, const void *source, size_t n_bytes, hipMemcpyKind kind) {
    return api_call([&](const cuda::Driver &driver) {
        bool done;
        const hipError_t status = check(target, source, n_bytes, kind, &done);
        if (status != hipSuccess || done) return status;
        switch (kind) {
            case hipMemcpyHostToDevice:
                return translate(driver.cuMemcpyHtoD_v2(address_of(target), source, n_bytes));
            case hipMemcpyDeviceToHost:
                return translate(driver.cuMemcpyDtoH_v2(target, address_of(source), n_bytes));
            default:
                return translate(driver.cuMemcpy(address_of(target), address_of(source), n_bytes));
        }
    });
}

hipError_t copy_async(void *target, const void *source, size_t n_bytes, hipMemcpyKind kind,
                      CUstream stream) {
    return api_call([&](const cuda::Driver &driver) {
        bool done;
        const hipError_t status = check(target, source, n_bytes, kind, &done);
        if (status != hipSuccess || done) return status;
        switch (kind) {
            case hipMemcpyHostToDevice:
                return translate(
                    driver.cuMemcpyHtoDAsync_v2(address_of(target), source, n_bytes, stream));
            case hipMemcpyDeviceToHost:
                return translate(
                    driver.cuMemcpyDtoHAsync_v2(target, address_of(source), n_bytes, stream));
            default:
                return translate(
                    driver.cuMemcpyAsync(address_of(target), address_of(source), n_bytes, stream));
        }
    });
}

// The two ends' memories of a rectangle's copy, in the driver's words.
void set_memories(cuda::Memcpy2D &copy, hipMemcpyKind kind) {
    const bool unified = kind == hipMemcpyDefault;
    const bool from_host = kind == hipMemcpyHostToHost || kind == hipMemcpyHostToDevice;
    const bool to_host = kind == hipMemcpyHostToHost || kind == hipMemcpyDeviceToHost;
    copy.srcMemoryType = unified     ? cuda::kMemoryUnified
                         : from_host ? cuda::kMemoryHost
                                     : cuda::kMemoryDevice;
    copy.dstMemoryType = unified   ? cuda::kMemoryUnified
                         : to_host ? cuda::kMemoryHost
                                   : cuda::kMemoryDevice;
}

template <class Copy>
hipError_t between(int target_device, int source_device, Copy &&driver_copy) {
    return api_call([&](const cuda::Driver &driver) {
        CUcontext target = nullptr, source = nullptr;
        hipError_t status = find_context(target_device, &target);
        if (status == hipSuccess) status = find_context(source_device, &source);
        return status == hipSuccess ? translate(driver_copy(driver, target, source)) : status;
    });
}

}  // namespace

}  // namespace hipnv

using namespace hipnv;

HIP_EXPORT hipError_t hipMemcpy(void *target, const void *source, size_t n_bytes,
                                hipMemcpyKind kind) {
    return copy(target, source, n_bytes, kind);
}

HIP_EXPORT hipError_t hipMemcpyAsync(void *target, const void *source, size_t n_bytes,
                                     hipMemcpyKind kind, hipStream_t stream) {
    return copy_async(target, source, n_bytes, kind, native(stream));
}

HIP_EXPORT hipError_t hipMemcpyHtoD(hipDeviceptr_t target, void *source, size_t n_bytes) {
    return copy(target, source, n_bytes, hipMemcpyHostToDevice);
}

HIP_EXPORT hipError_t hipMemcpyDtoH(void *target, hipDeviceptr_t source, size_t n_bytes) {
    return copy(target, source, n_bytes, hipMemcpyDeviceToHost);
}

HIP_EXPORT hipError_t hipMemcpyDtoD(hipDeviceptr_t target, hipDeviceptr_t source, size_t n_bytes) {
    return copy(target, source, n_bytes, hipMemcpyDeviceToDevice);
}

HIP_EXPORT hipError_t hipMemcpyPeer(void *target, int target_device, const void *source,
                                    int source_device, size_t n_bytes) {
    return between(target_device, source_device,
                   [&](const cuda::Driver &driver, CUcontext to, CUcontext from) {
                       return driver.cuMemcpyPeer(address_of(target), to, address_of(source), from,
                                                  n_bytes);
                   });
}

HIP_EXPORT hipError_t hipMemcpyPeerAsync(void *target, int target_device, const void *source,
                                         int source_device, size_t n_bytes, hipStream_t stream) {
    return between(target_device, source_device,
                   [&](const cuda::Driver &driver, CUcontext to, CUcontext from) {
                       return driver.cuMemcpyPeerAsync(address_of(target), to, address_of(source),
                                                       from, n_bytes, native(stream));
                   });
}

HIP_EXPORT hipError_t hipMemcpy2DAsync(void *target, size_t target_pitch, const void *source,
                                       size_t source_pitch, size_t width, size_t height,
                                       hipMemcpyKind kind, hipStream_t stream) {
    return api_call([&](const cuda::Driver &driver) {
        bool done;
        const hipError_t status = check(target, source, width && height ? 1 : 0, kind, &done);
        if (status != hipSuccess || done) return status;
        if (height > 1 && (target_pitch < width || source_pitch < width))
            return hipErrorInvalidPitchValue;
        cuda::Memcpy2D rectangle = {};
        set_memories(rectangle, kind);
        rectangle.srcHost = source;
        rectangle.srcDevice = address_of(source);
        rectangle.srcPitch = source_pitch;
        rectangle.dstHost = target;
        rectangle.dstDevice = address_of(target);
        rectangle.dstPitch = target_pitch;
        rectangle.WidthInBytes = width;
        rectangle.Height = height;
        return translate(driver.cuMemcpy2DAsync_v2(&rectangle, native(stream)));
    });
}

HIP_EXPORT hipError_t hipMemset(void *target, int value, size_t n_bytes) {
    return api_call([&](const cuda::Driver &driver) {
        if (n_bytes == 0) return hipSuccess;
        if (!target) return hipErrorInvalidValue;
        return translate(
            driver.cuMemsetD8_v2(address_of(target), static_cast<unsigned char>(value), n_bytes));
    });
}

HIP_EXPORT hipError_t hipMemsetAsync(void *target, int value, size_t n_bytes, hipStream_t stream) {
    return api_call([&](const cuda::Driver &driver) {
        if (n_bytes == 0) return hipSuccess;
        if (!target) return hipErrorInvalidValue;
        return translate(driver.cuMemsetD8Async(
            address_of(target), static_cast<unsigned char>(value), n_bytes, native(stream)));
    });
}
