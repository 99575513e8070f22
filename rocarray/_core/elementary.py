"""Functions composed of ufuncs: rounding, clipping, comparison with tolerance, complex parts."""

import numpy as np

from rocarray._core import methods, ufuncs
from rocarray._core.conversion import asarray, asnumpy, assign, copyto
from rocarray._core.creation import empty_like, zeros_like
from rocarray._core.ndarray import ndarray


def clip(
    a, a_min=np._NoValue, a_max=np._NoValue, out=None, *, min=np._NoValue, max=np._NoValue, **kwargs
):
    """Limits the values of an array to [a_min, a_max].

    Parameters
    ----------
    a : array_like
    a_min, a_max : array_like or None
        None is no limit. `min` and `max` are the array API standard's names for them.
    out : ndarray, optional

    Returns
    -------
    ndarray
    """
    low = a_min if min is np._NoValue else min
    high = a_max if max is np._NoValue else max
    low = None if low is np._NoValue else low
    high = None if high is np._NoValue else high
    if methods.is_traced(a):
        return a.clip(low, high)
    a = asarray(a)
    for name, bound in (("minimum", low), ("maximum", high)):
        if type(bound) is int and a.dtype.kind in "iu":
            info = np.iinfo(a.dtype)
            if not info.min <= bound <= info.max:
                # A bound outside of the type limits nothing or everything.
                if name == "minimum":
                    low = None if bound < info.min else info.max
                else:
                    high = None if bound > info.max else info.min
    if low is None and high is None:
        return ufuncs.positive(a, out=out, **kwargs) if a.dtype != bool else a.copy()
    if low is None:
        return ufuncs.minimum(a, high, out=out, **kwargs)
    if high is None:
        return ufuncs.maximum(a, low, out=out, **kwargs)
    return ufuncs.minimum(ufuncs.maximum(a, low), high, out=out, **kwargs)


def round(a, decimals=0, out=None):
    """Rounds to a number of decimals, halves to even.

    As in NumPy the value is scaled, rounded and scaled back, so the last digit of the result may
    differ from correct decimal rounding.
    """
    a = asarray(a)
    if a.dtype == bool:
        a = a.astype(np.float16)
    if a.dtype.kind in "iu":
        if decimals >= 0:
            result = a.copy()
        else:
            scale = 10 ** (-decimals)
            half = ufuncs.rint(ufuncs.divide(a, float(scale)))
            result = ufuncs.multiply(half, float(scale)).astype(a.dtype)
    elif a.dtype.kind == "c":
        result = empty_like(a)
        result.real = round(a.real, decimals)
        result.imag = round(a.imag, decimals)
    elif decimals == 0:
        return ufuncs.rint(a, out=out)
    elif decimals > 0:
        scale = 10.0**decimals
        result = ufuncs.divide(ufuncs.rint(ufuncs.multiply(a, scale)), scale)
    else:
        scale = 10.0**-decimals
        result = ufuncs.multiply(ufuncs.rint(ufuncs.divide(a, scale)), scale)
    if out is None:
        return result
    assign(out, result)
    return out


around = round


def fix(x, out=None):
    """Rounds towards zero."""
    return ufuncs.trunc(x, out=out)


def real(val):
    """The real part (a view of a complex array)."""
    return asarray(val).real


def imag(val):
    """The imaginary part (a view of a complex array, zeros for a real one)."""
    return asarray(val).imag


def angle(z, deg=False):
    """The argument of complex numbers, in (-pi, pi] (degrees where `deg`)."""
    z = asarray(z)
    result = ufuncs.arctan2(z.imag, z.real)
    return ufuncs.multiply(result, 180.0 / np.pi) if deg else result


def real_if_close(a, tol=100):
    """The real part where every imaginary part is within `tol` machine epsilons of zero."""
    a = asarray(a)
    if a.dtype.kind != "c":
        return a
    limit = tol * np.finfo(a.dtype).eps if tol > 1 else tol
    return a.real if bool(methods.all(ufuncs.less(ufuncs.absolute(a.imag), limit))) else a


def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    """NaN and infinities replaced by numbers."""
    x = asarray(x)
    result = x.copy() if copy else x
    if x.dtype.kind not in "fc" and x.dtype.name != "bfloat16":
        return result
    parts = [result.real, result.imag] if x.dtype.kind == "c" else [result]
    for part in parts:
        limits = np.finfo(part.dtype)
        high = float(limits.max) if posinf is None else posinf
        low = float(limits.min) if neginf is None else neginf
        is_infinite, is_negative = ufuncs.isinf(part), ufuncs.signbit(part)
        is_nan = ufuncs.isnan(part)
        copyto(part, nan, casting="unsafe", where=is_nan)
        copyto(part, low, casting="unsafe", where=is_infinite & is_negative)
        copyto(part, high, casting="unsafe", where=is_infinite & ~is_negative)
    return result


