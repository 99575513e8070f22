"""Differences, interpolation and convolution of sampled functions."""

import numpy as np

from rocarray._core import methods, ufuncs
from rocarray._core.conversion import asarray
from rocarray._core.creation import empty_like
from rocarray._core.manipulation import concatenate
from rocarray._core.views import sliding_window_view


def _along(ndim, axis, start, stop):
    key = [slice(None)] * ndim
    key[axis] = slice(start, stop)
    return tuple(key)


def gradient(f, *varargs, axis=None, edge_order=1):
    """Slopes by central differences inside, by one-sided ones at the edges.

    Parameters
    ----------
    f : array_like
    *varargs : scalar or array_like, optional
        Spacing: one for all axes, one for each, or the coordinates of each.
    axis : None, int or tuple of int, optional
    edge_order : {1, 2}, optional
        Order of the differences at the edges.

    Returns
    -------
    ndarray or tuple of ndarray
        One for each axis.
    """
    f = asarray(f)
    if axis is None:
        axes = tuple(range(f.ndim))
    else:
        axes = np.lib.array_utils.normalize_axis_tuple(axis, f.ndim)
    spacings = _spacings(f, varargs, axes)
    if edge_order > 2:
        raise ValueError("'edge_order' greater than 2 not supported")
    if f.dtype.kind not in "fc":
        if f.dtype == bool:
            raise TypeError("numpy boolean subtract, the `-` operator, is not supported")
        f = f.astype(np.float64)
    results = []
    for one, spacing in zip(axes, spacings, strict=True):
        if f.shape[one] < edge_order + 1:
            raise ValueError(
                "Shape of array too small to calculate a numerical gradient, at least (edge_order "
                "+ 1) elements are required."
            )
        results.append(_slope(f, spacing, one, edge_order))
    return results[0] if len(axes) == 1 else tuple(results)


def _spacings(f, given, axes):
    if not given:
        return [1.0] * len(axes)
    if len(given) == 1 and np.ndim(given[0]) == 0 and not hasattr(given[0], "get"):
        return list(given) * len(axes)
    if len(given) != len(axes):
        if len(given) == 1 and given[0].ndim == 0:
            return list(given) * len(axes)
        raise TypeError("invalid number of arguments")
    result = []
    for spacing, axis in zip(given, axes, strict=True):
        spacing = spacing if np.isscalar(spacing) else asarray(spacing)
        if np.isscalar(spacing) or spacing.ndim == 0:
            result.append(spacing)
            continue
        if spacing.ndim != 1:
            raise ValueError("distances must be either scalars or 1d")
        if len(spacing) != f.shape[axis]:
            raise ValueError(
                "when 1d, distances must match the length of the corresponding dimension"
            )
        spacing = spacing.astype(np.float64) if spacing.dtype.kind in "iu" else spacing
        result.append(spacing[1:] - spacing[:-1])
    return result


def _slope(f, spacing, axis, edge_order):
    def part(start, stop):
        return f[_along(f.ndim, axis, start, stop)]

    result = empty_like(f)
    even = np.isscalar(spacing) or spacing.ndim == 0
    inside = result[_along(f.ndim, axis, 1, -1)]
    if even:
        inside[...] = (part(2, None) - part(None, -2)) / (2.0 * spacing)
        before = after = last = second_last = spacing
    else:
        column = (-1,) + (1,) * (f.ndim - axis - 1)
        left, right = spacing[:-1].reshape(column), spacing[1:].reshape(column)
        inside[...] = (
            -(right) / (left * (left + right)) * part(None, -2)
            + (right - left) / (left * right) * part(1, -1)
            + left / (right * (left + right)) * part(2, None)
        )
        before, last = spacing[0], spacing[-1]
        after, second_last = (spacing[1], spacing[-2]) if len(spacing) > 1 else (before, last)
    first, end = _along(f.ndim, axis, 0, 1), _along(f.ndim, axis, -1, None)
    if edge_order == 1:
        result[first] = (part(1, 2) - part(0, 1)) / before
        result[end] = (part(-1, None) - part(-2, -1)) / last
        return result
    a, b, c = _edge_weights(before, after)
    result[first] = a * part(0, 1) + b * part(1, 2) + c * part(2, 3)
    a, b, c = _edge_weights(last, second_last)
    result[end] = -(c * part(-3, -2) + b * part(-2, -1) + a * part(-1, None))
    return result


def _edge_weights(near, far):
    """Weights of three samples for the slope at the first, second order."""
    return (
        -(2.0 * near + far) / (near * (near + far)),
        (near + far) / (near * far),
        -near / (far * (near + far)),
    )


