// Counting: occurrences of small numbers, and of values in bins.
//
// Each workgroup counts its share in LDS, if the counts fit, and adds the sums to memory once.
#pragma once

#include "index.hpp"

namespace rocarray {

constexpr int FEW_COUNTS = 8192;  // as _FEW_COUNTS in _core/sorting.py

struct BinParams {
    int64_t n, chunk;
    const char *values;
    const char *edges;  // n_counts + 1, ascending
    int64_t *counts;
    int64_t n_counts;
    int64_t uniform;  // the edges are evenly spaced, or nearly
};

// Runs `count(add)` with an `add(i)` that counts one more i.
template <class Count>
DEVICE
void count_in_block(int64_t *counts, int64_t n_counts, Count count) {
    LDS uint32_t own[FEW_COUNTS];
    for (index_t i = thread_index(); i < n_counts; i += block_size()) own[i] = 0;
    sync_block();
    count([&](index_t i) {
#if defined(HIPCPU)
        ++own[i];  // the work-items of a workgroup run on one thread
#else
        atomicAdd(&own[i], 1u);
#endif
    });
    sync_block();
    for (index_t i = thread_index(); i < n_counts; i += block_size()) {
        if (own[i] > 0) {
            atomicAdd(reinterpret_cast<unsigned long long *>(counts + i),
                      static_cast<unsigned long long>(own[i]));
        }
    }
}

DEVICE
void count_few(const BinParams &p) {
    const int64_t *values = reinterpret_cast<const int64_t *>(p.values);
    count_in_block(p.counts, p.n_counts, [&](auto add) {
        ROCARRAY_ITEMS(p) { add(values[i]); }
    });
}

// The bin of x, given one near it: edges[bin] <= x < edges[bin + 1]; the last bin has both ends.
template <class T>
DEVICE
index_t find_bin(T x, const T *edges, index_t n_bins, index_t bin) {
    while (bin > 0 && x < edges[bin]) --bin;
    while (bin < n_bins - 1 && x >= edges[bin + 1]) ++bin;
    return bin;
}

template <class T>
DEVICE
void count_bins(const BinParams &p) {
    const T *values = reinterpret_cast<const T *>(p.values);
    const T *edges = reinterpret_cast<const T *>(p.edges);
    const index_t n_bins = p.n_counts;
    const T first = edges[0], last = edges[n_bins];
    const T scale = static_cast<T>(n_bins) / (last - first);
    count_in_block(p.counts, n_bins, [&](auto add) {
        ROCARRAY_ITEMS(p) {
            const T x = values[i];
            if (!(x >= first && x <= last)) continue;
            index_t bin = 0;
            if (p.uniform) {
                const T guess = (x - first) * scale;
                bin = guess < static_cast<T>(n_bins) ? static_cast<index_t>(guess) : n_bins - 1;
            } else {
                index_t high = n_bins;
                while (high - bin > 1) {
                    const index_t middle = (bin + high) / 2;
                    if (x >= edges[middle]) {
                        bin = middle;
                    } else {
                        high = middle;
                    }
                }
            }
            add(find_bin(x, edges, n_bins, bin));
        }
    });
}

}  // namespace rocarray

#define ROCARRAY_COUNT(NAME, ...)                             \
    KERNEL                                                    \
    NAME(rocarray::BinParams p) { rocarray::__VA_ARGS__(p); } \
    KERNEL_EXPORT(NAME)
