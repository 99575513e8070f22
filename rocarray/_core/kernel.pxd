"""Loaded code objects, their kernels, and launches."""

from rocarray._rocm.hip.types cimport hipFunction_t, hipModule_t, hipStream_t


cdef struct LaunchShape:
    unsigned block          # work-items of a workgroup
    Py_ssize_t min_chunk    # items worth a workgroup of its own
    Py_ssize_t max_blocks   # workgroups that fill the device; beyond them, each takes more items


cdef class Module:
    """A code object that is loaded on one device."""
    cdef hipModule_t module
    cdef readonly int device
    cdef readonly str name
    cdef readonly dict lowered_names
    cdef bytes code
    cdef dict kernels

    cdef Kernel find(self, str name)


cdef class Kernel:
    """One kernel of a module. It keeps the module loaded."""
    cdef hipFunction_t function
    cdef readonly str name
    cdef readonly int device
    cdef readonly Module module


cdef LaunchShape launch_shape(int device) except *
cpdef Kernel get_kernel(str program, str kernel)
cpdef Module load_module(bytes code, str name=*, dict lowered_names=*)
cdef int launch(Kernel kernel, unsigned grid, unsigned block, void* params,
                size_t n_bytes) except -1
cdef int launch_full(Kernel kernel, const unsigned* grid, const unsigned* block,
                     unsigned lds_bytes, hipStream_t stream, void** arguments) except -1
