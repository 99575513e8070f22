"""Streams: the current one of each thread, order, host functions, handles of other libraries."""

import sys
import threading

import pytest

import rocarray as rp
from rocarray import hip

N_ITEMS = 10_000


def test_the_null_stream_is_current_at_first():
    assert hip.get_current_stream() is hip.Stream.null
    assert hip.Stream.null.is_null
    assert hip.Stream.null.ptr == 0
    assert hip.Stream.null.device == hip.Device()


def test_context_manager_nests_and_restores():
    first, second = hip.Stream(), hip.Stream(non_blocking=True)
    with first as entered:
        assert entered is first
        assert hip.get_current_stream() is first
        with second, first:
            assert hip.get_current_stream() is first
        assert hip.get_current_stream() is first
        with hip.Stream.null:
            assert hip.get_current_stream() is hip.Stream.null
    with pytest.raises(KeyError), second:
        raise KeyError
    assert hip.get_current_stream() is hip.Stream.null


def test_use_makes_a_stream_current():
    stream = hip.Stream()
    try:
        assert stream.use() is stream
        assert hip.get_current_stream() is stream
    finally:
        hip.Stream.null.use()
    assert hip.get_current_stream() is hip.Stream.null


def test_each_thread_has_its_own_current_stream():
    stream, seen = hip.Stream(), []
    with stream:
        thread = threading.Thread(target=lambda: seen.append(hip.get_current_stream()))
        thread.start()
        thread.join()
    assert seen == [hip.Stream.null]


def test_per_thread_streams_differ():
    seen = []
    for _ in range(2):
        thread = threading.Thread(target=lambda: seen.append(hip.Stream.per_thread))
        thread.start()
        thread.join()
    assert hip.Stream.per_thread is hip.Stream.per_thread
    assert len({id(stream) for stream in [*seen, hip.Stream.per_thread]}) == 3
    with hip.Stream.per_thread:
        x = rp.ones(10) + 1
    hip.Stream.per_thread.synchronize()
    assert x.sum() == 20


def test_streams_run_in_parallel_and_query_tells():
    gate = threading.Event()
    waiting, other = hip.Stream(non_blocking=True), hip.Stream(non_blocking=True)
    waiting.launch_host_func(lambda _: gate.wait(20))
    assert not waiting.done
    assert not waiting.query()
    with other:
        x = rp.ones(N_ITEMS) * 3
    other.synchronize()
    assert other.done
    assert not waiting.done
    gate.set()
    waiting.synchronize()
    assert waiting.done
    assert (x == 3).all()


def test_wait_stream_and_wait_event():
    gate = threading.Event()
    first, second, third = (hip.Stream(non_blocking=True) for _ in range(3))
    x = rp.zeros(N_ITEMS)
    hip.synchronize()
    first.launch_host_func(lambda _: gate.wait(20))
    with first:
        x += 1
    second.wait_stream(first)
    with second:
        x *= 5
    third.wait_event(second.record())
    with third:
        x -= 2
    gate.set()
    third.synchronize()
    assert (x == 3).all()


def test_the_null_stream_waits_for_blocking_streams():
    gate, stream = threading.Event(), hip.Stream()
    x = rp.zeros(N_ITEMS)
    hip.synchronize()
    stream.launch_host_func(lambda _: gate.wait(20))
    with stream:
        x += 4
    threading.Timer(0.05, gate.set).start()
    assert (x == 4).all()


def test_host_functions_run_in_order():
    stream, order = hip.Stream(), []
    for number in range(20):
        stream.launch_host_func(order.append, number)
    stream.add_callback(lambda *arguments: order.append(arguments), "x")
    stream.synchronize()
    assert order == [*range(20), (stream, 0, "x")]


def test_an_exception_in_a_host_function_is_reported(monkeypatch):
    seen = []
    monkeypatch.setattr(sys, "unraisablehook", lambda report: seen.append(report.exc_value))
    stream = hip.Stream()
    stream.launch_host_func(lambda _: 1 / 0)
    stream.synchronize()
    assert [type(error) for error in seen] == [ZeroDivisionError]


def test_host_functions_that_wait_at_exit_still_run(run_python):
    done = run_python(
        "import time, rocarray as rp\n"
        "stream = rp.hip.Stream()\n"
        "stream.launch_host_func(lambda _: (time.sleep(0.1), print('ran', flush=True)))\n"
    )
    assert (done.returncode, done.stdout) == (0, "ran\n"), done.stderr


def test_priorities():
    least, most = hip.Stream.priority_range()
    assert most <= least
    assert hip.Stream(priority=most).priority == most


def test_handles_of_other_libraries():
    stream = hip.Stream()
    same = hip.Stream.from_handle(stream.ptr)
    assert same == stream
    assert hash(same) == hash(stream)
    assert hip.ExternalStream(stream.ptr) == stream
    assert stream.__cuda_stream__() == (0, stream.ptr)
    assert int(stream) == stream.ptr

    class Protocol:
        def __cuda_stream__(self):
            return 0, stream.ptr

    class Attribute:
        ptr = stream.ptr

    for other in (Protocol(), Attribute()):
        with hip.Stream.from_handle(other) as wrapped:
            assert wrapped == stream
            x = rp.ones(5) + 1
        wrapped.synchronize()
        assert x.tolist() == [2] * 5
    assert hip.Stream.from_handle(1).is_null  # the name of the null stream in protocols
    assert hip.Stream.null != stream


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: hip.Stream.from_handle("x"), TypeError, "a stream is .*str"),
        (lambda: hip.Stream.from_handle(1.5), TypeError, "a stream is .*float"),
        (lambda: hip.Stream.from_handle(-3), TypeError, "a stream is "),
        (lambda: hip.Stream.from_handle(2), ValueError, "per_thread"),
        (lambda: hip.Stream().launch_host_func(5), TypeError, "callable.*int"),
        (lambda: hip.Stream().wait_event("x"), TypeError, "an event is .*str"),
        (lambda: hip.Stream().record(5.5), TypeError, "an event is .*float"),
        (lambda: hip.Stream().__init__(), TypeError, "initialised once"),
    ],
)
def test_bad_arguments(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_exit_with_work_and_streams_alive(run_python):
    done = run_python(
        "import rocarray as rp\n"
        "streams = [rp.hip.Stream(non_blocking=True) for _ in range(4)]\n"
        "arrays = []\n"
        "for stream in streams:\n"
        "    with stream:\n"
        "        arrays.append(rp.ones(100000) + 1)\n"
        "streams[0].use()\n"
        "print('end', flush=True)\n"
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "end\n", "")
