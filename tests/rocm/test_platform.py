"""Which libraries a process takes, and what it says where they are missing or too old."""

import os
import shutil
import subprocess

import pytest

from rocarray._rocm import environment, errors, platform

ONE_SUM = "import rocarray as rp\nprint(int(rp.arange(5).sum()))\n"


@pytest.fixture
def stub(tmp_path):
    """Builds a shared library from C text; returns its folder."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("c++")
    if compiler is None:
        pytest.skip("no C compiler")

    def build(name, text):
        folder = tmp_path / "lib"
        folder.mkdir(exist_ok=True)
        source = tmp_path / f"{name}.c"
        source.write_text(text)
        subprocess.run(
            [compiler, "-shared", "-fPIC", "-o", folder / name, source], check=True, timeout=60
        )
        return tmp_path

    return build


def test_import_loads_no_library(run_python):
    done = run_python(
        "import rocarray as rp, rocarray.hip, rocarray.testing\n"
        "maps = open('/proc/self/maps').read()\n"
        "names = ['libhip_cpu', 'libhip_nvidia', 'libamdhip64', 'libhiprtc', 'libcuda']\n"
        "print([name for name in names if name in maps])\n"
        "from rocarray._rocm import platform\n"
        "print(platform._current)\n"
    )
    assert (done.returncode, done.stdout) == (0, "[]\nNone\n"), done.stderr


def test_import_needs_no_known_platform(run_python):
    done = run_python("import rocarray; print('ok')", ROCARRAY_PLATFORM="none")
    assert (done.returncode, done.stdout) == (0, "ok\n"), done.stderr


def test_an_unknown_platform(run_python):
    done = run_python(ONE_SUM, ROCARRAY_PLATFORM="vulkan")
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert "PlatformError: ROCARRAY_PLATFORM='vulkan'" in last
    assert "amd, nvidia, cpu" in last


def test_no_gpu_means_cpu_without_noise(run_python):
    done = run_python(
        ONE_SUM + "from rocarray._rocm import platform\nprint(platform.current().reason)\n",
        ROCARRAY_PLATFORM="",
        ROCM_PATH="/nowhere",
        HIP_VISIBLE_DEVICES="-1",
        CUDA_VISIBLE_DEVICES="-1",
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert done.stdout.startswith("10\n")


@pytest.mark.parametrize(
    ("name", "cures"),
    [
        ("amd", ["libamdhip64.so", "Install ROCm", "ROCM_PATH"]),
        ("nvidia", ["Install NVIDIA's driver", "cpu platform"]),
    ],
)
def test_a_forced_platform_that_is_not_there(run_python, monkeypatch, name, cures):
    monkeypatch.setattr(platform, "_FINDERS", {name: lambda: (None, ["libamdhip64.so", "x.so"])})
    monkeypatch.setenv("ROCARRAY_PLATFORM", name)
    with pytest.raises(errors.PlatformError, match=f"ROCARRAY_PLATFORM={name}, but") as caught:
        platform._choose()
    for cure in cures:
        assert cure in str(caught.value)


def test_a_missing_cpu_library(monkeypatch, tmp_path):
    monkeypatch.setattr(platform, "PLATFORMS_FOLDER", tmp_path)
    monkeypatch.setenv("ROCARRAY_PLATFORM", "cpu")
    with pytest.raises(errors.PlatformError, match=r"libhip_cpu.so.*reinstall rocarray"):
        platform._choose()


def test_libraries_are_looked_for_in_the_folders_of_rocm(run_python, stub):
    folder = stub("libamdhip64.so", "int hipInit(unsigned f) { return 100; }")
    stub("libhiprtc.so", "int hiprtcVersion(int* a, int* b) { *a = *b = 1; return 0; }")
    done = run_python(
        "from rocarray._rocm import platform\nprint(platform.current().libraries['hip'])\n",
        ROCARRAY_PLATFORM="amd",
        ROCM_PATH=str(folder),
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{folder}/lib/libamdhip64.so\n"


def test_a_platform_without_a_device_says_so(run_python, stub):
    """The driver is there, the device is not: hipInit returns hipErrorNoDevice."""
    folder = stub(
        "libamdhip64.so",
        "int hipInit(unsigned f) { return 100; }\n"
        "int hipGetDeviceCount(int* n) { *n = 0; return 100; }\n"
        'const char* hipGetErrorName(int code) { return "hipErrorNoDevice"; }\n',
    )
    stub("libhiprtc.so", "int hiprtcVersion(int* a, int* b) { *a = *b = 1; return 0; }")
    done = run_python(ONE_SUM, ROCARRAY_PLATFORM="amd", ROCM_PATH=str(folder))
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    for part in ("PlatformError: no usable device", "hipErrorNoDevice (100)", "rocminfo", "render"):
        assert part in last
    # Not forced, the same machine computes on the cpu platform.
    done = run_python(ONE_SUM, ROCARRAY_PLATFORM="", ROCM_PATH=str(folder))
    assert (done.returncode, done.stdout) == (0, "10\n"), done.stderr


def test_a_missing_function_names_itself_and_the_library(run_python, stub):
    folder = stub("libamdhip64.so", "int hipInit(unsigned f) { return 0; }\n")
    stub("libhiprtc.so", "int nothing;\n")
    done = run_python(ONE_SUM, ROCARRAY_PLATFORM="amd", ROCM_PATH=str(folder))
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert "MissingFunctionError" in last
    assert f"{folder}/lib/libamdhip64.so has no function hipGetDeviceCount" in last


@pytest.mark.skipif(
    "ROCARRAY_TEST_LAUNCHER" in os.environ,
    reason="the emulator's launcher has AMD's libraries in its path",
)
def test_a_broken_library_is_named(run_python, tmp_path):
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "libamdhip64.so").write_text("no library")
    done = run_python(ONE_SUM, ROCARRAY_PLATFORM="amd", ROCM_PATH=str(tmp_path))
    assert done.returncode == 1
    assert "libamdhip64.so" in done.stderr.splitlines()[-1]


def test_errors_keep_code_name_and_function():
    import pickle

    error = errors.make_error("HIPError", "hipMalloc", 2, "hipErrorOutOfMemory")
    assert isinstance(error, errors.DeviceMemoryError)
    assert isinstance(error, MemoryError)
    assert str(error) == "hipMalloc failed: hipErrorOutOfMemory (2)"
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), again.code, again.name) == (type(error), 2, "hipErrorOutOfMemory")
    error = errors.make_error("HIPError", "hipInit", 100, "hipErrorNoDevice")
    assert type(error) is errors.HIPError
    assert isinstance(error, errors.ROCmError)
    assert error.library == "hip"


def test_only_documented_variables_are_read():
    with pytest.raises(KeyError, match="ROCARRAY_NOTHING"):
        environment.get("ROCARRAY_NOTHING")
