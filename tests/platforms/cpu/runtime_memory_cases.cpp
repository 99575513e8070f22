// Allocations, pointers, copies, fills.
#include "runtime_harness.h"

using namespace harness;

CASE(memory_limit) {  // with ROCARRAY_CPU_MEMORY=64M
    size_t free = 0, total = 0;
    OK(hipMemGetInfo(&free, &total));
    CHECK(total == 64u << 20 && free == total);
    auto *half = allocate<char>(32 << 20);
    void *more = half;
    CHECK_STATUS(hipMalloc(&more, (32 << 20) + 1), hipErrorOutOfMemory);
    CHECK(more == nullptr);
    OK(hipMemGetInfo(&free, &total));
    CHECK(free == 32u << 20);
    auto *rest = allocate<char>(32 << 20);
    CHECK_STATUS(hipMallocManaged(&more, 1, hipMemAttachGlobal), hipErrorOutOfMemory);
    OK(hipHostMalloc(&more, 1 << 20, 0));  // host memory has no limit of ours
    OK(hipHostFree(more));
    OK(hipFree(half));
    OK(hipFree(rest));
    OK(hipMemGetInfo(&free, &total));
    CHECK(free == total);
}

CASE(allocation) {
    void *pointer = &pointer;
    OK(hipMalloc(&pointer, 0));
    CHECK(pointer == nullptr);
    OK(hipFree(nullptr));
    CHECK_STATUS(hipMalloc(nullptr, 1), hipErrorInvalidValue);
    CHECK_STATUS(hipMalloc(&pointer, SIZE_MAX), hipErrorOutOfMemory);
    CHECK_STATUS(hipMalloc(&pointer, size_t{1} << 60), hipErrorOutOfMemory);
    for (size_t n : {size_t{1}, size_t{1000}, size_t{5} << 20}) {
        OK(hipMalloc(&pointer, n));
        CHECK(reinterpret_cast<uintptr_t>(pointer) % 256 == 0);
        CHECK_STATUS(hipFree(static_cast<char *>(pointer) + 1), hipErrorInvalidValue);
        CHECK_STATUS(hipHostFree(pointer), hipErrorInvalidValue);
        OK(hipFree(pointer));
        CHECK_STATUS(hipFree(pointer), hipErrorInvalidValue);
    }
    int local = 0;
    CHECK_STATUS(hipFree(&local), hipErrorInvalidValue);
}

CASE(big_allocations_commit_nothing) {
    void *pointer = nullptr;
    const auto resident = [] {
        size_t n_pages = 0, n_resident = 0;
        std::ifstream("/proc/self/statm") >> n_pages >> n_resident;
        return n_resident * 4096;
    };
    const size_t before = resident();
    OK(hipMalloc(&pointer, size_t{1} << 30));
    CHECK(resident() < before + (8 << 20));
    OK(hipFree(pointer));
}

CASE(poison) {  // with ROCARRAY_CPU_POISON=1
    for (size_t n : {size_t{100}, size_t{5} << 20}) {
        auto *data = allocate<unsigned char>(n);
        CHECK(data[0] == 0xA5 && data[n - 1] == 0xA5);
        OK(hipFree(data));
    }
}

CASE(guard_zones) {  // with ROCARRAY_CPU_GUARD=1
    for (size_t n : {size_t{100}, size_t{5} << 20}) {
        auto *data = allocate<char>(n);
        CHECK(reinterpret_cast<uintptr_t>(data) % 256 == 0);
        memset(data, 1, n);
        OK(hipFree(data));
        data = allocate<char>(n);
        data[n] = 1;
        CHECK_STATUS(hipFree(data), hipErrorIllegalAddress);
        data = allocate<char>(n);
        data[-3] = 1;
        CHECK_STATUS(hipFree(data), hipErrorIllegalAddress);
    }
}

