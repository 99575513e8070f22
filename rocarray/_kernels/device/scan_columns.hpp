// Scans on GPUs of lines that lie side by side: a work-item takes a line and walks along it in step
// with its neighbours. Where there are too few lines to fill the device they are cut into chunks:
// `_column_totals` makes the totals of these, and `_columns` begins each chunk with the combination
// of the totals before it.
#pragma once

#include "scan_params.hpp"
#include "vectors.hpp"

namespace rocarray {

constexpr int SCAN_ROWS = 8;  // items that are loaded at once

// A chunk of a line on top of `carry`. STORES: the scan, or only the total.
template <class Op, class In, class Out, bool STORES>
DEVICE
typename Op::Acc scan_column(const char *in, char *out, index_t input_step, index_t output_step,
                             index_t n, typename Op::Acc carry) {
    index_t i = 0;
    for (; i + SCAN_ROWS <= n; i += SCAN_ROWS) {
        In items[SCAN_ROWS];
#pragma unroll
        for (int k = 0; k < SCAN_ROWS; ++k) items[k] = load_item<In>(in + (i + k) * input_step);
#pragma unroll
        for (int k = 0; k < SCAN_ROWS; ++k) {
            carry = Op::combine(carry, Op::map(items[k], 0, {}));
            if constexpr (STORES) {
                store_item(out + (i + k) * output_step, Op::finish(carry, 0.0, FINISH_PLAIN));
            }
        }
    }
    for (; i < n; ++i) {
        carry = Op::combine(carry, Op::map(load_item<In>(in + i * input_step), 0, {}));
        if constexpr (STORES) {
            store_item(out + i * output_step, Op::finish(carry, 0.0, FINISH_PLAIN));
        }
    }
    return carry;
}

template <class Op, class In, class Out, bool STORES>
DEVICE
void scan_column_chunks(const ScanParams &p) {
    using Acc = typename Op::Acc;
    const index_t tiles = quotient(p.n_columns + block_size() - 1, block_size());
    const index_t n_groups = quotient(p.n_lines, p.n_columns);
    for (index_t i = block_index(); i < tiles * n_groups * p.n_chunks; i += grid_size()) {
        const index_t k = quotient(i, p.n_chunks);
        const index_t chunk = i - k * p.n_chunks;
        const index_t group = quotient(k, tiles);
        const index_t column = (k - group * tiles) * block_size() + thread_index();
        const index_t begin = chunk * p.chunk;
        if (column >= p.n_columns) continue;
        // [chunk][line]: neighbours side by side.
        Acc *totals = reinterpret_cast<Acc *>(p.partials) + group * p.n_columns + column;
        Acc carry = Op::identity();
        if constexpr (STORES) {
#pragma unroll 8
            for (index_t c = 0; c < chunk; ++c) {
                carry = Op::combine(carry, totals[c * p.n_lines]);
            }
        }
        const Acc total = scan_column<Op, In, Out, STORES>(
            p.input + column * p.input_column + begin * p.input_step +
                reduce_offset(group, p.ndim, p.shape, p.input_strides),
            p.output + column * p.output_column + begin * p.output_step +
                reduce_offset(group, p.ndim, p.shape, p.output_strides),
            p.input_step, p.output_step, min_index(p.chunk, p.length - begin), carry);
        if constexpr (!STORES) totals[chunk * p.n_lines] = total;
    }
}

}  // namespace rocarray
