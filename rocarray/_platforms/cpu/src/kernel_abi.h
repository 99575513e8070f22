// The contract between hipRTC's output on the cpu platform and the HIP runtime that loads it.
//
// A code object is an ELF shared library. For each kernel K it exports one data symbol,
// `hipcpu_kernel_K`, of type KernelDescriptor. The runtime calls `run_blocks` with a range of
// linear workgroup numbers, from as many host threads as it likes.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace hipcpu {

constexpr uint32_t kKernelAbiVersion = 1;

struct Extent {
    uint32_t x, y, z;
};

struct Launch;

// Runs the work-items of one workgroup as fibers, so that a barrier can suspend each of them.
// `run_item(context)` is called once a work-item; inside it, `barrier` suspends until all the
// workgroup's live work-items have reached it. The fiber runtime lives in the platform library.
struct FiberRuntime {
    void (*run_workgroup)(uint32_t n_items, void (*run_item)(void *context, uint32_t item),
                          void *context);
    void (*barrier)();
    // Rendezvous used by wave intrinsics: like `barrier`, but returns a scratch row of
    // `n_items` 64-bit slots that all work-items of the workgroup share until the next one.
    uint64_t *(*exchange)(uint64_t value);
    // Dynamic LDS of the calling host thread, at least `n_bytes` long and 256-byte aligned. Its
    // address never changes while the thread lives.
    void *(*dynamic_lds)(uint32_t n_bytes);
};

struct Launch {
    Extent grid;       // workgroups
    Extent block;      // work-items of a workgroup
    void **arguments;  // one pointer per kernel argument
    uint32_t dynamic_lds_bytes;
    uint32_t reserved;
    const FiberRuntime *fibers;
};

enum KernelFlags : uint32_t {
    kUsesFibers = 1u,  // has barriers, LDS shared between work-items, or wave intrinsics
};

struct KernelDescriptor {
    uint32_t abi_version;
    uint32_t flags;
    uint32_t n_arguments;
    uint32_t static_lds_bytes;
    const uint32_t *argument_sizes;
    const uint32_t *argument_alignments;
    void (*run_blocks)(const Launch *launch, uint64_t first_block, uint64_t end_block);
};

}  // namespace hipcpu
