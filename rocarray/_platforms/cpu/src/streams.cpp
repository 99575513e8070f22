// Streams: handles, the order between the null stream and the others, synchronisation.
#include <algorithm>

#include "graphs.h"
#include "stream_queue.h"

namespace hipcpu {

namespace {

constexpr int kLeastPriority = 1;
constexpr int kGreatestPriority = -1;

HandleTable<Stream, 16384> &streams() {
    static auto *table = new HandleTable<Stream, 16384>;
    return *table;
}

void retire(Stream &stream) {
    stream.alive.store(false);
    // Work may still be queued: the slot is free again when the queue has passed this point.
    publish_command<RetireStreamCommand>(stream, 0, [](RetireStreamCommand &, uint64_t) {});
}

// The streams behind hipStreamPerThread, one a device, retired when the thread ends.
struct PerThreadStreams {
    std::vector<Stream *> by_device;
    ~PerThreadStreams() {
        if (forked.load()) return;
        for (Stream *stream : by_device)
            if (stream) retire(*stream);
    }
};
thread_local PerThreadStreams per_thread_streams;

Stream *per_thread_stream() {
    auto &list = per_thread_streams.by_device;
    list.resize(runtime().devices.size());
    Stream *&stream = list[thread_state.device];
    if (!stream) stream = create_stream(current_device(), hipStreamDefault, 0, false);
    return stream;
}

hipError_t invalidate_capture(Stream &stream, hipError_t status) {
    capture_failed(stream);
    return status;
}

// Streams of the device that the null stream waits for.
std::vector<Stream *> blocking_streams(Device &device) {
    std::lock_guard<std::mutex> lock(device.mutex);
    return device.blocking_streams;
}

hipError_t synchronize_stream(Stream &stream) {
    if (stream.capture.load()) return invalidate_capture(stream, hipErrorStreamCaptureUnsupported);
    if (stream.is_null)
        for (Stream *other : blocking_streams(*stream.device.load()))
            if (!other->capture.load()) other->wait_for_all();
    stream.wait_for_all();
    return hipSuccess;
}

hipError_t query_stream(Stream &stream) {
    if (stream.capture.load()) return invalidate_capture(stream, hipErrorStreamCaptureUnsupported);
    if (stream.pending()) return hipErrorNotReady;
    if (stream.is_null)
        for (Stream *other : blocking_streams(*stream.device.load()))
            if (!other->capture.load() && other->pending()) return hipErrorNotReady;
    return hipSuccess;
}

hipError_t create(hipStream_t *result, unsigned flags, int priority) {
    if (!result || (flags & ~static_cast<unsigned>(hipStreamNonBlocking)))
        return hipErrorInvalidValue;
    priority = std::clamp(priority, kGreatestPriority, kLeastPriority);
    *result = create_stream(current_device(), flags, priority, false);
    return hipSuccess;
}

template <class Field, class Get>
hipError_t describe(hipStream_t handle, Field *field, Get &&get) {
    return api_call([&] {
        if (!field) return hipErrorInvalidValue;
        Stream *stream = find_stream(handle);
        if (!stream) return hipErrorInvalidHandle;
        *field = get(*stream);
        return hipSuccess;
    });
}

hipError_t add_host_function(hipStream_t handle, hipHostFn_t function, hipStreamCallback_t callback,
                             void *user_data) {
    if (!function && !callback) return hipErrorInvalidValue;
    Stream *stream = find_stream(handle);
    if (!stream) return hipErrorInvalidHandle;
    return submit<HostFunctionCommand>(*stream, 0,
                                       [&](HostFunctionCommand &command, uint64_t ticket) {
                                           command.needs_worker = true;
                                           command.function = function;
                                           command.callback = callback;
                                           command.stream = handle;
                                           command.user_data = user_data;
                                           if (ticket) runtime().n_host_functions.fetch_add(1);
                                       });
}

}  // namespace

Stream *find_stream(hipStream_t handle) {
    const uintptr_t value = reinterpret_cast<uintptr_t>(handle);
    if (value == 0 || value == kStreamLegacy) return current_device().null_stream;
    if (value == kStreamPerThread) return per_thread_stream();
    Stream *stream = streams().find(handle);
    return stream && stream->alive.load(std::memory_order_relaxed) ? stream : nullptr;
}

Stream *create_stream(Device &device, unsigned flags, int priority, bool is_null) {
    Stream *stream = streams().take();
    stream->device.store(&device);
    stream->flags = flags;
    stream->priority = priority;
    stream->is_null = is_null;
    stream->ordered_after.store(0);
    if (stream->is_blocking()) {
        std::lock_guard<std::mutex> lock(device.mutex);
        device.blocking_streams.push_back(stream);
        device.n_blocking_streams.store(static_cast<int>(device.blocking_streams.size()));
    }
    stream->alive.store(true);
    return stream;
}

void recycle_stream(Stream &stream) {
    if (stream.is_blocking()) {
        Device &device = *stream.device.load();
        std::lock_guard<std::mutex> lock(device.mutex);
        auto &list = device.blocking_streams;
        list.erase(std::find(list.begin(), list.end(), &stream));
        device.n_blocking_streams.store(static_cast<int>(list.size()));
    }
    streams().give_back(&stream);
}

hipError_t order_null_stream(Stream &null_stream) {
    for (Stream *stream : blocking_streams(*null_stream.device.load())) {
        if (stream->capture.load())
            return invalidate_capture(*stream, hipErrorStreamCaptureImplicit);
        if (!stream->pending()) continue;
        const uint64_t ticket = stream->published.load();
        publish_command<WaitCommand>(null_stream, 0, [&](WaitCommand &command, uint64_t) {
            command.stream = stream;
            command.ticket = ticket;
        });
    }
    return hipSuccess;
}

hipError_t order_after_null_stream(Stream &stream, Stream &null_stream, uint64_t ticket) {
    if (stream.ordered_after.load() >= ticket) return hipSuccess;
    publish_command<WaitCommand>(stream, 0, [&](WaitCommand &command, uint64_t) {
        command.stream = &null_stream;
        command.ticket = ticket;
    });
    // Only now: a thread that skips the wait relies on its being in the queue.
    if (stream.ordered_after.load() < ticket) stream.ordered_after.store(ticket);
    return hipSuccess;
}

void synchronize_device(Device &device) {
    streams().for_each([&](Stream &stream) {
        if (stream.device.load() == &device) stream.wait_for_all();
    });
}

}  // namespace hipcpu

