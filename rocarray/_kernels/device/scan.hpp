// Inclusive scans (cumsum, cumprod, maximum.accumulate ...) along one axis of any layout.
//
// The other axes make lines. On GPUs `_lines` takes whole lines and `_tiles` cuts long ones
// (scan_tiles.hpp). Where a work-item is alone, long lines are cut into chunks: `_reduce` makes
// each chunk's total, `_carry` turns totals into what comes before each chunk, `_lines` scans the
// chunks. Where lines lie side by side in memory, `_columns` walks along the axis with neighbours
// in step (scan_columns.hpp on GPUs).
#pragma once

#include "scan_columns.hpp"
#include "scan_params.hpp"
#include "scan_tiles.hpp"

namespace rocarray {

template <class In>
DEVICE
In item_at(const char *at) { return *reinterpret_cast<const In *>(at); }

template <class Op, class Out>
DEVICE
void store_scanned(char *at, typename Op::Acc value) {
    *reinterpret_cast<Out *>(at) = Op::finish(value, 0.0, FINISH_PLAIN);
}

// ---- one work-item alone ----

template <class Op, class In, class Out>
DEVICE
typename Op::Acc scan_strided(const char *in, char *out, index_t input_step, index_t output_step,
                              index_t n, typename Op::Acc carry) {
    for (index_t i = 0; i < n; ++i) {
        carry = Op::combine(carry, Op::map(item_at<In>(in + i * input_step), i, {}));
        store_scanned<Op, Out>(out + i * output_step, carry);
    }
    return carry;
}

// Scans of parts by themselves, then put on top of what comes before: the roundings are those of
// small sums, and a part begins exactly where the one before ended. Each addition of a scan waits
// for the one before, so four neighbouring parts go side by side.
template <class Op, class In, class Out>
DEVICE
typename Op::Acc scan_contiguous(const In *in, Out *out, index_t n, typename Op::Acc carry) {
    using Acc = typename Op::Acc;
    constexpr int PARTS = Op::REORDERS ? 4 : 1;
    constexpr index_t PART = 256;
    Acc local[PARTS][PART];
    index_t i = 0;
    for (; i + PARTS * PART <= n; i += PARTS * PART) {
        Acc sum[PARTS];
        for (int p = 0; p < PARTS; ++p) sum[p] = Op::identity();
        for (index_t k = 0; k < PART; ++k) {
            for (int p = 0; p < PARTS; ++p) {
                sum[p] = Op::combine(sum[p], Op::map(in[i + p * PART + k], 0, {}));
                local[p][k] = sum[p];
            }
        }
        for (int p = 0; p < PARTS; ++p) {
            for (index_t k = 0; k < PART; ++k) {
                out[i + p * PART + k] =
                    Op::finish(Op::combine(carry, local[p][k]), 0.0, FINISH_PLAIN);
            }
            carry = Op::combine(carry, sum[p]);
        }
    }
    while (i < n) {
        const index_t end = min_index(i + PART, n);
        Acc sum = Op::identity();
        for (; i < end; ++i) {
            sum = Op::combine(sum, Op::map(in[i], 0, {}));
            out[i] = Op::finish(Op::combine(carry, sum), 0.0, FINISH_PLAIN);
        }
        carry = Op::combine(carry, sum);
    }
    return carry;
}

// ---- kernels ----

template <class Op, class In>
DEVICE
void scan_reduce(const ScanParams &p) {
    const index_t line = block_index() / p.n_chunks;
    const index_t chunk = block_index() - line * p.n_chunks;
    const index_t begin = chunk * p.chunk;
    const index_t end = begin + p.chunk < p.length ? begin + p.chunk : p.length;
    const char *in = p.input + reduce_offset(line, p.ndim, p.shape, p.input_strides);
    Pairwise<Op> sum;
    for (index_t i = begin; i < end; i += PAIRWISE_RUN) {
        const index_t n = end - i < PAIRWISE_RUN ? end - i : PAIRWISE_RUN;
        const char *at = in + i * p.input_step;
        sum.push(p.input_step == static_cast<index_t>(sizeof(In))
                     ? reduce_run<Op>(reinterpret_cast<const In *>(at), n, i, {})
                     : reduce_strided_run<Op, In>(at, p.input_step, n, i, {}));
    }
    reinterpret_cast<typename Op::Acc *>(p.partials)[block_index()] = sum.result();
}

// Totals of a line's chunks -> what comes before each.
template <class Op>
DEVICE
void scan_carry(const ScanParams &p) {
    using Acc = typename Op::Acc;
    Acc *partials = reinterpret_cast<Acc *>(p.partials) + block_index() * p.n_chunks;
    Acc carry = Op::identity();
    for (index_t i = 0; i < p.n_chunks; ++i) {
        const Acc total = partials[i];
        partials[i] = carry;
        carry = Op::combine(carry, total);
    }
}

template <class Op, class In, class Out>
DEVICE
void scan_chunks(const ScanParams &p) {
    using Acc = typename Op::Acc;
    const bool contiguous = p.input_step == static_cast<index_t>(sizeof(In)) &&
                            p.output_step == static_cast<index_t>(sizeof(Out));
    const index_t first = block_index() * p.lines_per_block;
    for (index_t k = first; k < first + p.lines_per_block && k < p.n_lines * p.n_chunks; ++k) {
        const index_t line = k / p.n_chunks;
        const index_t begin = (k - line * p.n_chunks) * p.chunk;
        const index_t n = p.length - begin < p.chunk ? p.length - begin : p.chunk;
        const Acc carry =
            p.n_chunks > 1 ? reinterpret_cast<const Acc *>(p.partials)[k] : Op::identity();
        const char *in =
            p.input + reduce_offset(line, p.ndim, p.shape, p.input_strides) + begin * p.input_step;
        char *out = p.output + reduce_offset(line, p.ndim, p.shape, p.output_strides) +
                    begin * p.output_step;
        if (contiguous) {
            scan_contiguous<Op>(reinterpret_cast<const In *>(in), reinterpret_cast<Out *>(out), n,
                                carry);
        } else {
            scan_strided<Op, In, Out>(in, out, p.input_step, p.output_step, n, carry);
        }
    }
}

template <class Op, class In, class Out>
DEVICE
void scan_columns(const ScanParams &p) {
    using Acc = typename Op::Acc;
    const index_t tiles = (p.n_columns + COLUMN_TILE - 1) / COLUMN_TILE;
    const index_t n_tiles = tiles * (p.n_lines / p.n_columns);
    const index_t first = block_index() * p.lines_per_block;
    for (index_t k = first; k < first + p.lines_per_block && k < n_tiles; ++k) {
        const index_t group = k / tiles;
        const index_t column = (k - group * tiles) * COLUMN_TILE;
        const char *in = p.input + column * p.input_column +
                         reduce_offset(group, p.ndim, p.shape, p.input_strides);
        char *out = p.output + column * p.output_column +
                    reduce_offset(group, p.ndim, p.shape, p.output_strides);
        const index_t n = min_index(COLUMN_TILE, p.n_columns - column);
        Acc acc[COLUMN_TILE];
        for (index_t j = 0; j < n; ++j) acc[j] = Op::identity();
        for (index_t i = 0; i < p.length; ++i, in += p.input_step, out += p.output_step) {
            if (p.input_column == static_cast<index_t>(sizeof(In)) &&
                p.output_column == static_cast<index_t>(sizeof(Out))) {
                const In *x = reinterpret_cast<const In *>(in);
                Out *y = reinterpret_cast<Out *>(out);
                for (index_t j = 0; j < n; ++j) {
                    acc[j] = Op::combine(acc[j], Op::map(x[j], i, {}));
                    y[j] = Op::finish(acc[j], 0.0, FINISH_PLAIN);
                }
            } else {
                for (index_t j = 0; j < n; ++j) {
                    acc[j] =
                        Op::combine(acc[j], Op::map(item_at<In>(in + j * p.input_column), i, {}));
                    store_scanned<Op, Out>(out + j * p.output_column, acc[j]);
                }
            }
        }
    }
}

}  // namespace rocarray

