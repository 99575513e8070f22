// Elementwise kernels: out = functor(in...), two kernels per instantiation.
//
// NAME: operands that are contiguous or one value. NAME_strided: any layout, as rows of columns.
// Outputs may be the very memory of an input (same element), and overlap inputs in no other way.
// The parameter structs are filled by rocarray/_core/elementwise.pyx, word by word.
#pragma once

#include "vectors.hpp"

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
    int64_t col_tiles;             // tiles a row
    uint32_t scalar_mask;
    int32_t outer_ndim;
    int64_t outer_shape[kOuterDims];  // of the rows
    int64_t outer_strides[NIN + NOUT][kOuterDims];
    int64_t col_strides[NIN + NOUT];
    char *data[NIN + NOUT];
    uint64_t scalars[NIN][2];
};

static_assert(sizeof(FlatParams<2, 1>) == 80, "elementwise.pyx fills this struct by offset");
static_assert(sizeof(StridedParams<2, 1>) == 352, "elementwise.pyx fills this struct by offset");

// One row of items. `step[k]` is 0 or the item size on the fast paths, any stride on the last.
template <class F, class... T>
struct Row;

#define ROCARRAY_LOOP(body) \
    ROCARRAY_IVDEP for (index_t i = first; i < n; i += stride) { body; }
#define ROCARRAY_STRIDED_LOOP(body)               \
    for (index_t i = first; i < n; i += stride) { \
        body;                                     \
    }

#ifdef HIPCPU
template <class F, class = void>
struct float_functor {
    static constexpr bool value = false;
};
template <class F>
struct float_functor<F, typename make_void<decltype(F::IN_FLOAT)>::type> {
    static constexpr bool value = F::IN_FLOAT;
};

// Functors with a short form, `simple`, that says where it is not right: blocks are computed by it,
// and again in full where one item needs that.
template <class F, class T, class = void>
struct short_functor {
    static constexpr bool value = false;
};
template <class F, class T>
struct short_functor<
    F, T, typename make_void<decltype(F::simple(T(), T(), *static_cast<T *>(nullptr)))>::type> {
    static constexpr bool value = is_same<T, float>::value || is_same<T, double>::value;
};

// At most a block of items, 512; `out` may be one of the inputs.
constexpr index_t ROW_BLOCK = 512;
template <class F, class T>
DEVICE
void run_block(const T *x, const T *y, T *out, index_t n) {
    if constexpr (short_functor<F, T>::value) {
        T result[ROW_BLOCK];
        int hard = 0;
        ROCARRAY_IVDEP for (index_t j = 0; j < n; ++j) {
            T value;
            hard |= F::simple(x[j], y[j], value) ? 0 : 1;
            result[j] = value;
        }
        if (!hard) {
            __builtin_memcpy(out, result, n * sizeof(T));
            return;
        }
    }
    ROCARRAY_IVDEP for (index_t j = 0; j < n; ++j) out[j] = F()(x[j], y[j]);
}

template <class F, class T>
DEVICE
bool run_in_blocks(char *const *data, const int64_t *step, index_t n) {
    constexpr int64_t size = sizeof(T);
    if (step[2] != size || (step[0] != size && step[0] != 0) || (step[1] != size && step[1] != 0)) {
        return false;
    }
    T same[2][ROW_BLOCK];
    const T *in[2];
    for (int k = 0; k < 2; ++k) {
        in[k] = reinterpret_cast<const T *>(data[k]);
        for (index_t j = 0; step[k] == 0 && j < ROW_BLOCK; ++j) same[k][j] = in[k][0];
    }
    T *out = reinterpret_cast<T *>(data[2]);
    for (index_t first = 0; first < n; first += ROW_BLOCK) {
        run_block<F>(step[0] == 0 ? same[0] : in[0] + first, step[1] == 0 ? same[1] : in[1] + first,
                     out + first, min_index(ROW_BLOCK, n - first));
    }
    return true;
}

// The same for two results of two packed inputs.
template <class F, class T, class = void>
struct short_pair_functor {
    static constexpr bool value = false;
};
template <class F, class T>
struct short_pair_functor<
    F, T,
    typename make_void<decltype(F::simple(T(), T(), *static_cast<T *>(nullptr),
                                          *static_cast<T *>(nullptr)))>::type> {
    static constexpr bool value = is_same<T, float>::value || is_same<T, double>::value;
};

