"""Compiles through hipRTC on the running platform, and the cache in front of them."""

import pickle

import pytest

from rocarray._core.kernel import current_architecture
from rocarray._kernels import compiler, hiprtc_program, programs
from rocarray._kernels.cache import Compiled, KernelCache
from rocarray._kernels.compiler import CompileError, Request
from rocarray._rocm import platform

SOURCE = """
#include "scale.hpp"
extern "C" __global__ void twice(float *x) { x[blockIdx.x] = scale(x[blockIdx.x]); }
"""
HEADERS = {"scale.hpp": "__device__ inline float scale(float x) { return 2.0f * x; }\n"}


@pytest.fixture
def architecture():
    return current_architecture()


@pytest.fixture
def fresh_cache(tmp_path, monkeypatch):
    cache = KernelCache(tmp_path)
    monkeypatch.setattr(compiler, "shared_cache", lambda: cache)
    return cache


@pytest.fixture
def fake_compiler(monkeypatch):
    """Counts compiles instead of doing them."""
    calls = []

    def compile_program(source, name, headers, options, name_expressions):
        calls.append(name)
        return b"code of " + name.encode(), "", {}

    monkeypatch.setattr(hiprtc_program, "compile_program", compile_program)
    monkeypatch.setattr(hiprtc_program, "compiler_version", lambda: "test 1.0")
    return calls


def request_of(name="k.hip", source="text", options=()):
    return Request(source, name, {}, tuple(options), "x86-64-v3")


class TestCache:
    def test_a_compile_is_made_once(self, fresh_cache, fake_compiler):
        assert compiler.compile_cached(request_of()) == Compiled(b"code of k.hip", {})
        compiler.compile_cached(request_of())
        assert fake_compiler == ["k.hip"]

    def test_another_process_finds_it_on_disk(self, fresh_cache, fake_compiler, monkeypatch):
        compiler.compile_cached(request_of())
        monkeypatch.setattr(compiler, "shared_cache", lambda: KernelCache(fresh_cache.folder))
        compiler.compile_cached(request_of())
        assert len(fake_compiler) == 1

    def test_a_corrupt_file_is_compiled_again(self, fresh_cache, fake_compiler, monkeypatch):
        compiler.compile_cached(request_of())
        (file,) = fresh_cache.folder.glob("??/*")
        file.write_bytes(file.read_bytes()[:-1])
        monkeypatch.setattr(compiler, "shared_cache", lambda: KernelCache(fresh_cache.folder))
        assert compiler.compile_cached(request_of()).code == b"code of k.hip"
        assert len(fake_compiler) == 2

    def test_another_compiler_version_compiles_again(self, fresh_cache, fake_compiler, monkeypatch):
        compiler.compile_cached(request_of())
        monkeypatch.setattr(hiprtc_program, "compiler_version", lambda: "test 1.1")
        compiler.compile_cached(request_of())
        assert len(fake_compiler) == 2

    def test_name_expressions_are_part_of_the_key(self):
        plain = request_of()
        named = Request("text", "k.hip", {}, (), "x86-64-v3", ("f<int>",))
        assert plain.key != named.key


class TestExcerpt:
    LOG = "/tmp/comgr-1/input/k.hip:3:5: error: use of undeclared identifier 'z'\n1 error\n"

    def test_shows_the_line_with_its_neighbours(self):
        text = compiler.source_excerpt(self.LOG, "k.hip", "a\nb\nx = z;\nd\ne\nf", {})
        assert text.splitlines() == [
            "line 3 of k.hip:",
            "     1 | a",
            "     2 | b",
            ">    3 | x = z;",
            "       |     ^",
            "     4 | d",
            "     5 | e",
        ]

    def test_finds_lines_of_headers(self):
        text = compiler.source_excerpt("h.hpp:1:1: error: x", "k.hip", "", {"h.hpp": "bad"})
        assert ">    1 | bad" in text

    def test_random_folders_are_left_out_of_the_log(self):
        error = CompileError("k.hip", "gfx90a", self.LOG, "a\nb\nx = z;")
        assert error.log.startswith("k.hip:3:5: error")
        assert ">    3 | x = z;" in str(error)

    def test_an_error_crosses_processes(self):
        error = CompileError("k.hip", "gfx90a", self.LOG, "a\nb\nx = z;", {"h.hpp": ""})
        copy = pickle.loads(pickle.dumps(error))
        assert (str(copy), copy.log, copy.source) == (str(error), error.log, error.source)

    @pytest.mark.parametrize("log", ["", "error", "other.h:1:1: error: x", "k.hip:99:1: error: x"])
    def test_is_empty_where_the_log_names_no_line_of_ours(self, log):
        assert compiler.source_excerpt(log, "k.hip", "one\ntwo", {}) == ""


