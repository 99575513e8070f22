// Streams, events, host functions, and the order between them.
#include <sys/wait.h>
#include <unistd.h>

#include <random>

#include "runtime_harness.h"

using namespace harness;

static const hipStream_t kPerThread = reinterpret_cast<hipStream_t>(kStreamPerThread);
static const hipStream_t kLegacy = reinterpret_cast<hipStream_t>(kStreamLegacy);

CASE(streams_are_asynchronous) {
    const hipStream_t stream = new_stream();
    auto *data = allocate<char>(64);
    OK(hipMemset(data, 0, 64));
    OK(hipDeviceSynchronize());
    Gate gate(stream);
    OK(hipMemsetAsync(data, 7, 64, stream));
    CHECK_STATUS(hipStreamQuery(stream), hipErrorNotReady);
    CHECK(hipPeekAtLastError() == hipSuccess);
    CHECK(data[0] == 0);
    gate.open();
    OK(hipStreamSynchronize(stream));
    OK(hipStreamQuery(stream));
    CHECK(data[0] == 7);
    OK(hipStreamDestroy(stream));
    OK(hipFree(data));
}

CASE(commands_run_in_order) {
    const hipStream_t stream = new_stream();
    static std::vector<int> order;
    for (int i = 0; i < 1000; ++i)
        OK(hipLaunchHostFunc(
            stream,
            [](void *i) { order.push_back(static_cast<int>(reinterpret_cast<intptr_t>(i))); },
            reinterpret_cast<void *>(static_cast<intptr_t>(i))));
    OK(hipStreamSynchronize(stream));
    CHECK(order.size() == 1000);
    for (int i = 0; i < 1000; ++i) CHECK(order[i] == i);
    OK(hipStreamDestroy(stream));
}

CASE(callbacks) {
    const hipStream_t stream = new_stream();
    struct Seen {
        hipStream_t stream;
        hipError_t status;
        std::thread::id thread;
    } seen{nullptr, hipErrorUnknown, {}};
    OK(hipStreamAddCallback(
        stream,
        [](hipStream_t s, hipError_t status, void *data) {
            *static_cast<Seen *>(data) = {s, status, std::this_thread::get_id()};
        },
        &seen, 0));
    OK(hipStreamSynchronize(stream));
    CHECK(seen.stream == stream && seen.status == hipSuccess);
    CHECK(seen.thread != std::this_thread::get_id());
    CHECK_STATUS(hipStreamAddCallback(stream, nullptr, nullptr, 0), hipErrorInvalidValue);
    CHECK_STATUS(hipLaunchHostFunc(stream, nullptr, nullptr), hipErrorInvalidValue);
    OK(hipStreamDestroy(stream));
}

CASE(stream_properties) {
    int least = 0, greatest = 0, priority = 0, device = -1;
    OK(hipDeviceGetStreamPriorityRange(&least, &greatest));
    CHECK(greatest < least);
    hipStream_t stream = nullptr;
    OK(hipStreamCreateWithPriority(&stream, hipStreamNonBlocking, -100));
    unsigned flags = 0;
    OK(hipStreamGetFlags(stream, &flags));
    OK(hipStreamGetPriority(stream, &priority));
    OK(hipStreamGetDevice(stream, &device));
    CHECK(flags == hipStreamNonBlocking && priority == greatest && device == 0);
    CHECK_STATUS(hipStreamCreateWithFlags(&stream, 77), hipErrorInvalidValue);
    CHECK_STATUS(hipStreamCreateWithFlags(nullptr, 0), hipErrorInvalidValue);
    OK(hipStreamDestroy(stream));
    CHECK_STATUS(hipStreamDestroy(stream), hipErrorInvalidHandle);
    CHECK_STATUS(hipStreamQuery(stream), hipErrorInvalidHandle);
    CHECK(hipGetLastError() == hipErrorInvalidHandle);
    CHECK(hipGetLastError() == hipSuccess);
    int foreign = 0;
    CHECK_STATUS(hipStreamSynchronize(reinterpret_cast<hipStream_t>(&foreign)),
                 hipErrorInvalidHandle);
    CHECK_STATUS(hipStreamDestroy(nullptr), hipErrorInvalidHandle);
    CHECK_STATUS(hipStreamDestroy(kPerThread), hipErrorInvalidHandle);
    OK(hipStreamSynchronize(kLegacy));
}

