"""Gather, scatter, compaction and counting."""

from rocarray._kernels.programs import Program

# Elements are moved by size: bytes -> (C++ type, name).
UNITS = {1: "uint8_t", 2: "uint16_t", 4: "uint32_t", 8: "uint64_t", 16: "rocarray::bytes16"}


def programs():
    """index/gather, index/scatter, index/select, index/compact and index/count."""
    yield Program(
        "index/gather",
        ("elementwise.hpp", "index.hpp"),
        {
            f"gather__{size}": f"ROCARRAY_ELEMENTWISE(gather__{size}, rocarray::Gather<{unit}>, "
            f"2, 1, int64_t, uint64_t, {unit})"
            for size, unit in UNITS.items()
        },
    )
    lines = {
        f"scatter__{size}": f"ROCARRAY_SCATTER(scatter__{size}, {unit})"
        for size, unit in UNITS.items()
    }
    lines["mark_winners"] = "ROCARRAY_INDEX_KERNEL(mark_winners, WinnerParams)"
    yield Program("index/scatter", ("index.hpp",), lines)
    yield Program(
        "index/select",
        ("index.hpp",),
        {
            "count_values": "ROCARRAY_INDEX_KERNEL(count_values, CountParams)",
            "sum_weights": "ROCARRAY_INDEX_KERNEL(sum_weights, WeighParams)",
        },
    )
    lines = {
        "count_true": "ROCARRAY_COMPACT(count_true, count_true)",
        "true_positions": "ROCARRAY_COMPACT(true_positions, compact<int64_t, true>)",
    }
    for size, unit in UNITS.items():
        lines[f"true_values__{size}"] = (
            f"ROCARRAY_COMPACT(true_values__{size}, compact<{unit}, false>)"
        )
    yield Program("index/compact", ("compact.hpp",), lines)
    yield Program(
        "index/count",
        ("count.hpp",),
        {
            "count_few": "ROCARRAY_COUNT(count_few, count_few)",
            "count_bins__f": "ROCARRAY_COUNT(count_bins__f, count_bins<float>)",
            "count_bins__d": "ROCARRAY_COUNT(count_bins__d, count_bins<double>)",
        },
    )
