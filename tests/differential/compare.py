"""What "the same result" means."""

import numpy as np

import rocarray as rp


class Difference(AssertionError):
    """rocarray did something else than NumPy."""


class Tolerance:
    """How far values may be off.

    Parameters
    ----------
    ulps : float
        In units of the last place of the larger of |expected| and `scale`.
    scale : array_like, optional
        Size of the numbers that were added up, where that is more than the result's size.
    defined : array_like of bool, optional
        Elsewhere NumPy leaves the values undefined.
    either_zero : bool, optional
        Whether +0 and -0 are the same.
    precision : dtype, optional
        Whose last place counts; default the result's.
    extent : array_like, optional
        Bound of intermediate results; where it is not finite they may overflow or not.
    any_nan : bool, optional
        Whether all complex numbers with a NaN in them are the same.
    """

    def __init__(self, ulps=0.0, scale=None, defined=None, either_zero=False, precision=None,
                 extent=None, any_nan=False):  # fmt: skip
        self.ulps = ulps
        self.scale = scale
        self.defined = defined
        self.either_zero = either_zero
        self.precision = precision
        self.extent = extent
        self.any_nan = any_nan


EXACT = Tolerance()

# Composed functions, whose results lie in memory as their last step left them: C order here, in
# NumPy whatever its own composition gives.
ANY_ORDER = {"quantile", "percentile", "nanquantile", "nanpercentile", "median", "nanmedian",
             "nanmean", "nansum", "nanprod", "nanvar", "nanstd", "average", "cumulative_sum",
             "trapezoid", "nonzero", "argwhere", "pad", "roll", "delete"}  # fmt: skip


def compare(actual, expected, tolerance=None, any_order=False):
    """Raises Difference unless type, shape, memory order and values agree.

    Where values differ within the tolerance NumPy's are written to the device array, so that what
    follows begins with equal values.
    """
    tolerance = tolerance or EXACT
    if isinstance(expected, (tuple, list)):
        _require(isinstance(actual, (tuple, list)), type(actual), type(expected), "type")
        _require(len(actual) == len(expected), len(actual), len(expected), "number of results")
        for mine, theirs in zip(actual, expected, strict=True):
            compare(mine, theirs, tolerance, any_order)
        return
    if not isinstance(expected, (np.ndarray, np.generic)):
        if isinstance(actual, rp.ndarray):
            actual = actual.get()[()]
        _require(actual == expected or actual != actual, actual, expected, "value")
        return
    if not isinstance(actual, rp.ndarray):
        # bool(...) of allclose and its like.
        _require(actual == expected, actual, expected, "value")
        return
    expected = np.asarray(expected)
    _require(actual.dtype == expected.dtype, actual.dtype, expected.dtype, "dtype")
    _require(actual.shape == expected.shape, actual.shape, expected.shape, "shape")
    for flag in () if any_order else ("c_contiguous", "f_contiguous"):
        mine, theirs = getattr(actual.flags, flag), getattr(expected.flags, flag)
        _require(mine == theirs, (mine, actual.strides), (theirs, expected.strides), flag)
    compare_values(actual, expected, tolerance)


def compare_values(actual, expected, tolerance):
    host = actual.get()
    if host.tobytes() == np.ascontiguousarray(expected).tobytes():
        return
    wrong = _wrong(host, expected, tolerance)
    if tolerance.defined is not None:
        wrong &= np.broadcast_to(tolerance.defined, wrong.shape)
    if wrong.any():
        at = tuple(int(i) for i in np.argwhere(wrong)[0])
        raise Difference(
            f"{wrong.sum()} of {wrong.size} values differ, first at {at}: "
            f"rocarray {host[at]!r}, NumPy {expected[at]!r}\nrocarray:\n{host!r}\nNumPy:\n"
            f"{expected!r}"
        )
    if actual.flags.writeable:
        actual[...] = rp.asarray(expected)


def _require(condition, actual, expected, what):
    if not condition:
        raise Difference(f"{what}: rocarray {actual!r}, NumPy {expected!r}")


def _wrong(actual, expected, tolerance):
    """Where the values are further apart than allowed."""
    if expected.dtype.kind == "c":
        # A complex number is as far off as its larger part says.
        scale = np.maximum(np.abs(expected.real), np.abs(expected.imag))
        if tolerance.scale is not None:
            scale = np.maximum(scale, tolerance.scale)
        parts = Tolerance(tolerance.ulps, scale if tolerance.ulps else None, None,
                          tolerance.either_zero, tolerance.precision)  # fmt: skip
        parts.extent = tolerance.extent
        wrong = _wrong(actual.real, expected.real, parts) | _wrong(
            actual.imag, expected.imag, parts
        )
        if tolerance.any_nan:
            wrong &= ~(np.isnan(actual) & np.isnan(expected))
        return wrong
    if expected.dtype.kind != "f":
        return actual != expected
    same = (actual == expected) | (np.isnan(actual) & np.isnan(expected))
    if not tolerance.either_zero and not tolerance.ulps:
        same &= (np.signbit(actual) == np.signbit(expected)) | np.isnan(expected)
    if not tolerance.ulps:
        return ~same
    size = np.abs(expected)
    if tolerance.scale is not None:
        size = np.maximum(size, np.asarray(tolerance.scale).astype(size.dtype))
    with np.errstate(all="ignore"):
        difference = np.abs(actual.astype(np.longdouble) - expected.astype(np.longdouble))
        # Sums that may overflow on the way do so or not by their order.
        unsure = ~np.isfinite(size * np.asarray(2, size.dtype)) & (tolerance.scale is not None)
        if tolerance.extent is not None:
            unsure |= ~np.isfinite(np.asarray(tolerance.extent).astype(size.dtype))
        place = np.spacing(size)
        if tolerance.precision is not None:
            place = np.maximum(place, size * np.finfo(tolerance.precision).eps)
        return ~(same | unsure | (difference <= tolerance.ulps * place))
