// Stable merge sort of rows, with or without the items' positions, and binary search.
//
// Short runs are sorted by insertion, one work-item a run. Each pass then merges neighbouring runs:
// a work-item produces one stretch of the output, whose inputs it finds by binary search along the
// merge path (S. Odeh, O. Green et al., "Merge Path", 2012). NaN sorts last.
#pragma once

#include "types.hpp"

namespace rocarray {

constexpr index_t SORT_RUN = 16;

// Less-than that puts NaN last; complex numbers by real part, then by imaginary part.
template <class T>
DEVICE
bool sorts_before(T a, T b) {
    if constexpr (is_integer<T>::value) {
        return a < b;
    } else if constexpr (is_complex<T>::value) {
        const bool nan_a = is_nan(a), nan_b = is_nan(b);
        if (!nan_a && !nan_b) {
            return a.re < b.re || (a.re == b.re && a.im < b.im);
        }
        // NumPy's order of partial NaN: re + nan j, nan + im j, nan + nan j.
        const int rank_a = (a.re != a.re ? 2 : 0) + (a.im != a.im ? 1 : 0);
        const int rank_b = (b.re != b.re ? 2 : 0) + (b.im != b.im ? 1 : 0);
        if (rank_a != rank_b) {
            return rank_a < rank_b;
        }
        return rank_a == 1 ? a.re < b.re : rank_a == 2 ? a.im < b.im : false;
    } else {
        const compute<T> x = a, y = b;
        return (x < y) | ((y != y) & (x == x));
    }
}

struct SortParams {
    int64_t n, chunk;  // work units over all rows
    int64_t row_length;
    int64_t units_per_row;
    int64_t width;    // length of the sorted runs that are merged
    int64_t stretch;  // outputs of one work unit
    const void *keys_in;
    void *keys_out;
    const int64_t *places_in;  // nullptr: keys only
    int64_t *places_out;
};

template <class T>
DEVICE
void sort_runs(const SortParams &p) {
    const index_t begin = block_index() * p.chunk, end = min_index(begin + p.chunk, p.n);
    for (index_t unit = begin + thread_index(); unit < end; unit += block_size()) {
        const index_t row = unit / p.units_per_row;
        const index_t first = unit % p.units_per_row * SORT_RUN;
        const index_t last = min_index(first + SORT_RUN, p.row_length);
        const T *in = static_cast<const T *>(p.keys_in) + row * p.row_length;
        T *out = static_cast<T *>(p.keys_out) + row * p.row_length;
        int64_t *places = p.places_out == nullptr ? nullptr : p.places_out + row * p.row_length;
        for (index_t i = first; i < last; ++i) {
            const T key = in[i];
            index_t j = i;
            for (; j > first && sorts_before(key, out[j - 1]); --j) {
                out[j] = out[j - 1];
                if (places != nullptr) {
                    places[j] = places[j - 1];
                }
            }
            out[j] = key;
            if (places != nullptr) {
                places[j] = i;
            }
        }
    }
}

template <class T>
DEVICE
void merge_runs(const SortParams &p) {
    const index_t begin = block_index() * p.chunk, end = min_index(begin + p.chunk, p.n);
    for (index_t unit = begin + thread_index(); unit < end; unit += block_size()) {
        const index_t row = unit / p.units_per_row;
        const index_t first = unit % p.units_per_row * p.stretch;
        const T *in = static_cast<const T *>(p.keys_in) + row * p.row_length;
        T *out = static_cast<T *>(p.keys_out) + row * p.row_length;
        const int64_t *places_in = nullptr;
        int64_t *places_out = nullptr;
        if (p.places_out != nullptr) {
            places_in = p.places_in + row * p.row_length;
            places_out = p.places_out + row * p.row_length;
        }
        // The pair of runs that this stretch lies in.
        const index_t pair = first / (2 * p.width) * (2 * p.width);
        const index_t middle = min_index(pair + p.width, p.row_length);
        const index_t stop = min_index(pair + 2 * p.width, p.row_length);
        const index_t n_a = middle - pair, n_b = stop - middle;
        const index_t diagonal = first - pair;
        // How many of the first `diagonal` outputs come from run a.
        index_t low = diagonal > n_b ? diagonal - n_b : 0, high = min_index(diagonal, n_a);
        while (low < high) {
            const index_t mid = (low + high) / 2;
            if (sorts_before(in[middle + diagonal - 1 - mid], in[pair + mid])) {
                high = mid;
            } else {
                low = mid + 1;
            }
        }
        index_t a = pair + low, b = middle + diagonal - low;
        const index_t last = min_index(first + p.stretch, stop);
        index_t i = first;
        // Without branches on the keys: which run is next cannot be predicted.
        while (i < last && a < middle && b < stop) {
            const T key_a = in[a], key_b = in[b];
            const index_t from_b = sorts_before(key_b, key_a) ? 1 : 0;
            out[i] = from_b ? key_b : key_a;
            if (places_out != nullptr) {
                places_out[i] = places_in[a + from_b * (b - a)];
            }
            b += from_b;
            a += 1 - from_b;
            ++i;
        }
        for (index_t from = a < middle ? a : b; i < last; ++i, ++from) {
            out[i] = in[from];
            if (places_out != nullptr) {
                places_out[i] = places_in[from];
            }
        }
    }
}

// Functors: the first position in the `n` sorted items at `base` where `x` could be put.
template <class T>
struct SearchLeft {
    DEVICE
    int64_t operator()(T x, uint64_t base, int64_t n) const {
        const T *sorted = reinterpret_cast<const T *>(base);
        int64_t low = 0, high = n;
        while (low < high) {
            const int64_t mid = low + (high - low) / 2;
            if (sorts_before(sorted[mid], x)) {
                low = mid + 1;
            } else {
                high = mid;
            }
        }
        return low;
    }
};
template <class T>
struct SearchRight {
    DEVICE
    int64_t operator()(T x, uint64_t base, int64_t n) const {
        const T *sorted = reinterpret_cast<const T *>(base);
        int64_t low = 0, high = n;
        while (low < high) {
            const int64_t mid = low + (high - low) / 2;
            if (sorts_before(x, sorted[mid])) {
                high = mid;
            } else {
                low = mid + 1;
            }
        }
        return low;
    }
};

}  // namespace rocarray

#define ROCARRAY_SORT(NAME, T)                                           \
    KERNEL                                                               \
    NAME##_runs(rocarray::SortParams p) { rocarray::sort_runs<T>(p); }   \
    KERNEL                                                               \
    NAME##_merge(rocarray::SortParams p) { rocarray::merge_runs<T>(p); } \
    KERNEL_EXPORT(NAME##_runs)                                           \
    KERNEL_EXPORT(NAME##_merge)
