// __hip_bfloat16 under its later name.
#pragma once

#include "hip/hip_bfloat16.h"

typedef hip_bfloat16 __hip_bfloat16;

inline __hip_bfloat16 __float2bfloat16(float x) { return x; }
inline float __bfloat162float(__hip_bfloat16 x) { return x.value(); }
inline __hip_bfloat16 __ushort_as_bfloat16(unsigned short x) { return hip_bfloat16::from_bits(x); }
inline unsigned short __bfloat16_as_ushort(__hip_bfloat16 x) { return x.data; }
