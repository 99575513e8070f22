"""Scans: one row an operation, with the functors of the reductions."""

from dataclasses import dataclass

from rocarray._kernels.programs import Program, identifier
from rocarray._kernels.tables.ufuncs import cpp_type


@dataclass(frozen=True)
class Scan:
    """One scan; the fields mean what they mean in `reductions.Reduction`."""

    name: str
    functor: str
    loops: tuple[str, ...]
    accumulator: str
    aliases: dict[str, str]


_BITS = {"?": "B", "b": "B", "h": "H", "i": "I", "l": "L"}
_FLOATS = "efdFDE"
_WIDENED = ("bl", "BL", "hl", "HL", "il", "IL", "ll")
# Sums and products of 64-bit integers are the same with and without a sign.
_SIGNLESS = {"?": "B", "L": "l"}


def _same(chars):
    return tuple(c + c for c in chars)


SCANS = (
    Scan("sum", "Sum", (*_WIDENED, *_same(_FLOATS)), "out", _SIGNLESS),
    Scan("prod", "Prod", (*_WIDENED, *_same(_FLOATS)), "out", _SIGNLESS),
    Scan("nansum", "NanSum", _same("efdFD"), "out", {}),
    Scan("nanprod", "NanProd", _same("efdFD"), "out", {}),
    Scan("max", "Max", _same("bBhHiIlLefdFDE"), "in", {"?": "B"}),
    Scan("min", "Min", _same("bBhHiIlLefdFDE"), "in", {"?": "B"}),
    Scan("bitwise_and", "BitAnd", _same("BHIL"), "in", _BITS),
    Scan("bitwise_or", "BitOr", _same("BHIL"), "in", _BITS),
    Scan("bitwise_xor", "BitXor", _same("BHIL"), "in", _BITS),
)


def programs():
    """The programs of this family."""
    for row in SCANS:
        lines = {}
        for source, result in row.loops:
            stem = f"scan_{row.name}__{identifier(source)}_{identifier(result)}"
            lines[stem] = (
                f"ROCARRAY_SCAN({stem}, {row.functor}, {cpp_type(source)}, {cpp_type(result)})"
            )
        yield Program(f"scan/{row.name}", ("scan.hpp",), lines)
