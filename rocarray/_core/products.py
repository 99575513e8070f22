"""Products of matrices and tensors by the general kernel, for every element type."""

import operator

import numpy as np

from rocarray._core import methods, ufuncs
from rocarray._core.conversion import asarray, assign
from rocarray._core.creation import empty, zeros
from rocarray._core.launching import n_compute_units, run_kernel, workgroup_size
from rocarray._core.sorting import _char

_COLUMNS = 64  # as MATMUL_COLUMNS in matmul_params.hpp
# Bytes of a sum -> rows and columns of a tile in matmul_tiles.hpp.
_LARGE_TILE = {4: (128, 128), 8: (128, 64), 16: (64, 64)}
# Up to so many results of at least so many products are reductions.
_FEW_RESULTS, _LONG_SUM = 16, 1 << 16


def matmul(x1, x2, /, out=None, *, casting="same_kind", order="K", dtype=None):
    """The matrix product; leading axes are a batch and broadcast.

    Parameters
    ----------
    x1, x2 : array_like
        Of rank 1 or more. A vector is a row on the left, a column on the right.
    out : ndarray, optional
    dtype : dtype, optional

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        For scalars, and where inner lengths differ.
    """
    a, b = asarray(x1), asarray(x2)
    if a.ndim == 0 or b.ndim == 0:
        raise ValueError(
            f"matmul: Input operand {int(a.ndim != 0)} does not have enough dimensions (has 0, "
            "gufunc core with signature (n?,k),(k,m?)->(n?,m?) requires 1)"
        )
    kind = np.result_type(a.dtype, b.dtype) if dtype is None else np.dtype(dtype)
    left = a[None, :] if a.ndim == 1 else a
    right = b[:, None] if b.ndim == 1 else b
    if left.shape[-1] != right.shape[-2]:
        raise ValueError(
            "matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature "
            f"(n?,k),(k,m?)->(n?,m?) (size {right.shape[-2]} is different from {left.shape[-1]})"
        )
    result = _product(left.astype(kind, copy=False), right.astype(kind, copy=False))
    if a.ndim == 1:
        result = result[..., 0, :]
    if b.ndim == 1:
        result = result[..., 0]
    if out is None:
        return result if result.base is None else result.copy()
    if out.shape != result.shape:
        raise ValueError(f"matmul: out has shape {out.shape}, the product {result.shape}")
    if not np.can_cast(result.dtype, out.dtype, casting):
        raise TypeError(f"matmul: cannot cast the product from {result.dtype} to {out.dtype} "
                        f"according to the rule '{casting}'")  # fmt: skip
    assign(out, result)
    return out


