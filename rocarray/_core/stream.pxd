from rocarray._rocm.hip.types cimport hipEvent_t, hipStream_t

cdef hipStream_t current_stream() noexcept

cdef class Stream:
    cdef hipStream_t handle
    cdef readonly int device_id
    cdef bint owned
    cdef object keep
    cdef list previous

cdef class Event:
    cdef hipEvent_t handle
    cdef readonly int device_id
    cdef readonly bint timing

cdef hipStream_t stream_handle(object stream) except? NULL