CASE(pointer_attributes) {
    hipPointerAttribute_t a;
    auto *device = allocate<char>(1000);
    OK(hipPointerGetAttributes(&a, device + 999));
    CHECK(a.type == hipMemoryTypeDevice && a.device == 0 && a.devicePointer == device + 999);
    CHECK(a.hostPointer == nullptr && !a.isManaged);
    CHECK_STATUS(hipPointerGetAttributes(&a, device + 1024), hipErrorInvalidValue);
    CHECK(a.type == hipMemoryTypeUnregistered);
    CHECK_STATUS(hipPointerGetAttributes(&a, nullptr), hipErrorInvalidValue);
    void *base = nullptr;
    size_t n_bytes = 0;
    OK(hipMemGetAddressRange(&base, &n_bytes, device + 17));
    CHECK(base == device && n_bytes == 1000);
    void *host = nullptr, *managed = nullptr, *alias = nullptr;
    OK(hipHostMalloc(&host, 64, 0));
    OK(hipPointerGetAttributes(&a, host));
    CHECK(a.type == hipMemoryTypeHost && a.hostPointer == host && a.devicePointer == host);
    OK(hipHostGetDevicePointer(&alias, host, 0));
    CHECK(alias == host);
    OK(hipMallocManaged(&managed, 64, hipMemAttachGlobal));
    OK(hipPointerGetAttributes(&a, managed));
    CHECK(a.type == hipMemoryTypeManaged && a.isManaged);
    std::vector<char> own(4096);
    OK(hipHostRegister(own.data(), own.size(), 0));
    CHECK_STATUS(hipHostRegister(own.data() + 100, 10, 0), hipErrorHostMemoryAlreadyRegistered);
    OK(hipPointerGetAttributes(&a, own.data() + 100));
    CHECK(a.type == hipMemoryTypeHost);
    CHECK_STATUS(hipHostFree(own.data()), hipErrorInvalidValue);
    OK(hipHostUnregister(own.data()));
    CHECK_STATUS(hipHostUnregister(own.data()), hipErrorHostMemoryNotRegistered);
    CHECK_STATUS(hipPointerGetAttributes(&a, own.data()), hipErrorInvalidValue);
    OK(hipFree(managed));
    OK(hipHostFree(host));
    OK(hipFree(device));
}

CASE(freeing_waits_for_work) {
    const hipStream_t stream = new_stream();
    auto *data = allocate<char>(5 << 20);
    auto *gate = new Gate(stream);
    OK(hipMemsetAsync(data, 1, 5 << 20, stream));
    std::thread opener([gate] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        gate->open();
    });
    OK(hipFree(data));
    OK(hipStreamQuery(stream));
    opener.join();
    delete gate;
    OK(hipStreamDestroy(stream));
}

CASE(stream_ordered_allocation) {
    const hipStream_t stream = new_stream();
    void *data = nullptr;
    hipPointerAttribute_t a;
    OK(hipMallocAsync(&data, 1000, stream));
    {
        Gate gate(stream);
        OK(hipMemsetAsync(data, 1, 1000, stream));
        OK(hipFreeAsync(data, stream));
        OK(hipPointerGetAttributes(&a, data));
    }
    OK(hipStreamSynchronize(stream));
    CHECK_STATUS(hipPointerGetAttributes(&a, data), hipErrorInvalidValue);
    CHECK_STATUS(hipFreeAsync(data, stream), hipErrorInvalidValue);
    OK(hipFreeAsync(nullptr, stream));
    OK(hipStreamDestroy(stream));
}

CASE(copies) {
    constexpr size_t n = 5'000'003;  // shared by several threads
    std::vector<unsigned char> host(n), back(n);
    for (size_t i = 0; i < n; ++i) host[i] = static_cast<unsigned char>(i * 7 + i / 251);
    auto *a = allocate<unsigned char>(n), *b = allocate<unsigned char>(n);
    for (size_t m : {size_t{0}, size_t{1}, size_t{1000}, size_t{16384}, size_t{16385}, n}) {
        std::fill(back.begin(), back.end(), 0);
        OK(hipMemset(b, 0, n));
        OK(hipMemcpy(a, host.data(), m, hipMemcpyHostToDevice));
        OK(hipMemcpy(b, a, m, hipMemcpyDeviceToDevice));
        OK(hipMemcpy(back.data(), b, m, hipMemcpyDefault));
        CHECK(memcmp(host.data(), back.data(), m) == 0);
    }
    OK(hipFree(a));
    OK(hipFree(b));
}

