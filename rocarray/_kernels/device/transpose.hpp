// Copies between layouts whose neighbours lie along different axes, through tiles in LDS: both the
// loads and the stores of neighbouring work-items are neighbours in memory.
//
// Items are moved by size, whatever their type.
#pragma once

#include "vectors.hpp"

namespace rocarray {

constexpr int TRANSPOSE_NDIM = 6;

// Filled by ElementwiseLoop in _core/elementwise.pyx, word by word.
struct TransposeParams {
    const char *input;
    char *output;
    int64_t height;         // along the input's neighbours
    int64_t width;          // along the output's neighbours
    int64_t input_stride;   // bytes along the width
    int64_t output_stride;  // bytes along the height
    int64_t tiles_x;        // tiles along the width
    int64_t tiles_y;
    int64_t n_tiles;
    int64_t ndim;  // of the other axes
    int64_t shape[TRANSPOSE_NDIM];
    int64_t input_strides[TRANSPOSE_NDIM];
    int64_t output_strides[TRANSPOSE_NDIM];
};

static_assert(sizeof(TransposeParams) == 224, "elementwise.pyx fills this struct by offset");

// A work-item alone: rows into the tile, then rows out of it.
template <class T, int TILE>
DEVICE
void transpose_tile_alone(const char *in, char *out, const TransposeParams &p, index_t x0,
                          index_t y0, T (*tile)[TILE + 1]) {
    const index_t nx = min_index(TILE, p.width - x0), ny = min_index(TILE, p.height - y0);
    for (index_t x = 0; x < nx; ++x) {
        const T *row = reinterpret_cast<const T *>(in + (x0 + x) * p.input_stride) + y0;
        for (index_t y = 0; y < ny; ++y) tile[y][x] = row[y];
    }
    for (index_t y = 0; y < ny; ++y) {
        T *row = reinterpret_cast<T *>(out + (y0 + y) * p.output_stride) + x0;
        ROCARRAY_IVDEP for (index_t x = 0; x < nx; ++x) row[x] = tile[y][x];
    }
}

template <class T, int TILE>
DEVICE
void transpose_tile(const char *in, char *out, const TransposeParams &p, index_t x0, index_t y0,
                    T (*tile)[TILE + 1]) {
    // What a work-item of a workgroup of 256 has in flight.
    constexpr int STEPS = TILE * TILE / 256;
    const index_t t = thread_index(), block = block_size();
    const int nx = static_cast<int>(min_index(TILE, p.width - x0));
    const int ny = static_cast<int>(min_index(TILE, p.height - y0));
    for (index_t start = t; start < TILE * TILE; start += STEPS * block) {
        T items[STEPS];
#pragma unroll
        for (int s = 0; s < STEPS; ++s) {
            const int k = static_cast<int>(start + s * block), x = k / TILE, y = k % TILE;
            if (x < nx && y < ny) {
                items[s] = load_item<T>(in + (x0 + x) * p.input_stride +
                                        (y0 + y) * static_cast<int64_t>(sizeof(T)));
            }
        }
#pragma unroll
        for (int s = 0; s < STEPS; ++s) {
            const int k = static_cast<int>(start + s * block), x = k / TILE, y = k % TILE;
            if (x < nx && y < ny) tile[y][x] = items[s];
        }
    }
    sync_block();
    for (index_t start = t; start < TILE * TILE; start += block) {
        const int k = static_cast<int>(start), y = k / TILE, x = k % TILE;
        if (x < nx && y < ny) {
            store_item(
                out + (y0 + y) * p.output_stride + (x0 + x) * static_cast<int64_t>(sizeof(T)),
                tile[y][x]);
        }
    }
    sync_block();
}

template <class T, int TILE>
DEVICE
void transpose(const TransposeParams &p) {
    LDS T tile[TILE][TILE + 1];  // the extra column spreads a column over all banks
    for (index_t n = block_index(); n < p.n_tiles; n += grid_size()) {
        index_t rest = n / p.tiles_x;
        const index_t x = n - rest * p.tiles_x;
        index_t batch = rest / p.tiles_y;
        const index_t y = rest - batch * p.tiles_y;
        const char *in = p.input;
        char *out = p.output;
        for (index_t d = p.ndim - 1; d >= 0; --d) {
            rest = batch / p.shape[d];
            in += (batch - rest * p.shape[d]) * p.input_strides[d];
            out += (batch - rest * p.shape[d]) * p.output_strides[d];
            batch = rest;
        }
        if constexpr (ALONE) {
            transpose_tile_alone<T, TILE>(in, out, p, x * TILE, y * TILE, tile);
        } else {
            transpose_tile<T, TILE>(in, out, p, x * TILE, y * TILE, tile);
        }
    }
}

}  // namespace rocarray

#define ROCARRAY_TRANSPOSE(NAME, T, TILE) \
    KERNEL                                \
    NAME(rocarray::TransposeParams p) {   \
        using namespace rocarray;         \
        transpose<T, TILE>(p);            \
    }                                     \
    KERNEL_EXPORT(NAME)
