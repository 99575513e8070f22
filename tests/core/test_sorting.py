"""Sorting, searching, sets, counting and products against NumPy."""

import numpy as np
import pytest

import rocarray as rp
from rocarray.testing import assert_same

RNG = np.random.default_rng(5)
SIZES = [0, 1, 2, 15, 16, 17, 31, 33, 255, 257, 4096, 4099]


def values(n, char):
    if char in "FD":
        a = (RNG.normal(size=n) + 1j * RNG.normal(size=n)).astype(char)
    elif char == "?":
        a = RNG.random(n) > 0.5
    else:
        a = (RNG.normal(size=n) * 50).astype(char)
    if char in "efdFD" and n > 12:
        a[3], a[7], a[9], a[11] = np.nan, -0.0, np.inf, -np.inf
    return a


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("char", "?bBhHiIlLefdFD")
@pytest.mark.filterwarnings("ignore:invalid value")
def test_sort_argsort_unique(char, n):
    a = values(n, char)
    x = rp.asarray(a)
    assert_same(rp.sort(x), np.sort(a))
    assert_same(rp.argsort(x), np.argsort(a, kind="stable"))
    assert_same(rp.unique(x), np.unique(a))


@pytest.mark.parametrize("axis", [0, 1, 2, -1, None])
def test_axes(axis):
    a = RNG.integers(0, 9, (4, 33, 5))
    assert_same(rp.sort(rp.asarray(a), axis), np.sort(a, axis))
    assert_same(rp.argsort(rp.asarray(a), axis), np.argsort(a, axis, kind="stable"))


def test_in_place_and_errors():
    a = RNG.normal(size=(6, 50))
    x = rp.asarray(a)
    x.sort(axis=0)
    assert_same(x, np.sort(a, 0))
    with pytest.raises(np.exceptions.AxisError):
        rp.sort(rp.asarray(1.0))
    with pytest.raises(ValueError, match="sort kind"):
        rp.sort(x, kind="bogus")
    with pytest.raises(ValueError, match="out of bounds"):
        rp.partition(rp.arange(3), 5)
    k = 20
    part = rp.partition(rp.asarray(a), k).get()
    assert np.all(part[:, :k] <= part[:, k : k + 1])


def test_unique_with_everything():
    a = RNG.integers(0, 30, (20, 20))
    mine = rp.unique(rp.asarray(a), True, True, True)
    assert_same(mine, np.unique(a, True, True, True))


@pytest.mark.parametrize("side", ["left", "right"])
def test_searchsorted(side):
    a = np.sort(RNG.integers(0, 50, 100))
    v = RNG.integers(-5, 60, (7, 8))
    assert_same(rp.searchsorted(rp.asarray(a), v, side), np.searchsorted(a, v, side))
    order = RNG.permutation(100)
    back = np.argsort(order)
    assert_same(
        rp.searchsorted(rp.asarray(a[order]), v, side, sorter=back),
        np.searchsorted(a[order], v, side, sorter=back),
    )


def test_sets():
    a, b = RNG.integers(0, 20, 30), RNG.integers(10, 40, 25)
    x, y = rp.asarray(a), rp.asarray(b)
    for name in ("union1d", "intersect1d", "setdiff1d", "setxor1d", "isin"):
        assert_same(getattr(rp, name)(x, y), getattr(np, name)(a, b))


def test_counting():
    a = RNG.integers(0, 40, 1000)
    w = RNG.normal(size=1000)
    assert_same(rp.bincount(rp.asarray(a)), np.bincount(a))
    assert_same(rp.bincount(rp.asarray(a), w, 50), np.bincount(a, w, 50), 1e-12, 1e-12)
    assert_same(rp.histogram(rp.asarray(w), 17), np.histogram(w, 17))
    edges = np.array([-2, -1, 0.5, 3])
    assert_same(rp.histogram(rp.asarray(w), edges), np.histogram(w, edges))
    assert_same(rp.digitize(rp.asarray(w), edges), np.digitize(w, edges))
    with pytest.raises(ValueError, match="negative"):
        rp.bincount(rp.asarray([-1]))


SHAPES = [
    ((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 4)), ((33, 70), (70, 130)), ((5, 2, 3), (3, 4)),
    ((5, 2, 3), (5, 3, 4)), ((1, 4, 2, 3), (5, 1, 3, 2)), ((0, 3), (3, 2)), ((2, 0), (0, 3)),
]  # fmt: skip


@pytest.mark.parametrize(("first", "second"), SHAPES)
@pytest.mark.parametrize("char", "?bilLefdFD")
def test_matmul(char, first, second):
    a = (RNG.normal(size=first) * 4).astype(char)
    b = (RNG.normal(size=second) * 4).astype(char)
    accuracy = {"e": 1e-2, "f": 1e-5, "F": 1e-5, "d": 1e-13, "D": 1e-13}.get(char, 0)
    assert_same(rp.matmul(rp.asarray(a), rp.asarray(b)), np.matmul(a, b), accuracy, accuracy * 8)


def test_products():
    a, b = RNG.normal(size=(3, 4, 5)), RNG.normal(size=(4, 3, 2))
    x, y = rp.asarray(a), rp.asarray(b)
    axes = ([1, 0], [0, 1])
    assert_same(rp.tensordot(x, y, axes), np.tensordot(a, b, axes), 1e-13, 1e-13)
    assert_same(rp.inner(x, x[0]), np.inner(a, a[0]), 1e-13, 1e-13)
    assert_same(rp.outer(x[0, 0], y[0, 0]), np.outer(a[0, 0], b[0, 0]))
    assert_same(rp.vdot(x, x), np.vdot(a, a), 1e-13)
    assert_same(rp.kron(x[0], y[0]), np.kron(a[0], b[0]))
    with pytest.raises(ValueError, match="mismatch"):
        x @ y
    with pytest.raises(ValueError, match="not aligned"):
        rp.dot(x, y)
