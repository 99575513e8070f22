"""Scans and cumulative functions against NumPy."""

import numpy as np
import pytest

import rocarray as rp

TYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"]
TOLERANCE = {"f2": 3e-2, "f4": 1e-5, "f8": 1e-12, "c8": 1e-5, "c16": 1e-12}


def make(shape, dtype, seed=0):
    rng = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    if dtype.kind in "biu":
        return rng.integers(0, 2 if dtype.kind == "b" else 50, shape).astype(dtype)
    x = rng.uniform(0.9, 1.1, shape)
    return (x + 0.1j * rng.standard_normal(shape) if dtype.kind == "c" else x).astype(dtype)


def check(actual, expected, dtype="f8", scale=1.0):
    assert isinstance(actual, rp.ndarray)
    expected = np.asarray(expected)
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    tolerance = TOLERANCE.get(expected.dtype.str[1:])
    if tolerance is None:
        np.testing.assert_array_equal(actual.get(), expected)
    else:
        tolerance = max(tolerance, TOLERANCE.get(np.dtype(dtype).str[1:], 0)) * scale
        np.testing.assert_allclose(actual.get(), expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("axis", [None, 0, 1, 2, -1], ids=str)
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
def test_types_and_axes(name, dtype, axis):
    x = make((5, 6, 7), dtype)
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(x, axis=axis)
    check(getattr(rp, name)(rp.array(x), axis=axis), expected, scale=10)


LAYOUTS = {
    "f": lambda x: x.copy(order="F"),
    "transposed": lambda x: x.transpose(2, 0, 1),
    "reversed": lambda x: x[::-1, :, ::-1],
    "steps": lambda x: x[::2, 1:, ::3],
}


@pytest.mark.parametrize("axis", [None, 0, 1, 2], ids=str)
@pytest.mark.parametrize("layout", sorted(LAYOUTS))
@pytest.mark.parametrize("dtype", ["u1", "i8", "f4", "f8"])
def test_layouts(dtype, layout, axis):
    x = make((12, 9, 21), dtype)
    check(
        rp.cumsum(LAYOUTS[layout](rp.array(x)), axis=axis),
        np.cumsum(LAYOUTS[layout](x), axis=axis),
        scale=10,
    )


@pytest.mark.parametrize("dtype", ["i4", "f4", "f8"])
@pytest.mark.parametrize(
    "shape", [(1,), (2049,), (300_007,), (2, 100_001), (100_001, 2), (600, 700), (50, 60, 70)]
)
def test_sizes(shape, dtype):
    x = make(shape, dtype)
    a = rp.array(x)
    for axis in (None, *range(len(shape))):
        check(
            rp.cumsum(a, axis=axis),
            np.cumsum(x, axis=axis, dtype="f8").astype(np.cumsum(x[:1]).dtype),
            scale=100,
        )


LINES = {
    "whole": lambda x: x,
    "unaligned": lambda x: x[1:],
    "steps": lambda x: x[::3],
    "reversed": lambda x: x[::-1],
    "few": lambda x: x[: x.size // 7 * 7].reshape(7, -1),
    "few unaligned": lambda x: x[: x.size // 7 * 7].reshape(7, -1)[:, 1:],
    "side by side": lambda x: x[: x.size // 7 * 7].reshape(7, -1).T,
}


@pytest.mark.parametrize("lines", sorted(LINES))
@pytest.mark.parametrize("dtype", ["i1", "u2", "i4", "i8", "f2", "f4", "f8", "c8", "c16"])
def test_long_lines(dtype, lines):
    # Long enough for tiles in several groups: 32 tiles of up to 4096 items.
    x = make(300_001, dtype, 9)
    if np.dtype(dtype).kind in "fc":
        x -= x.dtype.type(1)
    exact = x if np.dtype(dtype).kind in "iu" else x.astype("G" if dtype[0] == "c" else "g")
    expected = np.cumsum(LINES[lines](exact), axis=-1)
    actual = rp.cumsum(LINES[lines](rp.array(x)), axis=-1)
    if np.dtype(dtype).kind in "iu":
        check(actual, expected)
        return
    assert actual.dtype == x.dtype
    # Strided lines may be added in order, whose rounding grows like the root of the length.
    scale = np.finfo(x.dtype).eps * 600 * max(1, np.abs(expected).max())
    np.testing.assert_allclose(actual.get(), expected, rtol=0, atol=scale)


@pytest.mark.parametrize("dtype", ["f4", "c16"])
def test_long_sums_have_the_same_bits_each_time(dtype):
    x = rp.array(make(1_000_003, dtype))
    first = rp.cumsum(x).get().tobytes()
    assert all(rp.cumsum(x).get().tobytes() == first for _ in range(5))


def test_cumsum_is_accurate():
    x = np.full(2_000_001, 0.1, np.float32)
    expected = np.cumsum(x, dtype=np.float64)
    np.testing.assert_allclose(rp.cumsum(rp.array(x)).get(), expected, rtol=1e-4)


@pytest.mark.parametrize("dtype", ["i1", "u2", "i4", "f4", "f8", "c16"])
def test_dtype(dtype):
    for source in ("?", "u1", "i4", "f8"):
        x = make((4, 9), source)
        with np.errstate(all="ignore"):
            check(
                rp.cumsum(rp.array(x), axis=1, dtype=dtype),
                np.cumsum(x, axis=1, dtype=dtype),
                scale=10,
            )


def test_out():
    x = make((4, 9), "f8")
    out = rp.zeros((4, 9))
    assert rp.cumsum(rp.array(x), axis=1, out=out) is out
    check(out, np.cumsum(x, axis=1))
    out = rp.zeros((9, 4)).T
    rp.cumsum(rp.array(x), axis=0, out=out)
    check(out, np.cumsum(x, axis=0))
    a = rp.array(x)
    rp.cumsum(a, axis=0, out=a)
    check(a, np.cumsum(x, axis=0))
    a = rp.array(x)
    rp.add.accumulate(a[:, ::-1], axis=1, out=a)
    check(a, np.cumsum(x[:, ::-1], axis=1))
    with pytest.raises(ValueError, match="wrong size"):
        rp.cumsum(rp.ones(3), out=rp.ones(4))
    check(rp.cumsum(rp.ones(3) * 1.5, out=rp.ones(3, "i4")), np.array([1, 3, 4], "i4"))
    with pytest.raises(TypeError, match=r"rocarray\.ndarray"):
        rp.cumsum(rp.ones(3), out=np.ones(3))


def test_0d_and_empty():
    check(rp.cumsum(rp.array(3.0)), np.cumsum(3.0))
    check(rp.cumsum(rp.array(3.0), axis=0), np.cumsum(np.array(3.0), axis=0))
    for shape in ((0,), (0, 3), (3, 0)):
        for axis in (None, *range(len(shape))):
            check(rp.cumsum(rp.zeros(shape), axis=axis), np.cumsum(np.zeros(shape), axis=axis))
    with pytest.raises(np.exceptions.AxisError):
        rp.cumsum(rp.ones(3), axis=1)


def test_special_values():
    x = np.array([1.0, -0.0, np.inf, 2.0, -np.inf, np.nan, 3.0])
    for n in (1, 600):
        y = np.tile(x, n)
        with np.errstate(all="ignore"):
            check(rp.cumsum(rp.array(y)), np.cumsum(y))
            check(rp.maximum.accumulate(rp.array(y)), np.maximum.accumulate(y))
            check(rp.nancumsum(rp.array(y[:5])), np.nancumsum(y[:5]))
    assert np.signbit(rp.cumsum(rp.array([-0.0])).get())[0]


@pytest.mark.parametrize("name", ["nancumsum", "nancumprod"])
def test_nan_functions(name):
    x = make((6, 8), "f8")
    x[1, 2] = x[3] = np.nan
    for axis in (None, 0, 1):
        check(getattr(rp, name)(rp.array(x), axis=axis), getattr(np, name)(x, axis=axis))
    y = make((6, 8), "i4")
    check(getattr(rp, name)(rp.array(y), axis=1), getattr(np, name)(y, axis=1))


ACCUMULATED = [
    "add",
    "multiply",
    "maximum",
    "minimum",
    "fmax",
    "fmin",
    "subtract",
    "divide",
    "logaddexp",
    "logical_and",
    "logical_or",
    "logical_xor",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "power",
    "hypot",
]


@pytest.mark.parametrize("dtype", ["?", "u1", "i4", "f4", "f8"])
@pytest.mark.parametrize("name", ACCUMULATED)
def test_accumulate(name, dtype):
    x = make((5, 7), dtype)
    for axis in (0, 1):
        try:
            with np.errstate(all="ignore"):
                expected = getattr(np, name).accumulate(x, axis=axis)
        except TypeError:
            pytest.skip("NumPy has no such accumulation")
        check(getattr(rp, name).accumulate(rp.array(x), axis=axis), expected, scale=10)


def test_accumulate_refuses():
    with pytest.raises(TypeError, match="scalar"):
        rp.add.accumulate(rp.array(1.0))
    with pytest.raises(ValueError, match="multiple axes"):
        rp.add.accumulate(rp.ones((2, 2)), axis=(0, 1))


@pytest.mark.parametrize("name", ["cumulative_sum", "cumulative_prod"])
def test_cumulative(name):
    x = make((4, 5), "f4")
    for axis in (0, 1):
        for include_initial in (False, True):
            check(
                getattr(rp, name)(rp.array(x), axis=axis, include_initial=include_initial),
                getattr(np, name)(x, axis=axis, include_initial=include_initial),
            )
    with pytest.raises(ValueError, match="axis"):
        getattr(rp, name)(rp.ones((2, 2)))


def test_diff():
    x = make((4, 9), "f8")
    for n in (0, 1, 2):
        for axis in (0, 1):
            check(rp.diff(rp.array(x), n, axis), np.diff(x, n, axis))
    check(rp.diff(rp.array(x), prepend=0, append=x[:, :1]), np.diff(x, prepend=0, append=x[:, :1]))
    check(rp.diff(rp.array([True, False, True])), np.diff([True, False, True]))
    with pytest.raises(ValueError, match="non-negative"):
        rp.diff(rp.ones(3), -1)


def test_ediff1d_and_trapezoid():
    x = make((4, 9), "f8")
    check(rp.ediff1d(rp.array(x)), np.ediff1d(x))
    check(rp.ediff1d(rp.array(x), [1.0], [2.0, 3.0]), np.ediff1d(x, [1.0], [2.0, 3.0]))
    check(rp.trapezoid(rp.array(x)), np.trapezoid(x))
    check(rp.trapezoid(rp.array(x), dx=0.5, axis=0), np.trapezoid(x, dx=0.5, axis=0))
    t = np.arange(9.0) ** 2
    check(rp.trapezoid(rp.array(x), rp.array(t)), np.trapezoid(x, t))


# Lines around tiles (4096 float32 on a GPU) and groups of 256 of them, many and few, and columns.
SCAN_SHAPES = [(4095,), (4097,), (70001,), (1_100_000,), (3, 9000), (1100, 130), (2000, 16),
               (16, 2000), (3000, 40), (5, 300, 70), (40, 3, 4100)]  # fmt: skip


@pytest.mark.parametrize("char", "fld")
@pytest.mark.parametrize("shape", SCAN_SHAPES)
def test_scans_of_many_layouts(char, shape):
    a = np.random.default_rng(4).integers(0, 4, shape).astype(char)
    x = rp.asarray(a)
    for axis in range(a.ndim):
        np.testing.assert_array_equal(rp.cumsum(x, axis=axis).get(), np.cumsum(a, axis=axis))
    axis = a.ndim - 1
    for view in (
        lambda x: x[..., ::-1],
        lambda x: x[..., 1:],
        lambda x: x[..., ::2],
        lambda x: x.T,
    ):
        np.testing.assert_array_equal(
            rp.maximum.accumulate(view(x), axis=axis).get(),
            np.maximum.accumulate(view(a), axis=axis),
        )


def test_scans_do_not_depend_on_timing():
    x = rp.asarray(np.random.default_rng(5).random(400_000, np.float32))
    first = rp.cumsum(x).get()
    for _ in range(5):
        np.testing.assert_array_equal(rp.cumsum(x).get(), first)
