"""How reductions are laid out on a GPU: enough workgroups, little scratch, whatever the shape."""

import math

import pytest

from rocarray._core.reduction_loops import planned_launch

N_UNITS = 132
SHAPES = [
    ((1 << 28,), (0,)),
    ((32768, 8192), (0,)),
    ((32768, 8192), (1,)),
    ((8192, 32768), (0,)),
    ((8192, 32768), (1,)),
    ((1 << 24, 16), (0,)),
    ((1 << 24, 16), (1,)),
    ((1 << 24, 3), (0,)),
    ((16, 1 << 24), (0,)),
    ((16, 1 << 24), (1,)),
    ((256, 1024, 1024), (0,)),
    ((256, 1024, 1024), (1,)),
    ((256, 1024, 1024), (2,)),
    ((256, 1024, 1024), (0, 1)),
    ((256, 1024, 1024), (0, 2)),
    ((256, 1024, 1024), (1, 2)),
]


@pytest.mark.parametrize("operation", ["sum", "squared_deviation", "argmax", "any"])
@pytest.mark.parametrize("char", "fd")
@pytest.mark.parametrize(("shape", "axes"), SHAPES)
def test_large_reductions_fill_the_device(operation, char, shape, axes):
    plan = planned_launch(operation, "L" if operation == "any" else char, shape, axes, N_UNITS)
    # Eight workgroups a compute unit run at once.
    assert plan["workgroups"] >= 8 * N_UNITS
    n_bytes = math.prod(shape) * (4 if char == "f" and operation != "any" else 8)
    assert plan["partial_bytes"] <= n_bytes / 100
    if plan["parts"] > 1:
        # A work-item of the combination walks along few rows.
        n_outputs = math.prod(n for i, n in enumerate(shape) if i not in axes)
        assert plan["parts"] * n_outputs / (256 * plan["combining"]) <= 64


def test_rows_of_a_column_sum_are_whole_cache_lines():
    plan = planned_launch("sum", "f", (32768, 8192), (0,), N_UNITS)
    assert plan["kernel"] == "outer"
    assert plan["lanes"] * 16 >= 512


@pytest.mark.parametrize("shape", [(10,), (4000,), (300, 7)])
def test_small_reductions_are_one_workgroup(shape):
    plan = planned_launch("sum", "f", shape, (0,), N_UNITS)
    assert plan["workgroups"] == 1
    assert plan["parts"] == 1
