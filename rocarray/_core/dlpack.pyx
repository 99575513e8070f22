"""DLPack (dmlc), versions 0.8 and 1.x, in both directions.

Source of the structures: the DLPack specification, https://dmlc.github.io/dlpack/latest/c_api.html.
"""

import numpy as np

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from cpython.pycapsule cimport (
    PyCapsule_GetPointer, PyCapsule_IsValid, PyCapsule_New, PyCapsule_SetName)
from cpython.ref cimport Py_DECREF, Py_INCREF
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, uintptr_t

from rocarray._core.dtypes cimport BFLOAT16, BOOL, DTYPES, ITEM_SIZES, code_of
from rocarray._core.layout cimport MAX_NDIM, byte_extent
from rocarray._core.memory cimport MemoryBlock, note_use
from rocarray._core.ndarray cimport from_memory, ndarray
from rocarray._core.stream cimport PER_THREAD_STREAM, find_stream
from rocarray._rocm.hip.types cimport hipStream_t

from rocarray._core import methods
from rocarray._core.pools import UnownedMemory
from rocarray._rocm import platform

cdef extern from "Python.h":
    int Py_IsInitialized()

cdef struct DLDevice:
    int32_t device_type
    int32_t device_id

cdef struct DLDataType:
    uint8_t code
    uint8_t bits
    uint16_t lanes

cdef struct DLTensor:
    void* data
    DLDevice device
    int32_t ndim
    DLDataType dtype
    int64_t* shape
    int64_t* strides
    uint64_t byte_offset

cdef struct DLManagedTensor:
    DLTensor dl_tensor
    void* manager_ctx
    void (*deleter)(DLManagedTensor*) noexcept

cdef struct DLPackVersion:
    uint32_t major
    uint32_t minor

cdef struct DLManagedTensorVersioned:
    DLPackVersion version
    void* manager_ctx
    void (*deleter)(DLManagedTensorVersioned*) noexcept
    uint64_t flags
    DLTensor dl_tensor

cdef enum:
    READ_ONLY = 1
    IS_COPIED = 2
    DL_CPU = 1

cdef dict _KIND_CODES = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}
cdef dict _KINDS = {0: "i", 1: "u", 2: "f", 5: "c"}


def dlpack_device(ndarray a):
    """(device type, device number) of an array, in DLPack's numbers."""
    return platform.current().dlpack_device_type, a.device_id


cdef void _release_legacy(DLManagedTensor* tensor) noexcept with gil:
    if tensor.manager_ctx != NULL and Py_IsInitialized():
        Py_DECREF(<object>tensor.manager_ctx)
    PyMem_RawFree(tensor)


cdef void _release_versioned(DLManagedTensorVersioned* tensor) noexcept with gil:
    if tensor.manager_ctx != NULL and Py_IsInitialized():
        Py_DECREF(<object>tensor.manager_ctx)
    PyMem_RawFree(tensor)


cdef void _drop_legacy(object capsule) noexcept:
    cdef DLManagedTensor* tensor
    if PyCapsule_IsValid(capsule, "dltensor"):
        tensor = <DLManagedTensor*>PyCapsule_GetPointer(capsule, "dltensor")
        if tensor.deleter != NULL:
            tensor.deleter(tensor)


cdef void _drop_versioned(object capsule) noexcept:
    cdef DLManagedTensorVersioned* tensor
    if PyCapsule_IsValid(capsule, "dltensor_versioned"):
        tensor = <DLManagedTensorVersioned*>PyCapsule_GetPointer(capsule, "dltensor_versioned")
        if tensor.deleter != NULL:
            tensor.deleter(tensor)


cdef int _describe(DLTensor* tensor, ndarray a, int64_t* extents) except -1:
    cdef int i
    device_type, device_id = dlpack_device(a)
    tensor.data = a.data_
    tensor.device.device_type = device_type
    tensor.device.device_id = device_id
    tensor.ndim = a.ndim
    tensor.dtype.code = 4 if a.code == BFLOAT16 else _KIND_CODES[a.dtype.kind]
    tensor.dtype.bits = 8 * a.itemsize
    tensor.dtype.lanes = 1
    tensor.shape = extents
    tensor.strides = extents + a.ndim
    tensor.byte_offset = 0
    for i in range(a.ndim):
        extents[i] = a.shape_[i]
        extents[a.ndim + i] = a.strides_[i] // a.itemsize
        if a.strides_[i] % a.itemsize and a.shape_[i] > 1:
            raise BufferError("DLPack needs strides that are whole items; make a copy first")
    return 0


