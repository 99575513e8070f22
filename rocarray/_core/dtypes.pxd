"""Type codes: a small integer per element type, the index of every table in the core."""

cdef enum TypeCode:
    BOOL = 0
    INT8
    UINT8
    INT16
    UINT16
    INT32
    UINT32
    INT64
    UINT64
    FLOAT16
    FLOAT32
    FLOAT64
    COMPLEX64
    COMPLEX128
    BFLOAT16
    N_TYPES
    # Python scalars are weakly typed in promotion (NEP 50); they index the same tables.
    WEAK_INT = N_TYPES
    WEAK_FLOAT
    WEAK_COMPLEX
    N_OPERAND_TYPES

cdef Py_ssize_t[15] ITEM_SIZES
cdef list DTYPES          # type code -> numpy.dtype (None where the machine lacks it)
cdef list CHARS           # type code -> the character that kernel names use

cdef int code_of(object dtype) except -1
cdef int code_or_none(object dtype) except -2
cdef bint is_float_code(int code) noexcept
cdef bint is_complex_code(int code) noexcept
cdef bint is_integer_code(int code) noexcept
cdef int pack_scalar(object value, int code, void* destination) except -1
