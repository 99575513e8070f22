"""Moving between host and device, copies, casts."""

import copy

import numpy as np
import pytest

import rocarray as rp
from rocarray.testing import assert_same

A = np.arange(24.0).reshape(2, 3, 4)
SOURCES = {
    "list": [[1, 2], [3, 4]],
    "nested floats": [[1.5], [2]],
    "number": 3,
    "numpy scalar": np.float32(2.5),
    "bool": True,
    "range": range(4),
    "empty": [],
    "C": A,
    "F": np.asfortranarray(A),
    "transposed": A.transpose(1, 2, 0),
    "strided": A[:, ::-1, ::2],
    "broadcast": np.broadcast_to(A[0], (5, 3, 4)),
    "zero-d": np.array(7, "i2"),
    "zero-size": np.zeros((0, 3), "c8"),
    "big endian": np.arange(3, dtype=">i4"),
    "bytes": bytearray(b"abc"),
}


@pytest.mark.parametrize("order", [None, "C", "F"])
@pytest.mark.parametrize("name", SOURCES)
def test_there_and_back(name, order):
    source = SOURCES[name]
    expected = np.asarray(source, order=order)
    expected = expected.astype(expected.dtype.newbyteorder("="))
    actual = rp.asarray(source, order=order)
    assert_same(actual, expected)
    assert_same(rp.asnumpy(actual), expected)
    if order is not None:
        assert actual.flags.f_contiguous == expected.flags.f_contiguous


@pytest.mark.parametrize("order", "CFAK")
@pytest.mark.parametrize("name", ["C", "F", "transposed", "strided", "broadcast"])
def test_copies_keep_the_order(name, order):
    host = SOURCES[name]
    base = rp.asarray(np.ascontiguousarray(A))
    views = {
        "C": base,
        "F": rp.asfortranarray(base),
        "transposed": base.transpose(1, 2, 0),
        "strided": base[:, ::-1, ::2],
        "broadcast": rp.broadcast_to(base[0], (5, 3, 4)),
    }
    view = views[name]
    assert view.copy(order).strides == host.copy(order).strides
    assert view.astype("f4", order=order).strides == host.astype("f4", order=order).strides
    assert_same(view.copy(order), host)
    assert_same(view.ravel(order), host.ravel(order))
    assert view.ravel(order).flags.c_contiguous


def test_copy_argument():
    x = rp.arange(3)
    assert rp.asarray(x) is x
    assert rp.array(x, copy=None) is x
    assert rp.array(x) is not x
    with pytest.raises(ValueError, match="avoid copy"):
        rp.array(x, dtype=float, copy=False)
    assert_same(rp.array(5, ndmin=3), np.array(5, ndmin=3))
    y = copy.deepcopy(x)
    y[0] = 9
    assert_same(x, np.arange(3))
    assert_same(copy.copy(x), np.arange(3))


def test_get_and_set():
    x = rp.asarray(A)
    out = np.empty(A.shape)
    assert x.get(out=out) is out
    assert_same(out, A)
    x[1].set(np.zeros((3, 4)))
    assert_same(x, A * np.array([1, 0])[:, None, None])
    with pytest.raises(ValueError, match="shape"):
        x.set(np.zeros(3))
    with pytest.raises(ValueError, match="out must be"):
        x.get(out=np.empty(3))


def test_nothing_moves_silently():
    with pytest.raises(TypeError, match=r"rocarray\.asnumpy"):
        np.asarray(rp.arange(3))


def test_copyto():
    for xp in (np, rp):
        target = xp.zeros((2, 3))
        xp.copyto(target, xp.asarray([1, 2, 3]), where=xp.asarray([True, False, True]))
        assert_same(target, np.array([[1.0, 0, 3]] * 2))
        with pytest.raises(TypeError, match="Cannot cast"):
            xp.copyto(xp.zeros(3, int), xp.ones(3))
        with pytest.raises(ValueError, match="broadcast"):
            xp.copyto(xp.zeros(3), xp.ones(4))


SCALARS = {
    "int": (int, "i4"),
    "float": (float, "f4"),
    "complex": (complex, "c8"),
    "bool": (bool, "?"),
}


@pytest.mark.parametrize("name", SCALARS)
def test_python_numbers(name):
    kind, dtype = SCALARS[name]
    assert kind(rp.asarray(1, dtype)) == kind(1)
    if kind is not bool:
        with pytest.raises(TypeError, match="only 0-dimensional"):
            kind(rp.ones(2, dtype))
    with pytest.raises(ValueError, match="ambiguous"):
        bool(rp.ones(2, dtype))


def test_items():
    x = rp.asarray(A)
    assert x.tolist() == A.tolist()
    assert x.item(5) == A.item(5)
    assert x.item(1, 2, 3) == A.item(1, 2, 3)
    assert x.tobytes() == A.tobytes()
    assert [int(v) for v in rp.arange(3)] == [0, 1, 2]
    assert 23.0 in x
    assert [10, 20, 30][rp.asarray(1)] == 20