using namespace hipcpu;

HIP_EXPORT hipError_t hipStreamCreate(hipStream_t *stream) {
    return api_call([&] { return create(stream, hipStreamDefault, 0); });
}

HIP_EXPORT hipError_t hipStreamCreateWithFlags(hipStream_t *stream, unsigned flags) {
    return api_call([&] { return create(stream, flags, 0); });
}

HIP_EXPORT hipError_t hipStreamCreateWithPriority(hipStream_t *stream, unsigned flags,
                                                  int priority) {
    return api_call([&] { return create(stream, flags, priority); });
}

HIP_EXPORT hipError_t hipDeviceGetStreamPriorityRange(int *least, int *greatest) {
    return api_call([&] {
        if (least) *least = kLeastPriority;
        if (greatest) *greatest = kGreatestPriority;
        return hipSuccess;
    });
}

HIP_EXPORT hipError_t hipStreamDestroy(hipStream_t handle) {
    return api_call([&] {
        // The null stream and the per-thread streams cannot be destroyed.
        if (reinterpret_cast<uintptr_t>(handle) <= kStreamPerThread) return hipErrorInvalidHandle;
        Stream *stream = find_stream(handle);
        if (!stream || stream->is_null) return hipErrorInvalidHandle;
        if (stream->capture.load()) abandon_capture(*stream);
        retire(*stream);
        return hipSuccess;
    });
}

HIP_EXPORT hipError_t hipStreamQuery(hipStream_t handle) {
    return api_call([&] {
        Stream *stream = find_stream(handle);
        return stream ? query_stream(*stream) : hipErrorInvalidHandle;
    });
}

HIP_EXPORT hipError_t hipStreamSynchronize(hipStream_t handle) {
    return api_call([&] {
        Stream *stream = find_stream(handle);
        return stream ? synchronize_stream(*stream) : hipErrorInvalidHandle;
    });
}

HIP_EXPORT hipError_t hipStreamGetFlags(hipStream_t handle, unsigned *flags) {
    return describe(handle, flags, [](Stream &stream) { return stream.flags; });
}

HIP_EXPORT hipError_t hipStreamGetPriority(hipStream_t handle, int *priority) {
    return describe(handle, priority, [](Stream &stream) { return stream.priority; });
}

HIP_EXPORT hipError_t hipStreamGetDevice(hipStream_t handle, hipDevice_t *device) {
    return describe(handle, device, [](Stream &stream) { return stream.device.load()->ordinal; });
}

HIP_EXPORT hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t function, void *user_data) {
    return api_call([&] { return add_host_function(stream, function, nullptr, user_data); });
}

HIP_EXPORT hipError_t hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t callback,
                                           void *user_data, unsigned flags) {
    return api_call([&] {
        if (flags != 0) return hipErrorInvalidValue;
        return add_host_function(stream, nullptr, callback, user_data);
    });
}

HIP_EXPORT hipError_t hipDeviceSynchronize(void) {
    return api_call([&] {
        const hipError_t status = check_no_capture();
        if (status == hipSuccess) synchronize_device(current_device());
        return status;
    });
}
