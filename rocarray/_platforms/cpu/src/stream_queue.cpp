#include "stream_queue.h"

#include <cstdlib>
#include <thread>

using namespace hipcpu;

namespace {

// How long the worker looks for more work before it sleeps. Waking it costs the calling thread
// several microseconds, so this covers the usual pause between two operations of a program.
constexpr uint64_t kWorkerSpinNs = 100'000;

// How long a waiting host thread does, once it cannot help.
constexpr uint64_t kHostSpinNs = 5'000;

// A producer that is this far ahead waits for the queue to be half as long, so that the memory
// of a loop of launches stays flat.
constexpr uint64_t kMaxBacklog = 4096;

}  // namespace

namespace hipcpu {

void execute(Command &command, Stream &stream) {
    switch (command.kind) {
        case CommandKind::kKernel: return run_kernel(static_cast<KernelCommand &>(command));
        case CommandKind::kCopy: return run_copy(static_cast<CopyCommand &>(command));
        case CommandKind::kFill: return run_fill(static_cast<FillCommand &>(command));
        case CommandKind::kWait: {
            auto &wait = static_cast<WaitCommand &>(command);
            return wait.stream->wait_for(wait.ticket);
        }
        case CommandKind::kRecordEvent:
            return run_record_event(static_cast<RecordEventCommand &>(command));
        case CommandKind::kHostFunction: {
            auto &host = static_cast<HostFunctionCommand &>(command);
            if (host.function)
                host.function(host.user_data);
            else
                host.callback(host.stream, hipSuccess, host.user_data);
            return;
        }
        case CommandKind::kFree:
            static_cast<void>(free_memory(static_cast<FreeCommand &>(command).pointer));
            return;
        case CommandKind::kGraph:
            return run_graph(**static_cast<GraphCommand &>(command).body, stream);
        case CommandKind::kRetireStream: return recycle_stream(stream);
        case CommandKind::kJump:
        case CommandKind::kNothing: return;
    }
}

void dispose(Command &command) {
    if (command.kind == CommandKind::kGraph) delete static_cast<GraphCommand &>(command).body;
}

}  // namespace hipcpu

// ---- writing ----

Segment *ihipStream_t::take_segment(size_t n_bytes) {
    if (n_bytes <= Segment::kUsualBytes) {
        n_bytes = Segment::kUsualBytes;
        if (Segment *segment = spare.exchange(nullptr)) return segment;
    }
    void *memory = std::aligned_alloc(kRecordAlignment, sizeof(Segment) + n_bytes);
    if (!memory) throw std::bad_alloc();
    Segment *segment = static_cast<Segment *>(memory);
    segment->n_bytes = n_bytes;
    segment->next = nullptr;
    return segment;
}

Command *ihipStream_t::reserve(CommandKind kind, size_t n_bytes) {
    n_bytes = record_bytes(n_bytes);
    // One record's room is kept free for the jump.
    if (!tail || tail_offset + n_bytes + kRecordAlignment > tail->n_bytes) {
        Segment *segment = take_segment(n_bytes + kRecordAlignment);
        segment->next = nullptr;
        if (tail) {
            auto *jump = reinterpret_cast<Command *>(tail->records + tail_offset);
            jump->kind = CommandKind::kJump;
            tail->next = segment;
        } else {
            head = segment;  // nothing was ever published: nobody reads yet
        }
        tail = segment;
        tail_offset = 0;
    }
    auto *command = reinterpret_cast<Command *>(tail->records + tail_offset);
    command->kind = kind;
    command->n_bytes = static_cast<uint32_t>(n_bytes);
    command->needs_worker = false;
    n_reserved_bytes = n_bytes;
    return command;
}

void ihipStream_t::start(uint64_t ticket) {
    const Settings &settings = runtime().settings;
    if (__builtin_expect(settings.synchronous, 0)) return wait_for(ticket);
    if (worker_sleeps.load()) wake_worker();
    if (__builtin_expect(!has_worker, 0)) start_worker();
    if (__builtin_expect(ticket - completed.load(std::memory_order_relaxed) > kMaxBacklog, 0) &&
        ticket > completed.load() && runtime().n_host_functions.load() == 0)
        wait_for(ticket - kMaxBacklog / 2);
}

// ---- running ----

void ihipStream_t::start_worker() {
    std::lock_guard<std::mutex> lock(mutex);
    if (has_worker) return;
    start_thread("hip-stream", [this] { work_for_ever(); });
    has_worker = true;
}

void ihipStream_t::wake_worker() {
    std::lock_guard<std::mutex> lock(sleep_mutex);
    work.notify_one();
}

void ihipStream_t::work_for_ever() {
    const auto can_work = [this] { return pending() && !running.load(); };
    for (;;) {
        bool expected = false;
        if (can_work() && running.compare_exchange_strong(expected, true)) {
            drain(UINT64_MAX, true);
            running.store(false);
            continue;
        }
        if (spin_until(kWorkerSpinNs, can_work)) continue;
        std::unique_lock<std::mutex> lock(sleep_mutex);
        // Whoever makes `can_work` true looks at `worker_sleeps` afterwards.
        worker_sleeps.store(true);
        while (!can_work()) work.wait(lock);
        worker_sleeps.store(false);
    }
}

Command *ihipStream_t::front() {
    auto *command = reinterpret_cast<Command *>(head->records + head_offset);
    if (command->kind != CommandKind::kJump) return command;
    Segment *done = head;
    head = head->next;
    head_offset = 0;
    if (done->n_bytes == Segment::kUsualBytes) done = spare.exchange(done);
    std::free(done);
    return reinterpret_cast<Command *>(head->records);
}

void ihipStream_t::finish(Command *command) {
    head_offset += command->n_bytes;
    if (command->needs_worker) runtime().n_host_functions.fetch_sub(1);
    dispose(*command);
    const uint64_t ticket = completed.load(std::memory_order_relaxed) + 1;
    completed.store(ticket);
    if (ticket >= wake_at.load()) {
        std::lock_guard<std::mutex> lock(sleep_mutex);
        wake_at.store(UINT64_MAX);  // sleepers that are not served yet set it again
        progress.notify_all();
    }
}

void ihipStream_t::drain(uint64_t last_ticket, bool runs_host_functions) {
    while (completed.load(std::memory_order_relaxed) < last_ticket && pending()) {
        Command *command = front();
        if (command->needs_worker && !runs_host_functions) return;
        execute(*command, *this);
        finish(command);
    }
}

void ihipStream_t::release() {
    running.store(false);
    if (pending() && worker_sleeps.load()) wake_worker();
}

void ihipStream_t::wait_for(uint64_t ticket) {
    if (has_passed(ticket)) return;
    const bool synchronous = runtime().settings.synchronous;
    do {
        bool expected = false;
        if (running.compare_exchange_strong(expected, true)) {
            drain(ticket, synchronous);
            release();
        }
        if (spin_until(kHostSpinNs, [&] { return has_passed(ticket); })) return;
        if (synchronous) std::this_thread::yield();
    } while (synchronous);
    std::unique_lock<std::mutex> lock(sleep_mutex);
    while (true) {
        if (wake_at.load() > ticket) wake_at.store(ticket);
        if (has_passed(ticket)) return;
        progress.wait(lock);
    }
}
