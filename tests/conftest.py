"""Fixtures that every test may use."""

import os
import shlex
import subprocess
import sys

import pytest


def pytest_addoption(parser):
    parser.addoption(
        "--cases",
        type=int,
        default=0,
        help="run at most this many cases of each parametrized test, evenly spread (0: all)",
    )


def pytest_collection_modifyitems(config, items):
    limit = config.getoption("--cases")
    if limit <= 0:
        return
    tests = {}
    for item in items:
        tests.setdefault(item.nodeid.partition("[")[0], []).append(item)
    kept = []
    for cases in tests.values():
        step = max(1, len(cases) / limit)
        kept += [cases[int(number * step)] for number in range(min(limit, len(cases)))]
    dropped = set(items).difference(kept)
    config.hook.pytest_deselected(items=list(dropped))
    items[:] = [item for item in items if item not in dropped]


@pytest.fixture
def run_python():
    """Runs a program text in a process of its own, on the platform of this one.

    `run_python(text, **environment)` returns the finished process; its output is text. An emulated
    device needs a launcher in front of the interpreter: ROCARRAY_TEST_LAUNCHER.
    """

    def run(text, **environment):
        launcher = shlex.split(os.environ.get("ROCARRAY_TEST_LAUNCHER", ""))
        return subprocess.run(
            [*launcher, sys.executable, "-c", text],
            capture_output=True,
            text=True,
            env={**os.environ, **environment},
            timeout=240,
        )

    return run
