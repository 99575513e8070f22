// State of the HIP runtime that its parts share: settings, devices, threads, errors, handles.
#pragma once

#include <sched.h>
#include <sys/mman.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <new>
#include <vector>

#include "hip_abi.h"
#include "kernel_abi.h"

struct ihipStream_t;

// Only there in builds with the leak sanitizer, which does not look into mapped pages by itself.
extern "C" __attribute__((weak)) void __lsan_register_root_region(const void *, size_t);

namespace hipcpu {

using Stream = ::ihipStream_t;

constexpr uint32_t kMaxBlockItems = 1024;
constexpr uint32_t kMaxLdsBytes = 64 * 1024;
constexpr size_t kAllocationAlignment = 256;
constexpr int kMaxItemsPerUnit = 2048;  // a compute unit is a core
constexpr int kMaxBlocksPerUnit = 32;

// The environment, read once at first use.
struct Settings {
    int n_devices;
    int n_cores;          // that this process may use
    int n_threads;        // host threads that run one kernel, the stream's worker included
    size_t memory_limit;  // bytes a device
    bool synchronous;     // every call runs its work before it returns
    bool poison;          // fill new allocations with 0xA5
    bool guard;           // zones around allocations, checked when they are freed
    bool null_launches;   // kernels are checked but not run
};

struct Device {
    int ordinal = 0;
    Stream *null_stream = nullptr;
    std::atomic<size_t> bytes_in_use{0};
    // Streams that order themselves with the null stream; guarded by `mutex`.
    std::mutex mutex;
    std::vector<Stream *> blocking_streams;
    std::atomic<int> n_blocking_streams{0};
    std::atomic<uint64_t> peers_enabled{0};  // bit d: access to device d was enabled
};

// Handles live in a reserved range of addresses and are never unmapped, so that any pointer,
// stale or foreign, can be checked without reading foreign memory.
template <class T, size_t Capacity>
class HandleTable {
 public:
    T *take() {
        std::lock_guard<std::mutex> lock(mutex_);
        if (!base_) {
            void *p = mmap(nullptr, Capacity * sizeof(T), PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
            if (p == MAP_FAILED) throw std::bad_alloc();
            base_.store(static_cast<T *>(p));
        }
        if (!free_.empty()) {
            T *slot = free_.back();
            free_.pop_back();
            return slot;
        }
        const size_t used = n_used_.load();
        if (used == Capacity) throw std::bad_alloc();
        T *slot = new (base_.load() + used) T();
        if (__lsan_register_root_region) __lsan_register_root_region(slot, sizeof(T));
        n_used_.store(used + 1, std::memory_order_release);
        return slot;
    }

    void give_back(T *slot) {
        std::lock_guard<std::mutex> lock(mutex_);
        free_.push_back(slot);
    }

    // The slot that `handle` names, alive or not, or null.
    T *find(const void *handle) const {
        const uintptr_t base = reinterpret_cast<uintptr_t>(base_.load(std::memory_order_acquire));
        const uintptr_t offset = reinterpret_cast<uintptr_t>(handle) - base;
        const size_t used = n_used_.load(std::memory_order_acquire);
        if (!base || offset >= used * sizeof(T) || offset % sizeof(T) != 0) return nullptr;
        return reinterpret_cast<T *>(base + offset);
    }

    template <class F>
    void for_each(F &&visit) {
        const size_t used = n_used_.load(std::memory_order_acquire);
        for (size_t i = 0; i < used; ++i) visit(base_.load()[i]);
    }

 private:
    std::mutex mutex_;
    std::atomic<T *> base_{nullptr};
    std::atomic<size_t> n_used_{0};
    std::vector<T *> free_;
};

class ThreadPool;

// Made at first use and never destroyed: detached workers may run until the process is gone.
struct Runtime {
    Settings settings;
    std::vector<Device *> devices;
    ThreadPool *pool;
    const FiberRuntime *fibers;
    // Host functions that are enqueued and have not returned. While there are any, a full queue
    // must not make callers wait: the function may need what the caller holds.
    std::atomic<int> n_host_functions{0};
};

// Per host thread. Plain data, so that access costs one address computation.
struct ThreadState {
    int device;
    hipError_t last_error;
    hipStreamCaptureMode capture_mode;
    int n_captures;  // captures of mode thread-local that this thread began
};
extern thread_local ThreadState thread_state;

extern std::atomic<Runtime *> runtime_instance;
extern std::atomic<bool> forked;
Runtime *create_runtime();

inline Runtime &runtime() { return *runtime_instance.load(std::memory_order_acquire); }

// Makes the runtime usable on this thread, or says why it is not.
inline hipError_t enter() {
    if (__builtin_expect(!runtime_instance.load(std::memory_order_acquire), 0)) create_runtime();
    // The workers of the parent do not exist in a forked child, and its locks may be held.
    if (__builtin_expect(forked.load(std::memory_order_relaxed), 0)) return hipErrorNotInitialized;
    return hipSuccess;
}

inline hipError_t report(hipError_t status) {
    // Not ready is an answer, not a failure.
    if (__builtin_expect(status != hipSuccess && status != hipErrorNotReady, 0))
        thread_state.last_error = status;
    return status;
}

// The body of every exported function that uses the runtime. No exception may leave the C ABI.
template <class F>
inline hipError_t api_call(F &&body) {
    hipError_t status = enter();
    if (status == hipSuccess) {
        try {
            status = body();
        } catch (const std::bad_alloc &) {
            status = hipErrorOutOfMemory;
        } catch (...) {
            status = hipErrorOperatingSystem;
        }
    }
    return report(status);
}

inline Device &current_device() { return *runtime().devices[thread_state.device]; }
inline bool is_device(int ordinal) {
    return ordinal >= 0 && ordinal < static_cast<int>(runtime().devices.size());
}

uint64_t now_ns();

// A detached thread with all signals blocked: signals belong to the program's own threads.
void start_thread(const char *name, std::function<void()> body);

inline void relax() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

// Spins until `done()`, or until about `ns` have passed; whether it was done. After the first
// moments the core goes to whoever else can use it.
template <class F>
inline bool spin_until(uint64_t ns, F &&done) {
    if (runtime().settings.n_cores == 1) return done();
    constexpr uint64_t kBusyNs = 2'000;
    const uint64_t begin = now_ns();
    for (uint64_t spent = 0; spent < ns; spent = now_ns() - begin) {
        for (int i = 0; i < 16; ++i) {
            if (done()) return true;
            relax();
        }
        if (spent > kBusyNs) sched_yield();
    }
    return done();
}

// ---- memory.cpp ----

struct MemoryRange {
    hipMemoryType type = hipMemoryTypeUnregistered;
    int device = 0;
    uintptr_t begin = 0;
    size_t n_bytes = 0;
};
// The allocation that holds `pointer`; type is hipMemoryTypeUnregistered if there is none.
MemoryRange find_memory(const void *pointer);
hipError_t free_memory(void *pointer);

// ---- streams.cpp ----

void synchronize_device(Device &device);
// hipErrorStreamCaptureUnsupported if a capture forbids a call that synchronises or allocates.
hipError_t check_no_capture();

}  // namespace hipcpu
