// Radix sort's keys: unsigned numbers in the order of the values, and their digits.
#pragma once

#include "types.hpp"

namespace rocarray {

constexpr int RADIX = 256;

template <int N_BYTES>
struct radix_bits;
template <>
struct radix_bits<1> {
    typedef uint8_t type;
};
template <>
struct radix_bits<2> {
    typedef uint16_t type;
};
template <>
struct radix_bits<4> {
    typedef uint32_t type;
};
template <>
struct radix_bits<8> {
    typedef uint64_t type;
};
template <class T>
using radix_key = typename radix_bits<sizeof(T)>::type;

// An unsigned number for each value, in the order of the values; NaN last.
template <class T>
DEVICE
radix_key<T> order_key(T x) {
    typedef radix_key<T> Key;
    constexpr Key sign = static_cast<Key>(static_cast<Key>(1) << (sizeof(T) * 8 - 1));
    if constexpr (is_float<T>) {
        const compute<T> value = x;
        Key bits = bit_cast<Key>(x);
        if (value == 0) bits = 0;
        if (value != value) return static_cast<Key>(~static_cast<Key>(0));
        return bits & sign ? static_cast<Key>(~bits) : static_cast<Key>(bits | sign);
    } else if constexpr (is_signed<T>()) {
        return static_cast<Key>(static_cast<Key>(x) ^ sign);
    } else {
        return static_cast<Key>(x);
    }
}
template <class T>
DEVICE
int digit_of(T x, int64_t pass) {
    return static_cast<int>(order_key(x) >> (8 * pass)) & (RADIX - 1);
}

}  // namespace rocarray
