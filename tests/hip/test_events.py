"""Events: waiting, querying, times."""

import threading
import time

import pytest

import rocarray as rp
from rocarray import hip


def test_query_and_synchronize():
    gate, stream = threading.Event(), hip.Stream(non_blocking=True)
    stream.launch_host_func(lambda _: gate.wait(20))
    event = stream.record()
    assert not event.done
    assert not event.query()
    gate.set()
    event.synchronize()
    assert event.done


def test_an_event_that_was_never_recorded_is_done():
    assert hip.Event().done


@pytest.mark.parametrize("blocking", [False, True])
def test_elapsed_time(blocking):
    stream = hip.Stream()
    start, end = hip.Event(blocking=blocking), hip.Event(blocking=blocking)
    start.record(stream)
    stream.launch_host_func(lambda _: time.sleep(0.02))
    end.record(stream)
    end.synchronize()
    milliseconds = start.elapsed_time(end)
    assert 15 < milliseconds < 20_000
    assert hip.get_elapsed_time(start, end) == milliseconds


def test_records_in_the_current_stream():
    gate, stream = threading.Event(), hip.Stream(non_blocking=True)
    event, null_event = hip.Event(), hip.Event()
    with stream:
        stream.launch_host_func(lambda _: gate.wait(20))
        event.record()
        null_event.record(hip.Stream.null)
    null_event.synchronize()
    assert not event.done
    gate.set()
    event.synchronize()


def test_an_event_outlives_its_stream():
    stream = hip.Stream()
    with stream:
        x = rp.ones(1000) + 1
    event = stream.record()
    del stream
    event.synchronize()
    assert event.done
    assert x.sum() == 2000


def test_handles_of_other_libraries():
    event, stream = hip.Event(), hip.Stream()
    assert int(event) == event.ptr != 0
    assert stream.record(event.ptr) == event.ptr
    hip.Stream().wait_event(event.ptr)
    event.synchronize()


def test_bad_arguments():
    plain, timed = hip.Event(timing=False), hip.Event()
    timed.record()
    plain.record()
    hip.synchronize()
    with pytest.raises(ValueError, match="timing=True"):
        plain.elapsed_time(timed)
    with pytest.raises(ValueError, match="timing=True"):
        timed.elapsed_time(plain)
    assert not hip.Event(disable_timing=True).timing
    with pytest.raises(hip.HIPError, match="hipEventElapsedTime"):
        timed.elapsed_time(hip.Event())  # never recorded
    with pytest.raises(TypeError, match="an event is"):
        timed.elapsed_time("x")
    with pytest.raises(TypeError, match="a stream is"):
        timed.record("x")
    with pytest.raises(TypeError, match="initialised once"):
        timed.__init__()
