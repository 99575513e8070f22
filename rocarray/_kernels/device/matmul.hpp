// Matrix products of any element type, batched: the path for types that no library multiplies.
//
// All operands are contiguous matrices in C order. 16-bit floats are accumulated in float32. Where
// a work-item is alone, a row of the result is made in strips of columns, which vectorise.
#pragma once

#include "matmul_params.hpp"

#if defined(ROCARRAY_BLOCK_SIZE) && ROCARRAY_BLOCK_SIZE == 1
#define ROCARRAY_MATMUL(NAME, T)                               \
    KERNEL                                                     \
    NAME(rocarray::MatmulParams p) { rocarray::matmul<T>(p); } \
    KERNEL_EXPORT(NAME)
#else
#include "matmul_tiles.hpp"
#define ROCARRAY_MATMUL(NAME, T)                                                   \
    DENSE_KERNEL(2)                                                                \
    NAME(rocarray::MatmulParams p) {                                               \
        rocarray::matmul_tiles<T, rocarray::TILE_M<T>, rocarray::TILE_N<T>>(p);    \
    }                                                                              \
    DENSE_KERNEL(2)                                                                \
    NAME##_small(rocarray::MatmulParams p) { rocarray::matmul_tiles<T, 2, 2>(p); } \
    KERNEL                                                                         \
    NAME##_vector(rocarray::MatmulParams p) { rocarray::matmul_vector<T>(p); }     \
    KERNEL                                                                         \
    NAME##_row(rocarray::MatmulParams p) { rocarray::matmul_row<T>(p); }
#endif
