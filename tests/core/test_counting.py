"""Distinct slices, counts and histograms against NumPy."""

import numpy as np
import pytest

import rocarray as rp
from rocarray.testing import assert_same

RNG = np.random.default_rng(11)


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
@pytest.mark.parametrize("char", "?bHilfdF")
def test_unique_slices(char, axis):
    a = RNG.integers(0, 2, (5, 4, 3)).astype(char)
    got = rp.unique(
        rp.asarray(a), return_index=True, return_inverse=True, return_counts=True, axis=axis
    )
    expected = np.unique(a, return_index=True, return_inverse=True, return_counts=True, axis=axis)
    for x, y in zip(got, expected, strict=True):
        assert_same(x, y)


def test_unique_repeated_rows():
    a = RNG.integers(0, 3, (200, 2))
    assert_same(rp.unique(rp.asarray(a), axis=0), np.unique(a, axis=0))


@pytest.mark.parametrize("n", [0, 1, 1000])
@pytest.mark.parametrize("minlength", [0, 70])
def test_bincount(n, minlength):
    a = RNG.integers(0, 50, n)
    weights = RNG.integers(0, 9, n).astype(float)
    assert_same(
        rp.bincount(rp.asarray(a), minlength=minlength), np.bincount(a, minlength=minlength)
    )
    assert_same(
        rp.bincount(rp.asarray(a), rp.asarray(weights), minlength=minlength),
        np.bincount(a, weights, minlength=minlength),
    )


@pytest.mark.parametrize("bins", [1, 10, 37])
@pytest.mark.parametrize("limits", [None, (-1, 1.5)])
def test_histogram(bins, limits):
    a = RNG.normal(size=2000)
    got = rp.histogram(rp.asarray(a), bins, limits)
    expected = np.histogram(a, bins, limits)
    assert_same(got[0], expected[0])
    np.testing.assert_allclose(rp.asnumpy(got[1]), expected[1], rtol=1e-14, atol=1e-14)


@pytest.mark.parametrize("right", [False, True])
def test_digitize(right):
    a = RNG.integers(-5, 6, 300).astype(float)
    edges = np.array([-3.0, 0.0, 1.0, 4.0])
    assert_same(rp.digitize(rp.asarray(a), rp.asarray(edges), right), np.digitize(a, edges, right))


@pytest.mark.parametrize("name", ["unique_all", "unique_counts", "unique_inverse"])
def test_unique_of_the_array_standard(name):
    a = np.array([[2.0, np.nan, 1.0], [1.0, np.nan, 2.0]])
    got = getattr(rp, name)(rp.asarray(a))
    expected = getattr(np, name)(a)
    assert got._fields == expected._fields
    for x, y in zip(got, expected, strict=True):
        assert_same(x, y)
