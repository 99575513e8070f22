// Scans on GPUs: a line goes by in tiles, each item is read and written once.
//
// A workgroup takes whole lines, or single tiles of long ones. Then tiles must learn what comes
// before them while the line is still being read (decoupled look-back; D. Merrill, M. Garland,
// "Single-pass parallel prefix scan", 2016). Theirs adds up whatever is there already, so the
// rounding of a sum depends on timing. Here 32 tiles make a group, and everything is combined in
// one order: the totals of a group's tiles before, the totals of all groups before. Nothing waits
// for a chain: the first tile of a group combines the totals of groups, which only depend on their
// tiles.
#pragma once

#include "scan_params.hpp"
#include "vectors.hpp"
#include "wave.hpp"

namespace rocarray {

constexpr int SCAN_GROUP = 32;  // tiles

// Neighbouring items that are moved together.
template <class T, int N>
struct alignas(sizeof(T) * N) ScanVector {
    T items[N];
};

template <class Op, class In, class Out>
struct ScanTile {
    using Acc = typename Op::Acc;
    static constexpr int WIDEST_OF_TWO = sizeof(In) > sizeof(Out) ? sizeof(In) : sizeof(Out);
    static constexpr int WIDEST = WIDEST_OF_TWO > sizeof(Acc) ? WIDEST_OF_TWO : sizeof(Acc);
    static constexpr int V = WIDEST < 16 ? 16 / WIDEST : 1;
    static constexpr int SLABS = sizeof(Acc) <= 8 ? 8 : 4;  // vectors of a work-item

    Acc items[SLABS][V];  // scanned within each vector
    Acc before[SLABS];    // of each vector, in the tile
    Acc total;

    DEVICE
    static index_t first_item(int slab) { return (slab * block_size() + thread_index()) * V; }
    DEVICE
    static bool by_vectors(const char *at, index_t step, index_t size) {
        return step == size && reinterpret_cast<size_t>(at) % (size * V) == 0;
    }

    // The `n` items from `in` on, or as many as a tile has.
    DEVICE
    void load(const char *in, index_t step, index_t n) {
        using Vector = ScanVector<In, V>;
        const bool whole = n >= block_size() * V * SLABS;
        if (whole && by_vectors(in, step, sizeof(In))) {
            Vector vectors[SLABS];
#pragma unroll
            for (int s = 0; s < SLABS; ++s) {
                vectors[s] = *reinterpret_cast<const Vector *>(in + first_item(s) * sizeof(In));
            }
#pragma unroll
            for (int s = 0; s < SLABS; ++s) {
#pragma unroll
                for (int v = 0; v < V; ++v) items[s][v] = Op::map(vectors[s].items[v], 0, {});
            }
        } else {
#pragma unroll
            for (int s = 0; s < SLABS; ++s) {
                // One address a vector: those of all items would fill the registers.
                const char *at = in + first_item(s) * step;
                const index_t left = n - first_item(s);
#pragma unroll
                for (int v = 0; v < V; ++v) {
                    items[s][v] =
                        v < left ? Op::map(load_item<In>(at + v * step), 0, {}) : Op::identity();
                }
            }
        }
    }

    DEVICE
    void scan() {
#pragma unroll
        for (int s = 0; s < SLABS; ++s) {
#pragma unroll
            for (int v = 1; v < V; ++v) items[s][v] = Op::combine(items[s][v - 1], items[s][v]);
            before[s] = items[s][V - 1];
        }
        total = scan_block<Op, SLABS>(before);
    }

    DEVICE
    static Out result(Acc value) { return Op::finish(value, 0.0, FINISH_PLAIN); }

    DEVICE
    void store(char *out, index_t step, index_t n, Acc carry) const {
        using Vector = ScanVector<Out, V>;
        const bool whole = n >= block_size() * V * SLABS;
        const bool vectors = whole && by_vectors(out, step, sizeof(Out));
#pragma unroll
        for (int s = 0; s < SLABS; ++s) {
            const Acc start = Op::combine(carry, before[s]);
            if (vectors) {
                Vector vector;
#pragma unroll
                for (int v = 0; v < V; ++v) {
                    vector.items[v] = result(Op::combine(start, items[s][v]));
                }
                *reinterpret_cast<Vector *>(out + first_item(s) * sizeof(Out)) = vector;
            } else {
                char *at = out + first_item(s) * step;
                const index_t left = n - first_item(s);
#pragma unroll
                for (int v = 0; v < V; ++v) {
                    if (v < left)
                        store_item(at + v * step, result(Op::combine(start, items[s][v])));
                }
            }
        }
    }
};

// Whole lines, tile after tile.
template <class Op, class In, class Out>
DEVICE
void scan_lines_by_tiles(const ScanParams &p) {
    const index_t n_tile = block_size() * ScanTile<Op, In, Out>::V * ScanTile<Op, In, Out>::SLABS;
    for (index_t line = block_index(); line < p.n_lines; line += grid_size()) {
        const char *in = p.input + reduce_offset(line, p.ndim, p.shape, p.input_strides);
        char *out = p.output + reduce_offset(line, p.ndim, p.shape, p.output_strides);
        typename Op::Acc carry = Op::identity();
        for (index_t begin = 0; begin < p.length; begin += n_tile) {
            ScanTile<Op, In, Out> tile;
            tile.load(in + begin * p.input_step, p.input_step, p.length - begin);
            tile.scan();
            tile.store(out + begin * p.output_step, p.output_step, p.length - begin, carry);
            carry = Op::combine(carry, tile.total);
        }
    }
}

// What the tiles of all lines leave for each other; zero before the launch.
template <class Acc>
struct ScanState {
    static constexpr int WORDS = MESSAGE_WORDS<Acc>;
    uint64_t *words;
    index_t n_tiles, n_groups;

