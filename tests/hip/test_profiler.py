"""Ranges for profilers: they nest, and cost nothing but a call where no profiler is."""

import os

import pytest

import rocarray as rp
from rocarray.hip import profiler


def test_ranges_nest_and_let_errors_through():
    with profiler.annotate("outer"), profiler.annotate("inner é"):
        assert rp.ones(3).sum() == 3
    with pytest.raises(KeyError), profiler.annotate("failing"):
        raise KeyError
    with pytest.raises(TypeError, match=r"annotate\(\).*str.*int"), profiler.annotate(5):
        pass


@pytest.mark.skipif(
    "ROCARRAY_TEST_LAUNCHER" in os.environ,
    reason="the emulator's launcher sets LD_LIBRARY_PATH itself",
)
def test_ranges_reach_the_library(tmp_path, run_python):
    """A stand-in for libroctx64 that prints."""
    import shutil
    import subprocess

    compiler = shutil.which("c++") or shutil.which("g++")
    if compiler is None:
        pytest.skip("no C++ compiler")
    source = tmp_path / "roctx.cpp"
    source.write_text(
        "#include <cstdio>\n"
        'extern "C" int roctxRangePushA(const char* m) '
        '{ std::printf("push %s\\n", m); std::fflush(stdout); return 0; }\n'
        'extern "C" int roctxRangePop() '
        '{ std::printf("pop\\n"); std::fflush(stdout); return 0; }\n'
        'extern "C" int roctxProfilerResume(unsigned long) '
        '{ std::printf("resume\\n"); std::fflush(stdout); return 0; }\n'
        'extern "C" int roctxProfilerPause(unsigned long) '
        '{ std::printf("pause\\n"); std::fflush(stdout); return 0; }\n'
    )
    library = tmp_path / "libroctx64.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source], check=True)
    done = run_python(
        "from rocarray.hip import profiler\n"
        "with profiler.annotate('a'):\n    pass\n"
        "@profiler.annotate('b')\ndef f():\n    print('f', flush=True)\n"
        "f()\n"
        "with profiler.profile():\n    pass\n",
        LD_LIBRARY_PATH=str(tmp_path),
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "push a",
        "pop",
        "push b",
        "f",
        "pop",
        "resume",
        "pause",
    ]


def test_profiling_switches():
    profiler.start()
    profiler.stop()
    with profiler.profile():
        assert rp.ones(3).sum() == 3
