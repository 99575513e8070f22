"""One compile through hipRTC's API."""

from libc.stdlib cimport free, malloc

from rocarray._rocm.hip.calls cimport hipRuntimeGetVersion
from rocarray._rocm.hiprtc.calls cimport (
    hiprtcAddNameExpression,
    hiprtcCompileProgram_status,
    hiprtcCreateProgram,
    hiprtcDestroyProgram_status,
    hiprtcGetCode,
    hiprtcGetCodeSize,
    hiprtcGetLoweredName,
    hiprtcGetProgramLog,
    hiprtcGetProgramLogSize,
    hiprtcVersion,
)
from rocarray._rocm.hiprtc.types cimport hiprtcProgram

from rocarray._rocm import platform

_version = None


cdef class _Strings:
    """A C array of strings that keeps them alive."""
    cdef const char** pointers
    cdef list texts

    def __cinit__(self, texts):
        self.texts = [text.encode() for text in texts]
        self.pointers = <const char**>malloc((len(self.texts) + 1) * sizeof(char*))
        if self.pointers == NULL:
            raise MemoryError()
        for i, text in enumerate(self.texts):
            self.pointers[i] = <const char*><bytes>text
        self.pointers[len(self.texts)] = NULL

    def __dealloc__(self):
        free(self.pointers)


cdef str _log(hiprtcProgram program):
    cdef size_t n_bytes = 0
    hiprtcGetProgramLogSize(program, &n_bytes)
    if n_bytes <= 1:
        return ""
    cdef bytearray log = bytearray(n_bytes)
    hiprtcGetProgramLog(program, <char*>log)
    return log.rstrip(b"\0").decode("utf-8", "replace")


cdef bytes _code(hiprtcProgram program):
    cdef size_t n_bytes = 0
    hiprtcGetCodeSize(program, &n_bytes)
    cdef bytearray code = bytearray(n_bytes)
    hiprtcGetCode(program, <char*>code)
    return bytes(code)


def compile_program(str source, str name, dict headers, options, name_expressions=()):
    """Returns (code, log, {expression: mangled name}); code is None after a failure."""
    cdef hiprtcProgram program = NULL
    cdef _Strings texts = _Strings(headers.values())
    cdef _Strings names = _Strings(headers.keys())
    cdef _Strings words = _Strings(options)
    cdef bytes source_bytes = source.encode(), name_bytes = name.encode(), expression
    cdef const char* lowered
    cdef int status
    if "\0" in source:
        raise ValueError(f"the source of {name} holds a NUL character")
    hiprtcCreateProgram(&program, source_bytes, name_bytes, <int>len(headers),
                        texts.pointers, names.pointers)
    try:
        for text in name_expressions:
            hiprtcAddNameExpression(program, <bytes>text.encode())
        status = hiprtcCompileProgram_status(program, <int>len(words.texts), words.pointers)
        if status != 0:
            return None, _log(program) or f"hipRTC returned status {status}", {}
        lowered_names = {}
        for text in name_expressions:
            expression = text.encode()
            hiprtcGetLoweredName(program, expression, &lowered)
            lowered_names[text] = lowered.decode()
        return _code(program), _log(program), lowered_names
    finally:
        hiprtcDestroyProgram_status(&program)


def compiler_version():
    """What a code object depends on besides its request.

    Platform, hipRTC's version, the runtime's, and what the platform adds to each source.
    """
    global _version
    cdef int major = 0, minor = 0, runtime = 0
    if _version is None:
        hiprtcVersion(&major, &minor)
        hipRuntimeGetVersion(&runtime)
        name = platform.current().name
        _version = f"{name} {major}.{minor} {runtime} {platform.headers_digest(name)}"
    return _version
