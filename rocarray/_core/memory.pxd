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
    cdef hipStream_t stream       # whose arena it came from; FOREIGN: memory of somebody else
    cdef Block* block
    cdef _DevicePool pool
    cdef object owner             # the Stream, or what keeps foreign memory alive
    cdef list users               # (device, handle, Stream or None) of other streams that used it
    cdef hipStream_t last_user    # the latest of them,
    cdef int last_device          # and its device

cdef class _DevicePool:
    cdef void* pool
    cdef readonly int device
    cdef object lock
    cdef bint busy                # the lock's holder is at work (and may be interrupted by gc)
    cdef bint dirty               # one of the lists has something
    cdef list returned            # (block, users, owner): given back while the lock was held
    cdef list pending             # (block, events, owner): other streams may still use it
    cdef list postponed           # (block, users, owner): events wait for the end of a capture
    cdef list orphans             # (block, users, owner): of streams that others have destroyed
    cdef list doomed              # handles of streams to destroy
    cdef list retired             # (arena, events): free memory of streams that are destroyed
    cdef list spare               # events to reuse

    cdef MemoryBlock allocate(self, size_t n_bytes)
    cdef int give_back(self, Block* block, list users, object owner) except -1
    cdef int destroy_stream(self, hipStream_t stream) except -1
    cdef bint enter(self, bint blocking)
    cdef int leave(self) except -1
    cdef int collect(self, bint everything) except -1
    cdef int wait(self) except -1
    cdef Block* _retry(self, size_t n_bytes, hipStream_t stream) except NULL
    cdef int _raise_out_of_memory(self, size_t n_bytes) except -1
    cdef int _free_or_defer(self, Block* block, list users, object owner) except -1
    cdef list _record(self, list users)
    cdef bint _passed(self, list events) except -1
    cdef int _retire(self, hipStream_t stream) except -1

cdef _DevicePool pool_of(int device)
cdef MemoryBlock allocate(size_t n_bytes)
cdef MemoryBlock foreign_block(void* address, size_t n_bytes, object owner, int device)
cdef int set_allocator_function(object function) except -1
cdef object allocator_function()

# Number of stream captures in progress; blocks that are used meanwhile live as long as the graph.
cdef int n_captures
cdef int begin_tracking(dict blocks) except -1
cdef int end_tracking(dict blocks) except -1

cdef int note_other_stream(MemoryBlock block, hipStream_t stream, int device) except -1

cdef inline int note_stream(MemoryBlock block, hipStream_t stream, int device) except -1:
    """Records that a stream of a device works on the block; its own needs no record."""
    if block.stream != stream or block.device != device or n_captures:
        return note_other_stream(block, stream, device)
    return 0

cdef inline int note_use(MemoryBlock block, hipStream_t stream) except -1:
    """Records that `stream` of the block's device works on it; its own needs no record."""
    if block.stream != stream or n_captures:
        return note_other_stream(block, stream, block.device)
    return 0

cdef int copy_to_device(void* target, const void* source, size_t n_bytes,
                        hipStream_t stream) except -1
cdef int copy_to_host(void* target, const void* source, size_t n_bytes,
                      hipStream_t stream) except -1
cdef int copy_device_to_device(void* target, const void* source, size_t n_bytes,
                               hipStream_t stream) except -1
cdef int memset_async(void* target, int value, size_t n_bytes, hipStream_t stream) except -1
