"""Shape and stride arithmetic, shared by every family. Strides are in bytes, as NumPy's."""

import operator

from numpy.exceptions import AxisError


cdef Py_ssize_t count_items(int ndim, const Py_ssize_t* shape) except -1:
    """Product of the extents; MemoryError where it does not fit 63 bits."""
    cdef Py_ssize_t n = 1
    cdef int i
    for i in range(ndim):
        if shape[i] == 0:
            return 0
    for i in range(ndim):
        if n > (<Py_ssize_t>0x7FFFFFFFFFFFFFFF) // shape[i]:
            raise ValueError(
                f"array is too big: shape {to_tuple(ndim, shape)} holds more than 2**63 - 1 items")
        n *= shape[i]
    return n


cdef void fill_c_strides(int ndim, const Py_ssize_t* shape, Py_ssize_t itemsize,
                         Py_ssize_t* strides) noexcept:
    cdef Py_ssize_t step = itemsize
    cdef int i
    for i in range(ndim - 1, -1, -1):
        strides[i] = step
        if shape[i] > 1:
            step *= shape[i]


cdef void fill_f_strides(int ndim, const Py_ssize_t* shape, Py_ssize_t itemsize,
                         Py_ssize_t* strides) noexcept:
    cdef Py_ssize_t step = itemsize
    cdef int i
    for i in range(ndim):
        strides[i] = step
        if shape[i] > 1:
            step *= shape[i]


cdef bint is_c_contiguous(int ndim, const Py_ssize_t* shape, const Py_ssize_t* strides,
                          Py_ssize_t itemsize) noexcept:
    """NumPy's relaxed rule: strides of axes of length 1 and of empty arrays do not matter."""
    cdef Py_ssize_t step = itemsize
    cdef int i
    cdef bint contiguous = True
    for i in range(ndim - 1, -1, -1):
        if shape[i] == 0:
            return True
        if shape[i] != 1:
            if strides[i] != step:
                contiguous = False
            step *= shape[i]
    return contiguous


cdef bint is_f_contiguous(int ndim, const Py_ssize_t* shape, const Py_ssize_t* strides,
                          Py_ssize_t itemsize) noexcept:
    cdef Py_ssize_t step = itemsize
    cdef int i
    cdef bint contiguous = True
    for i in range(ndim):
        if shape[i] == 0:
            return True
        if shape[i] != 1:
            if strides[i] != step:
                contiguous = False
            step *= shape[i]
    return contiguous


cdef tuple to_tuple(int ndim, const Py_ssize_t* values):
    if ndim == 1:
        return (values[0],)
    if ndim == 2:
        return (values[0], values[1])
    return tuple([values[i] for i in range(ndim)])


cdef int parse_shape(object shape, Py_ssize_t* out) except -1:
    """Reads an int or a sequence of ints into `out` (MAX_NDIM long) and returns the rank."""
    cdef int ndim = 0
    cdef Py_ssize_t extent
    if type(shape) is int:
        out[0] = shape
        if out[0] < 0:
            raise ValueError("negative dimensions are not allowed")
        return 1
    if not isinstance(shape, (tuple, list)):
        try:
            shape = (operator.index(shape),)
        except TypeError:
            try:
                shape = tuple(shape)
            except TypeError:
                raise TypeError(
                    f"expected a sequence of integers or a single integer as shape, "
                    f"got {shape!r}") from None
    if len(shape) > MAX_NDIM:
        raise ValueError(
            f"maximum supported dimension for an ndarray is currently {MAX_NDIM}, "
            f"found {len(shape)}")
    for item in shape:
        extent = operator.index(item)
        if extent < 0:
            raise ValueError("negative dimensions are not allowed")
        out[ndim] = extent
        ndim += 1
    return ndim


cdef int normalize_axis(object axis, int ndim) except -1:
    cdef Py_ssize_t value = operator.index(axis)
    if value < -ndim or value >= ndim:
        raise AxisError(value, ndim)
    return <int>(value + ndim if value < 0 else value)


cdef int broadcast_into(int ndim, Py_ssize_t* shape, int other_ndim,
                        const Py_ssize_t* other) noexcept:
    """Widens `shape` (in place) by `other`; returns the new rank, or -1 on a mismatch."""
    cdef int i, new_ndim = max(ndim, other_ndim)
    cdef Py_ssize_t mine, theirs
    if new_ndim > ndim:
        for i in range(ndim - 1, -1, -1):
            shape[i + new_ndim - ndim] = shape[i]
        for i in range(new_ndim - ndim):
            shape[i] = 1
    for i in range(new_ndim - other_ndim, new_ndim):
        mine = shape[i]
        theirs = other[i - (new_ndim - other_ndim)]
        if mine == 1:
            shape[i] = theirs
        elif theirs != 1 and theirs != mine:
            return -1
    return new_ndim


