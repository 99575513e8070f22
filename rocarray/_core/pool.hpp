// The caching pool's policy: which free block serves a request, when to split, merge and release.
//
// No device call is made here: segments come from and go to two functions that the owner gives.
// One Pool per device, one arena per stream, so that freed memory is at once usable again by work
// that is queued behind its last use. Segments of streams that are gone are `idle`: any arena takes
// them before new ones are reserved. Not thread-safe: the owner holds a lock.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>

namespace rocarray {

constexpr size_t kAlignment = 512;  // every block's size and start
constexpr size_t kMiB = 1u << 20;
constexpr size_t kLargeStep = kMiB / 2;     // segments of large requests are multiples of it
constexpr size_t kMaxBytes = SIZE_MAX / 4;  // of one request: no rounding overflows
// How much may be reserved beyond the peak of live bytes before cached segments are released.
constexpr double kMaxOverhead = 1.2;
constexpr size_t kMinOverheadBytes = 64 * kMiB;

// Small and medium requests share segments. A large one has a segment of its own, since a piece
// left over from it would keep all of it from being released: that is how pools come to hold twice
// what lives.
enum SizeClass { kSmall, kMedium, kLarge, kClasses };
constexpr size_t kSegmentBytes[] = {2 * kMiB, 16 * kMiB};  // by class

inline SizeClass class_of(size_t n_bytes) {
    return n_bytes < kMiB / 4 ? kSmall : n_bytes < 4 * kMiB ? kMedium : kLarge;
}

struct Arena;

// A piece of a segment; neighbours in memory are linked, so that free ones merge.
struct Block {
    char *address;
    size_t n_bytes;
    Block *previous;
    Block *next;
    Arena *arena;
    bool is_free;
    SizeClass size_class;
};

struct BySize {
    bool operator()(const Block *a, const Block *b) const {
        return a->n_bytes != b->n_bytes ? a->n_bytes < b->n_bytes : a->address < b->address;
    }
};

struct Arena {
    std::set<Block *, BySize> free_blocks[kClasses];

    void insert(Block *block) { free_blocks[block->size_class].insert(block); }
    void erase(Block *block) { free_blocks[block->size_class].erase(block); }

    size_t n_free() const {
        return free_blocks[kSmall].size() + free_blocks[kMedium].size() +
               free_blocks[kLarge].size();
    }
};

struct PoolStatistics {
    size_t live_bytes, reserved_bytes, peak_live_bytes, peak_reserved_bytes;
    size_t n_live, n_allocations, n_segments, n_segment_allocations;
};

class Pool {
 public:
    // `reserve` returns nullptr where the device has no memory left.
    typedef void *(*Reserve)(void *context, size_t n_bytes);
    typedef void (*Release)(void *context, void *address);

    Pool(Reserve reserve, Release release, void *context)
        : reserve_(reserve), release_(release), context_(context) {}

    ~Pool() {
        for (auto &entry : segments_) {
            Block *block = entry.second;
            while (block != nullptr) {
                Block *next = block->next;
                delete block;
                block = next;
            }
        }
        for (Arena *arena : detached_) {
            delete arena;
        }
    }

    static size_t rounded(size_t n_bytes) {
        return (n_bytes + kAlignment - 1) / kAlignment * kAlignment;
    }

    // A block for `n_bytes` (> 0) in the arena of `stream`; nullptr where memory or limit ends.
    Block *allocate(size_t n_bytes, uintptr_t stream) {
        if (n_bytes > kMaxBytes) {
            return nullptr;
        }
        const size_t size = rounded(n_bytes);
        const SizeClass size_class = class_of(size);
        std::unique_ptr<Arena> &slot = arenas_[stream];
        if (slot == nullptr) {
            slot = std::make_unique<Arena>();
        }
        Arena &arena = *slot;
        Block *block = best_fit(arena, size, size_class);
        if (block == nullptr) {
            block = new_segment(arena, size, size_class);
        }
        if (block == nullptr) {
            return nullptr;
        }
        if (size_class != kLarge) {
            split(block, size);
        }
        block->is_free = false;
        stats_.live_bytes += block->n_bytes;
        ++stats_.n_live;
        ++stats_.n_allocations;
        stats_.peak_live_bytes = std::max(stats_.peak_live_bytes, stats_.live_bytes);
        return block;
    }

    void free(Block *block) {
        stats_.live_bytes -= block->n_bytes;
        --stats_.n_live;
        block->is_free = true;
        block = merge(block);
        block->arena->insert(block);
    }

    // Takes a stream's arena out of use; its free blocks serve nobody until `adopt`.
    Arena *detach(uintptr_t stream) {
        auto it = arenas_.find(stream);
        if (it == arenas_.end()) {
            return nullptr;
        }
        Arena *arena = it->second.release();
        detached_.insert(arena);
        arenas_.erase(it);
        return arena;
    }

    // The stream of a detached arena has passed its last use: its segments serve any stream.
    void adopt(Arena *arena) {
        bool is_empty = true;
        for (auto &entry : segments_) {
            Block *block = entry.second;
            if (block->arena != arena) {
                continue;
            }
            if (is_whole(block)) {
                arena->erase(block);
                block->arena = &idle_;
                idle_.insert(block);
            } else {
                is_empty = false;
            }
        }
        // Blocks that somebody still holds point to their arena.
        if (is_empty) {
            detached_.erase(arena);
            delete arena;
        }
    }

