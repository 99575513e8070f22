"""Drawing operands: arrays that exist already, and new ones that fit them."""

from differential import arrays
from hypothesis import strategies as st


def one_in(draw, n):
    return draw(st.integers(0, n - 1)) == n - 1


def new_array(draw, program, shape=None, char=None, plain=False):
    """A new array; `plain` is contiguous."""
    if shape is None:
        shape = draw(arrays.long_shapes) if one_in(draw, 12) else draw(arrays.shapes)
    if char is None:
        char = draw(arrays.chars)
    ndim = len(shape)
    layout = (list(range(ndim)), (1,) * ndim, (0,) * ndim) if plain else draw(arrays.layouts(ndim))
    return program.define(arrays.build(program.new_name(), char, shape, layout, draw(arrays.seeds)))


def operand(draw, program, chars=arrays.CHARS, min_ndim=0):
    """An array that exists, or a new one."""
    fitting = [p for p in program.pairs if p.host.dtype.char in chars and p.host.ndim >= min_ndim]
    if fitting and not one_in(draw, 3):
        return draw(st.sampled_from(fitting))
    shape = None
    if min_ndim:
        shape = tuple(draw(st.lists(arrays.lengths, min_size=min_ndim, max_size=4)))
    return new_array(draw, program, shape, draw(st.sampled_from(chars)))


def broadcastable(draw, program, shape, char=None):
    """An array that broadcasts with a shape (mostly)."""
    fitting = [p for p in program.pairs if p.host.shape == shape]
    if char is None and fitting and draw(st.booleans()):
        return draw(st.sampled_from(fitting))
    other = list(shape)
    for i in range(len(other)):
        if one_in(draw, 6):
            other[i] = 1
    cut = draw(st.sampled_from([0, 0, 0, 1, 2]))
    other = other[cut:]
    if one_in(draw, 25):
        other = [*other, 3]
    return new_array(draw, program, tuple(other), char)


def axis_of(draw, ndim):
    """One axis; now and then one that does not exist."""
    if one_in(draw, 30):
        return ndim
    return draw(st.integers(-ndim, ndim - 1)) if ndim else 0


def axes_of(draw, ndim):
    """None, an axis, or a tuple of axes."""
    kind = draw(st.integers(0, 3))
    if kind == 0:
        return None
    if kind == 1 or ndim == 0:
        return axis_of(draw, ndim) if ndim or one_in(draw, 3) else None
    return tuple(draw(st.lists(st.integers(0, ndim - 1), max_size=ndim, unique=True)))


def mask_for(draw, program, shape):
    return broadcastable(draw, program, shape, "?")
