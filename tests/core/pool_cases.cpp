// The pool's policy alone: random requests of several streams over address space that nobody
// touches.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "rocarray/_core/pool.hpp"

using namespace rocarray;

#define CHECK(condition)                                                \
    do {                                                                \
        if (!(condition)) {                                             \
            std::printf("%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            std::exit(1);                                               \
        }                                                               \
    } while (false)

namespace {

struct Device {
    std::map<char *, size_t> segments;
    uintptr_t next = 1u << 20;
    size_t reserved = 0, most = SIZE_MAX;

    static void *reserve(void *self, size_t n_bytes) {
        Device &device = *static_cast<Device *>(self);
        if (device.reserved + n_bytes > device.most) return nullptr;
        char *address = reinterpret_cast<char *>(device.next);
        device.next += n_bytes + 4096;
        device.reserved += n_bytes;
        device.segments[address] = n_bytes;
        return address;
    }

    static void release(void *self, void *address) {
        Device &device = *static_cast<Device *>(self);
        const auto entry = device.segments.find(static_cast<char *>(address));
        CHECK(entry != device.segments.end());
        device.reserved -= entry->second;
        device.segments.erase(entry);
    }
};

struct Held {
    Block *block;
    size_t n_bytes;
    uintptr_t stream;
};

// Blocks lie in segments of the device, overlap nothing, and add up to what the pool says.
void check_all(const Pool &pool, const Device &device, const std::vector<Held> &held) {
    std::map<char *, const Held *> by_address;
    size_t live = 0;
    for (const Held &one : held) {
        CHECK(by_address.emplace(one.block->address, &one).second);
        CHECK(one.block->n_bytes >= one.n_bytes);
        CHECK(!one.block->is_free);
        live += one.block->n_bytes;
    }
    const char *end = nullptr;
    for (const auto &[address, one] : by_address) {
        CHECK(address >= end);
        end = address + one->block->n_bytes;
        auto segment = device.segments.upper_bound(address);
        CHECK(segment != device.segments.begin());
        --segment;
        CHECK(end <= segment->first + segment->second);
        CHECK((address - segment->first) % kAlignment == 0);
    }
    CHECK(pool.statistics().live_bytes == live);
    CHECK(pool.statistics().n_live == held.size());
    CHECK(pool.statistics().reserved_bytes == device.reserved);
    CHECK(pool.statistics().n_segments == device.segments.size());
}

void random_streams(unsigned seed, size_t device_bytes, size_t limit) {
    Device device;
    device.most = device_bytes;
    Pool pool(Device::reserve, Device::release, &device);
    pool.set_limit(limit);
    std::mt19937_64 random(seed);
    std::vector<Held> held;
    std::vector<std::pair<Arena *, uintptr_t>> detached;
    for (int step = 0; step < 20000; ++step) {
        const unsigned what = random() % 100;
        if (what < 50) {
            const size_t n_bytes =
                static_cast<size_t>(std::exp2(std::uniform_real_distribution<>(0, 25)(random)));
            const uintptr_t stream = random() % 5;
            Block *block = pool.allocate(n_bytes, stream);
            if (block != nullptr) held.push_back({block, n_bytes, stream});
        } else if (what < 96 && !held.empty()) {
            std::swap(held[random() % held.size()], held.back());
            pool.free(held.back().block);
            held.pop_back();
        } else if (what == 96) {
            // A stream is destroyed: in general nobody holds its blocks, but some may.
            const uintptr_t stream = 1 + random() % 4;
            for (size_t i = 0; i < held.size();) {
                if (held[i].stream == stream && random() % 8 != 0) {
                    pool.free(held[i].block);
                    held[i] = held.back();
                    held.pop_back();
                } else {
                    ++i;
                }
            }
            Arena *arena = pool.detach(stream);
            if (arena != nullptr) detached.emplace_back(arena, stream);
        } else if (what == 97 && !detached.empty()) {
            pool.adopt(detached.back().first);
            detached.pop_back();
        } else if (what == 98) {
            pool.release_free(random() % (64 * kMiB));
        } else if (what == 99) {
            pool.release_free();
            pool.reset_peaks();
        }
        if (limit != 0) CHECK(device.reserved <= limit);
        if (step % 50 == 0) check_all(pool, device, held);
    }
    check_all(pool, device, held);
    for (const Held &one : held) pool.free(one.block);
    pool.release_free();
    CHECK(device.segments.empty());
    CHECK(pool.n_free_blocks() == 0);
}

void sizes_stay_near_the_peak() {
    Device device;
    Pool pool(Device::reserve, Device::release, &device);
    std::mt19937_64 random(7);
    std::vector<Held> held;
    size_t live = 0, peak = 0;
    for (int step = 0; step < 100000; ++step) {
        const auto n_bytes =
            static_cast<size_t>(std::exp2(std::uniform_real_distribution<>(10, 26)(random)));
        while (!held.empty() && live + n_bytes > (1u << 30)) {
            std::swap(held[random() % held.size()], held.back());
            live -= held.back().n_bytes;
            pool.free(held.back().block);
            held.pop_back();
        }
        held.push_back({pool.allocate(n_bytes, 0), n_bytes, 0});
        live += n_bytes;
        peak = std::max(peak, live);
    }
    const double ratio =
        static_cast<double>(pool.statistics().peak_reserved_bytes) / static_cast<double>(peak);
    std::printf("reserved / peak of live bytes: %.3f\n", ratio);
    CHECK(ratio < 1.3);
}

void edges() {
    Device device;
    Pool pool(Device::reserve, Device::release, &device);
    CHECK(pool.allocate(SIZE_MAX, 0) == nullptr);
    CHECK(pool.allocate(kMaxBytes + 1, 0) == nullptr);
    CHECK(pool.detach(9) == nullptr);
    for (size_t n_bytes : {size_t{1}, kMiB / 4 - 1, kMiB / 4, 4 * kMiB - 1, 4 * kMiB, 5 * kMiB}) {
        Block *block = pool.allocate(n_bytes, 0);
        CHECK(block->n_bytes >= n_bytes);
        char *address = block->address;
        pool.free(block);
        block = pool.allocate(n_bytes, 0);
        CHECK(block->address == address);  // at once usable by the same stream
        Block *other = pool.allocate(n_bytes, 1);
        CHECK(other->address != address);
        pool.free(other);
        pool.free(block);
    }
    // Where the device has no room for a shared segment, one of the request's own size serves.
    pool.release_free();
    device.most = 3 * kMiB;
    Block *block = pool.allocate(2 * kMiB, 0);
    CHECK(block != nullptr);
    pool.free(block);
}

}  // namespace

int main() {
    edges();
    sizes_stay_near_the_peak();
    for (unsigned seed = 0; seed < 4; ++seed) {
        random_streams(seed, SIZE_MAX, 0);
        random_streams(seed, size_t{256} * kMiB, 0);
        random_streams(seed, SIZE_MAX, size_t{128} * kMiB);
    }
    std::printf("ok\n");
    return 0;
}
