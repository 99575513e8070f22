"""rocarray: a NumPy-compatible array library for AMD GPUs.

`import rocarray as rp` in place of `import numpy as np`; the program runs through ROCm's C API, on
the GPU where there is one and on the CPU where there is none.
"""

from numpy import (  # noqa: F401  (types and constants are NumPy's own)
    bool_,
    complex64,
    complex128,
    double,
    dtype,
    e,
    euler_gamma,
    float16,
    float32,
    float64,
    inf,
    int8,
    int16,
    int32,
    int64,
    nan,
    newaxis,
    pi,
    single,
    uint8,
    uint16,
    uint32,
    uint64,
)

from numpy import (  # noqa: F401
    can_cast,
    errstate,
    finfo,
    get_printoptions,
    iinfo,
    isdtype,
    issubdtype,
    min_scalar_type,
    printoptions,
    promote_types,
    set_printoptions,
)

from rocarray import _core, hip, testing
from rocarray._core.conversion import array, asarray, asnumpy, astype, copy, copyto
from rocarray._core.creation import (
    arange,
    asanyarray,
    ascontiguousarray,
    asfortranarray,
    empty,
    empty_like,
    eye,
    frombuffer,
    fromfunction,
    fromiter,
    full,
    full_like,
    geomspace,
    identity,
    indices,
    linspace,
    logspace,
    meshgrid,
    ones,
    ones_like,
    tri,
    tril,
    triu,
    vander,
    zeros,
    zeros_like,
)
from rocarray._core.dlpack import from_dlpack
from rocarray._core.elementary import (
    allclose,
    angle,
    around,
    array_equal,
    array_equiv,
    clip,
    fix,
    imag,
    iscomplex,
    iscomplexobj,
    isclose,
    isneginf,
    isposinf,
    isreal,
    isrealobj,
    isscalar,
    nan_to_num,
    real,
    real_if_close,
    round,
    sinc,
    sort_complex,
    unwrap,
)
from rocarray._core.interop import asarray_chkfinite, get_array_module
from rocarray._core.manipulation import (
    append,
    array_split,
    atleast_1d,
    atleast_2d,
    atleast_3d,
    block,
    broadcast_arrays,
    broadcast_shapes,
    broadcast_to,
    column_stack,
    concat,
    concatenate,
    delete,
    dsplit,
    dstack,
    expand_dims,
    flip,
    fliplr,
    flipud,
    hsplit,
    hstack,
    insert,
    matrix_transpose,
    moveaxis,
    ndim,
    pad,
    permute_dims,
    ravel,
    repeat,
    require,
    reshape,
    resize,
    roll,
    rollaxis,
    rot90,
    shape,
    size,
    split,
    squeeze,
    stack,
    swapaxes,
    tile,
    transpose,
    trim_zeros,
    unstack,
    vsplit,
    vstack,
)
from rocarray._core.memory import (
    get_default_memory_pool,
    get_default_pinned_memory_pool,
)
from rocarray._core.ndarray import ndarray
from rocarray._core.printing import (
    array2string,
    array_repr,
    array_str,
    format_float_positional,
    format_float_scientific,
)
from rocarray._core.ufunc import ufunc
from rocarray._core.ufuncs import *  # noqa: F403  (one name per row of the table)
from rocarray._core.user_kernels import ElementwiseKernel, ReductionKernel
from rocarray._show_config import show_config
from rocarray.hip import RawKernel, RawModule

bool = bool_
__version__ = "0.1.0"
__array_api_version__ = "2024.12"
