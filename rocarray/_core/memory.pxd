from rocarray._rocm.hip.types cimport hipStream_t

cdef extern from "rocarray/_core/pool.hpp" namespace "rocarray" nogil:
    cdef cppclass Block:
        char* address
        size_t n_bytes

cdef class MemoryBlock:
    """One allocation. It goes back to its pool when the last array over it is gone."""
    cdef char* ptr
    cdef readonly size_t n_bytes
    cdef readonly int device
    cdef hipStream_t stream       # whose arena it came from
    cdef Block* block
    cdef _DevicePool pool
    cdef list other_streams       # handles of other streams that used it
    cdef object keep

cdef class _DevicePool:
    cdef void* pool
    cdef readonly int device
    cdef list pending             # blocks that other streams may still use
    cdef object lock
    cdef object limit_fraction

    cdef MemoryBlock allocate(self, size_t n_bytes)
    cdef int free(self, MemoryBlock block) except -1
    cdef Block* _retry(self, size_t n_bytes, hipStream_t stream) except NULL
    cdef int _raise_out_of_memory(self, size_t n_bytes) except -1
    cdef int _defer(self, MemoryBlock block) except -1
    cdef int collect_pending(self, bint wait) except -1

cdef MemoryBlock allocate(size_t n_bytes)
cdef int note_other_stream(MemoryBlock block, hipStream_t stream) except -1

cdef inline int note_use(MemoryBlock block, hipStream_t stream) except -1:
    """Records that `stream` works on the block; its own stream needs no record."""
    if block.stream != stream:
        return note_other_stream(block, stream)
    return 0

cdef int copy_to_device(void* target, const void* source, size_t n_bytes,
                        hipStream_t stream) except -1
cdef int copy_to_host(void* target, const void* source, size_t n_bytes,
                      hipStream_t stream) except -1
cdef int copy_device_to_device(void* target, const void* source, size_t n_bytes,
                               hipStream_t stream) except -1
cdef int memset_async(void* target, int value, size_t n_bytes, hipStream_t stream) except -1
