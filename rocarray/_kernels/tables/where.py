"""where(condition, x, y), which also is how masked assignment writes."""

from rocarray._kernels.programs import TYPE_NAMES, Program
from rocarray._kernels.tables.ufuncs import instantiation


def programs():
    """One program with a kernel per element type."""
    lines = [instantiation("where", "Where", f"?{c}{c}", c) for c in TYPE_NAMES]
    yield Program("where/where", ("elementwise.hpp", "functors/comparison.hpp"), dict(lines))
