"""The array core. Importing it connects the classes to the functions that their methods call."""

from rocarray._core import (
    conversion,
    creation,
    device,
    elementary,
    fusion,
    indexing,
    interop,
    manipulation,
    methods,
    ndarray,
    printing,
    products,
    reduction,
    scan,
    sorting,
    statistics,
    stream,
    ufunc_at,
    ufuncs,
)
from rocarray._core.operators import OPERATORS

_METHOD_MODULES = (
    conversion,
    creation,
    device,
    elementary,
    fusion,
    indexing,
    interop,
    manipulation,
    printing,
    products,
    reduction,
    scan,
    sorting,
    statistics,
    stream,
    ufunc_at,
)

for _module in _METHOD_MODULES:
    methods.bind(
        **{
            name: value
            for name, value in vars(_module).items()
            if callable(value) and getattr(value, "__module__", None) == _module.__name__
        }
    )
methods.bind(
    current_stream_object=stream.get_current_stream,
    cuda_array_interface=interop.cuda_array_interface,
    dlpack_device=interop.dlpack_device,
    from_cuda_array_interface=interop.from_cuda_array_interface,
    to_dlpack=interop.to_dlpack,
    abs=ufuncs.absolute,
)
ndarray.bind_methods(methods, OPERATORS)
