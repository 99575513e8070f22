"""Shape rules of the products against NumPy, on values whose products are exact."""

import numpy as np
import pytest

import rocarray as rp
from rocarray.testing import assert_same

RNG = np.random.default_rng(12)
SHAPES = [
    ((3, 4), (4, 5)),
    ((4,), (4,)),
    ((2, 3, 4), (4, 2)),
    ((4,), (2, 4, 3)),
    ((2, 1, 3, 4), (5, 4, 2)),
    ((3, 0), (0, 2)),
    ((1, 70), (70, 130)),
    ((129, 17), (17, 129)),
    ((200, 300), (300, 1)),
    ((3, 1, 300), (3, 300, 77)),
    ((1, 70000), (70000, 2)),
]


@pytest.mark.parametrize("function", ["matmul", "dot"])
@pytest.mark.parametrize("shapes", SHAPES)
@pytest.mark.parametrize("char", "?bilfdFD")
def test_values_and_shapes(char, shapes, function):
    a, b = [RNG.integers(-3, 4, shape).astype(char) for shape in shapes]
    got = getattr(rp, function)(rp.asarray(a), rp.asarray(b))
    assert_same(got, getattr(np, function)(a, b))


@pytest.mark.parametrize("function", ["matmul", "dot"])
def test_refused_shapes(function):
    with pytest.raises(ValueError):
        getattr(rp, function)(rp.ones((3, 4)), rp.ones((5, 2)))


@pytest.mark.parametrize("axes", [0, 1, ([0, 1], [1, 0])])
def test_tensordot(axes):
    a, b = RNG.integers(-3, 4, (3, 4)), RNG.integers(-3, 4, (4, 3))
    assert_same(rp.tensordot(rp.asarray(a), rp.asarray(b), axes), np.tensordot(a, b, axes))


def test_transposed_views():
    a, b = RNG.integers(-3, 4, (4, 3)), RNG.integers(-3, 4, (5, 4))
    assert_same(rp.asarray(a).T @ rp.asarray(b).T, a.T @ b.T)
