"""Runs every example on rocarray and on NumPy, compares, and prints a table.

python -m examples [--only NAME] [--xp rocarray|numpy] [--out FOLDER]
"""

import argparse
import importlib
import sys
import time
from pathlib import Path

import numpy as np

PROGRAMS = ["gray_scott", "nbody", "kmeans", "black_scholes", "lattice_boltzmann", "ising"]


def progress_bar(label):
    """A progress bar where the output is a terminal, nothing elsewhere."""
    if not sys.stderr.isatty():
        return iter
    try:
        from tqdm import tqdm
    except ImportError:
        return iter
    return lambda steps: tqdm(steps, desc=label, leave=False)


def timed(program, xp, label):
    """(result as a NumPy array, seconds)."""
    start = time.perf_counter()
    result = program.run(xp, program.SIZE, program.STEPS, progress_bar(label))
    host = result if isinstance(result, np.ndarray) else xp.asnumpy(result)
    return host, time.perf_counter() - start


def save_picture(program, name, result, folder):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(5, 5))
    program.plot(axes, result)
    axes.set_title(name)
    figure.savefig(folder / f"{name}.png", dpi=100)
    pyplot.close(figure)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=PROGRAMS)
    parser.add_argument("--xp", choices=["rocarray", "numpy"], default="rocarray")
    parser.add_argument("--out", type=Path, default=Path("out"))
    options = parser.parse_args()
    xp = importlib.import_module(options.xp)
    platform = device = "-"
    if options.xp == "rocarray":
        from rocarray._rocm.platform import current

        platform, device = current().name, xp.hip.Device().name
    options.out.mkdir(parents=True, exist_ok=True)
    heads = ("program", "platform", "device", "seconds", "NumPy", "max error")
    print("{:<18} {:<9} {:<20} {:>8} {:>8} {:>10}".format(*heads))
    worst = 0.0
    for name in [options.only] if options.only else PROGRAMS:
        program = importlib.import_module(f"examples.{name}")
        expected, numpy_seconds = timed(program, np, f"{name} (NumPy)")
        result, seconds = timed(program, xp, name)
        error = float(np.max(np.abs(result - expected)))
        worst = max(worst, error)
        save_picture(program, name, result, options.out)
        print(f"{name:<18} {platform:<9} {device[:20]:<20} {seconds:8.2f} {numpy_seconds:8.2f} "
              f"{error:10.1e}")  # fmt: skip
    print(f"pictures are in {options.out}/")
    return 0 if worst < 1e-6 else 1


if __name__ == "__main__":
    sys.exit(main())
