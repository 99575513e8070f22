"""Conversions and bit-level functions over whole number formats, against NumPy's."""

import numpy as np
import pytest

import rocarray as rp

HALVES = np.arange(65536, dtype=np.uint16).view(np.float16)
INTEGERS = "bBhHiIlL"


def assert_same(actual, expected):
    """Equal values, signs of zero included; NaN equals NaN whatever its bits."""
    np.testing.assert_array_equal(actual, expected)
    numbers = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(actual[numbers]), np.signbit(expected[numbers]))


def test_every_float16_widens_exactly():
    assert_same(rp.asarray(HALVES).astype(np.float32).get(), HALVES.astype(np.float32))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("source", [np.float32, np.float64])
def test_float16_rounds_to_nearest_even(source):
    finite = np.sort(HALVES[np.isfinite(HALVES)].astype(np.float64))
    middles = (finite[:-1] + finite[1:]) / 2
    above, below = np.nextafter(middles, np.inf), np.nextafter(middles, -np.inf)
    limits = [65519.99, 65520, 65536, 1e30, -65520, np.inf, -np.inf, np.nan]
    values = np.concatenate([middles, above, below, limits]).astype(source)
    assert_same(rp.asarray(values).astype(np.float16).get(), values.astype(np.float16))


@pytest.mark.parametrize("char", "FD")
def test_modulus_is_accurate_and_does_not_overflow(char):
    rng = np.random.default_rng(2)
    sizes = 10.0 ** rng.integers(-300, 300, (2, 20000))
    parts = rng.normal(size=(2, 20000)) * (sizes if char == "D" else 1)
    special = [5e-324 + 5e-324j, 1.2e308 + 1.2e308j, 0, complex(np.inf, np.nan),
               complex(np.nan, -np.inf), complex(np.nan, 1)]  # fmt: skip
    with np.errstate(over="ignore"):
        z = np.concatenate([parts[0] + 1j * parts[1], special]).astype(char)
    actual = rp.absolute(rp.asarray(z)).get()
    exact = np.hypot(z.real.astype(np.longdouble), z.imag.astype(np.longdouble))
    expected = exact.astype(actual.dtype)
    finite = np.isfinite(expected)
    np.testing.assert_array_equal(actual[~finite], expected[~finite])
    error = np.abs(actual[finite] - exact[finite]) / np.spacing(expected[finite])
    assert np.max(error) <= 1.5


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", ["floor_divide", "remainder", "fmod"])
@pytest.mark.parametrize("char", INTEGERS)
def test_integer_division(char, name):
    info = np.iinfo(char)
    rng = np.random.default_rng(3)
    a, b = rng.integers(info.min, info.max, (2, 30000), dtype=char, endpoint=True)
    b[::3] = rng.integers(max(-5, info.min), 5, b[::3].size).astype(char)
    a[:6] = info.min
    b[:6] = np.array([info.min, info.max, 1, 0, info.max, -1 if info.min else 1]).astype(char)
    actual = getattr(rp, name)(rp.asarray(a), rp.asarray(b)).get()
    np.testing.assert_array_equal(actual, getattr(np, name)(a, b))


@pytest.mark.parametrize("char", INTEGERS)
def test_bitwise_count(char):
    info = np.iinfo(char)
    x = np.random.default_rng(4).integers(info.min, info.max, 30000, dtype=char, endpoint=True)
    x[:2] = info.min, info.max
    np.testing.assert_array_equal(rp.bitwise_count(rp.asarray(x)).get(), np.bitwise_count(x))


def random_floats(dtype, n_items=50000):
    """Numbers with uniform bits: all exponents, subnormal numbers, infinities and NaN."""
    bits = np.random.default_rng(5).integers(0, 256, n_items * np.dtype(dtype).itemsize, np.uint8)
    return bits.view(dtype)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_frexp_and_ldexp(dtype):
    x = random_floats(dtype)
    fraction, exponent = rp.frexp(rp.asarray(x))
    expected_fraction, expected_exponent = np.frexp(x)
    finite = np.isfinite(x)
    np.testing.assert_array_equal(fraction.get(), expected_fraction)
    np.testing.assert_array_equal(exponent.get()[finite], expected_exponent[finite])
    limit = 2300 if dtype == np.float64 else 300
    n = np.random.default_rng(6).integers(-limit, limit, x.size).astype(np.int32)
    np.testing.assert_array_equal(rp.ldexp(rp.asarray(x), rp.asarray(n)).get(), np.ldexp(x, n))
