"""The device array class: attributes, views, basic indexing, operators.

Everything that computes lives in another module and is reached through two small doors, since
those modules need this class first: `BinaryOperator` objects for the operators, and
`bind_methods` for the rest (`rocarray._core` fills both when it is imported).
"""

import operator
import numpy as np

cimport cython
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.slice cimport PySlice_AdjustIndices, PySlice_Unpack
from libc.string cimport memcpy

from rocarray._core.dtypes cimport DTYPES, ITEM_SIZES, code_of, is_complex_code, is_integer_code
from rocarray._core.layout cimport (
    MAX_NDIM, broadcast_strides, count_items, fill_c_strides, fill_f_strides, is_c_contiguous,
    is_f_contiguous, normalize_axis, parse_shape, reshape_strides, to_tuple)
from rocarray._core.memory cimport MemoryBlock, allocate

from rocarray._core.pools import MemoryPointer


cdef class BinaryOperator:
    cdef object call2(self, object a, object b):
        raise NotImplementedError

    cdef object call2_into(self, object a, object b, ndarray out):
        raise NotImplementedError


# ---- construction ---------------------------------------------------------------------------

cdef inline int _set_rank(ndarray a, int ndim) except -1:
    a.ndim = ndim
    if ndim <= INLINE_NDIM:
        a.shape_ = a.inline_
        a.strides_ = a.inline_ + INLINE_NDIM
        return 0
    a.heap_ = <Py_ssize_t*>PyMem_Malloc(2 * ndim * sizeof(Py_ssize_t))
    if a.heap_ == NULL:
        raise MemoryError()
    a.shape_ = a.heap_
    a.strides_ = a.heap_ + ndim
    return 0


cdef inline ndarray _blank(int code, int ndim, const Py_ssize_t* shape):
    cdef ndarray a = ndarray.__new__(ndarray)
    _set_rank(a, ndim)
    a.code = code
    a.dtype = DTYPES[code]
    a.itemsize = ITEM_SIZES[code]
    a.writable = True
    if ndim:
        memcpy(a.shape_, shape, ndim * sizeof(Py_ssize_t))
    a.size = count_items(ndim, shape)
    return a


cdef inline int _allocate_for(ndarray a) except -1:
    if a.size > (<Py_ssize_t>0x7FFFFFFFFFFFFFFF) // a.itemsize:
        raise ValueError(
            f"array is too big: shape {to_tuple(a.ndim, a.shape_)} of {a.dtype} "
            "needs more than 2**63 - 1 bytes")
    a.memory = allocate(a.size * a.itemsize)
    a.data_ = a.memory.ptr
    a.device_id = a.memory.device
    return 0


cdef ndarray new_array(int code, int ndim, const Py_ssize_t* shape):
    """An uninitialised array in C order on the current device."""
    cdef ndarray a = _blank(code, ndim, shape)
    fill_c_strides(ndim, shape, a.itemsize, a.strides_)
    _allocate_for(a)
    a.c_contiguous = True
    a.f_contiguous = ndim < 2 or is_f_contiguous(ndim, a.shape_, a.strides_, a.itemsize)
    return a


cdef ndarray new_fortran_array(int code, int ndim, const Py_ssize_t* shape):
    cdef ndarray a = _blank(code, ndim, shape)
    fill_f_strides(ndim, shape, a.itemsize, a.strides_)
    _allocate_for(a)
    a.f_contiguous = True
    a.c_contiguous = ndim < 2 or is_c_contiguous(ndim, a.shape_, a.strides_, a.itemsize)
    return a


cdef ndarray new_array_ordered(int code, int ndim, const Py_ssize_t* shape, const int* order):
    """An uninitialised array whose memory order is `order` (axes, slowest first)."""
    cdef ndarray a = _blank(code, ndim, shape)
    cdef Py_ssize_t step = a.itemsize
    cdef int i
    for i in range(ndim - 1, -1, -1):
        a.strides_[order[i]] = step
        if shape[order[i]] > 1:
            step *= shape[order[i]]
    _allocate_for(a)
    _update_flags(a)
    return a


cdef inline void _update_flags(ndarray a) noexcept:
    a.c_contiguous = is_c_contiguous(a.ndim, a.shape_, a.strides_, a.itemsize)
    a.f_contiguous = is_f_contiguous(a.ndim, a.shape_, a.strides_, a.itemsize)


cdef ndarray new_view_as(ndarray a, int code, char* data, int ndim, const Py_ssize_t* shape,
                         const Py_ssize_t* strides):
    cdef ndarray view = _blank(code, ndim, shape)
    if ndim:
        memcpy(view.strides_, strides, ndim * sizeof(Py_ssize_t))
    view.memory = a.memory
    view.data_ = data
    view.device_id = a.device_id
    view.base = a if a.base is None else a.base
    view.writable = a.writable
    _update_flags(view)
    return view


