// Mathematical functions under HIP's names.
//
// The C functions are declared as <math.h> declares them, so that a kernel may include that too.
// The overloads for float are templates for the same reason: they lose to <cmath>'s own.
#pragma once

#include "base.h"
#include "integers.h"

#define HIPCPU_UNARY(name)                                                            \
    extern "C" double name(double) noexcept;                                          \
    extern "C" float name##f(float) noexcept;                                         \
    template <class T>                                                                \
    inline typename hipcpu::EnableIf<hipcpu::is_same<T, float>, T>::type name(T x) {  \
        return __builtin_##name##f(x);                                                \
    }                                                                                 \
    template <class T>                                                                \
    inline typename hipcpu::EnableIf<hipcpu::is_integer<T>, double>::type name(T x) { \
        return __builtin_##name(static_cast<double>(x));                              \
    }                                                                                 \
    namespace std {                                                                   \
    using ::name;                                                                     \
    using ::name##f;                                                                  \
    }
HIPCPU_UNARY(acos)
HIPCPU_UNARY(acosh)
HIPCPU_UNARY(asin)
HIPCPU_UNARY(asinh)
HIPCPU_UNARY(atan)
HIPCPU_UNARY(atanh)
HIPCPU_UNARY(cbrt)
HIPCPU_UNARY(ceil)
HIPCPU_UNARY(cos)
HIPCPU_UNARY(cosh)
HIPCPU_UNARY(erf)
HIPCPU_UNARY(erfc)
HIPCPU_UNARY(exp)
HIPCPU_UNARY(exp2)
HIPCPU_UNARY(expm1)
HIPCPU_UNARY(fabs)
HIPCPU_UNARY(floor)
HIPCPU_UNARY(lgamma)
HIPCPU_UNARY(log)
HIPCPU_UNARY(log10)
HIPCPU_UNARY(log1p)
HIPCPU_UNARY(log2)
HIPCPU_UNARY(logb)
HIPCPU_UNARY(nearbyint)
HIPCPU_UNARY(rint)
HIPCPU_UNARY(round)
HIPCPU_UNARY(sin)
HIPCPU_UNARY(sinh)
HIPCPU_UNARY(sqrt)
HIPCPU_UNARY(tan)
HIPCPU_UNARY(tanh)
HIPCPU_UNARY(tgamma)
HIPCPU_UNARY(trunc)
#undef HIPCPU_UNARY

#define HIPCPU_BINARY(name)                                                               \
    extern "C" double name(double, double) noexcept;                                      \
    extern "C" float name##f(float, float) noexcept;                                      \
    template <class T>                                                                    \
    inline typename hipcpu::EnableIf<hipcpu::is_same<T, float>, T>::type name(T x, T y) { \
        return __builtin_##name##f(x, y);                                                 \
    }                                                                                     \
    namespace std {                                                                       \
    using ::name;                                                                         \
    using ::name##f;                                                                      \
    }
HIPCPU_BINARY(atan2)
HIPCPU_BINARY(copysign)
HIPCPU_BINARY(fdim)
HIPCPU_BINARY(fmod)
HIPCPU_BINARY(hypot)
HIPCPU_BINARY(nextafter)
HIPCPU_BINARY(pow)
HIPCPU_BINARY(remainder)
#undef HIPCPU_BINARY

// fmin and fmax: the library's are calls that stop vectorisation.
extern "C" float fminf(float, float) noexcept;
extern "C" float fmaxf(float, float) noexcept;
template <class A, class B>
inline typename hipcpu::Common<A, B>::type fmin(A a, B b) {
    return ::min(a, b);
}
template <class A, class B>
inline typename hipcpu::Common<A, B>::type fmax(A a, B b) {
    return ::max(a, b);
}

