"""The array core. Importing it connects the classes to the functions that their methods call."""

from rocarray._core import (
    application,
    bits,
    calculus,
    contraction,
    conversion,
    creation,
    device,
    elementary,
    files,
    fusion,
    histograms,
    indexing,
    interop,
    manipulation,
    methods,
    ndarray,
    polynomials,
    printing,
    products,
    reduction,
    scan,
    sorting,
    statistics,
    stream,
    ufunc_at,
    ufuncs,
    windows,
)
from rocarray._core.operators import OPERATORS

_METHOD_MODULES = (
    application,
    bits,
    calculus,
    contraction,
    conversion,
    creation,
    device,
    elementary,
    fusion,
    files,
    histograms,
    indexing,
    interop,
    manipulation,
    polynomials,
    printing,
    products,
    reduction,
    scan,
    sorting,
    statistics,
    stream,
    ufunc_at,
    windows,
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
