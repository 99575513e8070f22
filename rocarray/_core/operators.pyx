"""What the array's operators call, in the order of the numbers in ndarray.pyx."""

from rocarray._core.ndarray cimport BinaryOperator, ndarray

from rocarray._core import methods, ufuncs


cdef class MethodOperator(BinaryOperator):
    """An operator that calls a function bound by name, such as `@` and matmul."""
    cdef str name

    def __init__(self, name):
        self.name = name

    cdef object call2(self, object a, object b):
        return getattr(methods, self.name)(a, b)

    cdef object call2_into(self, object a, object b, ndarray out):
        result = getattr(methods, self.name)(a, b)
        methods.assign(out, result)
        return out


OPERATORS = [
    ufuncs.add, ufuncs.subtract, ufuncs.multiply, ufuncs.divide, ufuncs.floor_divide,
    ufuncs.remainder, ufuncs.power, ufuncs.left_shift, ufuncs.right_shift, ufuncs.bitwise_and,
    ufuncs.bitwise_or, ufuncs.bitwise_xor, ufuncs.less, ufuncs.less_equal, ufuncs.equal,
    ufuncs.not_equal, ufuncs.greater, ufuncs.greater_equal, MethodOperator("matmul"),
    ufuncs.divmod,
]
