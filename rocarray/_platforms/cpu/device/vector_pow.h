// x to the power y for float, in double: log2, times y, exp2, without branches, so that loops over
// it vectorise. Within 0.54 units in the last place; special values are those of C99.
//
// The polynomials are minimax fits over their intervals: log2(m) / s in s^2, where s = (m - 1) / (m
// + 1) and m lies in [sqrt(1/2), sqrt(2)), to 2^-37; exp2(f), |f| <= 1/2, to 2^-29.
#pragma once

#include "hipcpu/base.h"

namespace vector_math {

// x is a positive, finite number.
inline __attribute__((always_inline)) double power_log2(double x) {
    const uint64_t bits = hipcpu::bit_cast<uint64_t>(x);
    const uint64_t above = bits - 0x3fe6a09e667f3bcdull;  // of sqrt(1/2)
    // The exponent, biased by 2048 and put under the bits of 2^52: a number without a conversion.
    const uint64_t biased = ((above >> 52) ^ 0x800) | 0x4330000000000000ull;
    const double exponent = hipcpu::bit_cast<double>(biased) - (0x1p52 + 2048);
    const double m = hipcpu::bit_cast<double>(bits - (above & 0xfff0000000000000ull));
    const double s = (m - 1) / (m + 1), z = s * s;
    double p = 0x1.5ce8590813b99p-2;
    p = __builtin_fma(p, z, 0x1.a58d8892d4f9ap-2);
    p = __builtin_fma(p, z, 0x1.27777fe8e239cp-1);
    p = __builtin_fma(p, z, 0x1.ec709d12cf1c4p-1);
    p = __builtin_fma(p, z, 0x1.71547652bedf5p+1);
    return __builtin_fma(p, s, exponent);
}

// |t| <= 1000.
inline __attribute__((always_inline)) double power_exp2(double t) {
    const double shifted = t + 0x1.8p52;  // its last bits are t, rounded
    const double f = t - (shifted - 0x1.8p52);
    double p = 0x1.41d3221a19e55p-13;
    p = __builtin_fma(p, f, 0x1.5f456a5e37b7cp-10);
    p = __builtin_fma(p, f, 0x1.3b2dbbdabdfebp-7);
    p = __builtin_fma(p, f, 0x1.c6aed4b9c01abp-5);
    p = __builtin_fma(p, f, 0x1.ebfbdadc8aa4fp-3);
    p = __builtin_fma(p, f, 0x1.62e430c7e8b4cp-1);
    p = __builtin_fma(p, f, 0x1.000000026160ap+0);
    return hipcpu::bit_cast<double>(hipcpu::bit_cast<uint64_t>(p) +
                                    (hipcpu::bit_cast<uint64_t>(shifted) << 52));
}

inline __attribute__((always_inline)) float power(float x, float y) {
    const float infinity = __builtin_inff();
    const float ax = __builtin_fabsf(x);
    double t = power_log2(ax) * static_cast<double>(y);
    t = t > 200.0 ? 200.0 : t;
    t = t < -200.0 ? -200.0 : t;
    float r = static_cast<float>(power_exp2(t));
    const float end = (ax == 0) == (y < 0) ? infinity : 0.0f;
    r = (ax == 0) | (ax == infinity) ? end : r;
    const float half = y * 0.5f;
    const bool whole = __builtin_truncf(y) == y;
    const bool odd = whole & (__builtin_truncf(half) != half);
    const uint32_t sign = odd ? hipcpu::bit_cast<uint32_t>(x) & 0x80000000u : 0u;
    r = hipcpu::bit_cast<float>(hipcpu::bit_cast<uint32_t>(r) | sign);
    r = (x < 0) & (ax < infinity) & !whole ? __builtin_nanf("") : r;
    r = __builtin_isunordered(x, y) ? x + y : r;
    const bool one = (x == 1) | (y == 0) | ((ax == 1) & (__builtin_fabsf(y) == infinity));
    return one ? 1.0f : r;
}

}  // namespace vector_math
