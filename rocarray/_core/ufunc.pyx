"""Universal functions: NumPy's call protocol over the elementwise kernels.

Promotion is NumPy's own: each ufunc asks the NumPy ufunc of the same name which loop it would
take (`resolve_dtypes`), once for each combination of operand types. Operands of other types are
cast first; masks and casting outputs go through a temporary.
"""

import numpy as np

from libc.string cimport memset

from rocarray._core.conversion cimport as_device, assign_array, cast_array
from rocarray._core.dtypes cimport (
    BOOL, COMPLEX64, DTYPES, INT8, INT16, INT32, INT64, N_OPERAND_TYPES, N_TYPES, UINT64, FLOAT64,
    WEAK_COMPLEX, WEAK_FLOAT, WEAK_INT, code_of, code_or_none, is_integer_code, pack_scalar)
from rocarray._core.elementwise cimport (
    MAX_OPERANDS, ElementwiseLoop, Operand, make_loop, use_operand)
from rocarray._core.layout cimport (
    MAX_NDIM, broadcast_into, broadcast_strides, byte_extent, iteration_order)
from rocarray._core.ndarray cimport (
    BinaryOperator, ndarray, new_array, new_array_ordered, new_fortran_array)

from rocarray._core.stream cimport current_stream
from rocarray._rocm.hip.calls cimport hipStreamIsCapturing
from rocarray._rocm.hip.types cimport hipStreamCaptureStatus, hipStreamCaptureStatusNone

from rocarray._core import methods

cdef dict _WEAK_TYPES = {WEAK_INT: int, WEAK_FLOAT: float, WEAK_COMPLEX: complex}
cdef set SIGNED_INTEGERS = {INT8, INT16, INT32, INT64}
cdef set _COMPARISONS = {"equal", "not_equal", "less", "less_equal", "greater", "greater_equal"}


cdef inline bint _same_shape(ndarray a, ndarray b) noexcept:
    cdef int i
    if a.ndim != b.ndim:
        return False
    for i in range(a.ndim):
        if a.shape_[i] != b.shape_[i]:
            return False
    return True


