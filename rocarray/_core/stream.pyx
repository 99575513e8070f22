"""Streams and events. Each thread has a current stream on each device, the null stream at first."""

import sys
import traceback

from cpython.ref cimport Py_DECREF, Py_INCREF
from libc.stdint cimport uintptr_t

from rocarray._core.device cimport current_device, current_device_or_zero
from rocarray._rocm.hip.calls cimport (
    hipEventCreateWithFlags, hipEventDestroy_status, hipEventElapsedTime, hipEventQuery_status,
    hipEventRecord, hipEventSynchronize, hipLaunchHostFunc, hipStreamCreateWithFlags,
    hipStreamCreateWithPriority, hipStreamDestroy_status, hipStreamIsCapturing,
    hipStreamQuery_status, hipStreamSynchronize, hipStreamWaitEvent, hipDeviceSynchronize)
from rocarray._rocm.hip.types cimport (
    hipErrorNotReady, hipEventBlockingSync, hipEventDefault, hipEventDisableTiming, hipStream_t,
    hipStreamCaptureStatus, hipStreamCaptureStatusNone, hipStreamDefault, hipStreamNonBlocking)

from rocarray._rocm.errors import HIPError

cdef extern from *:
    """
    static thread_local void *rocarray_streams[64] = {};
    """
    void* rocarray_streams[64]


cdef hipStream_t current_stream() noexcept:
    """The calling thread's stream on its device; no Python call."""
    return <hipStream_t>rocarray_streams[current_device_or_zero()]


cdef hipStream_t stream_handle(object stream) except? NULL:
    """Handle of a Stream, of another library's stream, or of an int."""
    if isinstance(stream, Stream):
        return (<Stream>stream).handle
    if hasattr(stream, "__cuda_stream__"):
        return <hipStream_t><uintptr_t>stream.__cuda_stream__()[1]
    try:
        return <hipStream_t><uintptr_t>int(stream)
    except (TypeError, ValueError):
        raise TypeError(
            f"expected a rocarray.hip.Stream, a hip-python stream or an integer handle, got "
            f"{type(stream).__name__}") from None


cdef class Stream:
    """A queue of work on a device; as a context manager, the current one of the thread.

    Parameters
    ----------
    null : bool, optional
        The device's null stream, which waits for (and is waited for by) other blocking streams.
    non_blocking : bool, optional
        Does not synchronise with the null stream.
    priority : int, optional
        Lower numbers are more urgent.
    """

    def __init__(self, null=False, non_blocking=False, priority=None):
        cdef unsigned flags = hipStreamNonBlocking if non_blocking else hipStreamDefault
        self.device_id = current_device()
        self.previous = []
        if null:
            self.handle = NULL
            return
        if priority is None:
            hipStreamCreateWithFlags(&self.handle, flags)
        else:
            hipStreamCreateWithPriority(&self.handle, flags, priority)
        self.owned = True

    def __dealloc__(self):
        if self.owned and not sys.is_finalizing():
            hipStreamDestroy_status(self.handle)

    @staticmethod
    def from_handle(handle, keep=None):
        """A Stream over a handle that somebody else owns (and `keep` keeps alive)."""
        cdef Stream stream = Stream.__new__(Stream)
        stream.handle = stream_handle(handle)
        stream.device_id = current_device()
        stream.keep = handle if keep is None else keep
        stream.previous = []
        return stream

    @property
    def ptr(self):
        """The handle as an integer."""
        return <uintptr_t>self.handle

    def __int__(self):
        return <uintptr_t>self.handle

    def __cuda_stream__(self):
        return 0, <uintptr_t>self.handle

    def __enter__(self):
        cdef int device = current_device()
        if self.handle != NULL and device != self.device_id:
            raise ValueError(f"the stream belongs to device {self.device_id}, but the current "
                             f"device is {device}")
        self.previous.append(<uintptr_t>rocarray_streams[device])
        rocarray_streams[device] = self.handle
        return self

    def __exit__(self, *exception):
        rocarray_streams[self.device_id] = <void*><uintptr_t>self.previous.pop()

    def use(self):
        """Makes this the calling thread's current stream."""
        rocarray_streams[current_device()] = self.handle
        return self

    def synchronize(self):
        """Waits for all work queued so far."""
        current_device()
        hipStreamSynchronize(self.handle)

    @property
    def done(self):
        """Whether all work queued so far has finished."""
        cdef int status = hipStreamQuery_status(self.handle)
        if status == hipErrorNotReady:
            return False
        if status != 0:
            raise HIPError("hipStreamQuery", status, "stream query failed")
        return True

    def record(self, event=None):
        """Records an event (a new one where none is given) behind the work queued so far."""
        event = Event() if event is None else event
        event.record(self)
        return event

    def wait_event(self, event):
        """Makes later work wait for an event."""
        hipStreamWaitEvent(self.handle, (<Event?>event).handle, 0)

    def launch_host_func(self, callback, arg=None):
        """Runs `callback(arg)` on a host thread, in the stream's order.

        The callback must not call into the device. An exception is printed, not raised.
        """
        state = (callback, arg)
        Py_INCREF(state)
        try:
            hipLaunchHostFunc(self.handle, _run_callback, <void*>state)
        except BaseException:
            Py_DECREF(state)
            raise

    def add_callback(self, callback, arg=None):
        """Runs `callback(stream, status, arg)` on a host thread, in the stream's order."""
        self.launch_host_func(lambda _: callback(self, 0, arg), None)

    @property
    def is_capturing(self):
        cdef hipStreamCaptureStatus status
        hipStreamIsCapturing(self.handle, &status)
        return status != hipStreamCaptureStatusNone

    def begin_capture(self, mode="global"):
        """Starts recording work into a graph; see `rocarray.hip.Graph`."""
        from rocarray._core.graph import begin_capture
        begin_capture(self, mode)

    def end_capture(self):
        """Ends recording and returns the Graph."""
        from rocarray._core.graph import end_capture
        return end_capture(self)

    def __eq__(self, other):
        return isinstance(other, Stream) and self.ptr == other.ptr

    def __hash__(self):
        return hash(self.ptr)

    def __repr__(self):
        return f"<Stream {self.ptr:#x} on device {self.device_id}>"


