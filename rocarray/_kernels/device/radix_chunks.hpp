// Stable radix sort for machines whose work-items are alone (a CPU): long loops of few work-items.
//
// `_rows` sorts whole rows, one after the other, and skips the digits that all items share. Rows
// that are too few for that are cut into parts: `_tally` counts a part's digits, `_starts` turns
// the counts into where each part writes each digit, `_move` writes; once for each digit.
#pragma once

#include "index.hpp"
#include "radix_keys.hpp"

namespace rocarray {

struct RadixRowsParams {
    int64_t n, chunk;  // of rows
    int64_t length;
    const char *keys;
    char *keys_out;
    char *scratch;
    int64_t *places_out;  // nullptr: keys only
    int64_t *places_scratch;
};

struct RadixSelectParams {
    int64_t n, chunk;  // of rows
    int64_t length;
    const char *keys;
    char *keys_out;
    char *scratch;
    int64_t kth;
};

struct RadixPartsParams {
    int64_t n, chunk;  // of parts of all rows; _starts: of rows
    int64_t length, n_parts, pass;
    const char *keys;
    char *keys_out;
    const int64_t *places;  // nullptr: the items' own
    int64_t *places_out;    // nullptr: keys only
    int64_t *counts;        // [row][part][digit]
};

// One pass over a row (or a part): items go to `next[digit]` on.
template <class T, class Count>
DEVICE
void radix_move(const T *keys, T *out, const int64_t *places, int64_t *places_out, index_t first,
                index_t last, int64_t pass, Count *next) {
    if (places_out == nullptr) {
        for (index_t i = first; i < last; ++i) out[next[digit_of(keys[i], pass)]++] = keys[i];
    } else {
        for (index_t i = first; i < last; ++i) {
            const index_t to = static_cast<index_t>(next[digit_of(keys[i], pass)]++);
            out[to] = keys[i];
            places_out[to] = places != nullptr ? places[i] : i;
        }
    }
}

template <class T>
DEVICE
void radix_row(const RadixRowsParams &p, index_t row) {
    constexpr int N_PASSES = sizeof(T);
    uint32_t counts[N_PASSES][RADIX] = {};
    const T *keys = reinterpret_cast<const T *>(p.keys) + row * p.length;
    T *buffers[2] = {reinterpret_cast<T *>(p.keys_out) + row * p.length,
                     reinterpret_cast<T *>(p.scratch) + row * p.length};
    int64_t *places[2] = {nullptr, nullptr};
    if (p.places_out != nullptr) {
        places[0] = p.places_out + row * p.length;
        places[1] = p.places_scratch + row * p.length;
    }
    for (index_t i = 0; i < p.length; ++i) {
        const radix_key<T> key = order_key(keys[i]);
        for (int pass = 0; pass < N_PASSES; ++pass) {
            ++counts[pass][static_cast<int>(key >> (8 * pass)) & (RADIX - 1)];
        }
    }
    int n_left = 0;
    bool needed[N_PASSES];
    for (int pass = 0; pass < N_PASSES; ++pass) {
        needed[pass] = counts[pass][digit_of(keys[0], pass)] != p.length;
        n_left += needed[pass];
    }
    if (n_left == 0) {
        for (index_t i = 0; i < p.length; ++i) {
            buffers[0][i] = keys[i];
            if (places[0] != nullptr) places[0][i] = i;
        }
        return;
    }
    const int64_t *from = nullptr;
    for (int pass = 0; pass < N_PASSES; ++pass) {
        if (!needed[pass]) continue;
        uint32_t sum = 0;
        for (int digit = 0; digit < RADIX; ++digit) {
            const uint32_t n = counts[pass][digit];
            counts[pass][digit] = sum;
            sum += n;
        }
        const int to = --n_left % 2;  // the last pass writes the result
        radix_move(keys, buffers[to], from, places[to], 0, p.length, pass, counts[pass]);
        keys = buffers[to];
        from = places[to];
    }
}

template <class T>
DEVICE
void radix_rows(const RadixRowsParams &p) {
    ROCARRAY_ITEMS(p) { radix_row<T>(p, i); }
}

// Brings item `kth` of the sorted row to its place, lower keys before it and higher ones after it:
// by the highest digit first, and then by the next among those that share it.
template <class T>
DEVICE
void radix_select_row(const RadixSelectParams &p, index_t row) {
    const T *keys = reinterpret_cast<const T *>(p.keys) + row * p.length;
    T *out = reinterpret_cast<T *>(p.keys_out) + row * p.length;
    T *scratch = reinterpret_cast<T *>(p.scratch) + row * p.length;
    for (index_t i = 0; i < p.length; ++i) out[i] = keys[i];
    index_t first = 0, last = p.length;
    for (int pass = sizeof(T) - 1; pass >= 0 && last - first > 1; --pass) {
        uint32_t counts[RADIX] = {};
        for (index_t i = first; i < last; ++i) ++counts[digit_of(out[i], pass)];
        int digit = 0;
        index_t begin = first;
        while (begin + counts[digit] <= p.kth) begin += counts[digit++];
        const index_t end = begin + counts[digit];
        if (begin == first && end == last) continue;
        index_t next[3] = {first, begin, end};
        for (index_t i = first; i < last; ++i) {
            const int d = digit_of(out[i], pass);
            scratch[next[(d >= digit) + (d > digit)]++] = out[i];
        }
        for (index_t i = first; i < last; ++i) out[i] = scratch[i];
        first = begin;
        last = end;
    }
}

template <class T>
DEVICE
void radix_select(const RadixSelectParams &p) {
    ROCARRAY_ITEMS(p) { radix_select_row<T>(p, i); }
}

DEVICE
index_t part_begin(const RadixPartsParams &p, index_t part) {
    return p.length / p.n_parts * part + min_index(part, p.length % p.n_parts);
}

template <class T>
DEVICE
void radix_tally(const RadixPartsParams &p) {
    ROCARRAY_ITEMS(p) {
        const index_t row = i / p.n_parts, part = i % p.n_parts;
        const T *keys = reinterpret_cast<const T *>(p.keys) + row * p.length;
        uint32_t counts[RADIX] = {};
        const index_t end = part_begin(p, part + 1);
        for (index_t k = part_begin(p, part); k < end; ++k) ++counts[digit_of(keys[k], p.pass)];
        for (int digit = 0; digit < RADIX; ++digit) {
            p.counts[i * RADIX + digit] = counts[digit];
        }
    }
}

DEVICE
void radix_starts(const RadixPartsParams &p) {
    ROCARRAY_ITEMS(p) {
        int64_t *counts = p.counts + i * p.n_parts * RADIX;
        int64_t sum = 0;
        for (int digit = 0; digit < RADIX; ++digit) {
            for (index_t part = 0; part < p.n_parts; ++part) {
                const int64_t n = counts[part * RADIX + digit];
                counts[part * RADIX + digit] = sum;
                sum += n;
            }
        }
    }
}

template <class T>
DEVICE
void radix_move_parts(const RadixPartsParams &p) {
    ROCARRAY_ITEMS(p) {
        const index_t row = i / p.n_parts, part = i % p.n_parts;
        const index_t base = row * p.length;
        int64_t next[RADIX];
        for (int digit = 0; digit < RADIX; ++digit) next[digit] = p.counts[i * RADIX + digit];
        radix_move(reinterpret_cast<const T *>(p.keys) + base,
                   reinterpret_cast<T *>(p.keys_out) + base,
                   p.places != nullptr ? p.places + base : nullptr,
                   p.places_out != nullptr ? p.places_out + base : nullptr, part_begin(p, part),
                   part_begin(p, part + 1), p.pass, next);
    }
}

}  // namespace rocarray

