cdef enum:
    MAX_DEVICES = 64

cdef class DeviceInfo:
    """What does not change about a device; asked once."""
    cdef readonly str arch
    cdef readonly str name
    cdef readonly int warp_size
    cdef readonly int n_compute_units
    cdef readonly int max_threads_per_block
    cdef readonly int max_lds_bytes
    cdef readonly size_t total_bytes

cdef int current_device() except -1
cdef int current_device_or_zero() noexcept
cdef int set_device(int number) except -1
cdef int device_count() except -1
cdef DeviceInfo device_info(int number)
cdef bint runtime_alive() noexcept nogil    # False once the interpreter has begun to end
