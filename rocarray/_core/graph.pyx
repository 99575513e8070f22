"""Graphs: work that is recorded once and launched many times."""

import sys

from rocarray._core.stream cimport Stream, current_stream, stream_handle
from rocarray._rocm.hip.calls cimport (
    hipGraphDestroy_status, hipGraphExecDestroy_status, hipGraphInstantiate, hipGraphLaunch,
    hipStreamBeginCapture, hipStreamEndCapture)
from rocarray._rocm.hip.types cimport (
    hipGraphExec_t, hipGraph_t, hipStreamCaptureMode, hipStreamCaptureModeGlobal,
    hipStreamCaptureModeRelaxed, hipStreamCaptureModeThreadLocal)

cdef dict _MODES = {
    "global": hipStreamCaptureModeGlobal,
    "thread_local": hipStreamCaptureModeThreadLocal,
    "relaxed": hipStreamCaptureModeRelaxed,
}


cdef class Graph:
    """Recorded work. The arrays that it reads and writes must live as long as it is launched.

    Examples
    --------
    >>> import rocarray as rp
    >>> x = rp.zeros(3)
    >>> with rp.hip.Stream(non_blocking=True) as stream, rp.hip.capture(stream) as graph:
    ...     rp.add(x, 1, out=x)
    array(...)
    >>> graph.launch(stream)
    """
    cdef hipGraph_t graph
    cdef hipGraphExec_t executable

    def __dealloc__(self):
        if sys.is_finalizing():
            return
        if self.executable != NULL:
            hipGraphExecDestroy_status(self.executable)
        if self.graph != NULL:
            hipGraphDestroy_status(self.graph)

    def launch(self, stream=None):
        """Runs the recorded work in a stream (the current one by default)."""
        if self.executable == NULL:
            if self.graph == NULL:
                raise ValueError("the graph is empty: leave the capture block before launching")
            hipGraphInstantiate(&self.executable, self.graph, NULL, NULL, 0)
        hipGraphLaunch(self.executable,
                       current_stream() if stream is None else stream_handle(stream))


def begin_capture(Stream stream, mode):
    """Starts recording the work of a stream."""
    if mode not in _MODES:
        raise ValueError(f"capture mode {mode!r}; allowed are {', '.join(_MODES)}")
    hipStreamBeginCapture(stream.handle, <hipStreamCaptureMode><int>_MODES[mode])


def end_capture(Stream stream):
    """Ends recording; the Graph of what was recorded."""
    cdef Graph graph = Graph()
    hipStreamEndCapture(stream.handle, &graph.graph)
    return graph


class capture:
    """Context manager: records the work of a stream into a Graph.

    Parameters
    ----------
    stream : Stream
        Not the null stream. Work is recorded and not run.
    mode : {'global', 'thread_local', 'relaxed'}, optional
    """

    def __init__(self, stream, mode="relaxed"):
        self.stream, self.mode = stream, mode

    def __enter__(self):
        begin_capture(self.stream, self.mode)
        self.graph = Graph()
        return self.graph

    def __exit__(self, *exception):
        cdef Graph graph = self.graph
        hipStreamEndCapture((<Stream?>self.stream).handle, &graph.graph)
