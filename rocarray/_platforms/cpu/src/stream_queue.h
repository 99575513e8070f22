// A stream: a queue of commands, written by any host thread, run in order by one at a time.
//
// Commands are numbered from 1 in the order of publication: a command's number is its ticket, and
// `completed` is the ticket of the last one that has run. "Wait until stream S has passed ticket
// T" is the only form of waiting there is: events, stream waits and synchronisation all use it.
// A wait can only name tickets that were published before it, so waits never form a cycle.
//
// Usually the stream's worker thread runs the commands. A host thread that waits for a stream
// nobody is running takes the part of the worker, up to the ticket that it needs.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime.h"

struct hipGraphNode;
struct ihipModuleSymbol_t;

namespace hipcpu {

using GraphNode = ::hipGraphNode;
struct Capture;
struct GraphBody;

enum class CommandKind : uint32_t {
    kJump,  // go on in the next segment
    kNothing,
    kKernel,
    kCopy,
    kFill,
    kWait,
    kRecordEvent,
    kHostFunction,
    kFree,
    kGraph,
    kRetireStream,
};

// Records start at multiples of a cache line, which is also the strictest alignment that a
// kernel argument may ask for.
constexpr size_t kRecordAlignment = 64;

struct Command {
    CommandKind kind;
    uint32_t n_bytes;   // of the record, this header included
    bool needs_worker;  // holds a host function: never run on a thread that waits
};

struct KernelCommand : Command {
    static constexpr CommandKind kKind = CommandKind::kKernel;
    ihipModuleSymbol_t *function;
    Launch launch;
    uint64_t n_blocks;
    void *arguments[];  // then their values
};

struct CopyCommand : Command {
    static constexpr CommandKind kKind = CommandKind::kCopy;
    char *target;
    const char *source;
    size_t target_pitch, source_pitch, n_row_bytes, n_rows;
};

struct FillCommand : Command {
    static constexpr CommandKind kKind = CommandKind::kFill;
    char *target;
    uint32_t value;
    uint32_t element_bytes;
    size_t pitch, n_row_elements, n_rows;
};

struct WaitCommand : Command {
    static constexpr CommandKind kKind = CommandKind::kWait;
    Stream *stream;
    uint64_t ticket;
};

struct RecordEventCommand : Command {
    static constexpr CommandKind kKind = CommandKind::kRecordEvent;
    struct ihipEvent_t *event;
    uint64_t record_id;
};

struct HostFunctionCommand : Command {
    static constexpr CommandKind kKind = CommandKind::kHostFunction;
    hipHostFn_t function;  // one of the two
    hipStreamCallback_t callback;
    hipStream_t stream;
    void *user_data;
};

struct FreeCommand : Command {
    static constexpr CommandKind kKind = CommandKind::kFree;
    void *pointer;
};

struct GraphCommand : Command {
    static constexpr CommandKind kKind = CommandKind::kGraph;
    std::shared_ptr<const GraphBody> *body;  // owned
};

struct NothingCommand : Command {
    static constexpr CommandKind kKind = CommandKind::kNothing;
};

struct RetireStreamCommand : Command {
    static constexpr CommandKind kKind = CommandKind::kRetireStream;
};

void execute(Command &command, Stream &stream);
void run_kernel(KernelCommand &command);
void run_copy(CopyCommand &command);
void run_fill(FillCommand &command);
void run_record_event(RecordEventCommand &command);
void run_graph(const GraphBody &body, Stream &stream);
// Gives up what the command owns, once it will not run again.
void dispose(Command &command);

struct Segment {
    static constexpr size_t kUsualBytes = 32 * 1024;
    size_t n_bytes;
    Segment *next;
    alignas(kRecordAlignment) char records[];
};

}  // namespace hipcpu

struct ihipStream_t {
    using Command = hipcpu::Command;
    using Segment = hipcpu::Segment;

    std::atomic<bool> alive{false};
    std::atomic<hipcpu::Device *> device{nullptr};
    unsigned flags = 0;
    int priority = 0;
    bool is_null = false;

    // ---- writing ----
    std::mutex mutex;
    Segment *tail = nullptr;
    size_t tail_offset = 0;
    size_t n_reserved_bytes = 0;  // behind the tail, not published yet
    std::atomic<uint64_t> published{0};
    // The null stream's last ticket that this stream was made to wait for.
    std::atomic<uint64_t> ordered_after{0};

    std::atomic<hipcpu::Capture *> capture{nullptr};
    std::vector<hipcpu::GraphNode *> capture_front;  // what the next captured node follows

