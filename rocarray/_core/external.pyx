"""__cuda_array_interface__ in both directions (ROCm libraries use the same protocol)."""

import numpy as np

from libc.stdint cimport uintptr_t

from rocarray._core.dtypes cimport code_of
from rocarray._core.layout cimport MAX_NDIM, byte_extent, parse_shape
from rocarray._core.memory cimport MemoryBlock
from rocarray._core.ndarray cimport from_memory, ndarray
from rocarray._core.stream cimport current_stream

from rocarray._core.pools import UnownedMemory


def cuda_array_interface(ndarray a):
    """The description of an array for other libraries, version 3 of the protocol."""
    stream = <uintptr_t>current_stream()
    return {
        "shape": a.shape,
        "typestr": a.dtype.str,
        "descr": [("", a.dtype.str)],
        "version": 3,
        "strides": None if a.c_contiguous else a.strides,
        "data": (<uintptr_t>a.data_ if a.size else 0, not a.writable),
        # 1 is the protocol's number of the null stream, since 0 is forbidden.
        "stream": stream if stream else 1,
    }


def from_cuda_array_interface(obj):
    """A device array over the memory of another library's object (shared, not copied)."""
    cdef Py_ssize_t dims[MAX_NDIM]
    cdef Py_ssize_t steps[MAX_NDIM]
    cdef Py_ssize_t low, high
    cdef MemoryBlock block
    cdef int i, code, ndim
    description = obj.__cuda_array_interface__
    if description.get("mask") is not None:
        raise ValueError("__cuda_array_interface__ with a mask is not supported")
    code = code_of(np.dtype(description["typestr"]))
    ndim = parse_shape(description["shape"], dims)
    strides = description.get("strides")
    address, read_only = description["data"]
    if strides is not None:
        for i in range(ndim):
            steps[i] = strides[i]
    else:
        steps_of = np.dtype(description["typestr"]).itemsize
        for i in range(ndim - 1, -1, -1):
            steps[i] = steps_of
            steps_of *= dims[i]
    byte_extent(ndim, dims, steps, np.dtype(description["typestr"]).itemsize, &low, &high)
    block = UnownedMemory(address + low, high - low, obj)
    result = from_memory(block, <char*><uintptr_t>address, code, ndim, dims, steps, obj)
    result.writable = not read_only
    return result
