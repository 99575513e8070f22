// Reductions over any set of axes (docs/design/reductions.md).
//
// The host merges axes and sorts them by stride. Where a reduced axis is the fastest one, the
// "inner" kernel gives each output to work-items that read along a row; where a kept axis is, the
// "outer" kernel gives neighbouring outputs to neighbouring work-items. Either may cut the reduced
// range into `split` parts; their partial results are combined by the third kernel.
#pragma once

#include "platform.hpp"
#include "functors/reductions.hpp"
#include "line_offsets.hpp"

namespace rocarray {

constexpr int REDUCE_BLOCK = 256;       // most work-items a workgroup
constexpr int COLUMN_TILE = 512;        // outputs side by side where a work-item is alone
constexpr int SHORT_ROWS = 4;           // outputs that a work-item has in flight
constexpr index_t PAIRWISE_RUN = 1024;  // items that are added up plainly

// Mirrored by ReduceParams in _core/reduction_loops.pyx.
struct ReduceParams {
    const char *input;
    char *output;  // of the result's type; of the accumulator's where split > 1
    const char *auxiliary;
    double divisor;
    int64_t finish_mode;
    int64_t n_outputs;
    int64_t n_rows;      // inner: rows an output; outer: rows in all
    int64_t row_length;  // inner: items a row; outer: outputs a row
    int64_t row_stride;  // bytes between neighbours in a row
    int64_t split;
    int64_t part_size;  // inner: items a part; outer: rows a part
    int64_t n_tiles;
    int64_t tiles_per_block;
    int64_t n_groups;       // workgroups a part
    int64_t tiles_per_row;  // outer
    int64_t lanes;          // work-items along a row
    int64_t vector_loads;
    int64_t short_rows;
    int64_t kept_ndim;
    int64_t reduced_ndim;
    int64_t kept_shape[REDUCE_NDIM];  // outer: without the row's own axis
    int64_t kept_strides[REDUCE_NDIM];
    int64_t reduced_shape[REDUCE_NDIM];  // inner: without the row's own axis
    int64_t reduced_strides[REDUCE_NDIM];
};

// Values combined as a balanced tree, whatever their number: a binary counter of partial results.
template <class Op>
struct Pairwise {
    using Acc = typename Op::Acc;
    Acc level[40];
    index_t count = 0;

    DEVICE
    void push(Acc value) {
        int i = 0;
        for (index_t c = count; c & 1; c >>= 1) {
            value = Op::combine(level[i], value);
            ++i;
        }
        level[i] = value;
        ++count;
    }

    DEVICE
    Acc result() const {
        Acc value = Op::identity();
        int i = 0;
        for (index_t c = count; c; c >>= 1, ++i) {
            if (c & 1) value = Op::combine(level[i], value);
        }
        return value;
    }
};

// ---- one work-item alone ----

// Up to PAIRWISE_RUN contiguous items. Floating-point lanes are explicit, since the compiler must
// not reorder additions by itself.
template <class Op, class In>
DEVICE
typename Op::Acc reduce_run(const In *x, index_t n, index_t first, typename Op::Context context) {
    using Acc = typename Op::Acc;
    if constexpr (Op::OWN_RUN) {
        return Op::run(x, n);
    } else if constexpr (!Op::REORDERS) {
        Acc acc = Op::identity();
        for (index_t i = 0; i < n; ++i) acc = Op::combine(acc, Op::map(x[i], first + i, context));
        return acc;
    } else {
        constexpr int LANES = 32;
        Acc lane[LANES];
        for (int l = 0; l < LANES; ++l) lane[l] = Op::identity();
        index_t i = 0;
        for (; i + LANES <= n; i += LANES) {
            for (int l = 0; l < LANES; ++l) {
                lane[l] = Op::combine(lane[l], Op::map(x[i + l], first + i + l, context));
            }
        }
        for (int l = 0; i + l < n; ++l) {
            lane[l] = Op::combine(lane[l], Op::map(x[i + l], first + i + l, context));
        }
        for (int half_lanes = LANES / 2; half_lanes > 0; half_lanes /= 2) {
            for (int l = 0; l < half_lanes; ++l) {
                lane[l] = Op::combine(lane[l], lane[l + half_lanes]);
            }
        }
        return lane[0];
    }
}

template <class Op, class In>
DEVICE
typename Op::Acc reduce_strided_run(const char *x, index_t stride, index_t n, index_t first,
                                    typename Op::Context context) {
    constexpr int LANES = 8;
    typename Op::Acc lane[LANES];
    for (int l = 0; l < LANES; ++l) lane[l] = Op::identity();
    index_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        for (int l = 0; l < LANES; ++l) {
            const In item = *reinterpret_cast<const In *>(x + (i + l) * stride);
            lane[l] = Op::combine(lane[l], Op::map(item, first + i + l, context));
        }
    }
    for (; i < n; ++i) {
        const In item = *reinterpret_cast<const In *>(x + i * stride);
        lane[0] = Op::combine(lane[0], Op::map(item, first + i, context));
    }
    for (int s = LANES / 2; s > 0; s /= 2) {
        for (int l = 0; l < s; ++l) lane[l] = Op::combine(lane[l], lane[l + s]);
    }
    return lane[0];
}

