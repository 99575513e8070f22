// float16 and bfloat16 bit patterns to and from float, rounding to nearest even.
#pragma once

#include "base.h"

namespace hipcpu {

inline float half_to_float(uint16_t bits) {
#if defined(__F16C__) && defined(__FLT16_MANT_DIG__)
    return static_cast<float>(bit_cast<_Float16>(bits));
#else
    const uint32_t magnitude = bits & 0x7fffu;
    const uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
    uint32_t result;
    if (magnitude >= 0x7c00u)
        result = 0x7f800000u | (magnitude & 0x3ffu) << 13;
    else if (magnitude >= 0x400u)
        result = (magnitude << 13) + (112u << 23);
    else  // a subnormal is a small integer times 2**-24
        result = bit_cast<uint32_t>(static_cast<float>(magnitude) * 0x1p-24f);
    return bit_cast<float>(result | sign);
#endif
}

inline uint16_t float_to_half(float value) {
#if defined(__F16C__) && defined(__FLT16_MANT_DIG__)
    return bit_cast<uint16_t>(static_cast<_Float16>(value));
#else
    const uint32_t bits = bit_cast<uint32_t>(value);
    const uint16_t sign = static_cast<uint16_t>(bits >> 16 & 0x8000u);
    const uint32_t magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return sign | 0x7e00u | (magnitude >> 13 & 0x1ffu);
    if (magnitude >= 0x477ff000u) return sign | 0x7c00u;  // 65520 and above
    if (magnitude < 0x38800000u) {
        // Adding 0.5 puts the half's last place at the float's last place, rounded by the addition.
        const float shifted = bit_cast<float>(magnitude) + 0.5f;
        return sign | static_cast<uint16_t>(bit_cast<uint32_t>(shifted) - 0x3f000000u);
    }
    const uint32_t rounded = magnitude + 0xfffu + (magnitude >> 13 & 1u) - (112u << 23);
    return sign | static_cast<uint16_t>(rounded >> 13);
#endif
}

inline float bfloat16_to_float(uint16_t bits) {
    return bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

inline uint16_t float_to_bfloat16(float value) {
    const uint32_t bits = bit_cast<uint32_t>(value);
    const uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
    const uint32_t nan = (bits >> 16) | 0x40u;
    return static_cast<uint16_t>(value != value ? nan : rounded);
}

}  // namespace hipcpu
