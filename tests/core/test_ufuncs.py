"""Every ufunc in every loop against NumPy: values, dtypes, shapes, layouts, errors."""

import numpy as np
import pytest
from tolerances import CANCELLING, EITHER_ZERO, ULPS

import rocarray as rp
from rocarray._core.kernel import current_architecture
from rocarray._kernels.architectures import CPU_NAMES
from rocarray._kernels.tables.ufuncs import UFUNCS

ROWS = {row.name: row for row in UFUNCS}
ALL_CHARS = "?bBhHiIlLefdFD"


def values_of(char, seed=0):
    """Edge values and random ones of a type."""
    dtype = np.dtype(char)
    rng = np.random.default_rng(seed)
    if dtype.kind == "b":
        return np.array([True, False, True, True, False, False])
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        edge = [0, 1, 2, 3, 7, info.max, info.max - 1, info.min, info.min + 1]
        more = rng.integers(max(info.min, -50), min(info.max, 50), 24)
        return np.concatenate([np.array(edge, dtype), more.astype(dtype)])
    if dtype.kind == "f":
        info = np.finfo(dtype)
        edge = [0.0, -0.0, 1, -1, 0.5, -2.5, 1.5, 3, np.inf, -np.inf, np.nan, info.max, info.tiny,
                info.smallest_subnormal, -info.smallest_subnormal, info.eps]  # fmt: skip
        return np.concatenate([np.array(edge, dtype), rng.normal(0, 3, 40).astype(dtype)])
    real = dtype.type(0).real.dtype.char
    numbers = values_of(real, seed)
    return (numbers + 1j * np.roll(numbers, 7)).astype(dtype)


def assert_close(actual, expected, ulps, either_zero=False, terms=()):
    """Equal but for `ulps` units of the last place, NaN equal to NaN, signs of zero equal.

    The place is the largest one of the result and of `terms`, arrays that were added up.
    """
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    if expected.dtype.kind == "c":
        assert_close(actual.real, expected.real, ulps)
        assert_close(actual.imag, expected.imag, ulps)
        return
    if expected.dtype.kind != "f":
        np.testing.assert_array_equal(actual, expected)
        return
    finite = np.isfinite(expected)
    np.testing.assert_array_equal(actual[~finite], expected[~finite])
    if ulps == 0:
        np.testing.assert_array_equal(actual, expected)
        if either_zero:
            finite &= expected != 0
        np.testing.assert_array_equal(np.signbit(actual[finite]), np.signbit(expected[finite]))
        return
    size = np.abs(expected[finite])
    for term in terms:
        size = np.fmax(size, np.where(np.isfinite(term), np.abs(term), 0)[finite])
    spacing = np.spacing(size.astype(expected.dtype)).astype(np.float64)
    difference = np.abs(actual[finite].astype(np.float64) - expected[finite].astype(np.float64))
    assert np.all(difference <= ulps * spacing), (
        f"{np.max(difference / spacing)} ulp, allowed {ulps}"
    )


def loops():
    for row in UFUNCS:
        if not hasattr(np, row.name):
            continue
        for loop in row.loops:
            ins = loop.split("->")[0]
            if "E" not in ins and set(ins) <= set(ALL_CHARS):
                yield pytest.param(row.name, ins, id=f"{row.name}-{ins.replace('?', 'p')}")


def operands_of(name, ins):
    operands = [values_of(c, seed=3) for c in ins]
    if len(ins) == 2:
        a, b = operands
        a, b = a.reshape(-1, 1), b.reshape(1, -1)
        if name in ("power", "float_power") and np.dtype(ins[0]).kind in "iu":
            b = np.abs(b) % np.array(9, b.dtype)
        operands = list(np.broadcast_arrays(a, b))
    return [np.ascontiguousarray(x) for x in operands]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("name", "ins"), list(loops()))
def test_loop_gives_numpys_values(name, ins):
    operands = operands_of(name, ins)
    expected = getattr(np, name)(*operands)
    actual = getattr(rp, name)(*map(rp.asarray, operands))
    expected, actual = (x if isinstance(x, tuple) else (x,) for x in (expected, actual))
    ulps = ULPS.get(name, 0)
    exact = ("add", "subtract", "equal", "not_equal", "negative", "positive")
    if set(ins) & set("FD") and name not in exact:
        finite = np.all([np.isfinite(x) & (np.abs(x) < 1e3) & (np.abs(x) > 1e-3)
                         for x in operands], axis=0)  # fmt: skip
        for mine, theirs in zip(actual, expected, strict=True):
            scale = 64 * np.finfo(operands[0].dtype).eps
            if theirs.dtype.kind == "b":
                np.testing.assert_array_equal(mine.get(), theirs)
            else:
                np.testing.assert_allclose(mine.get()[finite], theirs[finite], scale, scale)
        return
    # Of equal zeros the second one, as C has it; NumPy's float16 took the first before 2.5.
    old_half = ins == "ee" and np.lib.NumpyVersion(np.__version__) < "2.5.0"
    either_zero = name in EITHER_ZERO or (name == "nextafter" and old_half)
    terms = operands if name in CANCELLING else ()
    for mine, theirs in zip(actual, expected, strict=True):
        assert_close(mine.get(), theirs, ulps, either_zero, terms)


