"""Runs one call after another on NumPy and on rocarray and compares everything that can be seen."""

import operator
import warnings

import numpy as np
from differential.arrays import Pair
from differential.compare import ANY_ORDER, Difference, compare

import rocarray as rp

_PUBLIC = ("builtins", "numpy.exceptions")


class Step:
    """One call.

    Parameters
    ----------
    function : str
        "add", "add.reduce": of the module; ".sort": a method of the first argument; "iadd()": of
        Python's operator module.
    args, kwargs
        Pairs in them stand for the array of the side that runs.
    tolerance : Tolerance, optional
    """

    def __init__(self, function, *args, tolerance=None, any_order=False, **kwargs):
        self.function = function
        self.args = args
        self.kwargs = kwargs
        self.tolerance = tolerance
        self.any_order = (
            any_order
            or function.removeprefix(".") in ANY_ORDER
            or ("where" in kwargs and "out" not in kwargs)
        )

    def run(self, module, side):
        args = _replace(self.args, side)
        kwargs = _replace(self.kwargs, side)
        if self.function.startswith("."):
            return getattr(args[0], self.function[1:])(*args[1:], **kwargs)
        if self.function.endswith("()"):
            return getattr(operator, self.function[:-2])(*args)
        return operator.attrgetter(self.function)(module)(*args, **kwargs)

    def __repr__(self):
        shown = [_show(x) for x in self.args] + [f"{k}={_show(v)}" for k, v in self.kwargs.items()]
        return f"{self.function}({', '.join(shown)})"


def _replace(x, side):
    if isinstance(x, Pair):
        return getattr(x, side)
    if isinstance(x, (list, tuple)):
        return type(x)([_replace(item, side) for item in x])
    if isinstance(x, dict):
        return {k: _replace(v, side) for k, v in x.items()}
    if isinstance(x, slice):
        return slice(*_replace((x.start, x.stop, x.step), side))
    return x


def _show(x):
    if isinstance(x, np.ndarray):
        return f"np.array({x.tolist()}, {x.dtype.char!r})"
    if isinstance(x, (list, tuple)):
        inner = ", ".join(_show(item) for item in x)
        return f"[{inner}]" if isinstance(x, list) else f"({inner},)"
    return repr(x)


def public_class(error):
    """The class of an error that users can name."""
    return next(c for c in type(error).__mro__ if c.__module__ in _PUBLIC)


class Program:
    """The arrays that exist so far, and the calls that led here."""

    def __init__(self):
        self.pairs = []
        self.lines = []

    def add(self, pair):
        self.pairs.append(pair)
        return pair

    def new_name(self):
        return f"x{len(self.pairs)}"

    def define(self, pair):
        self.lines.append(f"{pair.name} = array: {pair.text}")
        return self.add(pair)

    def run(self, step):
        """Runs a call on both sides; the arrays that it returns become operands of later ones."""
        self.lines.append(repr(step))
        expected, expected_error = _attempt(step, np, "host")
        actual, actual_error = _attempt(step, rp, "device")
        try:
            self._compare(step, expected, expected_error, actual, actual_error)
        except Difference as difference:
            difference.add_note("\n".join(self.lines))
            raise

    def _compare(self, step, expected, expected_error, actual, actual_error):
        if (expected_error is None) != (actual_error is None):
            raise Difference(
                f"NumPy: {_tell(expected, expected_error)}\nrocarray: {_tell(actual, actual_error)}"
            ) from (actual_error or expected_error)
        if expected_error is not None:
            if public_class(expected_error) is not public_class(actual_error):
                raise Difference(
                    f"NumPy: {expected_error!r}\nrocarray: {actual_error!r}"
                ) from actual_error
        else:
            compare(actual, expected, step.tolerance, step.any_order)
        for pair in self.pairs:
            # Calls may write to operands, and to what shares their memory.
            written = pair.device.shape == pair.host.shape
            compare(pair.device, pair.host, step.tolerance if written else None)
        if expected_error is None:
            self._keep(actual, expected)

    def _keep(self, actual, expected):
        if isinstance(expected, (tuple, list)):
            for mine, theirs in zip(actual, expected, strict=True):
                self._keep(mine, theirs)
            return
        if not isinstance(expected, (np.ndarray, np.generic)) or not isinstance(actual, rp.ndarray):
            return
        if isinstance(expected, np.generic):
            actual = actual.copy()  # NumPy's scalars are no views
        expected = np.asarray(expected)
        # Where the memory orders differ by design, so would those of what follows.
        same_order = all(
            getattr(actual.flags, flag) == getattr(expected.flags, flag)
            for flag in ("c_contiguous", "f_contiguous")
        )
        if expected.size <= 5000 and same_order:
            pair = Pair(self.new_name(), expected, actual)
            self.lines.append(f"  -> {pair.name}")
            self.add(pair)


def _attempt(step, module, side):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return step.run(module, side), None
        except Exception as error:  # noqa: BLE001 (whatever it is, it is compared)
            return None, error


def _tell(result, error):
    if error is not None:
        return repr(error)
    text = repr(result)
    return text if len(text) < 800 else text[:800] + " ..."
