"""What runs where: the text of rocarray.show_config()."""

import sys

from rocarray._rocm import environment, platform


def show_config(file=None):
    """Prints platform, device, libraries, cache and environment.

    Parameters
    ----------
    file : file, optional
        Default standard output.
    """
    out = sys.stdout if file is None else file
    for name, value in _rows():
        print(f"{name:<22} : {value}", file=out)


def _rows():
    import numpy

    from rocarray import __version__
    from rocarray._core.device import Device, get_device_count
    from rocarray._core.pools import get_default_memory_pool
    from rocarray._kernels import cache
    from rocarray.hip.raw import version

    chosen = platform.current()
    yield "rocarray", __version__
    yield "NumPy", numpy.__version__
    yield "Python", sys.version.split()[0]
    yield "platform", f"{chosen.name} ({chosen.reason})"
    for library, path in chosen.libraries.items():
        yield f"library {library}", path
    driver, runtime = version()
    yield "HIP driver, runtime", f"{driver}, {runtime}"
    for number in range(get_device_count()):
        device = Device(number)
        free, total = device.mem_info
        yield f"device {number}", f"{device.name} ({device.arch}), wave {device.warp_size}"
        yield "  compute units", device.compute_units
        yield "  memory free, total", f"{free:,}, {total:,} bytes"
    pool = get_default_memory_pool()
    yield "pool used, reserved", f"{pool.used_bytes():,}, {pool.total_bytes():,} bytes"
    yield "kernel cache", cache.folder() if hasattr(cache, "folder") else "default"
    for name, value in environment.overrides().items():
        warning = "  (wrong kernels are possible!)" if name.startswith("HSA_OVERRIDE") else ""
        yield f"environment {name}", value + warning
