"""Functions that methods of ndarray and ufunc call, filled in by `rocarray._core`.

The classes come first and the functions are built on them, so a method such as `x.sum()` looks
its function up here when it is called.
"""


def bind(**functions):
    """Adds functions under the names that the methods use."""
    globals().update(functions)


def __getattr__(name):
    raise AttributeError(f"no module has bound the method function {name!r} yet")
