"""Radix sort where work-items are alone and few: the cpu platform's cores."""

import numpy as np

from rocarray._core.creation import empty
from rocarray._core.launching import n_compute_units, run_kernel, workgroup_size

_RADIX = 256
_SHORTEST, _LONGEST = 256, 1 << 32  # lengths of rows; digits are counted in 32 bits
_SHORTEST_PART = 1 << 15


def can_sort_in_chunks(keys):
    """Whether the rows of an array are for this sort."""
    return (
        workgroup_size() == 1 and _SHORTEST <= keys.shape[-1] < _LONGEST and keys.dtype.kind != "c"
    )


def radix_sort_in_chunks(keys, char, with_places):
    """Sorts the rows of a contiguous array; (keys, places or None), both new."""
    length = keys.shape[-1]
    n_rows = keys.size // length
    n_parts = min(-(-n_compute_units() // n_rows), length // _SHORTEST_PART)
    sort = _sort_parts if n_parts > 1 else _sort_rows
    return sort(keys, f"radix_chunks__{char}", n_rows, length, max(n_parts, 1), with_places)


def select_in_chunks(keys, char, kth):
    """The rows of a contiguous array, new, with item `kth` of each where a sort would put it."""
    length = keys.shape[-1]
    result, scratch = (empty(keys.shape, keys.dtype) for _ in range(2))
    run_kernel(
        "radix/chunks", f"radix_chunks__{char}_select", keys.size // length, length, keys, result,
        scratch, kth % length, min_chunk=1,
    )  # fmt: skip
    return result


def _buffers(keys, with_places):
    pair = [empty(keys.shape, keys.dtype) for _ in range(2)]
    places = [empty(keys.shape, np.int64) if with_places else None for _ in range(2)]
    return pair, places


def _sort_rows(keys, stem, n_rows, length, _, with_places):
    (result, scratch), (places, places_scratch) = _buffers(keys, with_places)
    run_kernel(
        "radix/chunks", stem + "_rows", n_rows, length, keys, result, scratch, _or_null(places),
        _or_null(places_scratch), min_chunk=1,
    )  # fmt: skip
    return result, places


def _sort_parts(keys, stem, n_rows, length, n_parts, with_places):
    targets, places = _buffers(keys, with_places)
    counts = empty(n_rows * n_parts * _RADIX, np.int64)
    source, source_places = keys, None
    for number in range(keys.dtype.itemsize):
        target, target_places = targets[number % 2], places[number % 2]

        def launch(kernel, n_units, *arrays, number=number):
            fields = map(_or_null, arrays)
            run_kernel(
                "radix/chunks", stem + kernel, n_units, length, n_parts, number, *fields,
                min_chunk=1,
            )  # fmt: skip

        arrays = (source, target, source_places, target_places, counts)
        launch("_tally", n_rows * n_parts, *arrays)
        launch("_starts", n_rows, *arrays)
        launch("_move", n_rows * n_parts, *arrays)
        source, source_places = target, target_places
    return source, source_places


def _or_null(array):
    return 0 if array is None else array
