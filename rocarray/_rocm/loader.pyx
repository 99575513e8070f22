"""Opens the platform's libraries and finds their functions, each at its first call."""

import os
import threading

from rocarray._rocm import platform
from rocarray._rocm.errors import ForkedProcessError, MissingFunctionError, PlatformError

cdef extern from "<dlfcn.h>" nogil:
    void* dlopen(const char* path, int flags)
    void* dlsym(void* handle, const char* name)
    int dlclose(void* handle)
    char* dlerror()
    int RTLD_LAZY
    int RTLD_LOCAL

cdef dict _handles = {}          # path -> address of the open library
cdef object _failure = threading.local()
_lock = threading.RLock()
cdef int _pid = os.getpid()


cdef void* _open(str path) except NULL:
    cdef void* handle
    if path not in _handles:
        encoded = os.fsencode(path)
        handle = dlopen(encoded, RTLD_LAZY | RTLD_LOCAL)
        if handle == NULL:
            raise PlatformError(f"cannot load {path}: {dlerror().decode()}")
        _handles[path] = <size_t>handle
    return <void*><size_t>_handles[path]


def can_open(path):
    """Whether the loader finds and accepts a shared library."""
    try:
        _open(path)
    except PlatformError:
        return False
    return True


def count_devices(path):
    """Number of devices that the HIP library at `path` sees; 0 where it fails."""
    cdef int n = 0
    cdef int (*init)(unsigned) noexcept nogil
    cdef int (*count)(int*) noexcept nogil
    cdef void* handle = _open(path)
    init = <int (*)(unsigned) noexcept nogil>dlsym(handle, "hipInit")
    count = <int (*)(int*) noexcept nogil>dlsym(handle, "hipGetDeviceCount")
    if init == NULL or count == NULL or init(0) != 0 or count(&n) != 0:
        return 0
    return n


def set_folders(path, function, folders):
    """Tells the library at `path` where it may look for others."""
    cdef void (*tell)(const char*) noexcept nogil
    cdef bytes text = os.pathsep.join(folders).encode()
    tell = <void (*)(const char*) noexcept nogil>dlsym(_open(path), <bytes>function.encode())
    if tell != NULL:
        tell(text)


cdef void* find_symbol(str library, const char* name) noexcept:
    """Address of a function of a library; NULL keeps the reason for `raise_unresolved`."""
    cdef void* found
    try:
        with _lock:
            path = platform.library_path(library)
            found = dlsym(_open(path), name)
        if found == NULL:
            _failure.error = MissingFunctionError(
                f"{path} has no function {(<bytes>name).decode()}")
        return found
    except BaseException as error:
        _failure.error = error
        return NULL


cdef int raise_unresolved(str function) except -1:
    """Raises why a call of `function` did not reach its library."""
    if os.getpid() != _pid:
        raise ForkedProcessError(
            f"{function}: this process was forked after rocarray had used the device, and a "
            "device does not survive fork. Start workers with "
            "multiprocessing.get_context('spawn') or 'forkserver', or use rocarray only in them.")
    error = getattr(_failure, "error", None)
    if error is None:
        raise MissingFunctionError(f"{function} is not available")
    _failure.error = None
    raise error
