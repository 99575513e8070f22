"""fuse: a function of elementwise operations becomes one kernel.

The function runs once, for each combination of argument types, on stand-ins that write down the
operations; the record is the body of an `ElementwiseKernel`. Types are promoted as by the ufuncs
themselves, so the values are those of the unfused function.
"""

import functools
import math

import numpy as np

from rocarray._core import methods
from rocarray._core.conversion import asarray
from rocarray._core.creation import empty
from rocarray._core.dtypes import type_char, type_code
from rocarray._core.gather import byte_span
from rocarray._core.ndarray import ndarray
from rocarray._core.ufuncs import ufunc_by_name
from rocarray._core.user_kernels import ElementwiseKernel
from rocarray._kernels.tables.ufuncs import cpp_type, functor_of

_WEAK = {int: "int64", float: "float64", complex: "complex128"}
_PREAMBLE = "".join(
    f'#include "functors/{name}.hpp"\n'
    for name in ("arithmetic", "bitwise", "comparison", "conversion", "floating", "transcendental")
)


def fuse(function=None, *, kernel_name=None):
    """Makes one kernel of a function whose body is elementwise operations.

    Parameters
    ----------
    function : callable
        Its arguments are arrays and numbers; its body may use operators, ufuncs (of rocarray or
        NumPy), `where`, `clip`, `astype`, in-place operators, and other functions of these. It
        returns an array, a tuple of arrays, or None when it works in place.
    kernel_name : str, optional
        The kernel's name in profiles; by default the function's.

    Returns
    -------
    callable
        With NumPy arrays alone, or inside another fused function, it is the plain function.

    Raises
    ------
    TypeError
        At the first call, where the function needs values (`if x > 0`, `float(x)`, a reduction,
        an index): no kernel can be made before they are there.

    Notes
    -----
    Numbers that are passed as arguments are parameters of the kernel: a new value costs no new
    compilation. Numbers written in the function are part of it.

    Examples
    --------
    >>> import rocarray as rp
    >>> @rp.fuse
    ... def squared_difference(x, y):
    ...     return (x - y) * (x - y)
    >>> squared_difference(rp.arange(3.0), 1.0)
    array([1., 0., 1.])
    """
    if function is None:
        return functools.partial(fuse, kernel_name=kernel_name)
    if not callable(function):
        raise TypeError(f"fuse() takes a function, got {type(function).__name__}")
    fused = _Fused(function, kernel_name)
    return functools.update_wrapper(lambda *args, **kwargs: fused(args, kwargs), function)


# ---- the record -----------------------------------------------------------------------------


class _Line:
    """A statement of the kernel: its text, the values that it makes and those that it reads."""

    def __init__(self, text, makes, reads):
        self.text, self.makes, self.reads = text, makes, reads


class _Trace:
    """The operations of one run, in order."""

    def __init__(self, name):
        self.name = name
        self.lines = []
        self.n_values = 0

    def new_value(self, dtype, expression, reads=()):
        """The value of an expression over others."""
        name = self._new_name()
        text = f"const {_cpp(dtype)} {name} = {expression};"
        self.lines.append(_Line(text, {name}, {v.name for v in reads}))
        return _Value(name, dtype, _inputs(reads))

    def new_values(self, dtypes, functor, reads):
        """The values that a functor stores into its last arguments."""
        names = [self._new_name() for _ in dtypes]
        pairs = list(zip(names, dtypes, strict=True))
        text = " ".join(f"{_cpp(dtype)} {name};" for name, dtype in pairs)
        arguments = ", ".join([v.name for v in reads] + names)
        self.lines.append(
            _Line(f"{text} {functor}({arguments});", set(names), {v.name for v in reads})
        )
        return [_Value(name, dtype, _inputs(reads)) for name, dtype in pairs]

    def _new_name(self):
        self.n_values += 1
        return f"v{self.n_values}"

    def lines_for(self, values):
        """The text of the lines that the values need."""
        needed, kept = {v.name for v in values}, []
        for line in reversed(self.lines):
            if line.makes & needed:
                kept.append(line.text)
                needed |= line.reads
        return kept[::-1]


class _Value:
    """One value of the kernel: its C++ name, dtype, and the arguments that it depends on.

    `weak` is the Python type of a number that takes its dtype from what it meets, or None.
    """

    def __init__(self, name, dtype, inputs, weak=None):
        self.name, self.dtype, self.inputs, self.weak = name, np.dtype(dtype), inputs, weak


def _inputs(values):
    return frozenset().union(*(v.inputs for v in values))


def _cpp(dtype):
    return cpp_type(type_char(type_code(dtype)))


