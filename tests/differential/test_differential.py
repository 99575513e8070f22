"""Random programs on NumPy and on rocarray: values, types, shapes, memory order, error classes.

`ROCARRAY_EXAMPLES=n` runs n random programs of each family (nightly); without it a few, always the
same. A failing program is printed line by line.
"""

import os

import pytest
from differential import elementwise, indexing, reductions, shapes, sorting
from differential.program import Program
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

N_EXAMPLES = int(os.environ.get("ROCARRAY_EXAMPLES", "0"))
FAMILIES = {
    "elementwise": elementwise.OPERATIONS,
    "reductions": reductions.OPERATIONS,
    "indexing": indexing.OPERATIONS,
    "shapes": shapes.OPERATIONS,
    "sorting": sorting.OPERATIONS,
}
FAMILIES["mixed"] = [operation for family in FAMILIES.values() for operation in family]


def examples(default):
    return settings(
        max_examples=N_EXAMPLES // len(FAMILIES) if N_EXAMPLES else default,
        derandomize=not N_EXAMPLES,
        deadline=None,
        database=None,
        print_blob=True,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.explicit, Phase.generate, Phase.shrink],
    )


@pytest.mark.parametrize("family", FAMILIES)
def test_programs(family):
    @examples(60)
    @given(st.data())
    def run(data):
        program = Program()
        for _ in range(data.draw(st.integers(1, 6))):
            data.draw(st.sampled_from(FAMILIES[family]))(data.draw, program)

    run()
