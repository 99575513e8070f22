// Stable radix sort of long rows on GPUs, least significant digit first, 8 bits at a time.
//
// `_count` counts the digits of all passes in one reading, `_offsets` turns the counts into where
// each digit begins. `_scatter` is one pass: a tile ranks its items by digit, looks back at the
// tiles before for how many came there (Onesweep; A. Adinets, D. Merrill, 2022), and moves items
// through LDS, so that neighbours are written together. Items stay as they are; digits are those of
// a key whose order is the order of the values, so equal values (both zeros, all NaN) are equal
// keys.
#pragma once

#include "radix_keys.hpp"
#include "wave.hpp"

namespace rocarray {

constexpr int RADIX_BLOCK = 256;  // work-items of a workgroup; one a digit

struct RadixParams {
    int64_t n, chunk;  // of run_kernel
    int64_t n_rows, length;
    int64_t n_parts;  // tiles of a row; _count: workgroups of a row
    int64_t n_passes, pass;
    const char *keys;
    char *keys_out;          // nullptr: nobody wants them
    const uint32_t *places;  // nullptr: the items' own
    char *places_out;        // uint32, or int64 where `last`
    int64_t last;
    uint32_t *offsets;  // [row][pass][digit]
    uint32_t *state;    // zero before a pass: a ticket, then [tile][digit]
};

// ---- lanes of a wavefront, all of them running ----

#if defined(__CUDACC__)
typedef uint32_t lane_mask;
DEVICE
lane_mask ballot(bool predicate) { return __ballot_sync(0xffffffffu, predicate); }
DEVICE
int count_bits(lane_mask x) { return __popc(x); }
#else
typedef uint64_t lane_mask;
DEVICE
lane_mask ballot(bool predicate) { return __ballot(predicate); }
DEVICE
int count_bits(lane_mask x) { return __popcll(x); }
#endif

// Between a wavefront's own reads and writes of LDS.
DEVICE
void sync_wave() {
#if defined(__CUDACC__)
    __syncwarp();
#elif !defined(HIPCPU)
    __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
    __builtin_amdgcn_wave_barrier();
#endif
}

// Those of `running` whose digit is `digit`, too.
DEVICE
lane_mask lanes_with(int digit, lane_mask running) {
    lane_mask same = running;
#pragma unroll
    for (int bit = 0; bit < 8; ++bit) {
        const lane_mask set = digit >> bit & 1;
        same &= ballot(set != 0) ^ (set - 1);
    }
    return same;
}

struct AddCounts {
    using Acc = uint32_t;
    DEVICE
    static uint32_t identity() { return 0; }
    DEVICE
    static uint32_t combine(uint32_t a, uint32_t b) { return a + b; }
};

// ---- kernels ----

template <class T>
DEVICE
void radix_count(const RadixParams &p) {
    constexpr int PASSES = sizeof(T);
    LDS uint32_t counts[PASSES * RADIX];
    const index_t part_size = (p.length + p.n_parts - 1) / p.n_parts;
    for (index_t unit = block_index(); unit < p.n_rows * p.n_parts; unit += grid_size()) {
        const index_t row = unit / p.n_parts, part = unit - row * p.n_parts;
        const T *keys = reinterpret_cast<const T *>(p.keys) + row * p.length;
        for (index_t i = thread_index(); i < PASSES * RADIX; i += block_size()) counts[i] = 0;
        sync_block();
        const index_t end = min_index((part + 1) * part_size, p.length);
#pragma unroll 4
        for (index_t i = part * part_size + thread_index(); i < end; i += block_size()) {
            const radix_key<T> key = order_key(keys[i]);
#pragma unroll
            for (int pass = 0; pass < PASSES; ++pass) {
                atomicAdd(&counts[pass * RADIX + (key >> (8 * pass) & (RADIX - 1))], 1u);
            }
        }
        sync_block();
        uint32_t *offsets = p.offsets + row * PASSES * RADIX;
        for (index_t i = thread_index(); i < PASSES * RADIX; i += block_size()) {
            if (counts[i] > 0) atomicAdd(&offsets[i], counts[i]);
        }
        sync_block();
    }
}

// Counts -> where each digit begins. A work-item a digit.
DEVICE
void radix_offsets(const RadixParams &p) {
    for (index_t unit = block_index(); unit < p.n_rows * p.n_passes; unit += grid_size()) {
        uint32_t values[1] = {p.offsets[unit * RADIX + thread_index()]};
        scan_block<AddCounts, 1>(values);
        p.offsets[unit * RADIX + thread_index()] = values[0];
    }
}

// A tile's word per digit: two bits of state, and a count.
constexpr uint32_t RADIX_OWN = 1u << 30;    // of the tile
constexpr uint32_t RADIX_TOTAL = 2u << 30;  // of it and all tiles before
constexpr uint32_t RADIX_COUNT = (1u << 30) - 1;

// How many items of this digit the tiles before `tile` of a row have. Several words are on their
// way at once, since each takes longer than all else.
DEVICE
uint32_t count_before(const uint32_t *state, index_t tile, int digit) {
    constexpr int AHEAD = 4;
    uint32_t sum = 0;
    const volatile uint32_t *from = state + digit;
    for (index_t other = tile - 1; other >= 0; other -= AHEAD) {
        uint32_t words[AHEAD];
#pragma unroll
        for (int i = 0; i < AHEAD; ++i) {
            words[i] = other >= i ? from[(other - i) * RADIX] : RADIX_TOTAL;
        }
#pragma unroll
        for (int i = 0; i < AHEAD; ++i) {
            while (words[i] >> 30 == 0) words[i] = from[(other - i) * RADIX];
            sum += words[i] & RADIX_COUNT;
            if (words[i] >> 30 == RADIX_TOTAL >> 30) return sum;
        }
    }
    return sum;
}

template <class T>
struct RadixTile {
    static constexpr int ITEMS = sizeof(T) <= 4 ? 16 : 12;  // of a work-item
    static constexpr int SIZE = ITEMS * RADIX_BLOCK;
    static constexpr int EXCHANGE_BYTES = SIZE * (sizeof(T) > 4 ? sizeof(T) : 4);
    static constexpr int WAVES = RADIX_BLOCK / SMALLEST_WAVE;  // at most
    struct alignas(16) Storage {
        unsigned char exchange[EXCHANGE_BYTES];
        uint32_t counts[WAVES][RADIX];
        uint32_t base[RADIX];
        uint32_t ticket;
    };
};

template <class T, bool PLACES>
DEVICE
void radix_tile(const RadixParams &p, typename RadixTile<T>::Storage &lds, index_t number) {
    using Tile = RadixTile<T>;
    constexpr int ITEMS = Tile::ITEMS;
    const int t = static_cast<int>(thread_index());
    const int width = warpSize, wave = t / width, lane = t % width;
    const int n_waves = RADIX_BLOCK / width;
    const lane_mask lanes_below = (static_cast<lane_mask>(1) << lane) - 1;
    const index_t row = number / p.n_parts, tile = number - row * p.n_parts;
    const index_t tile_start = tile * Tile::SIZE;
    const int n_valid = static_cast<int>(min_index(Tile::SIZE, p.length - tile_start));
    const T *keys = reinterpret_cast<const T *>(p.keys) + row * p.length + tile_start;
    // A wavefront's items lie together, in rows of lanes: the order of (item, lane) is theirs.
    const int first = wave * width * ITEMS + lane;
    T items[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        if (first + i * width < n_valid) items[i] = keys[first + i * width];
    }
    for (int w = 0; w < n_waves; ++w) lds.counts[w][t] = 0;
    sync_block();
    const lane_mask running = ballot(true);
    uint32_t place[ITEMS];  // in the tile; until it is known, the rank, and the digit above it
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        // What is beyond the end comes last, in the last digit.
        const int digit = first + i * width < n_valid ? digit_of(items[i], p.pass) : RADIX - 1;
        const lane_mask same = lanes_with(digit, running);
        const int before = count_bits(same & lanes_below);
        volatile uint32_t *count = &lds.counts[wave][digit];
        const uint32_t so_far = *count;
        sync_wave();
        if (before == 0) *count = so_far + count_bits(same);
        sync_wave();
        place[i] = static_cast<uint32_t>(digit) << 16 | (so_far + before);
    }
    sync_block();
    // From here on work-item t is digit t.
    uint32_t own = 0;
    for (int w = 0; w < n_waves; ++w) {
        const uint32_t count = lds.counts[w][t];
        lds.counts[w][t] = own;
        own += count;
    }
    const uint32_t valid = t == RADIX - 1 ? own - (Tile::SIZE - n_valid) : own;
    uint32_t *row_state = p.state + 1 + row * p.n_parts * RADIX;
    volatile uint32_t *state = row_state + tile * RADIX + t;
    *state = (tile == 0 ? RADIX_TOTAL : RADIX_OWN) | valid;
    uint32_t start[1] = {own};
    scan_block<AddCounts, 1>(start);
    uint32_t before = 0;
    if (tile > 0) {
        before = count_before(row_state, tile, t);
        *state = RADIX_TOTAL | (before + valid);
    }
    for (int w = 0; w < n_waves; ++w) lds.counts[w][t] += start[0];
    lds.base[t] = p.offsets[(row * p.n_passes + p.pass) * RADIX + t] + before - start[0];
    sync_block();
    T *exchange = reinterpret_cast<T *>(lds.exchange);
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        place[i] = (place[i] & 0xffffu) + lds.counts[wave][place[i] >> 16];
        exchange[place[i]] = items[i];
    }
    sync_block();
    T *keys_out = reinterpret_cast<T *>(p.keys_out) + row * p.length;
    uint32_t target[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        const int k = t + i * RADIX_BLOCK;
        if (k < n_valid) {
            const T item = exchange[k];
            target[i] = lds.base[digit_of(item, p.pass)] + k;
            if (!PLACES || p.keys_out != nullptr) keys_out[target[i]] = item;
        }
    }
    if constexpr (PLACES) {
        sync_block();
        uint32_t *places = reinterpret_cast<uint32_t *>(lds.exchange);
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            const index_t k = tile_start + first + i * width;
            uint32_t item = static_cast<uint32_t>(k);
            if (p.places != nullptr && k < p.length) item = p.places[row * p.length + k];
            places[place[i]] = item;
        }
        sync_block();
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            const int k = t + i * RADIX_BLOCK;
            if (k >= n_valid) continue;
            const index_t to = row * p.length + target[i];
            if (p.last) {
                reinterpret_cast<int64_t *>(p.places_out)[to] = places[k];
            } else {
                reinterpret_cast<uint32_t *>(p.places_out)[to] = places[k];
            }
        }
    }
}

