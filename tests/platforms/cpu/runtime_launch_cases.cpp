// Modules and launches.
#include "runtime_harness.h"

using namespace harness;

CASE(launch_computes) {
    Kernels kernels;
    constexpr uint64_t n = 100'003;
    auto *data = allocate<int64_t>(n);
    OK(hipMemset(data, 0, n * 8));
    for (unsigned block : {1u, 7u, 256u, 1024u})
        OK(launch(kernels["add"], static_cast<unsigned>((n + block - 1) / block), block, nullptr,
                  data, n, int64_t{3}));
    std::vector<int64_t> host(n);
    OK(hipMemcpy(host.data(), data, n * 8, hipMemcpyDeviceToHost));
    CHECK(std::count(host.begin(), host.end(), 12) == static_cast<int64_t>(n));
    OK(hipFree(data));
}

struct alignas(32) Wide {
    double values[4];
};

CASE(arguments_are_copied_at_the_call) {
    Kernels kernels;
    const hipStream_t stream = new_stream();
    auto *out = allocate<double>(2);
    char a = 1;
    short b = 20;
    Wide wide = {{100, 200, 300, 400}};
    void *pointers[] = {&a, &b, &out, &wide};
    {
        Gate gate(stream);
        OK(hipModuleLaunchKernel(kernels["mixed"], 1, 1, 1, 1, 1, 1, 0, stream, pointers, nullptr));
        a = 0;
        b = 0;
        wide = {};
        gate.open();
        OK(hipStreamSynchronize(stream));
    }
    double host[2] = {};
    OK(hipMemcpy(host, out, sizeof host, hipMemcpyDeviceToHost));
    CHECK(host[0] == 1021);
    CHECK(host[1] == 1);  // aligned as the type asks
    OK(hipStreamDestroy(stream));
    OK(hipFree(out));
}

CASE(packed_arguments) {
    Kernels kernels;
    auto *out = allocate<double>(2);
    struct {
        char a;
        short b;
        double *out;
        Wide wide;
    } packed = {1, 20, out, {{1, 2, 3, 4}}};
    size_t n_bytes = sizeof packed;
    void *extra[] = {reinterpret_cast<void *>(1), &packed, reinterpret_cast<void *>(2), &n_bytes,
                     reinterpret_cast<void *>(3)};
    const hipFunction_t mixed = kernels["mixed"];
    OK(hipModuleLaunchKernel(mixed, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra));
    double host = 0;
    OK(hipMemcpy(&host, out, sizeof host, hipMemcpyDeviceToHost));
    CHECK(host == 31);
    n_bytes = 8;
    CHECK_STATUS(hipModuleLaunchKernel(mixed, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra),
                 hipErrorInvalidValue);
    CHECK_STATUS(hipModuleLaunchKernel(mixed, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr),
                 hipErrorInvalidValue);
    OK(hipFree(out));
}

CASE(launch_shape_reaches_the_kernel) {
    Kernels kernels;
    auto *out = allocate<uint32_t>(7);
    void *pointers[] = {&out};
    OK(hipModuleLaunchKernel(kernels["shape"], 5, 4, 3, 8, 2, 1, 512, nullptr, pointers, nullptr));
    uint32_t host[7] = {};
    OK(hipMemcpy(host, out, sizeof host, hipMemcpyDeviceToHost));
    const uint32_t expected[] = {5, 4, 3, 8, 2, 1, 512};
    CHECK(memcmp(host, expected, sizeof host) == 0);
    OK(hipFree(out));
}

