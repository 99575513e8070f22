"""Shapes and strides (bytes) as plain C arrays: no device, no ndarray."""

cdef enum:
    MAX_NDIM = 64

cdef Py_ssize_t count_items(int ndim, const Py_ssize_t* shape) except -1
cdef void fill_c_strides(int ndim, const Py_ssize_t* shape, Py_ssize_t itemsize,
                         Py_ssize_t* strides) noexcept
cdef void fill_f_strides(int ndim, const Py_ssize_t* shape, Py_ssize_t itemsize,
                         Py_ssize_t* strides) noexcept
cdef bint is_c_contiguous(int ndim, const Py_ssize_t* shape, const Py_ssize_t* strides,
                          Py_ssize_t itemsize) noexcept
cdef bint is_f_contiguous(int ndim, const Py_ssize_t* shape, const Py_ssize_t* strides,
                          Py_ssize_t itemsize) noexcept
cdef tuple to_tuple(int ndim, const Py_ssize_t* values)
cdef int parse_shape(object shape, Py_ssize_t* out) except -1
cdef int normalize_axis(object axis, int ndim) except -1
cdef int broadcast_into(int ndim, Py_ssize_t* shape, int other_ndim,
                        const Py_ssize_t* other) noexcept
cdef void broadcast_strides(int ndim, const Py_ssize_t* shape, int src_ndim,
                            const Py_ssize_t* src_shape, const Py_ssize_t* src_strides,
                            Py_ssize_t* out) noexcept
cdef int iteration_order(int ndim, const Py_ssize_t* shape, int n_operands,
                         Py_ssize_t** strides, int* order) noexcept
cdef int reshape_strides(int ndim, const Py_ssize_t* shape, const Py_ssize_t* strides,
                         Py_ssize_t itemsize, int new_ndim, const Py_ssize_t* new_shape,
                         bint fortran, Py_ssize_t* new_strides) noexcept
cdef void byte_extent(int ndim, const Py_ssize_t* shape, const Py_ssize_t* strides,
                      Py_ssize_t itemsize, Py_ssize_t* low, Py_ssize_t* high) noexcept
cdef void stride_order(int ndim, const Py_ssize_t* strides, int* order) noexcept
