"""Which set of libraries implements ROCm's C API in this process, chosen at first use."""

import glob
import hashlib
import importlib.util
import os
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path

from rocarray._rocm import environment
from rocarray._rocm.errors import PlatformError

PLATFORMS_FOLDER = Path(__file__).parent.parent / "_platforms"
# The order in which names are tried: the unversioned one follows the installed default.
SONAMES = {
    "hip": ["libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"],
    "hiprtc": ["libhiprtc.so", "libhiprtc.so.7", "libhiprtc.so.6", "libhiprtc.so.5"],
}
# Where the loader does not know it: WSL, some containers. `_platforms/nvidia` looks in the same.
NVIDIA_DRIVERS = [
    "libcuda.so.1",
    "/usr/lib/wsl/lib/libcuda.so.1",
    "/usr/local/nvidia/lib64/libcuda.so.1",
]


@dataclass(frozen=True)
class Platform:
    """The chosen platform: its name, the libraries' paths and why it was chosen.

    `problems` says of libraries that are there, but can only fail, what is missing.
    """

    name: str
    libraries: dict
    reason: str
    problems: dict = field(default_factory=dict)

    @property
    def dlpack_device_type(self):
        """The number of such devices in DLPack's specification."""
        return {"cpu": 1, "nvidia": 2, "amd": 10}[self.name]


_current = None
_lock = threading.Lock()


def current():
    """The process's platform; the first call chooses it."""
    global _current
    if _current is None:
        with _lock:
            if _current is None:
                _current = _choose()
    return _current


def headers_digest(name):
    """Digest of the device headers that a platform of ours adds to each source; '' if none is."""
    folder = PLATFORMS_FOLDER / name / "device"
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    if not files:
        return ""
    digest = hashlib.sha256()
    for path in files:
        text = path.read_bytes()
        digest.update(f"{path.relative_to(folder)}\0{len(text)}\0".encode() + text)
    return digest.hexdigest()[:16]


def library_path(library):
    """Path of a library of the current platform."""
    chosen = current()
    if library in chosen.problems:
        raise PlatformError(f"{chosen.name}: {chosen.problems[library]} {_CURES[chosen.name]}")
    return chosen.libraries[library]


def _choose():
    forced = environment.get("ROCARRAY_PLATFORM")
    if forced is not None:
        if forced not in _FINDERS:
            raise PlatformError(
                f"ROCARRAY_PLATFORM={forced!r} is not a platform; allowed: amd, nvidia, cpu"
            )
        libraries, tried = _FINDERS[forced]()
        if libraries is None:
            raise PlatformError(
                f"ROCARRAY_PLATFORM={forced}, but its libraries were not found. "
                f"Looked for: {', '.join(tried)}. {_CURES[forced]}"
            )
        return Platform(forced, libraries, "ROCARRAY_PLATFORM", _problems(forced))
    for name in ("amd", "nvidia"):
        libraries, _ = _FINDERS[name]()
        if libraries is not None and not _problems(name) and _has_device(libraries["hip"]):
            return Platform(name, libraries, f"a device of {name} was found")
    libraries, tried = _find_cpu()
    if libraries is None:
        raise PlatformError(
            f"the cpu platform's library is missing: {', '.join(tried)}. {_CURES['cpu']}"
        )
    return Platform("cpu", libraries, "no GPU was found")


def _has_device(path):
    from rocarray._rocm.loader import count_devices

    return count_devices(path) > 0


def rocm_folders():
    """Folders that may hold ROCm's libraries, the most specific first."""
    folders = [
        os.path.join(os.environ[name], "lib")
        for name in ("ROCM_PATH", "ROCM_HOME", "HIP_PATH")
        if os.environ.get(name)
    ]
    # The pip wheels of ROCm (rocm-sdk-core) unpack to _rocm_sdk_core/lib.
    for package in ("_rocm_sdk_core", "_rocm_sdk_libraries"):
        spec = importlib.util.find_spec(package)
        if spec is not None and spec.submodule_search_locations:
            folders.append(os.path.join(next(iter(spec.submodule_search_locations)), "lib"))
    folders.append("/opt/rocm/lib")
    return folders


def _find_amd():
    from rocarray._rocm.loader import can_open

    libraries, tried = {}, []
    for library, names in SONAMES.items():
        candidates = [os.path.join(folder, name) for folder in rocm_folders() for name in names]
        candidates = [path for path in candidates if os.path.exists(path)] + names
        # Wheels carry only versioned names that may be newer than the list above.
        for folder in rocm_folders():
            candidates += sorted(glob.glob(os.path.join(folder, names[0] + ".*")))
        for path in candidates:
            tried.append(path)
            if can_open(path):
                libraries[library] = path
                break
        else:
            return None, tried
    return libraries, tried


def _find_nvidia():
    from rocarray._rocm.loader import set_folders

    path = PLATFORMS_FOLDER / "nvidia" / "libhip_nvidia.so"
    if not path.exists():
        return None, [str(path)]
    set_folders(str(path), "rocarray_nvidia_set_folders", cuda_folders())
    return {"hip": str(path), "hiprtc": str(path)}, [str(path)]


def cuda_folders():
    """Folders of pip's packages of CUDA libraries: nvidia/cu13/lib, nvidia/cuda_nvrtc/lib ..."""
    folders = []
    for entry in sys.path:
        folders += sorted(glob.glob(os.path.join(glob.escape(entry), "nvidia", "*", "lib")))
    return folders


def _problems(name):
    """What keeps a platform whose libraries were found from having any device.

    Kernels can be compiled without a driver, so its absence is no reason to refuse the platform.
    """
    from rocarray._rocm.loader import can_open

    if name != "nvidia" or any(can_open(driver) for driver in NVIDIA_DRIVERS):
        return {}
    return {"hip": f"NVIDIA's driver was not found. Looked for: {', '.join(NVIDIA_DRIVERS)}."}


def _find_cpu():
    path = PLATFORMS_FOLDER / "cpu" / "libhip_cpu.so"
    if not path.exists():
        return None, [str(path)]
    return {"hip": str(path), "hiprtc": str(path)}, [str(path)]


_FINDERS = {"amd": _find_amd, "nvidia": _find_nvidia, "cpu": _find_cpu}
_CURES = {
    "amd": "Install ROCm 5.7 or newer, or set ROCM_PATH to its folder; without a GPU, unset "
    "ROCARRAY_PLATFORM and the cpu platform is used.",
    "nvidia": "Install NVIDIA's driver; without a GPU, unset ROCARRAY_PLATFORM and the cpu "
    "platform is used.",
    "cpu": "It is built with the package: reinstall rocarray.",
}
