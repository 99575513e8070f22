// Conversions between numbers with a rounding mode in their name.
#pragma once

#include "integers.h"

#define HIPCPU_ROUNDED_TO(to_name, type)                                          \
    inline type __float2##to_name##_rn(float x) {                                 \
        return hipcpu::saturating_cast<type>(__builtin_rintf(x));                 \
    }                                                                             \
    inline type __float2##to_name##_rz(float x) {                                 \
        return hipcpu::saturating_cast<type>(__builtin_truncf(x));                \
    }                                                                             \
    inline type __float2##to_name##_rd(float x) {                                 \
        return hipcpu::saturating_cast<type>(__builtin_floorf(x));                \
    }                                                                             \
    inline type __float2##to_name##_ru(float x) {                                 \
        return hipcpu::saturating_cast<type>(__builtin_ceilf(x));                 \
    }                                                                             \
    inline type __double2##to_name##_rn(double x) {                               \
        return hipcpu::saturating_cast<type>(__builtin_rint(x));                  \
    }                                                                             \
    inline type __double2##to_name##_rz(double x) {                               \
        return hipcpu::saturating_cast<type>(__builtin_trunc(x));                 \
    }                                                                             \
    inline type __double2##to_name##_rd(double x) {                               \
        return hipcpu::saturating_cast<type>(__builtin_floor(x));                 \
    }                                                                             \
    inline type __double2##to_name##_ru(double x) {                               \
        return hipcpu::saturating_cast<type>(__builtin_ceil(x));                  \
    }                                                                             \
    inline float __##to_name##2float_rn(type x) { return static_cast<float>(x); } \
    inline double __##to_name##2double_rn(type x) { return static_cast<double>(x); }
HIPCPU_ROUNDED_TO(int, int)
HIPCPU_ROUNDED_TO(uint, unsigned)
HIPCPU_ROUNDED_TO(ll, long long)
HIPCPU_ROUNDED_TO(ull, unsigned long long)
#undef HIPCPU_ROUNDED_TO
inline float __double2float_rn(double x) { return static_cast<float>(x); }
