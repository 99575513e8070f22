"""Page-locked host memory, for copies that overlap with work."""

import math
import operator
import threading

import numpy as np

from cpython.buffer cimport PyBuffer_FillInfo
from libc.stdint cimport uintptr_t

from rocarray._core.device cimport current_device, runtime_alive
from rocarray._rocm.hip.calls cimport hipHostFree_status, hipHostMalloc
from rocarray._rocm.hip.types cimport hipHostMallocDefault


cdef class PinnedMemory:
    """Page-locked host memory; `pinned_empty` makes NumPy arrays over it."""
    cdef void* pointer
    cdef readonly size_t n_bytes

    def __init__(self, n_bytes):
        if self.pointer != NULL:
            raise TypeError("a PinnedMemory is initialised once")
        if n_bytes < 0:
            raise ValueError(f"PinnedMemory() needs a size of 0 or more bytes, got {n_bytes}")
        current_device()
        hipHostMalloc(&self.pointer, max(n_bytes, 1), hipHostMallocDefault)
        self.n_bytes = n_bytes

    def __dealloc__(self):
        if self.pointer != NULL and runtime_alive():
            hipHostFree_status(self.pointer)

    @property
    def ptr(self):
        """The address."""
        return <uintptr_t>self.pointer

    def __int__(self):
        return <uintptr_t>self.pointer

    def __getbuffer__(self, Py_buffer* buffer, int flags):
        PyBuffer_FillInfo(buffer, self, self.pointer, self.n_bytes, 0, flags)


class PinnedMemoryPool:
    """Keeps freed page-locked host memory by size class, for copies that overlap with work.

    Examples
    --------
    >>> import rocarray as rp
    >>> pool = rp.hip.PinnedMemoryPool()
    >>> memory = pool.malloc(1000)
    >>> memory.n_bytes
    1024
    >>> pool.free(memory)
    >>> pool.n_free_blocks()
    1
    """

    def __init__(self):
        self._free = {}
        self._lock = threading.Lock()

    def malloc(self, n_bytes):
        """A PinnedMemory of at least `n_bytes`."""
        if n_bytes < 0:
            raise ValueError(f"malloc() needs a size of 0 or more bytes, got {n_bytes}")
        size = 1 << max(9, (max(n_bytes, 1) - 1).bit_length())
        with self._lock:
            cached = self._free.get(size)
            if cached:
                return cached.pop()
        return PinnedMemory(size)

    def free(self, memory):
        """Puts memory back that neither the host nor a stream uses any more."""
        if not isinstance(memory, PinnedMemory):
            raise TypeError(
                f"free() takes a PinnedMemory of this pool, got {type(memory).__name__}")
        with self._lock:
            blocks = self._free.setdefault(memory.n_bytes, [])
            if any(block is memory for block in blocks):
                raise ValueError("free(): this memory was given back before")
            blocks.append(memory)

    def free_all_blocks(self):
        """Gives the cached memory back to the system."""
        with self._lock:
            self._free.clear()

    def n_free_blocks(self):
        """Number of cached blocks."""
        with self._lock:
            return sum(map(len, self._free.values()))


_default_pinned_pool = PinnedMemoryPool()


def get_default_pinned_memory_pool():
    """The pool of page-locked host memory."""
    return _default_pinned_pool


def pinned_empty(shape, dtype=float, order="C"):
    """An uninitialised numpy.ndarray in page-locked host memory."""
    dtype = np.dtype(dtype)
    if dtype.hasobject:
        raise TypeError(f"pinned_empty() holds no Python objects, got dtype {dtype}")
    shape = tuple(shape) if hasattr(shape, "__iter__") else (operator.index(shape),)
    if any(length < 0 for length in shape):
        raise ValueError(f"pinned_empty(): negative dimensions are not allowed, got {shape}")
    memory = PinnedMemory(math.prod(shape) * dtype.itemsize)
    return np.ndarray(shape, dtype, memory, order=order)