    // Gives segments that hold no live block back: all, or `enough` bytes of those whose streams
    // exist, since a release waits for what a stream still does. Returns the bytes released.
    size_t release_free(size_t enough = SIZE_MAX) {
        size_t released = 0;
        for (auto it = segments_.begin(); it != segments_.end() && released < enough;) {
            Block *block = it->second;
            if (is_whole(block) && (enough == SIZE_MAX || detached_.count(block->arena) == 0)) {
                block->arena->erase(block);
                released += block->n_bytes;
                stats_.reserved_bytes -= block->n_bytes;
                --stats_.n_segments;
                release_(context_, block->address);
                delete block;
                it = segments_.erase(it);
            } else {
                ++it;
            }
        }
        return released;
    }

    // Peaks count from here; the overhead is measured against the peak of live bytes.
    void reset_peaks() {
        stats_.peak_live_bytes = stats_.live_bytes;
        stats_.peak_reserved_bytes = stats_.reserved_bytes;
    }

    void set_limit(size_t n_bytes) { limit_ = n_bytes; }
    size_t limit() const { return limit_; }
    const PoolStatistics &statistics() const { return stats_; }

    size_t n_free_blocks() const {
        size_t n = idle_.n_free();
        for (const auto &entry : arenas_) {
            n += entry.second->n_free();
        }
        for (const Arena *arena : detached_) {
            n += arena->n_free();
        }
        return n;
    }

 private:
    // Whether a segment's first block is all of it, and free.
    static bool is_whole(const Block *block) {
        return block->is_free && block->previous == nullptr && block->next == nullptr;
    }

    // The smallest free block that holds `size`, taken out of its set. A large request takes no
    // segment that is much too large: it is not split, and the rest would be lost.
    static Block *best_fit(Arena &arena, size_t size, SizeClass size_class) {
        Block wanted{nullptr, size, nullptr, nullptr, nullptr, false, size_class};
        auto &blocks = arena.free_blocks[size_class];
        auto it = blocks.lower_bound(&wanted);
        if (it == blocks.end() || (size_class == kLarge && (*it)->n_bytes > size + size / 16)) {
            return nullptr;
        }
        Block *block = *it;
        blocks.erase(it);
        return block;
    }

    Block *new_segment(Arena &arena, size_t size, SizeClass size_class) {
        Block *block = best_fit(idle_, size, size_class);
        if (block != nullptr) {
            block->arena = &arena;
            return block;
        }
        const size_t rounded_up = (size + kLargeStep - 1) / kLargeStep * kLargeStep;
        size_t n_bytes = size_class == kLarge ? rounded_up : kSegmentBytes[size_class];
        char *address = reserve(n_bytes, size);
        if (address == nullptr && rounded_up < n_bytes) {
            n_bytes = rounded_up;
            address = reserve(n_bytes, size);
        }
        if (address == nullptr) {
            return nullptr;
        }
        block = new Block{address, n_bytes, nullptr, nullptr, &arena, true, size_class};
        segments_[address] = block;
        stats_.reserved_bytes += n_bytes;
        ++stats_.n_segments;
        ++stats_.n_segment_allocations;
        stats_.peak_reserved_bytes = std::max(stats_.peak_reserved_bytes, stats_.reserved_bytes);
        return block;
    }

    // Memory for a segment that is to hold `size` bytes; nullptr where memory or limit ends.
    char *reserve(size_t n_bytes, size_t size) {
        const size_t live = stats_.live_bytes + size;
        const size_t peak = std::max(stats_.peak_live_bytes, live);
        const size_t wanted = stats_.reserved_bytes + n_bytes;
        // Cached segments that fit nobody are given back before the overhead grows further.
        const size_t most = std::max(peak + kMinOverheadBytes,
                                     static_cast<size_t>(kMaxOverhead * static_cast<double>(peak)));
        if (wanted > most) {
            release_free(wanted - most);
        }
        if (limit_ != 0 && stats_.reserved_bytes + n_bytes > limit_) {
            release_free();
            if (stats_.reserved_bytes + n_bytes > limit_) {
                return nullptr;
            }
        }
        void *address = reserve_(context_, n_bytes);
        if (address == nullptr && release_free() > 0) {
            address = reserve_(context_, n_bytes);
        }
        return static_cast<char *>(address);
    }

    // Cuts `block` (taken out of its set) to `size`; the rest goes back.
    void split(Block *block, size_t size) {
        const size_t rest = block->n_bytes - size;
        if (rest < kAlignment) {
            return;
        }
        Block *tail = new Block{block->address + size, rest, block, block->next, block->arena, true,
                                block->size_class};
        if (block->next != nullptr) {
            block->next->previous = tail;
        }
        block->next = tail;
        block->n_bytes = size;
        block->arena->insert(tail);
    }

    // Joins a free block with its free neighbours; the result is in no set.
    Block *merge(Block *block) {
        if (block->next != nullptr && block->next->is_free) {
            absorb_next(block);
        }
        if (block->previous != nullptr && block->previous->is_free) {
            block = block->previous;
            block->arena->erase(block);
            absorb_next(block, false);
        }
        return block;
    }

    void absorb_next(Block *block, bool in_set = true) {
        Block *next = block->next;
        if (in_set) {
            next->arena->erase(next);
        }
        block->n_bytes += next->n_bytes;
        block->next = next->next;
        if (next->next != nullptr) {
            next->next->previous = block;
        }
        delete next;
    }

    Reserve reserve_;
    Release release_;
    void *context_;
    size_t limit_ = 0;
    PoolStatistics stats_{};
    std::unordered_map<uintptr_t, std::unique_ptr<Arena>> arenas_;
    std::set<Arena *> detached_;
    Arena idle_;
    std::map<char *, Block *> segments_;  // by address: the segment's first block
};

}  // namespace rocarray