LAYOUTS = {
    "c": lambda x: x.reshape(4, 6),
    "f": lambda x: x.reshape(4, 6, order="F"),
    "transposed": lambda x: x.reshape(6, 4).T,
    "reversed": lambda x: x.reshape(4, 6)[::-1, ::-1],
    "strided": lambda x: x.reshape(4, 6)[:, ::2],
    "row": lambda x: x.reshape(4, 6)[1],
    "column": lambda x: x.reshape(4, 6)[:, 2:3],
    "deep": lambda x: x.reshape(2, 1, 2, 3, 2).transpose(4, 0, 2, 1, 3),
    "zero-d": lambda x: x[3],
    "empty": lambda x: x[:0].reshape(0, 6),
}


@pytest.mark.parametrize("second", LAYOUTS)
@pytest.mark.parametrize("first", LAYOUTS)
def test_layouts_broadcast_and_order_as_numpy(first, second):
    base = np.arange(24.0)
    a, b = LAYOUTS[first](base), LAYOUTS[second](base + 0.5)
    device = rp.asarray(base)
    x, y = LAYOUTS[first](device), LAYOUTS[second](device + 0.5)
    try:
        expected = np.subtract(a, b)
    except ValueError as error:
        with pytest.raises(ValueError, match="broadcast"):
            rp.subtract(x, y)
        assert "broadcast" in str(error)
        return
    actual = rp.subtract(x, y)
    np.testing.assert_array_equal(actual.get(), expected)
    assert actual.shape == np.shape(expected)
    if expected.size and expected.ndim:
        assert actual.strides == expected.strides


@pytest.mark.parametrize("first", "?bBhHiIlLefdFD")
@pytest.mark.parametrize("second", "?bBhHiIlLefdFD")
def test_promotion_is_numpys(first, second):
    a, b = np.ones(3, first), np.ones(3, second)
    expected = a + b
    actual = rp.asarray(a) + rp.asarray(b)
    assert actual.dtype == expected.dtype
    np.testing.assert_array_equal(actual.get(), expected)


@pytest.mark.parametrize("char", "?bBhHiIlLefdFD")
@pytest.mark.parametrize("scalar", [True, 3, 2.5, 1 + 2j, np.float32(1.5), np.int8(2)])
def test_scalars_are_weak_or_strong_as_numpys(char, scalar):
    a = np.ones(3, char)
    for expected, actual in [
        (a * scalar, rp.asarray(a) * scalar),
        (scalar + a, scalar + rp.asarray(a)),
    ]:
        assert actual.dtype == expected.dtype
        np.testing.assert_array_equal(actual.get(), expected)


def test_integers_out_of_range():
    x = rp.arange(5, dtype=np.uint8)
    with pytest.raises(OverflowError, match="300"):
        x + 300
    np.testing.assert_array_equal((x < 300).get(), np.ones(5, bool))
    np.testing.assert_array_equal((x == -1).get(), np.zeros(5, bool))
    np.testing.assert_array_equal((x > 2**70).get(), np.zeros(5, bool))


def test_out_keeps_its_identity_and_casts():
    x = rp.arange(6.0)
    out = rp.empty(6, np.float32)
    assert rp.add(x, 1, out=out) is out
    np.testing.assert_array_equal(out.get(), np.arange(6, dtype=np.float32) + 1)
    with pytest.raises(TypeError, match="same_kind"):
        rp.add(x, 1, out=rp.empty(6, np.int32))
    with pytest.raises(ValueError, match="non-broadcastable"):
        rp.add(rp.ones((2, 6)), 1, out=out)
    with pytest.raises(TypeError, match=r"rocarray\.ndarray"):
        rp.add(x, 1, out=np.empty(6))


