"""Reductions: one row an operation."""

from dataclasses import dataclass

from rocarray._kernels.programs import Program, identifier
from rocarray._kernels.tables.ufuncs import cpp_type


@dataclass(frozen=True)
class Reduction:
    """One reduction.

    `loops` are pairs of type characters (input, result). Types of the same representation share
    loops: `aliases` maps a character to the one whose loop reads it ('?' is read as 'B').
    `accumulator` says what a partial result is, in terms of the functor: the 'out' or 'in' type
    (float32 for 16-bit floats), a 'byte', a 'count', or a value 'found' at an index.
    """

    name: str
    functor: str
    loops: tuple[str, ...]
    accumulator: str
    aliases: dict[str, str]


_BOOL = {"?": "B"}
_BITS = {"?": "B", "b": "B", "h": "H", "i": "I", "l": "L"}
_FLOATS = "efdFDE"
_ALL = "bBhHiIlL" + _FLOATS
_TESTED = "BHIL" + _FLOATS
_WIDENED = ("bl", "BL", "hl", "HL", "il", "IL", "ll", "LL")


def _same(chars):
    return tuple(c + c for c in chars)


def _to(chars, result):
    return tuple(c + result for c in chars)


REDUCTIONS = (
    # Sums in float64 of integers, and in float32 of 16-bit floats, are for means and variances.
    Reduction(
        "sum",
        "Sum",
        (*_WIDENED, *_same(_FLOATS), *_to("bBhHiIlL", "d"), "ef", "Ef", "fd"),
        "out",
        _BOOL,
    ),
    Reduction("prod", "Prod", (*_WIDENED, *_same(_FLOATS)), "out", _BOOL),
    Reduction("nansum", "NanSum", _same(_FLOATS), "out", {}),
    Reduction("nanprod", "NanProd", _same(_FLOATS), "out", {}),
    Reduction("max", "Max", _same(_ALL), "in", _BOOL),
    Reduction("min", "Min", _same(_ALL), "in", _BOOL),
    Reduction("fmax", "Fmax", _same(_FLOATS), "in", {}),
    Reduction("fmin", "Fmin", _same(_FLOATS), "in", {}),
    Reduction("argmax", "ArgMax", _to(_ALL, "l"), "found", _BOOL),
    Reduction("argmin", "ArgMin", _to(_ALL, "l"), "found", _BOOL),
    Reduction("any", "Any", _to(_TESTED, "?"), "byte", _BITS),
    Reduction("all", "All", _to(_TESTED, "?"), "byte", _BITS),
    Reduction("logical_xor", "LogicalXor", _to(_TESTED, "?"), "byte", _BITS),
    Reduction("count_nonzero", "CountNonzero", _to(_TESTED, "l"), "count", _BITS),
    Reduction("bitwise_and", "BitAnd", _same("BHIL"), "in", _BITS),
    Reduction("bitwise_or", "BitOr", _same("BHIL"), "in", _BITS),
    Reduction("bitwise_xor", "BitXor", _same("BHIL"), "in", _BITS),
    Reduction(
        "squared_deviation", "SquaredDeviation", ("ee", "ff", "dd", "Ff", "Dd", "EE"), "out", {}
    ),
)


def programs():
    """The programs of this family."""
    for row in REDUCTIONS:
        lines = {}
        for source, result in row.loops:
            stem = f"{row.name}__{identifier(source)}_{identifier(result)}"
            lines[stem] = (
                f"ROCARRAY_REDUCE({stem}, {row.functor}, {cpp_type(source)}, {cpp_type(result)})"
            )
        yield Program(f"reduce/{row.name}", ("reduce.hpp",), lines)
