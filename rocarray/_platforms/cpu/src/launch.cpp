// Kernel launches: checks, a copy of the arguments in the stream's queue, workgroups on threads.
#include <algorithm>
#include <cstring>

#include "functions.h"
#include "stream_queue.h"
#include "thread_pool.h"

namespace hipcpu {

namespace {

// A kernel that takes less than this in all is not worth waking threads for.
constexpr uint64_t kAloneNs = 15'000;

bool fits_32_bits(uint32_t a, uint32_t b) { return static_cast<uint64_t>(a) * b <= UINT32_MAX; }

hipError_t check_shape(const Extent &grid, const Extent &block, uint32_t lds_bytes,
                       const Function &kernel) {
    if (grid.x == 0 || grid.y == 0 || grid.z == 0 || block.x == 0 || block.y == 0 || block.z == 0)
        return hipErrorInvalidConfiguration;
    if (block.x > kMaxBlockItems || block.y > kMaxBlockItems || block.z > kMaxBlockItems ||
        block.x * block.y > kMaxBlockItems || block.x * block.y * block.z > kMaxBlockItems)
        return hipErrorInvalidConfiguration;
    // The work-items of a dimension are a 32-bit count in HIP.
    if (!fits_32_bits(grid.x, block.x) || !fits_32_bits(grid.y, block.y) ||
        !fits_32_bits(grid.z, block.z))
        return hipErrorInvalidConfiguration;
    if (lds_bytes > kMaxLdsBytes || kernel.static_lds_bytes > kMaxLdsBytes - lds_bytes)
        return hipErrorInvalidValue;
    return hipSuccess;
}

// Reads the list {BUFFER_POINTER, p, BUFFER_SIZE, &n, END}.
hipError_t packed_arguments(void **extra, const char **buffer, size_t *n_bytes) {
    *buffer = nullptr;
    *n_bytes = 0;
    for (;; extra += 2) {
        switch (reinterpret_cast<uintptr_t>(extra[0])) {
            case kLaunchParamEnd: return *buffer ? hipSuccess : hipErrorInvalidValue;
            case kLaunchParamBufferPointer: *buffer = static_cast<const char *>(extra[1]); break;
            case kLaunchParamBufferSize:
                if (!extra[1]) return hipErrorInvalidValue;
                *n_bytes = *static_cast<const size_t *>(extra[1]);
                break;
            default: return hipErrorInvalidValue;
        }
    }
}

// One launch, checked; the argument values are still the caller's.
struct Request {
    Function *function;
    Extent grid, block;
    uint32_t lds_bytes;
    void **pointers = nullptr;     // to the arguments, or
    const char *packed = nullptr;  // all of them, as in a C struct
};

hipError_t find_arguments(Request &request, void **parameters, void **extra) {
    if (parameters && extra) return hipErrorInvalidValue;
    if (request.function->descriptor->n_arguments == 0) return hipSuccess;
    request.pointers = parameters;
    if (parameters) return hipSuccess;
    if (!extra) return hipErrorInvalidValue;
    size_t n_bytes;
    const hipError_t status = packed_arguments(extra, &request.packed, &n_bytes);
    if (status != hipSuccess) return status;
    return n_bytes >= request.function->n_argument_bytes ? hipSuccess : hipErrorInvalidValue;
}

hipError_t check(Request &request, void **parameters, void **extra) {
    if (!request.function) return hipErrorInvalidHandle;
    const hipError_t status =
        check_shape(request.grid, request.block, request.lds_bytes, *request.function);
    return status == hipSuccess ? find_arguments(request, parameters, extra) : status;
}

size_t extra_bytes(const Request &request) {
    return request.function->descriptor->n_arguments * sizeof(void *) + kRecordAlignment +
           request.function->n_argument_bytes;
}

void write(KernelCommand &command, const Request &request) {
    const Extent grid = request.grid;
    command.function = request.function;
    command.launch = {grid, request.block,   command.arguments, request.lds_bytes,
                      0,    runtime().fibers};
    command.n_blocks = static_cast<uint64_t>(grid.x) * grid.y * grid.z;
    const KernelDescriptor &kernel = *request.function->descriptor;
    const uint32_t *offsets = request.function->offsets.data();
    // Behind the pointers, at an address that suits any argument.
    uintptr_t values = reinterpret_cast<uintptr_t>(command.arguments + kernel.n_arguments);
    values = (values + kRecordAlignment - 1) / kRecordAlignment * kRecordAlignment;
    for (uint32_t i = 0; i < kernel.n_arguments; ++i) {
        command.arguments[i] = reinterpret_cast<void *>(values + offsets[i]);
        std::memcpy(command.arguments[i],
                    request.packed ? request.packed + offsets[i] : request.pointers[i],
                    kernel.argument_sizes[i]);
    }
}

hipError_t launch(Request request, hipStream_t handle, void **parameters, void **extra) {
    const hipError_t status = check(request, parameters, extra);
    if (status != hipSuccess) return status;
    Stream *stream = find_stream(handle);
    if (!stream) return hipErrorInvalidHandle;
    if (stream->device.load(std::memory_order_relaxed)->ordinal != request.function->device)
        return hipErrorInvalidHandle;
    if (runtime().settings.null_launches) return hipSuccess;
    return submit<KernelCommand>(
        *stream, extra_bytes(request),
        [&](KernelCommand &command, uint64_t) { write(command, request); });
}

void run_range(void *context, uint64_t begin, uint64_t end) {
    const auto &command = *static_cast<const KernelCommand *>(context);
    command.function->descriptor->run_blocks(&command.launch, begin, end);
}

}  // namespace

void run_kernel(KernelCommand &command) {
    const uint64_t n = command.n_blocks;
    ThreadPool &pool = *runtime().pool;
    if (n == 1 || pool.n_threads() == 1) return run_range(&command, 0, n);
    Function &function = *command.function;
    const uint64_t block_ns = function.block_ns.load(std::memory_order_relaxed);
    const bool wakes = block_ns == 0 || block_ns * n > kAloneNs;
    const uint64_t begin = now_ns();
    pool.run(run_range, &command, n, wakes);
    const uint64_t spent =
        (now_ns() - begin) * (wakes ? static_cast<uint64_t>(pool.n_threads()) : 1);
    const uint64_t each = std::clamp<uint64_t>(spent / n, 1, UINT32_MAX);
    function.block_ns.store(static_cast<uint32_t>(each), std::memory_order_relaxed);
}

}  // namespace hipcpu

using namespace hipcpu;

HIP_EXPORT hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned grid_x,
                                            unsigned grid_y, unsigned grid_z, unsigned block_x,
                                            unsigned block_y, unsigned block_z, unsigned lds_bytes,
                                            hipStream_t stream, void **parameters, void **extra) {
    return api_call([&] {
        return launch({find_function(function),
                       {grid_x, grid_y, grid_z},
                       {block_x, block_y, block_z},
                       lds_bytes},
                      stream, parameters, extra);
    });
}

HIP_EXPORT hipError_t hipLaunchKernel(const void *handle, dim3 grid, dim3 block, void **parameters,
                                      size_t lds_bytes, hipStream_t stream) {
    return api_call([&] {
        Function *function = find_function(handle);
        if (!function) return hipErrorInvalidDeviceFunction;
        if (lds_bytes > kMaxLdsBytes) return hipErrorInvalidValue;
        return launch({function,
                       {grid.x, grid.y, grid.z},
                       {block.x, block.y, block.z},
                       static_cast<uint32_t>(lds_bytes)},
                      stream, parameters, nullptr);
    });
}
