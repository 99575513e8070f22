"""Seconds from a cold process with an empty cache to the first result of common operations.

    python benchmarks/gpu/first_call.py --impl rocarray --output first.json

One process; the user's cache of compiled kernels is in a new folder. Each operation is called once
and waited for.
"""

import argparse
import importlib
import json
import os
import tempfile
import time
from pathlib import Path


def operations(xp):
    import numpy as np

    a = np.linspace(0.0, 1.0, 1000, dtype=np.float32)
    state = {}

    def keep(name, value):
        state[name] = value
        return value

    return {
        "asarray": lambda: keep("a", xp.asarray(a)),
        "a + a": lambda: state["a"] + state["a"],
        "a * 2.5": lambda: state["a"] * 2.5,
        "exp": lambda: xp.exp(state["a"]),
        "sum": lambda: state["a"].sum(),
        "mean axis 0": lambda: state["a"].reshape(10, 100).mean(axis=0),
        "argmax": lambda: state["a"].argmax(),
        "std": lambda: state["a"].std(),
        "cumsum": lambda: xp.cumsum(state["a"]),
        "sort": lambda: xp.sort(state["a"]),
        "a[mask]": lambda: state["a"][state["a"] > 0.5],
        "take": lambda: xp.take(state["a"], xp.asarray([1, 5, 7])),
        "where": lambda: xp.where(state["a"] > 0.5, state["a"], 0),
        "concatenate": lambda: xp.concatenate([state["a"], state["a"]]),
        "astype": lambda: state["a"].astype(np.float64),
        "matmul": lambda: state["a"].reshape(10, 100) @ state["a"].reshape(100, 10),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--impl", choices=["rocarray", "cupy"], required=True)
    parser.add_argument("--output", help="a JSON file")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name in ("ROCARRAY_CACHE_DIR", "CUPY_CACHE_DIR", "CUDA_CACHE_PATH"):
            os.environ[name] = folder
        start = time.perf_counter()
        import numpy  # noqa: F401

        numpy_done = time.perf_counter()
        xp = importlib.import_module(arguments.impl)
        imported = time.perf_counter()
        synchronize = (
            xp.cuda.Stream.null.synchronize if arguments.impl == "cupy" else xp.hip.synchronize
        )
        seconds = {}
        for name, operation in operations(xp).items():
            begin = time.perf_counter()
            operation()
            synchronize()
            seconds[name] = time.perf_counter() - begin
    report = {
        "impl": arguments.impl,
        "import": imported - numpy_done,
        "numpy_import": numpy_done - start,
        "operations": seconds,
        "total": sum(seconds.values()),
    }
    if arguments.output:
        Path(arguments.output).write_text(json.dumps(report, indent=1))
    print(f"{arguments.impl}: import {report['import']:.3f} s, operations {report['total']:.3f} s")
    for name, value in seconds.items():
        print(f"  {name:16} {value:.4f} s")


if __name__ == "__main__":
    main()