    // ---- running: only by the thread that holds `running` ----
    alignas(64) std::atomic<uint64_t> completed{0};
    std::atomic<bool> running{false};
    Segment *head = nullptr;
    size_t head_offset = 0;
    std::atomic<Segment *> spare{nullptr};

    // ---- sleeping ----
    std::mutex sleep_mutex;
    std::condition_variable work;
    std::condition_variable progress;
    std::atomic<bool> worker_sleeps{false};
    std::atomic<uint64_t> wake_at{UINT64_MAX};  // the lowest ticket that a sleeper waits for
    std::atomic<bool> has_worker{false};        // set with `mutex` held

    bool is_blocking() const { return !is_null && !(flags & hipStreamNonBlocking); }
    bool pending() const { return completed.load() != published.load(); }
    bool has_passed(uint64_t ticket) const { return completed.load() >= ticket; }

    // With `mutex` held: room for one record, and its publication. A record that is not published
    // leaves its room to the next one.
    Command *reserve(hipcpu::CommandKind kind, size_t n_bytes);
    uint64_t next_ticket() const { return published.load(std::memory_order_relaxed) + 1; }
    void publish() {
        tail_offset += n_reserved_bytes;
        published.store(next_ticket());
    }
    // After publication, with `mutex` free: makes somebody run it.
    void start(uint64_t ticket);

    // Returns when the stream has passed `ticket`.
    void wait_for(uint64_t ticket);
    void wait_for_all() { wait_for(published.load()); }

 private:
    Segment *take_segment(size_t n_bytes);
    void start_worker();
    void work_for_ever();
    void wake_worker();
    void drain(uint64_t last_ticket, bool runs_host_functions);
    void release();
    Command *front();
    void finish(Command *command);
};

namespace hipcpu {

// ---- streams.cpp ----

// The stream that a handle means on this thread, or null.
Stream *find_stream(hipStream_t handle);
Stream *create_stream(Device &device, unsigned flags, int priority, bool is_null);
// Gives a destroyed stream's slot, worker included, to the next stream that is created.
void recycle_stream(Stream &stream);
hipError_t order_null_stream(Stream &null_stream);
hipError_t order_after_null_stream(Stream &stream, Stream &null_stream, uint64_t ticket);

// The legacy null stream's implicit order, by waits published in front of a command: work on it
// follows all earlier work of blocking streams, and theirs follows its own.
inline hipError_t order_with_null_stream(Stream &stream) {
    Device &device = *stream.device.load(std::memory_order_relaxed);
    if (stream.is_null)
        return device.n_blocking_streams.load() == 0 ? hipSuccess : order_null_stream(stream);
    if (stream.flags & hipStreamNonBlocking) return hipSuccess;
    Stream &null_stream = *device.null_stream;
    const uint64_t ticket = null_stream.published.load();
    if (null_stream.has_passed(ticket)) return hipSuccess;
    return order_after_null_stream(stream, null_stream, ticket);
}

// ---- graphs.cpp ----

// Makes a node of a command while its stream is captured. `build` writes the record.
hipError_t capture_command(Stream &stream, CommandKind kind, size_t n_bytes,
                           const std::function<void(Command &)> &build);

inline size_t record_bytes(size_t n_bytes) {
    return (n_bytes + kRecordAlignment - 1) / kRecordAlignment * kRecordAlignment;
}

// Publishes one command without the null stream's order. `build(command, ticket)` writes it.
template <class T, class Build>
inline uint64_t publish_command(Stream &stream, size_t n_extra_bytes, Build &&build) {
    uint64_t ticket;
    {
        std::lock_guard<std::mutex> lock(stream.mutex);
        Command *command = stream.reserve(T::kKind, sizeof(T) + n_extra_bytes);
        ticket = stream.next_ticket();
        build(*static_cast<T *>(command), ticket);
        stream.publish();
    }
    stream.start(ticket);
    return ticket;
}

// Publishes or captures one command. `ticket` stays 0 when it was captured.
template <class T, class Build>
inline hipError_t submit(Stream &stream, size_t n_extra_bytes, Build &&build,
                         uint64_t *ticket = nullptr) {
    if (__builtin_expect(stream.capture.load(std::memory_order_relaxed) != nullptr, 0))
        return capture_command(stream, T::kKind, sizeof(T) + n_extra_bytes,
                               [&](Command &command) { build(static_cast<T &>(command), 0); });
    const hipError_t status = order_with_null_stream(stream);
    if (status != hipSuccess) return status;
    const uint64_t published = publish_command<T>(stream, n_extra_bytes, build);
    if (ticket) *ticket = published;
    return hipSuccess;
}

}  // namespace hipcpu
