"""Matrix products of every element type."""

from rocarray._kernels.programs import TYPE_NAMES, Program, identifier
from rocarray._kernels.tables.ufuncs import cpp_type


def programs():
    """matmul/matmul, one kernel per type."""
    yield Program(
        "matmul/matmul",
        ("matmul.hpp",),
        {
            f"matmul__{identifier(c)}": f"ROCARRAY_MATMUL(matmul__{identifier(c)}, {cpp_type(c)})"
            for c in TYPE_NAMES
        },
    )
