"""Processes: fork, the interpreter's end, threads that outlive it, folders that refuse writes."""

import os

import pytest

START = "import rocarray as rp\nx = rp.arange(5.0)\nassert x.sum() == 10\n"


def test_a_child_forked_after_first_use_gets_an_error(run_python):
    done = run_python(
        START + "import os, sys\n"
        "stream, event = rp.hip.Stream(), rp.hip.Event()\n"
        "pid = os.fork()\n"
        "if pid == 0:\n"
        "    for call in (lambda: x + 1, lambda: rp.ones(3), lambda: x.get(),\n"
        "                 lambda: float(x[0]), rp.hip.synchronize, event.record,\n"
        "                 stream.synchronize):\n"
        "        try:\n"
        "            call()\n"
        "        except rp.hip.ForkedProcessError as error:\n"
        "            text = str(error)\n"
        "        else:\n"
        "            os._exit(1)\n"
        "    print(text, flush=True)\n"
        "    del x, stream, event\n"
        "    sys.stdout.flush()\n"
        "    os._exit(7)  # as multiprocessing's children end\n"
        "status = os.waitpid(pid, 0)[1]\n"
        "assert os.waitstatus_to_exitcode(status) == 7, status\n"
        "assert (x + 1).sum() == 15\n"
    )
    assert done.returncode == 0, done.stderr
    for part in ("forked after rocarray had used the device", "spawn", "forkserver"):
        assert part in done.stdout


def test_a_child_forked_before_first_use_works(run_python):
    done = run_python(
        "import os, rocarray as rp\n"
        "pid = os.fork()\n"
        "total = float(rp.arange(5.0).sum())\n"
        "if pid == 0:\n    os._exit(int(total))\n"
        "assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == total == 10\n"
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(
    "ROCARRAY_TEST_LAUNCHER" in os.environ,
    reason="an emulated device needs its launcher in front of each process",
)
@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_worker_processes(tmp_path, run_python, method):
    (tmp_path / "work.py").write_text(
        "import rocarray as rp\n"
        "def total(n):\n    return float(rp.arange(n).sum())\n"
        "def shifted(x):\n    return x + 1\n"
    )
    done = run_python(
        "import sys, multiprocessing\n"
        f"sys.path.insert(0, {str(tmp_path)!r})\n"
        "import work, rocarray as rp\n"
        "if __name__ == '__main__':\n"
        "    x = rp.arange(4)\n"
        f"    with multiprocessing.get_context({method!r}).Pool(2) as pool:\n"
        "        print(pool.map(work.total, [3, 4]), pool.apply(work.shifted, (x,)).tolist())\n"
    )
    assert (done.returncode, done.stdout) == (0, "[3.0, 6.0] [1, 2, 3, 4]\n"), done.stderr


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("cycle = [x]; cycle.append(cycle)", id="cycle"),
        pytest.param("import sys; sys.kept = [x, rp.hip.Event(), rp.hip.Stream()]", id="sys"),
        pytest.param("keep = [rp.ones(100_000) + k for k in range(50)]", id="pending-work"),
        pytest.param(
            "stream = rp.hip.Stream(); g = rp.hip.capture(stream)\n"
            "with g as graph:\n    y = x + 1\ngraph.launch()",
            id="graph",
        ),
        pytest.param(
            "k = rp.RawKernel('extern \"C\" __global__ void f(double* x) { x[0] = 1; }', 'f')\n"
            "k((1,), (1,), (x,))",
            id="module",
        ),
        pytest.param("p = rp.hip.PinnedMemory(100); a = rp.hip.pinned_empty(10)", id="pinned"),
        pytest.param("rp.hip.Stream().use()", id="current-stream"),
        pytest.param("class A:\n    def __del__(self): del self.x\na = A(); a.x = x", id="del"),
    ],
)
def test_what_is_alive_at_the_end_is_no_trouble(run_python, text):
    done = run_python(START + text + "\nprint('end', flush=True)\n")
    assert (done.returncode, done.stdout, done.stderr) == (0, "end\n", "")


@pytest.mark.parametrize("when", ["before", "after"])
def test_use_from_an_atexit_handler(run_python, when):
    """One that was registered before the import runs after rocarray's own."""
    handler = "import atexit\natexit.register(lambda: print(float((x + 1).sum()), flush=True))\n"
    done = run_python(handler + START if when == "before" else START + handler)
    assert (done.returncode, done.stdout, done.stderr) == (0, "15.0\n", "")


