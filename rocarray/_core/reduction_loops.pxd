"""Launching reductions; the operations are the rows of `_kernels/tables/reductions.py`."""

from rocarray._core.kernel cimport Kernel
from rocarray._core.ndarray cimport ndarray

cdef enum:
    # What the last step does with an accumulator, as in device/functors/reductions.hpp.
    FINISH_PLAIN = 0
    FINISH_DIVIDE = 1
    FINISH_DIVIDE_SQRT = 2

cdef dict OPERATIONS           # name -> ReductionOp


cdef class ReductionLoop:
    """One instantiation: an operation, the type it reads and the type it makes."""
    cdef readonly str program
    cdef readonly str name
    cdef int in_size
    cdef int acc_size
    cdef int out_code
    cdef Kernel inner_
    cdef Kernel outer_
    cdef Kernel combine_
    cdef int device_             # whose kernels they are; -1 before the first launch

    cdef int prepare(self) except -1


cdef class ReductionOp:
    """One operation: its loops by the types of input and result."""
    cdef readonly str name
    cdef readonly str ufunc_name         # what NumPy's messages call it
    cdef readonly object identity        # of an empty reduction; None where there is none
    cdef list loops                      # [input code * N_TYPES + result code] or None
    cdef list defaults                   # [input code]: the only or usual loop

    cdef ReductionLoop find(self, int source, int target)


cdef ndarray reduce_all(ReductionLoop loop, ndarray a, double divisor, int mode)
cdef ndarray reduce_axes(ReductionLoop loop, ndarray a, const bint* reduced, bint keepdims,
                         ndarray out, ndarray auxiliary, double divisor, int mode)
