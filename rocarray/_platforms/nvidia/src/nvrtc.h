// NVRTC: found at first use among pip's packages, the toolkits and what the loader knows.
#pragma once

#include <string>

#include "nvrtc_abi.h"

namespace cuda {

struct Nvrtc {
#define SLOT(symbol, arguments) NvrtcResult(*symbol) arguments = nullptr;
    NVRTC_FUNCTIONS(SLOT)
#undef SLOT
    std::string problem;  // why it cannot be used, and what to do; empty where it can
};

const Nvrtc &nvrtc();

}  // namespace cuda
