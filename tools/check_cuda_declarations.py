"""Proves the nvidia platform's own declarations against NVIDIA's headers.

    python tools/check_cuda_declarations.py /usr/local/cuda/include [folder ...]

The folders hold cuda.h, cudaProfiler.h and nvrtc.h (CUDA 12 or newer); without arguments, those of
$CUDA_PATH, of /usr/local/cuda and of pip's packages are taken. Checked are the parameters of every
function, the constants, the device attributes' numbers, the layout of structs, and that the codes
that both HIP and CUDA have under one name are equal.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "rocarray" / "_platforms" / "nvidia" / "src"
ABI = ROOT / "rocarray" / "_platforms" / "include"

HEAD = """
#include <cuda.h>
#include <nvrtc.h>
#include <type_traits>
#if __has_include(<cudaProfiler.h>)
#include <cudaProfiler.h>
#define HAS_PROFILER
#endif
#include "cuda_abi.h"
#include "nvrtc_abi.h"
#include "hip_abi.h"

// A type of ours may stand for one of theirs: the same, or an integer of the same size for an enum,
// also behind pointers.
template <class Ours, class Theirs>
constexpr bool same() {
    if constexpr (std::is_same_v<Ours, Theirs>)
        return true;
    else if constexpr (std::is_pointer_v<Ours> && std::is_pointer_v<Theirs>) {
        using A = std::remove_pointer_t<Ours>;
        using B = std::remove_pointer_t<Theirs>;
        if constexpr (std::is_function_v<A> || std::is_function_v<B>)
            return sizeof(Ours) == sizeof(Theirs);
        else if constexpr (std::is_class_v<A> && std::is_class_v<B>)
            return std::is_const_v<A> == std::is_const_v<B>;
        else
            return same<std::remove_cv_t<A>, std::remove_cv_t<B>>();
    } else if constexpr (std::is_enum_v<Theirs>)
        return std::is_integral_v<Ours> && sizeof(Ours) == sizeof(Theirs);
    else
        return std::is_integral_v<Ours> && std::is_integral_v<Theirs> &&
               sizeof(Ours) == sizeof(Theirs) &&
               std::is_signed_v<Ours> == std::is_signed_v<Theirs>;
}

