// Functions of probability that the C library lacks.
#pragma once

#include "maths.h"

// Inverse of the normal distribution: Wichura's AS241 (PPND16), to about 1e-16.
inline double normcdfinv(double p) {
    if (!(p > 0 && p < 1)) {
        if (p == 0) return -HUGE_VAL;
        if (p == 1) return HUGE_VAL;
        return __builtin_nan("");
    }
    const double q = p - 0.5;
    if (__builtin_fabs(q) <= 0.425) {
        const double r = 0.180625 - q * q;
        return q *
               (((((((2509.0809287301226727 * r + 33430.575583588128105) * r +
                     67265.770927008700853) *
                        r +
                    45921.953931549871457) *
                       r +
                   13731.693765509461125) *
                      r +
                  1971.5909503065514427) *
                     r +
                 133.14166789178437745) *
                    r +
                3.387132872796366608) /
               (((((((5226.495278852545925 * r + 28729.085735721942674) * r +
                     39307.89580009271061) *
                        r +
                    21213.794301586595867) *
                       r +
                   5394.1960214247511077) *
                      r +
                  687.1870074920579083) *
                     r +
                 42.313330701600911252) *
                    r +
                1.0);
    }
    double r = ::sqrt(-::log(q < 0 ? p : 1 - p));
    double value;
    if (r <= 5) {
        r -= 1.6;
        value = (((((((7.7454501427834140764e-4 * r + 0.0227238449892691845833) * r +
                      0.24178072517745061177) *
                         r +
                     1.27045825245236838258) *
                        r +
                    3.64784832476320460504) *
                       r +
                   5.7694972214606914055) *
                      r +
                  4.6303378461565452959) *
                     r +
                 1.42343711074968357734) /
                (((((((1.05075007164441684324e-9 * r + 5.475938084995344946e-4) * r +
                      0.0151986665636164571966) *
                         r +
                     0.14810397642748007459) *
                        r +
                    0.68976733498510000455) *
                       r +
                   1.6763848301838038494) *
                      r +
                  2.05319162663775882187) *
                     r +
                 1.0);
    } else {
        r -= 5;
        value = (((((((2.01033439929228813265e-7 * r + 2.71155556874348757815e-5) * r +
                      0.0012426609473880784386) *
                         r +
                     0.026532189526576123093) *
                        r +
                    0.29656057182850489123) *
                       r +
                   1.7848265399172913358) *
                      r +
                  5.4637849111641143699) *
                     r +
                 6.6579046435011037772) /
                (((((((2.04426310338993978564e-15 * r + 1.4215117583164458887e-7) * r +
                      1.8463183175100546818e-5) *
                         r +
                     7.868691311456132591e-4) *
                        r +
                    0.0148753612908506148525) *
                       r +
                   0.13692988092273580531) *
                      r +
                  0.59983220655588793769) *
                     r +
                 1.0);
    }
    return q < 0 ? -value : value;
}
inline float normcdfinvf(float p) { return static_cast<float>(normcdfinv(p)); }
inline double normcdf(double x) { return 0.5 * ::erfc(-x * M_SQRT1_2); }
inline float normcdff(float x) { return static_cast<float>(normcdf(x)); }
// One Newton step makes up for the cancellation in 1 - x.
inline double erfcinv(double x) {
    const double y = -normcdfinv(0.5 * x) * M_SQRT1_2;
    if (!(x > 0 && x < 2)) return y;
    return y + (::erfc(y) - x) / (M_2_SQRTPI * ::exp(-y * y));
}
inline double erfinv(double x) {
    if (__builtin_fabs(x) > 0.5) return x > 0 ? erfcinv(1 - x) : -erfcinv(1 + x);
    const double y = normcdfinv(0.5 * x + 0.5) * M_SQRT1_2;
    return x == 0 ? x : y - (::erf(y) - x) / (M_2_SQRTPI * ::exp(-y * y));
}
inline float erfinvf(float x) { return static_cast<float>(erfinv(x)); }
inline float erfcinvf(float x) { return static_cast<float>(erfcinv(x)); }
// exp(x*x) erfc(x); the continued fraction takes over where erfc would lose its digits.
inline double erfcx(double x) {
    if (x < 8) return ::exp(x * x) * ::erfc(x);
    double fraction = 0;
    for (int k = 40; k > 0; --k) fraction = 0.5 * k / (x + fraction);
    return 0.5 * M_2_SQRTPI / (x + fraction);
}
inline float erfcxf(float x) { return static_cast<float>(erfcx(x)); }
