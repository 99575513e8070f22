// bfloat16: the upper bfloat16 of a float32, computed in float32, rounded to nearest even after
// each operation.
#pragma once

#include "platform.hpp"

namespace rocarray {

struct bfloat16 {
    uint16_t bits;

    bfloat16() = default;
    DEVICE
    bfloat16(float x) : bits(from_float(x)) {}
    DEVICE
    bfloat16(double x) : bits(from_double(x)) {}
    DEVICE
    bfloat16(int x) : bits(from_float(static_cast<float>(x))) {}
    DEVICE
    operator float() const { return to_float(bits); }

    static DEVICE
    bfloat16 from_bits(uint16_t bits) {
        bfloat16 h;
        h.bits = bits;
        return h;
    }

    static DEVICE
    uint16_t from_float(float x) {
        const uint32_t u = bit_cast<uint32_t>(x);
        const uint32_t quiet_nan = (u >> 16) | 0x40u;
        const uint32_t rounded = (u + 0x7fffu + ((u >> 16) & 1u)) >> 16;
        return static_cast<uint16_t>((u & 0x7fffffffu) > 0x7f800000u ? quiet_nan : rounded);
    }
    static DEVICE
    uint16_t from_double(double x) { return from_float(round_to_odd(x)); }
    static DEVICE
    float to_float(uint16_t x) { return bit_cast<float>(static_cast<uint32_t>(x) << 16); }
};

DEVICE
bfloat16 operator-(bfloat16 a) { return bfloat16::from_bits(a.bits ^ 0x8000); }

#define ROCARRAY_BFLOAT16_OPERATOR(op) \
    DEVICE                             \
    bfloat16 operator op(bfloat16 a, bfloat16 b) { return bfloat16(float(a) op float(b)); }
ROCARRAY_BFLOAT16_OPERATOR(+)
ROCARRAY_BFLOAT16_OPERATOR(-)
ROCARRAY_BFLOAT16_OPERATOR(*)
ROCARRAY_BFLOAT16_OPERATOR(/)
#undef ROCARRAY_BFLOAT16_OPERATOR

#define ROCARRAY_BFLOAT16_COMPARISON(op) \
    DEVICE                               \
    bool operator op(bfloat16 a, bfloat16 b) { return float(a) op float(b); }
ROCARRAY_BFLOAT16_COMPARISON(<)
ROCARRAY_BFLOAT16_COMPARISON(<=)
ROCARRAY_BFLOAT16_COMPARISON(>)
ROCARRAY_BFLOAT16_COMPARISON(>=)
ROCARRAY_BFLOAT16_COMPARISON(==)
ROCARRAY_BFLOAT16_COMPARISON(!=)
#undef ROCARRAY_BFLOAT16_COMPARISON

DEVICE
bfloat16 &operator+=(bfloat16 &a, bfloat16 b) { return a = a + b; }
DEVICE
bfloat16 &operator-=(bfloat16 &a, bfloat16 b) { return a = a - b; }
DEVICE
bfloat16 &operator*=(bfloat16 &a, bfloat16 b) { return a = a * b; }
DEVICE
bfloat16 &operator/=(bfloat16 &a, bfloat16 b) { return a = a / b; }

}  // namespace rocarray
