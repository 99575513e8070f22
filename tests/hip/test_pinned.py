"""Page-locked host memory and its pool."""

import threading

import numpy as np
import pytest

import rocarray as rp
from rocarray import hip


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shape", [(), 5, (0,), (3, 4), (2, 0, 3), np.int64(4)])
def test_arrays(shape, order):
    x = hip.pinned_empty(shape, "i4", order)
    expected = np.empty(shape, "i4", order)
    assert (x.shape, x.dtype) == (expected.shape, expected.dtype)
    assert x.strides == expected.strides or x.size == 0  # where NumPy has strides of its own
    assert x.flags.writeable
    x[...] = np.arange(x.size).reshape(x.shape)
    assert np.array_equal(rp.asarray(x).get(), x)


def test_default_dtype():
    assert hip.pinned_empty(3).dtype == np.float64


def test_arrays_keep_their_memory():
    x = hip.pinned_empty(1000)[10:20]
    x[:] = 7
    y = [hip.pinned_empty(1000) for _ in range(5)]
    y[0][:] = 1
    assert (x == 7).all()


def test_copies_do_not_wait():
    gate, stream = threading.Event(), hip.Stream(non_blocking=True)
    x, target = rp.full(1000, 3.0), hip.pinned_empty(1000)
    target[:] = 0
    hip.synchronize()
    stream.launch_host_func(lambda _: gate.wait(20))
    x.data.copy_to_host_async(target.ctypes.data, 8000, stream)
    assert not stream.done
    assert (target == 0).all()
    gate.set()
    stream.synchronize()
    assert (target == 3).all()


def test_pool_keeps_size_classes():
    pool = hip.PinnedMemoryPool()
    memory = pool.malloc(1000)
    assert memory.n_bytes == 1024
    address = memory.ptr
    pool.free(memory)
    assert pool.n_free_blocks() == 1
    assert pool.malloc(600).ptr == address
    assert pool.n_free_blocks() == 0
    assert pool.malloc(0).n_bytes == 512
    assert pool.malloc(513).n_bytes == 1024
    pool.free(pool.malloc(5000))
    pool.free_all_blocks()
    assert pool.n_free_blocks() == 0
    assert isinstance(rp.get_default_pinned_memory_pool(), hip.PinnedMemoryPool)


def test_memory_is_a_buffer():
    memory = hip.PinnedMemory(64)
    view = memoryview(memory)
    assert (view.nbytes, view.readonly) == (64, False)
    view[3] = 9
    assert np.frombuffer(memory, "u1")[3] == 9


def test_bad_arguments():
    pool = hip.PinnedMemoryPool()
    with pytest.raises(ValueError, match=r"malloc\(\).*0 or more.*-1"):
        pool.malloc(-1)
    with pytest.raises(TypeError, match=r"free\(\) takes a PinnedMemory.*int"):
        pool.free(5)
    memory = pool.malloc(10)
    pool.free(memory)
    with pytest.raises(ValueError, match="given back before"):
        pool.free(memory)
    with pytest.raises(ValueError, match=r"PinnedMemory\(\).*-5"):
        hip.PinnedMemory(-5)
    with pytest.raises(ValueError, match="negative dimensions"):
        hip.pinned_empty((3, -1))
    with pytest.raises(TypeError, match="object"):
        hip.pinned_empty(3, object)
    with pytest.raises(MemoryError):
        hip.PinnedMemory(1 << 62)
