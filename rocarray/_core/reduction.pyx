"""Reductions: geometry, launches, and NumPy's functions (docs/design/reductions.md).

The layout is decided here. Axes of length 1 are dropped, the others sorted by stride and merged;
then either a reduced axis is the fastest ("inner" kernel) or a kept one is ("outer"). A range too
long for one workgroup is split and its parts combined by a second launch.
"""

import warnings

import numpy as np

from libc.stdint cimport int64_t
from libc.string cimport memset

from rocarray._core.conversion cimport (
    as_device, assign_array, cast_array, copy_array, fill_array)
from rocarray._core.device cimport current_device
from rocarray._core.dtypes cimport (
    BFLOAT16, BOOL, CHARS, COMPLEX64, COMPLEX128, DTYPES, FLOAT16, FLOAT32, FLOAT64, INT8, INT16,
    INT32, INT64, ITEM_SIZES, N_TYPES, UINT8, UINT64, code_of, is_complex_code, is_float_code,
    is_integer_code)
from rocarray._core.elementwise cimport use_operand
from rocarray._core.kernel cimport Kernel, LaunchShape, get_kernel, launch, launch_shape
from rocarray._core.layout cimport (
    MAX_NDIM, count_items, iteration_order, normalize_axis, to_tuple)
from rocarray._core.memory cimport MemoryBlock, allocate
from rocarray._core.ndarray cimport (
    ndarray, new_array, new_array_ordered, new_view, shape_of)

from rocarray._core import methods
from rocarray._kernels.tables.reductions import REDUCTIONS

cdef object NO_VALUE = np._NoValue

cdef enum:
    REDUCE_NDIM = 8
    REDUCE_BLOCK = 256
    COLUMN_TILE = 512
    PAIRWISE_RUN = 1024
    FINISH_PLAIN = 0
    FINISH_DIVIDE = 1
    FINISH_DIVIDE_SQRT = 2


# As in device/reduce.hpp.
cdef struct ReduceParams:
    char* input
    char* output
    char* auxiliary
    double divisor
    int64_t finish_mode
    int64_t n_outputs
    int64_t n_rows
    int64_t row_length
    int64_t row_stride
    int64_t split
    int64_t part_size
    int64_t n_tiles
    int64_t tiles_per_block
    int64_t lanes
    int64_t vector_loads
    int64_t kept_ndim
    int64_t reduced_ndim
    int64_t[8] kept_shape
    int64_t[8] kept_strides
    int64_t[8] reduced_shape
    int64_t[8] reduced_strides


cdef inline Py_ssize_t ceil_div(Py_ssize_t a, Py_ssize_t b) noexcept:
    return (a + b - 1) // b


cdef inline Py_ssize_t smaller(Py_ssize_t a, Py_ssize_t b) noexcept:
    return a if a < b else b


cdef inline Py_ssize_t larger(Py_ssize_t a, Py_ssize_t b) noexcept:
    return a if a > b else b


cdef inline Py_ssize_t power_of_two(Py_ssize_t n, Py_ssize_t most) noexcept:
    """The least power of two that is not below `n`, at most `most` (itself one)."""
    cdef Py_ssize_t p = 1
    while p < n and p < most:
        p *= 2
    return p


# ---- operations -----------------------------------------------------------------------------

cdef class ReductionLoop:
    def __cinit__(self):
        self.device_ = -1

    cdef int prepare(self) except -1:
        """Gets the kernels of the current device."""
        cdef int device = current_device()
        if self.device_ != device:
            self.inner_ = get_kernel(self.program, self.name + "_inner")
            self.outer_ = get_kernel(self.program, self.name + "_outer")
            self.combine_ = get_kernel(self.program, self.name + "_combine")
            self.device_ = device
        return 0


cdef int _compute_size(int code) noexcept:
    return 4 if code == FLOAT16 or code == BFLOAT16 else <int>ITEM_SIZES[code]


cdef int _accumulator_size(str kind, int source, int target) except -1:
    if kind == "byte":
        return 1
    if kind == "count":
        return 8
    if kind == "found":
        return larger(8, _compute_size(source)) + 8
    return _compute_size(source if kind == "in" else target)


cdef class ReductionOp:
    def __init__(self, row, ufunc_name, identity):
        cdef ReductionLoop loop
        cdef int source, target
        cdef dict codes = {char: code for code, char in enumerate(CHARS)}
        self.name = row.name
        self.ufunc_name = ufunc_name
        self.identity = identity
        self.loops = [None] * (N_TYPES * N_TYPES)
        self.defaults = [None] * N_TYPES
        for pair in row.loops:
            source, target = codes[pair[0]], codes[pair[1]]
            loop = ReductionLoop.__new__(ReductionLoop)
            loop.program = "reduce/" + row.name
            loop.name = f"{row.name}__{pair[0]}_{pair[1]}".replace("?", "p")
            loop.in_size = ITEM_SIZES[source]
            loop.acc_size = _accumulator_size(row.accumulator, source, target)
            loop.out_code = target
            self.loops[source * N_TYPES + target] = loop
            if self.defaults[source] is None:
                self.defaults[source] = loop
        for alias, char in row.aliases.items():
            self._add_alias(codes[alias], codes[char])

    def _add_alias(self, int alias, int read_as):
        """Type `alias` is read by the loops of `read_as`; same-type results stay of its type."""
        cdef ReductionLoop loop, other
        cdef int target
        for target in range(N_TYPES):
            loop = self.loops[read_as * N_TYPES + target]
            if loop is None:
                continue
            other = ReductionLoop.__new__(ReductionLoop)
            other.program, other.name = loop.program, loop.name
            other.in_size, other.acc_size = loop.in_size, loop.acc_size
            other.out_code = target
            if target == read_as and not (alias == BOOL and self.name in ("sum", "prod")):
                other.out_code = alias
            elif alias == BOOL and target == UINT64:
                other.out_code = INT64
            self.loops[alias * N_TYPES + other.out_code] = other
            if self.defaults[alias] is None:
                self.defaults[alias] = other

    cdef ReductionLoop find(self, int source, int target):
        return self.loops[source * N_TYPES + target]


