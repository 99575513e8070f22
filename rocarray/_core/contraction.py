"""Einstein summation, by pairwise matrix products."""

import numpy as np

from rocarray._core import methods, ufuncs
from rocarray._core.conversion import asarray, assign
from rocarray._core.ndarray import ndarray


def _parse(operands):
    """(list of input labels, output labels, arrays) of either calling form."""
    if not operands:
        raise ValueError("must specify the einstein sum subscripts string and at least one operand")
    if isinstance(operands[0], str):
        text, arrays = operands[0].replace(" ", ""), [asarray(x) for x in operands[1:]]
    else:
        operands = list(operands)
        output = operands.pop() if len(operands) % 2 else None
        arrays = [asarray(x) for x in operands[::2]]
        text = ",".join(_letters(labels) for labels in operands[1::2])
        text += "" if output is None else "->" + _letters(output)
    inputs, arrow, output = text.partition("->")
    inputs = inputs.split(",")
    if len(inputs) != len(arrays):
        raise ValueError(
            f"einstein sum subscripts name {len(inputs)} operand(s), but {len(arrays)} are given"
        )
    inputs, output = _expand_ellipsis(inputs, output if arrow else None, arrays)
    for labels, a in zip(inputs, arrays, strict=True):
        if len(labels) != a.ndim:
            raise ValueError(
                f"einstein sum subscripts string contains {len(labels)} subscripts for an operand "
                f"of {a.ndim} dimensions"
            )
    for label in output:
        if output.count(label) > 1:
            raise ValueError(f"einstein sum output has the subscript '{label}' multiple times")
        if not any(label in labels for labels in inputs):
            raise ValueError(f"einstein sum output subscript '{label}' is in no input")
    return inputs, output, arrays


def _letters(labels):
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    return "".join("..." if item is Ellipsis else letters[item] for item in labels)


def _expand_ellipsis(inputs, output, arrays):
    """Letters of their own (private code points) in place of the dots."""
    n_dots = 0
    for labels, a in zip(inputs, arrays, strict=True):
        if "..." in labels:
            n_dots = max(n_dots, a.ndim - len(labels.replace("...", "")))
    dots = "".join(chr(0xE000 + i) for i in range(n_dots))
    expanded = []
    for labels, a in zip(inputs, arrays, strict=True):
        n = a.ndim - len(labels.replace("...", ""))
        if n < 0:
            raise ValueError("einstein sum subscripts string contains too many subscripts")
        expanded.append(labels.replace("...", dots[n_dots - n :] if n else ""))
    if output is None:
        text = "".join(labels.replace("...", "") for labels in inputs)
        output = dots + "".join(sorted(c for c in set(text) if text.count(c) == 1))
    else:
        output = output.replace("...", dots)
    return expanded, output


def _diagonals(a, labels):
    """Repeated labels of one operand become one axis."""
    for label in dict.fromkeys(labels):
        while labels.count(label) > 1:
            first = labels.index(label)
            second = labels.index(label, first + 1)
            if a.shape[first] != a.shape[second]:
                raise ValueError(
                    f"dimensions in operand for collapsing index '{label}' don't match "
                    f"({a.shape[first]} != {a.shape[second]})"
                )
            a = methods.diagonal(a, 0, first, second)
            labels = labels[:first] + labels[first + 1 : second] + labels[second + 1 :] + label
    return a, labels


def _sum_away(a, labels, keep):
    """Sums over the labels that nothing else needs."""
    axes = tuple(i for i, label in enumerate(labels) if label not in keep)
    if axes:
        a = methods.sum(a, axis=axes, dtype=a.dtype)
        labels = "".join(label for label in labels if label in keep)
    return a, labels


