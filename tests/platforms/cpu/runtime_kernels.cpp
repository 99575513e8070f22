// A code object written by hand: what hipRTC makes of kernels on the cpu platform, without hipRTC.
#include <chrono>
#include <thread>

#include "kernel_abi.h"

using namespace hipcpu;

namespace {

template <class T>
T argument(const Launch *launch, int i) {
    return *static_cast<const T *>(launch->arguments[i]);
}

uint64_t items(const Launch *launch) {
    return uint64_t{launch->block.x} * launch->block.y * launch->block.z;
}

// data[i] += value for the work-items i < n
void add(const Launch *launch, uint64_t first, uint64_t end) {
    auto *data = argument<int64_t *>(launch, 0);
    const auto n = argument<uint64_t>(launch, 1);
    const auto value = argument<int64_t>(launch, 2);
    for (uint64_t i = first * items(launch); i < end * items(launch) && i < n; ++i)
        data[i] += value;
}

// data[0] = data[0] * factor + value: a wrong order gives a wrong result
void affine(const Launch *launch, uint64_t, uint64_t) {
    auto *data = argument<uint64_t *>(launch, 0);
    *data = *data * argument<uint64_t>(launch, 1) + argument<uint64_t>(launch, 2);
}

struct alignas(32) Wide {
    double values[4];
};

// out[0] = a + b + sum of c: arguments of 1, 2 and 32 bytes
void mixed(const Launch *launch, uint64_t, uint64_t) {
    auto *out = argument<double *>(launch, 2);
    const auto wide = argument<Wide>(launch, 3);
    out[0] = argument<char>(launch, 0) + argument<short>(launch, 1) + wide.values[0] +
             wide.values[1] + wide.values[2] + wide.values[3];
    out[1] = reinterpret_cast<uintptr_t>(launch->arguments[3]) % alignof(Wide) == 0;
}

// times[block] = 1, and each workgroup takes a while
void slow(const Launch *launch, uint64_t first, uint64_t end) {
    auto *times = argument<int32_t *>(launch, 0);
    for (uint64_t block = first; block < end; ++block) {
        std::this_thread::sleep_for(std::chrono::microseconds(argument<int32_t>(launch, 1)));
        times[block] += 1;
    }
}

// out = {grid, block, dynamic LDS}
void shape(const Launch *launch, uint64_t first, uint64_t) {
    if (first != 0) return;
    auto *out = argument<uint32_t *>(launch, 0);
    const Extent g = launch->grid, b = launch->block;
    const uint32_t values[] = {g.x, g.y, g.z, b.x, b.y, b.z, launch->dynamic_lds_bytes};
    for (int i = 0; i < 7; ++i) out[i] = values[i];
}

void nothing(const Launch *, uint64_t, uint64_t) {}

constexpr uint32_t add_sizes[] = {8, 8, 8}, add_alignments[] = {8, 8, 8};
constexpr uint32_t mixed_sizes[] = {1, 2, 8, 32}, mixed_alignments[] = {1, 2, 8, 32};
constexpr uint32_t slow_sizes[] = {8, 4}, slow_alignments[] = {8, 4};
constexpr uint32_t one_size[] = {8};

}  // namespace

#define KERNEL(name, n, sizes, alignments, lds)                                                    \
    extern "C" __attribute__((visibility("default"))) const KernelDescriptor hipcpu_kernel_##name; \
    const KernelDescriptor hipcpu_kernel_##name = {kKernelAbiVersion, 0,   n, lds, sizes,          \
                                                   alignments,        name};
KERNEL(add, 3, add_sizes, add_alignments, 0)
KERNEL(affine, 3, add_sizes, add_alignments, 0)
KERNEL(mixed, 4, mixed_sizes, mixed_alignments, 0)
KERNEL(slow, 2, slow_sizes, slow_alignments, 0)
KERNEL(shape, 1, one_size, one_size, 1024)
KERNEL(nothing, 0, nullptr, nullptr, 0)

extern "C" {
__attribute__((visibility("default"))) int32_t device_table[16] = {1, 2, 3};
}

extern "C" __attribute__((visibility("default"))) const KernelDescriptor hipcpu_kernel_stale;
const KernelDescriptor hipcpu_kernel_stale = {
    kKernelAbiVersion + 1, 0, 0, 0, nullptr, nullptr, nothing};
