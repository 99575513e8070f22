"""Polynomials as coefficients, highest power first (numpy's `poly...` functions)."""

import numpy as np

from rocarray._core import methods
from rocarray._core.conversion import asarray
from rocarray._core.manipulation import concatenate, trim_zeros


def _vector(a):
    return methods.atleast_1d(asarray(a))


def poly(seq_of_zeros):
    """The monic polynomial with given roots."""
    roots = _vector(seq_of_zeros)
    if roots.ndim != 1:
        raise ValueError("input must be 1d: the characteristic polynomial needs linalg.eigvals")
    if roots.size == 0:
        return methods.array(1.0)
    kind = roots.dtype if roots.dtype.kind in "fc" else np.dtype(np.float64)
    result = methods.ones(1, kind)
    for i in range(roots.size):
        factor = concatenate([methods.ones(1, kind), -roots[i : i + 1].astype(kind)])
        result = methods.convolve(result, factor, "full")
    return result


def polyval(p, x):
    """Values of a polynomial, by Horner's rule."""
    p, x = asarray(p), asarray(x)
    y = methods.zeros_like(x)
    for i in range(p.shape[0]):
        y = y * x + p[i]
    return y


def polyadd(a1, a2):
    """Sum of two polynomials."""
    a1, a2 = _vector(a1), _vector(a2)
    longer, shorter = (a1, a2) if len(a1) >= len(a2) else (a2, a1)
    lead = methods.zeros(len(longer) - len(shorter), shorter.dtype)
    shorter = concatenate([lead, shorter])
    return longer + shorter


def polysub(a1, a2):
    """Difference of two polynomials."""
    a1, a2 = _vector(a1), _vector(a2)
    n = max(len(a1), len(a2))
    parts = [concatenate([methods.zeros(n - len(a), a.dtype), a]) for a in (a1, a2)]
    return parts[0] - parts[1]


def polymul(a1, a2):
    """Product of two polynomials."""
    return methods.convolve(_trimmed(a1), _trimmed(a2))


def _trimmed(a):
    """Without leading zeros (their count is read back from the device)."""
    a = trim_zeros(_vector(a), "f")
    return a if a.size else methods.zeros(1, a.dtype)


def polydiv(u, v):
    """(quotient, remainder) of two polynomials, one launch a coefficient of the quotient."""
    u, v = _vector(u), _vector(v)
    kind = np.result_type(u.dtype, v.dtype, np.float64) if u.dtype.kind not in "fc" else (
        np.result_type(u.dtype, v.dtype))  # fmt: skip
    u, v = u.astype(kind), v.astype(kind)
    m, n = len(u) - 1, len(v) - 1
    scale = 1.0 / v[0]
    quotient = methods.zeros((max(m - n + 1, 1),), kind)
    rest = u.copy()
    for k in range(m - n + 1):
        factor = scale * rest[k]
        quotient[k] = factor
        rest[k : k + n + 1] -= factor * v
    while len(rest) > 1 and bool(methods.isclose(rest[0], 0, rtol=1e-14, atol=1e-8)):
        rest = rest[1:]
    return quotient, rest


def polyder(p, m=1):
    """Derivative of order m."""
    if m < 0:
        raise ValueError("Order of derivative must be positive (see polyint)")
    p = asarray(p)
    for _ in range(m):
        n = len(p) - 1
        p = p[:-1] * methods.arange(n, 0, -1)
    return p


def polyint(p, m=1, k=None):
    """Antiderivative of order m; `k` holds its constants."""
    if m < 0:
        raise ValueError("Order of integral must be positive (see polyder)")
    k = np.zeros(m, float) if k is None else np.atleast_1d(methods.asnumpy(k))
    if len(k) == 1 and m > 1:
        k = k[0] * np.ones(m, float)
    if len(k) < m:
        raise ValueError("k must be a scalar or a rank-1 array of length 1 or >m.")
    p = asarray(p)
    for i in range(m):
        p = concatenate([p / methods.arange(len(p), 0, -1), methods.array([k[i]])])
    return p


__all__ = ["poly", "polyadd", "polyder", "polydiv", "polyint", "polymul", "polysub", "polyval"]
