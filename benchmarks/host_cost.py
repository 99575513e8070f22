"""What one call costs the host: small operations whose kernels do nothing.

``python -m benchmarks.host_cost [--json FILE]`` runs in the cpu platform's null-device mode
(``ROCARRAY_CPU_NULL=1``: kernels are counted as launched and not run), so that only rocarray's own
work is timed, and prints microseconds and multiples of NumPy's `a + b` of ten items beside the
budget for each.
"""

import argparse
import json
import os
import sys
import timeit

os.environ["ROCARRAY_PLATFORM"] = "cpu"
os.environ["ROCARRAY_CPU_NULL"] = "1"

import numpy as np

import rocarray as rp

# Operation -> (statement, budget as a multiple of NumPy's a + b).
OPERATIONS = {
    "a + b": ("a + b", 8),
    "empty": ("rp.empty(10)", 2.7),
    "a[1:5]": ("a[1:5]", 6),
    "a.sum()": ("a.sum()", 10),
    "add(a, b, out=c)": ("rp.add(a, b, out=c)", None),
    "a += b": ("a.__iadd__(b)", None),
    "a * 2.0": ("a * 2.0", None),
    "sin(a)": ("rp.sin(a)", None),
    "a.astype": ("a.astype('float32')", None),
    "a.reshape": ("a.reshape(2, 5)", None),
    "a[None]": ("a[None]", None),
    "a.T": ("a.T", None),
    "zeros": ("rp.zeros(10)", None),
    "a.copy()": ("a.copy()", None),
}


def microseconds(statement, names):
    timer = timeit.Timer(statement, globals=names)
    number = 20_000
    timer.timeit(number // 10)
    return min(timer.repeat(9, number)) / number * 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", help="also write the numbers to this file")
    options = parser.parse_args()
    host = {"a": np.ones(10), "b": np.ones(10)}
    names = {"rp": rp, "a": rp.ones(10), "b": rp.ones(10), "c": rp.empty(10)}
    unit = microseconds("a + b", host)
    print(f"NumPy {np.__version__}: a + b of 10 items {unit:.3f} us")
    print(f"{'operation':18} {'us':>7} {'x NumPy a + b':>14} {'budget':>7}")
    rows, over = [], 0
    for name, (statement, budget) in OPERATIONS.items():
        cost = microseconds(statement, names)
        over += budget is not None and cost / unit > budget
        rows.append({"operation": name, "us": cost, "ratio": cost / unit, "budget": budget})
        print(f"{name:18} {cost:7.2f} {cost / unit:14.2f} {'' if budget is None else budget:>7}")
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"numpy_us": unit, "operations": rows}, file, indent=1)
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
