"""Elementwise launches: lengths around vectors and workgroups, addresses, layouts, transposes."""

import numpy as np
import pytest

import rocarray as rp

CHARS = "?bBhHiIlLefdFD"
# Around 16 bytes of items, a workgroup's vectors and what it has in flight.
LENGTHS = (1, 15, 17, 1023, 4097, 16390)


def values_of(char, n, seed=1):
    numbers = np.random.default_rng(seed).integers(-100, 100, n)
    if char == "?":
        return numbers > 0
    if char in "FD":
        return (numbers + 1j * numbers[::-1]).astype(char)
    return numbers.astype(char)


def assert_same(actual, expected):
    assert actual.dtype == expected.dtype
    np.testing.assert_array_equal(actual.get(), expected)


@pytest.mark.parametrize("char", CHARS)
@pytest.mark.parametrize("n", LENGTHS)
def test_lengths(char, n):
    a, b = values_of(char, n), values_of(char, n, 2)
    x, y = rp.asarray(a), rp.asarray(b)
    assert_same(x + y, a + b)
    assert_same(x + a.dtype.type(3), a + a.dtype.type(3))
    assert_same(y[-1:] + x, b[-1:] + a)
    assert_same(x == y, a == b)
    assert_same(rp.where(x == y, x, y), np.where(a == b, a, b))
    assert_same(x.astype("D"), a.astype("D"))


@pytest.mark.parametrize("char", CHARS)
@pytest.mark.parametrize("offset", [1, 3])
def test_addresses_that_no_vector_begins_at(char, offset):
    a, b = values_of(char, 4100), values_of(char, 4100, 2)
    x, y, out = rp.asarray(a), rp.asarray(b), rp.asarray(a)
    rp.add(x[offset:], y[:-offset], out=out[offset:])
    expected = a.copy()
    np.add(a[offset:], b[:-offset], out=expected[offset:])
    assert_same(out, expected)


@pytest.mark.parametrize("char", CHARS)
@pytest.mark.parametrize("shape", [(3, 5), (17, 33), (70, 129), (200, 16), (1, 100)])
def test_broadcasts_and_steps(char, shape):
    a = values_of(char, shape[0] * shape[1]).reshape(shape)
    x = rp.asarray(a)
    assert_same(x + x[:1], a + a[:1])
    assert_same(x + x[:, :1], a + a[:, :1])
    assert_same(x[:1] + x[:, :1], a[:1] + a[:, :1])
    assert_same(x[:, ::2] + x[:, ::2], a[:, ::2] + a[:, ::2])
    assert_same(x[::-1, ::-1] + x, a[::-1, ::-1] + a)
    assert_same(x[:, 1:] + x[:, :-1], a[:, 1:] + a[:, :-1])


@pytest.mark.parametrize("char", "?hfdD")
@pytest.mark.parametrize("shape", [(16, 16), (17, 70), (129, 33), (5, 40, 33), (2, 3, 20, 65)])
def test_transposed_copies(char, shape):
    a = values_of(char, int(np.prod(shape))).reshape(shape)
    x = rp.asarray(a)
    axes = list(range(a.ndim))
    for order in (axes[::-1], axes[1:] + axes[:1], [*axes[:-2], axes[-1], axes[-2]]):
        assert_same(rp.ascontiguousarray(x.transpose(order)), a.transpose(order))
    assert_same(rp.ascontiguousarray(x[..., 1:].T), a[..., 1:].T)
    target = rp.zeros(a.T.shape, a.dtype)
    target[...] = x.T
    assert_same(target, a.T)


@pytest.mark.parametrize("name", ["modf", "frexp", "divmod"])
@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_two_outputs(name, n):
    a = values_of("f", n) / np.float32(7)
    operands = (a, a[::-1] + 1) if name == "divmod" else (a,)
    expected = getattr(np, name)(*operands)
    for mine, theirs in zip(getattr(rp, name)(*map(rp.asarray, operands)), expected, strict=True):
        assert_same(mine, theirs)


@pytest.mark.parametrize("char", "?hfdD")
def test_operands_with_neighbours_along_another_axis(char):
    a, b = values_of(char, 130 * 140).reshape(130, 140), values_of(char, 130 * 140, 2)
    x, y = rp.asarray(a), rp.asarray(b)
    b, y = b.reshape(140, 130), y.reshape(140, 130)
    assert_same(x + y.T, a + b.T)
    assert_same(y.T + x, b.T + a)
    assert_same(rp.where(x == y.T, x, y.T), np.where(a == b.T, a, b.T))
    assert_same(x + y.T[:1], a + b.T[:1])
    assert_same(x + y[::-1].T, a + b[::-1].T)
    c = values_of(char, 20 * 30 * 40).reshape(20, 30, 40)
    z = rp.asarray(c)
    assert_same(
        rp.ascontiguousarray(z.transpose(1, 2, 0)) + z.transpose(1, 2, 0),
        np.ascontiguousarray(c.transpose(1, 2, 0)) + c.transpose(1, 2, 0),
    )
    out = rp.zeros((130, 140), a.dtype)
    rp.add(x, y.T, out=out)
    assert_same(out, a + b.T)
    square = rp.asarray(a[:, :130])
    square += square.T
    assert_same(square, a[:, :130] + a[:, :130].T)
