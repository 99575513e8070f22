// What __half and hip_bfloat16 share: a 16-bit floating type that computes in float and rounds
// after every operation.
#pragma once

#include "integers.h"
#include "maths.h"

// Arithmetic and comparisons of `Small`, also with any built-in number on one side.
#define HIPCPU_SMALL_FLOAT_OPERATORS(Small)                                          \
    HIPCPU_SMALL_FLOAT_BINARY(Small, +)                                              \
    HIPCPU_SMALL_FLOAT_BINARY(Small, -)                                              \
    HIPCPU_SMALL_FLOAT_BINARY(Small, *)                                              \
    HIPCPU_SMALL_FLOAT_BINARY(Small, /)                                              \
    HIPCPU_SMALL_FLOAT_COMPARISON(Small, ==)                                         \
    HIPCPU_SMALL_FLOAT_COMPARISON(Small, !=)                                         \
    HIPCPU_SMALL_FLOAT_COMPARISON(Small, <)                                          \
    HIPCPU_SMALL_FLOAT_COMPARISON(Small, <=)                                         \
    HIPCPU_SMALL_FLOAT_COMPARISON(Small, >)                                          \
    HIPCPU_SMALL_FLOAT_COMPARISON(Small, >=)                                         \
    inline Small operator-(Small a) { return Small::from_bits(a.bits() ^ 0x8000u); } \
    inline Small operator+(Small a) { return a; }                                    \
    inline Small &operator++(Small &a) { return a = Small(a.value() + 1.0f); }       \
    inline Small &operator--(Small &a) { return a = Small(a.value() - 1.0f); }       \
    inline Small operator++(Small &a, int) {                                         \
        const Small old = a;                                                         \
        ++a;                                                                         \
        return old;                                                                  \
    }                                                                                \
    inline Small operator--(Small &a, int) {                                         \
        const Small old = a;                                                         \
        --a;                                                                         \
        return old;                                                                  \
    }

#define HIPCPU_SMALL_FLOAT_BINARY(Small, op)                                                       \
    inline Small operator op(Small a, Small b) { return Small(a.value() op b.value()); }           \
    template <class S>                                                                             \
    inline typename hipcpu::EnableIf<hipcpu::is_arithmetic<S>, Small>::type operator op(Small a,   \
                                                                                        S b) {     \
        return a op Small(b);                                                                      \
    }                                                                                              \
    template <class S>                                                                             \
    inline typename hipcpu::EnableIf<hipcpu::is_arithmetic<S>, Small>::type operator op(S a,       \
                                                                                        Small b) { \
        return Small(a) op b;                                                                      \
    }                                                                                              \
    template <class S>                                                                             \
    inline Small &operator op## = (Small & a, S b) {                                               \
        return a = a op Small(b);                                                                  \
    }

#define HIPCPU_SMALL_FLOAT_COMPARISON(Small, op)                                                  \
    inline bool operator op(Small a, Small b) { return a.value() op b.value(); }                  \
    template <class S>                                                                            \
    inline typename hipcpu::EnableIf<hipcpu::is_arithmetic<S>, bool>::type operator op(Small a,   \
                                                                                       S b) {     \
        return a op Small(b);                                                                     \
    }                                                                                             \
    template <class S>                                                                            \
    inline typename hipcpu::EnableIf<hipcpu::is_arithmetic<S>, bool>::type operator op(S a,       \
                                                                                       Small b) { \
        return Small(a) op b;                                                                     \
    }
