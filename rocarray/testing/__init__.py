"""Assertions over device arrays: numpy.testing's, after fetching the values."""

import functools

import numpy.testing as _numpy_testing

from rocarray._core.conversion import asnumpy
from rocarray._core.ndarray import ndarray


def _fetch(x):
    if isinstance(x, ndarray):
        return asnumpy(x)
    if isinstance(x, (list, tuple)):
        return type(x)(_fetch(item) for item in x)
    return x


def _over_device_arrays(function):
    @functools.wraps(function)
    def check(*args, **kwargs):
        return function(*map(_fetch, args), **{k: _fetch(v) for k, v in kwargs.items()})

    return check


assert_allclose = _over_device_arrays(_numpy_testing.assert_allclose)
assert_array_almost_equal = _over_device_arrays(_numpy_testing.assert_array_almost_equal)
assert_array_almost_equal_nulp = _over_device_arrays(_numpy_testing.assert_array_almost_equal_nulp)
assert_array_equal = _over_device_arrays(_numpy_testing.assert_array_equal)
assert_array_less = _over_device_arrays(_numpy_testing.assert_array_less)
assert_array_max_ulp = _over_device_arrays(_numpy_testing.assert_array_max_ulp)
assert_equal = _over_device_arrays(_numpy_testing.assert_equal)


def assert_same(actual, desired, rtol=0.0, atol=0.0):
    """Equal values (within tolerance), dtype and shape.

    Parameters
    ----------
    actual : ndarray
    desired : numpy.ndarray
    rtol, atol : float, optional
        0 asks for equality; NaN equals NaN.
    """
    actual = _fetch(actual)
    desired = _fetch(desired)
    if isinstance(desired, (tuple, list)):
        assert len(actual) == len(desired), f"{len(actual)} results, expected {len(desired)}"
        for mine, theirs in zip(actual, desired, strict=True):
            assert_same(mine, theirs, rtol, atol)
        return
    _numpy_testing.assert_equal(getattr(actual, "dtype", None), getattr(desired, "dtype", None))
    _numpy_testing.assert_equal(getattr(actual, "shape", ()), getattr(desired, "shape", ()))
    if rtol or atol:
        _numpy_testing.assert_allclose(actual, desired, rtol, atol)
    else:
        _numpy_testing.assert_array_equal(actual, desired)


__all__ = [
    "assert_allclose",
    "assert_array_almost_equal",
    "assert_array_almost_equal_nulp",
    "assert_array_equal",
    "assert_array_less",
    "assert_array_max_ulp",
    "assert_equal",
    "assert_same",
]
