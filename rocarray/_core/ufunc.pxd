from rocarray._core.elementwise cimport ElementwiseLoop
from rocarray._core.ndarray cimport BinaryOperator, ndarray


cdef class ufunc(BinaryOperator):
    cdef readonly str __name__
    cdef readonly int nin
    cdef readonly int nout
    cdef readonly object identity
    cdef readonly object reference      # NumPy's ufunc of this name: promotion is its
    cdef readonly object row            # the table row
    cdef readonly str __doc__
    cdef dict _loops                    # (in codes, out codes) -> ElementwiseLoop
    cdef dict _resolved                 # operand types and options -> ElementwiseLoop
    cdef bint _is_power
    cdef list _fast                     # operand type(s) -> loop that needs no cast

    cdef object _call1(self, ndarray a)
    cdef bint _fast_into(self, ndarray a, ndarray b, ndarray out) except -1
    cdef int _check_exponents(self, ndarray exponents, object value, object where, int ndim,
                              Py_ssize_t* shape) except -1
    cdef object _with_scalar(self, ElementwiseLoop loop, ndarray x, object scalar, int position)
    cdef object _remember_fast(self, tuple types, object dtype, object casting,
                               ElementwiseLoop loop)
    cdef ElementwiseLoop _resolve_operands(self, list types, list out_types, list values,
                                           object dtype, object casting)
    cdef int _broadcast(self, list arrays, tuple out, object where, Py_ssize_t* shape) except -1
    cdef object _run(self, ElementwiseLoop loop, list arrays, list values, tuple out,
                     object where, object order, int ndim, Py_ssize_t* shape)
    cdef ElementwiseLoop resolve(self, tuple operand_types, object dtype, object casting)
    cdef ElementwiseLoop loop_of(self, tuple in_codes, tuple out_codes)
    cdef object execute(self, tuple inputs, tuple out, object where, object casting,
                        object order, object dtype)
