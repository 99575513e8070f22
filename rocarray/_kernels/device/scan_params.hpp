// What the kernels of scans are told.
#pragma once

#include "platform.hpp"
#include "reduce.hpp"

namespace rocarray {

// Mirrored by ScanParams in _core/scan.pyx.
struct ScanParams {
    const char *input;
    char *output;
    char *partials;  // accumulators [line][chunk]; of tiles: ScanState
    int64_t n_lines;
    int64_t length;
    int64_t input_step;  // bytes along the axis
    int64_t output_step;
    int64_t chunk;  // items; on GPUs a tile
    int64_t n_chunks;
    int64_t n_groups;  // on GPUs: of tiles, a line
    int64_t lines_per_block;
    int64_t input_column;  // _columns: bytes between neighbouring lines
    int64_t output_column;
    int64_t n_columns;  // _columns: neighbouring lines, n_lines / n_columns groups of them
    int64_t ndim;
    int64_t shape[REDUCE_NDIM];  // of the lines (_columns: of the groups)
    int64_t input_strides[REDUCE_NDIM];
    int64_t output_strides[REDUCE_NDIM];
};

}  // namespace rocarray
