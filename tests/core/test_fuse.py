"""fuse: the fused function gives what the plain function gives on NumPy arrays."""

import numpy as np
import pytest

import rocarray as rp


def squared_difference(xp, x, y):
    return (x - y) * (x - y)


def branches(xp, x, y):
    return xp.where(x > y, xp.sqrt(abs(x)), y / (x + 3)), xp.clip(x, -1, 1)


def integers(xp, x, y):
    quotient, rest = xp.divmod(x.astype("int32"), 3)
    return (quotient << 2) | rest, x.astype("int64") ** 2, ~(x > 0)


def in_place(xp, x, y):
    x += 2 * y
    t = x * y
    t -= 1
    x *= t
    return t


def returns_argument(xp, x, y):
    return y, x + 0


def narrow_and_wide(xp, x, y):
    return x + 1, x * y


def constants(xp, x, y):
    return x * float("inf"), x * -0.0, y + 2**40, x == float("nan")


FUNCTIONS = [squared_difference, branches, integers, in_place, returns_argument, narrow_and_wide]


def both(function, x, y):
    """NumPy's results and arguments, and rocarray's."""
    host = [a.copy() if isinstance(a, np.ndarray) else a for a in (x, y)]
    device = [rp.asarray(a) if isinstance(a, np.ndarray) else a for a in (x, y)]
    with np.errstate(all="ignore"):
        expected = function(np, *host)
    fused = rp.fuse(lambda *arguments: function(rp, *arguments), kernel_name=function.__name__)
    return expected, host, fused(*device), device


def check(expected, actual):
    expected = expected if isinstance(expected, tuple) else (expected,)
    actual = actual if isinstance(actual, tuple) else (actual,)
    for e, a in zip(expected, actual, strict=True):
        if isinstance(a, rp.ndarray):
            assert (a.dtype, a.shape) == (e.dtype, e.shape)
            rp.testing.assert_allclose(a, e, rtol=1e-6 if e.dtype.itemsize <= 4 else 1e-15)
        else:
            assert e is None and a is None or e == a


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("other", ["array", "row", "number", "other type"])
def test_equals_the_plain_function(function, dtype, other):
    x = np.linspace(-5, 5, 12).astype(dtype).reshape(3, 4)
    y = {
        "array": x[::-1] + 1,
        "row": np.arange(4, dtype=dtype),
        "number": 1.5,
        "other type": np.arange(12, dtype="int16").reshape(3, 4),
    }[other]
    expected, host, actual, device = both(function, x, y)
    check(expected, actual)
    check(tuple(host), tuple(device))


def test_constants():
    expected, _, actual, _ = both(constants, np.array([-1.0, 0.0, 2.0]), np.arange(3))
    check(expected, actual)


@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (1, 1)])
def test_shapes(shape):
    expected, _, actual, _ = both(squared_difference, np.ones(shape), np.full(shape, 3.0))
    check(expected, actual)


@pytest.mark.parametrize("view", [np.s_[::-1], np.s_[::2], np.s_[:, 1:3], np.s_[:, ::-2]])
def test_views(view):
    x = np.arange(24.0).reshape(6, 4)
    fused = rp.fuse(squared_difference)
    assert fused is not squared_difference
    expected, _, actual, _ = both(squared_difference, x[view], 2.0)
    check(expected, actual)


def test_fortran_order_stays():
    x = rp.asfortranarray(rp.ones((3, 4)))
    assert rp.fuse(lambda x: x + 1)(x).flags.f_contiguous


def test_overlapping_in_place():
    def shift(x, y):
        x += y

    host, device = np.arange(100.0), rp.arange(100.0)
    shift(host[1:], host[:-1].copy())
    rp.fuse(shift)(device[1:], device[:-1])
    rp.testing.assert_array_equal(device, host)


def test_new_number_needs_no_new_kernel():
    records = []

    @rp.fuse
    def scale(x, factor):
        records.append(1)
        return x * factor

    assert [float(scale(rp.ones(1), k)[0]) for k in (1.0, 2.0, 3.5)] == [1.0, 2.0, 3.5]
    assert len(records) == 1


def test_nested_and_plain():
    inner = rp.fuse(lambda x: x + 1)
    outer = rp.fuse(lambda x: inner(x) * 2)
    assert float(outer(rp.ones(()))) == 4.0
    assert isinstance(outer(np.ones(3)), np.ndarray)


@pytest.mark.parametrize(
    "function, text",
    [
        (lambda x: x if x > 0 else -x, "a condition.*rocarray.where"),
        (lambda x: x.sum(), "ndarray.sum"),
        (lambda x: rp.sum(x), "not elementwise"),
        (lambda x: x[0], "an index"),
        (lambda x: x + rp.ones(3), "must be its arguments"),
        (lambda x: x.astype(int) ** x.astype(int), "negative powers"),
    ],
)
def test_refused(function, text):
    with pytest.raises(TypeError, match=text):
        rp.fuse(function)(rp.ones(3))


def test_numpy_refusals_are_the_same():
    with pytest.raises(ValueError, match="negative integer powers"):
        rp.fuse(lambda x: x**-1)(rp.arange(3))
    with pytest.raises(OverflowError):
        rp.fuse(lambda x: x + 300)(rp.zeros(3, "int8"))
    with pytest.raises(ValueError, match="broadcast"):
        rp.fuse(lambda x, y: x + y)(rp.ones(3), rp.ones(4))
    x = rp.zeros(3, "int32")
    with pytest.raises(TypeError, match="same_kind"):
        rp.fuse(lambda x: x.__iadd__(1.5))(x)
    rp.testing.assert_array_equal(x, np.zeros(3, "int32"))
