// reduce, accumulate and reduceat of any binary function, in order: one work-item an output line.
//
// For functions that are not associative (subtract, divide, power ...) the order is the meaning.
#pragma once

#include "line_offsets.hpp"

namespace rocarray {

// Mirrored by FoldParams in _core/scan.pyx.
struct FoldParams {
    const char *input;
    char *output;
    const int64_t *segments;  // reduceat: where each segment begins
    int64_t n_lines;
    int64_t length;
    int64_t n_segments;
    int64_t input_step;  // bytes along the axis
    int64_t output_step;
    int64_t lines_per_item;
    int64_t ndim;
    int64_t shape[REDUCE_NDIM];
    int64_t input_strides[REDUCE_NDIM];
    int64_t output_strides[REDUCE_NDIM];
};

template <class F, class T>
DEVICE
T fold_items(const char *in, index_t step, index_t begin, index_t end) {
    T value = *reinterpret_cast<const T *>(in + begin * step);
    for (index_t i = begin + 1; i < end; ++i) {
        value = F()(value, *reinterpret_cast<const T *>(in + i * step));
    }
    return value;
}

// Lines that this work-item takes.
#define ROCARRAY_FOLD_LINES(line, count)                                                           \
    const index_t fold_first = (block_index() * block_size() + thread_index()) * p.lines_per_item; \
    for (index_t line = fold_first; line < fold_first + p.lines_per_item && line < (count); ++line)

template <class F, class T>
DEVICE
void fold_reduce(const FoldParams &p) {
    ROCARRAY_FOLD_LINES(line, p.n_lines) {
        const char *in = p.input + reduce_offset(line, p.ndim, p.shape, p.input_strides);
        char *out = p.output + reduce_offset(line, p.ndim, p.shape, p.output_strides);
        *reinterpret_cast<T *>(out) = fold_items<F, T>(in, p.input_step, 0, p.length);
    }
}

template <class F, class T>
DEVICE
void fold_accumulate(const FoldParams &p) {
    ROCARRAY_FOLD_LINES(line, p.n_lines) {
        const char *in = p.input + reduce_offset(line, p.ndim, p.shape, p.input_strides);
        char *out = p.output + reduce_offset(line, p.ndim, p.shape, p.output_strides);
        T value = *reinterpret_cast<const T *>(in);
        *reinterpret_cast<T *>(out) = value;
        for (index_t i = 1; i < p.length; ++i) {
            value = F()(value, *reinterpret_cast<const T *>(in + i * p.input_step));
            *reinterpret_cast<T *>(out + i * p.output_step) = value;
        }
    }
}

// A segment that does not ascend is its first item alone, as in numpy.ufunc.reduceat.
template <class F, class T>
DEVICE
void fold_reduceat(const FoldParams &p) {
    ROCARRAY_FOLD_LINES(item, p.n_lines * p.n_segments) {
        const index_t line = item / p.n_segments;
        const index_t segment = item - line * p.n_segments;
        const char *in = p.input + reduce_offset(line, p.ndim, p.shape, p.input_strides);
        char *out = p.output + reduce_offset(line, p.ndim, p.shape, p.output_strides);
        const index_t begin = p.segments[segment];
        const index_t next = segment + 1 < p.n_segments ? p.segments[segment + 1] : p.length;
        *reinterpret_cast<T *>(out + segment * p.output_step) =
            fold_items<F, T>(in, p.input_step, begin, next > begin ? next : begin + 1);
    }
}

}  // namespace rocarray

// The three kernels of functor F on items of type T.
#define ROCARRAY_FOLD(NAME, F, T)               \
    KERNEL                                      \
    NAME##_reduce(rocarray::FoldParams p) {     \
        using namespace rocarray;               \
        fold_reduce<F, T>(p);                   \
    }                                           \
    KERNEL                                      \
    NAME##_accumulate(rocarray::FoldParams p) { \
        using namespace rocarray;               \
        fold_accumulate<F, T>(p);               \
    }                                           \
    KERNEL                                      \
    NAME##_reduceat(rocarray::FoldParams p) {   \
        using namespace rocarray;               \
        fold_reduceat<F, T>(p);                 \
    }                                           \
    KERNEL_EXPORT(NAME##_reduce)                \
    KERNEL_EXPORT(NAME##_accumulate)            \
    KERNEL_EXPORT(NAME##_reduceat)
