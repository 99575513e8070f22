"""Launches of kernels whose struct is a row of 8-byte fields: for families that are not hot."""

from libc.stdint cimport int64_t, uint64_t

from rocarray._core.device cimport current_device, device_info
from rocarray._core.elementwise cimport use_operand
from rocarray._core.kernel cimport Kernel, LaunchShape, get_kernel, launch, launch_shape
from rocarray._core.ndarray cimport ndarray

cdef enum:
    MAX_FIELDS = 32


def run_kernel(str program, str name, n_items, *fields, min_chunk=None):
    """Launches a kernel over `n_items`.

    The kernel's struct begins with the number of items and the chunk of one workgroup (int64); each
    field follows as 8 bytes: an array's address, an int.
    """
    cdef uint64_t words[MAX_FIELDS]
    cdef int64_t number
    cdef LaunchShape shape
    cdef int64_t n = n_items, chunk
    cdef int i = 2
    cdef Kernel kernel
    if n == 0:
        return
    if len(fields) + 2 > MAX_FIELDS:
        raise ValueError(f"{name}: at most {MAX_FIELDS - 2} fields, got {len(fields)}")
    kernel = get_kernel(program, name)
    shape = launch_shape(current_device())
    chunk = max(shape.min_chunk if min_chunk is None else max(min_chunk, shape.block),
                (n + shape.max_blocks - 1) // shape.max_blocks)
    words[0] = n
    words[1] = chunk
    for field in fields:
        if isinstance(field, ndarray):
            use_operand(field)
            words[i] = <uint64_t>(<ndarray>field).data_
        else:
            number = field
            words[i] = <uint64_t>number
        i += 1
    launch(kernel, <unsigned>((n + chunk - 1) // chunk), shape.block, words,
           i * sizeof(uint64_t))


def address_of(ndarray a):
    """The device address of an array's first item."""
    return <uint64_t>a.data_


def workgroup_size():
    """Work-items of a workgroup on the current device; 1 where workgroups are plain loops."""
    return launch_shape(current_device()).block


def n_compute_units():
    """Compute units (cores, multiprocessors) of the current device."""
    return device_info(current_device()).n_compute_units
