"""Quantiles and percentiles, plain, weighted, and with NaN left out.

All of them sort rows along the last axis and take the neighbours of a *virtual index*, a position
between 0 and n - 1 that need not be whole (Hyndman and Fan, "Sample Quantiles in Statistical
Packages", 1996). Positions are worked out on the host: there are as many as quantiles.
"""

import warnings

import numpy as np

from rocarray._core import methods, ufuncs
from rocarray._core.conversion import asarray, assign
from rocarray._core.manipulation import moveaxis
from rocarray._core.ndarray import ndarray


def is_inexact(a):
    return a.dtype.kind in "fc" or a.dtype.name == "bfloat16"


def normalize_axes(axis, ndim):
    if axis is None:
        return tuple(range(ndim))
    return np.lib.array_utils.normalize_axis_tuple(axis, ndim)


def with_last_axis(a, axis):
    """The array with the given axes as one last axis, and the shape that keepdims gives."""
    axes = normalize_axes(axis, a.ndim)
    kept = [i for i in range(a.ndim) if i not in axes]
    shape = tuple(1 if i in axes else n for i, n in enumerate(a.shape))
    n = int(np.prod([a.shape[i] for i in axes], dtype=np.int64))
    return a.transpose((*kept, *axes)).reshape((*(a.shape[i] for i in kept), n)), shape


# ---- where a quantile lies ---------------------------------------------------------------------


def _between(alpha, beta):
    return lambda n, q: n * q + (alpha + q * (1 - alpha - beta)) - 1


def _whole(index, at_lower):
    """The index below where `at_lower(fraction, index)` holds, else the one above."""
    below = np.floor(index)
    chosen = np.where(at_lower(index - below, index), below, below + 1)
    return np.maximum(chosen.astype(np.int64), 0)


def _inverted_cdf(n, q):
    return _whole(n * q - 1, lambda fraction, _: fraction == 0)


def _closest_observation(n, q):
    return _whole(
        n * q - 1 - 0.5, lambda fraction, index: (fraction == 0) & (np.floor(index) % 2 == 1)
    )


# Virtual index of quantile q among n sorted values: whole ones need no neighbour.
_METHODS = {
    "inverted_cdf": _inverted_cdf,
    "closest_observation": _closest_observation,
    "lower": lambda n, q: np.floor((n - 1) * q).astype(np.int64),
    "higher": lambda n, q: np.ceil((n - 1) * q).astype(np.int64),
    "nearest": lambda n, q: np.around((n - 1) * q).astype(np.int64),
    "linear": lambda n, q: (n - 1) * q,
    "interpolated_inverted_cdf": _between(0, 1),
    "hazen": _between(0.5, 0.5),
    "weibull": _between(0, 0),
    "median_unbiased": _between(1 / 3.0, 1 / 3.0),
    "normal_unbiased": _between(3 / 8.0, 3 / 8.0),
    "midpoint": lambda n, q: 0.5 * (np.floor((n - 1) * q) + np.ceil((n - 1) * q)),
    "averaged_inverted_cdf": lambda n, q: n * q - 1,
}
_WHOLE = {"inverted_cdf", "closest_observation", "lower", "higher", "nearest"}
# What the fraction becomes, where it is not the interpolation's weight itself.
_WEIGHTS = {
    "midpoint": lambda weight, index: np.where(index % 1 == 0, 0.0, 0.5),
    "averaged_inverted_cdf": lambda weight, index: np.where(weight == 0, 0.5, 1.0),
}


def _positions(method, n, q):
    """(lower position, upper position, weight of the upper one or None) on the host."""
    index = np.asarray(_METHODS[method](n, q))
    if method in _WHOLE or (method == "linear" and index.dtype.kind in "iu"):
        return index, None, None
    below = np.floor(index)
    above = below + 1
    low, high = index < 0, index >= n - 1
    # NumPy takes the weight before positions outside of the array are moved to its ends.
    weight = index - np.where(low, 0, np.where(high, -1, below))
    last = np.asarray(n - 1, dtype=np.int64)
    below = np.where(low, 0, np.where(high, last, below)).astype(np.int64)
    above = np.where(low, 0, np.where(high, last, above)).astype(np.int64)
    if method in _WEIGHTS:
        weight = _WEIGHTS[method](weight, index)
    return below, above, np.asarray(weight, index.dtype)