def _multiply(a, labels_a, b, labels_b, keep):
    """Two operands into one: shared labels are a batch or are summed by a matrix product."""
    shared = [c for c in labels_a if c in labels_b]
    batch = [c for c in shared if c in keep]
    inner = [c for c in shared if c not in keep]
    for c in shared:
        m, n = a.shape[labels_a.index(c)], b.shape[labels_b.index(c)]
        if m != n and 1 not in (m, n):
            raise ValueError(
                f"operands could not be broadcast together: label '{c}' has lengths {m} and {n}"
            )
        if m != n:  # an axis of length 1 repeats
            shape = [max(m, n) if x == c and k == 1 else k
                     for x, k in zip(labels_a, a.shape, strict=True)]  # fmt: skip
            a = methods.broadcast_to(a, tuple(shape)) if m == 1 else a
            shape = [max(m, n) if x == c and k == 1 else k
                     for x, k in zip(labels_b, b.shape, strict=True)]  # fmt: skip
            b = methods.broadcast_to(b, tuple(shape)) if n == 1 else b
    only_a = [c for c in labels_a if c not in shared]
    only_b = [c for c in labels_b if c not in shared]
    a = a.transpose([labels_a.index(c) for c in batch + only_a + inner])
    b = b.transpose([labels_b.index(c) for c in batch + inner + only_b])
    n = len(batch)
    dims_a, dims_b = a.shape[n : n + len(only_a)], b.shape[n + len(inner) :]
    depth = int(np.prod(b.shape[n : n + len(inner)], dtype=np.int64))
    rows, cols = (int(np.prod(dims, dtype=np.int64)) for dims in (dims_a, dims_b))
    product = methods.matmul(
        a.reshape((*a.shape[:n], rows, depth)), b.reshape((*b.shape[:n], depth, cols))
    )
    shape = a.shape[:n] + dims_a + dims_b
    return product.reshape(shape), "".join(batch + only_a + only_b)


def einsum(*operands, out=None, dtype=None, order="K", casting="safe", optimize=False):
    """Sums of products over labelled axes.

    Operands are combined two at a time, from the left, by matrix products; what no later operand
    and no output needs is summed first.

    Parameters
    ----------
    *operands
        A string such as ``"ij,jk->ik"`` and arrays, or arrays each followed by a list of labels.
    out : ndarray, optional
    dtype : dtype, optional
    order, casting : optional
        As in numpy.einsum.
    optimize : optional
        Accepted for compatibility.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> import rocarray as rp
    >>> rp.einsum("ij,j->i", rp.ones((2, 3)), rp.arange(3.0))
    array([3., 3.])
    """
    inputs, output, arrays = _parse(operands)
    kind = np.result_type(*[a.dtype for a in arrays]) if dtype is None else np.dtype(dtype)
    for a in arrays:
        if not np.can_cast(a.dtype, kind, casting):
            raise TypeError(f"Cannot cast array data from {a.dtype!r} to {kind!r} according to the "
                            f"rule '{casting}'")  # fmt: skip
    pairs = []
    for a, labels in zip(arrays, inputs, strict=True):
        pairs.append(_diagonals(a.astype(kind, copy=False), labels))
    a, labels = pairs.pop(0)
    while pairs:
        b, labels_b = pairs.pop(0)
        rest = set(output).union(*[set(c) for _, c in pairs])
        a, labels = _sum_away(a, labels, rest | set(labels_b))
        b, labels_b = _sum_away(b, labels_b, rest | set(labels))
        a, labels = _multiply(a, labels, b, labels_b, rest)
    a, labels = _sum_away(a, labels, set(output))
    result = a.transpose([labels.index(c) for c in output])
    if out is not None:
        if out.shape != result.shape:
            raise ValueError(f"einsum: out has shape {out.shape}, the result {result.shape}")
        assign(out, result)
        return out
    if len(arrays) == 1:
        return result
    return result if order in "KA" else result.copy(order)


def einsum_path(*operands, optimize="greedy", einsum_call=False):
    """The order of contractions that NumPy would choose; see `numpy.einsum_path`.

    It only looks at shapes. `einsum` itself goes from left to right.
    """
    plain = [
        np.broadcast_to(np.zeros((), x.dtype), x.shape) if isinstance(x, ndarray) else x
        for x in operands
    ]
    return np.einsum_path(*plain, optimize=optimize)


def matvec(x1, x2, /, **options):
    """Products of matrices with vectors over the last axes, broadcast over the others."""
    x2 = asarray(x2)
    return methods.matmul(x1, x2[..., None], **options)[..., 0]


def vecmat(x1, x2, /, **options):
    """Products of (conjugated) vectors with matrices over the last axes, broadcast."""
    x1 = asarray(x1)
    x1 = ufuncs.conjugate(x1) if x1.dtype.kind == "c" else x1
    return methods.matmul(x1[..., None, :], x2, **options)[..., 0, :]


__all__ = ["einsum", "einsum_path", "matvec", "vecmat"]
