"""Device memory: the caching pools, blocks, pointers, and copies.

The policy is `pool.hpp`; here are the device calls, the lock, and the rule that memory which
another stream has used is not handed out again before that stream has passed it.
"""

import gc
import sys

import numpy as np

cimport cython
from cpython.buffer cimport PyBuffer_FillInfo
from fastrlock.rlock cimport create_fastrlock, lock_fastrlock, unlock_fastrlock
from libc.stdint cimport uintptr_t

from rocarray._core.device cimport current_device, set_device
from rocarray._core.stream cimport Event, current_stream, stream_handle
from rocarray._rocm.hip.calls cimport (
    hipFree_status, hipHostFree_status, hipHostMalloc, hipMalloc_status, hipMemGetInfo,
    hipMemcpyAsync, hipMemsetAsync, hipStreamSynchronize)
from rocarray._rocm.hip.types cimport (
    hipErrorOutOfMemory, hipHostMallocDefault, hipMemcpyDefault, hipStream_t)

from rocarray._rocm.errors import DeviceMemoryError, make_error

cdef extern from "rocarray/_core/pool.hpp" namespace "rocarray" nogil:
    cdef cppclass PoolStatistics:
        size_t live_bytes, reserved_bytes, peak_live_bytes, peak_reserved_bytes
        size_t n_live, n_allocations, n_segments, n_segment_allocations

    cdef cppclass Pool:
        Pool(void* (*reserve)(void*, size_t), void (*release)(void*, void*), void* context)
        Block* allocate(size_t n_bytes, uintptr_t stream)
        void free(Block* block)
        size_t release_free()
        void set_limit(size_t n_bytes)
        size_t limit()
        const PoolStatistics& statistics()
        size_t n_free_blocks()

cdef list _pools = []             # _DevicePool by device
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
@cython.freelist(128)
cdef class MemoryBlock:
    def __dealloc__(self):
        if self.block != NULL and self.pool is not None:
            try:
                self.pool.free(self)
            except BaseException:
                pass    # a destructor never raises; the device is gone or the process ends

    @property
    def address(self):
        return <uintptr_t>self.ptr


@cython.final
cdef class _DevicePool:
    """The pool of one device, with its lock and the blocks that wait for other streams."""

    def __cinit__(self, int device):
        self.device = device
        self.pending = []
        self.lock = create_fastrlock()
        self.pool = <void*>new Pool(_reserve, _release, NULL)

    cdef MemoryBlock allocate(self, size_t n_bytes):
        cdef Pool* pool = <Pool*>self.pool
        cdef hipStream_t stream = current_stream()
        cdef MemoryBlock result = MemoryBlock.__new__(MemoryBlock)
        cdef Block* block
        result.device = self.device
        result.stream = stream
        result.n_bytes = n_bytes
        if n_bytes == 0:
            return result
        lock_fastrlock(self.lock, -1, True)
        try:
            if self.pending:
                self.collect_pending(False)
            block = pool.allocate(n_bytes, <uintptr_t>stream)
            if block == NULL:
                block = self._retry(n_bytes, stream)
        finally:
            unlock_fastrlock(self.lock)
        result.block = block
        result.ptr = block.address
        result.pool = self
        return result

    cdef Block* _retry(self, size_t n_bytes, hipStream_t stream) except NULL:
        """What is left to try: blocks that other streams hold, then garbage in cycles."""
        cdef Pool* pool = <Pool*>self.pool
        cdef Block* block
        self.collect_pending(True)
        block = pool.allocate(n_bytes, <uintptr_t>stream)
        if block == NULL:
            gc.collect()
            self.collect_pending(True)
            pool.release_free()
            block = pool.allocate(n_bytes, <uintptr_t>stream)
        if block == NULL:
            self._raise_out_of_memory(n_bytes)
        return block

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

    cdef int free(self, MemoryBlock block) except -1:
        lock_fastrlock(self.lock, -1, True)
        try:
            if block.other_streams is not None and not sys.is_finalizing():
                self._defer(block)
            else:
                (<Pool*>self.pool).free(block.block)
        finally:
            unlock_fastrlock(self.lock)
        return 0

    cdef int _defer(self, MemoryBlock block) except -1:
        """Keeps a block until the other streams that used it have passed this point."""
        cdef int device = current_device()
        events = []
        if device != self.device:
            set_device(self.device)
        try:
            for handle in block.other_streams:
                event = Event(timing=False)
                event.record(handle)
                events.append(event)
        finally:
            if device != self.device:
                set_device(device)
        self.pending.append((<uintptr_t>block.block, events))
        return 0

    cdef int collect_pending(self, bint wait) except -1:
        still = []
        for address, events in self.pending:
            if wait:
                for event in events:
                    event.synchronize()
            elif not all([event.query() for event in events]):
                still.append((address, events))
                continue
            (<Pool*>self.pool).free(<Block*><uintptr_t>address)
        self.pending = still
        return 0


