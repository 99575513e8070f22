"""Shape manipulation: joining, splitting, rearranging, repeating, padding.

Views where NumPy gives views; the rest writes slices of a new array.
"""

import operator

import numpy as np
from numpy.exceptions import AxisError

from rocarray._core import methods
from rocarray._core.conversion import asarray, copyto
from rocarray._core.creation import empty, empty_for_all, zeros
from rocarray._core.ndarray import ndarray


def _axis(axis, ndim):
    axis = operator.index(axis)
    if not -ndim <= axis < ndim:
        raise AxisError(axis, ndim)
    return axis % ndim


def _axes(axes, ndim):
    """A tuple of distinct axes from an int or a sequence."""
    if not hasattr(axes, "__iter__"):
        axes = (axes,)
    axes = tuple(_axis(a, ndim) for a in axes)
    if len(set(axes)) != len(axes):
        raise ValueError("repeated axis")
    return axes


# ---- shape ----------------------------------------------------------------------------------


def shape(a):
    """The shape of an array-like."""
    return a.shape if isinstance(a, ndarray) else np.shape(a)


def ndim(a):
    """The number of axes of an array-like."""
    return a.ndim if isinstance(a, ndarray) else np.ndim(a)


def size(a, axis=None):
    """The number of items, in all or along an axis (or axes)."""
    dims = shape(a)
    if axis is None:
        return int(np.prod(dims, dtype=np.int64))
    axes = axis if isinstance(axis, tuple) else (axis,)
    return int(np.prod([dims[_axis(i, len(dims))] for i in axes], dtype=np.int64))


def reshape(a, /, shape, order="C", *, copy=None):
    """The items in another shape: a view where strides can express it, else a copy."""
    return asarray(a).reshape(shape, order=order, copy=copy)


def ravel(a, order="C"):
    """A 1-D view (or copy) of all items."""
    return asarray(a).ravel(order)


def transpose(a, axes=None):
    """Axes permuted (reversed by default), as a view."""
    return asarray(a).transpose(axes)


permute_dims = transpose


def matrix_transpose(x, /):
    """The last two axes swapped, as a view."""
    return asarray(x).mT


def swapaxes(a, axis1, axis2):
    """Two axes exchanged, as a view."""
    a = asarray(a)
    order = list(range(a.ndim))
    i, j = _axis(axis1, a.ndim), _axis(axis2, a.ndim)
    order[i], order[j] = order[j], order[i]
    return a.transpose(order) if a.ndim else a


def moveaxis(a, source, destination):
    """Axes moved to new positions, the others keep their order (a view)."""
    a = asarray(a)
    source = _axes(source, a.ndim)
    destination = _axes(destination, a.ndim)
    if len(source) != len(destination):
        raise ValueError(
            "`source` and `destination` arguments must have the same number of elements"
        )
    order = [n for n in range(a.ndim) if n not in source]
    for to, axis in sorted(zip(destination, source, strict=True)):
        order.insert(to, axis)
    return a.transpose(order) if a.ndim else a


def rollaxis(a, axis, start=0):
    """One axis moved in front of position `start` (a view)."""
    a = asarray(a)
    axis = _axis(axis, a.ndim)
    if not -a.ndim <= start <= a.ndim:
        raise AxisError(f"'start' arg requires {-a.ndim} <= start < {a.ndim + 1}, got {start}")
    start = start + a.ndim if start < 0 else start
    if axis < start:
        start -= 1
    return a if axis == start else moveaxis(a, axis, start)


def squeeze(a, axis=None):
    """Axes of length 1 removed (a view)."""
    a = asarray(a)
    if axis is None:
        return a.reshape([n for n in a.shape if n != 1]) if 1 in a.shape else a[...]
    if a.ndim == 0 and axis in (0, -1):
        return a
    axes = _axes(axis, a.ndim)
    if any(a.shape[i] != 1 for i in axes):
        raise ValueError("cannot select an axis to squeeze out which has size not equal to one")
    return a[tuple(0 if i in axes else slice(None) for i in range(a.ndim))]


def expand_dims(a, axis):
    """Axes of length 1 inserted (a view)."""
    a = asarray(a)
    axes = _axes(axis, a.ndim + (len(axis) if isinstance(axis, (tuple, list)) else 1))
    return a[tuple(None if i in axes else slice(None) for i in range(a.ndim + len(axes)))]


