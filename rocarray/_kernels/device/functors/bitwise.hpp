// Bit operations and shifts. A shift by the width or more gives 0, or the sign for signed >>.
#pragma once

#include "types.hpp"

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
    DEVICE
    bool operator()(bool a) const { return !a; }
    template <class T>
    DEVICE
    T operator()(T a) const { return static_cast<T>(~a); }
};

struct LeftShift {
    template <class T>
    DEVICE
    T operator()(T a, T b) const {
        typedef typename make_unsigned<T>::type U;
        const U n = static_cast<U>(b);
        return n < sizeof(T) * 8 ? static_cast<T>(static_cast<uint64_t>(static_cast<U>(a)) << n)
                                 : T(0);
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
        U x =
            is_signed<T>() && a < 0 ? static_cast<U>(U(0) - static_cast<U>(a)) : static_cast<U>(a);
        uint8_t n = 0;
        while (x != 0) {
            x = static_cast<U>(x & (x - 1));
            ++n;
        }
        return n;
    }
};

}  // namespace rocarray
