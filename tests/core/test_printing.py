"""Texts of arrays are NumPy's."""

import numpy as np
import pytest

import rocarray as rp

ARRAYS = {
    "integers": np.arange(6).reshape(2, 3),
    "floats": np.array([1.5, -2.25, 1e10, np.nan, np.inf]),
    "float32": np.array([0.1, 1 / 3], "f4"),
    "complex": np.array([1 + 2j, -0.5j]),
    "bool": np.array([[True], [False]]),
    "zero-d": np.array(3.5),
    "zero-size": np.zeros((0, 3), "i2"),
    "long": np.arange(5000.0),
    "large": np.arange(40000).reshape(200, 200),
    "deep": np.arange(20000.0).reshape(20, 10, 10, 10),
    "F": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
}


@pytest.mark.parametrize("text", [repr, str], ids=["repr", "str"])
@pytest.mark.parametrize("name", ARRAYS)
def test_text_is_numpys(name, text):
    assert text(rp.asarray(ARRAYS[name])) == text(ARRAYS[name])


OPTIONS = [{"precision": 2}, {"threshold": 4}, {"suppress": True}, {"linewidth": 20},
           {"edgeitems": 1, "threshold": 2}]  # fmt: skip


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("name", ["integers", "floats", "large"])
def test_print_options(name, options):
    with rp.printoptions(**options):
        assert repr(rp.asarray(ARRAYS[name])) == repr(ARRAYS[name])


def test_format():
    assert f"{rp.asarray(3.14159):.2f}" == "3.14"
    assert f"{rp.arange(3)}" == f"{np.arange(3)}"
    with pytest.raises(TypeError, match="format"):
        format(rp.arange(3), ".2f")


def test_functions():
    x = np.array([1.23456, 2])
    assert rp.array2string(rp.asarray(x), precision=2) == np.array2string(x, precision=2)
    assert rp.array_repr(rp.asarray(x), precision=2) == np.array_repr(x, precision=2)
    assert rp.array_str(rp.asarray(x)) == np.array_str(x)
    assert rp.format_float_positional(rp.asarray(1e-3)) == "0.001"
    assert rp.format_float_scientific(rp.asarray(1e-3)) == "1.e-03"
