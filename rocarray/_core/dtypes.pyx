"""Element types: the mapping between NumPy's dtypes and the core's type codes."""

import numpy as np

cimport numpy as cnp
from libc.stdint cimport int64_t
from libc.string cimport memcpy

cnp.import_array()

try:
    import ml_dtypes
    _bfloat16 = np.dtype(ml_dtypes.bfloat16)
except ImportError:
    _bfloat16 = None

cdef list DTYPES = [np.dtype(name) for name in (
    "bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64",
    "float16", "float32", "float64", "complex64", "complex128")] + [_bfloat16]
cdef list CHARS = list("?bBhHiIlLefdFDE")

cdef int _code_of_type_num[32]
cdef int _i
for _i in range(32):
    _code_of_type_num[_i] = -1
for _i in range(14):
    _code_of_type_num[(<cnp.dtype>DTYPES[_i]).type_num] = _i
    ITEM_SIZES[_i] = DTYPES[_i].itemsize
ITEM_SIZES[<int>BFLOAT16] = 2
# C has two 64-bit integer types; both are one type here.
_code_of_type_num[<int>cnp.NPY_LONGLONG] = INT64
_code_of_type_num[<int>cnp.NPY_ULONGLONG] = UINT64

cdef int _bfloat16_num = -1 if _bfloat16 is None else (<cnp.dtype>_bfloat16).type_num


cdef int code_or_none(object dtype) except -2:
    """The code of a numpy.dtype, or -1 where arrays of it do not exist here."""
    cdef int num
    if not isinstance(dtype, np.dtype):
        dtype = np.dtype(dtype)
    num = (<cnp.dtype>dtype).type_num
    if 0 <= num < 32:
        return _code_of_type_num[num]
    return BFLOAT16 if num == _bfloat16_num else -1


cdef int code_of(object dtype) except -1:
    """The code of a dtype or of what numpy.dtype() accepts; TypeError for the unsupported."""
    cdef int code = code_or_none(dtype)
    if code < 0:
        raise TypeError(
            f"dtype {np.dtype(dtype)!s} is not supported; device arrays hold bool, integers of "
            "8 to 64 bits, float16/32/64, complex64/128 and bfloat16. Convert with "
            "numpy.ndarray.astype first, or keep this data in NumPy.")
    return code


cdef bint is_float_code(int code) noexcept:
    return FLOAT16 <= code <= FLOAT64 or code == BFLOAT16


cdef bint is_complex_code(int code) noexcept:
    return code == COMPLEX64 or code == COMPLEX128


cdef bint is_integer_code(int code) noexcept:
    return INT8 <= code <= UINT64


cdef int pack_scalar(object value, int code, void* destination) except -1:
    """Writes a host scalar as one element of type `code`, with NumPy's conversion and errors."""
    cdef double as_double
    cdef float as_float
    cdef int64_t as_long
    cdef cnp.ndarray element
    if type(value) is float:
        if code == FLOAT64:
            as_double = value
            memcpy(destination, &as_double, 8)
            return 0
        if code == FLOAT32:
            as_double = value
            as_float = <float>as_double
            if as_float - as_float == 0 or as_double - as_double != 0:
                memcpy(destination, &as_float, 4)
                return 0
    elif type(value) is int:
        if code == INT64 and -(1 << 62) < value < (1 << 62):
            as_long = value
            memcpy(destination, &as_long, 8)
            return 0
        if code == FLOAT64 and -(1 << 52) < value < (1 << 52):
            as_double = value
            memcpy(destination, &as_double, 8)
            return 0
    if isinstance(value, (bool, int, float, complex)):
        if isinstance(value, complex) and not is_complex_code(code):
            value = value.real
        # Weak Python scalars: out-of-range integers raise OverflowError here.
        element = np.array(value, DTYPES[code])
    else:
        element = np.asarray(value).astype(DTYPES[code], casting="unsafe")
    memcpy(destination, cnp.PyArray_DATA(element), ITEM_SIZES[code])
    return 0


def supported_dtypes():
    """The element types that device arrays can hold on this machine.

    Returns
    -------
    list of numpy.dtype
    """
    return [dtype for dtype in DTYPES if dtype is not None]


def type_code(dtype):
    """The core's code of `dtype` (used by tables and tests)."""
    return code_of(dtype)


def type_char(int code):
    """The character that kernel names use for a type code."""
    return CHARS[code]
