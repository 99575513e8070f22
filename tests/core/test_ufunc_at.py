"""ufunc.at against NumPy: repeated indices, any index, mixed types."""

import numpy as np
import pytest

import rocarray as rp

INDICES = {
    "repeated": np.array([0, 3, 3, -1, 0, 3, 5]),
    "list": [1, 1, 2],
    "empty": np.array([], dtype=int),
    "mask": np.arange(7) % 2 == 0,
    "integer": 2,
    "integer of NumPy": np.int8(2),
    "array of no axes": np.array(-1),
    "mask of no axes": np.array(True),
    "bool": True,
    "slice": slice(1, 6, 2),
}


def both(ufunc, a, index, *values):
    """NumPy's and rocarray's array after `ufunc.at`."""
    host, device = a.copy(), rp.asarray(a)
    getattr(np, ufunc).at(host, index, *values)
    on_device = [rp.asarray(v) if isinstance(v, np.ndarray) else v for v in values]
    if isinstance(index, np.ndarray):
        index = rp.asarray(index)
    getattr(rp, ufunc).at(device, index, *on_device)
    return host, device


@pytest.mark.parametrize("index", INDICES)
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int8", "complex64", "float16"])
@pytest.mark.parametrize("ufunc", ["add", "subtract", "multiply"])
def test_any_index(ufunc, dtype, index):
    host, device = both(ufunc, np.arange(7).astype(dtype), INDICES[index], 3)
    rp.testing.assert_array_equal(device, host)


@pytest.mark.parametrize("ufunc", ["maximum", "minimum", "power", "arctan2", "copysign"])
def test_each_repetition_counts_in_order(ufunc):
    values = np.linspace(-2, 2, 7)
    host, device = both(ufunc, np.arange(1, 8) / 4, INDICES["repeated"], values)
    rp.testing.assert_allclose(device, host, rtol=1e-15)


@pytest.mark.parametrize("ufunc, dtype", [("negative", float), ("invert", bool), ("invert", int)])
def test_unary(ufunc, dtype):
    host, device = both(ufunc, np.arange(7).astype(dtype), INDICES["repeated"])
    rp.testing.assert_array_equal(device, host)


@pytest.mark.parametrize(
    "target, values",
    [
        ("int8", np.array([200, 100])),
        ("int32", np.array([0.7, 0.7])),
        ("float32", np.array([0.1, 0.1])),
        ("bool", np.array([True, True])),
        ("float64", np.array([True, True])),
    ],
)
def test_values_of_another_type(target, values):
    host, device = both("add", np.zeros(3, target), np.array([1, 1]), values)
    assert device.dtype == host.dtype
    rp.testing.assert_array_equal(device, host)


def test_result_of_another_type():
    host, device = both("equal", np.arange(3), np.array([0, 1, 1]), np.array([0, 5, 0]))
    rp.testing.assert_array_equal(device, host)


def test_broadcast_values_and_several_axes():
    a = np.arange(24.0).reshape(4, 6)
    index = (np.array([0, 1, 1])[:, None], np.array([2, 2, 5]))
    host, device = a.copy(), rp.asarray(a)
    np.add.at(host, index, np.arange(3.0))
    rp.add.at(device, tuple(map(rp.asarray, index)), rp.arange(3.0))
    rp.testing.assert_array_equal(device, host)


@pytest.mark.parametrize("view", [np.s_[::-1], np.s_[::3], np.s_[2:-2]])
def test_views(view):
    host, device = np.arange(30.0), rp.arange(30.0)
    np.add.at(host[view], [0, 1, 1, -1], 1.5)
    rp.add.at(device[view], [0, 1, 1, -1], 1.5)
    rp.testing.assert_array_equal(device, host)


def test_many_into_one_and_many_into_many():
    rng = np.random.default_rng(3)
    for n_targets in (1, 7, 100_000):
        index = rng.integers(0, n_targets, 50_000)
        host, device = both("add", np.zeros(n_targets, int), index, np.arange(50_000))
        rp.testing.assert_array_equal(device, host)


@pytest.mark.parametrize(
    "arguments, error, text",
    [
        ((np.zeros(3), [0], 1), TypeError, "must be array"),
        ((rp.zeros(3), [0]), ValueError, "second operand needed"),
        ((rp.zeros(3), [3], 1), IndexError, "index 3 is out of bounds for axis 0 with size 3"),
        ((rp.zeros(3), [0, 1], [1, 2, 3]), ValueError, "broadcast"),
        ((rp.broadcast_to(rp.zeros(1), (3,)), [0], 1), ValueError, "read-only"),
    ],
)
def test_refused(arguments, error, text):
    with pytest.raises(error, match=text):
        rp.add.at(*arguments)


def test_two_outputs_are_refused():
    with pytest.raises(ValueError, match="single output"):
        rp.divmod.at(rp.zeros(3), [0], 1)