def _lerp(low, high, weight):
    """Between two values, from the nearer one."""
    difference = ufuncs.subtract(high, low)
    from_low = ufuncs.add(low, ufuncs.multiply(difference, weight))
    from_high = ufuncs.subtract(high, ufuncs.multiply(difference, 1 - weight))
    if not isinstance(weight, ndarray):
        return from_high if weight >= 0.5 else from_low
    return methods.where(ufuncs.greater_equal(weight, 0.5), from_high, from_low)


# ---- arguments ---------------------------------------------------------------------------------


def _read(name, a, q, method, weights, axis, percent):
    """(array, quantiles on the host, whether one Python number was given, weights)."""
    a = asarray(a)
    if a.dtype.kind == "c":
        raise TypeError("a must be an array of real numbers")
    if method not in _METHODS:
        raise ValueError(
            f"{method!r} is not a valid method. Use one of: {', '.join(sorted(_METHODS))}"
        )
    weak = type(q) in (int, float)
    q = methods.asnumpy(q) if isinstance(q, ndarray) else q
    if percent:
        q = np.true_divide(q, 100)
    q = np.asarray(q)
    if q.ndim > 2:
        raise ValueError("q must be a scalar or 1d")
    if not ((q >= 0) & (q <= 1)).all():
        raise ValueError(
            "Percentiles must be in the range [0, 100]"
            if percent
            else "Quantiles must be in the range [0, 1]"
        )
    if weights is not None:
        if method != "inverted_cdf":
            raise ValueError(f"Only method 'inverted_cdf' supports weights. Got: {method}.")
        weights = spread_weights(a, asarray(weights), axis)
        if bool(methods.any(ufuncs.less(weights, 0))):
            raise ValueError("Weights must be non-negative.")
    return a, q, weak and q.ndim == 0, weights


def spread_weights(a, weights, axis):
    """The weights in a shape that broadcasts to a's."""
    if weights.shape == a.shape:
        return weights
    if axis is None:
        raise TypeError("Axis must be specified when shapes of a and weights differ.")
    axes = normalize_axes(axis, a.ndim)
    if weights.shape != tuple(a.shape[i] for i in axes):
        raise ValueError(
            "Shape of weights must be consistent with shape of a along specified axis."
        )
    weights = weights.transpose(tuple(np.argsort(axes)))
    shape = tuple(n if i in axes else 1 for i, n in enumerate(a.shape))
    return methods.broadcast_to(weights.reshape(shape), a.shape)


def _arrange(result, q, kept_shape, out):
    """From (..., quantile) to the shape of q in front."""
    result = moveaxis(result, -1, 0)
    shape = result.shape[1:] if kept_shape is None else kept_shape
    result = result.reshape(q.shape + shape)
    if out is None:
        return result
    assign(out, result)
    return out


# ---- public functions --------------------------------------------------------------------------


def quantile(
    a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *,
    weights=None,
):  # fmt: skip
    """Quantiles over given axes.

    Parameters
    ----------
    a : array_like of real numbers
    q : array_like of float
        Probabilities in [0, 1].
    axis : None, int or tuple of int, optional
    out : ndarray, optional
    overwrite_input : bool, optional
        Accepted for compatibility; the input is never overwritten.
    method : str, optional
        One of NumPy's thirteen; default 'linear'.
    keepdims : bool, optional
    weights : array_like, optional
        Of the shape of `a`, or of the given axes; only with method 'inverted_cdf'. Checking them
        waits for the device.

    Returns
    -------
    ndarray
        With the axes of `q` in front.

    Examples
    --------
    >>> import rocarray as rp
    >>> rp.quantile(rp.array([1.0, 2.0, 4.0]), 0.75)
    array(3.)
    """
    return _quantile(*_read("quantile", a, q, method, weights, axis, False), axis, out, method,
                     keepdims)  # fmt: skip


def percentile(
    a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *,
    weights=None,
):  # fmt: skip
    """Percentiles over given axes: `quantile` of q / 100."""
    return _quantile(*_read("percentile", a, q, method, weights, axis, True), axis, out, method,
                     keepdims)  # fmt: skip