#if defined(ROCARRAY_BLOCK_SIZE) && ROCARRAY_BLOCK_SIZE == 1
#define ROCARRAY_RADIX_CHUNKS(NAME, T)                                              \
    KERNEL                                                                          \
    NAME##_rows(rocarray::RadixRowsParams p) { rocarray::radix_rows<T>(p); }        \
    KERNEL                                                                          \
    NAME##_tally(rocarray::RadixPartsParams p) { rocarray::radix_tally<T>(p); }     \
    KERNEL                                                                          \
    NAME##_starts(rocarray::RadixPartsParams p) { rocarray::radix_starts(p); }      \
    KERNEL                                                                          \
    NAME##_move(rocarray::RadixPartsParams p) { rocarray::radix_move_parts<T>(p); } \
    KERNEL_EXPORT(NAME##_rows)                                                      \
    KERNEL_EXPORT(NAME##_tally)                                                     \
    KERNEL_EXPORT(NAME##_starts)                                                    \
    KERNEL_EXPORT(NAME##_move)                                                      \
    KERNEL                                                                          \
    NAME##_select(rocarray::RadixSelectParams p) { rocarray::radix_select<T>(p); }  \
    KERNEL_EXPORT(NAME##_select)
#else
#define ROCARRAY_RADIX_CHUNKS(NAME, T)
#endif
