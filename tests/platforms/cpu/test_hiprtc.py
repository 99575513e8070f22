"""hipRTC of the cpu platform and its fibers.

The cases are in ``hiprtc_cases.cpp``, a program over the same sources as ``libhip_cpu.so``, so that
sanitizer builds run them too: ``ROCARRAY_TEST_CXXFLAGS="-fsanitize=thread" pytest ...``.
"""

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PLATFORM = HERE.parents[2] / "rocarray" / "_platforms" / "cpu"
SOURCES = sorted(PLATFORM.glob("src/hiprtc*.cpp")) + [PLATFORM / "src" / "fibers.cpp"]
COMPILER = os.environ.get("CXX") or shutil.which("c++") or shutil.which("g++") or ""

KERNELS = [
    "plain_kernel_needs_no_fibers",
    "block_reduction_with_static_lds",
    "dynamic_lds_in_every_spelling",
    "scan_with_barriers_in_a_loop",
    "histogram_with_atomics",
    "atomics_return_the_old_value",
    "shuffle_reduction_for_any_wave_size",
    "three_dimensional_blocks_and_grids",
    "early_return_before_barriers",
    "barriers_that_count",
    "deep_frames_on_fibers",
    "modules_do_not_share_statics",
    "half_and_bfloat16",
    "half_without_f16c",
    "integer_and_conversion_intrinsics",
    "mathematical_functions",
    "vector_types_and_complex",
    "vector_math_is_close",
    "lists_its_own_kernels",
]
COMPILES = [
    "kernels_are_found_where_they_are",
    "variables_are_found_by_name",
    "standard_headers_can_be_included",
    "errors_name_the_users_file_and_line",
    "bad_name_expression_says_which",
    "options_are_translated",
    "macros_do_not_reach_the_prelude",
    "interface_checks_its_arguments",
    "compiles_on_several_threads",
]
WITH_OUTPUT = ["prints", "compile_and_show_log"]

pytestmark = pytest.mark.skipif(not COMPILER, reason="no C++ compiler")


@pytest.fixture(scope="session")
def program(tmp_path_factory):
    """The program with all cases, beside the device headers as the library is."""
    folder = tmp_path_factory.mktemp("hiprtc")
    for name in ("device", "src"):
        (folder / name).symlink_to(PLATFORM / name)
    path = folder / "cases"
    flags = shlex.split(os.environ.get("ROCARRAY_TEST_CXXFLAGS", ""))
    command = [COMPILER, "-std=c++17", "-O1", "-g", "-pthread", f"-I{PLATFORM / 'src'}", *flags]
    command.append(f"-I{PLATFORM.parent / 'include'}")
    command += [str(HERE / "hiprtc_cases.cpp"), *map(str, SOURCES), "-o", str(path), "-ldl"]
    subprocess.run(command, check=True)
    return path


def run(program, case, **environment):
    return subprocess.run(
        [program, case],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, **environment},
    )


def test_every_case_is_listed_here(program):
    names = subprocess.run([program], capture_output=True, text=True, check=True).stdout.split()
    assert sorted(names) == sorted(KERNELS + COMPILES + WITH_OUTPUT)


@pytest.mark.parametrize("case", KERNELS + COMPILES)
def test_case(program, case):
    result = run(program, case)
    assert result.returncode == 0, result.stdout + result.stderr


def test_printf(program):
    result = run(program, "prints")
    assert result.stdout.splitlines() == ["item 0 of block 0: 1.5", "item 1 of block 0: 1.5"]


def test_no_compiler_says_what_to_install(program):
    result = run(program, "compile_and_show_log", PATH="/nonexistent", CXX="", ROCARRAY_CPU_CXX="")
    assert "result 6" in result.stdout
    assert "apt install g++" in result.stdout
    assert "ROCARRAY_CPU_CXX" in result.stdout


def test_named_compiler_is_used(program, tmp_path):
    wrapper = tmp_path / "my compiler"
    wrapper.write_text(f'#!/bin/sh\ntouch "{tmp_path}/used"\nexec {shutil.which(COMPILER)} "$@"\n')
    wrapper.chmod(0o755)
    result = run(program, "compile_and_show_log", ROCARRAY_CPU_CXX=str(wrapper))
    assert "result 0" in result.stdout
    assert (tmp_path / "used").exists()


def test_named_compiler_that_is_absent_falls_back(program):
    result = run(program, "compile_and_show_log", ROCARRAY_CPU_CXX="/nonexistent/c++")
    assert "result 0" in result.stdout


def test_temporary_files_are_removed(program, tmp_path):
    for case in ("compile_and_show_log", "errors_name_the_users_file_and_line"):
        run(program, case, TMPDIR=str(tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_unwritable_tmpdir_falls_back(program):
    result = run(program, "compile_and_show_log", TMPDIR="/nonexistent/folder")
    assert "result 0" in result.stdout


def test_compiler_that_dies_is_an_error(program, tmp_path):
    wrapper = tmp_path / "c++"
    wrapper.write_text("#!/bin/sh\necho out of cheese >&2\nkill -9 $$\n")
    wrapper.chmod(0o755)
    result = run(program, "compile_and_show_log", ROCARRAY_CPU_CXX=str(wrapper))
    assert "result 6" in result.stdout
    assert "out of cheese" in result.stdout
    assert "status 137" in result.stdout
