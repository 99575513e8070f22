"""Moving and converting: host to device and back, casts, copies, assignment into views."""

import numpy as np

cimport numpy as cnp
from libc.string cimport memset

from rocarray._core.device cimport current_device
from rocarray._core.dtypes cimport (
    BFLOAT16, BOOL, DTYPES, N_TYPES, code_of, is_complex_code, pack_scalar)
from rocarray._core.elementwise cimport ElementwiseLoop, Operand, make_loop, use_operand
from rocarray._core.layout cimport (
    MAX_NDIM, broadcast_into, broadcast_strides, byte_extent, iteration_order, stride_order)
from rocarray._core.memory cimport (
    copy_device_to_device, copy_to_device, copy_to_host, note_stream)
from rocarray._core.ndarray cimport (
    ndarray, new_array, new_array_ordered, new_fortran_array, new_view, shape_of)
from rocarray._core.stream cimport Event, Stream, current_stream, stream_handle
from rocarray._rocm.hip.calls cimport hipMemcpyPeerAsync, hipStreamWaitEvent
from rocarray._rocm.hip.types cimport hipStream_t

from rocarray._core import methods

cnp.import_array()

cdef list _cast_loops = [None] * (N_TYPES * N_TYPES)
cdef list _where_loops = [None] * N_TYPES


cdef ElementwiseLoop _cast_loop(int source, int target):
    cdef ElementwiseLoop loop = _cast_loops[source * N_TYPES + target]
    if loop is None:
        loop = make_loop("cast/" + _identifier(source), "cast", (source,), (target,))
        _cast_loops[source * N_TYPES + target] = loop
    return loop


cdef ElementwiseLoop _where_loop(int code):
    cdef ElementwiseLoop loop = _where_loops[code]
    if loop is None:
        loop = _where_loops[code] = make_loop("where/where", "where", (BOOL, code, code), (code,))
    return loop


cdef str _identifier(int code):
    from rocarray._kernels.programs import identifier
    from rocarray._core.dtypes import type_char
    return identifier(type_char(code))


cdef int _launch_cast(ndarray source, ndarray target, const Py_ssize_t* source_strides) except -1:
    cdef Operand operands[2]
    operands[0].data = source.data_
    operands[0].strides = source_strides
    operands[1].data = target.data_
    operands[1].strides = target.strides_
    return _cast_loop(source.code, target.code).run(target.ndim, target.shape_, operands)


cdef ndarray cast_array(ndarray a, int code):
    """A new array of another type in the same memory order."""
    return copy_array(a, "K", code)


cdef ndarray copy_array(ndarray a, object order, int code):
    """A copy as type `code`; `order` as in numpy.copy ('K' keeps the memory order)."""
    cdef int axes[MAX_NDIM]
    cdef ndarray result
    use_operand(a)
    if order in ("F", "f") or (order in ("A", "a", "K", "k") and a.f_contiguous
                               and not a.c_contiguous):
        result = new_fortran_array(code, a.ndim, a.shape_)
    elif order in ("C", "c", "A", "a") or a.c_contiguous:
        result = new_array(code, a.ndim, a.shape_)
    elif order in ("K", "k"):
        stride_order(a.ndim, a.strides_, axes)
        result = new_array_ordered(code, a.ndim, a.shape_, axes)
    else:
        raise ValueError(f"order must be one of 'C', 'F', 'A', or 'K' (got {order!r})")
    if a.size == 0:
        return result
    if a.code == code and _same_strides(a, result):
        copy_device_to_device(result.data_, a.data_, a.size * a.itemsize, current_stream())
    else:
        _launch_cast(a, result, a.strides_)
    return result


cdef bint _same_strides(ndarray a, ndarray b) noexcept:
    return (a.c_contiguous and b.c_contiguous) or (a.f_contiguous and b.f_contiguous)


cdef ndarray from_host(object values, int code):
    """A device array with the values of a NumPy array, as type `code`, in its memory order."""
    cdef cnp.ndarray host
    cdef ndarray result
    cdef int ndim
    if code != BFLOAT16 or values.dtype != DTYPES[code]:
        values = values.astype(DTYPES[code], copy=False)
    if not values.dtype.isnative:
        values = values.astype(DTYPES[code])
    if not (values.flags.c_contiguous or values.flags.f_contiguous):
        values = np.ascontiguousarray(values)
    host = values
    ndim = host.ndim
    if host.flags.c_contiguous:
        result = new_array(code, ndim, <const Py_ssize_t*>host.shape)
    else:
        result = new_fortran_array(code, ndim, <const Py_ssize_t*>host.shape)
    if result.size:
        copy_to_device(result.data_, cnp.PyArray_DATA(host), result.size * result.itemsize,
                       current_stream())
    return result


