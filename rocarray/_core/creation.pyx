"""Making arrays: empty, filled, ranges, identity matrices, grids."""

import operator

import numpy as np

from rocarray._core.conversion cimport as_device, from_host
from rocarray._core.dtypes cimport DTYPES, FLOAT64, code_of
from rocarray._core.layout cimport MAX_NDIM, iteration_order, parse_shape, stride_order
from rocarray._core.memory cimport memset_async
from rocarray._core.ndarray cimport (
    ndarray, new_array, new_array_ordered, new_fortran_array, new_view)
from rocarray._core.stream cimport current_stream

from rocarray._core.conversion import _check_device

cdef object _float64 = DTYPES[FLOAT64]


cdef ndarray _new(object shape, object dtype, object order):
    cdef Py_ssize_t dims[MAX_NDIM]
    cdef int ndim = parse_shape(shape, dims)
    cdef int code = FLOAT64 if dtype is None or dtype is float else code_of(dtype)
    if order == "C" or order == "c":
        return new_array(code, ndim, dims)
    if order == "F" or order == "f":
        return new_fortran_array(code, ndim, dims)
    raise ValueError(f"only 'C' or 'F' order is permitted, got {order!r}")


cdef ndarray _new_like(ndarray a, object dtype, object order, object shape):
    cdef Py_ssize_t dims[MAX_NDIM]
    cdef int axes[MAX_NDIM]
    cdef int ndim, code = a.code if dtype is None else code_of(dtype)
    if order not in ("C", "F", "A", "K", "c", "f", "a", "k"):
        raise ValueError(f"order must be one of 'C', 'F', 'A', or 'K' (got {order!r})")
    if shape is not None:
        ndim = parse_shape(shape, dims)
        if ndim != a.ndim and order in ("K", "k"):
            order = "C"
    else:
        ndim = a.ndim
        for i in range(ndim):
            dims[i] = a.shape_[i]
    if order in ("F", "f") or (order in ("A", "a", "K", "k") and a.f_contiguous
                               and not a.c_contiguous):
        return new_fortran_array(code, ndim, dims)
    if order in ("C", "c", "A", "a") or a.c_contiguous:
        return new_array(code, ndim, dims)
    stride_order(a.ndim, a.strides_, axes)
    return new_array_ordered(code, ndim, dims, axes)


def empty_for_all(arrays, shape, dtype):
    """An uninitialised array in the memory order that arrays of its rank have in common."""
    cdef Py_ssize_t steps[16][MAX_NDIM]
    cdef Py_ssize_t* rows[16]
    cdef Py_ssize_t extents[MAX_NDIM]
    cdef Py_ssize_t dims[MAX_NDIM]
    cdef int order[MAX_NDIM]
    cdef int i, n = 0, ndim = parse_shape(shape, dims)
    cdef ndarray a
    for i in range(ndim):
        extents[i] = 2
    for a in arrays[:16]:
        for i in range(ndim):
            # An axis of length 1 says nothing about the order.
            steps[n][i] = 0 if a.shape_[i] == 1 else (a.strides_[i] or 1)
        rows[n] = steps[n]
        n += 1
    iteration_order(ndim, extents, n, rows, order)
    return new_array_ordered(code_of(dtype), ndim, dims, order)


cdef ndarray _clear(ndarray a):
    if a.size:
        memset_async(a.data_, 0, a.size * a.itemsize, current_stream())
    return a


def empty(shape, dtype=None, order="C", *, device=None, like=None):
    """A new array whose values are not set.

    Parameters
    ----------
    shape : int or sequence of int
    dtype : dtype, optional
        Default float64.
    order : {'C', 'F'}, optional
    device : int or Device, optional
        Must be the current device.

    Returns
    -------
    ndarray

    Raises
    ------
    MemoryError
        With the numbers: asked, in use, cached, limit, device free and total.
    """
    if device is not None:
        _check_device(device)
    return _new(shape, dtype, order)


def zeros(shape, dtype=None, order="C", *, device=None, like=None):
    """A new array of zeros; parameters as `empty`."""
    if device is not None:
        _check_device(device)
    return _clear(_new(shape, dtype, order))