def atleast_1d(*arys):
    """Inputs with rank at least 1."""
    result = tuple(x.reshape(1) if x.ndim == 0 else x for x in map(asarray, arys))
    return result[0] if len(result) == 1 else result


def atleast_2d(*arys):
    """Inputs with rank at least 2 (vectors become rows)."""
    result = []
    for x in map(asarray, arys):
        result.append(x.reshape(1, 1) if x.ndim == 0 else x[None, :] if x.ndim == 1 else x)
    return result[0] if len(result) == 1 else tuple(result)


def atleast_3d(*arys):
    """Inputs with rank at least 3."""
    result = []
    for x in map(asarray, arys):
        if x.ndim == 0:
            x = x.reshape(1, 1, 1)
        elif x.ndim == 1:
            x = x[None, :, None]
        elif x.ndim == 2:
            x = x[:, :, None]
        result.append(x)
    return result[0] if len(result) == 1 else tuple(result)


# ---- broadcasting ---------------------------------------------------------------------------


def broadcast_shapes(*args):
    """The shape that shapes broadcast to."""
    return np.broadcast_shapes(*args)


def broadcast_to(array, shape, subok=False):
    """A read-only view of another shape, with stride 0 along repeated axes."""
    from rocarray._core.views import broadcast_view

    return broadcast_view(asarray(array), shape)


def broadcast_arrays(*args, subok=False):
    """Views of all inputs in their common shape (a tuple)."""
    arrays = [asarray(a) for a in args]
    common = np.broadcast_shapes(*[a.shape for a in arrays])
    return tuple(a if a.shape == common else broadcast_to(a, common) for a in arrays)


# ---- joining --------------------------------------------------------------------------------


