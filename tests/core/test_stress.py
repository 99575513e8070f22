"""Many threads with several streams each, all results compared with NumPy's.

ROCARRAY_STRESS_SECONDS makes it longer than a moment.
"""

import os
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import rocarray as rp

SECONDS = float(os.environ.get("ROCARRAY_STRESS_SECONDS", "2"))
N_THREADS, N_STREAMS = 8, 4


def masked(xp, a, b):
    return a[b > 20]


def scattered(xp, a, b):
    a = a.copy()
    a[abs(b) % a.size] = b
    return a


# Exact operations of two arrays of the same length; results have any length but 0.
STEPS = {
    "add": lambda xp, a, b: a + b,
    "multiply": lambda xp, a, b: a * b,
    "maximum": lambda xp, a, b: xp.maximum(a, b[::-1]),
    "in place": lambda xp, a, b: xp.add(a, b, out=a.copy()),
    "scalar": lambda xp, a, b: a * 3 - 7,
    "cumsum": lambda xp, a, b: xp.cumsum(a),
    "sort": lambda xp, a, b: xp.sort(a),
    "argsort": lambda xp, a, b: xp.argsort(a, kind="stable"),
    "mask": masked,
    "take": lambda xp, a, b: xp.take(a, abs(b) % a.size),
    "scatter": scattered,
    "where": lambda xp, a, b: xp.where(a > b, a, b),
    "concatenate": lambda xp, a, b: xp.concatenate([a, b])[: a.size],
    "transpose": lambda xp, a, b: a[: a.size // 4 * 4].reshape(-1, 4).T.ravel(),
    "axis": lambda xp, a, b: a[: a.size // 8 * 8].reshape(8, -1).sum(axis=0),
    "cast": lambda xp, a, b: a.astype(np.int32).astype(np.int64),
    "strided": lambda xp, a, b: a[::-1].copy(),
    "scalar sum": lambda xp, a, b: a + a.sum(),
}


def one_chain(rng, streams, names):
    """A few steps that change streams between them; the host's copy of the result and NumPy's."""
    n = int(rng.integers(64, 5000))
    host_a, host_b = rng.integers(-100, 100, (2, n))
    stream = streams[rng.integers(N_STREAMS)]
    with stream:
        a, b = rp.asarray(host_a), rp.asarray(host_b)
    done = []
    for name in rng.choice(names, int(rng.integers(2, 7))):
        following = streams[rng.integers(N_STREAMS)]
        following.wait_event(stream.record())
        stream = following
        with stream:
            a = STEPS[name](rp, a, b[: a.size])
        host_a = STEPS[name](np, host_a, host_b[: host_a.size])
        done.append(str(name))
        if host_a.size < 16:
            break
        n = min(host_a.size, host_b.size)
        with stream:
            a, b = a[:n], b[:n]
        host_a, host_b = host_a[:n], host_b[:n]
    with stream:
        return a.get(), host_a, done


def work(seed, end):
    rng = np.random.default_rng(seed)
    streams = [rp.hip.Stream(non_blocking=bool(k % 2)) for k in range(N_STREAMS)]
    names = sorted(STEPS)
    n_chains = 0
    while time.monotonic() < end or n_chains < 3:
        actual, expected, done = one_chain(rng, streams, names)
        np.testing.assert_array_equal(actual, expected, err_msg=f"seed {seed}: {done}")
        n_chains += 1
    return n_chains


@pytest.mark.timeout(300 + 2 * SECONDS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_threads_with_streams_of_their_own():
    end = time.monotonic() + SECONDS
    with ThreadPoolExecutor(N_THREADS) as pool:
        n_chains = list(pool.map(lambda seed: work(seed, end), range(N_THREADS)))
    assert sum(n_chains) >= 3 * N_THREADS
