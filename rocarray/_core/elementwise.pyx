"""Elementwise launches: the layout is decided here, the kernels only get the decision.

Axes are put in memory order and merged; what remains is either one run of contiguous items (the
flat kernel) or rows of columns (the strided one). The parameter structs mirror those of
`_kernels/device/elementwise.hpp`.
"""

from libc.stdint cimport uint32_t, uint64_t

from rocarray._core.device cimport current_device
from rocarray._core.dtypes cimport CHARS, ITEM_SIZES
from rocarray._core.kernel cimport LaunchShape, get_kernel, launch, launch_shape
from rocarray._core.layout cimport MAX_NDIM, iteration_order
from rocarray._core.memory cimport MemoryBlock, allocate, note_use
from rocarray._core.ndarray cimport ndarray
from rocarray._core.stream cimport current_stream

cdef enum:
    OUTER_NDIM = 7               # as the kernels' StridedParams
    FLAT_WORDS = 3 + MAX_OPERANDS + 2 * MAX_INPUTS
    MIN_TRANSPOSE = 16           # shorter axes are not worth a tile
    MIN_COPY = 1 << 14           # fewer items are not worth another launch
    TRANSPOSE_NDIM = 6           # as the kernels' TransposeParams
    TRANSPOSE_WORDS = 10 + 3 * TRANSPOSE_NDIM
    STRIDED_WORDS = 6 + OUTER_NDIM + (OUTER_NDIM + 2) * MAX_OPERANDS + 2 * MAX_INPUTS


cdef inline Py_ssize_t _ceil_div(Py_ssize_t a, Py_ssize_t b) noexcept:
    return (a + b - 1) // b


cdef inline int _axis_of_step(int ndim, const Py_ssize_t* steps, Py_ssize_t step) noexcept:
    """The last axis with this stride, or -1."""
    cdef int i
    for i in range(ndim - 1, -1, -1):
        if steps[i] == step:
            return i
    return -1


cdef bint transposes(int ndim, const Py_ssize_t* dims, const Py_ssize_t* source,
                     const Py_ssize_t* target, int size) noexcept:
    """Whether two layouts have their neighbours along different, not too short axes."""
    cdef int x = _axis_of_step(ndim, target, size)
    cdef int y = _axis_of_step(ndim, source, size)
    return (x >= 0 and y >= 0 and x != y and ndim - 2 <= TRANSPOSE_NDIM
            and source[x] != 0 and target[y] != 0
            and dims[x] >= MIN_TRANSPOSE and dims[y] >= MIN_TRANSPOSE)


cdef int run_transposed(int ndim, const Py_ssize_t* dims, const Py_ssize_t* source,
                        const Py_ssize_t* target, const char* data, char* out,
                        int size) except -1:
    """Copies items of `size` bytes between two layouts that `transposes` is true of."""
    cdef uint64_t words[TRANSPOSE_WORDS]
    cdef LaunchShape shape = launch_shape(current_device())
    cdef int tile = 64 if size <= 2 else 32
    cdef int x = _axis_of_step(ndim, target, size)
    cdef int y = _axis_of_step(ndim, source, size)
    cdef int i, n = 0
    cdef Py_ssize_t n_tiles
    words[0] = <uint64_t>data
    words[1] = <uint64_t>out
    words[2] = dims[y]
    words[3] = dims[x]
    words[4] = source[x]
    words[5] = target[y]
    words[6] = _ceil_div(dims[x], tile)
    words[7] = _ceil_div(dims[y], tile)
    n_tiles = <Py_ssize_t>(words[6] * words[7])
    for i in range(ndim):
        if i != x and i != y:
            words[10 + n] = dims[i]
            words[10 + TRANSPOSE_NDIM + n] = source[i]
            words[10 + 2 * TRANSPOSE_NDIM + n] = target[i]
            n_tiles *= dims[i]
            n += 1
    for i in range(n, TRANSPOSE_NDIM):
        words[10 + i] = 1
        words[10 + TRANSPOSE_NDIM + i] = words[10 + 2 * TRANSPOSE_NDIM + i] = 0
    words[8] = n_tiles
    words[9] = n
    launch(get_kernel("transpose/transpose", f"transpose_{size}"),
           <unsigned>min(n_tiles, shape.max_blocks if shape.block == 1 else 1 << 20),
           shape.block, words, sizeof(words))
    return 0


cdef int use_operand(ndarray a) except -1:
    """Checks that `a` lives on the current device and records its use by the current stream."""
    if a.device_id != current_device():
        raise ValueError(
            f"array is on device {a.device_id}, but the current device is {current_device()}: "
            "move it with x.to_device(...) or work inside `with rocarray.hip.Device(n):`")
    if a.memory is not None:
        note_use(a.memory, current_stream())
    return 0


