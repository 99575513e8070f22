"""The HIP runtime: devices, streams, events, graphs, memory, and kernels in source form."""

from rocarray._core.device import Device, get_device_count, get_device_id, mem_get_info
from rocarray._core.graph import Graph, capture
from rocarray._core.pinned import (
    PinnedMemory,
    PinnedMemoryPool,
    get_default_pinned_memory_pool,
    pinned_empty,
)
from rocarray._core.pools import (
    MemoryPointer,
    MemoryPool,
    UnownedMemory,
    get_allocator,
    get_default_memory_pool,
    set_allocator,
    using_allocator,
)
from rocarray._core.stream import (
    Event,
    ExternalStream,
    Stream,
    get_current_stream,
    get_elapsed_time,
    synchronize,
)
from rocarray._kernels.compiler import CompileError
from rocarray._rocm.errors import (
    DeviceMemoryError,
    ForkedProcessError,
    HIPError,
    HIPRTCError,
    MissingFunctionError,
    PlatformError,
    ROCmError,
)
from rocarray.hip import profiler
from rocarray.hip.raw import RawFunction, RawKernel, RawModule, max_active_blocks, version

__all__ = [
    "CompileError",
    "Device",
    "DeviceMemoryError",
    "Event",
    "ExternalStream",
    "ForkedProcessError",
    "Graph",
    "HIPError",
    "HIPRTCError",
    "MemoryPointer",
    "MemoryPool",
    "MissingFunctionError",
    "PinnedMemory",
    "PinnedMemoryPool",
    "PlatformError",
    "ROCmError",
    "RawFunction",
    "RawKernel",
    "RawModule",
    "Stream",
    "UnownedMemory",
    "capture",
    "get_allocator",
    "get_current_stream",
    "get_default_memory_pool",
    "get_default_pinned_memory_pool",
    "get_device_count",
    "get_device_id",
    "get_elapsed_time",
    "max_active_blocks",
    "mem_get_info",
    "pinned_empty",
    "profiler",
    "set_allocator",
    "synchronize",
    "using_allocator",
    "version",
]
