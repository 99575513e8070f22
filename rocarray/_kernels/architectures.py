"""Architecture names: what is valid, how kernels are compiled and launched for each.

hipRTC ends the process on an architecture that it does not know, so a name is checked here first.
"""

import re
from dataclasses import dataclass

X86_LEVELS = ("x86-64-v4", "x86-64-v3", "x86-64-v2", "x86-64")
CPU_NAMES = (*X86_LEVELS, "aarch64")

# What hipRTC of ROCm 6.4 compiles for.
GFX_NAMES = frozenset(
    "gfx" + number
    for number in (
        "900 902 904 906 908 909 90a 90c 942 950 1010 1011 1012 1013 1030 1031 1032 1033 1034 "
        "1035 1036 1100 1101 1102 1103 1150 1151 1152 1200 1201"
    ).split()
)

_FEATURE = re.compile(r"(sramecc|xnack)[+-]")
_SM = re.compile(r"sm_([5-9]|1[0-9])[0-9]a?")


@dataclass(frozen=True)
class Target:
    """How kernels are compiled for, and launched on, a kind of device.

    `min_chunk` is the least number of items worth a workgroup of its own; a launch uses at most
    `blocks_per_unit` workgroups a compute unit (they stride over the rest).
    """

    block: int
    min_chunk: int
    blocks_per_unit: int
    options: tuple[str, ...]


# Results equal NumPy's: no fused multiply-add, denormals kept, nothing reordered.
_STRICT = ("-std=c++17", "-ffp-contract=off")

# One work-item a workgroup: the block index is a chunk's, and the compiler vectorises its loop.
# Neither errno nor trapping exceptions are observable, and both would keep loops scalar.
_CPU = Target(
    block=1,
    min_chunk=16384,
    blocks_per_unit=4,
    options=(
        *_STRICT,
        "-O3",
        "-DROCARRAY_BLOCK_SIZE=1",
        "-fno-math-errno",
        "-fno-trapping-math",
    ),
)
_GPU = Target(block=256, min_chunk=1024, blocks_per_unit=32, options=(*_STRICT, "-O3"))


def base_name(architecture):
    """`gfx90a` of `gfx90a:sramecc+:xnack-`."""
    return architecture.split(":", 1)[0]


def is_known(architecture):
    base, *features = architecture.split(":")
    if base in CPU_NAMES or _SM.fullmatch(base):
        return not features
    return base in GFX_NAMES and all(_FEATURE.fullmatch(feature) for feature in features)


def validate(architecture, device_architecture=None):
    """Returns `architecture`, or raises ValueError with what is allowed.

    A name that the running device itself reports (`device_architecture`) is one that its hipRTC
    knows, however new.
    """
    if not isinstance(architecture, str):
        raise TypeError(f"architecture must be a str, got {type(architecture).__name__}")
    if architecture != device_architecture and not is_known(architecture):
        raise ValueError(
            f"unknown architecture {architecture!r}: allowed are {', '.join(CPU_NAMES)}, "
            f"sm_NN, and {', '.join(sorted(GFX_NAMES, key=_gfx_order))} (a gfx name may be "
            "followed by ':sramecc+', ':sramecc-', ':xnack+', ':xnack-')"
        )
    return architecture


def _gfx_order(name):
    return len(name), name


def target(architecture):
    """The `Target` of a valid architecture name."""
    return _CPU if base_name(architecture) in CPU_NAMES else _GPU


def compile_options(architecture):
    """Options of a built-in kernel, the architecture's own included."""
    return (*target(architecture).options, f"--offload-arch={architecture}")


def pack_candidates(architecture):
    """Architectures whose code objects run on `architecture`, best first."""
    base = base_name(architecture)
    if base in X86_LEVELS:
        return X86_LEVELS[X86_LEVELS.index(base) :]
    if base.startswith("sm_") and _SM.fullmatch(base):
        number = int(base[3:].rstrip("a"))
        lower = range(number, number - number % 10 - 1, -1)
        return tuple(dict.fromkeys([base, *(f"sm_{n}" for n in lower)]))
    # Code compiled without feature flags runs whatever the flags of the device.
    return tuple(dict.fromkeys([architecture, base]))