template <class Op, class In>
constexpr bool searches = Op::INDEXED && !is_same<In, typename Op::Acc>::value;

// Where the best of contiguous items is: each run's best value first, then its place in one run.
template <class Op, class In>
DEVICE
typename Op::Acc find_in_run(const In *x, index_t begin, index_t end) {
    typename Op::Acc best = Op::identity();
    index_t best_run = begin;
    for (index_t i = begin; i < end; i += PAIRWISE_RUN) {
        const typename Op::Value value = Op::best_value(x + i, min_index(PAIRWISE_RUN, end - i));
        if (i == begin || Op::better(value, best.value)) {
            best.value = value;
            best_run = i;
            if (is_nan(value)) break;
        }
    }
    best.index =
        best_run + Op::place_of(best.value, x + best_run, min_index(PAIRWISE_RUN, end - best_run));
    return best;
}

// Items [begin, end) of one output, by one work-item.
template <class Op, class In>
DEVICE
typename Op::Acc reduce_range(const ReduceParams &p, const char *input, index_t begin, index_t end,
                              typename Op::Context context) {
    const bool contiguous = p.row_stride == static_cast<index_t>(sizeof(In));
    if constexpr (searches<Op, In>) {
        if (contiguous) return find_in_run<Op>(reinterpret_cast<const In *>(input), begin, end);
    }
    if (p.n_rows == 1 && contiguous && end - begin <= PAIRWISE_RUN) {
        return reduce_run<Op>(reinterpret_cast<const In *>(input) + begin, end - begin, begin,
                              context);
    }
    Pairwise<Op> sum;
    while (begin < end) {
        index_t row = 0, column = begin, n = end - begin;
        const char *at = input;
        if (p.n_rows > 1) {
            row = quotient(begin, p.row_length);
            column = begin - row * p.row_length;
            if (n > p.row_length - column) n = p.row_length - column;
            at += reduce_offset(row, p.reduced_ndim, p.reduced_shape, p.reduced_strides);
        }
        if (n > PAIRWISE_RUN) n = PAIRWISE_RUN;
        at += column * p.row_stride;
        const typename Op::Acc value =
            contiguous ? reduce_run<Op>(reinterpret_cast<const In *>(at), n, begin, context)
                       : reduce_strided_run<Op, In>(at, p.row_stride, n, begin, context);
        sum.push(value);
        if (Op::decided(value)) break;
        begin += n;
    }
    return sum.result();
}

// ---- many work-items together ----

// 16 bytes of items, loaded at once.
template <class In>
struct alignas(16) LoadPack {
    static constexpr int N = sizeof(In) < 16 ? 16 / sizeof(In) : 1;
    In items[N];
};

// `acc` and the item at `index`, which lies behind all that `acc` stands for.
template <class Op, class In>
DEVICE
typename Op::Acc follow(typename Op::Acc acc, In item, index_t index,
                        typename Op::Context context) {
    if constexpr (Op::INDEXED) {
        const typename Op::Acc found = Op::map(item, index, context);
        return Op::better(found.value, acc.value) ? found : acc;
    } else {
        return Op::combine(acc, Op::map(item, index, context));
    }
}