def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Where |a - b| <= atol + rtol * |b|; equal infinities are close."""
    a, b = asarray(a), asarray(b)
    if b.dtype.kind in "biu":
        b = b.astype(np.result_type(b.dtype, 1.0))
    difference = ufuncs.absolute(ufuncs.subtract(a, b))
    close = ufuncs.less_equal(
        difference, ufuncs.add(ufuncs.multiply(ufuncs.absolute(b), rtol), atol)
    )
    close = (close & ufuncs.isfinite(b)) | ufuncs.equal(a, b)
    if equal_nan:
        close = close | (ufuncs.isnan(a) & ufuncs.isnan(b))
    return close


def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether every pair is close (a Python bool: it synchronises)."""
    return bool(methods.all(isclose(a, b, rtol, atol, equal_nan)))


def array_equal(a1, a2, equal_nan=False):
    """Whether shapes and all elements are equal (a Python bool: it synchronises)."""
    a1, a2 = asarray(a1), asarray(a2)
    if a1.shape != a2.shape:
        return False
    same = ufuncs.equal(a1, a2)
    if equal_nan:
        same = same | (ufuncs.not_equal(a1, a1) & ufuncs.not_equal(a2, a2))
    return bool(methods.all(same))


def array_equiv(a1, a2):
    """Whether the arrays broadcast together and are equal then (a Python bool)."""
    a1, a2 = asarray(a1), asarray(a2)
    try:
        np.broadcast_shapes(a1.shape, a2.shape)
    except ValueError:
        return False
    return bool(methods.all(ufuncs.equal(a1, a2)))


def isposinf(x, out=None):
    """Where values are positive infinity."""
    return ufuncs.logical_and(ufuncs.isinf(x), ~ufuncs.signbit(x), out=out)


def isneginf(x, out=None):
    """Where values are negative infinity."""
    return ufuncs.logical_and(ufuncs.isinf(x), ufuncs.signbit(x), out=out)


def iscomplex(x):
    """Where the imaginary part is not zero."""
    x = asarray(x)
    return x.imag != 0 if x.dtype.kind == "c" else zeros_like(x, bool)


def isreal(x):
    """Where the imaginary part is zero."""
    return ~iscomplex(x)


def iscomplexobj(x):
    """Whether the type is complex."""
    dtype = x.dtype if isinstance(x, ndarray) else np.asarray(x).dtype
    return dtype.kind == "c"


def isrealobj(x):
    """Whether the type is not complex."""
    return not iscomplexobj(x)


def isscalar(element):
    """Whether the argument is a scalar (a 0-d device array is not)."""
    return np.isscalar(element)


def sinc(x):
    """sin(pi x) / (pi x), 1 at 0."""
    x = asarray(x)
    y = ufuncs.multiply(x, np.pi)
    y = methods.where(ufuncs.equal(y, 0), y.dtype.type(np.finfo(y.dtype).tiny), y)
    return ufuncs.divide(ufuncs.sin(y), y)


def sort_complex(a):
    """The values as sorted complex numbers: by real part, then by imaginary part."""
    a = asarray(a)
    if a.dtype.kind != "c":
        small = a.dtype.char in "bhBHe"
        a = a.astype(np.complex64 if small or a.dtype == np.float32 else np.complex128)
    return methods.sort(a)


def unwrap(p, discont=None, axis=-1, *, period=2 * np.pi):
    """Jumps larger than half a period replaced by their complement."""
    p = asarray(p)
    step = methods.diff(p, axis=axis)
    limit = period / 2 if discont is None else discont
    kind = np.result_type(step.dtype, period)
    if np.issubdtype(kind, np.integer):
        high, odd = divmod(period, 2)
        boundary = odd == 0
    else:
        high, boundary = period / 2, True
    low = -high
    change = ufuncs.remainder(step - low, period) + low
    if boundary:
        change = methods.where((change == low) & (step > 0), high, change)
    correction = change - step
    correction = methods.where(ufuncs.absolute(step) < limit, 0, correction)
    result = p.astype(kind)
    lead = (slice(None),) * (axis % p.ndim)
    result[(*lead, slice(1, None))] = p[(*lead, slice(1, None))] + methods.cumsum(correction, axis)
    return result


def isfortran(a):
    """Whether an array is in Fortran order and not in C order."""
    return a.flags.fnc


def common_type(*arrays):
    """The inexact scalar type that holds the values of all arrays."""
    return np.common_type(*[np.empty(0, asarray(a).dtype) for a in arrays])


def may_share_memory(a, b, /, max_work=None):
    """Whether the memory that two arrays span overlaps."""
    if a.size == 0 or b.size == 0:
        return False
    bounds = []
    for x in (a, b):
        steps = [(n - 1) * step for n, step in zip(x.shape, x.strides, strict=True)]
        start = x.data.ptr
        low = start + sum(step for step in steps if step < 0)
        bounds.append((low, start + sum(step for step in steps if step > 0) + x.itemsize))
    return bounds[0][0] < bounds[1][1] and bounds[1][0] < bounds[0][1]


def ndenumerate(arr):
    """(index, value) pairs of an array, which is fetched to the host as a whole."""
    return np.ndenumerate(asnumpy(arr))