cdef _DevicePool _pool_of(int device):
    while len(_pools) <= device:
        _pools.append(_DevicePool(len(_pools)))
    return <_DevicePool>_pools[device]


cdef MemoryBlock allocate(size_t n_bytes):
    """A block of the current device, from the arena of the current stream."""
    cdef int device = current_device()
    if _allocator is not None:
        return (<MemoryBlock?>_allocator(n_bytes).mem)
    if device < len(_pools):
        return (<_DevicePool>_pools[device]).allocate(n_bytes)
    return _pool_of(device).allocate(n_bytes)


cdef int note_other_stream(MemoryBlock block, hipStream_t stream) except -1:
    handle = <uintptr_t>stream
    if block.block == NULL:
        return 0
    if block.other_streams is None:
        block.other_streams = [handle]
    elif handle not in block.other_streams:
        block.other_streams.append(handle)
    return 0


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


# ---- public classes -------------------------------------------------------------------------

class MemoryPointer:
    """An address in a block of device memory.

    Parameters
    ----------
    mem : MemoryBlock
        The block, which stays alive with the pointer.
    offset : int
        Bytes from the block's start.
    """

    __slots__ = ("mem", "offset")

    def __init__(self, mem, offset=0):
        self.mem, self.offset = mem, offset

    @property
    def ptr(self):
        return self.mem.address + self.offset if self.mem is not None else 0

    @property
    def device(self):
        from rocarray._core.device import Device
        return Device(self.mem.device)

    def __int__(self):
        return self.ptr

    def __add__(self, n_bytes):
        return MemoryPointer(self.mem, self.offset + int(n_bytes))

    def __sub__(self, n_bytes):
        return MemoryPointer(self.mem, self.offset - int(n_bytes))

    def _check(self, n_bytes):
        if self.offset < 0 or self.offset + n_bytes > self.mem.n_bytes:
            raise ValueError(f"{n_bytes} bytes at offset {self.offset} leave the block of "
                             f"{self.mem.n_bytes} bytes")

    def copy_from_async(self, source, n_bytes, stream=None):
        """Copies from a pointer or an address (host or device), in a stream's order."""
        self._check(n_bytes)
        hipMemcpyAsync(<void*><uintptr_t>self.ptr, <void*><uintptr_t>int(source), n_bytes,
                       hipMemcpyDefault,
                       current_stream() if stream is None else stream_handle(stream))

    def copy_from(self, source, n_bytes):
        """Copies from a pointer or an address, and waits."""
        self.copy_from_async(source, n_bytes)
        hipStreamSynchronize(current_stream())

    copy_from_device_async = copy_from_host_async = copy_from_async
    copy_from_device = copy_from_host = copy_from

    def copy_to_host(self, target, n_bytes):
        """Copies to a host address, and waits."""
        self._check(n_bytes)
        copy_to_host(<void*><uintptr_t>int(target), <void*><uintptr_t>self.ptr, n_bytes,
                     current_stream())

    def memset_async(self, value, n_bytes, stream=None):
        """Sets bytes, in a stream's order."""
        self._check(n_bytes)
        memset_async(<void*><uintptr_t>self.ptr, value, n_bytes,
                     current_stream() if stream is None else stream_handle(stream))

    def memset(self, value, n_bytes):
        """Sets bytes, and waits."""
        self.memset_async(value, n_bytes)
        hipStreamSynchronize(current_stream())


def UnownedMemory(address, n_bytes, owner, device=None):
    """A block over memory that another object owns and keeps alive.

    Parameters
    ----------
    address : int
    n_bytes : int
    owner : object
    device : int, optional
    """
    cdef MemoryBlock block = MemoryBlock.__new__(MemoryBlock)
    block.ptr = <char*><uintptr_t>address
    block.n_bytes = n_bytes
    block.device = current_device() if device is None else device
    block.stream = current_stream()
    block.keep = owner
    return block


