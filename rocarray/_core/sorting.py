"""Sorting, searching and sets. Every sort is stable; NaN sorts last."""

import operator
from collections import namedtuple

import numpy as np

from rocarray._core import methods, ufuncs
from rocarray._core.conversion import asarray, assign
from rocarray._core.creation import arange, empty
from rocarray._core.gather import search
from rocarray._core.indexing import flatnonzero, take
from rocarray._core.launching import run_kernel
from rocarray._core.ndarray import ndarray
from rocarray._core.radix import can_sort, radix_sort
from rocarray._core.radix_chunks import can_sort_in_chunks, radix_sort_in_chunks, select_in_chunks
from rocarray._kernels.programs import identifier

_RUN = 16  # items that one work-item sorts by insertion, as SORT_RUN in sort.hpp
_STRETCH = 256  # outputs that one work-item merges

_FEW_COUNTS = 8192  # that a workgroup keeps for itself, as FEW_COUNTS in count.hpp

_KINDS = (None, "quicksort", "mergesort", "heapsort", "stable")


def _char(a):
    from rocarray._core.dtypes import type_char, type_code

    return identifier(type_char(type_code(a.dtype)))


def _check_kind(kind, order, stable):
    if kind not in _KINDS:
        raise ValueError(
            f"sort kind must be one of {', '.join(map(str, _KINDS[1:]))}, got {kind!r}"
        )
    if order is not None:
        raise ValueError("Cannot specify order when the array has no fields.")
    if kind is not None and stable is not None:
        raise ValueError("`kind` and `stable` parameters can't be provided at the same time.")


def _rows_last(a, axis):
    """(view with the axis last, axis number)."""
    axis = np.lib.array_utils.normalize_axis_index(axis, a.ndim)
    return methods.moveaxis(a, axis, -1), axis