def _literal(number, dtype):
    """A C++ expression for a host number in a dtype."""
    if type(number) is int and dtype.kind in "iu":
        number = np.array(number, dtype)  # refuses what does not fit, as NumPy does
    number = np.asarray(number).astype(dtype).item()
    if isinstance(number, complex):
        part = _part_dtype(dtype)
        return f"{_cpp(dtype)}({_literal(number.real, part)}, {_literal(number.imag, part)})"
    if isinstance(number, float):
        if math.isnan(number):
            text = '__builtin_nan("")'
        elif math.isinf(number):
            text = f"{'-' if number < 0 else ''}__builtin_inf()"
        else:
            text = number.hex()
        return f"cast<{_cpp(dtype)}>({text})"
    if number == -(1 << 63):
        return f"{_cpp(dtype)}(-9223372036854775807ll - 1)"
    return f"{_cpp(dtype)}({int(number)}{'ull' if number > 0x7FFFFFFFFFFFFFFF else 'll'})"


def _part_dtype(dtype):
    return np.dtype("float32" if dtype == np.complex64 else "float64")


class Traced(np.lib.mixins.NDArrayOperatorsMixin):
    """Stands for an array (or a number) while a function is fused."""

    __slots__ = ("_trace", "_value", "_argument", "_changed")
    __hash__ = None

    def __init__(self, trace, value, argument=None):
        self._trace, self._value, self._argument, self._changed = trace, value, argument, False

    @property
    def dtype(self):
        return self._value.dtype

    def astype(self, dtype, copy=True):
        return _cast(self, np.dtype(dtype))

    def copy(self, order="C"):
        return Traced(self._trace, self._value)

    def conj(self):
        return np.conjugate(self)

    @property
    def real(self):
        return self._part("re")

    @property
    def imag(self):
        return self._part("im")

    def _part(self, name):
        if self.dtype.kind != "c":
            return self.copy() if name == "re" else self * self.dtype.type(0)
        expression = f"{self._value.name}.{name}"
        value = self._trace.new_value(_part_dtype(self.dtype), expression, [self._value])
        return Traced(self._trace, value)

    def clip(self, min=None, max=None):
        low = self if min is None else np.maximum(self, min)
        return low if max is None else np.minimum(low, max)

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **options):
        if method != "__call__" or options:
            self._refuse(f"{ufunc.__name__} with {', '.join(options) or method}")
        results = _apply(self._trace, ufunc_by_name(ufunc.__name__), inputs)
        if out is None:
            return results[0] if len(results) == 1 else tuple(results)
        for target, result in zip(out, results, strict=True):
            if target is None:
                continue
            if not isinstance(target, Traced) or not np.can_cast(
                result.dtype, target.dtype, "same_kind"
            ):
                raise TypeError(
                    f"Cannot cast ufunc '{ufunc.__name__}' output from {result.dtype!r} to "
                    f"{target.dtype!r} with casting rule 'same_kind'"
                )
            target[...] = result
        return out[0] if len(out) == 1 else out

    def __array_function__(self, function, types, args, kwargs):
        own = {np.where: traced_where, np.clip: Traced.clip}.get(function)
        if own is None or kwargs:
            self._refuse(f"numpy.{function.__name__}")
        return own(*args)

    def __setitem__(self, key, value):
        if key is not Ellipsis and not (isinstance(key, slice) and key == slice(None)):
            self._refuse("an index")
        if not isinstance(value, Traced):
            value = Traced(self._trace, _value_of(self._trace, value, self.dtype))
        self._value = _cast(value, self.dtype)._value
        self._changed = True

    def _refuse(self, what):
        raise TypeError(
            f"{self._trace.name}(): {what} needs the values of an array, which a fused function "
            "does not have while it is recorded; it may use operators, ufuncs, where, clip and "
            "astype (choose by rocarray.where instead of if)"
        )

    def __bool__(self):
        self._refuse("a condition")

    def __float__(self):
        self._refuse("float()")

    def __int__(self):
        self._refuse("int()")

    def __complex__(self):
        self._refuse("complex()")

    def __index__(self):
        self._refuse("an index")

    def __len__(self):
        self._refuse("len()")

    def __iter__(self):
        self._refuse("iteration")

    def __getitem__(self, key):
        self._refuse("an index")

    def __array__(self, dtype=None, copy=None):
        self._refuse("a function that is not elementwise")

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        self._refuse(f"ndarray.{name}")


def is_traced(*values):
    """Whether a function is being fused that these are values of."""
    return any(isinstance(x, Traced) for x in values)


