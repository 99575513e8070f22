// Integer and bit-pattern intrinsics, saturating casts, min, max and abs.
#pragma once

#include "base.h"

inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)); }
inline int __clzll(long long x) {
    return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x));
}
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffs(unsigned x) { return __builtin_ffs(static_cast<int>(x)); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline int __ffsll(unsigned long long x) { return __builtin_ffsll(static_cast<long long>(x)); }
inline int __ffsll(unsigned long x) { return __builtin_ffsll(static_cast<long long>(x)); }
inline int __ffsll(long x) { return __builtin_ffsll(x); }

inline unsigned long long __brevll(unsigned long long x) {
    x = (x >> 1 & 0x5555555555555555u) | (x & 0x5555555555555555u) << 1;
    x = (x >> 2 & 0x3333333333333333u) | (x & 0x3333333333333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0f0f0f0f0fu) | (x & 0x0f0f0f0f0f0f0f0fu) << 4;
    return __builtin_bswap64(x);
}
inline unsigned __brev(unsigned x) { return static_cast<unsigned>(__brevll(x) >> 32); }

// Byte i of the result is the byte of y:x that nibble i of the selector names.
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
    const unsigned long long bytes = static_cast<unsigned long long>(y) << 32 | x;
    unsigned result = 0;
    for (int i = 0; i < 4; ++i)
        result |= static_cast<unsigned>(bytes >> (selector >> 4 * i & 7) * 8 & 0xff) << 8 * i;
    return result;
}

inline int __mul24(int x, int y) { return (x << 8 >> 8) * (y << 8 >> 8); }
inline unsigned __umul24(unsigned x, unsigned y) { return (x & 0xffffffu) * (y & 0xffffffu); }
inline int __mulhi(int x, int y) { return static_cast<int>(static_cast<long long>(x) * y >> 32); }
inline unsigned __umulhi(unsigned x, unsigned y) {
    return static_cast<unsigned>(static_cast<unsigned long long>(x) * y >> 32);
}
inline long long __mul64hi(long long x, long long y) {
    return static_cast<long long>(static_cast<__int128>(x) * y >> 64);
}
inline long long __mulhi64(long long x, long long y) { return __mul64hi(x, y); }
inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
    return static_cast<unsigned long long>(static_cast<unsigned __int128>(x) * y >> 64);
}
inline int __hadd(int x, int y) { return static_cast<int>((static_cast<long long>(x) + y) >> 1); }
inline int __rhadd(int x, int y) {
    return static_cast<int>((static_cast<long long>(x) + y + 1) >> 1);
}
inline unsigned __uhadd(unsigned x, unsigned y) {
    return static_cast<unsigned>((static_cast<unsigned long long>(x) + y) >> 1);
}
inline unsigned __urhadd(unsigned x, unsigned y) {
    return static_cast<unsigned>((static_cast<unsigned long long>(x) + y + 1) >> 1);
}
inline unsigned __sad(int x, int y, unsigned z) {
    return z + static_cast<unsigned>(x > y ? static_cast<long long>(x) - y
                                           : static_cast<long long>(y) - x);
}
inline unsigned __usad(unsigned x, unsigned y, unsigned z) { return z + (x > y ? x - y : y - x); }
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
    const unsigned long long both = static_cast<unsigned long long>(high) << 32 | low;
    return static_cast<unsigned>(both << (shift & 31) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
    const unsigned long long both = static_cast<unsigned long long>(high) << 32 | low;
    return static_cast<unsigned>(both >> (shift & 31));
}
inline unsigned __bitextract_u32(unsigned x, unsigned offset, unsigned width) {
    offset &= 31;
    width &= 31;
    return width == 0 ? 0
                      : x << (32 - offset - width > 31 ? 0 : 32 - offset - width) >> (32 - width);
}

