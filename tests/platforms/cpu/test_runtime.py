"""The HIP runtime of the cpu platform.

The cases are in ``runtime_*_cases.cpp``, a program over ``libhip_cpu.so``; with flags of its own
over the same sources, so that sanitizer builds run them too:
``ROCARRAY_TEST_CXXFLAGS="-fsanitize=thread" pytest ...``.
"""

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PLATFORM = HERE.parents[2] / "rocarray" / "_platforms" / "cpu"
SOURCES, LIBRARY = PLATFORM / "src", PLATFORM / "libhip_cpu.so"
COMPILER = os.environ.get("CXX") or shutil.which("c++") or shutil.which("g++") or ""
OWN_FLAGS = shlex.split(os.environ.get("ROCARRAY_TEST_CXXFLAGS", ""))
FLAGS = ["-std=c++17", "-O1", "-g", "-fPIC", "-pthread", "-Wall", "-Wextra", "-Werror", *OWN_FLAGS]

# What a case needs in the environment; four threads everywhere, so that workgroups are shared.
SETTINGS = {
    "memory_limit": {"ROCARRAY_CPU_MEMORY": "64M"},
    "poison": {"ROCARRAY_CPU_POISON": "1"},
    "guard_zones": {"ROCARRAY_CPU_GUARD": "1"},
    "devices": {"ROCARRAY_CPU_DEVICES": "3"},
    "streams_and_kernels_belong_to_devices": {"ROCARRAY_CPU_DEVICES": "2"},
    "peer_copies": {"ROCARRAY_CPU_DEVICES": "2"},
    "synchronous_mode": {"ROCARRAY_CPU_SYNC": "1"},
    "null_launches_do_nothing": {"ROCARRAY_CPU_NULL": "1"},
}
# These also hold when every call runs its work at once.
ALSO_SYNCHRONOUS = ["launch_computes", "copies", "capture_and_launch", "fills"]
ALSO_SYNCHRONOUS += ["event_chains", "random_walks_over_streams"]
ALSO_ON_ONE_THREAD = ["launch_computes", "capture_across_streams", "random_walks_over_streams"]

CASES = [
    name
    for path in sorted(HERE.glob("runtime_*_cases.cpp"))
    for name in re.findall(r"^CASE\((\w+)\)", path.read_text(), re.MULTILINE)
    if not name.startswith("measure_")
]

pytestmark = pytest.mark.skipif(not COMPILER, reason="no C++ compiler")


def compile_program(*arguments):
    folders = [f"-I{SOURCES}", f"-I{PLATFORM.parent / 'include'}"]
    command = [*shlex.split(COMPILER), *FLAGS, *folders, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def library_arguments():
    """The library as it was built, or its sources where that would test something else."""
    sources = sorted(SOURCES.glob("*.cpp"))
    newest = max(path.stat().st_mtime for path in SOURCES.iterdir())
    if OWN_FLAGS or not LIBRARY.exists() or LIBRARY.stat().st_mtime < newest:
        return sources
    return [LIBRARY, f"-Wl,-rpath,{PLATFORM}"]


@pytest.fixture(scope="session")
def program(tmp_path_factory):
    """A function that runs one case in a process of its own."""
    folder = tmp_path_factory.mktemp("runtime")
    cases, kernels = folder / "cases", folder / "kernels.so"
    sources = sorted(HERE.glob("runtime_*cases.cpp"))
    compile_program("-o", cases, *sources, *library_arguments(), "-ldl")
    compile_program("-shared", "-fvisibility=hidden", "-o", kernels, HERE / "runtime_kernels.cpp")

    def run(name, **settings):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("ROCARRAY_CPU_")}
        environment.update(ROCARRAY_TEST_CODE_OBJECT=str(kernels), ROCARRAY_CPU_THREADS="4")
        environment.update(settings)
        done = subprocess.run(
            [cases, name], env=environment, capture_output=True, text=True, timeout=300
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done

    return run


@pytest.mark.parametrize("name", CASES)
def test_case(program, name):
    program(name, **SETTINGS.get(name, {}))


@pytest.mark.parametrize("name", ALSO_SYNCHRONOUS)
def test_case_synchronously(program, name):
    program(name, ROCARRAY_CPU_SYNC="1")


@pytest.mark.parametrize("name", ALSO_ON_ONE_THREAD)
def test_case_on_one_thread(program, name):
    program(name, ROCARRAY_CPU_THREADS="1")


def test_damaged_guard_zone_is_described(program):
    message = program("guard_zones", ROCARRAY_CPU_GUARD="1").stderr
    assert "100 bytes" in message
    assert "byte at offset 100 is 0x01" in message
    assert "byte at offset -3 is 0x01" in message


def test_wrong_settings_are_named(program):
    message = program("allocation", ROCARRAY_CPU_DEVICES="many", ROCARRAY_CPU_MEMORY="-3").stderr
    assert "ROCARRAY_CPU_DEVICES=many is ignored: a whole number from 1 to 64" in message
    assert "ROCARRAY_CPU_MEMORY=-3 is ignored" in message
