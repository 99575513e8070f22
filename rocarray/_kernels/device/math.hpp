// Real mathematical functions by one name for float and double: m::sin(x).
//
// On a CPU the compiler turns loops over them into vector code where the C library has it.
#pragma once

#include "types.hpp"

#ifdef HIPCPU
#include "vector_math.h"
#endif

namespace rocarray {
namespace m {

#define ROCARRAY_UNARY(name)                     \
    DEVICE                                       \
    float name(float x) { return ::name##f(x); } \
    DEVICE                                       \
    double name(double x) { return ::name(x); }
#define ROCARRAY_BINARY(name)                                \
    DEVICE                                                   \
    float name(float x, float y) { return ::name##f(x, y); } \
    DEVICE                                                   \
    double name(double x, double y) { return ::name(x, y); }
#define ROCARRAY_VECTOR_UNARY(name)                      \
    DEVICE                                               \
    float name(float x) { return vector_math::name(x); } \
    DEVICE                                               \
    double name(double x) { return vector_math::name(x); }
#define ROCARRAY_VECTOR_BINARY(name)                                 \
    DEVICE                                                           \
    float name(float x, float y) { return vector_math::name(x, y); } \
    DEVICE                                                           \
    double name(double x, double y) { return vector_math::name(x, y); }

#ifdef ROCARRAY_VECTOR_MATH
ROCARRAY_VECTOR_UNARY(sin)
ROCARRAY_VECTOR_UNARY(cos)
ROCARRAY_VECTOR_UNARY(exp)
ROCARRAY_VECTOR_UNARY(log)
ROCARRAY_VECTOR_BINARY(pow)
#else
ROCARRAY_UNARY(sin)
ROCARRAY_UNARY(cos)
ROCARRAY_UNARY(exp)
ROCARRAY_UNARY(log)
ROCARRAY_BINARY(pow)
#endif

#ifdef ROCARRAY_VECTOR_MATH_ALL
ROCARRAY_VECTOR_UNARY(tan)
ROCARRAY_VECTOR_UNARY(asin)
ROCARRAY_VECTOR_UNARY(acos)
ROCARRAY_VECTOR_UNARY(atan)
ROCARRAY_VECTOR_UNARY(sinh)
ROCARRAY_VECTOR_UNARY(cosh)
ROCARRAY_VECTOR_UNARY(tanh)
ROCARRAY_VECTOR_UNARY(asinh)
ROCARRAY_VECTOR_UNARY(acosh)
ROCARRAY_VECTOR_UNARY(atanh)
ROCARRAY_VECTOR_UNARY(exp2)
ROCARRAY_VECTOR_UNARY(expm1)
ROCARRAY_VECTOR_UNARY(log2)
ROCARRAY_VECTOR_UNARY(log10)
ROCARRAY_VECTOR_UNARY(log1p)
ROCARRAY_VECTOR_UNARY(cbrt)
ROCARRAY_VECTOR_BINARY(atan2)
#else
ROCARRAY_UNARY(tan)
ROCARRAY_UNARY(asin)
ROCARRAY_UNARY(acos)
ROCARRAY_UNARY(atan)
ROCARRAY_UNARY(sinh)
ROCARRAY_UNARY(cosh)
ROCARRAY_UNARY(tanh)
ROCARRAY_UNARY(asinh)
ROCARRAY_UNARY(acosh)
ROCARRAY_UNARY(atanh)
ROCARRAY_UNARY(exp2)
ROCARRAY_UNARY(expm1)
ROCARRAY_UNARY(log2)
ROCARRAY_UNARY(log10)
ROCARRAY_UNARY(log1p)
ROCARRAY_UNARY(cbrt)
ROCARRAY_BINARY(atan2)
#endif

ROCARRAY_BINARY(hypot)
ROCARRAY_BINARY(fmod)
ROCARRAY_BINARY(copysign)

#ifdef HIPCPU
// The compiler's own forms, which are single instructions.
#define ROCARRAY_BUILTIN(name)                             \
    DEVICE                                                 \
    float name(float x) { return __builtin_##name##f(x); } \
    DEVICE                                                 \
    double name(double x) { return __builtin_##name(x); }
ROCARRAY_BUILTIN(sqrt)
ROCARRAY_BUILTIN(fabs)
ROCARRAY_BUILTIN(floor)
ROCARRAY_BUILTIN(ceil)
ROCARRAY_BUILTIN(trunc)
ROCARRAY_BUILTIN(rint)
#else
ROCARRAY_UNARY(sqrt)
ROCARRAY_UNARY(fabs)
ROCARRAY_UNARY(floor)
ROCARRAY_UNARY(ceil)
ROCARRAY_UNARY(trunc)
ROCARRAY_UNARY(rint)
#endif

#undef ROCARRAY_UNARY
#undef ROCARRAY_BINARY
#undef ROCARRAY_VECTOR_UNARY
#undef ROCARRAY_VECTOR_BINARY

DEVICE
bool signbit(float x) { return bit_cast<uint32_t>(x) >> 31; }
DEVICE
bool signbit(double x) { return bit_cast<uint64_t>(x) >> 63; }

template <class T>
DEVICE
bool is_inf(T x) { return (x - x != x - x) & (x == x); }
template <class T>
DEVICE
bool is_finite(T x) { return x - x == x - x; }
DEVICE
float infinity(float) { return bit_cast<float>(0x7f800000u); }
DEVICE
double infinity(double) { return bit_cast<double>(static_cast<uint64_t>(0x7ff) << 52); }
DEVICE
float nan(float) { return bit_cast<float>(0x7fc00000u); }
DEVICE
double nan(double) { return bit_cast<double>(static_cast<uint64_t>(0x7ff8) << 48); }

}  // namespace m
}  // namespace rocarray
