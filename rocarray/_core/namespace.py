"""Which of our functions stands for a NumPy function (for __array_function__)."""

import sys


def find(numpy_function):
    """Our function of the same module path and name, or None."""
    module = getattr(numpy_function, "__module__", "numpy") or "numpy"
    if not module.startswith("numpy"):
        return None
    target = sys.modules["rocarray"]
    for part in module.split(".")[1:]:
        if part in ("linalg", "fft", "random"):
            target = getattr(target, part, None)
    return getattr(target, numpy_function.__name__, None)
