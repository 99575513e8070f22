"""Refused calls: the error names the function, what came and what is allowed; out is untouched."""

import numpy as np
import pytest

import rocarray as rp

X = np.arange(6.0).reshape(2, 3)


@pytest.fixture
def x():
    return rp.asarray(X)


@pytest.fixture
def out():
    return rp.full((2, 3), -7.0)


def untouched(out):
    return (out == -7).all()


# ---- element types --------------------------------------------------------------------------

UNKNOWN = [
    ("object", object),
    ("str", "U5"),
    ("bytes", "S3"),
    ("datetime64", "M8[s]"),
    ("timedelta64", "m8[s]"),
    ("void", "V4"),
    ("struct", [("a", "f4"), ("b", "i4")]),
    ("longdouble", np.longdouble),
]


@pytest.mark.parametrize(("name", "dtype"), UNKNOWN, ids=[name for name, _ in UNKNOWN])
def test_unknown_dtypes(x, name, dtype):
    shown = np.dtype(dtype).name.rstrip("0123456789") if name != "struct" else "void"
    calls = [
        lambda: rp.zeros(3, dtype),
        lambda: rp.empty((2, 2), dtype),
        lambda: rp.full(3, 1, dtype),
        lambda: rp.arange(3, dtype=dtype),
        lambda: x.astype(dtype),
        lambda: rp.asarray(np.zeros(3, dtype)),
        lambda: rp.sum(x, dtype=dtype),
        lambda: rp.add(x, x, dtype=dtype),
        lambda: rp.ones_like(x, dtype=dtype),
        lambda: x.view(dtype),
    ]
    for call in calls:
        with pytest.raises((TypeError, ValueError)) as caught:
            call()
        text = str(caught.value).lower()
        assert shown in text or str(np.dtype(dtype)).lower() in text, text


@pytest.mark.parametrize("value", [["a", "b"], [None], [object()], b"abc", {"a": 1}, {1, 2}])
def test_values_that_are_no_numbers(value):
    with pytest.raises(TypeError, match=r"dtype|object"):
        rp.asarray(value)
    with pytest.raises(TypeError, match=r"dtype|object|NumPy|rocarray"):
        rp.add(rp.ones(3), value)


def test_no_such_dtype():
    with pytest.raises(TypeError, match="'wrong' not understood|wrong"):
        rp.zeros(3, "wrong")


