"""Sets two runs side by side: ratios, and shares of the device's copy bandwidth.

    python benchmarks/gpu/compare.py rocarray.json cupy.json --output docs/performance

Writes NAME.md (a table), NAME.json and NAME.png. The geometric mean takes each ratio up to 10.
"""

import argparse
import json
import math
from pathlib import Path

CAP = 10.0


def load(path):
    return json.loads(Path(path).read_text())


def rows_of(ours, theirs):
    """One dict a case; `ratio` is how many times faster we are."""
    rows = []
    bandwidth = max(ours["copy_gb_per_s"], theirs["copy_gb_per_s"])
    for name, mine in ours["cases"].items():
        other = theirs["cases"].get(name, {"skipped": "not run"})
        row = {"name": name, "ours": mine, "theirs": other}
        if "seconds" in mine and "seconds" in other:
            row["ratio"] = other["seconds"] / mine["seconds"]
        if "gb_per_s" in mine:
            row["share"] = mine["gb_per_s"] / bandwidth
        rows.append(row)
    return rows, bandwidth


def geometric_mean(ratios):
    ratios = [min(ratio, CAP) for ratio in ratios]
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else math.nan


def seconds(text):
    value = text.get("seconds")
    if value is None:
        return "error" if "error" in text else "-"
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("us", 1e6)):
        if value * factor >= 1:
            return f"{value * factor:.3g} {unit}"
    return f"{value * 1e6:.3g} us"


def rate(text):
    if "gb_per_s" in text:
        return f"{text['gb_per_s']:.0f} GB/s"
    return f"{text['tflop_per_s']:.2f} TFLOP/s" if "tflop_per_s" in text else ""


def table(rows):
    lines = [
        "| case | rocarray | | CuPy | | ratio | of copy bandwidth |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for row in rows:
        ratio = f"{row['ratio']:.2f}" if "ratio" in row else ""
        share = f"{100 * row['share']:.0f} %" if "share" in row else ""
        cells = [row["name"], seconds(row["ours"]), rate(row["ours"])]
        cells += [seconds(row["theirs"]), rate(row["theirs"]), ratio, share]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def markdown(ours, theirs, rows, bandwidth):
    compared = [row for row in rows if "ratio" in row]
    losing = sorted((row for row in compared if row["ratio"] < 1), key=lambda row: row["ratio"])
    winning = [row for row in compared if row["ratio"] >= 1]
    rest = [row for row in rows if "ratio" not in row]
    mean = geometric_mean([row["ratio"] for row in compared])
    lines = [
        "# Speed on a GPU",
        "",
        f"rocarray {ours['version']} against CuPy {theirs['version']} on one {ours['device']}, "
        f"{ours['date']}: Python {ours['python']}, NumPy {ours['numpy']}. The device copies at "
        f"{bandwidth:.0f} GB/s (read and written). Each ratio is CuPy's time over rocarray's; the "
        f"geometric mean of {len(compared)} cases, each up to {CAP:.0f}, is **{mean:.2f}**.",
        "Timed are whole calls, host and device, synchronised: the median of 5 batches.",
        "",
        "```",
        ours["command"],
        theirs["command"],
        "```",
        "",
        f"## {len(losing)} cases that lose",
        "",
        *table(losing),
        "",
        f"## {len(winning)} cases that do not",
        "",
        *table(winning),
        "",
        "## Not compared",
        "",
    ]
    for row in rest:
        reasons = [
            f"{name}: {result.get('skipped') or result.get('error') or seconds(result)}"
            for name, result in (("rocarray", row["ours"]), ("CuPy", row["theirs"]))
        ]
        lines.append(f"- {row['name']} ({'; '.join(reasons)})")
    return "\n".join(lines) + "\n"


def plot(path, rows):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    compared = [row for row in rows if "ratio" in row][::-1]
    figure, axes = plt.subplots(figsize=(8, 0.18 * len(compared) + 1))
    values = [row["ratio"] for row in compared]
    colours = ["tab:green" if value >= 1 else "tab:red" for value in values]
    axes.barh([row["name"] for row in compared], values, color=colours)
    axes.set_xscale("log")
    axes.axvline(1, color="black", linewidth=1)
    axes.set_xlabel("times as fast as CuPy")
    axes.tick_params(axis="y", labelsize=6)
    axes.margins(y=0.005)
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("ours")
    parser.add_argument("theirs")
    parser.add_argument("--output", required=True, help="files' name without suffix")
    arguments = parser.parse_args()
    ours, theirs = load(arguments.ours), load(arguments.theirs)
    rows, bandwidth = rows_of(ours, theirs)
    text = markdown(ours, theirs, rows, bandwidth)
    output = Path(arguments.output)
    output.with_suffix(".md").write_text(text)
    output.with_suffix(".json").write_text(json.dumps({"ours": ours, "theirs": theirs}, indent=1))
    plot(output.with_suffix(".png"), rows)
    print(text)


if __name__ == "__main__":
    main()
