"""Protocols between libraries: __cuda_array_interface__, __array_ufunc__, __array_function__."""

import numpy as np

from rocarray._core import methods
from rocarray._core.conversion import asarray
from rocarray._core.dlpack import dlpack_device, from_dlpack, to_dlpack
from rocarray._core.external import cuda_array_interface, from_cuda_array_interface

__all__ = [
    "array_function",
    "array_ufunc",
    "cuda_array_interface",
    "dlpack_device",
    "from_cuda_array_interface",
    "from_dlpack",
    "to_dlpack",
]


def array_ufunc(numpy_ufunc, method, inputs, kwargs):
    """numpy.add(x, y) with a device array among the operands runs rocarray.add."""
    from rocarray._core import ufuncs

    own = getattr(ufuncs, numpy_ufunc.__name__, None)
    if own is None and numpy_ufunc.__name__ == "matmul" and method == "__call__":
        return methods.matmul(*inputs, **kwargs)
    if own is None:
        return NotImplemented
    out = kwargs.get("out")
    if out is not None and any(isinstance(x, np.ndarray) for x in out):
        raise TypeError(
            f"numpy.{numpy_ufunc.__name__}(): out is a numpy.ndarray but an operand is on the "
            "device; results stay on the device. Use rocarray.asnumpy(x) on the operand, or a "
            "device array as out."
        )
    if out is not None and len(out) == 1:
        kwargs["out"] = out[0]
    function = own if method == "__call__" else getattr(own, method)
    return function(*inputs, **kwargs)


def array_function(function, types, args, kwargs):
    """numpy.concatenate([x, y]) with device arrays runs rocarray.concatenate."""
    import rocarray._core.namespace as namespace

    own = namespace.find(function)
    if own is None:
        return NotImplemented
    return own(*args, **kwargs)


def array_namespace(api_version=None):
    """The module that implements the array API standard for our arrays."""
    if api_version not in (None, "2021.12", "2022.12", "2023.12", "2024.12", "2025.12"):
        raise ValueError(f"array API version {api_version!r} is not supported; 2024.12 is")
    import sys

    return sys.modules["rocarray"]


def get_array_module(*args):
    """rocarray where an argument is a device array, else numpy."""
    if any(type(a).__module__.startswith("rocarray") for a in args):
        return array_namespace()
    return np


def asarray_chkfinite(a, dtype=None, order=None):
    """`asarray` that refuses NaN and infinity."""
    a = asarray(a, dtype, order)
    if a.dtype.kind in "fc" and not bool(methods.all(methods.isfinite(a))):
        raise ValueError("array must not contain infs or NaNs")
    return a
