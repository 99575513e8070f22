"""The cpu platform against NumPy: whole calls on large arrays, as ratios of one run.

``python -m benchmarks.cpu [--items N] [--dtypes ...] [--json FILE] [CASE ...]`` times every case
with both libraries in turn, takes the best of several rounds, and prints NumPy's time over
rocarray's: above 1 rocarray is faster. The geometric mean comes last. Both use all cores that the
process may use; the arrays are far larger than the caches, so memory decides most cases.
"""

import argparse
import json
import math
import os
import sys
import time

import numpy as np

os.environ.setdefault("ROCARRAY_PLATFORM", "cpu")

import rocarray as rp

# Case -> what is timed, of the module and the inputs (see `inputs`).
CASES = {
    # elementwise
    "a + b": lambda xp, v: v.a + v.b,
    "add out=": lambda xp, v: xp.add(v.a, v.b, out=v.out),
    "a + 1": lambda xp, v: v.a + 1,
    "a * b + c": lambda xp, v: v.a * v.b + v.c,
    "a / b": lambda xp, v: v.a / v.b,
    "sqrt": lambda xp, v: xp.sqrt(v.a),
    "exp": lambda xp, v: xp.exp(v.a),
    "log": lambda xp, v: xp.log(v.a),
    "sin": lambda xp, v: xp.sin(v.a),
    "tanh": lambda xp, v: xp.tanh(v.a),
    "power": lambda xp, v: xp.power(v.a, v.b),
    "a ** 2": lambda xp, v: v.a**2,
    "maximum": lambda xp, v: xp.maximum(v.a, v.b),
    "floor": lambda xp, v: xp.floor(v.a),
    "frexp": lambda xp, v: xp.frexp(v.a),
    "a > b": lambda xp, v: v.a > v.b,
    "isnan": lambda xp, v: xp.isnan(v.a),
    "astype": lambda xp, v: v.a.astype("int32"),
    "copy": lambda xp, v: v.a.copy(),
    "where": lambda xp, v: xp.where(v.mask, v.a, v.b),
    "clip": lambda xp, v: xp.clip(v.a, 0.25, 0.75),
    "row + column": lambda xp, v: v.row + v.column,
    "transpose copy": lambda xp, v: xp.ascontiguousarray(v.square.T),
    "strided copy": lambda xp, v: v.a[::2].copy(),
    # reductions
    "sum": lambda xp, v: v.a.sum(),
    "sum axis 0": lambda xp, v: v.square.sum(axis=0),
    "sum axis 1": lambda xp, v: v.square.sum(axis=1),
    "max": lambda xp, v: v.a.max(),
    "argmax": lambda xp, v: v.a.argmax(),
    "mean": lambda xp, v: v.a.mean(),
    "std": lambda xp, v: v.a.std(),
    "any": lambda xp, v: v.none.any(),
    "count_nonzero": lambda xp, v: xp.count_nonzero(v.mask),
    # scans
    "cumsum": lambda xp, v: xp.cumsum(v.a),
    "cumsum axis 0": lambda xp, v: xp.cumsum(v.square, axis=0),
    "cumsum axis 1": lambda xp, v: xp.cumsum(v.square, axis=1),
    "diff": lambda xp, v: xp.diff(v.a),
    # sorting and counting
    "sort": lambda xp, v: xp.sort(v.a),
    "sort axis 1": lambda xp, v: xp.sort(v.square, axis=1),
    "argsort": lambda xp, v: xp.argsort(v.a),
    "partition": lambda xp, v: xp.partition(v.a, v.a.size // 2),
    "median": lambda xp, v: xp.median(v.a),
    "unique": lambda xp, v: xp.unique(v.index),
    "searchsorted": lambda xp, v: xp.searchsorted(v.sorted, v.a),
    "histogram": lambda xp, v: xp.histogram(v.a, bins=100),
    "bincount": lambda xp, v: xp.bincount(v.index),
    # indexing and random access
    "take": lambda xp, v: xp.take(v.a, v.index),
    "a[index]": lambda xp, v: v.a[v.index],
    "a[index] = b": lambda xp, v: v.out.__setitem__(v.index, v.b),
    "a[mask]": lambda xp, v: v.a[v.mask],
    "a[mask] = 0": lambda xp, v: v.out.__setitem__(v.mask, 0),
    "nonzero": lambda xp, v: xp.nonzero(v.mask),
    "add.at": lambda xp, v: xp.add.at(v.out, v.index, v.b),
    # shapes
    "concatenate": lambda xp, v: xp.concatenate((v.a, v.b)),
    "roll": lambda xp, v: xp.roll(v.a, 1000),
    "flip": lambda xp, v: xp.flip(v.a).copy(),
    "repeat": lambda xp, v: xp.repeat(v.a, 2),
    "pad": lambda xp, v: xp.pad(v.square, 8),
}


class Inputs:
    """The arrays of the cases, for one module."""

    def __init__(self, xp, n_items, dtype):
        rng = np.random.default_rng(1)
        side = math.isqrt(n_items)

        def device(x):
            return xp.asarray(x)

        values = rng.random(n_items, dtype=np.float64)
        self.a = device((values + 0.01).astype(dtype))
        self.b = device((rng.random(n_items) * 3).astype(dtype))
        self.c = device(rng.random(n_items).astype(dtype))
        self.out = xp.zeros_like(self.a)
        self.square = self.a[: side * side].reshape(side, side)
        self.row = self.a[:side][None, :]
        self.column = self.a[:side][:, None]
        self.mask = device(rng.random(n_items) < 0.5)
        self.none = device(np.zeros(n_items, dtype=bool))
        self.index = device(rng.integers(0, n_items, n_items))
        self.sorted = device(np.sort(values).astype(dtype))


def seconds(call, synchronize):
    start = time.perf_counter()
    call()
    synchronize()
    return time.perf_counter() - start


def compare(case, ours, theirs, rounds):
    """The best times (rocarray, NumPy), the rounds interleaved since machines drift."""
    function = CASES[case]
    synchronize = rp.hip.get_current_stream().synchronize

    def run_ours():
        function(rp, ours)

    def run_theirs():
        function(np, theirs)

    run_ours()  # loads the kernel
    best = [math.inf, math.inf]
    for _ in range(rounds):
        best[0] = min(best[0], seconds(run_ours, synchronize))
        best[1] = min(best[1], seconds(run_theirs, lambda: None))
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cases", nargs="*", metavar="CASE", help="some cases only")
    parser.add_argument("--items", type=int, default=4_000_000)
    parser.add_argument("--dtypes", nargs="+", default=["float32", "float64"])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", help="also write the times to this file")
    options = parser.parse_args()
    unknown = set(options.cases) - set(CASES)
    if unknown:
        parser.error(f"no such case: {', '.join(sorted(unknown))}; there are: {', '.join(CASES)}")

    print(
        f"rocarray {rp.__version__} ({rp.hip.Device().name}), NumPy {np.__version__}; "
        f"{options.items} items, {len(os.sched_getaffinity(0))} cores"
    )
    print(f"{'case':16} {'dtype':8} {'rocarray ms':>12} {'NumPy ms':>10} {'ratio':>7}")
    rows = []
    for dtype in options.dtypes:
        ours, theirs = (Inputs(xp, options.items, dtype) for xp in (rp, np))
        for case in options.cases or CASES:
            own, other = compare(case, ours, theirs, options.rounds)
            rows.append({"case": case, "dtype": dtype, "rocarray": own, "numpy": other})
            print(
                f"{case:16} {dtype:8} {own * 1e3:12.2f} {other * 1e3:10.2f} {other / own:7.2f}",
                flush=True,
            )
    ratios = [row["numpy"] / row["rocarray"] for row in rows]
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    slow = sum(ratio < 0.5 for ratio in ratios)
    print(f"geometric mean {mean:.2f} over {len(ratios)} cases; {slow} under 0.5")
    if options.json:
        with open(options.json, "w") as file:
            json.dump(rows, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
