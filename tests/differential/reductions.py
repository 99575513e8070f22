"""Reductions, scans, and the methods of ufuncs."""

import numpy as np
from differential import arrays
from differential.compare import Tolerance
from differential.elementwise import host, is_inexact, tolerance_of
from differential.operands import (
    axes_of,
    axis_of,
    broadcastable,
    mask_for,
    new_array,
    one_in,
    operand,
)
from differential.program import Step
from hypothesis import strategies as st

from rocarray._core.quantiles import _METHODS

ORDERED = ["max", "min", "any", "all", "ptp", "argmax", "argmin", "count_nonzero", "amax", "amin"]
SUMS = ["sum", "prod", "mean", "nansum", "nanprod", "nanmean"]
SPREADS = ["var", "std", "nanvar", "nanstd"]
NAN_ORDERED = ["nanmax", "nanmin", "nanargmax", "nanargmin"]
MIDDLES = ["median", "nanmedian"]
SCANS = ["cumsum", "cumprod", "nancumsum", "nancumprod"]
METHODS = ["sum", "prod", "mean", "var", "std", "max", "min", "any", "all", "argmax", "argmin",
           "cumsum", "cumprod"]  # fmt: skip
BINARY = ["add", "multiply", "subtract", "divide", "maximum", "minimum", "fmax", "fmin",
          "logical_and", "logical_or", "logical_xor", "bitwise_and", "bitwise_or", "bitwise_xor",
          "equal", "less", "hypot", "floor_divide", "gcd", "copysign", "left_shift"]  # fmt: skip


def rounding(name, x, options):
    """What another order of additions may change, given how large the added numbers are."""
    name = name.lstrip(".").removeprefix("nan")
    values = host(x)
    if name in ("max", "min", "amax", "amin", "maximum", "minimum", "fmax", "fmin"):
        return Tolerance(either_zero=True, any_nan=True)
    dtype = options.get("dtype")
    if dtype is None and options.get("out") is not None:
        dtype = np.result_type(options["out"].host.dtype, values.dtype)
    exact = values.dtype.kind not in "fc" and (dtype is None or np.dtype(dtype).kind not in "fc")
    if exact and name not in ("mean", "var", "std"):
        return None
    shape = values.shape if values.shape else (1,)
    n = max(values.size, 1)
    if isinstance(options.get("axis"), int):
        n = max(shape[options["axis"] % len(shape)] if options["axis"] < len(shape) else 1, 1)
    precision = None
    if options.get("out") is not None or dtype is not None:
        precision = np.result_type(values.dtype, np.float16) if dtype is None else np.dtype(dtype)
        precision = precision if precision.kind in "fc" else np.dtype(np.float64)
    if name in ("prod", "cumprod", "multiply", "hypot", "divide"):
        with np.errstate(all="ignore"):
            magnitude = np.maximum(np.abs(values.astype(np.clongdouble)), 1)
            magnitude = np.where(np.isnan(magnitude), 1, magnitude)
            small = np.minimum(np.abs(values.astype(np.clongdouble)), 1)
            small = np.where(np.isnan(small) | (small == 0), 1, small)
            # 1 / small too, for what underflows on the way.
            extent = np.prod(magnitude) / np.prod(small) ** 2
            if np.dtype(dtype or values.dtype).itemsize <= 4 and not np.isfinite(
                extent.astype(np.dtype(dtype or values.dtype).type(0).real.dtype)
            ):
                extent = np.inf
        return Tolerance(4 * n, precision=precision, extent=extent)
    with np.errstate(all="ignore"):
        magnitude = np.abs(values.astype(np.complex256 if values.dtype.kind == "c" else "g"))
        magnitude = np.where(np.isnan(magnitude), 0, magnitude)
        scale = magnitude.sum()
        if name in ("var", "std"):
            scale = (magnitude**2).max(initial=0) * 4
            if name == "std":
                scale = np.sqrt(scale)
        elif name == "mean":
            scale = magnitude.max(initial=0) * 2
        if options.get("initial") is not None and options["initial"] is not np._NoValue:
            scale = scale + np.abs(np.asarray(options["initial"]))
    return Tolerance(4 * n, scale=scale, precision=precision)


def _reduced_shape(shape, axis, keepdims):
    try:
        return np.empty(shape, bool).any(axis=axis, keepdims=keepdims).shape
    except (ValueError, TypeError, IndexError):
        return ()


