// float16: stored in 16 bits, computed in float32, rounded to nearest even after each operation.
#pragma once

#include "platform.hpp"

#ifdef HIPCPU
#include "vector_half.h"
#endif

namespace rocarray {

struct half {
    uint16_t bits;

    half() = default;
    DEVICE
    half(float x) : bits(from_float(x)) {}
    DEVICE
    half(double x) : bits(from_double(x)) {}
    DEVICE
    half(int x) : bits(from_float(static_cast<float>(x))) {}
    DEVICE
    operator float() const { return to_float(bits); }

    static DEVICE
    half from_bits(uint16_t bits) {
        half h;
        h.bits = bits;
        return h;
    }

#if defined(__CUDACC__)
    static DEVICE
    uint16_t from_float(float x) {
        uint16_t r;
        asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r) : "f"(x));
        return r;
    }
    static DEVICE
    uint16_t from_double(double x) {
        uint16_t r;
        asm("cvt.rn.f16.f64 %0, %1;" : "=h"(r) : "d"(x));
        return r;
    }
    static DEVICE
    float to_float(uint16_t x) {
        float r;
        asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(x));
        return r;
    }
#elif defined(HIPCPU)
    // In integer steps without branches, which vectorise where conversions of _Float16 do not.
    static DEVICE
    uint16_t from_float(float x) {
        const uint32_t sign = bit_cast<uint32_t>(x) & 0x80000000u;
        const uint32_t u = bit_cast<uint32_t>(x) ^ sign;
        // Subnormal results: the addition rounds at the place of their last bit.
        const uint32_t subnormal = bit_cast<uint32_t>(bit_cast<float>(u) + 0.5f) - 0x3f000000u;
        const uint32_t normal = (u - 0x38000000u + 0xfffu + ((u >> 13) & 1u)) >> 13;
        const uint32_t special = u > 0x7f800000u ? 0x7e00u | ((u >> 13) & 0x3ffu) : 0x7c00u;
        const uint32_t finite = u < 0x38800000u ? subnormal : normal;
        return static_cast<uint16_t>((u >= 0x47800000u ? special : finite) | (sign >> 16));
    }
    static DEVICE
    uint16_t from_double(double x) { return from_float(round_to_odd(x)); }
    static DEVICE
    float to_float(uint16_t x) {
        const uint32_t wide = static_cast<uint32_t>(x);
        const uint32_t u = (wide & 0x7fffu) << 13;
        // 2**112 moves the exponent, and normalises subnormal numbers.
        const uint32_t scaled = bit_cast<uint32_t>(bit_cast<float>(u) * 0x1p112f);
        const uint32_t size = u >= 0x0f800000u ? u | 0x7f800000u : scaled;
        return bit_cast<float>(size | (wide & 0x8000u) << 16);
    }
#else
    static DEVICE
    uint16_t from_float(float x) { return bit_cast<uint16_t>(static_cast<_Float16>(x)); }
    static DEVICE
    uint16_t from_double(double x) { return bit_cast<uint16_t>(static_cast<_Float16>(x)); }
    static DEVICE
    float to_float(uint16_t x) { return static_cast<float>(bit_cast<_Float16>(x)); }
#endif
};

DEVICE
half operator-(half a) { return half::from_bits(a.bits ^ 0x8000); }

#define ROCARRAY_HALF_OPERATOR(op) \
    DEVICE                         \
    half operator op(half a, half b) { return half(float(a) op float(b)); }
ROCARRAY_HALF_OPERATOR(+)
ROCARRAY_HALF_OPERATOR(-)
ROCARRAY_HALF_OPERATOR(*)
ROCARRAY_HALF_OPERATOR(/)
#undef ROCARRAY_HALF_OPERATOR

#define ROCARRAY_HALF_COMPARISON(op) \
    DEVICE                           \
    bool operator op(half a, half b) { return float(a) op float(b); }
ROCARRAY_HALF_COMPARISON(<)
ROCARRAY_HALF_COMPARISON(<=)
ROCARRAY_HALF_COMPARISON(>)
ROCARRAY_HALF_COMPARISON(>=)
ROCARRAY_HALF_COMPARISON(==)
ROCARRAY_HALF_COMPARISON(!=)
#undef ROCARRAY_HALF_COMPARISON

DEVICE
half &operator+=(half &a, half b) { return a = a + b; }
DEVICE
half &operator-=(half &a, half b) { return a = a - b; }
DEVICE
half &operator*=(half &a, half b) { return a = a * b; }
DEVICE
half &operator/=(half &a, half b) { return a = a / b; }

#ifdef HIPCPU
DEVICE
void to_floats(const half *from, float *to, index_t n) {
    index_t i = 0;
#ifdef ROCARRAY_VECTOR_HALF
    i = vector_half::to_float(&from->bits, to, n);
#endif
    ROCARRAY_IVDEP for (; i < n; ++i) to[i] = from[i];
}

DEVICE
void from_floats(const float *from, half *to, index_t n) {
    index_t i = 0;
#ifdef ROCARRAY_VECTOR_HALF
    i = vector_half::from_float(from, &to->bits, n);
#endif
    ROCARRAY_IVDEP for (; i < n; ++i) to[i] = half(from[i]);
}
#endif

}  // namespace rocarray