def _quantile(a, q, weak, weights, axis, out, method, keepdims):
    values, shape = with_last_axis(a, axis)
    n = values.shape[-1]
    if n == 0:
        raise IndexError("cannot take a quantile of an empty slice")
    if weights is not None:
        result = _weighted(values, with_last_axis(weights, axis)[0], q.ravel(), False)
        return _arrange(result, q, shape if keepdims else None, out)
    ordered = methods.sort(values, axis=-1)
    below, above, weight = _positions(method, n, q.ravel())
    result = methods.take(ordered, below, axis=-1)
    if weight is not None:
        weight = float(weight[0]) if weak else asarray(weight)
        result = _lerp(result, methods.take(ordered, above, axis=-1), weight)
    if is_inexact(a):
        last = ordered[..., -1:]
        result = methods.where(ufuncs.isnan(last), last.astype(result.dtype), result)
    return _arrange(result, q, shape if keepdims else None, out)


def _weighted(values, weights, q, skip_nan):
    """Rows' smallest values at which the share of the weights reaches q."""
    order = methods.argsort(values, axis=-1)
    values = methods.take_along_axis(values, order, -1)
    weights = methods.take_along_axis(methods.copy(weights, "C"), order, -1).astype(np.float64)
    missing = ufuncs.isnan(values) if is_inexact(values) else None
    if missing is not None and skip_nan:
        weights = methods.where(missing, 0.0, weights)
    share = methods.cumsum(weights, axis=-1)
    total = share[..., -1:]
    share = ufuncs.divide(share, total)
    unusable = ufuncs.isnan(share[..., -1:])
    if missing is not None and skip_nan:
        unusable = ufuncs.logical_and(unusable, ~missing[..., :1])
    if bool(methods.any(unusable)):
        raise ValueError("Weights included NaN, inf or were all zero.")
    if q.dtype.kind == "f":
        share = share.astype(q.dtype, copy=False)
    # Leading weights of zero are never chosen, not even for q = 0.
    share = methods.where(ufuncs.equal(share, 0), share.dtype.type(-1), share)
    places = methods.stack(
        [methods.sum(ufuncs.less(share, share.dtype.type(x)), axis=-1) for x in q], axis=-1
    )
    places = ufuncs.minimum(places, values.shape[-1] - 1)
    result = methods.take_along_axis(values, places, -1)
    if missing is None:
        return result
    lost = missing[..., :1] if skip_nan else missing[..., -1:]
    return methods.where(lost, values.dtype.type(np.nan), result)


def nanquantile(
    a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=np._NoValue, *,
    weights=None,
):  # fmt: skip
    """Quantiles over given axes, NaN ignored; see `quantile`.

    How many numbers each row holds decides where its quantiles lie, so that the counts are read
    back from the device.
    """
    return _nanquantile(*_read("nanquantile", a, q, method, weights, axis, False), axis, out,
                        method, keepdims)  # fmt: skip


def nanpercentile(
    a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=np._NoValue, *,
    weights=None,
):  # fmt: skip
    """Percentiles over given axes, NaN ignored; see `nanquantile`."""
    return _nanquantile(*_read("nanpercentile", a, q, method, weights, axis, True), axis, out,
                        method, keepdims)  # fmt: skip


def _nanquantile(a, q, weak, weights, axis, out, method, keepdims):
    keepdims = False if keepdims is np._NoValue else keepdims
    if a.size == 0:
        return methods.nanmean(a, axis, out=out, keepdims=keepdims)
    if not is_inexact(a):
        return _quantile(a, q, weak, weights, axis, out, method, keepdims)
    values, shape = with_last_axis(a, axis)
    count = methods.asnumpy(methods.count_nonzero(~ufuncs.isnan(values), axis=-1))
    if (count == 0).any():
        warnings.warn("All-NaN slice encountered", RuntimeWarning, stacklevel=3)
    if weights is not None:
        result = _weighted(values, with_last_axis(weights, axis)[0], q.ravel(), True)
        return _arrange(result, q, shape if keepdims else None, out)
    ordered = methods.sort(values, axis=-1)
    # NaN sorts last, so each row's own count says where its numbers end.
    below, above, weight = _positions(method, np.maximum(count, 1)[..., None], q.ravel())
    result = methods.take_along_axis(ordered, asarray(below), -1)
    if weight is not None:
        weight = weight.astype(a.dtype) if weak else weight
        high = methods.take_along_axis(ordered, asarray(above), -1)
        result = _lerp(result, high, asarray(weight))
    return _arrange(result, q, shape if keepdims else None, out)


methods.bind(quantile=quantile, percentile=percentile)
