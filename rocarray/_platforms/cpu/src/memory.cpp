// Device, host and managed memory: plain pages of the process, with a table of allocations.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <shared_mutex>

#include "stream_queue.h"

namespace hipcpu {

namespace {

// From here on an allocation has pages of its own, aligned for huge ones.
constexpr size_t kHugePageBytes = 2 << 20;
constexpr size_t kMapBytes = 4 << 20;
constexpr size_t kGuardBytes = 256;
constexpr unsigned char kGuardByte = 0xFB;
constexpr unsigned char kPoisonByte = 0xA5;

struct Allocation {
    hipMemoryType type;
    int device;
    unsigned flags;
    size_t n_bytes;
    void *block;  // what was asked of the system; null for registered memory
    size_t n_block_bytes;
    bool mapped;
    uint64_t id;
};

struct AllocationTable {
    std::shared_mutex mutex;
    std::map<uintptr_t, Allocation> by_address;
    uint64_t last_id = 0;

    // With the mutex held: the entry that holds `address`, or end.
    auto find(uintptr_t address) {
        auto next = by_address.upper_bound(address);
        if (next == by_address.begin()) return by_address.end();
        --next;
        const bool inside = address - next->first < std::max<size_t>(next->second.n_bytes, 1);
        return inside ? next : by_address.end();
    }
};

AllocationTable &table() {
    static auto *instance = new AllocationTable;
    return *instance;
}

uintptr_t address_of(const void *pointer) { return reinterpret_cast<uintptr_t>(pointer); }

size_t round_up(size_t n, size_t multiple) { return (n + multiple - 1) / multiple * multiple; }

// Pages aligned to huge ones; none is touched, so none is committed yet.
void *map_pages(size_t n_bytes) {
    const size_t n_reserved = n_bytes + kHugePageBytes;
    void *reserved = mmap(nullptr, n_reserved, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (reserved == MAP_FAILED) return nullptr;
    const uintptr_t begin = address_of(reserved);
    const uintptr_t aligned = round_up(begin, kHugePageBytes);
    if (aligned > begin) munmap(reserved, aligned - begin);
    const uintptr_t end = begin + n_reserved;
    if (end > aligned + n_bytes)
        munmap(reinterpret_cast<void *>(aligned + n_bytes), end - aligned - n_bytes);
    void *pages = reinterpret_cast<void *>(aligned);
    madvise(pages, n_bytes, MADV_HUGEPAGE);
    return pages;
}

bool get_block(Allocation &allocation, size_t n_bytes) {
    allocation.mapped = n_bytes >= kMapBytes;
    const size_t page = static_cast<size_t>(sysconf(_SC_PAGE_SIZE));
    allocation.n_block_bytes = round_up(n_bytes, allocation.mapped ? page : kAllocationAlignment);
    allocation.block = allocation.mapped
                           ? map_pages(allocation.n_block_bytes)
                           : std::aligned_alloc(kAllocationAlignment, allocation.n_block_bytes);
    return allocation.block != nullptr;
}

void return_block(const Allocation &allocation) {
    if (allocation.mapped)
        munmap(allocation.block, allocation.n_block_bytes);
    else
        std::free(allocation.block);
}

// Takes `n_bytes` from the device's limit, or refuses.
bool charge(Device &device, size_t n_bytes) {
    const size_t limit = runtime().settings.memory_limit;
    size_t in_use = device.bytes_in_use.load();
    do {
        if (n_bytes > limit || in_use > limit - n_bytes) return false;
    } while (!device.bytes_in_use.compare_exchange_weak(in_use, in_use + n_bytes));
    return true;
}

bool is_charged(hipMemoryType type) { return type != hipMemoryTypeHost; }

void write_guards(const Allocation &allocation, char *user) {
    char *block = static_cast<char *>(allocation.block);
    char *user_end = user + allocation.n_bytes;
    std::memset(block, kGuardByte, static_cast<size_t>(user - block));
    std::memset(user_end, kGuardByte,
                static_cast<size_t>(block + allocation.n_block_bytes - user_end));
}

// Whether the zones are as they were written; says on stderr what is not.
bool guards_intact(const Allocation &allocation, const char *user) {
    const char *block = static_cast<const char *>(allocation.block);
    const char *block_end = block + allocation.n_block_bytes;
    const char *user_end = user + allocation.n_bytes;
    const auto damaged = [](const char *begin, const char *end) {
        return std::find_if(begin, end,
                            [](char c) { return static_cast<unsigned char>(c) != kGuardByte; });
    };
    const char *before = damaged(block, user);
    const char *after = damaged(user_end, block_end);
    if (before == user && after == block_end) return true;
    const char *byte = after != block_end ? after : before;
    std::fprintf(stderr,
                 "rocarray: memory outside an allocation was written: %zu bytes at %p on device "
                 "%d, byte at offset %td is 0x%02x (found when it was freed)\n",
                 allocation.n_bytes, static_cast<const void *>(user), allocation.device,
                 byte - user, static_cast<unsigned char>(*byte));
    return false;
}

hipError_t allocate(void **result, size_t n_bytes, hipMemoryType type, unsigned flags,
                    Device &device) {
    if (!result) return hipErrorInvalidValue;
    *result = nullptr;
    if (n_bytes == 0) return hipSuccess;
    const Settings &settings = runtime().settings;
    const size_t guard = settings.guard ? kGuardBytes : 0;
    if (n_bytes > SIZE_MAX / 2) return hipErrorOutOfMemory;
    if (is_charged(type) && !charge(device, n_bytes)) return hipErrorOutOfMemory;
    Allocation allocation{type, device.ordinal, flags, n_bytes, nullptr, 0, false, 0};
    if (!get_block(allocation, n_bytes + 2 * guard)) {
        if (is_charged(type)) device.bytes_in_use -= n_bytes;
        return hipErrorOutOfMemory;
    }
    char *user = static_cast<char *>(allocation.block) + guard;
    if (settings.poison) std::memset(user, kPoisonByte, n_bytes);
    if (guard) write_guards(allocation, user);
    AllocationTable &all = table();
    std::unique_lock<std::shared_mutex> lock(all.mutex);
    allocation.id = ++all.last_id;
    all.by_address[address_of(user)] = allocation;
    *result = user;
    return hipSuccess;
}

// Removes the allocation that begins at `pointer` from the table.
bool remove(void *pointer, bool host, Allocation *removed) {
    AllocationTable &all = table();
    std::unique_lock<std::shared_mutex> lock(all.mutex);
    const auto entry = all.by_address.find(address_of(pointer));
    if (entry == all.by_address.end() || !entry->second.block) return false;
    if ((entry->second.type == hipMemoryTypeHost) != host) return false;
    *removed = entry->second;
    all.by_address.erase(entry);
    return true;
}

hipError_t release(const Allocation &allocation, void *pointer) {
    const bool intact =
        !runtime().settings.guard || guards_intact(allocation, static_cast<char *>(pointer));
    return_block(allocation);
    if (is_charged(allocation.type))
        runtime().devices[allocation.device]->bytes_in_use -= allocation.n_bytes;
    return intact ? hipSuccess : hipErrorIllegalAddress;
}

bool starts_allocation(void *pointer, bool host) {
    AllocationTable &all = table();
    std::shared_lock<std::shared_mutex> lock(all.mutex);
    const auto entry = all.by_address.find(address_of(pointer));
    return entry != all.by_address.end() && entry->second.block &&
           (entry->second.type == hipMemoryTypeHost) == host;
}

// Work in flight may still use the memory: like HIP's, these calls wait for it.
hipError_t synchronize_and_free(void *pointer, bool host) {
    if (!pointer) return hipSuccess;
    if (!starts_allocation(pointer, host)) return hipErrorInvalidValue;
    for (Device *device : runtime().devices) synchronize_device(*device);
    Allocation allocation;
    if (!remove(pointer, host, &allocation)) return hipErrorInvalidValue;
    return release(allocation, pointer);
}

hipError_t allocate_checked(void **result, size_t n_bytes, hipMemoryType type, unsigned flags) {
    const hipError_t status = check_no_capture();
    return status ? status : allocate(result, n_bytes, type, flags, current_device());
}

hipError_t register_host(void *pointer, size_t n_bytes, unsigned flags) {
    if (!pointer || n_bytes == 0 || flags > 0xF) return hipErrorInvalidValue;
    AllocationTable &all = table();
    std::unique_lock<std::shared_mutex> lock(all.mutex);
    const uintptr_t begin = address_of(pointer);
    const auto next = all.by_address.lower_bound(begin);
    const bool overlaps_next = next != all.by_address.end() && next->first - begin < n_bytes;
    if (all.find(begin) != all.by_address.end() || overlaps_next)
        return hipErrorHostMemoryAlreadyRegistered;
    all.by_address[begin] = {
        hipMemoryTypeHost, thread_state.device, flags, n_bytes, nullptr, 0, false, ++all.last_id};
    return hipSuccess;
}

hipError_t unregister_host(void *pointer) {
    if (!pointer) return hipErrorInvalidValue;
    AllocationTable &all = table();
    std::unique_lock<std::shared_mutex> lock(all.mutex);
    const auto entry = all.by_address.find(address_of(pointer));
    if (entry == all.by_address.end() || entry->second.block)
        return hipErrorHostMemoryNotRegistered;
    all.by_address.erase(entry);
    return hipSuccess;
}

// A copy of the table's entry and where it begins; false if no allocation holds the pointer.
bool look_up(const void *pointer, Allocation *allocation, uintptr_t *begin) {
    AllocationTable &all = table();
    std::shared_lock<std::shared_mutex> lock(all.mutex);
    const auto entry = all.find(address_of(pointer));
    if (entry == all.by_address.end()) return false;
    *allocation = entry->second;
    *begin = entry->first;
    return true;
}

hipError_t pointer_attribute(void *data, hipPointer_attribute attribute, void *pointer) {
    if (!data || !pointer) return hipErrorInvalidValue;
    Allocation allocation;
    uintptr_t begin;
    if (!look_up(pointer, &allocation, &begin)) return hipErrorInvalidValue;
    const auto set = [data](auto value) {
        std::memcpy(data, &value, sizeof value);
        return hipSuccess;
    };
    switch (attribute) {
        case HIP_POINTER_ATTRIBUTE_MEMORY_TYPE: return set(static_cast<int>(allocation.type));
        case HIP_POINTER_ATTRIBUTE_DEVICE_POINTER:
        case HIP_POINTER_ATTRIBUTE_HOST_POINTER: return set(pointer);
        case HIP_POINTER_ATTRIBUTE_BUFFER_ID: return set(allocation.id);
        case HIP_POINTER_ATTRIBUTE_IS_MANAGED: return set(allocation.type == hipMemoryTypeManaged);
        case HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL: return set(allocation.device);
        case HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR: return set(begin);
        case HIP_POINTER_ATTRIBUTE_RANGE_SIZE: return set(allocation.n_bytes);
        case HIP_POINTER_ATTRIBUTE_MAPPED: return set(true);
    }
    return hipErrorNotSupported;
}

}  // namespace

MemoryRange find_memory(const void *pointer) {
    Allocation allocation;
    uintptr_t begin;
    if (!look_up(pointer, &allocation, &begin)) return {};
    return {allocation.type, allocation.device, begin, allocation.n_bytes};
}

hipError_t free_memory(void *pointer) {
    Allocation allocation;
    if (!remove(pointer, false, &allocation)) return hipErrorInvalidValue;
    return release(allocation, pointer);
}

}  // namespace hipcpu

using namespace hipcpu;

HIP_EXPORT hipError_t hipMalloc(void **pointer, size_t n_bytes) {
    return api_call([&] { return allocate_checked(pointer, n_bytes, hipMemoryTypeDevice, 0); });
}

HIP_EXPORT hipError_t hipExtMallocWithFlags(void **pointer, size_t n_bytes, unsigned flags) {
    return api_call([&] { return allocate_checked(pointer, n_bytes, hipMemoryTypeDevice, flags); });
}

HIP_EXPORT hipError_t hipMallocManaged(void **pointer, size_t n_bytes, unsigned flags) {
    return api_call([&] {
        if (flags != hipMemAttachGlobal && flags != hipMemAttachHost) return hipErrorInvalidValue;
        return allocate_checked(pointer, n_bytes, hipMemoryTypeManaged, flags);
    });
}

HIP_EXPORT hipError_t hipMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height) {
    return api_call([&] {
        if (!pitch || width > SIZE_MAX / 2) return hipErrorInvalidValue;
        *pitch = round_up(width, kAllocationAlignment);
        if (height && *pitch > SIZE_MAX / 2 / height) return hipErrorOutOfMemory;
        return allocate_checked(pointer, *pitch * height, hipMemoryTypeDevice, 0);
    });
}

