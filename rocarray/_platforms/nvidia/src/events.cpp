// Events: the driver's own; the flags have the same numbers.
#include "runtime.h"

using namespace hipnv;

HIP_EXPORT hipError_t hipEventCreateWithFlags(hipEvent_t *event, unsigned flags) {
    return api_call([&](const cuda::Driver &driver) {
        if (!event) return hipErrorInvalidValue;
        CUevent created = nullptr;
        // HIP's release scopes (the upper bits) have no counterpart: CUDA's is the system.
        const cuda::Result result = driver.cuEventCreate(&created, flags & 0x0FFFFFFFu);
        *event = reinterpret_cast<hipEvent_t>(created);
        return translate(result);
    });
}

HIP_EXPORT hipError_t hipEventDestroy(hipEvent_t event) {
    return driver_call(
        [&](const cuda::Driver &driver) { return driver.cuEventDestroy_v2(native(event)); });
}

HIP_EXPORT hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) {
    return driver_call([&](const cuda::Driver &driver) {
        return driver.cuEventRecord(native(event), native(stream));
    });
}

HIP_EXPORT hipError_t hipEventQuery(hipEvent_t event) {
    return driver_call(
        [&](const cuda::Driver &driver) { return driver.cuEventQuery(native(event)); });
}

HIP_EXPORT hipError_t hipEventSynchronize(hipEvent_t event) {
    return driver_call(
        [&](const cuda::Driver &driver) { return driver.cuEventSynchronize(native(event)); });
}

HIP_EXPORT hipError_t hipEventElapsedTime(float *ms, hipEvent_t start, hipEvent_t stop) {
    return driver_call([&](const cuda::Driver &driver) {
        return driver.cuEventElapsedTime(ms, native(start), native(stop));
    });
}