cdef ndarray as_device(object x):
    """`x` itself where it is a device array, else its values on the current device."""
    if isinstance(x, ndarray):
        return x
    if hasattr(x, "__cuda_array_interface__"):
        return methods.from_cuda_array_interface(x)
    if hasattr(x, "__rocarray__"):
        return x.__rocarray__()
    host = _host_array(x, None)
    return from_host(host, code_of(host.dtype))


def _host_array(x, dtype):
    """A NumPy array from anything array-like; nested device arrays are fetched."""
    if isinstance(x, (list, tuple)) and _holds_device_array(x):
        x = _fetch_nested(x)
    return np.asarray(x, dtype=dtype)


cdef bint _holds_device_array(object x):
    if isinstance(x, ndarray):
        return True
    if isinstance(x, (list, tuple)):
        for item in x:
            if _holds_device_array(item):
                return True
    return False


def _fetch_nested(x):
    if isinstance(x, ndarray):
        return asnumpy(x)
    if isinstance(x, (list, tuple)):
        return [_fetch_nested(item) for item in x]
    return x


# ---- assignment -----------------------------------------------------------------------------

cdef int fill_array(ndarray target, object value) except -1:
    """Sets every element to one host value."""
    cdef Operand operands[2]
    memset(operands, 0, sizeof(operands))
    pack_scalar(value, target.code, operands[0].value)
    if target.size == 0:
        return 0
    use_operand(target)
    operands[1].data = target.data_
    operands[1].strides = target.strides_
    return _cast_loop(target.code, target.code).run(target.ndim, target.shape_, operands)


cdef int assign_array(ndarray target, ndarray source, object where) except -1:
    """target[...] = source (broadcast, cast), only where the mask holds if there is one."""
    cdef Py_ssize_t strides[MAX_NDIM]
    cdef Py_ssize_t shape[MAX_NDIM]
    cdef ndarray view = source
    cdef int i
    # NumPy drops leading axes of length 1 of the source.
    while view.ndim > target.ndim and view.shape_[0] == 1:
        view = new_view(view, view.data_, view.ndim - 1, view.shape_ + 1, view.strides_ + 1)
    for i in range(target.ndim):
        shape[i] = target.shape_[i]
    if broadcast_into(target.ndim, shape, view.ndim, view.shape_) != target.ndim or not _equal(
            target.ndim, shape, target.shape_):
        raise ValueError(
            f"could not broadcast input array from shape {_shape_text(source)} into shape "
            f"{_shape_text(target)}")
    if target.size == 0:
        return 0
    use_operand(view)
    use_operand(target)
    if _may_overlap(view, target):
        if view.data_ == target.data_ and view.code == target.code and _equal_layout(view, target):
            return 0
        view = copy_array(view, "K", view.code)
    broadcast_strides(target.ndim, target.shape_, view.ndim, view.shape_, view.strides_, strides)
    if where is True:
        return _launch_cast(view, target, strides)
    return _assign_masked(target, view, as_device(where))


cdef int _assign_masked(ndarray target, ndarray source, ndarray mask) except -1:
    """target = where(mask, source, target), in place."""
    cdef Operand operands[4]
    cdef Py_ssize_t mask_strides[MAX_NDIM]
    cdef Py_ssize_t source_strides[MAX_NDIM]
    if source.code != target.code:
        source = copy_array(source, "K", target.code)
    if mask.code != BOOL:
        mask = copy_array(mask, "K", BOOL)
    if broadcast_check(target, mask) < 0:
        raise ValueError(
            f"a where= mask of shape {shape_of(mask)} does not broadcast to "
            f"{shape_of(target)}")
    use_operand(mask)
    broadcast_strides(target.ndim, target.shape_, mask.ndim, mask.shape_, mask.strides_,
                      mask_strides)
    broadcast_strides(target.ndim, target.shape_, source.ndim, source.shape_, source.strides_,
                      source_strides)
    operands[0].data = mask.data_
    operands[0].strides = mask_strides
    operands[1].data = source.data_
    operands[1].strides = source_strides
    operands[2].data = target.data_
    operands[2].strides = target.strides_
    operands[3] = operands[2]
    return _where_loop(target.code).run(target.ndim, target.shape_, operands)