CASE(launch_limits) {
    Kernels kernels;
    const hipFunction_t f = kernels["nothing"], shape = kernels["shape"];
    const auto shaped = [&](unsigned gx, unsigned gy, unsigned bx, unsigned by, unsigned bz) {
        return hipModuleLaunchKernel(f, gx, gy, 1, bx, by, bz, 0, nullptr, nullptr, nullptr);
    };
    OK(shaped(1, 1, 1024, 1, 1));
    CHECK_STATUS(shaped(1, 1, 1025, 1, 1), hipErrorInvalidConfiguration);
    CHECK_STATUS(shaped(1, 1, 32, 32, 2), hipErrorInvalidConfiguration);
    CHECK_STATUS(shaped(1, 1, 65536, 65536, 1), hipErrorInvalidConfiguration);
    CHECK_STATUS(shaped(0, 1, 1, 1, 1), hipErrorInvalidConfiguration);
    CHECK_STATUS(shaped(1, 0, 1, 1, 1), hipErrorInvalidConfiguration);
    CHECK_STATUS(shaped(1, 1, 1, 0, 1), hipErrorInvalidConfiguration);
    CHECK_STATUS(shaped(1u << 31, 1, 4, 1, 1), hipErrorInvalidConfiguration);
    uint32_t *out = allocate<uint32_t>(7);
    void *pointers[] = {&out};
    const auto with_lds = [&](unsigned n_bytes) {
        return hipModuleLaunchKernel(shape, 1, 1, 1, 1, 1, 1, n_bytes, nullptr, pointers, nullptr);
    };
    OK(with_lds(63 * 1024));  // the kernel has 1 KiB of its own
    CHECK_STATUS(with_lds(63 * 1024 + 1), hipErrorInvalidValue);
    CHECK_STATUS(with_lds(64 * 1024 + 1), hipErrorInvalidValue);
    CHECK_STATUS(launch(nullptr, 1, 1, nullptr), hipErrorInvalidHandle);
    OK(hipFree(out));
}

CASE(modules) {
    const std::string image = code_object();
    hipModule_t first = nullptr, second = nullptr;
    OK(hipModuleLoadData(&first, image.data()));
    OK(hipModuleLoad(&second, getenv("ROCARRAY_TEST_CODE_OBJECT")));
    hipFunction_t f = nullptr, again = nullptr;
    OK(hipModuleGetFunction(&f, first, "add"));
    OK(hipModuleGetFunction(&again, first, "add"));
    CHECK(f == again);
    CHECK_STATUS(hipModuleGetFunction(&again, first, "absent"), hipErrorNotFound);
    CHECK_STATUS(hipModuleGetFunction(&again, first, "stale"), hipErrorNoBinaryForGpu);
    void *a = nullptr, *b = nullptr;
    size_t n_bytes = 0;
    OK(hipModuleGetGlobal(&a, &n_bytes, first, "device_table"));
    OK(hipModuleGetGlobal(&b, nullptr, second, "device_table"));
    CHECK(n_bytes == 64 && a != b);
    CHECK(static_cast<int32_t *>(a)[1] == 2);
    CHECK_STATUS(hipModuleGetGlobal(&a, &n_bytes, first, "printf"), hipErrorNotFound);
    OK(hipModuleUnload(first));
    CHECK_STATUS(hipModuleUnload(first), hipErrorInvalidHandle);
    CHECK_STATUS(launch(f, 1, 1, nullptr), hipErrorInvalidHandle);
    CHECK_STATUS(hipModuleGetFunction(&f, first, "add"), hipErrorInvalidHandle);
    OK(hipModuleUnload(second));
    CHECK_STATUS(hipModuleLoadData(&first, "not a code object"), hipErrorInvalidImage);
    CHECK_STATUS(hipModuleLoad(&first, "/nonexistent/file"), hipErrorFileNotFound);
    CHECK_STATUS(hipModuleLoad(&first, "/proc/self/comm"), hipErrorInvalidImage);
}

// Each load is a library of its own, however often memory and file numbers come back.
CASE(modules_loaded_again_start_anew) {
    const std::string image = code_object();
    for (int round = 0; round < 20; ++round) {
        hipModule_t module = nullptr;
        OK(hipModuleLoadData(&module, image.data()));
        void *table = nullptr;
        OK(hipModuleGetGlobal(&table, nullptr, module, "device_table"));
        CHECK(static_cast<int32_t *>(table)[0] == 1);
        static_cast<int32_t *>(table)[0] = 99;
        if (round % 2) OK(hipModuleUnload(module));
    }
}

CASE(occupancy) {
    Kernels kernels;
    const hipFunction_t f = kernels["shape"];
    int value = 0, blocks = 0, items = 0;
    OK(hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, f));
    CHECK(value == 1024);
    OK(hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f));
    CHECK(value == 1024);
    OK(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, 256, 0));
    CHECK(blocks == 8);
    OK(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, 256, 31 * 1024));
    CHECK(blocks == 2);
    OK(hipModuleOccupancyMaxPotentialBlockSize(&blocks, &items, f, 0, 128));
    CHECK(items == 128 && blocks >= 1);
    CHECK_STATUS(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nullptr, 256, 0),
                 hipErrorInvalidDeviceFunction);
}

