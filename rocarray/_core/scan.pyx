"""Scans (cumsum, ufunc.accumulate) and ordered folds (reduce of functions that do not associate).

An operation that associates is scanned in parallel (device/scan.hpp); any other binary ufunc is
folded in order, one work-item an output line (device/fold.hpp).
"""

import numpy as np

from libc.stdint cimport int64_t
from libc.string cimport memset

from rocarray._core.conversion cimport as_device, assign_array, cast_array, from_host
from rocarray._core.device cimport current_device
from rocarray._core.dtypes cimport (
    BFLOAT16, BOOL, CHARS, DTYPES, FLOAT16, INT64, ITEM_SIZES, UINT64, code_of,
    is_integer_code)
from rocarray._core.elementwise cimport use_operand
from rocarray._core.kernel cimport Kernel, LaunchShape, get_kernel, launch, launch_shape
from rocarray._core.layout cimport MAX_NDIM, iteration_order, normalize_axis
from rocarray._core.memory cimport MemoryBlock, allocate, memset_async
from rocarray._core.ndarray cimport ndarray, new_array_ordered, shape_of
from rocarray._core.stream cimport current_stream

from rocarray._core import methods
from rocarray._core.ufunc import refuse_negative_exponents
from rocarray._kernels.tables.scans import SCANS

cdef object NO_VALUE = np._NoValue

cdef enum:
    REDUCE_NDIM = 8
    REDUCE_BLOCK = 256
    COLUMN_TILE = 512
    SCAN_GROUP = 32
    SMALLEST_BLOCK = 32  # of lines that need no more work-items
    MIN_CHUNK = 8192     # items of a line worth a workgroup of their own
    MIN_ROWS = 64        # items of a line worth a work-item of their own, where it has neighbours
    MIN_COLUMNS = 32     # neighbours that are worth going in step
    MAX_COLUMN_CHUNKS = 256


# As in device/scan_params.hpp.
cdef struct ScanParams:
    char* input
    char* output
    char* partials
    int64_t n_lines
    int64_t length
    int64_t input_step
    int64_t output_step
    int64_t chunk
    int64_t n_chunks
    int64_t n_groups
    int64_t lines_per_block
    int64_t input_column
    int64_t output_column
    int64_t n_columns
    int64_t ndim
    int64_t[8] shape
    int64_t[8] input_strides
    int64_t[8] output_strides


# As in device/fold.hpp.
cdef struct FoldParams:
    char* input
    char* output
    char* segments
    int64_t n_lines
    int64_t length
    int64_t n_segments
    int64_t input_step
    int64_t output_step
    int64_t lines_per_item
    int64_t ndim
    int64_t[8] shape
    int64_t[8] input_strides
    int64_t[8] output_strides


# The lines of an array along one axis, seen in two arrays of that shape (but for the axis).
cdef struct Lines:
    int ndim
    Py_ssize_t n_lines
    Py_ssize_t[64] shape
    Py_ssize_t[64] input_strides
    Py_ssize_t[64] output_strides


cdef inline Py_ssize_t ceil_div(Py_ssize_t a, Py_ssize_t b) noexcept:
    return (a + b - 1) // b


cdef inline Py_ssize_t distance(Py_ssize_t stride) noexcept:
    return -stride if stride < 0 else stride


cdef class ScanLoop:
    """One instantiation: an operation, the type it reads and the type it makes."""
    cdef str program
    cdef str name
    cdef int acc_size
    cdef int in_code
    cdef int out_code
    cdef Kernel reduce_
    cdef Kernel carry_
    cdef Kernel lines_
    cdef Kernel columns_
    cdef Kernel column_totals_
    cdef Kernel tiles_
    cdef int device_

    def __cinit__(self):
        self.device_ = -1

    cdef int prepare(self, unsigned block) except -1:
        cdef int device = current_device()
        if self.device_ != device:
            if block == 1:
                self.reduce_ = get_kernel(self.program, self.name + "_reduce")
                self.carry_ = get_kernel(self.program, self.name + "_carry")
            else:
                self.tiles_ = get_kernel(self.program, self.name + "_tiles")
                self.column_totals_ = get_kernel(self.program, self.name + "_column_totals")
            self.lines_ = get_kernel(self.program, self.name + "_lines")
            self.columns_ = get_kernel(self.program, self.name + "_columns")
            self.device_ = device
        return 0