extern "C" {
float fmaf(float, float, float) noexcept;
double fma(double, double, double) noexcept;
float frexpf(float, int *) noexcept;
double frexp(double, int *) noexcept;
float ldexpf(float, int) noexcept;
double ldexp(double, int) noexcept;
float scalbnf(float, int) noexcept;
double scalbn(double, int) noexcept;
float scalblnf(float, long) noexcept;
double scalbln(double, long) noexcept;
float modff(float, float *) noexcept;
double modf(double, double *) noexcept;
float remquof(float, float, int *) noexcept;
double remquo(double, double, int *) noexcept;
int ilogbf(float) noexcept;
int ilogb(double) noexcept;
long lrintf(float) noexcept;
long lrint(double) noexcept;
long lroundf(float) noexcept;
long lround(double) noexcept;
long long llrintf(float) noexcept;
long long llrint(double) noexcept;
long long llroundf(float) noexcept;
long long llround(double) noexcept;
float exp10f(float) noexcept;
double exp10(double) noexcept;
void sincosf(float, float *, float *) noexcept;
void sincos(double, double *, double *) noexcept;
float j0f(float) noexcept;
double j0(double) noexcept;
float j1f(float) noexcept;
double j1(double) noexcept;
float jnf(int, float) noexcept;
double jn(int, double) noexcept;
float y0f(float) noexcept;
double y0(double) noexcept;
float y1f(float) noexcept;
double y1(double) noexcept;
float ynf(int, float) noexcept;
double yn(int, double) noexcept;
float nanf(const char *) noexcept;
double nan(const char *) noexcept;
}

#define HIPCPU_FLOAT(result, name, parameters, arguments)                                       \
    template <class T>                                                                          \
    inline typename hipcpu::EnableIf<hipcpu::is_same<T, float>, result>::type name parameters { \
        return ::name##f arguments;                                                             \
    }
HIPCPU_FLOAT(T, fma, (T x, T y, T z), (x, y, z))
HIPCPU_FLOAT(T, frexp, (T x, int *exponent), (x, exponent))
HIPCPU_FLOAT(T, ldexp, (T x, int exponent), (x, exponent))
HIPCPU_FLOAT(T, scalbn, (T x, int exponent), (x, exponent))
HIPCPU_FLOAT(T, scalbln, (T x, long exponent), (x, exponent))
HIPCPU_FLOAT(T, modf, (T x, T *whole), (x, whole))
HIPCPU_FLOAT(T, remquo, (T x, T y, int *quotient), (x, y, quotient))
HIPCPU_FLOAT(int, ilogb, (T x), (x))
HIPCPU_FLOAT(long, lrint, (T x), (x))
HIPCPU_FLOAT(long, lround, (T x), (x))
HIPCPU_FLOAT(long long, llrint, (T x), (x))
HIPCPU_FLOAT(long long, llround, (T x), (x))
HIPCPU_FLOAT(T, exp10, (T x), (x))
HIPCPU_FLOAT(T, j0, (T x), (x))
HIPCPU_FLOAT(T, j1, (T x), (x))
HIPCPU_FLOAT(T, y0, (T x), (x))
HIPCPU_FLOAT(T, y1, (T x), (x))
#undef HIPCPU_FLOAT
template <class T>
inline typename hipcpu::EnableIf<hipcpu::is_same<T, float>>::type sincos(T x, T *sine, T *cosine) {
    ::sincosf(x, sine, cosine);
}
// An integer power of a float stays a float.
template <class T>
inline typename hipcpu::EnableIf<hipcpu::is_same<T, float>, T>::type pow(T x, int y) {
    return ::powf(x, static_cast<float>(y));
}

