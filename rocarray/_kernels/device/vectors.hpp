// Elementwise rows by many work-items: items travel 16 bytes at a time.
//
// A work-item takes V neighbours, as many as make 16 bytes of the widest operand, from each of U
// places at once, so that several independent loads are in flight. What the last whole vector of
// a row leaves over goes item by item.
#pragma once

#include "types.hpp"

namespace rocarray {

// AMD's GPUs load vectors from any address, NVIDIA's from multiples of the vector's size.
#if defined(__CUDACC__)
constexpr bool ANY_ALIGNMENT = false;
#else
constexpr bool ANY_ALIGNMENT = true;
#endif

template <int N_BYTES>
struct word_of;
#if defined(__CUDACC__)
template <>
struct word_of<16> {
    typedef uint4 type;
};
template <>
struct word_of<8> {
    typedef uint2 type;
};
#else
template <>
struct word_of<16> {
    typedef uint32_t type __attribute__((vector_size(16), aligned(1)));
};
template <>
struct word_of<8> {
    typedef uint32_t type __attribute__((vector_size(8), aligned(1)));
};
#endif
template <>
struct word_of<4> {
    typedef uint32_t type __attribute__((aligned(ANY_ALIGNMENT ? 1 : 4)));
};
template <>
struct word_of<2> {
    typedef uint16_t type __attribute__((aligned(ANY_ALIGNMENT ? 1 : 2)));
};
template <>
struct word_of<1> {
    typedef uint8_t type;
};

// Loads and stores of N_BYTES of global memory.
template <int N_BYTES>
DEVICE
typename word_of<N_BYTES>::type load_word(const char *at) {
    typedef typename word_of<N_BYTES>::type Word;
    return *(const ROCARRAY_GLOBAL Word *)at;
}
template <int N_BYTES>
DEVICE
void store_word(char *at, typename word_of<N_BYTES>::type word) {
    typedef typename word_of<N_BYTES>::type Word;
    *(ROCARRAY_GLOBAL Word *)at = word;
}
#if defined(__CUDACC__)
// Items of 16 bytes may lie at multiples of 8.
template <class T>
DEVICE
T load_item(const char *at) { return *reinterpret_cast<const T *>(at); }
template <class T>
DEVICE
void store_item(char *at, const T &item) { *reinterpret_cast<T *>(at) = item; }
#else
template <class T>
DEVICE
T load_item(const char *at) {
    T item;
    const typename word_of<sizeof(T)>::type word = load_word<sizeof(T)>(at);
    __builtin_memcpy(&item, &word, sizeof(T));
    return item;
}
template <class T>
DEVICE
void store_item(char *at, const T &item) {
    typename word_of<sizeof(T)>::type word;
    __builtin_memcpy(&word, &item, sizeof(T));
    store_word<sizeof(T)>(at, word);
}
#endif

// Whether items `step` bytes apart can be loaded `n` at a time.
template <class T>
DEVICE
bool whole_vectors(uint64_t address, int64_t step, int n) {
    return step == static_cast<int64_t>(sizeof(T)) &&
           (ANY_ALIGNMENT || address % (n * sizeof(T)) == 0);
}

// An input: a row of items, or one value where `step` is 0.
template <class T>
struct Input {
    const char *data;
    int64_t step;
    T value;

    // `data` is nullptr where the value came with the launch, in `words`.
    DEVICE
    Input(const char *data_, int64_t step_, uint64_t low, uint64_t high)
        : data(data_), step(step_), value() {
        if (step == 0) {
            if (data != nullptr) {
                value = load_item<T>(data);
            } else {
                const uint64_t words[2] = {low, high};
                __builtin_memcpy(&value, words, sizeof(T));
            }
        }
    }

    DEVICE
    bool by_vectors(int n) const {
        return step == 0 || whole_vectors<T>(reinterpret_cast<uint64_t>(data), step, n);
    }
    DEVICE
    T at(int64_t i) const { return step == 0 ? value : load_item<T>(data + i * step); }
};

template <class T>
struct Output {
    char *data;
    int64_t step;

    DEVICE
    bool by_vectors(int n) const {
        return whole_vectors<T>(reinterpret_cast<uint64_t>(data), step, n);
    }
    DEVICE
    void put(int64_t i, const T &item) const { store_item(data + i * step, item); }
};

// V neighbouring items at U places of one operand, in registers.
template <class T, int V, int U>
struct Vectors {
    static constexpr int N = V * U;
    T items[N];