@pytest.mark.compiler
class TestRealCompiler:
    def test_compiles_with_in_memory_headers(self, architecture, fresh_cache):
        result = compiler.compile_source(
            SOURCE, architecture=architecture, name="twice.hip", headers=HEADERS
        )
        assert result.code.startswith((b"\x7fELF", b"__CLANG_OFFLOAD_BUNDLE__"))

    def test_lowered_names(self, architecture, fresh_cache):
        source = "template <class T> __global__ void fill(T *x) { x[blockIdx.x] = T(1); }"
        result = compiler.compile_source(
            source, architecture=architecture, name_expressions=["fill<float>", "fill<double>"]
        )
        assert len(set(result.lowered_names.values())) == 2

    def test_a_failure_has_log_and_source_line(self, architecture, fresh_cache):
        source = 'extern "C" __global__ void f(int *x) {\n  x[0] = undeclared_thing;\n}\n'
        with pytest.raises(CompileError) as caught:
            compiler.compile_source(source, architecture=architecture, name="bad.hip")
        assert "undeclared_thing" in caught.value.log
        assert ">    2 |   x[0] = undeclared_thing;" in str(caught.value)
        assert architecture in str(caught.value)

    def test_an_unknown_architecture_does_not_reach_the_compiler(self):
        with pytest.raises(ValueError, match="unknown architecture 'gfx0'"):
            compiler.compile_source(SOURCE, architecture="gfx0", headers=HEADERS)

    def test_a_nul_in_the_source_is_refused(self, architecture, fresh_cache):
        with pytest.raises(ValueError, match="NUL"):
            compiler.compile_source("int a;\0int b;", architecture=architecture)

    def test_program_of_one_line(self, architecture, fresh_cache):
        program = next(iter(programs.all_programs().values()))
        line = next(iter(program.instantiations.values()))
        request = compiler.program_request(program, architecture, line)
        assert compiler.compile_request(request).code


def test_a_missing_compiler_is_said_with_the_cure(tmp_path, run_python):
    text = (
        "import os\n"
        f"os.environ['PATH'] = {str(tmp_path)!r}\n"
        "from rocarray._kernels import compiler\n"
        "compiler.compile_source('int x;', architecture='x86-64-v3')\n"
    )
    result = run_python(
        text,
        ROCARRAY_PLATFORM="cpu",
        ROCARRAY_CPU_CXX="/nonexistent/g++",
        CXX="/nonexistent/g++",
        ROCARRAY_CACHE_DIR=str(tmp_path / "cache"),
    )
    assert result.returncode == 1
    assert "install" in result.stderr


def test_what_the_platform_adds_to_a_source_is_in_the_key(tmp_path, monkeypatch):
    folder = tmp_path / "cpu" / "device" / "hip"
    folder.mkdir(parents=True)
    monkeypatch.setattr(platform, "PLATFORMS_FOLDER", tmp_path)
    assert platform.headers_digest("cpu") == platform.headers_digest("amd") == ""
    digests = set()
    for name, text in [("a.h", "1"), ("a.h", "2"), ("b.h", "2"), ("b.h", "")]:
        (folder / name).write_text(text)
        digests.add(platform.headers_digest("cpu"))
    assert len(digests) == 4
    monkeypatch.undo()
    name = platform.current().name
    assert hiprtc_program.compiler_version().endswith(platform.headers_digest(name))
