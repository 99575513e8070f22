"""Statistics composed of reductions, scans, sorts and elementwise functions."""

import warnings

import numpy as np

from rocarray._core import methods, ufuncs
from rocarray._core.conversion import asarray, assign
from rocarray._core.manipulation import concatenate
from rocarray._core.quantiles import is_inexact, spread_weights, with_last_axis
from rocarray._core.reduction import mean, reduce_named
from rocarray._core.reduction import sum as sum_
from rocarray._core.scan import cumprod, cumsum

_NO_VALUE = np._NoValue


def _keep(keepdims):
    return False if keepdims is _NO_VALUE else keepdims


def _mask(where):
    return True if where is _NO_VALUE else where


def _into(result, out):
    if out is None:
        return result
    assign(out, result)
    return out


def ptp(a, axis=None, out=None, keepdims=_NO_VALUE):
    """Range of values (maximum - minimum) over given axes.

    Parameters
    ----------
    a : array_like
    axis : None, int or tuple of int, optional
    out : ndarray, optional
    keepdims : bool, optional

    Returns
    -------
    ndarray
    """
    a = asarray(a)
    low = methods.min(a, axis=axis, keepdims=keepdims)
    return ufuncs.subtract(methods.max(a, axis=axis, keepdims=keepdims), low, out=out)


# ---- NaN left out ------------------------------------------------------------------------------


def nansum(
    a, axis=None, dtype=None, out=None, keepdims=_NO_VALUE, initial=_NO_VALUE, where=_NO_VALUE
):
    """Sum over given axes, with NaN taken for zero; see `sum`."""
    a = asarray(a)
    if not is_inexact(a) or dtype is not None:
        a = _replaced(a, 0)[0] if is_inexact(a) else a
        return sum_(a, axis, dtype, out, keepdims, initial, where)
    return reduce_named("nansum", a, axis, dtype, out, _keep(keepdims), initial, _mask(where))


def nanprod(
    a, axis=None, dtype=None, out=None, keepdims=_NO_VALUE, initial=_NO_VALUE, where=_NO_VALUE
):
    """Product over given axes, with NaN taken for one; see `prod`."""
    a = asarray(a)
    if not is_inexact(a) or dtype is not None:
        a = _replaced(a, 1)[0] if is_inexact(a) else a
        return methods.prod(a, axis, dtype, out, keepdims, initial, where)
    return reduce_named("nanprod", a, axis, dtype, out, _keep(keepdims), initial, _mask(where))


def _replaced(a, value):
    """(values with NaN replaced, where they were)."""
    missing = ufuncs.isnan(a)
    result = a.copy("K")
    assign(result, value, missing)
    return result, missing


def _nan_extreme(name, a, axis, out, keepdims, initial, where):
    a = asarray(a)
    plain = "max" if name == "fmax" else "min"
    if not is_inexact(a):
        return getattr(methods, plain)(
            a, axis=axis, out=out, keepdims=keepdims, initial=initial, where=where
        )
    if a.size == 0 and initial is _NO_VALUE:
        # NumPy's message names the function itself.
        return getattr(methods, plain)(a, axis=axis, out=out, keepdims=keepdims)
    result = reduce_named(name, a, axis, None, out, _keep(keepdims), initial, _mask(where))
    if bool(methods.any(ufuncs.isnan(result))):
        warnings.warn("All-NaN axis encountered", RuntimeWarning, stacklevel=3)
    return result


def nanmax(a, axis=None, out=None, keepdims=_NO_VALUE, initial=_NO_VALUE, where=_NO_VALUE):
    """Maximum over given axes, NaN ignored; warns where there is nothing else."""
    return _nan_extreme("fmax", a, axis, out, keepdims, initial, where)


def nanmin(a, axis=None, out=None, keepdims=_NO_VALUE, initial=_NO_VALUE, where=_NO_VALUE):
    """Minimum over given axes, NaN ignored; warns where there is nothing else."""
    return _nan_extreme("fmin", a, axis, out, keepdims, initial, where)