CASE(destroyed_streams_finish_their_work) {
    auto *data = allocate<char>(64);
    for (int i = 0; i < 200; ++i) {
        const hipStream_t stream = new_stream(i % 2 ? hipStreamDefault : hipStreamNonBlocking);
        OK(hipMemsetAsync(data, i, 64, stream));
        OK(hipStreamDestroy(stream));
        OK(hipDeviceSynchronize());
        CHECK(data[5] == static_cast<char>(i));
    }
    OK(hipFree(data));
}

// The null stream waits for blocking streams and they for it; non-blocking ones stand apart.
CASE(null_stream_order) {
    const hipStream_t blocking = new_stream(hipStreamDefault), apart = new_stream();
    auto *data = allocate<char>(64);
    OK(hipMemset(data, 0, 64));
    OK(hipDeviceSynchronize());
    {
        Gate gate(blocking);
        OK(hipMemsetAsync(data, 1, 64, nullptr));
        CHECK_STATUS(hipStreamQuery(nullptr), hipErrorNotReady);
        OK(hipMemsetAsync(data + 32, 2, 1, apart));
        OK(hipStreamSynchronize(apart));
        CHECK(data[32] == 2 && data[0] == 0);
    }
    OK(hipStreamSynchronize(nullptr));
    CHECK(data[0] == 1);
    {
        Gate gate(nullptr);
        OK(hipMemsetAsync(data, 3, 32, blocking));
        OK(hipMemsetAsync(data + 32, 4, 32, kPerThread));
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        CHECK_STATUS(hipStreamQuery(blocking), hipErrorNotReady);
        CHECK_STATUS(hipStreamQuery(kPerThread), hipErrorNotReady);
        CHECK(data[0] == 1);
    }
    OK(hipStreamSynchronize(blocking));
    OK(hipStreamSynchronize(kPerThread));
    CHECK(data[0] == 3 && data[32] == 4);
    OK(hipStreamDestroy(blocking));
    OK(hipStreamDestroy(apart));
    OK(hipFree(data));
}

CASE(per_thread_streams_differ) {
    static std::atomic<bool> open{false};
    OK(hipLaunchHostFunc(
        kPerThread,
        [](void *) {
            while (!open) std::this_thread::yield();
        },
        nullptr));
    std::thread other([] {
        auto *data = allocate<char>(64);
        OK(hipMemsetAsync(data, 5, 64, kPerThread));
        OK(hipStreamSynchronize(kPerThread));
        CHECK(data[0] == 5);
        OK(hipFreeAsync(data, kPerThread));
    });
    other.join();
    open = true;
    OK(hipStreamSynchronize(kPerThread));
}

