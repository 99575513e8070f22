"""Reductions against NumPy: every operation, type, axis, layout and option."""

import warnings

import numpy as np
import pytest

import rocarray as rp
from rocarray._core.quantiles import _METHODS
from rocarray.testing import assert_same

BOOL_AND_INTEGERS = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]
FLOATS = ["f2", "f4", "f8"]
COMPLEX = ["c8", "c16"]
ALL_TYPES = BOOL_AND_INTEGERS + FLOATS + COMPLEX
TOLERANCE = {"f2": 2e-2, "f4": 1e-5, "f8": 1e-12, "c8": 1e-5, "c16": 1e-12}
AXES = [None, 0, 1, 2, -1, (0, 1), (0, 2), (1, 2), (0, 1, 2), ()]


def make(shape, dtype, seed=0, small=False):
    rng = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        return rng.integers(0, 3 if small else 100, shape).astype(dtype)
    x = rng.standard_normal(shape)
    if small:
        x = 1 + x / 100
    if dtype.kind == "c":
        x = x + 1j * rng.standard_normal(shape) * (0.01 if small else 1)
    return x.astype(dtype)


def check(actual, expected, dtype="f8", scale=1.0):
    assert isinstance(actual, rp.ndarray)
    expected = np.asarray(expected)
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    if expected.dtype.kind in "fc":
        tolerance = max(
            TOLERANCE[np.dtype(t).str[1:]]
            for t in (dtype, expected.dtype)
            if np.dtype(t).str[1:] in TOLERANCE
        )
        np.testing.assert_allclose(actual.get(), expected, rtol=tolerance, atol=tolerance * scale)
    else:
        np.testing.assert_array_equal(actual.get(), expected)


def call(name, module, x, **options):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return getattr(module, name)(x, **options)


LAYOUTS = {
    "c": lambda x: x,
    "f": lambda x: x.copy(order="F"),
    "transposed": lambda x: x.transpose(2, 0, 1),
    "reversed": lambda x: x[::-1, :, ::-1],
    "steps": lambda x: x[::2, 1:, ::3],
    "broadcast": lambda x: x[:, :1, :] if x is None else x,
}


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", AXES, ids=str)
@pytest.mark.parametrize(
    "name", ["sum", "prod", "max", "min", "any", "all", "mean", "var", "std", "ptp"]
)
def test_axes(name, axis, keepdims):
    x = make((4, 5, 6), "f8", small=True)
    expected = call(name, np, x, axis=axis, keepdims=keepdims)
    check(getattr(rp, name)(rp.array(x), axis=axis, keepdims=keepdims), expected)


@pytest.mark.parametrize("dtype", ALL_TYPES)
@pytest.mark.parametrize("axis", [None, 0, -1, (0, 2)], ids=str)
@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "any", "all", "mean", "std"])
def test_types(name, axis, dtype):
    x = make((7, 3, 33), dtype, small=name in ("prod", "std", "mean"))
    if name == "std" and dtype == "?":
        pytest.skip("NumPy's std of bool needs no test here")
    expected = call(name, np, x, axis=axis)
    check(call(name, rp, rp.array(x), axis=axis), expected, dtype, scale=50)


@pytest.mark.parametrize("dtype", ["u1", "i4", "f4", "f8", "c16"])
@pytest.mark.parametrize("axis", [None, 0, 1, 2, (0, 2), (1, 2)], ids=str)
@pytest.mark.parametrize("layout", sorted(LAYOUTS))
@pytest.mark.parametrize("name", ["sum", "max", "argmin", "count_nonzero", "var"])
def test_layouts(name, layout, axis, dtype):
    if name == "argmin" and isinstance(axis, tuple):
        pytest.skip("argmin takes one axis")
    x = make((12, 9, 21), dtype)
    expected = call(name, np, LAYOUTS[layout](x), axis=axis)
    actual = getattr(rp, name)(LAYOUTS[layout](rp.array(x)), axis=axis)
    if name == "count_nonzero":
        expected = np.asarray(expected, np.int64)
    check(actual, expected, dtype, scale=100)


