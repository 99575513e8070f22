// Inclusive scans (cumsum, cumprod, maximum.accumulate ...) along one axis of any layout.
//
// The other axes make lines. Long lines are cut into chunks: `_reduce` makes each chunk's total,
// `_carry` turns totals into what comes before each chunk, `_lines` scans the chunks. Where lines
// lie side by side in memory, `_columns` walks along the axis with neighbours in step.
#pragma once

#include "platform.hpp"
#include "reduce.hpp"

namespace rocarray {

constexpr int SCAN_ITEMS = 4;  // neighbours that one work-item of a workgroup scans by itself

// Mirrored by ScanParams in _core/scan.pyx.
struct ScanParams {
    const char *input;
    char *output;
    char *partials;  // accumulators, [line][chunk]
    int64_t n_lines;
    int64_t length;
    int64_t input_step;  // bytes along the axis
    int64_t output_step;
    int64_t chunk;  // items
    int64_t n_chunks;
    int64_t lines_per_block;
    int64_t input_column;  // _columns: bytes between neighbouring lines
    int64_t output_column;
    int64_t n_columns;  // _columns: neighbouring lines, n_lines / n_columns groups of them
    int64_t ndim;
    int64_t shape[REDUCE_NDIM];  // of the lines (_columns: of the groups)
    int64_t input_strides[REDUCE_NDIM];
    int64_t output_strides[REDUCE_NDIM];
};

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

// ---- a workgroup together ----

// Exclusive scan of one value a work-item; `total` becomes the combination of all.
template <class Op>
DEVICE
typename Op::Acc scan_block(typename Op::Acc value, typename Op::Acc &total) {
    using Acc = typename Op::Acc;
    struct alignas(16) Storage {
        unsigned char bytes[REDUCE_BLOCK * sizeof(Acc)];
    };
    LDS Storage storage;
    Acc *values = reinterpret_cast<Acc *>(storage.bytes);
    const index_t t = thread_index(), n = block_size();
    values[t] = value;
    sync_block();
    for (index_t distance = 1; distance < n; distance *= 2) {
        const Acc left = t >= distance ? values[t - distance] : Op::identity();
        sync_block();
        value = Op::combine(left, value);
        values[t] = value;
        sync_block();
    }
    total = values[n - 1];
    const Acc before = t > 0 ? values[t - 1] : Op::identity();
    sync_block();
    return before;
}

template <class Op, class In, class Out>
DEVICE
void scan_chunk_by_block(const char *in, char *out, index_t input_step, index_t output_step,
                         index_t n, typename Op::Acc carry) {
    using Acc = typename Op::Acc;
    const index_t tile = block_size() * SCAN_ITEMS;
    for (index_t start = 0; start < n; start += tile) {
        const index_t first = start + thread_index() * SCAN_ITEMS;
        Acc scanned[SCAN_ITEMS];
        Acc sum = Op::identity();
        for (int k = 0; k < SCAN_ITEMS; ++k) {
            if (first + k < n) {
                sum = Op::combine(
                    sum, Op::map(item_at<In>(in + (first + k) * input_step), first + k, {}));
            }
            scanned[k] = sum;
        }
        Acc total;
        const Acc before = Op::combine(carry, scan_block<Op>(sum, total));
        for (int k = 0; k < SCAN_ITEMS; ++k) {
            if (first + k < n) {
                store_scanned<Op, Out>(out + (first + k) * output_step,
                                       Op::combine(before, scanned[k]));
            }
        }
        carry = Op::combine(carry, total);
    }
}

// ---- kernels ----

template <class Op, class In>
DEVICE
void scan_reduce(const ScanParams &p) {
    using Acc = typename Op::Acc;
    const index_t line = block_index() / p.n_chunks;
    const index_t chunk = block_index() - line * p.n_chunks;
    const index_t begin = chunk * p.chunk;
    const index_t end = begin + p.chunk < p.length ? begin + p.chunk : p.length;
    const char *in = p.input + reduce_offset(line, p.ndim, p.shape, p.input_strides);
    Acc value;
    if constexpr (ALONE) {
        Pairwise<Op> sum;
        for (index_t i = begin; i < end; i += PAIRWISE_RUN) {
            const index_t n = end - i < PAIRWISE_RUN ? end - i : PAIRWISE_RUN;
            const char *at = in + i * p.input_step;
            sum.push(p.input_step == static_cast<index_t>(sizeof(In))
                         ? reduce_run<Op>(reinterpret_cast<const In *>(at), n, i, {})
                         : reduce_strided_run<Op, In>(at, p.input_step, n, i, {}));
        }
        value = sum.result();
    } else {
        value = reduce_row_lane<Op, In>(in, p.input_step, begin, end, 0, thread_index(),
                                        block_size(), {});
        value = combine_in_block<Op>(value, thread_index(), block_size(), 1);
    }
    if (thread_index() == 0) reinterpret_cast<Acc *>(p.partials)[block_index()] = value;
}

// Totals of a line's chunks -> what comes before each.
template <class Op>
DEVICE
void scan_carry(const ScanParams &p) {
    using Acc = typename Op::Acc;
    Acc *partials = reinterpret_cast<Acc *>(p.partials) + block_index() * p.n_chunks;
    if constexpr (ALONE) {
        Acc carry = Op::identity();
        for (index_t i = 0; i < p.n_chunks; ++i) {
            const Acc total = partials[i];
            partials[i] = carry;
            carry = Op::combine(carry, total);
        }
    } else {
        Acc carry = Op::identity();
        for (index_t start = 0; start < p.n_chunks; start += block_size()) {
            const index_t i = start + thread_index();
            Acc total;
            const Acc before = scan_block<Op>(i < p.n_chunks ? partials[i] : Op::identity(), total);
            if (i < p.n_chunks) partials[i] = Op::combine(carry, before);
            carry = Op::combine(carry, total);
        }
    }
}

template <class Op, class In, class Out>
DEVICE
void scan_lines(const ScanParams &p) {
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
        if constexpr (ALONE) {
            if (contiguous) {
                scan_contiguous<Op>(reinterpret_cast<const In *>(in), reinterpret_cast<Out *>(out),
                                    n, carry);
            } else {
                scan_strided<Op, In, Out>(in, out, p.input_step, p.output_step, n, carry);
            }
        } else {
            scan_chunk_by_block<Op, In, Out>(in, out, p.input_step, p.output_step, n, carry);
        }
    }
}

