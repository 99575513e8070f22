"""Every ROCARRAY_* environment variable, read here and nowhere else.

The cpu platform's own variables (ROCARRAY_CPU_*) are read by its library, in
`_platforms/cpu/src/settings.cpp`; they are listed here for the documentation.
"""

import os

VARIABLES = {
    "ROCARRAY_PLATFORM": "amd, nvidia or cpu; by default the first that has a device",
    "ROCARRAY_CACHE_DIR": "where compiled kernels are kept; default ~/.cache/rocarray",
    "ROCARRAY_CACHE_MAX_BYTES": "size limit of that folder; default 1 GiB",
    "ROCARRAY_CPU_CXX": "the C++ compiler of the cpu platform; default CXX, c++, g++, clang++",
    "ROCARRAY_CPU_DEVICES": "number of pretend devices of the cpu platform; default 1",
    "ROCARRAY_CPU_GUARD": "1: guard zones around allocations of the cpu platform",
    "ROCARRAY_CPU_MEMORY": "bytes of memory that each cpu device pretends to have",
    "ROCARRAY_CPU_NULL": "1: kernel launches of the cpu platform do nothing, to time the host",
    "ROCARRAY_CPU_POISON": "1: new memory of the cpu platform is filled with 0xA5",
    "ROCARRAY_CPU_SYNC": "1: streams of the cpu platform run in order, in the calling thread",
    "ROCARRAY_CPU_THREADS": "host threads of the cpu platform; default the number of cores",
}


def get(name, default=None):
    """The value of a documented variable."""
    if name not in VARIABLES:
        raise KeyError(f"{name} is not a documented environment variable")
    return os.environ.get(name) or default


def overrides():
    """The documented variables (and HIP's overrides) that are set now."""
    names = [*VARIABLES, "HSA_OVERRIDE_GFX_VERSION", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"]
    return {name: os.environ[name] for name in names if name in os.environ}