class MemoryPool:
    """The caching pool of each device: freed memory is kept and reused, in stream order.

    Examples
    --------
    >>> import rocarray as rp
    >>> pool = rp.get_default_memory_pool()
    >>> x = rp.zeros(1000)
    >>> pool.used_bytes() >= 8000
    True
    """

    def malloc(self, n_bytes):
        """A MemoryPointer to a new block of the current device."""
        if n_bytes < 0:
            raise ValueError(f"malloc() needs a size of 0 or more bytes, got {n_bytes}")
        return MemoryPointer(_pool_of(current_device()).allocate(n_bytes))

    def free_all_blocks(self):
        """Gives all cached memory back to the device (waits for streams that still use it)."""
        cdef _DevicePool pool = _pool_of(current_device())
        lock_fastrlock(pool.lock, -1, True)
        try:
            pool.collect_pending(True)
            (<Pool*>pool.pool).release_free()
        finally:
            unlock_fastrlock(pool.lock)

    def statistics(self):
        """Live, reserved and peak bytes, numbers of blocks, segments and allocations."""
        cdef PoolStatistics stats = (<Pool*>_pool_of(current_device()).pool).statistics()
        return {
            "live_bytes": stats.live_bytes,
            "reserved_bytes": stats.reserved_bytes,
            "peak_live_bytes": stats.peak_live_bytes,
            "peak_reserved_bytes": stats.peak_reserved_bytes,
            "n_live": stats.n_live,
            "n_allocations": stats.n_allocations,
            "n_segments": stats.n_segments,
            "n_segment_allocations": stats.n_segment_allocations,
        }

    def used_bytes(self):
        """Bytes of blocks that arrays hold."""
        return self.statistics()["live_bytes"]

    def total_bytes(self):
        """Bytes taken from the device."""
        return self.statistics()["reserved_bytes"]

    def free_bytes(self):
        """Bytes taken from the device that nobody holds."""
        return self.total_bytes() - self.used_bytes()

    def n_free_blocks(self):
        """Number of cached free blocks."""
        return (<Pool*>_pool_of(current_device()).pool).n_free_blocks()

    def set_limit(self, size=None, fraction=None):
        """Limits the memory taken from the current device.

        Parameters
        ----------
        size : int, optional
            Bytes; 0 for no limit.
        fraction : float, optional
            Of the device's total memory, 0 to 1.
        """
        cdef size_t free = 0, total = 0
        if (size is None) == (fraction is None):
            raise ValueError("set_limit() needs one of size= (bytes) and fraction= (0 to 1)")
        if fraction is not None:
            if not 0 <= fraction <= 1:
                raise ValueError(f"fraction must be from 0 to 1, got {fraction}")
            current_device()
            hipMemGetInfo(&free, &total)
            size = int(total * fraction)
        if size < 0:
            raise ValueError(f"size must be 0 (no limit) or more bytes, got {size}")
        (<Pool*>_pool_of(current_device()).pool).set_limit(size)

    def get_limit(self):
        """The limit of the current device in bytes; 0 for none."""
        return (<Pool*>_pool_of(current_device()).pool).limit()


cdef class PinnedMemory:
    """Page-locked host memory; `pinned_array` makes NumPy arrays over it."""
    cdef void* pointer
    cdef readonly size_t n_bytes

    def __init__(self, size_t n_bytes):
        current_device()
        self.n_bytes = n_bytes
        hipHostMalloc(&self.pointer, max(n_bytes, 1), hipHostMallocDefault)

    def __dealloc__(self):
        if self.pointer != NULL and not sys.is_finalizing():
            hipHostFree_status(self.pointer)

    @property
    def ptr(self):
        return <uintptr_t>self.pointer

    def __getbuffer__(self, Py_buffer* buffer, int flags):
        PyBuffer_FillInfo(buffer, self, self.pointer, self.n_bytes, 0, flags)


class PinnedMemoryPool:
    """Keeps freed page-locked host memory by size class, for copies that overlap with work."""

    def __init__(self):
        self._free = {}

    def malloc(self, n_bytes):
        """A PinnedMemory of at least `n_bytes`."""
        size = 1 << max(9, (max(n_bytes, 1) - 1).bit_length())
        cached = self._free.get(size)
        return cached.pop() if cached else PinnedMemory(size)

    def free(self, memory):
        """Puts memory that is no longer used back."""
        self._free.setdefault(memory.n_bytes, []).append(memory)

    def free_all_blocks(self):
        """Gives the cached memory back to the system."""
        self._free.clear()

    def n_free_blocks(self):
        return sum(map(len, self._free.values()))


_default_pool = MemoryPool()
_default_pinned_pool = PinnedMemoryPool()


def get_default_memory_pool():
    """The pool that arrays come from."""
    return _default_pool


def get_default_pinned_memory_pool():
    """The pool of page-locked host memory."""
    return _default_pinned_pool


def pinned_empty(shape, dtype=float, order="C"):
    """An uninitialised numpy.ndarray in page-locked host memory."""
    dtype = np.dtype(dtype)
    n_items = int(np.prod(shape, dtype=np.int64))
    memory = PinnedMemory(n_items * dtype.itemsize)
    return np.frombuffer(memory, dtype, n_items).reshape(shape, order=order)


def set_allocator(allocator=None):
    """Replaces the pool by a function that takes bytes and returns a MemoryPointer.

    None brings the default pool back.
    """
    global _allocator
    if allocator is not None and not callable(allocator):
        raise TypeError(f"an allocator is a function of a size, got {type(allocator).__name__}")
    _allocator = None if getattr(allocator, "__self__", None) is _default_pool else allocator


def get_allocator():
    """The current allocator function."""
    return _default_pool.malloc if _allocator is None else _allocator


class using_allocator:
    """Context manager: `set_allocator` inside the block, the one before after it."""

    def __init__(self, allocator=None):
        self.allocator = allocator

    def __enter__(self):
        self.previous = get_allocator()
        set_allocator(self.allocator)

    def __exit__(self, *exception):
        set_allocator(self.previous)
