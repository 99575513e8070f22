from rocarray._rocm.hip.types cimport hipEvent_t, hipStream_t

# What handles 1 and 2 mean to HIP: the null stream, and a stream of each thread.
cdef enum:
    LEGACY_STREAM = 1
    PER_THREAD_STREAM = 2

cdef struct StreamSlot:
    hipStream_t handle
    void* object      # the Stream, borrowed; NULL for the null stream

# The calling thread's stream on its device; neither makes a Python call.
cdef hipStream_t current_stream() noexcept
cdef StreamSlot* current_slot() noexcept

cdef class Stream:
    cdef hipStream_t handle
    cdef int device_number        # -1: the null stream, which every device has
    cdef bint owned
    cdef object keep
    cdef object __weakref__

    cdef int _device_to_use(self) except -1

cdef class Event:
    cdef hipEvent_t handle
    cdef readonly int device_id
    cdef readonly bint timing
    cdef readonly bint blocking

    cdef bint passed(self) noexcept

cdef hipStream_t stream_handle(object stream) except? NULL
cdef Stream find_stream(hipStream_t handle)    # the living Stream that owns a handle, or None
cdef bint is_capturing(hipStream_t stream) noexcept
cdef bint in_host_function() noexcept          # where nothing may call the device

# Destroys a stream of ours once its last owner is gone; memory.pyx knows what else that takes.
ctypedef void (*DestroyFunction)(int device, hipStream_t stream) noexcept
cdef void set_destroy_function(DestroyFunction function) noexcept