def to_dlpack(ndarray a, stream=None, max_version=None, dl_device=None, copy=None):
    """The capsule of an array, ready for work on `stream` (-1: no synchronisation)."""
    cdef DLManagedTensor* legacy
    cdef DLManagedTensorVersioned* versioned
    cdef bint copied = False
    if dl_device is not None and tuple(dl_device) != dlpack_device(a):
        raise BufferError(
            f"the array is on DLPack device {dlpack_device(a)}, not {tuple(dl_device)}; "
            "rocarray.asnumpy(x) copies it to the host")
    if copy:
        a = a.copy()
        copied = True
    if stream != -1:
        methods.order_before(stream)
        if a.memory is not None and stream is not None and stream > PER_THREAD_STREAM:
            # The consumer's work on it counts, where the stream is one of ours.
            if find_stream(<hipStream_t><uintptr_t>stream) is not None:
                note_use(a.memory, <hipStream_t><uintptr_t>stream)
    extra = 2 * a.ndim * sizeof(int64_t)
    if max_version is None or max_version[0] < 1:
        legacy = <DLManagedTensor*>PyMem_RawMalloc(sizeof(DLManagedTensor) + extra)
        if legacy == NULL:
            raise MemoryError()
        try:
            _describe(&legacy.dl_tensor, a, <int64_t*>(legacy + 1))
        except BaseException:
            PyMem_RawFree(legacy)
            raise
        legacy.manager_ctx = <void*>a
        legacy.deleter = _release_legacy
        Py_INCREF(a)
        return PyCapsule_New(legacy, "dltensor", _drop_legacy)
    versioned = <DLManagedTensorVersioned*>PyMem_RawMalloc(
        sizeof(DLManagedTensorVersioned) + extra)
    if versioned == NULL:
        raise MemoryError()
    try:
        _describe(&versioned.dl_tensor, a, <int64_t*>(versioned + 1))
    except BaseException:
        PyMem_RawFree(versioned)
        raise
    versioned.version.major = 1
    versioned.version.minor = 0
    versioned.flags = (0 if a.writable else READ_ONLY) | (IS_COPIED if copied else 0)
    versioned.manager_ctx = <void*>a
    versioned.deleter = _release_versioned
    Py_INCREF(a)
    return PyCapsule_New(versioned, "dltensor_versioned", _drop_versioned)


cdef class _Tensor:
    """Owns a consumed DLPack tensor and gives it back when the last array over it is gone."""
    cdef DLManagedTensor* legacy
    cdef DLManagedTensorVersioned* versioned

    def __dealloc__(self):
        if self.legacy != NULL and self.legacy.deleter != NULL:
            self.legacy.deleter(self.legacy)
        if self.versioned != NULL and self.versioned.deleter != NULL:
            self.versioned.deleter(self.versioned)


def from_dlpack(x, /, *, device=None, copy=None):
    """A device array over the memory of another library's array (shared unless copy=True).

    On the cpu platform every library's host arrays can be shared. On a GPU, host arrays are
    copied to the device.
    """
    cdef ndarray result
    if not hasattr(x, "__dlpack__"):
        raise TypeError(f"from_dlpack() needs an object with __dlpack__, got {type(x).__name__}")
    kind = x.__dlpack_device__()[0]
    mine = platform.current().dlpack_device_type
    if kind != mine:
        if kind == DL_CPU and copy is not False:
            return methods.asarray(np.from_dlpack(x))
        raise BufferError(
            f"the array is on DLPack device type {kind}; this platform "
            f"({platform.current().name}) shares memory of type {mine}")
    stream = {} if kind == DL_CPU else {"stream": methods.current_stream_object().ptr or 1}
    try:
        capsule = x.__dlpack__(max_version=(1, 0), **stream)
    except TypeError:
        capsule = x.__dlpack__(**stream)
    result = _from_capsule(capsule)
    return result.copy() if copy else result


cdef ndarray _from_capsule(object capsule):
    cdef _Tensor owner = _Tensor()
    cdef DLTensor* tensor
    cdef bint read_only = False
    if PyCapsule_IsValid(capsule, "dltensor_versioned"):
        owner.versioned = <DLManagedTensorVersioned*>PyCapsule_GetPointer(
            capsule, "dltensor_versioned")
        PyCapsule_SetName(capsule, "used_dltensor_versioned")
        if owner.versioned.version.major != 1:
            raise BufferError(f"DLPack version {owner.versioned.version.major} is not supported")
        tensor = &owner.versioned.dl_tensor
        read_only = owner.versioned.flags & READ_ONLY
    elif PyCapsule_IsValid(capsule, "dltensor"):
        owner.legacy = <DLManagedTensor*>PyCapsule_GetPointer(capsule, "dltensor")
        PyCapsule_SetName(capsule, "used_dltensor")
        tensor = &owner.legacy.dl_tensor
    else:
        raise BufferError("not a DLPack capsule, or one that was consumed before")
    result = _over_tensor(tensor, owner)
    result.writable = not read_only
    return result


cdef ndarray _over_tensor(DLTensor* tensor, _Tensor owner):
    cdef Py_ssize_t dims[MAX_NDIM]
    cdef Py_ssize_t steps[MAX_NDIM]
    cdef Py_ssize_t low, high, step
    cdef MemoryBlock block
    cdef int i, code
    cdef char* data
    if tensor.ndim > MAX_NDIM:
        raise BufferError(f"array of rank {tensor.ndim}; at most {MAX_NDIM} axes are supported")
    code = _code_of_tensor(tensor)
    step = ITEM_SIZES[code]
    for i in range(tensor.ndim - 1, -1, -1):
        dims[i] = tensor.shape[i]
        steps[i] = step if tensor.strides == NULL else tensor.strides[i] * ITEM_SIZES[code]
        step *= dims[i]
    byte_extent(tensor.ndim, dims, steps, ITEM_SIZES[code], &low, &high)
    data = <char*>tensor.data + tensor.byte_offset
    block = UnownedMemory(<uintptr_t>(data + low), high - low, owner)
    return from_memory(block, data, code, tensor.ndim, dims, steps, owner)


cdef int _code_of_tensor(DLTensor* tensor) except -1:
    if tensor.dtype.lanes != 1:
        raise BufferError("DLPack arrays of vector types are not supported")
    if tensor.dtype.code == 6:
        return BOOL
    if tensor.dtype.code == 4 and tensor.dtype.bits == 16:
        if DTYPES[<int>BFLOAT16] is None:
            raise BufferError("bfloat16 arrays need the package ml_dtypes")
        return BFLOAT16
    kind = _KINDS.get(tensor.dtype.code)
    if kind is None:
        raise BufferError(f"DLPack type code {tensor.dtype.code} is not supported")
    return code_of(np.dtype(f"{kind}{tensor.dtype.bits // 8}"))
