"""Reductions as NumPy has them: options, types and errors; sums, extremes, positions, moments.

The loops and their launches are in `reduction_loops.pyx`.
"""

import warnings

import numpy as np

from rocarray._core.conversion cimport (
    as_device, assign_array, cast_array, copy_array, fill_array)
from rocarray._core.dtypes cimport (
    BFLOAT16, BOOL, COMPLEX64, COMPLEX128, DTYPES, FLOAT16, FLOAT32, FLOAT64, INT8, INT16, INT32,
    INT64, UINT8, UINT64, code_of, is_complex_code, is_integer_code)
from rocarray._core.elementwise cimport use_operand
from rocarray._core.layout cimport MAX_NDIM, iteration_order, normalize_axis
from rocarray._core.ndarray cimport ndarray, new_array_ordered, shape_of
from rocarray._core.reduction_loops cimport (
    FINISH_DIVIDE, FINISH_DIVIDE_SQRT, FINISH_PLAIN, OPERATIONS, ReductionLoop, ReductionOp,
    reduce_all, reduce_axes)

from rocarray._core import methods

cdef object NO_VALUE = np._NoValue

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


cdef ndarray finish_into(ndarray result, ndarray out):
    """The result in `out` (any cast is allowed there, as in NumPy), or by itself."""
    if out is None or out is result:
        return result
    assign_array(out, result, True)
    return out


cdef ndarray _masked(ndarray a, object where, object value):
    """A copy of `a` with `value` where the mask is False."""
    cdef ndarray mask = as_device(where)
    cdef ndarray result
    if mask.code != BOOL:
        raise TypeError(f"Cannot cast array data from {mask.dtype!r} to dtype('bool') according "
                        "to the rule 'safe'")
    if mask.ndim > a.ndim or np.broadcast_shapes(shape_of(a), shape_of(mask)) != shape_of(a):
        raise ValueError(f"a where= mask of shape {shape_of(mask)} does not broadcast to the "
                         f"operand's shape {shape_of(a)}")
    result = methods.empty_like(a)
    fill_array(result, value)
    assign_array(result, a, mask)
    return result


cdef object as_initial(object value, int code):
    """`initial` as a NumPy scalar of the type that is computed in."""
    host = np.empty((), DTYPES[code])
    host[()] = methods.asnumpy(value) if isinstance(value, ndarray) else value
    return host[()]


cdef ndarray _filled(ndarray a, const bint* reduced, bint keepdims, int code, object value):
    """The result of reducing an empty array, in the memory order that any other would have."""
    cdef Py_ssize_t shape[MAX_NDIM]
    cdef Py_ssize_t strides[MAX_NDIM]
    cdef int order[MAX_NDIM]
    cdef Py_ssize_t* rows[1]
    cdef ndarray result
    cdef int i, n = 0
    for i in range(a.ndim):
        if keepdims or not reduced[i]:
            shape[n] = 1 if reduced[i] else a.shape_[i]
            strides[n] = a.strides_[i]
            n += 1
    rows[0] = strides
    iteration_order(n, shape, 1, rows, order)
    result = new_array_ordered(code, n, shape, order)
    fill_array(result, value)
    return result


cdef object reduce_by(ReductionOp op, ndarray a, int target, object axis, object out,
                      bint keepdims, object initial, object where):
    """Every option of ufunc.reduce; `target` is the type that is computed in."""
    cdef bint reduced[MAX_NDIM]
    cdef ndarray result, given
    cdef tuple shape
    cdef Py_ssize_t n_reduced = 1
    cdef int i
    if initial is not NO_VALUE and initial is not None:
        initial = as_initial(initial, target)
    if where is not True:
        identity = op.identity if initial is NO_VALUE else initial
        if identity is None:
            raise ValueError(
                f"reduction operation '{op.ufunc_name}' does not have an identity, so to use a "
                "where mask one has to specify 'initial'")
        if initial is not NO_VALUE and op.identity is not None:
            identity = op.identity
        if initial is NO_VALUE or op.identity is not None:
            identity = np.asarray(identity).astype(a.dtype)[()]
        a = _masked(a, where, identity)
    parse_axes(axis, a.ndim, reduced)
    shape = result_shape(a, reduced, keepdims)
    given = check_out(out, op.ufunc_name, shape)
    for i in range(a.ndim):
        if reduced[i]:
            n_reduced *= a.shape_[i]
    if a.size == 0:
        if initial is NO_VALUE or initial is None:
            if n_reduced == 0 and (op.identity is None or initial is None):
                raise ValueError(f"zero-size array to reduction operation {op.ufunc_name} which "
                                 "has no identity")
            initial = 0 if op.identity is None else op.identity
            initial = np.asarray(initial).astype(DTYPES[target])[()]
        result = _filled(a, reduced, keepdims, target, initial)
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
    if given is not None and not np.can_cast(given.dtype, np.int64):
        # NumPy reads `out` as int64 first.
        raise TypeError(f"Cannot cast array data from {given.dtype!r} to dtype('int64') according "
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
        if not result.c_contiguous:
            # NumPy's positions lie in C order whatever the array's order was.
            result = copy_array(result, "C", INT64)
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

cdef int _parse_mean_axes(object axis, int ndim, bint* reduced) except -1:
    """`parse_axes` as NumPy's mean and var have it: a 0-d array has no axis 0."""
    if ndim == 0 and axis is not None and not isinstance(axis, (tuple, list)):
        normalize_axis(axis, ndim)
    return parse_axes(axis, ndim, reduced)


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
    _parse_mean_axes(axis, x.ndim, reduced)
    shape = result_shape(x, reduced, keep)
    given = check_out(out, "add", shape)
    n = _count(x, reduced)
    if n == 0:
        warnings.warn("Mean of empty slice", RuntimeWarning, stacklevel=2)
    if x.size == 0:
        value = np.nan if n == 0 and not is_integer_code(target) else 0
        return finish_into(_filled(x, reduced, keep, target, value), given)
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
    _parse_mean_axes(axis, x.ndim, reduced)
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
        code = code_of(dtype) if dtype is not None else code
        return finish_into(_filled(x, reduced, keep, code, np.nan), given)
    result = _spread(x, reduced, dtype, divisor, FINISH_DIVIDE_SQRT if root else FINISH_DIVIDE,
                     keep, mean)
    if dtype is not None and result.code != code_of(dtype):
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
