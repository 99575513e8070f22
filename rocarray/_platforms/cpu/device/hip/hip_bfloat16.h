// hip_bfloat16: the upper half of a float.
#pragma once

#include "hipcpu/half_bits.h"
#include "hipcpu/small_float.h"
#include "prelude.h"

struct hip_bfloat16 {
    uint16_t data;

    hip_bfloat16() = default;
    template <class S, class = typename hipcpu::EnableIf<hipcpu::is_arithmetic<S>>::type>
    hip_bfloat16(S number) : data(hipcpu::float_to_bfloat16(static_cast<float>(number))) {}
    static hip_bfloat16 from_bits(unsigned pattern) {
        hip_bfloat16 result;
        result.data = static_cast<uint16_t>(pattern);
        return result;
    }
    static hip_bfloat16 round_to_bfloat16(float number) { return hip_bfloat16(number); }
    unsigned bits() const { return data; }
    float value() const { return hipcpu::bfloat16_to_float(data); }

    operator float() const { return value(); }
    template <class S, class = typename hipcpu::EnableIf<hipcpu::is_integer<S> &&
                                                         !hipcpu::is_same<S, bool>>::type>
    explicit operator S() const {
        return hipcpu::saturating_cast<S>(value());
    }
    explicit operator double() const { return value(); }
    explicit operator bool() const { return (data & 0x7fffu) != 0; }
};

HIPCPU_SMALL_FLOAT_OPERATORS(hip_bfloat16)
