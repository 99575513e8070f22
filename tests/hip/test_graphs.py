"""Graphs: capture, launch, and the memory that they use."""

import gc
import threading

import pytest

import rocarray as rp
from rocarray import hip

N_ITEMS = 20_000


def warm_up(function):
    """Loads kernels, which cannot be recorded."""
    function()
    hip.synchronize()


def captured(function, **options):
    warm_up(function)
    with hip.capture(hip.Stream(non_blocking=True), **options) as graph:
        function()
    return graph


def test_captured_work_runs_at_each_launch_only():
    x = rp.zeros(N_ITEMS)
    graph = captured(lambda: rp.add(x, 1, out=x))
    assert (x == 1).all()  # by warm_up alone
    assert graph.n_nodes >= 1
    stream = hip.Stream(non_blocking=True)
    for _ in range(3):
        graph.launch(stream)
    stream.synchronize()
    assert (x == 4).all()
    graph.launch()
    assert (x == 5).all()


def test_temporaries_belong_to_the_graph():
    x, y = rp.ones(N_ITEMS), rp.zeros(N_ITEMS)
    graph = captured(lambda: rp.multiply(rp.sqrt(x + 3) + 1, 2, out=y))
    gc.collect()
    # What is allocated afterwards must not lie where the graph's temporaries are.
    others = [rp.full(N_ITEMS, 5.0) for _ in range(6)]
    for value in (1, 6, 13):
        x.fill(value)
        graph.launch()
        assert (y == 2 * ((value + 3) ** 0.5 + 1)).all()
    for other in others:
        assert (other == 5).all()


def test_arrays_may_go_before_the_graph():
    result = rp.zeros(N_ITEMS)

    def work():
        rp.add(captured_input[0], 1, out=result)

    captured_input = [rp.ones(N_ITEMS)]
    graph = captured(work)
    captured_input.clear()
    rp.full(N_ITEMS, 9.0)
    graph.launch()
    assert (result == 2).all()


def test_memory_of_a_running_graph_is_not_reused():
    gate, stream = threading.Event(), hip.Stream(non_blocking=True)
    x, y = rp.ones(N_ITEMS), rp.zeros(N_ITEMS)
    graph = captured(lambda: rp.multiply(x + 1, 2, out=y))
    hip.synchronize()
    stream.launch_host_func(lambda _: gate.wait(20))
    graph.launch(stream)
    del graph
    others = [rp.full(N_ITEMS, 5.0) for _ in range(4)]
    hip.Stream.null.synchronize()
    gate.set()
    stream.synchronize()
    assert (y == 4).all()
    for other in others:
        assert (other == 5).all()


def test_memory_comes_back_with_the_graph():
    pool = rp.get_default_memory_pool()
    x = rp.ones(N_ITEMS)
    warm_up(lambda: x + 1)
    before = pool.used_bytes()
    graph = captured(lambda: x + 1)
    assert pool.used_bytes() > before
    graph.launch()
    hip.synchronize()
    del graph
    assert pool.used_bytes() == before


def test_a_graph_waits_for_what_its_stream_did_before():
    gate, stream = threading.Event(), hip.Stream(non_blocking=True)
    x = rp.zeros(N_ITEMS)
    warm_up(lambda: rp.add(x, 1, out=x))
    x.fill(0)
    hip.synchronize()
    stream.launch_host_func(lambda _: gate.wait(20))
    with stream:
        x += 10
        stream.begin_capture()
        x *= 2
        graph = stream.end_capture()
    other = hip.Stream(non_blocking=True)
    graph.launch(other)
    gate.set()
    other.synchronize()
    assert (x == 20).all()


def test_begin_and_end_of_capture():
    stream, x = hip.Stream(non_blocking=True), rp.zeros(10)
    warm_up(lambda: rp.add(x, 1, out=x))
    assert not stream.is_capturing
    with stream:
        stream.begin_capture()
        assert stream.is_capturing
        rp.add(x, 1, out=x)
        graph = stream.end_capture()
    assert not stream.is_capturing
    graph.launch(stream)
    stream.synchronize()
    assert x.tolist() == [2] * 10


def test_other_streams_join_a_capture():
    stream, other = hip.Stream(non_blocking=True), hip.Stream(non_blocking=True)
    x, y = rp.zeros(N_ITEMS), rp.zeros(N_ITEMS)
    warm_up(lambda: rp.add(x + 0, 1, out=y))
    with hip.capture(stream) as graph:
        x += 1
        other.wait_stream(stream)
        with other:
            rp.add(x + 0, 1, out=y)
        stream.wait_stream(other)
        x += 1
    x.fill(0)
    noise = [rp.full(N_ITEMS, 5.0) for _ in range(4)]
    graph.launch()
    assert (x == 2).all()
    assert (y == 2).all()
    assert all((values == 5).all() for values in noise)


def test_an_error_inside_ends_the_capture():
    stream = hip.Stream(non_blocking=True)
    with pytest.raises(KeyError), hip.capture(stream):
        raise KeyError
    assert not stream.is_capturing
    assert hip.get_current_stream() is hip.Stream.null
    x = rp.ones(5) + 1
    assert x.sum() == 10


def test_waiting_inside_a_capture_is_an_error():
    stream = hip.Stream(non_blocking=True)
    with pytest.raises(hip.HIPError, match="hipStreamSynchronize"), hip.capture(stream):
        stream.synchronize()
    assert not stream.is_capturing


def test_bad_arguments():
    with pytest.raises(TypeError, match=r"capture\(\).*Stream.*int"):
        hip.capture(5)
    with pytest.raises(ValueError, match="null stream"), hip.capture(hip.Stream.null):
        pass
    with (
        pytest.raises(ValueError, match="'all'.*global, thread_local, relaxed"),
        hip.capture(hip.Stream(), mode="all"),
    ):
        pass
    with pytest.raises(ValueError, match="graph is empty"):
        hip.Graph().launch()
