from rocarray._core.ndarray cimport ndarray

cdef ndarray as_device(object x)
cdef ndarray cast_array(ndarray a, int code)
cdef ndarray copy_array(ndarray a, object order, int code)
cdef int assign_array(ndarray target, ndarray source, object where) except -1
cdef int fill_array(ndarray target, object value) except -1
cdef ndarray from_host(object values, int code)
