"""Advanced indexing, and the functions that gather, scatter and select by index or mask.

Index arrays are turned into one array of byte offsets (broadcast sums on the device); one kernel
then moves the elements. Integer indices are checked before anything is read or written.
"""

import numpy as np

from rocarray._core import methods, ufuncs
from rocarray._core.conversion import asarray, assign
from rocarray._core.creation import arange, empty, full, zeros
from rocarray._core.gather import gather, scatter
from rocarray._core.launching import run_kernel, workgroup_size
from rocarray._core.ndarray import ndarray
from rocarray._core.scan import cumsum

_MODES = ("raise", "wrap", "clip")
_MASK_TILE = 4096  # items of a mask that are counted together, as MASK_TILE in compact.hpp


# ---- masks ----------------------------------------------------------------------------------


def flatnonzero(a):
    """Positions of the non-zero items of the flattened array (int64)."""
    a = asarray(a).ravel()
    mask = a if a.dtype == bool else ufuncs.not_equal(a, 0)
    if not mask.flags.c_contiguous:
        mask = mask.copy()
    if mask.size == 0:
        return empty(0, np.int64)
    return _select(mask, None)


def _select(mask, values):
    """Positions of the true items of a contiguous mask, or the items of `values` there."""
    n_tiles = -(-mask.size // _MASK_TILE)
    n_items = n_tiles * workgroup_size()
    counts = empty(n_tiles, np.int64)
    run_kernel(
        "index/compact", "count_true", n_items, mask.size, mask, counts, 0, 0, 0, min_chunk=4
    )
    ends = cumsum(counts) if n_tiles > 1 else counts
    result = empty(int(ends[-1]), np.int64 if values is None else values.dtype)
    if result.size:
        name = "true_positions" if values is None else f"true_values__{values.itemsize}"
        run_kernel(
            "index/compact", name, n_items, mask.size, mask, 0, ends,
            0 if values is None else values, result, min_chunk=4,
        )  # fmt: skip
    return result


def nonzero(a):
    """Indices of the non-zero items: one int64 array per axis."""
    a = asarray(a)
    if a.ndim == 0:
        raise ValueError(
            "Calling nonzero on 0d arrays is not allowed. Use np.atleast_1d(scalar).nonzero() "
            "instead."
        )
    return _unravel(flatnonzero(a), a.shape)


def argwhere(a):
    """Indices of the non-zero items, one row each."""
    a = asarray(a)
    if a.ndim == 0:
        return empty((int(bool(a)), 0), np.int64)
    return methods.stack(nonzero(a), axis=-1)


def where(condition, x=None, y=None, /):
    """`x` where the condition holds, else `y`; with the condition alone, its `nonzero`.

    Parameters
    ----------
    condition : array_like
    x, y : array_like, optional
        Both or neither.

    Returns
    -------
    ndarray, or tuple of ndarray
    """
    if (x is None) != (y is None):
        raise ValueError("either both or neither of x and y should be given")
    if x is None:
        return nonzero(condition)
    if methods.is_traced(condition, x, y):
        return methods.traced_where(condition, x, y)
    condition = asarray(condition)
    if condition.dtype != bool:
        condition = ufuncs.not_equal(condition, 0)
    return methods.select_where(condition, x, y)


# ---- index arithmetic -----------------------------------------------------------------------


def unravel_index(indices, shape, order="C"):
    """Flat positions as index arrays of a shape."""
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    flat = asarray(indices)
    if flat.dtype.kind not in "iu":
        raise TypeError("only int indices permitted")
    total = int(np.prod(shape, dtype=np.int64))
    if flat.size and not bool(methods.all((flat >= 0) & (flat < total))):
        raise ValueError(f"index is out of bounds for array with size {total}")
    return _unravel(flat.astype(np.int64, copy=False), shape, order)


def _unravel(flat, shape, order="C"):
    """Index arrays from positions that are known to be in range."""
    if not shape:
        return ()
    parts = []
    sizes = tuple(reversed(shape)) if order == "C" else shape
    for n in sizes[:-1]:
        parts.append(ufuncs.remainder(flat, max(n, 1)))
        flat = ufuncs.floor_divide(flat, max(n, 1))
    parts.append(flat)
    return tuple(reversed(parts)) if order == "C" else tuple(parts)


def ravel_multi_index(multi_index, dims, mode="raise", order="C"):
    """Index arrays as flat positions of a shape."""
    dims = tuple(dims)
    modes = (mode,) * len(dims) if isinstance(mode, str) else tuple(mode)
    parts = [asarray(x).astype(np.int64, copy=False) for x in multi_index]
    if len(parts) != len(dims):
        raise ValueError(f"parameter multi_index must be a sequence of length {len(dims)}")
    parts = [
        _limited(x, n, m, i) for i, (x, n, m) in enumerate(zip(parts, dims, modes, strict=True))
    ]
    pairs = list(zip(parts, dims, strict=True))
    flat = None
    for part, n in pairs if order == "C" else reversed(pairs):
        flat = part if flat is None else flat * n + part
    return flat


def _limited(index, n, mode, axis):
    """An int64 index array brought into [0, n) as `mode` says."""
    if mode == "wrap":
        if n == 0 and index.size:
            raise IndexError("cannot do a non-empty take from an empty axes.")
        return ufuncs.remainder(index, n)
    if mode == "clip":
        if n == 0 and index.size:
            raise IndexError("cannot do a non-empty take from an empty axes.")
        return ufuncs.minimum(ufuncs.maximum(index, 0), n - 1)
    if mode != "raise":
        raise ValueError(f"mode must be one of {', '.join(_MODES)}, got {mode!r}")
    return _checked(index, n, axis)


def _checked(index, n, axis):
    """Negative indices wrapped once; IndexError where one is out of range."""
    if index.size == 0:
        return index
    low, high = int(methods.min(index)), int(methods.max(index))
    if low < -n or high >= n:
        bad = low if low < -n else high
        raise IndexError(f"index {bad} is out of bounds for axis {axis} with size {n}")
    return methods.select_where(ufuncs.less(index, 0), index + n, index) if low < 0 else index


# ---- the general index ----------------------------------------------------------------------


def _as_index(item):
    """An index array (int64 or bool) from one item of a key."""
    if isinstance(item, ndarray):
        array = item
    else:
        host = np.asarray(item)
        if host.size == 0 and not isinstance(item, np.ndarray):
            host = host.astype(np.int64)
        array = asarray(host) if host.dtype.kind in "biu" else host
    if array.dtype.kind not in "biu":
        raise IndexError(
            "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or "
            "boolean arrays are valid indices"
        )
    return array if array.dtype == bool else array.astype(np.int64, copy=False)


_ARRAYS_AND_BOOLS = (ndarray, np.ndarray, bool, np.bool_)


def has_arrays(key):
    """Whether an index holds index arrays or masks, and so selects by copy."""
    items = key if isinstance(key, tuple) else (key,)
    return not all(
        item is None
        or item is Ellipsis
        or isinstance(item, slice)
        or (hasattr(item, "__index__") and not isinstance(item, _ARRAYS_AND_BOOLS))
        for item in items
    )


def _expand(a, key):
    """The key with arrays made, masks replaced by their indices, and the Ellipsis filled in."""
    key = key if isinstance(key, tuple) else (key,)
    items, consumed = [], 0
    for item in key:
        if item is None:
            items.append(None)
        elif item is Ellipsis:
            if Ellipsis in [x for x in items if x is Ellipsis]:
                raise IndexError("an index can only have a single ellipsis ('...')")
            items.append(Ellipsis)
        elif isinstance(item, slice):
            items.append(item)
            consumed += 1
        else:
            index = _as_index(item)
            if index.dtype == bool:
                items.append(("mask", index))
                consumed += index.ndim
            else:
                items.append(index)
                consumed += 1
    if consumed > a.ndim:
        raise IndexError(
            f"too many indices for array: array is {a.ndim}-dimensional, but {consumed} were "
            "indexed"
        )
    if not any(item is Ellipsis for item in items):
        items.append(Ellipsis)
    result, axis = [], 0
    for item in items:
        if item is Ellipsis:
            result += [slice(None)] * (a.ndim - consumed)
            axis += a.ndim - consumed
        elif isinstance(item, tuple):
            mask = item[1]
            for d, n in enumerate(mask.shape):
                if n != a.shape[axis + d]:
                    raise IndexError(
                        "boolean index did not match indexed array along axis "
                        f"{axis + d}; size of axis is {a.shape[axis + d]} but size of "
                        f"corresponding boolean axis is {n}"
                    )
            if mask.ndim == 0:
                # A 0-d mask is an axis of length 1 or 0, and indexes nothing.
                result.append(("new", full(int(bool(mask)), 0, np.int64)))
            else:
                result += nonzero(mask)
            axis += mask.ndim
        else:
            result.append(item)
            axis += item is not None
    return result


def _plan(a, key):
    """(view with the slices applied, [(axis, index array)], position of the broadcast axes).

    Axes of the view that index arrays consume are kept whole; `position` is where the broadcast
    dimensions go in the result: first if the index arrays are separated, in place if not.
    """
    items = _expand(a, key)
    basic = tuple(
        slice(None) if isinstance(x, ndarray) else (None if isinstance(x, tuple) else x)
        for x in items
    )
    view = a[basic]
    arrays = [
        (axis, item[1] if isinstance(item, tuple) else item)
        for axis, item in enumerate(items)
        if isinstance(item, (ndarray, tuple))
    ]
    axes = [axis for axis, _ in arrays]
    together = axes[-1] - axes[0] + 1 == len(axes)
    return view, arrays, axes[0] if together else 0


def _offsets(view, arrays, position):
    """(shape of the result, byte offsets of its items)."""
    try:
        broadcast = np.broadcast_shapes(*[index.shape for _, index in arrays])
    except ValueError:
        shapes = " ".join(str(index.shape).replace(" ", "") for _, index in arrays)
        raise IndexError(
            f"shape mismatch: indexing arrays could not be broadcast together with shapes {shapes} "
        ) from None
    taken = {axis for axis, _ in arrays}
    kept = [axis for axis in range(view.ndim) if axis not in taken]
    shape = [view.shape[axis] for axis in kept]
    shape[position:position] = broadcast
    offsets = None
    for axis, index in arrays:
        if 0 not in broadcast or index.ndim == 0:
            # Index arrays that are broadcast away are not looked at, as in NumPy; integers are.
            index = _checked(index, view.shape[axis], axis)
        term = index * view.strides[axis]
        tail = len(kept) - position
        term = term.reshape(term.shape + (1,) * tail)
        offsets = term if offsets is None else offsets + term
    for place, axis in enumerate(kept):
        at = place if place < position else place + len(broadcast)
        steps = arange(view.shape[axis]) * view.strides[axis]
        offsets = offsets + steps.reshape((-1,) + (1,) * (len(shape) - at - 1))
    return tuple(shape), methods.broadcast_to(offsets, tuple(shape))


def index_offsets(a, key):
    """(view, shape, byte offsets in the view) of what an index with arrays selects."""
    view, arrays, position = _plan(a, key)
    return view, *_offsets(view, arrays, position)


def get_advanced(a, key):
    """a[key] where the key holds index arrays or masks: always a copy."""
    if (
        isinstance(key, ndarray)
        and key.dtype == bool
        and key.shape == a.shape
        and a.size
        and a.flags.c_contiguous
    ):
        return _select(key if key.flags.c_contiguous else key.copy(), a)
    view, arrays, position = _plan(a, key)
    shape, offsets = _offsets(view, arrays, position)
    return gather(view, offsets, shape)


def set_advanced(a, key, value):
    """a[key] = value where the key holds index arrays or masks.

    Of repeated indices the last one wins.
    """
    if (
        isinstance(key, ndarray)
        and key.dtype == bool
        and key.shape == a.shape
        and (np.ndim(value) == 0 if not isinstance(value, ndarray) else value.ndim == 0)
    ):
        methods.copyto(a, asarray(value).astype(a.dtype, copy=False), where=key)
        return
    view, arrays, position = _plan(a, key)
    shape, offsets = _offsets(view, arrays, position)
    value = asarray(value)
    while value.ndim > len(shape) and value.shape[0] == 1:
        value = value[0]
    try:
        values = methods.broadcast_to(value, shape)
    except ValueError:
        raise ValueError(
            f"shape mismatch: value array of shape {value.shape} could not be broadcast to "
            f"indexing result of shape {shape}"
        ) from None
    values = values.astype(a.dtype, copy=False)
    # The order of writes does not matter where no two meet or all store the same.
    unique = value.size == 1 or (isinstance(key, ndarray) and key.dtype == bool)
    if not unique and workgroup_size() > 1 and offsets.size < view.size // _FEW_WRITES:
        offsets, values = _last_writes(offsets, values)
        unique = True
    scatter(view, offsets, values, unique)


# A table of the last writer of each item costs time by the size of the whole array; below this
# share of writes, sorting them costs less.
_FEW_WRITES = 16


def _last_writes(offsets, values):
    """The writes that last, of writes in order: at most one for each offset."""
    offsets, values = offsets.ravel(), values.ravel()
    order = methods.argsort(offsets)
    ordered = take(offsets, order)
    last = methods.ones(offsets.size, bool)
    last[:-1] = ufuncs.not_equal(ordered[1:], ordered[:-1])
    kept = flatnonzero(last)
    return take(ordered, kept), take(values, take(order, kept))


# ---- functions ------------------------------------------------------------------------------


def take(a, indices, axis=None, out=None, mode="raise"):
    """Items of an array at indices, along an axis or of the flattened array.

    Parameters
    ----------
    a : array_like
    indices : array_like of int
    axis : int, optional
    out : ndarray, optional
    mode : {'raise', 'wrap', 'clip'}, optional
        What becomes of indices out of range.

    Returns
    -------
    ndarray
        The shape of `indices` in the place of the axis.
    """
    a = asarray(a)
    if axis is None:
        a, axis = a.ravel(), 0
    if a.ndim == 0:
        a = a.reshape(1)
    axis = np.lib.array_utils.normalize_axis_index(axis, a.ndim)
    index = asarray(indices)
    if index.dtype.kind not in "biu":
        raise TypeError(
            f"Cannot cast array data from {index.dtype!r} to dtype('int64') according to the rule "
            "'safe'"
        )
    if a.shape[axis] == 0 and index.size:
        shape = a.shape[:axis] + index.shape + a.shape[axis + 1 :]
        if 0 not in shape:
            raise IndexError("cannot do a non-empty take from an empty axes.")
        if mode != "raise" or 0 in a.shape[:axis]:
            return _into(methods.empty(shape, a.dtype), out)
    index = _limited(index.astype(np.int64, copy=False), a.shape[axis], mode, axis)
    shape, offsets = _offsets(a, [(axis, index)], axis)
    result = gather(a, offsets, shape)
    return _into(result, out)


def _into(result, out):
    if out is None:
        return result
    if out.shape != result.shape:
        raise ValueError(f"output array has shape {out.shape}, the result {result.shape}")
    assign(out, result)
    return out


def take_along_axis(arr, indices, axis=-1):
    """Items at one index per position along an axis (what `argsort` returns)."""
    arr, indices, axis = _along(arr, indices, axis)
    return arr[_along_key(arr.shape, indices, axis)]


def put_along_axis(arr, indices, values, axis):
    """Writes items at one index per position along an axis."""
    target, indices, axis = _along(arr, indices, axis)
    target[_along_key(target.shape, indices, axis)] = values


def _along(arr, indices, axis):
    indices = asarray(indices)
    if indices.dtype.kind not in "iu":
        raise IndexError("`indices` must be an integer array")
    if axis is None:
        if indices.ndim != 1:
            raise ValueError("when axis=None, `indices` must have a single dimension.")
        return arr.ravel(), indices, 0
    axis = np.lib.array_utils.normalize_axis_index(axis, arr.ndim)
    if arr.ndim != indices.ndim:
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    return arr, indices, axis


def _along_key(shape, indices, axis):
    return tuple(
        indices if d == axis else arange(n).reshape((1,) * d + (-1,) + (1,) * (len(shape) - d - 1))
        for d, n in enumerate(shape)
    )


def put(a, ind, v, mode="raise"):
    """Writes values at positions of the flattened array, repeating them as needed."""
    index = asarray(ind).ravel()
    values = asarray(v).ravel()
    if not np.can_cast(index.dtype, np.int64):
        raise TypeError(
            f"Cannot cast array data from {index.dtype!r} to dtype('int64') according to the rule "
            "'safe'"
        )
    if index.size == 0 or values.size == 0:
        return
    index = _limited(index.astype(np.int64, copy=False), a.size, mode, 0)
    values = methods.resize(values, index.shape)
    key = unravel_index(index, a.shape) if a.ndim != 1 else (index,)
    if a.ndim == 0:
        a, key = a.reshape(1), (index,)
    a[key] = values


def place(arr, mask, vals):
    """Writes values in order where a mask holds, repeating them as needed."""
    positions = flatnonzero(mask)
    values = asarray(vals).ravel()
    if positions.size == 0:
        return
    if values.size == 0:
        raise ValueError("Cannot insert from an empty array!")
    put(arr, positions, values)


def putmask(a, mask, values):
    """Writes values[i] (repeated to the size) at every position i where the mask holds."""
    mask = asarray(mask)
    values = methods.resize(asarray(values).ravel(), a.shape)
    methods.copyto(a, values, casting="same_kind", where=mask.astype(bool, copy=False))


def extract(condition, arr):
    """Items of the flattened array where a condition holds."""
    return take(asarray(arr).ravel(), flatnonzero(condition))


def compress(condition, a, axis=None, out=None):
    """Slices along an axis where a 1-D condition holds."""
    condition = asarray(condition)
    if condition.ndim != 1:
        raise ValueError("condition must be a 1-d array")
    return take(a, flatnonzero(condition), axis, out)


def choose(a, choices, out=None, mode="raise"):
    """An array made of others: a[i] says from which of them item i comes."""
    choices = [asarray(c) for c in choices]
    index = asarray(a)
    if index.dtype.kind not in "biu":
        raise TypeError("choose() needs an integer array of choice numbers")
    index = index.astype(np.int64, copy=False)
    if mode == "raise":
        if index.size and (int(methods.min(index)) < 0 or int(methods.max(index)) >= len(choices)):
            raise ValueError("invalid entry in choice array")
    else:
        index = _limited(index, len(choices), mode, 0)
    dtype = np.result_type(*[c.dtype for c in choices])
    shape = np.broadcast_shapes(index.shape, *[c.shape for c in choices])
    result = empty(shape, dtype)
    for number, choice in enumerate(choices):
        methods.copyto(result, choice, where=ufuncs.equal(index, number))
    return _into(result, out)


def select(condlist, choicelist, default=0):
    """The choice of the first condition that holds, item by item."""
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    if not condlist:
        raise ValueError("select with an empty condition list is not possible")
    kinds = [x.dtype if isinstance(x, ndarray) else np.asarray(x).dtype for x in choicelist]
    dtype = np.result_type(*kinds, default if np.ndim(default) == 0 else default.dtype)
    shape = np.broadcast_shapes(
        *[methods.shape(c) for c in condlist], *[methods.shape(c) for c in choicelist]
    )
    result = full(shape, default, dtype)
    for condition, choice in zip(reversed(condlist), reversed(choicelist), strict=True):
        condition = asarray(condition)
        if condition.dtype != bool:
            raise TypeError("invalid entry in condlist: should be boolean ndarray")
        methods.copyto(result, asarray(choice), casting="unsafe", where=condition)
    return result


# ---- diagonals ------------------------------------------------------------------------------


def diagonal(a, offset=0, axis1=0, axis2=1):
    """A read-only view of diagonals; they become the last axis."""
    from rocarray._core.views import as_strided

    a = asarray(a)
    if a.ndim < 2:
        raise ValueError("diag requires an array of at least two dimensions")
    i = np.lib.array_utils.normalize_axis_index(axis1, a.ndim)
    j = np.lib.array_utils.normalize_axis_index(axis2, a.ndim)
    if i == j:
        raise ValueError("axis1 and axis2 cannot be the same")
    rows, cols = a.shape[i], a.shape[j]
    n = max(min(rows + min(offset, 0), cols - max(offset, 0)), 0)
    others = [d for d in range(a.ndim) if d not in (i, j)]
    start = [0] * a.ndim
    if n:
        start[j if offset > 0 else i] = abs(offset)
    view = a[tuple(slice(s, None) for s in start)]
    return as_strided(
        view,
        [a.shape[d] for d in others] + [n],
        [a.strides[d] for d in others] + [a.strides[i] + a.strides[j]],
        writeable=False,
    )


def diag(v, k=0):
    """The k-th diagonal of a matrix, or the matrix with a vector as its diagonal."""
    v = asarray(v)
    if v.ndim == 2:
        return diagonal(v, k)
    if v.ndim != 1:
        raise ValueError("Input must be 1- or 2-d.")
    n = v.shape[0] + abs(k)
    result = zeros((n, n), v.dtype)
    view = diagonal(result, k)
    view = _writable(result, view)
    view[...] = v
    return result


def _writable(owner, view):
    from rocarray._core.views import as_strided

    start = (
        owner.ravel()[(view.data.ptr - owner.data.ptr) // owner.itemsize :] if view.size else owner
    )
    return as_strided(start, view.shape, view.strides)


def diagflat(v, k=0):
    """A matrix with the flattened input as its diagonal."""
    return diag(asarray(v).ravel(), k)


def fill_diagonal(a, val, wrap=False):
    """Writes the main diagonal of an array in place."""
    if a.ndim < 2:
        raise ValueError("array must be at least 2-d")
    if a.ndim > 2 and len(set(a.shape)) != 1:
        raise ValueError("All dimensions of input must be of equal length")
    step = a.shape[1] + 1 if a.ndim == 2 else 1 + int(np.cumprod(a.shape[:-1]).sum())
    end = None if wrap or a.ndim > 2 else a.shape[1] * a.shape[1]
    positions = np.arange(a.size)[:end:step]
    values = asarray(val).ravel()
    put(a, positions, values)


def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    """The sum along diagonals."""
    return methods.sum(diagonal(a, offset, axis1, axis2), axis=-1, dtype=dtype, out=out)


def diag_indices(n, ndim=2):
    """Index arrays of the main diagonal."""
    return (arange(n),) * ndim


def diag_indices_from(arr):
    """Index arrays of the main diagonal of an array whose axes are all as long."""
    if arr.ndim < 2:
        raise ValueError("input array must be at least 2-d")
    if len(set(arr.shape)) != 1:
        raise ValueError("All dimensions of input must be of equal length")
    return diag_indices(arr.shape[0], arr.ndim)


def mask_indices(n, mask_func, k=0):
    """Index arrays of where ``mask_func(ones((n, n)), k)`` is not zero."""
    return nonzero(mask_func(methods.ones((n, n), int), k) != 0)


def tril_indices(n, k=0, m=None):
    """Index arrays of the lower triangle."""
    return nonzero(methods.tri(n, m, k, bool))


def triu_indices(n, k=0, m=None):
    """Index arrays of the upper triangle."""
    return nonzero(ufuncs.logical_not(methods.tri(n, m, k - 1, bool)))


def tril_indices_from(arr, k=0):
    """Index arrays of the lower triangle of a matrix."""
    return tril_indices(arr.shape[-2], k, arr.shape[-1])


def triu_indices_from(arr, k=0):
    """Index arrays of the upper triangle of a matrix."""
    return triu_indices(arr.shape[-2], k, arr.shape[-1])


def ix_(*args):
    """Index arrays of an open mesh."""
    result = []
    for i, given in enumerate(args):
        x = asarray(given)
        if x.size == 0 and not isinstance(given, (ndarray, np.ndarray)):
            x = x.astype(np.int64)
        if x.ndim != 1:
            raise ValueError("Cross index must be 1 dimensional")
        if x.dtype == bool:
            x = flatnonzero(x)
        result.append(x.reshape((1,) * i + (-1,) + (1,) * (len(args) - i - 1)))
    return tuple(result)


__all__ = [
    name
    for name, value in list(globals().items())
    if callable(value) and getattr(value, "__module__", "") == __name__ and name[0] != "_"
]
