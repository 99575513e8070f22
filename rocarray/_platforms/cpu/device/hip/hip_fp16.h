// __half and __half2. Each operation is done in float and rounded once, which for + - * / and sqrt
// equals the correctly rounded half operation.
#pragma once

#include "hipcpu/half_bits.h"
#include "hipcpu/small_float.h"
#include "prelude.h"

struct __half_raw {
    unsigned short x;
};

struct __half {
    unsigned short __x;

    __half() = default;
    __half(__half_raw raw) : __x(raw.x) {}
    template <class S, class = typename hipcpu::EnableIf<hipcpu::is_arithmetic<S>>::type>
    __half(S number) : __x(hipcpu::float_to_half(static_cast<float>(number))) {}
#ifdef __FLT16_MANT_DIG__
    __half(_Float16 number) : __x(hipcpu::bit_cast<uint16_t>(number)) {}
    operator _Float16() const { return hipcpu::bit_cast<_Float16>(__x); }
#endif
    static __half from_bits(unsigned pattern) {
        return __half(__half_raw{static_cast<unsigned short>(pattern)});
    }
    unsigned bits() const { return __x; }
    float value() const { return hipcpu::half_to_float(__x); }

    operator __half_raw() const { return {__x}; }
    // Explicit but for float: with two implicit ways every overload would be ambiguous.
    operator float() const { return value(); }
    template <class S, class = typename hipcpu::EnableIf<hipcpu::is_integer<S> &&
                                                         !hipcpu::is_same<S, bool>>::type>
    explicit operator S() const {
        return hipcpu::saturating_cast<S>(value());
    }
    explicit operator double() const { return value(); }
    explicit operator bool() const { return (__x & 0x7fffu) != 0; }
};
typedef __half half;

HIPCPU_SMALL_FLOAT_OPERATORS(__half)

struct __half2_raw {
    unsigned short x, y;
};
struct alignas(4) __half2 {
    __half x, y;
    __half2() = default;
    __half2(__half x_, __half y_) : x(x_), y(y_) {}
    __half2(__half both) : x(both), y(both) {}
};
typedef __half2 half2;

// ---- conversions ----

inline __half __float2half(float x) { return x; }
inline __half __float2half_rn(float x) { return x; }
inline __half __double2half(double x) { return x; }
inline float __half2float(__half x) { return x.value(); }
inline __half __ushort_as_half(unsigned short x) { return __half::from_bits(x); }
inline __half __short_as_half(short x) { return __half::from_bits(static_cast<unsigned short>(x)); }
inline unsigned short __half_as_ushort(__half x) { return x.__x; }
inline short __half_as_short(__half x) { return static_cast<short>(x.__x); }
#define HIPCPU_HALF_CONVERSIONS(name, type)                                                       \
    inline __half __##name##2half_rn(type x) { return __half(x); }                                \
    inline type __half2##name##_rz(__half x) { return hipcpu::saturating_cast<type>(x.value()); } \
    inline type __half2##name##_rn(__half x) {                                                    \
        return hipcpu::saturating_cast<type>(__builtin_rintf(x.value()));                         \
    }                                                                                             \
    inline type __half2##name##_rd(__half x) {                                                    \
        return hipcpu::saturating_cast<type>(__builtin_floorf(x.value()));                        \
    }                                                                                             \
    inline type __half2##name##_ru(__half x) {                                                    \
        return hipcpu::saturating_cast<type>(__builtin_ceilf(x.value()));                         \
    }
HIPCPU_HALF_CONVERSIONS(short, short)
HIPCPU_HALF_CONVERSIONS(ushort, unsigned short)
HIPCPU_HALF_CONVERSIONS(int, int)
HIPCPU_HALF_CONVERSIONS(uint, unsigned)
HIPCPU_HALF_CONVERSIONS(ll, long long)
HIPCPU_HALF_CONVERSIONS(ull, unsigned long long)
#undef HIPCPU_HALF_CONVERSIONS

inline __half2 make_half2(__half x, __half y) { return {x, y}; }
inline __half2 __halves2half2(__half x, __half y) { return {x, y}; }
inline __half2 __half2half2(__half x) { return {x, x}; }
inline __half2 __float2half2_rn(float x) { return {x, x}; }
inline __half2 __floats2half2_rn(float x, float y) { return {x, y}; }
inline __half2 __float22half2_rn(float2 x) { return {x.x, x.y}; }
inline float2 __half22float2(__half2 x) { return {x.x.value(), x.y.value()}; }
inline float __low2float(__half2 x) { return x.x.value(); }
inline float __high2float(__half2 x) { return x.y.value(); }
inline __half __low2half(__half2 x) { return x.x; }
inline __half __high2half(__half2 x) { return x.y; }
inline __half2 __low2half2(__half2 x) { return {x.x, x.x}; }
inline __half2 __high2half2(__half2 x) { return {x.y, x.y}; }
inline __half2 __lowhigh2highlow(__half2 x) { return {x.y, x.x}; }
inline __half2 __lows2half2(__half2 a, __half2 b) { return {a.x, b.x}; }
inline __half2 __highs2half2(__half2 a, __half2 b) { return {a.y, b.y}; }

