"""The memory pool, pointers and allocator hooks as users see them."""

from libc.stdint cimport uintptr_t

from rocarray._core.device cimport current_device
from rocarray._core.memory cimport (
    MemoryBlock, allocator_function, foreign_block, memset_async, note_stream, pool_of,
    set_allocator_function)
from rocarray._core.stream cimport current_stream, stream_handle
from rocarray._rocm.hip.calls cimport hipMemcpyAsync, hipMemGetInfo, hipStreamSynchronize
from rocarray._rocm.hip.types cimport hipMemcpyDefault, hipStream_t

from rocarray._core.memory import pool_statistics, release_cached, set_pool_limit


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

    def copy_from_async(self, source, n_bytes, stream=None):
        """Copies from a pointer or an address (host or device), in a stream's order."""
        cdef hipStream_t handle = current_stream() if stream is None else stream_handle(stream)
        _check_range("copy_from", self, n_bytes)
        if isinstance(source, MemoryPointer):
            _check_range("copy_from", source, n_bytes)
            _note(source.mem, handle)
        _note(self.mem, handle)
        hipMemcpyAsync(<void*><uintptr_t>self.ptr, <void*><uintptr_t>int(source), n_bytes,
                       hipMemcpyDefault, handle)

    def copy_from(self, source, n_bytes):
        """Copies from a pointer or an address, and waits."""
        self.copy_from_async(source, n_bytes)
        hipStreamSynchronize(current_stream())

    copy_from_device_async = copy_from_host_async = copy_from_async
    copy_from_device = copy_from_host = copy_from

    def copy_to_host_async(self, target, n_bytes, stream=None):
        """Copies to a host address, in a stream's order; page-locked memory does not wait."""
        cdef hipStream_t handle = current_stream() if stream is None else stream_handle(stream)
        _check_range("copy_to_host", self, n_bytes)
        _note(self.mem, handle)
        hipMemcpyAsync(<void*><uintptr_t>int(target), <void*><uintptr_t>self.ptr, n_bytes,
                       hipMemcpyDefault, handle)

    def copy_to_host(self, target, n_bytes):
        """Copies to a host address, and waits."""
        self.copy_to_host_async(target, n_bytes)
        hipStreamSynchronize(current_stream())

    def memset_async(self, value, n_bytes, stream=None):
        """Sets bytes, in a stream's order."""
        cdef hipStream_t handle = current_stream() if stream is None else stream_handle(stream)
        _check_range("memset", self, n_bytes)
        _note(self.mem, handle)
        memset_async(<void*><uintptr_t>self.ptr, value, n_bytes, handle)

    def memset(self, value, n_bytes):
        """Sets bytes, and waits."""
        self.memset_async(value, n_bytes)
        hipStreamSynchronize(current_stream())


cdef int _note(MemoryBlock block, hipStream_t stream) except -1:
    return note_stream(block, stream, current_device())


def _check_range(what, pointer, n_bytes):
    n_held = 0 if pointer.mem is None else pointer.mem.n_bytes
    if n_bytes < 0 or pointer.offset < 0 or pointer.offset + n_bytes > n_held:
        raise ValueError(f"{what}(): {n_bytes} bytes at offset {pointer.offset} leave the block of "
                         f"{n_held} bytes")


def UnownedMemory(address, n_bytes, owner, device=None):
    """A block over memory that another object owns and keeps alive.

    Parameters
    ----------
    address : int
    n_bytes : int
    owner : object
    device : int, optional
    """
    if n_bytes < 0:
        raise ValueError(f"UnownedMemory() needs a size of 0 or more bytes, got {n_bytes}")
    return foreign_block(<void*><uintptr_t>address, n_bytes, owner,
                         current_device() if device is None else device)


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
        return MemoryPointer(pool_of(current_device()).allocate(n_bytes))

    def free_all_blocks(self):
        """Gives all cached memory back to the device (waits for streams that still use it).

        The peaks of `statistics` start again.
        """
        release_cached(current_device())

    def statistics(self):
        """Live, reserved and peak bytes, numbers of blocks, segments and allocations."""
        return pool_statistics(current_device())

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
        return self.statistics()["n_free_blocks"]

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
        set_pool_limit(current_device(), size)

    def get_limit(self):
        """The limit of the current device in bytes; 0 for none."""
        return self.statistics()["limit"]


_default_pool = MemoryPool()


def get_default_memory_pool():
    """The pool that arrays come from."""
    return _default_pool


def set_allocator(allocator=None):
    """Replaces the pool by a function that takes bytes and returns a MemoryPointer.

    None brings the default pool back.
    """
    if allocator is not None and not callable(allocator):
        raise TypeError(
            "set_allocator() takes a function of a number of bytes that returns a "
            f"rocarray.hip.MemoryPointer, got {type(allocator).__name__}")
    is_default = getattr(allocator, "__self__", None) is _default_pool
    set_allocator_function(None if is_default else allocator)


def get_allocator():
    """The current allocator function."""
    function = allocator_function()
    return _default_pool.malloc if function is None else function


class using_allocator:
    """Context manager: `set_allocator` inside the block, the one before after it."""

    def __init__(self, allocator=None):
        self.allocator = allocator

    def __enter__(self):
        self.previous = get_allocator()
        set_allocator(self.allocator)

    def __exit__(self, *exception):
        set_allocator(self.previous)
