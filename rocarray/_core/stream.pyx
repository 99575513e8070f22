"""Streams and events. Each thread has a current stream on each device, the null stream at first.

Who keeps a stream alive, and why, is in docs/design/memory_and_streams.md.
"""

import atexit
import sys
import threading
import weakref
from types import SimpleNamespace

cimport cython
from cpython.ref cimport Py_DECREF, Py_INCREF
from libc.stdint cimport uintptr_t

from rocarray._core.device cimport (
    current_device, current_device_or_zero, device_count, runtime_alive, set_device)
from rocarray._rocm.hip.calls cimport (
    hipDeviceGetStreamPriorityRange, hipDeviceSynchronize, hipEventCreateWithFlags,
    hipEventDestroy_status, hipEventElapsedTime, hipEventQuery, hipEventQuery_status,
    hipEventRecord, hipEventSynchronize, hipLaunchHostFunc, hipStreamCreateWithFlags,
    hipStreamCreateWithPriority, hipStreamGetPriority, hipStreamIsCapturing_status,
    hipStreamQuery, hipStreamQuery_status, hipStreamSynchronize, hipStreamWaitEvent)
from rocarray._rocm.hip.types cimport (
    hipErrorNotReady, hipEvent_t, hipEventBlockingSync, hipEventDefault, hipEventDisableTiming,
    hipStream_t, hipStreamCaptureStatus, hipStreamCaptureStatusActive,
    hipStreamCaptureStatusNone, hipStreamDefault,
    hipStreamNonBlocking)

cdef extern from *:
    """
    struct rocarray_stream_slot { void *handle; void *object; };
    static thread_local rocarray_stream_slot rocarray_slots[64] = {};   // by device
    static thread_local int rocarray_in_host_function = 0;
    """
    cdef struct rocarray_stream_slot:
        void* handle
        void* object
    rocarray_stream_slot[64] rocarray_slots
    int rocarray_in_host_function

cdef DestroyFunction _destroy = NULL
cdef Py_ssize_t _n_callbacks = 0         # queued host functions that have not returned
_state = threading.local()               # .current, .contexts: keep Streams alive; .own: per_thread
_null = None
_streams = weakref.WeakValueDictionary()    # handle -> the Stream that owns it


cdef hipStream_t current_stream() noexcept:
    return <hipStream_t>rocarray_slots[current_device_or_zero()].handle


cdef StreamSlot* current_slot() noexcept:
    return <StreamSlot*>&rocarray_slots[current_device_or_zero()]


cdef void set_destroy_function(DestroyFunction function) noexcept:
    global _destroy
    _destroy = function


cdef bint in_host_function() noexcept:
    return rocarray_in_host_function != 0


cdef bint is_capturing(hipStream_t stream) noexcept:
    cdef hipStreamCaptureStatus status = hipStreamCaptureStatusNone
    # To ask the null stream while another stream captures is an error that ends the capture.
    if stream == NULL or hipStreamIsCapturing_status(stream, &status) != 0:
        return False
    return status == hipStreamCaptureStatusActive    # after an error, some runtimes never say none


cdef int _install(int device, Stream stream) except -1:
    """Makes `stream` (None: the null stream) the thread's current one on a device."""
    cdef rocarray_stream_slot* slot = &rocarray_slots[device]
    current = _state.__dict__.setdefault("current", {})
    _previous = current.get(device)    # lives until the slot no longer points to it
    current[device] = stream
    if stream is None or stream.handle == NULL:
        slot.handle = slot.object = NULL
    else:
        slot.handle = <void*>stream.handle
        slot.object = <void*>stream
    return 0


cdef Stream find_stream(hipStream_t handle):
    """The living Stream object that owns a handle, or None."""
    cdef StreamSlot* slot = current_slot()
    if slot.handle == handle and slot.object != NULL:
        return <Stream>slot.object
    return _streams.get(<uintptr_t>handle)


cdef object _address(object x):
    """The address that another library's handle object stands for, or None."""
    if getattr(x, "is_null", False) is True:
        return 0
    for name in ("ptr", "cuda_stream", "cuda_event"):
        value = getattr(x, name, None)
        if isinstance(value, int):
            return value
    if isinstance(x, (str, bytes, float, complex)):
        return None
    if hasattr(x, "__int__") or hasattr(x, "__index__"):
        return int(x)
    if hasattr(x, "as_c_void_p"):
        return x.as_c_void_p().value or 0
    return None


