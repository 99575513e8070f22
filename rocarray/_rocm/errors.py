"""Errors of ROCm's libraries as Python exceptions that keep the code, the name and the call."""


class ROCmError(RuntimeError):
    """A call into a ROCm library failed.

    Attributes
    ----------
    code : int
        The library's status code.
    name : str
        The library's name of that code.
    function : str
        The function that returned it.
    library : str
    """

    library = "ROCm"

    def __init__(self, function, code=0, name=""):
        self.function, self.code, self.name = function, code, name
        super().__init__(f"{function} failed: {name} ({code})")

    def __reduce__(self):
        return type(self), (self.function, self.code, self.name)


class HIPError(ROCmError):
    """A call of HIP's runtime failed."""

    library = "hip"


class DeviceMemoryError(HIPError, MemoryError):
    """The device has not enough free memory. It is a MemoryError too."""


class HIPRTCError(ROCmError):
    """A call of hipRTC failed; compile errors are CompileError, with the log."""

    library = "hiprtc"


class PlatformError(RuntimeError):
    """No usable platform: the message says what was looked for and what to do."""


class MissingFunctionError(PlatformError):
    """The installed library is too old (or too new) to have a function."""


class ForkedProcessError(PlatformError):
    """The process was forked after the device was first used; the child cannot use it."""


_OUT_OF_MEMORY = 2


def make_error(exception, function, code, name):
    """The exception object for a failed call."""
    if exception == "HIPError":
        kind = DeviceMemoryError if code == _OUT_OF_MEMORY else HIPError
    else:
        kind = {"HIPRTCError": HIPRTCError}[exception]
    return kind(function, code, name)