cdef dict _loops = {}      # (operation, input code, result code) -> ScanLoop


def _make_loops():
    cdef ScanLoop loop
    cdef int source, target, size
    codes = {char: code for code, char in enumerate(CHARS)}
    for row in SCANS:
        for read, made in row.loops:
            source, target = codes[read], codes[made]
            loop = ScanLoop.__new__(ScanLoop)
            loop.program = "scan/" + row.name
            loop.name = f"scan_{row.name}__{read}_{made}"
            size = source if row.accumulator == "in" else target
            loop.acc_size = 4 if size in (FLOAT16, BFLOAT16) else <int>ITEM_SIZES[size]
            loop.in_code, loop.out_code = source, target
            _loops[row.name, source, target] = loop
        for alias, char in row.aliases.items():
            for (name, source, target), loop in list(_loops.items()):
                if name == row.name and source == codes[char]:
                    _loops.setdefault((name, codes[alias], target), loop)
                    if target == source:
                        _loops.setdefault((name, codes[alias], codes[alias]), loop)


_make_loops()


# ---- geometry ---------------------------------------------------------------------------------

cdef int _find_lines(ndarray a, ndarray out, int axis, Lines* lines) except -1:
    """The other axes, slowest first, merged where both arrays allow it."""
    cdef Py_ssize_t shape[MAX_NDIM]
    cdef Py_ssize_t first[MAX_NDIM]
    cdef Py_ssize_t second[MAX_NDIM]
    cdef Py_ssize_t* rows[2]
    cdef int order[MAX_NDIM]
    cdef int i, k, n = 0, m = 0
    lines.n_lines = 1
    for i in range(a.ndim):
        if i != axis and a.shape_[i] != 1:
            shape[n] = a.shape_[i]
            first[n] = a.strides_[i]
            second[n] = out.strides_[i]
            lines.n_lines *= a.shape_[i]
            n += 1
    rows[0] = first
    rows[1] = second
    iteration_order(n, shape, 2, rows, order)
    for i in range(n):
        k = order[i]
        if (m and lines.input_strides[m - 1] == first[k] * shape[k]
                and lines.output_strides[m - 1] == second[k] * shape[k]):
            lines.shape[m - 1] *= shape[k]
            lines.input_strides[m - 1] = first[k]
            lines.output_strides[m - 1] = second[k]
        else:
            lines.shape[m] = shape[k]
            lines.input_strides[m] = first[k]
            lines.output_strides[m] = second[k]
            m += 1
    lines.ndim = m
    return 0