cdef ndarray new_view(ndarray a, char* data, int ndim, const Py_ssize_t* shape,
                      const Py_ssize_t* strides):
    return new_view_as(a, a.code, data, ndim, shape, strides)


cdef ndarray from_memory(MemoryBlock memory, char* data, int code, int ndim,
                         const Py_ssize_t* shape, const Py_ssize_t* strides, object base):
    """An array over existing device memory; C order where `strides` is NULL."""
    cdef ndarray a = _blank(code, ndim, shape)
    if strides == NULL:
        fill_c_strides(ndim, shape, a.itemsize, a.strides_)
    elif ndim:
        memcpy(a.strides_, strides, ndim * sizeof(Py_ssize_t))
    a.memory = memory
    a.data_ = data
    a.device_id = memory.device
    a.base = base
    _update_flags(a)
    return a


cdef tuple shape_of(ndarray a):
    return to_tuple(a.ndim, a.shape_)


# ---- views ----------------------------------------------------------------------------------

cdef ndarray reshape_array(ndarray a, int ndim, const Py_ssize_t* shape, bint fortran, bint copy):
    """A view of another shape with as many items, or where that cannot be a copy (if allowed)."""
    cdef Py_ssize_t strides[MAX_NDIM]
    if a.size == 0 or (a.c_contiguous and not fortran):
        fill_c_strides(ndim, shape, a.itemsize, strides)
        if a.size == 0 and fortran:
            fill_f_strides(ndim, shape, a.itemsize, strides)
    elif a.f_contiguous and fortran:
        fill_f_strides(ndim, shape, a.itemsize, strides)
    elif not reshape_strides(a.ndim, a.shape_, a.strides_, a.itemsize, ndim, shape, fortran,
                             strides):
        if not copy:
            raise ValueError("Unable to avoid creating a copy while reshaping.")
        a = _methods.copy(a, "F" if fortran else "C")
        if fortran:
            fill_f_strides(ndim, shape, a.itemsize, strides)
        else:
            fill_c_strides(ndim, shape, a.itemsize, strides)
        return _rebase(a, new_view(a, a.data_, ndim, shape, strides))
    return new_view(a, a.data_, ndim, shape, strides)


cdef ndarray _rebase(ndarray temporary, ndarray view):
    """A view of a copy that nobody else holds is an array of its own."""
    view.base = None
    return view


cdef ndarray transpose_array(ndarray a, const int* axes):
    """Axes permuted; reversed where `axes` is NULL."""
    cdef Py_ssize_t shape[MAX_NDIM]
    cdef Py_ssize_t strides[MAX_NDIM]
    cdef int i, axis
    for i in range(a.ndim):
        axis = a.ndim - 1 - i if axes == NULL else axes[i]
        shape[i] = a.shape_[axis]
        strides[i] = a.strides_[axis]
    return new_view(a, a.data_, a.ndim, shape, strides)


cdef ndarray broadcast_array(ndarray a, int ndim, const Py_ssize_t* shape):
    """A read-only-by-convention view with stride 0 along repeated axes; the caller checked."""
    cdef Py_ssize_t strides[MAX_NDIM]
    broadcast_strides(ndim, shape, a.ndim, a.shape_, a.strides_, strides)
    return new_view(a, a.data_, ndim, shape, strides)


cdef int resolve_shape(ndarray a, object newshape, Py_ssize_t* shape) except -1:
    """Reads a reshape target with at most one -1."""
    cdef int i, ndim, unknown = -1
    cdef Py_ssize_t known = 1
    if not isinstance(newshape, (tuple, list)):
        newshape = (newshape,)
    ndim = len(newshape)
    if ndim > MAX_NDIM:
        raise ValueError(
            f"maximum supported dimension for an ndarray is currently {MAX_NDIM}, found {ndim}")
    for i in range(ndim):
        shape[i] = operator.index(newshape[i])
        if shape[i] == -1:
            if unknown >= 0:
                raise ValueError("can only specify one unknown dimension")
            unknown = i
        elif shape[i] < 0:
            raise ValueError("negative dimensions not allowed")
        else:
            known *= shape[i]
    if unknown >= 0 and known > 0 and a.size % known == 0:
        shape[unknown] = a.size // known
        known = a.size
    elif unknown >= 0:
        known = -1
    if known != a.size:
        raise ValueError(
            f"cannot reshape array of size {a.size} into shape "
            f"({','.join([str(int(n)) for n in newshape])}{',' if ndim == 1 else ''})")
    return ndim


