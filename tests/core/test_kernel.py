"""Modules, kernels and launches."""

import gc
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import rocarray as rp
from rocarray._core import kernel
from rocarray._kernels import compiler, library, packs, programs
from rocarray._rocm.errors import HIPError

SOURCE = """
struct Params { long n; float value; float *out; };
extern "C" __global__ void fill(Params p) {
    long step = (long)gridDim.x * blockDim.x;
    for (long i = (long)blockIdx.x * blockDim.x + threadIdx.x; i < p.n; i += step)
        p.out[i] = p.value;
}
template <class T> __global__ void nothing(T x) {}
"""
EMPTY = 'extern "C" __global__ void {}(long x) {{}}'
PARAMS = np.dtype([("n", "i8"), ("value", "f4"), ("pad", "i4"), ("out", "u8")])


@pytest.fixture(scope="module")
def module():
    return kernel.compile_module(SOURCE, name="fill.hip", name_expressions=["nothing<int>"])


def params_of(array, value):
    return np.array([(array.size, value, 0, array.data.ptr)], PARAMS).tobytes()


@pytest.mark.compiler
class TestModule:
    @pytest.mark.parametrize(("grid", "block"), [(1, 1), (3, 1), (2, 64), (5, 33)])
    def test_launch(self, module, grid, block):
        out = rp.zeros(1000, dtype="f4")
        kernel.launch_struct(module.get_function("fill"), grid, block, params_of(out, 2.5))
        np.testing.assert_array_equal(rp.asnumpy(out), np.full(1000, 2.5, "f4"))

    def test_a_kernel_is_made_once(self, module):
        assert module.get_function("fill") is module.get_function("fill")

    def test_a_name_expression(self, module):
        assert "nothing" in module.get_function("nothing<int>").name

    def test_an_unknown_kernel(self, module):
        with pytest.raises(HIPError) as caught:
            module.get_function("absent")
        assert "'fill.hip' has no kernel 'absent'" in caught.value.__notes__[0]

    @pytest.mark.parametrize(("grid", "block"), [(0, 1), (1, 0), (1 << 31, 2), (2**32 - 1, 1024)])
    def test_refused_grids(self, module, grid, block):
        with pytest.raises(ValueError, match=f"fill: {grid} workgroups of {block}"):
            kernel.launch_struct(module.get_function("fill"), grid, block, b"\0" * 24)

    def test_empty_params(self, module):
        with pytest.raises(ValueError, match="params is empty"):
            kernel.launch_struct(module.get_function("fill"), 1, 1, b"")

    def test_a_kernel_keeps_its_module_loaded(self):
        fill = kernel.compile_module(SOURCE, name="again.hip").get_function("fill")
        gc.collect()
        out = rp.zeros(10, dtype="f4")
        kernel.launch_struct(fill, 1, 1, params_of(out, 1.0))
        np.testing.assert_array_equal(rp.asnumpy(out), np.ones(10))

    def test_many_dropped_modules(self):
        for number in range(100):
            fill = kernel.compile_module(SOURCE, name="dropped.hip").get_function("fill")
            out = rp.zeros(10, dtype="f4")
            kernel.launch_struct(fill, 1, 1, params_of(out, number))
            assert float(out[9]) == number


@pytest.mark.parametrize("code", [b"", b"garbage", b"\x7fELF" + bytes(100)])
def test_what_is_no_code_object_is_refused(code):
    with pytest.raises((HIPError, ValueError)):
        kernel.load_module(code)


class TestGetKernel:
    PROGRAM = "ufunc/add"
    KERNEL = "add__ff_f"

    def test_is_the_same_object_each_time(self):
        assert kernel.get_kernel(self.PROGRAM, self.KERNEL) is kernel.get_kernel(
            self.PROGRAM, self.KERNEL
        )

    def test_threads_that_ask_together_get_the_same(self):
        with ThreadPoolExecutor(8) as pool:
            names = ["ufunc/multiply", "ufunc/subtract"] * 20
            found = list(pool.map(lambda name: kernel.get_kernel(name, f"{name[6:]}__dd_d"), names))
        assert len(set(map(id, found))) == 2

    def test_unknown_program(self):
        with pytest.raises(KeyError, match="nowhere/none"):
            kernel.get_kernel("nowhere/none", "none")

    def test_unknown_kernel(self):
        with pytest.raises(KeyError, match="no kernel 'none'"):
            kernel.get_kernel(self.PROGRAM, "none")

    @pytest.mark.compiler
    def test_packs_come_before_the_compiler(self, tmp_path, monkeypatch):
        architecture = kernel.current_architecture()
        program = programs.Program("ufunc/packed", (), {"packed": EMPTY.format("packed")})
        code = compiler.compile_request(compiler.program_request(program, architecture)).code
        packs.write_pack(tmp_path / "p.pack", architecture, {program.name: ("0" * 64, code)})
        monkeypatch.setattr(library, "open_packs", lambda _: [packs.Pack(tmp_path / "p.pack")])
        monkeypatch.setattr(library, "compiled_code", None)
        assert kernel.get_kernel(program.name, "packed").name == "packed"

    def test_a_damaged_pack_leaves_it_to_the_compiler(self, tmp_path, run_python):
        text = f"""
import shutil
from pathlib import Path
from rocarray._core import kernel
from rocarray._kernels import packs
folder = Path({str(tmp_path)!r})
entries = {{"{self.PROGRAM}": ("0" * 64, b"no code object")}}
packs.write_pack(packs.pack_path(kernel.current_architecture(), folder), "x", entries)
packs.open_packs.__defaults__ = (folder,)
print(kernel.get_kernel("{self.PROGRAM}", "{self.KERNEL}").name)
"""
        result = run_python(text)
        assert (result.stdout, result.stderr) == (self.KERNEL + "\n", "")


@pytest.mark.compiler
def test_kernels_that_outlive_the_interpreter_do_no_harm(run_python):
    text = f"""
import sys
from rocarray._core import kernel
sys.kept = kernel.compile_module({SOURCE!r}).get_function("fill")
print("done")
"""
    result = run_python(text)
    assert (result.returncode, result.stdout, result.stderr) == (0, "done\n", "")
