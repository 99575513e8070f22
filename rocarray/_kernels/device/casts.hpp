// cast<To>(x): conversion between any two element types, the same on every machine.
//
// Floats become integers by truncation, saturated at the type's limits, NaN gives 0; integers wrap;
// complex numbers drop the imaginary part; bool is x != 0.
#pragma once

#include "types.hpp"

namespace rocarray {

template <class To, class From>
DEVICE
To float_to_integer(From x) {
    // 2^digits is exact in either float type, where the integer's maximum need not be.
    constexpr int digits = sizeof(To) * 8 - (is_signed<To>() ? 1 : 0);
    const From limit = static_cast<From>(static_cast<uint64_t>(1) << (digits - 1)) * From(2);
    if (x != x) {
        return To(0);
    }
    if (x >= limit) {
        return integer_max<To>();
    }
    if (is_signed<To>() ? x < -limit : x <= From(-1)) {
        return integer_min<To>();
    }
    return static_cast<To>(x);
}

template <class To, class From>
DEVICE
To cast(From x) {
    if constexpr (is_same<To, From>::value) {
        return x;
    } else if constexpr (is_same<To, bool>::value) {
        if constexpr (is_complex<From>::value) {
            return x.re != 0 || x.im != 0;
        } else {
            return compute<From>(x) != compute<From>(0);
        }
    } else if constexpr (is_complex<From>::value) {
        if constexpr (is_complex<To>::value) {
            typedef typename To::value_type T;
            return To(static_cast<T>(x.re), static_cast<T>(x.im));
        } else {
            return cast<To>(x.re);
        }
    } else if constexpr (is_complex<To>::value) {
        return To(cast<typename To::value_type>(x));
    } else if constexpr (is_small_float<From>) {
        return cast<To>(static_cast<float>(x));
    } else if constexpr (is_small_float<To>) {
        if constexpr (is_same<From, float>::value) {
            return To(x);
        } else {
            return To(static_cast<double>(x));
        }
    } else if constexpr (is_integer<To>::value && !is_integer<From>::value) {
        return float_to_integer<To>(x);
    } else {
        return static_cast<To>(x);
    }
}

}  // namespace rocarray