# ---- shapes ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "parts"),
    [
        (lambda x, o: x + rp.ones((4, 3)), ["(2,3)", "(4,3)", "broadcast"]),
        (lambda x, o: rp.add(x, rp.ones(2), out=o), ["(2,3)", "(2,)", "broadcast"]),
        (lambda x, o: rp.add(x, x, out=o[0]), ["(2,3)", "(3,)"]),
        (lambda x, o: o.__setitem__(slice(None), rp.ones((2, 4))), ["(2,4)", "(2,3)"]),
        (lambda x, o: o.__setitem__(0, rp.ones(4)), ["(4,)", "(3,)"]),
        (lambda x, o: rp.copyto(o, rp.ones((3, 2))), ["(3,2)", "(2,3)"]),
        (lambda x, o: rp.sum(x, axis=0, out=o), ["reduction operation add", "2", "1"]),
        (lambda x, o: rp.cumsum(x, axis=0, out=o[:1]), ["add", "(2, 3)", "(1, 3)"]),
        (lambda x, o: x.reshape(4, 2), ["size 6", "(4,2)"]),
        (lambda x, o: x.reshape(-1, -1), ["one unknown dimension"]),
        (lambda x, o: rp.concatenate([x, rp.ones((2, 2))]), ["concatenat", "3", "2"]),
        (lambda x, o: rp.stack([x, rp.ones((2, 2))]), ["same shape"]),
        (lambda x, o: x @ rp.ones((2, 3)), ["matmul", "3", "2"]),
        (lambda x, o: rp.dot(x, rp.ones((2, 3))), ["(2,3)"]),
        (lambda x, o: rp.where(rp.ones((5, 3), bool), x, o), ["broadcast"]),
        (lambda x, o: rp.broadcast_to(x, (4, 3)), ["(2,3)", "(4,3)"]),
        (lambda x, o: x.squeeze(0), ["size not equal to one"]),
        (lambda x, o: x.transpose(0, 0), ["repeated axis"]),
        (lambda x, o: x.transpose(0), ["axes"]),
    ],
)
def test_shapes_that_do_not_fit(x, out, call, parts):
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        call(x, out)
    text = str(caught.value)
    for part in parts:
        assert part.replace(" ", "") in text.replace(" ", ""), text
    assert untouched(out)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda x: x.sum(axis=2), np.exceptions.AxisError, "axis 2 is out of bounds.*dimension 2"),
        (lambda x: x.sum(axis=(0, 0)), ValueError, "duplicate"),
        (lambda x: rp.cumsum(x, -3), np.exceptions.AxisError, "axis -3"),
        (lambda x: rp.sort(x, 5), np.exceptions.AxisError, "axis 5"),
        (lambda x: rp.argmax(x, 3), np.exceptions.AxisError, "axis 3"),
        (lambda x: x.sum(axis="0"), TypeError, "str|integer"),
        (lambda x: x[5], IndexError, "index 5 is out of bounds for axis 0 with size 2"),
        (lambda x: x[0, -4], IndexError, "index -4 is out of bounds for axis 1 with size 3"),
        (lambda x: x[0, 0, 0], IndexError, "too many indices.*2-dimensional"),
        (lambda x: x["a"], IndexError, "only integers, slices"),
        (lambda x: x[1.0], IndexError, "only integers, slices"),
        (lambda x: x[rp.asarray([0.5])], IndexError, "integer"),
        (lambda x: x[rp.ones((3, 3), bool)], IndexError, "boolean.*axis 0.*is 2 .*is 3"),
        (lambda x: x[..., ...], IndexError, "single ellipsis"),
        (lambda x: rp.max(x[:0]), ValueError, "zero-size array to reduction operation max"),
        (lambda x: rp.argmin(x[:0]), ValueError, "empty sequence|argmin"),
        (lambda x: rp.split(x, 4, axis=1), ValueError, "equal division"),
        (lambda x: bool(x), ValueError, "truth value.*ambiguous"),
        (lambda x: float(x), TypeError, "0-dimensional|length-1"),
        (lambda x: iter(x[0, 0]), TypeError, "0-d"),
        (lambda x: len(x[0, 0]), TypeError, "unsized"),
        (lambda x: np.asarray(x), TypeError, "asnumpy"),
        (lambda x: hash(x), TypeError, "unhashable"),
    ],
)
def test_axes_indices_and_conversions(x, call, error, text):
    with pytest.raises(error, match=text):
        call(x)


# ---- casts ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "parts"),
    [
        (lambda x, o: rp.add(x, 1j, out=o), ["add", "complex128", "float64", "same_kind"]),
        (lambda x, o: rp.add(x, x, out=o, casting="no", dtype="f4"), ["add", "float64", "no"]),
        (lambda x, o: rp.sqrt(x, out=rp.ones((2, 3), "i4")), ["sqrt", "float64", "int32"]),
        (lambda x, o: rp.ones(3, "i4").__iadd__(1.5), ["add", "float64", "int32"]),
        (lambda x, o: rp.copyto(o, rp.ones((2, 3), "c8")), ["complex64", "float64", "same_kind"]),
        (lambda x, o: x.astype("i4", casting="safe"), ["float64", "int32", "safe"]),
        (lambda x, o: rp.bitwise_and(x, x, out=o), ["bitwise_and", "not supported", "float"]),
        (
            lambda x, o: rp.left_shift(x, 1, out=o),
            ["left_shift", "not supported", "got float64", "bb->b"],
        ),
        (lambda x, o: rp.add(x, x, out=o, casting="wrong"), ["casting", "wrong"]),
        (lambda x, o: rp.invert(x, out=o), ["invert", "not supported"]),
    ],
)
def test_casts(x, out, call, parts):
    with pytest.raises((TypeError, ValueError)) as caught:
        call(x, out)
    text = str(caught.value)
    for part in parts:
        assert part in text, text
    assert untouched(out)


def test_a_python_integer_that_does_not_fit(out):
    with pytest.raises(OverflowError, match=r"300.*(uint8|bounds)"):
        rp.ones(3, "u1") + 300
    with pytest.raises(OverflowError, match=r"-1.*(uint8|bounds)"):
        rp.full(3, -1, "u1")


