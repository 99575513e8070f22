// Functions of a wavefront. HIP's have no mask, and mean the lanes that run together at the call;
// masks are 64 bits wide whatever the wavefront's size.
#pragma once

#include "base.h"

namespace hipnv {

// Any type is moved in words of 32 bits.
template <class T, class Move>
HIPNV_DEVICE T move_words(T value, Move move) {
    constexpr int n_words = (sizeof(T) + 3) / 4;
    union Words {
        T value;
        unsigned words[n_words];
        __device__ Words() {}
    } from, to;
    from.words[n_words - 1] = 0;
    from.value = value;
#pragma unroll
    for (int i = 0; i < n_words; ++i) to.words[i] = move(from.words[i]);
    return to.value;
}

}  // namespace hipnv

template <class T>
HIPNV_DEVICE T hipnv_shfl(T value, int lane, int width = 32) {
    const unsigned mask = __activemask();
    return hipnv::move_words(value,
                             [=](unsigned word) { return __shfl_sync(mask, word, lane, width); });
}
template <class T>
HIPNV_DEVICE T hipnv_shfl_up(T value, unsigned delta, int width = 32) {
    const unsigned mask = __activemask();
    return hipnv::move_words(
        value, [=](unsigned word) { return __shfl_up_sync(mask, word, delta, width); });
}
template <class T>
HIPNV_DEVICE T hipnv_shfl_down(T value, unsigned delta, int width = 32) {
    const unsigned mask = __activemask();
    return hipnv::move_words(
        value, [=](unsigned word) { return __shfl_down_sync(mask, word, delta, width); });
}
template <class T>
HIPNV_DEVICE T hipnv_shfl_xor(T value, int lanes, int width = 32) {
    const unsigned mask = __activemask();
    return hipnv::move_words(
        value, [=](unsigned word) { return __shfl_xor_sync(mask, word, lanes, width); });
}

HIPNV_DEVICE unsigned long long hipnv_ballot(int predicate) {
    return __ballot_sync(__activemask(), predicate);
}
HIPNV_DEVICE unsigned long long hipnv_ballot64(int predicate) { return hipnv_ballot(predicate); }
HIPNV_DEVICE int hipnv_any(int predicate) { return __any_sync(__activemask(), predicate); }
HIPNV_DEVICE int hipnv_all(int predicate) { return __all_sync(__activemask(), predicate); }

// Macros, since CUDA still declares functions of these names, which no GPU of today has.
#define __shfl hipnv_shfl
#define __shfl_up hipnv_shfl_up
#define __shfl_down hipnv_shfl_down
#define __shfl_xor hipnv_shfl_xor
#define __ballot hipnv_ballot
#define __ballot64 hipnv_ballot64
#define __any hipnv_any
#define __all hipnv_all

HIPNV_DEVICE unsigned __lane_id() {
    unsigned lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}
// Set bits of `mask` below this lane, added to `sum`: AMD's pair of instructions for 64 lanes.
HIPNV_DEVICE unsigned __builtin_amdgcn_mbcnt_lo(unsigned mask, unsigned sum) {
    unsigned below;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
    return sum + __popc(mask & below);
}
HIPNV_DEVICE unsigned __builtin_amdgcn_mbcnt_hi(unsigned, unsigned sum) { return sum; }
HIPNV_DEVICE int __builtin_amdgcn_wavefrontsize() { return 32; }
HIPNV_DEVICE void __builtin_amdgcn_wave_barrier() { __syncwarp(__activemask()); }
HIPNV_DEVICE void __builtin_amdgcn_s_barrier() { __syncthreads(); }
HIPNV_DEVICE void __builtin_amdgcn_s_sleep(int) { __nanosleep(64); }
HIPNV_DEVICE int __builtin_amdgcn_readfirstlane(int value) {
    const unsigned mask = __activemask();
    return __shfl_sync(mask, value, __ffs(mask) - 1);
}

HIPNV_DEVICE long long wall_clock64() {
    long long time;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
    return time;
}
