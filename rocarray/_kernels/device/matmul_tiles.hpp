// Matrix products on GPUs: tiles of the result, held in registers, fed through LDS.
//
// A workgroup makes a tile of the result. Its 16 x 16 work-items each hold TM x TN sums; slices of
// the operands pass through LDS, while the next slices are on their way. Sums are fused
// multiply-adds: products of matrices promise no order anyway. Unlike other kernels, these are for
// one size of workgroups.
#pragma once

#include "matmul_params.hpp"
#include "wave.hpp"

namespace rocarray {

constexpr int TILE_LANES = 16;  // work-items along a tile's row, and down its columns
constexpr int TILE_INNER = 16;  // products that a slice contributes

// What products of a type are summed up in. Narrow integers wrap to the same bits when cut.
template <class T>
struct tile_sum {
    typedef compute<T> type;
};
#define ROCARRAY_TILE_SUM(T, S) \
    template <>                 \
    struct tile_sum<T> {        \
        typedef S type;         \
    };
ROCARRAY_TILE_SUM(bool, uint32_t)
ROCARRAY_TILE_SUM(int8_t, uint32_t)
ROCARRAY_TILE_SUM(uint8_t, uint32_t)
ROCARRAY_TILE_SUM(int16_t, uint32_t)
ROCARRAY_TILE_SUM(uint16_t, uint32_t)
ROCARRAY_TILE_SUM(int32_t, uint32_t)
ROCARRAY_TILE_SUM(int64_t, uint64_t)
#undef ROCARRAY_TILE_SUM

DEVICE
float multiply_add(float sum, float x, float y) { return ::fmaf(x, y, sum); }
DEVICE
double multiply_add(double sum, double x, double y) { return ::fma(x, y, sum); }
DEVICE
uint32_t multiply_add(uint32_t sum, uint32_t x, uint32_t y) { return sum + x * y; }
DEVICE
uint64_t multiply_add(uint64_t sum, uint64_t x, uint64_t y) { return sum + x * y; }
template <class R>
DEVICE
complex<R> multiply_add(complex<R> sum, complex<R> x, complex<R> y) {
    return {multiply_add(multiply_add(sum.re, x.re, y.re), -x.im, y.im),
            multiply_add(multiply_add(sum.im, x.re, y.im), x.im, y.re)};
}

// Of bools, the number of true products; it cannot wrap to 0 below 2^32 of them.
template <class T, class S>
DEVICE
T from_sum(S sum) {
    if constexpr (is_same<T, bool>::value) {
        return sum != 0;
    } else {
        return T(sum);
    }
}
template <class T>
DEVICE
typename tile_sum<T>::type to_sum(T x) {
    typedef typename tile_sum<T>::type S;
    return S(x);
}

template <class S, int N>
struct alignas(sizeof(S) * N) TileVector {
    S items[N];
};

// A tile of TM * 16 rows and TN * 16 columns.
template <class T, int TM, int TN>
struct Tile {
    typedef typename tile_sum<T>::type S;
    static constexpr int V = sizeof(S) < 16 ? (16 / sizeof(S) < TM ? 16 / sizeof(S) : TM) : 1;
    static constexpr int ROWS = TM * TILE_LANES, COLS = TN * TILE_LANES;
    static constexpr int A_PITCH = ROWS + V, B_PITCH = COLS + V;
    // What a work-item moves of each slice.
    static constexpr int A_LOADS = TM * TILE_INNER / TILE_LANES;
    static constexpr int B_LOADS = TN * TILE_INNER / TILE_LANES;
    using Vector = TileVector<S, V>;

    S sums[TM][TN];

    // The place in the tile of a work-item's i-th row: V neighbours, then on to the next stripe.
    DEVICE
    static int place(int i, int lane) { return (i / V) * (TILE_LANES * V) + lane * V + i % V; }

    DEVICE
    void add_slice(const S *a, const S *b, int x, int y) {
#pragma unroll 4
        for (int k = 0; k < TILE_INNER; ++k) {
            S column[TM], row[TN];
#pragma unroll
            for (int i = 0; i < TM; i += V) {
                const Vector v = *reinterpret_cast<const Vector *>(a + k * A_PITCH + place(i, y));
#pragma unroll
                for (int e = 0; e < V; ++e) column[i + e] = v.items[e];
            }
#pragma unroll
            for (int j = 0; j < TN; j += V) {
                const Vector v = *reinterpret_cast<const Vector *>(b + k * B_PITCH + place(j, x));
#pragma unroll
                for (int e = 0; e < V; ++e) row[j + e] = v.items[e];
            }
#pragma unroll
            for (int i = 0; i < TM; ++i) {
#pragma unroll
                for (int j = 0; j < TN; ++j) {
                    sums[i][j] = multiply_add(sums[i][j], column[i], row[j]);
                }
            }
        }
    }
};

// Rows [first, rows) and columns of a matrix from which slices are loaded: a work-item has N items
// of each slice, `step` items apart.
template <class T, int N>
struct SliceLoader {
    typedef typename tile_sum<T>::type S;
    const T *at;
    int64_t step, advance;
    int n_inside;  // of the N places, those inside the matrix

