"""Conversion between any two element types: one program per source type."""

from rocarray._kernels.programs import TYPE_NAMES, Program, identifier
from rocarray._kernels.tables.ufuncs import cpp_type, instantiation


def programs():
    """cast/<source>, with a kernel per target type."""
    for source in TYPE_NAMES:
        lines = [
            instantiation("cast", f"Cast<{cpp_type(target)}>", source, target)
            for target in TYPE_NAMES
        ]
        yield Program(
            f"cast/{identifier(source)}",
            ("elementwise.hpp", "functors/conversion.hpp"),
            dict(lines),
        )
