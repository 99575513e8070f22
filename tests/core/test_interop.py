"""Other libraries' protocols: DLPack, __cuda_array_interface__, NumPy's dispatch, the array API."""

import numpy as np
import pytest

import rocarray as rp
from rocarray.testing import assert_same

A = np.arange(24, dtype="f4").reshape(2, 3, 4)
VIEWS = {
    "whole": lambda x: x,
    "transposed": lambda x: x.transpose(2, 0, 1),
    "strided": lambda x: x[:, 1:, ::2],
    "zero-d": lambda x: x[1, 2, 3],
    "zero-size": lambda x: x[:0],
}


@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4",
                                   "f8", "c8", "c16"])  # fmt: skip
@pytest.mark.parametrize("view", VIEWS)
def test_dlpack_shares_memory(view, dtype):
    x = VIEWS[view](rp.asarray(A.astype(dtype)))
    y = rp.from_dlpack(x)
    assert_same(y, VIEWS[view](A.astype(dtype)))
    if y.size:
        assert y.data.ptr == x.data.ptr
        y[...] = 1
        assert_same(x, np.ones(x.shape, dtype))


@pytest.mark.parametrize("view", ["whole", "transposed", "strided"])
def test_cuda_array_interface_shares_memory(view):
    x = VIEWS[view](rp.asarray(A))

    class Foreign:
        __cuda_array_interface__ = x.__cuda_array_interface__

    y = rp.asarray(Foreign())
    assert y.strides == x.strides
    assert_same(y, VIEWS[view](A))
    y[...] = 5
    assert_same(x, np.full(x.shape, 5, "f4"))


@pytest.mark.parametrize("version", [None, (1, 0)])
def test_dlpack_versions(version):
    capsule = rp.arange(3).__dlpack__(max_version=version)
    name = "dltensor_versioned" if version else "dltensor"
    assert f'"{name}"' in repr(capsule)


CALLS = {
    "concatenate": lambda x: np.concatenate([x, x]),
    "sum": lambda x: np.sum(x, axis=1),
    "where": lambda x: np.where(x > 3, x, 0),
    "stack": lambda x: np.stack([x, x], axis=1),
    "einsum": lambda x: np.einsum("ijk->k", x),
    "add": lambda x: np.add(x, 1),
    "reduce": lambda x: np.add.reduce(x, axis=0),
    "outer": lambda x: np.multiply.outer(x[0, 0], x[0, 1]),
    "mixed": lambda x: np.ones(4, "f4") * x,
    "quantile": lambda x: np.quantile(x, 0.5, axis=1),
    "sort": lambda x: np.sort(x, axis=0),
}


@pytest.mark.parametrize("name", CALLS)
def test_numpys_functions_run_here(name):
    actual = CALLS[name](rp.asarray(A))
    assert isinstance(actual, rp.ndarray)
    assert_same(actual, CALLS[name](A), 1e-6, 1e-6)


def test_functions_that_are_not_there():
    with pytest.raises(TypeError, match="no implementation"):
        np.linalg.eig(rp.ones((2, 2)))


def test_namespace():
    x = rp.arange(3)
    assert x.__array_namespace__() is rp
    assert x.__array_namespace__(api_version="2023.12") is rp
    with pytest.raises(ValueError, match="version"):
        x.__array_namespace__(api_version="1999.01")
    assert rp.get_array_module(x, np.ones(2)) is rp
    assert rp.get_array_module(np.ones(2)) is np


class Other:
    """An array of another library that wants to handle operators itself."""

    __array_ufunc__ = None

    def __radd__(self, other):
        return "other's"


def test_operators_defer():
    assert rp.arange(3) + Other() == "other's"
