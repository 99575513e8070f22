// Rounding and the parts of floating-point numbers.
#pragma once

#include "functors/arithmetic.hpp"

namespace rocarray {

#define ROCARRAY_ROUNDING(NAME, function)                      \
    struct NAME {                                              \
        template <class T>                                     \
        DEVICE                                                 \
        T operator()(T a) const {                              \
            if constexpr (is_integer<T>::value) {              \
                return a;                                      \
            } else if constexpr (is_complex<T>::value) {       \
                return {m::function(a.re), m::function(a.im)}; \
            } else {                                           \
                return T(m::function(compute<T>(a)));          \
            }                                                  \
        }                                                      \
    };
ROCARRAY_ROUNDING(Floor, floor)
ROCARRAY_ROUNDING(Ceil, ceil)
ROCARRAY_ROUNDING(Trunc, trunc)
ROCARRAY_ROUNDING(Rint, rint)
#undef ROCARRAY_ROUNDING

struct Copysign {
    template <class T>
    DEVICE
    T operator()(T a, T b) const {
        if constexpr (is_small_float<T>) {
            return T::from_bits((a.bits & 0x7fff) | (b.bits & 0x8000));
        } else {
            return m::copysign(a, b);
        }
    }
};

// The integer of the same width as a float type, for work on its bits.
template <class T>
struct bits_of;
template <>
struct bits_of<half> {
    typedef uint16_t type;
};
template <>
struct bits_of<bfloat16> {
    typedef uint16_t type;
};
template <>
struct bits_of<float> {
    typedef uint32_t type;
};
template <>
struct bits_of<double> {
    typedef uint64_t type;
};

template <class T>
DEVICE
T next_after(T a, T b) {
    typedef typename bits_of<T>::type U;
    const compute<T> x = a, y = b;
    constexpr U sign = static_cast<U>(static_cast<U>(1) << (sizeof(U) * 8 - 1));
    if (x != x || y != y) {
        return x != x ? a : b;
    }
    if (x == y) {
        return b;  // matters for the sign of zero
    }
    U u = bit_cast<U>(a);
    if (x == 0) {
        u = static_cast<U>((y < 0 ? sign : 0) | 1);
    } else if ((x < y) == (x > 0)) {
        ++u;
    } else {
        --u;
    }
    return bit_cast<T>(u);
}

struct Nextafter {
    static constexpr bool HEAVY = true;
    template <class T>
    DEVICE
    T operator()(T a, T b) const { return next_after(a, b); }
};

struct Spacing {
    static constexpr bool HEAVY = true;
    template <class T>
    DEVICE
    T operator()(T a) const {
        const compute<T> x = a;
        if (!m::is_finite(x)) {
            return T(m::nan(x));
        }
        // NumPy's float16 steps upwards, the other types away from zero.
        const compute<T> far =
            is_same<T, half>::value || x == 0 ? m::infinity(x) : m::copysign(m::infinity(x), x);
        return T(compute<T>(next_after(a, T(far))) - x);
    }
};

// Two to the power n, a normal number.
DEVICE
double power_of_two(int n) { return bit_cast<double>(static_cast<uint64_t>(1023 + n) << 52); }

// Computed in double, where float's subnormal numbers are normal ones; no branches.
struct Frexp {
    static constexpr bool HEAVY = true;
    template <class T>
    DEVICE
    void operator()(T a, T &fraction, int32_t &exponent) const {
        const double x = static_cast<double>(compute<T>(a));
        const bool small = m::fabs(x) < 0x1p-1022;
        const uint64_t u = bit_cast<uint64_t>(small ? x * 0x1p54 : x);
        const int32_t field = static_cast<int32_t>(u >> 52) & 0x7ff;
        const double f = bit_cast<double>((u & 0x800fffffffffffffu) | 0x3fe0000000000000u);
        const bool plain = (x != 0) & m::is_finite(x);
        exponent = plain ? field - 1022 - (small ? 54 : 0) : 0;
        fraction = T(static_cast<compute<T>>(plain ? f : x));
    }
};

// Powers beyond the type's range are applied in steps, of which only the last one rounds.
struct Ldexp {
    static constexpr bool HEAVY = true;
    template <class T, class I>
    DEVICE
    T operator()(T a, I e) const {
        const I limit = is_same<T, double>::value ? 2200 : 320;
        int n = static_cast<int>(e > limit ? limit : e < -limit ? -limit : e);
        double x = static_cast<double>(compute<T>(a));
        if constexpr (is_same<T, double>::value) {
            for (int step = 0; step < 2; ++step) {
                const int part = n > 1023 ? 1023 : n < -1022 ? -969 : 0;
                x *= power_of_two(part);
                n -= part;
            }
            n = n > 1023 ? 1023 : n < -1022 ? -1022 : n;
        }
        return T(static_cast<compute<T>>(x * power_of_two(n)));
    }
};

struct Modf {
    template <class T>
    DEVICE
    void operator()(T a, T &fraction, T &whole) const {
        const compute<T> x = a;
        const compute<T> w = m::trunc(x);
        fraction = T(m::copysign(m::is_inf(x) ? compute<T>(0) : x - w, x));
        whole = T(w);
    }
};

}  // namespace rocarray