def reduction(draw, program):
    name = draw(st.sampled_from(ORDERED + SUMS + SUMS + SPREADS + NAN_ORDERED + MIDDLES))
    x = operand(draw, program)
    ndim = x.host.ndim
    if name in MIDDLES and x.host.size == 0:
        return  # NumPy's reshape(..., -1) fails there for some axes
    argument = name.removeprefix("nan") in ("argmax", "argmin")
    axis = (axis_of(draw, ndim) if draw(st.booleans()) else None) if argument else (
        axes_of(draw, ndim))  # fmt: skip
    options = {"axis": axis}
    if one_in(draw, 3):
        options["keepdims"] = draw(st.booleans())
    if name in SUMS + SPREADS and one_in(draw, 4):
        kinds = "lefdFD" if name in SUMS and "mean" not in name else "fdFD"
        if name in SPREADS and x.host.dtype.kind == "c":
            kinds = "FD"
        options["dtype"] = np.dtype(draw(st.sampled_from(kinds)))
        if options["dtype"].kind in "iu" and is_inexact(x):
            del options["dtype"]
    if name in SPREADS and one_in(draw, 3):
        options["ddof"] = draw(st.sampled_from([0, 1, 2]))
    where_too = name in ("sum", "prod", "max", "min", "any", "all", "amax", "amin", "mean",
                         "nansum", "var", "std")  # fmt: skip
    if where_too and one_in(draw, 4):
        options["where"] = mask_for(draw, program, x.host.shape)
    if name in ("sum", "prod", "max", "min", "nansum", "amax") and one_in(draw, 4):
        options["initial"] = draw(st.sampled_from([0, 1, 2, -3]))
    if one_in(draw, 5) and name not in ("ptp", "count_nonzero", "median", "nanmedian"):
        shape = _reduced_shape(x.host.shape, axis, options.get("keepdims", False))
        char = draw(arrays.chars)
        if "initial" in options or name in SPREADS or "mean" in name or "dtype" in options:
            char = "D" if np.dtype(options.get("dtype", "d")).kind == "c" else "d"
        # Into a narrower `out` NumPy's partial results wrap, so that the result tells its order.
        if np.can_cast(x.host.dtype, char, "same_kind"):
            options["out"] = new_array(draw, program, shape, char)
    if name in METHODS and draw(st.booleans()):
        program.run(Step("." + name, x, tolerance=rounding(name, x, options), **options))
    else:
        program.run(Step(name, x, tolerance=rounding(name, x, options), **options))


def scan(draw, program):
    name = draw(st.sampled_from(SCANS))
    x = operand(draw, program)
    options = {"axis": axis_of(draw, x.host.ndim) if draw(st.booleans()) else None}
    if one_in(draw, 4):
        options["dtype"] = np.dtype(draw(st.sampled_from("lfdD")))
        if options["dtype"].kind in "iu" and is_inexact(x):
            del options["dtype"]
    program.run(Step(name, x, tolerance=rounding(name.replace("cumsum", "sum"), x, options),
                     **options))  # fmt: skip


def ufunc_reduce(draw, program):
    name = draw(st.sampled_from(BINARY))
    x = operand(draw, program, "?bBhHiIlL" if name[:3] in ("bit", "gcd", "lef") else arrays.CHARS)
    method = draw(st.sampled_from(["reduce", "reduce", "accumulate"]))
    options = {}
    if method == "reduce":
        options["axis"] = axes_of(draw, x.host.ndim)
        if one_in(draw, 3):
            options["keepdims"] = True
        if one_in(draw, 4):
            options["initial"] = draw(st.sampled_from([0, 1, 2, None]))
        if one_in(draw, 4):
            options["where"] = mask_for(draw, program, x.host.shape)
    else:
        options["axis"] = axis_of(draw, x.host.ndim)
    program.run(Step(f"{name}.{method}", x, tolerance=rounding(name, x, options), **options))


def ufunc_reduceat(draw, program):
    name = draw(st.sampled_from(BINARY))
    x = operand(draw, program, min_ndim=1)
    axis = axis_of(draw, x.host.ndim)
    length = x.host.shape[axis] if -x.host.ndim <= axis < x.host.ndim else 1
    last = max(length - 1, 0) + one_in(draw, 20)
    indices = draw(st.lists(st.integers(0, last), max_size=5))
    program.run(
        Step(f"{name}.reduceat", x, np.array(indices, int), axis=axis,
             tolerance=rounding(name, x, {"axis": axis}))
    )  # fmt: skip


