"""Histograms over several dimensions."""

import numpy as np

from rocarray._core import methods
from rocarray._core.conversion import asarray
from rocarray._core.ndarray import ndarray


def histogramdd(sample, bins=10, range=None, density=None, weights=None):
    """Counts of points per cell of a grid, and the edges of each dimension.

    Edges are host decisions: the extent of the sample is read back where no range is given.

    Parameters
    ----------
    sample : array_like, shape (N, D), or sequence of D vectors
    bins : int or sequence of int or of edges, optional
    range : sequence of (float, float) or None, optional
    density : bool, optional
    weights : array_like, optional

    Returns
    -------
    (ndarray, tuple of ndarray)
    """
    if isinstance(sample, (list, tuple)) and not np.isscalar(sample[0]):
        sample = methods.stack([asarray(x) for x in sample], axis=-1)
    sample = asarray(sample)
    if sample.ndim == 1:
        sample = sample.reshape(-1, 1)
    n_dims = sample.shape[1]
    if np.ndim(bins) == 0 if not isinstance(bins, (list, tuple, ndarray)) else False:
        bins = [bins] * n_dims
    if len(bins) != n_dims:
        raise ValueError("The dimension of bins must be equal to the dimension of the sample x.")
    if range is None:
        range = (None,) * n_dims
    elif len(range) != n_dims:
        raise ValueError("range argument must have one entry per dimension")
    cells, shape, inside, all_edges = None, [], None, []
    for i, (one, limits) in enumerate(zip(bins, range, strict=True)):
        x = sample[:, i]
        edges = _edges(x, one, limits, i)
        n = edges.size - 1
        place = methods.searchsorted(edges, x, side="right") - 1
        place = methods.where(x == edges[-1], n - 1, place)
        fits = (x >= edges[0]) & (x <= edges[-1])
        cells = place if cells is None else cells * n + place
        inside = fits if inside is None else inside & fits
        shape.append(n)
        all_edges.append(edges)
    total = int(np.prod(shape))
    given = None if weights is None else asarray(weights)[inside]
    counts = methods.bincount(cells[inside], given, minlength=total)
    counts = counts.reshape(shape).astype(np.float64)
    if density:
        whole = counts.sum()
        for i, edges in enumerate(all_edges):
            column = [1] * n_dims
            column[i] = -1
            counts = counts / methods.diff(edges).reshape(column)
        counts = counts / whole
    return counts, tuple(all_edges)


def _edges(x, bins, limits, number):
    if np.ndim(bins) == 0 and not isinstance(bins, ndarray):
        if bins < 1:
            raise ValueError(f"`bins[{number}]` must be positive, when an integer")
        return methods.histogram_bin_edges(x, bins, limits)
    edges = asarray(bins)
    if edges.ndim != 1:
        raise ValueError(f"`bins[{number}]` must be a scalar or 1d array")
    if bool(methods.any(edges[:-1] > edges[1:])):
        raise ValueError(f"`bins[{number}]` must be monotonically increasing, when an array")
    return edges


def histogram2d(x, y, bins=10, range=None, density=None, weights=None):
    """Counts of points (x, y) per cell, and the edges of both dimensions; see `histogramdd`."""
    x, y = asarray(x), asarray(y)
    if len(x) != len(y):
        raise ValueError("x and y must have the same length.")
    if isinstance(bins, ndarray) or (hasattr(bins, "__len__") and len(bins) not in (1, 2)):
        bins = [asarray(bins)] * 2
    counts, edges = histogramdd([x, y], bins, range, density, weights)
    return counts, edges[0], edges[1]


__all__ = ["histogram2d", "histogramdd"]