inline float __int_as_float(int x) { return hipcpu::bit_cast<float>(x); }
inline float __uint_as_float(unsigned x) { return hipcpu::bit_cast<float>(x); }
inline int __float_as_int(float x) { return hipcpu::bit_cast<int>(x); }
inline unsigned __float_as_uint(float x) { return hipcpu::bit_cast<unsigned>(x); }
inline double __longlong_as_double(long long x) { return hipcpu::bit_cast<double>(x); }
inline long long __double_as_longlong(double x) { return hipcpu::bit_cast<long long>(x); }
inline int __double2hiint(double x) {
    return static_cast<int>(hipcpu::bit_cast<unsigned long long>(x) >> 32);
}
inline int __double2loint(double x) {
    return static_cast<int>(hipcpu::bit_cast<unsigned long long>(x));
}
inline double __hiloint2double(int high, int low) {
    return hipcpu::bit_cast<double>(static_cast<unsigned long long>(static_cast<unsigned>(high))
                                        << 32 |
                                    static_cast<unsigned>(low));
}

namespace hipcpu {

// The result type of mixed arguments: the usual arithmetic conversions, without promotion of one
// type with itself.
template <class A, class B, bool = is_arithmetic<A> && is_arithmetic<B>>
struct Common {};
template <class A, class B>
struct Common<A, B, true> {
    using type = decltype(true ? A() : B());
};

// Out of range saturates and NaN gives 0, as the GPU's conversion instructions do.
template <class To, class From>
inline To saturating_cast(From x) {
    constexpr bool is_signed = To(-1) < To(0);
    constexpr int bits = 8 * sizeof(To);
    constexpr To highest = is_signed ? To((1ull << (bits - 1)) - 1) : To(~0ull);
    constexpr To lowest = is_signed ? To(1ull << (bits - 1)) : To(0);
    // 2**bits is exact in every floating type, the highest integer is not.
    constexpr From end =
        From(is_signed ? 1ull << (bits - 1) : 1ull << (bits - 1)) * From(is_signed ? 1 : 2);
    if (x != x) return 0;
    if (x >= end) return highest;
    if (x <= From(lowest)) return lowest;
    return static_cast<To>(x);
}

}  // namespace hipcpu

// As fmin and fmax where one is a NaN: the number.
template <class A, class B>
constexpr typename hipcpu::Common<A, B>::type min(A a, B b) {
    using T = typename hipcpu::Common<A, B>::type;
    const T x = static_cast<T>(a), y = static_cast<T>(b);
    if constexpr (hipcpu::is_floating<T>)
        return x <= y || y != y ? x : y;
    else
        return y < x ? y : x;
}
template <class A, class B>
constexpr typename hipcpu::Common<A, B>::type max(A a, B b) {
    using T = typename hipcpu::Common<A, B>::type;
    const T x = static_cast<T>(a), y = static_cast<T>(b);
    if constexpr (hipcpu::is_floating<T>)
        return x >= y || y != y ? x : y;
    else
        return x < y ? y : x;
}
inline unsigned umin(unsigned a, unsigned b) { return a < b ? a : b; }
inline unsigned umax(unsigned a, unsigned b) { return a > b ? a : b; }
inline long long llmin(long long a, long long b) { return a < b ? a : b; }
inline long long llmax(long long a, long long b) { return a > b ? a : b; }

extern "C" int abs(int) noexcept;
extern "C" long labs(long) noexcept;
extern "C" long long llabs(long long) noexcept;
// A template, so that it does not collide with the overloads of <cstdlib> and <cmath>.
template <class T>
inline typename hipcpu::EnableIf<
    hipcpu::is_floating<T> || hipcpu::is_same<T, long> || hipcpu::is_same<T, long long>, T>::type
abs(T x) {
    if constexpr (hipcpu::is_same<T, float>)
        return __builtin_fabsf(x);
    else if constexpr (hipcpu::is_same<T, double>)
        return __builtin_fabs(x);
    else
        return x < 0 ? -x : x;
}
