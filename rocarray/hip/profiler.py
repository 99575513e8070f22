"""Ranges and switches for profilers."""

import contextlib

from rocarray._core.roctx import pop, push, start, stop

__all__ = ["annotate", "profile", "start", "stop"]


@contextlib.contextmanager
def annotate(name):
    """Names a stretch of host code for a profiler (roctx, where it is installed).

    Also a decorator.

    Parameters
    ----------
    name : str

    Examples
    --------
    >>> import rocarray as rp
    >>> with rp.hip.profiler.annotate("set-up"):
    ...     x = rp.arange(3)
    """
    if not isinstance(name, str):
        raise TypeError(f"annotate() takes a str, got {type(name).__name__}")
    push(name)
    try:
        yield
    finally:
        pop()


@contextlib.contextmanager
def profile():
    """Switches a profiler that was started paused on inside the block."""
    start()
    try:
        yield
    finally:
        stop()
