// Atomic functions that HIP has for more types than CUDA: long, float and double.
#pragma once

#include "base.h"

static_assert(sizeof(long) == sizeof(long long), "LP64");

#define HIPNV_ATOMIC_LONG(name)                                               \
    HIPNV_DEVICE unsigned long name(unsigned long *at, unsigned long value) { \
        return name(reinterpret_cast<unsigned long long *>(at),               \
                    static_cast<unsigned long long>(value));                  \
    }
HIPNV_ATOMIC_LONG(atomicAdd)
HIPNV_ATOMIC_LONG(atomicExch)
HIPNV_ATOMIC_LONG(atomicMin)
HIPNV_ATOMIC_LONG(atomicMax)
HIPNV_ATOMIC_LONG(atomicAnd)
HIPNV_ATOMIC_LONG(atomicOr)
HIPNV_ATOMIC_LONG(atomicXor)
#undef HIPNV_ATOMIC_LONG

// Signed: the same bits for these, and CUDA's own for minimum and maximum.
#define HIPNV_ATOMIC_SIGNED(name, T)                                           \
    HIPNV_DEVICE T name(T *at, T value) {                                      \
        return static_cast<T>(name(reinterpret_cast<unsigned long long *>(at), \
                                   static_cast<unsigned long long>(value)));   \
    }
HIPNV_ATOMIC_SIGNED(atomicAdd, long)
HIPNV_ATOMIC_SIGNED(atomicAdd, long long)
HIPNV_ATOMIC_SIGNED(atomicExch, long)
HIPNV_ATOMIC_SIGNED(atomicExch, long long)
#undef HIPNV_ATOMIC_SIGNED
HIPNV_DEVICE long atomicMin(long *at, long value) {
    return atomicMin(reinterpret_cast<long long *>(at), static_cast<long long>(value));
}
HIPNV_DEVICE long atomicMax(long *at, long value) {
    return atomicMax(reinterpret_cast<long long *>(at), static_cast<long long>(value));
}
#define HIPNV_ATOMIC_CAS(T)                                                         \
    HIPNV_DEVICE T atomicCAS(T *at, T expected, T value) {                          \
        return static_cast<T>(atomicCAS(reinterpret_cast<unsigned long long *>(at), \
                                        static_cast<unsigned long long>(expected),  \
                                        static_cast<unsigned long long>(value)));   \
    }
HIPNV_ATOMIC_CAS(long)
HIPNV_ATOMIC_CAS(unsigned long)
HIPNV_ATOMIC_CAS(long long)
#undef HIPNV_ATOMIC_CAS

#define HIPNV_ATOMIC_SUBTRACT(T) \
    HIPNV_DEVICE T atomicSub(T *at, T value) { return atomicAdd(at, static_cast<T>(-value)); }
HIPNV_ATOMIC_SUBTRACT(long)
HIPNV_ATOMIC_SUBTRACT(long long)
HIPNV_ATOMIC_SUBTRACT(unsigned long)
HIPNV_ATOMIC_SUBTRACT(unsigned long long)
HIPNV_ATOMIC_SUBTRACT(float)
HIPNV_ATOMIC_SUBTRACT(double)
#undef HIPNV_ATOMIC_SUBTRACT

#define HIPNV_ATOMIC_FLOAT(name, function, T, Bits, to_bits, from_bits)         \
    HIPNV_DEVICE T name(T *at, T value) {                                       \
        Bits *word = reinterpret_cast<Bits *>(at);                              \
        Bits seen = *word, expected;                                            \
        do {                                                                    \
            expected = seen;                                                    \
            const T next = function(from_bits(expected), value);                \
            seen = atomicCAS(word, expected, static_cast<Bits>(to_bits(next))); \
        } while (seen != expected);                                             \
        return from_bits(seen);                                                 \
    }
HIPNV_ATOMIC_FLOAT(atomicMin, fminf, float, unsigned, __float_as_uint, __uint_as_float)
HIPNV_ATOMIC_FLOAT(atomicMax, fmaxf, float, unsigned, __float_as_uint, __uint_as_float)
HIPNV_ATOMIC_FLOAT(atomicMin, fmin, double, unsigned long long, __double_as_longlong,
                   __longlong_as_double)
HIPNV_ATOMIC_FLOAT(atomicMax, fmax, double, unsigned long long, __double_as_longlong,
                   __longlong_as_double)
#undef HIPNV_ATOMIC_FLOAT

template <class T>
HIPNV_DEVICE T unsafeAtomicAdd(T *at, T value) {
    return atomicAdd(at, value);
}
template <class T>
HIPNV_DEVICE T safeAtomicAdd(T *at, T value) {
    return atomicAdd(at, value);
}
