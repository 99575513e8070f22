"""Device memory: the caching pool of each device, its blocks, and copies.

The policy is `pool.hpp`; here are the device calls, the lock, and the rule that memory which
another stream has used is not handed out again before that stream has passed it
(docs/design/memory_and_streams.md).
"""

import gc
import time

cimport cython
from fastrlock.rlock cimport create_fastrlock, lock_fastrlock, unlock_fastrlock
from libc.stdint cimport uintptr_t

from rocarray._core.device cimport current_device, set_device
from rocarray._core.stream cimport (
    Event, StreamSlot, current_slot, find_stream, in_host_function, is_capturing,
    set_destroy_function)
from rocarray._rocm.hip.calls cimport (
    hipDeviceSynchronize_status, hipEventRecord_status, hipFree_status, hipMalloc_status,
    hipMemGetInfo, hipMemcpyAsync, hipMemsetAsync, hipStreamDestroy_status, hipStreamQuery_status,
    hipStreamSynchronize)
from rocarray._rocm.hip.types cimport hipErrorOutOfMemory, hipMemcpyDefault, hipStream_t

from rocarray._rocm.errors import DeviceMemoryError, make_error

cdef extern from "rocarray/_core/pool.hpp" namespace "rocarray" nogil:
    cdef cppclass Arena:
        pass

    cdef cppclass PoolStatistics:
        size_t live_bytes, reserved_bytes, peak_live_bytes, peak_reserved_bytes
        size_t n_live, n_allocations, n_segments, n_segment_allocations

    cdef cppclass Pool:
        Pool(void* (*reserve)(void*, size_t), void (*release)(void*, void*), void* context)
        Block* allocate(size_t n_bytes, uintptr_t stream)
        void free(Block* block)
        Arena* detach(uintptr_t stream)
        void adopt(Arena* arena)
        size_t release_free()
        void reset_peaks()
        void set_limit(size_t n_bytes)
        size_t limit()
        const PoolStatistics& statistics()
        size_t n_free_blocks()

cdef enum:
    PENDING_CHECKS = 8    # entries of `pending` that one allocation looks at
    MAX_SPARE_EVENTS = 64

cdef hipStream_t FOREIGN = <hipStream_t><uintptr_t>-1    # equals no stream: every use is noted

cdef list _pools = []             # _DevicePool by device
cdef list _tracked = []           # per capture in progress: {id: MemoryBlock}
cdef object _allocator = None     # a Python function that replaces the pool, or None
cdef int _last_status = 0


cdef void* _reserve(void* context, size_t n_bytes) noexcept with gil:
    global _last_status
    cdef void* address = NULL
    _last_status = hipMalloc_status(&address, n_bytes)
    return address if _last_status == 0 else NULL


cdef void _release(void* context, void* address) noexcept with gil:
    hipFree_status(address)


@cython.final
@cython.no_gc_clear    # a block in a garbage cycle still needs its pool in __dealloc__
@cython.freelist(128)
cdef class MemoryBlock:
    def __dealloc__(self):
        if self.pool is not None:
            try:
                self.pool.give_back(self.block, self.users, self.owner)
            except BaseException:
                pass    # a destructor never raises; the device is gone or the process ends

    @property
    def address(self):
        return <uintptr_t>self.ptr


