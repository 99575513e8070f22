"""Sorting and binary search, per element type."""

from rocarray._kernels.programs import TYPE_NAMES, Program, identifier
from rocarray._kernels.tables.ufuncs import cpp_type


def programs():
    """sort/merge and sort/search."""
    yield Program(
        "sort/merge",
        ("sort.hpp",),
        {
            f"sort__{identifier(c)}": f"ROCARRAY_SORT(sort__{identifier(c)}, {cpp_type(c)})"
            for c in TYPE_NAMES
        },
    )
    lines = {}
    for side, functor in (("left", "SearchLeft"), ("right", "SearchRight")):
        for c in TYPE_NAMES:
            name = f"search_{side}__{identifier(c)}Ll_l"
            lines[name] = (
                f"ROCARRAY_ELEMENTWISE({name}, rocarray::{functor}<{cpp_type(c)}>, 3, 1, "
                f"{cpp_type(c)}, uint64_t, int64_t, int64_t)"
            )
    yield Program("sort/search", ("elementwise.hpp", "sort.hpp"), lines)
