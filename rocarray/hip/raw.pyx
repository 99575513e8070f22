"""Kernels that users write in HIP C++: RawKernel and RawModule."""

import numpy as np

cimport numpy as cnp
from libc.stdint cimport uintptr_t
from libc.string cimport memcpy

from rocarray._core.device cimport current_device
from rocarray._core.kernel cimport Kernel, Module, launch_full, load_module
from rocarray._core.memory cimport MemoryBlock, note_stream
from rocarray._core.ndarray cimport ndarray
from rocarray._core.stream cimport current_stream, stream_handle
from rocarray._rocm.hip.calls cimport (
    hipDriverGetVersion, hipFuncGetAttribute, hipModuleGetGlobal,
    hipModuleOccupancyMaxActiveBlocksPerMultiprocessor, hipRuntimeGetVersion)
from rocarray._rocm.hip.types cimport (
    HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES,
    HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, HIP_FUNC_ATTRIBUTE_NUM_REGS,
    HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, hipDeviceptr_t, hipFunction_attribute, hipStream_t)

from rocarray._core.kernel import compile_module
from rocarray._core.pools import MemoryPointer, UnownedMemory

cnp.import_array()

cdef enum:
    MAX_ARGUMENTS = 128
    MAX_ARGUMENT_BYTES = 4096

cdef dict _ATTRIBUTES = {
    "max_threads_per_block": HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
    "shared_size_bytes": HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
    "const_size_bytes": HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES,
    "local_size_bytes": HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES,
    "num_regs": HIP_FUNC_ATTRIBUTE_NUM_REGS,
}


cdef int _read_extent(str what, object values, unsigned* out) except -1:
    if isinstance(values, int):
        values = (values,)
    values = tuple(values)
    if not 1 <= len(values) <= 3:
        raise ValueError(f"{what} must have 1 to 3 numbers, got {values!r}")
    if any([not 0 <= value < (1 << 32) for value in values]):
        raise ValueError(f"{what} {values!r}: each number must be from 1 to 2**32 - 1")
    for i in range(3):
        out[i] = values[i] if i < len(values) else 1
    return 0


cdef int _use(MemoryBlock block, int device, str name, int index, hipStream_t stream) except -1:
    if block is None:
        return 0
    if block.device != device:
        raise ValueError(
            f"kernel {name}: argument {index} is on device {block.device}, but the current device "
            f"is {device}: move it with x.to_device(...)")
    return note_stream(block, stream, device)


cdef int _pack_argument(object x, int index, str name, hipStream_t stream, char* target,
                        size_t* at) except -1:
    """Writes one kernel argument, aligned to its size; returns its offset through `at`."""
    cdef cnp.ndarray host
    cdef size_t n_bytes, alignment
    if isinstance(x, ndarray):
        _use((<ndarray>x).memory, current_device(), name, index, stream)
        host = np.array(<uintptr_t>(<ndarray>x).data_, np.uint64)
    elif isinstance(x, MemoryPointer):
        _use(x.mem, current_device(), name, index, stream)
        host = np.array(x.ptr, np.uint64)
    elif x is None:
        host = np.array(0, np.uint64)
    elif isinstance(x, bool):
        host = np.array(x, np.bool_)
    elif isinstance(x, int):
        if not -(1 << 63) <= x < (1 << 64):
            raise ValueError(
                f"kernel {name}: argument {index} is the int {x}; allowed are -2**63 to 2**64 - 1")
        host = np.array(x, np.int64 if x < (1 << 63) else np.uint64)
    elif isinstance(x, float):
        host = np.array(x, np.float64)
    elif isinstance(x, complex):
        host = np.array(x, np.complex128)
    elif isinstance(x, (np.generic, np.ndarray)) and np.ndim(x) == 0:
        host = np.ascontiguousarray(x).reshape(())
    elif isinstance(x, np.ndarray):
        raise TypeError(
            f"kernel argument {index} is a numpy.ndarray; a kernel reads device memory: pass "
            "rocarray.asarray(x)")
    else:
        raise TypeError(
            f"kernel argument {index} is a {type(x).__name__}; allowed are device arrays, "
            "MemoryPointer, None, Python numbers and NumPy scalars (structs included)")
    n_bytes = host.nbytes
    alignment = 16 if n_bytes >= 16 else n_bytes if n_bytes in (1, 2, 4, 8) else 8
    at[0] = (at[0] + alignment - 1) // alignment * alignment
    if at[0] + n_bytes > MAX_ARGUMENT_BYTES:
        raise ValueError(f"kernel arguments take more than {MAX_ARGUMENT_BYTES} bytes")
    memcpy(target + at[0], cnp.PyArray_DATA(host), n_bytes)
    return <int>n_bytes