cdef ndarray _component(ndarray a, int index):
    """The real (0) or imaginary (1) parts as a view."""
    cdef int code = code_of(np.dtype(f"f{a.itemsize // 2}"))
    return new_view_as(a, code, a.data_ + index * a.itemsize // 2, a.ndim,
                       a.shape_, a.strides_)


cdef ndarray _view_as(ndarray a, int code):
    """The same bytes as another type; the last axis changes with the item size."""
    cdef Py_ssize_t shape[MAX_NDIM]
    cdef Py_ssize_t strides[MAX_NDIM]
    cdef Py_ssize_t size = ITEM_SIZES[code]
    cdef int last = a.ndim - 1
    memcpy(shape, a.shape_, a.ndim * sizeof(Py_ssize_t))
    memcpy(strides, a.strides_, a.ndim * sizeof(Py_ssize_t))
    if size != a.itemsize:
        if a.ndim == 0:
            raise ValueError(
                "Changing the dtype of a 0d array is only supported if the itemsize "
                "is unchanged")
        if strides[last] != a.itemsize and shape[last] != 1 and a.size:
            raise ValueError(
                "To change to a dtype of a different size, the last axis must be contiguous")
        if shape[last] * a.itemsize % size:
            raise ValueError(
                "When changing to a larger dtype, its size must be a divisor of the total "
                "size in bytes of the last axis of the array.")
        shape[last] = shape[last] * a.itemsize // size
        strides[last] = size
    return new_view_as(a, code, a.data_, a.ndim, shape, strides)


# ---- basic indexing -------------------------------------------------------------------------

cdef ndarray view_by_key(ndarray a, tuple key):
    """Applies ints, slices, Ellipsis and None; None where the key holds anything else."""
    cdef Py_ssize_t shape[MAX_NDIM]
    cdef Py_ssize_t strides[MAX_NDIM]
    cdef Py_ssize_t start, stop, step, length, index
    cdef char* data = a.data_
    cdef int axis = 0, ndim = 0, consumed = 0, fill
    cdef bint has_ellipsis = False
    for item in key:
        if item is Ellipsis:
            if has_ellipsis:
                raise IndexError("an index can only have a single ellipsis ('...')")
            has_ellipsis = True
        elif type(item) is slice or type(item) is int:
            consumed += 1
        elif item is not None:
            if isinstance(item, (bool, np.bool_, ndarray, np.ndarray)) or not hasattr(
                    item, "__index__"):
                return None
            consumed += 1
    if consumed > a.ndim:
        raise IndexError(
            f"too many indices for array: array is {a.ndim}-dimensional, "
            f"but {consumed} were indexed")
    fill = a.ndim - consumed
    if not has_ellipsis:
        key += (Ellipsis,)
    for item in key:
        if ndim + (fill if item is Ellipsis else 1) > MAX_NDIM:
            raise IndexError(f"number of dimensions must be within [0, {MAX_NDIM}]")
        if item is None:
            shape[ndim] = 1
            strides[ndim] = 0
            ndim += 1
        elif item is Ellipsis:
            for _ in range(fill):
                shape[ndim] = a.shape_[axis]
                strides[ndim] = a.strides_[axis]
                ndim += 1
                axis += 1
        elif type(item) is slice:
            PySlice_Unpack(item, &start, &stop, &step)
            length = PySlice_AdjustIndices(a.shape_[axis], &start, &stop, step)
            if length > 0:
                data += start * a.strides_[axis]
            shape[ndim] = length
            strides[ndim] = a.strides_[axis] * step
            ndim += 1
            axis += 1
        else:
            index = operator.index(item)
            if index < -a.shape_[axis] or index >= a.shape_[axis]:
                raise IndexError(
                    f"index {index} is out of bounds for axis {axis} with size {a.shape_[axis]}")
            data += (index + a.shape_[axis] if index < 0 else index) * a.strides_[axis]
            axis += 1
    return new_view(a, data, ndim, shape, strides)


cdef inline ndarray _slice_first(ndarray a, slice item):
    """a[start:stop:step], the commonest index, without a tuple."""
    cdef Py_ssize_t shape[MAX_NDIM]
    cdef Py_ssize_t strides[MAX_NDIM]
    cdef Py_ssize_t start, stop, step, length
    cdef char* data = a.data_
    PySlice_Unpack(item, &start, &stop, &step)
    length = PySlice_AdjustIndices(a.shape_[0], &start, &stop, step)
    if length > 0:
        data += start * a.strides_[0]
    memcpy(shape, a.shape_, a.ndim * sizeof(Py_ssize_t))
    memcpy(strides, a.strides_, a.ndim * sizeof(Py_ssize_t))
    shape[0] = length
    strides[0] = a.strides_[0] * step
    return new_view(a, data, a.ndim, shape, strides)