cdef class ufunc(BinaryOperator):
    """A function that works element by element on whole arrays, with broadcasting.

    Parameters
    ----------
    *inputs : array_like
        Device arrays; NumPy arrays, scalars and lists are moved to the device.
    out : ndarray or tuple of ndarray, optional
        Where to put the results; the shape must be the broadcast shape.
    where : array_like of bool, optional
        Elements of `out` where it is False keep their value.
    casting, order, dtype, subok, signature : optional
        As in `numpy.ufunc`.

    Returns
    -------
    ndarray or tuple of ndarray
        Always device arrays, 0-d ones for scalars.
    """

    def __init__(self, row):
        self.row = row
        self.__name__ = row.name
        self.nin = row.nin
        self.nout = row.nout
        self.identity = row.identity
        self._is_power = row.functor == "Power"
        self.reference = getattr(np, row.name, None)
        self.__doc__ = f"{row.doc}\n\nSee `numpy.{row.name}` and `rocarray.ufunc`."
        self._loops = {}
        self._resolved = {}
        self._fast = [None] * (N_OPERAND_TYPES * N_OPERAND_TYPES)
        for loop in row.loops:
            ins, outs = loop.split("->")
            ins = tuple([_code_of_char[c] for c in ins])
            outs = tuple([_code_of_char[c] for c in outs])
            self._loops[ins, outs] = None

    @property
    def nargs(self):
        return self.nin + self.nout

    @property
    def types(self):
        return list(self.row.loops)

    @property
    def ntypes(self):
        return len(self.row.loops)

    @property
    def signature(self):
        return None

    def __repr__(self):
        return f"<ufunc '{self.__name__}'>"

    def __reduce__(self):
        return methods.ufunc_by_name, (self.__name__,)

    # ---- calls ----

    def __call__(self, *args, out=None, where=True, casting="same_kind", order="K", dtype=None,
                 subok=True, signature=None, sig=None):
        cdef tuple outputs
        if len(args) < self.nin or len(args) > self.nin + self.nout:
            raise TypeError(
                f"{self.__name__}() takes from {self.nin} to {self.nin + self.nout} positional "
                f"arguments but {len(args)} were given")
        if len(args) > self.nin:
            if out is not None:
                raise TypeError("cannot specify 'out' as both a positional and keyword argument")
            out = args[self.nin:] + (None,) * (self.nin + self.nout - len(args))
            args = args[:self.nin]
        if signature is None:
            signature = sig
        if signature is not None:
            dtype = signature
        if out is None and where is True and dtype is None and casting == "same_kind":
            if order == "K":
                if self.nin == 2:
                    return self.call2(args[0], args[1])
                if type(args[0]) is ndarray and self.nin == 1 and self.nout == 1:
                    return self._call1(args[0])
        elif (self.nin == 2 and type(out) is ndarray and type(args[0]) is ndarray
                and type(args[1]) is ndarray and where is True and dtype is None
                and casting == "same_kind" and self._fast_into(args[0], args[1], out)):
            return out
        outputs = self._check_out(out)
        for x in args:
            if type(x) is not ndarray and _overrides(x):
                return NotImplemented
        return self.execute(args, outputs, where, casting, order, dtype)

    def _check_out(self, out):
        if out is None:
            return (None,) * self.nout
        if not isinstance(out, tuple):
            if self.nout > 1:
                raise TypeError("'out' must be a tuple of arrays")
            out = (out,)
        if len(out) != self.nout:
            raise ValueError("The 'out' tuple must have exactly one entry per ufunc output")
        for x in out:
            if x is not None and not isinstance(x, ndarray):
                raise TypeError(
                    f"{self.__name__}(): out must be a rocarray.ndarray, got {type(x).__name__}: "
                    "results of device functions stay on the device")
            if x is not None and not (<ndarray>x).writable:
                raise ValueError("output array is read-only")
        return out

    cdef object _call1(self, ndarray a):
        cdef Operand operands[2]
        cdef ndarray result
        cdef ElementwiseLoop loop = self._fast[a.code]
        if loop is None or not a.c_contiguous:
            return self.execute((a,), (None,) * self.nout, True, "same_kind", "K", None)
        use_operand(a)
        result = new_array(loop.codes[1], a.ndim, a.shape_)
        if a.size:
            operands[0].data = a.data_
            operands[0].strides = a.strides_
            operands[1].data = result.data_
            operands[1].strides = result.strides_
            loop.run_flat(a.size, operands)
        return result

    cdef object call2(self, object a, object b):
        """Two operands and no options; the hot path is two arrays, or an array and a number."""
        cdef Operand operands[3]
        cdef ElementwiseLoop loop
        cdef ndarray x, y, result
        cdef int kind
        if self.nin != 2 or self.nout != 1:
            return self.execute((a, b), (None,) * self.nout, True, "same_kind", "K", None)
        if type(a) is ndarray:
            x = a
            if type(b) is ndarray:
                y = b
                loop = self._fast[x.code * N_OPERAND_TYPES + y.code]
                if (loop is not None and x.c_contiguous and y.c_contiguous
                        and _same_shape(x, y)):
                    use_operand(x)
                    use_operand(y)
                    result = new_array(loop.codes[2], x.ndim, x.shape_)
                    if x.size:
                        operands[0].data = x.data_
                        operands[0].strides = x.strides_
                        operands[1].data = y.data_
                        operands[1].strides = y.strides_
                        operands[2].data = result.data_
                        operands[2].strides = result.strides_
                        loop.run_flat(x.size, operands)
                    return result
            else:
                kind = _weak_kind(b)
                if kind >= 0 and x.c_contiguous:
                    loop = self._fast[x.code * N_OPERAND_TYPES + kind]
                    if self._is_power and _plain_power(b) is not None:
                        loop = None
                    if loop is not None and not (kind == WEAK_INT and is_integer_code(x.code)):
                        return self._with_scalar(loop, x, b, 1)
        else:
            kind = _weak_kind(a)
            if kind >= 0 and type(b) is ndarray and (<ndarray>b).c_contiguous:
                x = b
                loop = self._fast[kind * N_OPERAND_TYPES + x.code]
                if loop is not None and not (kind == WEAK_INT and is_integer_code(x.code)):
                    return self._with_scalar(loop, x, a, 0)
        return self.execute((a, b), (None,), True, "same_kind", "K", None)

    cdef object _with_scalar(self, ElementwiseLoop loop, ndarray x, object scalar, int position):
        """A contiguous array and a Python number, which travels inside the launch."""
        cdef Operand operands[3]
        cdef ndarray result
        pack_scalar(scalar, loop.codes[position], operands[position].value)
        use_operand(x)
        result = new_array(loop.codes[2], x.ndim, x.shape_)
        if x.size:
            operands[position].data = NULL
            operands[position].strides = NULL
            operands[1 - position].data = x.data_
            operands[1 - position].strides = x.strides_
            operands[2].data = result.data_
            operands[2].strides = result.strides_
            loop.run_flat(x.size, operands)
        return result

    cdef bint _fast_into(self, ndarray a, ndarray b, ndarray out) except -1:
        """Runs what needs no cast, broadcast or temporary; False where it is something else."""
        cdef Operand operands[3]
        cdef ElementwiseLoop loop = self._fast[a.code * N_OPERAND_TYPES + b.code]
        if (loop is None or self.nout != 1 or not out.writable or out.code != loop.codes[2]
                or not (a.c_contiguous and b.c_contiguous and out.c_contiguous)
                or not (_same_shape(a, out) and _same_shape(b, out))
                or _half_overlap(a, out) or _half_overlap(b, out)):
            return False
        use_operand(a)
        use_operand(b)
        use_operand(out)
        if out.size:
            operands[0].data = a.data_
            operands[0].strides = a.strides_
            operands[1].data = b.data_
            operands[1].strides = b.strides_
            operands[2].data = out.data_
            operands[2].strides = out.strides_
            loop.run_flat(out.size, operands)
        return True

    cdef object call2_into(self, object a, object b, ndarray out):
        if not out.writable:
            raise ValueError("output array is read-only")
        if (type(a) is ndarray and type(b) is ndarray and self.nin == 2
                and self._fast_into(a, b, out)):
            return out
        return self.execute((a, b), (out,), True, "same_kind", "K", None)

    # ---- choosing the loop ----

    cdef ElementwiseLoop loop_of(self, tuple in_codes, tuple out_codes):
        key = (in_codes, out_codes)
        if key not in self._loops:
            return None
        loop = self._loops[key]
        if loop is None:
            loop = self._loops[key] = make_loop(
                "ufunc/" + self.__name__, self.__name__, in_codes, out_codes)
        return loop

    cdef ElementwiseLoop resolve(self, tuple operand_types, object dtype, object casting):
        """The loop NumPy would take for these operand types (codes; outputs None or codes)."""
        cdef ElementwiseLoop loop
        if isinstance(dtype, list):
            dtype = np.dtype(dtype)    # a structured one, which gets its own refusal
        key = (operand_types, dtype, casting)
        loop = self._resolved.get(key)
        if loop is not None:
            return loop
        asked = tuple([_WEAK_TYPES[t] if t is not None and t >= N_TYPES
                       else (None if t is None else DTYPES[t]) for t in operand_types])
        signature = self._signature(dtype)
        if self.reference is None:
            raise TypeError(f"ufunc '{self.__name__}' cannot promote its operands")
        options = {} if signature is None else {"signature": signature}
        if casting == "equiv" and not {int, float, complex}.isdisjoint(asked):
            # resolve_dtypes crashes where the rule refuses a Python number: let a call refuse it.
            operands = [np.empty(0, d) if isinstance(d, np.dtype) else d(1)
                        for d in asked[:self.nin]]
            given = tuple([None if d is None else np.empty(0, d) for d in asked[self.nin:]])
            self.reference(*operands, out=given, casting=casting, **options)
            casting = "same_kind"
        try:
            chosen = self.reference.resolve_dtypes(asked, casting=casting, **options)
        except TypeError as error:
            if "not supported for the input types" not in str(error):
                raise
            got = ", ".join([getattr(t, "name", getattr(t, "__name__", str(t)))
                             for t in asked[:self.nin]])
            raise TypeError(f"{error} (got {got}; allowed are {' '.join(self.types)})") from None
        codes = tuple([code_or_none(d) for d in chosen])
        loop = None if -1 in codes else self.loop_of(codes[:self.nin], codes[self.nin:])
        if loop is None:
            raise TypeError(
                f"ufunc '{self.__name__}' has no loop for {', '.join([str(d) for d in chosen])}; "
                f"it has {' '.join(self.row.loops)}")
        self._resolved[key] = loop
        self._remember_fast(operand_types, dtype, casting, loop)
        return loop

    cdef object _remember_fast(self, tuple types, object dtype, object casting,
                               ElementwiseLoop loop):
        if dtype is not None or casting != "same_kind" or self.nin > 2:
            return None
        for i in range(self.nin):
            if types[i] < N_TYPES and types[i] != loop.codes[i]:
                return None
        for i in range(self.nin, self.nin + self.nout):
            if types[i] is not None:
                return None
        if self._is_power and loop.codes[1] in SIGNED_INTEGERS:
            return None   # `_run` looks at the exponents
        if self.nin == 1:
            self._fast[types[0]] = loop
        else:
            self._fast[types[0] * N_OPERAND_TYPES + types[1]] = loop
        return None

    def _signature(self, dtype):
        if dtype is None:
            return None
        if isinstance(dtype, tuple):
            if len(dtype) != self.nin + self.nout:
                raise ValueError(
                    "the signature object to ufunc must be None or a tuple with the right length")
            return tuple([None if d is None else np.dtype(d) for d in dtype])
        if isinstance(dtype, str) and "->" in dtype:
            ins, outs = dtype.split("->")
            return tuple([np.dtype(c) for c in ins + outs])
        code_of(dtype)
        return (None,) * self.nin + (np.dtype(dtype),) * self.nout

    # ---- the general path ----

    cdef object execute(self, tuple inputs, tuple out, object where, object casting,
                        object order, object dtype):
        cdef Py_ssize_t shape[MAX_NDIM]
        cdef list values = [], arrays = []
        cdef ElementwiseLoop loop
        cdef list types = []
        cdef int ndim = 0
        cdef bint all_weak = True
        for x in inputs:
            if type(x) is not ndarray and _handles_ufuncs(x):
                return self._ask(x, inputs, out, where, casting, order, dtype)
            array, value, kind = _classify(x)
            arrays.append(array)
            values.append(value)
            types.append(kind)
            all_weak = all_weak and kind >= N_TYPES
        if all_weak:
            types = [code_of(np.asarray(v).dtype) for v in values]
        out_types = [None if x is None else (<ndarray>x).code for x in out]
        loop = self._resolve_operands(types, out_types, values, dtype, casting)
        ndim = self._broadcast(arrays, out, where, shape)
        if where is not True:
            where = as_device(where)
            if (<ndarray>where).code != BOOL:
                raise TypeError(
                    f"Cannot cast array data from {where.dtype!r} to dtype('bool') according to "
                    "the rule 'safe'")
        return self._run(loop, arrays, values, out, where, order, ndim, shape)

    def _ask(self, x, inputs, out, where, casting, order, dtype):
        """What an operand that has `__array_ufunc__` makes of the operation."""
        options = {"out": out if any([o is not None for o in out]) else None, "dtype": dtype,
                   "where": None if where is True else where,
                   "casting": None if casting == "same_kind" else casting,
                   "order": None if order == "K" else order}
        options = {name: value for name, value in options.items() if value is not None}
        result = x.__array_ufunc__(self, "__call__", *inputs, **options)
        if result is NotImplemented:
            raise TypeError(
                f"operand type(s) all returned NotImplemented from __array_ufunc__({self!r}, "
                f"'__call__'): {', '.join([repr(type(y).__name__) for y in inputs])}")
        return result

    cdef ElementwiseLoop _resolve_operands(self, list types, list out_types, list values,
                                           object dtype, object casting):
        cdef int i
        if self.__name__ in _COMPARISONS and dtype is None:
            for i in range(2):
                if types[i] == WEAK_INT and types[1 - i] < N_TYPES and is_integer_code(
                        types[1 - i]):
                    if not _fits(values[i], types[1 - i]):
                        # Out-of-range integers compare by value, as in NumPy 2.
                        if -(1 << 63) <= values[i] < (1 << 64):
                            types[i] = UINT64 if values[i] > 0 else INT64
                        else:
                            values[i] = np.inf if values[i] > 0 else -np.inf
                            types[i] = FLOAT64
        return self.resolve(tuple(types) + tuple(out_types), dtype, casting)

    cdef int _broadcast(self, list arrays, tuple out, object where, Py_ssize_t* shape) except -1:
        cdef int ndim = 0, given
        cdef ndarray a
        for x in arrays:
            if x is not None:
                a = x
                ndim = broadcast_into(ndim, shape, a.ndim, a.shape_)
                if ndim < 0:
                    raise ValueError(
                        "operands could not be broadcast together with shapes "
                        + " ".join([_shape_text(y) for y in arrays]) + " ")
        if where is not True:
            mask_shape = np.shape(where) if not isinstance(where, ndarray) else where.shape
            ndim = _broadcast_tuple(ndim, shape, mask_shape)
        for x in out:
            if x is None:
                continue
            a = x
            given = broadcast_into(ndim, shape, a.ndim, a.shape_)
            if given < 0:
                raise ValueError(
                    "operands could not be broadcast together with shapes "
                    + " ".join([_shape_text(y) for y in arrays if y is not None])
                    + f" {_shape_text(a)} ")
            ndim = given
        for x in out:
            if x is not None:
                _check_output_shape(x, ndim, shape)
        return ndim

    cdef object _run(self, ElementwiseLoop loop, list arrays, list values, tuple out,
                     object where, object order, int ndim, Py_ssize_t* shape):
        cdef Operand operands[MAX_OPERANDS]
        cdef Py_ssize_t steps[MAX_OPERANDS][MAX_NDIM]
        cdef Py_ssize_t* rows[MAX_OPERANDS]
        cdef int i, n_rows = 0
        cdef ndarray a, target
        cdef list keep = [], results = []
        if order == "A" or order == "a":
            order = "F" if all([x is None or (<ndarray>x).f_contiguous for x in arrays]) else "C"
        for i in range(self.nin):
            memset(&operands[i], 0, sizeof(Operand))
            if arrays[i] is None:
                pack_scalar(values[i], loop.codes[i], operands[i].value)
                continue
            a = arrays[i]
            use_operand(a)
            if a.code != loop.codes[i]:
                a = cast_array(a, loop.codes[i])
            keep.append(a)
            operands[i].data = a.data_
            if a.ndim:
                broadcast_strides(ndim, shape, a.ndim, a.shape_, a.strides_, steps[i])
                operands[i].strides = steps[i]
                rows[n_rows] = steps[i]
                n_rows += 1
        for i in range(self.nout):
            target = out[i]
            if target is not None:
                use_operand(target)
            if (target is None or where is not True or target.code != loop.codes[self.nin + i]
                    or _overlaps_differently(target, keep)):
                target = _new_output(loop.codes[self.nin + i], ndim, shape, n_rows, rows, order)
            results.append(target)
            operands[self.nin + i].data = target.data_
            operands[self.nin + i].strides = target.strides_
        if self._is_power:
            if loop.codes[1] in SIGNED_INTEGERS:
                self._check_exponents(arrays[1], values[1], where, ndim, shape)
            simple = None if arrays[1] is not None else _plain_power(values[1])
            if simple is not None and arrays[0] is not None and loop.codes[1] < COMPLEX64 and (
                    not is_integer_code(loop.codes[1]) or simple in ("square", "positive")):
                simple = getattr(methods, simple)
                loop = (<ufunc>simple).loop_of((loop.codes[0],), (loop.codes[2],))
                return (<ufunc>simple)._run(loop, arrays[:1], values[:1], out, where, order, ndim,
                                            shape)
        loop.run(ndim, shape, operands)
        for i in range(self.nout):
            if out[i] is not None and out[i] is not results[i]:
                assign_array(out[i], results[i], where)
                results[i] = out[i]
            elif where is not True and out[i] is None:
                # What the mask leaves out is unspecified; the computed value is as good as any.
                pass
        return results[0] if self.nout == 1 else tuple(results)

    cdef int _check_exponents(self, ndarray exponents, object value, object where, int ndim,
                              Py_ssize_t* shape) except -1:
        """Refuses negative integer exponents before anything is written.

        An array of them is read once more and the host waits for the answer, so only exponents
        of signed integer types are looked at, and none while a graph is captured.
        """
        cdef tuple full = tuple([shape[i] for i in range(ndim)])
        if 0 in full:
            return 0
        if exponents is None:
            if value < 0:
                refuse_negative_exponents(value, where)
        elif where is True:
            refuse_negative_exponents(exponents, True)
        else:
            refuse_negative_exponents(methods.broadcast_to(exponents, full), where)
        return 0

    # ---- methods ----

    def reduce(self, array, axis=0, dtype=None, out=None, keepdims=False, initial=np._NoValue,
               where=True):
        """Folds `array` along `axis` with this operation; see `numpy.ufunc.reduce`."""
        self._needs_binary("reduce")
        return methods.reduce_ufunc(self, array, axis, dtype, out, keepdims, initial, where)

    def accumulate(self, array, axis=0, dtype=None, out=None):
        """All partial results of `reduce`; see `numpy.ufunc.accumulate`."""
        self._needs_binary("accumulate")
        return methods.accumulate_ufunc(self, array, axis, dtype, out)

    def reduceat(self, array, indices, axis=0, dtype=None, out=None):
        """`reduce` over segments that begin at `indices`; see `numpy.ufunc.reduceat`."""
        self._needs_binary("reduceat")
        return methods.reduceat_ufunc(self, array, indices, axis, dtype, out)

    def outer(self, a, b, /, **kwargs):
        """This operation on all pairs of an element of `a` and one of `b`."""
        self._needs_binary("outer")
        a, b = as_device(a), as_device(b)
        return self(a.reshape(a.shape + (1,) * b.ndim), b, **kwargs)

    def at(self, a, indices, b=None, /):
        """Unbuffered in-place operation; repeated indices count each time."""
        if self.nout != 1:
            raise ValueError("Only single output ufuncs supported at this time")
        methods.ufunc_at(self, a, indices, b)

    def resolve_dtypes(self, dtypes, *, signature=None, casting=None, reduction=False):
        """The dtypes that operands and outputs would have; see `numpy.ufunc.resolve_dtypes`."""
        options = {"signature": signature, "casting": casting}
        return self.reference.resolve_dtypes(
            dtypes, reduction=reduction,
            **{name: value for name, value in options.items() if value is not None})

    def _needs_binary(self, method):
        if self.nin != 2 or self.nout != 1:
            raise ValueError(f"{method} only supported for binary functions")


