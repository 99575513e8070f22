// Indexed reads and writes by byte offsets, which the host has worked out from index arrays.
//
// Elements are moved by size, whatever their type. Where several writes meet at one element the
// last one wins, on every machine: a first pass finds, per element, the largest position that
// writes to it.
#pragma once

#include "types.hpp"

namespace rocarray {

struct bytes16 {
    uint64_t low, high;
};

// Functor: the element at `base` + `offset`.
template <class T>
struct Gather {
    DEVICE
    T operator()(int64_t offset, uint64_t base) const {
        return *reinterpret_cast<const T *>(base + static_cast<uint64_t>(offset));
    }
};

struct ScatterParams {
    int64_t n, chunk;
    const int64_t *offsets;
    const char *values;  // contiguous
    uint64_t base;
    const int64_t *winners;  // nullptr: every element is written at most once
    int64_t unit;            // bytes of one entry of `winners`
};

struct ScatterOwnedParams {
    int64_t n, chunk;  // of owners
    int64_t n_offsets;
    const int64_t *offsets;
    const char *values;  // contiguous
    uint64_t base;
    int64_t span;  // bytes that offsets reach
};

struct WinnerParams {
    int64_t n, chunk;
    const int64_t *offsets;
    int64_t *winners;
    int64_t unit;
};

struct CountParams {
    int64_t n, chunk;
    const int64_t *values;
    int64_t *counts;
};

struct WeighParams {
    int64_t n, chunk;
    const int64_t *values;
    const double *weights;
    double *sums;
};

DEVICE
void atomic_max(int64_t *target, int64_t value) {
    unsigned long long *word = reinterpret_cast<unsigned long long *>(target);
    unsigned long long seen = *word;
    while (static_cast<int64_t>(seen) < value) {
        const unsigned long long before =
            atomicCAS(word, seen, static_cast<unsigned long long>(value));
        if (before == seen) {
            break;
        }
        seen = before;
    }
}

#define ROCARRAY_ITEMS(p)                                                                       \
    const index_t begin = block_index() * (p).chunk, end = min_index(begin + (p).chunk, (p).n); \
    for (index_t i = begin + thread_index(); i < end; i += block_size())

template <class T>
DEVICE
void scatter(const ScatterParams &p) {
    const T *values = reinterpret_cast<const T *>(p.values);
    ROCARRAY_ITEMS(p) {
        if (p.winners == nullptr || p.winners[p.offsets[i] / p.unit] == i) {
            *reinterpret_cast<T *>(p.base + static_cast<uint64_t>(p.offsets[i])) = values[i];
        }
    }
}

// Runs body(i, offset) for the offsets in each work-item's own share of the span, in order, with a
// pass over all of them: for a few work-items that are fast alone, where repeated offsets then need
// no second pass. `p.n` is the number of owners.
template <class Params, class Body>
DEVICE
void each_owned(const Params &p, Body body) {
    const uint64_t width = static_cast<uint64_t>(p.span / p.n + 1);
    ROCARRAY_ITEMS(p) {
        const uint64_t first = static_cast<uint64_t>(i) * width;
        for (index_t k = 0; k < p.n_offsets; ++k) {
            const uint64_t offset = static_cast<uint64_t>(p.offsets[k]);
            if (offset - first < width) body(k, offset);
        }
    }
}

template <class T>
DEVICE
void scatter_owned(const ScatterOwnedParams &p) {
    const T *values = reinterpret_cast<const T *>(p.values);
    each_owned(p, [&](index_t k, uint64_t offset) {
        *reinterpret_cast<T *>(p.base + offset) = values[k];
    });
}

DEVICE
void mark_winners(const WinnerParams &p) {
    ROCARRAY_ITEMS(p) { atomic_max(p.winners + p.offsets[i] / p.unit, i); }
}

DEVICE
void count_values(const CountParams &p) {
    ROCARRAY_ITEMS(p) {
        atomicAdd(reinterpret_cast<unsigned long long *>(p.counts + p.values[i]), 1ull);
    }
}

// One work-item: sums of floats then do not depend on the order of atomics.
DEVICE
void sum_weights(const WeighParams &p) {
    if (block_index() == 0 && thread_index() == 0) {
        for (index_t i = 0; i < p.n; ++i) {
            p.sums[p.values[i]] += p.weights[i];
        }
    }
}

}  // namespace rocarray

#define ROCARRAY_SCATTER(NAME, T)                                                   \
    KERNEL                                                                          \
    NAME(rocarray::ScatterParams p) { rocarray::scatter<T>(p); }                    \
    KERNEL                                                                          \
    NAME##_owned(rocarray::ScatterOwnedParams p) { rocarray::scatter_owned<T>(p); } \
    KERNEL_EXPORT(NAME)                                                             \
    KERNEL_EXPORT(NAME##_owned)
#define ROCARRAY_INDEX_KERNEL(NAME, PARAMS)         \
    KERNEL                                          \
    NAME(rocarray::PARAMS p) { rocarray::NAME(p); } \
    KERNEL_EXPORT(NAME)
