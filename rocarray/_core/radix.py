"""Radix sort of long rows, on devices with workgroups of many work-items."""

import numpy as np

from rocarray._core.creation import empty, zeros
from rocarray._core.launching import n_compute_units, run_kernel, workgroup_size

_RADIX = 256
_BLOCK = 256  # RADIX_BLOCK in radix.hpp
_SHORTEST, _LONGEST = 2048, 1 << 30  # lengths of rows
_BLOCKS_PER_UNIT = 8


def can_sort(keys):
    """Whether the rows of a contiguous array are for radix sort."""
    length = keys.shape[-1]
    return (
        workgroup_size() == _BLOCK
        and _SHORTEST <= length < _LONGEST
        and keys.dtype.itemsize <= 8
        and keys.dtype.kind != "c"
    )


def radix_sort(keys, char, with_places):
    """Sorts rows; (keys, None), or (None, places) where the places are wanted."""
    length = keys.shape[-1]
    n_rows, n_passes = keys.size // length, keys.dtype.itemsize
    tile = _BLOCK * (16 if n_passes <= 4 else 12)
    n_tiles = -(-length // tile)
    most = n_compute_units() * _BLOCKS_PER_UNIT
    offsets = zeros(n_rows * n_passes * _RADIX, np.uint32)

    def launch(kernel, n_groups, parts, *fields):
        run_kernel(
            "radix/sort", f"radix__{char}_{kernel}", n_groups * _BLOCK, n_rows, length, parts,
            n_passes, *fields, min_chunk=_BLOCK,
        )  # fmt: skip

    parts = min(n_tiles, max(1, most // n_rows))
    launch("count", min(n_rows * parts, most), parts, 0, keys, 0, 0, 0, 0, offsets, 0)
    launch("offsets", min(n_rows * n_passes, most), 0, 0, 0, 0, 0, 0, 0, offsets, 0)
    # The results of the passes alternate, so that the last one's is new.
    buffers = [empty(keys.shape, keys.dtype) for _ in range(min(n_passes, 2))]
    places = [empty(keys.shape, np.uint32) for _ in range(min(n_passes - 1, 2) * with_places)]
    result = empty(keys.shape, np.int64) if with_places else None
    source, source_places = keys, 0
    for number in range(n_passes):
        last = number == n_passes - 1
        target = buffers[number % 2]
        target_places = 0
        if with_places:
            target_places = result if last else places[number % 2]
        state = zeros(1 + n_rows * n_tiles * _RADIX, np.uint32)
        kernel = "places" if with_places else "scatter"
        launch(
            kernel, min(n_rows * n_tiles, most), n_tiles, number, source,
            0 if last and with_places else target, source_places, target_places, int(last),
            offsets, state,
        )  # fmt: skip
        source, source_places = target, target_places
    return (None, result) if with_places else (source, None)