@pytest.mark.parametrize("dtype", ["i1", "f4", "f8"])
@pytest.mark.parametrize(
    "shape", [(100_003,), (3, 70_001), (70_001, 3), (700, 701), (40, 50, 60), (2, 3, 5, 7, 11)]
)
@pytest.mark.parametrize("name", ["sum", "max", "argmax", "any", "std"])
def test_sizes(name, shape, dtype):
    x = make(shape, dtype)
    a = rp.array(x)
    for axis in (None, *range(len(shape))):
        check(getattr(rp, name)(a, axis=axis), getattr(np, name)(x, axis=axis), dtype, scale=1e3)


def test_many_axes():
    x = make((2,) * 12, "f8")
    view = rp.array(x)
    for axis in ((0, 2, 4, 6, 8, 10), (1, 3, 5, 7, 9, 11), (0, 11), 5):
        check(view.sum(axis=axis), x.sum(axis=axis))
    x = make((2, 3) * 9, "i1")[(slice(None, None, -1),) * 18]
    check(rp.array(x).sum(axis=tuple(range(0, 18, 2))), x.sum(axis=tuple(range(0, 18, 2))))


def test_broadcast_input():
    x = np.broadcast_to(np.arange(5.0), (4, 5))
    a = rp.broadcast_to(rp.arange(5.0), (4, 5))
    for axis in (None, 0, 1):
        check(a.sum(axis=axis), x.sum(axis=axis))
        check(a.max(axis=axis), x.max(axis=axis))


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i4", "f2", "f4", "f8", "c8"])
@pytest.mark.parametrize("source", ["?", "u1", "i4", "f4"])
@pytest.mark.parametrize("name", ["sum", "prod"])
def test_dtype(name, source, dtype):
    x = make((3, 17), source, small=True)
    expected = call(name, np, x, axis=1, dtype=dtype)
    check(getattr(rp, name)(rp.array(x), axis=1, dtype=dtype), expected, "f2", scale=10)


@pytest.mark.parametrize("name", ["sum", "prod", "max", "min"])
def test_initial_and_where(name):
    x = make((6, 7), "f8", small=True)
    mask = make((6, 7), "?")
    a, m = rp.array(x), rp.array(mask)
    for axis in (None, 0, 1):
        check(
            getattr(rp, name)(a, axis=axis, initial=2.5),
            getattr(np, name)(x, axis=axis, initial=2.5),
        )
        check(
            getattr(rp, name)(a, axis=axis, initial=0.5, where=m),
            getattr(np, name)(x, axis=axis, initial=0.5, where=mask),
        )
        check(
            getattr(rp, name)(a, axis=axis, initial=0.5, where=m[0]),
            getattr(np, name)(x, axis=axis, initial=0.5, where=mask[0]),
        )


@pytest.mark.parametrize("dtype", ["i4", "f4", "f8", "c16"])
@pytest.mark.parametrize("name", ["mean", "var", "std", "any", "all", "sum"])
def test_where(name, dtype):
    x = make((6, 7), dtype)
    mask = make((6, 7), "?", seed=1)
    for axis in (None, 0, 1):
        for keepdims in (False, True):
            check(
                call(name, rp, rp.array(x), axis=axis, where=rp.array(mask), keepdims=keepdims),
                call(name, np, x, axis=axis, where=mask, keepdims=keepdims),
                dtype,
                scale=100,
            )


def test_where_without_identity():
    with pytest.raises(ValueError, match="does not have an identity"):
        rp.max(rp.arange(3), where=rp.array([True, False, True]))


@pytest.mark.parametrize("name", ["sum", "max", "mean", "var", "argmax", "any"])
def test_out(name):
    x = make((4, 5), "f8")
    expected = getattr(np, name)(x, axis=0)
    out = rp.zeros(5, expected.dtype)
    assert getattr(rp, name)(rp.array(x), axis=0, out=out) is out
    check(out, expected)
    wide = rp.zeros(10, expected.dtype)
    strided = wide[::2]
    assert getattr(rp, name)(rp.array(x), axis=0, out=strided) is strided
    check(strided, expected)
    np.testing.assert_array_equal(wide.get()[1::2], 0)


def test_out_casts():
    a = rp.arange(6, dtype="i1").reshape(2, 3)
    out = rp.zeros(3, "f4")
    rp.sum(a, axis=0, out=out)
    check(out, np.array([3, 5, 7], "f4"))
    # NumPy allows any cast into the `out` of a reduction.
    check(rp.sum(rp.arange(3.0) * 1.5, out=rp.zeros((), "i4")), np.array(4, "i4"))


