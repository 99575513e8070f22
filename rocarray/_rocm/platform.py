"""Which set of libraries implements ROCm's C API in this process, chosen at first use."""

import glob
import importlib.util
import os
import threading
from dataclasses import dataclass
from pathlib import Path

from rocarray._rocm import environment
from rocarray._rocm.errors import PlatformError

PLATFORMS_FOLDER = Path(__file__).parent.parent / "_platforms"
# The order in which names are tried: the unversioned one follows the installed default.
SONAMES = {
    "hip": ["libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"],
    "hiprtc": ["libhiprtc.so", "libhiprtc.so.7", "libhiprtc.so.6", "libhiprtc.so.5"],
}


@dataclass(frozen=True)
class Platform:
    """The chosen platform: its name, the libraries' paths and why it was chosen."""

    name: str
    libraries: dict
    reason: str


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


def library_path(library):
    """Path of a library of the current platform."""
    return current().libraries[library]


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
        return Platform(forced, libraries, "ROCARRAY_PLATFORM")
    for name in ("amd", "nvidia"):
        libraries, _ = _FINDERS[name]()
        if libraries is not None and _has_device(libraries["hip"]):
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
    from rocarray._rocm.loader import can_open

    path = PLATFORMS_FOLDER / "nvidia" / "libhip_nvidia.so"
    if not path.exists() or not can_open("libcuda.so.1"):
        return None, [str(path), "libcuda.so.1"]
    return {"hip": str(path), "hiprtc": str(path)}, [str(path)]


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
