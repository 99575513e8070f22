"""Sorting, sets, searching, counting; products of matrices."""

import numpy as np
from differential import arrays
from differential.compare import Tolerance
from differential.operands import axis_of, broadcastable, new_array, one_in, operand
from differential.program import Step
from hypothesis import strategies as st

# NumPy's sorts are not stable: of equal values, +0 and -0, either may come first.
EITHER_ZERO = Tolerance(either_zero=True)


def sort(draw, program):
    name = draw(st.sampled_from(["sort", "argsort", "argsort", ".sort", "partition"]))
    x = operand(draw, program)
    options = {"axis": axis_of(draw, x.host.ndim)}
    if name in ("sort", "argsort") and one_in(draw, 5):
        options["axis"] = None
    if name == "argsort":
        options["kind"] = "stable"
    if name == "partition":
        # Where the parts are is all that NumPy promises: compare the sorted whole.
        if x.host.ndim == 0 or not -x.host.ndim <= options["axis"] < x.host.ndim:
            return
        name = "sort"
    program.run(Step(name, x, any_order=True, tolerance=EITHER_ZERO, **options))


def sets(draw, program):
    name = draw(st.sampled_from(["unique", "unique_counts", "unique_inverse", "union1d",
                                 "intersect1d", "setdiff1d", "setxor1d", "isin"]))  # fmt: skip
    x = operand(draw, program, "?bBhHiIlLfd")
    if name.startswith("unique"):
        options = {}
        if name == "unique" and draw(st.booleans()):
            options = {"return_counts": True, "return_inverse": True, "return_index": True}
        program.run(Step(name, x, tolerance=EITHER_ZERO, **options))
        return
    other = new_array(draw, program, char=x.host.dtype.char)
    program.run(Step(name, x, other, tolerance=EITHER_ZERO))


def search(draw, program):
    x = operand(draw, program, "bBhHiIlLefd")
    keys = np.sort(new_array(draw, program, (draw(st.integers(0, 6)),), x.host.dtype.char).host)
    side = draw(st.sampled_from(["left", "right"]))
    program.run(Step("searchsorted", keys, x, side))


def count(draw, program):
    name = draw(st.sampled_from(["bincount", "digitize", "histogram", "lexsort"]))
    if name == "bincount":
        values = np.array(draw(st.lists(st.integers(0, 9), max_size=12)), int)
        program.run(Step(name, values, minlength=draw(st.integers(0, 12))))
    elif name == "lexsort":
        n = draw(st.integers(0, 6))
        keys = [new_array(draw, program, (n,), draw(st.sampled_from("bild"))) for _ in range(2)]
        program.run(Step(name, keys))
    else:
        x = operand(draw, program, "bBhHiIlLfd")
        edges = np.array(sorted(draw(st.lists(st.integers(-4, 5), min_size=1, max_size=5))), float)
        program.run(Step(name, x, edges))


def product(draw, program):
    name = draw(st.sampled_from(["matmul", "matmul", "dot", "inner", "outer", "tensordot", "vdot",
                                 "kron", "vecdot", "einsum"]))  # fmt: skip
    a = operand(draw, program, min_ndim=0 if name in ("dot", "inner", "outer", "kron") else 1)
    shape = a.host.shape
    if name == "matmul" and len(shape) > 1:
        other = (*shape[:-2], shape[-1], draw(arrays.lengths))
        if draw(st.booleans()):
            other = other[-2:]
        if one_in(draw, 4):
            other = (shape[-1],)
    elif name == "dot" and len(shape) > 0:
        other = (shape[-1], draw(arrays.lengths)) if draw(st.booleans()) else (shape[-1],)
    else:
        other = shape
    if a.host.size > 700:
        return
    if name in ("outer", "kron") and a.host.size > 60:
        return
    b = new_array(draw, program, other)
    if one_in(draw, 15):
        b = broadcastable(draw, program, other)
    args = [a, b]
    if name == "tensordot":
        args.append(draw(st.integers(0, min(2, len(shape), b.host.ndim))))
        if args[2] < 2 and a.host.size * b.host.size > 20000:
            return
    if name == "einsum":
        labels = "abcd"[: len(shape)]
        args = [f"{labels},{labels}->{labels[: draw(st.integers(0, len(shape)))]}", a, b]
    tolerance = None
    if np.result_type(a.host.dtype, b.host.dtype).kind in "fc":
        with np.errstate(all="ignore"):
            large = [np.abs(x.host).astype("g") for x in (a, b)]
            if not all(np.all(np.isfinite(x)) for x in large):
                return  # infinities and NaN meet zeros or not by the order of the additions
            scale = large[0].max(initial=0) * large[1].max(initial=0) * max(a.host.size, 1)
        small = np.result_type(a.host.dtype, b.host.dtype).char
        tolerance = Tolerance(8 * max(a.host.size, 1) if small != "e" else 64, scale=scale)
    program.run(Step(name, *args, any_order=True, tolerance=tolerance))


OPERATIONS = [sort, sort, sets, search, count, product, product]