// <math.h> makes these macros or functions of std; ours step aside for both.
#ifndef isnan
template <class T>
inline typename hipcpu::EnableIf<hipcpu::is_arithmetic<T>, bool>::type isnan(T x) {
    return __builtin_isnan(static_cast<double>(x));
}
template <class T>
inline typename hipcpu::EnableIf<hipcpu::is_arithmetic<T>, bool>::type isinf(T x) {
    return __builtin_isinf(static_cast<double>(x));
}
template <class T>
inline typename hipcpu::EnableIf<hipcpu::is_arithmetic<T>, bool>::type isfinite(T x) {
    return __builtin_isfinite(static_cast<double>(x));
}
template <class T>
inline typename hipcpu::EnableIf<hipcpu::is_arithmetic<T>, bool>::type signbit(T x) {
    return __builtin_signbit(static_cast<double>(x));
}
namespace std {
using ::isfinite;
using ::isinf;
using ::isnan;
using ::signbit;
}  // namespace std
#endif
namespace std {
using ::abs;
using ::fma;
using ::frexp;
using ::ldexp;
using ::max;
using ::min;
using ::modf;
}  // namespace std

#ifndef INFINITY
#define INFINITY (__builtin_inff())
#define NAN (__builtin_nanf(""))
#define HUGE_VAL (__builtin_huge_val())
#define HUGE_VALF (__builtin_huge_valf())
#endif
#ifndef M_PI
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#endif
#ifndef FLT_MAX
#define FLT_MAX __FLT_MAX__
#define FLT_MIN __FLT_MIN__
#define FLT_EPSILON __FLT_EPSILON__
#define DBL_MAX __DBL_MAX__
#define DBL_MIN __DBL_MIN__
#define DBL_EPSILON __DBL_EPSILON__
#endif
#ifndef INT_MAX
#define CHAR_BIT __CHAR_BIT__
#define INT_MAX __INT_MAX__
#define INT_MIN (-__INT_MAX__ - 1)
#define UINT_MAX (__INT_MAX__ * 2u + 1u)
#define LONG_MAX __LONG_MAX__
#define LONG_MIN (-__LONG_MAX__ - 1l)
#define ULONG_MAX (__LONG_MAX__ * 2ul + 1ul)
#define LLONG_MAX __LONG_LONG_MAX__
#define LLONG_MIN (-__LONG_LONG_MAX__ - 1ll)
#define ULLONG_MAX (__LONG_LONG_MAX__ * 2ull + 1ull)
#endif

// Newer C libraries declare some of HIP's functions as C functions. As templates ours step aside.
#define HIPCPU_NEWER_UNARY(name, implementation)                                             \
    template <class T>                                                                       \
    inline typename hipcpu::EnableIf<hipcpu::is_arithmetic<T>, float>::type name##f(T x) {   \
        return static_cast<float>(implementation(static_cast<float>(x)));                    \
    }                                                                                        \
    template <class T>                                                                       \
    inline typename hipcpu::EnableIf<hipcpu::is_same<T, float>, T>::type name(T x) {         \
        return static_cast<float>(implementation(x));                                        \
    }                                                                                        \
    template <class T>                                                                       \
    inline typename hipcpu::EnableIf<hipcpu::is_arithmetic<T> && !hipcpu::is_same<T, float>, \
                                     double>::type                                           \
    name(T x) {                                                                              \
        return implementation(static_cast<double>(x));                                       \
    }

namespace hipcpu {
inline float rsqrt_of(float x) { return 1.0f / __builtin_sqrtf(x); }
inline double rsqrt_of(double x) { return 1.0 / __builtin_sqrt(x); }
}  // namespace hipcpu
HIPCPU_NEWER_UNARY(rsqrt, hipcpu::rsqrt_of)

inline float rcbrtf(float x) { return 1.0f / ::cbrtf(x); }
inline double rcbrt(double x) { return 1.0 / ::cbrt(x); }

