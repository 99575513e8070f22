"""The nvidia platform over a stand-in for NVIDIA's driver (`stub_libcuda.cpp`), and without one.

What needs a GPU is tested by the whole suite with ROCARRAY_PLATFORM=nvidia on one.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from rocarray._rocm.specs import hip, hiprtc

HERE = Path(__file__).parent
SOURCES = HERE.parents[2] / "rocarray" / "_platforms" / "nvidia" / "src"
COMPILER = os.environ.get("CXX") or shutil.which("g++") or shutil.which("c++")

pytestmark = [
    pytest.mark.compiler,
    pytest.mark.skipif(not COMPILER, reason="no C++ compiler"),
]


@pytest.fixture(scope="module")
def driver_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("driver")
    command = [COMPILER, "-std=c++17", "-O1", "-shared", "-fPIC", f"-I{SOURCES}"]
    command += [str(HERE / "stub_libcuda.cpp"), "-o", str(folder / "libcuda.so.1")]
    subprocess.run(command, check=True)
    return folder


@pytest.fixture
def run_with(driver_folder):
    """Runs a text on the nvidia platform over the stand-in; returns what it prints."""

    def run(text, **environment):
        result = python(text, LD_LIBRARY_PATH=str(driver_folder), **environment)
        assert result.returncode == 0, result.stderr
        return result.stdout.strip()

    return run


def python(text, **environment):
    environment = {**os.environ, "ROCARRAY_PLATFORM": "nvidia", **environment}
    return subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, env=environment, timeout=120
    )


def error_of(call):
    return f"""
import rocarray as rp, numpy as np
try:
    {call}
except Exception as error:
    print(type(error).__name__, error)
"""


def test_every_function_of_the_specs_is_there():
    from rocarray._rocm import platform

    path = platform.PLATFORMS_FOLDER / "nvidia" / "libhip_nvidia.so"
    text = (
        "import ctypes, sys\n"
        "library = ctypes.CDLL(sys.argv[1])\n"
        "print([name for name in sys.argv[2:] if not hasattr(library, name)])\n"
    )
    names = [function.name for function in [*hip.FUNCTIONS, *hiprtc.FUNCTIONS]]
    result = subprocess.run(
        [sys.executable, "-c", text, str(path), *names], capture_output=True, text=True
    )
    assert result.stdout.strip() == "[]", result.stderr


class TestWithoutDriver:
    def test_is_refused_with_the_cure(self, tmp_path):
        if os.path.exists("/usr/local/nvidia") or shutil.which("nvidia-smi"):
            pytest.skip("this device has NVIDIA's driver")
        result = python("import rocarray as rp; rp.zeros(3)", LD_LIBRARY_PATH=str(tmp_path))
        assert result.returncode == 1
        assert "PlatformError: nvidia: NVIDIA's driver was not found" in result.stderr
        assert "Install NVIDIA's driver" in result.stderr

    def test_no_device_is_an_error(self, driver_folder):
        result = python(
            "import rocarray as rp; rp.zeros(3)",
            LD_LIBRARY_PATH=str(driver_folder),
            STUB_DEVICES="0",
        )
        assert "hipErrorNoDevice" in result.stderr

    def test_is_not_chosen_without_a_device(self, driver_folder):
        text = "from rocarray._rocm import platform; print(platform.current().name)"
        for n_devices, name in (("0", "cpu"), ("1", "nvidia")):
            result = python(
                text,
                LD_LIBRARY_PATH=str(driver_folder),
                STUB_DEVICES=n_devices,
                ROCARRAY_PLATFORM="",
            )
            assert result.stdout.strip() == name, result.stderr


class TestDevices:
    def test_properties(self, run_with):
        text = """
import rocarray as rp
device = rp.hip.Device(1)
print(rp.hip.get_device_count(), device.name, device.warp_size, device.id)
"""
        assert run_with(text, STUB_DEVICES="2") == "2 Stub 1 32 1"

    def test_the_context_of_the_device_is_current(self, run_with, tmp_path):
        trace = tmp_path / "trace"
        text = """
import rocarray as rp
for number in (0, 1, 0):
    with rp.hip.Device(number):
        rp.empty(10).data.ptr
        rp.hip.Stream()
"""
        run_with(text, STUB_DEVICES="2", STUB_TRACE=str(trace))
        calls = trace.read_text().split()
        assert calls.count("cuDevicePrimaryCtxRetain") == 2
        # A device's context is made current where another was; the stub would refuse a stream
        # without one.
        assert calls.count("cuCtxSetCurrent") >= 3


class TestMemory:
    @pytest.mark.parametrize("n_items", [0, 1, 1000])
    def test_a_round_trip(self, run_with, n_items):
        text = f"""