def refuse_negative_exponents(exponents, where=True):
    """Raises as NumPy does where an integer would be raised to a negative power."""
    cdef hipStreamCaptureStatus status = hipStreamCaptureStatusNone
    if isinstance(exponents, ndarray):
        if current_stream() != NULL:   # the null stream cannot be captured
            hipStreamIsCapturing(current_stream(), &status)
        if status != hipStreamCaptureStatusNone:
            return
        options = {} if where is True else {"initial": 0, "where": where}
        exponents = int(methods.min(exponents, **options))
    elif where is not True and not bool(methods.any(where)):
        return
    if exponents < 0:
        raise ValueError("Integers to negative integer powers are not allowed.")


cdef dict _code_of_char = {"?": 0, "b": 1, "B": 2, "h": 3, "H": 4, "i": 5, "I": 6, "l": 7, "L": 8,
                           "e": 9, "f": 10, "d": 11, "F": 12, "D": 13, "E": 14}


# Powers that are simpler functions, in NumPy too.
cdef dict _PLAIN_POWERS = {2: "square", 1: "positive", -1: "reciprocal", 0.5: "sqrt"}


cdef inline object _plain_power(object exponent):
    """The name of the function that a power with this host number is, or None."""
    try:
        return _PLAIN_POWERS.get(exponent)
    except TypeError:   # arrays of NumPy are not hashable
        return _PLAIN_POWERS.get(exponent.item())