// ---- arithmetic ----

#define HIPCPU_HALF_BINARY(name, op)                                                       \
    inline __half __h##name(__half a, __half b) { return a op b; }                         \
    inline __half __h##name##_sat(__half a, __half b) { return __saturatef(a op b); }      \
    inline __half2 __h##name##2(__half2 a, __half2 b) { return {a.x op b.x, a.y op b.y}; } \
    inline __half2 operator op(__half2 a, __half2 b) { return {a.x op b.x, a.y op b.y}; }  \
    inline __half2 &operator op## = (__half2 & a, __half2 b) { return a = a op b; }
HIPCPU_HALF_BINARY(add, +)
HIPCPU_HALF_BINARY(sub, -)
HIPCPU_HALF_BINARY(mul, *)
HIPCPU_HALF_BINARY(div, /)
#undef HIPCPU_HALF_BINARY
inline __half2 __h2div(__half2 a, __half2 b) { return a / b; }
inline __half2 operator-(__half2 a) { return {-a.x, -a.y}; }
inline __half __hneg(__half a) { return -a; }
inline __half2 __hneg2(__half2 a) { return -a; }
inline __half __habs(__half a) { return __half::from_bits(a.bits() & 0x7fffu); }
inline __half2 __habs2(__half2 a) { return {__habs(a.x), __habs(a.y)}; }
// The product is exact in double. The sum may be rounded twice, which shows in very rare ties.
inline __half __hfma(__half a, __half b, __half c) {
    return __half(static_cast<float>(static_cast<double>(a.value()) * b.value() + c.value()));
}
inline __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
    return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}
inline __half __hmax(__half a, __half b) { return ::max(a.value(), b.value()); }
inline __half __hmin(__half a, __half b) { return ::min(a.value(), b.value()); }
inline __half2 __hmax2(__half2 a, __half2 b) { return {__hmax(a.x, b.x), __hmax(a.y, b.y)}; }
inline __half2 __hmin2(__half2 a, __half2 b) { return {__hmin(a.x, b.x), __hmin(a.y, b.y)}; }

#define HIPCPU_HALF_COMPARISON(name, op)                             \
    inline bool __h##name(__half a, __half b) { return a op b; }     \
    inline __half2 __h##name##2(__half2 a, __half2 b) {              \
        return {a.x op b.x ? 1.0f : 0.0f, a.y op b.y ? 1.0f : 0.0f}; \
    }                                                                \
    inline bool __hb##name##2(__half2 a, __half2 b) { return a.x op b.x && a.y op b.y; }
HIPCPU_HALF_COMPARISON(eq, ==)
HIPCPU_HALF_COMPARISON(ne, !=)
HIPCPU_HALF_COMPARISON(lt, <)
HIPCPU_HALF_COMPARISON(le, <=)
HIPCPU_HALF_COMPARISON(gt, >)
HIPCPU_HALF_COMPARISON(ge, >=)
#undef HIPCPU_HALF_COMPARISON
inline bool operator==(__half2 a, __half2 b) { return a.x == b.x && a.y == b.y; }
inline bool operator!=(__half2 a, __half2 b) { return !(a == b); }
inline bool __hisnan(__half a) { return (a.bits() & 0x7fffu) > 0x7c00u; }
inline int __hisinf(__half a) {
    return (a.bits() & 0x7fffu) != 0x7c00u ? 0 : a.bits() >> 15 ? -1 : 1;
}

// ---- functions ----

#define HIPCPU_HALF_FUNCTION(name, function)                        \
    inline __half h##name(__half x) { return function(x.value()); } \
    inline __half2 h2##name(__half2 x) { return {function(x.x.value()), function(x.y.value())}; }
HIPCPU_HALF_FUNCTION(ceil, __builtin_ceilf)
HIPCPU_HALF_FUNCTION(floor, __builtin_floorf)
HIPCPU_HALF_FUNCTION(trunc, __builtin_truncf)
HIPCPU_HALF_FUNCTION(rint, __builtin_rintf)
HIPCPU_HALF_FUNCTION(sqrt, __builtin_sqrtf)
HIPCPU_HALF_FUNCTION(rsqrt, ::rsqrtf)
HIPCPU_HALF_FUNCTION(rcp, __frcp_rn)
HIPCPU_HALF_FUNCTION(sin, ::sinf)
HIPCPU_HALF_FUNCTION(cos, ::cosf)
HIPCPU_HALF_FUNCTION(exp, ::expf)
HIPCPU_HALF_FUNCTION(exp2, ::exp2f)
HIPCPU_HALF_FUNCTION(exp10, ::exp10f)
HIPCPU_HALF_FUNCTION(log, ::logf)
HIPCPU_HALF_FUNCTION(log2, ::log2f)
HIPCPU_HALF_FUNCTION(log10, ::log10f)
#undef HIPCPU_HALF_FUNCTION
