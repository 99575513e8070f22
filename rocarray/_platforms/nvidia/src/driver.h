// NVIDIA's driver: found at first use, called through a table. Where the driver or a function of it
// is missing, the slot holds a function that says so with an error code.
#pragma once

#include "cuda_abi.h"

namespace cuda {

struct Driver {
#define SLOT(symbol, arguments) Result(*symbol) arguments;
    CUDA_FUNCTIONS(SLOT)
#undef SLOT
    bool found;  // libcuda.so.1 was opened
};

const Driver &driver();

// Folders that may hold NVRTC, as text with colons; the caller's come first.
void set_search_folders(const char *folders);

}  // namespace cuda