    DEVICE
    void load(const Input<T> &in, int64_t first, uint32_t offset, uint32_t distance) {
        if (in.step == 0) {
#pragma unroll
            for (int i = 0; i < N; ++i) items[i] = in.value;
            return;
        }
        typedef typename word_of<V * sizeof(T)>::type Word;
        const char *base = in.data + first * static_cast<int64_t>(sizeof(T));
#pragma unroll
        for (int u = 0; u < U; ++u) {
            const uint32_t at = (offset + u * distance) * static_cast<uint32_t>(sizeof(T));
            const Word word = load_word<V * sizeof(T)>(base + at);
            __builtin_memcpy(items + u * V, &word, V * sizeof(T));
        }
    }
    DEVICE
    void store(const Output<T> &out, int64_t first, uint32_t offset, uint32_t distance) const {
        typedef typename word_of<V * sizeof(T)>::type Word;
        char *base = out.data + first * static_cast<int64_t>(sizeof(T));
#pragma unroll
        for (int u = 0; u < U; ++u) {
            const uint32_t at = (offset + u * distance) * static_cast<uint32_t>(sizeof(T));
            Word word;
            __builtin_memcpy(&word, items + u * V, V * sizeof(T));
            store_word<V * sizeof(T)>(base + at, word);
        }
    }

    // Registers cannot be indexed by a variable: loops that stay loops move all items one down.
    DEVICE
    T pop() {
        const T first = items[0];
#pragma unroll
        for (int i = 0; i + 1 < N; ++i) items[i] = items[i + 1];
        return first;
    }
    DEVICE
    void push(T last) {
#pragma unroll
        for (int i = 0; i + 1 < N; ++i) items[i] = items[i + 1];
        items[N - 1] = last;
    }
};

template <class...>
struct make_void {
    typedef void type;
};
template <class F, class = void>
struct heavy_functor {
    static constexpr bool value = false;
};
template <class F>
struct heavy_functor<F, typename make_void<decltype(F::HEAVY)>::type> {
    static constexpr bool value = F::HEAVY;
};
// Functors of hundreds of instructions (they say HEAVY): the code has them once, in a loop.
template <class F>
constexpr bool is_heavy = heavy_functor<F>::value;

// How many items of the widest type make 16 bytes.
template <class... T>
__host__ __device__ constexpr int vector_length() {
    int most = 0;
    const int sizes[] = {static_cast<int>(sizeof(T))...};
    for (const int size : sizes) most = size > most ? size : most;
    return most < 16 ? 16 / most : 1;
}

#define ROCARRAY_EACH_ITEM(loop_body, body)                                \
    if constexpr (is_heavy<F>) {                                           \
        _Pragma("unroll 1") for (int i = 0; i < V * U; ++i) { loop_body; } \
    } else {                                                               \
        _Pragma("unroll") for (int i = 0; i < V * U; ++i) { body; }        \
    }

// One elementwise function over a row: `vectors` does V items at U places, `item` one item.
template <class F, class A, class R>
struct VectorRow1to1 {
    static constexpr int V = vector_length<A, R>();
    Input<A> a;
    Output<R> r;

    template <class Operands>
    DEVICE
    explicit VectorRow1to1(const Operands &from)
        : a(from.template input<A>(0)), r(from.template output<R>(1)) {}
    template <int U>
    DEVICE
    void vectors(int64_t first, uint32_t offset, uint32_t distance) const {
        Vectors<A, V, U> x;
        Vectors<R, V, U> to_r;
        x.load(a, first, offset, distance);
        ROCARRAY_EACH_ITEM(to_r.push(F()(x.pop())), to_r.items[i] = F()(x.items[i]))
        to_r.store(r, first, offset, distance);
    }
    DEVICE
    void item(int64_t i) const { r.put(i, F()(a.at(i))); }

    DEVICE
    bool by_vectors() const { return a.by_vectors(V) && r.by_vectors(V); }
};

template <class F, class A, class B, class R>
struct VectorRow2to1 {
    static constexpr int V = vector_length<A, B, R>();
    Input<A> a;
    Input<B> b;
    Output<R> r;

    template <class Operands>
    DEVICE
    explicit VectorRow2to1(const Operands &from)
        : a(from.template input<A>(0)),
          b(from.template input<B>(1)),
          r(from.template output<R>(2)) {}
    template <int U>
    DEVICE
    void vectors(int64_t first, uint32_t offset, uint32_t distance) const {
        Vectors<A, V, U> x;
        Vectors<B, V, U> y;
        Vectors<R, V, U> to_r;
        x.load(a, first, offset, distance);
        y.load(b, first, offset, distance);
        ROCARRAY_EACH_ITEM(to_r.push(F()(x.pop(), y.pop())),
                           to_r.items[i] = F()(x.items[i], y.items[i]))
        to_r.store(r, first, offset, distance);
    }
    DEVICE
    void item(int64_t i) const { r.put(i, F()(a.at(i), b.at(i))); }

    DEVICE
    bool by_vectors() const { return a.by_vectors(V) && b.by_vectors(V) && r.by_vectors(V); }
};

template <class F, class A, class B, class C, class R>
struct VectorRow3to1 {
    static constexpr int V = vector_length<A, B, C, R>();
    Input<A> a;
    Input<B> b;
    Input<C> c;
    Output<R> r;

