"""Loaded code objects, their kernels, and launches (docs/design/kernel_engine.md)."""

import atexit
import threading

from libc.stdint cimport uint64_t

from rocarray._core.device cimport current_device, device_info
from rocarray._core.stream cimport current_stream
from rocarray._rocm.hip.calls cimport (
    hipDeviceSynchronize,
    hipFuncGetAttribute,
    hipModuleGetFunction,
    hipModuleGetFunction_status,
    hipModuleLaunchKernel,
    hipModuleLoadData,
    hipModuleUnload_status,
)
from rocarray._rocm.hip.types cimport hipFunction_attribute, hipFunction_t, hipModule_t

from rocarray._kernels import architectures, library
from rocarray._rocm.errors import ROCmError

cdef enum:
    MAX_DEVICES = 64
    UNLOAD_BATCH = 32
    MIN_IMAGE_BYTES = 64     # an ELF header

cdef uint64_t MAX_WORK_ITEMS = 0xffffffff    # of one launch, as HIP counts them

cdef LaunchShape[MAX_DEVICES] _shapes
cdef list _kernels = []      # per device: {program: {kernel: Kernel}}
cdef list _modules = []      # per device: {program: [Module]}
cdef list _unloadable = []   # of modules that are gone: (device, handle as int)
cdef bint _alive = True
_loading = threading.RLock()


def _stop():
    # After this the runtime may be gone: modules are left to the process's end.
    global _alive
    _alive = False


atexit.register(_stop)


cdef class Module:
    """A code object that is loaded on one device."""

    def __dealloc__(self):
        # Kernels of it may still run, so it is unloaded later, after a synchronisation.
        if _alive and self.module != NULL:
            _unloadable.append((self.device, <size_t>self.module))

    def __repr__(self):
        return f"<Module {self.name!r} on device {self.device}>"

    cdef Kernel find(self, str name):
        """The kernel of this (mangled) name, or None."""
        cdef Kernel kernel = self.kernels.get(name)
        cdef hipFunction_t function = NULL
        cdef bytes text
        if kernel is None:
            text = name.encode()
            if hipModuleGetFunction_status(&function, self.module, text) != 0:
                return None
            kernel = Kernel.__new__(Kernel)
            kernel.function = function
            kernel.name = name
            kernel.device = self.device
            kernel.module = self
            self.kernels[name] = kernel
        return kernel

    def get_function(self, str name):
        """The kernel `name`: an ``extern "C"`` one, or a name expression of the compile."""
        cdef hipFunction_t function = NULL
        cdef bytes text
        name = self.lowered_names.get(name, name)
        cdef Kernel kernel = self.find(name)
        if kernel is None:
            text = name.encode()
            try:
                hipModuleGetFunction(&function, self.module, text)
            except ROCmError as error:
                error.add_note(f"(the module {self.name!r} has no kernel {name!r})")
                raise
        return kernel


cdef class Kernel:
    """One kernel of a module."""

    def __repr__(self):
        return f"<Kernel {self.name!r} on device {self.device}>"

    def attribute(self, int number):
        """The value of a `hipFunction_attribute`."""
        cdef int value = 0
        hipFuncGetAttribute(&value, <hipFunction_attribute>number, self.function)
        return value


cdef int _unload_dropped() except -1:
    """Unloads what Module.__dealloc__ left behind, once there is enough to pay for a wait."""
    cdef int device = current_device()
    if len(_unloadable) < UNLOAD_BATCH:
        return 0
    mine = [handle for owner, handle in _unloadable if owner == device]
    if mine:
        _unloadable[:] = [entry for entry in _unloadable if entry[0] != device]
        hipDeviceSynchronize()
        for handle in mine:
            hipModuleUnload_status(<hipModule_t><size_t>handle)
    return 0


cdef int _check_image(bytes code, str name) except -1:
    """Refuses what is no whole code object: the runtime is not told where the bytes end."""
    cdef Py_ssize_t end
    if len(code) < MIN_IMAGE_BYTES:
        raise ValueError(
            f"module {name!r}: {len(code)} bytes are no code object; it takes an ELF image, an "
            "offload bundle or PTX text, as a compile returns it")
    if code.startswith(b"\x7fELF"):
        # The section headers are an image's last part: their offset, length and number.
        end = int.from_bytes(code[40:48], "little")
        end += int.from_bytes(code[58:60], "little") * int.from_bytes(code[60:62], "little")
        if end > len(code):
            raise ValueError(f"module {name!r}: the ELF image has {end} bytes, {len(code)} came")
    return 0


cpdef Module load_module(bytes code, str name="module", dict lowered_names=None):
    """Loads a code object on the current device."""
    cdef Module module = Module.__new__(Module)
    _check_image(code, name)
    _unload_dropped()
    module.device = current_device()
    module.name = name
    module.lowered_names = lowered_names or {}
    module.kernels = {}
    # Some runtimes read the image when they first need it: it lives as long as the module.
    module.code = code
    hipModuleLoadData(&module.module, <const char*>code)
    return module