def interp(x, xp, fp, left=None, right=None, period=None):
    """Linear interpolation between samples with rising abscissae.

    Parameters
    ----------
    x : array_like
        Where to evaluate.
    xp, fp : 1-D array_like
        Abscissae (rising, unless `period` is given) and values.
    left, right : scalar, optional
        Below and above the samples; default the first and the last value.
    period : float, optional

    Returns
    -------
    ndarray of float64 or complex128
    """
    x, xp = asarray(x), asarray(xp).astype(np.float64)
    fp = asarray(fp)
    kind = np.complex128 if fp.dtype.kind == "c" else np.float64
    fp, points = fp.astype(kind), x.astype(np.float64)
    if xp.ndim != 1 or fp.ndim != 1:
        raise ValueError("Data points must be 1-D sequences")
    if xp.shape != fp.shape:
        raise ValueError("fp and xp are not of the same length.")
    if xp.size == 0:
        raise ValueError("array of sample points is empty")
    if period is not None:
        if period == 0:
            raise ValueError("period must be a non-zero value")
        period = abs(period)
        left = right = None
        points, xp = points % period, xp % period
        order = methods.argsort(xp)
        xp, fp = xp[order], fp[order]
        xp = concatenate([xp[-1:] - period, xp, xp[:1] + period])
        fp = concatenate([fp[-1:], fp, fp[:1]])
    place = methods.searchsorted(xp, points, side="right") - 1
    lower = ufuncs.minimum(ufuncs.maximum(place, 0), max(xp.size - 2, 0))
    upper = ufuncs.minimum(lower + 1, xp.size - 1)
    x0, y0, y1 = xp[lower], fp[lower], fp[upper]
    slope = (y1 - y0) / (xp[upper] - x0)
    result = slope * (points - x0) + y0
    # Infinite slopes at a sample, as NumPy: count from the other end, else the common value.
    if kind is np.float64:
        other = slope * (points - xp[upper]) + y1
        result = methods.where(ufuncs.isnan(result), other, result)
        result = methods.where(ufuncs.isnan(result) & (y0 == y1), y0, result)
    result = methods.where(points == x0, y0, result)
    result = methods.where(points >= xp[-1], fp[-1], result)
    result = methods.where(points < xp[0], fp[0] if left is None else kind(left), result)
    result = methods.where(points > xp[-1], fp[-1] if right is None else kind(right), result)
    return methods.where(ufuncs.isnan(points), points.astype(kind), result)


def convolve(a, v, mode="full"):
    """Discrete convolution of two vectors; see `correlate`."""
    a, v = methods.array(a, ndmin=1), methods.array(v, ndmin=1)
    if v.size > a.size:
        a, v = v, a
    if a.size == 0 or v.size == 0:
        raise ValueError(f"{'a' if a.size == 0 else 'v'} cannot be empty")
    return _sliding_products(a, v[::-1], mode)


def correlate(a, v, mode="valid"):
    """Cross-correlation of two vectors: sums of a[n + k] * conj(v[n]).

    Every output is one row of a matrix product over overlapping windows, so the cost is the
    product of the lengths.

    Parameters
    ----------
    a, v : array_like
        1-D.
    mode : {'valid', 'same', 'full'}, optional

    Returns
    -------
    ndarray
    """
    a, v = asarray(a), asarray(v)
    if a.ndim != 1 or v.ndim != 1:
        raise ValueError("object of too small depth for desired array")
    if a.size == 0 or v.size == 0:
        raise ValueError(f"{'first' if a.size == 0 else 'second'} array argument cannot be empty")
    v = v.conj()
    if v.size > a.size:
        # Sums over the same products in reverse order.
        return _sliding_products(v, a, mode)[::-1].copy()
    return _sliding_products(a, v, mode)


def _sliding_products(a, v, mode):
    """Products with v at every position of the longer a."""
    if mode not in ("valid", "same", "full"):
        raise ValueError(f"mode must be one of 'valid', 'same', or 'full' (got {mode!r})")
    n = v.size
    kind = np.result_type(a.dtype, v.dtype)
    if mode == "full":
        before = after = n - 1
    elif mode == "same":
        before = n // 2
        after = n - 1 - before
    else:
        before = after = 0
    a = methods.pad(a.astype(kind), (before, after))
    windows = sliding_window_view(a, n)
    return methods.matmul(windows, v.astype(kind))


def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """Cross product of vectors with three (or two) components.

    Parameters
    ----------
    a, b : array_like
    axisa, axisb, axisc : int, optional
        The axes of the components, and that of the result's.
    axis : int, optional
        All three at once.
    """
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = asarray(a), asarray(b)
    if a.ndim < 1 or b.ndim < 1:
        raise ValueError("At least one array has zero dimension")
    a, b = methods.moveaxis(a, axisa, -1), methods.moveaxis(b, axisb, -1)
    if a.shape[-1] not in (2, 3) or b.shape[-1] not in (2, 3):
        raise ValueError("Both input arrays must be (arrays of) 3-dimensional vectors, but they "
                         f"are {a.shape[-1]} and {b.shape[-1]} dimensional instead.")  # fmt: skip
    ax, ay, bx, by = a[..., 0], a[..., 1], b[..., 0], b[..., 1]
    last = ax * by - ay * bx
    if a.shape[-1] == 2 and b.shape[-1] == 2:
        return last
    zero = np.zeros((), np.result_type(a.dtype, b.dtype))
    az = a[..., 2] if a.shape[-1] == 3 else zero
    bz = b[..., 2] if b.shape[-1] == 3 else zero
    parts = methods.broadcast_arrays(ay * bz - az * by, az * bx - ax * bz, last)
    return methods.moveaxis(methods.stack(parts, axis=-1), -1, axisc)


__all__ = ["convolve", "correlate", "cross", "gradient", "interp"]