@cython.final
cdef class _DevicePool:
    """The pool of one device, its lock, and what waits to go back to it.

    The lock is never held while a stream is waited for, and giving back never waits for the lock:
    the stream may need what the thread that waits holds.
    """

    def __cinit__(self, int device):
        self.device = device
        self.lock = create_fastrlock()
        self.returned, self.pending, self.postponed, self.orphans = [], [], [], []
        self.doomed, self.retired, self.spare = [], [], []
        self.pool = <void*>new Pool(_reserve, _release, NULL)

    cdef bint enter(self, bint blocking):
        """Takes the lock; False where that would wait, or this thread is inside already."""
        if self.busy and not blocking:
            return False
        if not lock_fastrlock(self.lock, -1, blocking):
            return False
        self.busy = True
        return True

    cdef int leave(self) except -1:
        self.busy = False
        unlock_fastrlock(self.lock)
        return 0

    cdef MemoryBlock allocate(self, size_t n_bytes):
        cdef StreamSlot* slot = current_slot()
        cdef hipStream_t stream = slot.handle
        cdef MemoryBlock result = MemoryBlock.__new__(MemoryBlock)
        cdef Block* block
        result.device = self.device
        result.stream = stream
        result.n_bytes = n_bytes
        if n_bytes == 0:
            return result
        if slot.object != NULL:
            result.owner = <object>slot.object
        self.enter(True)
        try:
            if self.dirty:
                self.collect(False)
            block = (<Pool*>self.pool).allocate(n_bytes, <uintptr_t>stream)
        finally:
            self.leave()
        if block == NULL:
            block = self._retry(n_bytes, stream)
        result.block = block
        result.ptr = block.address
        result.pool = self
        if n_captures:
            _track(result, stream)
        return result

    cdef Block* _retry(self, size_t n_bytes, hipStream_t stream) except NULL:
        """What is left to try: blocks that other streams hold, then garbage in cycles."""
        cdef Block* block
        cdef int attempt
        for attempt in range(2):
            if attempt:
                gc.collect()
            self.wait()
            self.enter(True)
            try:
                self.collect(True)
                block = (<Pool*>self.pool).allocate(n_bytes, <uintptr_t>stream)
            finally:
                self.leave()
            if block != NULL:
                return block
        self._raise_out_of_memory(n_bytes)

    cdef int _raise_out_of_memory(self, size_t n_bytes) except -1:
        cdef size_t free = 0, total = 0
        cdef PoolStatistics stats = (<Pool*>self.pool).statistics()
        cdef size_t limit = (<Pool*>self.pool).limit()
        if _last_status != 0 and _last_status != hipErrorOutOfMemory:
            raise make_error("HIPError", "hipMalloc", _last_status, "allocation failed")
        hipMemGetInfo(&free, &total)
        error = DeviceMemoryError("hipMalloc", hipErrorOutOfMemory, "hipErrorOutOfMemory")
        error.args = (
            f"out of memory on device {self.device}: asked for {n_bytes:,} bytes; in use "
            f"{stats.live_bytes:,}, cached {stats.reserved_bytes - stats.live_bytes:,}, limit "
            f"{format(limit, ',') if limit else 'none'}, device free {free:,} of {total:,}. Free "
            "arrays that are no longer needed, work in smaller pieces, or raise the pool's limit "
            "(rocarray.get_default_memory_pool().set_limit)",)
        raise error

    cdef int give_back(self, Block* block, list users, object owner) except -1:
        """Frees a block (NULL: lets go of the owner of foreign memory); never waits."""
        if in_host_function() or not self.enter(False):
            self.returned.append((<uintptr_t>block, users, owner))
            self.dirty = True
            return 0
        try:
            if users is None:
                if block != NULL:
                    (<Pool*>self.pool).free(block)
            else:
                self._free_or_defer(block, users, owner)
        finally:
            self.leave()
        return 0

    cdef int _free_or_defer(self, Block* block, list users, object owner) except -1:
        """Keeps a block until the streams that used it have passed this point."""
        cdef list events = None
        if users is None:
            if block != NULL:
                (<Pool*>self.pool).free(block)
            return 0
        if n_captures:    # an event might become a part of the graph
            self.postponed.append((<uintptr_t>block, users, owner))
            self.dirty = True
            return 0
        events = self._record(users)
        if events is None:
            self.orphans.append((<uintptr_t>block, users, owner))
        elif events:
            self.pending.append((<uintptr_t>block, events, owner))
        elif block != NULL:
            (<Pool*>self.pool).free(block)
        self.dirty = True
        return 0

    cdef list _record(self, list users):
        """Events behind the work of these streams; none of a stream that has no work.

        None where one cannot be recorded: somebody else has destroyed the stream.
        """
        cdef Event event
        cdef int device, before = current_device()
        cdef hipStream_t handle
        cdef list events = []
        try:
            for device, address, _stream in users:
                handle = <hipStream_t><uintptr_t>address
                if device != current_device():
                    set_device(device)    # what the null stream and a new event belong to
                if hipStreamQuery_status(handle) == 0:
                    continue
                if device == self.device and self.spare:
                    event = self.spare.pop()
                else:
                    event = Event(timing=False)
                if hipEventRecord_status(event.handle, handle) != 0:
                    return None
                events.append(event)
        finally:
            if before != current_device():
                set_device(before)
        return events

    cdef bint _passed(self, list events) except -1:
        cdef Event event
        for event in events:
            if not event.passed():
                return False
        for event in events:
            if event.device_id == self.device and len(self.spare) < MAX_SPARE_EVENTS:
                self.spare.append(event)
        return True

    cdef int collect(self, bint everything) except -1:
        """Frees what streams have passed by now. Needs the lock; does not wait.

        Each list may grow meanwhile: the interpreter's garbage collection may run at any step.
        """
        cdef Py_ssize_t n
        while self.returned:
            address, users, owner = self.returned.pop()
            self._free_or_defer(<Block*><uintptr_t>address, users, owner)
        if n_captures:    # no questions about events and streams now
            return 0
        for _ in range(len(self.postponed)):
            address, users, owner = self.postponed.pop()
            self._free_or_defer(<Block*><uintptr_t>address, users, owner)
        n = len(self.pending)
        if not everything and n > PENDING_CHECKS:
            n = PENDING_CHECKS
        while n > 0 and self.pending:
            n -= 1
            address, events, owner = self.pending.pop(0)
            if not self._passed(events):
                self.pending.append((address, events, owner))
            elif <uintptr_t>address != 0:
                (<Pool*>self.pool).free(<Block*><uintptr_t>address)
        for _ in range(len(self.retired)):
            address, events = self.retired.pop(0)
            if self._passed(events):
                (<Pool*>self.pool).adopt(<Arena*><uintptr_t>address)
            else:
                self.retired.append((address, events))
        while self.doomed:
            self._retire(<hipStream_t><uintptr_t>self.doomed.pop())
        self.dirty = bool(self.returned or self.pending or self.postponed or self.retired)
        return 0

    cdef int wait(self) except -1:
        """Waits for all streams that `collect` would ask, without the lock.

        By asking: a thread that waits in HIP for an event keeps others from asking after it.
        """
        cdef Event event
        cdef int device, before = current_device()
        for _address, events, _owner in list(self.pending):
            for event in events:
                pause = 1e-4
                while not event.query():
                    time.sleep(pause)
                    pause = min(2 * pause, 0.01)
        orphans, self.orphans = self.orphans, []
        for address, users, owner in orphans:
            for device, _handle, _stream in users:
                set_device(device)
                hipDeviceSynchronize_status()
            self.returned.append((address, None, owner))
            self.dirty = True
        if before != current_device():
            set_device(before)
        return 0

    cdef int destroy_stream(self, hipStream_t stream) except -1:
        """Destroys a stream; what is cached for it becomes anybody's once its work is done."""
        self.doomed.append(<uintptr_t>stream)
        self.dirty = True
        if not in_host_function() and self.enter(False):
            try:
                while self.doomed:
                    self._retire(<hipStream_t><uintptr_t>self.doomed.pop())
            finally:
                self.leave()
        return 0

    cdef int _retire(self, hipStream_t stream) except -1:
        cdef Arena* arena = (<Pool*>self.pool).detach(<uintptr_t>stream)
        if arena != NULL:
            events = self._record([(self.device, <uintptr_t>stream, None)])
            # Without an event the memory stays unused: the device has failed.
            if events:
                self.retired.append((<uintptr_t>arena, events))
                self.dirty = True
            elif events is not None:
                (<Pool*>self.pool).adopt(arena)
        hipStreamDestroy_status(stream)
        return 0