cdef inline int _weak_kind(object x) noexcept:
    if type(x) is float:
        return WEAK_FLOAT
    if type(x) is int:
        return WEAK_INT
    if type(x) is complex:
        return WEAK_COMPLEX
    return -1


cdef tuple _classify(object x):
    """(array or None, host value, operand type) of an input."""
    cdef int kind
    if isinstance(x, ndarray):
        return x, None, (<ndarray>x).code
    kind = _weak_kind(x)
    if kind >= 0:
        return None, x, kind
    if isinstance(x, (np.generic, bool)) or (isinstance(x, np.ndarray) and x.ndim == 0):
        # NumPy scalars keep their type but need no memory of the device.
        value = np.asarray(x)
        return None, value, code_of(value.dtype)
    array = as_device(x)
    return array, None, (<ndarray>array).code


cdef bint _fits(object value, int code) except -1:
    info = np.iinfo(DTYPES[code])
    return info.min <= value <= info.max


cdef bint _overrides(object x) except -1:
    """Whether `x` asks to handle the operation itself by `__array_ufunc__ = None`."""
    return getattr(type(x), "__array_ufunc__", False) is None


cdef bint _handles_ufuncs(object x) except -1:
    """Whether `x` is an array of another library that computes ufuncs itself."""
    if isinstance(x, (float, int, complex, np.generic, np.ndarray, ndarray, list, tuple)):
        return False
    return callable(getattr(type(x), "__array_ufunc__", None))