cdef hipStream_t stream_handle(object stream) except? NULL:
    """Handle of a Stream, of another library's stream, or of an int."""
    cdef uintptr_t address
    if isinstance(stream, Stream):
        return (<Stream>stream).handle
    if hasattr(stream, "__cuda_stream__"):
        protocol = stream.__cuda_stream__
        value = (protocol() if callable(protocol) else protocol)[1]
    else:
        value = _address(stream)
    if value is None or value < 0:
        raise TypeError(
            "a stream is a rocarray.hip.Stream, an object with __cuda_stream__, a hip-python "
            f"stream or an integer handle, got {type(stream).__name__}")
    address = value
    if address == PER_THREAD_STREAM:
        raise ValueError(
            "handle 2 is another stream in each thread, so the memory that it uses cannot be "
            "followed: use rocarray.hip.Stream.per_thread")
    if address == LEGACY_STREAM:
        address = 0
    return <hipStream_t>address


class _NullStream:
    """Class attribute: the null stream, one object for all devices."""

    def __get__(self, instance, owner):
        global _null
        if _null is None:
            _null = Stream.__new__(Stream)
            (<Stream>_null).device_number = -1
        return _null


class _ThreadStream:
    """Class attribute: a stream of the calling thread on its device, made at its first use."""

    def __get__(self, instance, owner):
        own = _state.__dict__.setdefault("own", {})
        device = current_device()
        if device not in own:
            own[device] = Stream()
        return own[device]


