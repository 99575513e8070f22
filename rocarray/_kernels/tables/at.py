"""ufunc.at: repeated in-place application at index arrays.

Only the common ones are listed; the others are compiled when they are first used.
"""

from rocarray._kernels.programs import Program, identifier
from rocarray._kernels.tables.ufuncs import UFUNCS, cpp_type, functor_of

_PACKED = {"add": "ilfd", "subtract": "fd", "multiply": "fd", "maximum": "lfd", "minimum": "lfd"}
_IN_ORDER = ("_owned", "_segments")

# Sizes (bytes) of what the device's compare-and-swap takes.
ATOMIC_SIZES = (4, 8)


def stem_of(ufunc, target, ins):
    """The kernels' common name: a ufunc's loop of types `ins` on a target of type `target`."""
    return f"at_{ufunc}__{identifier(target)}_{identifier(ins)}"


def _in_order(row, target, ins):
    stem = stem_of(row.name, target, ins)
    types = ", ".join([cpp_type(target), *map(cpp_type, ins)] + ["void"] * (2 - len(ins)))
    return stem, f"ROCARRAY_AT({stem}, {functor_of(row, ins[0])}, {types})"


def _atomic(row, char):
    stem = stem_of(row.name, char, char * 2)
    return (
        stem + "_atomic",
        f"ROCARRAY_AT_ATOMIC({stem}, {functor_of(row, char)}, {cpp_type(char)})",
    )


def _on_demand(row):
    def instantiation(kernel):
        name, _, kind = kernel.rpartition("_")
        target, ins = (part.replace("p", "?") for part in name.rpartition("__")[2].split("_"))
        return _atomic(row, target) if kind == "atomic" else _in_order(row, target, ins)

    return instantiation


def programs():
    """One program a ufunc with one output."""
    for row in UFUNCS:
        if row.nout == 1:
            chars = _PACKED.get(row.name, "")
            lines = dict(_in_order(row, c, c * 2) for c in chars)
            lines.update(_atomic(row, c) for c in chars)
            yield Program(
                f"at/{row.name}",
                ("at.hpp", f"functors/{row.header}.hpp"),
                lines,
                on_demand=_on_demand(row),
            )