def _value_of(trace, x, dtype):
    """A traced value or a number as a value of a dtype."""
    if not isinstance(x, Traced):
        return trace.new_value(dtype, _literal(x, dtype))
    return _cast(x, dtype)._value


def _cast(x, dtype):
    if x._value.weak is None and x.dtype == dtype:
        return Traced(x._trace, x._value)
    expression = f"cast<{_cpp(dtype)}>({x._value.name})"
    return Traced(x._trace, x._trace.new_value(dtype, expression, [x._value]))


def _operand(trace, x):
    """(value or host number, what NumPy's promotion is told of it)."""
    if isinstance(x, Traced):
        return x, x._value.weak or x.dtype
    if type(x) in _WEAK:
        return x, type(x)
    if isinstance(x, (bool, np.generic)):
        return x, np.asarray(x).dtype
    raise TypeError(
        f"{trace.name}(): a fused function got {type(x).__name__} inside; arrays must be its "
        "arguments"
    )


def _apply(trace, ufunc, inputs):
    """The results of a ufunc over traced values and numbers, as `Traced`."""
    operands, asked = zip(*(_operand(trace, x) for x in inputs), strict=True)
    weak = all(isinstance(a, type) for a in asked)
    if weak:
        asked = tuple(np.dtype(_WEAK[a]) for a in asked)
    dtypes = ufunc.resolve_dtypes((*asked, *[None] * ufunc.nout))
    if ufunc.row.functor == "Power" and dtypes[0].kind == "i":
        _check_integer_power(trace, operands[1])
    reads = [
        _value_of(trace, x, dtype) for x, dtype in zip(operands, dtypes[: ufunc.nin], strict=True)
    ]
    functor = f"rocarray::{functor_of(ufunc.row, type_char(type_code(dtypes[0])))}()"
    outs = dtypes[ufunc.nin :]
    if len(outs) > 1:
        return [Traced(trace, value) for value in trace.new_values(outs, functor, reads)]
    value = trace.new_value(outs[0], f"{functor}({', '.join(v.name for v in reads)})", reads)
    if weak:
        value.weak = next((kind for kind, name in _WEAK.items() if outs[0] == name), None)
    return [Traced(trace, value)]


def _check_integer_power(trace, exponent):
    if isinstance(exponent, Traced):
        raise TypeError(
            f"{trace.name}(): an integer to an integer power that is not a number written in the "
            "function cannot be fused: negative powers could not be refused; cast it to float"
        )
    if exponent < 0:
        raise ValueError("Integers to negative integer powers are not allowed.")


def traced_where(condition, x, y):
    """`where` inside of a fused function."""
    trace = next(v._trace for v in (condition, x, y) if isinstance(v, Traced))
    if not isinstance(condition, Traced):
        return x if condition else y
    kinds = [_operand(trace, v)[1] for v in (x, y)]
    if all(isinstance(kind, type) for kind in kinds):
        kinds = [np.dtype(_WEAK[kind]) for kind in kinds]
    dtype = np.add.resolve_dtypes((*kinds, None))[2]
    reads = [
        _value_of(trace, v, d) for v, d in ((condition, np.dtype(bool)), (x, dtype), (y, dtype))
    ]
    return Traced(
        trace, trace.new_value(dtype, "{} ? {} : {}".format(*(v.name for v in reads)), reads)
    )


# ---- the kernels ----------------------------------------------------------------------------


class _Record:
    """A function recorded for one combination of argument types."""

    def __init__(self, function, name, arguments, keywords):
        self.trace = _Trace(name)
        self.dtypes = [np.asarray(x).dtype if np.isscalar(x) else x.dtype for x in arguments]
        stand_ins = [self._stand_in(i, x) for i, x in enumerate(arguments)]
        n = len(arguments) - len(keywords)
        result = function(*stand_ins[:n], **dict(zip(keywords, stand_ins[n:], strict=True)))
        self.returns_tuple = isinstance(result, (tuple, list))
        self.results = list(result) if self.returns_tuple else [result]
        for x in self.results:
            if not isinstance(x, Traced) and x is not None and not np.isscalar(x):
                raise TypeError(
                    f"{name}(): a fused function returns arrays, numbers or None; got "
                    f"{type(x).__name__}"
                )
        self.changed = [s for s in stand_ins if isinstance(s, Traced) and s._changed]
        self._kernels = {}

    def _stand_in(self, number, x):
        weak = type(x) if type(x) in _WEAK else None
        value = _Value(f"a{number}", self.dtypes[number], frozenset([number]), weak)
        return Traced(self.trace, value, number)

    def kernel(self, outputs):
        """The ElementwiseKernel that computes these values (a tuple of `_Value`)."""
        names = tuple(v.name for v in outputs)
        if names not in self._kernels:
            used = sorted(_inputs(outputs))
            self._kernels[names] = used, self._build(outputs, used)
        return self._kernels[names]

    def _build(self, outputs, used):
        inputs = ", ".join(f"{self.dtypes[i]} a{i}" for i in used)
        results = ", ".join(f"{v.dtype} r{k}" for k, v in enumerate(outputs))
        lines = self.trace.lines_for(outputs)
        stores = [f"r{k} = {v.name};" for k, v in enumerate(outputs)]
        return ElementwiseKernel(
            inputs, results, "\n        ".join(lines + stores), self.trace.name,
            preamble=_PREAMBLE, return_tuple=True,
        )  # fmt: skip