cdef int broadcast_check(ndarray target, ndarray other) noexcept:
    cdef Py_ssize_t shape[MAX_NDIM]
    cdef int i
    for i in range(target.ndim):
        shape[i] = target.shape_[i]
    if broadcast_into(target.ndim, shape, other.ndim, other.shape_) != target.ndim:
        return -1
    return 0 if _equal(target.ndim, shape, target.shape_) else -1


cdef bint _equal(int n, const Py_ssize_t* a, const Py_ssize_t* b) noexcept:
    cdef int i
    for i in range(n):
        if a[i] != b[i]:
            return False
    return True


cdef bint _equal_layout(ndarray a, ndarray b) noexcept:
    return (a.ndim == b.ndim and _equal(a.ndim, a.shape_, b.shape_)
            and _equal(a.ndim, a.strides_, b.strides_))


cdef bint _may_overlap(ndarray a, ndarray b) noexcept:
    cdef Py_ssize_t low, high, other_low, other_high
    byte_extent(a.ndim, a.shape_, a.strides_, a.itemsize, &low, &high)
    byte_extent(b.ndim, b.shape_, b.strides_, b.itemsize, &other_low, &other_high)
    return a.data_ + low < b.data_ + other_high and b.data_ + other_low < a.data_ + high


cdef str _shape_text(ndarray a):
    return str(shape_of(a)).replace(" ", "")


# ---- public functions -----------------------------------------------------------------------

def assign(ndarray target, value, where=True):
    """target[...] = value for anything array-like (the last step of every setitem)."""
    cdef ndarray source
    if not target.writable:
        raise ValueError("assignment destination is read-only")
    if where is True and (isinstance(value, (bool, int, float, complex, np.generic)) or (
            isinstance(value, np.ndarray) and value.ndim == 0)):
        fill_array(target, value)
        return
    if isinstance(value, ndarray):
        source = value
    else:
        host = _host_array(value, None)
        source = from_host(host, target.code if host.dtype != object else code_of(host.dtype))
    assign_array(target, source, where)


def copyto(dst, src, casting="same_kind", where=True):
    """Copies values from one array to another, broadcasting as necessary.

    Parameters
    ----------
    dst : ndarray
    src : array_like
    casting : {'no', 'equiv', 'safe', 'same_kind', 'unsafe'}, optional
    where : array_like of bool, optional
        Only these elements are copied.
    """
    if not isinstance(dst, ndarray):
        raise TypeError(f"copyto() argument 1 must be a rocarray.ndarray, "
                        f"not {type(dst).__name__}")
    if not (<ndarray>dst).writable:
        raise ValueError("assignment destination is read-only")
    if isinstance(src, (int, float, complex)) and not isinstance(src, bool):
        np.copyto(np.empty((), dst.dtype), src, casting=casting)
        if where is True:
            fill_array(dst, src)
            return
        src = full_like_scalar(dst, src)
    source = as_device(src)
    if not np.can_cast(source.dtype, dst.dtype, casting):
        raise TypeError(f"Cannot cast array data from {source.dtype!r} to {dst.dtype!r} "
                        f"according to the rule '{casting}'")
    assign_array(dst, source, where)


def full_like_scalar(ndarray like, value):
    """A 0-d device array of `like`'s type."""
    cdef ndarray result = new_array(like.code, 0, NULL)
    fill_array(result, value)
    return result


