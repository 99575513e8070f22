"""roctx: ranges and switches for profilers, where that library is installed; else nothing."""

cdef extern from "<dlfcn.h>" nogil:
    void* dlopen(const char* path, int flags)
    void* dlsym(void* handle, const char* name)
    int RTLD_LAZY

ctypedef int (*PushFunction)(const char*) noexcept
ctypedef int (*PopFunction)() noexcept
ctypedef int (*SwitchFunction)(unsigned long) noexcept    # 0: all threads

cdef PushFunction _push = NULL
cdef PopFunction _pop = NULL
cdef SwitchFunction _pause = NULL
cdef SwitchFunction _resume = NULL
cdef bint _looked = False


cdef void _look() noexcept:
    global _push, _pop, _pause, _resume, _looked
    cdef void* handle = NULL
    cdef const char* name
    _looked = True
    for name in (b"libroctx64.so", b"libroctx64.so.4", b"librocprofiler-sdk-roctx.so"):
        handle = dlopen(name, RTLD_LAZY)
        if handle != NULL:
            _push = <PushFunction>dlsym(handle, "roctxRangePushA")
            _pop = <PopFunction>dlsym(handle, "roctxRangePop")
            _pause = <SwitchFunction>dlsym(handle, "roctxProfilerPause")
            _resume = <SwitchFunction>dlsym(handle, "roctxProfilerResume")
            return


def push(name):
    """Begins a range."""
    if not _looked:
        _look()
    if _push != NULL:
        encoded = name.encode()
        _push(encoded)


def pop():
    """Ends the innermost range."""
    if _pop != NULL:
        _pop()


def start():
    """Makes the profiler collect (rocprofv3's roctxProfilerResume)."""
    if not _looked:
        _look()
    if _resume != NULL:
        _resume(0)


def stop():
    """Makes the profiler pause (roctxProfilerPause)."""
    if not _looked:
        _look()
    if _pause != NULL:
        _pause(0)
