// What work-items of one wavefront tell each other, and a workgroup through its wavefronts.
//
// Only for workgroups of many work-items. Nothing here knows how wide a wavefront is; every
// work-item of the workgroup takes part in each call.
#pragma once

#include "platform.hpp"

// A kernel for workgroups of up to 256 work-items, of which `n` shall fit on a multiprocessor of
// NVIDIA's at once: a bound on its registers. AMD's compiler chooses by itself.
#if defined(__CUDACC__)
#define DENSE_KERNEL(n) extern "C" __global__ void __launch_bounds__(256, n)
#else
#define DENSE_KERNEL(n) extern "C" __global__ void __launch_bounds__(256)
#endif

namespace rocarray {

constexpr int MAX_WAVES = 32;  // of a workgroup: 1024 work-items, 32 a wavefront

// The value `distance` lanes below; anything for lanes that have none there.
template <class T>
DEVICE
T shuffle_up(const T &value, unsigned distance) {
    constexpr int n_words = (sizeof(T) + 3) / 4;
    uint32_t words[n_words] = {};
    __builtin_memcpy(words, &value, sizeof(T));
#pragma unroll
    for (int i = 0; i < n_words; ++i) words[i] = __shfl_up(words[i], distance);
    T result;
    __builtin_memcpy(&result, words, sizeof(T));
    return result;
}

// Exclusive scan, by Op::combine, of N values a work-item: all first ones, then all second ones ...
// Returns the combination of everything. The order is fixed, so floating results are too.
template <class Op, int N>
DEVICE
typename Op::Acc scan_block(typename Op::Acc (&values)[N]) {
    using Acc = typename Op::Acc;
    struct alignas(16) Storage {
        unsigned char bytes[N * MAX_WAVES * sizeof(Acc)];
    };
    LDS Storage storage;
    Acc *waves = reinterpret_cast<Acc *>(storage.bytes);
    const int width = warpSize;
    const int t = static_cast<int>(thread_index()), n = static_cast<int>(block_size());
    const int lane = t % width, wave = t / width, n_waves = (n + width - 1) / width;
    for (int distance = 1; distance < width; distance *= 2) {
#pragma unroll
        for (int i = 0; i < N; ++i) {
            const Acc left = shuffle_up(values[i], distance);
            if (lane >= distance) values[i] = Op::combine(left, values[i]);
        }
    }
    sync_block();  // what an earlier call left was read
    if (lane == width - 1 || t == n - 1) {
#pragma unroll
        for (int i = 0; i < N; ++i) waves[i * MAX_WAVES + wave] = values[i];
    }
#pragma unroll
    for (int i = 0; i < N; ++i) {
        const Acc left = shuffle_up(values[i], 1);
        values[i] = lane > 0 ? left : Op::identity();
    }
    sync_block();
    Acc sum = Op::identity();
#pragma unroll
    for (int i = 0; i < N; ++i) {
        for (int w = 0; w < n_waves; ++w) {
            if (w == wave) values[i] = Op::combine(sum, values[i]);
            sum = Op::combine(sum, waves[i * MAX_WAVES + w]);
        }
    }
    return sum;
}

// The combination of one value a work-item, for all of them.
template <class Op>
DEVICE
typename Op::Acc combine_block(typename Op::Acc value) {
    typename Op::Acc values[1] = {value};
    return scan_block<Op, 1>(values);
}

// ---- words that workgroups of one launch leave for each other ----

// Makes `value` visible to whoever then sees the flag.
template <class T>
DEVICE
void publish(T *at, uint32_t *flag, const T &value) {
    *at = value;
    __threadfence();
    *static_cast<volatile uint32_t *>(flag) = 1;
}

// Waits for a value that another workgroup is sure to publish: one that has started already.
template <class T>
DEVICE
T await(const T *at, const uint32_t *flag) {
    constexpr int n_words = sizeof(T) / 4;
    while (*static_cast<const volatile uint32_t *>(flag) == 0) {
    }
    __threadfence();
    T result;
    if constexpr (sizeof(T) % 4 == 0) {
        uint32_t words[n_words];
        const volatile uint32_t *from = reinterpret_cast<const volatile uint32_t *>(at);
#pragma unroll
        for (int i = 0; i < n_words; ++i) words[i] = from[i];
        __builtin_memcpy(&result, words, sizeof(T));
    } else {
        unsigned char bytes[sizeof(T)];
        const volatile unsigned char *from = reinterpret_cast<const volatile unsigned char *>(at);
#pragma unroll
        for (int i = 0; i < static_cast<int>(sizeof(T)); ++i) bytes[i] = from[i];
        __builtin_memcpy(&result, bytes, sizeof(T));
    }
    return result;
}

}  // namespace rocarray
