// float4 and its kin: HIP_vector_type<T, N> with HIP's layout, constructors and operators.
#pragma once

#include "base.h"

template <class T, unsigned N>
struct HIP_vector_type;

namespace hipcpu {

constexpr unsigned vector_alignment(unsigned n_bytes) {
    unsigned result = 1;
    while (result < n_bytes) result *= 2;
    return result;
}

}  // namespace hipcpu

// Trivial default constructors, so that the types can lie in LDS and in unions.
template <class T>
struct alignas(sizeof(T)) HIP_vector_type<T, 1> {
    T x;
    HIP_vector_type() = default;
    constexpr HIP_vector_type(T x_) : x(x_) {}
};
template <class T>
struct alignas(hipcpu::vector_alignment(2 * sizeof(T))) HIP_vector_type<T, 2> {
    T x, y;
    HIP_vector_type() = default;
    constexpr HIP_vector_type(T value) : x(value), y(value) {}
    constexpr HIP_vector_type(T x_, T y_) : x(x_), y(y_) {}
};
template <class T>
struct HIP_vector_type<T, 3> {
    T x, y, z;
    HIP_vector_type() = default;
    constexpr HIP_vector_type(T value) : x(value), y(value), z(value) {}
    constexpr HIP_vector_type(T x_, T y_, T z_) : x(x_), y(y_), z(z_) {}
};
template <class T>
struct alignas(hipcpu::vector_alignment(4 * sizeof(T))) HIP_vector_type<T, 4> {
    T x, y, z, w;
    HIP_vector_type() = default;
    constexpr HIP_vector_type(T value) : x(value), y(value), z(value), w(value) {}
    constexpr HIP_vector_type(T x_, T y_, T z_, T w_) : x(x_), y(y_), z(z_), w(w_) {}
};

namespace hipcpu {

// Applies a function to each component.
template <class T, class F>
constexpr HIP_vector_type<T, 1> each(F f, HIP_vector_type<T, 1> a, HIP_vector_type<T, 1> b) {
    return {f(a.x, b.x)};
}
template <class T, class F>
constexpr HIP_vector_type<T, 2> each(F f, HIP_vector_type<T, 2> a, HIP_vector_type<T, 2> b) {
    return {f(a.x, b.x), f(a.y, b.y)};
}
template <class T, class F>
constexpr HIP_vector_type<T, 3> each(F f, HIP_vector_type<T, 3> a, HIP_vector_type<T, 3> b) {
    return {f(a.x, b.x), f(a.y, b.y), f(a.z, b.z)};
}
template <class T, class F>
constexpr HIP_vector_type<T, 4> each(F f, HIP_vector_type<T, 4> a, HIP_vector_type<T, 4> b) {
    return {f(a.x, b.x), f(a.y, b.y), f(a.z, b.z), f(a.w, b.w)};
}

}  // namespace hipcpu

#define HIPCPU_VECTOR_OPERATOR(op)                                                             \
    template <class T, unsigned N>                                                             \
    constexpr HIP_vector_type<T, N> operator op(HIP_vector_type<T, N> a,                       \
                                                HIP_vector_type<T, N> b) {                     \
        return hipcpu::each([](T p, T q) { return static_cast<T>(p op q); }, a, b);            \
    }                                                                                          \
    template <class T, unsigned N, class S>                                                    \
    constexpr typename hipcpu::EnableIf<hipcpu::is_arithmetic<S>, HIP_vector_type<T, N>>::type \
    operator op(HIP_vector_type<T, N> a, S b) {                                                \
        return a op HIP_vector_type<T, N>(static_cast<T>(b));                                  \
    }                                                                                          \
    template <class T, unsigned N, class S>                                                    \
    constexpr typename hipcpu::EnableIf<hipcpu::is_arithmetic<S>, HIP_vector_type<T, N>>::type \
    operator op(S a, HIP_vector_type<T, N> b) {                                                \
        return HIP_vector_type<T, N>(static_cast<T>(a)) op b;                                  \
    }                                                                                          \
    template <class T, unsigned N, class B>                                                    \
    constexpr HIP_vector_type<T, N> &operator op## = (HIP_vector_type<T, N> & a, B b) {        \
        return a = a op b;                                                                     \
    }
HIPCPU_VECTOR_OPERATOR(+)
HIPCPU_VECTOR_OPERATOR(-)
HIPCPU_VECTOR_OPERATOR(*)
HIPCPU_VECTOR_OPERATOR(/)
HIPCPU_VECTOR_OPERATOR(%)
HIPCPU_VECTOR_OPERATOR(&)
HIPCPU_VECTOR_OPERATOR(|)
HIPCPU_VECTOR_OPERATOR(^)
HIPCPU_VECTOR_OPERATOR(<<)
HIPCPU_VECTOR_OPERATOR(>>)
#undef HIPCPU_VECTOR_OPERATOR

template <class T, unsigned N>
constexpr HIP_vector_type<T, N> operator-(HIP_vector_type<T, N> a) {
    return HIP_vector_type<T, N>(T(0)) - a;
}
template <class T, unsigned N>
constexpr HIP_vector_type<T, N> operator~(HIP_vector_type<T, N> a) {
    return hipcpu::each([](T p, T) { return static_cast<T>(~p); }, a, a);
}
template <class T, unsigned N>
constexpr bool operator==(HIP_vector_type<T, N> a, HIP_vector_type<T, N> b) {
    bool equal = true;
    hipcpu::each(
        [&equal](T p, T q) {
            equal = equal && p == q;
            return p;
        },
        a, b);
    return equal;
}
template <class T, unsigned N>
constexpr bool operator!=(HIP_vector_type<T, N> a, HIP_vector_type<T, N> b) {
    return !(a == b);
}

#define HIPCPU_VECTOR(name, type)                                                  \
    using name##1 = HIP_vector_type<type, 1>;                                      \
    using name##2 = HIP_vector_type<type, 2>;                                      \
    using name##3 = HIP_vector_type<type, 3>;                                      \
    using name##4 = HIP_vector_type<type, 4>;                                      \
    constexpr name##1 make_##name##1(type x) { return {x}; }                       \
    constexpr name##2 make_##name##2(type x, type y) { return {x, y}; }            \
    constexpr name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; } \
    constexpr name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
HIPCPU_VECTOR(char, signed char)
HIPCPU_VECTOR(uchar, unsigned char)
HIPCPU_VECTOR(short, short)
HIPCPU_VECTOR(ushort, unsigned short)
HIPCPU_VECTOR(int, int)
HIPCPU_VECTOR(uint, unsigned int)
HIPCPU_VECTOR(long, long)
HIPCPU_VECTOR(ulong, unsigned long)
HIPCPU_VECTOR(longlong, long long)
HIPCPU_VECTOR(ulonglong, unsigned long long)
HIPCPU_VECTOR(float, float)
HIPCPU_VECTOR(double, double)
#undef HIPCPU_VECTOR
