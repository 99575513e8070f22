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

constexpr int SMALLEST_WAVE = 32;                // work-items, of the machines there are
constexpr int MAX_WAVES = 1024 / SMALLEST_WAVE;  // of a workgroup

// One word, `distance` lanes below. NVIDIA's lanes may have parted in a loop before: naming all of
// them brings them together again, which AMD's always are.
DEVICE
uint32_t shuffle_word_up(uint32_t word, unsigned distance) {
#if defined(__CUDACC__)
    return __shfl_up_sync(0xffffffffu, word, distance);
#else
    return __shfl_up(word, distance);
#endif
}

// The value `distance` lanes below; anything for lanes that have none there.
template <class T>
DEVICE
T shuffle_up(const T &value, unsigned distance) {
    constexpr int n_words = (sizeof(T) + 3) / 4;
    uint32_t words[n_words] = {};
    __builtin_memcpy(words, &value, sizeof(T));
#pragma unroll
    for (int i = 0; i < n_words; ++i) words[i] = shuffle_word_up(words[i], distance);
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

// ---- values that workgroups of one launch leave for each other ----

// A value travels in words of 64 bits that are zero before: the upper half says that the lower
// half, 32 bits of the value, is there. So no order between stores matters, and no fence is needed.
template <class T>
constexpr int MESSAGE_WORDS = (sizeof(T) + 3) / 4;

template <class T>
DEVICE
void publish(uint64_t *at, const T &value) {
    uint32_t words[MESSAGE_WORDS<T>] = {};
    __builtin_memcpy(words, &value, sizeof(T));
    volatile ROCARRAY_GLOBAL uint64_t *to = (volatile ROCARRAY_GLOBAL uint64_t *)at;
#pragma unroll
    for (int i = 0; i < MESSAGE_WORDS<T>; ++i) to[i] = static_cast<uint64_t>(1) << 32 | words[i];
}

// A value that another workgroup is sure to publish: one that has started already. Loading and
// waiting are two steps, so that several messages can be on their way at once.
template <class T>
struct Message {
    const volatile ROCARRAY_GLOBAL uint64_t *from;
    uint64_t words[MESSAGE_WORDS<T>];

    DEVICE
    void load(const uint64_t *at) {
        from = (const volatile ROCARRAY_GLOBAL uint64_t *)at;
#pragma unroll
        for (int i = 0; i < MESSAGE_WORDS<T>; ++i) words[i] = from[i];
    }
    DEVICE
    T wait() {
        uint32_t halves[MESSAGE_WORDS<T>];
#pragma unroll
        for (int i = 0; i < MESSAGE_WORDS<T>; ++i) {
            while (words[i] >> 32 == 0) words[i] = from[i];
#if !defined(__CUDACC__)
            words[i] = from[i];  // an emulated GPU moves 64 bits in halves, the lower one first
#endif
            halves[i] = static_cast<uint32_t>(words[i]);
        }
        T value;
        __builtin_memcpy(&value, halves, sizeof(T));
        return value;
    }
};
template <class T>
DEVICE
T await(const uint64_t *at) {
    Message<T> message;
    message.load(at);
    return message.wait();
}

}  // namespace rocarray
