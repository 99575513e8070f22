// The loop around a kernel, and the descriptor that the runtime finds it by.
#pragma once

#include "workitem.h"

namespace hipcpu {

template <unsigned... I>
struct Indices {};
template <unsigned N, unsigned... I>
struct MakeIndices : MakeIndices<N - 1, N - 1, I...> {};
template <unsigned... I>
struct MakeIndices<0, I...> {
    using type = Indices<I...>;
};

template <unsigned I, class T>
struct Argument {
    T value;
};

// A copy of a launch's arguments on the stack: the compiler then knows that the kernel's stores
// do not change them.
template <class I, class... T>
struct Arguments;
template <unsigned... I, class... T>
struct Arguments<Indices<I...>, T...> : Argument<I, T>... {
    explicit Arguments(void *const *pointers)
        : Argument<I, T>{*static_cast<const T *>(pointers[I])}... {
        static_cast<void>(pointers);
    }
    template <class F>
    __attribute__((always_inline)) void call(F kernel) {
        kernel(static_cast<Argument<I, T> *>(this)->value...);
    }
};
template <>
struct Arguments<Indices<>> {
    explicit Arguments(void *const *) {}
    template <class F>
    __attribute__((always_inline)) void call(F kernel) {
        kernel();
    }
};

inline __attribute__((always_inline)) void enter(const Launch *launch) {
    fibers = launch->fibers;
    dynamic_lds_bytes = launch->dynamic_lds_bytes;
    gridDim = {launch->grid.x, launch->grid.y, launch->grid.z};
#if !HIPCPU_SINGLE_ITEM
    blockDim = {launch->block.x, launch->block.y, launch->block.z};
#endif
}

inline Coordinates block_at(uint64_t number, Extent grid) {
    if (grid.y == 1 && grid.z == 1) return {static_cast<uint32_t>(number), 0, 0};
    return {static_cast<uint32_t>(number % grid.x), static_cast<uint32_t>(number / grid.x % grid.y),
            static_cast<uint32_t>(number / grid.x / grid.y)};
}

template <auto K, bool Fibers, class Type>
struct Body;

template <auto K, bool Fibers, class... A>
struct Body<K, Fibers, void (*)(A...)> {
    using Pack = Arguments<typename MakeIndices<sizeof...(A)>::type, A...>;
    // The extra element keeps the arrays of a kernel with no argument legal.
    static constexpr uint32_t sizes[] = {static_cast<uint32_t>(sizeof(A))..., 0};
    static constexpr uint32_t alignments[] = {static_cast<uint32_t>(alignof(A))..., 0};

    // K stays a constant inside the lambda, so that the call is inlined.
    static __attribute__((always_inline)) void call(Pack &pack) {
        pack.call([](A... a) __attribute__((always_inline)) { K(static_cast<A &&>(a)...); });
    }

#if HIPCPU_SINGLE_ITEM
    static void run_blocks(const Launch *launch, uint64_t first_block, uint64_t end_block) {
        enter(launch);
        Pack pack(launch->arguments);
        for (uint64_t block = first_block; block < end_block; ++block) {
            blockIdx = block_at(block, launch->grid);
            call(pack);
        }
    }
#else
    static void run_item(void *context, uint32_t item) {
        const Coordinates extent = blockDim;
        threadIdx = {item % extent.x, item / extent.x % extent.y, item / extent.x / extent.y};
        call(*static_cast<Pack *>(context));
    }

    static void run_fibers(const Launch *launch, uint64_t first_block, uint64_t end_block) {
        Pack pack(launch->arguments);
        const uint32_t n = n_items();
        for (uint64_t block = first_block; block < end_block; ++block) {
            blockIdx = block_at(block, launch->grid);
            if (n == 1)
                run_item(&pack, 0);
            else
                launch->fibers->run_workgroup(n, run_item, &pack);
        }
    }

    static void run_plain(const Launch *launch, uint64_t first_block, uint64_t end_block) {
        Pack pack(launch->arguments);
        const Extent extent = launch->block;
        for (uint64_t block = first_block; block < end_block; ++block) {
            blockIdx = block_at(block, launch->grid);
            for (uint32_t z = 0; z < extent.z; ++z)
                for (uint32_t y = 0; y < extent.y; ++y)
                    for (uint32_t x = 0; x < extent.x; ++x) {
                        threadIdx = {x, y, z};
                        call(pack);
                    }
        }
    }

    static void run_blocks(const Launch *launch, uint64_t first_block, uint64_t end_block) {
        enter(launch);
        if constexpr (Fibers)
            run_fibers(launch, first_block, end_block);
        else
            run_plain(launch, first_block, end_block);
    }
#endif

    static constexpr KernelDescriptor descriptor() {
        return {kKernelAbiVersion, Fibers ? kUsesFibers : 0u, sizeof...(A), 0, sizes, alignments,
                &run_blocks};
    }
};

template <auto K, bool Fibers, class... A>
struct Body<K, Fibers, void (*)(A...) noexcept> : Body<K, Fibers, void (*)(A...)> {};

}  // namespace hipcpu

#define HIPCPU_EXPORT_AS(symbol, fibers, ...)                                     \
    extern "C" {                                                                  \
    extern const hipcpu::KernelDescriptor hipcpu_kernel_##symbol                  \
        __attribute__((visibility("default"), used));                             \
    const hipcpu::KernelDescriptor hipcpu_kernel_##symbol =                       \
        hipcpu::Body<&__VA_ARGS__, fibers, decltype(&__VA_ARGS__)>::descriptor(); \
    }
// For programs that list their kernels themselves (they may hold barriers). Where hipRTC looks for
// the kernels, it has found this one already.
#ifdef HIPCPU_MARKERS
#define HIPCPU_EXPORT(name)
#else
#define HIPCPU_EXPORT(name) HIPCPU_EXPORT_AS(name, !HIPCPU_SINGLE_ITEM, name)
#endif
