"""Devices: the current one of each thread, and what is known about each."""

import threading

from libc.string cimport memset

from rocarray._rocm.hip.calls cimport (
    hipDeviceCanAccessPeer, hipDeviceEnablePeerAccess, hipDeviceGetAttribute, hipDeviceGetPCIBusId,
    hipDeviceSynchronize, hipGetDeviceCount, hipGetDevicePropertiesR0600, hipInit, hipMemGetInfo,
    hipSetDevice)
from rocarray._rocm.hip.types cimport (
    hipDeviceAttribute_t, hipDeviceAttributeMaxSharedMemoryPerBlock,
    hipDeviceAttributeMaxThreadsPerBlock, hipDeviceAttributeMultiprocessorCount,
    hipDeviceAttributeWarpSize, hipDeviceProp_t)

from rocarray._rocm.errors import HIPError, PlatformError
from rocarray._rocm.specs.hip import ENUMS

cdef extern from *:
    """
    static thread_local int rocarray_current_device = -1;
    """
    int rocarray_current_device

cdef int _count = -1
cdef list _infos = []
_init_lock = threading.Lock()


cdef int _initialise() except -1:
    global _count
    cdef int n = 0
    with _init_lock:
        if _count >= 0:
            return 0
        try:
            hipInit(0)
            hipGetDeviceCount(&n)
        except HIPError as error:
            raise PlatformError(
                f"no usable device: {error}. Check the driver (rocminfo), the user's membership in "
                "the groups render and video, and HIP_VISIBLE_DEVICES; or set "
                "ROCARRAY_PLATFORM=cpu") from error
        if n < 1:
            raise PlatformError(
                "the HIP runtime sees no device; set ROCARRAY_PLATFORM=cpu to run without a GPU")
        _infos.extend([None] * n)
        _count = n
    return 0


cdef int current_device() except -1:
    """Number of the calling thread's device; its first use initialises the platform."""
    if rocarray_current_device < 0:
        _initialise()
        set_device(0)
    return rocarray_current_device


cdef int current_device_or_zero() noexcept:
    return rocarray_current_device if rocarray_current_device > 0 else 0


cdef int set_device(int number) except -1:
    global rocarray_current_device
    if _count < 0:
        _initialise()
    if number < 0 or number >= _count:
        raise ValueError(f"device {number} does not exist; there are {_count} (from 0)")
    hipSetDevice(number)
    rocarray_current_device = number
    return 0


cdef int device_count() except -1:
    if _count < 0:
        _initialise()
    return _count


cdef int _attribute(int which, int device) except? -1:
    cdef int value = 0
    hipDeviceGetAttribute(&value, <hipDeviceAttribute_t>which, device)
    return value


cdef DeviceInfo device_info(int number):
    cdef DeviceInfo info
    cdef hipDeviceProp_t properties
    if not 0 <= number < device_count():
        raise ValueError(f"device {number} does not exist; there are {_count} (from 0)")
    if _infos[number] is None:
        memset(&properties, 0, sizeof(properties))
        hipGetDevicePropertiesR0600(&properties, number)
        info = DeviceInfo.__new__(DeviceInfo)
        info.arch = (<bytes>properties.gcnArchName).decode()
        info.name = (<bytes>properties.name).decode()
        info.total_bytes = properties.totalGlobalMem
        info.warp_size = _attribute(hipDeviceAttributeWarpSize, number)
        info.n_compute_units = _attribute(hipDeviceAttributeMultiprocessorCount, number)
        info.max_threads_per_block = _attribute(hipDeviceAttributeMaxThreadsPerBlock, number)
        info.max_lds_bytes = _attribute(hipDeviceAttributeMaxSharedMemoryPerBlock, number)
        _infos[number] = info
    return _infos[number]


cdef class DeviceInfo:
    pass


class Device:
    """A device, by number; also a context manager that makes it current.

    Parameters
    ----------
    device : int or Device, optional
        The current device where it is absent.

    Examples
    --------
    >>> import rocarray as rp
    >>> with rp.hip.Device(0):
    ...     x = rp.zeros(3)
    """

    __slots__ = ("id", "_previous")

    def __init__(self, device=None):
        self.id = current_device() if device is None else int(getattr(device, "id", device))
        self._previous = []
        if not 0 <= self.id < device_count():
            raise ValueError(f"device {self.id} does not exist; there are {_count} (from 0)")

    def __enter__(self):
        self._previous.append(current_device())
        set_device(self.id)
        return self

    def __exit__(self, *exception):
        set_device(self._previous.pop())

    def use(self):
        """Makes this the calling thread's device."""
        set_device(self.id)
        return self

    def synchronize(self):
        """Waits for all work of the device."""
        with self:
            hipDeviceSynchronize()

    @property
    def name(self):
        return device_info(self.id).name

    @property
    def arch(self):
        """The target, such as 'gfx90a:sramecc+:xnack-' or 'x86-64-v3'."""
        return device_info(self.id).arch

    @property
    def warp_size(self):
        return device_info(self.id).warp_size

    @property
    def compute_units(self):
        return device_info(self.id).n_compute_units

    @property
    def mem_info(self):
        """(free, total) bytes of device memory."""
        cdef size_t free = 0, total = 0
        with self:
            hipMemGetInfo(&free, &total)
        return free, total

    @property
    def attributes(self):
        """All attributes that the running ROCm knows, by HIP's name without its prefix."""
        result = {}
        for name, number in ENUMS["hipDeviceAttribute_t"].items():
            try:
                result[name.removeprefix("hipDeviceAttribute")] = _attribute(number, self.id)
            except HIPError:
                continue
        return result

    @property
    def pci_bus_id(self):
        cdef char text[64]
        memset(text, 0, sizeof(text))
        hipDeviceGetPCIBusId(text, 64, self.id)
        return (<bytes>text).decode()

    def can_access_peer(self, other):
        """Whether kernels of this device can use memory of another."""
        cdef int answer = 0
        hipDeviceCanAccessPeer(&answer, self.id, int(getattr(other, "id", other)))
        return bool(answer)

    def enable_peer_access(self, other):
        """Allows kernels of this device to use memory of another."""
        with self:
            hipDeviceEnablePeerAccess(int(getattr(other, "id", other)), 0)

    def __int__(self):
        return self.id

    def __eq__(self, other):
        return isinstance(other, Device) and self.id == other.id

    def __hash__(self):
        return hash((Device, self.id))

    def __repr__(self):
        return f"<Device {self.id}>"


def get_device_count():
    """Number of devices of the platform."""
    return device_count()


def get_device_id():
    """Number of the current device."""
    return current_device()


def device_of(number):
    """The Device of a number."""
    return Device(number)