CASE(copies_are_checked) {
    auto *device = allocate<char>(100);
    char host[200] = {};
    CHECK_STATUS(hipMemcpy(device, host, 101, hipMemcpyHostToDevice), hipErrorInvalidValue);
    CHECK_STATUS(hipMemcpy(host, device + 50, 51, hipMemcpyDeviceToHost), hipErrorInvalidValue);
    CHECK_STATUS(hipMemcpy(host, host + 100, 10, hipMemcpyDeviceToHost), hipErrorInvalidValue);
    CHECK_STATUS(hipMemcpy(host, device, 10, hipMemcpyHostToDevice), hipErrorInvalidValue);
    CHECK_STATUS(hipMemcpy(nullptr, device, 10, hipMemcpyDeviceToHost), hipErrorInvalidValue);
    CHECK_STATUS(hipMemcpy(host, device, 10, static_cast<hipMemcpyKind>(9)),
                 hipErrorInvalidMemcpyDirection);
    CHECK_STATUS(hipMemset(host, 0, 10), hipErrorInvalidValue);
    CHECK_STATUS(hipMemset(device + 1, 0, 100), hipErrorInvalidValue);
    CHECK_STATUS(hipMemcpy2D(device, 5, host, 10, 10, 2, hipMemcpyHostToDevice),
                 hipErrorInvalidPitchValue);
    CHECK_STATUS(hipMemcpy2D(device, 90, host, 10, 10, 3, hipMemcpyHostToDevice),
                 hipErrorInvalidValue);
    OK(hipMemcpy(nullptr, nullptr, 0, hipMemcpyDeviceToHost));
    OK(hipFree(device));
}

// The source of a pageable copy may change as soon as the call returns.
CASE(pageable_sources_are_read_at_the_call) {
    const hipStream_t stream = new_stream();
    auto *device = allocate<char>(4096);
    std::vector<char> host(4096, 1);
    {
        Gate gate(stream);
        OK(hipMemcpyAsync(device, host.data(), 4096, hipMemcpyHostToDevice, stream));
        std::fill(host.begin(), host.end(), 2);
    }
    OK(hipStreamSynchronize(stream));
    CHECK(device[0] == 1 && device[4095] == 1);
    void *pinned = nullptr;
    OK(hipHostMalloc(&pinned, 4096, 0));
    memset(pinned, 3, 4096);
    {
        Gate gate(stream);
        OK(hipMemcpyAsync(device, pinned, 4096, hipMemcpyHostToDevice, stream));
        memset(pinned, 4, 4096);  // pinned memory is read when the copy runs
    }
    OK(hipStreamSynchronize(stream));
    CHECK(device[0] == 4);
    OK(hipHostFree(pinned));
    OK(hipFree(device));
    OK(hipStreamDestroy(stream));
}

CASE(rectangles) {
    constexpr size_t pitch = 32, width = 10, height = 6;
    auto *device = allocate<char>(pitch * height);
    std::vector<char> host(width * height), back(width * height);
    for (size_t i = 0; i < host.size(); ++i) host[i] = static_cast<char>(i);
    OK(hipMemset2DAsync(device, pitch, 9, pitch, height, nullptr));
    OK(hipMemcpy2D(device, pitch, host.data(), width, width, height, hipMemcpyHostToDevice));
    OK(hipMemcpy2D(back.data(), width, device, pitch, width, height, hipMemcpyDeviceToHost));
    CHECK(host == back);
    CHECK(device[width] == 9 && device[pitch - 1] == 9);
    OK(hipFree(device));
}

CASE(fills) {
    constexpr size_t n = 3'000'000;
    auto *data = allocate<uint32_t>(n);
    OK(hipMemsetD32Async(data, 0x12345678, n, nullptr));
    OK(hipDeviceSynchronize());
    CHECK(static_cast<size_t>(std::count(data, data + n, 0x12345678u)) == n);
    OK(hipMemsetD16Async(data, 0xABCD, 3, nullptr));
    OK(hipMemset(data + 2, 0xFF, 3));
    OK(hipDeviceSynchronize());
    CHECK(data[0] == 0xABCDABCDu && data[1] == 0x1234ABCDu && data[2] == 0x12FFFFFFu);
    OK(hipFree(data));
}

CASE(peer_copies) {  // with ROCARRAY_CPU_DEVICES=2
    auto *a = allocate<char>(100);
    OK(hipSetDevice(1));
    auto *b = allocate<char>(100);
    hipPointerAttribute_t attributes;
    OK(hipPointerGetAttributes(&attributes, b));
    CHECK(attributes.device == 1);
    OK(hipSetDevice(0));
    OK(hipMemset(a, 6, 100));
    OK(hipMemcpyPeer(b, 1, a, 0, 100));
    OK(hipDeviceSynchronize());
    CHECK(b[99] == 6);
    OK(hipMemset(a, 8, 100));
    OK(hipMemcpyPeerAsync(b, 1, a, 0, 100, nullptr));
    OK(hipDeviceSynchronize());
    CHECK(b[0] == 8);
    CHECK_STATUS(hipMemcpyPeer(b, 2, a, 0, 100), hipErrorInvalidDevice);
    OK(hipFree(a));
    OK(hipFree(b));
}