@pytest.mark.parametrize("out", [np.zeros(3), 3])
def test_out_must_be_a_device_array(out):
    with pytest.raises(TypeError, match=r"rocarray\.ndarray"):
        rp.sum(rp.ones((2, 3)), axis=0, out=out)


def test_out_shape():
    with pytest.raises(ValueError, match="wrong number of dimensions"):
        rp.sum(rp.ones((2, 3)), axis=0, out=rp.zeros(()))
    with pytest.raises(ValueError, match="shape"):
        rp.sum(rp.ones((2, 3)), axis=0, out=rp.zeros(4))


@pytest.mark.parametrize("axis", [3, -4, (0, 5)])
def test_axis_out_of_range(axis):
    with pytest.raises(np.exceptions.AxisError):
        rp.sum(rp.ones((2, 3, 4)), axis=axis)


def test_repeated_axis():
    with pytest.raises(ValueError, match="duplicate value in 'axis'"):
        rp.sum(rp.ones((2, 3)), axis=(0, -2))


@pytest.mark.parametrize("name", ["sum", "prod", "any", "all", "max", "min", "mean"])
def test_0d(name):
    x = np.array(3.5)
    for options in ({}, {"axis": 0}, {"axis": -1}, {"axis": ()}, {"keepdims": True}):
        if name == "mean" and options.get("axis") in (0, -1):
            continue  # NumPy's mean, other than its sum, refuses axis 0 here
        check(getattr(rp, name)(rp.array(x), **options), getattr(np, name)(x, **options))


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (2, 0, 4)])
@pytest.mark.parametrize("name", ["sum", "prod", "any", "all", "max", "min", "count_nonzero"])
def test_empty(name, shape):
    x = np.zeros(shape)
    for axis in (None, *range(len(shape))):
        try:
            expected = getattr(np, name)(x, axis=axis)
        except ValueError as error:
            with pytest.raises(ValueError, match=str(error).split(" to reduction")[0]):
                getattr(rp, name)(rp.array(x), axis=axis)
        else:
            check(getattr(rp, name)(rp.array(x), axis=axis), np.asarray(expected))


@pytest.mark.parametrize("name", ["mean", "var", "std"])
def test_empty_statistics_warn(name):
    with pytest.warns(RuntimeWarning):
        result = getattr(rp, name)(rp.zeros(0))
    assert np.isnan(result.get())


def test_empty_maximum_with_initial():
    check(rp.max(rp.zeros((0, 2)), axis=0, initial=-1), np.full(2, -1.0))


@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_empty_position(name):
    with pytest.raises(ValueError, match="empty sequence"):
        getattr(rp, name)(rp.zeros(0))


SPECIAL = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0]


@pytest.mark.parametrize("n", [1, 2, 33, 5000])
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8", "c16"])
@pytest.mark.parametrize(
    "name",
    [
        "sum",
        "prod",
        "max",
        "min",
        "any",
        "all",
        "argmax",
        "argmin",
        "count_nonzero",
        "nanmax",
        "nanmin",
        "nansum",
        "nanprod",
    ],
)
def test_special_values(name, dtype, n):
    rng = np.random.default_rng(n)
    x = rng.choice(SPECIAL, n, p=[0.02] * 3 + [0.235] * 4).astype(dtype)
    expected = call(name, np, x)
    actual = call(name, rp, rp.array(x))
    np.testing.assert_array_equal(actual.get(), expected)
    for axis in (0, 1):
        y = np.stack([x, x[::-1]])
        expected = call(name, np, y, axis=axis)
        np.testing.assert_array_equal(call(name, rp, rp.array(y), axis=axis).get(), expected)


def test_negative_zero():
    assert np.signbit(rp.sum(rp.array([-0.0, -0.0])).get())
    assert not np.signbit(rp.sum(rp.array([-0.0, 0.0])).get())


@pytest.mark.parametrize("dtype", ALL_TYPES)
@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_position(name, dtype):
    x = make((5, 40, 9), dtype)
    for array in (x, x[:, ::-1], x.transpose(2, 1, 0)):
        a = rp.array(x)
        a = (
            a[:, ::-1]
            if array.strides[1] < 0
            else a.transpose(2, 1, 0)
            if (array.shape != x.shape)
            else a
        )
        for axis in (None, 0, 1, 2):
            for keepdims in (False, True):
                check(
                    getattr(rp, name)(a, axis=axis, keepdims=keepdims),
                    getattr(np, name)(array, axis=axis, keepdims=keepdims),
                )


