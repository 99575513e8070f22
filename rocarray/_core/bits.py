"""Bits packed into bytes."""

import numpy as np

from rocarray._core import methods, ufuncs
from rocarray._core.conversion import asarray


def _shifts(bitorder):
    if bitorder not in ("big", "little"):
        raise ValueError("'order' must be either 'little' or 'big'")
    order = range(7, -1, -1) if bitorder == "big" else range(8)
    return asarray(np.array(order, np.uint8))


def packbits(a, /, axis=None, bitorder="big"):
    """Eight truth values per byte along an axis, the last byte filled up with zeros."""
    a = asarray(a)
    if a.dtype.kind not in "biu":
        raise TypeError("Expected an input array of integer or boolean data type")
    if axis is None:
        a, axis = a.ravel(), 0
    if a.ndim == 0:
        a = a.reshape(1)
    axis = np.lib.array_utils.normalize_axis_index(axis, a.ndim)
    bits = methods.moveaxis((a != 0).astype(np.uint8), axis, -1)
    fill = -bits.shape[-1] % 8
    if fill:
        bits = methods.pad(bits, [(0, 0)] * (bits.ndim - 1) + [(0, fill)])
    bits = bits.reshape((*bits.shape[:-1], bits.shape[-1] // 8, 8))
    packed = methods.sum(ufuncs.left_shift(bits, _shifts(bitorder)), axis=-1, dtype=np.uint8)
    return methods.ascontiguousarray(methods.moveaxis(packed, -1, axis))


def unpackbits(a, /, axis=None, count=None, bitorder="big"):
    """The bits of bytes along an axis, as uint8."""
    a = asarray(a)
    if a.dtype != np.uint8:
        raise TypeError("Expected an input array of unsigned byte data type")
    if axis is None:
        a, axis = a.ravel(), 0
    if a.ndim == 0:
        a = a.reshape(1)
    axis = np.lib.array_utils.normalize_axis_index(axis, a.ndim)
    columns = methods.moveaxis(a, axis, -1)[..., None]
    bits = ufuncs.bitwise_and(ufuncs.right_shift(columns, _shifts(bitorder)), np.uint8(1))
    n = columns.shape[-2] * 8
    bits = bits.reshape((*columns.shape[:-2], n))
    if count is not None:
        wanted = count if count >= 0 else n + count
        if wanted < 0:
            raise ValueError(f"-ve count must be less than or equal to {n}")
        bits = bits[..., :wanted]
        if wanted > n:
            bits = methods.pad(bits, [(0, 0)] * (bits.ndim - 1) + [(0, wanted - n)])
    return methods.ascontiguousarray(methods.moveaxis(bits, -1, axis))


__all__ = ["packbits", "unpackbits"]
