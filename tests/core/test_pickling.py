"""Pickles of arrays and functions."""

import pickle

import numpy as np
import pytest

import rocarray as rp
from rocarray.testing import assert_same

ARRAYS = {
    "C": np.arange(6.0).reshape(2, 3),
    "F": np.asfortranarray(np.arange(6).reshape(2, 3)),
    "strided": np.arange(12, dtype="f2")[::3],
    "zero-d": np.array(1 + 2j),
    "zero-size": np.zeros((0, 2), bool),
}


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("name", ARRAYS)
def test_arrays(name, protocol):
    host = ARRAYS[name]
    x = rp.asarray(host)
    again = pickle.loads(pickle.dumps(x, protocol))
    assert isinstance(again, rp.ndarray)
    assert_same(again, host)
    assert again.flags.f_contiguous == x.flags.f_contiguous


def test_views_do_not_take_their_base_along():
    assert len(pickle.dumps(rp.zeros(100_000)[:10])) < 2000


@pytest.mark.parametrize("name", ["add", "sin", "matmul"])
def test_functions(name):
    function = getattr(rp, name)
    assert pickle.loads(pickle.dumps(function)) is function