def test_first_of_equal_positions():
    x = np.zeros(100_000, "i4")
    x[[777, 50_000, 99_999]] = 5
    assert int(rp.argmax(rp.array(x))) == 777
    assert int(rp.argmin(rp.array(x))) == 0


def test_sum_is_accurate():
    x = np.full(1_000_003, 0.1, np.float32)
    exact = float(x.astype(np.float64).sum())
    assert abs(float(rp.sum(rp.array(x))) - exact) / exact < 1e-6
    y = np.full((100_001, 3), 0.1, np.float32)
    exact = y.astype(np.float64).sum(0)
    np.testing.assert_allclose(rp.array(y).sum(axis=0).get(), exact, rtol=2e-6)


def test_float16_adds_in_float32():
    x = np.ones(5000, np.float16)
    assert float(rp.sum(rp.array(x))) == 5000
    assert float(rp.mean(rp.full(200_000, 1.5, np.float16))) == 1.5


def test_integers_wrap():
    x = np.array([2**62, 2**62, 2**62, 2**62, 5], np.int64)
    assert int(rp.sum(rp.array(x))) == 5
    assert int(rp.sum(rp.full(300, 1, "u1"), dtype="u1")) == 44


@pytest.mark.parametrize("ddof", [0, 1, 2])
@pytest.mark.parametrize("dtype", ["i4", "f2", "f4", "f8", "c8", "c16"])
def test_variance(dtype, ddof):
    x = make((30, 20), dtype)
    a = rp.array(x)
    for axis in (None, 0, 1):
        check(a.var(axis=axis, ddof=ddof), x.var(axis=axis, ddof=ddof), dtype, scale=100)
        check(
            rp.std(a, axis=axis, correction=ddof),
            np.std(x, axis=axis, correction=ddof),
            dtype,
            scale=100,
        )


def test_variance_with_a_given_mean():
    x = make((30, 20), "f8")
    mean = x.mean(axis=0, keepdims=True)
    check(rp.var(rp.array(x), axis=0, mean=rp.array(mean)), np.var(x, axis=0, mean=mean))


def test_variance_far_from_zero():
    x = make(10_000, "f8") + 1e8
    np.testing.assert_allclose(rp.array(x).std().get(), x.std(), rtol=1e-9)


def test_degrees_of_freedom():
    with pytest.warns(RuntimeWarning, match="Degrees of freedom"):
        result = rp.var(rp.ones(1), ddof=1)
    assert np.isnan(result.get())
    with pytest.raises(ValueError, match="simultaneously"):
        rp.var(rp.ones(3), ddof=1, correction=1)


@pytest.mark.parametrize("dtype", [None, "f4", "f8", "i4", "c8"])
@pytest.mark.parametrize("source", ["?", "i2", "f4", "f8"])
def test_mean_dtype(source, dtype):
    x = make((9, 11), source)
    check(rp.mean(rp.array(x), axis=0, dtype=dtype), np.mean(x, axis=0, dtype=dtype), "f4")


@pytest.mark.parametrize(
    "name", ["nansum", "nanprod", "nanmax", "nanmin", "nanmean", "nanvar", "nanstd", "nanmedian"]
)
@pytest.mark.parametrize("axis", [None, 0, 1, (0, 1)], ids=str)
def test_nan_functions(name, axis):
    x = make((6, 8), "f8", small=True)
    x[1, 2] = x[3] = np.nan
    check(call(name, rp, rp.array(x), axis=axis), call(name, np, x, axis=axis))
    y = make((6, 8), "i4", small=True)
    check(call(name, rp, rp.array(y), axis=axis), call(name, np, y, axis=axis))


def test_nan_positions():
    x = np.array([[np.nan, 1, 3, 3], [4, np.nan, 0, 0]])
    for name in ("nanargmax", "nanargmin"):
        for axis in (None, 0, 1):
            check(getattr(rp, name)(rp.array(x), axis=axis), getattr(np, name)(x, axis=axis))
    with pytest.raises(ValueError, match="All-NaN slice"):
        rp.nanargmax(rp.full((2, 2), np.nan), axis=0)


