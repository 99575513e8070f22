"""Window functions and the Bessel function that one of them needs."""

import numpy as np

from rocarray._core import methods, ufuncs
from rocarray._core.conversion import asarray

# Chebyshev coefficients of exp(-x) I0(x) on [0, 8], and of exp(-x) sqrt(x) I0(x) on [8, inf)
# (Clenshaw, Chebyshev Series for Mathematical Functions, 1962).
_SMALL = np.array([
    -4.41534164647933937950e-18, 3.33079451882223809783e-17, -2.43127984654795469359e-16,
    1.71539128555513303061e-15, -1.16853328779934516808e-14, 7.67618549860493561688e-14,
    -4.85644678311192946090e-13, 2.95505266312963983461e-12, -1.72682629144155570723e-11,
    9.67580903537323691224e-11, -5.18979560163526290666e-10, 2.65982372468238665035e-9,
    -1.30002500998624804212e-8, 6.04699502254191894932e-8, -2.67079385394061173391e-7,
    1.11738753912010371815e-6, -4.41673835845875056359e-6, 1.64484480707288970893e-5,
    -5.75419501008210370398e-5, 1.88502885095841655729e-4, -5.76375574538582365885e-4,
    1.63947561694133579842e-3, -4.32430999505057594430e-3, 1.05464603945949983183e-2,
    -2.37374148058994688156e-2, 4.93052842396707084878e-2, -9.49010970480476444210e-2,
    1.71620901522208775349e-1, -3.04682672343198398683e-1, 6.76795274409476084995e-1,
])  # fmt: skip
_LARGE = np.array([
    -7.23318048787475395456e-18, -4.83050448594418207126e-18, 4.46562142029675999901e-17,
    3.46122286769746109310e-17, -2.82762398051658348494e-16, -3.42548561967721913462e-16,
    1.77256013305652638360e-15, 3.81168066935262242075e-15, -9.55484669882830764870e-15,
    -4.15056934728722208663e-14, 1.54008621752140982691e-14, 3.85277838274214270114e-13,
    7.18012445138366623367e-13, -1.79417853150680611778e-12, -1.32158118404477131188e-11,
    -3.14991652796324136454e-11, 1.18891471078464383424e-11, 4.94060238822496958910e-10,
    3.39623202570838634515e-9, 2.26666899049817806459e-8, 2.04891858946906374183e-7,
    2.89137052083475648297e-6, 6.88975834691682398426e-5, 3.36911647825569408990e-3,
    8.04490411014108831608e-1,
])  # fmt: skip


def _chebyshev(x, coefficients):
    b0, b1, b2 = coefficients[0], 0.0, 0.0
    for c in coefficients[1:]:
        b2, b1 = b1, b0
        b0 = x * b1 - b2 + float(c)
    return 0.5 * (b0 - b2)


def i0(x):
    """Modified Bessel function of the first kind, order 0."""
    x = asarray(x)
    if x.dtype.kind == "c":
        raise TypeError("i0 not supported for complex values")
    x = ufuncs.absolute(x if x.dtype.kind == "f" else x.astype(np.float64))
    small = ufuncs.exp(x) * _chebyshev(x / 2.0 - 2.0, _SMALL)
    large = ufuncs.maximum(x, 8.0)
    large = ufuncs.exp(x) * _chebyshev(32.0 / large - 2.0, _LARGE) / ufuncs.sqrt(large)
    return methods.where(x <= 8.0, small, large)


def _window(M, formula):
    kind = np.result_type(np.asarray(M).dtype, 0.0)
    M = np.asarray(M, kind)[()]
    if M < 1:
        return methods.empty(0, kind)
    if M == 1:
        return methods.ones(1, kind)
    return formula(methods.arange(1 - M, M, 2), M - 1)


def bartlett(M):
    """The triangular window that is zero at its ends."""
    return _window(M, lambda n, last: methods.where(n <= 0, 1 + n / last, 1 - n / last))


def blackman(M):
    """The Blackman window: three cosine terms."""
    return _window(
        M,
        lambda n, last: (
            0.42 + 0.5 * ufuncs.cos(np.pi * n / last) + 0.08 * ufuncs.cos(2.0 * np.pi * n / last)
        ),
    )


def hamming(M):
    """The Hamming window: a raised cosine that is not zero at its ends."""
    return _window(M, lambda n, last: 0.54 + 0.46 * ufuncs.cos(np.pi * n / last))


def hanning(M):
    """The Hann window: a raised cosine."""
    return _window(M, lambda n, last: 0.5 + 0.5 * ufuncs.cos(np.pi * n / last))


def kaiser(M, beta):
    """The Kaiser window, a ratio of Bessel functions."""
    if M == 1:
        return methods.ones(1, np.result_type(np.asarray(M).dtype, 0.0))
    n = methods.arange(0, M) * 1.0
    alpha = (M - 1) / 2.0
    edge = 1 - ((n - alpha) / alpha) ** 2.0
    return i0(beta * ufuncs.sqrt(edge)) / i0(methods.array(float(beta)))


__all__ = ["bartlett", "blackman", "hamming", "hanning", "i0", "kaiser"]