def array(object, dtype=None, *, copy=True, order="K", subok=False, ndmin=0, device=None,
          like=None, blocking=True):
    """Makes a device array.

    Parameters
    ----------
    object : array_like
        Device arrays, NumPy arrays, scalars, nested sequences, or anything with
        `__cuda_array_interface__` or the buffer protocol.
    dtype : dtype, optional
        Found from the values where it is absent.
    copy : bool or None, optional
        True (default) always copies, None copies where it must, False raises where it must.
    order : {'K', 'A', 'C', 'F'}, optional
    ndmin : int, optional
        Axes of length 1 are put in front to reach this rank.

    Returns
    -------
    ndarray

    Raises
    ------
    TypeError
        For element types that devices do not hold (object, str, datetime64...).

    Examples
    --------
    >>> import rocarray as rp
    >>> rp.array([[1, 2], [3, 4]], dtype="f4")
    array([[1., 2.],
           [3., 4.]], dtype=float32)
    """
    cdef ndarray result
    cdef int code
    _check_device(device)
    if isinstance(object, ndarray) or hasattr(object, "__cuda_array_interface__"):
        result = as_device(object)
        code = result.code if dtype is None else code_of(dtype)
        fits = code == result.code and (
            order in ("K", "A", "k", "a") or (order in ("C", "c") and result.c_contiguous)
            or (order in ("F", "f") and result.f_contiguous))
        if copy or not fits:
            if copy is False:
                raise ValueError(
                    "Unable to avoid copy while creating an array as requested.\n"
                    "If using `array(obj, copy=False)` replace it with `asarray(obj)` to allow a "
                    "copy when needed.")
            result = copy_array(result, order, code)
    else:
        host = _host_array(object, dtype)
        code = code_of(host.dtype)
        if order in ("C", "c"):
            host = np.asarray(host, order="C")
        elif order in ("F", "f"):
            host = np.asarray(host, order="F")
        result = from_host(host, code)
    if ndmin > result.ndim:
        result = result.reshape((1,) * (ndmin - result.ndim) + result.shape)
    return result


def asarray(a, dtype=None, order=None, *, device=None, copy=None, like=None, blocking=True):
    """Converts to a device array, without a copy where `a` is one already; see `array`."""
    return array(a, dtype, copy=copy, order="K" if order is None else order, device=device)


def _check_device(device):
    if device is None:
        return
    if methods.device_of(device).id != current_device():
        raise ValueError(
            f"device={device!r}: arrays are made on the current device ({current_device()}); "
            "use `with rocarray.hip.Device(n):` around the call")


def asnumpy(a, stream=None, order="C", out=None, *, blocking=True):
    """Copies an array to the host and waits for the values.

    Parameters
    ----------
    a : array_like
    stream : Stream, optional
        Default the current stream.
    order : {'C', 'F', 'A'}, optional
        Memory order of the result.
    out : numpy.ndarray, optional
        Filled and returned; shape and dtype must be those of `a`.

    Returns
    -------
    numpy.ndarray
    """
    cdef ndarray source
    cdef cnp.ndarray host
    if not isinstance(a, ndarray):
        host = np.asarray(a, order=None if order in ("A", "K") else order)
        if out is None:
            return host
        out[...] = host
        return out
    source = a
    if out is not None and (not isinstance(out, np.ndarray) or out.shape != source.shape
                            or out.dtype != source.dtype):
        raise ValueError(
            f"asnumpy(): out must be a numpy.ndarray of shape {source.shape} and dtype "
            f"{source.dtype}, got {type(out).__name__} {getattr(out, 'shape', '')} "
            f"{getattr(out, 'dtype', '')}")
    if stream is not None or source.device_id != current_device():
        with methods.device_of(source.device_id):
            if stream is None:
                return asnumpy(a, None, order, out)
            with stream if isinstance(stream, Stream) else Stream.from_handle(stream):
                return asnumpy(a, None, order, out)
    fortran = order in ("F", "f") or (order in ("A", "K", "a", "k") and source.f_contiguous
                                      and not source.c_contiguous)
    if not (source.f_contiguous if fortran else source.c_contiguous):
        source = copy_array(source, "F" if fortran else "C", source.code)
    else:
        use_operand(source)
    host = np.empty(source.shape, source.dtype, "F" if fortran else "C")
    if source.size:
        copy_to_host(cnp.PyArray_DATA(host), source.data_, source.size * source.itemsize,
                     current_stream())
    if out is None:
        return host
    out[...] = host
    return out


def set_from_host(ndarray target, values, stream=None):
    host = np.asarray(values)
    if host.shape != target.shape:
        raise ValueError(f"set() needs values of shape {target.shape}, got {host.shape}")
    assign(target, host)


def rebuild_from_host(values):
    """What unpickling calls."""
    return from_host(values, code_of(values.dtype))