import numpy as np, rocarray as rp
a = np.arange({n_items}.0)
assert (rp.asnumpy(rp.asarray(a)) == a).all()
print("equal")
"""
        assert run_with(text) == "equal"

    def test_what_a_pointer_is(self, run_with):
        text = """
import ctypes, numpy as np, rocarray as rp
from rocarray._rocm import platform
on_device, on_host = rp.zeros(4), rp.hip.pinned_empty(4, "f8")
library = ctypes.CDLL(platform.library_path("hip"))
for pointer in (on_device.data.ptr, on_host.ctypes.data, np.ones(4).ctypes.data):
    attributes = (ctypes.c_int * 8)()
    status = library.hipPointerGetAttributes(attributes, ctypes.c_void_p(pointer))
    print(status, attributes[0], attributes[1])
"""
        # Device, host; memory that the driver does not know has no type and no device.
        assert run_with(text).splitlines() == ["0 2 0", "0 1 0", "1 0 -2"]

    def test_out_of_memory(self, run_with):
        got = run_with(error_of("rp.empty(2**40, 'u1')"))
        assert got.startswith("DeviceMemoryError")
        assert "1,099,511,627,776" in got


class TestErrors:
    @pytest.mark.parametrize(
        ("code", "name"),
        [
            (1, "hipErrorInvalidValue"),
            (2, "hipErrorOutOfMemory"),
            (36, "hipErrorInsufficientDriver"),
            (201, "hipErrorInvalidContext"),
            (222, "hipErrorNoBinaryForGpu"),
            (400, "hipErrorInvalidHandle"),
            (700, "hipErrorIllegalAddress"),
            (715, "hipErrorLaunchFailure"),
            (716, "hipErrorIllegalAddress"),
            (719, "hipErrorLaunchFailure"),
            (800, "hipErrorNotSupported"),
            (900, "hipErrorStreamCaptureUnsupported"),
            (911, "hipErrorUnknown"),
            (12345, "hipErrorUnknown"),
        ],
    )
    def test_a_driver_code_becomes_hips(self, run_with, code, name):
        got = run_with(error_of("rp.hip.Stream()"), STUB_FAIL=f"cuStreamCreateWithPriority={code}")
        assert re.search(rf"\b{name}\b", got), got

    def test_a_missing_function_needs_a_newer_driver(self, run_with):
        # The stand-in has no cuGraphUpload.
        text = """
import ctypes, rocarray as rp
from rocarray._rocm import platform
rp.hip.Device(0).name
library = ctypes.CDLL(platform.library_path("hip"))
print(library.hipGraphUpload(None, None), library.hipGetLastError(), library.hipGetLastError())
"""
        assert run_with(text) == "35 35 0"

    @pytest.mark.parametrize("image", ["b'garbage' * 20", "b'\\x7fELF' + bytes(100)"])
    def test_no_code_object(self, run_with, tmp_path, image):
        trace = tmp_path / "trace"
        got = run_with(
            error_of(f"__import__('rocarray._core.kernel').kernel.load_module({image})").replace(
                "__import__('rocarray._core.kernel').kernel",
                "__import__('importlib').import_module('rocarray._core.kernel')",
            ),
            STUB_TRACE=str(trace),
        )
        assert "hipErrorInvalidImage" in got
        assert "cuModuleLoadData" not in trace.read_text()


class TestStreams:
    def test_callbacks_get_hips_status(self, run_with):
        text = """
import ctypes, rocarray as rp
from rocarray._rocm import platform
rp.hip.Device(0).name
library = ctypes.CDLL(platform.library_path("hip"))
kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
call = kind(lambda stream, status, data: print(status, data))
library.hipStreamAddCallback.argtypes = [ctypes.c_void_p, kind, ctypes.c_void_p, ctypes.c_uint]
library.hipStreamAddCallback(None, call, 77, 0)
"""
        assert run_with(text, STUB_FAIL="callback=716") == "700 77"

    def test_capture(self, run_with):
        text = """
import ctypes, rocarray as rp
stream = rp.hip.Stream()
stream.begin_capture()
graph = stream.end_capture()
graph.launch(stream)
print(type(graph).__name__)
"""
        assert run_with(text) == "Graph"

    def test_elapsed_time(self, run_with):
        text = """
import rocarray as rp
start, stop = rp.hip.Event(), rp.hip.Event()
start.record(); stop.record(); stop.synchronize()
print(rp.hip.get_elapsed_time(start, stop))
"""
        assert run_with(text) == "1.5"


class TestLaunch:
    LAUNCH = """
