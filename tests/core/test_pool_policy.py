"""The policy of pool.hpp alone, with the address and undefined behaviour sanitizers."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_policy(tmp_path):
    compiler = shutil.which("c++") or shutil.which("g++")
    if compiler is None:
        pytest.skip("no C++ compiler")
    flags = ["-std=c++17", "-O1", "-g1", "-Wall", "-Wextra", "-Werror"]
    program = tmp_path / "pool_cases"
    subprocess.run(
        [compiler, *flags, "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
        + ["-I", ROOT, ROOT / "tests" / "core" / "pool_cases.cpp", "-o", program],
        check=True,
        timeout=200,
    )
    done = subprocess.run([program], capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("ok\n")