def _nan_position(name, fill, a, axis, out, keepdims):
    a = asarray(a)
    find = getattr(methods, name)
    if is_inexact(a):
        a, missing = _replaced(a, fill)
        if bool(methods.any(methods.all(missing, axis=axis))):
            raise ValueError("All-NaN slice encountered")
    return find(a, axis=axis, out=out, keepdims=keepdims)


def nanargmax(a, axis=None, out=None, *, keepdims=_NO_VALUE):
    """Index of the first maximum, NaN ignored; ValueError where there is nothing else."""
    return _nan_position("argmax", -np.inf, a, axis, out, keepdims)


def nanargmin(a, axis=None, out=None, *, keepdims=_NO_VALUE):
    """Index of the first minimum, NaN ignored; ValueError where there is nothing else."""
    return _nan_position("argmin", np.inf, a, axis, out, keepdims)


def _check_inexact(dtype, out):
    """What is made of floats must be asked for as floats."""
    if dtype is not None and np.dtype(dtype).kind not in "fcV":
        raise TypeError("If a is inexact, then dtype must be inexact")
    if out is not None and not is_inexact(out):
        raise TypeError("If a is inexact, then out must be inexact")


def nanmean(a, axis=None, dtype=None, out=None, keepdims=_NO_VALUE, *, where=_NO_VALUE):
    """Arithmetic mean over given axes, NaN ignored; see `mean`."""
    a = asarray(a)
    if not is_inexact(a):
        return mean(a, axis, dtype, out, keepdims, where=where)
    _check_inexact(dtype, out)
    present = ~ufuncs.isnan(a)
    if _mask(where) is not True:
        present = present & asarray(where)
    return mean(a, axis, dtype, out, keepdims, where=present)


def nanvar(
    a, axis=None, dtype=None, out=None, ddof=0, keepdims=_NO_VALUE, *, where=_NO_VALUE,
    mean=_NO_VALUE, correction=_NO_VALUE,
):  # fmt: skip
    """Variance over given axes, NaN ignored; see `var`."""
    return _nan_spread("var", a, axis, dtype, out, ddof, keepdims, where, mean, correction)


def nanstd(
    a, axis=None, dtype=None, out=None, ddof=0, keepdims=_NO_VALUE, *, where=_NO_VALUE,
    mean=_NO_VALUE, correction=_NO_VALUE,
):  # fmt: skip
    """Standard deviation over given axes, NaN ignored; see `std`."""
    return _nan_spread("std", a, axis, dtype, out, ddof, keepdims, where, mean, correction)


def _nan_spread(name, a, axis, dtype, out, ddof, keepdims, where, mean, correction):
    a = asarray(a)
    function = getattr(methods, name)
    if is_inexact(a):
        _check_inexact(dtype, out)
        present = ~ufuncs.isnan(a)
        where = present if _mask(where) is True else present & asarray(where)
    return function(
        a, axis, dtype, out, ddof, keepdims, where=where, mean=mean, correction=correction
    )


def masked_variance(a, axis, dtype, out, ddof, keepdims, where, mean, root):
    """`var` and `std` of the elements that a mask takes in."""
    where = asarray(where)
    count = methods.count_nonzero(
        methods.broadcast_to(where, a.shape), axis=axis, keepdims=keepdims
    )
    if mean is None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            kind = np.float32 if a.dtype.itemsize == 2 and a.dtype.kind != "i" else dtype
            mean = methods.mean(a, axis=axis, dtype=kind, keepdims=True, where=where)
    deviation = ufuncs.subtract(a, mean)
    if deviation.dtype.kind == "c":
        squared = deviation.real * deviation.real + deviation.imag * deviation.imag
    else:
        squared = deviation * deviation
    total = sum_(squared, axis, None, None, keepdims, where=where)
    divisor = ufuncs.maximum(count - ddof, 0)
    if bool(methods.any(count - ddof <= 0)):
        warnings.warn("Degrees of freedom <= 0 for slice", RuntimeWarning, stacklevel=4)
    result = ufuncs.divide(total, divisor)
    if root:
        result = ufuncs.sqrt(result)
    if dtype is not None:
        wanted = np.dtype(dtype)
    elif a.dtype.kind in "biu":
        wanted = np.dtype(np.float64)
    else:
        wanted = np.dtype(f"f{a.dtype.itemsize // 2}") if a.dtype.kind == "c" else a.dtype
    return _into(result.astype(wanted, copy=False), out)


