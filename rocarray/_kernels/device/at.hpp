// ufunc.at: target[offset] = F(target[offset], value) for every entry, repeated offsets included.
//
// Three ways to keep two entries of one element apart. NAME_owned: each work-item owns a span of
// the target and passes over all entries, in order; for a few work-items that are fast alone.
// NAME_atomic: compare-and-swap, for functions whose order does not matter. NAME_segments: entries
// sorted by offset beforehand, one work-item an element, in order.
#pragma once

#include "casts.hpp"
#include "index.hpp"

namespace rocarray {

struct AtOwnedParams {
    int64_t n, chunk;  // of owners
    int64_t n_offsets;
    const int64_t *offsets;  // bytes from `base`
    const char *values;      // contiguous; unused by unary functions
    uint64_t base;
    int64_t span;  // bytes from `base` that offsets reach
};

struct AtAtomicParams {
    int64_t n, chunk;
    const int64_t *offsets;
    const char *values;
    uint64_t base;
};

struct AtSegmentsParams {
    int64_t n, chunk;  // of segments
    int64_t n_offsets;
    const int64_t *starts;   // of each segment of equal offsets
    const int64_t *offsets;  // sorted
    const int64_t *order;    // where the sorted entries came from
    const char *values;
    uint64_t base;
};

// One application. T is the target's type; A and B are the loop's (B is void for unary functions).
template <class F, class T, class A, class B>
struct AtStep {
    static DEVICE
    T apply(T old, const char *values, index_t i) {
        return cast<T>(F()(cast<A>(old), reinterpret_cast<const B *>(values)[i]));
    }
};
template <class F, class T, class A>
struct AtStep<F, T, A, void> {
    static DEVICE
    T apply(T old, const char *, index_t) { return cast<T>(F()(cast<A>(old))); }
};

template <class Step, class T>
DEVICE
void at_owned(const AtOwnedParams &p) {
    each_owned(p, [&](index_t k, uint64_t offset) {
        T *target = reinterpret_cast<T *>(p.base + offset);
        *target = Step::apply(*target, p.values, k);
    });
}

template <class Step, class T>
DEVICE
void at_segments(const AtSegmentsParams &p) {
    ROCARRAY_ITEMS(p) {
        const index_t first = p.starts[i];
        const index_t last = i + 1 < p.n ? p.starts[i + 1] : p.n_offsets;
        T *target = reinterpret_cast<T *>(p.base + static_cast<uint64_t>(p.offsets[first]));
        T value = *target;
        for (index_t k = first; k < last; ++k) value = Step::apply(value, p.values, p.order[k]);
        *target = value;
    }
}

template <int SIZE>
struct AtomicWord;
template <>
struct AtomicWord<4> {
    typedef unsigned int type;
};
template <>
struct AtomicWord<8> {
    typedef unsigned long long type;
};

struct Add;  // the functor, of functors/arithmetic.hpp

// What machines add in one instruction: 32 and 64-bit integers, float and double.
template <class T>
constexpr bool adds_atomically =
    is_integer<T>::value || is_same<T, float>::value || is_same<T, double>::value;

template <class T>
DEVICE
void atomic_add(T *target, T value) {
    if constexpr (is_integer<T>::value) {
        typedef typename AtomicWord<sizeof(T)>::type Word;
        atomicAdd(reinterpret_cast<Word *>(target), static_cast<Word>(value));
    } else {
        atomicAdd(target, value);
    }
}

template <class F, class Step, class T>
DEVICE
void at_atomic(const AtAtomicParams &p) {
    typedef typename AtomicWord<sizeof(T)>::type Word;
    ROCARRAY_ITEMS(p) {
        Word *word = reinterpret_cast<Word *>(p.base + static_cast<uint64_t>(p.offsets[i]));
        if constexpr (is_same<F, Add>::value && adds_atomically<T>) {
            atomic_add(reinterpret_cast<T *>(word), reinterpret_cast<const T *>(p.values)[i]);
            continue;
        }
        Word seen = *word;
        for (;;) {
            const Word wanted = bit_cast<Word>(Step::apply(bit_cast<T>(seen), p.values, i));
            if (wanted == seen) {
                break;
            }
            const Word before = atomicCAS(word, seen, wanted);
            if (before == seen) {
                break;
            }
            seen = before;
        }
    }
}

}  // namespace rocarray

#define ROCARRAY_AT(NAME, F, T, A, B)                                        \
    KERNEL                                                                   \
    NAME##_owned(rocarray::AtOwnedParams p) {                                \
        rocarray::at_owned<rocarray::AtStep<rocarray::F, T, A, B>, T>(p);    \
    }                                                                        \
    KERNEL                                                                   \
    NAME##_segments(rocarray::AtSegmentsParams p) {                          \
        rocarray::at_segments<rocarray::AtStep<rocarray::F, T, A, B>, T>(p); \
    }                                                                        \
    KERNEL_EXPORT(NAME##_owned)                                              \
    KERNEL_EXPORT(NAME##_segments)

#define ROCARRAY_AT_ATOMIC(NAME, F, T)                                                  \
    KERNEL                                                                              \
    NAME##_atomic(rocarray::AtAtomicParams p) {                                         \
        rocarray::at_atomic<rocarray::F, rocarray::AtStep<rocarray::F, T, T, T>, T>(p); \
    }                                                                                   \
    KERNEL_EXPORT(NAME##_atomic)