# ---- outputs --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda x: rp.add(x, x, out=np.zeros((2, 3))), TypeError, "add.*ndarray"),
        (lambda x: rp.add(x, x, out=[1]), TypeError, "list|ndarray"),
        (lambda x: rp.add(x, x, out=(x, x)), ValueError, "out|tuple"),
        (lambda x: rp.add(x, x, x, out=x), TypeError, "out"),
        (lambda x: rp.add(x), TypeError, "add.*2.*1|argument"),
        (lambda x: rp.add(x, x, x, x), TypeError, "add.*4|argument"),
        (lambda x: rp.add(x, x, wrong=1), TypeError, "wrong"),
        (lambda x: rp.sum(x, out=np.zeros(())), TypeError, "sum|out|ndarray"),
        (lambda x: rp.add(x, x, where=x), TypeError, "where|bool|safe"),
    ],
)
def test_out_arguments(x, call, error, text):
    with pytest.raises(error, match=text):
        call(x)
    np.testing.assert_array_equal(x.get(), X)


def test_read_only_arrays():
    x = rp.broadcast_to(rp.ones(3), (2, 3))
    for call in (
        lambda: rp.add(x, 1, out=x),
        lambda: x.__setitem__(0, 5),
        lambda: x.fill(3),
        lambda: x.__iadd__(1),
        lambda: rp.copyto(x, 3),
        lambda: x.sort(),
        lambda: rp.put(x, [0], 5),
    ):
        with pytest.raises(ValueError, match="read-only"):
            call()
    assert x.tolist() == [[1, 1, 1]] * 2


# ---- sizes ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "call",
    [
        lambda: rp.zeros(-1),
        lambda: rp.empty((3, -2)),
        lambda: rp.full((-5,), 1.0),
        lambda: rp.ones((2, -1, 3)),
        lambda: rp.ndarray((-3,)),
    ],
)
def test_negative_sizes(call):
    with pytest.raises(ValueError, match="negative dimensions are not allowed"):
        call()


@pytest.mark.parametrize("shape", [(1 << 50,), (1 << 30, 1 << 20), (1 << 59,)])
def test_absurd_sizes(shape):
    n_bytes = int(np.prod([int(n) for n in shape], dtype=object)) * 8
    pool = rp.get_default_memory_pool()
    used = pool.used_bytes()
    for call in (rp.empty, rp.zeros, rp.ones):
        with pytest.raises(MemoryError, match=f"asked for {n_bytes:,} bytes.*device free"):
            call(shape)
    assert pool.used_bytes() <= used


@pytest.mark.parametrize("shape", [(1 << 62,), (1 << 40, 1 << 40), (1 << 63,), (1 << 100,)])
def test_sizes_that_overflow(shape):
    with pytest.raises((ValueError, OverflowError, MemoryError), match=r"too|large|big"):
        rp.empty(shape)


def test_a_result_that_does_not_fit_leaves_the_inputs(x):
    big = rp.broadcast_to(rp.ones(1), (1 << 45,))
    with pytest.raises(MemoryError, match="asked for"):
        big + 1
    np.testing.assert_array_equal((x + 1).get(), X + 1)


# ---- kernels --------------------------------------------------------------------------------


def test_a_kernel_that_does_not_compile(x):
    kernel = rp.ElementwiseKernel("T x", "T z", "z = missing_name + x;", "broken")
    with pytest.raises(rp.hip.CompileError) as caught:
        kernel(x)
    text = str(caught.value)
    assert "missing_name" in text
    assert "z = missing_name + x;" in text
    assert ">" in text  # the marked source line


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda x: rp.ElementwiseKernel("T x", "T z", "z = x", "one")(x, x, x), TypeError, "one"),
        (lambda x: rp.ElementwiseKernel("T x", "T z", "z = x", "one")(), TypeError, "one"),
        (
            lambda x: rp.ElementwiseKernel("T x, T y", "T z", "z = x", "two")(x, x[:, :2]),
            ValueError,
            "broadcast",
        ),
        (lambda x: rp.ElementwiseKernel("T x", "T z", "z = x", "one")("a"), TypeError, ""),
    ],
)
def test_bad_calls_of_user_kernels(x, call, error, text):
    with pytest.raises(error, match=text or None):
        call(x)
