// What a kernel needs and how many of its workgroups fit on a compute unit (a core).
#include <algorithm>

#include "functions.h"

namespace hipcpu {

namespace {

constexpr int kUsualBlockItems = 256;

int blocks_per_unit(const Function &function, int block_items, size_t dynamic_lds_bytes) {
    if (block_items > static_cast<int>(kMaxBlockItems)) return 0;
    const size_t lds_bytes = function.static_lds_bytes + dynamic_lds_bytes;
    if (lds_bytes > kMaxLdsBytes) return 0;
    int n = std::min(kMaxBlocksPerUnit, kMaxItemsPerUnit / block_items);
    if (lds_bytes > 0) n = std::min(n, static_cast<int>(kMaxLdsBytes / lds_bytes));
    return std::max(n, 1);
}

hipError_t occupancy(int *n_blocks, const void *handle, int block_items, size_t lds_bytes) {
    return api_call([&] {
        const Function *function = find_function(handle);
        if (!function) return hipErrorInvalidDeviceFunction;
        if (!n_blocks || block_items <= 0) return hipErrorInvalidValue;
        *n_blocks = blocks_per_unit(*function, block_items, lds_bytes);
        return hipSuccess;
    });
}

hipError_t best_block(int *n_blocks, int *block_items, const void *handle, size_t lds_bytes,
                      int limit) {
    return api_call([&] {
        const Function *function = find_function(handle);
        if (!function) return hipErrorInvalidDeviceFunction;
        if (!n_blocks || !block_items || limit < 0) return hipErrorInvalidValue;
        *block_items = limit > 0 ? std::min(limit, kUsualBlockItems) : kUsualBlockItems;
        *n_blocks =
            blocks_per_unit(*function, *block_items, lds_bytes) * runtime().settings.n_threads;
        return hipSuccess;
    });
}

int dynamic_lds_limit(const Function &function) {
    return static_cast<int>(kMaxLdsBytes - function.static_lds_bytes);
}

}  // namespace

}  // namespace hipcpu

using namespace hipcpu;

HIP_EXPORT hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int *n_blocks,
                                                                         hipFunction_t function,
                                                                         int block_items,
                                                                         size_t lds_bytes) {
    return occupancy(n_blocks, function, block_items, lds_bytes);
}

HIP_EXPORT hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *n_blocks, hipFunction_t function, int block_items, size_t lds_bytes, unsigned) {
    return occupancy(n_blocks, function, block_items, lds_bytes);
}

HIP_EXPORT hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int *n_blocks,
                                                                   const void *function,
                                                                   int block_items,
                                                                   size_t lds_bytes) {
    return occupancy(n_blocks, function, block_items, lds_bytes);
}

HIP_EXPORT hipError_t hipModuleOccupancyMaxPotentialBlockSize(int *n_blocks, int *block_items,
                                                              hipFunction_t function,
                                                              size_t lds_bytes, int limit) {
    return best_block(n_blocks, block_items, function, lds_bytes, limit);
}

HIP_EXPORT hipError_t hipModuleOccupancyMaxPotentialBlockSizeWithFlags(int *n_blocks,
                                                                       int *block_items,
                                                                       hipFunction_t function,
                                                                       size_t lds_bytes, int limit,
                                                                       unsigned) {
    return best_block(n_blocks, block_items, function, lds_bytes, limit);
}

HIP_EXPORT hipError_t hipOccupancyMaxPotentialBlockSize(int *n_blocks, int *block_items,
                                                        const void *function, size_t lds_bytes,
                                                        int limit) {
    return best_block(n_blocks, block_items, function, lds_bytes, limit);
}

HIP_EXPORT hipError_t hipFuncGetAttribute(int *value, hipFunction_attribute attribute,
                                          hipFunction_t handle) {
    return api_call([&] {
        if (!value || attribute < 0 || attribute >= HIP_FUNC_ATTRIBUTE_MAX)
            return hipErrorInvalidValue;
        const Function *function = find_function(handle);
        if (!function) return hipErrorInvalidDeviceFunction;
        switch (attribute) {
            case HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = kMaxBlockItems; break;
            case HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
                *value = static_cast<int>(function->static_lds_bytes);
                break;
            case HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
                *value = dynamic_lds_limit(*function);
                break;
            default: *value = 0;
        }
        return hipSuccess;
    });
}

HIP_EXPORT hipError_t hipFuncGetAttributes(hipFuncAttributes *attributes, const void *handle) {
    return api_call([&] {
        if (!attributes) return hipErrorInvalidValue;
        const Function *function = find_function(handle);
        if (!function) return hipErrorInvalidDeviceFunction;
        *attributes = {};
        attributes->maxThreadsPerBlock = kMaxBlockItems;
        attributes->sharedSizeBytes = function->static_lds_bytes;
        attributes->maxDynamicSharedSizeBytes = dynamic_lds_limit(*function);
        return hipSuccess;
    });
}

HIP_EXPORT hipError_t hipFuncSetAttribute(const void *handle, hipFuncAttribute attribute,
                                          int value) {
    return api_call([&] {
        const Function *function = find_function(handle);
        if (!function) return hipErrorInvalidDeviceFunction;
        if (attribute == hipFuncAttributeMaxDynamicSharedMemorySize &&
            (value < 0 || value > dynamic_lds_limit(*function)))
            return hipErrorInvalidValue;
        return hipSuccess;
    });
}

HIP_EXPORT hipError_t hipFuncSetCacheConfig(const void *, hipFuncCache_t) {
    return api_call([] { return hipSuccess; });
}