cdef void broadcast_strides(int ndim, const Py_ssize_t* shape, int src_ndim,
                            const Py_ssize_t* src_shape, const Py_ssize_t* src_strides,
                            Py_ssize_t* out) noexcept:
    """Strides of an operand seen in the shape it is broadcast to (0 where it repeats)."""
    cdef int i, offset = ndim - src_ndim
    for i in range(offset):
        out[i] = 0
    for i in range(src_ndim):
        out[i + offset] = 0 if src_shape[i] == 1 else src_strides[i]


cdef inline Py_ssize_t _magnitude(Py_ssize_t x) noexcept:
    return -x if x < 0 else x


cdef int iteration_order(int ndim, const Py_ssize_t* shape, int n_operands,
                         Py_ssize_t** strides, int* order) noexcept:
    """Axes from the slowest to the fastest, as NumPy's iterator orders them ('K' order).

    An axis moves inwards past another where the operands' strides say so; ties keep C order.
    """
    cdef int i, j, axis, position, k
    cdef bint ambiguous, swap
    cdef Py_ssize_t a, b
    # `order` is built innermost first, then reversed.
    for i in range(ndim):
        order[i] = ndim - 1 - i
    for i in range(1, ndim):
        axis = order[i]
        position = i
        for j in range(i - 1, -1, -1):
            ambiguous = True
            swap = False
            for k in range(n_operands):
                a = 0 if shape[axis] == 1 else strides[k][axis]
                b = 0 if shape[order[j]] == 1 else strides[k][order[j]]
                if a != 0 and b != 0:
                    if _magnitude(b) <= _magnitude(a):
                        swap = False
                    elif ambiguous:
                        swap = True
                    ambiguous = False
            if not ambiguous:
                if swap:
                    position = j
                else:
                    break
        for j in range(i, position, -1):
            order[j] = order[j - 1]
        order[position] = axis
    for i in range(ndim // 2):
        axis = order[i]
        order[i] = order[ndim - 1 - i]
        order[ndim - 1 - i] = axis
    return 0


cdef void stride_order(int ndim, const Py_ssize_t* strides, int* order) noexcept:
    """Axes by falling |stride|, ties in C order: how NumPy's copies and `*_like` keep an order."""
    cdef int i, j, axis
    for i in range(ndim):
        axis = i
        j = i
        while j > 0 and _magnitude(strides[order[j - 1]]) < _magnitude(strides[axis]):
            order[j] = order[j - 1]
            j -= 1
        order[j] = axis


cdef int reshape_strides(int ndim, const Py_ssize_t* shape, const Py_ssize_t* strides,
                         Py_ssize_t itemsize, int new_ndim, const Py_ssize_t* new_shape,
                         bint fortran, Py_ssize_t* new_strides) noexcept:
    """Strides of a view of another shape; returns 0 where only a copy can give that shape.

    Both shapes hold the same number of items. Groups of old axes and of new axes with equal
    products are matched from the left; inside a group the old axes must be evenly spaced.
    """
    cdef Py_ssize_t old_shape[MAX_NDIM]
    cdef Py_ssize_t old_strides[MAX_NDIM]
    cdef int n = 0, i, k, oi = 0, oj = 1, ni = 0, nj = 1
    cdef Py_ssize_t np_, op, last
    for i in range(ndim):
        if shape[i] != 1:
            old_shape[n] = shape[i]
            old_strides[n] = strides[i]
            n += 1
    while ni < new_ndim and oi < n:
        np_ = new_shape[ni]
        op = old_shape[oi]
        while np_ != op:
            if np_ < op:
                np_ *= new_shape[nj]
                nj += 1
            else:
                op *= old_shape[oj]
                oj += 1
        for k in range(oi, oj - 1):
            if fortran:
                if old_strides[k + 1] != old_shape[k] * old_strides[k]:
                    return 0
            elif old_strides[k] != old_shape[k + 1] * old_strides[k + 1]:
                return 0
        if fortran:
            new_strides[ni] = old_strides[oi]
            for k in range(ni + 1, nj):
                new_strides[k] = new_strides[k - 1] * new_shape[k - 1]
        else:
            new_strides[nj - 1] = old_strides[oj - 1]
            for k in range(nj - 1, ni, -1):
                new_strides[k - 1] = new_strides[k] * new_shape[k]
        ni = nj
        nj += 1
        oi = oj
        oj += 1
    last = itemsize
    if ni >= 1:
        last = new_strides[ni - 1]
        if fortran:
            last *= new_shape[ni - 1]
    for k in range(ni, new_ndim):
        new_strides[k] = last
    return 1


cdef void byte_extent(int ndim, const Py_ssize_t* shape, const Py_ssize_t* strides,
                      Py_ssize_t itemsize, Py_ssize_t* low, Py_ssize_t* high) noexcept:
    """Lowest and one-past-highest byte offset that an array touches (both 0 where empty)."""
    cdef int i
    low[0] = 0
    high[0] = itemsize
    for i in range(ndim):
        if shape[i] == 0:
            high[0] = 0
            low[0] = 0
            return
        if strides[i] > 0:
            high[0] += (shape[i] - 1) * strides[i]
        else:
            low[0] += (shape[i] - 1) * strides[i]