def _merge_sort(keys, with_places):
    """Sorts the rows of a contiguous array; (keys, places or None), both new."""
    length = keys.shape[-1]
    n_rows = keys.size // length if length else 0
    places = empty(keys.shape, np.int64) if with_places else None
    if keys.size == 0:
        return keys, places
    name = f"sort__{_char(keys)}"
    source, target = keys, empty(keys.shape, keys.dtype)
    places_target = empty(keys.shape, np.int64) if with_places else None
    runs = -(-length // _RUN)
    run_kernel(
        "sort/merge", name + "_runs", runs * n_rows, length, runs, 0, 0, source, target, 0,
        places if with_places else 0, min_chunk=256,
    )  # fmt: skip
    source, target = target, source
    width = _RUN
    while width < length:
        stretch = min(_STRETCH, 2 * width)
        units = -(-length // stretch)
        run_kernel(
            "sort/merge", name + "_merge", units * n_rows, length, units, width, stretch, source,
            target, places if with_places else 0, places_target if with_places else 0,
            min_chunk=16,
        )  # fmt: skip
        source, target = target, source
        places, places_target = places_target, places
        width *= 2
    return source, places


def _sort_rows(rows, with_places):
    """(sorted rows, or None) and (positions that sort them, or None), both contiguous and new."""
    if can_sort(rows):
        return radix_sort(methods.ascontiguousarray(rows), _char(rows), with_places)
    if rows.size and can_sort_in_chunks(rows):
        return radix_sort_in_chunks(methods.ascontiguousarray(rows), _char(rows), with_places)
    return _merge_sort(methods.copy(rows, "C"), with_places)


def sort(a, axis=-1, kind=None, order=None, *, stable=None):
    """A sorted copy, along an axis or (axis None) of the flattened array.

    Parameters
    ----------
    a : array_like
    axis : int or None, optional
    kind, stable : optional
        Accepted; every sort is stable.

    Returns
    -------
    ndarray
        NaN last, as in NumPy.
    """
    _check_kind(kind, order, stable)
    a = asarray(a)
    if axis is None:
        a, axis = a.ravel(), -1
    if a.ndim == 0:
        raise np.exceptions.AxisError(operator.index(axis), 0)
    keys, axis = _rows_last(a, axis)
    keys, _ = _sort_rows(keys, False)
    return methods.copy(methods.moveaxis(keys, -1, axis), "C") if axis != a.ndim - 1 else keys


def argsort(a, axis=-1, kind=None, order=None, *, stable=None):
    """Positions (int64) that sort an array along an axis; equal items keep their order."""
    _check_kind(kind, order, stable)
    a = asarray(a)
    if axis is None:
        a, axis = a.ravel(), -1
    if a.ndim == 0:
        a = a.reshape(1)
    keys, axis = _rows_last(a, axis)
    _, places = _sort_rows(keys, True)
    return methods.copy(methods.moveaxis(places, -1, axis), "C") if axis != a.ndim - 1 else places


def sort_in_place(a, axis=-1, kind=None, stable=None):
    """What x.sort() calls."""
    assign(a, sort(a, axis, kind, stable=stable))


def partition(a, kth, axis=-1, kind="introselect", order=None):
    """A copy whose kth item is where a sort would put it, none larger before, none smaller after.

    On devices with large workgroups, and for several kth, it is a full sort.
    """
    a = asarray(a)
    _check_kth(a, kth, axis)
    if axis is None:
        a, axis = a.ravel(), -1
    if a.ndim and a.size and np.ndim(kth) == 0:
        rows, number = _rows_last(a, axis)
        if can_sort_in_chunks(rows):
            rows = select_in_chunks(methods.ascontiguousarray(rows), _char(rows), int(kth))
            return methods.copy(methods.moveaxis(rows, -1, number), "C")
    return sort(a, axis)


def argpartition(a, kth, axis=-1, kind="introselect", order=None):
    """Positions that partition an array (here: a full argsort)."""
    a = asarray(a)
    _check_kth(a, kth, axis)
    return argsort(a, axis)


def partition_in_place(a, kth, axis=-1):
    """What x.partition() calls."""
    assign(a, partition(a, kth, axis))


def _check_kth(a, kth, axis):
    n = a.size if axis is None else a.shape[axis]
    for k in np.ravel(kth):
        if not -n <= k < n:
            raise ValueError(f"kth(={k}) out of bounds ({n})")


def lexsort(keys, axis=-1):
    """Positions that sort by several keys, the last one first."""
    keys = [asarray(k) for k in keys]
    if not keys:
        raise TypeError("need sequence of keys with len > 0 in lexsort")
    order = argsort(keys[0], axis)
    for key in keys[1:]:
        within = argsort(methods.take_along_axis(key, order, axis), axis)
        order = methods.take_along_axis(order, within, axis)
    return order


def searchsorted(a, v, side="left", sorter=None):
    """Positions where values would be put into sorted items to keep them sorted.

    Parameters
    ----------
    a : array_like
        1-D, sorted (or sorted by `sorter`).
    v : array_like
    side : {'left', 'right'}, optional
    sorter : array_like of int, optional

    Returns
    -------
    ndarray of int64
    """
    if side not in ("left", "right"):
        raise ValueError(f"search side must be 'left' or 'right' (got '{side}')")
    a, v = asarray(a), asarray(v)
    if a.ndim != 1:
        raise ValueError("object of too small depth for desired array")
    if sorter is not None:
        a = take(a, sorter)
    dtype = np.result_type(a.dtype, v.dtype)
    a, v = a.astype(dtype, copy=False), v.astype(dtype, copy=False)
    return search(a if a.flags.c_contiguous else a.copy(), v, side)


def digitize(x, bins, right=False):
    """Numbers of the bins that values fall into."""
    x, bins = asarray(x), asarray(bins)
    if x.dtype.kind == "c":
        raise TypeError("x may not be complex")
    if bins.ndim != 1:
        raise ValueError("object of too small depth for desired array")
    step = methods.diff(bins)
    if bool(methods.all(step >= 0)):
        return searchsorted(bins, x, "left" if right else "right")
    if not bool(methods.all(step <= 0)):
        raise ValueError("bins must be monotonically increasing or decreasing")
    return bins.size - searchsorted(bins[::-1], x, "right" if right else "left")


# ---- unique and sets ------------------------------------------------------------------------


def _starts(ordered, equal_nan):
    """Where a new value begins in sorted items (bool)."""
    starts = empty(ordered.shape, bool)
    starts[:1] = True
    fresh = ufuncs.not_equal(ordered[1:], ordered[:-1])
    if equal_nan and ordered.dtype.kind in "fc":
        fresh = fresh & ~(ufuncs.isnan(ordered[1:]) & ufuncs.isnan(ordered[:-1]))
    starts[1:] = fresh
    return starts


def unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *,
           equal_nan=True, sorted=True):  # fmt: skip
    """The sorted distinct items of an array, or its distinct slices along an axis.

    Parameters
    ----------
    ar : array_like
    return_index, return_inverse, return_counts : bool, optional
        Also return first positions, positions of each item in the result, numbers of occurrences.
    axis : int or None, optional
        The distinct slices along this axis; None: the distinct items of the flattened array.
    equal_nan : bool, optional
        NaN counts as one item (not where an axis is given, as in NumPy).
    sorted : bool, optional
        The result is sorted in any case.
    """
    a = asarray(ar)
    if axis is not None:
        order, ordered, starts = _ordered_slices(a, axis)
        places = flatnonzero(starts)
        values = methods.moveaxis(take(ordered, places, 0), 0, axis)
        inverse_shape = order.shape
    else:
        flat = a.ravel()
        order = None
        if return_index or return_inverse:
            order = argsort(flat)
            ordered = take(flat, order)
        else:
            ordered = sort(flat)
        starts = _starts(ordered, equal_nan)
        places = flatnonzero(starts)
        values = take(ordered, places)
        inverse_shape = a.shape
    result = [values]
    if return_index:
        result.append(take(order, places))
    if return_inverse:
        inverse = empty(order.shape, np.int64)
        inverse[order] = methods.cumsum(starts, dtype=np.int64) - 1
        result.append(inverse.reshape(inverse_shape))
    if return_counts:
        n_items = starts.size
        ends = methods.concatenate([places, arange(n_items, n_items + 1)])
        result.append(ends[1:] - ends[:-1])
    return result[0] if len(result) == 1 else tuple(result)


def _ordered_slices(a, axis):
    """Slices along an axis in lexicographic order: positions, slices, which differ from the last.

    One stable sort per item of a slice, least significant first; NaN equals nothing, as NumPy has
    it for slices.
    """
    slices = methods.moveaxis(a, axis, 0)
    n_slices = slices.shape[0]
    rows = slices.reshape((n_slices, a.size // n_slices if n_slices else 0))
    order = arange(n_slices)
    for column in range(rows.shape[1] - 1, -1, -1):
        order = take(order, argsort(take(rows[:, column], order)))
    rows = take(rows, order, 0)
    starts = methods.zeros(n_slices, bool)
    if n_slices:
        starts[0] = True
        starts[1:] = methods.any(ufuncs.not_equal(rows[1:], rows[:-1]), axis=1)
    return order, take(slices, order, 0), starts


def unique_values(x):
    """The distinct items; every NaN counts as distinct."""
    return unique(x, equal_nan=False)


UniqueAllResult = namedtuple("UniqueAllResult", "values indices inverse_indices counts")
UniqueCountsResult = namedtuple("UniqueCountsResult", "values counts")
UniqueInverseResult = namedtuple("UniqueInverseResult", "values inverse_indices")


def unique_all(x):
    """The distinct items, their first positions, each item's place, their counts; NaN differ."""
    return UniqueAllResult(*unique(x, True, True, True, equal_nan=False))


def unique_counts(x):
    """The distinct items and their numbers of occurrences; every NaN counts as distinct."""
    return UniqueCountsResult(*unique(x, return_counts=True, equal_nan=False))


def unique_inverse(x):
    """The distinct items and the place of each item among them; every NaN counts as distinct."""
    return UniqueInverseResult(*unique(x, return_inverse=True, equal_nan=False))


def union1d(ar1, ar2):
    """The sorted items that are in either array."""
    return unique(methods.concatenate([asarray(ar1).ravel(), asarray(ar2).ravel()]))


def isin(element, test_elements, assume_unique=False, invert=False, *, kind=None):
    """Whether each item is among the test items."""
    element = asarray(element)
    tests = sort(asarray(test_elements).ravel())
    if tests.size == 0:
        found = methods.zeros_like(element, bool)
    else:
        dtype = np.result_type(element.dtype, tests.dtype)
        element, tests = element.astype(dtype, copy=False), tests.astype(dtype, copy=False)
        place = ufuncs.minimum(search(tests, element, "left"), tests.size - 1)
        found = ufuncs.equal(take(tests, place), element)
    return ufuncs.logical_not(found) if invert else found


def intersect1d(ar1, ar2, assume_unique=False, return_indices=False):
    """The sorted items that are in both arrays."""
    ar1, ar2 = asarray(ar1).ravel(), asarray(ar2).ravel()
    first, index1 = unique(ar1, return_index=True)
    both = isin(first, ar2)
    values = first[both]
    values = values.astype(np.result_type(ar1.dtype, ar2.dtype), copy=False)
    if not return_indices:
        return values
    second, index2 = unique(ar2, return_index=True)
    return values, index1[both], index2[isin(second, ar1)]


def setdiff1d(ar1, ar2, assume_unique=False):
    """The items of the first array that are not in the second."""
    ar1 = asarray(ar1).ravel() if assume_unique else unique(ar1)
    return ar1[isin(ar1, ar2, invert=True)]


def setxor1d(ar1, ar2, assume_unique=False):
    """The sorted items that are in exactly one of the arrays."""
    first, second = unique(ar1), unique(ar2)
    return sort(
        methods.concatenate(
            [first[isin(first, second, invert=True)], second[isin(second, first, invert=True)]]
        )
    )


# ---- counting -------------------------------------------------------------------------------


def bincount(x, /, weights=None, minlength=0):
    """Numbers of occurrences of 0, 1, 2... in non-negative integers (or sums of weights)."""
    x = asarray(x)
    if x.ndim != 1:
        raise ValueError("object too deep for desired array" if x.ndim > 1 else
                         "object of too small depth for desired array")  # fmt: skip
    if x.dtype.kind not in "biu":
        raise TypeError(
            f"Cannot cast array data from {x.dtype!r} to dtype('int64') according to the rule "
            "'safe'"
        )
    if minlength < 0:
        raise ValueError("'minlength' must not be negative")
    x = methods.copy(x.astype(np.int64), "C")
    if x.size and int(methods.min(x)) < 0:
        raise ValueError("'list' argument must have no negative elements")
    n = max(minlength, int(methods.max(x)) + 1 if x.size else 0)
    if weights is None or x.size == 0:  # NumPy too counts in integers where there is nothing
        counts = methods.zeros(n, np.int64)
        if x.size and n <= _FEW_COUNTS:
            run_kernel("index/count", "count_few", x.size, x, 0, counts, n, 0, min_chunk=16384)
        else:
            run_kernel("index/select", "count_values", x.size, x, counts)
        return counts
    weights = methods.copy(asarray(weights).astype(np.float64, casting="safe"), "C")
    if weights.shape != x.shape:
        raise ValueError("The weights and list don't have the same length.")
    sums = methods.zeros(n, np.float64)
    run_kernel("index/select", "sum_weights", x.size, x, weights, sums, min_chunk=x.size or 1)
    return sums


def histogram_bin_edges(a, bins=10, range=None, weights=None):
    """Edges of the bins that `histogram` uses."""
    a = asarray(a)
    if isinstance(bins, ndarray) or np.ndim(bins) == 1:
        return asarray(bins)
    if isinstance(bins, str):
        return asarray(np.histogram_bin_edges(a.get(), bins, range))
    if range is None:
        bounds = (0.0, 1.0) if a.size == 0 else (methods.min(a).item(), methods.max(a).item())
    else:
        bounds = range
    kept = np.array(bounds, a.dtype) if a.dtype.kind == "f" and range is None else bounds
    return asarray(np.histogram_bin_edges(np.zeros(0, a.dtype), bins, (kept[0], kept[1])))


def _count_bins(values, edges, uniform):
    counts = methods.zeros(edges.size - 1, np.int64)
    run_kernel(
        "index/count", f"count_bins__{_char(values)}", values.size,
        values if values.flags.c_contiguous else values.copy(),
        edges if edges.flags.c_contiguous else edges.copy(), counts, edges.size - 1, int(uniform),
        min_chunk=16384,
    )  # fmt: skip
    return counts


def histogram(a, bins=10, range=None, density=None, weights=None):
    """Counts of values per bin, and the bins' edges.

    Parameters
    ----------
    a : array_like
    bins : int, str or array_like, optional
    range : (float, float), optional
    density : bool, optional
        Values of a probability density instead of counts.
    weights : array_like, optional

    Returns
    -------
    tuple of ndarray
    """
    a = asarray(a).ravel()
    edges = histogram_bin_edges(a, bins, range, weights)
    if edges.size > 1 and not bool(methods.all(edges[1:] >= edges[:-1])):
        raise ValueError("`bins` must increase monotonically, when an array")
    dtype = np.result_type(a.dtype, edges.dtype)
    values = a.astype(dtype, copy=False)
    inner = edges.astype(dtype, copy=False)
    n = edges.size - 1
    if n < 1:
        return methods.zeros(0, np.int64 if weights is None else asarray(weights).dtype), edges
    if weights is None and 0 < n <= _FEW_COUNTS and dtype.char in "fd" and values.size:
        counts = _count_bins(values, inner, isinstance(bins, (int, np.integer)))
        if density:
            return counts / methods.diff(edges) / methods.sum(counts), edges
        return counts, edges
    bin_of = search(inner, values, "right") - 1
    bin_of = methods.select_where(values == inner[-1], n - 1, bin_of)
    inside = (values >= inner[0]) & (values <= inner[-1])
    bin_of = bin_of[inside]
    if weights is None:
        counts = bincount(bin_of, minlength=n)
    else:
        counts = bincount(bin_of, asarray(weights).ravel()[inside], minlength=n)
    if density:
        return counts / methods.diff(edges) / methods.sum(counts), edges
    return counts, edges


__all__ = [
    name
    for name, value in list(globals().items())
    if callable(value) and getattr(value, "__module__", "") == __name__ and name[0] != "_"
]