cdef void _destroy_stream(int device, hipStream_t stream) noexcept:
    try:
        if device < len(_pools):
            (<_DevicePool>_pools[device]).destroy_stream(stream)
        else:
            hipStreamDestroy_status(stream)
    except BaseException:
        pass    # as in MemoryBlock.__dealloc__


set_destroy_function(_destroy_stream)


cdef _DevicePool pool_of(int device):
    while len(_pools) <= device:
        _pools.append(_DevicePool(len(_pools)))
    return <_DevicePool>_pools[device]


cdef MemoryBlock allocate(size_t n_bytes):
    """A block of the current device, from the arena of the current stream."""
    cdef int device = current_device()
    if _allocator is not None:
        return _from_function(n_bytes)
    if device < len(_pools):
        return (<_DevicePool>_pools[device]).allocate(n_bytes)
    return pool_of(device).allocate(n_bytes)


cdef MemoryBlock _from_function(size_t n_bytes):
    """A block from the user's allocator; checked, since arrays rely on it."""
    cdef MemoryBlock block
    cdef Py_ssize_t offset
    pointer = _allocator(n_bytes)
    block = getattr(pointer, "mem", None)
    if block is None:
        raise TypeError(
            f"the allocator function must return a rocarray.hip.MemoryPointer with memory, got "
            f"{type(pointer).__name__}")
    offset = pointer.offset
    if offset < 0 or offset + n_bytes > block.n_bytes:
        raise ValueError(
            f"the allocator function was asked for {n_bytes} bytes, but returned a pointer at "
            f"offset {offset} of a block of {block.n_bytes}")
    if block.device != current_device():
        raise ValueError(
            f"the allocator function returned memory of device {block.device}; the current device "
            f"is {current_device()}")
    if offset == 0 and block.n_bytes == n_bytes:
        return block
    return foreign_block(block.ptr + offset, n_bytes, block, block.device)


