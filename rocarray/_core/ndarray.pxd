"""The device array: a block of device memory seen through a dtype, a shape and strides."""

from rocarray._core.memory cimport MemoryBlock

cdef enum:
    INLINE_NDIM = 8


cdef class ndarray:
    cdef readonly object dtype
    cdef readonly object base
    cdef MemoryBlock memory        # keeps the memory alive; None for zero bytes of it
    cdef char* data_               # address of element (0, ..., 0)
    cdef int code                  # TypeCode of dtype
    cdef int device_id
    cdef readonly int ndim
    cdef readonly Py_ssize_t size
    cdef readonly Py_ssize_t itemsize
    cdef Py_ssize_t* shape_
    cdef Py_ssize_t* strides_      # bytes
    cdef Py_ssize_t[16] inline_    # shape and strides of arrays up to INLINE_NDIM axes
    cdef Py_ssize_t* heap_         # the same for more axes
    cdef bint c_contiguous
    cdef bint f_contiguous
    cdef bint writable
    cdef object __weakref__


cdef class BinaryOperator:
    """What an operator such as `+` calls; ufunc fills it in."""
    cdef object call2(self, object a, object b)
    cdef object call2_into(self, object a, object b, ndarray out)


cdef ndarray new_array(int code, int ndim, const Py_ssize_t* shape)
cdef ndarray new_array_ordered(int code, int ndim, const Py_ssize_t* shape,
                               const int* order)
cdef ndarray new_fortran_array(int code, int ndim, const Py_ssize_t* shape)
cdef ndarray new_view(ndarray a, char* data, int ndim, const Py_ssize_t* shape,
                      const Py_ssize_t* strides)
cdef ndarray new_view_as(ndarray a, int code, char* data, int ndim, const Py_ssize_t* shape,
                         const Py_ssize_t* strides)
cdef ndarray from_memory(MemoryBlock memory, char* data, int code, int ndim,
                         const Py_ssize_t* shape, const Py_ssize_t* strides, object base)
cdef ndarray reshape_array(ndarray a, int ndim, const Py_ssize_t* shape, bint fortran, bint copy)
cdef ndarray transpose_array(ndarray a, const int* axes)
cdef ndarray broadcast_array(ndarray a, int ndim, const Py_ssize_t* shape)
cdef tuple shape_of(ndarray a)
cdef ndarray view_by_key(ndarray a, tuple key)
cdef int resolve_shape(ndarray a, object newshape, Py_ssize_t* shape) except -1
