"""Kernels that users write: ElementwiseKernel and ReductionKernel.

The parameter language is the one that CuPy's users know: "T x, raw U y" and "T z", where a single
capital-letter-like name that is no dtype stands for any type, and `raw` arrays are indexed by
hand. The source is generated for the types and the layout of a call, compiled by hipRTC and
cached as any other kernel.
"""

import functools
import re
import struct
import threading

import numpy as np

from libc.stdint cimport uintptr_t

from rocarray._core.conversion cimport as_device, cast_array
from rocarray._core.device cimport current_device
from rocarray._core.dtypes cimport CHARS, code_of
from rocarray._core.elementwise cimport use_operand
from rocarray._core.kernel cimport Kernel, LaunchShape, Module, launch, launch_shape
from rocarray._core.layout cimport MAX_NDIM
from rocarray._core.ndarray cimport ndarray, new_array
from rocarray._core.layout cimport parse_shape

from rocarray._core import methods
from rocarray._core.kernel import compile_module
from rocarray._kernels.programs import TYPE_NAMES

_PARAMETER = re.compile(r"^(?:(raw)\s+)?(?:const\s+)?(?:(raw)\s+)?(\w+)\s+(\w+)$")
_RESERVED = {"i", "n", "_ind"}


class Parameter:
    """One declared parameter: its name, its type (a dtype or a placeholder), whether it is raw."""

    def __init__(self, text):
        match = _PARAMETER.match(text.strip())
        if match is None:
            raise ValueError(
                f"cannot read the kernel parameter {text.strip()!r}; it should be like 'T x', "
                "'float32 x' or 'raw T x'")
        self.raw = bool(match[1] or match[2])
        self.type, self.name = match[3], match[4]
        if self.name in _RESERVED:
            raise ValueError(f"kernel parameters cannot be called {', '.join(sorted(_RESERVED))}; "
                             f"got {self.name!r}")
        self.dtype = None
        try:
            self.dtype = np.dtype(self.type) if len(self.type) > 1 else None
        except TypeError:
            pass
        if self.dtype is not None:
            code_of(self.dtype)


def parse_parameters(text):
    """The parameters of a comma-separated declaration."""
    return [Parameter(part) for part in text.split(",") if part.strip()]


def _cpp_type(dtype):
    return TYPE_NAMES[CHARS[code_of(dtype)]]


class _TypeTable:
    """Binds placeholders to the dtypes of a call."""

    def __init__(self, name, parameters):
        self.name = name
        self.parameters = parameters
        self.bound = {}

    def bind(self, parameter, dtype):
        if parameter.dtype is None:
            known = self.bound.setdefault(parameter.type, np.dtype(dtype))
            if known != dtype:
                raise TypeError(
                    f"{self.name}: type {parameter.type} is {known} by one argument and {dtype} by "
                    f"'{parameter.name}'; they must be the same")

    def dtype_of(self, parameter):
        if parameter.dtype is not None:
            return parameter.dtype
        if parameter.type not in self.bound:
            raise TypeError(
                f"{self.name}: the type {parameter.type} of '{parameter.name}' follows from no "
                "argument; pass an output array or name a dtype in the declaration")
        return self.bound[parameter.type]


_HEAD = """#include "platform.hpp"
#include "half.hpp"
#include "bfloat16.hpp"
#include "complex.hpp"
#include "casts.hpp"
#include "math.hpp"
using namespace rocarray;
template <class T, int N>
struct Strided {
    typedef T value_type;
    char* data_;
    index_t n_items;
    index_t shape_[N];
    index_t strides_[N];
    DEVICE index_t size() const { return n_items; }
    DEVICE const index_t* shape() const { return shape_; }
    DEVICE const index_t* strides() const { return strides_; }
    DEVICE T& operator[](index_t i) const {
        index_t offset = 0;
        for (int k = N - 1; k > 0; --k) {
            offset += i % shape_[k] * strides_[k];
            i /= shape_[k];
        }
        return *reinterpret_cast<T*>(data_ + offset + i * strides_[0]);
    }
};
template <class T>
struct Strided<T, 0> {
    typedef T value_type;
    char* data_;
    index_t n_items;
    DEVICE index_t size() const { return n_items; }
    DEVICE T& operator[](index_t) const { return *reinterpret_cast<T*>(data_); }
};
template <class T>
struct Contiguous {
    typedef T value_type;
    T* data_;
    index_t n_items;
    DEVICE index_t size() const { return n_items; }
    DEVICE T& operator[](index_t i) const { return data_[i]; }
};
struct IndexSpace {
    index_t n_items;
    DEVICE index_t size() const { return n_items; }
};
"""


