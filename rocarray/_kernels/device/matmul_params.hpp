// What the kernels of matrix products are told, and the plain kernel.
#pragma once

#include "types.hpp"

namespace rocarray {

constexpr int MATMUL_COLUMNS = 64;

struct MatmulParams {
    int64_t n, chunk;  // work units of the plain kernel: row x column tile, over the batch
    int64_t rows, cols, inner;
    int64_t column_tiles;
    const void *a, *b;
    void *c;
    int64_t a_step, b_step;  // items from one matrix of the batch to the next (0: the same)
    int64_t n_batch;
    int64_t lanes;  // work-items that share a row's items, or a row's columns
};

template <class T>
struct accumulator {
    typedef compute<T> type;
};
template <>
struct accumulator<bool> {
    typedef bool type;
};

template <class T, class S>
DEVICE
void add_product(S &sum, T x, T y) {
    if constexpr (is_same<T, bool>::value) {
        sum = sum || (x && y);
    } else if constexpr (is_integer<T>::value) {
        typedef typename make_unsigned<T>::type U;
        sum = static_cast<T>(static_cast<uint64_t>(static_cast<U>(sum)) +
                             static_cast<uint64_t>(static_cast<U>(x)) *
                                 static_cast<uint64_t>(static_cast<U>(y)));
    } else {
        sum = sum + S(x) * S(y);
    }
}

template <class T>
DEVICE
void matmul(const MatmulParams &p) {
    typedef typename accumulator<T>::type S;
    const index_t begin = block_index() * p.chunk, end = min_index(begin + p.chunk, p.n);
    for (index_t unit = begin + thread_index(); unit < end; unit += block_size()) {
        const index_t tile = unit % p.column_tiles, line = unit / p.column_tiles;
        const index_t row = line % p.rows, batch = line / p.rows;
        const index_t first = tile * MATMUL_COLUMNS;
        const index_t width = min_index(MATMUL_COLUMNS, p.cols - first);
        const T *a = static_cast<const T *>(p.a) + batch * p.a_step + row * p.inner;
        const T *b = static_cast<const T *>(p.b) + batch * p.b_step + first;
        T *c = static_cast<T *>(p.c) + (batch * p.rows + row) * p.cols + first;
        S sums[MATMUL_COLUMNS];
        for (int j = 0; j < MATMUL_COLUMNS; ++j) {
            sums[j] = S(0);
        }
        if (width == MATMUL_COLUMNS) {
            for (index_t k = 0; k < p.inner; ++k) {
                const T x = a[k];
                const T *y = b + k * p.cols;
                for (int j = 0; j < MATMUL_COLUMNS; ++j) {
                    add_product(sums[j], x, y[j]);
                }
            }
        } else {
            for (index_t k = 0; k < p.inner; ++k) {
                const T x = a[k];
                const T *y = b + k * p.cols;
                for (index_t j = 0; j < width; ++j) {
                    add_product(sums[j], x, y[j]);
                }
            }
        }
        for (index_t j = 0; j < width; ++j) {
            c[j] = T(sums[j]);
        }
    }
}

}  // namespace rocarray
