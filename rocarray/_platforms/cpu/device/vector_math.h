// Mathematical functions that g++ vectorises in loops through glibc's libmvec: vector_math::sin and
// so on, for float and double. ROCARRAY_VECTOR_MATH is defined where there are any.
//
// The vector forms are accurate to a few units in the last place and the scalar ones (used for a
// loop's remainder) to about half a unit, so the last bits of a result may depend on where an
// element lies. docs/design/cpu_platform.md has the measured errors by function.
#pragma once

#include "hipcpu/maths.h"
#include "vector_pow.h"

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__GLIBC__)
#if __GLIBC_PREREQ(2, 22)
#define ROCARRAY_VECTOR_MATH 1
#endif
#endif

#ifdef ROCARRAY_VECTOR_MATH

// Own declarations of the library's functions: the attribute on the standard names would change
// them for all users. The vector forms are found by the symbol, e.g. _ZGVdN4v_sin.
#define HIPCPU_SIMD __attribute__((simd("notinbranch"), const))
#define HIPCPU_VECTOR_UNARY(name)                            \
    HIPCPU_SIMD double name(double) noexcept __asm__(#name); \
    HIPCPU_SIMD float name(float) noexcept __asm__(#name "f");
#define HIPCPU_VECTOR_BINARY(name)                                   \
    HIPCPU_SIMD double name(double, double) noexcept __asm__(#name); \
    HIPCPU_SIMD float name(float, float) noexcept __asm__(#name "f");

namespace vector_math {

HIPCPU_VECTOR_UNARY(sin)
HIPCPU_VECTOR_UNARY(cos)
HIPCPU_VECTOR_UNARY(exp)
HIPCPU_VECTOR_UNARY(log)
HIPCPU_SIMD double pow(double, double) noexcept __asm__("pow");
#ifdef __FMA__
inline __attribute__((always_inline)) float pow(float x, float y) { return power(x, y); }
#else
HIPCPU_SIMD float pow(float, float) noexcept __asm__("powf");
#endif

#if __GLIBC_PREREQ(2, 35)
#define ROCARRAY_VECTOR_MATH_ALL 1
HIPCPU_VECTOR_UNARY(acos)
HIPCPU_VECTOR_UNARY(acosh)
HIPCPU_VECTOR_UNARY(asin)
HIPCPU_VECTOR_UNARY(asinh)
HIPCPU_VECTOR_UNARY(atan)
HIPCPU_VECTOR_UNARY(atanh)
HIPCPU_VECTOR_UNARY(cbrt)
HIPCPU_VECTOR_UNARY(cosh)
HIPCPU_VECTOR_UNARY(erf)
HIPCPU_VECTOR_UNARY(erfc)
HIPCPU_VECTOR_UNARY(exp10)
HIPCPU_VECTOR_UNARY(exp2)
HIPCPU_VECTOR_UNARY(expm1)
HIPCPU_VECTOR_UNARY(log10)
HIPCPU_VECTOR_UNARY(log1p)
HIPCPU_VECTOR_UNARY(log2)
HIPCPU_VECTOR_UNARY(sinh)
HIPCPU_VECTOR_UNARY(tan)
HIPCPU_VECTOR_UNARY(tanh)
HIPCPU_VECTOR_BINARY(atan2)
HIPCPU_VECTOR_BINARY(hypot)
#endif

}  // namespace vector_math

#undef HIPCPU_SIMD
#undef HIPCPU_VECTOR_UNARY
#undef HIPCPU_VECTOR_BINARY

#endif