// The kernels of the scan with operation OP (functors/reductions.hpp) from IN to OUT.
#define ROCARRAY_SCAN_KERNEL(HEAD, NAME, FUNCTION) \
    HEAD NAME(rocarray::ScanParams p) {            \
        using namespace rocarray;                  \
        FUNCTION(p);                               \
    }                                              \
    KERNEL_EXPORT(NAME)
#if defined(ROCARRAY_BLOCK_SIZE) && ROCARRAY_BLOCK_SIZE == 1
#define ROCARRAY_SCAN(NAME, OP, IN, OUT)                                            \
    ROCARRAY_SCAN_KERNEL(KERNEL, NAME##_reduce, (scan_reduce<OP<IN, OUT>, IN>))     \
    ROCARRAY_SCAN_KERNEL(KERNEL, NAME##_carry, (scan_carry<OP<IN, OUT>>))           \
    ROCARRAY_SCAN_KERNEL(KERNEL, NAME##_lines, (scan_chunks<OP<IN, OUT>, IN, OUT>)) \
    ROCARRAY_SCAN_KERNEL(KERNEL, NAME##_columns, (scan_columns<OP<IN, OUT>, IN, OUT>))
#else
#define ROCARRAY_SCAN(NAME, OP, IN, OUT)                                                       \
    ROCARRAY_SCAN_KERNEL(DENSE_KERNEL(3), NAME##_tiles, (scan_one_tile<OP<IN, OUT>, IN, OUT>)) \
    ROCARRAY_SCAN_KERNEL(DENSE_KERNEL(3), NAME##_lines,                                        \
                         (scan_lines_by_tiles<OP<IN, OUT>, IN, OUT>))                          \
    ROCARRAY_SCAN_KERNEL(KERNEL, NAME##_column_totals,                                         \
                         (scan_column_chunks<OP<IN, OUT>, IN, OUT, false>))                    \
    ROCARRAY_SCAN_KERNEL(KERNEL, NAME##_columns, (scan_column_chunks<OP<IN, OUT>, IN, OUT, true>))
#endif
