"""Shape manipulation, joining, splitting, repeating, padding, making arrays."""

import numpy as np
from differential import arrays
from differential.operands import axes_of, axis_of, broadcastable, new_array, one_in, operand
from differential.program import Step
from hypothesis import strategies as st


def _factors(draw, n):
    """A shape of n items."""
    if n == 0:
        return tuple(draw(st.permutations([0, draw(st.integers(1, 3))])))
    shape, rest = [], n
    while rest > 1 and len(shape) < 4:
        divisor = draw(st.sampled_from([d for d in range(1, rest + 1) if rest % d == 0][:6]))
        shape.append(divisor)
        rest //= divisor
    return (*shape, rest) if rest > 1 or draw(st.booleans()) else tuple(shape)


def reshape(draw, program):
    x = operand(draw, program)
    shape = list(_factors(draw, x.host.size))
    if shape and one_in(draw, 4):
        shape[draw(st.integers(0, len(shape) - 1))] = -1
    if one_in(draw, 15):
        shape.append(2)
    order = draw(st.sampled_from("CCFA"))
    program.run(Step(draw(st.sampled_from(["reshape", ".reshape"])), x, tuple(shape), order=order))


def flatten(draw, program):
    x = operand(draw, program)
    name = draw(st.sampled_from(["ravel", ".ravel", ".flatten", ".copy", "copy"]))
    program.run(Step(name, x, order=draw(st.sampled_from("CFAK"))))


def rearrange(draw, program):
    x = operand(draw, program)
    ndim = x.host.ndim
    name = draw(st.sampled_from(["transpose", "swapaxes", "moveaxis", "rollaxis", "squeeze",
                                 "expand_dims", "flip", "roll", "rot90", "fliplr", "flipud",
                                 "atleast_1d", "atleast_2d", "atleast_3d", "matrix_transpose",
                                 "broadcast_to"]))  # fmt: skip
    if name == "transpose":
        axes = draw(st.permutations(range(ndim))) if draw(st.booleans()) else None
        step = Step(name, x, axes)
    elif name in ("swapaxes", "moveaxis"):
        step = Step(name, x, axis_of(draw, ndim), axis_of(draw, ndim))
    elif name == "rollaxis":
        step = Step(name, x, axis_of(draw, ndim), draw(st.integers(-ndim, ndim)))
    elif name == "squeeze":
        ones = [i for i, n in enumerate(x.host.shape) if n == 1]
        axis = draw(st.sampled_from([None, axis_of(draw, ndim), tuple(ones), *ones]))
        step = Step(name, x, axis)
    elif name == "expand_dims":
        step = Step(name, x, draw(st.sampled_from([0, -1, ndim, (0, 1), (0, -1)])))
    elif name == "flip":
        step = Step(name, x, axes_of(draw, ndim))
    elif name == "roll":
        axis = axes_of(draw, ndim)
        shift = draw(st.integers(-4, 4))
        step = Step(name, x, shift, axis)
    elif name == "rot90":
        axes = draw(st.sampled_from([(0, 1), (1, 0), (0, -1), (1, 2)]))
        step = Step(name, x, draw(st.integers(-2, 5)), axes)
    elif name == "broadcast_to":
        step = Step(name, x, (2, *[3 if n == 1 else n for n in x.host.shape]))
    else:
        step = Step(name, x)
    program.run(step)


def join(draw, program):
    name = draw(st.sampled_from(["concatenate", "concatenate", "stack", "vstack", "hstack",
                                 "dstack", "column_stack", "append"]))  # fmt: skip
    x = operand(draw, program)
    parts = [x]
    for _ in range(draw(st.integers(0, 2)) + (name == "append")):
        shape = list(x.host.shape)
        if name == "concatenate" and shape and draw(st.booleans()):
            shape[0] = draw(arrays.lengths)
        if one_in(draw, 20):
            shape.append(2)
        parts.append(new_array(draw, program, tuple(shape)))
    options = {}
    if name in ("concatenate", "stack", "append"):
        options["axis"] = axis_of(draw, x.host.ndim) if not one_in(draw, 4) else (
            0 if name == "stack" else None)  # fmt: skip
    if name == "append":
        program.run(Step(name, parts[0], parts[1], **options))
        return
    if name in ("concatenate", "stack") and one_in(draw, 5):
        options["dtype"] = np.dtype(draw(st.sampled_from("dDfl")))
        if one_in(draw, 3):
            options["casting"] = "safe"
    program.run(Step(name, parts, **options))


def split(draw, program):
    name = draw(st.sampled_from(["split", "array_split", "hsplit", "vsplit", "dsplit", "unstack"]))
    x = operand(draw, program, min_ndim=1)
    if name == "unstack":
        program.run(Step(name, x, axis=axis_of(draw, x.host.ndim)))
        return
    cuts = draw(st.one_of(st.integers(1, 3), st.lists(st.integers(-2, 5), max_size=3)))
    options = {}
    if name in ("split", "array_split"):
        options["axis"] = draw(st.integers(-x.host.ndim, x.host.ndim - 1))
    program.run(Step(name, x, cuts, **options))