    DEVICE
    void load(S (&next)[N], int n_valid) {
        const T *from = at;
#pragma unroll
        for (int i = 0; i < N; ++i) {
            next[i] = i < n_valid ? to_sum(*from) : S(0);
            from += step;
        }
        at += advance;
    }
};

// How many of first, first + step ... lie below `end`, at most N.
template <int N>
DEVICE
int count_below(index_t first, int step, index_t end) {
    if (first >= end) return 0;
    const index_t n = (end - first + step - 1) / step;
    return n < N ? static_cast<int>(n) : N;
}

// For workgroups of TILE_LANES squared work-items.
template <class T, int TM, int TN>
DEVICE
void matmul_tiles(const MatmulParams &p) {
    using Work = Tile<T, TM, TN>;
    using S = typename Work::S;
    constexpr int A_LOADS = Work::A_LOADS, B_LOADS = Work::B_LOADS;
    constexpr int B_STEP = TILE_LANES * TILE_LANES / Work::COLS;  // rows of `b` in one go
    struct alignas(16) Storage {
        unsigned char a[TILE_INNER * Work::A_PITCH * sizeof(S)];
        unsigned char b[TILE_INNER * Work::B_PITCH * sizeof(S)];
    };
    LDS Storage storage;
    S *slice_a = reinterpret_cast<S *>(storage.a);
    S *slice_b = reinterpret_cast<S *>(storage.b);
    const int t = static_cast<int>(thread_index());
    const int x = t % TILE_LANES, y = t / TILE_LANES;
    const int b_col = t % Work::COLS, b_row = t / Work::COLS;
    const index_t row_tiles = (p.rows + Work::ROWS - 1) / Work::ROWS;
    const index_t col_tiles = (p.cols + Work::COLS - 1) / Work::COLS;
    for (index_t unit = block_index(); unit < p.n_batch * row_tiles * col_tiles;
         unit += grid_size()) {
        const index_t batch = unit / (row_tiles * col_tiles);
        const index_t in_batch = unit - batch * (row_tiles * col_tiles);
        const index_t row0 = in_batch / col_tiles * Work::ROWS;
        const index_t col0 = in_batch % col_tiles * Work::COLS;
        // Along `a`'s rows lie the items of a slice, 16 rows in one go.
        SliceLoader<T, A_LOADS> from_a{
            static_cast<const T *>(p.a) + batch * p.a_step + (row0 + y) * p.inner + x,
            TILE_LANES * p.inner, TILE_INNER, count_below<A_LOADS>(row0 + y, TILE_LANES, p.rows)};
        SliceLoader<T, B_LOADS> from_b{
            static_cast<const T *>(p.b) + batch * p.b_step + b_row * p.cols + col0 + b_col,
            B_STEP * p.cols, TILE_INNER * p.cols, col0 + b_col < p.cols ? B_LOADS : 0};
        Work tile;
#pragma unroll
        for (int i = 0; i < TM; ++i) {
#pragma unroll
            for (int j = 0; j < TN; ++j) tile.sums[i][j] = S(0);
        }
        S next_a[A_LOADS], next_b[B_LOADS];
        const auto load = [&](index_t k0) {
            from_a.load(next_a, k0 + x < p.inner ? from_a.n_inside : 0);
            const int below = count_below<B_LOADS>(k0 + b_row, B_STEP, p.inner);
            from_b.load(next_b, below < from_b.n_inside ? below : from_b.n_inside);
        };
        load(0);
        for (index_t k0 = 0; k0 < p.inner; k0 += TILE_INNER) {
#pragma unroll
            for (int i = 0; i < A_LOADS; ++i) {
                slice_a[x * Work::A_PITCH + y + i * TILE_LANES] = next_a[i];
            }
#pragma unroll
            for (int i = 0; i < B_LOADS; ++i) {
                slice_b[(b_row + i * B_STEP) * Work::B_PITCH + b_col] = next_b[i];
            }
            sync_block();
            if (k0 + TILE_INNER < p.inner) load(k0 + TILE_INNER);
            tile.add_slice(slice_a, slice_b, x, y);
            sync_block();
        }
        T *c = static_cast<T *>(p.c) + batch * p.rows * p.cols;
#pragma unroll
        for (int i = 0; i < TM; ++i) {
            const index_t row = row0 + Work::place(i, y);
#pragma unroll
            for (int j = 0; j < TN; ++j) {
                const index_t col = col0 + Work::place(j, x);
                if (row < p.rows && col < p.cols) {
                    c[row * p.cols + col] = from_sum<T>(tile.sums[i][j]);
                }
            }
        }
    }
}

// Sums of TM x TN fit in registers.
template <class T>
constexpr int TILE_M = sizeof(typename tile_sum<T>::type) <= 8 ? 8 : 4;
template <class T>
constexpr int TILE_N = sizeof(typename tile_sum<T>::type) <= 4 ? 8 : 4;

// Adds up what the work-items t, t + distance, t + 2 * distance ... have; `width` of them, a power
// of two. The sum is the first one's.
template <class S>
DEVICE
S add_up(S sum, index_t width, index_t distance) {
    struct alignas(16) Storage {
        unsigned char bytes[1024 * sizeof(S)];
    };
    LDS Storage storage;
    S *values = reinterpret_cast<S *>(storage.bytes);
    const index_t t = thread_index();
    sync_block();  // what an earlier call left was read
    values[t] = sum;
    sync_block();
    for (index_t half = width / 2; half > 0; half /= 2) {
        if (t / distance % width < half) {
            sum = sum + values[t + half * distance];
            values[t] = sum;
        }
        sync_block();
    }
    return sum;
}

// One column: p.lanes work-items (a power of two) sum up a row.
template <class T>
DEVICE
void matmul_vector(const MatmulParams &p) {
    typedef typename tile_sum<T>::type S;
    constexpr int V = sizeof(T) < 16 ? 16 / sizeof(T) : 1;
    using Vector = TileVector<T, V>;
    const index_t rows_per_block = block_size() / p.lanes;
    const index_t lane = thread_index() % p.lanes, place = thread_index() / p.lanes;
    const index_t n = p.n_batch * p.rows;
    for (index_t first = block_index() * rows_per_block; first < n;
         first += grid_size() * rows_per_block) {
        const index_t number = first + place;
        S sum = S(0);
        if (number < n && place < rows_per_block) {
            const index_t batch = number / p.rows;
            const T *a = static_cast<const T *>(p.a) + batch * p.a_step +
                         (number - batch * p.rows) * p.inner;
            const T *b = static_cast<const T *>(p.b) + batch * p.b_step;
            index_t k = 0;
            if ((reinterpret_cast<size_t>(a) | reinterpret_cast<size_t>(b)) % sizeof(Vector) == 0) {
                const index_t whole = p.inner / V;
#pragma unroll 4
                for (index_t i = lane; i < whole; i += p.lanes) {
                    const Vector x = reinterpret_cast<const Vector *>(a)[i];
                    const Vector y = reinterpret_cast<const Vector *>(b)[i];
#pragma unroll
                    for (int v = 0; v < V; ++v) {
                        sum = multiply_add(sum, to_sum(x.items[v]), to_sum(y.items[v]));
                    }
                }
                k = whole * V;
            }
            for (k += lane; k < p.inner; k += p.lanes) {
                sum = multiply_add(sum, to_sum(a[k]), to_sum(b[k]));
            }
        }
        sum = add_up(sum, p.lanes, 1);
        if (lane == 0 && number < n && place < rows_per_block) {
            static_cast<T *>(p.c)[number] = from_sum<T>(sum);
        }
    }
}

// One row: p.lanes columns side by side, the work-items above each other share the inner items.
template <class T>
DEVICE
void matmul_row(const MatmulParams &p) {
    typedef typename tile_sum<T>::type S;
    const index_t lanes = min_index(p.lanes, block_size());
    index_t slices = 1;
    while (slices * 2 * lanes <= block_size()) slices *= 2;
    const index_t column = thread_index() % lanes, slice = thread_index() / lanes;
    const index_t tiles = (p.cols + lanes - 1) / lanes;
    for (index_t unit = block_index(); unit < p.n_batch * tiles; unit += grid_size()) {
        const index_t batch = unit / tiles, col = (unit - batch * tiles) * lanes + column;
        const T *a = static_cast<const T *>(p.a) + batch * p.a_step;
        const T *b = static_cast<const T *>(p.b) + batch * p.b_step + col;
        S sum = S(0);
        if (col < p.cols && slice < slices) {
#pragma unroll 8
            for (index_t k = slice; k < p.inner; k += slices) {
                sum = multiply_add(sum, to_sum(a[k]), to_sum(b[k * p.cols]));
            }
        }
        sum = add_up(sum, slices, lanes);
        if (slice == 0 && col < p.cols) {
            static_cast<T *>(p.c)[batch * p.cols + col] = from_sum<T>(sum);
        }
    }
}

}  // namespace rocarray