def test_all_nan_warns():
    with pytest.warns(RuntimeWarning, match="All-NaN"):
        rp.nanmax(rp.full(3, np.nan))


@pytest.mark.parametrize("axis", [None, 0, 1], ids=str)
def test_average(axis):
    x = make((4, 5), "f8")
    w = make((4, 5), "f8", seed=3) ** 2
    check(rp.average(rp.array(x), axis), np.average(x, axis))
    check(rp.average(rp.array(x), axis, rp.array(w)), np.average(x, axis, w))
    value, total = rp.average(rp.array(x), axis, rp.array(w), returned=True)
    expected = np.average(x, axis, w, returned=True)
    check(value, expected[0])
    check(total, expected[1])
    with pytest.raises(ZeroDivisionError):
        rp.average(rp.ones(3), weights=rp.zeros(3))


@pytest.mark.parametrize("axis", [None, 0, 1, (0, 1)], ids=str)
@pytest.mark.parametrize("dtype", ["i4", "f4", "f8"])
def test_median(axis, dtype):
    for shape in ((5, 6), (4, 7)):
        x = make(shape, dtype)
        check(rp.median(rp.array(x), axis=axis), np.median(x, axis=axis), dtype)
        check(
            rp.median(rp.array(x), axis=axis, keepdims=True),
            np.median(x, axis=axis, keepdims=True),
            dtype,
        )


METHODS = [
    "linear",
    "lower",
    "higher",
    "nearest",
    "midpoint",
    "inverted_cdf",
    "hazen",
    "weibull",
    "averaged_inverted_cdf",
    "closest_observation",
    "interpolated_inverted_cdf",
    "median_unbiased",
    "normal_unbiased",
]


@pytest.mark.parametrize("method", METHODS)
def test_quantile(method):
    x = make((7, 10), "f8")
    for q in (0.3, [0, 0.25, 0.5, 1]):
        for axis in (None, 0, 1):
            check(
                rp.quantile(rp.array(x), q, axis=axis, method=method),
                np.quantile(x, q, axis=axis, method=method),
            )
    check(
        rp.percentile(rp.array(x), [10, 90], axis=1, keepdims=True),
        np.percentile(x, [10, 90], axis=1, keepdims=True),
    )


def test_nanquantile():
    x = make((7, 10), "f8")
    x[2, 3] = x[4, :5] = np.nan
    for axis in (None, 0, 1):
        check(
            rp.nanquantile(rp.array(x), [0.2, 0.7], axis=axis),
            np.nanquantile(x, [0.2, 0.7], axis=axis),
        )


def test_quantile_out_of_range():
    with pytest.raises(ValueError, match=r"range \[0, 1\]"):
        rp.quantile(rp.ones(3), 1.5)
    with pytest.raises(ValueError, match=r"range \[0, 100\]"):
        rp.percentile(rp.ones(3), 101)


BINARY = [
    "add",
    "multiply",
    "subtract",
    "divide",
    "maximum",
    "minimum",
    "fmax",
    "fmin",
    "logaddexp",
    "hypot",
    "logical_and",
    "logical_or",
    "logical_xor",
]


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("dtype", ["?", "i4", "f4", "f8"])
@pytest.mark.parametrize("name", BINARY)
def test_ufunc_reduce(name, dtype, axis):
    x = make((5, 6), dtype, small=True)
    try:
        expected = call("reduce", getattr(np, name), x, axis=axis)
    except TypeError:
        pytest.skip("NumPy has no such reduction")
    check(getattr(rp, name).reduce(rp.array(x), axis=axis), expected, dtype, scale=10)


@pytest.mark.parametrize("name", ["bitwise_and", "bitwise_or", "bitwise_xor", "gcd"])
def test_ufunc_reduce_of_integers(name):
    x = make((3, 6), "i4") + 1
    for axis in (0, 1, None):
        check(
            getattr(rp, name).reduce(rp.array(x), axis=axis), getattr(np, name).reduce(x, axis=axis)
        )


def test_ufunc_reduce_options():
    x = make((5, 6), "f8")
    a = rp.array(x)
    check(rp.add.reduce(a, axis=None, keepdims=True), np.add.reduce(x, axis=None, keepdims=True))
    check(rp.subtract.reduce(a, axis=1, initial=3.0), np.subtract.reduce(x, axis=1, initial=3.0))
    check(rp.add.reduce(a, dtype="f4"), np.add.reduce(x, dtype="f4"), "f4")
    out = rp.zeros(6)
    assert rp.divide.reduce(a, out=out) is out
    check(out, np.divide.reduce(x), scale=1e6)
    with pytest.raises(ValueError, match="not reorderable"):
        rp.subtract.reduce(a, axis=(0, 1))