HIP_EXPORT hipError_t hipHostMalloc(void **pointer, size_t n_bytes, unsigned flags) {
    return api_call([&] { return allocate_checked(pointer, n_bytes, hipMemoryTypeHost, flags); });
}

HIP_EXPORT hipError_t hipHostAlloc(void **pointer, size_t n_bytes, unsigned flags) {
    return hipHostMalloc(pointer, n_bytes, flags);
}

HIP_EXPORT hipError_t hipMallocHost(void **pointer, size_t n_bytes) {
    return hipHostMalloc(pointer, n_bytes, 0);
}

HIP_EXPORT hipError_t hipFree(void *pointer) {
    return api_call([&] { return synchronize_and_free(pointer, false); });
}

HIP_EXPORT hipError_t hipHostFree(void *pointer) {
    return api_call([&] { return synchronize_and_free(pointer, true); });
}

HIP_EXPORT hipError_t hipFreeHost(void *pointer) { return hipHostFree(pointer); }

HIP_EXPORT hipError_t hipMallocAsync(void **pointer, size_t n_bytes, hipStream_t handle) {
    return api_call([&] {
        Stream *stream = find_stream(handle);
        if (!stream) return hipErrorInvalidHandle;
        if (stream->capture.load()) return hipErrorStreamCaptureUnsupported;
        return allocate(pointer, n_bytes, hipMemoryTypeDevice, 0, *stream->device.load());
    });
}

