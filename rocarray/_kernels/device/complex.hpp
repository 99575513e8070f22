// Complex numbers with NumPy's arithmetic: products by the schoolbook formula, quotients by Smith's
// algorithm (R. L. Smith, Algorithm 116, Comm. ACM 5, 1962), lexicographic order.
#pragma once

#include "platform.hpp"

namespace rocarray {

template <class T>
struct complex {
    typedef T value_type;
    T re, im;

    complex() = default;
    DEVICE
    complex(T re_, T im_) : re(re_), im(im_) {}
    DEVICE
    complex(T re_) : re(re_), im(0) {}
    DEVICE
    T real() const { return re; }
    DEVICE
    T imag() const { return im; }
};

template <class T>
DEVICE
complex<T> operator-(complex<T> a) { return {-a.re, -a.im}; }
template <class T>
DEVICE
complex<T> operator+(complex<T> a, complex<T> b) { return {a.re + b.re, a.im + b.im}; }
template <class T>
DEVICE
complex<T> operator-(complex<T> a, complex<T> b) { return {a.re - b.re, a.im - b.im}; }
template <class T>
DEVICE
complex<T> operator*(complex<T> a, complex<T> b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <class T>
DEVICE
complex<T> operator/(complex<T> a, complex<T> b) {
    const T abs_re = b.re < 0 ? -b.re : b.re, abs_im = b.im < 0 ? -b.im : b.im;
    if (abs_re >= abs_im) {
        if (abs_re == 0 && abs_im == 0) {
            return {a.re / abs_re, a.im / abs_re};
        }
        const T ratio = b.im / b.re;
        const T scale = T(1) / (b.re + b.im * ratio);
        return {(a.re + a.im * ratio) * scale, (a.im - a.re * ratio) * scale};
    }
    const T ratio = b.re / b.im;
    const T scale = T(1) / (b.im + b.re * ratio);
    return {(a.re * ratio + a.im) * scale, (a.im * ratio - a.re) * scale};
}
template <class T>
DEVICE
bool operator==(complex<T> a, complex<T> b) { return (a.re == b.re) & (a.im == b.im); }
template <class T>
DEVICE
bool operator!=(complex<T> a, complex<T> b) { return !(a == b); }
// NumPy's order: NaN real parts make every comparison false, imaginary parts break ties. Written
// without branches, which unsorted data would make the processor guess wrong.
template <class T>
DEVICE
bool operator<(complex<T> a, complex<T> b) {
    return ((a.re < b.re) & (a.im == a.im) & (b.im == b.im)) | ((a.re == b.re) & (a.im < b.im));
}
template <class T>
DEVICE
bool operator<=(complex<T> a, complex<T> b) {
    return ((a.re < b.re) & (a.im == a.im) & (b.im == b.im)) | ((a.re == b.re) & (a.im <= b.im));
}
template <class T>
DEVICE
bool operator>(complex<T> a, complex<T> b) { return b < a; }
template <class T>
DEVICE
bool operator>=(complex<T> a, complex<T> b) { return b <= a; }
template <class T>
DEVICE
complex<T> &operator+=(complex<T> &a, complex<T> b) { return a = a + b; }
template <class T>
DEVICE
complex<T> &operator-=(complex<T> &a, complex<T> b) { return a = a - b; }
template <class T>
DEVICE
complex<T> &operator*=(complex<T> &a, complex<T> b) { return a = a * b; }

template <class T>
struct is_complex {
    static constexpr bool value = false;
};
template <class T>
struct is_complex<complex<T>> {
    static constexpr bool value = true;
};

}  // namespace rocarray