// Tiles are taken in order, so whoever waits only waits for tiles that somebody works on.
template <class T, bool PLACES>
DEVICE
void radix_scatter(const RadixParams &p) {
    LDS typename RadixTile<T>::Storage lds;
    for (;;) {
        if (thread_index() == 0) lds.ticket = atomicAdd(p.state, 1u);
        sync_block();
        const index_t number = lds.ticket;
        if (number >= p.n_rows * p.n_parts) return;
        radix_tile<T, PLACES>(p, lds, number);
        sync_block();
    }
}

}  // namespace rocarray

#if defined(ROCARRAY_BLOCK_SIZE) && ROCARRAY_BLOCK_SIZE == 1
#define ROCARRAY_RADIX(NAME, T)
#else
#define ROCARRAY_RADIX(NAME, T)                                                       \
    DENSE_KERNEL(4)                                                                   \
    NAME##_count(rocarray::RadixParams p) { rocarray::radix_count<T>(p); }            \
    DENSE_KERNEL(4)                                                                   \
    NAME##_offsets(rocarray::RadixParams p) { rocarray::radix_offsets(p); }           \
    DENSE_KERNEL(4)                                                                   \
    NAME##_scatter(rocarray::RadixParams p) { rocarray::radix_scatter<T, false>(p); } \
    DENSE_KERNEL(3)                                                                   \
    NAME##_places(rocarray::RadixParams p) { rocarray::radix_scatter<T, true>(p); }
#endif