template <class F, class T>
DEVICE
void run_pairs(const T *a, const T *b, T *r, T *s, index_t n) {
    T one[ROW_BLOCK], two[ROW_BLOCK];
    int hard = 0;
    ROCARRAY_IVDEP for (index_t j = 0; j < n; ++j) {
        T q, rest;
        hard |= F::simple(a[j], b[j], q, rest) ? 0 : 1;
        one[j] = q;
        two[j] = rest;
    }
    for (index_t j = 0; hard && j < n; ++j) F()(a[j], b[j], one[j], two[j]);
    __builtin_memcpy(r, one, n * sizeof(T));
    __builtin_memcpy(s, two, n * sizeof(T));
}

template <class F, class T>
DEVICE
void run_pairs_in_blocks(const T *x, const T *y, T *r, T *s, index_t n) {
    for (index_t k = 0; k < n; k += ROW_BLOCK) {
        const index_t length = min_index(ROW_BLOCK, n - k);
        if constexpr (is_same<T, half>::value) {
            float a[ROW_BLOCK], b[ROW_BLOCK], q[ROW_BLOCK], rest[ROW_BLOCK];
            to_floats(x + k, a, length);
            to_floats(y + k, b, length);
            run_pairs<F>(a, b, q, rest, length);
            from_floats(q, r + k, length);
            from_floats(rest, s + k, length);
        } else {
            run_pairs<F>(x + k, y + k, r + k, s + k, length);
        }
    }
}

// Functions of float16 that are computed in float (their functors say IN_FLOAT), on a CPU: blocks
// are converted, computed as float loops are, and converted back.
template <class F, int NIN>
DEVICE
bool run_in_float(char *const *data, const int64_t *step, index_t n) {
    constexpr index_t BLOCK = ROW_BLOCK;
    for (int k = 0; k <= NIN; ++k) {
        if (step[k] != sizeof(half) && (step[k] != 0 || k == NIN)) return false;
    }
    float in[NIN][BLOCK], out[BLOCK];
    for (int k = 0; k < NIN; ++k) {
        const float value = *reinterpret_cast<const half *>(data[k]);
        for (index_t j = 0; step[k] == 0 && j < BLOCK; ++j) in[k][j] = value;
    }
    for (index_t first = 0; first < n; first += BLOCK) {
        const index_t length = min_index(BLOCK, n - first);
        for (int k = 0; k < NIN; ++k) {
            if (step[k] != 0) {
                to_floats(reinterpret_cast<const half *>(data[k]) + first, in[k], length);
            }
        }
        if constexpr (NIN == 1) {
            ROCARRAY_IVDEP for (index_t j = 0; j < length; ++j) out[j] = F()(in[0][j]);
        } else {
            run_block<F>(in[0], in[1], out, length);
        }
        from_floats(out, reinterpret_cast<half *>(data[NIN]) + first, length);
    }
    return true;
}
#define ROCARRAY_IN_FLOAT(NIN, T)                                       \
    if constexpr (float_functor<F>::value && is_same<T, half>::value) { \
        if (run_in_float<F, NIN>(data, step, n)) return;                \
    }
#else
#define ROCARRAY_IN_FLOAT(NIN, T)
#endif

