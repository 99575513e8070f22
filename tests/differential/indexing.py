"""Basic and advanced indexing, reading and writing; take, put and their relatives."""

import numpy as np
from differential import arrays
from differential.operands import axis_of, broadcastable, mask_for, new_array, one_in, operand
from differential.program import Step
from hypothesis import strategies as st


def _slice(draw, length):
    bound = st.one_of(st.none(), st.integers(-length - 2, length + 2))
    step = draw(st.sampled_from([None, 1, 2, -1, -2, 3]))
    return slice(draw(bound), draw(bound), step)


def _integer(draw, length):
    if length == 0 or one_in(draw, 40):
        return length
    return draw(st.integers(-length, length - 1))


def _index_array(draw, length, shape):
    n = int(np.prod(shape, dtype=int))
    low, high = (-length, length - 1) if length else (0, 0)
    values = draw(st.lists(st.integers(low, high), min_size=n, max_size=n))
    char = draw(st.sampled_from(["l", "l", "i", "b", "B", "L"]))
    index = np.array(values, "l").reshape(shape)
    if char in "BL" and np.any(index < 0):
        char = "l"
    return index.astype(char)


def basic_key(draw, shape):
    """Integers, slices, newaxis and an Ellipsis."""
    key = []
    for length in shape:
        kind = draw(st.integers(0, 3))
        if kind == 0:
            key.append(_integer(draw, length))
        else:
            key.append(_slice(draw, length))
        if one_in(draw, 8):
            key.append(None)
    cut = draw(st.integers(0, len(key)))
    if cut < len(key) and draw(st.booleans()):
        at = draw(st.integers(0, cut))
        key = key[:at] + [Ellipsis] + key[len(key) - (cut - at) :]
    else:
        key = key[:cut]
    return tuple(key)


def advanced_key(draw, shape):
    """At least one array among what basic keys hold; the arrays broadcast together."""
    common = tuple(draw(st.lists(st.sampled_from([1, 2, 3]), max_size=2)))
    key, axis = [], 0
    while axis < len(shape):
        kind = draw(st.integers(0, 5))
        if kind == 0 and axis + 1 <= len(shape):
            n_axes = draw(st.integers(1, len(shape) - axis))
            dims = shape[axis : axis + n_axes]
            seed = draw(arrays.seeds)
            mask = np.random.default_rng(seed).random(dims) < 0.5
            count = np.count_nonzero(mask)
            if all(n in (1, count) for n in common[-1:]) or one_in(draw, 6):
                key.append(mask)
                axis += n_axes
                continue
        if kind <= 2:
            key.append(_index_array(draw, shape[axis], common))
        elif kind == 3:
            key.append(_integer(draw, shape[axis]))
        else:
            key.append(_slice(draw, shape[axis]))
        axis += 1
        if one_in(draw, 8):
            key.append(None)
    if one_in(draw, 3):
        key = key[: draw(st.integers(0, len(key)))]
        if draw(st.booleans()):
            key.append(Ellipsis)
    if one_in(draw, 20):
        key.append(np.array(draw(st.booleans())))
    return tuple(key)


def get(draw, program):
    x = operand(draw, program)
    key = basic_key(draw, x.host.shape)
    if len(key) == 1 and draw(st.booleans()):
        key = key[0]
    program.run(Step("getitem()", x, key))


def get_advanced(draw, program):
    x = operand(draw, program, min_ndim=1)
    program.run(Step("getitem()", x, advanced_key(draw, x.host.shape), any_order=True))


def _values(draw, program, x, shape):
    """What may be assigned to a part of x: no float that an integer type would make undefined."""
    kind = x.host.dtype.kind
    if one_in(draw, 3):
        return draw(st.sampled_from([0, 1, True, 3]))
    if kind in "iu":
        chars = "?bBhHiIlL"
    elif kind == "f":
        chars = "?bBhHiIlLefd"
    else:
        chars = arrays.CHARS
    if kind == "b":
        chars = "?bBil"
    return broadcastable(draw, program, shape, draw(st.sampled_from(chars)))


def set_part(draw, program):
    x = operand(draw, program)
    advanced = x.host.ndim > 0 and draw(st.booleans())
    key = (advanced_key if advanced else basic_key)(draw, x.host.shape)
    try:
        shape = x.host[key].shape
    except IndexError:
        shape = ()
    program.run(Step("setitem()", x, key, _values(draw, program, x, shape)))


