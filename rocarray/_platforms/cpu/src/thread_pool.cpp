#include "thread_pool.h"

#include <algorithm>
#include <thread>

#include "runtime.h"

namespace hipcpu {

namespace {
// A helper that runs out of work looks for more this long before it sleeps: waking it costs the
// launching thread a few microseconds.
constexpr uint64_t kHelperSpinNs = 10'000;
}  // namespace

void Job::work() {
    for (;;) {
        const uint64_t begin = next.fetch_add(chunk, std::memory_order_relaxed);
        if (begin >= n) return;
        body(context, begin, std::min(begin + chunk, n));
    }
}

void ThreadPool::start_helpers() {
    started_ = true;
    for (int i = 0; i < n_helpers_; ++i) start_thread("hip-blocks", [this] { help(); });
}

Job *ThreadPool::join() {
    if (jobs_.empty()) return nullptr;
    Job *job = jobs_.front();
    ++job->n_participants;
    return job;
}

void ThreadPool::leave(Job *job) {
    // Whoever finds the job exhausted takes it off the list, so that helpers go on to the next.
    const auto position = std::find(jobs_.begin(), jobs_.end(), job);
    if (position != jobs_.end()) {
        jobs_.erase(position);
        n_jobs_.store(static_cast<int>(jobs_.size()));
    }
    if (--job->n_participants == 0) left_.notify_all();
}

void ThreadPool::help() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
        if (Job *job = join()) {
            lock.unlock();
            job->work();
            lock.lock();
            leave(job);
            continue;
        }
        lock.unlock();
        ++n_spinning_;
        const bool found = spin_until(kHelperSpinNs, [this] { return n_jobs_.load() != 0; });
        lock.lock();
        --n_spinning_;
        if (!found) work_.wait(lock, [this] { return !jobs_.empty(); });
    }
}

void ThreadPool::run(void (*body)(void *, uint64_t, uint64_t), void *context, uint64_t n,
                     bool wakes) {
    if (n_helpers_ == 0 || n == 1 || (!wakes && n_spinning_.load() == 0)) {
        body(context, 0, n);
        return;
    }
    Job job;
    job.body = body;
    job.context = context;
    job.n = n;
    // Eight chunks a thread even out unequal workgroups.
    job.chunk = std::max<uint64_t>(1, n / (8 * static_cast<uint64_t>(n_threads())));
    {
        std::lock_guard<std::mutex> lock(mutex_);
        if (!started_) start_helpers();
        job.n_participants = 1;
        jobs_.push_back(&job);
        n_jobs_.store(static_cast<int>(jobs_.size()));
    }
    if (wakes) {
        const uint64_t n_wanted = std::min<uint64_t>(n - 1, n_helpers_);
        if (n_wanted == static_cast<uint64_t>(n_helpers_))
            work_.notify_all();
        else
            for (uint64_t i = 0; i < n_wanted; ++i) work_.notify_one();
    }
    job.work();
    std::unique_lock<std::mutex> lock(mutex_);
    leave(&job);
    left_.wait(lock, [&job] { return job.n_participants == 0; });
}

}  // namespace hipcpu
