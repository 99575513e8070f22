// Work-items of one workgroup as fibers: see fibers.cpp.
#pragma once

#include "kernel_abi.h"

namespace hipcpu {

// The functions that `Launch::fibers` points to; valid for the life of the process.
const FiberRuntime *fiber_runtime();

}  // namespace hipcpu