// sin(pi x) and cos(pi x), exact at multiples of a half.
namespace hipcpu {
inline double sinpi_of(double x) {
    if (!(__builtin_fabs(x) < 0x1p52)) return x - x;
    const double half_turns = __builtin_rint(2 * x);
    const double rest = (x - half_turns * 0.5) * M_PI;
    switch (static_cast<long long>(half_turns) & 3) {
        case 0: return ::sin(rest);
        case 1: return ::cos(rest);
        case 2: return -::sin(rest);
        default: return -::cos(rest);
    }
}
inline double cospi_of(double x) {
    if (!(__builtin_fabs(x) < 0x1p53)) return x - x == 0 ? 1.0 : x - x;
    const double half_turns = __builtin_rint(2 * x);
    const double rest = (x - half_turns * 0.5) * M_PI;
    switch (static_cast<long long>(half_turns) & 3) {
        case 0: return ::cos(rest);
        case 1: return -::sin(rest);
        case 2: return -::cos(rest);
        default: return ::sin(rest);
    }
}
}  // namespace hipcpu
HIPCPU_NEWER_UNARY(sinpi, hipcpu::sinpi_of)
HIPCPU_NEWER_UNARY(cospi, hipcpu::cospi_of)
#undef HIPCPU_NEWER_UNARY
inline void sincospi(double x, double *sine, double *cosine) {
    *sine = hipcpu::sinpi_of(x);
    *cosine = hipcpu::cospi_of(x);
}
inline void sincospif(float x, float *sine, float *cosine) {
    *sine = static_cast<float>(hipcpu::sinpi_of(x));
    *cosine = static_cast<float>(hipcpu::cospi_of(x));
}

inline float norm3df(float x, float y, float z) { return __builtin_sqrtf(x * x + y * y + z * z); }
inline double norm3d(double x, double y, double z) { return __builtin_sqrt(x * x + y * y + z * z); }
inline float norm4df(float x, float y, float z, float w) {
    return __builtin_sqrtf(x * x + y * y + z * z + w * w);
}
inline double norm4d(double x, double y, double z, double w) {
    return __builtin_sqrt(x * x + y * y + z * z + w * w);
}
inline float rnorm3df(float x, float y, float z) { return 1.0f / norm3df(x, y, z); }
inline double rnorm3d(double x, double y, double z) { return 1.0 / norm3d(x, y, z); }
inline float rhypotf(float x, float y) { return 1.0f / ::hypotf(x, y); }
inline double rhypot(double x, double y) { return 1.0 / ::hypot(x, y); }
inline float fdividef(float x, float y) { return x / y; }

// The fast forms are the accurate ones here. <math.h> declares some of these names as C functions,
// so they are the library's own functions under another name.
extern "C" {
float __sinf(float) noexcept __asm__("sinf");
float __cosf(float) noexcept __asm__("cosf");
float __tanf(float) noexcept __asm__("tanf");
float __expf(float) noexcept __asm__("expf");
float __exp10f(float) noexcept __asm__("exp10f");
float __logf(float) noexcept __asm__("logf");
float __log2f(float) noexcept __asm__("log2f");
float __log10f(float) noexcept __asm__("log10f");
float __powf(float, float) noexcept __asm__("powf");
void __sincosf(float, float *, float *) noexcept __asm__("sincosf");
}
inline float __fdividef(float x, float y) { return x / y; }
inline float __saturatef(float x) { return x >= 1 ? 1.0f : x > 0 ? x : 0.0f; }
inline float __frsqrt_rn(float x) { return 1.0f / __builtin_sqrtf(x); }
inline float __frcp_rn(float x) { return 1.0f / x; }
inline float __fsqrt_rn(float x) { return __builtin_sqrtf(x); }
inline float __fadd_rn(float x, float y) { return x + y; }
inline float __fsub_rn(float x, float y) { return x - y; }
inline float __fmul_rn(float x, float y) { return x * y; }
inline float __fdiv_rn(float x, float y) { return x / y; }
inline float __fmaf_rn(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
inline double __dadd_rn(double x, double y) { return x + y; }
inline double __dsub_rn(double x, double y) { return x - y; }
inline double __dmul_rn(double x, double y) { return x * y; }
inline double __ddiv_rn(double x, double y) { return x / y; }
inline double __drcp_rn(double x) { return 1.0 / x; }
inline double __dsqrt_rn(double x) { return __builtin_sqrt(x); }
inline double __fma_rn(double x, double y, double z) { return __builtin_fma(x, y, z); }
