"""Reduction loops: the layout is decided here (docs/design/reductions.md).

Axes of length 1 are dropped, the others sorted by stride and merged; then either a reduced axis is
the fastest ("inner" kernel) or a kept one is ("outer"). A range too long for one workgroup is split
and its parts combined by a second launch.
"""

from libc.stdint cimport int64_t
from libc.string cimport memset

from rocarray._core.conversion cimport assign_array, copy_array
from rocarray._core.device cimport current_device
from rocarray._core.dtypes cimport (
    BFLOAT16, BOOL, CHARS, FLOAT16, INT64, ITEM_SIZES, N_TYPES, UINT64)
from rocarray._core.elementwise cimport use_operand
from rocarray._core.kernel cimport Kernel, LaunchShape, get_kernel, launch, launch_shape
from rocarray._core.layout cimport MAX_NDIM, iteration_order
from rocarray._core.memory cimport MemoryBlock, allocate
from rocarray._core.ndarray cimport ndarray, new_array, new_array_ordered

from rocarray._kernels import architectures
from rocarray._kernels.tables.reductions import REDUCTIONS

cdef enum:
    REDUCE_NDIM = 8
    REDUCE_BLOCK = 256
    COLUMN_TILE = 512
    PAIRWISE_RUN = 1024
    SHORT_ROWS = 4


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
    int64_t n_groups
    int64_t tiles_per_row
    int64_t lanes
    int64_t vector_loads
    int64_t short_rows
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


cdef object _share_bool(ReductionOp op, ReductionOp other):
    op.defaults[BOOL] = other.defaults[BOOL]
    op.loops[BOOL * N_TYPES + BOOL] = other.defaults[BOOL]


def _make_operations():
    names = {"sum": ("add", 0), "prod": ("multiply", 1), "nansum": ("add", 0),
             "nanprod": ("multiply", 1), "max": ("maximum", None), "min": ("minimum", None),
             "any": ("logical_or", False), "all": ("logical_and", True),
             "logical_xor": ("logical_xor", False), "count_nonzero": ("add", 0),
             "bitwise_and": ("bitwise_and", -1), "bitwise_or": ("bitwise_or", 0),
             "bitwise_xor": ("bitwise_xor", 0)}
    for row in REDUCTIONS:
        OPERATIONS[row.name] = ReductionOp(row, *names.get(row.name, (row.name, None)))
    # The largest of bools is whether any is True: that stops where it is known.
    for name, stopping in ("max", "any"), ("min", "all"):
        _share_bool(OPERATIONS[name], OPERATIONS[stopping])


_make_operations()

# ---- launches -------------------------------------------------------------------------------

cdef Py_ssize_t _wanted(Py_ssize_t n_items, LaunchShape shape, unsigned block) noexcept:
    """How many workgroups the parts of a split reduction should be.

    On a GPU twice those that run at once: more parts are more work for the combination.
    """
    if block == 1:
        return smaller(shape.max_blocks, ceil_div(n_items, shape.min_chunk))
    return smaller(ceil_div(shape.max_blocks, 2), ceil_div(n_items, 4 * shape.min_chunk))


cdef inline bint _fills(Py_ssize_t n_tiles, Py_ssize_t wanted, unsigned block) noexcept:
    """Whether the tiles keep the device busy without splitting them."""
    return n_tiles >= (wanted if block == 1 else ceil_div(wanted, 2))