def ufunc_outer(draw, program):
    name = draw(st.sampled_from(BINARY))
    a, b = operand(draw, program), operand(draw, program)
    if a.host.size * b.host.size < 20000:
        program.run(Step(f"{name}.outer", a, b, tolerance=tolerance_of(name, [a, b])))


def ufunc_at(draw, program):
    name = draw(st.sampled_from(["add", "subtract", "multiply", "maximum", "minimum", "negative"]))
    x = operand(draw, program, chars="bBhHiIlLfdD", min_ndim=1)
    length = x.host.shape[0]
    if length == 0:
        return
    indices = np.array(draw(st.lists(st.integers(-length, length - 1), max_size=6)), int)
    tolerance = rounding(name.replace("subtract", "add"), x, {})
    if name == "negative":
        program.run(Step("negative.at", x, indices))
        return
    shape = (len(indices), *x.host.shape[1:])
    values = broadcastable(draw, program, shape, x.host.dtype.char)
    if tolerance is not None and tolerance.scale is not None:
        magnitude = np.abs(values.host.astype(np.clongdouble))
        tolerance.scale = tolerance.scale + np.where(np.isnan(magnitude), 0, magnitude).sum()
    program.run(Step(f"{name}.at", x, indices, values, tolerance=tolerance))


def quantiles(draw, program):
    name = draw(st.sampled_from(["quantile", "percentile", "nanquantile", "nanpercentile"]))
    x = operand(draw, program, chars="bBhHiIlLfd", min_ndim=1)
    q = draw(st.sampled_from([0.5, 0, 1, [0.25, 0.75], [0.1, 0.5, 0.9]]))
    q = np.multiply(q, 100).tolist() if "percent" in name else q
    if x.host.size == 0:
        return  # NumPy's reshape(..., -1) fails there for some axes
    options = {"axis": axes_of(draw, x.host.ndim)}
    if draw(st.booleans()):
        options["method"] = draw(st.sampled_from(sorted(_METHODS)))
    if one_in(draw, 4):
        options["keepdims"] = True
    with np.errstate(all="ignore"):
        scale = np.abs(x.host[np.isfinite(x.host)]).max(initial=0)
    program.run(Step(name, x, q, tolerance=Tolerance(4, scale=scale), **options))


def averages(draw, program):
    x = operand(draw, program, chars="bBhHiIlLfdFD", min_ndim=1)
    options = {"axis": None if draw(st.booleans()) else draw(st.integers(0, x.host.ndim - 1))}
    if draw(st.booleans()):
        options["weights"] = new_array(draw, program, x.host.shape, draw(st.sampled_from("Bild")))
        return_sum = one_in(draw, 3)
        if return_sum:
            options["returned"] = True
        scale = np.abs(x.host).astype("g") * np.abs(options["weights"].host)
        total = np.abs(options["weights"].host.astype("g").sum(axis=options["axis"]))
        if not np.all(np.isfinite(scale)) or np.any(total < 1):
            return
        tolerance = Tolerance(
            8 * max(x.host.size, 1), scale=max(scale.sum(), np.max(total, initial=1))
        )
    else:
        tolerance = rounding("mean", x, options)
    program.run(Step("average", x, tolerance=tolerance, **options))


def differences(draw, program):
    name = draw(st.sampled_from(["diff", "diff", "ediff1d", "trapezoid", "cumulative_sum"]))
    x = operand(draw, program, min_ndim=int(name == "trapezoid"))
    options = {}
    tolerance = None
    if name != "ediff1d":
        options["axis"] = axis_of(draw, x.host.ndim)
    if name == "trapezoid":
        options["axis"] = draw(st.integers(-x.host.ndim, x.host.ndim - 1))
    if name == "diff" and one_in(draw, 3):
        options["n"] = draw(st.integers(0, 3))
    if name == "cumulative_sum" and draw(st.booleans()):
        options["include_initial"] = True
    if name in ("trapezoid", "cumulative_sum"):
        tolerance = rounding("sum", x, {})
        if name == "trapezoid":
            tolerance = rounding("sum", x, {"dtype": np.result_type(x.host.dtype, float)})
    program.run(Step(name, x, tolerance=tolerance, **options))


OPERATIONS = [reduction, reduction, reduction, scan, ufunc_reduce, ufunc_reduceat, ufunc_outer,
              ufunc_at, quantiles, averages, differences]  # fmt: skip