def concatenate(arrays, /, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """Joins arrays along an existing axis.

    Parameters
    ----------
    arrays : sequence of array_like
        Equal shapes but for `axis`.
    axis : int or None, optional
        None joins the flattened arrays.
    out : ndarray, optional
    dtype, casting : optional
        As in numpy.concatenate.

    Returns
    -------
    ndarray
    """
    if isinstance(arrays, ndarray) and arrays.ndim == 0:
        raise TypeError("concatenate() needs a sequence of arrays, got a 0-d array")
    arrays = [asarray(a) for a in arrays]
    if not arrays:
        raise ValueError("need at least one array to concatenate")
    if axis is None:
        arrays = [a.ravel() for a in arrays]
        axis = 0
    rank = arrays[0].ndim
    if rank == 0:
        raise ValueError("zero-dimensional arrays cannot be concatenated")
    for i, a in enumerate(arrays):
        if a.ndim != rank:
            raise ValueError(
                "all the input array dimensions must match exactly, but along dimension 0, the "
                f"array at index 0 has {rank} dimension(s) and the array at index {i} has "
                f"{a.ndim} dimension(s)"
            )
    axis = _axis(axis, rank)
    for i, a in enumerate(arrays):
        for d in range(rank):
            if d != axis and a.shape[d] != arrays[0].shape[d]:
                raise ValueError(
                    "all the input array dimensions except for the concatenation axis must match "
                    f"exactly, but along dimension {d}, the array at index 0 has size "
                    f"{arrays[0].shape[d]} and the array at index {i} has size {a.shape[d]}"
                )
    total = sum(a.shape[axis] for a in arrays)
    dims = arrays[0].shape[:axis] + (total,) + arrays[0].shape[axis + 1 :]
    if out is not None and dtype is not None:
        raise TypeError("concatenate() only takes `out` or `dtype` as an argument, but both were")
    if out is None:
        kind = np.result_type(*[a.dtype for a in arrays]) if dtype is None else np.dtype(dtype)
        fortran = all(a.flags.f_contiguous and not a.flags.c_contiguous for a in arrays)
        out = empty(dims, kind, "F") if fortran else empty_for_all(arrays, dims, kind)
    elif out.shape != dims:
        raise ValueError("Output array is the wrong shape")
    at = 0
    for a in arrays:
        n = a.shape[axis]
        part = out[(slice(None),) * axis + (slice(at, at + n),)]
        copyto(part, a, casting=casting)
        at += n
    return out


concat = concatenate


def stack(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """Joins arrays of one shape along a new axis."""
    arrays = [asarray(a) for a in arrays]
    if not arrays:
        raise ValueError("need at least one array to stack")
    if len({a.shape for a in arrays}) != 1:
        raise ValueError("all input arrays must have the same shape")
    axis = _axis(axis, arrays[0].ndim + 1)
    return concatenate(
        [expand_dims(a, axis) for a in arrays], axis, out, dtype=dtype, casting=casting
    )


def vstack(tup, *, dtype=None, casting="same_kind"):
    """Joins arrays as rows."""
    return concatenate([atleast_2d(a) for a in tup], 0, dtype=dtype, casting=casting)


def hstack(tup, *, dtype=None, casting="same_kind"):
    """Joins arrays as columns (along axis 0 for vectors)."""
    arrays = [atleast_1d(a) for a in tup]
    axis = 0 if arrays and arrays[0].ndim == 1 else 1
    return concatenate(arrays, axis, dtype=dtype, casting=casting)


def dstack(tup):
    """Joins arrays along the third axis."""
    return concatenate([atleast_3d(a) for a in tup], 2)


def column_stack(tup):
    """Vectors become the columns of a matrix."""
    arrays = [asarray(a) for a in tup]
    return concatenate([a.reshape(-1, 1) if a.ndim < 2 else a for a in arrays], 1)


def block(arrays):
    """An array from nested lists of blocks, innermost lists along the last axis."""

    def depth(x):
        return 1 + max(map(depth, x)) if isinstance(x, list) and x else int(isinstance(x, list))

    levels = depth(arrays)

    def rank(x):
        return max(map(rank, x)) if isinstance(x, list) else ndim(x)

    width = max(levels, rank(arrays))

    def join(x, level):
        if isinstance(x, list):
            if not x:
                raise ValueError("List at arrays cannot be empty")
            return concatenate([join(y, level + 1) for y in x], level - levels)
        x = asarray(x)
        return x.reshape((1,) * (width - x.ndim) + x.shape)

    return join(arrays, 0).copy() if levels == 0 else join(arrays, 0)


def append(arr, values, axis=None):
    """A copy of an array with values after its end."""
    arr, values = asarray(arr), asarray(values)
    if axis is None:
        return concatenate([arr.ravel(), values.ravel()])
    return concatenate([arr, values], axis)


# ---- splitting ------------------------------------------------------------------------------


def array_split(ary, indices_or_sections, axis=0):
    """Sub-arrays (views) that may differ in length by one."""
    ary = asarray(ary)
    axis = _axis(axis, ary.ndim)
    total = ary.shape[axis]
    try:
        cuts = [0, *map(operator.index, indices_or_sections), total]
    except TypeError:
        n = operator.index(indices_or_sections)
        if n <= 0:
            raise ValueError("number sections must be larger than 0.") from None
        small, extra = divmod(total, n)
        sizes = [small + 1] * extra + [small] * (n - extra)
        cuts = [0, *np.cumsum(sizes).tolist()]
    lead = (slice(None),) * axis
    return [ary[(*lead, slice(cuts[i], cuts[i + 1]))] for i in range(len(cuts) - 1)]


def split(ary, indices_or_sections, axis=0):
    """Sub-arrays (views) of equal length, or cut at given indices."""
    ary = asarray(ary)
    n = ary.shape[_axis(axis, ary.ndim)]
    if not hasattr(indices_or_sections, "__len__") and n % indices_or_sections:
        raise ValueError("array split does not result in an equal division")
    return array_split(ary, indices_or_sections, axis)


def hsplit(ary, indices_or_sections):
    """`split` along axis 1 (axis 0 for vectors)."""
    ary = asarray(ary)
    if ary.ndim == 0:
        raise ValueError("hsplit only works on arrays of 1 or more dimensions")
    return split(ary, indices_or_sections, 0 if ary.ndim == 1 else 1)


def vsplit(ary, indices_or_sections):
    """`split` along axis 0."""
    if ndim(ary) < 2:
        raise ValueError("vsplit only works on arrays of 2 or more dimensions")
    return split(ary, indices_or_sections, 0)


def dsplit(ary, indices_or_sections):
    """`split` along axis 2."""
    if ndim(ary) < 3:
        raise ValueError("dsplit only works on arrays of 3 or more dimensions")
    return split(ary, indices_or_sections, 2)


def unstack(x, /, *, axis=0):
    """The sub-arrays along an axis, as a tuple of views."""
    x = asarray(x)
    if x.ndim == 0:
        raise ValueError("Input array must be at least 1-d.")
    return tuple(moveaxis(x, axis, 0))


# ---- rearranging ----------------------------------------------------------------------------


def flip(m, axis=None):
    """Items in reverse order along axes (a view)."""
    m = asarray(m)
    axes = range(m.ndim) if axis is None else _axes(axis, m.ndim)
    return m[tuple(slice(None, None, -1) if i in axes else slice(None) for i in range(m.ndim))]


def fliplr(m):
    """Columns reversed (a view)."""
    if ndim(m) < 2:
        raise ValueError("Input must be >= 2-d.")
    return asarray(m)[:, ::-1]


def flipud(m):
    """Rows reversed (a view)."""
    if ndim(m) < 1:
        raise ValueError("Input must be >= 1-d.")
    return asarray(m)[::-1]


def rot90(m, k=1, axes=(0, 1)):
    """Rotated by 90 degrees k times in the plane of two axes (a view)."""
    m = asarray(m)
    axes = tuple(axes)
    if len(axes) != 2:
        raise ValueError("len(axes) must be 2.")
    if axes[0] == axes[1] or abs(axes[0] - axes[1]) == m.ndim:
        raise ValueError("Axes must be different.")
    if not all(-m.ndim <= a < m.ndim for a in axes):
        raise ValueError(f"Axes={axes} out of range for array of ndim={m.ndim}.")
    i, j = (_axis(a, m.ndim) for a in axes)
    k %= 4
    if k == 0:
        return m[...]
    if k == 2:
        return flip(flip(m, i), j)
    return swapaxes(flip(m, j), i, j) if k == 1 else flip(swapaxes(m, i, j), j)


def roll(a, shift, axis=None):
    """Items shifted along axes; those that fall off come in again at the other end."""
    a = asarray(a)
    if axis is None:
        return roll(a.ravel(), shift, 0).reshape(a.shape)
    shifts, axes = np.broadcast_arrays(shift, axis)
    if shifts.ndim > 1:
        raise ValueError("'shift' and 'axis' should be scalars or 1D sequences")
    total = {}
    for s, x in zip(shifts.ravel().tolist(), axes.ravel().tolist(), strict=True):
        x = _axis(x, a.ndim)
        total[x] = total.get(x, 0) + s
    result = a
    for x, s in total.items():
        n = a.shape[x]
        s = s % n if n else 0
        if s:
            lead = (slice(None),) * x
            result = concatenate(
                [result[(*lead, slice(n - s, n))], result[(*lead, slice(0, n - s))]], x
            )
    return a.copy() if result is a else result


def tile(A, reps):
    """An array repeated `reps` times along each axis."""
    A = asarray(A)
    reps = (reps,) if not hasattr(reps, "__len__") else tuple(reps)
    width = max(A.ndim, len(reps))
    if all(r == 1 for r in reps):
        return A.copy("K").reshape((1,) * (width - A.ndim) + A.shape)
    reps = (1,) * (width - len(reps)) + tuple(operator.index(r) for r in reps)
    dims = (1,) * (width - A.ndim) + A.shape
    if any(r < 0 for r in reps):
        raise ValueError("negative dimensions are not allowed")
    result = empty(tuple(n for r, d in zip(reps, dims, strict=True) for n in (r, d)), A.dtype)
    if result.size:
        result[...] = A.reshape(tuple(n for d in dims for n in (1, d)))
    return result.reshape(tuple(r * d for r, d in zip(reps, dims, strict=True)))


def repeat(a, repeats, axis=None):
    """Each item repeated, along an axis or in the flattened array."""
    a = asarray(a)
    if axis is None:
        a, axis = a.ravel(), 0
    if a.ndim == 0:
        a = a.reshape(1)
    axis = _axis(axis, a.ndim)
    n = a.shape[axis]
    counts = np.asarray(repeats.get() if isinstance(repeats, ndarray) else repeats)
    if not np.can_cast(counts.dtype, np.int64, "safe"):
        raise TypeError(
            f"Cannot cast array data from {counts.dtype!r} to dtype('int64') "
            "according to the rule 'safe'"
        )
    if counts.size and counts.min() < 0:
        raise ValueError("repeats may not contain negative values.")
    if counts.size == 1:
        count = int(counts.reshape(()))
        dims = a.shape[: axis + 1] + (count,) + a.shape[axis + 1 :]
        result = empty(dims, a.dtype)
        if result.size:
            result[...] = expand_dims(a, axis + 1)
        return result.reshape(a.shape[:axis] + (n * count,) + a.shape[axis + 1 :])
    if counts.shape != (n,):
        raise ValueError(
            f"operands could not be broadcast together with shape ({n},) {counts.shape}"
        )
    return methods.take(a, asarray(np.repeat(np.arange(n), counts)), axis)


def resize(a, new_shape):
    """A new array of a shape, filled with the items in order and over again."""
    a = asarray(a).ravel()
    new_shape = (new_shape,) if not hasattr(new_shape, "__len__") else tuple(new_shape)
    if any(n < 0 for n in new_shape):
        raise ValueError("all elements of `new_shape` must be non-negative")
    total = int(np.prod(new_shape, dtype=np.int64))
    if a.size == 0 or total == 0:
        return zeros(new_shape, a.dtype)
    return tile(a, -(-total // a.size))[:total].reshape(new_shape)


def delete(arr, obj, axis=None):
    """A copy without the items at some indices."""
    arr = asarray(arr)
    if axis is None:
        arr, axis = arr.ravel(), 0
    axis = _axis(axis, arr.ndim)
    n = arr.shape[axis]
    if isinstance(obj, ndarray):
        obj = obj.get()
    kept = np.delete(np.arange(n), obj)
    return methods.take(arr, asarray(kept), axis)


def insert(arr, obj, values, axis=None):
    """A copy with values put in before some indices."""
    arr = asarray(arr)
    if axis is None:
        arr, axis = arr.ravel(), 0
    axis = _axis(axis, arr.ndim)
    n = arr.shape[axis]
    if isinstance(obj, ndarray):
        obj = obj.get()
    values = asarray(values).astype(arr.dtype)
    scalar_index = np.ndim(obj) == 0 and not isinstance(obj, slice)
    if scalar_index:
        # A single index takes the whole of `values` as one block.
        rows = values.reshape((1,) * (arr.ndim - values.ndim) + values.shape)
        rows = moveaxis(rows, 0, axis) if values.ndim else rows
        count = rows.shape[axis]
        i = operator.index(np.asarray(obj)[()])
        if not -n <= i <= n:
            raise IndexError(f"index {i} is out of bounds for axis {axis} with size {n}")
        places = np.full(count, i + n if i < 0 else i)
    else:
        places = np.arange(n)[obj] if isinstance(obj, slice) else np.asarray(obj)
        if places.dtype == bool:
            places = np.flatnonzero(places)
        places = places.astype(np.int64)
        places = np.where(places < 0, places + n, places)
        if places.size and (places.min() < 0 or places.max() > n):
            raise IndexError(f"index {places.max()} is out of bounds for axis {axis} with size {n}")
        rows = values
    rank = np.argsort(places, kind="stable")
    target = np.empty(len(places), np.int64)
    target[rank] = places[rank] + np.arange(len(places))
    mask = np.ones(n + len(places), bool)
    mask[target] = False
    dims = arr.shape[:axis] + (n + len(places),) + arr.shape[axis + 1 :]
    result = empty(dims, arr.dtype, "F" if arr.flags.fnc else "C")
    lead = (slice(None),) * axis
    result[(*lead, asarray(np.flatnonzero(mask)))] = arr
    if len(places):
        result[(*lead, asarray(target))] = rows
    return result


def trim_zeros(filt, trim="fb", axis=None):
    """An array without the zeros around its other values.

    The bounds are read back from the device, since they decide the shape.

    Parameters
    ----------
    filt : array_like
    trim : {'fb', 'f', 'b'}, optional
        At the front, at the back or at both.
    axis : int or sequence of int, optional
        Default all axes.

    Returns
    -------
    ndarray
        A view.
    """
    filt = asarray(filt)
    trim = trim.lower()
    if trim not in ("fb", "bf", "f", "b"):
        raise ValueError(f"unexpected character(s) in `trim`: {trim!r}")
    if axis is None:
        axis = range(filt.ndim)
    elif not isinstance(axis, (tuple, list)):
        axis = (axis,)
    axes = [_axis(i, filt.ndim) for i in axis]
    if not axes:
        return filt
    places = methods.argwhere(filt)
    if places.shape[0] == 0:
        return filt[tuple(slice(0, 0) if i in axes else slice(None) for i in range(filt.ndim))]
    first, last = methods.min(places, axis=0).tolist(), methods.max(places, axis=0).tolist()
    key = [slice(None)] * filt.ndim
    for i in axes:
        key[i] = slice(first[i] if "f" in trim else None, last[i] + 1 if "b" in trim else None)
    return filt[tuple(key)]


# ---- padding --------------------------------------------------------------------------------

_PAD_OPTIONS = {
    "constant": {"constant_values"},
    "edge": set(),
    "empty": set(),
    "wrap": set(),
    "linear_ramp": {"end_values"},
    "maximum": {"stat_length"},
    "mean": {"stat_length"},
    "median": {"stat_length"},
    "minimum": {"stat_length"},
    "reflect": {"reflect_type"},
    "symmetric": {"reflect_type"},
}


def pad(array, pad_width, mode="constant", **kwargs):
    """An array with a border, as numpy.pad.

    Index-like modes (edge, reflect, symmetric, wrap) gather on the device; the statistics modes
    reduce on the device.

    Parameters
    ----------
    array : array_like
    pad_width : int, (before, after), sequence of pairs, or dict of axis to these
    mode : str or function, optional
        'constant', 'edge', 'linear_ramp', 'maximum', 'mean', 'median', 'minimum', 'reflect',
        'symmetric', 'wrap', 'empty'.

    Returns
    -------
    ndarray
    """
    a = asarray(array)
    if callable(mode):
        raise TypeError("pad(): a function as mode runs on the host; use numpy.pad and asarray")
    if mode not in _PAD_OPTIONS:
        raise ValueError(f"mode '{mode}' is not supported; allowed: {', '.join(_PAD_OPTIONS)}")
    unknown = set(kwargs) - _PAD_OPTIONS[mode]
    if unknown:
        raise ValueError(f"unsupported keyword arguments for mode '{mode}': {unknown}")
    widths = _pad_widths(pad_width, a.ndim)
    if a.flags.fnc:
        # NumPy's result is in Fortran order where the array is.
        turned = pad(a.T, widths[::-1], mode, **_reversed_options(kwargs, a.ndim))
        return turned.T.copy("K")
    if mode in ("edge", "reflect", "symmetric", "wrap") and kwargs.get("reflect_type") != "odd":
        for axis, (before, after) in enumerate(widths):
            if before or after:
                n = a.shape[axis]
                places = np.pad(np.arange(n), (before, after), mode)
                a = methods.take(a, asarray(places), axis)
        return a if a.base is None else a.copy()
    if mode in ("constant", "empty"):
        result = empty(tuple(n + b + e for n, (b, e) in zip(a.shape, widths, strict=True)), a.dtype)
        centre = tuple(slice(b, b + n) for n, (b, _) in zip(a.shape, widths, strict=True))
        result[centre] = a
        if mode == "constant":
            _fill_borders(result, a.shape, widths, kwargs.get("constant_values", 0))
        return result
    return _pad_by_axis(a, widths, mode, kwargs)


def _reversed_options(options, rank):
    """Options that hold for the axes in reverse."""
    result = dict(options)
    for name in ("constant_values", "end_values", "stat_length"):
        if result.get(name) is not None:
            result[name] = np.broadcast_to(np.asarray(result[name]), (rank, 2))[::-1]
    return result


def _pad_widths(pad_width, rank):
    if isinstance(pad_width, dict):
        widths = [(0, 0)] * rank
        for axis, width in pad_width.items():
            widths[_axis(axis, rank)] = (width, width) if np.ndim(width) == 0 else tuple(width)
    else:
        pairs = np.asarray(pad_width)
        if pairs.dtype.kind not in "iu":
            raise TypeError("`pad_width` must be of integral type.")
        widths = np.broadcast_to(pairs, (rank, 2)).tolist()
    if any(w < 0 for pair in widths for w in pair):
        raise ValueError("index can't contain negative values")
    return [tuple(pair) for pair in widths]


def _fill_borders(result, inner, widths, values):
    values = np.broadcast_to(np.asarray(values), (len(inner), 2))
    for axis, (before, after) in enumerate(widths):
        lead = (slice(None),) * axis
        result[(*lead, slice(0, before))] = values[axis, 0]
        result[(*lead, slice(before + inner[axis], before + inner[axis] + after))] = values[axis, 1]


def _pad_by_axis(a, widths, mode, options):
    for axis, (before, after) in enumerate(widths):
        if before == 0 and after == 0:
            continue
        if mode in ("reflect", "symmetric"):
            a = _reflect_oddly(a, axis, before, after, mode == "symmetric")
            continue
        front, back = _pad_parts(a, axis, before, after, mode, options)
        a = concatenate([front, a, back], axis)
    return a


def _pad_parts(a, axis, before, after, mode, options):
    """The two border pieces of one axis."""
    n = a.shape[axis]
    lead = (slice(None),) * axis
    first, last = a[(*lead, slice(0, 1))], a[(*lead, slice(n - 1, n))]
    if mode == "linear_ramp":
        ends = np.broadcast_to(np.asarray(options.get("end_values", 0)), (a.ndim, 2))[axis]
        column = (1,) * axis + (-1,) + (1,) * (a.ndim - axis - 1)
        up = asarray(np.arange(before) / max(before, 1)).reshape(column)
        down = asarray(np.arange(after, 0, -1)[::-1] / max(after, 1)).reshape(column)
        front = ends[0] + (first - ends[0]) * up
        back = last + (ends[1] - last) * down
        if a.dtype.kind in "iu":
            front, back = methods.floor(front), methods.floor(back)
        return front.astype(a.dtype), back.astype(a.dtype)
    if mode in ("maximum", "minimum", "mean", "median"):
        lengths = options.get("stat_length")
        lengths = (n, n) if lengths is None else np.broadcast_to(lengths, (a.ndim, 2))[axis]
        function = {"maximum": methods.max, "minimum": methods.min, "mean": methods.mean}.get(
            mode
        ) or methods.median
        front = function(a[(*lead, slice(0, lengths[0]))], axis=axis, keepdims=True)
        back = function(a[(*lead, slice(max(n - lengths[1], 0), n))], axis=axis, keepdims=True)
        if mode in ("mean", "median") and a.dtype.kind in "iu":
            front, back = methods.rint(front), methods.rint(back)
        return repeat(front.astype(a.dtype), before, axis), repeat(
            back.astype(a.dtype), after, axis
        )
    raise AssertionError(mode)


def _reflect_oddly(a, axis, before, after, symmetric):
    """Twice the edge minus the mirrored items; wide borders grow in passes, as NumPy's do."""
    n = a.shape[axis]
    lead = (slice(None),) * axis
    if n == 1 and not symmetric:
        return pad(a, [(0, 0)] * axis + [(before, after)] + [(0, 0)] * (a.ndim - axis - 1), "edge")
    skip = 0 if symmetric else 1
    while before or after:
        length = a.shape[axis]
        # Whole copies of the original only.
        usable = length // n * n if symmetric else (length - 1) // (n - 1) * (n - 1)
        left, right = min(usable, before), min(usable, after)
        front = flip(a[(*lead, slice(skip, skip + left))], axis)
        back = flip(a[(*lead, slice(length - skip - right, length - skip))], axis)
        front = 2 * a[(*lead, slice(0, 1))] - front
        back = 2 * a[(*lead, slice(length - 1, length))] - back
        a = concatenate([front, a, back], axis)
        before, after = before - left, after - right
    return a


# ---- odds and ends --------------------------------------------------------------------------


def require(a, dtype=None, requirements=None, *, like=None):
    """An array with the asked memory order."""
    wanted = {r[0].upper() for r in (requirements or [])}
    return asarray(a, dtype, order="F" if "F" in wanted else "C" if "C" in wanted else None)
