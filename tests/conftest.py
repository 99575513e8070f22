"""Fixtures that every test may use."""

import os
import shlex
import subprocess
import sys

import pytest


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
