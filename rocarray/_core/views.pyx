"""Views that share memory: broadcasting, arbitrary strides, sliding windows."""

from rocarray._core.layout cimport MAX_NDIM, broadcast_into, byte_extent, parse_shape
from rocarray._core.ndarray cimport broadcast_array, ndarray, new_view, shape_of

from rocarray._core.conversion import asarray


def broadcast_view(ndarray a, shape):
    """`a` in a wider shape, read-only, with stride 0 along repeated axes."""
    cdef Py_ssize_t wanted[MAX_NDIM]
    cdef Py_ssize_t common[MAX_NDIM]
    cdef int i, ndim = parse_shape(shape, wanted)
    cdef bint fits
    cdef ndarray view
    for i in range(ndim):
        common[i] = wanted[i]
    fits = a.ndim <= ndim and broadcast_into(ndim, common, a.ndim, a.shape_) == ndim
    for i in range(ndim):
        fits = fits and common[i] == wanted[i]
    if not fits:
        raise ValueError(
            "operands could not be broadcast together with remapped shapes [original->remapped]: "
            f"{str(shape_of(a)).replace(' ', '')}  and requested shape "
            f"{str(tuple([wanted[i] for i in range(ndim)])).replace(' ', '')}")
    view = broadcast_array(a, ndim, wanted)
    view.writable = False
    return view


def as_strided(x, shape=None, strides=None, subok=False, writeable=True):
    """A view with any shape and strides (bytes), checked to stay inside the memory block.

    Raises
    ------
    ValueError
        Where the view would reach outside of the memory that `x` belongs to.
    """
    cdef ndarray a = asarray(x)
    cdef Py_ssize_t dims[MAX_NDIM]
    cdef Py_ssize_t steps[MAX_NDIM]
    cdef Py_ssize_t low, high
    cdef int i, ndim = parse_shape(a.shape if shape is None else shape, dims)
    cdef char* first
    strides = tuple(a.strides if strides is None else strides)
    if len(strides) != ndim:
        raise ValueError(f"as_strided(): {ndim} axes need {ndim} strides, got {strides}")
    for i in range(ndim):
        steps[i] = strides[i]
    byte_extent(ndim, dims, steps, a.itemsize, &low, &high)
    if a.memory is not None:
        first = a.memory.ptr
        if high > low and (a.data_ + low < first
                           or a.data_ + high > first + a.memory.n_bytes):
            raise ValueError(
                f"as_strided(): shape {tuple([dims[i] for i in range(ndim)])} with strides "
                f"{strides} reaches outside of the array's memory block of "
                f"{a.memory.n_bytes} bytes")
    view = new_view(a, a.data_, ndim, dims, steps)
    view.writable = a.writable and bool(writeable)
    return view


def sliding_window_view(x, window_shape, axis=None, *, subok=False, writeable=False):
    """Read-only views of all windows of a shape, as numpy.lib.stride_tricks has it."""
    cdef ndarray a = asarray(x)
    window = tuple(window_shape) if hasattr(window_shape, "__len__") else (window_shape,)
    if any(w < 0 for w in window):
        raise ValueError("`window_shape` cannot contain negative values")
    if axis is None:
        axes = tuple(range(a.ndim))
        if len(window) != a.ndim:
            raise ValueError(
                f"Since axis is None, must provide window_shape for all dimensions of `x`; got "
                f"{len(window)} window_shape elements and `x.ndim` is {a.ndim}.")
    else:
        axes = tuple(i % a.ndim for i in (axis if hasattr(axis, "__len__") else (axis,)))
        if len(window) != len(axes):
            raise ValueError(
                f"Must provide matching length window_shape and axis; got {len(window)} "
                f"window_shape elements and {len(axes)} axes elements.")
    shape, strides = list(a.shape), a.strides + tuple(a.strides[i] for i in axes)
    for i, w in zip(axes, window):
        if shape[i] < w:
            raise ValueError("window shape cannot be larger than input array shape")
        shape[i] -= w - 1
    return as_strided(a, tuple(shape) + window, strides, writeable=writeable)
