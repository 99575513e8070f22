"""Launching one elementwise kernel over operands of any layout."""

from libc.stdint cimport uint64_t

from rocarray._core.kernel cimport Kernel, LaunchShape
from rocarray._core.ndarray cimport ndarray


cdef enum:
    MAX_INPUTS = 6
    MAX_OPERANDS = 8


cdef struct Operand:
    char* data                   # NULL: the value below, the same for every item
    const Py_ssize_t* strides    # bytes, in the iteration shape; NULL for a value
    uint64_t value[2]


cdef class ElementwiseLoop:
    """One instantiation: an operation and the types of its operands."""
    cdef readonly str program
    cdef public str name
    cdef readonly int nin
    cdef readonly int nout
    cdef int[8] codes            # inputs, then outputs
    cdef int vector_             # items of the widest type in 16 bytes
    cdef bint is_copy            # one input, the output of its type and value
    cdef Kernel flat_
    cdef Kernel strided_
    cdef int device_             # whose kernels the two are; -1 before the first launch

    cdef int prepare(self) except -1
    cdef Py_ssize_t _chunk(self, Py_ssize_t n_items, LaunchShape shape) noexcept
    cdef int _run_strided(self, int ndim, Py_ssize_t* dims, Py_ssize_t[64]* steps,
                          const Operand* operands, int first, const Py_ssize_t* offsets) except -1
    cdef int _transposed_input(self, int ndim, const Py_ssize_t* dims,
                               Py_ssize_t[64]* steps) noexcept
    cdef int _run_on_copy(self, int k, int ndim, const Py_ssize_t* dims, Py_ssize_t[64]* steps,
                          const Operand* operands) except -1
    cdef int run_flat(self, Py_ssize_t n_items, const Operand* operands) except -1
    cdef int run(self, int ndim, const Py_ssize_t* shape, const Operand* operands) except -1


cdef ElementwiseLoop make_loop(str program, str stem, tuple in_codes, tuple out_codes)
cdef int use_operand(ndarray a) except -1
cdef bint transposes(int ndim, const Py_ssize_t* dims, const Py_ssize_t* source,
                     const Py_ssize_t* target, int size) noexcept
cdef int run_transposed(int ndim, const Py_ssize_t* dims, const Py_ssize_t* source,
                        const Py_ssize_t* target, const char* data, char* out,
                        int size) except -1