cdef str _shape_text(object a):
    if a is None:
        return "()"
    return str(a.shape).replace(" ", "")


cdef int _broadcast_tuple(int ndim, Py_ssize_t* shape, tuple other) except -1:
    cdef Py_ssize_t dims[MAX_NDIM]
    cdef int i, result
    for i in range(len(other)):
        dims[i] = other[i]
    result = broadcast_into(ndim, shape, len(other), dims)
    if result < 0:
        raise ValueError(
            f"operands could not be broadcast together with a where= mask of shape {other}")
    return result


cdef int _check_output_shape(ndarray out, int ndim, Py_ssize_t* shape) except -1:
    cdef int i
    cdef bint same = out.ndim == ndim
    if same:
        for i in range(ndim):
            same = same and out.shape_[i] == shape[i]
    if not same:
        broadcast = tuple([shape[i] for i in range(ndim)])
        raise ValueError(
            f"non-broadcastable output operand with shape {_shape_text(out)} doesn't match the "
            f"broadcast shape {str(broadcast).replace(' ', '')}")
    return 0


cdef bint _overlaps_differently(ndarray out, list inputs) except -1:
    """Whether writing `out` could change an input element that is still to be read."""
    cdef ndarray a
    cdef Py_ssize_t low, high, out_low, out_high
    byte_extent(out.ndim, out.shape_, out.strides_, out.itemsize, &out_low, &out_high)
    for a in inputs:
        if a.data_ == out.data_ and _same_layout(a, out):
            continue
        byte_extent(a.ndim, a.shape_, a.strides_, a.itemsize, &low, &high)
        if a.data_ + low < out.data_ + out_high and out.data_ + out_low < a.data_ + high:
            return True
    return False


