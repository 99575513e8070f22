"""Devices: the current one of each thread, and what is known about each."""

import atexit
import operator
import threading

from libc.string cimport memset

from rocarray._rocm.hip.calls cimport (
    hipDeviceCanAccessPeer, hipDeviceDisablePeerAccess, hipDeviceEnablePeerAccess,
    hipDeviceGetAttribute, hipDeviceGetPCIBusId, hipDeviceSynchronize, hipGetDeviceCount,
    hipGetDevicePropertiesR0600, hipInit, hipMemGetInfo, hipSetDevice)
from rocarray._rocm.hip.types cimport (
    hipDeviceAttribute_t, hipDeviceAttributeMaxSharedMemoryPerBlock,
    hipDeviceAttributeMaxThreadsPerBlock, hipDeviceAttributeMultiprocessorCount,
    hipDeviceAttributeWarpSize, hipDeviceProp_t, hipErrorPeerAccessAlreadyEnabled,
    hipErrorPeerAccessNotEnabled)

from rocarray._rocm.errors import HIPError, PlatformError

cdef extern from *:
    """
    static thread_local int rocarray_current_device = -1;
    """
    int rocarray_current_device

cdef int _count = -1
cdef list _infos = []
cdef bint _alive = True
_init_lock = threading.Lock()
_contexts = threading.local()    # .devices: the numbers that `with Device` goes back to


def _end():
    global _alive
    _alive = False


atexit.register(_end)


cdef bint runtime_alive() noexcept nogil:
    """Whether destructors may still call the runtime, which may be gone at the process's end."""
    return _alive


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
        n = min(n, MAX_DEVICES)
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


cdef int _number_of(object device) except -1:
    """The number of a Device, of another library's device object, or of an int."""
    cdef int number
    try:
        number = operator.index(getattr(device, "id", device))
    except TypeError:
        raise TypeError(
            f"a device is an int or a rocarray.hip.Device, got {type(device).__name__}") from None
    if not 0 <= number < device_count():
        raise ValueError(f"device {number} does not exist; there are {_count} (from 0)")
    return number


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

    __slots__ = ("id",)

    def __init__(self, device=None):
        self.id = current_device() if device is None else _number_of(device)

    def __enter__(self):
        # Per thread, since threads may share the object.
        previous = current_device()
        set_device(self.id)
        _contexts.__dict__.setdefault("devices", []).append(previous)
        return self

    def __exit__(self, *exception):
        set_device(_contexts.devices.pop())

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
        from rocarray._rocm.specs.hip import ENUMS   # late: no import of ours needs the table

        result = {}
        for name, number in ENUMS["hipDeviceAttribute_t"].items():
            name = name.removeprefix("hipDeviceAttribute")
            if name.startswith("Unused") or name.endswith(("Begin", "End")):
                continue    # limits and holes of the numbering
            try:
                result[name] = _attribute(number, self.id)
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
        hipDeviceCanAccessPeer(&answer, self.id, _number_of(other))
        return bool(answer)

    def enable_peer_access(self, other):
        """Allows kernels of this device to use memory of another; again is no error."""
        _ignoring(hipErrorPeerAccessAlreadyEnabled, self, _enable_peer, _number_of(other))

    def disable_peer_access(self, other):
        """Takes the permission of `enable_peer_access` back."""
        _ignoring(hipErrorPeerAccessNotEnabled, self, _disable_peer, _number_of(other))

    def __int__(self):
        return self.id

    def __eq__(self, other):
        return isinstance(other, Device) and self.id == other.id

    def __hash__(self):
        return hash((Device, self.id))

    def __repr__(self):
        return f"<Device {self.id}>"


def _enable_peer(int other):
    hipDeviceEnablePeerAccess(other, 0)


def _disable_peer(int other):
    hipDeviceDisablePeerAccess(other)


def _ignoring(code, device, function, other):
    """`function(other)` on a device; one code of failure says that all is as wanted."""
    try:
        with device:
            function(other)
    except HIPError as error:
        if error.code != code:
            raise


def get_device_count():
    """Number of devices of the platform."""
    return device_count()


def get_device_id():
    """Number of the calling thread's device."""
    return current_device()


def mem_get_info():
    """(free, total) bytes of the current device."""
    return Device().mem_info


def device_of(number):
    """The Device of a number."""
    return Device(number)