@cython.no_gc_clear    # the handle and its owner are needed in __dealloc__
cdef class Stream:
    """A queue of work on a device; as a context manager, the current one of the thread.

    Memory that was allocated while the stream was current keeps it alive. ``Stream.null`` is the
    null stream; ``Stream.per_thread`` is a stream of the calling thread, which waits for the null
    stream and is waited for by it.

    Parameters
    ----------
    null : bool, optional
        The device's null stream, which waits for (and is waited for by) other blocking streams.
    non_blocking : bool, optional
        Does not synchronise with the null stream.
    priority : int, optional
        Lower numbers are more urgent; `priority_range` says which there are.

    Examples
    --------
    >>> import rocarray as rp
    >>> with rp.hip.Stream(non_blocking=True) as stream:
    ...     x = rp.arange(3) + 1
    >>> stream.synchronize()
    """

    null = _NullStream()
    per_thread = _ThreadStream()

    def __init__(self, null=False, non_blocking=False, priority=None):
        cdef unsigned flags = hipStreamNonBlocking if non_blocking else hipStreamDefault
        if self.owned:
            raise TypeError("a Stream is initialised once")
        self.device_number = current_device()
        if null:
            return
        if priority is None:
            hipStreamCreateWithFlags(&self.handle, flags)
        else:
            hipStreamCreateWithPriority(&self.handle, flags, priority)
        self.owned = True
        _streams[<uintptr_t>self.handle] = self

    def __dealloc__(self):
        if self.owned and runtime_alive():
            _destroy(self.device_number, self.handle)

    @staticmethod
    def from_handle(handle, keep=None):
        """A Stream over a handle that somebody else owns (and `keep` keeps alive).

        The owner must not destroy it while arrays that were made in it live.
        """
        cdef Stream stream = Stream.__new__(Stream)
        stream.handle = stream_handle(handle)
        stream.device_number = current_device()
        stream.keep = handle if keep is None else keep
        return stream

    @staticmethod
    def priority_range():
        """(least, most) urgent priority of the current device."""
        cdef int least = 0, greatest = 0
        current_device()
        hipDeviceGetStreamPriorityRange(&least, &greatest)
        return least, greatest

    @property
    def ptr(self):
        """The handle as an integer."""
        return <uintptr_t>self.handle

    @property
    def is_null(self):
        return self.handle == NULL

    @property
    def device_id(self):
        """Number of the stream's device; of the current one for a null stream."""
        return current_device() if self.handle == NULL else self.device_number

    @property
    def device(self):
        """The stream's device."""
        from rocarray._core.device import Device
        return Device(self.device_id)

    @property
    def priority(self):
        """Lower is more urgent."""
        cdef int value = 0
        current_device()
        hipStreamGetPriority(self.handle, &value)
        return value

    def __int__(self):
        return <uintptr_t>self.handle

    def __cuda_stream__(self):
        return 0, <uintptr_t>self.handle

    cdef int _device_to_use(self) except -1:
        cdef int device = current_device()
        if self.handle != NULL and device != self.device_number:
            raise ValueError(
                f"the stream belongs to device {self.device_number}, but the current device is "
                f"{device}: use it inside `with rocarray.hip.Device({self.device_number}):`")
        return device

    def __enter__(self):
        cdef int device = self._device_to_use()
        previous = _state.__dict__.setdefault("current", {}).get(device)
        _install(device, self)
        # Per thread, since threads may share the object.
        _state.__dict__.setdefault("contexts", []).append((device, previous))
        return self

    def __exit__(self, *exception):
        device, previous = _state.contexts.pop()
        _install(device, previous)

    def use(self):
        """Makes this the calling thread's current stream."""
        _install(self._device_to_use(), self)
        return self

    def synchronize(self):
        """Waits for all work queued so far."""
        current_device()
        hipStreamSynchronize(self.handle)

    @property
    def done(self):
        """Whether all work queued so far has finished."""
        current_device()
        cdef int status = hipStreamQuery_status(self.handle)
        if status == hipErrorNotReady:
            return False
        if status != 0:
            hipStreamQuery(self.handle)    # raises
        return True

    def query(self):
        """`done`, as a method."""
        return self.done

    def record(self, event=None):
        """Records an event (a new one where none is given) behind the work queued so far."""
        event = Event() if event is None else event
        hipEventRecord(event_handle(event), self.handle)
        return event

    def wait_event(self, event):
        """Makes later work wait for an event."""
        current_device()
        hipStreamWaitEvent(self.handle, event_handle(event), 0)

    def wait_stream(self, stream):
        """Makes later work wait for what another stream has queued so far."""
        from rocarray._core.device import Device
        with Device(stream.device_id if isinstance(stream, Stream) else None):
            event = Event(timing=False)
            event.record(stream)
        self.wait_event(event)

    def launch_host_func(self, callback, arg=None):
        """Runs `callback(arg)` on a host thread, in the stream's order.

        The callback must not call into the device. An exception in it goes to
        `sys.unraisablehook`, since nobody waits for it.
        """
        global _n_callbacks
        if not callable(callback):
            raise TypeError(f"callback must be callable, got {type(callback).__name__}")
        current_device()
        state = (callback, arg)
        Py_INCREF(state)
        _n_callbacks += 1
        try:
            hipLaunchHostFunc(self.handle, _run_callback, <void*>state)
        except BaseException:
            _n_callbacks -= 1
            Py_DECREF(state)
            raise

    def add_callback(self, callback, arg=None):
        """Runs `callback(stream, status, arg)` on a host thread, in the stream's order."""
        self.launch_host_func(lambda _: callback(self, 0, arg), None)

    @property
    def is_capturing(self):
        """Whether work is recorded into a graph at present."""
        current_device()
        return is_capturing(self.handle)

    def begin_capture(self, mode="relaxed"):
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
        if self.handle == NULL:
            return "<Stream null>"
        return f"<Stream {self.ptr:#x} on device {self.device_number}>"


class ExternalStream(Stream):
    """A Stream over a handle that somebody else owns; see `Stream.from_handle`.

    Parameters
    ----------
    handle : int or stream object
    device_id : int, optional
        The device that the stream belongs to; the current one by default.
    """

    def __init__(self, handle, device_id=None):
        (<Stream>self).handle = stream_handle(handle)
        (<Stream>self).device_number = current_device() if device_id is None else device_id
        (<Stream>self).keep = handle


cdef void _run_callback(void* data) noexcept nogil:
    # A thread that asks for the interpreter after its end never comes back.
    if runtime_alive():
        _call_and_release(data)


cdef void _call_and_release(void* data) noexcept with gil:
    global _n_callbacks, rocarray_in_host_function
    state = <object>data
    Py_DECREF(state)
    rocarray_in_host_function += 1
    try:
        state[0](state[1])
    except BaseException as error:
        _report(error, state[0])
    state = None    # what the callback holds is freed while the flag is up
    rocarray_in_host_function -= 1
    _n_callbacks -= 1