def ones(shape, dtype=None, order="C", *, device=None, like=None):
    """A new array of ones; parameters as `empty`."""
    return full(shape, 1, float if dtype is None else dtype, order, device=device)


def full(shape, fill_value, dtype=None, order="C", *, device=None, like=None):
    """A new array with every element `fill_value` (which may be an array that broadcasts)."""
    cdef ndarray result
    _check_device(device)
    if dtype is None:
        dtype = fill_value.dtype if hasattr(fill_value, "dtype") else np.asarray(fill_value).dtype
    result = _new(shape, dtype, order)
    result[...] = fill_value
    return result


def empty_like(prototype, /, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """An uninitialised array with the shape, dtype and memory order of another."""
    _check_device(device)
    return _new_like(as_device(prototype), dtype, order, shape)


def zeros_like(a, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """Zeros with the shape, dtype and memory order of another array."""
    _check_device(device)
    return _clear(_new_like(as_device(a), dtype, order, shape))


def ones_like(a, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """Ones with the shape, dtype and memory order of another array."""
    return full_like(a, 1, dtype, order, subok, shape, device=device)


def full_like(a, fill_value, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """`fill_value` everywhere, with the shape, dtype and memory order of another array."""
    cdef ndarray result
    _check_device(device)
    result = _new_like(as_device(a), dtype, order, shape)
    result[...] = fill_value
    return result


def eye(N, M=None, k=0, dtype=float, order="C", *, device=None, like=None):
    """A 2-D array with ones on the k-th diagonal and zeros elsewhere."""
    rows = operator.index(N)
    cols = rows if M is None else operator.index(M)
    k = operator.index(k)
    result = zeros((rows, cols), dtype, order, device=device)
    if -rows < k < cols:
        diagonal = result[-k:, :] if k < 0 else result[:, k:]
        n = min(diagonal.shape)
        _diagonal_view(diagonal, n)[...] = 1
    return result


cdef ndarray _diagonal_view(ndarray a, Py_ssize_t n):
    cdef Py_ssize_t step = a.strides_[0] + a.strides_[1]
    return new_view(a, a.data_, 1, &n, &step)


def identity(n, dtype=None, *, like=None):
    """The n x n identity matrix (float64 where no dtype is given)."""
    return eye(n, dtype=float if dtype is None else dtype)


def arange(start, stop=None, step=None, dtype=None, *, device=None, like=None):
    """Evenly spaced values in [start, stop), as numpy.arange.

    Returns
    -------
    ndarray
        ceil((stop - start) / step) items; dtype from the arguments where none is given.
    """
    _check_device(device)
    if dtype is not None:
        code_of(dtype)
    arguments = (start,) if stop is None and step is None else (
        (start, stop) if step is None else (start, stop, step))
    if step is not None and stop is None:
        arguments = (0, start, step)
    arguments = tuple([_host(x) for x in arguments])
    if dtype is None:
        dtype = np.result_type(np.int64, *[np.asarray(x).dtype for x in arguments])
    return from_host(np.arange(*arguments, dtype=dtype), code_of(dtype))


def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *,
             device=None):
    """`num` evenly spaced values from start to stop; array bounds make columns.

    Parameters
    ----------
    start, stop : array_like
    num : int, optional
    endpoint : bool, optional
        Whether `stop` is the last value.
    retstep : bool, optional
        Also return the spacing.
    """
    _check_device(device)
    result = np.linspace(_host(start), _host(stop), num, endpoint, retstep, dtype, axis)
    return (as_device(result[0]), result[1]) if retstep else as_device(result)


def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    """`num` values from base**start to base**stop, evenly spaced on a log scale."""
    return as_device(
        np.logspace(_host(start), _host(stop), num, endpoint, _host(base), dtype, axis))


def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    """`num` values from start to stop, each a constant multiple of the one before."""
    return as_device(np.geomspace(_host(start), _host(stop), num, endpoint, dtype, axis))


cdef object _host(object x):
    return x.get() if isinstance(x, ndarray) else x


def frombuffer(buffer, dtype=float, count=-1, offset=0, *, like=None):
    """A device array with the items of a host buffer (copied)."""
    return as_device(np.frombuffer(buffer, dtype, count, offset))


def fromiter(iter, dtype, count=-1, *, like=None):
    """A 1-D array from a host iterable."""
    return as_device(np.fromiter(iter, dtype, count))


def fromfunction(function, shape, *, dtype=float, like=None, **kwargs):
    """The values of a function of the index arrays (device arrays) of a shape."""
    return function(*indices(shape, dtype=dtype), **kwargs)


def ascontiguousarray(a, dtype=None, *, like=None):
    """`a` as a C-ordered device array of rank 1 or more; copied only where it must be."""
    from rocarray._core.conversion import array
    return array(a, dtype, copy=None, order="C", ndmin=1)


def asfortranarray(a, dtype=None, *, like=None):
    """`a` as an F-ordered device array of rank 1 or more; copied only where it must be."""
    from rocarray._core.conversion import array
    return array(a, dtype, copy=None, order="F", ndmin=1)


def asanyarray(a, dtype=None, order=None, *, device=None, copy=None, like=None):
    """Same as `asarray`."""
    from rocarray._core.conversion import asarray
    return asarray(a, dtype, order, device=device, copy=copy)


def meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    """Coordinate matrices from coordinate vectors, as numpy.meshgrid (a tuple)."""
    from rocarray._core.manipulation import broadcast_arrays
    n = len(xi)
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    ones_ = (1,) * n
    output = [as_device(x).reshape(ones_[:i] + (-1,) + ones_[i + 1:]) for i, x in enumerate(xi)]
    if indexing == "xy" and n > 1:
        output[0] = output[0].reshape((1, -1) + ones_[2:])
        output[1] = output[1].reshape((-1, 1) + ones_[2:])
    if not sparse:
        output = broadcast_arrays(*output)
    return tuple([x.copy() for x in output]) if copy else tuple(output)


def indices(dimensions, dtype=int, sparse=False):
    """Index arrays of a grid: one array per axis, stacked (a tuple where sparse)."""
    dimensions = tuple(dimensions)
    n = len(dimensions)
    parts = []
    for i, length in enumerate(dimensions):
        shape = (1,) * i + (length,) + (1,) * (n - i - 1)
        parts.append(arange(length, dtype=dtype).reshape(shape))
    if sparse:
        return tuple(parts)
    result = empty((n,) + dimensions, dtype)
    for i, part in enumerate(parts):
        result[i] = part
    return result


def tri(N, M=None, k=0, dtype=float, *, like=None):
    """Ones at and below the k-th diagonal, zeros above."""
    from rocarray._core import methods
    cols = N if M is None else M
    mask = methods.greater_equal(arange(N).reshape(-1, 1), arange(-k, cols - k))
    return mask.astype(dtype)


def tril(m, k=0):
    """A copy with the elements above the k-th diagonal zeroed."""
    return _triangle(as_device(m), k, True)


def triu(m, k=0):
    """A copy with the elements below the k-th diagonal zeroed."""
    return _triangle(as_device(m), k - 1, False)


cdef ndarray _triangle(ndarray m, object k, bint lower):
    cdef ndarray mask
    from rocarray._core import methods
    if m.ndim == 0:
        raise TypeError("tril() and triu() need an array of rank 1 or more, got a 0-d array")
    if m.ndim == 1:
        m = m.reshape(1, -1)
        m = m.repeat(m.shape[1], 0)
    mask = tri(m.shape_[m.ndim - 2], m.shape_[m.ndim - 1], k, bool)
    if not lower:
        mask = methods.invert(mask)
    return methods.select_where(mask, m, zeros(1, m.dtype))


def vander(x, N=None, increasing=False):
    """A Vandermonde matrix: powers of `x` as columns."""
    from rocarray._core import methods
    x = as_device(x)
    if x.ndim != 1:
        raise ValueError("x must be a one-dimensional array or sequence.")
    n = x.shape[0] if N is None else N
    dtype = np.promote_types(x.dtype, int)
    exponents = arange(n) if increasing else arange(n - 1, -1, -1)
    return methods.power(x.astype(dtype).reshape(-1, 1), exponents.astype(dtype))
