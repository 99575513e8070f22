"""Ranges and switches for profilers."""

import contextlib


@contextlib.contextmanager
def annotate(name):
    """Names a stretch of host code for a profiler (roctx, where it is installed).

    Parameters
    ----------
    name : str
    """
    from rocarray._core.roctx import pop, push

    push(name)
    try:
        yield
    finally:
        pop()
