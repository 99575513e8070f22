// Where the i-th of several lines begins, for lines over up to REDUCE_NDIM axes.
#pragma once

#include "platform.hpp"

namespace rocarray {

constexpr int REDUCE_NDIM = 8;

DEVICE
index_t reduce_offset(index_t i, index_t ndim, const int64_t *shape, const int64_t *strides) {
    index_t offset = 0;
    for (index_t d = ndim - 1; d > 0; --d) {
        const index_t q = quotient(i, shape[d]);
        offset += (i - q * shape[d]) * strides[d];
        i = q;
    }
    return ndim > 0 ? offset + i * strides[0] : 0;
}

}  // namespace rocarray
