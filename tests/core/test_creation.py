"""Arrays out of nothing, against NumPy: values, types, shapes, memory order, refusals."""

import numpy as np
import pytest

import rocarray as rp
from rocarray.testing import assert_same

F = np.asfortranarray(np.arange(6.0).reshape(2, 3))

CASES = {
    "zeros": lambda xp: xp.zeros((2, 3)),
    "zeros of a type in F order": lambda xp: xp.zeros((2, 3), "i2", order="F"),
    "ones": lambda xp: xp.ones(4, bool),
    "full": lambda xp: xp.full((2, 2), 7),
    "full of a row": lambda xp: xp.full((2, 3), [1, 2, 3], "f4"),
    "full of a complex number": lambda xp: xp.full(2, 1 + 2j),
    "like": lambda xp: xp.zeros_like(xp.asarray(F)),
    "like in C order": lambda xp: xp.ones_like(xp.asarray(F), order="C", dtype="i1"),
    "like of another shape": lambda xp: xp.full_like(xp.asarray(F), 3, shape=(4,)),
    "eye": lambda xp: xp.eye(3, 4, 1, dtype="i4"),
    "eye below": lambda xp: xp.eye(4, 3, -2),
    "identity": lambda xp: xp.identity(3),
    "tri": lambda xp: xp.tri(3, 4, 1, "i8"),
    "tril": lambda xp: xp.tril(xp.asarray(F), -1),
    "triu of a stack": lambda xp: xp.triu(xp.ones((2, 3, 3)), 1),
    "triu of a vector": lambda xp: xp.triu(xp.arange(3)),
    "arange": lambda xp: xp.arange(5),
    "arange of floats": lambda xp: xp.arange(0, 1, 0.1),
    "arange down": lambda xp: xp.arange(5, -5, -3, "f4"),
    "arange empty": lambda xp: xp.arange(3, 3),
    "linspace": lambda xp: xp.linspace(0, 1, 7),
    "linspace open": lambda xp: xp.linspace(2, 3, 4, endpoint=False, dtype="f4"),
    "linspace of rows": lambda xp: xp.linspace(xp.asarray([0.0, 1]), xp.asarray([2.0, 3]), 3),
    "linspace of integers": lambda xp: xp.linspace(-3, 3, 4, dtype=int),
    "logspace": lambda xp: xp.logspace(0, 3, 4),
    "geomspace": lambda xp: xp.geomspace(1, 1000, 4),
    "meshgrid": lambda xp: xp.meshgrid(xp.arange(2), xp.arange(3.0)),
    "meshgrid sparse": lambda xp: xp.meshgrid(xp.arange(2), xp.arange(3), indexing="ij",
                                              sparse=True),
    "indices": lambda xp: xp.indices((2, 3)),
    "vander": lambda xp: xp.vander(xp.asarray([1, 2, 3]), 4, increasing=True),
    "fromfunction": lambda xp: xp.fromfunction(lambda i, j: i * 10 + j, (2, 3)),
    "frombuffer": lambda xp: xp.frombuffer(b"\x01\x02\x03\x04", "u1", 2, 1),
    "fromiter": lambda xp: xp.fromiter((i * i for i in range(4)), "i4"),
    "diag": lambda xp: xp.diag(xp.arange(3), -1),
    "diagflat": lambda xp: xp.diagflat(xp.asarray(F), 1),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_as_numpy(name):
    expected, actual = CASES[name](np), CASES[name](rp)
    assert_same(actual, expected, 1e-15, 1e-300)
    if isinstance(expected, np.ndarray):
        assert actual.flags.c_contiguous == expected.flags.c_contiguous
        assert actual.flags.f_contiguous == expected.flags.f_contiguous


REFUSED = {
    "negative": (ValueError, lambda xp: xp.zeros(-1)),
    "negative axis": (ValueError, lambda xp: xp.empty((2, -3))),
    "float length": (TypeError, lambda xp: xp.zeros(2.5)),
    "order": (ValueError, lambda xp: xp.zeros(2, order="Q")),
    "step of nothing": (ZeroDivisionError, lambda xp: xp.arange(0, 1, 0)),
    "negative number": (ValueError, lambda xp: xp.linspace(0, 1, -2)),
    "too many axes": (ValueError, lambda xp: xp.zeros((1,) * 65)),
    "0-d triangle": (TypeError, lambda xp: xp.tril(xp.zeros(()))),
    "matrix of powers": (ValueError, lambda xp: xp.vander(xp.zeros((2, 2)))),
    "row that does not fit": (ValueError, lambda xp: xp.full((2, 3), [1, 2])),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_as_numpy(name):
    error, call = REFUSED[name]
    for xp in (np, rp):
        with pytest.raises(error):
            call(xp)


@pytest.mark.parametrize("dtype", ["O", "U3", "M8[s]", "i4,f8"])
def test_types_that_devices_do_not_hold(dtype):
    with pytest.raises(TypeError, match="dtype"):
        rp.zeros(3, dtype)