# ---- late binding ---------------------------------------------------------------------------

cdef object NO_VALUE = np._NoValue   # "not given", where None is a value
cdef object _methods = None          # module-like: functions that methods call
cdef list _operators = []            # BinaryOperator by the numbers below

cdef enum:
    ADD, SUBTRACT, MULTIPLY, TRUE_DIVIDE, FLOOR_DIVIDE, REMAINDER, POWER, LEFT_SHIFT
    RIGHT_SHIFT, AND, OR, XOR, LESS, LESS_EQUAL, EQUAL, NOT_EQUAL, GREATER, GREATER_EQUAL, MATMUL
    DIVMOD


def bind_methods(methods, operators):
    """Connects the class to the modules that compute; `rocarray._core` calls it once.

    Parameters
    ----------
    methods : module
        Functions that take the array first; method `x.sum(...)` calls `methods.sum(x, ...)`.
    operators : list of BinaryOperator
        In the order of the enum above.
    """
    global _methods, _operators
    _methods = methods
    _operators = operators


cdef inline object _binary(int number, object a, object b):
    # Objects that ask for precedence (their __array_ufunc__ is None) get their reflected method.
    if type(b) is not ndarray and type(b) is not float and type(b) is not int:
        if _defers(a, b):
            return NotImplemented
    return (<BinaryOperator>_operators[number]).call2(a, b)


cdef bint _defers(object a, object b) except -1:
    """Whether operator handling belongs to `b`: it opts out, or wraps arrays with priority."""
    if isinstance(b, (np.ndarray, np.generic, bool, int, float, complex, list, tuple, ndarray)):
        return False
    ufunc_hook = getattr(type(b), "__array_ufunc__", False)
    if ufunc_hook is None:
        return True
    if ufunc_hook is False:
        return getattr(b, "__array_priority__", 0) > ndarray.__array_priority__ or not hasattr(
            b, "__array_interface__") and not hasattr(b, "__cuda_array_interface__")
    return False


cdef inline object _in_place(int number, ndarray a, object b):
    return (<BinaryOperator>_operators[number]).call2_into(a, b, a)


# ---- the class ------------------------------------------------------------------------------

