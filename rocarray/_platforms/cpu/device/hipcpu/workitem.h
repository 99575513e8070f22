// Where a work-item is (threadIdx and its kin), and barriers.
#pragma once

#include "base.h"

struct dim3 {
    uint32_t x, y, z;
    constexpr dim3(uint32_t x_ = 1, uint32_t y_ = 1, uint32_t z_ = 1) : x(x_), y(y_), z(z_) {}
};

namespace hipcpu {

struct Coordinates {
    uint32_t x, y, z;
    constexpr operator dim3() const { return dim3(x, y, z); }
};

static thread_local const FiberRuntime *fibers;
static thread_local uint32_t dynamic_lds_bytes;

inline void *dynamic_lds() { return fibers->dynamic_lds(dynamic_lds_bytes); }

}  // namespace hipcpu

static thread_local hipcpu::Coordinates blockIdx;
static thread_local hipcpu::Coordinates gridDim;

#if defined(ROCARRAY_BLOCK_SIZE) && ROCARRAY_BLOCK_SIZE == 1
#define HIPCPU_SINGLE_ITEM 1
static constexpr hipcpu::Coordinates threadIdx{0, 0, 0};
static constexpr hipcpu::Coordinates blockDim{1, 1, 1};
#else
#define HIPCPU_SINGLE_ITEM 0
static thread_local hipcpu::Coordinates threadIdx;
static thread_local hipcpu::Coordinates blockDim;
#endif

// A wavefront of the cpu platform is one work-item.
static constexpr int warpSize = 1;

#define hipThreadIdx_x (threadIdx.x)
#define hipThreadIdx_y (threadIdx.y)
#define hipThreadIdx_z (threadIdx.z)
#define hipBlockIdx_x (blockIdx.x)
#define hipBlockIdx_y (blockIdx.y)
#define hipBlockIdx_z (blockIdx.z)
#define hipBlockDim_x (blockDim.x)
#define hipBlockDim_y (blockDim.y)
#define hipBlockDim_z (blockDim.z)
#define hipGridDim_x (gridDim.x)
#define hipGridDim_y (gridDim.y)
#define hipGridDim_z (gridDim.z)

namespace hipcpu {

inline uint32_t n_items() { return blockDim.x * blockDim.y * blockDim.z; }

#if HIPCPU_SINGLE_ITEM
inline void barrier() {}
inline uint64_t sum_over_block(uint64_t value) { return value; }
#else
// The other work-items of the workgroup run on this host thread in between, and move threadIdx.
inline void barrier() {
    if (n_items() == 1) return;
    const Coordinates item = threadIdx;
    fibers->barrier();
    threadIdx = item;
}

inline uint64_t sum_over_block(uint64_t value) {
    const uint32_t n = n_items();
    if (n == 1) return value;
    const Coordinates item = threadIdx;
    const uint64_t *row = fibers->exchange(value);
    threadIdx = item;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < n; ++i) sum += row[i];
    return sum;
}
#endif

}  // namespace hipcpu

inline void __syncthreads() { hipcpu::barrier(); }
inline int __syncthreads_count(int predicate) {
    return static_cast<int>(hipcpu::sum_over_block(predicate != 0));
}
inline int __syncthreads_and(int predicate) { return hipcpu::sum_over_block(predicate == 0) == 0; }
inline int __syncthreads_or(int predicate) { return hipcpu::sum_over_block(predicate != 0) != 0; }

inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_block() { __atomic_signal_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

inline void __builtin_amdgcn_s_barrier() { hipcpu::barrier(); }
inline unsigned __builtin_amdgcn_workitem_id_x() { return threadIdx.x; }
inline unsigned __builtin_amdgcn_workitem_id_y() { return threadIdx.y; }
inline unsigned __builtin_amdgcn_workitem_id_z() { return threadIdx.z; }
inline unsigned __builtin_amdgcn_workgroup_id_x() { return blockIdx.x; }
inline unsigned __builtin_amdgcn_workgroup_id_y() { return blockIdx.y; }
inline unsigned __builtin_amdgcn_workgroup_id_z() { return blockIdx.z; }

inline long long wall_clock64() {
#if defined(__x86_64__)
    return static_cast<long long>(__builtin_ia32_rdtsc());
#elif defined(__aarch64__)
    long long count;
    asm volatile("mrs %0, cntvct_el0" : "=r"(count));
    return count;
#else
    return 0;
#endif
}
inline long long clock64() { return wall_clock64(); }
inline long long __clock64() { return wall_clock64(); }
