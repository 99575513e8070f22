// Complex functions with the branch cuts and special values of C99 Annex G.
//
// On a CPU they are the C library's own. On GPUs they are written out below: W. Kahan, "Branch cuts
// for complex elementary functions", 1987, for the inverse functions.
#pragma once

#include "math.hpp"

namespace rocarray {
namespace c {

#ifdef HIPCPU

template <class T>
struct native;
template <>
struct native<float> {
    typedef __complex__ float type;
};
template <>
struct native<double> {
    typedef __complex__ double type;
};

template <class T>
DEVICE
typename native<T>::type to_native(complex<T> z) { return bit_cast<typename native<T>::type>(z); }
template <class T>
DEVICE
complex<T> from_native(typename native<T>::type z) { return bit_cast<complex<T>>(z); }

#define ROCARRAY_COMPLEX(name)                                         \
    DEVICE                                                             \
    complex<float> name(complex<float> z) {                            \
        return from_native<float>(__builtin_c##name##f(to_native(z))); \
    }                                                                  \
    DEVICE                                                             \
    complex<double> name(complex<double> z) {                          \
        return from_native<double>(__builtin_c##name(to_native(z)));   \
    }
ROCARRAY_COMPLEX(sqrt)
ROCARRAY_COMPLEX(exp)
ROCARRAY_COMPLEX(log)
ROCARRAY_COMPLEX(sin)
ROCARRAY_COMPLEX(cos)
ROCARRAY_COMPLEX(tan)
ROCARRAY_COMPLEX(asin)
ROCARRAY_COMPLEX(acos)
ROCARRAY_COMPLEX(atan)
ROCARRAY_COMPLEX(sinh)
ROCARRAY_COMPLEX(cosh)
ROCARRAY_COMPLEX(tanh)
ROCARRAY_COMPLEX(asinh)
ROCARRAY_COMPLEX(acosh)
ROCARRAY_COMPLEX(atanh)
#undef ROCARRAY_COMPLEX
DEVICE
complex<float> general_pow(complex<float> a, complex<float> b) {
    return from_native<float>(__builtin_cpowf(to_native(a), to_native(b)));
}
DEVICE
complex<double> general_pow(complex<double> a, complex<double> b) {
    return from_native<double>(__builtin_cpow(to_native(a), to_native(b)));
}

#else

template <class T>
DEVICE
complex<T> times_i(complex<T> z) { return {-z.im, z.re}; }
template <class T>
DEVICE
complex<T> over_i(complex<T> z) { return {z.im, -z.re}; }

template <class T>
DEVICE
complex<T> exp(complex<T> z) {
    const T size = m::exp(z.re);
    if (z.im == 0) {
        return {size, z.im};
    }
    if (!m::is_finite(z.im) && !m::is_finite(z.re)) {
        if (z.re == z.re && z.re < 0) {
            return {m::copysign(T(0), z.im), m::copysign(T(0), z.im)};
        }
        return {z.re, m::nan(T(0))};
    }
    return {size * m::cos(z.im), size * m::sin(z.im)};
}

template <class T>
DEVICE
complex<T> log(complex<T> z) { return {m::log(m::hypot(z.re, z.im)), m::atan2(z.im, z.re)}; }

template <class T>
DEVICE
complex<T> sqrt(complex<T> z) {
    if (m::is_inf(z.im)) {
        return {m::infinity(T(0)), z.im};
    }
    if (z.re == 0 && z.im == 0) {
        return {T(0), z.im};
    }
    if (m::is_inf(z.re)) {
        const T rest = z.im == z.im ? T(0) : m::nan(T(0));
        return z.re > 0 ? complex<T>(z.re, z.im == z.im ? m::copysign(T(0), z.im) : rest)
                        : complex<T>(m::fabs(rest), m::copysign(z.re, z.im));
    }
    const T scale = m::fabs(z.re) > T(1e18) || m::fabs(z.im) > T(1e18) ? T(0.25) : T(1);
    const T re = z.re * scale, im = z.im * scale;
    const T t = m::sqrt((m::fabs(re) + m::hypot(re, im)) * T(0.5));
    const T back = scale == T(1) ? T(1) : T(2);
    if (z.re >= 0) {
        return {t * back, im / (2 * t) * back};
    }
    return {m::fabs(im) / (2 * t) * back, m::copysign(t, z.im) * back};
}

template <class T>
DEVICE
complex<T> sinh(complex<T> z) {
    if (z.im == 0) {
        return {m::sinh(z.re), z.im};
    }
    if (z.re == 0) {
        return {m::copysign(T(0), z.re), m::sin(z.im)};
    }
    return {m::sinh(z.re) * m::cos(z.im), m::cosh(z.re) * m::sin(z.im)};
}
template <class T>
DEVICE
complex<T> cosh(complex<T> z) {
    if (z.im == 0) {
        return {m::cosh(z.re), z.re * z.im};
    }
    if (z.re == 0) {
        return {m::cos(z.im), z.re * m::sin(z.im)};
    }
    return {m::cosh(z.re) * m::cos(z.im), m::sinh(z.re) * m::sin(z.im)};
}
template <class T>
DEVICE
complex<T> tanh(complex<T> z) {
    if (m::fabs(z.re) > T(20)) {
        return {m::copysign(T(1), z.re), m::copysign(T(0), m::sin(2 * z.im))};
    }
    const T t = m::tan(z.im), s = m::sinh(z.re);
    const T rho = m::sqrt(1 + s * s), beta = 1 + t * t, d = 1 + beta * s * s;
    if (m::is_inf(t)) {
        return {rho / s, 1 / t};
    }
    return {beta * rho * s / d, t / d};
}
template <class T>
DEVICE
complex<T> sin(complex<T> z) { return over_i(sinh(times_i(z))); }
template <class T>
DEVICE
complex<T> cos(complex<T> z) { return cosh(times_i(z)); }
template <class T>
DEVICE
complex<T> tan(complex<T> z) { return over_i(tanh(times_i(z))); }

template <class T>
DEVICE
complex<T> asinh(complex<T> z);

template <class T>
DEVICE
complex<T> asin(complex<T> z) {
    const complex<T> a = sqrt(complex<T>(1 - z.re, -z.im)), b = sqrt(complex<T>(1 + z.re, z.im));
    return {m::atan2(z.re, a.re * b.re - a.im * b.im), m::asinh(a.re * b.im - a.im * b.re)};
}
template <class T>
DEVICE
complex<T> acos(complex<T> z) {
    const complex<T> a = sqrt(complex<T>(1 - z.re, -z.im)), b = sqrt(complex<T>(1 + z.re, z.im));
    return {2 * m::atan2(a.re, b.re), m::asinh(b.re * a.im - b.im * a.re)};
}
template <class T>
DEVICE
complex<T> acosh(complex<T> z) {
    const complex<T> a = sqrt(complex<T>(z.re - 1, z.im)), b = sqrt(complex<T>(z.re + 1, z.im));
    return {m::asinh(a.re * b.re + a.im * b.im), 2 * m::atan2(a.im, b.re)};
}
template <class T>
DEVICE
complex<T> asinh(complex<T> z) { return over_i(asin(times_i(z))); }
template <class T>
DEVICE
complex<T> atanh(complex<T> z) {
    const T x = m::fabs(z.re), y = z.im;
    const T d = (1 - x) * (1 - x) + y * y;
    const T re = T(0.25) * m::log1p(4 * x / d);
    const T im = T(0.5) * m::atan2(2 * y, (1 - x) * (1 + x) - y * y);
    return {m::copysign(re, z.re), im};
}
template <class T>
DEVICE
complex<T> atan(complex<T> z) { return over_i(atanh(times_i(z))); }
template <class T>
DEVICE
complex<T> general_pow(complex<T> a, complex<T> b) { return exp(b * log(a)); }

#endif

template <class T>
DEVICE
complex<T> scaled(complex<T> z, T factor) { return {z.re * factor, z.im * factor}; }
template <class T>
DEVICE
complex<T> exp2(complex<T> z) { return exp(scaled(z, T(0.693147180559945309417232121458176568))); }
template <class T>
DEVICE
complex<T> log2(complex<T> z) { return scaled(log(z), T(1.442695040888963407359924681001892137)); }
template <class T>
DEVICE
complex<T> log10(complex<T> z) { return scaled(log(z), T(0.434294481903251827651128918916605082)); }
template <class T>
DEVICE
complex<T> log1p(complex<T> z) {
    return {m::log(m::hypot(z.re + T(1), z.im)), m::atan2(z.im, z.re + T(1))};
}
template <class T>
DEVICE
complex<T> expm1(complex<T> z) {
    const T half_sine = m::sin(z.im / T(2));
    return {m::expm1(z.re) * m::cos(z.im) - T(2) * half_sine * half_sine,
            m::exp(z.re) * m::sin(z.im)};
}

// NumPy's complex power: exact for small integer exponents, 0 and inf as it treats them.
template <class T>
DEVICE
complex<T> pow(complex<T> a, complex<T> b) {
    if (b.re == 0 && b.im == 0) {
        return {T(1), T(0)};
    }
    if (a.re == 0 && a.im == 0) {
        if (b.re > 0) {
            return {T(0), T(0)};
        }
        return {m::nan(T(0)), m::nan(T(0))};
    }
    if (b.im == 0 && b.re > T(-100) && b.re < T(100) && b.re == m::trunc(b.re)) {
        int n = static_cast<int>(b.re);
        if (n == 1) {
            return a;
        }
        if (n == 2) {
            return a * a;
        }
        if (n == 3) {
            return a * (a * a);
        }
        const bool inverse = n < 0;
        n = inverse ? -n : n;
        complex<T> result(T(1), T(0)), p = a;
        for (;; p = p * p) {
            if (n & 1) {
                result = result * p;
            }
            n >>= 1;
            if (n == 0) {
                break;
            }
        }
        return inverse ? complex<T>(T(1), T(0)) / result : result;
    }
    return general_pow(a, b);
}

}  // namespace c
}  // namespace rocarray
