"""ufunc.at: in-place operations at index arrays, where repeated indices count each time."""

from rocarray._core import methods
from rocarray._core.conversion import asarray, assign
from rocarray._core.dtypes import type_char, type_code
from rocarray._core.gather import byte_span
from rocarray._core.indexing import flatnonzero, has_arrays, index_offsets, take
from rocarray._core.launching import n_compute_units, run_kernel, workgroup_size
from rocarray._core.ndarray import ndarray
from rocarray._core.ufunc import refuse_negative_exponents
from rocarray._kernels.tables.at import ATOMIC_SIZES, stem_of


def ufunc_at(ufunc, a, indices, b=None):
    """a[indices] = ufunc(a[indices], b), applied once for every index, repeated ones in order.

    Where the device has many work-items, sums of floats that meet at one item are added in no
    fixed order.
    """
    if not isinstance(a, ndarray):
        raise TypeError(
            f"first operand must be array: {ufunc.__name__}.at() writes into a rocarray.ndarray, "
            f"got {type(a).__name__}"
        )
    if (ufunc.nin == 2) != (b is not None):
        raise ValueError("second operand needed for ufunc" if b is None else
                         "second operand provided when ufunc is unary")  # fmt: skip
    if not a.flags.writeable:
        raise ValueError(f"{ufunc.__name__}.at(): the array is read-only")
    values = None if b is None else asarray(b)
    operands = (a.dtype, None) if values is None else (a.dtype, values.dtype, None)
    loop = ufunc.resolve_dtypes(operands, casting="unsafe")
    if not has_arrays(indices):
        _apply_to_view(ufunc, a[indices], values, loop)
        return
    view, shape, offsets = index_offsets(a, indices)
    if values is not None:
        values = _broadcast(values, shape).astype(loop[1], copy=False)
        values = values if values.flags.c_contiguous else values.copy()
    if offsets.size:
        if ufunc.__name__ == "power" and loop[1].kind == "i":
            refuse_negative_exponents(values)
        _launch(ufunc, view, offsets, values, loop)


def _apply_to_view(ufunc, view, values, loop):
    """Basic indices name no item twice."""
    operands = (view,) if values is None else (view, _broadcast(values, view.shape))
    result = ufunc(*operands, signature=tuple(loop), casting="unsafe")
    assign(view, result.astype(view.dtype, copy=False))


def _broadcast(values, shape):
    try:
        return methods.broadcast_to(values, shape)
    except ValueError:
        raise ValueError(
            f"array is not broadcastable to correct shape: values of shape {values.shape}, "
            f"indices select {shape}"
        ) from None


def _launch(ufunc, view, offsets, values, loop):
    base, low, span = byte_span(view)
    offsets = (offsets - low if low else offsets).ravel()
    ins = "".join(type_char(type_code(d)) for d in loop[:-1])
    target = type_char(type_code(view.dtype))
    program, stem = f"at/{ufunc.__name__}", stem_of(ufunc.__name__, target, ins)
    data = 0 if values is None else values
    if workgroup_size() == 1:
        owners = n_compute_units() if offsets.size > 1 << 14 else 1
        run_kernel(
            program, stem + "_owned", owners, offsets.size, offsets, data, base, span, min_chunk=1
        )
    elif (
        ufunc.row.reorderable
        and view.itemsize in ATOMIC_SIZES
        and all(d == view.dtype for d in loop)
    ):
        run_kernel(program, stem + "_atomic", offsets.size, offsets, data, base)
    else:
        order = methods.argsort(offsets, stable=True)
        ordered = take(offsets, order)
        first = methods.ones(offsets.size, bool)
        methods.not_equal(ordered[1:], ordered[:-1], out=first[1:])
        starts = flatnonzero(first)
        run_kernel(
            program, stem + "_segments", starts.size, offsets.size, starts, ordered, order, data,
            base,
        )  # fmt: skip
