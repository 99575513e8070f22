"""The universal functions by name, one object per row of the ufunc table."""

from rocarray._core import methods
from rocarray._core.ufunc import ufunc
from rocarray._kernels.tables.ufuncs import UFUNCS

_by_name = {row.name: ufunc(row) for row in UFUNCS}


def ufunc_by_name(name):
    """The ufunc object of a name (what unpickling calls)."""
    return _by_name[name]


ALIASES = {
    "abs": "absolute",
    "acos": "arccos",
    "acosh": "arccosh",
    "asin": "arcsin",
    "asinh": "arcsinh",
    "atan": "arctan",
    "atan2": "arctan2",
    "atanh": "arctanh",
    "bitwise_invert": "invert",
    "bitwise_left_shift": "left_shift",
    "bitwise_not": "invert",
    "bitwise_right_shift": "right_shift",
    "conj": "conjugate",
    "mod": "remainder",
    "pow": "power",
    "true_divide": "divide",
}

globals().update(_by_name)
globals().update({alias: _by_name[name] for alias, name in ALIASES.items()})
__all__ = sorted([*_by_name, *ALIASES])

methods.bind(ufunc_by_name=ufunc_by_name, **_by_name)
