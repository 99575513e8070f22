"""Applying Python functions to parts of arrays, and grids written as slices."""

import numpy as np

from rocarray._core import methods
from rocarray._core.conversion import asarray
from rocarray._core.creation import arange, linspace
from rocarray._core.manipulation import concatenate
from rocarray._core.ndarray import ndarray


def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    """A function of vectors applied along an axis.

    The function is called once a vector, so it is as slow as a Python loop; a function that works
    on whole arrays with `axis=` is faster by orders of magnitude.
    """
    arr = asarray(arr)
    axis = np.lib.array_utils.normalize_axis_index(axis, arr.ndim)
    moved = methods.moveaxis(arr, axis, -1)
    places = list(np.ndindex(moved.shape[:-1]))
    if not places:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    results = [asarray(func1d(moved[place], *args, **kwargs)) for place in places]
    inner = results[0].shape
    result = methods.stack(results).reshape(moved.shape[:-1] + inner)
    n = len(inner)
    return methods.moveaxis(result, range(-n, 0), range(axis, axis + n)) if n else result


def apply_over_axes(func, a, axes):
    """A reduction ``func(a, axis)`` applied over one axis after the other, all of them kept."""
    value = asarray(a)
    for axis in np.atleast_1d(axes).tolist():
        axis = axis + value.ndim if axis < 0 else axis
        result = func(value, axis)
        if result.ndim != value.ndim:
            result = methods.expand_dims(result, axis)
            if result.ndim != value.ndim:
                raise ValueError("function is not returning an array of the correct shape")
        value = result
    return value


def piecewise(x, condlist, funclist, *args, **kw):
    """Values of the function whose condition holds, of the last function where none does."""
    x = asarray(x)
    if isinstance(condlist, ndarray) or not hasattr(condlist, "__len__"):
        conditions = asarray(condlist)
        conditions = [conditions] if conditions.ndim == x.ndim else list(conditions)
    elif len(condlist) and (np.isscalar(condlist[0])):
        conditions = [asarray(condlist)]
    else:
        conditions = [asarray(c) for c in condlist]
    conditions = [c.astype(bool, copy=False) for c in conditions]
    if len(funclist) == len(conditions) + 1:
        none = ~conditions[0]
        for condition in conditions[1:]:
            none = none & ~condition
        conditions.append(none)
    elif len(funclist) != len(conditions):
        raise ValueError(f"with {len(conditions)} condition(s), either {len(conditions)} or "
                         f"{len(conditions) + 1} functions are expected")  # fmt: skip
    result = methods.zeros_like(x)
    for condition, function in zip(conditions, funclist, strict=True):
        if callable(function):
            taken = x[condition]
            if taken.size:
                result[condition] = function(taken, *args, **kw)
        else:
            result[condition] = function
    return result


def _numbers(step_slice):
    """The values of ``start:stop:step``, or of ``start:stop:nj`` with the stop."""
    start = 0 if step_slice.start is None else step_slice.start
    step = 1 if step_slice.step is None else step_slice.step
    if isinstance(step, complex):
        return linspace(start, step_slice.stop, int(abs(step)))
    return arange(start, step_slice.stop, step)


class Grid:
    """``mgrid[0:3, 0:4]``: coordinates of a grid, whole (mgrid) or broadcasting (ogrid)."""

    def __init__(self, sparse):
        self.sparse = sparse

    def __getitem__(self, key):
        if not isinstance(key, tuple):
            return _numbers(key)
        axes = [_numbers(part) for part in key]
        kind = np.result_type(*[a.dtype for a in axes])
        grid = methods.meshgrid(*[a.astype(kind) for a in axes], indexing="ij", sparse=self.sparse)
        return tuple(grid) if self.sparse else methods.stack(grid)


class Joiner:
    """``r_[0:3, x, 5]``: joins slices, arrays and numbers along an axis."""

    def __init__(self, axis, rank, trans):
        self.axis, self.rank, self.trans = axis, rank, trans

    def __getitem__(self, key):
        axis, rank, trans = self.axis, self.rank, self.trans
        parts, numbers = [], []
        for item in key if isinstance(key, tuple) else (key,):
            if isinstance(item, str):
                fields = [int(x) for x in item.split(",")]
                axis, rank, trans = fields + [axis, rank, trans][len(fields) :]
                continue
            if np.isscalar(item):
                numbers.append(len(parts))
                parts.append(item)
            else:
                parts.append(_numbers(item) if isinstance(item, slice) else asarray(item))
        kind = np.result_type(*[x if np.isscalar(x) else x.dtype for x in parts])
        parts = [self._fit(asarray(x), rank, trans).astype(kind) for x in parts]
        return concatenate(parts, axis)

    @staticmethod
    def _fit(a, rank, trans):
        """Axes of length 1 around the array's own; `trans` says where its own begin."""
        extra = max(rank - a.ndim, 0)
        if a.ndim == 0:
            return a.reshape((1,) * max(rank, 1))
        before = extra if trans < 0 else min(trans, extra)
        return a.reshape((1,) * before + a.shape + (1,) * (extra - before))


mgrid = Grid(sparse=False)
ogrid = Grid(sparse=True)
r_ = Joiner(0, 1, -1)
c_ = Joiner(-1, 2, 0)

__all__ = ["apply_along_axis", "apply_over_axes", "c_", "mgrid", "ogrid", "piecewise", "r_"]
