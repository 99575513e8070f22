"""Sorts of rows long enough for radix sort, against NumPy's stable ones."""

import numpy as np
import pytest

import rocarray as rp

DTYPES = "?bBhHiIlLefd"


def items(dtype, n):
    rng = np.random.default_rng(n)
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        values = rng.normal(size=n).astype(dtype)
        values[rng.integers(0, n, n // 5)] = rng.choice([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0])
        values[rng.integers(0, n, n // 9)] = np.nan
        values[rng.integers(0, n, n // 9)] = -0.0
        return values
    if dtype.kind == "b":
        return rng.random(n) < 0.5
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max, n, dtype=dtype, endpoint=True)


@pytest.mark.parametrize("shape", [(255,), (256,), (1000,), (70_001,), (200_000,), (3, 2049)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_sort_and_argsort(dtype, shape):
    x = items(dtype, int(np.prod(shape))).reshape(shape)
    rp.testing.assert_array_equal(rp.sort(rp.asarray(x)), np.sort(x, kind="stable"))
    places = rp.argsort(rp.asarray(x))
    assert places.dtype == np.int64
    rp.testing.assert_array_equal(places, np.argsort(x, kind="stable"))


@pytest.mark.parametrize("value", [0, 7])
def test_equal_items_and_shared_digits(value):
    x = np.full(100_000, value)
    x[::3] += 256
    rp.testing.assert_array_equal(rp.sort(rp.asarray(x)), np.sort(x))
    rp.testing.assert_array_equal(rp.argsort(rp.asarray(x)), np.argsort(x, kind="stable"))
    same = np.full((2, 300), value)
    rp.testing.assert_array_equal(rp.argsort(rp.asarray(same)), np.argsort(same, kind="stable"))


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_axes_and_views(axis):
    x = items("d", 300 * 5 * 301).reshape(300, 5, 301)[::-1, :, ::-1]
    rp.testing.assert_array_equal(rp.sort(rp.asarray(x), axis=axis), np.sort(x, axis=axis))


def test_the_argument_stays():
    x = rp.asarray(items("d", 1000))
    before = rp.asnumpy(x)
    rp.sort(x)
    rp.argsort(x)
    rp.testing.assert_array_equal(x, before)


@pytest.mark.parametrize("shape", [(300,), (50_000,), (4, 1001)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_partition(dtype, shape):
    x = items(dtype, int(np.prod(shape))).reshape(shape)
    ordered = np.sort(x)
    for kth in (0, 1, shape[-1] // 2, -2, -1):
        result = rp.asnumpy(rp.partition(rp.asarray(x), kth))
        np.testing.assert_array_equal(result[..., kth], ordered[..., kth])
        k = kth % shape[-1]
        np.testing.assert_array_equal(np.sort(result[..., :k]), ordered[..., :k])
        np.testing.assert_array_equal(np.sort(result[..., k:]), ordered[..., k:])


def test_partition_along_an_axis():
    x = items("f", 300 * 7).reshape(300, 7)
    result = rp.partition(rp.asarray(x), 100, axis=0)
    rp.testing.assert_array_equal(result[100], np.sort(x, axis=0)[100])