def test_where_leaves_the_rest_of_out():
    x, mask = np.arange(6.0), np.array([1, 0, 1, 0, 0, 1], bool)
    expected, out = np.full(6, 9.0), rp.full(6, 9.0)
    np.multiply(x, 10, out=expected, where=mask)
    rp.multiply(rp.asarray(x), 10, out=out, where=mask)
    np.testing.assert_array_equal(out.get(), expected)


@pytest.mark.parametrize("shift", [-3, -1, 0, 1, 3])
def test_overlapping_operands(shift):
    base = np.arange(20.0)
    device = rp.asarray(base)
    target = slice(4, 14)
    source = slice(4 + shift, 14 + shift)
    base[target] += base[source]
    device[target] += device[source]
    np.testing.assert_array_equal(device.get(), base)


@pytest.mark.parametrize("shift", [-3, -1, 0, 1, 3])
def test_overlapping_out(shift):
    base = np.arange(20.0)
    device = rp.asarray(base)
    target, source = slice(4, 14), slice(4 + shift, 14 + shift)
    np.add(base[source], base[target], out=base[target])
    got = rp.add(device[source], device[target], out=device[target])
    np.testing.assert_array_equal(device.get(), base)
    assert got.data.ptr == device[target].data.ptr


def test_out_of_another_size_at_the_same_place():
    base = np.arange(10.0, 20.0)
    device = rp.asarray(base)
    out, expected = device.view("?")[:10], np.greater(base, base[::-1])
    rp.greater(device, rp.asarray(base[::-1].copy()), out=out)
    np.testing.assert_array_equal(out.get(), expected)


def test_reversed_view_of_itself():
    base = np.arange(9.0)
    device = rp.asarray(base)
    base -= base[::-1]
    device -= device[::-1]
    np.testing.assert_array_equal(device.get(), base)


def test_many_axes():
    shape = (2,) * 12
    a = np.arange(4096.0).reshape(shape)
    axes = tuple(np.random.default_rng(5).permutation(12))
    expected = a + a.transpose(axes)
    x = rp.asarray(a)
    np.testing.assert_array_equal((x + x.transpose(axes)).get(), expected)


@pytest.mark.parametrize("n", [1, 63, 64, 65, 16383, 16384, 16385, 100_003])
def test_chunk_edges(n):
    x = np.arange(n, dtype=np.float32)
    np.testing.assert_array_equal((rp.asarray(x) * 2 + 1).get(), x * 2 + 1)


@pytest.mark.parametrize("source", "?bBhHiIlLefdFD")
@pytest.mark.parametrize("target", "?bBhHiIlLefdFD")
@pytest.mark.filterwarnings("ignore")
def test_casts(source, target):
    values = np.array([0, 1, 2, 7, 100], source)
    np.testing.assert_array_equal(rp.asarray(values).astype(target).get(), values.astype(target))


def test_float_to_integer_saturates():
    x = rp.asarray([np.nan, np.inf, -np.inf, 1e30, -1e30, 1.9, -1.9])
    assert x.astype(np.int8).tolist() == [0, 127, -128, 127, -128, 1, -1]
    assert x.astype(np.uint8).tolist() == [0, 255, 0, 255, 0, 1, 0]
    big = np.iinfo(np.int64)
    assert x.astype(np.int64).tolist() == [0, big.max, big.min, big.max, big.min, 1, -1]


def test_bfloat16_rounds_to_nearest_even():
    ml_dtypes = pytest.importorskip("ml_dtypes", reason="the type comes from ml_dtypes")
    bits = np.random.default_rng(1).integers(0, 2**32, 20000, np.uint32)
    x = bits.view(np.float32)
    x = x[np.isfinite(x)]
    np.testing.assert_array_equal(
        rp.asarray(x).astype(ml_dtypes.bfloat16).get().view(np.uint16),
        x.astype(ml_dtypes.bfloat16).view(np.uint16),
    )


def test_numpys_functions_dispatch_here():
    x = rp.arange(3.0)
    assert isinstance(np.add(x, 1), rp.ndarray)
    assert isinstance(np.ones(3) + x, rp.ndarray)
    with pytest.raises(TypeError, match=r"rocarray\.asnumpy"):
        np.add(x, 1, out=np.empty(3))


def test_too_few_arguments():
    with pytest.raises(TypeError, match="positional arguments"):
        rp.add(rp.ones(3))


def test_unsupported_operand():
    with pytest.raises(TypeError, match="not supported"):
        rp.ones(3) + np.array(["a", "b", "c"])