def test_first_use_in_an_atexit_handler(run_python):
    done = run_python(
        "import atexit, rocarray as rp\n"
        "atexit.register(lambda: print(float(rp.arange(5.0).sum()), flush=True))\n"
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "10.0\n", "")


def test_daemon_threads_at_work_while_the_interpreter_ends(run_python):
    done = run_python(
        START + "import threading, time\n"
        "def work():\n"
        "    y = rp.ones(1000)\n"
        "    while True:\n"
        "        y = rp.sqrt(y + 1)\n"
        "        with rp.hip.Stream():\n"
        "            z = y * 2\n"
        "for _ in range(4):\n"
        "    threading.Thread(target=work, daemon=True).start()\n"
        "time.sleep(0.3)\n"
        "print('end', flush=True)\n"
    )
    assert (done.returncode, done.stdout) == (0, "end\n"), done.stderr


def test_threads_that_end_leave_their_streams(run_python):
    done = run_python(
        START + "import threading\n"
        "results = []\n"
        "def work():\n"
        "    rp.hip.Stream().use()\n"
        "    y = rp.arange(1000.0) * 2\n"
        "    rp.hip.get_current_stream().synchronize()\n"
        "    results.append(y)\n"
        "for _ in range(20):\n"
        "    t = threading.Thread(target=work); t.start(); t.join()\n"
        "assert all(float(y.sum()) == 999000 for y in results)\n"
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("home", ["/proc/nowhere", "/dev/null", ""])
def test_an_unwritable_home(run_python, home):
    done = run_python(
        START + "double = rp.ElementwiseKernel('T x', 'T z', 'z = 2 * x', 'double_it')\n"
        "assert double(x).tolist() == [0, 2, 4, 6, 8]\n",
        HOME=home,
        XDG_CACHE_HOME="",
        AMD_COMGR_CACHE="0",  # these two would write into the working folder
        CCACHE_DISABLE="1",
        ROCARRAY_CACHE_DIR="",
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_corrupt_cache_file_is_compiled_again(run_python, tmp_path):
    program = START + (
        "double = rp.ElementwiseKernel('T x', 'T z', 'z = 2 * x', 'double_it')\n"
        "assert double(x).tolist() == [0, 2, 4, 6, 8]\n"
    )
    assert run_python(program, ROCARRAY_CACHE_DIR=str(tmp_path)).returncode == 0
    entries = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert entries
    for damage in (lambda b: b[: len(b) // 2], lambda b: b"", lambda b: b[:200] + b"\0" + b[201:]):
        for path in entries:
            path.write_bytes(damage(path.read_bytes()))
        done = run_python(program, ROCARRAY_CACHE_DIR=str(tmp_path))
        assert (done.returncode, done.stderr) == (0, "")
        entries = [path for path in tmp_path.rglob("*") if path.is_file()]


@pytest.mark.skipif(
    "ROCARRAY_TEST_LAUNCHER" in os.environ, reason="the emulator's launcher needs PATH"
)
def test_a_missing_compiler(run_python, tmp_path):
    """Packed kernels run; anything else says what to install."""
    done = run_python(
        "import rocarray as rp\n"
        "double = rp.ElementwiseKernel('T x', 'T z', 'z = 2 * x', 'double_it')\n"
        "try:\n    double(rp.empty(5))\nexcept Exception as error:\n    print(error)\n",
        ROCARRAY_PLATFORM="cpu",
        PATH="/nowhere",
        CXX="",
        ROCARRAY_CPU_CXX="",
        ROCARRAY_CACHE_DIR=str(tmp_path),
    )
    assert done.returncode == 0, done.stderr
    assert "C++ compiler" in done.stdout
    assert "apt" in done.stdout or "g++" in done.stdout


@pytest.mark.skipif(
    "ROCARRAY_TEST_LAUNCHER" in os.environ, reason="the emulator's launcher needs PATH"
)
def test_packed_kernels_need_no_compiler(run_python, tmp_path):
    from rocarray._core.kernel import current_architecture
    from rocarray._kernels import library

    if not any(True for _ in library.packed_code("ufunc/add", current_architecture())):
        pytest.skip("no pack of this architecture that is as new as the sources")
    done = run_python(
        "import rocarray as rp\nassert (rp.asarray([1.0, 2.0]) + 1).tolist() == [2, 3]\n",
        ROCARRAY_PLATFORM="cpu",
        PATH="/nowhere",
        CXX="",
        ROCARRAY_CACHE_DIR=str(tmp_path),
    )
    assert done.returncode == 0, done.stderr