cdef dict OPERATIONS = {}


def _make_operations():
    names = {"sum": ("add", 0), "prod": ("multiply", 1), "nansum": ("add", 0),
             "nanprod": ("multiply", 1), "max": ("maximum", None), "min": ("minimum", None),
             "any": ("logical_or", False), "all": ("logical_and", True),
             "logical_xor": ("logical_xor", False), "count_nonzero": ("add", 0),
             "bitwise_and": ("bitwise_and", -1), "bitwise_or": ("bitwise_or", 0),
             "bitwise_xor": ("bitwise_xor", 0)}
    for row in REDUCTIONS:
        OPERATIONS[row.name] = ReductionOp(row, *names.get(row.name, (row.name, None)))


_make_operations()

cdef ReductionOp SUM = OPERATIONS["sum"]
cdef ReductionOp PROD = OPERATIONS["prod"]
cdef ReductionOp MAX = OPERATIONS["max"]
cdef ReductionOp MIN = OPERATIONS["min"]
cdef ReductionOp ANY = OPERATIONS["any"]
cdef ReductionOp ALL = OPERATIONS["all"]
cdef ReductionOp COUNT = OPERATIONS["count_nonzero"]
cdef ReductionOp ARGMAX = OPERATIONS["argmax"]
cdef ReductionOp ARGMIN = OPERATIONS["argmin"]
cdef ReductionOp NANSUM = OPERATIONS["nansum"]
cdef ReductionOp NANPROD = OPERATIONS["nanprod"]
cdef ReductionOp FMAX = OPERATIONS["fmax"]
cdef ReductionOp FMIN = OPERATIONS["fmin"]
cdef ReductionOp DEVIATION = OPERATIONS["squared_deviation"]


# ---- launches -------------------------------------------------------------------------------