CASE(workgroups_run_on_several_threads) {  // with ROCARRAY_CPU_THREADS=4
    Kernels kernels;
    auto *times = allocate<int32_t>(64);
    OK(hipMemset(times, 0, 256));
    const auto begin = std::chrono::steady_clock::now();
    OK(launch(kernels["slow"], 64, 1, nullptr, times, int32_t{4000}));
    OK(hipDeviceSynchronize());
    const auto spent = std::chrono::steady_clock::now() - begin;
    CHECK(spent < std::chrono::milliseconds(190));  // 256 ms on one thread
    for (int i = 0; i < 64; ++i) CHECK(times[i] == 1);
    OK(hipFree(times));
}

CASE(null_launches_do_nothing) {  // with ROCARRAY_CPU_NULL=1
    Kernels kernels;
    auto *data = allocate<int64_t>(16);
    OK(hipMemset(data, 0, 128));
    OK(launch(kernels["add"], 16, 1, nullptr, data, uint64_t{16}, int64_t{1}));
    int64_t host[16];
    OK(hipMemcpy(host, data, sizeof host, hipMemcpyDeviceToHost));
    CHECK(host[0] == 0);
    CHECK_STATUS(launch(kernels["add"], 0, 1, nullptr, data, uint64_t{16}, int64_t{1}),
                 hipErrorInvalidConfiguration);
    OK(hipFree(data));
}

CASE(many_launches_from_many_threads) {
    Kernels kernels;
    const hipFunction_t add = kernels["add"];
    constexpr int kThreads = 4, kLaunches = 3000;
    const hipStream_t shared = new_stream();
    auto *total = allocate<int64_t>(1);
    OK(hipMemset(total, 0, 8));
    OK(hipDeviceSynchronize());
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t)
        threads.emplace_back([&] {
            const hipStream_t own = new_stream();
            auto *data = allocate<int64_t>(8);
            OK(hipMemsetAsync(data, 0, 64, own));
            for (int i = 0; i < kLaunches; ++i) {
                OK(launch(add, 8, 1, own, data, uint64_t{8}, int64_t{1}));
                OK(launch(add, 1, 1, shared, total, uint64_t{1}, int64_t{1}));
                if (i % 500 == 0) OK(hipStreamSynchronize(own));
            }
            int64_t host[8];
            OK(hipMemcpyAsync(host, data, sizeof host, hipMemcpyDeviceToHost, own));
            for (int64_t value : host) CHECK(value == kLaunches);
            OK(hipStreamDestroy(own));
            OK(hipFree(data));
        });
    for (std::thread &thread : threads) thread.join();
    OK(hipStreamSynchronize(shared));
    CHECK(*total == kThreads * kLaunches);
    OK(hipFree(total));
}

static double nanoseconds_each(int n, const std::function<void()> &body) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < n; ++i) body();
    const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - begin;
    return spent.count() / n;
}

// Prints costs; run by hand.
CASE(measure_launches) {
    Kernels kernels;
    const hipFunction_t nothing = kernels["nothing"], add = kernels["add"];
    const hipStream_t stream = new_stream();
    auto *data = allocate<int64_t>(16);
    uint64_t n = 16;
    int64_t value = 1;
    void *pointers[] = {&data, &n, &value};
    for (int round = 0; round < 3; ++round) {
        printf("enqueue nothing %.0f ns\n", nanoseconds_each(100'000, [&] {
                   hipModuleLaunchKernel(nothing, 1, 1, 1, 1, 1, 1, 0, stream, nullptr, nullptr);
               }));
        printf("enqueue add     %.0f ns\n", nanoseconds_each(100'000, [&] {
                   hipModuleLaunchKernel(add, 16, 1, 1, 1, 1, 1, 0, stream, pointers, nullptr);
               }));
        printf("launch and synchronise %.0f ns\n", nanoseconds_each(10'000, [&] {
                   hipModuleLaunchKernel(add, 16, 1, 1, 1, 1, 1, 0, stream, pointers, nullptr);
                   hipStreamSynchronize(stream);
               }));
    }
}
