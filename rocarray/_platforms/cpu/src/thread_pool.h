// Host threads that share the workgroups of one kernel.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <vector>

namespace hipcpu {

// A range of numbers 0..n-1 that several threads work off, lives on the stack of `run`.
struct Job {
    void (*body)(void *context, uint64_t begin, uint64_t end);
    void *context;
    uint64_t n;
    uint64_t chunk;
    std::atomic<uint64_t> next{0};
    int n_participants = 0;  // helpers inside; guarded by the pool's mutex

    void work();
};

class ThreadPool {
 public:
    explicit ThreadPool(int n_threads) : n_helpers_(n_threads - 1) {}

    int n_threads() const { return n_helpers_ + 1; }

    // Runs `body` over 0..n-1 in chunks, the calling thread included; returns when all is done.
    // `wakes` = whether it is worth waking helpers that sleep.
    void run(void (*body)(void *, uint64_t, uint64_t), void *context, uint64_t n, bool wakes);

 private:
    void help();
    void start_helpers();
    Job *join();
    void leave(Job *job);

    const int n_helpers_;
    std::mutex mutex_;
    std::condition_variable work_;
    std::condition_variable left_;
    std::vector<Job *> jobs_;
    std::atomic<int> n_jobs_{0};  // jobs_.size(), readable by helpers that spin
    std::atomic<int> n_spinning_{0};
    bool started_ = false;
};

}  // namespace hipcpu