NEGATIVE_POWERS = {
    "arrays": lambda xp: xp.asarray([2, 3]) ** xp.asarray([1, -1]),
    "number": lambda xp: xp.asarray([2, 3]) ** -1,
    "zero-d": lambda xp: xp.asarray([2, 3]) ** xp.asarray(-2),
    "base is a number": lambda xp: 2 ** xp.asarray([[1], [-1]]),
    "int8": lambda xp: xp.asarray([2], xp.int8) ** xp.asarray([-1], xp.int8),
    "strided": lambda xp: xp.power(xp.asarray([[2, 3]]), xp.asarray([1, 2, -1, 4])[::2][:, None]),
    "out": lambda xp: xp.power(
        xp.asarray([2, 3]), xp.asarray([1, -1]), out=xp.zeros(2, xp.float64)
    ),
    "unmasked": lambda xp: xp.power(
        xp.asarray([2, 3]), xp.asarray([-1, 1]), where=xp.asarray([True, False]),
        out=xp.zeros(2, int),
    ),
    "reduce": lambda xp: xp.power.reduce(xp.asarray([3, 2, -1])),
    "accumulate": lambda xp: xp.power.accumulate(xp.asarray([[3, 2], [1, -1]]), axis=1),
    "reduceat": lambda xp: xp.power.reduceat(xp.asarray([-3, 2, 5, -1]), [0, 2]),
    "outer": lambda xp: xp.power.outer(xp.asarray([2, 3]), xp.asarray([1, -1])),
    "at": lambda xp: xp.power.at(xp.asarray([2, 3]), xp.asarray([0]), -1),
}  # fmt: skip


@pytest.mark.parametrize("case", NEGATIVE_POWERS)
def test_negative_integer_powers_are_refused(case):
    for xp in (np, rp):
        with pytest.raises(ValueError, match="Integers to negative integer powers"):
            NEGATIVE_POWERS[case](xp)


def test_refused_power_leaves_out_alone():
    out = rp.asarray([7, 8])
    with pytest.raises(ValueError, match="negative integer powers"):
        rp.power(rp.asarray([2, 3]), rp.asarray([1, -1]), out=out)
    np.testing.assert_array_equal(out.get(), [7, 8])


ALLOWED_POWERS = {
    "float base": lambda xp: xp.asarray([2.0, 4.0]) ** xp.asarray([-1, -2]),
    "masked": lambda xp: xp.power(
        xp.asarray([2, 3]), xp.asarray([-1, 2]), where=xp.asarray([False, True]),
        out=xp.zeros(2, int),
    ),
    "empty": lambda xp: xp.zeros((0, 1), int) ** xp.asarray([-1]),
    "empty number": lambda xp: xp.zeros(0, int) ** -1,
    "uint64": lambda xp: xp.asarray([2], xp.uint64) ** xp.asarray([-1], xp.int8),
    "negative first": lambda xp: xp.power.reduce(xp.asarray([-3, 2, 1])),
    "negative begins": lambda xp: xp.power.reduceat(xp.asarray([-3, 2, -5, 1]), [0, 2]),
}  # fmt: skip


@pytest.mark.parametrize("case", ALLOWED_POWERS)
def test_powers_that_are_allowed(case):
    expected, actual = (ALLOWED_POWERS[case](xp) for xp in (np, rp))
    assert actual.dtype == expected.dtype
    np.testing.assert_allclose(actual.get(), expected, rtol=1e-15)


SPECIAL = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 2.0, -2.0, 3.0, -3.0, 0.5, -0.5, 1.5,
           2.0**24, 2.0**23 + 1, -(2.0**23) - 1, 1e-45, -1e-45, 3e38, -3e38,
           0.9999999, 1.0000001]  # fmt: skip


@pytest.mark.parametrize("char", "efd")
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_power_of_special_values(char):
    numbers = np.asarray(SPECIAL).astype(char)
    x, y = (np.ascontiguousarray(a).ravel() for a in np.meshgrid(numbers, numbers))
    x, y = (np.tile(a, 3) for a in (x, y))  # whole vectors and a remainder
    # NumPy takes shorter ways for single exponents, so all of them are in arrays.
    expected = x**y
    assert_close((rp.asarray(x) ** rp.asarray(y)).get(), expected, 1)
    signed = ~np.isnan(expected)
    np.testing.assert_array_equal(
        np.signbit((rp.asarray(x) ** rp.asarray(y)).get()[signed]), np.signbit(expected[signed])
    )
    for value in numbers[:9]:
        actual = rp.power(rp.asarray(x), rp.full(1, value)).get()
        assert_close(actual, np.power(x, np.full_like(x, value)), 1)