cdef inline bint _half_overlap(ndarray a, ndarray b) noexcept:
    """Whether contiguous arrays share bytes but not item by item."""
    if a.data_ == b.data_:
        return a.itemsize != b.itemsize
    return (a.data_ < b.data_ + b.size * b.itemsize and b.data_ < a.data_ + a.size * a.itemsize)


cdef bint _same_layout(ndarray a, ndarray b) noexcept:
    cdef int i
    if a.itemsize != b.itemsize or not _same_shape(a, b):
        return False
    for i in range(a.ndim):
        if a.strides_[i] != b.strides_[i] and a.shape_[i] > 1:
            return False
        # One element read many times while it is written.
        if a.strides_[i] == 0 and a.shape_[i] > 1:
            return False
    return True


cdef ndarray _new_output(int code, int ndim, Py_ssize_t* shape, int n_rows, Py_ssize_t** rows,
                         object order):
    """An output in the memory order of the inputs ('K'), or as `order` says."""
    cdef int axes[MAX_NDIM]
    if order in ("F", "f"):
        return new_fortran_array(code, ndim, shape)
    if order in ("C", "c") or ndim < 2 or n_rows == 0:
        return new_array(code, ndim, shape)
    iteration_order(ndim, shape, n_rows, rows, axes)
    return new_array_ordered(code, ndim, shape, axes)