import ctypes, rocarray as rp
from rocarray._rocm import platform
rp.hip.Device(0).name
library = ctypes.CDLL(platform.library_path("hip"))
module, function = ctypes.c_void_p(), ctypes.c_void_p()
image = b".version 8.0" + bytes(64)
assert library.hipModuleLoadData(ctypes.byref(module), image) == 0
assert library.hipModuleGetFunction(ctypes.byref(function), module, b"kernel") == 0
assert library.hipModuleGetFunction(ctypes.byref(ctypes.c_void_p()), module, b"absent") == 500
def launch(grid, block, lds=0, extra=None):
    return library.hipModuleLaunchKernel(function, *grid, *block, lds, None, None, extra)
"""

    def test_shapes(self, run_with):
        text = (
            self.LAUNCH
            + """
shapes = [((1, 1, 1), (1, 1, 1)), ((0, 1, 1), (1, 1, 1)), ((1, 1, 1), (1025, 1, 1)),
          ((1, 1, 1), (32, 32, 2)), ((2**31, 1, 1), (2, 1, 1))]
print([launch(*shape) for shape in shapes])
"""
        )
        assert run_with(text) == "[0, 9, 9, 9, 9]"

    def test_much_lds_is_allowed_without_asking(self, run_with, tmp_path):
        trace = tmp_path / "trace"
        text = self.LAUNCH + "print(launch((1, 1, 1), (1, 1, 1), lds=65536))"
        assert run_with(text, STUB_TRACE=str(trace)) == "0"
        assert "cuFuncSetAttribute" in trace.read_text()

    def test_the_marks_of_packed_arguments_are_translated(self, run_with):
        text = (
            self.LAUNCH
            + """
size = ctypes.c_size_t(16)
extra = (ctypes.c_void_p * 5)(1, 12345, 2, ctypes.addressof(size), 3)
print(launch((1, 1, 1), (1, 1, 1), extra=extra))
"""
        )
        assert run_with(text) == "0"


@pytest.fixture
def compile_with(run_with):
    """Compiles a text; returns the first bytes of the code or the error, and the log."""

    def run(source, options=()):
        text = f"""
import rocarray as rp
from rocarray._kernels import hiprtc_program
options = ["--offload-arch=sm_90", *{list(options)!r}]
code, log, _ = hiprtc_program.compile_program({source!r}, "k.hip", {{}}, options)
print(code and code[:4], log)
"""
        got = run_with(text)
        if "NVRTC (libnvrtc.so) was not found" in got:
            pytest.skip("this machine lacks NVRTC")
        return got

    return run


KERNEL = """#include <hip/hip_runtime.h>
extern "C" __global__ void k(float *x, long *n, double *y) {
    HIP_DYNAMIC_SHARED(float, lds)
    lds[hipThreadIdx_x] = __shfl_xor(x[threadIdx.x], 1) + __builtin_inff();
    __syncthreads();
    unsigned long long lanes = __ballot(x[0] > 0);
    atomicAdd(n, 3L), atomicMax(y, 2.0), atomicMin(n, (long)__popcll(lanes));
    y[0] = __shfl_down(y[1], 2, warpSize);
}
"""


class TestCompiler:
    def test_hips_names(self, compile_with):
        assert compile_with(KERNEL) == r"b'\x7fELF'"

    def test_options(self, compile_with):
        options = ["-O2", "-std=gnu++14", "-ffp-contract=off", "-DN=3", "-I", "/tmp", "-w", "-g"]
        assert compile_with("__device__ int n = N;", options) == r"b'\x7fELF'"

    def test_an_option_without_meaning_is_noted(self, compile_with):
        got = compile_with("", ["-mcumode"])
        assert "note: option -mcumode has no meaning on the nvidia platform" in got

    def test_another_architecture_becomes_the_devices(self, compile_with):
        got = compile_with("", ["--offload-arch=gfx90a"])
        assert "note: compiled for sm_90 instead of gfx90a" in got

    @pytest.mark.parametrize("option", ["-D", "word", "-fgpu-rdc"])
    def test_a_wrong_option(self, compile_with, option):
        got = compile_with("", [option])
        assert got.startswith("None error: option ")
        assert option in got

    def test_places_in_the_log_are_clangs(self, compile_with):
        assert "k.hip:2: error: " in compile_with("int a;\nint b = c;")

    def test_a_missing_nvrtc_is_said_with_the_cure(self, run_with):
        # What the packs hold runs without it.
        text = error_of("rp.RawModule(code='int f() { return 1; }').get_function('f')")
        got = run_with(text)
        if "NVRTC" not in got:
            pytest.skip("this device has NVRTC")
        assert "pip install nvidia-cuda-nvrtc" in got
