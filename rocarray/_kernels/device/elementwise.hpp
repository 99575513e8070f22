// Elementwise kernels: out = functor(in...), two kernels per instantiation.
//
// NAME: operands that are contiguous or one value. NAME_strided: any layout, as rows of columns.
// Outputs may be the very memory of an input (same element), and overlap inputs in no other way.
// The parameter structs are filled by rocarray/_core/elementwise.pyx, word by word.
#pragma once

#include "types.hpp"

namespace rocarray {

template <int NIN, int NOUT>
struct FlatParams {
    int64_t n;
    int64_t chunk;         // items of one workgroup
    uint32_t scalar_mask;  // bit i: input i is one value
    uint32_t reserved;
    const char *in[NIN];  // nullptr with the bit set: the value is in `scalars`
    char *out[NOUT];
    uint64_t scalars[NIN][2];
};

constexpr int kOuterDims = 7;

template <int NIN, int NOUT>
struct StridedParams {
    int64_t rows, cols;
    int64_t row_chunk, col_chunk;  // the tile of one workgroup
    uint32_t scalar_mask;
    int32_t outer_ndim;
    int64_t outer_shape[kOuterDims];  // of the rows
    int64_t outer_strides[NIN + NOUT][kOuterDims];
    int64_t col_strides[NIN + NOUT];
    char *data[NIN + NOUT];
    uint64_t scalars[NIN][2];
};

static_assert(sizeof(FlatParams<2, 1>) == 80, "elementwise.pyx fills this struct by offset");
static_assert(sizeof(StridedParams<2, 1>) == 344, "elementwise.pyx fills this struct by offset");

// One row of items. `step[k]` is 0 or the item size on the fast paths, any stride on the last.
template <class F, class... T>
struct Row;

#define ROCARRAY_LOOP(body) \
    ROCARRAY_IVDEP for (index_t i = first; i < n; i += stride) { body; }
#define ROCARRAY_STRIDED_LOOP(body)               \
    for (index_t i = first; i < n; i += stride) { \
        body;                                     \
    }

template <class F, class A, class R>
struct Row<F, A, R> {
    static DEVICE
    void run(char *const *data, const int64_t *step, index_t n, index_t first, index_t stride) {
        F f;
        const A *a = reinterpret_cast<const A *>(data[0]);
        R *r = reinterpret_cast<R *>(data[1]);
        if (step[1] == sizeof(R) && step[0] == sizeof(A)) {
            ROCARRAY_LOOP(r[i] = f(a[i]))
        } else if (step[1] == sizeof(R) && step[0] == 0) {
            const R value = f(a[0]);
            ROCARRAY_LOOP(r[i] = value)
        } else {
            const int64_t sa = step[0], sr = step[1];
            ROCARRAY_STRIDED_LOOP(*reinterpret_cast<R *>(data[1] + i * sr) =
                                      f(*reinterpret_cast<const A *>(data[0] + i * sa)))
        }
    }
};

template <class F, class A, class B, class R>
struct Row<F, A, B, R> {
    static DEVICE
    void run(char *const *data, const int64_t *step, index_t n, index_t first, index_t stride) {
        F f;
        const A *a = reinterpret_cast<const A *>(data[0]);
        const B *b = reinterpret_cast<const B *>(data[1]);
        R *r = reinterpret_cast<R *>(data[2]);
        const bool packed = step[2] == sizeof(R);
        if (packed && step[0] == sizeof(A) && step[1] == sizeof(B)) {
            ROCARRAY_LOOP(r[i] = f(a[i], b[i]))
        } else if (packed && step[0] == sizeof(A) && step[1] == 0) {
            const B value = b[0];
            ROCARRAY_LOOP(r[i] = f(a[i], value))
        } else if (packed && step[0] == 0 && step[1] == sizeof(B)) {
            const A value = a[0];
            ROCARRAY_LOOP(r[i] = f(value, b[i]))
        } else {
            const int64_t sa = step[0], sb = step[1], sr = step[2];
            ROCARRAY_STRIDED_LOOP(*reinterpret_cast<R *>(data[2] + i * sr) =
                                      f(*reinterpret_cast<const A *>(data[0] + i * sa),
                                        *reinterpret_cast<const B *>(data[1] + i * sb)))
        }
    }
};

template <class F, class A, class B, class C, class R>
struct Row<F, A, B, C, R> {
    static DEVICE
    void run(char *const *data, const int64_t *step, index_t n, index_t first, index_t stride) {
        F f;
        const A *a = reinterpret_cast<const A *>(data[0]);
        const B *b = reinterpret_cast<const B *>(data[1]);
        const C *c = reinterpret_cast<const C *>(data[2]);
        R *r = reinterpret_cast<R *>(data[3]);
        const bool packed = step[3] == sizeof(R) && step[0] == sizeof(A);
        if (packed && step[1] == sizeof(B) && step[2] == sizeof(C)) {
            ROCARRAY_LOOP(r[i] = f(a[i], b[i], c[i]))
        } else if (packed && step[1] == sizeof(B) && step[2] == 0) {
            const C value = c[0];
            ROCARRAY_LOOP(r[i] = f(a[i], b[i], value))
        } else if (packed && step[1] == 0 && step[2] == sizeof(C)) {
            const B value = b[0];
            ROCARRAY_LOOP(r[i] = f(a[i], value, c[i]))
        } else {
            const int64_t sa = step[0], sb = step[1], sc = step[2], sr = step[3];
            ROCARRAY_STRIDED_LOOP(*reinterpret_cast<R *>(data[3] + i * sr) =
                                      f(*reinterpret_cast<const A *>(data[0] + i * sa),
                                        *reinterpret_cast<const B *>(data[1] + i * sb),
                                        *reinterpret_cast<const C *>(data[2] + i * sc)))
        }
    }
};

// Two results: the functor takes references to them after its inputs.
template <class F, class A, class R, class S>
struct Row1to2 {
    static DEVICE
    void run(char *const *data, const int64_t *step, index_t n, index_t first, index_t stride) {
        F f;
        if (step[0] == sizeof(A) && step[1] == sizeof(R) && step[2] == sizeof(S)) {
            const A *a = reinterpret_cast<const A *>(data[0]);
            R *r = reinterpret_cast<R *>(data[1]);
            S *s = reinterpret_cast<S *>(data[2]);
            ROCARRAY_LOOP(f(a[i], r[i], s[i]))
            return;
        }
        ROCARRAY_STRIDED_LOOP(f(*reinterpret_cast<const A *>(data[0] + i * step[0]),
                                *reinterpret_cast<R *>(data[1] + i * step[1]),
                                *reinterpret_cast<S *>(data[2] + i * step[2])))
    }
};

template <class F, class A, class B, class R, class S>
struct Row2to2 {
    static DEVICE
    void run(char *const *data, const int64_t *step, index_t n, index_t first, index_t stride) {
        F f;
        if (step[0] == sizeof(A) && step[1] == sizeof(B) && step[2] == sizeof(R) &&
            step[3] == sizeof(S)) {
            const A *a = reinterpret_cast<const A *>(data[0]);
            const B *b = reinterpret_cast<const B *>(data[1]);
            R *r = reinterpret_cast<R *>(data[2]);
            S *s = reinterpret_cast<S *>(data[3]);
            ROCARRAY_LOOP(f(a[i], b[i], r[i], s[i]))
            return;
        }
        ROCARRAY_STRIDED_LOOP(f(*reinterpret_cast<const A *>(data[0] + i * step[0]),
                                *reinterpret_cast<const B *>(data[1] + i * step[1]),
                                *reinterpret_cast<R *>(data[2] + i * step[2]),
                                *reinterpret_cast<S *>(data[3] + i * step[3])))
    }
};

template <int NIN, int NOUT, class F, class... T>
struct RowOf {
    typedef Row<F, T...> type;
};
template <class F, class... T>
struct RowOf<1, 2, F, T...> {
    typedef Row1to2<F, T...> type;
};
template <class F, class... T>
struct RowOf<2, 2, F, T...> {
    typedef Row2to2<F, T...> type;
};

template <class F, int NIN, int NOUT, class... T>
DEVICE
void elementwise_flat(FlatParams<NIN, NOUT> &p) {
    constexpr int64_t sizes[] = {static_cast<int64_t>(sizeof(T))...};
    const index_t begin = block_index() * p.chunk;
    const index_t n = min_index(p.chunk, p.n - begin);
    char *data[NIN + NOUT];
    int64_t step[NIN + NOUT];
    for (int k = 0; k < NIN; ++k) {
        const bool scalar = p.scalar_mask >> k & 1u;
        step[k] = scalar ? 0 : sizes[k];
        data[k] = scalar && p.in[k] == nullptr ? reinterpret_cast<char *>(p.scalars[k])
                                               : const_cast<char *>(p.in[k]) + begin * step[k];
    }
    for (int k = NIN; k < NIN + NOUT; ++k) {
        step[k] = sizes[k];
        data[k] = p.out[k - NIN] + begin * step[k];
    }
    RowOf<NIN, NOUT, F, T...>::type::run(data, step, n, thread_index(), block_size());
}

template <class F, int NIN, int NOUT, class... T>
DEVICE
void elementwise_strided(StridedParams<NIN, NOUT> &p) {
    constexpr int NOP = NIN + NOUT;
    const index_t col_tiles = (p.cols + p.col_chunk - 1) / p.col_chunk;
    const index_t row_begin = block_index() / col_tiles * p.row_chunk;
    const index_t row_end = min_index(row_begin + p.row_chunk, p.rows);
    const index_t col_begin = block_index() % col_tiles * p.col_chunk;
    const index_t n = min_index(p.col_chunk, p.cols - col_begin);
    // Work-items form a rectangle: as wide as the row where that is narrow.
    index_t width = 1;
    while (width < n && width < block_size()) {
        width *= 2;
    }
    width = min_index(width, block_size());
    const index_t height = block_size() / width;
    const index_t x = thread_index() % width, y = thread_index() / width;
    if (y >= height) {
        return;
    }
    for (index_t row = row_begin + y; row < row_end; row += height) {
        char *data[NOP];
        int64_t step[NOP];
        for (int k = 0; k < NOP; ++k) {
            step[k] = p.col_strides[k];
            data[k] = p.data[k] + col_begin * step[k];
            if (k < NIN && (p.scalar_mask >> k & 1u) && p.data[k] == nullptr) {
                data[k] = reinterpret_cast<char *>(p.scalars[k < NIN ? k : 0]);
            }
        }
        index_t rest = row;
        for (int d = p.outer_ndim - 1; d >= 0; --d) {
            const index_t at = rest % p.outer_shape[d];
            rest /= p.outer_shape[d];
            for (int k = 0; k < NOP; ++k) {
                data[k] += at * p.outer_strides[k][d];
            }
        }
        RowOf<NIN, NOUT, F, T...>::type::run(data, step, n, x, width);
    }
}

}  // namespace rocarray

#define ROCARRAY_ELEMENTWISE(NAME, FUNCTOR, NIN, NOUT, ...)      \
    KERNEL                                                       \
    NAME(rocarray::FlatParams<NIN, NOUT> p) {                    \
        using namespace rocarray;                                \
        elementwise_flat<FUNCTOR, NIN, NOUT, __VA_ARGS__>(p);    \
    }                                                            \
    KERNEL                                                       \
    NAME##_strided(rocarray::StridedParams<NIN, NOUT> p) {       \
        using namespace rocarray;                                \
        elementwise_strided<FUNCTOR, NIN, NOUT, __VA_ARGS__>(p); \
    }                                                            \
    KERNEL_EXPORT(NAME)                                          \
    KERNEL_EXPORT(NAME##_strided)