// What work-item `lane` of `lanes` makes of a row's items [begin, end).
template <class Op, class In>
DEVICE
typename Op::Acc reduce_row_lane(const char *row, index_t stride, index_t begin, index_t end,
                                 index_t first, index_t lane, index_t lanes,
                                 typename Op::Context context) {
    using Acc = typename Op::Acc;
    using Pack = LoadPack<In>;
    constexpr int UNROLL = Pack::N > 8 ? 2 : 4;
    Acc acc = Op::identity();
    index_t i = begin;
    if (stride == static_cast<index_t>(sizeof(In)) && end - begin >= Pack::N) {
        const In *x = reinterpret_cast<const In *>(row);
        // Items before the first 16-byte boundary.
        const index_t misaligned =
            static_cast<index_t>(reinterpret_cast<size_t>(x + begin) % sizeof(Pack) / sizeof(In));
        const index_t head = misaligned ? Pack::N - misaligned : 0;
        if (lane < head) acc = Op::combine(acc, Op::map(x[i + lane], first + i + lane, context));
        for (index_t k = lane + lanes; k < head; k += lanes) {
            acc = Op::combine(acc, Op::map(x[i + k], first + i + k, context));
        }
        i += head;
        const Pack *packs = reinterpret_cast<const Pack *>(x + i);
        const index_t n_packs = (end - i) / Pack::N;
        index_t k = lane;
        for (; k + (UNROLL - 1) * lanes < n_packs; k += UNROLL * lanes) {
            Pack loaded[UNROLL];
            for (int u = 0; u < UNROLL; ++u) loaded[u] = packs[k + u * lanes];
            Acc part[UNROLL];
            for (int u = 0; u < UNROLL; ++u) {
                const index_t at = first + i + (k + u * lanes) * Pack::N;
                part[u] = Op::map(loaded[u].items[0], at, context);
                for (int e = 1; e < Pack::N; ++e) {
                    part[u] = follow<Op>(part[u], loaded[u].items[e], at + e, context);
                }
            }
            for (int u = 0; u < UNROLL; ++u) acc = Op::combine(acc, part[u]);
        }
        for (; k < n_packs; k += lanes) {
            const Pack loaded = packs[k];
            const index_t at = first + i + k * Pack::N;
            Acc part = Op::map(loaded.items[0], at, context);
            for (int e = 1; e < Pack::N; ++e) {
                part = follow<Op>(part, loaded.items[e], at + e, context);
            }
            acc = Op::combine(acc, part);
        }
        i += n_packs * Pack::N;
    }
    for (i += lane; i < end; i += lanes) {
        const In item = *reinterpret_cast<const In *>(row + i * stride);
        acc = Op::combine(acc, Op::map(item, first + i, context));
    }
    return acc;
}

template <class Op, class In>
DEVICE
typename Op::Acc reduce_range_lane(const ReduceParams &p, const char *input, index_t begin,
                                   index_t end, index_t lane, typename Op::Context context) {
    typename Op::Acc acc = Op::identity();
    if (p.n_rows == 1) {
        return reduce_row_lane<Op, In>(input, p.row_stride, begin, end, 0, lane, p.lanes, context);
    }
    while (begin < end) {
        const index_t row = quotient(begin, p.row_length);
        const index_t column = begin - row * p.row_length;
        index_t stop = column + (end - begin);
        if (stop > p.row_length) stop = p.row_length;
        const char *at =
            input + reduce_offset(row, p.reduced_ndim, p.reduced_shape, p.reduced_strides);
        acc = Op::combine(acc, reduce_row_lane<Op, In>(at, p.row_stride, column, stop,
                                                       begin - column, lane, p.lanes, context));
        begin += stop - column;
    }
    return acc;
}