def set_by_mask(draw, program):
    x = operand(draw, program)
    mask = new_array(draw, program, x.host.shape, "?")
    if draw(st.booleans()):
        program.run(Step("setitem()", x, mask, draw(st.sampled_from([0, 1, True]))))
    else:
        program.run(Step("getitem()", x, mask))


def take(draw, program):
    x = operand(draw, program)
    axis = None if draw(st.booleans()) else axis_of(draw, x.host.ndim)
    length = x.host.size if axis is None else (
        x.host.shape[axis] if -x.host.ndim <= axis < x.host.ndim else 1)  # fmt: skip
    shape = tuple(draw(st.lists(st.sampled_from([0, 1, 2, 3]), max_size=2)))
    mode = draw(st.sampled_from(["raise", "wrap", "clip"]))
    index = _index_array(draw, length, shape)
    if mode != "raise" and length:
        index = index.astype("l") * 3
    program.run(Step("take", x, index, axis=axis, mode=mode))


def put(draw, program):
    x = operand(draw, program)
    if x.host.size == 0:
        return
    mode = draw(st.sampled_from(["raise", "wrap", "clip"]))
    index = _index_array(draw, x.host.size, (draw(st.integers(0, 4)),))
    values = draw(st.lists(st.sampled_from([0, 1]), min_size=1, max_size=4))
    program.run(Step("put", x, index, np.array(values, x.host.dtype), mode=mode))


def along_axis(draw, program):
    x = operand(draw, program, min_ndim=1)
    axis = draw(st.integers(-x.host.ndim, x.host.ndim - 1))
    shape = list(x.host.shape)
    shape[axis] = draw(st.sampled_from([0, 1, 2, 3]))
    index = _index_array(draw, x.host.shape[axis], tuple(shape)).astype("l")
    if draw(st.booleans()):
        program.run(Step("take_along_axis", x, index, axis))
    else:
        program.run(Step("put_along_axis", x, index, 1, axis))


def choose_among(draw, program):
    name = draw(st.sampled_from(["where", "where", "compress", "extract", "nonzero", "argwhere",
                                 "flatnonzero", "choose", "select", "copyto", "putmask", "place",
                                 "isin", "trim_zeros", "diagonal", "trace", "diag", "tril",
                                 "triu", "fill_diagonal"]))  # fmt: skip
    x = operand(draw, program)
    shape = x.host.shape
    if name == "where":
        condition = mask_for(draw, program, shape)
        other = draw(arrays.scalars(x.host.dtype)) if one_in(draw, 3) else (
            broadcastable(draw, program, shape))  # fmt: skip
        step = Step("where", condition, *draw(st.permutations([x, other])))
    elif name == "compress":
        axis = None if draw(st.booleans()) else axis_of(draw, x.host.ndim)
        step = Step("compress", np.array(draw(st.lists(st.booleans(), max_size=4)), bool), x, axis)
    elif name == "extract":
        step = Step("extract", new_array(draw, program, shape, "?"), x)
    elif name == "choose":
        which = np.array(draw(st.lists(st.integers(0, 1), min_size=3, max_size=3)))
        step = Step("choose", which, [x, broadcastable(draw, program, shape)])
    elif name == "select":
        conditions = [mask_for(draw, program, shape), mask_for(draw, program, shape)]
        step = Step("select", conditions, [x, broadcastable(draw, program, shape)], 0)
    elif name == "copyto":
        other = broadcastable(draw, program, shape)
        step = Step("copyto", x, other, where=mask_for(draw, program, shape))
    elif name in ("putmask", "place"):
        values = np.array(draw(st.lists(st.sampled_from([0, 1]), min_size=1, max_size=3)))
        step = Step(name, x, new_array(draw, program, shape, "?"), values.astype(x.host.dtype))
    elif name == "isin":
        step = Step("isin", x, np.array([0, 1, 2], x.host.dtype))
    elif name in ("diagonal", "trace"):
        step = Step(name, x, draw(st.integers(-2, 2)))
        if name == "trace" and x.host.dtype.kind in "fc":
            return
    elif name in ("diag", "tril", "triu"):
        step = Step(name, x, draw(st.integers(-2, 2)))
    elif name == "fill_diagonal":
        step = Step("fill_diagonal", x, 1)
    elif name == "nonzero" and x.host.ndim == 0:
        return
    elif name == "trim_zeros":
        step = Step(name, operand(draw, program, min_ndim=1))
    else:
        step = Step(name, x)
    program.run(step)


OPERATIONS = [get, get, get_advanced, get_advanced, set_part, set_part, set_by_mask, take, put,
              along_axis, choose_among, choose_among]  # fmt: skip
