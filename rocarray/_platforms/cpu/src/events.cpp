// Events: a stream and a ticket, and the time when the stream passed it.
#include "graphs.h"
#include "stream_queue.h"

struct ihipEvent_t {
    std::atomic<bool> alive{false};
    std::mutex mutex;  // taken inside a stream's mutex, never around one
    unsigned flags = 0;
    hipcpu::Device *device = nullptr;
    hipcpu::Stream *stream = nullptr;  // null: never recorded
    uint64_t ticket = 0;
    uint64_t record_id = 0;  // names one call of hipEventRecord
    uint64_t time_ns = 0;    // 0: not passed yet, or made without timing
    hipcpu::CapturedPoint captured;
};

namespace hipcpu {

using Event = ::ihipEvent_t;

namespace {

struct Point {
    Stream *stream;
    uint64_t ticket;
    bool captured;

    bool passed() const { return !stream || stream->has_passed(ticket); }
};

HandleTable<Event, 1 << 20> &events() {
    static auto *table = new HandleTable<Event, 1 << 20>;
    return *table;
}

std::atomic<uint64_t> last_record_id{0};

Event *find_event(hipEvent_t handle) {
    Event *event = events().find(handle);
    return event && event->alive.load(std::memory_order_relaxed) ? event : nullptr;
}

Point point_of(Event &event) {
    std::lock_guard<std::mutex> lock(event.mutex);
    return {event.stream, event.ticket, event.captured.capture_id != 0};
}

hipError_t create_event(hipEvent_t *result, unsigned flags) {
    constexpr unsigned kKnown = hipEventBlockingSync | hipEventDisableTiming |
                                hipEventInterprocess | 0xE0000000u;  // release scopes, fences
    if (!result || (flags & ~kKnown)) return hipErrorInvalidValue;
    if ((flags & hipEventInterprocess) && !(flags & hipEventDisableTiming))
        return hipErrorInvalidValue;
    Event *event = events().take();
    std::lock_guard<std::mutex> lock(event->mutex);
    event->flags = flags;
    event->device = &current_device();
    event->stream = nullptr;
    event->captured = {};
    event->time_ns = 0;
    event->record_id = 0;
    event->alive.store(true);
    *result = event;
    return hipSuccess;
}

// With the event's mutex held.
void set_point(Event &event, Stream *stream, uint64_t ticket, uint64_t record_id) {
    event.stream = stream;
    event.ticket = ticket;
    event.record_id = record_id;
    event.time_ns = 0;
    event.captured = {};
}

hipError_t record(hipEvent_t handle, hipStream_t stream_handle) {
    Event *event = find_event(handle);
    Stream *stream = find_stream(stream_handle);
    if (!event || !stream) return hipErrorInvalidHandle;
    if (event->device != stream->device.load()) return hipErrorInvalidHandle;
    if (stream->capture.load()) {
        CapturedPoint point = captured_point(*stream);
        std::lock_guard<std::mutex> lock(event->mutex);
        set_point(*event, nullptr, 0, 0);
        event->captured = std::move(point);
        return hipSuccess;
    }
    const uint64_t id = ++last_record_id;
    if (event->flags & hipEventDisableTiming) {
        // The point is known already: nothing needs to run there.
        const hipError_t status = order_with_null_stream(*stream);
        if (status != hipSuccess) return status;
        std::lock_guard<std::mutex> lock(event->mutex);
        set_point(*event, stream, stream->published.load(), id);
        return hipSuccess;
    }
    return submit<RecordEventCommand>(*stream, 0,
                                      [&](RecordEventCommand &command, uint64_t ticket) {
                                          std::lock_guard<std::mutex> lock(event->mutex);
                                          set_point(*event, stream, ticket, id);
                                          command.event = event;
                                          command.record_id = id;
                                      });
}

hipError_t wait_event(hipStream_t stream_handle, hipEvent_t handle, unsigned flags) {
    if (flags > 1) return hipErrorInvalidValue;
    Event *event = find_event(handle);
    Stream *stream = find_stream(stream_handle);
    if (!event || !stream) return hipErrorInvalidHandle;
    CapturedPoint captured;
    Point point;
    {
        std::lock_guard<std::mutex> lock(event->mutex);
        captured = event->captured;
        point = {event->stream, event->ticket, captured.capture_id != 0};
    }
    if (point.captured) return wait_for_captured(*stream, captured);
    if (stream->capture.load() && point.stream) {
        capture_failed(*stream);
        return hipErrorStreamCaptureIsolation;
    }
    // Work that has passed, or is in front in the same queue, needs no wait.
    if (point.passed() || point.stream == stream) return hipSuccess;
    return submit<WaitCommand>(*stream, 0, [&](WaitCommand &command, uint64_t) {
        command.stream = point.stream;
        command.ticket = point.ticket;
    });
}

hipError_t elapsed_time(float *ms, hipEvent_t start, hipEvent_t stop) {
    if (!ms) return hipErrorInvalidValue;
    Event *events_[2] = {find_event(start), find_event(stop)};
    uint64_t times[2];
    for (int i = 0; i < 2; ++i) {
        Event *event = events_[i];
        if (!event) return hipErrorInvalidHandle;
        std::lock_guard<std::mutex> lock(event->mutex);
        if ((event->flags & hipEventDisableTiming) || !event->stream) return hipErrorInvalidHandle;
        times[i] = event->stream->has_passed(event->ticket) ? event->time_ns : 0;
    }
    if (events_[0]->device != events_[1]->device) return hipErrorInvalidHandle;
    if (!times[0] || !times[1]) return hipErrorNotReady;
    *ms = static_cast<float>(static_cast<double>(static_cast<int64_t>(times[1] - times[0])) * 1e-6);
    return hipSuccess;
}

}  // namespace

void run_record_event(RecordEventCommand &command) {
    std::lock_guard<std::mutex> lock(command.event->mutex);
    // Recorded again, or destroyed and created anew, in the meantime: not ours any more.
    if (command.event->record_id == command.record_id) command.event->time_ns = now_ns();
}

}  // namespace hipcpu

