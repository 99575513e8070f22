"""Copies that transpose: one kernel an item size."""

from rocarray._kernels.programs import Program

# Bytes of an item -> (its type in device code, tile edge). Small items need longer rows.
SIZES = {
    1: ("uint8_t", 64),
    2: ("uint16_t", 64),
    4: ("uint32_t", 32),
    8: ("uint64_t", 32),
    16: ("complex<double>", 32),
}


def programs():
    """One program."""
    lines = {
        f"transpose_{size}": f"ROCARRAY_TRANSPOSE(transpose_{size}, {name}, {tile})"
        for size, (name, tile) in SIZES.items()
    }
    yield Program("transpose/transpose", ("transpose.hpp",), lines)