cdef int _plan_inner(ReduceParams* p, ReductionLoop loop, LaunchShape shape, unsigned block,
                     Py_ssize_t n_reduced, unsigned* n_groups) except -1:
    """Tiles and parts of the inner kernel."""
    cdef Py_ssize_t total = p.n_outputs * n_reduced
    cdef Py_ssize_t wanted = smaller(shape.max_blocks, ceil_div(total, shape.min_chunk))
    cdef Py_ssize_t per_lane = larger(1, 32 // loop.in_size), tile
    p.lanes = 1 if block == 1 else power_of_two(ceil_div(n_reduced, per_lane), block)
    tile = block // p.lanes
    p.n_tiles = ceil_div(p.n_outputs, tile)
    p.split = 1
    p.tiles_per_block = 1
    if p.n_tiles >= wanted:
        # A workgroup alone has no neighbours: it takes all the outputs that fill its chunk.
        p.tiles_per_block = larger(ceil_div(p.n_tiles, wanted) if block == 1 else 1,
                                ceil_div(p.n_tiles, 1 << 22))
    else:
        p.split = smaller(ceil_div(wanted, p.n_tiles),
                      larger(1, n_reduced // larger(PAIRWISE_RUN, 16 * p.lanes)))
    p.part_size = ceil_div(n_reduced, p.split)
    if p.split > 1:
        p.part_size = ceil_div(p.part_size, PAIRWISE_RUN) * PAIRWISE_RUN
        p.split = ceil_div(n_reduced, p.part_size)
    n_groups[0] = <unsigned>(ceil_div(p.n_tiles, p.tiles_per_block) * p.split)
    return 0


cdef int _plan_outer(ReduceParams* p, int columns, LaunchShape shape, unsigned block,
                     unsigned* n_groups) except -1:
    """Tiles and parts of the outer kernel; `columns` are those of one work-item."""
    cdef Py_ssize_t total = p.n_outputs * p.n_rows
    cdef Py_ssize_t wanted = smaller(shape.max_blocks, ceil_div(total, shape.min_chunk))
    cdef Py_ssize_t n_outer = p.n_outputs // p.row_length, tile, row_lanes
    p.lanes = 1 if block == 1 else power_of_two(ceil_div(p.row_length, columns), block)
    row_lanes = block // p.lanes
    tile = COLUMN_TILE if block == 1 else p.lanes * columns
    p.n_tiles = n_outer * ceil_div(p.row_length, tile)
    p.split = 1
    p.tiles_per_block = 1
    if p.n_tiles >= wanted:
        p.tiles_per_block = larger(ceil_div(p.n_tiles, wanted) if block == 1 else 1,
                                ceil_div(p.n_tiles, 1 << 22))
    else:
        p.split = smaller(ceil_div(wanted, p.n_tiles), larger(1, p.n_rows // (8 * row_lanes)))
    p.part_size = ceil_div(p.n_rows, p.split)
    p.split = ceil_div(p.n_rows, p.part_size)
    n_groups[0] = <unsigned>(ceil_div(p.n_tiles, p.tiles_per_block) * p.split)
    return 0


cdef inline unsigned _block_of(LaunchShape shape) noexcept:
    """A power of two, as the trees in LDS need, and no larger than their storage."""
    cdef unsigned block = 1
    while block * 2 <= shape.block and block * 2 <= REDUCE_BLOCK:
        block *= 2
    return block


cdef int _launch(ReductionLoop loop, ReduceParams* p, bint outer, unsigned n_groups,
                 unsigned block, LaunchShape shape) except -1:
    """Launches a planned reduction, and the combination of its parts if there are any."""
    cdef MemoryBlock scratch
    cdef ReduceParams second
    cdef char* result = p.output
    if p.split == 1:
        launch(loop.outer_ if outer else loop.inner_, n_groups, block, p, sizeof(ReduceParams))
        return 0
    scratch = allocate(p.split * p.n_outputs * loop.acc_size)
    p.output = scratch.ptr
    launch(loop.outer_ if outer else loop.inner_, n_groups, block, p, sizeof(ReduceParams))
    memset(&second, 0, sizeof(ReduceParams))
    second.input = scratch.ptr
    second.output = result
    second.auxiliary = p.auxiliary
    second.divisor = p.divisor
    second.finish_mode = p.finish_mode
    second.n_outputs = p.n_outputs
    second.n_rows = p.split
    second.row_length = p.n_outputs
    second.row_stride = loop.acc_size
    second.reduced_ndim = 1
    second.reduced_shape[0] = p.split
    second.reduced_strides[0] = p.n_outputs * loop.acc_size
    _plan_outer(&second, 1, shape, block, &n_groups)
    if second.split > 1:
        # One level of parts is enough: the rest is a loop of each workgroup.
        second.split = 1
        second.part_size = second.n_rows
        n_groups = <unsigned>ceil_div(second.n_tiles, second.tiles_per_block)
    launch(loop.combine_, n_groups, block, &second, sizeof(ReduceParams))
    return 0


cdef ndarray reduce_all(ReductionLoop loop, ndarray a, double divisor, int mode):
    """The reduction of all items of a contiguous, not empty array to a 0-d one."""
    cdef ReduceParams p
    cdef LaunchShape shape
    cdef unsigned block, n_groups = 1
    cdef ndarray result
    use_operand(a)
    loop.prepare()
    result = new_array(loop.out_code, 0, NULL)
    memset(&p, 0, sizeof(ReduceParams))
    p.input = a.data_
    p.output = result.data_
    p.divisor = divisor
    p.finish_mode = mode
    p.n_outputs = 1
    p.n_rows = 1
    p.row_length = a.size
    p.row_stride = a.itemsize
    shape = launch_shape(loop.device_)
    block = _block_of(shape)
    _plan_inner(&p, loop, shape, block, a.size, &n_groups)
    _launch(loop, &p, False, n_groups, block, shape)
    return result


cdef int _merge(int n, const int* order, const Py_ssize_t* shape, const Py_ssize_t* strides,
                Py_ssize_t* dims, Py_ssize_t* steps) noexcept:
    """Axes in `order` (slowest first) without those of length 1, neighbours merged."""
    cdef int i, axis, m = 0
    for i in range(n):
        axis = order[i]
        if shape[axis] == 1:
            continue
        if m and steps[m - 1] == strides[axis] * shape[axis]:
            dims[m - 1] *= shape[axis]
            steps[m - 1] = strides[axis]
        else:
            dims[m] = shape[axis]
            steps[m] = strides[axis]
            m += 1
    return m


cdef inline Py_ssize_t _distance(Py_ssize_t stride) noexcept:
    return -stride if stride < 0 else stride


cdef int _select(ndarray a, const bint* reduced, bint wanted, int* axes, Py_ssize_t* shape,
                 Py_ssize_t* strides) noexcept:
    """The axes that are (not) reduced, with their extents and strides."""
    cdef int i, n = 0
    for i in range(a.ndim):
        if reduced[i] == wanted:
            axes[n] = i
            shape[n] = a.shape_[i]
            strides[n] = a.strides_[i]
            n += 1
    return n


cdef ndarray _new_result(int code, ndarray a, const bint* reduced, bint keepdims, int n_kept,
                         const int* kept_axes, const int* kept_order):
    """The result, in the memory order of the axes that it keeps."""
    cdef Py_ssize_t shape[MAX_NDIM]
    cdef int order[MAX_NDIM]
    cdef int i, n = 0
    if not keepdims:
        for i in range(n_kept):
            shape[i] = a.shape_[kept_axes[i]]
        return new_array_ordered(code, n_kept, shape, kept_order)
    for i in range(a.ndim):
        shape[i] = 1 if reduced[i] else a.shape_[i]
        if reduced[i]:
            order[n] = i
            n += 1
    for i in range(n_kept):
        order[n] = kept_axes[kept_order[i]]
        n += 1
    return new_array_ordered(code, a.ndim, shape, order)


cdef ndarray reduce_axes(ReductionLoop loop, ndarray a, const bint* reduced, bint keepdims,
                         ndarray out, ndarray auxiliary, double divisor, int mode):
    """Reduces the marked axes of a not empty array.

    `out` has the result's type and shape; it is written directly where its memory order allows.
    `auxiliary` is one item an output, in memory in the order in which results are made.
    """
    cdef Py_ssize_t kept_shape[MAX_NDIM]
    cdef Py_ssize_t kept_strides[MAX_NDIM]
    cdef Py_ssize_t reduced_shape[MAX_NDIM]
    cdef Py_ssize_t reduced_strides[MAX_NDIM]
    cdef Py_ssize_t kept_dims[MAX_NDIM]
    cdef Py_ssize_t kept_steps[MAX_NDIM]
    cdef Py_ssize_t dims[MAX_NDIM]
    cdef Py_ssize_t steps[MAX_NDIM]
    cdef int kept_axes[MAX_NDIM]
    cdef int axes[MAX_NDIM]
    cdef int kept_order[MAX_NDIM]
    cdef int order[MAX_NDIM]
    cdef Py_ssize_t* rows[1]
    cdef int n_kept, n_reduced, k, r
    cdef ndarray result
    use_operand(a)
    n_kept = _select(a, reduced, False, kept_axes, kept_shape, kept_strides)
    n_reduced = _select(a, reduced, True, axes, reduced_shape, reduced_strides)
    rows[0] = kept_strides
    iteration_order(n_kept, kept_shape, 1, rows, kept_order)
    rows[0] = reduced_strides
    iteration_order(n_reduced, reduced_shape, 1, rows, order)
    k = _merge(n_kept, kept_order, kept_shape, kept_strides, kept_dims, kept_steps)
    r = _merge(n_reduced, order, reduced_shape, reduced_strides, dims, steps)
    if k > REDUCE_NDIM or r > REDUCE_NDIM:
        return _reduce_packed(loop, a, reduced, keepdims, out, auxiliary, divisor, mode)
    result = _new_result(loop.out_code, a, reduced, keepdims, n_kept, kept_axes, kept_order)
    if out is not None and _same_layout(out, result):
        result = out
    _reduce_into(loop, a, result.data_, auxiliary, divisor, mode, k, kept_dims, kept_steps,
                 r, dims, steps)
    if out is not None and out is not result:
        assign_array(out, result, True)
        return out
    return result


cdef bint _same_layout(ndarray a, ndarray b) noexcept:
    cdef int i
    if a.code != b.code or a.ndim != b.ndim:
        return False
    for i in range(a.ndim):
        if a.shape_[i] != b.shape_[i] or (a.shape_[i] > 1 and a.strides_[i] != b.strides_[i]):
            return False
    return True


cdef ndarray _reduce_packed(ReductionLoop loop, ndarray a, const bint* reduced, bint keepdims,
                            ndarray out, ndarray auxiliary, double divisor, int mode):
    """Very many unmergeable axes: a copy with the reduced axes last has two."""
    cdef list kept = [], dropped = []
    cdef bint marks[MAX_NDIM]
    cdef ndarray packed, result
    cdef int i
    for i in range(a.ndim):
        (dropped if reduced[i] else kept).append(i)
    for i in range(a.ndim):
        marks[i] = i >= len(kept)
    packed = copy_array(a.transpose(kept + dropped), "C", a.code)
    result = reduce_axes(loop, packed, marks, False, None, auxiliary, divisor, mode)
    if keepdims:
        result = result.reshape(tuple([1 if reduced[i] else a.shape_[i] for i in range(a.ndim)]))
    if out is not None:
        assign_array(out, result, True)
        return out
    return result


cdef int _reduce_into(ReductionLoop loop, ndarray a, char* output, ndarray auxiliary,
                      double divisor, int mode, int k, const Py_ssize_t* kept_dims,
                      const Py_ssize_t* kept_steps, int r, const Py_ssize_t* dims,
                      const Py_ssize_t* steps) except -1:
    """Chooses the kernel for merged kept and reduced axes, and launches it."""
    cdef ReduceParams p
    cdef LaunchShape shape
    cdef unsigned block, n_groups = 1
    cdef Py_ssize_t n_reduced = 1
    cdef bint outer
    cdef int i, columns
    loop.prepare()
    shape = launch_shape(loop.device_)
    block = _block_of(shape)
    memset(&p, 0, sizeof(ReduceParams))
    p.input = a.data_
    p.output = output
    if auxiliary is not None:
        p.auxiliary = auxiliary.data_
    p.divisor = divisor
    p.finish_mode = mode
    p.n_outputs = 1
    for i in range(k):
        p.n_outputs *= kept_dims[i]
    for i in range(r):
        n_reduced *= dims[i]
    # A work-item alone gains nothing from a few neighbours.
    outer = k > 0 and (r == 0 or _distance(kept_steps[k - 1]) < _distance(steps[r - 1])) and (
        block > 1 or kept_dims[k - 1] >= 8 or r == 0)
    if outer:
        p.row_length = kept_dims[k - 1]
        p.row_stride = kept_steps[k - 1]
        p.n_rows = n_reduced
        k -= 1
    elif r > 0:
        p.row_length = dims[r - 1]
        p.row_stride = steps[r - 1]
        p.n_rows = n_reduced // p.row_length
        r -= 1
    else:
        p.row_length = p.n_rows = 1
        p.row_stride = a.itemsize
    p.kept_ndim = k
    p.reduced_ndim = r
    for i in range(k):
        p.kept_shape[i] = kept_dims[i]
        p.kept_strides[i] = kept_steps[i]
    for i in range(r):
        p.reduced_shape[i] = dims[i]
        p.reduced_strides[i] = steps[i]
    if outer:
        columns = 1 if loop.in_size >= 16 else 16 // loop.in_size if loop.in_size > 1 else 8
        p.vector_loads = _can_load_vectors(&p, loop.in_size, columns)
        _plan_outer(&p, columns, shape, block, &n_groups)
    else:
        _plan_inner(&p, loop, shape, block, n_reduced, &n_groups)
    return _launch(loop, &p, outer, n_groups, block, shape)


cdef bint _can_load_vectors(ReduceParams* p, int itemsize, int columns) noexcept:
    """Whether `columns` neighbours always begin at a multiple of their size."""
    cdef int64_t n_bytes = itemsize * columns
    cdef int i
    if p.row_stride != itemsize or <size_t>p.input % <size_t>n_bytes:
        return False
    for i in range(p.kept_ndim):
        if p.kept_strides[i] % n_bytes:
            return False
    for i in range(p.reduced_ndim):
        if p.reduced_strides[i] % n_bytes:
            return False
    return True


# ---- the common driver ----------------------------------------------------------------------

cdef int parse_axes(object axis, int ndim, bint* reduced) except -1:
    """Marks the axes that `axis` (None, int or tuple) names."""
    cdef int i
    for i in range(ndim):
        reduced[i] = axis is None
    if axis is None:
        return 0
    if not isinstance(axis, (tuple, list)):
        if ndim == 0 and axis in (0, -1):
            return 0
        reduced[normalize_axis(axis, ndim)] = True
        return 0
    for item in axis:
        i = normalize_axis(item, ndim)
        if reduced[i]:
            raise ValueError("duplicate value in 'axis'")
        reduced[i] = True
    return 0


cdef tuple result_shape(ndarray a, const bint* reduced, bint keepdims):
    cdef list shape = []
    cdef int i
    for i in range(a.ndim):
        if not reduced[i]:
            shape.append(a.shape_[i])
        elif keepdims:
            shape.append(1)
    return tuple(shape)


cdef ndarray check_out(object out, str name, tuple shape):
    """`out` of a reduction, or None; it must have the result's shape."""
    if isinstance(out, tuple) and len(out) == 1:
        out = out[0]
    if out is None:
        return None
    if not isinstance(out, ndarray):
        raise TypeError(f"{name}: out must be a rocarray.ndarray, got {type(out).__name__}: "
                        "results of device functions stay on the device")
    if len(shape) != (<ndarray>out).ndim:
        raise ValueError(
            f"output parameter for reduction operation {name} has the wrong number of "
            f"dimensions: Found {(<ndarray>out).ndim} but expected {len(shape)}")
    if shape_of(out) != shape:
        raise ValueError(
            f"output parameter for reduction operation {name} has shape {shape_of(out)}, but the "
            f"result has shape {shape} (it must match: no broadcasting)")
    if not (<ndarray>out).writable:
        raise ValueError("output array is read-only")
    use_operand(out)
    return out


cdef int check_cast(str name, int source, int target) except -1:
    if source != target and not np.can_cast(DTYPES[source], DTYPES[target], "same_kind"):
        raise np._core._exceptions._UFuncOutputCastingError(
            getattr(np, name, np.add), "same_kind", DTYPES[source], DTYPES[target], 0)
    return 0


cdef ndarray finish_into(ndarray result, ndarray out):
    """The result in `out`, or by itself where there is none."""
    if out is None or out is result:
        return result
    assign_array(out, result, True)
    return out


cdef ndarray _masked(ndarray a, object where, object value, tuple shape):
    """A copy of `a` with `value` where the mask is False."""
    cdef ndarray mask = as_device(where)
    cdef ndarray result
    if mask.code != BOOL:
        raise TypeError(f"Cannot cast array data from {mask.dtype!r} to dtype('bool') according "
                        "to the rule 'safe'")
    result = methods.empty(np.broadcast_shapes(shape_of(a), shape_of(mask)), a.dtype)
    fill_array(result, value)
    assign_array(result, a, mask)
    return result


cdef ndarray _filled(tuple shape, int code, object value):
    cdef ndarray result = methods.empty(shape, DTYPES[code])
    fill_array(result, value)
    return result


cdef object reduce_by(ReductionOp op, ndarray a, int target, object axis, object out,
                      bint keepdims, object initial, object where):
    """Every option of ufunc.reduce; `target` is the type that is computed in."""
    cdef bint reduced[MAX_NDIM]
    cdef ReductionLoop loop
    cdef ndarray result, given
    cdef tuple shape
    cdef Py_ssize_t n_reduced = 1
    cdef int i
    if where is not True:
        identity = op.identity if initial is NO_VALUE else initial
        if identity is None:
            raise ValueError(
                f"reduction operation '{op.ufunc_name}' does not have an identity, so to use a "
                "where mask one has to specify 'initial'")
        if initial is not NO_VALUE and op.identity is not None:
            identity = op.identity
        a = _masked(a, where, identity, None)
    parse_axes(axis, a.ndim, reduced)
    shape = result_shape(a, reduced, keepdims)
    given = check_out(out, op.ufunc_name, shape)
    if given is not None:
        check_cast(op.ufunc_name, target, given.code)
    for i in range(a.ndim):
        if reduced[i]:
            n_reduced *= a.shape_[i]
    if a.size == 0:
        if initial is NO_VALUE:
            if op.identity is None and n_reduced == 0 and 0 not in shape:
                raise ValueError(f"zero-size array to reduction operation {op.ufunc_name} which "
                                 "has no identity")
            initial = 0 if op.identity is None else op.identity
        result = _filled(shape, target, initial)
        return finish_into(result, given)
    result = _reduce_typed(op, a, target, reduced, keepdims, given if (
        given is not None and given.code == target) else None, 0.0, FINISH_PLAIN)
    if initial is not NO_VALUE and initial is not None:
        getattr(methods, op.ufunc_name)(result, initial, out=result)
    return finish_into(result, given)


cdef ndarray _reduce_typed(ReductionOp op, ndarray a, int target, const bint* reduced,
                           bint keepdims, ndarray out, double divisor, int mode):
    """Finds a loop to `target`, through casts where there is none from the array's type."""
    cdef ReductionLoop loop = op.find(a.code, target)
    cdef ndarray result
    if loop is not None:
        return reduce_axes(loop, a, reduced, keepdims, out, None, divisor, mode)
    if a.code != target and (loop := op.find(target, target)) is not None:
        a = cast_array(a, target)
        return reduce_axes(loop, a, reduced, keepdims, out, None, divisor, mode)
    # Narrow integers: 64-bit arithmetic wraps to the same bits.
    wide = UINT64 if target in _UNSIGNED else INT64
    if target == BOOL:
        a = cast_array(a, BOOL)
        result = reduce_axes((ANY if op is SUM else ALL).find(BOOL, BOOL), a, reduced, keepdims,
                             None, None, 0.0, FINISH_PLAIN)
    elif is_integer_code(target):
        if not is_integer_code(a.code) and a.code != BOOL:
            a = cast_array(a, target)
        loop = op.find(a.code, wide)
        if loop is None:
            a = cast_array(a, wide)
            loop = op.find(wide, wide)
        result = reduce_axes(loop, a, reduced, keepdims, None, None, divisor, mode)
    else:
        raise TypeError(f"{op.name}: no loop from {a.dtype} to {DTYPES[target]}")
    if result.code != target:
        result = cast_array(result, target)
    return finish_into(result, out)


cdef set _UNSIGNED = {2, 4, 6, 8}


cdef int sum_code(int code) noexcept:
    """The type that sums and products of a type have by default."""
    if code == BOOL or code == INT8 or code == INT16 or code == INT32:
        return INT64
    if is_integer_code(code) and code != INT64:
        return UINT64
    return code


cdef int _target_code(int code, object dtype, object out, bint widened) except -1:
    """The type that a reduction computes in, from dtype=, else from the input and out=."""
    cdef int default
    if dtype is not None:
        return code_of(dtype)
    if isinstance(out, tuple) and len(out) == 1:
        out = out[0]
    if isinstance(out, ndarray):
        return code_of(np.promote_types(DTYPES[code], (<ndarray>out).dtype)) if (
            (<ndarray>out).code != code) else code
    return sum_code(code) if widened else code


cdef inline bint _plain(object a, object axis, object out, object keepdims, object initial,
                        object where) noexcept:
    """Whether the fast path may take this call: everything reduced, no options."""
    return (type(a) is ndarray and axis is None and out is None
            and (keepdims is NO_VALUE or keepdims is False) and initial is NO_VALUE
            and (where is NO_VALUE or where is True) and (<ndarray>a).size > 0
            and ((<ndarray>a).c_contiguous or (<ndarray>a).f_contiguous))


cdef inline bint _flag(object keepdims) except -1:
    return False if keepdims is NO_VALUE else bool(keepdims)


cdef inline object _mask(object where):
    return True if where is NO_VALUE or where is True else where


# ---- sums, products, extremes, logic ----------------------------------------------------------

def sum(a, axis=None, dtype=None, out=None, keepdims=NO_VALUE, initial=NO_VALUE, where=NO_VALUE):
    """Sum of array elements over given axes.

    Parameters
    ----------
    a : array_like
    axis : None, int or tuple of int, optional
        All axes by default.
    dtype : dtype, optional
        Type of the result and of the additions; 64-bit integers for bool and integers.
    out : ndarray, optional
    keepdims : bool, optional
        Reduced axes stay, with length 1.
    initial : scalar, optional
        Where the sum begins.
    where : array_like of bool, optional
        Elements to include.

    Returns
    -------
    ndarray
        0-d where all axes are reduced.

    Notes
    -----
    Sums of floats are pairwise along every axis; 16-bit floats add up in float32.

    Examples
    --------
    >>> import rocarray as rp
    >>> rp.sum(rp.array([[0, 1], [0, 5]]), axis=1)
    array([1, 5])
    """
    cdef ndarray x
    if dtype is None and _plain(a, axis, out, keepdims, initial, where):
        return reduce_all(SUM.defaults[(<ndarray>a).code], a, 0.0, FINISH_PLAIN)
    x = as_device(a)
    return reduce_by(SUM, x, _target_code(x.code, dtype, out, True), axis, out, _flag(keepdims),
                     initial, _mask(where))


def prod(a, axis=None, dtype=None, out=None, keepdims=NO_VALUE, initial=NO_VALUE, where=NO_VALUE):
    """Product of array elements over given axes; the options are those of `sum`."""
    cdef ndarray x
    if dtype is None and _plain(a, axis, out, keepdims, initial, where):
        return reduce_all(PROD.defaults[(<ndarray>a).code], a, 0.0, FINISH_PLAIN)
    x = as_device(a)
    return reduce_by(PROD, x, _target_code(x.code, dtype, out, True), axis, out, _flag(keepdims),
                     initial, _mask(where))


def max(a, axis=None, out=None, keepdims=NO_VALUE, initial=NO_VALUE, where=NO_VALUE):
    """Maximum over given axes; NaN where there is one. The options are those of `sum`."""
    cdef ndarray x
    if _plain(a, axis, out, keepdims, initial, where):
        return reduce_all(MAX.defaults[(<ndarray>a).code], a, 0.0, FINISH_PLAIN)
    x = as_device(a)
    return reduce_by(MAX, x, _target_code(x.code, None, out, False), axis, out, _flag(keepdims),
                     initial, _mask(where))


def min(a, axis=None, out=None, keepdims=NO_VALUE, initial=NO_VALUE, where=NO_VALUE):
    """Minimum over given axes; NaN where there is one. The options are those of `sum`."""
    cdef ndarray x
    if _plain(a, axis, out, keepdims, initial, where):
        return reduce_all(MIN.defaults[(<ndarray>a).code], a, 0.0, FINISH_PLAIN)
    x = as_device(a)
    return reduce_by(MIN, x, _target_code(x.code, None, out, False), axis, out, _flag(keepdims),
                     initial, _mask(where))


def any(a, axis=None, out=None, keepdims=NO_VALUE, *, where=NO_VALUE):
    """Whether any element over given axes is true (not zero; NaN is true)."""
    if _plain(a, axis, out, keepdims, NO_VALUE, where):
        return reduce_all(ANY.defaults[(<ndarray>a).code], a, 0.0, FINISH_PLAIN)
    return reduce_by(ANY, as_device(a), BOOL, axis, out, _flag(keepdims), NO_VALUE, _mask(where))


def all(a, axis=None, out=None, keepdims=NO_VALUE, *, where=NO_VALUE):
    """Whether all elements over given axes are true (not zero; NaN is true)."""
    if _plain(a, axis, out, keepdims, NO_VALUE, where):
        return reduce_all(ALL.defaults[(<ndarray>a).code], a, 0.0, FINISH_PLAIN)
    return reduce_by(ALL, as_device(a), BOOL, axis, out, _flag(keepdims), NO_VALUE, _mask(where))


def count_nonzero(a, axis=None, *, keepdims=False):
    """How many elements over given axes are not zero (int64)."""
    if _plain(a, axis, None, keepdims, NO_VALUE, NO_VALUE):
        return reduce_all(COUNT.defaults[(<ndarray>a).code], a, 0.0, FINISH_PLAIN)
    return reduce_by(COUNT, as_device(a), INT64, axis, None, keepdims, NO_VALUE, True)


# ---- positions --------------------------------------------------------------------------------

cdef object _find(ReductionOp op, object a, object axis, object out, object keepdims):
    cdef ndarray x = as_device(a)
    cdef bint reduced[MAX_NDIM]
    cdef ndarray given, result
    cdef bint keep = _flag(keepdims)
    cdef int i
    cdef tuple shape
    if axis is None:
        for i in range(x.ndim):
            reduced[i] = True
    else:
        for i in range(x.ndim):
            reduced[i] = False
        if x.ndim or axis not in (0, -1):
            reduced[normalize_axis(axis, x.ndim)] = True
    shape = result_shape(x, reduced, keep)
    given = check_out(out, op.name, shape)
    for i in range(x.ndim):
        if reduced[i] and x.shape_[i] == 0:
            raise ValueError(f"attempt to get {op.name} of an empty sequence")
    if given is not None and not np.can_cast(np.int64, given.dtype, "same_kind"):
        raise TypeError(f"Cannot cast array data from dtype('int64') to {given.dtype!r} according "
                        "to the rule 'safe'")
    if x.size == 0:
        result = methods.empty(shape, np.int64)
        return finish_into(result, given)
    loop = op.defaults[x.code]
    if axis is None:
        # Positions count in C order, whatever the memory order.
        if not x.c_contiguous:
            x = copy_array(x, "C", x.code)
        result = reduce_all(loop, x, 0.0, FINISH_PLAIN)
        if keep:
            result = result.reshape(shape)
    else:
        result = reduce_axes(loop, x, reduced, keep, None, None, 0.0, FINISH_PLAIN)
    return finish_into(result, given)


def argmax(a, axis=None, out=None, *, keepdims=NO_VALUE):
    """Index of the first maximum along an axis, or in the flattened array; NaN is the largest.

    Parameters
    ----------
    a : array_like
    axis : int, optional
        None (default) searches the flattened array.
    out : ndarray, optional
    keepdims : bool, optional

    Returns
    -------
    ndarray of int64
    """
    return _find(ARGMAX, a, axis, out, keepdims)


def argmin(a, axis=None, out=None, *, keepdims=NO_VALUE):
    """Index of the first minimum along an axis, or in the flattened array; see `argmax`."""
    return _find(ARGMIN, a, axis, out, keepdims)


# ---- mean, var, std ---------------------------------------------------------------------------

cdef Py_ssize_t _count(ndarray a, const bint* reduced) noexcept:
    cdef Py_ssize_t n = 1
    cdef int i
    for i in range(a.ndim):
        if reduced[i]:
            n *= a.shape_[i]
    return n


cdef ndarray _masked_count(ndarray a, object where, object axis, bint keepdims):
    """How many elements the mask takes into each output."""
    mask = methods.broadcast_to(as_device(where), shape_of(a))
    return reduce_by(COUNT, mask, INT64, axis, None, keepdims, NO_VALUE, True)


cdef int _mean_code(int code, object dtype) except -1:
    if dtype is not None:
        return code_of(dtype)
    return FLOAT64 if code == BOOL or is_integer_code(code) else code


def mean(a, axis=None, dtype=None, out=None, keepdims=NO_VALUE, *, where=NO_VALUE):
    """Arithmetic mean over given axes.

    Parameters
    ----------
    a : array_like
    axis : None, int or tuple of int, optional
    dtype : dtype, optional
        float64 for integers, else the type of `a`.
    out : ndarray, optional
    keepdims : bool, optional
    where : array_like of bool, optional

    Returns
    -------
    ndarray

    Examples
    --------
    >>> import rocarray as rp
    >>> rp.mean(rp.array([1, 2, 3, 6]))
    array(3.)
    """
    cdef bint reduced[MAX_NDIM]
    cdef ndarray x, given, result
    cdef ReductionLoop loop
    cdef Py_ssize_t n
    cdef int target
    cdef bint keep
    if dtype is None and _plain(a, axis, out, keepdims, NO_VALUE, where):
        x = a
        loop = SUM.find(x.code, FLOAT64 if x.code < FLOAT16 else x.code)
        if loop is not None:
            return reduce_all(loop, x, <double>x.size, FINISH_DIVIDE)
    x = as_device(a)
    keep = _flag(keepdims)
    target = _mean_code(x.code, dtype)
    where = _mask(where)
    if where is not True:
        return _mean_where(x, axis, target, out, keep, where)
    parse_axes(axis, x.ndim, reduced)
    shape = result_shape(x, reduced, keep)
    given = check_out(out, "add", shape)
    if given is not None and not np.can_cast(DTYPES[target], given.dtype, "same_kind"):
        check_cast("add", target, given.code)
    n = _count(x, reduced)
    if n == 0:
        warnings.warn("Mean of empty slice", RuntimeWarning, stacklevel=2)
    if x.size == 0:
        return finish_into(_filled(shape, target, np.nan if n == 0 and not is_integer_code(
            target) else 0), given)
    if is_integer_code(target) or target == BOOL:
        # As NumPy: the sum in that type, the quotient in float64.
        result = _reduce_typed(SUM, x, target, reduced, keep, None, 0.0, FINISH_PLAIN)
        result = methods.divide(result, n)
        return finish_into(result if dtype is None else cast_array(result, target), given)
    if x.code == BOOL:
        x = cast_array(x, UINT8)
    if SUM.find(x.code, target) is None:
        x = cast_array(x, target)
    result = _reduce_typed(SUM, x, target, reduced, keep, given if (
        given is not None and given.code == target) else None, <double>n, FINISH_DIVIDE)
    return finish_into(result, given)


cdef object _mean_where(ndarray a, object axis, int target, object out, bint keepdims,
                        object where):
    cdef ndarray total
    count = _masked_count(a, where, axis, keepdims)
    if bool((count == 0).any()):
        warnings.warn("Mean of empty slice", RuntimeWarning, stacklevel=2)
    # 16-bit floats are divided before they are rounded.
    wide = FLOAT32 if target == FLOAT16 or target == BFLOAT16 else target
    total = reduce_by(SUM, a, wide, axis, None, keepdims, NO_VALUE, where)
    total = cast_array(methods.divide(total, count), target)
    return finish_into(total, check_out(out, "add", shape_of(total)))


cdef ndarray _spread(ndarray a, const bint* reduced, object dtype, double divisor, int mode,
                     bint keepdims, object mean):
    """Sum of squared deviations (then divided, rooted) of a not empty array."""
    cdef ndarray means, given
    cdef ReductionLoop loop
    cdef int code, mean_code
    if dtype is not None and not (is_complex_code(a.code) and not is_complex_code(code_of(dtype))):
        code = code_of(dtype)
    else:
        code = a.code
    if code == BOOL or is_integer_code(code):
        code = FLOAT64
    if a.code != code:
        a = cast_array(a, code)
    mean_code = FLOAT32 if code == FLOAT16 or code == BFLOAT16 else code
    means = reduce_axes(SUM.find(code, mean_code), a, reduced, True, None, None,
                        <double>_count(a, reduced), FINISH_DIVIDE)
    if mean is not None:
        given = as_device(mean)
        assign_array(means, given, True)
    return reduce_axes(DEVIATION.defaults[code], a, reduced, keepdims, None, means, divisor, mode)


cdef object _variance(object a, object axis, object dtype, object out, object ddof,
                      object keepdims, object where, object mean, object correction, bint root):
    cdef bint reduced[MAX_NDIM]
    cdef ndarray x = as_device(a)
    cdef ndarray given, result
    cdef Py_ssize_t n
    cdef bint keep = _flag(keepdims)
    cdef double divisor
    where = _mask(where)
    if correction is not NO_VALUE:
        if ddof != 0:
            raise ValueError("ddof and correction can't be provided simultaneously.")
        ddof = correction
    if mean is NO_VALUE:
        mean = None
    if where is not True:
        return methods.masked_variance(x, axis, dtype, out, ddof, keep, where, mean, root)
    parse_axes(axis, x.ndim, reduced)
    shape = result_shape(x, reduced, keep)
    given = check_out(out, "add", shape)
    n = _count(x, reduced)
    divisor = <double>n - <double>ddof
    if divisor <= 0:
        warnings.warn("Degrees of freedom <= 0 for slice", RuntimeWarning, stacklevel=2)
        divisor = 0.0
    if x.size == 0:
        code = FLOAT64 if x.code < FLOAT16 else x.code
        code = FLOAT32 if code == COMPLEX64 else FLOAT64 if code == COMPLEX128 else code
        return finish_into(_filled(shape, code_of(dtype) if dtype is not None else code, np.nan),
                           given)
    result = _spread(x, reduced, dtype, divisor, FINISH_DIVIDE_SQRT if root else FINISH_DIVIDE,
                     keep, mean)
    if dtype is not None and result.code != code_of(dtype) and not is_complex_code(code_of(dtype)):
        result = cast_array(result, code_of(dtype))
    return finish_into(result, given)


def var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=NO_VALUE, *, where=NO_VALUE,
        mean=NO_VALUE, correction=NO_VALUE):
    """Variance over given axes: the mean of the squared distances from the mean.

    Parameters
    ----------
    a : array_like
    axis : None, int or tuple of int, optional
    dtype : dtype, optional
        float64 for integers, else the type of `a` (its real type for complex numbers).
    out : ndarray, optional
    ddof : float, optional
        The divisor is ``n - ddof``.
    keepdims : bool, optional
    where : array_like of bool, optional
    mean : array_like, optional
        The mean, computed with ``keepdims=True``, where it is known already.
    correction : float, optional
        The array API's name for `ddof`.

    Returns
    -------
    ndarray
    """
    return _variance(a, axis, dtype, out, ddof, keepdims, where, mean, correction, False)


def std(a, axis=None, dtype=None, out=None, ddof=0, keepdims=NO_VALUE, *, where=NO_VALUE,
        mean=NO_VALUE, correction=NO_VALUE):
    """Standard deviation over given axes: the square root of `var`."""
    return _variance(a, axis, dtype, out, ddof, keepdims, where, mean, correction, True)


# ---- for the nan-functions and the ufuncs -----------------------------------------------------

def reduce_named(name, a, axis=None, dtype=None, out=None, keepdims=False, initial=NO_VALUE,
                 where=True):
    """Reduction `name` of the table over `axis` (what the nan-functions are made of)."""
    cdef ReductionOp op = OPERATIONS[name]
    cdef ndarray x = as_device(a)
    cdef int target
    if op.defaults[x.code] is None:
        raise TypeError(f"{name} has no loop for {x.dtype}")
    if name in ("sum", "prod", "nansum", "nanprod"):
        target = _target_code(x.code, dtype, out, True)
    else:
        target = (<ReductionLoop>op.defaults[x.code]).out_code
        if dtype is not None and target != BOOL:
            target = code_of(dtype)
    return reduce_by(op, x, target, axis, out, _flag(keepdims), initial, _mask(where))


cdef dict _UFUNC_OPERATIONS = {
    "add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min", "fmax": "fmax",
    "fmin": "fmin", "logical_or": "any", "logical_and": "all", "logical_xor": "logical_xor",
    "bitwise_and": "bitwise_and", "bitwise_or": "bitwise_or", "bitwise_xor": "bitwise_xor"}


def reduce_ufunc(ufunc, array, axis=0, dtype=None, out=None, keepdims=False, initial=NO_VALUE,
                 where=True):
    """`ufunc.reduce` of a binary ufunc: a parallel reduction where the operation is one."""
    cdef ndarray x = as_device(array)
    cdef str name = ufunc.__name__
    cdef ReductionOp op
    cdef int target
    if initial is None:
        initial = NO_VALUE
    reduction = _UFUNC_OPERATIONS.get(name)
    if name in ("fmax", "fmin") and (x.code < FLOAT16):
        reduction = "max" if name == "fmax" else "min"
    if reduction is None or (
            reduction.startswith("bitwise") and not (is_integer_code(x.code) or x.code == BOOL)):
        return methods.fold_ufunc(ufunc, x, axis, dtype, out, keepdims, initial, where)
    op = OPERATIONS[reduction]
    if name in ("logical_or", "logical_and", "logical_xor"):
        target = BOOL
    else:
        target = _target_code(x.code, dtype, out, name in ("add", "multiply"))
        if op.find(x.code, target) is None and x.code != target:
            if op.find(target, target) is not None:
                x = cast_array(x, target)
    return reduce_by(op, x, target, axis, out, bool(keepdims), initial, _mask(where))


methods.bind(
    sum=sum, prod=prod, max=max, min=min, any=any, all=all, count_nonzero=count_nonzero,
    argmax=argmax, argmin=argmin, mean=mean, var=var, std=std, reduce_named=reduce_named,
    reduce_ufunc=reduce_ufunc)
