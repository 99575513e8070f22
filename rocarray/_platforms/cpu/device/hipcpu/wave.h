// Wave intrinsics for wavefronts of one work-item: lane 0 talks to itself.
#pragma once

#include "base.h"

typedef unsigned long long hipcpu_mask_t;

#define HIPCPU_SHUFFLE(name, second)                                \
    template <class T>                                              \
    inline T name(T value, second, int = 1) {                       \
        return value;                                               \
    }                                                               \
    template <class T>                                              \
    inline T name##_sync(hipcpu_mask_t, T value, second, int = 1) { \
        return value;                                               \
    }
HIPCPU_SHUFFLE(__shfl, int)
HIPCPU_SHUFFLE(__shfl_up, unsigned)
HIPCPU_SHUFFLE(__shfl_down, unsigned)
HIPCPU_SHUFFLE(__shfl_xor, int)
#undef HIPCPU_SHUFFLE

inline hipcpu_mask_t __ballot(int predicate) { return predicate != 0; }
inline hipcpu_mask_t __ballot64(int predicate) { return predicate != 0; }
inline int __any(int predicate) { return predicate != 0; }
inline int __all(int predicate) { return predicate != 0; }
inline hipcpu_mask_t __activemask() { return 1; }
inline hipcpu_mask_t __ballot_sync(hipcpu_mask_t mask, int predicate) {
    return mask & (predicate != 0);
}
inline int __any_sync(hipcpu_mask_t, int predicate) { return predicate != 0; }
inline int __all_sync(hipcpu_mask_t, int predicate) { return predicate != 0; }
template <class T>
inline hipcpu_mask_t __match_any_sync(hipcpu_mask_t, T) {
    return 1;
}
template <class T>
inline hipcpu_mask_t __match_all_sync(hipcpu_mask_t, T, int *all_equal) {
    *all_equal = 1;
    return 1;
}
template <class T>
inline T __reduce_add_sync(hipcpu_mask_t, T value) {
    return value;
}
template <class T>
inline T __reduce_min_sync(hipcpu_mask_t, T value) {
    return value;
}
template <class T>
inline T __reduce_max_sync(hipcpu_mask_t, T value) {
    return value;
}
inline void __syncwarp(hipcpu_mask_t = 1) {}
inline unsigned __lane_id() { return 0; }
inline hipcpu_mask_t __lanemask_lt() { return 0; }
inline hipcpu_mask_t __lanemask_le() { return 1; }
inline hipcpu_mask_t __lanemask_eq() { return 1; }
inline hipcpu_mask_t __lanemask_ge() { return 1; }
inline hipcpu_mask_t __lanemask_gt() { return 0; }