// Combines the values of work-items t, t + distance, ... of each group; `width` is a power of two.
// Up to 16 work-items of a group collect first, then one of them: few barriers, whatever the width.
template <class Op>
DEVICE
typename Op::Acc combine_in_block(typename Op::Acc value, index_t position, index_t width,
                                  index_t distance) {
    using Acc = typename Op::Acc;
    if constexpr (ALONE) {
        return value;
    } else {
        constexpr index_t COLLECTORS = 16;
        struct alignas(16) Storage {
            unsigned char bytes[REDUCE_BLOCK * sizeof(Acc)];
        };
        LDS Storage storage;
        Acc *values = reinterpret_cast<Acc *>(storage.bytes);
        const index_t t = thread_index();
        if (width == 1) return value;
        values[t] = value;
        sync_block();
        const index_t collectors = width > COLLECTORS ? COLLECTORS : 1;
        if (position < collectors) {
#pragma unroll 4
            for (index_t k = collectors; k < width; k += collectors) {
                value = Op::combine(value, values[t + k * distance]);
            }
        }
        if (collectors > 1) {
            sync_block();
            if (position < collectors) values[t] = value;
            sync_block();
            if (position == 0) {
#pragma unroll
                for (index_t k = 1; k < COLLECTORS; ++k) {
                    value = Op::combine(value, values[t + k * distance]);
                }
            }
        }
        sync_block();
        return value;
    }
}

template <class Op, class Out>
DEVICE
void store_result(const ReduceParams &p, index_t part, index_t output, typename Op::Acc value) {
    if (p.split > 1) {
        reinterpret_cast<typename Op::Acc *>(p.output)[part * p.n_outputs + output] = value;
    } else {
        reinterpret_cast<Out *>(p.output)[output] = Op::finish(value, p.divisor, p.finish_mode);
    }
}

// ---- kernels ----

// Rows of few packs: a work-item loads a pack of several outputs at once. The partial results pass
// through LDS, so that neighbouring work-items store neighbouring outputs.
template <class Op, class In, class Out>
DEVICE
void reduce_short_rows(const ReduceParams &p) {
    using Acc = typename Op::Acc;
    using Pack = LoadPack<In>;
    struct alignas(16) Storage {
        unsigned char bytes[SHORT_ROWS * REDUCE_BLOCK * sizeof(Acc)];
    };
    LDS Storage storage;
    Acc *values = reinterpret_cast<Acc *>(storage.bytes);
    const index_t lane = thread_index() & (p.lanes - 1);
    const index_t slot = quotient32(thread_index(), p.lanes);
    const index_t n_slots = quotient32(block_size(), p.lanes);
    const bool loads = lane * Pack::N < p.row_length;
    for (index_t k = 0; k < p.tiles_per_block; ++k) {
        const index_t first = (block_index() * p.tiles_per_block + k) * SHORT_ROWS * n_slots;
        Pack loaded[SHORT_ROWS];
#pragma unroll
        for (int u = 0; u < SHORT_ROWS; ++u) {
            const index_t output = first + u * n_slots + slot;
            if (loads && output < p.n_outputs) {
                loaded[u] = *reinterpret_cast<const Pack *>(
                    p.input + lane * static_cast<index_t>(sizeof(Pack)) +
                    reduce_offset(output, p.kept_ndim, p.kept_shape, p.kept_strides));
            }
        }
#pragma unroll
        for (int u = 0; u < SHORT_ROWS; ++u) {
            const index_t output = first + u * n_slots + slot;
            Acc value = Op::identity();
            if (loads && output < p.n_outputs) {
                const typename Op::Context context = Op::context(p.auxiliary, output);
                value = Op::map(loaded[u].items[0], lane * Pack::N, context);
#pragma unroll
                for (int e = 1; e < Pack::N; ++e) {
                    value = follow<Op>(value, loaded[u].items[e], lane * Pack::N + e, context);
                }
            }
            values[u * block_size() + thread_index()] = value;
        }
        sync_block();
        for (index_t o = thread_index(); o < SHORT_ROWS * n_slots; o += block_size()) {
            if (first + o < p.n_outputs) {
                Acc value = values[o * p.lanes];
                for (index_t l = 1; l < p.lanes; ++l) {
                    value = Op::combine(value, values[o * p.lanes + l]);
                }
                store_result<Op, Out>(p, 0, first + o, value);
            }
        }
        sync_block();
    }
}

