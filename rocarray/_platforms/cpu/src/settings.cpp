// The ROCARRAY_CPU_* environment variables, and the process-wide state made from them.
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>

#include "fibers.h"
#include "stream_queue.h"
#include "thread_pool.h"

namespace hipcpu {

thread_local ThreadState thread_state;
std::atomic<Runtime *> runtime_instance{nullptr};
std::atomic<bool> forked{false};

namespace {

constexpr int kMaxDevices = 64;
constexpr int kMaxThreads = 1024;

bool flag(const char *name) {
    const char *text = std::getenv(name);
    return text && *text && std::strcmp(text, "0") != 0;
}

void complain(const char *name, const char *text, const char *allowed) {
    std::fprintf(stderr, "rocarray: %s=%s is ignored: %s is allowed\n", name, text, allowed);
}

int count(const char *name, int otherwise, int most) {
    const char *text = std::getenv(name);
    if (!text || !*text) return otherwise;
    char *end;
    const long value = std::strtol(text, &end, 10);
    if (*end == '\0' && value >= 1 && value <= most) return static_cast<int>(value);
    complain(name, text, ("a whole number from 1 to " + std::to_string(most)).c_str());
    return otherwise;
}

// Bytes, with an optional K, M, G or T (powers of 1024).
size_t byte_count(const char *name, size_t otherwise) {
    const char *text = std::getenv(name);
    if (!text || !*text) return otherwise;
    char *end;
    errno = 0;
    const double value = std::strtod(text, &end);
    static constexpr char kUnits[] = "KMGT";
    double unit = 1;
    if (*end) {
        const char *position = std::strchr(kUnits, *end & ~0x20);
        if (position && (end[1] == '\0' || ((end[1] & ~0x20) == 'B' && end[2] == '\0')))
            unit = static_cast<double>(1ull << (10 * (position - kUnits + 1)));
        else
            unit = -1;
    }
    if (end != text && errno == 0 && value > 0 && unit > 0 && value * unit < 9e18)
        return static_cast<size_t>(value * unit);
    complain(name, text, "a number of bytes, or one with K, M, G or T,");
    return otherwise;
}

int usable_cores() {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
    return std::max(1, static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)));
}

// Physical memory, or the container's limit where that is lower.
size_t usable_memory() {
    size_t n_bytes =
        static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGE_SIZE));
    for (const char *path :
         {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
        std::ifstream file(path);
        size_t limit;
        if (file >> limit && limit > 0) n_bytes = std::min(n_bytes, limit);
    }
    return n_bytes;
}

Settings read_settings() {
    Settings s;
    s.n_cores = usable_cores();
    s.n_devices = count("ROCARRAY_CPU_DEVICES", 1, kMaxDevices);
    s.n_threads = count("ROCARRAY_CPU_THREADS", s.n_cores, kMaxThreads);
    s.memory_limit = byte_count("ROCARRAY_CPU_MEMORY", usable_memory());
    s.synchronous = flag("ROCARRAY_CPU_SYNC");
    s.poison = flag("ROCARRAY_CPU_POISON");
    s.guard = flag("ROCARRAY_CPU_GUARD");
    s.null_launches = flag("ROCARRAY_CPU_NULL");
    return s;
}

}  // namespace

Runtime *create_runtime() {
    static std::mutex mutex;
    std::lock_guard<std::mutex> lock(mutex);
    if (Runtime *existing = runtime_instance.load()) return existing;
    auto *created = new Runtime;
    created->settings = read_settings();
    created->pool = new ThreadPool(created->settings.n_threads);
    created->fibers = fiber_runtime();
    for (int i = 0; i < created->settings.n_devices; ++i) {
        auto *device = new Device;
        device->ordinal = i;
        device->null_stream = create_stream(*device, hipStreamDefault, 0, true);
        created->devices.push_back(device);
    }
    pthread_atfork(nullptr, nullptr, [] { forked.store(true); });
    runtime_instance.store(created, std::memory_order_release);
    return created;
}

uint64_t now_ns() {
    timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000u +
           static_cast<uint64_t>(time.tv_nsec);
}

void start_thread(const char *name, std::function<void()> body) {
    auto start = std::make_unique<std::function<void()>>(std::move(body));
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    const int error = pthread_create(
        &thread, nullptr,
        [](void *argument) -> void * {
            std::unique_ptr<std::function<void()>> function(
                static_cast<std::function<void()> *>(argument));
            (*function)();
            return nullptr;
        },
        start.get());
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (error) throw std::bad_alloc();
    start.release();
    pthread_setname_np(thread, name);
    pthread_detach(thread);
}

}  // namespace hipcpu
