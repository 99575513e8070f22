// HIP's language keywords as macros.
//
// hipRTC's usual pass sees preprocessed text, finds the markers `__hipcpu_...__` in it and rewrites
// them (extern __shared__ needs more than a macro). Programs that export their kernels themselves
// are compiled in one pass, with plain macros.
#pragma once

#define HIPCPU 1
#define __HIP__ 1
#define __HIPCC__ 1
#define __HIPCC_RTC__ 1
#define __HIP_DEVICE_COMPILE__ 1
#define HIP_VERSION_MAJOR 6
#define HIP_VERSION_MINOR 4
#define HIP_VERSION_PATCH 0
#define HIP_VERSION 60400000

// A kernel is inlined into its descriptor's loop and leaves no copy of its own.
#define HIPCPU_KERNEL inline __attribute__((always_inline))

#ifdef HIPCPU_MARKERS
#define __global__ __hipcpu_global__
#define __shared__ __hipcpu_shared__
#define __device__ __hipcpu_device__
#define __noinline__ __hipcpu_noinline__
#else
#define __global__ HIPCPU_KERNEL
#define __shared__ static thread_local
#define __device__
// No __noinline__: standard headers write __attribute__((__noinline__)).
#endif

#define __host__
#define __constant__ __attribute__((visibility("default")))
#define __managed__ __attribute__((visibility("default")))
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(n_bytes) __attribute__((aligned(n_bytes)))
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __maxnreg__(...)

#define HIP_DYNAMIC_SHARED(type, name) \
    type *const name = static_cast<type *>(hipcpu::dynamic_lds());
#define HIP_DYNAMIC_SHARED_ATTRIBUTE
#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define HIP_SYMBOL(x) x