    template <class Operands>
    DEVICE
    explicit VectorRow3to1(const Operands &from)
        : a(from.template input<A>(0)),
          b(from.template input<B>(1)),
          c(from.template input<C>(2)),
          r(from.template output<R>(3)) {}
    template <int U>
    DEVICE
    void vectors(int64_t first, uint32_t offset, uint32_t distance) const {
        Vectors<A, V, U> x;
        Vectors<B, V, U> y;
        Vectors<C, V, U> z;
        Vectors<R, V, U> to_r;
        x.load(a, first, offset, distance);
        y.load(b, first, offset, distance);
        z.load(c, first, offset, distance);
        ROCARRAY_EACH_ITEM(to_r.push(F()(x.pop(), y.pop(), z.pop())),
                           to_r.items[i] = F()(x.items[i], y.items[i], z.items[i]))
        to_r.store(r, first, offset, distance);
    }
    DEVICE
    void item(int64_t i) const { r.put(i, F()(a.at(i), b.at(i), c.at(i))); }

    DEVICE
    bool by_vectors() const {
        return a.by_vectors(V) && b.by_vectors(V) && c.by_vectors(V) && r.by_vectors(V);
    }
};

template <class F, class A, class R, class S>
struct VectorRow1to2 {
    static constexpr int V = vector_length<A, R, S>();
    Input<A> a;
    Output<R> r;
    Output<S> s;

    template <class Operands>
    DEVICE
    explicit VectorRow1to2(const Operands &from)
        : a(from.template input<A>(0)),
          r(from.template output<R>(1)),
          s(from.template output<S>(2)) {}
    template <int U>
    DEVICE
    void vectors(int64_t first, uint32_t offset, uint32_t distance) const {
        Vectors<A, V, U> x;
        Vectors<R, V, U> to_r;
        Vectors<S, V, U> to_s;
        x.load(a, first, offset, distance);
        ROCARRAY_EACH_ITEM(R one; S two; F()(x.pop(), one, two); to_r.push(one);
                           to_s.push(two), F()(x.items[i], to_r.items[i], to_s.items[i]))
        to_r.store(r, first, offset, distance);
        to_s.store(s, first, offset, distance);
    }
    DEVICE
    void item(int64_t i) const {
        R one;
        S two;
        F()(a.at(i), one, two);
        r.put(i, one);
        s.put(i, two);
    }

    DEVICE
    bool by_vectors() const { return a.by_vectors(V) && r.by_vectors(V) && s.by_vectors(V); }
};

template <class F, class A, class B, class R, class S>
struct VectorRow2to2 {
    static constexpr int V = vector_length<A, B, R, S>();
    Input<A> a;
    Input<B> b;
    Output<R> r;
    Output<S> s;

    template <class Operands>
    DEVICE
    explicit VectorRow2to2(const Operands &from)
        : a(from.template input<A>(0)),
          b(from.template input<B>(1)),
          r(from.template output<R>(2)),
          s(from.template output<S>(3)) {}
    template <int U>
    DEVICE
    void vectors(int64_t first, uint32_t offset, uint32_t distance) const {
        Vectors<A, V, U> x;
        Vectors<B, V, U> y;
        Vectors<R, V, U> to_r;
        Vectors<S, V, U> to_s;
        x.load(a, first, offset, distance);
        y.load(b, first, offset, distance);
        ROCARRAY_EACH_ITEM(R one; S two; F()(x.pop(), y.pop(), one, two); to_r.push(one);
                           to_s.push(two),
                           F()(x.items[i], y.items[i], to_r.items[i], to_s.items[i]))
        to_r.store(r, first, offset, distance);
        to_s.store(s, first, offset, distance);
    }
    DEVICE
    void item(int64_t i) const {
        R one;
        S two;
        F()(a.at(i), b.at(i), one, two);
        r.put(i, one);
        s.put(i, two);
    }

    DEVICE
    bool by_vectors() const {
        return a.by_vectors(V) && b.by_vectors(V) && r.by_vectors(V) && s.by_vectors(V);
    }
};

// Items [0, n) of a row by `width` work-items, of which this is the x-th.
template <int UNROLL, class VectorRow>
DEVICE
void run_vectors(const VectorRow &row, int64_t n, uint32_t x, uint32_t width) {
    constexpr int V = VectorRow::V;
    if (!row.by_vectors()) {
        for (int64_t i = x; i < n; i += width) row.item(i);
        return;
    }
    const uint32_t distance = width * V, offset = x * V;
    int64_t first = 0;
    if constexpr (UNROLL > 1) {
        for (; first + UNROLL * distance <= n; first += UNROLL * distance) {
            row.template vectors<UNROLL>(first, offset, distance);
        }
    }
    for (; first + offset + V <= n; first += distance) {
        row.template vectors<1>(first, offset, distance);
    }
    if constexpr (V > 1) {
        for (int64_t i = n / V * V + x; i < n; i += width) row.item(i);
    }
}

}  // namespace rocarray
