"""Random arrays for both sides: types, shapes, layouts, values."""

import numpy as np
from hypothesis import strategies as st

import rocarray as rp

CHARS = "?bBhHiIlLefdFD"
INTEGERS = "bBhHiIlL"

chars = st.sampled_from(CHARS)
lengths = st.sampled_from([0, 1, 1, 2, 2, 3, 3, 4, 5, 7])
shapes = st.lists(lengths, max_size=4).map(tuple)
long_shapes = st.sampled_from([(33,), (100,), (1025,), (2, 130), (129, 3), (2, 3, 70)])
seeds = st.integers(0, 2**16)


class Pair:
    """The same array on the host and on the device; either side is changed by its own library."""

    def __init__(self, name, host, device, text=""):
        self.name = name
        self.host = host
        self.device = device
        self.text = text

    def __repr__(self):
        return self.name

    def view(self, name, take, text):
        """The same view of both."""
        return Pair(name, take(self.host), take(self.device), text)


def _floats(rng, n, dtype, kind):
    info = np.finfo(dtype)
    if kind == "small":
        return rng.integers(-4, 5, n).astype(dtype)
    if kind == "wide":
        with np.errstate(all="ignore"):
            exponents = rng.uniform(info.minexp, info.maxexp - 1, n)
            return (rng.choice([-1.0, 1.0], n) * np.exp2(exponents)).astype(dtype)
    values = rng.normal(0, 2, n).astype(dtype)
    if kind == "special" and n:
        special = np.array([0.0, -0.0, 1, -1, 0.5, 2.5, np.inf, -np.inf, np.nan, info.max, info.min,
                            info.tiny, info.smallest_subnormal, info.eps], dtype)  # fmt: skip
        places = rng.random(n) < 0.6
        values[places] = rng.choice(special, places.sum())
    return values


def make_values(seed, n, dtype):
    """`n` values of a type; the seed also chooses of which kind they are."""
    rng = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    kind = ["small", "small", "normal", "special", "wide"][seed % 5]
    if dtype.kind == "b":
        return rng.random(n) < 0.5
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        if kind in ("special", "wide"):
            values = rng.integers(info.min, info.max, n, dtype, endpoint=True)
            edges = np.array([info.min, info.max, 0, 1, info.max - 1], dtype)
            places = rng.random(n) < (0.5 if kind == "special" else 0.0)
            values[places] = rng.choice(edges, places.sum())
            return values
        return rng.integers(max(info.min, -5), 6, n).astype(dtype)
    if dtype.kind == "f":
        return _floats(rng, n, dtype, kind)
    result = np.empty(n, dtype)
    part = result.real.dtype
    result.real = _floats(rng, n, part, kind)
    result.imag = _floats(rng, n, part, kind)
    return result


@st.composite
def layouts(draw, ndim):
    """(axis order of memory, steps, offsets): how an array lies in its base."""
    order = draw(st.permutations(range(ndim))) if draw(st.booleans()) else list(range(ndim))
    if draw(st.booleans()):
        return order, (1,) * ndim, (0,) * ndim
    steps = draw(st.lists(st.sampled_from([1, 1, 2, -1, -2]), min_size=ndim, max_size=ndim))
    offsets = draw(st.lists(st.sampled_from([0, 0, 1]), min_size=ndim, max_size=ndim))
    return order, tuple(steps), tuple(offsets)


def build(name, dtype, shape, layout, seed):
    """An array of the layout on both sides."""
    order, steps, offsets = layout
    n_in_base = [
        length * abs(step) + offset
        for length, step, offset in zip(shape, steps, offsets, strict=True)
    ]
    lying = tuple(n_in_base[axis] for axis in order)
    values = make_values(seed, int(np.prod(lying, dtype=int)), dtype).reshape(lying)
    slices = tuple(
        slice(offset, None, step) if step > 0 else slice(None, offset - 1 if offset else None, step)
        for step, offset in zip(steps, offsets, strict=True)
    )
    cut = tuple(slice(0, length) for length in shape)
    back = tuple(int(i) for i in np.argsort(order))

    def take(x):
        return x.transpose(back)[slices][cut]

    base = Pair(f"{name}_base", values, rp.asarray(values))
    text = f"{np.dtype(dtype)} {shape} order={order} steps={steps} offsets={offsets} seed={seed}"
    return base.view(name, take, text) if order else Pair(name, base.host, base.device, text)


@st.composite
def scalars(draw, dtype):
    """A Python number, or a NumPy scalar, that mostly fits the type."""
    kind = np.dtype(dtype).kind
    if draw(st.integers(0, 3)) == 0:
        other = draw(chars)
        return make_values(draw(seeds), 1, other)[0]
    choices = [st.booleans(), st.integers(-3, 5)]
    if kind in "iu":
        choices.append(st.sampled_from([100, 127, 255, -128, 1000]))
    if kind in "fc" or draw(st.booleans()):
        choices.append(st.sampled_from([0.0, -0.0, 0.5, -1.5, 2.0, float("inf"), float("nan")]))
    if kind == "c":
        choices.append(st.sampled_from([1j, 2 - 0.5j]))
    return draw(st.one_of(choices))
