// Bit operations and shifts. A shift by the width or more gives 0, or the sign for signed >>.
#pragma once

#include "functors/comparison.hpp"

namespace rocarray {

#define ROCARRAY_BITWISE(NAME, op)                                      \
    struct NAME {                                                       \
        template <class T>                                              \
        DEVICE                                                          \
        T operator()(T a, T b) const { return static_cast<T>(a op b); } \
    };
ROCARRAY_BITWISE(BitwiseAnd, &)
ROCARRAY_BITWISE(BitwiseOr, |)
ROCARRAY_BITWISE(BitwiseXor, ^)
#undef ROCARRAY_BITWISE

struct Invert {
    template <class T>
    DEVICE
    T operator()(T a) const { return static_cast<T>(~a); }
};

// The unsigned type that shifts of T are done in: no narrower than int.
template <class T>
struct shift_type {
    typedef uint32_t type;
};
template <>
struct shift_type<int64_t> {
    typedef uint64_t type;
};
template <>
struct shift_type<uint64_t> {
    typedef uint64_t type;
};

struct LeftShift {
    template <class T>
    DEVICE
    T operator()(T a, T b) const {
        typedef typename make_unsigned<T>::type U;
        typedef typename shift_type<T>::type W;
        constexpr U width = sizeof(T) * 8;
        const U n = static_cast<U>(b);
        const W shifted = static_cast<W>(static_cast<U>(a)) << (n & (width - 1));
        return n < width ? static_cast<T>(shifted) : T(0);
    }
};

struct RightShift {
    template <class T>
    DEVICE
    T operator()(T a, T b) const {
        typedef typename make_unsigned<T>::type U;
        const U n = static_cast<U>(b);
        if (n < sizeof(T) * 8) {
            return static_cast<T>(a >> n);
        }
        return a < 0 ? static_cast<T>(-1) : T(0);
    }
};

struct BitwiseCount {
    template <class T>
    DEVICE
    uint8_t operator()(T a) const {
        typedef typename make_unsigned<T>::type U;
        constexpr U all = static_cast<U>(~U(0));
        constexpr U pairs = all / 3, nibbles = all / 5, bytes = all / 17;
        U x =
            is_signed<T>() && a < 0 ? static_cast<U>(U(0) - static_cast<U>(a)) : static_cast<U>(a);
        // Counts of 2, 4 and 8 neighbouring bits, then the sum of the bytes.
        x = static_cast<U>(x - ((x >> 1) & pairs));
        x = static_cast<U>((x & nibbles) + ((x >> 2) & nibbles));
        x = static_cast<U>((x + (x >> 4)) & bytes);
        if constexpr (sizeof(U) >= 2) {
            x = static_cast<U>(x + (x >> 8));
        }
        if constexpr (sizeof(U) >= 4) {
            x = static_cast<U>(x + (x >> 16));
        }
        if constexpr (sizeof(U) >= 8) {
            x = static_cast<U>(x + (x >> 32));
        }
        return static_cast<uint8_t>(x & 0x7f);
    }
};

}  // namespace rocarray
