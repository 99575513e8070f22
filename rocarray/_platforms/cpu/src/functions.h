// Kernels of loaded modules.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "runtime.h"

struct ihipModuleSymbol_t {
    std::atomic<bool> alive{false};
    int device = 0;
    const hipcpu::KernelDescriptor *descriptor = nullptr;
    std::vector<uint32_t> offsets;  // of the arguments, behind each other as in a C struct
    uint32_t n_argument_bytes = 0;
    uint32_t static_lds_bytes = 0;
    std::atomic<uint32_t> block_ns{0};  // what a workgroup took last time; 0: never ran
    std::string name;
};

namespace hipcpu {

using Function = ::ihipModuleSymbol_t;

// The kernel that a handle means, or null.
Function *find_function(const void *handle);

}  // namespace hipcpu