template <class Op, class In, class Out>
DEVICE
void reduce_inner(const ReduceParams &p) {
    if constexpr (!ALONE) {
        if (p.short_rows) {
            reduce_short_rows<Op, In, Out>(p);
            return;
        }
    }
    const index_t part = quotient32(block_index(), p.n_groups);
    const index_t group = block_index() - part * p.n_groups;
    const index_t n_items = p.n_rows * p.row_length;
    const index_t begin = part * p.part_size;
    const index_t end = begin + p.part_size < n_items ? begin + p.part_size : n_items;
    // Lanes are a power of two.
    const index_t tile_size = ALONE ? 1 : quotient32(block_size(), p.lanes);
    const index_t lane = ALONE ? 0 : thread_index() & (p.lanes - 1);
    for (index_t k = 0; k < p.tiles_per_block; ++k) {
        const index_t tile = group * p.tiles_per_block + k;
        if (tile >= p.n_tiles) break;
        const index_t output = tile * tile_size + (ALONE ? 0 : quotient32(thread_index(), p.lanes));
        typename Op::Acc value = Op::identity();
        if (output < p.n_outputs) {
            const char *input =
                p.input + reduce_offset(output, p.kept_ndim, p.kept_shape, p.kept_strides);
            const typename Op::Context context = Op::context(p.auxiliary, output);
            if constexpr (ALONE) {
                value = reduce_range<Op, In>(p, input, begin, end, context);
            } else {
                value = reduce_range_lane<Op, In>(p, input, begin, end, lane, context);
            }
        }
        value = combine_in_block<Op>(value, lane, p.lanes, 1);
        if (output < p.n_outputs && lane == 0) store_result<Op, Out>(p, part, output, value);
    }
}

// Rows [begin, end) of a tile of columns into `acc`, which holds the identity. Contiguous rows go
// four at a time: fewer passes over `acc`, and shorter chains of roundings.
template <class Op, class In, class RowAddress>
DEVICE
void reduce_rows(typename Op::Acc *acc, RowAddress address, index_t begin, index_t end,
                 index_t n_columns, index_t stride, const char *auxiliary, index_t output) {
    index_t row = begin;
    if (stride == static_cast<index_t>(sizeof(In))) {
        for (; row + 4 <= end; row += 4) {
            const In *a = reinterpret_cast<const In *>(address(row));
            const In *b = reinterpret_cast<const In *>(address(row + 1));
            const In *c = reinterpret_cast<const In *>(address(row + 2));
            const In *d = reinterpret_cast<const In *>(address(row + 3));
            for (index_t j = 0; j < n_columns; ++j) {
                const typename Op::Context context = Op::context(auxiliary, output + j);
                acc[j] =
                    Op::combine(acc[j], Op::combine(Op::combine(Op::map(a[j], row, context),
                                                                Op::map(b[j], row + 1, context)),
                                                    Op::combine(Op::map(c[j], row + 2, context),
                                                                Op::map(d[j], row + 3, context))));
            }
        }
    }
    for (; row < end; ++row) {
        const char *at = address(row);
        for (index_t j = 0; j < n_columns; ++j) {
            const In item = *reinterpret_cast<const In *>(at + j * stride);
            acc[j] = Op::combine(acc[j], Op::map(item, row, Op::context(auxiliary, output + j)));
        }
    }
}

