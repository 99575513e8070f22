// Exponential, logarithmic, trigonometric and power functions, real and complex.
#pragma once

#include "functors/arithmetic.hpp"
#include "functors/complex_functions.hpp"

namespace rocarray {

// A functor over all floating types from one real function and one complex function.
#define ROCARRAY_FUNCTION(NAME, function)             \
    struct NAME {                                     \
        static constexpr bool HEAVY = true;           \
        static constexpr bool IN_FLOAT = true;        \
        template <class T>                            \
        DEVICE                                        \
        T operator()(T a) const {                     \
            if constexpr (is_complex<T>::value) {     \
                return c::function(a);                \
            } else {                                  \
                return T(m::function(compute<T>(a))); \
            }                                         \
        }                                             \
    };
ROCARRAY_FUNCTION(Sqrt, sqrt)
ROCARRAY_FUNCTION(Exp, exp)
ROCARRAY_FUNCTION(Exp2, exp2)
ROCARRAY_FUNCTION(Expm1, expm1)
ROCARRAY_FUNCTION(Log, log)
ROCARRAY_FUNCTION(Log2, log2)
ROCARRAY_FUNCTION(Log10, log10)
ROCARRAY_FUNCTION(Log1p, log1p)
ROCARRAY_FUNCTION(Sin, sin)
ROCARRAY_FUNCTION(Cos, cos)
ROCARRAY_FUNCTION(Tan, tan)
ROCARRAY_FUNCTION(Arcsin, asin)
ROCARRAY_FUNCTION(Arccos, acos)
ROCARRAY_FUNCTION(Arctan, atan)
ROCARRAY_FUNCTION(Sinh, sinh)
ROCARRAY_FUNCTION(Cosh, cosh)
ROCARRAY_FUNCTION(Tanh, tanh)
ROCARRAY_FUNCTION(Arcsinh, asinh)
ROCARRAY_FUNCTION(Arccosh, acosh)
ROCARRAY_FUNCTION(Arctanh, atanh)
#undef ROCARRAY_FUNCTION

struct Cbrt {
    static constexpr bool HEAVY = true;
    static constexpr bool IN_FLOAT = true;
    template <class T>
    DEVICE
    T operator()(T a) const { return T(m::cbrt(compute<T>(a))); }
};

struct Arctan2 {
    static constexpr bool HEAVY = true;
    static constexpr bool IN_FLOAT = true;
    template <class T>
    DEVICE
    T operator()(T a, T b) const { return T(m::atan2(compute<T>(a), compute<T>(b))); }
};

struct Hypot {
    static constexpr bool HEAVY = true;
    static constexpr bool IN_FLOAT = true;
    template <class T>
    DEVICE
    T operator()(T a, T b) const { return T(m::hypot(compute<T>(a), compute<T>(b))); }
};

struct Logaddexp {
    static constexpr bool HEAVY = true;
    static constexpr bool IN_FLOAT = true;
    template <class T>
    DEVICE
    T operator()(T a, T b) const {
        typedef compute<T> R;
        const R x = a, y = b;
        if (x == y) {
            return T(x + R(0.693147180559945309417232121458176568));
        }
        const R d = x - y;
        return d > 0 ? T(x + m::log1p(m::exp(-d))) : d <= 0 ? T(y + m::log1p(m::exp(d))) : T(d);
    }
};

struct Logaddexp2 {
    static constexpr bool HEAVY = true;
    static constexpr bool IN_FLOAT = true;
    template <class T>
    DEVICE
    T operator()(T a, T b) const {
        typedef compute<T> R;
        constexpr R log2e = R(1.442695040888963407359924681001892137);
        const R x = a, y = b;
        if (x == y) {
            return T(x + R(1));
        }
        const R d = x - y;
        return d > 0    ? T(x + log2e * m::log1p(m::exp2(-d)))
               : d <= 0 ? T(y + log2e * m::log1p(m::exp2(d)))
                        : T(d);
    }
};

constexpr double kPi = 3.141592653589793238462643383279502884;

struct Deg2rad {
    template <class T>
    DEVICE
    T operator()(T a) const { return T(compute<T>(a) * (compute<T>(kPi) / compute<T>(180))); }
};
struct Rad2deg {
    template <class T>
    DEVICE
    T operator()(T a) const { return T(compute<T>(a) * (compute<T>(180) / compute<T>(kPi))); }
};

struct Power {
    static constexpr bool HEAVY = true;
    static constexpr bool IN_FLOAT = true;
    template <class T>
    DEVICE
    T operator()(T a, T b) const {
        if constexpr (is_integer<T>::value) {
            return integer_power(a, b);
        } else if constexpr (is_complex<T>::value) {
            return c::pow(a, b);
        } else {
            return T(m::pow(compute<T>(a), compute<T>(b)));
        }
    }
};

}  // namespace rocarray
