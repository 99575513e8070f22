// Included before every program's source: HIP's names that CUDA lacks or spells otherwise.
#pragma once

#include "hipnv/base.h"
#include "hipnv/builtins.h"
#include "hipnv/wave.h"
#include "hipnv/atomics.h"