# ---- weighted ----------------------------------------------------------------------------------


def average(a, axis=None, weights=None, returned=False, *, keepdims=_NO_VALUE):
    """Weighted average over given axes.

    Parameters
    ----------
    a : array_like
    axis : None, int or tuple of int, optional
    weights : array_like, optional
        Of the shape of `a`, or of the given axes.
    returned : bool, optional
        Returns the sum of the weights too.
    keepdims : bool, optional

    Returns
    -------
    ndarray or (ndarray, ndarray)

    Raises
    ------
    ZeroDivisionError
        Where weights sum to zero.
    """
    a = asarray(a)
    keep = _keep(keepdims)
    if weights is None:
        result = mean(a, axis, keepdims=keep)
        count = a.size / result.size
        total = methods.full_like(result, count)
    else:
        weights = asarray(weights)
        if a.dtype.kind in "iub":
            kind = np.result_type(a.dtype, weights.dtype, "f8")
        else:
            kind = np.result_type(a.dtype, weights.dtype)
        weights = spread_weights(a, weights, axis)
        total = sum_(weights, axis, kind, keepdims=keep)
        if bool(methods.any(total == 0)):
            raise ZeroDivisionError("Weights sum to zero, can't be normalized")
        result = sum_(ufuncs.multiply(a, weights, dtype=kind), axis, keepdims=keep) / total
    if not returned:
        return result
    if total.shape != result.shape:
        total = methods.broadcast_to(total, result.shape).copy()
    return result, total


# ---- order statistics --------------------------------------------------------------------------


