"""Graphs: work that is recorded once and launched many times."""

from rocarray._core.device cimport current_device, runtime_alive
from rocarray._core.memory cimport MemoryBlock, begin_tracking, end_tracking, note_stream
from rocarray._core.stream cimport Event, Stream, current_stream, stream_handle
from rocarray._rocm.hip.calls cimport (
    hipEventRecord, hipGraphDestroy_status, hipGraphExecDestroy_status, hipGraphGetNodes,
    hipGraphInstantiate, hipGraphLaunch, hipStreamBeginCapture, hipStreamEndCapture,
    hipStreamWaitEvent)
from rocarray._rocm.hip.types cimport (
    hipGraphExec_t, hipGraph_t, hipStream_t, hipStreamCaptureMode, hipStreamCaptureModeGlobal,
    hipStreamCaptureModeRelaxed, hipStreamCaptureModeThreadLocal)

from rocarray._rocm.errors import HIPError

cdef dict _MODES = {
    "global": hipStreamCaptureModeGlobal,
    "thread_local": hipStreamCaptureModeThreadLocal,
    "relaxed": hipStreamCaptureModeRelaxed,
}
cdef dict _captures = {}    # handle of a capturing stream -> {id: MemoryBlock} that it uses


cdef class Graph:
    """Recorded work, which keeps the memory that it uses alive.

    Examples
    --------
    >>> import rocarray as rp
    >>> x = rp.zeros(3)
    >>> with rp.hip.Stream(non_blocking=True) as stream, rp.hip.capture(stream) as graph:
    ...     _ = rp.add(x, 1, out=x)
    >>> graph.launch(stream)
    >>> graph.launch(stream)
    >>> stream.synchronize()
    >>> x
    array([2., 2., 2.])
    """
    cdef hipGraph_t graph
    cdef hipGraphExec_t executable
    cdef hipStream_t stream       # where it was captured
    cdef Event earlier            # behind the work that this stream had before
    cdef dict blocks

    def __dealloc__(self):
        if not runtime_alive():
            return
        if self.executable != NULL:
            hipGraphExecDestroy_status(self.executable)
        if self.graph != NULL:
            hipGraphDestroy_status(self.graph)

    @property
    def n_nodes(self):
        """Number of recorded operations."""
        cdef size_t n = 0
        if self.graph != NULL:
            hipGraphGetNodes(self.graph, NULL, &n)
        return n

    def launch(self, stream=None):
        """Runs the recorded work in a stream (the current one by default)."""
        cdef hipStream_t handle = current_stream() if stream is None else stream_handle(stream)
        cdef int device = current_device()
        if self.executable == NULL:
            if self.graph == NULL:
                raise ValueError("the graph is empty: leave the capture block before launching")
            hipGraphInstantiate(&self.executable, self.graph, NULL, NULL, 0)
        if handle != self.stream:
            # The memory of the graph may have been in use on the stream of the capture.
            hipStreamWaitEvent(handle, self.earlier.handle, 0)
        for block in self.blocks.values():
            note_stream(<MemoryBlock>block, handle, device)
        hipGraphLaunch(self.executable, handle)


def begin_capture(Stream stream, mode="relaxed"):
    """Starts recording the work of a stream."""
    cdef dict blocks = {}
    if mode not in _MODES:
        raise ValueError(f"capture mode {mode!r}; allowed are {', '.join(_MODES)}")
    if stream.handle == NULL:
        raise ValueError(
            "the null stream cannot record a graph: use `with rocarray.hip.Stream() as stream`")
    current_device()
    # Memory is followed before the first call that could be recorded.
    begin_tracking(blocks)
    try:
        hipStreamBeginCapture(stream.handle, <hipStreamCaptureMode><int>_MODES[mode])
    except BaseException:
        end_tracking(blocks)
        raise
    _captures[stream.ptr] = blocks


def end_capture(Stream stream, Graph graph=None):
    """Ends recording; the Graph of what was recorded."""
    graph = Graph() if graph is None else graph
    graph.blocks = _captures.pop(stream.ptr, {})
    try:
        hipStreamEndCapture(stream.handle, &graph.graph)
    finally:
        end_tracking(graph.blocks)
    graph.stream = stream.handle
    graph.earlier = Event(timing=False)
    hipEventRecord(graph.earlier.handle, stream.handle)
    return graph


class capture:
    """Context manager: records the work of a stream into a Graph.

    Parameters
    ----------
    stream : Stream
        Not the null stream; made current inside the block. Work is recorded and not run.
    mode : {'global', 'thread_local', 'relaxed'}, optional
        Which calls are refused meanwhile, in this thread or in all; memory can be allocated only
        in 'relaxed' mode.
    """

    def __init__(self, stream, mode="relaxed"):
        if not isinstance(stream, Stream):
            raise TypeError(
                f"capture() takes a rocarray.hip.Stream, got {type(stream).__name__}")
        self.stream, self.mode = stream, mode

    def __enter__(self):
        self.stream.__enter__()
        try:
            begin_capture(self.stream, self.mode)
        except BaseException:
            self.stream.__exit__()
            raise
        self.graph = Graph()
        return self.graph

    def __exit__(self, kind, *details):
        try:
            end_capture(self.stream, self.graph)
        except HIPError:
            if kind is None:    # else the first error says more
                raise
        finally:
            self.stream.__exit__()
