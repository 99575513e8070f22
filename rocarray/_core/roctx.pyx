"""roctx ranges, where that library is installed; nothing otherwise."""

cdef extern from "<dlfcn.h>" nogil:
    void* dlopen(const char* path, int flags)
    void* dlsym(void* handle, const char* name)
    int RTLD_LAZY

ctypedef int (*PushFunction)(const char*) noexcept
ctypedef int (*PopFunction)() noexcept

cdef PushFunction _push = NULL
cdef PopFunction _pop = NULL
cdef bint _looked = False


cdef void _look() noexcept:
    global _push, _pop, _looked
    cdef void* handle = NULL
    cdef const char* name
    _looked = True
    for name in (b"libroctx64.so", b"libroctx64.so.4", b"librocprofiler-sdk-roctx.so"):
        handle = dlopen(name, RTLD_LAZY)
        if handle != NULL:
            _push = <PushFunction>dlsym(handle, "roctxRangePushA")
            _pop = <PopFunction>dlsym(handle, "roctxRangePop")
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