template <class F, class A, class R>
struct Row<F, A, R> {
    static DEVICE
    void run(char *const *data, const int64_t *step, index_t n, index_t first, index_t stride) {
        ROCARRAY_IN_FLOAT(1, R)
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

// One value as a run of items. A function with many conditions on it would not be vectorised in a
// loop where it does not change: the compiler takes the conditions out of the loop, and then fails.
template <class T>
struct Spread {
    static constexpr index_t N = 256;
    T items[N];
    DEVICE
    explicit Spread(T value) {
        for (index_t i = 0; i < N; ++i) items[i] = value;
    }
};

template <class F, class A, class B, class R>
struct Row<F, A, B, R> {
    static DEVICE
    void run(char *const *data, const int64_t *step, index_t n, index_t first, index_t stride) {
        ROCARRAY_IN_FLOAT(2, R)
#ifdef HIPCPU
        if constexpr (short_functor<F, R>::value && is_same<A, R>::value && is_same<B, R>::value) {
            if (run_in_blocks<F, R>(data, step, n)) return;
        }
#endif
        F f;
        const A *a = reinterpret_cast<const A *>(data[0]);
        const B *b = reinterpret_cast<const B *>(data[1]);
        R *r = reinterpret_cast<R *>(data[2]);
        const bool packed = step[2] == sizeof(R);
        if (packed && step[0] == sizeof(A) && step[1] == sizeof(B)) {
            ROCARRAY_LOOP(r[i] = f(a[i], b[i]))
        } else if (packed && step[0] == sizeof(A) && step[1] == 0) {
            const B value = b[0];
            if constexpr (is_heavy<F>) {
                const Spread<B> same(value);
                for (index_t k = 0; k < n; k += same.N) {
                    const index_t end = min_index(same.N, n - k);
                    ROCARRAY_IVDEP for (index_t i = 0; i < end; ++i) {
                        r[k + i] = f(a[k + i], same.items[i]);
                    }
                }
            } else {
                ROCARRAY_LOOP(r[i] = f(a[i], value))
            }
        } else if (packed && step[0] == 0 && step[1] == sizeof(B)) {
            const A value = a[0];
            if constexpr (is_heavy<F>) {
                const Spread<A> same(value);
                for (index_t k = 0; k < n; k += same.N) {
                    const index_t end = min_index(same.N, n - k);
                    ROCARRAY_IVDEP for (index_t i = 0; i < end; ++i) {
                        r[k + i] = f(same.items[i], b[k + i]);
                    }
                }
            } else {
                ROCARRAY_LOOP(r[i] = f(value, b[i]))
            }
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
#ifdef HIPCPU
            if constexpr (short_pair_functor<F, compute<A>>::value &&
                          !is_same<A, bfloat16>::value) {
                run_pairs_in_blocks<F, A>(a, b, r, s, n);
                return;
            }
#endif
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
struct RowOf;
#define ROCARRAY_ROWS(NIN, NOUT, ALONE_NAME)              \
    template <class F, class... T>                        \
    struct RowOf<NIN, NOUT, F, T...> {                    \
        typedef ALONE_NAME<F, T...> alone;                \
        typedef VectorRow##NIN##to##NOUT<F, T...> shared; \
    };
ROCARRAY_ROWS(1, 1, Row)
ROCARRAY_ROWS(2, 1, Row)
ROCARRAY_ROWS(3, 1, Row)
ROCARRAY_ROWS(1, 2, Row1to2)
ROCARRAY_ROWS(2, 2, Row2to2)
#undef ROCARRAY_ROWS

// Where the operands of a row begin, as VectorRow wants to know it.
template <int NIN, int NOUT>
struct RowOperands {
    const char *data[NIN + NOUT];
    int64_t step[NIN + NOUT];
    uint64_t scalars[NIN][2];

    template <class T>
    DEVICE
    Input<T> input(int k) const { return Input<T>(data[k], step[k], scalars[k][0], scalars[k][1]); }
    template <class T>
    DEVICE
    Output<T> output(int k) const { return {const_cast<char *>(data[k]), step[k]}; }
};

template <class F, int NIN, int NOUT, class... T>
DEVICE
void flat_alone(FlatParams<NIN, NOUT> &p, index_t begin, index_t n) {
    constexpr int64_t sizes[] = {static_cast<int64_t>(sizeof(T))...};
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
    RowOf<NIN, NOUT, F, T...>::alone::run(data, step, n, 0, 1);
}

// Independent vectors in flight: 64 bytes an operand, but no more than registers hold. Heavy
// functors hide the wait for one by themselves.
template <class F, int NIN, int V>
constexpr int FLAT_UNROLL = is_heavy<F>        ? 1
                            : NIN > 2 || V > 8 ? 2
                                               : 4;

template <class F, int NIN, int NOUT, class... T>
DEVICE
void elementwise_flat(FlatParams<NIN, NOUT> &p) {
    const index_t begin = block_index() * p.chunk;
    const index_t n = min_index(p.chunk, p.n - begin);
    if constexpr (ALONE) {
        flat_alone<F, NIN, NOUT, T...>(p, begin, n);
    } else {
        constexpr int64_t sizes[] = {static_cast<int64_t>(sizeof(T))...};
        RowOperands<NIN, NOUT> row;
#pragma unroll
        for (int k = 0; k < NIN; ++k) {
            row.step[k] = p.scalar_mask >> k & 1u ? 0 : sizes[k];
            row.data[k] = p.in[k] == nullptr ? nullptr : p.in[k] + begin * row.step[k];
            row.scalars[k][0] = p.scalars[k][0];
            row.scalars[k][1] = p.scalars[k][1];
        }
#pragma unroll
        for (int k = NIN; k < NIN + NOUT; ++k) {
            row.step[k] = sizes[k];
            row.data[k] = p.out[k - NIN] + begin * sizes[k];
        }
        typedef typename RowOf<NIN, NOUT, F, T...>::shared VectorRow;
        run_vectors<FLAT_UNROLL<F, NIN, VectorRow::V>>(VectorRow(row), n,
                                                       static_cast<uint32_t>(thread_index()),
                                                       static_cast<uint32_t>(block_size()));
    }
}

template <class F, int NIN, int NOUT, class... T>
DEVICE
void strided_alone(StridedParams<NIN, NOUT> &p, index_t row, index_t column, index_t n) {
    constexpr int NOP = NIN + NOUT;
    char *data[NOP];
    int64_t step[NOP];
    for (int k = 0; k < NOP; ++k) {
        step[k] = p.col_strides[k];
        data[k] = p.data[k] + column * step[k];
        if (k < NIN && (p.scalar_mask >> k & 1u) && p.data[k] == nullptr) {
            data[k] = reinterpret_cast<char *>(p.scalars[k < NIN ? k : 0]);
        }
    }
    for (int d = p.outer_ndim - 1; d >= 0; --d) {
        const index_t at = row % p.outer_shape[d];
        row /= p.outer_shape[d];
        for (int k = 0; k < NOP; ++k) {
            data[k] += at * p.outer_strides[k][d];
        }
    }
    RowOf<NIN, NOUT, F, T...>::alone::run(data, step, n, 0, 1);
}

// The operands of one row; `row` is its number.
template <int NIN, int NOUT>
DEVICE
void find_row(const StridedParams<NIN, NOUT> &p, RowOperands<NIN, NOUT> &found, index_t row,
              index_t column) {
    constexpr int NOP = NIN + NOUT;
    int64_t offset[NOP];
#pragma unroll
    for (int k = 0; k < NOP; ++k) {
        found.step[k] = p.col_strides[k];
        offset[k] = column * p.col_strides[k];
    }
    for (int d = p.outer_ndim - 1; d >= 0; --d) {
        index_t at = row;
        if (d > 0) {
            const index_t rest = quotient(row, p.outer_shape[d]);
            at -= rest * p.outer_shape[d];
            row = rest;
        }
#pragma unroll
        for (int k = 0; k < NOP; ++k) offset[k] += at * p.outer_strides[k][d];
    }
#pragma unroll
    for (int k = 0; k < NOP; ++k) {
        found.data[k] = p.data[k] == nullptr ? nullptr : p.data[k] + offset[k];
    }
#pragma unroll
    for (int k = 0; k < NIN; ++k) {
        found.scalars[k][0] = p.scalars[k][0];
        found.scalars[k][1] = p.scalars[k][1];
    }
}

template <class F, int NIN, int NOUT, class... T>
DEVICE
void elementwise_strided(StridedParams<NIN, NOUT> &p) {
    const uint32_t block_number = static_cast<uint32_t>(block_index());
    const uint32_t col_tiles = static_cast<uint32_t>(p.col_tiles);
    const uint32_t row_tile = block_number / col_tiles;
    const index_t row_begin = row_tile * p.row_chunk;
    const index_t row_end = min_index(row_begin + p.row_chunk, p.rows);
    const index_t col_begin = (block_number - row_tile * col_tiles) * p.col_chunk;
    const index_t n = min_index(p.col_chunk, p.cols - col_begin);
    if constexpr (ALONE) {
        for (index_t row = row_begin; row < row_end; ++row) {
            strided_alone<F, NIN, NOUT, T...>(p, row, col_begin, n);
        }
    } else {
        typedef typename RowOf<NIN, NOUT, F, T...>::shared VectorRow;
        // Work-items form a rectangle, as wide as the row where that is narrow.
        const uint32_t block = static_cast<uint32_t>(block_size());
        const uint32_t t = static_cast<uint32_t>(thread_index());
        constexpr int64_t sizes[] = {static_cast<int64_t>(sizeof(T))...};
        bool by_vectors = true;
#pragma unroll
        for (int k = 0; k < NIN + NOUT; ++k) {
            by_vectors &= p.col_strides[k] == sizes[k] || (k < NIN && p.col_strides[k] == 0);
        }
        const index_t wanted = by_vectors ? (n + VectorRow::V - 1) / VectorRow::V : n;
        uint32_t width = 1;
        while (width < wanted && width * 2 <= block) width *= 2;
        const uint32_t height = block / width, x = t % width, y = t / width;
        for (index_t row = row_begin + y; row < row_end; row += height) {
            RowOperands<NIN, NOUT> operands;
            find_row(p, operands, row, col_begin);
            run_vectors<(is_heavy<F> || NIN > 2 ? 1 : 2)>(VectorRow(operands), n, x, width);
        }
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