cdef void _run_callback(void* data) noexcept with gil:
    state = <object>data
    try:
        state[0](state[1])
    except BaseException:
        traceback.print_exc()
    Py_DECREF(state)


cdef class Event:
    """A mark in a stream's work, to wait for or to take times between.

    Parameters
    ----------
    blocking : bool, optional
        `synchronize` lets the host thread sleep.
    timing : bool, optional
        Whether `elapsed_time` may use it.
    """

    def __init__(self, blocking=False, timing=True):
        cdef unsigned flags = hipEventDefault
        self.device_id = current_device()
        self.timing = timing
        if blocking:
            flags |= hipEventBlockingSync
        if not timing:
            flags |= hipEventDisableTiming
        hipEventCreateWithFlags(&self.handle, flags)

    def __dealloc__(self):
        if self.handle != NULL and not sys.is_finalizing():
            hipEventDestroy_status(self.handle)

    @property
    def ptr(self):
        return <uintptr_t>self.handle

    def record(self, stream=None):
        """Records the event in a stream (the current one by default)."""
        hipEventRecord(self.handle,
                       current_stream() if stream is None else stream_handle(stream))

    @property
    def done(self):
        return self.query()

    def query(self):
        """Whether the work before the event has finished."""
        cdef int status = hipEventQuery_status(self.handle)
        if status == hipErrorNotReady:
            return False
        if status != 0:
            raise HIPError("hipEventQuery", status, "event query failed")
        return True

    def synchronize(self):
        """Waits until the work before the event has finished."""
        hipEventSynchronize(self.handle)


def get_elapsed_time(start, end):
    """Milliseconds between two recorded events that have timing."""
    cdef float milliseconds = 0
    hipEventElapsedTime(&milliseconds, (<Event?>start).handle, (<Event?>end).handle)
    return milliseconds


def get_current_stream():
    """The calling thread's current stream."""
    return Stream.from_handle(<uintptr_t>current_stream())


def synchronize():
    """Waits for all work of the current device."""
    current_device()
    hipDeviceSynchronize()


def order_before(stream):
    """Makes `stream` (a handle; None or 1: the null stream) wait for the current stream's work."""
    cdef hipStream_t other = NULL
    if stream is not None and int(stream) > 2:
        other = <hipStream_t><uintptr_t>int(stream)
    if other == current_stream():
        return
    event = Event(timing=False)
    event.record()
    hipStreamWaitEvent(other, (<Event>event).handle, 0)