@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "subtract"])
@pytest.mark.parametrize("dtype", ["i4", "f8"])
def test_reduceat(name, dtype):
    x = make((4, 9), dtype, small=True)
    for axis, indices in ((1, [0, 4, 2, 8]), (0, [1, 3, 0])):
        check(
            getattr(rp, name).reduceat(rp.array(x), indices, axis=axis),
            getattr(np, name).reduceat(x, indices, axis=axis),
        )
    with pytest.raises(IndexError, match="out-of-bounds"):
        rp.add.reduceat(rp.ones(4), [0, 4])


def test_methods_equal_functions():
    x = make((3, 4), "f8")
    a = rp.array(x)
    for name in ("sum", "prod", "max", "min", "any", "all", "mean", "var", "std", "argmax"):
        check(getattr(a, name)(axis=1), getattr(x, name)(axis=1))
        check(getattr(a, name)(), getattr(x, name)())


def test_array_likes():
    check(rp.sum([1, 2, 3]), np.sum([1, 2, 3]))
    check(rp.mean(np.arange(4.0)), np.mean(np.arange(4.0)))
    check(rp.max(5), np.asarray(5))


def test_memory_order_of_results():
    a = rp.ones((4, 5, 6)).transpose(2, 0, 1)
    x = np.ones((4, 5, 6)).transpose(2, 0, 1)
    for axis in (0, 1, 2):
        assert a.sum(axis=axis).strides == x.sum(axis=axis).strides


@pytest.mark.parametrize("name", ["cov", "corrcoef"])
def test_covariance(name):
    x = make((3, 20), "f8")
    check(getattr(rp, name)(rp.array(x)), getattr(np, name)(x))


@pytest.mark.parametrize("name", ["mean", "var", "std", "average"])
@pytest.mark.parametrize("axis", [0, -1])
def test_zero_d_arrays_have_no_axis_to_average(name, axis):
    for xp, x in ((np, np.asarray(2.0)), (rp, rp.asarray(2.0))):
        with pytest.raises(np.exceptions.AxisError, match=f"axis {axis} is out of bounds"):
            getattr(xp, name)(x, axis=axis)
    assert float(getattr(rp, name)(rp.asarray(2.0), axis=())) in (0.0, 2.0)
    assert float(rp.sum(rp.asarray(2.0), axis=axis)) == 2.0


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
@pytest.mark.parametrize("name", ["max", "min"])
def test_complex_extremes_keep_half_nan(name, dtype):
    a = np.array([[3 + 1j, 1 + 1j, -1 + np.nan * 1j], [np.nan + 2j, 1, 5]], dtype)
    for values in (a, a[:, ::-1], np.repeat(a, 40, axis=1)):
        result = getattr(rp, name)(rp.asarray(values), axis=1).get()
        assert np.isnan(result).all()
    numbers = getattr(rp, "f" + name)
    found = numbers.reduce(rp.asarray(a), axis=1).get()
    np.testing.assert_array_equal(found, getattr(np, "f" + name).reduce(a, axis=1))


CASES = {
    "initial of another type": lambda xp, a: xp.max(a, initial=2.7, axis=0),
    "initial that is cast": lambda xp, a: xp.max(a > 3, initial=2),
    "integers into floats": lambda xp, a: xp.sum(a, axis=1, out=xp.zeros(3, "f4")),
    "floats into integers": lambda xp, a: xp.sum(a * 0.5, axis=1, out=xp.zeros(3, int)),
    "positions in C order": lambda xp, a: xp.argmax(a.reshape(3, 2, 2).transpose(2, 1, 0), axis=1),
    "one item alone": lambda xp, a: xp.gcd.reduce(a[:1] - 5, axis=0),
    "ordered fold": lambda xp, a: xp.subtract.reduce(a.T, axis=0, initial=3),
    "mask and start": lambda xp, a: xp.subtract.reduce(a, axis=1, where=a > 2, initial=3),
    "mask of all bits": lambda xp, a: xp.bitwise_and.reduce(a.astype("u1"), axis=1, where=a > 2),
    "reduceat": lambda xp, a: xp.subtract.reduceat(a.reshape(3, 2, 2).transpose(1, 0, 2), [1, 0]),
    "complex variance": lambda xp, a: xp.var(a, axis=0, dtype=complex),
    "half by half": lambda xp, a: xp.nanmedian(xp.where(a % 4 > 1, xp.nan, a), axis=1),
}


