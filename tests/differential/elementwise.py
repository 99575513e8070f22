"""Ufunc calls and operators."""

import numpy as np
from differential import arrays
from differential.compare import Tolerance
from differential.operands import broadcastable, mask_for, new_array, one_in, operand
from differential.program import Step
from hypothesis import strategies as st
from tolerances import CANCELLING, EITHER_ZERO, ULPS

from rocarray._kernels.tables.ufuncs import UFUNCS

NAMES = sorted(row.name for row in UFUNCS if isinstance(getattr(np, row.name, None), np.ufunc))
CASTINGS = ["no", "equiv", "safe", "same_kind", "unsafe"]

OPERATORS = ["add", "sub", "mul", "truediv", "floordiv", "mod", "and_", "or_", "xor", "lshift",
             "rshift", "eq", "ne", "lt", "le", "gt", "ge", "pow"]  # fmt: skip
IN_PLACE = ["iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "iand", "ior", "ixor",
            "ilshift", "irshift", "ipow"]  # fmt: skip
UFUNC_OF = {"mul": "multiply", "truediv": "divide", "pow": "power", "abs": "absolute"}
UNARY = ["neg", "pos", "abs", "invert"]


def host(x):
    return x.host if isinstance(x, arrays.Pair) else np.asarray(x)


def is_inexact(x):
    return host(x).dtype.kind in "fc"


def tolerance_of(name, operands, options=None):
    """A function's own tolerance; complex ones are composed of several real functions."""
    ulps = ULPS.get(name, 0)
    if any(host(x).dtype.kind == "c" for x in operands):
        ulps = COMPLEX_ULPS.get(name, ulps and 64)
    precision = None
    if ulps and options:
        # What is computed in float32 and stored in a float64 array has float32's accuracy.
        given = options.get("dtype") or np.result_type(*[host(x).dtype for x in operands])
        precision = min(given, np.dtype(np.float64), key=lambda t: t.itemsize)
        if precision.kind not in "fc":
            precision = np.dtype(np.float16)
    scale = None
    if name in CANCELLING:
        with np.errstate(all="ignore"):
            largest = [np.abs(host(x)).astype("g").max(initial=0) for x in operands]
            scale = max([x for x in largest if np.isfinite(x)], default=0)
    return Tolerance(ulps, scale, either_zero=name in EITHER_ZERO, precision=precision)


# Of the larger part.
COMPLEX_ULPS = {"absolute": 3, "multiply": 2, "divide": 4, "square": 2, "reciprocal": 4, "sqrt": 4,
                "sign": 6}  # fmt: skip


def _options(draw, program, operands, n_out):
    """out=, where=, casting=, dtype=, order=."""
    options = {}
    try:
        shape = np.broadcast_shapes(*[host(x).shape for x in operands])
    except ValueError:
        shape = ()
    if one_in(draw, 3) and n_out == 1:
        same = [p for p in program.pairs if p.host.shape == shape]
        if same and draw(st.booleans()):
            options["out"] = draw(st.sampled_from(same))
        else:
            options["out"] = new_array(draw, program, shape)
        if one_in(draw, 3):
            options["where"] = mask_for(draw, program, shape)
    if one_in(draw, 4):
        options["casting"] = draw(st.sampled_from(CASTINGS))
    if one_in(draw, 6):
        options["dtype"] = np.dtype(draw(arrays.chars))
    if one_in(draw, 8):
        options["order"] = draw(st.sampled_from("CFAK"))
    return options


def ufunc_call(draw, program):
    name = draw(st.sampled_from(NAMES))
    ufunc = getattr(np, name)
    first = operand(draw, program)
    operands = [first]
    for _ in range(ufunc.nin - 1):
        if one_in(draw, 4):
            operands.append(draw(arrays.scalars(first.host.dtype)))
        else:
            operands.append(broadcastable(draw, program, first.host.shape))
    options = _options(draw, program, operands, ufunc.nout)
    if loses_range(operands, options):
        return
    tolerance = tolerance_of(name, operands, options)
    program.run(Step(name, *operands, tolerance=tolerance, **options))


def loses_range(operands, options):
    """Whether floats may be cast to integers, where NumPy leaves the values undefined."""
    if options.get("casting") != "unsafe":
        return False
    # int64 with uint64 is computed in float64.
    mixed = {"i", "u"} <= {host(x).dtype.kind for x in operands}
    return mixed or any(is_inexact(x) for x in operands) or "dtype" in options


def operator_call(draw, program):
    kind = draw(st.integers(0, 5))
    first = operand(draw, program)
    if kind == 0:
        name = draw(st.sampled_from(UNARY))
        tolerance = tolerance_of(UFUNC_OF.get(name), [first])
        program.run(Step(name + "()", first, tolerance=tolerance))
        return
    if one_in(draw, 3):
        second = draw(arrays.scalars(first.host.dtype))
    else:
        second = broadcastable(draw, program, first.host.shape)
    if kind <= 2:
        name = draw(st.sampled_from(IN_PLACE))
        operands = [first, second]
    else:
        name = draw(st.sampled_from(OPERATORS))
        operands = [first, second] if not one_in(draw, 3) else [second, first]
    ufunc = UFUNC_OF.get(name.removeprefix("i"))
    program.run(Step(name + "()", *operands, tolerance=tolerance_of(ufunc, operands)))


def scalar_left(draw, program):
    """A number on the left of an operator."""
    first = operand(draw, program)
    name = draw(st.sampled_from(OPERATORS))
    ufunc = UFUNC_OF.get(name)
    operands = [draw(arrays.scalars(first.host.dtype)), first]
    if isinstance(operands[0], np.generic):
        operands[0] = operands[0].item()
    program.run(Step(name + "()", *operands, tolerance=tolerance_of(ufunc, operands)))


def astype(draw, program):
    x = operand(draw, program)
    char = draw(arrays.chars)
    target = np.dtype(char)
    if x.host.dtype.kind in "fc" and target.kind in "iu":
        info = np.iinfo(target)
        values = x.host.real
        with np.errstate(all="ignore"):
            if not np.all((values >= max(info.min, -(2**31))) & (values <= min(info.max, 2**31))):
                return
    options = {"order": draw(st.sampled_from("CFAK"))} if one_in(draw, 3) else {}
    if one_in(draw, 4):
        options["casting"] = draw(st.sampled_from(CASTINGS))
    if one_in(draw, 4):
        options["copy"] = draw(st.booleans())
    program.run(Step(".astype", x, target, **options))


OPERATIONS = [ufunc_call, ufunc_call, ufunc_call, operator_call, operator_call, scalar_left, astype]