class _Fused:
    """The records of a function, by argument types."""

    def __init__(self, function, kernel_name):
        self.function = function
        name = kernel_name or getattr(function, "__name__", "fused")
        self.name = name if name.isidentifier() else "fused"
        self.records = {}

    def __call__(self, args, kwargs):
        values = [*args, *kwargs.values()]
        if is_traced(*values) or not any(isinstance(x, ndarray) for x in values):
            return self.function(*args, **kwargs)
        values = [self._argument(x) for x in values]
        key = (len(args), *kwargs, *[
            x.dtype if isinstance(x, (ndarray, np.generic)) else type(x) for x in values
        ])  # fmt: skip
        record = self.records.get(key)
        if record is None:
            record = _Record(self.function, self.name, values, tuple(kwargs))
            self.records[key] = record
        return _run(record, values)

    def _argument(self, x):
        if isinstance(x, (ndarray, bool, int, float, complex, np.generic)):
            return x
        if isinstance(x, (np.ndarray, list, tuple)):
            return asarray(x)
        raise TypeError(
            f"{self.name}(): a fused function takes arrays and numbers, got {type(x).__name__}"
        )


def _run(record, values):
    """Computes what the function returns and changes, and hands it out as the function would."""
    wanted = {}
    for x in [*record.changed, *[r for r in record.results if isinstance(r, Traced)]]:
        if x._changed or x._argument is None:
            wanted[x._value.name] = x._value
    by_shape = {}
    for value in wanted.values():
        arrays = [values[i].shape for i in value.inputs if isinstance(values[i], ndarray)]
        by_shape.setdefault(np.broadcast_shapes(*arrays), []).append(value)
    targets = {x._value.name: values[x._argument] for x in record.changed}
    for name, target in targets.items():
        if not target.flags.writeable:
            raise ValueError(f"{record.trace.name}(): the array that it changes is read-only")
        if np.broadcast_shapes(target.shape, _shape_of(by_shape, name)) != target.shape:
            raise ValueError(
                f"non-broadcastable output operand with shape {target.shape} doesn't match the "
                f"broadcast shape {_shape_of(by_shape, name)}"
            )
    computed = {}
    for shape, group in by_shape.items():
        used, kernel = record.kernel(tuple(group))
        inputs = [values[i] for i in used]
        direct = len(by_shape) == 1
        outputs = [
            targets[v.name]
            if direct and v.name in targets and _same_items(targets[v.name], inputs, shape)
            else _new_output(v.dtype, shape, inputs)
            for v in group
        ]
        kernel(*inputs, *outputs)
        computed.update((v.name, out) for v, out in zip(group, outputs, strict=True))
    for name, target in targets.items():
        if computed[name] is not target:
            methods.copyto(target, computed[name])
    results = [_result(x, values, computed) for x in record.results]
    return tuple(results) if record.returns_tuple else results[0]


def _shape_of(by_shape, name):
    return next(shape for shape, group in by_shape.items() if name in {v.name for v in group})


def _result(x, values, computed):
    if not isinstance(x, Traced):
        return x
    return values[x._argument] if x._argument is not None else computed[x._value.name]


def _new_output(dtype, shape, inputs):
    arrays = [x for x in inputs if isinstance(x, ndarray) and x.ndim]
    fortran = arrays and all(x.flags.f_contiguous and not x.flags.c_contiguous for x in arrays)
    return empty(shape, dtype, order="F" if fortran else "C")


def _same_items(target, inputs, shape):
    """Whether a kernel may write `target` while it reads `inputs`: the same items or none."""
    if target.shape != shape:
        return False
    first, _, span = byte_span(target)
    for x in inputs:
        if not isinstance(x, ndarray):
            continue
        begin, _, n_bytes = byte_span(x)
        same = begin == first and x.strides == target.strides and x.shape == target.shape
        if not same and begin < first + span and first < begin + n_bytes:
            return False
    return True
