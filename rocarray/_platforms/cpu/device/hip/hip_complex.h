// hipFloatComplex and hipDoubleComplex: float2 and double2 under the names of complex arithmetic.
#pragma once

#include "prelude.h"

#define HIPCPU_COMPLEX(Complex, T, suffix, absolute)                                        \
    inline T hipCreal##suffix(Complex z) { return z.x; }                                    \
    inline T hipCimag##suffix(Complex z) { return z.y; }                                    \
    inline Complex hipConj##suffix(Complex z) { return {z.x, -z.y}; }                       \
    inline T hipCsqabs##suffix(Complex z) { return z.x * z.x + z.y * z.y; }                 \
    inline T hipCabs##suffix(Complex z) { return absolute(z.x, z.y); }                      \
    inline Complex hipCadd##suffix(Complex a, Complex b) { return {a.x + b.x, a.y + b.y}; } \
    inline Complex hipCsub##suffix(Complex a, Complex b) { return {a.x - b.x, a.y - b.y}; } \
    inline Complex hipCmul##suffix(Complex a, Complex b) {                                  \
        return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};                              \
    }                                                                                       \
    inline Complex hipCdiv##suffix(Complex a, Complex b) {                                  \
        const T square = hipCsqabs##suffix(b);                                              \
        return {(a.x * b.x + a.y * b.y) / square, (a.y * b.x - a.x * b.y) / square};        \
    }                                                                                       \
    inline Complex hipCfma##suffix(Complex a, Complex b, Complex c) {                       \
        return hipCadd##suffix(hipCmul##suffix(a, b), c);                                   \
    }

typedef float2 hipFloatComplex;
typedef double2 hipDoubleComplex;
typedef hipFloatComplex hipComplex;

HIPCPU_COMPLEX(hipFloatComplex, float, f, ::hypotf)
HIPCPU_COMPLEX(hipDoubleComplex, double, , ::hypot)
#undef HIPCPU_COMPLEX

inline hipFloatComplex make_hipFloatComplex(float x, float y) { return {x, y}; }
inline hipDoubleComplex make_hipDoubleComplex(double x, double y) { return {x, y}; }
inline hipComplex make_hipComplex(float x, float y) { return {x, y}; }
inline hipFloatComplex hipComplexDoubleToFloat(hipDoubleComplex z) {
    return {static_cast<float>(z.x), static_cast<float>(z.y)};
}
inline hipDoubleComplex hipComplexFloatToDouble(hipFloatComplex z) { return {z.x, z.y}; }