class RawFunction:
    """A kernel of a loaded module, ready to launch.

    Called as `function(grid, block, args, shared_mem=0, stream=None)`: numbers of workgroups and
    of work-items in up to three dimensions, and a tuple of arguments. A Python int is passed as
    int64, a float as float64: pass NumPy scalars for other types.
    """

    def __init__(self, module, name):
        self.name = name
        self.kernel = (<Module?>module).get_function(name)

    def __call__(self, grid, block, args=(), *, shared_mem=0, stream=None):
        cdef unsigned grid_extent[3]
        cdef unsigned block_extent[3]
        cdef void* pointers[MAX_ARGUMENTS]
        cdef char data[MAX_ARGUMENT_BYTES]
        cdef size_t at = 0
        cdef int i, n_bytes
        cdef hipStream_t handle = current_stream() if stream is None else stream_handle(stream)
        _read_extent("grid", grid, grid_extent)
        _read_extent("block", block, block_extent)
        if len(args) > MAX_ARGUMENTS:
            raise ValueError(f"{self.name}: at most {MAX_ARGUMENTS} arguments, got {len(args)}")
        if self.kernel.device != current_device():
            raise ValueError(
                f"kernel {self.name} was loaded on device {self.kernel.device}, but the current "
                f"device is {current_device()}")
        for i in range(len(args)):
            n_bytes = _pack_argument(args[i], i, self.name, handle, data, &at)
            pointers[i] = data + at
            at += n_bytes
        launch_full(<Kernel>self.kernel, grid_extent, block_extent, shared_mem, handle, pointers)

    @property
    def attributes(self):
        """Registers, LDS and limits of the compiled kernel."""
        cdef int value = 0
        result = {}
        for name, number in _ATTRIBUTES.items():
            hipFuncGetAttribute(&value, <hipFunction_attribute><int>number,
                                (<Kernel>self.kernel).function)
            result[name] = value
        return result

    def __getattr__(self, name):
        if name in _ATTRIBUTES:
            return self.attributes[name]
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")


def max_active_blocks(function, block_size, shared_mem=0):
    """Workgroups of a kernel that one compute unit holds at a time."""
    cdef int n = 0
    hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
        &n, (<Kernel>function.kernel).function, block_size, shared_mem)
    return n


class RawModule:
    """A translation unit of HIP C++, or a compiled code object.

    Parameters
    ----------
    code : str, optional
        HIP C++ source.
    path : str, optional
        A code object (.hsaco, .so on the cpu platform) to load instead.
    options : sequence of str, optional
        Compiler options, such as '-DN=4'.
    name_expressions : sequence of str, optional
        Template instances to compile, such as 'scale<float>'.
    backend, translate_cucode, jitify : optional
        Accepted for CuPy's callers, without effect.
    """

    def __init__(self, *, code=None, path=None, options=(), backend="hiprtc",
                 name_expressions=None, translate_cucode=False, jitify=False):
        if (code is None) == (path is None):
            raise TypeError("RawModule needs one of code= (source) and path= (a code object)")
        self.code, self.file_path = code, path
        self.options = tuple(options)
        self.name_expressions = tuple(name_expressions or ())
        self._modules = {}

    def _module(self):
        device = current_device()
        if device not in self._modules:
            if self.file_path is not None:
                with open(self.file_path, "rb") as file:
                    self._modules[device] = load_module(file.read(), str(self.file_path))
            else:
                self._modules[device] = compile_module(
                    self.code, name="user.hip", options=self.options,
                    name_expressions=self.name_expressions)
        return self._modules[device]

    def compile(self, log_stream=None):
        """Compiles now, instead of at the first use."""
        self._module()

    def get_function(self, name):
        """A kernel by its name or name expression."""
        return RawFunction(self._module(), name)

    def get_global(self, name):
        """A MemoryPointer to a __device__ or __constant__ variable."""
        cdef hipDeviceptr_t address = NULL
        cdef size_t n_bytes = 0
        cdef Module module = self._module()
        encoded = name.encode()
        hipModuleGetGlobal(&address, &n_bytes, module.module, encoded)
        return MemoryPointer(UnownedMemory(<uintptr_t>address, n_bytes, self), 0)


class RawKernel:
    """One kernel written in HIP C++.

    Parameters
    ----------
    code : str
        Source with `extern "C" __global__ void NAME(...)`, or a template for a name expression.
    name : str
    options : sequence of str, optional

    Examples
    --------
    >>> import rocarray as rp
    >>> double = rp.RawKernel('''
    ... extern "C" __global__ void twice(double* x, long n) {
    ...     long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    ...     if (i < n) x[i] *= 2;
    ... }''', "twice")
    >>> x = rp.arange(4.0)
    >>> double((1,), (64,), (x, 4))
    >>> x
    array([0., 2., 4., 6.])
    """

    def __init__(self, code, name, options=(), backend="hiprtc", translate_cucode=False,
                 enable_cooperative_groups=False, jitify=False):
        expressions = () if name.isidentifier() else (name,)
        self._module = RawModule(code=code, options=options, name_expressions=expressions)
        self.name, self.code, self.options = name, code, tuple(options)
        self._functions = {}

    @property
    def _function(self):
        device = current_device()
        if device not in self._functions:
            self._functions[device] = self._module.get_function(self.name)
        return self._functions[device]

    def compile(self, log_stream=None):
        """Compiles now, instead of at the first launch."""
        self._function

    def __call__(self, grid, block, args=(), *, shared_mem=0, stream=None):
        self._function(grid, block, args, shared_mem=shared_mem, stream=stream)

    @property
    def kernel(self):
        return self._function

    @property
    def attributes(self):
        """Registers, LDS and limits of the compiled kernel."""
        return self._function.attributes

    def __getattr__(self, name):
        if name in _ATTRIBUTES:
            return self.attributes[name]
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")


def version():
    """(driver, runtime) versions of HIP as its numbers."""
    cdef int driver = 0, runtime = 0
    hipDriverGetVersion(&driver)
    hipRuntimeGetVersion(&runtime)
    return driver, runtime
