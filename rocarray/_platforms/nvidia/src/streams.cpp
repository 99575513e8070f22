// Streams: the driver's own.
#include <memory>

#include "runtime.h"

using namespace hipnv;

namespace {

// HIP's callbacks get HIP's status.
struct Callback {
    hipStreamCallback_t function;
    hipStream_t stream;
    void *user_data;
};

void run_callback(CUstream, cuda::Result result, void *data) {
    const std::unique_ptr<Callback> callback(static_cast<Callback *>(data));
    callback->function(callback->stream, translate(result), callback->user_data);
}

hipError_t create(hipStream_t *stream, unsigned flags, int priority) {
    return api_call([&](const cuda::Driver &driver) {
        if (!stream || flags > hipStreamNonBlocking) return hipErrorInvalidValue;
        CUstream created = nullptr;
        const cuda::Result result = driver.cuStreamCreateWithPriority(&created, flags, priority);
        *stream = reinterpret_cast<hipStream_t>(created);
        return translate(result);
    });
}

}  // namespace

HIP_EXPORT hipError_t hipStreamCreateWithFlags(hipStream_t *stream, unsigned flags) {
    return create(stream, flags, 0);
}

HIP_EXPORT hipError_t hipStreamCreateWithPriority(hipStream_t *stream, unsigned flags,
                                                  int priority) {
    return create(stream, flags, priority);
}

HIP_EXPORT hipError_t hipStreamDestroy(hipStream_t stream) {
    return api_call([&](const cuda::Driver &driver) {
        // The null stream and the per-thread stream cannot be destroyed.
        if (reinterpret_cast<uintptr_t>(stream) <= kStreamPerThread) return hipErrorInvalidHandle;
        return translate(driver.cuStreamDestroy_v2(native(stream)));
    });
}

HIP_EXPORT hipError_t hipStreamSynchronize(hipStream_t stream) {
    return driver_call(
        [&](const cuda::Driver &driver) { return driver.cuStreamSynchronize(native(stream)); });
}

HIP_EXPORT hipError_t hipStreamQuery(hipStream_t stream) {
    return driver_call(
        [&](const cuda::Driver &driver) { return driver.cuStreamQuery(native(stream)); });
}

HIP_EXPORT hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned flags) {
    return driver_call([&](const cuda::Driver &driver) {
        return driver.cuStreamWaitEvent(native(stream), native(event), flags);
    });
}

HIP_EXPORT hipError_t hipStreamGetFlags(hipStream_t stream, unsigned *flags) {
    return driver_call(
        [&](const cuda::Driver &driver) { return driver.cuStreamGetFlags(native(stream), flags); });
}

HIP_EXPORT hipError_t hipStreamGetPriority(hipStream_t stream, int *priority) {
    return driver_call([&](const cuda::Driver &driver) {
        return driver.cuStreamGetPriority(native(stream), priority);
    });
}

HIP_EXPORT hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t *device) {
    return api_call([&](const cuda::Driver &driver) {
        if (!device) return hipErrorInvalidValue;
        *device = thread_state.device;
        if (reinterpret_cast<uintptr_t>(stream) <= kStreamPerThread) return hipSuccess;
        CUcontext context = nullptr;
        const cuda::Result result = driver.cuStreamGetCtx(native(stream), &context);
        if (result != 0) return translate(result);
        *device = device_of(context);
        return *device >= 0 ? hipSuccess : hipErrorInvalidHandle;
    });
}

HIP_EXPORT hipError_t hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t function,
                                           void *user_data, unsigned flags) {
    return api_call([&](const cuda::Driver &driver) {
        if (!function || flags != 0) return hipErrorInvalidValue;
        std::unique_ptr<Callback> callback(new Callback{function, stream, user_data});
        const cuda::Result result =
            driver.cuStreamAddCallback(native(stream), run_callback, callback.get(), 0);
        if (result == 0) callback.release();  // the callback deletes it
        return translate(result);
    });
}

HIP_EXPORT hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t function, void *user_data) {
    return api_call([&](const cuda::Driver &driver) {
        if (!function) return hipErrorInvalidValue;
        return translate(driver.cuLaunchHostFunc(native(stream), function, user_data));
    });
}
