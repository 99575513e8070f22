// What device code needs of the compiler and the machine, under one set of names.
//
// Kernels are written for any workgroup size. On a CPU the size is the constant 1
// (ROCARRAY_BLOCK_SIZE), so the loops over work-items become plain loops that vectorise.
#pragma once

#if defined(HIPCPU)
#define ROCARRAY_EXPORTED_KERNELS
#define KERNEL extern "C" __global__ void
#define KERNEL_EXPORT(name) HIPCPU_EXPORT(name)
#define ROCARRAY_IVDEP _Pragma("GCC ivdep")
#else
// Workgroups have at most 256 work-items (architectures.py): compilers would spill for 1024.
#define KERNEL extern "C" __global__ void __launch_bounds__(256)
#define KERNEL_EXPORT(name)
#define ROCARRAY_IVDEP
#endif

#define DEVICE __device__ inline __attribute__((always_inline))
#define LDS __shared__

// For pointers to global memory: AMD's compiler cannot always tell that an address is not in LDS or
// scratch memory, and would then take slower instructions.
#if defined(__CUDACC__) || defined(HIPCPU)
#define ROCARRAY_GLOBAL
#else
#define ROCARRAY_GLOBAL __attribute__((address_space(1)))
#endif

#if !defined(HIPCPU)
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef signed short int16_t;
typedef unsigned short uint16_t;
#if defined(__CUDACC__)
typedef signed int int32_t;
typedef unsigned int uint32_t;
typedef signed long int64_t;
typedef unsigned long uint64_t;
#endif
#endif

namespace rocarray {

typedef int64_t index_t;

#if defined(ROCARRAY_BLOCK_SIZE) && ROCARRAY_BLOCK_SIZE == 1
constexpr bool ALONE = true;  // one work-item a workgroup: loops are vectorised instead
#else
constexpr bool ALONE = false;
#endif

DEVICE
index_t thread_index() { return threadIdx.x; }
DEVICE
index_t block_size() { return blockDim.x; }
DEVICE
index_t block_index() { return blockIdx.x; }
DEVICE
index_t grid_size() { return gridDim.x; }
DEVICE
void sync_block() { __syncthreads(); }

// a / b of counts, b > 0. GPUs have no division of 64 bits: the long sequence for it is left out
// where 32 bits will do.
DEVICE
index_t quotient(index_t a, index_t b) {
    if (((a | b) >> 32) == 0) {
        return static_cast<uint32_t>(a) / static_cast<uint32_t>(b);
    }
    return a / b;
}

// The same where both are known to fit.
DEVICE
index_t quotient32(index_t a, index_t b) {
    return static_cast<uint32_t>(a) / static_cast<uint32_t>(b);
}

DEVICE
index_t min_index(index_t a, index_t b) { return a < b ? a : b; }

template <class A, class B>
struct is_same {
    static constexpr bool value = false;
};
template <class A>
struct is_same<A, A> {
    static constexpr bool value = true;
};

// Integer types: signedness and width without <type_traits>.
template <class T>
struct is_integer {
    static constexpr bool value = false;
};
#define ROCARRAY_INTEGER(T)                 \
    template <>                             \
    struct is_integer<T> {                  \
        static constexpr bool value = true; \
    };
ROCARRAY_INTEGER(bool)
ROCARRAY_INTEGER(int8_t)
ROCARRAY_INTEGER(uint8_t)
ROCARRAY_INTEGER(int16_t)
ROCARRAY_INTEGER(uint16_t)
ROCARRAY_INTEGER(int32_t)
ROCARRAY_INTEGER(uint32_t)
ROCARRAY_INTEGER(int64_t)
ROCARRAY_INTEGER(uint64_t)

template <class T>
__host__ __device__ constexpr bool is_signed() {
    return static_cast<T>(-1) < static_cast<T>(0);
}

template <class T>
struct make_unsigned {
    typedef T type;
};
template <>
struct make_unsigned<int8_t> {
    typedef uint8_t type;
};
template <>
struct make_unsigned<int16_t> {
    typedef uint16_t type;
};
template <>
struct make_unsigned<int32_t> {
    typedef uint32_t type;
};
template <>
struct make_unsigned<int64_t> {
    typedef uint64_t type;
};

template <class To, class From>
DEVICE
To bit_cast(const From &from) {
    static_assert(sizeof(To) == sizeof(From), "bit_cast needs equal sizes");
    To to;
    __builtin_memcpy(&to, &from, sizeof(To));
    return to;
}

// The float32 next to x towards zero, with its last bit set where x is not a float32: rounding that
// to 16 bits is the same as rounding x itself. Without branches, so that loops vectorise.
DEVICE
float round_to_odd(double x) {
    const float nearest = static_cast<float>(x);
    const uint32_t u = bit_cast<uint32_t>(nearest);
    const double back = static_cast<double>(nearest);
    const bool inexact = (back < x) | (back > x);
    const bool away = ((x > 0) & (back > x)) | ((x < 0) & (back < x));
    const uint32_t odd = (u - (away ? 1u : 0u)) | 1u;
    return bit_cast<float>(inexact ? odd : u);
}

template <class T>
__host__ __device__ constexpr T integer_max() {
    typedef typename make_unsigned<T>::type U;
    return is_signed<T>() ? static_cast<T>(static_cast<U>(~static_cast<U>(0)) >> 1)
                          : static_cast<T>(~static_cast<T>(0));
}
template <>
__host__ __device__ constexpr bool integer_max<bool>() {
    return true;
}
template <class T>
__host__ __device__ constexpr T integer_min() {
    return is_signed<T>() ? static_cast<T>(-integer_max<T>() - 1) : static_cast<T>(0);
}
template <>
__host__ __device__ constexpr bool integer_min<bool>() {
    return false;
}

}  // namespace rocarray