HIP_EXPORT hipError_t hipFreeAsync(void *pointer, hipStream_t handle) {
    return api_call([&] {
        Stream *stream = find_stream(handle);
        if (!stream) return hipErrorInvalidHandle;
        if (stream->capture.load()) return hipErrorStreamCaptureUnsupported;
        if (!pointer) return hipSuccess;
        if (!starts_allocation(pointer, false)) return hipErrorInvalidValue;
        return submit<FreeCommand>(
            *stream, 0, [&](FreeCommand &command, uint64_t) { command.pointer = pointer; });
    });
}

HIP_EXPORT hipError_t hipHostRegister(void *pointer, size_t n_bytes, unsigned flags) {
    return api_call([&] { return register_host(pointer, n_bytes, flags); });
}

HIP_EXPORT hipError_t hipHostUnregister(void *pointer) {
    return api_call([&] { return unregister_host(pointer); });
}

HIP_EXPORT hipError_t hipHostGetDevicePointer(void **device_pointer, void *host_pointer,
                                              unsigned flags) {
    return api_call([&] {
        if (!device_pointer || !host_pointer || flags != 0) return hipErrorInvalidValue;
        if (find_memory(host_pointer).type == hipMemoryTypeUnregistered)
            return hipErrorInvalidValue;
        *device_pointer = host_pointer;
        return hipSuccess;
    });
}