def _product(a, b):
    """Batched product of arrays of one type, rank 2 or more."""
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    rows, inner, cols = a.shape[-2], a.shape[-1], b.shape[-1]
    result = empty((*batch, rows, cols), a.dtype)
    if result.size == 0:
        return result
    if inner == 0:
        return zeros(result.shape, a.dtype)
    n_batch = int(np.prod(batch, dtype=np.int64))
    if n_batch * rows * cols <= _FEW_RESULTS and inner >= _LONG_SUM and a.dtype.kind in "iufc":
        return _few_long_sums(a, b, result.shape)
    a, a_step = _matrices(a, batch)
    b, b_step = _matrices(b, batch)
    tiles = -(-cols // _COLUMNS)
    kind, n_groups, lanes = _kernel_for(n_batch, rows, cols, inner, a.dtype)
    block = workgroup_size()
    n_units = n_batch * rows * tiles if block == 1 else n_groups * block
    run_kernel(
        "matmul/matmul", f"matmul__{_char(a)}{kind}", n_units, rows, cols, inner, tiles, a, b,
        result, a_step, b_step, n_batch, lanes, min_chunk=1,
    )  # fmt: skip
    return result


def _kernel_for(n_batch, rows, cols, inner, dtype):
    """(suffix of the kernel, workgroups, lanes) of a product; see matmul_tiles.hpp."""
    block = workgroup_size()
    if block == 1:
        return "", 0, 1
    if cols == 1:
        lanes = min(block, 1 << max(0, (inner * dtype.itemsize // 64).bit_length()))
        return "_vector", -(-n_batch * rows // (block // lanes)), lanes
    if rows == 1:
        lanes = min(32, 1 << (cols - 1).bit_length())
        return "_row", n_batch * -(-cols // lanes), lanes
    tile_rows, tile_cols = _LARGE_TILE[max(dtype.itemsize, 4)]
    n_groups = n_batch * -(-rows // tile_rows) * -(-cols // tile_cols)
    if n_groups >= n_compute_units() and min(rows, cols) > 32:
        return "", n_groups, 1
    return "_small", n_batch * -(-rows // 32) * -(-cols // 32), 1


def _few_long_sums(a, b, shape):
    """Few results of many products each: a reduction fills the device, a product's tiles do not."""
    kind = a.dtype
    wide = np.dtype(np.float32) if kind.itemsize == 2 and kind.kind == "f" else kind
    left = a.astype(wide, copy=False)[..., :, None, :]
    right = methods.swapaxes(b.astype(wide, copy=False), -1, -2)[..., None, :, :]
    products = ufuncs.multiply(left, right)
    return methods.sum(products, axis=-1, dtype=wide).reshape(shape).astype(kind, copy=False)


def _matrices(a, batch):
    """(contiguous matrices, items from one to the next): one matrix serves a whole batch."""
    n = a.shape[-2] * a.shape[-1]
    if a.size == n:
        return methods.ascontiguousarray(a), 0
    if a.shape[:-2] != batch:
        a = methods.broadcast_to(a, batch + a.shape[-2:])
    return (a if a.flags.c_contiguous else methods.copy(a, "C")), n


def dot(a, b, out=None):
    """The dot product: sums over the last axis of `a` and the second-last of `b`."""
    a, b = asarray(a), asarray(b)
    if a.ndim == 0 or b.ndim == 0:
        result = ufuncs.multiply(a, b)
    elif a.shape[-1] != b.shape[-2 if b.ndim > 1 else 0]:
        raise ValueError(
            f"shapes {_text(a)} and {_text(b)} not aligned: {a.shape[-1]} (dim {a.ndim - 1}) != "
            f"{b.shape[-2 if b.ndim > 1 else 0]} (dim {max(b.ndim - 2, 0)})"
        )
    elif b.ndim <= 2:
        result = matmul(a, b)
    else:
        result = tensordot(a, b, ((a.ndim - 1,), (b.ndim - 2,)))
    if out is None:
        return result
    if out.shape != result.shape or out.dtype != result.dtype:
        raise ValueError(
            "output array is not acceptable (must have the right datatype, number of dimensions, "
            "and be a C-Array)"
        )
    assign(out, result)
    return out


def _text(a):
    return str(a.shape).replace(" ", "")


def vdot(a, b, /):
    """The dot product of flattened arrays, the first one conjugated."""
    a, b = asarray(a).ravel(), asarray(b).ravel()
    return dot(ufuncs.conjugate(a) if a.dtype.kind == "c" else a, b)


def vecdot(x1, x2, /, *, axis=-1):
    """Dot products of vectors along an axis, the first ones conjugated."""
    a, b = asarray(x1), asarray(x2)
    if a.shape[axis] != b.shape[axis]:
        raise ValueError(
            f"vecdot: the vectors have {a.shape[axis]} and {b.shape[axis]} items along axis {axis}"
        )
    a, b = methods.moveaxis(a, axis, -1), methods.moveaxis(b, axis, -1)
    a = ufuncs.conjugate(a) if a.dtype.kind == "c" else a
    return matmul(a[..., None, :], b[..., :, None])[..., 0, 0]


def inner(a, b, /):
    """Products summed over the last axes."""
    a, b = asarray(a), asarray(b)
    if a.ndim == 0 or b.ndim == 0:
        return ufuncs.multiply(a, b)
    if a.shape[-1] != b.shape[-1]:
        raise ValueError(
            f"shapes {_text(a)} and {_text(b)} not aligned: {a.shape[-1]} (dim {a.ndim - 1}) != "
            f"{b.shape[-1]} (dim {b.ndim - 1})"
        )
    return tensordot(a, b, ((-1,), (-1,)))


def outer(a, b, out=None):
    """All products of an item of `a` and one of `b`."""
    a, b = asarray(a).ravel(), asarray(b).ravel()
    return ufuncs.multiply(a[:, None], b[None, :], out=out)


def tensordot(a, b, axes=2):
    """Products summed over pairs of axes.

    Parameters
    ----------
    a, b : array_like
    axes : int or (sequence of int, sequence of int), optional
        The last `axes` of `a` with the first of `b`, or the axes of each.
    """
    a, b = asarray(a), asarray(b)
    if hasattr(axes, "__len__"):
        axes_a, axes_b = ([x] if np.ndim(x) == 0 else list(x) for x in axes)
    else:
        axes = operator.index(axes)
        axes_a, axes_b = list(range(a.ndim - axes, a.ndim)), list(range(axes))
    if len(axes_a) != len(axes_b):
        raise ValueError("shape-mismatch for sum")
    axes_a = [np.lib.array_utils.normalize_axis_index(x, a.ndim) for x in axes_a]
    axes_b = [np.lib.array_utils.normalize_axis_index(x, b.ndim) for x in axes_b]
    if [a.shape[x] for x in axes_a] != [b.shape[x] for x in axes_b]:
        raise ValueError("shape-mismatch for sum")
    free_a = [x for x in range(a.ndim) if x not in axes_a]
    free_b = [x for x in range(b.ndim) if x not in axes_b]
    n = int(np.prod([a.shape[x] for x in axes_a], dtype=np.int64))
    rows = [a.shape[x] for x in free_a]
    cols = [b.shape[x] for x in free_b]
    left = a.transpose(free_a + axes_a).reshape(int(np.prod(rows, dtype=np.int64)), n)
    right = b.transpose(axes_b + free_b).reshape(n, int(np.prod(cols, dtype=np.int64)))
    return matmul(left, right).reshape(rows + cols)


def kron(a, b):
    """The Kronecker product."""
    a, b = asarray(a), asarray(b)
    rank = max(a.ndim, b.ndim)
    a = a.reshape((1,) * (rank - a.ndim) + a.shape)
    b = b.reshape((1,) * (rank - b.ndim) + b.shape)
    pairs_a = tuple(n for m in a.shape for n in (m, 1))
    pairs_b = tuple(n for m in b.shape for n in (1, m))
    product = ufuncs.multiply(a.reshape(pairs_a), b.reshape(pairs_b))
    return product.reshape(tuple(m * n for m, n in zip(a.shape, b.shape, strict=True)))


__all__ = ["dot", "inner", "kron", "matmul", "outer", "tensordot", "vdot", "vecdot"]