CASE(event_times) {
    const hipStream_t stream = new_stream();
    const hipEvent_t start = new_event(), stop = new_event();
    float ms = -1;
    CHECK_STATUS(hipEventElapsedTime(&ms, start, stop), hipErrorInvalidHandle);
    OK(hipEventQuery(start));  // never recorded: nothing to wait for
    OK(hipEventSynchronize(start));
    OK(hipEventRecord(start, stream));
    OK(hipLaunchHostFunc(
        stream, [](void *) { std::this_thread::sleep_for(std::chrono::milliseconds(20)); },
        nullptr));
    OK(hipEventRecord(stop, stream));
    CHECK_STATUS(hipEventQuery(stop), hipErrorNotReady);
    CHECK_STATUS(hipEventElapsedTime(&ms, start, stop), hipErrorNotReady);
    OK(hipEventSynchronize(stop));
    OK(hipEventQuery(stop));
    OK(hipEventElapsedTime(&ms, start, stop));
    CHECK(ms >= 20 && ms < 1000);
    OK(hipEventElapsedTime(&ms, stop, start));
    CHECK(ms <= -20);
    const hipEvent_t plain = new_event(hipEventDisableTiming);
    OK(hipEventRecord(plain, stream));
    OK(hipEventSynchronize(plain));
    CHECK_STATUS(hipEventElapsedTime(&ms, start, plain), hipErrorInvalidHandle);
    OK(hipEventDestroy(start));
    CHECK_STATUS(hipEventDestroy(start), hipErrorInvalidHandle);
    CHECK_STATUS(hipEventRecord(start, stream), hipErrorInvalidHandle);
    CHECK_STATUS(hipEventQuery(nullptr), hipErrorInvalidHandle);
    hipEvent_t bad = nullptr;
    CHECK_STATUS(hipEventCreateWithFlags(&bad, 0x100), hipErrorInvalidValue);
    OK(hipStreamDestroy(stream));
}

CASE(streams_wait_for_events) {
    const hipStream_t first = new_stream(), second = new_stream();
    auto *data = allocate<char>(64);
    OK(hipMemset(data, 0, 64));
    OK(hipDeviceSynchronize());
    for (unsigned flags : {unsigned{hipEventDefault}, unsigned{hipEventDisableTiming}}) {
        const hipEvent_t event = new_event(flags);
        OK(hipStreamWaitEvent(second, event, 0));  // not recorded: no wait
        {
            Gate gate(first);
            OK(hipMemsetAsync(data, 1, 64, first));
            OK(hipEventRecord(event, first));
            OK(hipStreamWaitEvent(second, event, 0));
            OK(hipMemsetAsync(data, 2, 64, second));
            CHECK_STATUS(hipEventQuery(event), hipErrorNotReady);
            // The wait stays for what was recorded before it, whatever becomes of the event.
            OK(hipEventRecord(event, second));
            OK(hipEventDestroy(event));
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
            CHECK(data[0] == (flags == hipEventDefault ? 0 : 2));
        }
        OK(hipStreamSynchronize(second));
        CHECK(data[0] == 2);
    }
    CHECK_STATUS(hipStreamWaitEvent(second, nullptr, 0), hipErrorInvalidHandle);
    OK(hipStreamDestroy(first));
    OK(hipStreamDestroy(second));
    OK(hipFree(data));
}

// A ring of streams that hand a counter on, from several threads at once.
CASE(event_chains) {
    constexpr int kStreams = 4, kRounds = 300;
    Kernels kernels;
    const hipFunction_t add = kernels["add"];
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t)
        threads.emplace_back([add] {
            std::vector<hipStream_t> streams;
            for (int i = 0; i < kStreams; ++i) streams.push_back(new_stream(i % 2));
            auto *data = allocate<int64_t>(1);
            OK(hipMemsetAsync(data, 0, 8, streams[0]));
            for (int i = 0; i < kRounds; ++i) {
                const hipEvent_t event = new_event(i % 3 ? hipEventDisableTiming : hipEventDefault);
                OK(launch(add, 1, 1, streams[i % kStreams], data, uint64_t{1}, int64_t{1}));
                OK(hipEventRecord(event, streams[i % kStreams]));
                OK(hipStreamWaitEvent(streams[(i + 1) % kStreams], event, 0));
                OK(hipEventDestroy(event));
            }
            int64_t host = 0;
            OK(hipMemcpyAsync(&host, data, 8, hipMemcpyDeviceToHost, streams[kRounds % kStreams]));
            CHECK(host == kRounds);
            for (hipStream_t stream : streams) OK(hipStreamDestroy(stream));
            OK(hipFree(data));
        });
    for (std::thread &thread : threads) thread.join();
}

