"""Text of arrays: NumPy's own formatting of the values, fetched to the host.

Of arrays longer than the print threshold only the corners are fetched.
"""

import numpy as np

from rocarray._core.conversion import asnumpy


def _fetch(a):
    """The host values that will be shown: all of them, or the corners of a large array."""
    options = np.get_printoptions()
    if a.size <= options["threshold"]:
        return asnumpy(a)
    edge = options["edgeitems"]
    for axis in range(a.ndim):
        n = a.shape[axis]
        if n > 2 * edge + 1:
            from rocarray._core.manipulation import concatenate

            lead = (slice(None),) * axis
            # One item more than both edges, so that NumPy draws the dots.
            a = concatenate([a[(*lead, slice(0, edge + 1))], a[(*lead, slice(n - edge, n))]], axis)
    return asnumpy(a)


def _summarised(a, text):
    host = _fetch(a)
    if host.size == a.size:
        return text(host)
    with np.printoptions(threshold=0):
        return text(host)


def array_repr(arr, max_line_width=None, precision=None, suppress_small=None):
    """The `repr` of an array, as numpy.array_repr."""

    def text(host):
        return np.array_repr(host, max_line_width, precision, suppress_small)

    result = _summarised(arr, text)
    if arr.size > np.get_printoptions()["threshold"] and "shape=" in result:
        # NumPy 2.2+ tells the shape of what it summarises: tell the array's.
        head, tail = result.rsplit("shape=", 1)
        result = f"{head}shape={arr.shape}{tail[tail.index(')') + 1 :]}"
    return result


def array_str(a, max_line_width=None, precision=None, suppress_small=None):
    """The `str` of an array, as numpy.array_str."""
    return _summarised(
        a, lambda host: np.array_str(host, max_line_width, precision, suppress_small)
    )


def array2string(a, *args, **kwargs):
    """The text of an array with NumPy's formatting options, as numpy.array2string."""
    return _summarised(a, lambda host: np.array2string(host, *args, **kwargs))


def format_float_positional(x, *args, **kwargs):
    """numpy.format_float_positional of a 0-d array or scalar."""
    return np.format_float_positional(asnumpy(x)[()], *args, **kwargs)


def format_float_scientific(x, *args, **kwargs):
    """numpy.format_float_scientific of a 0-d array or scalar."""
    return np.format_float_scientific(asnumpy(x)[()], *args, **kwargs)