template <class Ours, class Theirs>
struct Compatible : std::false_type {};
template <class R, class... A, class S, class... B>
struct Compatible<R(A...), S(B...)> {
    static constexpr bool value = [] {
        if constexpr (sizeof...(A) == sizeof...(B))
            return same<R, S>() && (same<A, B>() && ...);
        else
            return false;
    }();
};
#define CHECK(symbol, arguments)                                                    \\
    static_assert(Compatible<int arguments, std::remove_pointer_t<decltype(&symbol)>>::value, \\
                  #symbol);
"""


def functions(text, macro):
    """Pairs (symbol, arguments) of a list X(symbol, (arguments))."""
    body = text[text.index(f"#define {macro}(X)") :]
    body = body[: body.index("\n\n")].replace("\\\n", " ")
    return [
        (name, " ".join(arguments.split()))
        for name, arguments in re.findall(r"X\(\s*(\w+),\s*(\([^()]*\))\)", body)
    ]


def constants(text):
    """Pairs (our constant, CUDA's name), from the comments beside them."""
    return re.findall(r"constexpr \w+ (k\w+) = \w+;\s*// (CU(?:DA)?_\w+|NVRTC_\w+)$", text, re.M)


def attributes(text):
    """Pairs (HIP's attribute, CUDA's number)."""
    return re.findall(r"\{hipDeviceAttribute(\w+), (\d+)\}", text)


# HIP's device attributes whose names CUDA spells otherwise; the rest follow from the words.
SPELLINGS = {
    "AccessPolicyMaxWindowSize": "MAX_ACCESS_POLICY_WINDOW_SIZE",
    "DeviceOverlap": "GPU_OVERLAP",
    "IsMultiGpuBoard": "MULTI_GPU_BOARD",
    "MaxBlocksPerMultiProcessor": "MAX_BLOCKS_PER_MULTIPROCESSOR",
    "MaxSharedMemoryPerMultiprocessor": "MAX_SHARED_MEMORY_PER_MULTIPROCESSOR",
    "MaxThreadsDim": "MAX_BLOCK_DIM_X",
    "MaxThreadsPerMultiProcessor": "MAX_THREADS_PER_MULTIPROCESSOR",
    "MemoryBusWidth": "GLOBAL_MEMORY_BUS_WIDTH",
    "MemoryPoolSupportedHandleTypes": "MEMPOOL_SUPPORTED_HANDLE_TYPES",
    "MultiGpuBoardGroupID": "MULTI_GPU_BOARD_GROUP_ID",
    "MultiprocessorCount": "MULTIPROCESSOR_COUNT",
    "PciDomainID": "PCI_DOMAIN_ID",
    "PersistingL2CacheMaxSize": "MAX_PERSISTING_L2_CACHE_SIZE",
    "PhysicalMultiProcessorCount": "MULTIPROCESSOR_COUNT",
    "ReservedSharedMemPerBlock": "RESERVED_SHARED_MEMORY_PER_BLOCK",
    "SharedMemPerBlockOptin": "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN",
    "SharedMemPerMultiprocessor": "MAX_SHARED_MEMORY_PER_MULTIPROCESSOR",
    "CanUseHostPointerForRegisteredMem": "CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM",
    "L2CacheSize": "L2_CACHE_SIZE",
    "GlobalL1CacheSupported": "GLOBAL_L1_CACHE_SUPPORTED",
    "LocalL1CacheSupported": "LOCAL_L1_CACHE_SUPPORTED",
}


# CUDA's names that came with a version.
SINCE = {"CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER": 13000}


def cuda_attribute(name):
    words = SPELLINGS.get(name) or re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).upper()
    return f"CU_DEVICE_ATTRIBUTE_{words}"


# Codes that errors.cpp gives another meaning: HIP's number means something else there.
TRANSLATED = {"hipErrorInvalidChannelDescriptor", "hipErrorInvalidTexture"}


def common_errors(abi, cuda_header):
    """Pairs (HIP's code, CUDA's) of one number, for the names that say the same."""
    theirs = {
        re.sub("_", "", name).lower(): f"CUDA_ERROR_{name}"
        for name in re.findall(r"\bCUDA_ERROR_(\w+)\s*=", cuda_header)
    }
    for name in dict.fromkeys(re.findall(r"\bhipError(\w+) = \d+", abi)):
        if f"hipError{name}" not in TRANSLATED and name.lower() in theirs:
            yield f"hipError{name}", theirs[name.lower()]


def source(folders):
    cuda_abi = (SOURCES / "cuda_abi.h").read_text()
    nvrtc_abi = (SOURCES / "nvrtc_abi.h").read_text()
    header = next(f / "cuda.h" for f in folders if (f / "cuda.h").exists()).read_text("latin-1")
    lines = [HEAD, "namespace check {", "using namespace cuda;"]
    for text, macro in ((cuda_abi, "CUDA_FUNCTIONS"), (nvrtc_abi, "NVRTC_FUNCTIONS")):
        for name, arguments in functions(text, macro):
            check = f"CHECK({name}, {arguments})"
            if "Profiler" in name:
                check = f"#ifdef HAS_PROFILER\n{check}\n#endif"
            lines.append(check)
    lines.append("}")
    for ours, theirs in constants(cuda_abi) + constants(nvrtc_abi):
        lines.append(f"#if CUDA_VERSION >= {SINCE.get(theirs, 0)}")
        lines.append(f'static_assert(cuda::{ours} == {theirs}, "{ours}");\n#endif')
    for name, number in attributes((SOURCES / "devices.cpp").read_text()):
        lines.append(f'static_assert({number} == {cuda_attribute(name)}, "{name}");')
    for ours, theirs in common_errors((ABI / "hip_abi.h").read_text(), header):
        lines.append(f'static_assert((int){ours} == (int){theirs}, "{ours}");')
    lines.append("static_assert(sizeof(cuda::Memcpy2D) == sizeof(CUDA_MEMCPY2D));")
    members = "srcXInBytes srcY srcMemoryType srcHost srcDevice srcArray srcPitch dstXInBytes dstY"
    members += " dstMemoryType dstHost dstDevice dstArray dstPitch WidthInBytes Height"
    for member in members.split():
        lines.append(
            f"static_assert(offsetof(cuda::Memcpy2D, {member}) == "
            f'offsetof(CUDA_MEMCPY2D, {member}), "{member}");'
        )
    return "\n".join([*lines, ""])


def default_folders():
    found = [Path(os.environ["CUDA_PATH"]) / "include"] if os.environ.get("CUDA_PATH") else []
    found.append(Path("/usr/local/cuda/include"))
    for entry in sys.path:
        found += sorted(Path(entry or ".").glob("nvidia/*/include"))
    return [folder for folder in found if folder.is_dir()]


def main():
    folders = [Path(argument) for argument in sys.argv[1:]] or default_folders()
    for header in ("cuda.h", "nvrtc.h"):
        if not any((folder / header).exists() for folder in folders):
            sys.exit(f"{header} was not found; give the folders of CUDA's headers as arguments")
    text = source(folders)
    compiler = os.environ.get("CXX") or shutil.which("g++") or "c++"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "check.cpp"
        path.write_text(text)
        includes = [
            f"-iquote{SOURCES}",
            f"-iquote{ABI}",
            *(f"-isystem{folder}" for folder in folders),
        ]
        command = [compiler, "-std=c++17", "-fsyntax-only", *includes, str(path)]
        if subprocess.run(command).returncode:
            sys.exit("some declarations differ from CUDA's headers (above)")
    version = re.search(r"CUDA_VERSION (\d+)", "".join(
        (folder / "cuda.h").read_text("latin-1") for folder in folders
        if (folder / "cuda.h").exists()))  # fmt: skip
    print(f"{text.count('CHECK(') - 1 + text.count('static_assert(') - 1} checks hold "
          f"(CUDA {version[1]})")  # fmt: skip


if __name__ == "__main__":
    main()
