// Comparison, logic and classification: functors that answer bool.
#pragma once

#include "math.hpp"

namespace rocarray {

#define ROCARRAY_COMPARISON(NAME, op)                                \
    struct NAME {                                                    \
        template <class T>                                           \
        DEVICE                                                       \
        bool operator()(T a, T b) const { return a op b; }           \
        DEVICE                                                       \
        bool operator()(int64_t a, uint64_t b) const {               \
            return a < 0 ? -1 op 0 : static_cast<uint64_t>(a) op b;  \
        }                                                            \
        DEVICE                                                       \
        bool operator()(uint64_t a, int64_t b) const {               \
            return b < 0 ? 0 op - 1 : a op static_cast<uint64_t>(b); \
        }                                                            \
    };
ROCARRAY_COMPARISON(Less, <)
ROCARRAY_COMPARISON(LessEqual, <=)
ROCARRAY_COMPARISON(Greater, >)
ROCARRAY_COMPARISON(GreaterEqual, >=)
ROCARRAY_COMPARISON(Equal, ==)
ROCARRAY_COMPARISON(NotEqual, !=)
#undef ROCARRAY_COMPARISON

template <class T>
DEVICE
bool truth(T x) {
    if constexpr (is_complex<T>::value) {
        return (x.re != 0) | (x.im != 0);
    } else {
        return compute<T>(x) != compute<T>(0);
    }
}

struct LogicalAnd {
    template <class T>
    DEVICE
    bool operator()(T a, T b) const { return truth(a) & truth(b); }
};
struct LogicalOr {
    template <class T>
    DEVICE
    bool operator()(T a, T b) const { return truth(a) | truth(b); }
};
struct LogicalXor {
    template <class T>
    DEVICE
    bool operator()(T a, T b) const { return truth(a) != truth(b); }
};
struct LogicalNot {
    template <class T>
    DEVICE
    bool operator()(T a) const { return !truth(a); }
};

struct IsNan {
    template <class T>
    DEVICE
    bool operator()(T a) const { return is_nan(a); }
};
struct IsInf {
    template <class T>
    DEVICE
    bool operator()(T a) const {
        if constexpr (is_integer<T>::value) {
            return false;
        } else if constexpr (is_complex<T>::value) {
            return m::is_inf(a.re) | m::is_inf(a.im);
        } else {
            return m::is_inf(compute<T>(a));
        }
    }
};
struct IsFinite {
    template <class T>
    DEVICE
    bool operator()(T a) const {
        if constexpr (is_integer<T>::value) {
            return true;
        } else if constexpr (is_complex<T>::value) {
            return m::is_finite(a.re) & m::is_finite(a.im);
        } else {
            return m::is_finite(compute<T>(a));
        }
    }
};
struct Signbit {
    template <class T>
    DEVICE
    bool operator()(T a) const { return m::signbit(compute<T>(a)); }
};

// where(condition, x, y): also how masked assignment writes (y is the target itself).
// Items of up to 8 bytes are chosen bit by bit, which has no branch that could be mispredicted.
struct Where {
    template <class T>
    DEVICE
    T operator()(bool condition, T x, T y) const {
        if constexpr (sizeof(T) == 8) {
            return choose<T, uint64_t>(condition, x, y);
        } else if constexpr (sizeof(T) == 4) {
            return choose<T, uint32_t>(condition, x, y);
        } else if constexpr (sizeof(T) == 2) {
            return choose<T, uint16_t>(condition, x, y);
        } else {
            return condition ? x : y;
        }
    }

 private:
    template <class T, class U>
    static DEVICE
    T choose(bool condition, T x, T y) {
        const U mask = static_cast<U>(U(0) - static_cast<U>(condition));
        const U a = bit_cast<U>(x), b = bit_cast<U>(y);
        return bit_cast<T>(static_cast<U>(b ^ ((a ^ b) & mask)));
    }
};

}  // namespace rocarray
