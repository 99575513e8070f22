"""Inputs of the benchmarks: random-looking values, made on the device by any library.

Both libraries make the same values, with a few elementwise operations instead of generators that
one of them may lack.
"""

import numpy as np


def bits(xp, n, seed=1):
    """n hashed 32-bit integers."""
    x = xp.arange(n, dtype=np.uint32)
    x *= np.uint32(2654435761)
    x += np.uint32((seed * 0x9E3779B9) & 0xFFFFFFFF)
    x ^= x >> np.uint32(16)
    x *= np.uint32(0x7FEB352D)
    x ^= x >> np.uint32(15)
    x *= np.uint32(0x846CA68B)
    x ^= x >> np.uint32(16)
    return x


def integers(xp, n, high, dtype=np.int32, seed=1):
    """n integers in [0, high)."""
    return (bits(xp, n, seed) % np.uint32(high)).astype(dtype)


def wide(xp, n, seed=1):
    """n hashed 64-bit integers."""
    x = bits(xp, n, seed).astype(np.int64)
    x <<= np.int64(31)
    x ^= bits(xp, n, seed + 1).astype(np.int64)
    return x


def uniform(xp, shape, dtype=np.float32, seed=1, low=0.0, high=1.0):
    """Values in [low, high) of any real or complex dtype; integers in 0..99."""
    dtype = np.dtype(dtype)
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    n = int(np.prod(shape))
    if dtype.kind in "iu":
        return integers(xp, n, 100, dtype, seed).reshape(shape)
    real = np.dtype(dtype.char.lower()) if dtype.kind == "c" else dtype
    working = np.dtype(np.float64) if real == np.float64 else np.dtype(np.float32)
    x = (bits(xp, n, seed) >> np.uint32(8)).astype(working)
    x *= working.type(2.0**-24 * (high - low))
    x += working.type(low)
    x = x.astype(real) if real != working else x
    if dtype.kind == "c":
        x = x.astype(dtype)
        x *= dtype.type(1 + 0.5j)
    return x.reshape(shape)