def median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """Median over given axes; NaN where there is one.

    Parameters
    ----------
    a : array_like
    axis : None, int or sequence of int, optional
    out : ndarray, optional
    overwrite_input : bool, optional
        Accepted for compatibility; the input is never overwritten.
    keepdims : bool, optional

    Returns
    -------
    ndarray
    """
    a = asarray(a)
    if a.dtype.kind in "iub":
        kind = np.dtype(np.float64)
    else:
        kind = a.dtype
    values, shape = with_last_axis(a, axis)
    n = values.shape[-1]
    if n == 0:
        warnings.warn("Mean of empty slice", RuntimeWarning, stacklevel=2)
        result = methods.full(values.shape[:-1], np.nan, kind)
    else:
        parts = methods.partition(values, n // 2, axis=-1)
        middle = parts[..., n // 2 : n // 2 + 1]
        if n % 2 == 0:
            below = methods.max(parts[..., : n // 2], axis=-1, keepdims=True)
            middle = methods.concatenate([below, middle], axis=-1)
        result = mean(middle, axis=-1, dtype=kind)
        if is_inexact(a):
            largest = methods.max(values, axis=-1)  # NaN, where there is one
            result = methods.where(ufuncs.isnan(largest), largest.astype(kind), result)
    return _into(result.reshape(shape) if keepdims else result, out)


def nanmedian(a, axis=None, out=None, overwrite_input=False, keepdims=_NO_VALUE):
    """Median over given axes, NaN ignored; see `median`.

    It reads back from the device whether a row has no number (for the warning).
    """
    a = asarray(a)
    if not is_inexact(a):
        return median(a, axis, out, keepdims=_keep(keepdims))
    if a.size == 0:
        return nanmean(a, axis, out=out, keepdims=_keep(keepdims))
    values, shape = with_last_axis(a, axis)
    count = methods.count_nonzero(~ufuncs.isnan(values), axis=-1, keepdims=True)
    if bool(methods.any(count == 0)):
        warnings.warn("All-NaN slice encountered", RuntimeWarning, stacklevel=2)
    ordered = methods.sort(values, axis=-1)
    low = methods.take_along_axis(ordered, ufuncs.maximum(count - 1, 0) // 2, -1)
    high = methods.take_along_axis(ordered, count // 2 * (count > 0), -1)
    middle = mean(concatenate([low, high], axis=-1), axis=-1, keepdims=True)
    result = methods.where(count % 2 == 1, low, middle)[..., 0]
    return _into(result.reshape(shape) if _keep(keepdims) else result, out)


# ---- along an axis -----------------------------------------------------------------------------


def _cumulative(x, axis, dtype, out, include_initial, scan, start):
    x = asarray(x)
    if axis is None:
        if x.ndim > 1:
            raise ValueError(
                "For arrays which have more than one dimension ``axis`` argument is required."
            )
        axis = 0
    x = x.reshape(1) if x.ndim == 0 else x
    if not include_initial:
        return scan(x, axis, dtype, out)
    scanned = scan(x, axis, dtype)
    shape = list(x.shape)
    shape[axis] = 1
    first = methods.full(tuple(shape), start, scanned.dtype)
    return concatenate([first, scanned], axis=axis, out=out)


def cumulative_sum(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    """Cumulative sum along an axis (the array API's `cumsum`).

    Parameters
    ----------
    x : array_like
    axis : int, optional
        Needed where `x` has more than one axis.
    dtype : dtype, optional
    out : ndarray, optional
    include_initial : bool, optional
        Puts the 0 that sums begin with in front.

    Returns
    -------
    ndarray
    """
    return _cumulative(x, axis, dtype, out, include_initial, cumsum, 0)


def cumulative_prod(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    """Cumulative product along an axis; see `cumulative_sum`."""
    return _cumulative(x, axis, dtype, out, include_initial, cumprod, 1)


def _along(ndim, axis, key):
    return (slice(None),) * axis + (key,) + (slice(None),) * (ndim - axis - 1)


def diff(a, n=1, axis=-1, prepend=_NO_VALUE, append=_NO_VALUE):
    """Differences of neighbours along an axis, `n` times over.

    Parameters
    ----------
    a : array_like
    n : int, optional
    axis : int, optional
    prepend, append : array_like, optional
        Values to join to `a` first.

    Returns
    -------
    ndarray
    """
    if n == 0:
        return a
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n!r}")
    a = asarray(a)
    if a.ndim == 0:
        raise ValueError("diff requires input that is at least one dimensional")
    axis = np.lib.array_utils.normalize_axis_index(axis, a.ndim)
    parts = [a]
    for value, position in ((prepend, 0), (append, 2)):
        if value is not _NO_VALUE:
            value = asarray(value)
            if value.ndim == 0:
                shape = list(a.shape)
                shape[axis] = 1
                value = methods.broadcast_to(value, tuple(shape))
            parts.insert(position, value)
    if len(parts) > 1:
        a = concatenate(parts, axis)
    subtract = ufuncs.not_equal if a.dtype == np.bool_ else ufuncs.subtract
    later = _along(a.ndim, axis, slice(1, None))
    earlier = _along(a.ndim, axis, slice(None, -1))
    for _ in range(n):
        a = subtract(a[later], a[earlier])
    return a


def ediff1d(ary, to_end=None, to_begin=None):
    """Differences of neighbours of the flattened array, with values joined at either end."""
    ary = asarray(ary).ravel()
    parts = [ary[1:] - ary[:-1]]
    for value, position in ((to_begin, 0), (to_end, len(parts) + 1)):
        if value is None:
            continue
        value = asarray(value)
        if not np.can_cast(value.dtype, ary.dtype, "same_kind"):
            name = "to_begin" if position == 0 else "to_end"
            raise TypeError(
                f"dtype of `{name}` must be compatible with input `ary` under the `same_kind` rule."
            )
        parts.insert(position, value.ravel().astype(ary.dtype))
    return concatenate(parts) if len(parts) > 1 else parts[0]


def trapezoid(y, x=None, dx=1.0, axis=-1):
    """Integral along an axis by the trapezoidal rule.

    Parameters
    ----------
    y : array_like
    x : array_like, optional
        Sample points; evenly spaced by `dx` where absent.
    dx : scalar, optional
    axis : int, optional

    Returns
    -------
    ndarray
    """
    y = asarray(y)
    axis = np.lib.array_utils.normalize_axis_index(axis, y.ndim)
    if x is None:
        step = dx
    else:
        x = asarray(x)
        if x.ndim == 1:
            step = diff(x)
            step = step.reshape([-1 if i == axis else 1 for i in range(y.ndim)])
        else:
            step = diff(x, axis=axis)
    later = y[_along(y.ndim, axis, slice(1, None))]
    earlier = y[_along(y.ndim, axis, slice(None, -1))]
    return sum_(step * (later + earlier) / 2.0, axis)


def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, dtype=None):
    """Covariance matrix of variables (rows; columns where `rowvar` is False)."""
    if ddof is not None and ddof != int(ddof):
        raise ValueError("ddof must be integer")
    m = asarray(m)
    if m.ndim > 2:
        raise ValueError("m has more than 2 dimensions")
    if dtype is None:
        dtype = np.result_type(m.dtype, np.float64 if y is None else asarray(y).dtype, np.float64)
    x = methods.array(m, dtype, ndmin=2)
    if not rowvar and m.ndim != 1:
        x = x.T
    if y is not None:
        other = methods.array(asarray(y), dtype, ndmin=2)
        x = concatenate([x, other.T if not rowvar and other.shape[0] != 1 else other], axis=0)
    if ddof is None:
        ddof = 0 if bias else 1
    weights = _cov_weights(x, fweights, aweights)
    if weights is None:
        center, total = mean(x, axis=1), x.shape[1]
        factor = total - ddof
    else:
        center, total = average(x, axis=1, weights=weights, returned=True)
        total = float(total[0])
        if ddof == 0:
            factor = total
        elif aweights is None:
            factor = total - ddof
        else:
            factor = total - ddof * float(sum_(weights * asarray(aweights))) / total
    if factor <= 0:
        warnings.warn("Degrees of freedom <= 0 for slice", RuntimeWarning, stacklevel=2)
        factor = 0.0
    x = x - center[:, None]
    scaled = x.T if weights is None else (x * weights).T
    result = methods.dot(x, scaled.conj())
    return ufuncs.multiply(result, np.true_divide(1, factor)).squeeze()


def _cov_weights(x, fweights, aweights):
    weights = None
    for given, name in ((fweights, "fweights"), (aweights, "aweights")):
        if given is None:
            continue
        given = asarray(given)
        if given.ndim > 1:
            raise RuntimeError(f"cannot handle multidimensional {name}")
        if given.shape[0] != x.shape[1]:
            raise RuntimeError(f"incompatible numbers of samples and {name}")
        if bool(methods.any(given < 0)):
            raise ValueError(f"{name} cannot be negative")
        weights = given if weights is None else weights * given
    return weights


def corrcoef(x, y=None, rowvar=True, *, dtype=None):
    """Pearson correlation coefficients of variables; see `cov`."""
    c = cov(x, y, rowvar, dtype=dtype)
    if c.ndim == 0:
        return c / c
    deviation = ufuncs.sqrt(c.diagonal().real)
    return c / deviation[:, None] / deviation[None, :]


methods.bind(
    ptp=ptp, masked_variance=masked_variance, diff=diff, average=average, median=median,
)  # fmt: skip