// The same for positions: values and row numbers apart, so that the loop vectorises.
template <class Op, class In, class RowAddress>
DEVICE
void find_in_rows(typename Op::Acc *acc, RowAddress address, index_t begin, index_t end,
                  index_t n_columns, index_t stride) {
    using Value = typename Op::Value;
    Value best[COLUMN_TILE];
    int32_t place[COLUMN_TILE];
    const char *at = address(begin);
    for (index_t j = 0; j < n_columns; ++j) {
        best[j] = cast<Value>(*reinterpret_cast<const In *>(at + j * stride));
        place[j] = 0;
    }
    for (index_t row = begin + 1; row < end; ++row) {
        at = address(row);
        const int32_t here = static_cast<int32_t>(row - begin);
        if (stride == static_cast<index_t>(sizeof(In))) {
            const In *x = reinterpret_cast<const In *>(at);
            for (index_t j = 0; j < n_columns; ++j) {
                const Value value = cast<Value>(x[j]);
                const bool better = Op::better(value, best[j]);
                best[j] = better ? value : best[j];
                place[j] = better ? here : place[j];
            }
        } else {
            for (index_t j = 0; j < n_columns; ++j) {
                const Value value = cast<Value>(*reinterpret_cast<const In *>(at + j * stride));
                const bool better = Op::better(value, best[j]);
                best[j] = better ? value : best[j];
                place[j] = better ? here : place[j];
            }
        }
    }
    for (index_t j = 0; j < n_columns; ++j) acc[j] = {best[j], begin + place[j]};
}

// A tile of columns by one work-item: the loops over columns are vectorised.
template <class Op, class In, class Out>
DEVICE
void reduce_column_tile(const ReduceParams &p, index_t part, index_t output, const char *in,
                        index_t n_columns) {
    using Acc = typename Op::Acc;
    constexpr index_t GROUP = 256;  // rows between two steps of the outer accumulators
    const index_t begin = part * p.part_size;
    const index_t end = begin + p.part_size < p.n_rows ? begin + p.part_size : p.n_rows;
    const bool single = p.reduced_ndim <= 1;
    const index_t step = p.reduced_ndim == 1 ? p.reduced_strides[0] : 0;
    const auto address = [&](index_t row) {
        return in + (single
                         ? row * step
                         : reduce_offset(row, p.reduced_ndim, p.reduced_shape, p.reduced_strides));
    };
    Acc total[COLUMN_TILE], acc[COLUMN_TILE];
    for (index_t j = 0; j < n_columns; ++j) total[j] = Op::identity();
    for (index_t group = begin; group < end; group += GROUP) {
        const index_t stop = group + GROUP < end ? group + GROUP : end;
        if constexpr (searches<Op, In>) {
            find_in_rows<Op, In>(acc, address, group, stop, n_columns, p.row_stride);
        } else {
            for (index_t j = 0; j < n_columns; ++j) acc[j] = Op::identity();
            reduce_rows<Op, In>(acc, address, group, stop, n_columns, p.row_stride, p.auxiliary,
                                output);
        }
        for (index_t j = 0; j < n_columns; ++j) total[j] = Op::combine(total[j], acc[j]);
    }
    for (index_t j = 0; j < n_columns; ++j) store_result<Op, Out>(p, part, output + j, total[j]);
}

