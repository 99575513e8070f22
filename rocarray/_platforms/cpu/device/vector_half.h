// Runs of float16 to float32 and back, by the processor's own instructions where it has them.
// Compilers do not put those into vectorised loops by themselves.
#pragma once

#include "hipcpu/base.h"

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__F16C__)
#define ROCARRAY_VECTOR_HALF 1

namespace vector_half {

typedef short Halves __attribute__((vector_size(16)));
typedef float Floats __attribute__((vector_size(32)));

// Both return how many of the `n` items they converted: whole vectors.
inline __attribute__((always_inline)) int64_t to_float(const uint16_t *from, float *to, int64_t n) {
    int64_t i = 0;
    for (; i + 8 <= n; i += 8) {
        Halves halves;
        __builtin_memcpy(&halves, from + i, sizeof(halves));
        const Floats floats = __builtin_ia32_vcvtph2ps256(halves);
        __builtin_memcpy(to + i, &floats, sizeof(floats));
    }
    return i;
}

inline __attribute__((always_inline)) int64_t from_float(const float *from, uint16_t *to,
                                                         int64_t n) {
    int64_t i = 0;
    for (; i + 8 <= n; i += 8) {
        Floats floats;
        __builtin_memcpy(&floats, from + i, sizeof(floats));
        const Halves halves = __builtin_ia32_vcvtps2ph256(floats, 0);  // to nearest, ties to even
        __builtin_memcpy(to + i, &halves, sizeof(halves));
    }
    return i;
}

}  // namespace vector_half

#endif
