// The groups that exist on the cpu platform: a workgroup, and one work-item.
#pragma once

#include "prelude.h"

namespace cooperative_groups {

class thread_block {
 public:
    void sync() const { hipcpu::barrier(); }
    unsigned size() const { return hipcpu::n_items(); }
    unsigned num_threads() const { return size(); }
    unsigned thread_rank() const {
        return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    }
    dim3 group_index() const { return blockIdx; }
    dim3 thread_index() const { return threadIdx; }
    dim3 group_dim() const { return blockDim; }
};

// Wavefronts have one work-item, and so do their tiles.
class coalesced_group {
 public:
    void sync() const {}
    unsigned size() const { return 1; }
    unsigned num_threads() const { return 1; }
    unsigned thread_rank() const { return 0; }
    template <class T>
    T shfl(T value, int) const {
        return value;
    }
    template <class T>
    T shfl_down(T value, unsigned) const {
        return value;
    }
    template <class T>
    T shfl_up(T value, unsigned) const {
        return value;
    }
    template <class T>
    T shfl_xor(T value, unsigned) const {
        return value;
    }
};

inline thread_block this_thread_block() { return {}; }
inline coalesced_group coalesced_threads() { return {}; }
template <class Group>
inline void sync(Group group) {
    group.sync();
}

}  // namespace cooperative_groups
