// float16: stored in 16 bits, computed in float32, rounded to nearest even after each operation.
#pragma once

#include "platform.hpp"

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

}  // namespace rocarray