cdef MemoryBlock foreign_block(void* address, size_t n_bytes, object owner, int device):
    """A block over memory that `owner` keeps alive, for as long as streams use it."""
    cdef MemoryBlock block = MemoryBlock.__new__(MemoryBlock)
    block.ptr = <char*>address
    block.n_bytes = n_bytes
    block.device = device
    block.stream = FOREIGN
    block.owner = owner
    return block


cdef int set_allocator_function(object function) except -1:
    global _allocator
    _allocator = function
    return 0


cdef object allocator_function():
    return _allocator


# ---- who uses a block -----------------------------------------------------------------------

cdef int note_other_stream(MemoryBlock block, hipStream_t stream, int device) except -1:
    cdef StreamSlot* slot
    if block.block == NULL and block.stream != FOREIGN:
        return 0
    if n_captures:
        _track(block, stream)
        if block.stream == stream and block.device == device:
            return 0
    if block.users is not None and block.last_user == stream and block.last_device == device:
        return 0
    if block.users is None:
        block.users = []
        if block.pool is None:
            block.pool = pool_of(block.device)
    block.last_user, block.last_device = stream, device
    for other_device, handle, _owner in block.users:
        if <uintptr_t>handle == <uintptr_t>stream and other_device == device:
            return 0
    slot = current_slot()
    if slot.handle == stream and slot.object != NULL:
        owner = <object>slot.object
    else:
        owner = None if stream == NULL else find_stream(stream)
    block.users.append((device, <uintptr_t>stream, owner))
    return 0


cdef int _track(MemoryBlock block, hipStream_t stream) except -1:
    if is_capturing(stream):
        for blocks in _tracked:
            blocks[<uintptr_t><void*>block] = block
    return 0


cdef int begin_tracking(dict blocks) except -1:
    """From now on, what capturing streams use is put into `blocks` (by identity)."""
    global n_captures
    _tracked.append(blocks)
    n_captures = <int>len(_tracked)
    return 0


cdef int end_tracking(dict blocks) except -1:
    global n_captures
    _tracked[:] = [other for other in _tracked if other is not blocks]
    n_captures = <int>len(_tracked)
    return 0


# ---- the pool from Python -------------------------------------------------------------------

def pool_statistics(int device):
    """The counters of a device's pool."""
    cdef _DevicePool pool = pool_of(device)
    cdef PoolStatistics stats
    pool.enter(True)
    try:
        pool.collect(False)
        stats = (<Pool*>pool.pool).statistics()
        n_free_blocks = (<Pool*>pool.pool).n_free_blocks()
        limit = (<Pool*>pool.pool).limit()
    finally:
        pool.leave()
    return {
        "live_bytes": stats.live_bytes,
        "reserved_bytes": stats.reserved_bytes,
        "peak_live_bytes": stats.peak_live_bytes,
        "peak_reserved_bytes": stats.peak_reserved_bytes,
        "n_live": stats.n_live,
        "n_allocations": stats.n_allocations,
        "n_segments": stats.n_segments,
        "n_segment_allocations": stats.n_segment_allocations,
        "n_free_blocks": n_free_blocks,
        "limit": limit,
    }


def release_cached(int device):
    """Gives a device's cached memory back, after the streams that still use some of it.

    The peaks of the statistics start again.
    """
    cdef _DevicePool pool = pool_of(device)
    pool.wait()
    pool.enter(True)
    try:
        pool.collect(True)
        (<Pool*>pool.pool).release_free()
        (<Pool*>pool.pool).reset_peaks()
    finally:
        pool.leave()


def set_pool_limit(int device, size_t n_bytes):
    """Limits the memory taken from a device; 0: no limit."""
    (<Pool*>pool_of(device).pool).set_limit(n_bytes)


# ---- copies ---------------------------------------------------------------------------------

cdef int copy_to_device(void* target, const void* source, size_t n_bytes,
                        hipStream_t stream) except -1:
    """Copies host memory, in the stream's order; the source may change when this returns."""
    hipMemcpyAsync(target, source, n_bytes, hipMemcpyDefault, stream)
    hipStreamSynchronize(stream)
    return 0


cdef int copy_to_host(void* target, const void* source, size_t n_bytes,
                      hipStream_t stream) except -1:
    """Copies to host memory and waits for it."""
    hipMemcpyAsync(target, source, n_bytes, hipMemcpyDefault, stream)
    hipStreamSynchronize(stream)
    return 0


cdef int copy_device_to_device(void* target, const void* source, size_t n_bytes,
                               hipStream_t stream) except -1:
    hipMemcpyAsync(target, source, n_bytes, hipMemcpyDefault, stream)
    return 0


cdef int memset_async(void* target, int value, size_t n_bytes, hipStream_t stream) except -1:
    hipMemsetAsync(target, value, n_bytes, stream)
    return 0