cdef tuple _describe(ndarray a, tuple shape):
    """(C++ type, packed bytes) of an array seen in `shape`."""
    cdef ndarray view = a
    name = _cpp_type(a.dtype)
    if a.shape != shape:
        view = methods.broadcast_to(a, shape)
    if view.c_contiguous:
        return f"Contiguous<{name}>", struct.pack("<QQ", <uintptr_t>view.data_, view.size)
    values = (<uintptr_t>view.data_, view.size, *view.shape, *view.strides)
    return (f"Strided<{name}, {view.ndim}>",
            struct.pack(f"<QQ{2 * view.ndim}q", *values))


cdef object _scalar_field(object value, object dtype):
    """(C++ type, packed bytes) of a host scalar, padded to 8 bytes."""
    data = np.asarray(value).astype(dtype).tobytes()
    name = _cpp_type(dtype)
    return name, data + b"\0" * (-len(data) % 8)


def _is_scalar(x):
    return isinstance(x, (bool, int, float, complex, np.generic)) or (
        isinstance(x, np.ndarray) and x.ndim == 0)


class _Field:
    """One member of the generated parameter struct."""

    def __init__(self, parameter, cpp_type, data, is_array):
        self.name = parameter.name
        self.raw = parameter.raw
        self.cpp_type = cpp_type
        self.data = data
        self.is_array = is_array

    @property
    def declaration(self):
        return f"    alignas(8) {self.cpp_type} {self.name};"


def _typedefs(types):
    return "".join(f"typedef {_cpp_type(dtype)} {name};\n" for name, dtype in types.items())


class _ModuleCache:
    """Compiled modules of one kernel object, by what its source depends on, and device."""

    def __init__(self):
        self.modules = {}
        self.lock = threading.Lock()

    def get(self, fields, types, make_source, name, options):
        """The module for these fields and types; `make_source()` writes it when it is new."""
        key = (current_device(), tuple([f.cpp_type for f in fields]), tuple(types.bound.items()))
        module = self.modules.get(key)
        if module is None:
            module = compile_module(make_source(), name=f"{name}.hip", options=tuple(options))
            with self.lock:
                self.modules[key] = module
        return module