cdef int _report(object error, object callback) except -1:
    sys.unraisablehook(SimpleNamespace(
        exc_type=type(error), exc_value=error, exc_traceback=error.__traceback__,
        err_msg="Exception ignored in the host function of a stream", object=callback))
    return 0


def _finish_callbacks():
    # Host functions that are still queued run before the interpreter ends.
    if _n_callbacks > 0 and runtime_alive():
        for device in range(device_count()):
            set_device(device)
            hipDeviceSynchronize()


atexit.register(_finish_callbacks)


@cython.final
cdef class Event:
    """A mark in a stream's work, to wait for or to take times between.

    Parameters
    ----------
    blocking : bool, optional
        `synchronize` lets the host thread sleep.
    timing : bool, optional
        Whether `elapsed_time` may use it.

    Examples
    --------
    >>> import rocarray as rp
    >>> start, end = rp.hip.Event(), rp.hip.Event()
    >>> start.record()
    >>> x = rp.arange(10) + 1
    >>> end.record()
    >>> end.synchronize()
    >>> start.elapsed_time(end) >= 0
    True
    """

    def __init__(self, blocking=False, timing=True, *, disable_timing=False):
        cdef unsigned flags = hipEventDefault
        cdef hipEvent_t handle = NULL
        if self.handle != NULL:
            raise TypeError("an Event is initialised once")
        self.device_id = current_device()
        self.timing = timing and not disable_timing
        self.blocking = blocking
        if blocking:
            flags |= hipEventBlockingSync
        if not self.timing:
            flags |= hipEventDisableTiming
        hipEventCreateWithFlags(&handle, flags)
        self.handle = handle

    def __dealloc__(self):
        if self.handle != NULL and runtime_alive():
            hipEventDestroy_status(self.handle)

    @property
    def ptr(self):
        """The handle as an integer."""
        return <uintptr_t>self.handle

    def __int__(self):
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
            hipEventQuery(self.handle)    # raises
        return True

    cdef bint passed(self) noexcept:
        """`query` for the pool: no errors, a device that failed has not passed."""
        return hipEventQuery_status(self.handle) == 0

    def synchronize(self):
        """Waits until the work before the event has finished."""
        hipEventSynchronize(self.handle)

    def elapsed_time(self, end):
        """Milliseconds from this event to `end`."""
        return get_elapsed_time(self, end)

    def __repr__(self):
        return f"<Event {self.ptr:#x} on device {self.device_id}>"


cdef hipEvent_t event_handle(object event) except? NULL:
    """Handle of an Event or of another library's event."""
    cdef uintptr_t address
    if isinstance(event, Event):
        return (<Event>event).handle
    value = _address(event)
    if value is None or value <= 0:
        raise TypeError(
            "an event is a rocarray.hip.Event, a hip-python event or an integer handle, got "
            f"{type(event).__name__}")
    address = value
    return <hipEvent_t>address


def get_elapsed_time(start, end):
    """Milliseconds between two recorded events that have timing."""
    cdef float milliseconds = 0
    for event in (start, end):
        if isinstance(event, Event) and not event.timing:
            raise ValueError("the event was made with timing=False; times need timing=True")
    hipEventElapsedTime(&milliseconds, event_handle(start), event_handle(end))
    return milliseconds


def get_current_stream():
    """The calling thread's current stream."""
    current_device()
    cdef StreamSlot* slot = current_slot()
    return <object>slot.object if slot.object != NULL else Stream.null


def synchronize():
    """Waits for all work of the current device."""
    current_device()
    hipDeviceSynchronize()


def order_before(stream):
    """Makes `stream` (a handle; None or 1: the null stream) wait for the current stream's work."""
    cdef hipStream_t other = NULL
    current_device()
    if stream == PER_THREAD_STREAM:    # nothing is remembered of it, so the handle is enough
        other = <hipStream_t><uintptr_t>PER_THREAD_STREAM
    elif stream is not None:
        other = stream_handle(stream)
    if other == current_stream():
        return
    event = Event(timing=False)
    event.record()
    hipStreamWaitEvent(other, (<Event>event).handle, 0)
