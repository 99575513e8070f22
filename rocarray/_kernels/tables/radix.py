"""Radix sort on GPUs, per element type."""

from rocarray._kernels.programs import Program, identifier
from rocarray._kernels.tables.ufuncs import cpp_type

TYPES = "?bBhHiIlLefdE"


def programs():
    """radix/sort; nothing where a work-item is alone."""
    yield Program(
        "radix/sort",
        ("radix.hpp",),
        {
            f"radix__{identifier(c)}": f"ROCARRAY_RADIX(radix__{identifier(c)}, {cpp_type(c)})"
            for c in TYPES
        },
    )