def current_architecture():
    """The architecture of the current device, such as 'gfx90a:sramecc+:xnack-' or 'x86-64-v3'."""
    return device_info(current_device()).arch


def compile_module(str source, *, str name="kernel.hip", headers=None, options=(),
                   name_expressions=()):
    """Compiles a user's source for the current device (or finds it compiled) and loads it."""
    from rocarray._kernels import compiler   # late: most processes compile nothing

    cdef str architecture = device_info(current_device()).arch
    compiled = compiler.compile_source(
        source, architecture=architecture, name=name, headers=headers, options=options,
        name_expressions=name_expressions, device_architecture=architecture)
    return load_module(compiled.code, name, compiled.lowered_names)


cdef dict _of_device(list table, int device):
    while len(table) <= device:
        table.append({})
    return <dict>table[device]


cpdef Kernel get_kernel(str program, str kernel):
    """The built-in kernel `kernel` of `program`, on the current device.

    Looked for among the loaded ones, then in packs, the disk cache and the compiler.
    """
    cdef int device = current_device()
    cdef object found
    if device < len(_kernels):
        found = (<dict>_kernels[device]).get((program, kernel))
        if found is not None:
            return <Kernel>found
    with _loading:   # loads and compiles release the GIL
        found = _load_kernel(device, program, kernel)
        _of_device(_kernels, device)[(program, kernel)] = found
    return <Kernel>found


cdef Kernel _load_kernel(int device, str program, str kernel):
    cdef str architecture = device_info(device).arch
    cdef dict modules = _of_device(_modules, device)
    cdef Module module
    cdef Kernel found = _of_device(_kernels, device).get((program, kernel))
    if found is not None:   # by another thread, meanwhile
        return found
    if program not in modules:
        modules[program] = []
        for code in library.packed_code(program, architecture):
            try:
                modules[program].append(load_module(code, program))
                break
            except (ROCmError, ValueError):
                continue   # a damaged or foreign pack: the next one, or the compiler
    for module in modules[program]:
        found = module.find(kernel)
        if found is not None:
            return found
    module = load_module(library.compiled_code(program, kernel, architecture), program)
    modules[program].append(module)
    return module.get_function(kernel)


cdef LaunchShape _make_shape(int device) except *:
    cdef LaunchShape shape
    info = device_info(device)
    target = architectures.target(info.arch)
    shape.block = min(target.block, info.max_threads_per_block)
    shape.min_chunk = target.min_chunk
    shape.max_blocks = target.blocks_per_unit * max(1, info.n_compute_units)
    return shape


cdef LaunchShape launch_shape(int device) except *:
    """Block size and chunk limits of one-dimensional launches on a device."""
    if device < 0 or device >= MAX_DEVICES:
        raise ValueError(f"device {device}: at most {MAX_DEVICES} devices are supported")
    if _shapes[device].block == 0:
        _shapes[device] = _make_shape(device)
    return _shapes[device]


cdef int _refuse_grid(Kernel kernel, uint64_t grid, uint64_t block) except -1:
    raise ValueError(
        f"kernel {kernel.name}: {grid} workgroups of {block} work-items; allowed are 1 or more of "
        f"each and at most {MAX_WORK_ITEMS} work-items together: let each do more items")


cdef int launch(Kernel kernel, unsigned grid, unsigned block, void* params,
                size_t n_bytes) except -1:
    """Launches `kernel` on the current stream, with one struct (by value) as its argument.

    `n_bytes` is the struct's length; the runtime takes it from the code object.
    """
    cdef void* arguments[1]
    if <uint64_t>grid * block - 1 >= MAX_WORK_ITEMS:   # 0 wraps round to the largest
        _refuse_grid(kernel, grid, block)
    arguments[0] = params
    hipModuleLaunchKernel(kernel.function, grid, 1, 1, block, 1, 1, 0, current_stream(),
                          arguments, NULL)
    return 0


cdef int launch_full(Kernel kernel, const unsigned* grid, const unsigned* block,
                     unsigned lds_bytes, hipStream_t stream, void** arguments) except -1:
    """Launches over up to three dimensions, with dynamic LDS and any arguments."""
    cdef double n_items = 1.0
    cdef int i
    for i in range(3):
        n_items *= <double>grid[i] * block[i]
    if n_items < 1 or n_items > MAX_WORK_ITEMS:
        raise ValueError(
            f"kernel {kernel.name}: grid {(grid[0], grid[1], grid[2])} of workgroups "
            f"{(block[0], block[1], block[2])}; allowed are 1 or more in each dimension and at "
            f"most {MAX_WORK_ITEMS} work-items together")
    hipModuleLaunchKernel(kernel.function, grid[0], grid[1], grid[2], block[0], block[1],
                          block[2], lds_bytes, stream, arguments, NULL)
    return 0


def launch_struct(Kernel kernel, unsigned grid, unsigned block, const unsigned char[::1] params):
    """`launch` from Python: the argument's bytes as `struct.pack` or NumPy make them."""
    if params.shape[0] == 0:
        raise ValueError(f"kernel {kernel.name}: params is empty; it takes one struct")
    launch(kernel, grid, block, <void*>&params[0], params.shape[0])
