"""Ordered folds: reduce, accumulate and reduceat of every binary ufunc.

Only the common ones are listed; the others are compiled when they are first used.
"""

from rocarray._kernels.programs import Program, identifier
from rocarray._kernels.tables.ufuncs import UFUNCS, cpp_type

_PACKED = {"subtract": "fd", "divide": "fd", "add": "lfd"}
_KINDS = ("_reduceat", "_reduce", "_accumulate")


def _line(row, char):
    stem = f"fold_{row.name}__{identifier(char)}"
    return stem, f"ROCARRAY_FOLD({stem}, rocarray::{row.functor}, {cpp_type(char)})"


def _on_demand(row):
    def instantiation(kernel):
        for kind in _KINDS:
            if kernel.endswith(kind):
                char = kernel.removesuffix(kind)[-1].replace("p", "?")
                return _line(row, char)
        return None

    return instantiation


def programs():
    """The programs of this family: one a binary ufunc."""
    for row in UFUNCS:
        if row.nin == 2 and row.nout == 1:
            yield Program(
                f"fold/{row.name}",
                ("fold.hpp", f"functors/{row.header}.hpp"),
                dict(_line(row, char) for char in _PACKED.get(row.name, "")),
                on_demand=_on_demand(row),
            )
