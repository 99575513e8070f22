// Compaction: the positions of true items of a mask, or the values there, in order.
//
// Tiles of a mask are counted first (`count_true`); the host scans the counts, so that a tile knows
// where its items go. GPUs collect a tile's positions in LDS, so that neighbours are written
// together.
#pragma once

#include "index.hpp"
#include "reduce.hpp"
#include "wave.hpp"

namespace rocarray {

constexpr int MASK_TILE = 4096;  // items; as _MASK_TILE in _core/indexing.py
constexpr int MASK_PACK = 16;

struct CompactParams {
    int64_t n, chunk;  // of run_kernel
    int64_t n_items;
    const uint8_t *mask;
    int64_t *counts;      // count_true
    const int64_t *ends;  // running sum of the counts
    const char *values;   // nullptr for positions
    char *result;
};

struct AddTrue {
    using Acc = uint32_t;
    DEVICE
    static uint32_t identity() { return 0; }
    DEVICE
    static uint32_t combine(uint32_t a, uint32_t b) { return a + b; }
};

struct alignas(MASK_PACK) MaskPack {
    uint8_t items[MASK_PACK];
};

// Up to 16 items of the mask from `i` on.
DEVICE
MaskPack load_mask(const CompactParams &p, index_t i) {
    MaskPack pack = {};
    if (i + MASK_PACK <= p.n_items && reinterpret_cast<size_t>(p.mask + i) % MASK_PACK == 0) {
        return *reinterpret_cast<const MaskPack *>(p.mask + i);
    }
#pragma unroll
    for (int k = 0; k < MASK_PACK; ++k) {
        if (i + k < p.n_items) pack.items[k] = p.mask[i + k];
    }
    return pack;
}
DEVICE
uint32_t count_pack(const MaskPack &pack) {
    uint32_t n = 0;
#pragma unroll
    for (int k = 0; k < MASK_PACK; ++k) n += pack.items[k] != 0;
    return n;
}

// The sum over a workgroup, for its first work-item at least.
DEVICE
uint32_t sum_block(uint32_t n) {
#if defined(ROCARRAY_BLOCK_SIZE) && ROCARRAY_BLOCK_SIZE == 1
    return n;
#else
    return combine_block<AddTrue>(n);
#endif
}

DEVICE
void count_true(const CompactParams &p) {
    const index_t n_tiles = (p.n_items + MASK_TILE - 1) / MASK_TILE;
    for (index_t tile = block_index(); tile < n_tiles; tile += grid_size()) {
        const index_t first = tile * MASK_TILE;
        uint32_t n = 0;
        if constexpr (ALONE) {
            const index_t end = min_index(first + MASK_TILE, p.n_items);
            for (index_t i = first; i < end; ++i) n += p.mask[i] != 0;
        } else {
            for (index_t k = thread_index() * MASK_PACK; k < MASK_TILE;
                 k += block_size() * MASK_PACK) {
                n += count_pack(load_mask(p, first + k));
            }
            n = sum_block(n);
        }
        if (thread_index() == 0) p.counts[tile] = n;
    }
}

// What is written for the item `i`: itself, or its position.
template <class T, bool POSITIONS>
DEVICE
void store_selected(const CompactParams &p, index_t to, index_t i) {
    if constexpr (POSITIONS) {
        reinterpret_cast<int64_t *>(p.result)[to] = i;
    } else {
        reinterpret_cast<T *>(p.result)[to] = reinterpret_cast<const T *>(p.values)[i];
    }
}

#if !defined(ROCARRAY_BLOCK_SIZE) || ROCARRAY_BLOCK_SIZE != 1
// Any workgroup: its work-items take the packs of a tile in turns.
template <class T, bool POSITIONS>
DEVICE
void compact_tile(const CompactParams &p, index_t first, index_t to, index_t n) {
    LDS uint16_t selected[MASK_TILE];
    sync_block();  // what was there for another tile was read
    uint32_t begin = 0;
    for (index_t k0 = 0; k0 < MASK_TILE; k0 += block_size() * MASK_PACK) {
        const index_t k = k0 + thread_index() * MASK_PACK;
        const MaskPack pack = k < MASK_TILE ? load_mask(p, first + k) : MaskPack{};
        uint32_t place[1] = {count_pack(pack)};
        const uint32_t total = scan_block<AddTrue, 1>(place);
        uint32_t at = begin + place[0];
#pragma unroll
        for (int e = 0; e < MASK_PACK; ++e) {
            if (pack.items[e]) selected[at++] = static_cast<uint16_t>(k + e);
        }
        begin += total;
    }
    sync_block();
    for (index_t j = thread_index(); j < n; j += block_size()) {
        store_selected<T, POSITIONS>(p, to + j, first + selected[j]);
    }
}
#endif

template <class T, bool POSITIONS>
DEVICE
void compact(const CompactParams &p) {
    const index_t n_tiles = (p.n_items + MASK_TILE - 1) / MASK_TILE;
    for (index_t tile = block_index(); tile < n_tiles; tile += grid_size()) {
        const index_t first = tile * MASK_TILE;
        const index_t to = tile > 0 ? p.ends[tile - 1] : 0;
        const index_t n = p.ends[tile] - to;
        if (n == 0) continue;
#if defined(ROCARRAY_BLOCK_SIZE) && ROCARRAY_BLOCK_SIZE == 1
        // No branch on the mask: what is not selected is overwritten.
        const index_t n_masks = min_index(MASK_TILE, p.n_items - first);
        uint16_t selected[MASK_TILE + 1];
        uint32_t at = 0;
        for (index_t k = 0; k < n_masks; ++k) {
            selected[at] = static_cast<uint16_t>(k);
            at += p.mask[first + k] != 0;
        }
        for (index_t j = 0; j < n; ++j) {
            store_selected<T, POSITIONS>(p, to + j, first + selected[j]);
        }
#else
        compact_tile<T, POSITIONS>(p, first, to, n);
#endif
    }
}

}  // namespace rocarray

#define ROCARRAY_COMPACT(NAME, ...)                               \
    KERNEL                                                        \
    NAME(rocarray::CompactParams p) { rocarray::__VA_ARGS__(p); } \
    KERNEL_EXPORT(NAME)