cdef int _scan_axis(ScanLoop loop, ndarray a, int axis, ndarray out) except -1:
    """Scans `a` along `axis` into `out` (of its shape and the loop's type; not empty)."""
    cdef ScanParams p
    cdef Lines lines
    cdef LaunchShape shape
    cdef unsigned block = 1
    cdef Py_ssize_t wanted, n_tiles
    cdef bint columns
    cdef int i
    use_operand(a)
    use_operand(out)
    _find_lines(a, out, axis, &lines)
    if lines.ndim > REDUCE_NDIM:
        raise ValueError(f"scan over {a.ndim} axes that cannot be merged: at most "
                         f"{REDUCE_NDIM + 1} are supported; make a copy of the array first")
    shape = launch_shape(current_device())
    while block * 2 <= shape.block and block * 2 <= REDUCE_BLOCK:
        block *= 2
    memset(&p, 0, sizeof(ScanParams))
    p.input = a.data_
    p.output = out.data_
    p.n_lines = lines.n_lines
    p.length = a.shape_[axis]
    p.input_step = a.strides_[axis]
    p.output_step = out.strides_[axis]
    for i in range(lines.ndim):
        p.shape[i] = lines.shape[i]
        p.input_strides[i] = lines.input_strides[i]
        p.output_strides[i] = lines.output_strides[i]
    p.ndim = lines.ndim
    wanted = ceil_div(a.size, shape.min_chunk)
    if wanted > shape.max_blocks:
        wanted = shape.max_blocks
    columns = lines.ndim > 0 and distance(
        lines.input_strides[lines.ndim - 1]) < distance(p.input_step)
    if block == 1:
        columns = columns and lines.shape[lines.ndim - 1] >= 8
    else:
        # A work-item a line, or a chunk of one; lines of few items are not worth a workgroup.
        columns = (columns and lines.shape[lines.ndim - 1] >= MIN_COLUMNS) or (
            lines.ndim > 0 and p.length <= MIN_ROWS)
    loop.prepare(block)
    if columns:
        i = lines.ndim - 1
        p.ndim = i
        p.n_columns = lines.shape[i]
        p.input_column = lines.input_strides[i]
        p.output_column = lines.output_strides[i]
        n_tiles = lines.n_lines // p.n_columns * ceil_div(
            p.n_columns, COLUMN_TILE if block == 1 else block)
        if block > 1:
            return _scan_columns(loop, &p, n_tiles, block, shape.max_blocks)
        p.lines_per_block = ceil_div(n_tiles, wanted)
        launch(loop.columns_, <unsigned>ceil_div(n_tiles, p.lines_per_block), block, &p,
               sizeof(ScanParams))
        return 0
    if block == 1:
        return _scan_chunks(loop, &p, wanted)
    return _scan_tiles(loop, &p, block, shape.max_blocks)