class ElementwiseKernel:
    """An elementwise operation written as a line of C++.

    Parameters
    ----------
    in_params, out_params : str
        Declarations such as "T x, raw float32 y". `raw` arrays are not broadcast and are indexed
        by hand (`y[i]`), with `.size()`, `.shape()`, `.strides()`.
    operation : str
        C++ statements over the parameter names; `i` is the index, `_ind.size()` the length.
    name : str, optional
    preamble : str, optional
        C++ put in front of the kernel.
    loop_prep, after_loop : str, optional
        Statements before and after the loop of each work-item.
    options : sequence of str, optional
        Compiler options.
    return_tuple : bool, optional
        Return a tuple even for one output.

    Examples
    --------
    >>> import rocarray as rp
    >>> axpy = rp.ElementwiseKernel("T a, T x, T y", "T z", "z = a * x + y", "axpy")
    >>> axpy(2.0, rp.arange(3.0), rp.ones(3))
    array([1., 3., 5.])
    """

    def __init__(self, in_params, out_params, operation, name="kernel", reduce_dims=True,
                 preamble="", no_return=False, return_tuple=False, loop_prep="", after_loop="",
                 options=()):
        self.in_params = parse_parameters(in_params)
        self.out_params = parse_parameters(out_params)
        if not re.fullmatch(r"[A-Za-z_]\w*", name):
            raise ValueError(f"a kernel's name must be a C identifier, got {name!r}")
        self.operation, self.name, self.preamble = operation, name, preamble
        self.no_return, self.return_tuple = no_return, return_tuple
        self.loop_prep, self.after_loop, self.options = loop_prep, after_loop, options
        self._cache = _ModuleCache()

    @property
    def nin(self):
        return len(self.in_params)

    @property
    def nout(self):
        return len(self.out_params)

    @property
    def nargs(self):
        return self.nin + self.nout

    def __call__(self, *args, size=None, stream=None, block_size=None):
        if len(args) not in (self.nin, self.nargs):
            raise TypeError(
                f"{self.name}() takes {self.nin} inputs, or {self.nargs} with the outputs, but "
                f"{len(args)} arguments were given")
        if stream is not None:
            with stream:
                return self(*args, size=size, block_size=block_size)
        inputs = [x if _is_scalar(x) else as_device(x) for x in args[:self.nin]]
        outputs = list(args[self.nin:])
        for x in outputs:
            if not isinstance(x, ndarray):
                raise TypeError(f"{self.name}(): outputs must be rocarray.ndarray, got "
                                f"{type(x).__name__}")
        types = self._bind_types(inputs, outputs)
        shape = self._shape(inputs, outputs, size)
        if not outputs:
            outputs = [self._new_output(p, types, shape) for p in self.out_params]
        fields = self._fields(inputs, outputs, types, shape)
        n_items = int(np.prod(shape, dtype=np.int64))
        if n_items:
            self._launch(fields, types, n_items)
        if self.no_return:
            return None
        if len(outputs) == 1 and not self.return_tuple:
            return outputs[0]
        return tuple(outputs)

    def _new_output(self, parameter, types, shape):
        if parameter.raw:
            raise ValueError(f"{self.name}(): the raw output '{parameter.name}' must be passed")
        cdef Py_ssize_t dims[MAX_NDIM]
        ndim = parse_shape(shape, dims)
        return new_array(code_of(types.dtype_of(parameter)), ndim, dims)

    def _bind_types(self, inputs, outputs):
        types = _TypeTable(self.name, self.in_params + self.out_params)
        pairs = list(zip(self.in_params, inputs)) + list(zip(self.out_params, outputs))
        for parameter, x in pairs:
            if isinstance(x, (ndarray, np.generic, np.ndarray)):
                types.bind(parameter, x.dtype)
        # Python numbers take the type that arrays gave, else NumPy's default.
        for parameter, x in pairs:
            if _is_scalar(x) and parameter.dtype is None and parameter.type not in types.bound:
                types.bind(parameter, np.asarray(x).dtype)
        return types

    def _shape(self, inputs, outputs, size):
        shapes = [x.shape for p, x in zip(self.in_params + self.out_params, inputs + outputs)
                  if isinstance(x, ndarray) and not p.raw]
        if size is not None:
            if shapes:
                raise ValueError(f"{self.name}(): size= is for kernels whose arrays are all raw")
            return (size,) if isinstance(size, int) else tuple(size)
        if not shapes and all(p.raw for p, x in zip(self.in_params, inputs)
                              if isinstance(x, ndarray)) and any(
                isinstance(x, ndarray) for x in inputs + outputs):
            raise ValueError(f"{self.name}(): all arrays are raw, so the loop length is unknown; "
                             "pass size=")
        shape = np.broadcast_shapes(*shapes)
        for p, x in zip(self.out_params, outputs):
            if not p.raw and x.shape != shape:
                raise ValueError(f"{self.name}(): output '{p.name}' has shape {x.shape}; the "
                                 f"broadcast shape is {shape}")
        return shape

    def _fields(self, inputs, outputs, types, shape):
        fields = []
        for parameter, x in zip(self.in_params + self.out_params, inputs + outputs):
            dtype = types.dtype_of(parameter)
            if not isinstance(x, ndarray):
                fields.append(_Field(parameter, *_scalar_field(x, dtype), False))
                continue
            if x.dtype != dtype:
                if parameter in self.out_params:
                    raise TypeError(f"{self.name}(): output '{parameter.name}' must be {dtype}, "
                                    f"got {x.dtype}")
                if not np.can_cast(x.dtype, dtype, "same_kind"):
                    raise TypeError(f"{self.name}(): cannot cast '{parameter.name}' from "
                                    f"{x.dtype} to {dtype} according to the rule 'same_kind'")
                x = cast_array(x, code_of(dtype))
            use_operand(x)
            cpp_type, data = _describe(x, x.shape if parameter.raw else shape)
            field = _Field(parameter, cpp_type, data, True)
            field.array = x          # lives until the launch
            fields.append(field)
        return fields

    def _launch(self, fields, types, n_items):
        cdef LaunchShape shape = launch_shape(current_device())
        cdef Module module = self._cache.get(
            fields, types, functools.partial(self._source, fields, types), self.name, self.options)
        cdef Kernel kernel = module.find(self.name)
        chunk = max(shape.min_chunk, -(-n_items // shape.max_blocks))
        data = struct.pack("<QQ", n_items, chunk) + b"".join([f.data for f in fields])
        cdef const char* buffer = data
        launch(kernel, -(-n_items // chunk), shape.block, <void*>buffer, len(data))

    def _source(self, fields, types):
        members = "\n".join(f.declaration for f in fields)
        outputs = {p.name for p in self.out_params}
        body = []
        for f in fields:
            if f.is_array and not f.raw:
                const = "" if f.name in outputs else "const "
                body.append(f"        {const}{f.cpp_type}::value_type& {f.name} = _p.{f.name}[i];")
        hoisted = [f"    const auto {f.name} = _p.{f.name};" for f in fields
                   if not f.is_array or f.raw]
        return f"""{_HEAD}{_typedefs(types.bound)}{self.preamble}
struct Parameters {{
    index_t n_items;
    index_t chunk;
{members}
}};
extern "C" __global__ void {self.name}(Parameters _p) {{
    const IndexSpace _ind = {{_p.n_items}};
    const index_t n = _p.n_items;
    const index_t _begin = block_index() * _p.chunk;
    const index_t _end = _begin + _p.chunk < n ? _begin + _p.chunk : n;
{chr(10).join(hoisted)}
    {self.loop_prep};
    for (index_t i = _begin + thread_index(); i < _end; i += block_size()) {{
{chr(10).join(body)}
#line 1 "{self.name}"
        {self.operation};
    }}
    {self.after_loop};
}}
"""


class ReductionKernel:
    """A map, a reduction and a final map, written as C++ expressions.

    Parameters
    ----------
    in_params, out_params : str
        As of `ElementwiseKernel`.
    map_expr : str
        An expression over the inputs.
    reduce_expr : str
        An expression over `a` and `b`, which combines two partial results.
    post_map_expr : str
        A statement that sets the output from `a`, the reduced value.
    identity : str or number
        The reduction's start value.
    name : str, optional
    reduce_type : str, optional
        C++ type of partial results; by default the output's.

    Examples
    --------
    >>> import rocarray as rp
    >>> norm = rp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "norm")
    >>> norm(rp.asarray([3.0, 4.0]))
    array(5.)
    """

    def __init__(self, in_params, out_params, map_expr, reduce_expr, post_map_expr, identity,
                 name="reduce_kernel", reduce_type=None, reduce_dims=True, preamble="",
                 options=()):
        self.in_params = parse_parameters(in_params)
        self.out_params = parse_parameters(out_params)
        if len(self.out_params) != 1:
            raise ValueError(f"{name}: a reduction has one output, got {out_params!r}")
        self.map_expr, self.reduce_expr = map_expr, reduce_expr
        self.post_map_expr, self.identity = post_map_expr, identity
        self.name, self.preamble, self.options = name, preamble, options
        self.reduce_type = reduce_type
        self._elementwise = ElementwiseKernel(in_params, out_params, map_expr, name)
        self._cache = _ModuleCache()

    def __call__(self, *args, axis=None, out=None, keepdims=False, stream=None):
        if len(args) != len(self.in_params):
            raise TypeError(f"{self.name}() takes {len(self.in_params)} inputs, got {len(args)}")
        if stream is not None:
            with stream:
                return self(*args, axis=axis, out=out, keepdims=keepdims)
        inputs = [x if _is_scalar(x) else as_device(x) for x in args]
        types = self._elementwise._bind_types(inputs, [] if out is None else [out])
        shape = self._elementwise._shape(inputs, [], None)
        axes = tuple(range(len(shape))) if axis is None else (
            axis if isinstance(axis, tuple) else (axis,))
        axes = np.lib.array_utils.normalize_axis_tuple(axes, len(shape))
        kept = [k for k in range(len(shape)) if k not in axes]
        order = kept + list(axes)
        result_shape = tuple([shape[k] for k in kept])
        # The reduced axes go last, so that each output's items have consecutive numbers.
        views = [x if not isinstance(x, ndarray) or p.raw else
                 methods.broadcast_to(x, shape).transpose(order)
                 for p, x in zip(self.in_params, inputs)]
        dtype = types.dtype_of(self.out_params[0])
        result = methods.empty(result_shape, dtype)
        self._launch(views, result, types, tuple([shape[k] for k in order]),
                     int(np.prod([shape[k] for k in axes], dtype=np.int64)))
        if keepdims:
            result = result.reshape([1 if k in axes else shape[k] for k in range(len(shape))])
        if out is not None:
            methods.assign(out, result)
            return out
        return result

    def _launch(self, views, result, types, shape, n_reduced):
        fields = []
        keep = []
        for parameter, x in zip(self.in_params, views):
            dtype = types.dtype_of(parameter)
            if not isinstance(x, ndarray):
                fields.append(_Field(parameter, *_scalar_field(x, dtype), False))
                continue
            if x.dtype != dtype:
                x = cast_array(x, code_of(dtype))
            use_operand(x)
            keep.append(x)
            fields.append(_Field(parameter, *_describe(x, x.shape if parameter.raw else shape),
                                 True))
        if result.size == 0:
            return
        # Each output is reduced in two steps when there are few: pieces, then the pieces.
        cdef LaunchShape plan = launch_shape(current_device())
        pieces = 1
        if result.size < plan.max_blocks:
            pieces = max(1, min(plan.max_blocks * plan.block // result.size,
                                n_reduced // 256))
        accumulator = self.reduce_type or _cpp_type(result.dtype)
        make_source = functools.partial(self._source, fields, types, accumulator)
        module = self._cache.get(fields, types, make_source, self.name, self.options)
        scratch = methods.empty(result.size * pieces * 16, np.uint8)
        work = struct.pack("<QQQQQ", result.size, n_reduced, pieces, scratch.data.ptr,
                           result.data.ptr) + b"".join([f.data for f in fields])
        self._run(module, self.name + "_map", work, result.size * pieces)
        self._run(module, self.name + "_finish", work, result.size)

    def _run(self, Module module, kernel_name, data, n_items):
        cdef LaunchShape shape = launch_shape(current_device())
        cdef const char* buffer = data
        cdef Kernel kernel = module.find(kernel_name)
        # One work-item a piece; blocks stride over what is left.
        blocks = min(-(-n_items // shape.block), 1 << 20)
        launch(kernel, blocks, shape.block, <void*>buffer, len(data))

    def _source(self, fields, types, accumulator):
        members = "\n".join(f.declaration for f in fields)
        loads = "\n".join(
            f"            const {f.cpp_type}::value_type& {f.name} = _p.{f.name}[_at];"
            for f in fields if f.is_array and not f.raw)
        hoisted = "\n".join(f"    const auto {f.name} = _p.{f.name};" for f in fields
                            if not f.is_array or f.raw)
        out = self.out_params[0]
        out_type = _cpp_type(types.dtype_of(out))
        return f"""{_HEAD}{_typedefs({**types.bound})}
typedef {accumulator} type_reduce_;
typedef {out_type} type_out_;
{self.preamble}
struct Parameters {{
    index_t n_outputs;
    index_t n_reduced;
    index_t pieces;
    type_reduce_* partials;
    type_out_* result;
{members}
}};
DEVICE type_reduce_ reduce_(const type_reduce_& a, const type_reduce_& b) {{
    return static_cast<type_reduce_>({self.reduce_expr});
}}
extern "C" __global__ void {self.name}_map(Parameters _p) {{
{hoisted}
    const index_t _total = _p.n_outputs * _p.pieces;
    for (index_t _w = block_index() * block_size() + thread_index(); _w < _total;
         _w += block_size() * grid_size()) {{
        const index_t _output = _w % _p.n_outputs;
        const index_t _piece = _w / _p.n_outputs;
        type_reduce_ _sum = static_cast<type_reduce_>({self.identity});
        for (index_t _j = _piece; _j < _p.n_reduced; _j += _p.pieces) {{
            const index_t _at = _output * _p.n_reduced + _j;
            const index_t i = _at;
            (void)i;
{loads}
            _sum = reduce_(_sum, static_cast<type_reduce_>({self.map_expr}));
        }}
        _p.partials[_w] = _sum;
    }}
}}
extern "C" __global__ void {self.name}_finish(Parameters _p) {{
    for (index_t i = block_index() * block_size() + thread_index(); i < _p.n_outputs;
         i += block_size() * grid_size()) {{
        type_reduce_ a = _p.partials[i];
        for (index_t _k = 1; _k < _p.pieces; ++_k) {{
            a = reduce_(a, _p.partials[i + _k * _p.n_outputs]);
        }}
        type_out_& {out.name} = _p.result[i];
        {self.post_map_expr};
    }}
}}
"""
