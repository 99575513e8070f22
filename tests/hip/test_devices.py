"""Devices: the current one, attributes, peers. Several devices are pretended in child processes."""

import pytest

import rocarray as rp
from rocarray import hip


@pytest.fixture
def run_two(run_python):
    """Runs a program with two devices of the cpu platform; its output must be 'ok'."""

    def run(text):
        done = run_python(
            "import threading, numpy as np, rocarray as rp\n"
            "from rocarray import hip\n"
            "from rocarray.hip import Device\n" + text + "\nprint('ok')\n",
            ROCARRAY_PLATFORM="cpu",
            ROCARRAY_CPU_DEVICES="2",
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout.endswith("ok\n")
        return done

    return run


def test_current_device():
    assert hip.get_device_id() == 0
    assert hip.Device() == hip.Device(0) == hip.Device(hip.Device(0))
    assert int(hip.Device(0)) == 0
    assert len({hip.Device(0), hip.Device()}) == 1
    assert hip.get_device_count() >= 1
    assert rp.ones(3).device == hip.Device()
    with hip.Device(0) as device:
        assert device.id == 0


def test_attributes():
    device = hip.Device()
    attributes = device.attributes
    assert attributes["WarpSize"] == device.warp_size >= 1
    assert attributes["MultiprocessorCount"] == device.compute_units >= 1
    assert attributes["MaxThreadsPerBlock"] >= 256
    assert attributes["MaxSharedMemoryPerBlock"] >= 32 * 1024
    assert all(isinstance(value, int) for value in attributes.values())
    free, total = device.mem_info
    assert 0 < free <= total
    assert hip.mem_get_info()[1] == total
    assert device.name
    assert device.arch.startswith(("gfx", "x86", "sm_", "cpu", "aarch64"))
    assert device.pci_bus_id.count(":") == 2
    device.synchronize()


def test_no_peer_of_itself():
    assert hip.Device(0).can_access_peer(0) is False


@pytest.mark.parametrize(
    ("device", "error", "text"),
    [
        (-1, ValueError, "device -1 does not exist; there are"),
        (99, ValueError, "device 99 does not exist; there are"),
        ("0", TypeError, "an int or a rocarray.hip.Device, got str"),
        (0.0, TypeError, "an int or a rocarray.hip.Device, got float"),
    ],
)
def test_bad_device(device, error, text):
    with pytest.raises(error, match=text):
        hip.Device(device)
    with pytest.raises(error, match=text):
        rp.asarray([1], device=device)


def test_the_current_device_is_per_thread(run_two):
    run_two("""
seen = []
with Device(1):
    thread = threading.Thread(target=lambda: seen.append(hip.get_device_id()))
    thread.start(); thread.join()
    assert hip.get_device_id() == 1
    with Device(0):
        assert hip.get_device_id() == 0
    assert hip.get_device_id() == 1
assert hip.get_device_id() == 0 and seen == [0]
assert Device(1).use() == Device() and hip.get_device_id() == 1
Device(0).use()
""")


def test_one_device_object_in_many_threads(run_two):
    run_two("""
device = Device(1)
barrier = threading.Barrier(4)
failures = []
def work():
    for _ in range(50):
        with device:
            barrier.wait()
            if hip.get_device_id() != 1: failures.append(1)
        if hip.get_device_id() != 0: failures.append(0)
threads = [threading.Thread(target=work) for _ in range(4)]
for t in threads: t.start()
for t in threads: t.join()
assert not failures, failures
""")


def test_arrays_know_their_device(run_two):
    run_two("""
x = rp.arange(5.0)
with Device(1):
    y = rp.arange(5.0)
    assert y.device == Device(1) and (y + 1).device == Device(1)
    assert y.sum().device == Device(1)
assert x.device == Device(0)
assert y[1:3].device == Device(1)
assert rp.get_default_memory_pool().used_bytes() == 512
with Device(1):
    assert rp.get_default_memory_pool().used_bytes() == 512
# The host gets values, text and pickles of any device's arrays.
import pickle
assert y.get().tolist() == y.tolist() == [0, 1, 2, 3, 4] and repr(y) == repr(x)
assert float(y[2]) == 2 and pickle.loads(pickle.dumps(y)).tolist() == y.tolist()
assert y.T.get().tolist() == rp.asnumpy(y).tolist()
assert rp.asnumpy(y[::2]).tolist() == [0, 2, 4]
""")


def test_mixed_devices_are_refused(run_two):
    run_two("""
x, out = rp.arange(5.0), rp.full(5, -1.0)
with Device(1):
    y = rp.arange(5.0)
calls = {
    'add': lambda: x + y, 'radd': lambda: y + x, 'own': lambda: y + 1,
    'out': lambda: rp.add(x, y, out=out),
    'iadd': lambda: out.__iadd__(y), 'sum': lambda: y.sum(), 'where': lambda: rp.where(x > 1, x, y),
    'concatenate': lambda: rp.concatenate([x, y]), 'take': lambda: rp.take(x, yi),
    'setitem': lambda: out.__setitem__(slice(None), y), 'copyto': lambda: rp.copyto(out, y),
    'cumsum': lambda: rp.cumsum(y), 'sort': lambda: rp.sort(y), 'matmul': lambda: x @ y,
    'mask': lambda: x[ym], 'nonzero': lambda: rp.nonzero(y), 'copy': lambda: y.copy(),
    'astype': lambda: y.astype('f4'), 'fill': lambda: y.fill(3),
    'searchsorted': lambda: rp.searchsorted(x, y),
    'sum_out': lambda: x.sum(out=y[0].reshape(())), 'at': lambda: rp.add.at(x, yi, 1.0),
}
with Device(1):
    yi, ym = rp.arange(5), rp.ones(5, bool)
for name, call in calls.items():
    try:
        call()
    except ValueError as error:
        text = str(error)
        assert 'device 1' in text and 'device' in text and 'to_device' in text, (name, text)
    else:
        raise AssertionError(name)
assert out.tolist() == [-1] * 5 and x.tolist() == y.tolist() == [0, 1, 2, 3, 4]
""")


def test_copies_between_devices(run_two):
    run_two("""
x = rp.arange(100_000.0).reshape(100, 1000)
for a in (x, x.T, x[::3, ::-1], x[:0], rp.asarray(5)):
    y = a.to_device(1)
    assert y.device == Device(1) and a.device == Device(0)
    assert np.array_equal(y.get(), a.get())
    z = y.to_device(Device(0))
    assert z.device == Device(0) and np.array_equal(z.get(), a.get())
assert x.to_device(0) is x
with Device(1):
    try:
        rp.asarray([1, 2], device=0)
    except ValueError as error:
        assert 'device' in str(error)
    else:
        raise AssertionError
""")


def test_a_copy_waits_for_the_source_and_holds_it(run_two):
    run_two("""
gate = threading.Event()
x = rp.zeros(400_000)
x + 1
hip.synchronize()
hip.Stream.null.launch_host_func(lambda _: gate.wait(20))
x += 5
y = x.to_device(1)           # behind the addition, which waits
address = x.data.ptr
del x
z = rp.full(400_000, 7.0)    # not in the memory that the copy reads
assert z.data.ptr != address
gate.set()
assert (y.get() == 5).all() and (z.get() == 7).all()
""")


def test_streams_of_another_device_are_refused(run_two):
    run_two("""
with Device(1):
    stream = hip.Stream()
assert stream.device == Device(1)
for enter in (stream.__enter__, stream.use):
    try:
        enter()
    except ValueError as error:
        assert 'device 1' in str(error) and 'Device(1)' in str(error)
    else:
        raise AssertionError
with Device(1), stream:
    y = rp.arange(3) + 1
stream.synchronize()
other = hip.Stream()
other.wait_stream(stream)
other.synchronize()
assert y.tolist() == [1, 2, 3]
with Device(0), hip.Stream.null, Device(1), hip.Stream.null:
    assert hip.get_current_stream() is hip.Stream.null
""")


def test_peer_access(run_two):
    run_two("""
first, second = Device(0), Device(1)
assert first.can_access_peer(second) and second.can_access_peer(0)
for _ in range(2):
    first.enable_peer_access(second)
for _ in range(2):
    first.disable_peer_access(second)
""")


def test_kernels_of_users_belong_to_a_device(run_two):
    run_two("""
kernel = rp.RawKernel('''extern "C" __global__ void twice(double* x, long n) {
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < n) x[i] *= 2;
}''', 'twice')
x = rp.arange(4.0)
kernel((1,), (64,), (x, 4))
with Device(1):
    y = rp.arange(4.0)
    kernel((1,), (64,), (y, 4))
    try:
        kernel((1,), (64,), (x, 4))
    except ValueError as error:
        assert 'argument 0 is on device 0' in str(error), error
    else:
        raise AssertionError
assert x.tolist() == y.tolist() == [0, 2, 4, 6]
""")


def test_a_pool_for_each_device(run_two):
    run_two("""
pool = rp.get_default_memory_pool()
pool.set_limit(1 << 20)
with Device(1):
    assert pool.get_limit() == 0
    y = rp.ones(1 << 20)
    pool.free_all_blocks()
    assert pool.used_bytes() == 8 << 20
try:
    rp.ones(1 << 20)
except MemoryError as error:
    assert 'device 0' in str(error)
del y    # frees memory of device 1 while device 0 is current
with Device(1):
    assert pool.used_bytes() == 0
    assert rp.ones(10).sum() == 10
""")