cdef int _scan_columns(ScanLoop loop, ScanParams* p, Py_ssize_t n_tiles, unsigned block,
                       Py_ssize_t max_blocks) except -1:
    """Work-items with a line each: whole ones, or chunks where they are few."""
    cdef MemoryBlock totals
    cdef Kernel columns = loop.columns_, column_totals = loop.column_totals_
    cdef Py_ssize_t n_chunks = ceil_div(max_blocks, 8 * n_tiles)   # four workgroups a unit
    cdef unsigned grid
    n_chunks = min(n_chunks, p.length // MIN_ROWS, MAX_COLUMN_CHUNKS)
    p.chunk = ceil_div(p.length, max(n_chunks, 1))
    p.n_chunks = ceil_div(p.length, p.chunk)
    # Workgroups stride: a launch has fewer than 2**32 work-items.
    grid = <unsigned>min(n_tiles * p.n_chunks, <Py_ssize_t>1 << 22)
    if p.n_chunks > 1:
        totals = allocate(p.n_lines * p.n_chunks * loop.acc_size)
        p.partials = totals.ptr
        launch(column_totals, grid, block, p, sizeof(ScanParams))
    launch(columns, grid, block, p, sizeof(ScanParams))
    return 0


cdef int _scan_tiles(ScanLoop loop, ScanParams* p, unsigned block,
                     Py_ssize_t max_blocks) except -1:
    """Workgroups of many work-items: whole lines, or single tiles where there are few lines."""
    cdef MemoryBlock state
    cdef Py_ssize_t widest = max(ITEM_SIZES[loop.in_code], ITEM_SIZES[loop.out_code],
                                 loop.acc_size)
    # Of a work-item.
    cdef Py_ssize_t items = max(16 // widest, 1) * (8 if loop.acc_size <= 8 else 4)
    cdef Py_ssize_t n_tiles, n_groups, n_bytes
    while block > SMALLEST_BLOCK and p.length <= items * (block // 2):
        block //= 2
    p.chunk = items * block
    p.n_chunks = ceil_div(p.length, p.chunk)
    if p.n_chunks == 1 or p.n_lines * 4 > max_blocks:
        launch(loop.lines_, <unsigned>min(p.n_lines, <Py_ssize_t>1 << 22), block, p,
               sizeof(ScanParams))
        return 0
    p.n_groups = ceil_div(p.n_chunks, SCAN_GROUP)
    n_tiles, n_groups = p.n_lines * p.n_chunks, p.n_lines * p.n_groups
    # A ticket and, for each value, 64 bits that carry 32 of it.
    n_bytes = 8 * (1 + (n_tiles + 2 * n_groups) * ceil_div(loop.acc_size, 4))
    state = allocate(n_bytes)
    p.partials = state.ptr
    memset_async(state.ptr, 0, n_bytes, current_stream())
    launch(loop.tiles_, <unsigned>n_tiles, block, p, sizeof(ScanParams))
    return 0


cdef int _scan_chunks(ScanLoop loop, ScanParams* p, Py_ssize_t wanted) except -1:
    """Workgroups of one work-item: whole lines, or chunks of them where there are few."""
    cdef MemoryBlock partials = None
    cdef Kernel lines = loop.lines_, reduce = loop.reduce_, carry = loop.carry_
    cdef Py_ssize_t n_pieces
    p.n_chunks = 1
    p.chunk = p.length
    if p.n_lines < wanted:
        p.chunk = ceil_div(p.length, ceil_div(wanted, p.n_lines))
        if p.chunk < MIN_CHUNK:
            p.chunk = MIN_CHUNK
        p.chunk = ceil_div(p.chunk, 2048) * 2048
        p.n_chunks = ceil_div(p.length, p.chunk)
    n_pieces = p.n_lines * p.n_chunks
    p.lines_per_block = 1
    if p.n_chunks > 1:
        partials = allocate(n_pieces * loop.acc_size)
        p.partials = partials.ptr
        launch(reduce, <unsigned>n_pieces, 1, p, sizeof(ScanParams))
        launch(carry, <unsigned>p.n_lines, 1, p, sizeof(ScanParams))
    elif n_pieces > wanted:
        p.lines_per_block = ceil_div(n_pieces, wanted)
    launch(lines, <unsigned>ceil_div(n_pieces, p.lines_per_block), 1, p, sizeof(ScanParams))
    return 0


# ---- the driver of scans ------------------------------------------------------------------------

cdef ndarray _new_like(ndarray a, int code):
    """An array of a's shape and memory order."""
    cdef int order[MAX_NDIM]
    cdef Py_ssize_t* rows[1]
    rows[0] = a.strides_
    iteration_order(a.ndim, a.shape_, 1, rows, order)
    return new_array_ordered(code, a.ndim, a.shape_, order)


cdef ndarray _new_like_but(ndarray a, list axes, Py_ssize_t length):
    """An array of a's type with another length along some axes, in the order of the others."""
    cdef int order[MAX_NDIM]
    cdef Py_ssize_t shape[MAX_NDIM]
    cdef Py_ssize_t strides[MAX_NDIM]
    cdef Py_ssize_t* rows[1]
    cdef int i
    for i in range(a.ndim):
        shape[i] = length if i in axes else a.shape_[i]
        strides[i] = 0 if i in axes else a.strides_[i]
    rows[0] = strides
    iteration_order(a.ndim, shape, 1, rows, order)
    return new_array_ordered(a.code, a.ndim, shape, order)


cdef ndarray _check_out(object out, str name, tuple shape):
    if isinstance(out, tuple) and len(out) == 1:
        out = out[0]
    if out is None:
        return None
    if not isinstance(out, ndarray):
        raise TypeError(f"{name}: out must be a rocarray.ndarray, got {type(out).__name__}: "
                        "results of device functions stay on the device")
    if shape_of(out) != shape:
        raise ValueError(f"provided out is the wrong size for the accumulation: {name} needs "
                         f"shape {shape}, got {shape_of(out)}")
    if not (<ndarray>out).writable:
        raise ValueError("output array is read-only")
    return out


cdef object _scan(str op, ndarray a, int axis, int target, object out, str name):
    """Scans with an operation of the table, casting where it has no loop for the types."""
    cdef ScanLoop loop = _loops.get((op, a.code, target))
    cdef ndarray given = _check_out(out, name, shape_of(a))
    cdef ndarray result
    cdef int made = target
    if loop is None and _loops.get((op, target, target)) is not None:
        if a.code != target:
            a = cast_array(a, target)
        loop = _loops[op, target, target]
    elif loop is None:
        # Narrow integers: 64-bit arithmetic wraps to the same bits.
        a = cast_array(a, target)
        made = UINT64 if target in (BOOL, 2, 4, 6) else INT64
        loop = _loops[op, a.code, made]
    direct = given is not None and given.code == made and not _overlap(a, given)
    result = given if direct else _new_like(a, made)
    if a.size:
        _scan_axis(loop, a, axis, result)
    if result.code != target:
        result = cast_array(result, target)
    if given is not None and result is not given:
        assign_array(given, result, True)
        return given
    return result


cdef bint _overlap(ndarray a, ndarray b) noexcept:
    # Arrays of one allocation are taken to overlap: a temporary is cheaper than a wrong answer.
    return a.memory is b.memory


cdef int _sum_code(int code) noexcept:
    if code == BOOL or (is_integer_code(code) and code in (1, 3, 5, 7)):
        return INT64
    return UINT64 if is_integer_code(code) else code


cdef object _cumulate(str op, str name, object a, object axis, object dtype, object out):
    cdef ndarray x = as_device(a)
    cdef int target, number
    if axis is None:
        x = x.ravel()
        number = 0
    else:
        if x.ndim == 0:
            x = x.reshape(1)
        number = normalize_axis(axis, x.ndim)
    if dtype is not None:
        target = code_of(dtype)
    elif isinstance(out, ndarray) and (<ndarray>out).code != x.code:
        target = code_of(np.promote_types(x.dtype, out.dtype))
    else:
        target = _sum_code(x.code)
    return _scan(op, x, number, target, out, name)


def cumsum(a, axis=None, dtype=None, out=None):
    """Cumulative sum along an axis, or of the flattened array.

    Parameters
    ----------
    a : array_like
    axis : int, optional
    dtype : dtype, optional
        64-bit integers for bool and integers, else the type of `a`.
    out : ndarray, optional

    Returns
    -------
    ndarray

    Notes
    -----
    NumPy adds strictly one after the other; here parts are added in parallel, so that the last
    digits of float results can differ (they are nearer to the exact sums).

    Examples
    --------
    >>> import rocarray as rp
    >>> rp.cumsum(rp.array([1, 2, 3]))
    array([1, 3, 6])
    """
    return _cumulate("sum", "add", a, axis, dtype, out)


def cumprod(a, axis=None, dtype=None, out=None):
    """Cumulative product along an axis, or of the flattened array; see `cumsum`."""
    return _cumulate("prod", "multiply", a, axis, dtype, out)


def nancumsum(a, axis=None, dtype=None, out=None):
    """Cumulative sum that takes NaN for zero; see `cumsum`."""
    x = as_device(a)
    op = "nansum" if x.dtype.kind in "fc" and dtype is None else "sum"
    if op == "sum" and x.dtype.kind in "fc":
        x = methods.where(methods.isnan(x), x.dtype.type(0), x)
    return _cumulate(op, "add", x, axis, dtype, out)


def nancumprod(a, axis=None, dtype=None, out=None):
    """Cumulative product that takes NaN for one; see `cumsum`."""
    x = as_device(a)
    op = "nanprod" if x.dtype.kind in "fc" and dtype is None else "prod"
    if op == "prod" and x.dtype.kind in "fc":
        x = methods.where(methods.isnan(x), x.dtype.type(1), x)
    return _cumulate(op, "multiply", x, axis, dtype, out)


cdef dict _UFUNC_SCANS = {
    "add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min",
    "bitwise_and": "bitwise_and", "bitwise_or": "bitwise_or", "bitwise_xor": "bitwise_xor"}
cdef dict _LOGICAL_SCANS = {
    "logical_and": "bitwise_and", "logical_or": "bitwise_or", "logical_xor": "bitwise_xor"}


cdef int _fold_code(object ufunc, int code, object dtype, object out, bint widens) except -1:
    """The type that reduce, accumulate and reduceat compute in, by NumPy's own promotion."""
    if isinstance(out, tuple) and len(out) == 1:
        out = out[0]
    if dtype is None and widens and not isinstance(out, ndarray):
        return _sum_code(code)
    given = out.dtype if isinstance(out, ndarray) else None
    if code == BFLOAT16 or ufunc.reference is None:
        return code if dtype is None else code_of(dtype)
    options = {} if dtype is None else {"signature": (None, None, np.dtype(dtype))}
    chosen = ufunc.reference.resolve_dtypes(
        (given, DTYPES[code], None), reduction=True, casting="unsafe", **options)
    return code_of(chosen[1])


def accumulate_ufunc(ufunc, array, axis=0, dtype=None, out=None):
    """`ufunc.accumulate` of a binary ufunc."""
    cdef ndarray x = as_device(array)
    cdef str name = ufunc.__name__
    cdef int number, target
    cdef ndarray given, result
    if x.ndim == 0:
        raise TypeError("cannot accumulate on a scalar")
    if isinstance(axis, tuple):
        if len(axis) != 1:
            raise ValueError("accumulate does not allow multiple axes")
        axis = axis[0]
    number = normalize_axis(axis, x.ndim)
    if name in _LOGICAL_SCANS:
        return _scan(_LOGICAL_SCANS[name], cast_array(x, BOOL), number, BOOL, out, name)
    target = _fold_code(ufunc, x.code, dtype, out, name in ("add", "multiply"))
    op = _UFUNC_SCANS.get(name)
    if op is not None and (_loops.get((op, target, target)) is not None or (
            op in ("sum", "prod") and target != BOOL)):
        return _scan(op, x, number, target, out, name)
    if x.code != target:
        x = cast_array(x, target)
    given = _check_out(out, name, shape_of(x))
    result = _new_like(x, target)
    if x.size:
        _check_exponents(ufunc, x, number, None)
        _fold(ufunc, "_accumulate", x, number, result, None)
    if given is not None:
        assign_array(given, result, True)
        return given
    return result


# ---- ordered folds ------------------------------------------------------------------------------

cdef int _check_exponents(object ufunc, ndarray a, int axis, object begins) except -1:
    """Refuses negative integer exponents: what does not begin a fold along `axis` is one."""
    if ufunc.__name__ != "power" or DTYPES[a.code].kind != "i":
        return 0
    used = np.ones(a.shape_[axis], bool)
    if begins is None:
        used[0] = False
    else:
        used[:] = False
        for begin, end in zip(begins, [*begins[1:], used.size], strict=True):
            used[begin + 1:end] = True
    if used.any() and a.size:
        shape = [1] * a.ndim
        shape[axis] = used.size
        refuse_negative_exponents(
            a, as_device(np.broadcast_to(used.reshape(shape), shape_of(a))))
    return 0


cdef int _fold(object ufunc, str kind, ndarray a, int axis, ndarray out,
               ndarray segments) except -1:
    """Launches a fold kernel over lines of `a` along `axis`; `out` keeps that axis."""
    cdef FoldParams p
    cdef Lines lines
    cdef LaunchShape shape
    cdef Kernel kernel
    cdef Py_ssize_t n_items
    cdef int i
    use_operand(a)
    kernel = get_kernel(f"fold/{ufunc.__name__}",
                        f"fold_{ufunc.__name__}__{CHARS[a.code]}{kind}".replace("?", "p"))
    _find_lines(a, out, axis, &lines)
    if lines.ndim > REDUCE_NDIM:
        raise ValueError(f"{ufunc.__name__}: at most {REDUCE_NDIM + 1} axes that cannot be merged "
                         "are supported; make a copy of the array first")
    memset(&p, 0, sizeof(FoldParams))
    p.input = a.data_
    p.output = out.data_
    p.n_lines = lines.n_lines
    p.length = a.shape_[axis]
    p.input_step = a.strides_[axis]
    p.output_step = out.strides_[axis]
    n_items = lines.n_lines
    if segments is not None:
        use_operand(segments)
        p.segments = segments.data_
        p.n_segments = segments.size
        n_items *= segments.size
    p.ndim = lines.ndim
    for i in range(lines.ndim):
        p.shape[i] = lines.shape[i]
        p.input_strides[i] = lines.input_strides[i]
        p.output_strides[i] = lines.output_strides[i]
    shape = launch_shape(current_device())
    p.lines_per_item = 1
    if shape.block == 1:
        p.lines_per_item = ceil_div(n_items, shape.max_blocks)
    launch(kernel, <unsigned>ceil_div(n_items, p.lines_per_item * shape.block), shape.block, &p,
           sizeof(FoldParams))
    return 0


cdef tuple _fold_axes(object ufunc, ndarray a, object axis):
    """(array with one axis to fold, that axis, the shape with ones in place of reduced axes)."""
    cdef list axes
    if axis is None:
        axes = list(range(a.ndim))
    elif isinstance(axis, (tuple, list)):
        axes = [normalize_axis(item, a.ndim) for item in axis]
        if len(set(axes)) != len(axes):
            raise ValueError("duplicate value in 'axis'")
    elif a.ndim == 0 and axis in (0, -1):
        axes = []
    else:
        axes = [normalize_axis(axis, a.ndim)]
    if len(axes) > 1 and not ufunc.row.reorderable:
        raise ValueError(f"reduction operation '{ufunc.__name__}' is not reorderable, so at most "
                         "one axis may be specified")
    shape = tuple([1 if i in axes else a.shape_[i] for i in range(a.ndim)])
    if len(axes) == 1:
        return a, axes[0], shape, axes
    kept = [i for i in range(a.ndim) if i not in axes]
    moved = a.transpose(kept + sorted(axes))
    n = 1
    for i in axes:
        n *= a.shape_[i]
    return moved.reshape(tuple([a.shape_[i] for i in kept]) + (n,)), len(kept), shape, axes


def fold_ufunc(ufunc, array, axis=0, dtype=None, out=None, keepdims=False, initial=NO_VALUE,
               where=True):
    """`ufunc.reduce` in order, for functions that no parallel reduction stands for."""
    cdef ndarray x = as_device(array)
    cdef ndarray folded, result, given
    cdef int target, number
    cdef str name = ufunc.__name__
    target = _fold_code(ufunc, x.code, dtype, out, False)
    if x.code != target:
        x = cast_array(x, target)
    if initial is not NO_VALUE and initial is not None:
        host = np.empty((), DTYPES[target])
        host[()] = methods.asnumpy(initial) if isinstance(initial, ndarray) else initial
        initial = host[()]
    if where is not True:
        where = as_device(where)
        if where.ndim > x.ndim or np.broadcast_shapes(x.shape, where.shape) != x.shape:
            raise ValueError(f"a where= mask of shape {where.shape} does not broadcast to the "
                             f"operand's shape {x.shape}")
        if ufunc.identity is not None and ufunc.row.reorderable:
            x = methods.where(where, x, np.asarray(ufunc.identity).astype(x.dtype)[()])
            where = True
        elif initial is NO_VALUE or initial is None:
            raise ValueError(f"reduction operation '{name}' does not have an identity, so to use "
                             "a where mask one has to specify 'initial'")
    folded, number, shape, axes = _fold_axes(ufunc, x, axis)
    if where is not True:
        mask = _fold_axes(ufunc, methods.broadcast_to(where, x.shape), axis)[0]
        folded = _masked_fold(ufunc, folded, mask, number, initial)
        initial = NO_VALUE
    elif initial is NO_VALUE and ufunc.identity is not None and folded.shape_[number] == 1:
        # One item alone goes through the function too: gcd(0, -5) is 5.
        initial = ufunc.identity
    if where is True and initial is not NO_VALUE and initial is not None:
        lead = list(shape_of(folded))
        lead[number] = 1
        folded = methods.concatenate(
            [methods.full(tuple(lead), initial, x.dtype), folded], axis=number)
    if not keepdims:
        shape = tuple([n for i, n in enumerate(shape) if i not in axes])
    given = None
    if out is not None:
        given = _check_out(out, name, shape)
    result = _new_like_but(x, axes, 1)
    if folded.shape_[number] == 0:
        if ufunc.identity is None or initial is None:
            raise ValueError(f"zero-size array to reduction operation {name} which has no "
                             "identity")
        result.fill(ufunc.identity)
    elif folded.size:
        kept = [i for i in range(x.ndim) if i not in axes]
        target_view = result if len(axes) == 1 else result.transpose(
            kept + sorted(axes)).reshape(tuple([x.shape_[i] for i in kept]) + (1,))
        _check_exponents(ufunc, folded, number, None)
        _fold(ufunc, "_reduce", folded, number, target_view, None)
    result = result.reshape(shape)
    if given is not None:
        assign_array(given, result, True)
        return given
    return result


cdef ndarray _masked_fold(object ufunc, ndarray a, ndarray mask, int axis, object initial):
    """Folds what the mask takes in: one launch for each item along the axis, so it is slow."""
    cdef tuple lead = (slice(None),) * axis
    shape = list(shape_of(a))
    shape[axis] = 1
    result = methods.full(tuple(shape), initial, a.dtype)
    for i in range(a.shape_[axis]):
        part = lead + (slice(i, i + 1),)
        methods.copyto(result, ufunc(result, a[part]), where=mask[part])
    return result


def reduceat_ufunc(ufunc, array, indices, axis=0, dtype=None, out=None):
    """`ufunc.reduceat` of a binary ufunc."""
    cdef ndarray x = as_device(array)
    cdef ndarray result, given
    cdef int target, number
    cdef str name = ufunc.__name__
    if x.ndim == 0:
        raise TypeError("cannot reduceat on a scalar")
    number = normalize_axis(axis, x.ndim)
    host = np.asarray(methods.asnumpy(indices) if isinstance(indices, ndarray) else indices)
    if host.dtype.kind not in "iub":
        raise TypeError(f"Cannot cast array data from {host.dtype!r} to dtype('int64') according "
                        "to the rule 'safe'")
    if host.ndim != 1:
        raise ValueError(f"{name}.reduceat needs indices of one dimension, got {host.ndim}")
    for index in host[(host < 0) | (host >= x.shape_[number])][:1]:
        raise IndexError(
            f"index {index} out-of-bounds in {name}.reduceat [0, {x.shape_[number]})")
    target = _fold_code(ufunc, x.code, dtype, out, name in ("add", "multiply"))
    if x.code != target:
        x = cast_array(x, target)
    shape = list(shape_of(x))
    shape[number] = host.size
    given = _check_out(out, name, tuple(shape))
    result = _new_like_but(x, [number], host.size)
    if result.size:
        _check_exponents(ufunc, x, number, host)
        _fold(ufunc, "_reduceat", x, number, result, from_host(host, INT64))
    if given is not None:
        assign_array(given, result, True)
        return given
    return result


methods.bind(
    cumsum=cumsum, cumprod=cumprod, nancumsum=nancumsum, nancumprod=nancumprod,
    accumulate_ufunc=accumulate_ufunc, fold_ufunc=fold_ufunc, reduceat_ufunc=reduceat_ufunc)
