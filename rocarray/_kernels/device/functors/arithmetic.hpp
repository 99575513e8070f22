// Arithmetic with NumPy's results: integer division by zero gives 0, remainders take the divisor's
// sign, float division and remainder are exact in NumPy's sense.
#pragma once

#include "math.hpp"

namespace rocarray {

#define ROCARRAY_OPERATOR(NAME, op)                                            \
    struct NAME {                                                              \
        template <class T>                                                     \
        DEVICE                                                                 \
        T operator()(T a, T b) const {                                         \
            if constexpr (is_integer<T>::value) {                              \
                typedef typename make_unsigned<T>::type U;                     \
                return static_cast<T>(static_cast<U>(a) op static_cast<U>(b)); \
            } else {                                                           \
                return a op b;                                                 \
            }                                                                  \
        }                                                                      \
    };
struct Add {
    DEVICE
    bool operator()(bool a, bool b) const { return a | b; }
    template <class T>
    DEVICE
    T operator()(T a, T b) const {
        if constexpr (is_integer<T>::value) {
            typedef typename make_unsigned<T>::type U;
            return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
        } else {
            return a + b;
        }
    }
};
ROCARRAY_OPERATOR(Subtract, -)
struct Multiply {
    DEVICE
    bool operator()(bool a, bool b) const { return a & b; }
    template <class T>
    DEVICE
    T operator()(T a, T b) const {
        if constexpr (is_integer<T>::value) {
            // Narrow types are promoted to int, where a product could overflow: go unsigned first.
            typedef typename make_unsigned<T>::type U;
            return static_cast<T>(static_cast<uint64_t>(static_cast<U>(a)) *
                                  static_cast<uint64_t>(static_cast<U>(b)));
        } else {
            return a * b;
        }
    }
};
#undef ROCARRAY_OPERATOR

struct Divide {
    template <class T>
    DEVICE
    T operator()(T a, T b) const { return a / b; }
};

#if defined(HIPCPU) && defined(__FMA__)
#define ROCARRAY_SHORT_FMOD 1
// fmod where the quotient is not too large, without branches: the truncated quotient is right or
// one too large, and so the rest, in one rounding, is exact. Returns whether it was not that
// simple.
template <class T>
DEVICE
bool short_fmod(T a, T b, T &mod) {
    const T limit = is_same<T, double>::value ? T(0x1p52) : T(0x1p23);
    const T quotient = a / b;
    const T whole = m::trunc(quotient);
    T rest;
    if constexpr (is_same<T, double>::value) {
        rest = __builtin_fma(-whole, b, a);
    } else {
        rest = __builtin_fmaf(-whole, b, a);
    }
    const bool beyond = (rest != 0) & ((rest < 0) != (a < 0));
    const T back = m::copysign(b, a);
    rest = beyond ? rest + back : rest;
    mod = m::copysign(rest, a);
    return !((m::fabs(quotient) < limit) & m::is_finite(b));
}
#endif

// The remainder with the divisor's sign, of what fmod gives.
template <class T>
DEVICE
T signed_remainder(T mod, T b) {
    const T moved = (b < 0) != (mod < 0) ? mod + b : mod;
    return mod != 0 ? moved : m::copysign(T(0), b);
}

// The quotient rounded down, of what fmod gives; b is not 0.
template <class T>
DEVICE
T floored_quotient(T a, T b, T mod) {
    const T exact = (a - mod) / b;
    const T div = (mod != 0) & ((b < 0) != (mod < 0)) ? exact - T(1) : exact;
    const T down = m::floor(div);
    const T nearest = div - down > T(0.5) ? down + T(1) : down;
    return div != 0 ? nearest : m::copysign(T(0), a / b);
}

// Quotient rounded down and remainder of floats (NumPy's npy_divmod).
template <class T>
DEVICE
void float_divmod(T a, T b, T &quotient, T &remainder) {
    T mod = m::fmod(a, b);
    if (b == 0) {
        quotient = a / b;
        remainder = mod;
        return;
    }
    quotient = floored_quotient(a, b, mod);
    remainder = signed_remainder(mod, b);
}

// a / b rounded towards zero, for a b that is neither 0 nor -1. CPUs have vector division of floats
// only: numbers of 32 bits go through double and those of 16 through float, where the truncated
// quotient is exact, since both hold more than the numerator's bits.
template <class T>
DEVICE
T truncated_quotient(T a, T b) {
#ifdef HIPCPU
    if constexpr (sizeof(T) <= 2) {
        return static_cast<T>(static_cast<int32_t>(static_cast<float>(a) / static_cast<float>(b)));
    } else if constexpr (is_same<T, int32_t>::value) {
        return static_cast<T>(static_cast<double>(a) / static_cast<double>(b));
    }
#endif
    return static_cast<T>(a / b);
}

// Quotient rounded down and remainder of integers, without branches; both 0 where b is 0.
template <class T>
DEVICE
void integer_divmod(T a, T b, T &quotient, T &remainder) {
    typedef typename make_unsigned<T>::type U;
    const bool by_zero = b == 0;
    const bool by_minus_one = is_signed<T>() & (b == static_cast<T>(-1));
    const T divisor = by_zero | by_minus_one ? T(1) : b;
    const T truncated = truncated_quotient(a, divisor);
    const T rest =
        static_cast<T>(static_cast<U>(a) -
                       static_cast<uint64_t>(static_cast<U>(truncated)) * static_cast<U>(divisor));
    const bool down = is_signed<T>() & (rest != 0) & ((rest < 0) != (divisor < 0));
    const T negated = static_cast<T>(U(0) - static_cast<U>(a));
    const T floored = static_cast<T>(static_cast<U>(truncated) - static_cast<U>(down));
    quotient = by_zero ? T(0) : by_minus_one ? negated : floored;
    remainder = static_cast<T>(static_cast<U>(rest) + (down ? static_cast<U>(divisor) : U(0)));
}

struct FloorDivide {
    static constexpr bool HEAVY = true;
    static constexpr bool IN_FLOAT = true;
    template <class T>
    DEVICE
    T operator()(T a, T b) const {
        if constexpr (is_integer<T>::value) {
            T q, r;
            integer_divmod(a, b, q, r);
            return q;
        } else {
            compute<T> q, r;
            float_divmod<compute<T>>(a, b, q, r);
            return T(q);
        }
    }
#ifdef ROCARRAY_SHORT_FMOD
    template <class T>
    DEVICE
    static bool simple(T a, T b, T &result) {
        T mod;
        const bool hard = short_fmod(a, b, mod);
        result = floored_quotient(a, b, mod);
        return !hard;
    }
#endif
};

struct Remainder {
    static constexpr bool HEAVY = true;
    static constexpr bool IN_FLOAT = true;
    template <class T>
    DEVICE
    T operator()(T a, T b) const {
        if constexpr (is_integer<T>::value) {
            T q, r;
            integer_divmod(a, b, q, r);
            return r;
        } else {
            const compute<T> x = a, y = b;
            const compute<T> mod = m::fmod(x, y);
            return T(y == 0 ? mod : signed_remainder(mod, y));
        }
    }
#ifdef ROCARRAY_SHORT_FMOD
    template <class T>
    DEVICE
    static bool simple(T a, T b, T &result) {
        T mod;
        const bool hard = short_fmod(a, b, mod);
        result = signed_remainder(mod, b);
        return !hard;
    }
#endif
};

struct Divmod {
    static constexpr bool HEAVY = true;
    template <class T>
    DEVICE
    void operator()(T a, T b, T &q, T &r) const {
        if constexpr (is_integer<T>::value) {
            integer_divmod(a, b, q, r);
        } else {
            compute<T> quotient, rest;
            float_divmod<compute<T>>(a, b, quotient, rest);
            q = T(quotient);
            r = T(rest);
        }
    }
#ifdef ROCARRAY_SHORT_FMOD
    template <class T>
    DEVICE
    static bool simple(T a, T b, T &q, T &r) {
        T mod;
        const bool hard = short_fmod(a, b, mod);
        q = floored_quotient(a, b, mod);
        r = signed_remainder(mod, b);
        return !hard;
    }
#endif
};

struct Fmod {
    static constexpr bool HEAVY = true;
    static constexpr bool IN_FLOAT = true;
    template <class T>
    DEVICE
    T operator()(T a, T b) const {
        if constexpr (is_integer<T>::value) {
            typedef typename make_unsigned<T>::type U;
            const bool simple = (b == 0) | (is_signed<T>() & (b == static_cast<T>(-1)));
            const T divisor = simple ? T(1) : b;
            const uint64_t q = static_cast<U>(truncated_quotient(a, divisor));
            return static_cast<T>(static_cast<U>(a) - q * static_cast<U>(divisor));
        } else {
            return T(m::fmod(compute<T>(a), compute<T>(b)));
        }
    }
#ifdef ROCARRAY_SHORT_FMOD
    template <class T>
    DEVICE
    static bool simple(T a, T b, T &result) { return !short_fmod(a, b, result); }
#endif
};

struct Negative {
    template <class T>
    DEVICE
    T operator()(T a) const {
        if constexpr (is_integer<T>::value) {
            typedef typename make_unsigned<T>::type U;
            return static_cast<T>(U(0) - static_cast<U>(a));
        } else {
            return -a;
        }
    }
};

struct Positive {
    template <class T>
    DEVICE
    T operator()(T a) const { return a; }
};

// |x + iy| without overflow, and without branches or calls, so that loops vectorise.
DEVICE
float modulus(float x, float y) {
    const double a = x, b = y;
    const float r = static_cast<float>(m::sqrt(a * a + b * b));
    return m::is_inf(x) | m::is_inf(y) ? m::infinity(x) : r;
}
DEVICE
double modulus(double x, double y) {
    const double a = m::fabs(x), b = m::fabs(y);
    // The larger operand's power of two is taken out of both; its own inverse is a normal number.
    const uint64_t larger = bit_cast<uint64_t>(a > b ? a : b) >> 52 & 0x7ff;
    const uint64_t power = larger < 1 ? 1 : larger > 2045 ? 2045 : larger;
    const double scale = bit_cast<double>((2046 - power) << 52);
    const double u = a * scale, v = b * scale;
    const double r = m::sqrt(u * u + v * v) * bit_cast<double>(power << 52);
    return m::is_inf(x) | m::is_inf(y) ? m::infinity(x) : r;
}

struct Absolute {
    template <class T>
    DEVICE
    T operator()(complex<T> a) const { return modulus(a.re, a.im); }
    DEVICE
    bool operator()(bool a) const { return a; }
    DEVICE
    half operator()(half a) const { return half::from_bits(a.bits & 0x7fff); }
    DEVICE
    bfloat16 operator()(bfloat16 a) const { return bfloat16::from_bits(a.bits & 0x7fff); }
    DEVICE
    float operator()(float a) const { return m::fabs(a); }
    DEVICE
    double operator()(double a) const { return m::fabs(a); }
    template <class T>
    DEVICE
    T operator()(T a) const {
        typedef typename make_unsigned<T>::type U;
        return a < 0 ? static_cast<T>(U(0) - static_cast<U>(a)) : a;
    }
};

struct Fabs {
    template <class T>
    DEVICE
    T operator()(T a) const { return Absolute()(a); }
};

struct Square {
    template <class T>
    DEVICE
    T operator()(T a) const { return Multiply()(a, a); }
};

struct Reciprocal {
    template <class T>
    DEVICE
    T operator()(T a) const {
        if constexpr (is_integer<T>::value) {
            // What C's float to int conversion of 1/0 gives in NumPy: the type's minimum.
            if (a == 0) {
                return is_signed<T>() && sizeof(T) >= 4 ? integer_min<T>() : T(0);
            }
            return static_cast<T>(T(1) / a);
        } else if constexpr (is_complex<T>::value) {
            typedef typename T::value_type R;
            const R abs_re = m::fabs(a.re), abs_im = m::fabs(a.im);
            if (abs_im <= abs_re) {
                const R ratio = a.im / a.re, scale = a.re + a.im * ratio;
                return {R(1) / scale, -ratio / scale};
            }
            const R ratio = a.re / a.im, scale = a.re * ratio + a.im;
            return {ratio / scale, R(-1) / scale};
        } else {
            return T(1) / a;
        }
    }
};

struct Sign {
    template <class T>
    DEVICE
    T operator()(T a) const {
        if constexpr (is_complex<T>::value) {
            typedef typename T::value_type R;
            const R size = m::hypot(a.re, a.im);
            if (is_nan(a) || size != size) {
                return {m::nan(R(0)), m::nan(R(0))};
            }
            if (m::is_inf(size)) {
                if (m::is_inf(a.re) && m::is_inf(a.im)) {
                    return {m::nan(R(0)), m::nan(R(0))};
                }
                return {m::is_inf(a.re) ? m::copysign(R(1), a.re) : R(0),
                        m::is_inf(a.im) ? m::copysign(R(1), a.im) : R(0)};
            }
            if (size == 0) {
                return {R(0), R(0)};
            }
            return {a.re / size, a.im / size};
        } else if constexpr (is_integer<T>::value) {
            return a > 0 ? T(1) : a < 0 ? static_cast<T>(-1) : T(0);
        } else {
            return a > T(0) ? T(1) : a < T(0) ? T(-1) : a == T(0) ? T(0) : a;
        }
    }
};

struct Conjugate {
    template <class T>
    DEVICE
    T operator()(T a) const {
        if constexpr (is_complex<T>::value) {
            return {a.re, -a.im};
        } else {
            return a;
        }
    }
};

struct Heaviside {
    template <class T>
    DEVICE
    T operator()(T a, T b) const {
        const compute<T> x = a;
        return x != x ? a : x == 0 ? b : x < 0 ? T(0) : T(1);
    }
};

// NumPy's maximum and minimum let NaN through; fmax and fmin drop it.
struct Maximum {
    template <class T>
    DEVICE
    T operator()(T a, T b) const {
        if constexpr (is_integer<T>::value) {
            return a > b ? a : b;
        } else {
            return (a >= b) | is_nan(a) ? a : b;
        }
    }
};
struct Minimum {
    template <class T>
    DEVICE
    T operator()(T a, T b) const {
        if constexpr (is_integer<T>::value) {
            return a < b ? a : b;
        } else {
            return (a <= b) | is_nan(a) ? a : b;
        }
    }
};
struct Fmax {
    template <class T>
    DEVICE
    T operator()(T a, T b) const { return (a >= b) | is_nan(b) ? a : b; }
};
struct Fmin {
    template <class T>
    DEVICE
    T operator()(T a, T b) const { return (a <= b) | is_nan(b) ? a : b; }
};

template <class T>
DEVICE
T integer_power(T base, T exponent) {
    typedef typename make_unsigned<T>::type U;
    if (is_signed<T>() && exponent < 0) {
        // The host refuses negative exponents of integers as NumPy does; this is never stored.
        return 0;
    }
    uint64_t result = 1, x = static_cast<uint64_t>(static_cast<U>(base));
    U e = static_cast<U>(exponent);
    while (e != 0) {
        if (e & 1) {
            result *= x;
        }
        x *= x;
        e = static_cast<U>(e >> 1);
    }
    return static_cast<T>(result);
}

template <class T>
DEVICE
T gcd(T a, T b) {
    typedef typename make_unsigned<T>::type U;
    U x = is_signed<T>() && a < 0 ? static_cast<U>(U(0) - static_cast<U>(a)) : static_cast<U>(a);
    U y = is_signed<T>() && b < 0 ? static_cast<U>(U(0) - static_cast<U>(b)) : static_cast<U>(b);
    while (y != 0) {
        const U r = x % y;
        x = y;
        y = r;
    }
    return static_cast<T>(x);
}

struct Gcd {
    static constexpr bool HEAVY = true;
    template <class T>
    DEVICE
    T operator()(T a, T b) const { return gcd(a, b); }
};

struct Lcm {
    static constexpr bool HEAVY = true;
    template <class T>
    DEVICE
    T operator()(T a, T b) const {
        typedef typename make_unsigned<T>::type U;
        const U g = static_cast<U>(gcd(a, b));
        if (g == 0) {
            return 0;
        }
        const U x =
            is_signed<T>() && a < 0 ? static_cast<U>(U(0) - static_cast<U>(a)) : static_cast<U>(a);
        const U y =
            is_signed<T>() && b < 0 ? static_cast<U>(U(0) - static_cast<U>(b)) : static_cast<U>(b);
        return static_cast<T>(static_cast<uint64_t>(x / g) * static_cast<uint64_t>(y));
    }
};

}  // namespace rocarray