@cython.freelist(64)
cdef class ndarray:
    """A multi-dimensional array in device memory.

    Made by `rocarray.array`, `empty`, `zeros`, `asarray` and so on; the constructor is the
    low-level form that NumPy's has.

    Parameters
    ----------
    shape : int or sequence of int
    dtype : dtype, optional
        Default float64.
    memptr : MemoryPointer, optional
        Existing device memory; uninitialised memory is allocated where it is absent.
    strides : sequence of int, optional
        In bytes.
    order : {'C', 'F'}, optional

    Examples
    --------
    >>> import rocarray as rp
    >>> x = rp.arange(6).reshape(2, 3)
    >>> (x + 1).sum()
    array(21)
    """

    __array_priority__ = 100
    __hash__ = None

    def __dealloc__(self):
        if self.heap_ != NULL:
            PyMem_Free(self.heap_)

    def __init__(self, shape, dtype=float, memptr=None, strides=None, order="C"):
        cdef Py_ssize_t dims[MAX_NDIM]
        cdef Py_ssize_t steps[MAX_NDIM]
        cdef int ndim = parse_shape(shape, dims)
        self.code = code_of(np.dtype(dtype))
        self.dtype = DTYPES[self.code]
        self.itemsize = ITEM_SIZES[self.code]
        self.writable = True
        _set_rank(self, ndim)
        memcpy(self.shape_, dims, ndim * sizeof(Py_ssize_t))
        self.size = count_items(ndim, dims)
        if strides is not None:
            if parse_strides(strides, steps) != ndim:
                raise ValueError(f"strides must have {ndim} items, got {strides!r}")
            memcpy(self.strides_, steps, ndim * sizeof(Py_ssize_t))
        elif order in ("F", "f"):
            fill_f_strides(ndim, dims, self.itemsize, self.strides_)
        else:
            fill_c_strides(ndim, dims, self.itemsize, self.strides_)
        if memptr is None:
            if strides is not None:
                raise ValueError("strides need memptr: the memory that they describe")
            _allocate_for(self)
        else:
            self.memory = <MemoryBlock?>memptr.mem
            self.data_ = <char*><size_t>memptr.ptr
            self.device_id = self.memory.device
        _update_flags(self)

    # -- attributes --

    @property
    def shape(self):
        return to_tuple(self.ndim, self.shape_)

    @shape.setter
    def shape(self, value):
        cdef Py_ssize_t dims[MAX_NDIM]
        cdef int ndim = resolve_shape(self, value, dims)
        cdef ndarray view = reshape_array(self, ndim, dims, False, False)
        if self.heap_ != NULL:
            PyMem_Free(self.heap_)
            self.heap_ = NULL
        _set_rank(self, ndim)
        memcpy(self.shape_, view.shape_, ndim * sizeof(Py_ssize_t))
        memcpy(self.strides_, view.strides_, ndim * sizeof(Py_ssize_t))
        _update_flags(self)

    @property
    def strides(self):
        return to_tuple(self.ndim, self.strides_)

    @property
    def nbytes(self):
        return self.size * self.itemsize

    @property
    def flags(self):
        return Flags(self)

    @property
    def T(self):
        return self if self.ndim < 2 else transpose_array(self, NULL)

    @property
    def mT(self):
        if self.ndim < 2:
            raise ValueError(f"matrix transpose with ndim < 2 is undefined, got ndim {self.ndim}")
        return _methods.swapaxes(self, -1, -2)

    @property
    def data(self):
        """The device address as a MemoryPointer (`.ptr` is the integer)."""
        return MemoryPointer(self.memory, <size_t>self.data_ - <size_t>self.memory.ptr)

    @property
    def device(self):
        return _methods.device_of(self.device_id)

    @property
    def real(self):
        if not is_complex_code(self.code):
            return self
        return _component(self, 0)

    @real.setter
    def real(self, value):
        self.real[...] = value

    @property
    def imag(self):
        if not is_complex_code(self.code):
            return _methods.zeros_like(self)
        return _component(self, 1)

    @imag.setter
    def imag(self, value):
        if not is_complex_code(self.code):
            raise TypeError("array does not have imaginary part to set")
        self.imag[...] = value

    @property
    def flat(self):
        return _methods.flat_iterator(self)

    @flat.setter
    def flat(self, value):
        _methods.flat_iterator(self)[...] = value

    # -- views --

    def reshape(self, *shape, order="C", copy=None):
        cdef Py_ssize_t dims[MAX_NDIM]
        cdef bint fortran
        if len(shape) == 1 and not isinstance(shape[0], int):
            shape = shape[0]
        ndim = resolve_shape(self, shape, dims)
        if order not in ("C", "F", "A", "c", "f", "a"):
            raise ValueError(f"order must be one of 'C', 'F' or 'A', got {order!r}")
        fortran = order in ("F", "f") or (
            order in ("A", "a") and self.f_contiguous and not self.c_contiguous)
        if copy:
            return reshape_array(_methods.copy(self, "F" if fortran else "C"), ndim, dims,
                                 fortran, True)
        return reshape_array(self, ndim, dims, fortran, copy is None)

    def ravel(self, order="C"):
        cdef Py_ssize_t n = self.size
        cdef bint fortran = order in ("F", "f") or (
            order in ("A", "a") and self.f_contiguous and not self.c_contiguous)
        if order in ("K", "k"):
            return _methods.ravel_in_memory_order(self)
        if order not in ("C", "F", "A", "c", "f", "a"):
            raise ValueError(f"order must be one of 'C', 'F', 'A', or 'K' (got '{order}')")
        if not (self.f_contiguous if fortran else self.c_contiguous):
            # Evenly spaced items could be a view, but what ravel returns is contiguous.
            return reshape_array(_methods.copy(self, "F" if fortran else "C"), 1, &n, fortran, True)
        return reshape_array(self, 1, &n, fortran, True)

    def flatten(self, order="C"):
        flat = self.ravel(order)
        return _methods.copy(flat) if flat.base is not None else flat

    def transpose(self, *axes):
        cdef int order[MAX_NDIM]
        cdef int i
        if len(axes) == 1 and (axes[0] is None or isinstance(axes[0], (tuple, list))):
            axes = axes[0]
        if axes is None or (len(axes) == 0 and self.ndim):
            return transpose_array(self, NULL)
        if len(axes) != self.ndim:
            raise ValueError("axes don't match array")
        for i in range(self.ndim):
            order[i] = normalize_axis(axes[i], self.ndim)
        if len({order[i] for i in range(self.ndim)}) != self.ndim:
            raise ValueError("repeated axis in transpose")
        return transpose_array(self, order)

    def swapaxes(self, axis1, axis2):
        return _methods.swapaxes(self, axis1, axis2)

    def squeeze(self, axis=None):
        return _methods.squeeze(self, axis)

    def view(self, dtype=None, type=None):
        if dtype is None:
            return new_view(self, self.data_, self.ndim, self.shape_, self.strides_)
        return _view_as(self, code_of(np.dtype(dtype)))

    # -- indexing --

    def __getitem__(self, key):
        cdef ndarray view
        if type(key) is slice and self.ndim > 0:
            return _slice_first(self, key)
        if self.ndim and type(key) is int:
            key = (key,)
        view = view_by_key(self, key if type(key) is tuple else (key,))
        if view is not None:
            return view
        return _methods.get_advanced(self, key)

    def __setitem__(self, key, value):
        cdef ndarray view
        if not self.writable:
            raise ValueError("assignment destination is read-only")
        view = view_by_key(self, key if type(key) is tuple else (key,))
        if view is not None:
            _methods.assign(view, value)
        else:
            _methods.set_advanced(self, key, value)

    def __len__(self):
        if self.ndim == 0:
            raise TypeError("len() of unsized object")
        return self.shape_[0]

    def __iter__(self):
        if self.ndim == 0:
            raise TypeError("iteration over a 0-d array")
        return iter([self[i] for i in range(self.shape_[0])])

    def __contains__(self, value):
        return bool((self == value).any())

    # -- host values (each synchronises) --

    def get(self, stream=None, order="C", out=None):
        """A numpy.ndarray with this array's values (see `rocarray.asnumpy`)."""
        return _methods.asnumpy(self, stream=stream, order=order, out=out)

    def set(self, values, stream=None):
        """Copies a host array of the same shape into this array."""
        _methods.set_from_host(self, values, stream)

    def item(self, *args):
        return _methods.asnumpy(self if not args else self.ravel() if len(args) == 1 and isinstance(
            args[0], int) else self).item(*args)

    def tolist(self):
        return _methods.asnumpy(self).tolist()

    def tobytes(self, order="C"):
        return _methods.asnumpy(self).tobytes(order)

    def _scalar(self, what):
        if self.size != 1:
            if what == "bool":
                if self.size == 0:
                    raise ValueError("The truth value of an empty array is ambiguous. Use "
                                     "`array.size > 0` to check that an array is not empty.")
                raise ValueError("The truth value of an array with more than one element is "
                                 "ambiguous. Use a.any() or a.all()")
            raise TypeError("only 0-dimensional arrays can be converted to Python scalars")
        if self.ndim and what not in ("bool",):
            raise TypeError("only 0-dimensional arrays can be converted to Python scalars")
        return _methods.asnumpy(self).reshape(())[()]

    def __bool__(self):
        return bool(self._scalar("bool"))

    def __int__(self):
        return int(self._scalar("int"))

    def __float__(self):
        return float(self._scalar("float"))

    def __complex__(self):
        return complex(self._scalar("complex"))

    def __index__(self):
        if self.ndim or not is_integer_code(self.code):
            raise TypeError("only integer scalar arrays can be converted to a scalar index")
        return operator.index(self._scalar("int"))

    def __array__(self, dtype=None, copy=None):
        raise TypeError(
            "rocarray does not move data to the host silently: use rocarray.asnumpy(x) or x.get() "
            "where a numpy.ndarray is wanted, or rocarray's own function on device arrays.")

    def __repr__(self):
        return _methods.array_repr(self)

    def __str__(self):
        return _methods.array_str(self)

    def __format__(self, spec):
        if self.ndim == 0:
            return format(self.item(), spec)
        if spec:
            raise TypeError("unsupported format string passed to rocarray.ndarray.__format__")
        return str(self)

    def __reduce__(self):
        return _methods.rebuild_from_host, (_methods.asnumpy(self, order="A"),)

    def __copy__(self):
        return _methods.copy(self)

    def __deepcopy__(self, memo):
        return _methods.copy(self)

    # -- protocols --

    @property
    def __cuda_array_interface__(self):
        return _methods.cuda_array_interface(self)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        return _methods.to_dlpack(self, stream, max_version, dl_device, copy)

    def __dlpack_device__(self):
        return _methods.dlpack_device(self)

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return _methods.array_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, func, types, args, kwargs):
        return _methods.array_function(func, types, args, kwargs)

    def __array_namespace__(self, *, api_version=None):
        return _methods.array_namespace(api_version)

    # -- operators --

    def __add__(self, other):
        return _binary(ADD, self, other)

    def __radd__(self, other):
        return _binary(ADD, other, self)

    def __iadd__(self, other):
        return _in_place(ADD, self, other)

    def __sub__(self, other):
        return _binary(SUBTRACT, self, other)

    def __rsub__(self, other):
        return _binary(SUBTRACT, other, self)

    def __isub__(self, other):
        return _in_place(SUBTRACT, self, other)

    def __mul__(self, other):
        return _binary(MULTIPLY, self, other)

    def __rmul__(self, other):
        return _binary(MULTIPLY, other, self)

    def __imul__(self, other):
        return _in_place(MULTIPLY, self, other)

    def __truediv__(self, other):
        return _binary(TRUE_DIVIDE, self, other)

    def __rtruediv__(self, other):
        return _binary(TRUE_DIVIDE, other, self)

    def __itruediv__(self, other):
        return _in_place(TRUE_DIVIDE, self, other)

    def __floordiv__(self, other):
        return _binary(FLOOR_DIVIDE, self, other)

    def __rfloordiv__(self, other):
        return _binary(FLOOR_DIVIDE, other, self)

    def __ifloordiv__(self, other):
        return _in_place(FLOOR_DIVIDE, self, other)

    def __mod__(self, other):
        return _binary(REMAINDER, self, other)

    def __rmod__(self, other):
        return _binary(REMAINDER, other, self)

    def __imod__(self, other):
        return _in_place(REMAINDER, self, other)

    def __lshift__(self, other):
        return _binary(LEFT_SHIFT, self, other)

    def __rlshift__(self, other):
        return _binary(LEFT_SHIFT, other, self)

    def __ilshift__(self, other):
        return _in_place(LEFT_SHIFT, self, other)

    def __rshift__(self, other):
        return _binary(RIGHT_SHIFT, self, other)

    def __rrshift__(self, other):
        return _binary(RIGHT_SHIFT, other, self)

    def __irshift__(self, other):
        return _in_place(RIGHT_SHIFT, self, other)

    def __and__(self, other):
        return _binary(AND, self, other)

    def __rand__(self, other):
        return _binary(AND, other, self)

    def __iand__(self, other):
        return _in_place(AND, self, other)

    def __or__(self, other):
        return _binary(OR, self, other)

    def __ror__(self, other):
        return _binary(OR, other, self)

    def __ior__(self, other):
        return _in_place(OR, self, other)

    def __xor__(self, other):
        return _binary(XOR, self, other)

    def __rxor__(self, other):
        return _binary(XOR, other, self)

    def __ixor__(self, other):
        return _in_place(XOR, self, other)

    def __matmul__(self, other):
        return _binary(MATMUL, self, other)

    def __rmatmul__(self, other):
        return _binary(MATMUL, other, self)

    def __imatmul__(self, other):
        return _in_place(MATMUL, self, other)

    def __pow__(self, other, modulo):
        if modulo is not None:
            return NotImplemented
        return _binary(POWER, self, other)

    def __rpow__(self, other, modulo):
        return _binary(POWER, other, self)

    def __ipow__(self, other):
        return _in_place(POWER, self, other)

    def __divmod__(self, other):
        return _binary(DIVMOD, self, other)

    def __rdivmod__(self, other):
        return _binary(DIVMOD, other, self)

    def __lt__(self, other):
        return _binary(LESS, self, other)

    def __le__(self, other):
        return _binary(LESS_EQUAL, self, other)

    def __eq__(self, other):
        return _binary(EQUAL, self, other)

    def __ne__(self, other):
        return _binary(NOT_EQUAL, self, other)

    def __gt__(self, other):
        return _binary(GREATER, self, other)

    def __ge__(self, other):
        return _binary(GREATER_EQUAL, self, other)

    def __neg__(self):
        return _methods.negative(self)

    def __pos__(self):
        return _methods.positive(self)

    def __abs__(self):
        return _methods.absolute(self)

    def __invert__(self):
        return _methods.invert(self)

    # -- methods that compute --

    def astype(self, dtype, order="K", casting="unsafe", subok=True, copy=True):
        return _methods.astype(self, dtype, order, casting, copy)

    def copy(self, order="C"):
        return _methods.copy(self, order)

    def fill(self, value):
        _methods.assign(self, value)

    def conj(self):
        return _methods.conjugate(self) if is_complex_code(self.code) else self

    def conjugate(self, *args, **kwargs):
        return _methods.conjugate(self, *args, **kwargs)

    def dot(self, b, out=None):
        return _methods.dot(self, b, out)

    def to_device(self, device, /, *, stream=None):
        return _methods.to_device(self, device, stream)

    def all(self, axis=None, out=None, keepdims=False, *, where=True):
        return _methods.all(self, axis, out, keepdims=keepdims, where=where)

    def any(self, axis=None, out=None, keepdims=False, *, where=True):
        return _methods.any(self, axis, out, keepdims=keepdims, where=where)

    def argmax(self, axis=None, out=None, *, keepdims=False):
        return _methods.argmax(self, axis, out, keepdims=keepdims)

    def argmin(self, axis=None, out=None, *, keepdims=False):
        return _methods.argmin(self, axis, out, keepdims=keepdims)

    def argpartition(self, kth, axis=-1, kind="introselect", order=None):
        return _methods.argpartition(self, kth, axis, kind, order)

    def argsort(self, axis=-1, kind=None, order=None, *, stable=None):
        return _methods.argsort(self, axis, kind, order, stable=stable)

    def choose(self, choices, out=None, mode="raise"):
        return _methods.choose(self, choices, out, mode)

    def clip(self, min=None, max=None, out=None, **kwargs):
        return _methods.clip(self, min, max, out, **kwargs)

    def compress(self, condition, axis=None, out=None):
        return _methods.compress(self, condition, axis, out)

    def cumprod(self, axis=None, dtype=None, out=None):
        return _methods.cumprod(self, axis, dtype, out)

    def cumsum(self, axis=None, dtype=None, out=None):
        return _methods.cumsum(self, axis, dtype, out)

    def diagonal(self, offset=0, axis1=0, axis2=1):
        return _methods.diagonal(self, offset, axis1, axis2)

    def max(self, axis=None, out=None, keepdims=False, initial=NO_VALUE, where=True):
        return _methods.max(self, axis, out, keepdims=keepdims, initial=initial, where=where)

    def mean(self, axis=None, dtype=None, out=None, keepdims=False, *, where=True):
        return _methods.mean(self, axis, dtype, out, keepdims=keepdims, where=where)

    def min(self, axis=None, out=None, keepdims=False, initial=NO_VALUE, where=True):
        return _methods.min(self, axis, out, keepdims=keepdims, initial=initial, where=where)

    def nonzero(self):
        return _methods.nonzero(self)

    def prod(self, axis=None, dtype=None, out=None, keepdims=False, initial=NO_VALUE, where=True):
        return _methods.prod(
            self, axis, dtype, out, keepdims=keepdims, initial=initial, where=where)

    def put(self, indices, values, mode="raise"):
        return _methods.put(self, indices, values, mode)

    def repeat(self, repeats, axis=None):
        return _methods.repeat(self, repeats, axis)

    def round(self, decimals=0, out=None):
        return _methods.round(self, decimals, out)

    def searchsorted(self, v, side="left", sorter=None):
        return _methods.searchsorted(self, v, side, sorter)

    def std(self, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True):
        return _methods.std(self, axis, dtype, out, ddof, keepdims=keepdims, where=where)

    def sum(self, axis=None, dtype=None, out=None, keepdims=False, initial=NO_VALUE, where=True):
        return _methods.sum(
            self, axis, dtype, out, keepdims=keepdims, initial=initial, where=where)

    def take(self, indices, axis=None, out=None, mode="raise"):
        return _methods.take(self, indices, axis, out, mode)

    def trace(self, offset=0, axis1=0, axis2=1, dtype=None, out=None):
        return _methods.trace(self, offset, axis1, axis2, dtype, out)

    def var(self, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True):
        return _methods.var(self, axis, dtype, out, ddof, keepdims=keepdims, where=where)

    def sort(self, axis=-1, kind=None, order=None, *, stable=None):
        """Sorts in place; NaN last, as `rocarray.sort`."""
        _methods.sort_in_place(self, axis, kind, stable)

    def partition(self, kth, axis=-1, kind="introselect", order=None):
        """Partitions in place, as `rocarray.partition`."""
        _methods.partition_in_place(self, kth, axis)

    def resize(self, *args, **kwargs):
        raise ValueError(
            "a device array cannot change its size in place; rocarray.resize(a, shape) makes "
            "a new one")


class Flags:
    """Memory layout of an array: `c_contiguous`, `f_contiguous`, `owndata`, `writeable`..."""

    def __init__(self, ndarray a):
        self.c_contiguous = a.c_contiguous
        self.f_contiguous = a.f_contiguous
        self.owndata = a.base is None
        self.writeable = a.writable
        self.contiguous = a.c_contiguous
        self.fortran = self.fnc = a.f_contiguous and not a.c_contiguous
        self.forc = a.f_contiguous or a.c_contiguous
        self.aligned = True
        self.behaved = a.writable

    def __getitem__(self, name):
        short = {"C": "c_contiguous", "F": "f_contiguous", "O": "owndata", "W": "writeable"}
        return getattr(self, short.get(name, name.lower()))

    def __repr__(self):
        return "".join(
            f"  {name.upper()} : {getattr(self, name)}\n"
            for name in ("c_contiguous", "f_contiguous", "owndata", "writeable", "aligned"))


cdef int parse_strides(object strides, Py_ssize_t* out) except -1:
    cdef int i = 0
    for value in strides:
        out[i] = operator.index(value)
        i += 1
    return i