// One value goes through random streams; events stand only where no implicit order does.
static void walk_over_streams(hipFunction_t affine, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<hipStream_t> streams = {nullptr, kPerThread, kLegacy};
    for (int i = 0; i < 6; ++i)
        streams.push_back(new_stream(i % 2 ? hipStreamDefault : hipStreamNonBlocking));
    const auto kind = [&](size_t i) {  // 0: the null stream, 1: blocking, 2: apart
        return i == 0 || i == 2 ? 0 : i == 1 ? 1 : i % 2 ? 2 : 1;
    };
    auto *data = allocate<uint64_t>(1);
    uint64_t expected = 1;
    size_t at = 3;
    OK(hipMemcpyAsync(data, &expected, 8, hipMemcpyHostToDevice, streams[at]));
    for (int step = 0; step < 2000; ++step) {
        const size_t next = random() % streams.size();
        const bool ordered =
            next == at || (kind(at) == 0 && kind(next) < 2) || (kind(at) < 2 && kind(next) == 0);
        if (!ordered) {
            const hipEvent_t event =
                new_event(random() % 2 ? hipEventDisableTiming : hipEventDefault);
            OK(hipEventRecord(event, streams[at]));
            OK(hipStreamWaitEvent(streams[next], event, 0));
            OK(hipEventDestroy(event));
        }
        at = next;
        const uint64_t factor = random() | 1, value = random();
        OK(launch(affine, 1, 1, streams[at], data, factor, value));
        expected = expected * factor + value;
        if (random() % 200 == 0) OK(hipStreamSynchronize(streams[at]));
        if (random() % 100 == 0 && at > 2) {
            const unsigned flags = kind(at) == 2 ? hipStreamNonBlocking : hipStreamDefault;
            OK(hipStreamSynchronize(streams[at]));
            OK(hipStreamDestroy(streams[at]));
            streams[at] = new_stream(flags);
        }
    }
    uint64_t result = 0;
    OK(hipMemcpyAsync(&result, data, 8, hipMemcpyDeviceToHost, streams[at]));
    CHECK(result == expected);
    for (size_t i = 3; i < streams.size(); ++i) OK(hipStreamDestroy(streams[i]));
    OK(hipFree(data));
}

CASE(random_walks_over_streams) {
    Kernels kernels;
    const hipFunction_t affine = kernels["affine"];
    std::vector<std::thread> threads;
    for (unsigned seed = 1; seed <= 4; ++seed)
        threads.emplace_back([=] { walk_over_streams(affine, seed); });
    for (std::thread &thread : threads) thread.join();
}

