"""Moving elements between an array and byte offsets into it."""

import numpy as np

from libc.stdint cimport uint64_t
from libc.string cimport memset

from rocarray._core.dtypes cimport INT64, UINT64
from rocarray._core.elementwise cimport ElementwiseLoop, Operand, make_loop, use_operand
from rocarray._core.layout cimport MAX_NDIM, byte_extent, parse_shape
from rocarray._core.ndarray cimport ndarray, new_array

from rocarray._core.creation import full
from rocarray._core.launching import n_compute_units, run_kernel, workgroup_size

cdef list _gather_loops = [None] * 17
cdef dict _search_loops = {}
_MANY_WRITES = 1 << 14   # worth a pass of each core over all of them
# A type of each size, to tell the loop its operands' sizes.
cdef dict _CODE_OF_SIZE = {1: 2, 2: 4, 4: 6, 8: 8, 16: 13}


cdef ElementwiseLoop _gather_loop(Py_ssize_t itemsize):
    cdef ElementwiseLoop loop = _gather_loops[itemsize]
    if loop is None:
        loop = make_loop("index/gather", "gather", (INT64, UINT64), (_CODE_OF_SIZE[itemsize],))
        loop.name = f"gather__{itemsize}"
        _gather_loops[itemsize] = loop
    return loop


def gather(ndarray a, ndarray offsets, shape):
    """A new array of `shape` with the items of `a` at byte offsets from its first item."""
    cdef Py_ssize_t dims[MAX_NDIM]
    cdef int ndim = parse_shape(shape, dims)
    cdef ndarray result = new_array(a.code, ndim, dims)
    cdef Operand operands[3]
    if result.size == 0:
        return result
    use_operand(a)
    use_operand(offsets)
    memset(operands, 0, sizeof(operands))
    operands[0].data = offsets.data_
    operands[0].strides = offsets.strides_
    operands[1].value[0] = <uint64_t>a.data_
    operands[2].data = result.data_
    operands[2].strides = result.strides_
    _gather_loop(a.itemsize).run(ndim, dims, operands)
    return result


def byte_span(ndarray a):
    """(address of the lowest byte, its distance from the first item, bytes up to the highest)."""
    cdef Py_ssize_t low, high
    byte_extent(a.ndim, a.shape_, a.strides_, a.itemsize, &low, &high)
    return <uint64_t>a.data_ + low, low, high - low


def scatter(ndarray a, ndarray offsets, ndarray values, bint unique):
    """Writes values (of a's type) at byte offsets from a's first item; the last write wins."""
    cdef Py_ssize_t low, high
    cdef ndarray winners = None
    if offsets.size == 0:
        return
    use_operand(a)
    offsets = offsets if offsets.c_contiguous else offsets.copy()
    values = values if values.c_contiguous else values.copy()
    byte_extent(a.ndim, a.shape_, a.strides_, a.itemsize, &low, &high)
    base = <uint64_t>a.data_
    if low < 0:
        offsets = offsets - low
        base = base + low
    if unique:
        run_kernel("index/scatter", f"scatter__{a.itemsize}", offsets.size, offsets, values, base,
                   0, 1)
        return
    if workgroup_size() == 1:
        owners = n_compute_units() if offsets.size > _MANY_WRITES else 1
        run_kernel("index/scatter", f"scatter__{a.itemsize}_owned", owners, offsets.size, offsets,
                   values, base, high - low, min_chunk=1)
        return
    winners = full((high - low) // a.itemsize, -1, np.int64)
    run_kernel("index/scatter", "mark_winners", offsets.size, offsets, winners, a.itemsize)
    run_kernel("index/scatter", f"scatter__{a.itemsize}", offsets.size, offsets, values, base,
               winners, a.itemsize)


def search(ndarray sorted_items, ndarray values, side):
    """Positions (int64) where values would be put into contiguous sorted items of their type."""
    cdef ElementwiseLoop loop
    cdef Operand operands[4]
    cdef ndarray result = new_array(INT64, values.ndim, values.shape_)
    key = (side, values.code)
    loop = _search_loops.get(key)
    if loop is None:
        loop = make_loop("sort/search", "search_" + side, (values.code, UINT64, INT64), (INT64,))
        _search_loops[key] = loop
    if result.size == 0:
        return result
    use_operand(sorted_items)
    use_operand(values)
    memset(operands, 0, sizeof(operands))
    operands[0].data = values.data_
    operands[0].strides = values.strides_
    operands[1].value[0] = <uint64_t>sorted_items.data_
    operands[2].value[0] = sorted_items.size
    operands[3].data = result.data_
    operands[3].strides = result.strides_
    loop.run(values.ndim, values.shape_, operands)
    return result