def test_power_of_floats_is_accurate():
    # Within a unit in the last place on the cpu platform, as the GPU's own function elsewhere.
    ulps = 1.0 if current_architecture() in CPU_NAMES else ULPS["power"]
    generator = np.random.default_rng(8)
    x = np.exp(generator.uniform(-60, 60, 100_000)).astype(np.float32)
    y = (generator.uniform(-88, 88, x.size) / np.abs(np.log(x))).astype(np.float32)
    exact = x.astype(np.float64) ** y.astype(np.float64)
    kept = (np.abs(exact) < 3e38) & (np.abs(exact) > 1e-44)
    actual = (rp.asarray(x) ** rp.asarray(y)).get()
    unit = np.spacing(np.abs(exact[kept]).astype(np.float32)).astype(np.float64)
    assert np.max(np.abs(actual[kept] - exact[kept]) / unit) <= ulps


@pytest.mark.parametrize("char", "efdBhil")
@pytest.mark.parametrize("exponent", [2, 2.0, 1, -1.0, 0.5, 0, 3, np.int8(2), np.asarray(2)])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_power_by_a_number(char, exponent):
    a = np.asarray([0, 1, 2, 5, 100, 7]).astype(char)
    if char in "efd":
        a = np.append(a, np.asarray([-0.0, -np.inf, np.nan, -3, 0.3]).astype(char))
    powers = [lambda x: x**exponent]
    if (char, exponent) != ("e", 0.5):
        # NumPy's operator takes the square root there, its function does not.
        powers.append(lambda x: (rp if x is not a else np).power(x, exponent))
    for power in powers:
        expected, actual = power(a), power(rp.asarray(a))
        assert actual.dtype == expected.dtype
        assert_close(actual.get(), expected, 0 if expected.dtype.kind in "iu" else 1)
    x = rp.asarray(a)
    out = rp.zeros(a.shape, expected.dtype)
    rp.power(x, exponent, out=out)
    np.testing.assert_array_equal(out.get(), actual.get())


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
@pytest.mark.parametrize("casting", ["no", "equiv", "safe", "same_kind", "unsafe"])
@pytest.mark.parametrize("scalar", [1, 1.5, 2j])
def test_numbers_under_each_casting_rule(casting, scalar):
    a = np.arange(3, dtype=np.int16)
    for options in ({}, {"out": np.zeros(3, np.int16)}, {"dtype": np.float32}):
        device = {k: rp.asarray(v) if k == "out" else v for k, v in options.items()}
        try:
            expected = np.add(a, scalar, casting=casting, **options)
        except TypeError:
            with pytest.raises(TypeError):
                rp.add(rp.asarray(a), scalar, casting=casting, **device)
        else:
            actual = rp.add(rp.asarray(a), scalar, casting=casting, **device)
            np.testing.assert_array_equal(actual.get(), expected)
            assert actual.dtype == expected.dtype


@pytest.mark.parametrize("order", "CFAK")
def test_order(order):
    a = np.arange(24.0).reshape(2, 3, 4)
    for view in (lambda x: x, lambda x: x.T, lambda x: x.transpose(1, 0, 2), lambda x: x[:, ::2]):
        expected = np.add(view(a), 1, order=order)
        assert rp.add(view(rp.asarray(a)), 1, order=order).strides == expected.strides


@pytest.mark.parametrize("char", "efd")
@pytest.mark.parametrize("name", ["fmod", "remainder", "floor_divide", "divmod"])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_remainders_are_exact(name, char):
    generator = np.random.default_rng(6)
    y = generator.random(3000).astype(char) + np.asarray(1, char)
    multiples = (y * generator.integers(1, 1000, y.size)).astype(char)
    bits = f"u{y.itemsize}"
    a, b = (
        generator.integers(0, np.iinfo(bits).max, 3000, bits, endpoint=True).view(char)
        for _ in range(2)
    )
    special = np.asarray([*SPECIAL, 1e20, 0.1, 5e-324]).astype(char)
    pairs = [
        (multiples, y),
        (np.nextafter(multiples, np.asarray(0, char)), -y),
        (-multiples, np.full_like(y, 0.7)),
        (a, b),
        tuple(np.ascontiguousarray(x).ravel() for x in np.meshgrid(special, special)),
    ]
    for x, y in pairs:
        expected = getattr(np, name)(x, y)
        actual = getattr(rp, name)(rp.asarray(x), rp.asarray(y))
        expected, actual = (z if isinstance(z, tuple) else (z,) for z in (expected, actual))
        for mine, theirs in zip(actual, expected, strict=True):
            assert_close(mine.get(), theirs, 0)