def repeat(draw, program):
    name = draw(st.sampled_from(["tile", "repeat", "resize", "delete", "insert"]))
    x = operand(draw, program)
    if x.host.size > 600:
        return
    axis = None if draw(st.booleans()) else axis_of(draw, x.host.ndim)
    if name == "tile":
        reps = draw(st.one_of(st.integers(0, 3), st.lists(st.integers(0, 2), max_size=3)))
        program.run(Step(name, x, tuple(reps) if isinstance(reps, list) else reps))
    elif name == "repeat":
        length = x.host.size if axis is None else (
            x.host.shape[axis] if -x.host.ndim <= axis < x.host.ndim else 1)  # fmt: skip
        counts = draw(st.integers(0, 3))
        if draw(st.booleans()):
            values = st.lists(st.integers(0, 2), min_size=length, max_size=length)
            counts = np.array(draw(values), int)
        program.run(Step(name, x, counts, axis=axis))
    elif name == "resize":
        program.run(Step(name, x, draw(arrays.shapes)))
    elif name == "delete":
        where = draw(st.one_of(st.integers(-3, 3), st.lists(st.integers(-2, 2), max_size=3)))
        program.run(Step(name, x, where, axis=axis))
    else:
        length = min((x.host.size, *x.host.shape))
        where = draw(st.one_of(st.integers(-3, 3), st.lists(st.integers(0, 2), max_size=3)))
        if length < 3:
            return
        program.run(Step(name, x, where, draw(st.sampled_from([0, 1])), axis=axis))


PAD_MODES = ["constant", "edge", "reflect", "symmetric", "wrap", "maximum", "minimum"]


def pad(draw, program):
    x = operand(draw, program)
    if x.host.size > 300:
        return
    ndim = x.host.ndim
    widths = st.integers(0, 3)
    width = draw(st.one_of(
        widths, st.tuples(widths, widths), st.lists(st.tuples(widths, widths), min_size=ndim,
                                                    max_size=ndim)))  # fmt: skip
    mode = draw(st.sampled_from(PAD_MODES))
    options = {}
    if mode == "constant" and draw(st.booleans()):
        options["constant_values"] = draw(st.sampled_from([1, 2, (1, 3)]))
    if mode in ("reflect", "symmetric") and one_in(draw, 3) and x.host.dtype.kind not in "b":
        options["reflect_type"] = draw(st.sampled_from(["even", "odd"]))
        if x.host.dtype.kind in "fc":
            del options["reflect_type"]
    program.run(Step("pad", x, width, mode, **options))


def make_like(draw, program):
    name = draw(st.sampled_from(["zeros_like", "ones_like", "full_like", "meshgrid",
                                 "broadcast_arrays", "ix_", "vander", "tri", "eye", "arange",
                                 "linspace", "indices", "diagflat"]))  # fmt: skip
    small = st.integers(0, 5)
    if name in ("zeros_like", "ones_like", "full_like"):
        x = operand(draw, program)
        options = {"order": draw(st.sampled_from("CFAK"))}
        if draw(st.booleans()):
            options["dtype"] = np.dtype(draw(arrays.chars))
        if one_in(draw, 4):
            options["shape"] = draw(arrays.shapes)
        step = Step(name, x, *([3] if name == "full_like" else []), **options)
    elif name in ("meshgrid", "ix_"):
        vectors = [new_array(draw, program, (draw(small),)) for _ in range(draw(st.integers(1, 3)))]
        options = {"indexing": draw(st.sampled_from(["xy", "ij"])), "sparse": draw(st.booleans())}
        step = Step(name, *vectors, **(options if name == "meshgrid" else {}))
        if name == "ix_" and any(v.host.dtype.kind not in "iub" for v in vectors):
            return
    elif name == "broadcast_arrays":
        x = operand(draw, program)
        step = Step(name, x, broadcastable(draw, program, x.host.shape))
    elif name == "vander":
        x = new_array(draw, program, (draw(small),), draw(st.sampled_from("ilBb")))
        step = Step(name, x, draw(st.sampled_from([None, 0, 3])), draw(st.booleans()))
    elif name in ("tri", "eye"):
        dtype = np.dtype(draw(arrays.chars))
        step = Step(name, draw(small), draw(st.one_of(st.none(), small)),
                    draw(st.integers(-6, 6)), dtype)  # fmt: skip
    elif name == "arange":
        bounds = [draw(st.sampled_from([0, 5, -3, 2.5, 10])), draw(st.sampled_from([7, -4, 1.5]))]
        dtype = draw(st.sampled_from([None, "f", "d", "i", "l", "e"]))
        step = Step(name, *bounds, draw(st.sampled_from([1, 2, -1, 0.5, 0])), dtype)
    elif name == "linspace":
        dtype = draw(st.sampled_from([None, None, "f", "i"]))
        step = Step(name, draw(st.sampled_from([0, -1.5, 3, 2j])), draw(st.sampled_from([1, 7.5])),
                    draw(small), draw(st.booleans()), dtype=dtype)  # fmt: skip
        if dtype and step.args[0] == 2j:
            return
    elif name == "indices":
        step = Step(name, draw(st.lists(small, max_size=3).map(tuple)), sparse=draw(st.booleans()))
    else:
        step = Step(name, operand(draw, program), draw(st.integers(-2, 2)))
        if step.args[0].host.size > 60:
            return
    program.run(step)


OPERATIONS = [reshape, reshape, flatten, rearrange, rearrange, rearrange, join, join, split, repeat,
              pad, make_like]  # fmt: skip
