// Included before every program's source: all that hipRTC gives a kernel without an #include.
#pragma once
#pragma GCC system_header

#include "hipcpu/qualifiers.h"
#include "hipcpu/base.h"
#include "hipcpu/workitem.h"
#include "hipcpu/wave.h"
#include "hipcpu/atomics.h"
#include "hipcpu/vector_types.h"
#include "hipcpu/integers.h"
#include "hipcpu/conversions.h"
#include "hipcpu/maths.h"
#include "hipcpu/special_functions.h"
#include "hipcpu/kernel.h"
