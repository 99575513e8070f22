"""Times every case with one library, in whole calls: host and device, synchronised.

    python benchmarks/gpu/run.py --impl rocarray --output rocarray.json
    python benchmarks/gpu/run.py --impl cupy --output cupy.json
    python benchmarks/gpu/compare.py rocarray.json cupy.json --output docs/performance

The time of a case is the median of 5 batches of calls after warm-up.
"""

import argparse
import importlib
import json
import platform
import re
import statistics
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from cases import CASES

BATCHES = 5


class Library:
    """A library by its name, and what the API that they share does not say."""

    def __init__(self, name):
        self.name = name
        self.xp = importlib.import_module(name)

    def synchronize(self):
        if self.name == "cupy":
            self.xp.cuda.Stream.null.synchronize()
        else:
            self.xp.hip.synchronize()

    def free(self):
        self.xp.get_default_memory_pool().free_all_blocks()

    def has(self, dotted):
        found = self.xp
        for part in filter(None, dotted.split(".")):
            found = getattr(found, part, None)
        return found is not None

    def device(self):
        if self.name == "cupy":
            return self.xp.cuda.runtime.getDeviceProperties(0)["name"].decode()
        return self.xp.hip.Device(0).name


def seconds_per_call(function, synchronize, batch_seconds):
    """(median, least) over batches. What takes seconds is timed once, after one call."""
    function()
    synchronize()
    start = time.perf_counter()
    function()
    synchronize()
    once = max(time.perf_counter() - start, 1e-7)
    if once > 0.5:
        return once, once
    n_calls = max(1, min(2000, int(batch_seconds / once)))
    for _ in range(min(n_calls, 10)):
        function()
    synchronize()
    times = []
    for _ in range(BATCHES):
        start = time.perf_counter()
        for _ in range(n_calls):
            function()
        synchronize()
        times.append((time.perf_counter() - start) / n_calls)
    return statistics.median(times), min(times)


def copy_bandwidth(library):
    """Bytes a second of a large copy on the device, read and written."""
    n_bytes = 2**30
    a = library.xp.ones(n_bytes // 8, np.float64)
    b = library.xp.empty(n_bytes // 8, np.float64)

    def copy():
        b[...] = a

    median, _ = seconds_per_call(copy, library.synchronize, 0.02)
    return 2 * n_bytes / median


def run_case(library, case, batch_seconds):
    if not library.has(case.needs):
        return {"skipped": f"{library.name} has no {case.needs}"}
    try:
        function = case.make(library.xp)
        median, least = seconds_per_call(function, library.synchronize, batch_seconds)
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"[:300]}
    result = {"seconds": median, "least": least}
    if case.n_bytes:
        result["gb_per_s"] = case.n_bytes / median * 1e-9
    if case.flops:
        result["tflop_per_s"] = case.flops / median * 1e-12
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--impl", choices=["rocarray", "cupy"], required=True)
    parser.add_argument("--output", required=True, help="a JSON file")
    parser.add_argument("--only", default="", help="a regular expression of names")
    parser.add_argument("--batch", type=float, default=0.02, help="seconds of one batch")
    parser.add_argument("--budget", type=float, default=1e9, help="seconds in all")
    arguments = parser.parse_args()
    library = Library(arguments.impl)
    start = time.perf_counter()
    report = {
        "impl": library.name,
        "version": library.xp.__version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
        "device": library.device(),
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "command": " ".join(["python", *sys.argv]),
        "copy_gb_per_s": copy_bandwidth(library) * 1e-9,
        "cases": {},
    }
    title = f"{library.name} {report['version']} on {report['device']}"
    print(f"{title}: copy {report['copy_gb_per_s']:.0f} GB/s", flush=True)
    for case in CASES:
        if not re.search(arguments.only, case.name):
            continue
        if time.perf_counter() - start > arguments.budget:
            report["cases"][case.name] = {"error": "out of time"}
            continue
        begin = time.perf_counter()
        result = report["cases"][case.name] = run_case(library, case, arguments.batch)
        library.free()
        text = ", ".join(
            f"{key} {value:.4g}" if isinstance(value, float) else f"{key}: {value}"
            for key, value in result.items()
        )
        print(f"{case.name}: {text} [{time.perf_counter() - begin:.1f} s]", flush=True)
        # After every case: what was measured survives an early end.
        Path(arguments.output).write_text(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