template <class Op, class In, class Out>
DEVICE
void scan_columns(const ScanParams &p) {
    using Acc = typename Op::Acc;
    const index_t tile_size = ALONE ? COLUMN_TILE : block_size();
    const index_t tiles = (p.n_columns + tile_size - 1) / tile_size;
    const index_t n_tiles = tiles * (p.n_lines / p.n_columns);
    const index_t first = block_index() * p.lines_per_block;
    for (index_t k = first; k < first + p.lines_per_block && k < n_tiles; ++k) {
        const index_t group = k / tiles;
        const index_t column = (k - group * tiles) * tile_size;
        const char *in = p.input + column * p.input_column +
                         reduce_offset(group, p.ndim, p.shape, p.input_strides);
        char *out = p.output + column * p.output_column +
                    reduce_offset(group, p.ndim, p.shape, p.output_strides);
        const index_t left = p.n_columns - column;
        const index_t n = left < tile_size ? left : tile_size;
        if constexpr (ALONE) {
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
                        acc[j] = Op::combine(acc[j],
                                             Op::map(item_at<In>(in + j * p.input_column), i, {}));
                        store_scanned<Op, Out>(out + j * p.output_column, acc[j]);
                    }
                }
            }
        } else if (thread_index() < n) {
            scan_strided<Op, In, Out>(in + thread_index() * p.input_column,
                                      out + thread_index() * p.output_column, p.input_step,
                                      p.output_step, p.length, Op::identity());
        }
    }
}

}  // namespace rocarray

// The four kernels of the scan with operation OP (functors/reductions.hpp) from IN to OUT.
#define ROCARRAY_SCAN(NAME, OP, IN, OUT)       \
    KERNEL                                     \
    NAME##_reduce(rocarray::ScanParams p) {    \
        using namespace rocarray;              \
        scan_reduce<OP<IN, OUT>, IN>(p);       \
    }                                          \
    KERNEL                                     \
    NAME##_carry(rocarray::ScanParams p) {     \
        using namespace rocarray;              \
        scan_carry<OP<IN, OUT>>(p);            \
    }                                          \
    KERNEL                                     \
    NAME##_lines(rocarray::ScanParams p) {     \
        using namespace rocarray;              \
        scan_lines<OP<IN, OUT>, IN, OUT>(p);   \
    }                                          \
    KERNEL                                     \
    NAME##_columns(rocarray::ScanParams p) {   \
        using namespace rocarray;              \
        scan_columns<OP<IN, OUT>, IN, OUT>(p); \
    }                                          \
    KERNEL_EXPORT(NAME##_reduce)               \
    KERNEL_EXPORT(NAME##_carry)                \
    KERNEL_EXPORT(NAME##_lines)                \
    KERNEL_EXPORT(NAME##_columns)
