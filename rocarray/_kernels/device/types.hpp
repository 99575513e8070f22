// The element types together, and what they are made of.
#pragma once

#include "bfloat16.hpp"
#include "complex.hpp"
#include "half.hpp"

namespace rocarray {

// The type that arithmetic is done in: float for the 16-bit floats, else the type itself.
template <class T>
struct compute_type {
    typedef T type;
};
template <>
struct compute_type<half> {
    typedef float type;
};
template <>
struct compute_type<bfloat16> {
    typedef float type;
};
template <class T>
using compute = typename compute_type<T>::type;

template <class T>
constexpr bool is_small_float = is_same<T, half>::value || is_same<T, bfloat16>::value;
template <class T>
constexpr bool is_float =
    is_small_float<T> || is_same<T, float>::value || is_same<T, double>::value;

template <class T>
DEVICE
bool is_nan(T x) {
    if constexpr (is_complex<T>::value) {
        return (x.re != x.re) | (x.im != x.im);
    } else if constexpr (is_integer<T>::value) {
        return false;
    } else {
        return compute<T>(x) != compute<T>(x);
    }
}

}  // namespace rocarray
