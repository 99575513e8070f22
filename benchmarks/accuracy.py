"""Largest errors of the mathematical functions, in units in the last place.

``python -m benchmarks.accuracy [--items N] [FUNCTION ...]`` compares rocarray's results on the
current device with NumPy's in a wider type (long double for float64, float64 for float32), on
random arguments from each function's whole domain.
"""

import argparse

import numpy as np

import rocarray as rp

# Function -> the arguments: uniform between the first two, then magnitudes 2**a to 2**b.
DOMAINS = {
    "sin": (-1000, 1000, -40, 30),
    "cos": (-1000, 1000, -40, 30),
    "tan": (-1000, 1000, -40, 30),
    "exp": (-85, 85, -40, 6),
    "exp2": (-120, 120, -40, 6),
    "expm1": (-85, 85, -40, 6),
    "log": (0.5, 1.5, -120, 120),
    "log2": (0.5, 1.5, -120, 120),
    "log10": (0.5, 1.5, -120, 120),
    "log1p": (-0.75, 0.75, -60, 120),
    "sinh": (-85, 85, -40, 6),
    "cosh": (-85, 85, -40, 6),
    "tanh": (-6, 6, -40, 5),
    "arcsin": (-1, 1, -40, 0),
    "arccos": (-1, 1, -40, 0),
    "arctan": (-10, 10, -60, 60),
    "arcsinh": (-10, 10, -60, 60),
    "arccosh": (1, 100, 0, 60),
    "arctanh": (-1, 1, -40, 0),
    "cbrt": (-10, 10, -120, 120),
    "sqrt": (0, 10, -120, 120),
    "arctan2": (-10, 10, -60, 60),
    "hypot": (-10, 10, -60, 60),
    "power": (0, 3, -5, 5),
}
POSITIVE = {"log", "log2", "log10", "log1p", "arccosh", "sqrt", "power"}
BINARY = {"arctan2", "hypot", "power"}


def arguments(rng, name, dtype, n_items):
    """Half of them uniform, half with uniform exponents."""
    low, high, first, last = DOMAINS[name]
    half = n_items // 2
    sizes = np.exp2(rng.uniform(first, last, n_items - half))
    if name not in POSITIVE:
        sizes *= rng.choice([-1.0, 1.0], n_items - half)
    return np.concatenate([rng.uniform(low, high, half), sizes]).astype(dtype)


def largest_error(name, dtype, n_items, seed=0):
    """The largest error in ulp, and the argument where it occurs."""
    rng = np.random.default_rng(seed)
    wide = np.longdouble if dtype == np.float64 else np.float64
    inputs = [arguments(rng, name, dtype, n_items) for _ in range(2 if name in BINARY else 1)]
    with np.errstate(all="ignore"):
        exact = getattr(np, name)(*(x.astype(wide) for x in inputs))
        got = rp.asnumpy(getattr(rp, name)(*(rp.asarray(x) for x in inputs)))
        unit = np.spacing(np.abs(exact).astype(dtype)).astype(wide)
        error = np.where(np.isfinite(got) & np.isfinite(unit), np.abs(got - exact) / unit, 0)
    worst = int(np.argmax(error))
    return float(error[worst]), tuple(float(x[worst]) for x in inputs)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("functions", nargs="*", default=list(DOMAINS), metavar="FUNCTION")
    parser.add_argument("--items", type=int, default=1_000_000)
    options = parser.parse_args()
    print(f"{'function':10} {'dtype':8} {'max ulp':>8}  at")
    for name in options.functions:
        for dtype in (np.float32, np.float64):
            error, place = largest_error(name, dtype, options.items)
            print(f"{name:10} {np.dtype(dtype).name:8} {error:8.2f}  {place}")


if __name__ == "__main__":
    main()