HIP_EXPORT hipError_t hipHostGetFlags(unsigned *flags, void *pointer) {
    return api_call([&] {
        Allocation allocation;
        uintptr_t begin;
        if (!flags || !look_up(pointer, &allocation, &begin) ||
            allocation.type != hipMemoryTypeHost)
            return hipErrorInvalidValue;
        *flags = allocation.flags;
        return hipSuccess;
    });
}

HIP_EXPORT hipError_t hipPointerGetAttributes(hipPointerAttribute_t *attributes,
                                              const void *pointer) {
    return api_call([&] {
        if (!attributes || !pointer) return hipErrorInvalidValue;
        *attributes = {};
        Allocation allocation;
        uintptr_t begin;
        if (!look_up(pointer, &allocation, &begin)) {
            attributes->device = -2;  // hipInvalidDeviceId
            return hipErrorInvalidValue;
        }
        void *address = const_cast<void *>(pointer);
        const bool on_host = allocation.type != hipMemoryTypeDevice;
        *attributes = {allocation.type,
                       allocation.device,
                       address,
                       on_host ? address : nullptr,
                       allocation.type == hipMemoryTypeManaged,
                       allocation.flags};
        return hipSuccess;
    });
}

HIP_EXPORT hipError_t hipPointerGetAttribute(void *data, hipPointer_attribute attribute,
                                             hipDeviceptr_t pointer) {
    return api_call([&] { return pointer_attribute(data, attribute, pointer); });
}

HIP_EXPORT hipError_t hipMemGetAddressRange(hipDeviceptr_t *base, size_t *n_bytes,
                                            hipDeviceptr_t pointer) {
    return api_call([&] {
        const MemoryRange range = find_memory(pointer);
        if (!base || !n_bytes) return hipErrorInvalidValue;
        if (range.type == hipMemoryTypeUnregistered) return hipErrorNotFound;
        *base = reinterpret_cast<void *>(range.begin);
        *n_bytes = range.n_bytes;
        return hipSuccess;
    });
}

HIP_EXPORT hipError_t hipMemPtrGetInfo(void *pointer, size_t *n_bytes) {
    return api_call([&] {
        const MemoryRange range = find_memory(pointer);
        if (!n_bytes || range.type == hipMemoryTypeUnregistered) return hipErrorInvalidValue;
        *n_bytes = range.n_bytes;
        return hipSuccess;
    });
}

HIP_EXPORT hipError_t hipMemGetInfo(size_t *free, size_t *total) {
    return api_call([&] {
        if (!free || !total) return hipErrorInvalidValue;
        *total = runtime().settings.memory_limit;
        *free = *total - current_device().bytes_in_use.load();
        return hipSuccess;
    });
}

HIP_EXPORT hipError_t hipMemPrefetchAsync(const void *pointer, size_t n_bytes, int device,
                                          hipStream_t stream) {
    return api_call([&] {
        if (!pointer || n_bytes == 0) return hipErrorInvalidValue;
        if (device != -1 && !is_device(device)) return hipErrorInvalidDevice;
        return find_stream(stream) ? hipSuccess : hipErrorInvalidHandle;
    });
}

HIP_EXPORT hipError_t hipMemAdvise(const void *pointer, size_t n_bytes, hipMemoryAdvise,
                                   int device) {
    return api_call([&] {
        if (!pointer || n_bytes == 0) return hipErrorInvalidValue;
        return device == -1 || is_device(device) ? hipSuccess : hipErrorInvalidDevice;
    });
}