// While a host function is held up, callers that run far ahead do not have to wait for it.
CASE(full_queues_do_not_lock_up) {
    const hipStream_t stream = new_stream();
    auto *data = allocate<char>(64);
    {
        Gate gate(stream);
        for (int i = 0; i < 20'000; ++i) OK(hipMemsetAsync(data, i, 64, stream));
    }
    OK(hipStreamSynchronize(stream));
    CHECK(data[0] == static_cast<char>(19'999));
    OK(hipStreamDestroy(stream));
    OK(hipFree(data));
}

CASE(synchronous_mode) {  // with ROCARRAY_CPU_SYNC=1
    const hipStream_t stream = new_stream();
    auto *data = allocate<char>(64);
    OK(hipMemsetAsync(data, 7, 64, stream));
    CHECK(data[0] == 7);
    std::thread::id seen;
    OK(hipLaunchHostFunc(
        stream, [](void *id) { *static_cast<std::thread::id *>(id) = std::this_thread::get_id(); },
        &seen));
    CHECK(seen == std::this_thread::get_id());
    OK(hipStreamQuery(stream));
    OK(hipStreamDestroy(stream));
    OK(hipFree(data));
}

CASE(devices) {  // with ROCARRAY_CPU_DEVICES=3
    int count = 0, device = -1, can = 0, warp = 0;
    OK(hipGetDeviceCount(&count));
    CHECK(count == 3);
    CHECK_STATUS(hipSetDevice(3), hipErrorInvalidDevice);
    CHECK_STATUS(hipSetDevice(-1), hipErrorInvalidDevice);
    OK(hipSetDevice(2));
    std::thread([&] { OK(hipGetDevice(&device)); }).join();
    CHECK(device == 0);  // each thread has its own
    OK(hipGetDevice(&device));
    CHECK(device == 2);
    hipDeviceProp_tR0600 properties;
    OK(hipGetDevicePropertiesR0600(&properties, 1));
    CHECK(properties.warpSize == 1 && properties.maxThreadsPerBlock == 1024);
    CHECK(strncmp(properties.gcnArchName, "x86-64", 6) == 0 ||
          strncmp(properties.gcnArchName, "aarch64", 7) == 0);
    OK(hipDeviceGetAttribute(&warp, hipDeviceAttributeWarpSize, 1));
    CHECK(warp == 1);
    CHECK_STATUS(hipDeviceGetAttribute(&warp, static_cast<hipDeviceAttribute_t>(5000), 1),
                 hipErrorInvalidValue);
    char bus[32];
    OK(hipDeviceGetPCIBusId(bus, sizeof bus, 1));
    OK(hipDeviceGetByPCIBusId(&device, bus));
    CHECK(device == 1);
    OK(hipDeviceCanAccessPeer(&can, 0, 1));
    CHECK(can == 1);
    OK(hipDeviceEnablePeerAccess(1, 0));
    CHECK_STATUS(hipDeviceEnablePeerAccess(1, 0), hipErrorPeerAccessAlreadyEnabled);
    OK(hipDeviceDisablePeerAccess(1));
    CHECK_STATUS(hipDeviceDisablePeerAccess(1), hipErrorPeerAccessNotEnabled);
    CHECK_STATUS(hipDeviceEnablePeerAccess(2, 0), hipErrorInvalidDevice);
}

CASE(streams_and_kernels_belong_to_devices) {  // with ROCARRAY_CPU_DEVICES=2
    Kernels kernels;
    const hipEvent_t event = new_event();
    const hipFunction_t nothing = kernels["nothing"];
    OK(hipSetDevice(1));
    const hipStream_t stream = new_stream();
    CHECK_STATUS(launch(nothing, 1, 1, stream), hipErrorInvalidHandle);
    CHECK_STATUS(hipEventRecord(event, stream), hipErrorInvalidHandle);
    OK(hipStreamWaitEvent(stream, event, 0));  // waits cross devices
    OK(hipSetDevice(0));
    int device = -1;
    OK(hipStreamGetDevice(stream, &device));
    CHECK(device == 1);
    OK(hipStreamDestroy(stream));
}

CASE(fork_is_refused) {
    auto *data = allocate<char>(64);
    const hipStream_t stream = new_stream();
    OK(hipMemsetAsync(data, 1, 64, stream));
    OK(hipStreamSynchronize(kPerThread));
    const pid_t child = fork();
    if (child == 0) {
        void *pointer = nullptr;
        bool refused = hipMalloc(&pointer, 64) == hipErrorNotInitialized;
        refused &= hipStreamSynchronize(stream) == hipErrorNotInitialized;
        refused &= hipGetLastError() == hipErrorNotInitialized;
        exit(refused ? 0 : 1);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    OK(hipStreamSynchronize(stream));
}

CASE(exit_with_work_in_flight) {
    for (int i = 0; i < 4; ++i) {
        const hipStream_t stream = new_stream();
        OK(hipLaunchHostFunc(
            stream, [](void *) { std::this_thread::sleep_for(std::chrono::seconds(100)); },
            nullptr));
    }
}

CASE(error_names) {
    CHECK(strcmp(hipGetErrorName(hipErrorOutOfMemory), "hipErrorOutOfMemory") == 0);
    CHECK(strcmp(hipGetErrorString(hipErrorNotReady), "device not ready") == 0);
    CHECK(strcmp(hipGetErrorName(static_cast<hipError_t>(4711)), "hipErrorUnknown") == 0);
}
