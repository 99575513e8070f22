// Fixed-width types, and the few pieces of <type_traits> that the other headers need. The standard
// headers would cost more compile time than most kernels.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernel_abi.h"

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef unsigned long long ulonglong;
typedef long long longlong;

extern "C" {
int printf(const char *format, ...);
void *memcpy(void *to, const void *from, size_t n_bytes) noexcept;
void *memset(void *to, int value, size_t n_bytes) noexcept;
void *malloc(size_t n_bytes) noexcept;
void free(void *pointer) noexcept;
[[noreturn]] void abort() noexcept;
[[noreturn]] void __assert_fail(const char *expression, const char *file, unsigned line,
                                const char *function) noexcept;
}

#ifndef assert
#ifdef NDEBUG
#define assert(expression) (static_cast<void>(0))
#else
#define assert(expression)         \
    (static_cast<bool>(expression) \
         ? static_cast<void>(0)    \
         : __assert_fail(#expression, __FILE__, __LINE__, __PRETTY_FUNCTION__))
#endif
#endif

namespace hipcpu {

template <bool Condition, class T = void>
struct EnableIf {};
template <class T>
struct EnableIf<true, T> {
    using type = T;
};

template <class T>
struct RemoveConst {
    using type = T;
};
template <class T>
struct RemoveConst<const T> {
    using type = T;
};

enum class Kind { other, integer, floating };
template <class T>
struct KindOf {
    static constexpr Kind value = Kind::other;
};
#define HIPCPU_KIND(type, kind)                   \
    template <>                                   \
    struct KindOf<type> {                         \
        static constexpr Kind value = Kind::kind; \
    };
HIPCPU_KIND(bool, integer)
HIPCPU_KIND(char, integer)
HIPCPU_KIND(signed char, integer)
HIPCPU_KIND(unsigned char, integer)
HIPCPU_KIND(short, integer)
HIPCPU_KIND(unsigned short, integer)
HIPCPU_KIND(int, integer)
HIPCPU_KIND(unsigned int, integer)
HIPCPU_KIND(long, integer)
HIPCPU_KIND(unsigned long, integer)
HIPCPU_KIND(long long, integer)
HIPCPU_KIND(unsigned long long, integer)
HIPCPU_KIND(float, floating)
HIPCPU_KIND(double, floating)
#undef HIPCPU_KIND

template <class T>
constexpr bool is_integer = KindOf<T>::value == Kind::integer;
template <class T>
constexpr bool is_floating = KindOf<T>::value == Kind::floating;
template <class T>
constexpr bool is_arithmetic = KindOf<T>::value != Kind::other;

template <class A, class B>
constexpr bool is_same = false;
template <class A>
constexpr bool is_same<A, A> = true;

template <class To, class From>
inline To bit_cast(From from) {
    static_assert(sizeof(To) == sizeof(From), "bit_cast needs types of one size");
    To to;
    __builtin_memcpy(&to, &from, sizeof(to));
    return to;
}

}  // namespace hipcpu
