"""Radix sort, per element type: of workgroups, and of work-items that are alone."""

from rocarray._kernels.programs import Program, identifier
from rocarray._kernels.tables.ufuncs import cpp_type

TYPES = "?bBhHiIlLefdE"


def programs():
    """radix/sort, empty where work-items are alone, and radix/chunks, empty elsewhere."""
    yield Program(
        "radix/sort",
        ("radix.hpp",),
        {
            f"radix__{identifier(c)}": f"ROCARRAY_RADIX(radix__{identifier(c)}, {cpp_type(c)})"
            for c in TYPES
        },
    )
    yield Program(
        "radix/chunks",
        ("radix_chunks.hpp",),
        {
            f"radix_chunks__{identifier(c)}": "ROCARRAY_RADIX_CHUNKS("
            f"radix_chunks__{identifier(c)}, {cpp_type(c)})"
            for c in TYPES
        },
    )