def astype(x, dtype, order="K", casting="unsafe", copy=True, *, device=None):
    """A copy of `x` as another dtype.

    Float to integer conversion saturates at the integer type's limits and turns NaN into 0, on
    every platform (NumPy leaves these undefined).
    """
    cdef ndarray source = as_device(x)
    cdef int code = code_of(dtype)
    if not np.can_cast(source.dtype, DTYPES[code], casting):
        raise TypeError(f"Cannot cast array data from {source.dtype!r} to {DTYPES[code]!r} "
                        f"according to the rule '{casting}'")
    if not copy and code == source.code and (
            order in ("K", "A", "k", "a") or (order in ("C", "c") and source.c_contiguous)
            or (order in ("F", "f") and source.f_contiguous)):
        return source
    if is_complex_code(source.code) and not is_complex_code(code) and code != BOOL:
        import warnings
        warnings.warn("Casting complex values to real discards the imaginary part",
                      np.exceptions.ComplexWarning, stacklevel=3)
    return copy_array(source, order, code)


def copy(a, order="K", subok=False):
    """A copy of an array, in the memory order that `order` names ('K': as it is)."""
    cdef ndarray source = as_device(a)
    return copy_array(source, order, source.code)


def ravel_in_memory_order(ndarray a):
    """x.ravel('K'): the items in the order in which they lie in memory."""
    cdef int axes[MAX_NDIM]
    cdef Py_ssize_t* rows[1]
    rows[0] = a.strides_
    iteration_order(a.ndim, a.shape_, 1, rows, axes)
    return a.transpose(tuple([axes[i] for i in range(a.ndim)])).ravel()


def to_device(ndarray a, device, stream=None):
    """The array on another device (itself where it is there already).

    The copy runs in the other device's current stream (or `stream`), after what the array's own
    device has queued in its current stream.
    """
    cdef ndarray result, source = a
    cdef hipStream_t handle
    cdef Event event
    cdef int number = methods.device_of(device).id
    if number == a.device_id:
        return a
    with methods.device_of(a.device_id):
        if not a.c_contiguous:
            source = copy_array(a, "C", a.code)
        use_operand(source)
        event = Event(timing=False)
        event.record()
    with methods.device_of(number):
        result = new_array(a.code, a.ndim, a.shape_)
        if a.size:
            handle = current_stream() if stream is None else stream_handle(stream)
            hipStreamWaitEvent(handle, event.handle, 0)
            note_stream(source.memory, handle, number)
            note_stream(result.memory, handle, number)
            hipMemcpyPeerAsync(result.data_, number, source.data_, a.device_id,
                               a.size * a.itemsize, handle)
    return result


def select_where(ndarray condition, x, y):
    """where(condition, x, y) with NumPy's promotion; Python scalars are weak."""
    cdef Py_ssize_t shape[MAX_NDIM]
    cdef Py_ssize_t steps[3][MAX_NDIM]
    cdef Py_ssize_t* rows[3]
    cdef int order[MAX_NDIM]
    cdef Operand operands[4]
    cdef ndarray a, result
    cdef int i, ndim = 0, code
    kinds = [v if isinstance(v, (int, float, complex)) and not isinstance(v, bool) else
             (v.dtype if hasattr(v, "dtype") else np.asarray(v).dtype) for v in (x, y)]
    code = code_of(np.result_type(*kinds))
    arrays = [condition]
    for v in (x, y):
        if np.isscalar(v):
            # Numbers are cast without a check of their range, as in NumPy.
            a = full_like_scalar(new_array(code, 0, NULL), np.asarray(v).astype(DTYPES[code])[()])
        else:
            a = as_device(v)
        arrays.append(a if a.code == code else copy_array(a, "K", code))
    for v in arrays:
        a = v
        ndim = broadcast_into(ndim, shape, a.ndim, a.shape_)
        if ndim < 0:
            raise ValueError("operands could not be broadcast together with shapes "
                             + " ".join([_shape_text(u) for u in arrays]))
    memset(operands, 0, sizeof(operands))
    for i in range(3):
        a = arrays[i]
        broadcast_strides(ndim, shape, a.ndim, a.shape_, a.strides_, steps[i])
        operands[i].data = a.data_
        operands[i].strides = steps[i]
        rows[i] = steps[i]
    iteration_order(ndim, shape, 3, rows, order)
    result = new_array_ordered(code, ndim, shape, order)
    if result.size == 0:
        return result
    for i in range(3):
        use_operand(arrays[i])
    operands[3].data = result.data_
    operands[3].strides = result.strides_
    _where_loop(code).run(ndim, shape, operands)
    return result