cdef int _plan_short_rows(ReduceParams* p, int in_size, LaunchShape shape, unsigned block,
                          unsigned* n_groups) except -1:
    """Rows of at most 32 packs of 16 bytes, all of them whole."""
    cdef Py_ssize_t tile
    p.short_rows = 1
    p.split = 1
    p.part_size = p.row_length
    p.lanes = power_of_two(p.row_length * in_size // 16, 32)
    tile = SHORT_ROWS * (block // p.lanes)
    p.n_tiles = ceil_div(p.n_outputs, tile)
    p.tiles_per_block = ceil_div(p.n_tiles, shape.max_blocks)
    p.n_groups = ceil_div(p.n_tiles, p.tiles_per_block)
    n_groups[0] = <unsigned>p.n_groups
    return 0


cdef int _plan_inner(ReduceParams* p, ReductionLoop loop, LaunchShape shape, unsigned block,
                     Py_ssize_t n_reduced, unsigned* n_groups) except -1:
    """Tiles and parts of the inner kernel."""
    cdef Py_ssize_t wanted = _wanted(p.n_outputs * n_reduced, shape, block)
    cdef Py_ssize_t per_lane = larger(1, 32 // loop.in_size), tile
    if (block > 1 and p.n_rows == 1 and n_reduced * loop.in_size <= 512 and loop.in_size <= 16
            and _can_load_vectors(p, loop.in_size, 16 // loop.in_size)
            and n_reduced * loop.in_size % 16 == 0):
        return _plan_short_rows(p, loop.in_size, shape, block, n_groups)
    p.lanes = 1 if block == 1 else power_of_two(ceil_div(n_reduced, per_lane), block)
    # Where there are outputs enough, a work-item has four loads of 16 bytes in flight.
    while (p.lanes > 16 and n_reduced * loop.in_size < 64 * p.lanes
           and _fills(p.n_outputs * p.lanes // (2 * block), wanted, block)):
        p.lanes //= 2
    tile = block // p.lanes
    p.n_tiles = ceil_div(p.n_outputs, tile)
    p.split = 1
    p.tiles_per_block = 1
    if _fills(p.n_tiles, wanted, block):
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
    p.n_groups = ceil_div(p.n_tiles, p.tiles_per_block)
    n_groups[0] = <unsigned>(p.n_groups * p.split)
    return 0


cdef Py_ssize_t _column_lanes(ReduceParams* p, int columns, Py_ssize_t wanted,
                              unsigned block, bint combines) noexcept:
    """Work-items side by side along a row; what is left of the workgroup takes other rows."""
    cdef Py_ssize_t n_outer = p.n_outputs // p.row_length
    cdef Py_ssize_t lanes
    if block == 1:
        return 1
    lanes = power_of_two(ceil_div(p.row_length, columns), block)
    # A row each for 16 of the rows that a work-item walks along, and no shorter rows than 32
    # work-items; partial results are few, and lie in the cache.
    while lanes > 32 and 32 * (block // lanes) <= p.n_rows:
        lanes //= 2
    while (combines and lanes > 4 and 16 * (block // lanes) < p.n_rows
           and n_outer * ceil_div(p.row_length, lanes) < wanted):
        lanes //= 2
    return lanes


cdef int _plan_outer(ReduceParams* p, int columns, LaunchShape shape, unsigned block,
                     bint combines, unsigned* n_groups) except -1:
    """Tiles and parts of the outer kernel; `columns` are those of one work-item."""
    cdef Py_ssize_t wanted = _wanted(p.n_outputs * p.n_rows, shape, block)
    cdef Py_ssize_t n_outer = p.n_outputs // p.row_length, tile, row_lanes
    p.lanes = _column_lanes(p, columns, ceil_div(shape.max_blocks, 2), block, combines)
    row_lanes = block // p.lanes
    tile = COLUMN_TILE if block == 1 else p.lanes * columns
    p.tiles_per_row = ceil_div(p.row_length, tile)
    p.n_tiles = n_outer * p.tiles_per_row
    p.split = 1
    p.tiles_per_block = 1
    if _fills(p.n_tiles, wanted, block):
        p.tiles_per_block = larger(ceil_div(p.n_tiles, wanted) if block == 1 else 1,
                                ceil_div(p.n_tiles, 1 << 22))
    elif not combines:
        p.split = smaller(ceil_div(wanted, p.n_tiles), larger(1, p.n_rows // (8 * row_lanes)))
    p.part_size = ceil_div(p.n_rows, p.split)
    p.split = ceil_div(p.n_rows, p.part_size)
    p.n_groups = ceil_div(p.n_tiles, p.tiles_per_block)
    n_groups[0] = <unsigned>(p.n_groups * p.split)
    return 0


cdef inline unsigned _block_of(LaunchShape shape) noexcept:
    """A power of two, as the trees in LDS need, and no larger than their storage."""
    cdef unsigned block = 1
    while block * 2 <= shape.block and block * 2 <= REDUCE_BLOCK:
        block *= 2
    return block


cdef int _plan_combination(const ReduceParams* p, ReduceParams* second, ReductionLoop loop,
                           LaunchShape shape, unsigned block, unsigned* n_groups) except -1:
    """The second launch of a split reduction, but for its addresses."""
    memset(second, 0, sizeof(ReduceParams))
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
    return _plan_outer(second, 1, shape, block, True, n_groups)


cdef int _launch(ReductionLoop loop, ReduceParams* p, bint outer, unsigned n_groups,
                 unsigned block, LaunchShape shape) except -1:
    """Launches a planned reduction, and the combination of its parts if there are any."""
    cdef MemoryBlock scratch
    cdef ReduceParams second
    cdef Kernel kernel, combine
    cdef char* result = p.output
    loop.prepare()
    # Held here: while memory is found, another thread may take the loop to another device.
    kernel = loop.outer_ if outer else loop.inner_
    combine = loop.combine_
    if p.split == 1:
        launch(kernel, n_groups, block, p, sizeof(ReduceParams))
        return 0
    scratch = allocate(p.split * p.n_outputs * loop.acc_size)
    p.output = scratch.ptr
    launch(kernel, n_groups, block, p, sizeof(ReduceParams))
    _plan_combination(p, &second, loop, shape, block, &n_groups)
    second.input = scratch.ptr
    second.output = result
    launch(combine, n_groups, block, &second, sizeof(ReduceParams))
    return 0


cdef ndarray reduce_all(ReductionLoop loop, ndarray a, double divisor, int mode):
    """The reduction of all items of a contiguous, not empty array to a 0-d one."""
    cdef ReduceParams p
    cdef LaunchShape shape
    cdef unsigned block, n_groups = 1
    cdef ndarray result
    use_operand(a)
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
    shape = launch_shape(current_device())
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
    cdef LaunchShape shape = launch_shape(current_device())
    cdef unsigned block = _block_of(shape), n_groups = 1
    cdef bint outer
    memset(&p, 0, sizeof(ReduceParams))
    p.input = a.data_
    p.output = output
    if auxiliary is not None:
        p.auxiliary = auxiliary.data_
    p.divisor = divisor
    p.finish_mode = mode
    outer = _plan(&p, loop, shape, block, k, kept_dims, kept_steps, r, dims, steps, &n_groups)
    return _launch(loop, &p, outer, n_groups, block, shape)


cdef bint _plan(ReduceParams* p, ReductionLoop loop, LaunchShape shape, unsigned block, int k,
                const Py_ssize_t* kept_dims, const Py_ssize_t* kept_steps, int r,
                const Py_ssize_t* dims, const Py_ssize_t* steps, unsigned* n_groups) except -1:
    """Fills in the geometry. Returns whether it is the outer kernel's."""
    cdef Py_ssize_t n_reduced = 1
    cdef bint outer
    cdef int i, columns
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
        p.row_stride = loop.in_size
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
        p.vector_loads = _can_load_vectors(p, loop.in_size, columns)
        _plan_outer(p, columns, shape, block, False, n_groups)
    else:
        _plan_inner(p, loop, shape, block, n_reduced, n_groups)
    return outer


def planned_launch(str operation, str char, tuple array_shape, tuple axes, int n_units,
                   unsigned block=256):
    """The launch that a C-contiguous array's reduction would be on a GPU, for tests.

    Returns a dict: the kernel, workgroups, parts, work-items along a row, bytes of partial results,
    and the workgroups of their combination.
    """
    cdef ReduceParams p, second
    cdef LaunchShape shape
    cdef Py_ssize_t extents[2][64]
    cdef Py_ssize_t strides[2][64]
    cdef Py_ssize_t dims[2][64]
    cdef Py_ssize_t steps[2][64]
    cdef int order[64]
    cdef int n[2]
    cdef int i, side
    cdef unsigned n_groups = 1, n_combining = 0
    cdef ReductionLoop loop = (<ReductionOp>OPERATIONS[operation]).defaults[CHARS.index(char)]
    cdef Py_ssize_t stride = loop.in_size
    shape.block = block
    target = architectures.target("gfx90a")
    shape.min_chunk = target.min_chunk
    shape.max_blocks = target.blocks_per_unit * n_units
    n[0] = n[1] = 0
    for i in range(len(array_shape) - 1, -1, -1):
        side = i in axes
        extents[side][n[side]] = array_shape[i]
        strides[side][n[side]] = stride
        n[side] += 1
        stride *= array_shape[i]
    for side in range(2):
        for i in range(n[side]):
            order[i] = n[side] - 1 - i
        n[side] = _merge(n[side], order, extents[side], strides[side], dims[side], steps[side])
    memset(&p, 0, sizeof(ReduceParams))
    outer = _plan(&p, loop, shape, block, n[0], dims[0], steps[0], n[1], dims[1], steps[1],
                  &n_groups)
    if p.split > 1:
        _plan_combination(&p, &second, loop, shape, block, &n_combining)
    return {"kernel": "outer" if outer else "short rows" if p.short_rows else "inner",
            "workgroups": n_groups, "parts": p.split, "lanes": p.lanes,
            "partial_bytes": p.split * p.n_outputs * loop.acc_size if p.split > 1 else 0,
            "combining": n_combining}


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