cdef class ElementwiseLoop:
    def __cinit__(self):
        self.device_ = -1

    cdef int prepare(self) except -1:
        """Gets the kernels of the current device."""
        cdef int device = current_device()
        if self.device_ != device:
            self.flat_ = get_kernel(self.program, self.name)
            self.strided_ = get_kernel(self.program, self.name + "_strided")
            self.device_ = device
        return 0

    cdef Py_ssize_t _chunk(self, Py_ssize_t n_items, LaunchShape shape) noexcept:
        """Items of one workgroup.

        On a GPU a multiple of what its work-items load at once, 16 bytes of the widest operand
        each; a work-item alone begins at 64-byte boundaries of every operand.
        """
        cdef Py_ssize_t chunk = _ceil_div(n_items, shape.max_blocks)
        cdef Py_ssize_t unit
        if shape.block == 1:
            chunk = max(shape.min_chunk, chunk)
            return (chunk + 63) & ~<Py_ssize_t>63
        unit = <Py_ssize_t>shape.block * self.vector_
        if chunk > 2 * unit:
            unit *= 4   # as many vectors as a work-item has in flight
        return _ceil_div(chunk, unit) * unit

    cdef int run_flat(self, Py_ssize_t n_items, const Operand* operands) except -1:
        """Every operand is contiguous, or one value (strides NULL)."""
        cdef uint64_t words[FLAT_WORDS]
        cdef LaunchShape shape
        cdef Py_ssize_t chunk, n_blocks
        cdef uint32_t mask = 0
        cdef int i, nop = self.nin + self.nout
        if self.device_ != current_device():
            self.prepare()
        shape = launch_shape(self.device_)
        chunk = self._chunk(n_items, shape)
        for i in range(nop):
            words[3 + i] = <uint64_t>operands[i].data
            if i < self.nin and operands[i].strides == NULL:
                mask |= 1u << i
                words[3 + nop + 2 * i] = operands[i].value[0]
                words[3 + nop + 2 * i + 1] = operands[i].value[1]
        words[0] = n_items
        words[1] = chunk
        words[2] = mask
        n_blocks = _ceil_div(n_items, chunk)
        launch(self.flat_, <unsigned>n_blocks, shape.block, words,
               (3 + nop + 2 * self.nin) * sizeof(uint64_t))
        return 0

    cdef int run(self, int ndim, const Py_ssize_t* shape, const Operand* operands) except -1:
        """Operands of any strides, in the iteration shape `shape`."""
        cdef int order[MAX_NDIM]
        cdef Py_ssize_t dims[MAX_NDIM]
        cdef Py_ssize_t steps[MAX_OPERANDS][MAX_NDIM]
        cdef Py_ssize_t* rows[MAX_OPERANDS]
        cdef Operand flat[MAX_OPERANDS]
        cdef int nop = self.nin + self.nout
        cdef int i, k, n_strided = 0, n = 0, axis
        cdef bint merge, contiguous
        for k in range(nop):
            if operands[k].strides != NULL:
                rows[n_strided] = <Py_ssize_t*>operands[k].strides
                n_strided += 1
        for i in range(ndim):
            if shape[i] == 0:
                return 0
        iteration_order(ndim, shape, n_strided, rows, order)
        for i in range(ndim):
            axis = order[i]
            if shape[axis] == 1:
                continue
            merge = n > 0
            for k in range(nop):
                steps[k][n] = 0 if operands[k].strides == NULL else operands[k].strides[axis]
                if merge and steps[k][n - 1] != steps[k][n] * shape[axis]:
                    merge = False
            if merge:
                for k in range(nop):
                    steps[k][n - 1] = steps[k][n]
                dims[n - 1] *= shape[axis]
            else:
                dims[n] = shape[axis]
                n += 1
        contiguous = n <= 1
        for k in range(nop):
            flat[k] = operands[k]
            if contiguous and n == 1 and steps[k][0] != ITEM_SIZES[self.codes[k]]:
                if steps[k][0] == 0 and k < self.nin:
                    flat[k].strides = NULL
                else:
                    contiguous = False
        if contiguous:
            return self.run_flat(dims[0] if n else 1, flat)
        if self.is_copy:
            if transposes(n, dims, steps[0], steps[1], ITEM_SIZES[self.codes[0]]):
                return run_transposed(n, dims, steps[0], steps[1], operands[0].data,
                                      operands[1].data, ITEM_SIZES[self.codes[0]])
        else:
            k = self._transposed_input(n, dims, steps)
            if k >= 0:
                return self._run_on_copy(k, n, dims, steps, operands)
        return self._run_strided(n, dims, steps, operands, 0, NULL)

    cdef int _transposed_input(self, int ndim, const Py_ssize_t* dims,
                               Py_ssize_t[64]* steps) noexcept:
        """An input whose neighbours lie along another axis than the output's, or -1."""
        cdef int k, out = self.nin
        cdef Py_ssize_t n_items = 1
        for k in range(ndim):
            n_items *= dims[k]
        if n_items < MIN_COPY or steps[out][ndim - 1] != ITEM_SIZES[self.codes[out]]:
            return -1
        for k in range(self.nin):
            if transposes(ndim, dims, steps[k], steps[out], ITEM_SIZES[self.codes[k]]):
                return k
        return -1

    cdef int _run_on_copy(self, int k, int ndim, const Py_ssize_t* dims, Py_ssize_t[64]* steps,
                          const Operand* operands) except -1:
        """Runs with input `k` copied into the order of the iteration."""
        cdef Operand moved[MAX_OPERANDS]
        cdef Py_ssize_t packed[MAX_NDIM]
        cdef MemoryBlock copy
        cdef int i, size = ITEM_SIZES[self.codes[k]]
        cdef Py_ssize_t n_bytes = size
        for i in range(ndim - 1, -1, -1):
            packed[i] = n_bytes
            n_bytes *= dims[i]
        copy = allocate(n_bytes)
        run_transposed(ndim, dims, steps[k], packed, operands[k].data, copy.ptr, size)
        for i in range(self.nin + self.nout):
            moved[i] = operands[i]
            if operands[i].strides != NULL:
                moved[i].strides = steps[i]
        moved[k].data = copy.ptr
        moved[k].strides = packed
        return self.run(ndim, dims, moved)

    cdef int _run_strided(self, int ndim, Py_ssize_t* dims, Py_ssize_t[64]* steps,
                          const Operand* operands, int first, const Py_ssize_t* offsets) except -1:
        """Launches over the last OUTER_NDIM + 1 axes; the axes before them are looped over."""
        cdef uint64_t words[STRIDED_WORDS]
        cdef Py_ssize_t shifted[MAX_OPERANDS]
        cdef LaunchShape shape
        cdef int nop = self.nin + self.nout
        cdef int outer = ndim - first - 1, i, k, at
        cdef Py_ssize_t rows = 1, cols, row_chunk, col_chunk, col_tiles, target, n_blocks, j
        cdef uint64_t mask = 0
        if outer > OUTER_NDIM:
            for j in range(dims[first]):
                for k in range(nop):
                    shifted[k] = (0 if offsets == NULL else offsets[k]) + j * steps[k][first]
                self._run_strided(ndim, dims, steps, operands, first + 1, shifted)
            return 0
        self.prepare()
        cols = dims[ndim - 1]
        for i in range(OUTER_NDIM):
            words[6 + i] = 1
        for i in range(outer):
            words[6 + i] = dims[first + i]
            rows *= dims[first + i]
        for k in range(nop):
            at = 6 + OUTER_NDIM + OUTER_NDIM * k
            for i in range(OUTER_NDIM):
                words[at + i] = 0
            for i in range(outer):
                words[at + i] = steps[k][first + i]
            words[6 + OUTER_NDIM + OUTER_NDIM * nop + k] = steps[k][ndim - 1]
            at = 6 + OUTER_NDIM + (OUTER_NDIM + 1) * nop + k
            words[at] = <uint64_t>operands[k].data
            if operands[k].data != NULL and offsets != NULL:
                words[at] += offsets[k]
            if k < self.nin and operands[k].strides == NULL:
                mask |= 1u << k
                at = 6 + OUTER_NDIM + (OUTER_NDIM + 2) * nop + 2 * k
                words[at] = operands[k].value[0]
                words[at + 1] = operands[k].value[1]
        shape = launch_shape(self.device_)
        target = self._chunk(rows * cols, shape)
        col_chunk = min(cols, target)
        row_chunk = max(1, target // col_chunk)
        col_tiles = _ceil_div(cols, col_chunk)
        words[0] = rows
        words[1] = cols
        words[2] = row_chunk
        words[3] = col_chunk
        words[4] = col_tiles
        words[5] = mask | (<uint64_t>outer << 32)
        n_blocks = _ceil_div(rows, row_chunk) * col_tiles
        launch(self.strided_, <unsigned>n_blocks, shape.block, words,
               (6 + OUTER_NDIM + (OUTER_NDIM + 2) * nop + 2 * self.nin) * sizeof(uint64_t))
        return 0


cdef ElementwiseLoop make_loop(str program, str stem, tuple in_codes, tuple out_codes):
    """The loop of kernel `<stem>__<input types>_<output types>` in `program`."""
    cdef ElementwiseLoop loop = ElementwiseLoop.__new__(ElementwiseLoop)
    cdef int i, widest = 1
    loop.program = program
    loop.is_copy = stem == "cast" and in_codes == out_codes
    loop.nin = len(in_codes)
    loop.nout = len(out_codes)
    for i, code in enumerate(in_codes + out_codes):
        loop.codes[i] = code
        widest = max(widest, ITEM_SIZES[code])
    loop.vector_ = max(1, 16 // widest)
    loop.name = "{}__{}_{}".format(
        stem, "".join([CHARS[c] for c in in_codes]),
        "".join([CHARS[c] for c in out_codes])).replace("?", "p")
    return loop