using namespace hipcpu;

HIP_EXPORT hipError_t hipEventCreate(hipEvent_t *event) {
    return api_call([&] { return create_event(event, hipEventDefault); });
}

HIP_EXPORT hipError_t hipEventCreateWithFlags(hipEvent_t *event, unsigned flags) {
    return api_call([&] { return create_event(event, flags); });
}

HIP_EXPORT hipError_t hipEventDestroy(hipEvent_t handle) {
    return api_call([&] {
        Event *event = find_event(handle);
        if (!event || !event->alive.exchange(false)) return hipErrorInvalidHandle;
        {
            std::lock_guard<std::mutex> lock(event->mutex);
            event->record_id = 0;
            event->captured = {};
        }
        events().give_back(event);
        return hipSuccess;
    });
}

HIP_EXPORT hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) {
    return api_call([&] { return record(event, stream); });
}

HIP_EXPORT hipError_t hipEventRecordWithFlags(hipEvent_t event, hipStream_t stream,
                                              unsigned flags) {
    return api_call([&] { return flags > 1 ? hipErrorInvalidValue : record(event, stream); });
}

HIP_EXPORT hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned flags) {
    return api_call([&] { return wait_event(stream, event, flags); });
}

HIP_EXPORT hipError_t hipEventQuery(hipEvent_t handle) {
    return api_call([&] {
        Event *event = find_event(handle);
        if (!event) return hipErrorInvalidHandle;
        const Point point = point_of(*event);
        if (point.captured) return hipErrorCapturedEvent;
        return point.passed() ? hipSuccess : hipErrorNotReady;
    });
}

HIP_EXPORT hipError_t hipEventSynchronize(hipEvent_t handle) {
    return api_call([&] {
        Event *event = find_event(handle);
        if (!event) return hipErrorInvalidHandle;
        const Point point = point_of(*event);
        if (point.captured) return hipErrorCapturedEvent;
        if (point.stream) point.stream->wait_for(point.ticket);
        return hipSuccess;
    });
}

HIP_EXPORT hipError_t hipEventElapsedTime(float *ms, hipEvent_t start, hipEvent_t stop) {
    return api_call([&] { return elapsed_time(ms, start, stop); });
}