@pytest.mark.parametrize("case", CASES)
def test_options_as_numpy(case):
    a = np.arange(12).reshape(3, 4)
    expected, actual = CASES[case](np, a), CASES[case](rp, rp.asarray(a))
    assert_same(actual, expected)
    assert actual.flags.c_contiguous == np.asarray(expected).flags.c_contiguous


@pytest.mark.parametrize(
    ("error", "call"),
    {
        "empty axis of an empty result": (
            ValueError,
            lambda xp, a: xp.max(xp.zeros((0, 3, 0)), axis=0),
        ),
        "no start": (ValueError, lambda xp, a: xp.add.reduce(xp.zeros((0, 3)), initial=None)),
        "no start for a mask": (
            ValueError,
            lambda xp, a: xp.multiply.reduce(a, initial=None, where=a > 2),
        ),
        "start out of range": (OverflowError, lambda xp, a: xp.sum(a.astype("u1"), initial=-3)),
        "mask larger than the operand": (
            ValueError,
            lambda xp, a: xp.sum(a, where=xp.ones((2, 3, 4), "?")),
        ),
        "mean of nothing's axis": (
            ValueError,
            lambda xp, a: xp.mean(a[0, 0:1].reshape(()), axis=0),
        ),
        "positions in floats": (TypeError, lambda xp, a: xp.argmax(a, out=xp.zeros(()))),
        "floats in integers": (
            TypeError,
            lambda xp, a: xp.nanmean(a * 1.0, axis=0, out=xp.zeros(4, int)),
        ),
        "weights of nothing": (ZeroDivisionError, lambda xp, a: xp.average(a[:0], axis=1)),
    }.values(),
)
def test_refused_as_numpy(error, call):
    a = np.arange(12).reshape(3, 4)
    with pytest.raises(error):
        call(np, a)
    with pytest.raises(error):
        call(rp, rp.asarray(a))


@pytest.mark.parametrize("method", sorted(_METHODS))
@pytest.mark.parametrize("dtype", ["i4", "f4", "f8"])
def test_quantile_methods(method, dtype):
    a = np.random.default_rng(4).integers(0, 50, (4, 7)).astype(dtype)
    for q in (0, 0.3, 1, [0.1, 0.5, 0.9], np.float32(0.4)):
        for axis in (None, 0, 1):
            expected = np.quantile(a, q, axis, method=method)
            assert_same(rp.quantile(rp.asarray(a), q, axis, method=method), expected, 1e-6, 1e-6)
        expected = np.percentile(a, np.multiply(q, 100), 1, method=method)
        actual = rp.percentile(rp.asarray(a), np.multiply(q, 100), 1, method=method)
        assert_same(actual, expected, 1e-6, 1e-6)


@pytest.mark.parametrize("name", ["quantile", "nanquantile"])
def test_weighted_quantiles(name):
    rng = np.random.default_rng(5)
    a, weights = rng.normal(size=(4, 7)), rng.integers(0, 4, (4, 7))
    weights[:, 3] = 1
    if name == "nanquantile":
        a[1, 2] = np.nan
    for q in (0, 0.5, [0.2, 0.7, 1]):
        for axis, given in ((1, weights), (0, weights[:, 1] + 1), (None, weights)):
            if given.ndim == 1 and name == "nanquantile":
                continue  # NumPy 2.4 fails
            options = {"axis": axis, "weights": given, "method": "inverted_cdf"}
            expected = getattr(np, name)(a, q, **options)
            options["weights"] = rp.asarray(given)
            assert_same(getattr(rp, name)(rp.asarray(a), q, **options), expected)
    with pytest.raises(ValueError, match="non-negative"):
        rp.quantile(rp.asarray(a), 0.5, weights=-weights, method="inverted_cdf")
    with pytest.raises(ValueError, match="supports weights"):
        rp.quantile(rp.asarray(a), 0.5, weights=weights)