// Some columns by a work-item, its neighbours in the block take others, or other rows.
template <class Op, class In, class Out>
DEVICE
void reduce_column_block(const ReduceParams &p, index_t part, index_t output, const char *in,
                         index_t n_columns) {
    using Acc = typename Op::Acc;
    constexpr int COLUMNS = Op::template columns<In>();
    const index_t begin = part * p.part_size;
    const index_t end = begin + p.part_size < p.n_rows ? begin + p.part_size : p.n_rows;
    const index_t lane = thread_index() & (p.lanes - 1);
    const index_t row_lane = quotient32(thread_index(), p.lanes);
    const index_t row_lanes = quotient32(block_size(), p.lanes);
    // Parts are rows without gaps: no other addressing in the kernel that combines them.
    const bool single = Op::COMBINES || p.reduced_ndim <= 1;
    const index_t step = Op::COMBINES || p.reduced_ndim == 1 ? p.reduced_strides[0] : 0;
    const bool vector = (COLUMNS == 1 || p.vector_loads) && (lane + 1) * COLUMNS <= n_columns;
    const auto column = [&](int c) {
        return p.vector_loads ? lane * COLUMNS + c : lane + c * p.lanes;
    };
    Acc acc[COLUMNS];
    typename Op::Context context[COLUMNS];
#pragma unroll
    for (int c = 0; c < COLUMNS; ++c) {
        acc[c] = Op::identity();
        if (column(c) < n_columns) context[c] = Op::context(p.auxiliary, output + column(c));
    }
    struct alignas(COLUMNS > 1 ? sizeof(In) * COLUMNS : alignof(In)) Pack {
        In items[COLUMNS];
    };
    index_t row = begin + row_lane;
    if (vector && single) {
        const char *at = in + lane * COLUMNS * p.row_stride + row * step;
#pragma unroll(COLUMNS == 1 ? 8 : COLUMNS > 4 ? 2 : 4)
        for (; row < end; row += row_lanes) {
            const Pack loaded = *reinterpret_cast<const Pack *>(at);
            at += row_lanes * step;
#pragma unroll
            for (int c = 0; c < COLUMNS; ++c) {
                acc[c] = Op::combine(acc[c], Op::map(loaded.items[c], row, context[c]));
            }
        }
    }
#pragma unroll 1
    for (; row < end; row += row_lanes) {
        const char *at =
            in + (single ? row * step
                         : reduce_offset(row, p.reduced_ndim, p.reduced_shape, p.reduced_strides));
#pragma unroll
        for (int c = 0; c < COLUMNS; ++c) {
            if (column(c) < n_columns) {
                const In item = *reinterpret_cast<const In *>(at + column(c) * p.row_stride);
                acc[c] = Op::combine(acc[c], Op::map(item, row, context[c]));
            }
        }
    }
    // A loop that stays one: registers are moved down instead of indexed.
#pragma unroll 1
    for (int c = 0; c < COLUMNS; ++c) {
        const Acc value = combine_in_block<Op>(acc[0], row_lane, row_lanes, p.lanes);
        if (row_lane == 0 && column(c) < n_columns) {
            store_result<Op, Out>(p, part, output + column(c), value);
        }
#pragma unroll
        for (int k = 0; k + 1 < COLUMNS; ++k) acc[k] = acc[k + 1];
    }
}

template <class Op, class In, class Out>
DEVICE
void reduce_outer(const ReduceParams &p) {
    const index_t part = quotient32(block_index(), p.n_groups);
    const index_t group = block_index() - part * p.n_groups;
    const index_t tile_size = ALONE ? COLUMN_TILE : p.lanes * Op::template columns<In>();
    for (index_t k = 0; k < p.tiles_per_block; ++k) {
        const index_t tile = group * p.tiles_per_block + k;
        if (tile >= p.n_tiles) break;
        const index_t outer = Op::COMBINES ? 0 : quotient(tile, p.tiles_per_row);
        const index_t first = (tile - outer * p.tiles_per_row) * tile_size;
        const index_t left = p.row_length - first;
        const index_t n_columns = left < tile_size ? left : tile_size;
        const index_t output = outer * p.row_length + first;
        const char *in = p.input + first * p.row_stride;
        if constexpr (!Op::COMBINES) {
            in += reduce_offset(outer, p.kept_ndim, p.kept_shape, p.kept_strides);
        }
        if constexpr (ALONE) {
            reduce_column_tile<Op, In, Out>(p, part, output, in, n_columns);
        } else {
            reduce_column_block<Op, In, Out>(p, part, output, in, n_columns);
        }
    }
}

}  // namespace rocarray

// The three kernels of operation OP (functors/reductions.hpp) from IN to OUT.
#define ROCARRAY_REDUCE(NAME, OP, IN, OUT)                    \
    KERNEL                                                    \
    NAME##_inner(rocarray::ReduceParams p) {                  \
        using namespace rocarray;                             \
        reduce_inner<OP<IN, OUT>, IN, OUT>(p);                \
    }                                                         \
    KERNEL                                                    \
    NAME##_outer(rocarray::ReduceParams p) {                  \
        using namespace rocarray;                             \
        reduce_outer<OP<IN, OUT>, IN, OUT>(p);                \
    }                                                         \
    KERNEL                                                    \
    NAME##_combine(rocarray::ReduceParams p) {                \
        using namespace rocarray;                             \
        typedef OP<IN, OUT> Op;                               \
        reduce_outer<Combined<Op>, typename Op::Acc, OUT>(p); \
    }                                                         \
    KERNEL_EXPORT(NAME##_inner)                               \
    KERNEL_EXPORT(NAME##_outer)                               \
    KERNEL_EXPORT(NAME##_combine)