    DEVICE
    explicit ScanState(const ScanParams &p)
        : words(reinterpret_cast<uint64_t *>(p.partials)),
          n_tiles(p.n_lines * p.n_chunks),
          n_groups(p.n_lines * p.n_groups) {}
    DEVICE
    uint32_t *ticket() const { return reinterpret_cast<uint32_t *>(words); }
    DEVICE
    uint64_t *tile(index_t i) const { return words + 1 + i * WORDS; }
    DEVICE
    uint64_t *group(index_t i) const { return tile(n_tiles + i); }
    DEVICE
    uint64_t *prefix(index_t i) const { return tile(n_tiles + n_groups + i); }
};

// One tile of a long line. Tiles are numbered in the order in which workgroups start, so that
// whoever waits only waits for what is running.
template <class Op, class In, class Out>
DEVICE
void scan_one_tile(const ScanParams &p) {
    using Acc = typename Op::Acc;
    LDS uint32_t shared_ticket;
    const ScanState<Acc> state(p);
    const index_t t = thread_index();
    if (t == 0) shared_ticket = atomicAdd(state.ticket(), 1u);
    sync_block();
    const index_t number = shared_ticket;
    const index_t line = number / p.n_chunks, index = number - line * p.n_chunks;
    const index_t group = index / SCAN_GROUP, place = index % SCAN_GROUP;
    const index_t group_number = line * p.n_groups + group;
    const index_t begin = index * p.chunk;
    ScanTile<Op, In, Out> tile;
    tile.load(
        p.input + reduce_offset(line, p.ndim, p.shape, p.input_strides) + begin * p.input_step,
        p.input_step, p.length - begin);
    tile.scan();
    if (t == 0) publish(state.tile(number), tile.total);
    // Most tiles ask for everything at once. The last of a group must not: its total may not wait
    // for the groups before.
    const bool is_last = place == SCAN_GROUP - 1;
    const bool takes_prefix = group > 0 && place > 0 && !is_last;
    Acc carry = Op::identity();
    if (place > 0) {
        const index_t n_wanted = place + (takes_prefix ? 1 : 0);
        for (index_t i = t; i < n_wanted; i += block_size()) {
            const uint64_t *from =
                i < place ? state.tile(number - place + i) : state.prefix(group_number);
            carry = Op::combine(carry, await<Acc>(from));
        }
        carry = combine_block<Op>(carry);
        if (is_last && t == 0) {
            publish(state.group(group_number), Op::combine(carry, tile.total));
        }
    }
    if (group > 0 && !takes_prefix) {
        Acc prefix = Op::identity();
        if (place == 0) {
            constexpr int AHEAD = 4;
            const index_t first_group = group_number - group;
            for (index_t i = t; i < group; i += AHEAD * block_size()) {
                Message<Acc> messages[AHEAD];
#pragma unroll
                for (int k = 0; k < AHEAD; ++k) {
                    const index_t other = i + k * block_size();
                    if (other < group) messages[k].load(state.group(first_group + other));
                }
#pragma unroll
                for (int k = 0; k < AHEAD; ++k) {
                    if (i + k * block_size() < group) {
                        prefix = Op::combine(prefix, messages[k].wait());
                    }
                }
            }
        } else if (t == 0) {
            prefix = await<Acc>(state.prefix(group_number));
        }
        prefix = combine_block<Op>(prefix);
        if (place == 0 && t == 0) publish(state.prefix(group_number), prefix);
        carry = Op::combine(carry, prefix);
    }
    tile.store(
        p.output + reduce_offset(line, p.ndim, p.shape, p.output_strides) + begin * p.output_step,
        p.output_step, p.length - begin, carry);
}

}  // namespace rocarray
