// Operations of reductions and scans.
//
// An operation turns an item into an accumulator (`map`), combines two of them (associative and
// commutative), and turns the last one into the result (`finish`). INDEXED: it looks at positions.
// REORDERS: the order of combinations shows in the result's rounding, so the compiler may not
// change it and explicit lanes are needed.
#pragma once

#include "casts.hpp"
#include "types.hpp"

namespace rocarray {

// ---- types ----

template <class T>
DEVICE
T infinity() { return static_cast<T>(__builtin_inff()); }

// The least value of a type: what `max` of nothing would be.
template <class T>
DEVICE
T lowest() {
    if constexpr (is_complex<T>::value) {
        const auto value = -infinity<typename T::value_type>();
        return T(value, value);
    } else if constexpr (is_float<T>) {
        return cast<T>(-__builtin_inff());
    } else if constexpr (T(-1) < T(0)) {
        return static_cast<T>(T(1) << (sizeof(T) * 8 - 1));
    } else {
        return T(0);
    }
}

template <class T>
DEVICE
T highest() {
    if constexpr (is_complex<T>::value) {
        const auto value = infinity<typename T::value_type>();
        return T(value, value);
    } else if constexpr (is_float<T>) {
        return cast<T>(__builtin_inff());
    } else {
        return static_cast<T>(~lowest<T>());
    }
}

// NumPy's order: complex numbers by real part, then imaginary part.
template <class T>
DEVICE
bool greater_value(T a, T b) {
    if constexpr (is_complex<T>::value) {
        return a.re > b.re || (a.re == b.re && a.im > b.im);
    } else {
        return a > b;
    }
}

// ---- the common part ----

template <class AccType, class OutType, bool Reorders>
struct Reduction {
    using Acc = AccType;
    using Out = OutType;
    struct Context {};
    static constexpr bool INDEXED = false;
    static constexpr bool REORDERS = Reorders;
    static constexpr bool OWN_RUN = false;  // has its own loop over a contiguous run
    static constexpr bool COMBINES = false;

    DEVICE
    static Context context(const char *, index_t) { return {}; }
    DEVICE
    static Out finish(Acc value, double, int64_t) { return cast<Out>(value); }
    DEVICE
    static bool decided(Acc) { return false; }
    // Outputs side by side that one work-item of a workgroup takes.
    template <class In>
    DEVICE
    static constexpr int columns() {
        return sizeof(In) >= 16 ? 1 : sizeof(In) >= 2 ? 16 / sizeof(In) : 8;
    }
};

// The second pass: what is read are accumulators.
template <class Op>
struct Combined : Op {
    static constexpr bool COMBINES = true;
    DEVICE
    static typename Op::Acc map(typename Op::Acc x, index_t, typename Op::Context) { return x; }
    template <class In>
    DEVICE
    static constexpr int columns() { return 1; }
};

template <class T>
constexpr bool reorders = is_float<T> || is_complex<T>::value;

// What `finish_mode` says.
enum : int64_t { FINISH_PLAIN = 0, FINISH_DIVIDE = 1, FINISH_DIVIDE_SQRT = 2 };

// ---- sums and products ----

// Integers wrap: signed overflow would be undefined.
template <class T>
DEVICE
T wrapping_add(T a, T b) {
    if constexpr (is_integer<T>::value) {
        typedef typename make_unsigned<T>::type U;
        return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
    } else {
        return a + b;
    }
}

template <class T>
DEVICE
T wrapping_multiply(T a, T b) {
    if constexpr (is_integer<T>::value) {
        return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
    } else {
        return a * b;
    }
}

template <class T>
DEVICE
T zero_sum() {
    // -0 + x is x for every x, so that a sum of -0 stays -0, as NumPy's.
    if constexpr (is_complex<T>::value) {
        return T(-0.0f, -0.0f);
    } else {
        return static_cast<T>(-0.0f);
    }
}

template <class In, class Out_>
struct Sum : Reduction<compute<Out_>, Out_, reorders<Out_>> {
    using Base = Reduction<compute<Out_>, Out_, reorders<Out_>>;
    using typename Base::Acc;
    using typename Base::Context;
    DEVICE
    static Acc identity() { return zero_sum<Acc>(); }
    DEVICE
    static Acc map(In x, index_t, Context) { return cast<Acc>(x); }
    DEVICE
    static Acc combine(Acc a, Acc b) { return wrapping_add(a, b); }
    DEVICE
    static Out_ finish(Acc value, double divisor, int64_t mode) {
        if (mode != FINISH_PLAIN) {
            if constexpr (is_complex<Acc>::value) {
                using Real = typename Acc::value_type;
                value = Acc(static_cast<Real>(value.re / divisor),
                            static_cast<Real>(value.im / divisor));
            } else {
                value = static_cast<Acc>(static_cast<double>(value) / divisor);
            }
        }
        return cast<Out_>(value);
    }
};

template <class In, class Out_>
struct Prod : Reduction<compute<Out_>, Out_, reorders<Out_>> {
    using Base = Reduction<compute<Out_>, Out_, reorders<Out_>>;
    using typename Base::Acc;
    using typename Base::Context;
    DEVICE
    static Acc identity() { return cast<Acc>(1.0f); }
    DEVICE
    static Acc map(In x, index_t, Context) { return cast<Acc>(x); }
    DEVICE
    static Acc combine(Acc a, Acc b) { return wrapping_multiply(a, b); }
};

template <class In, class Out_>
struct NanSum : Sum<In, Out_> {
    using typename Sum<In, Out_>::Acc;
    using typename Sum<In, Out_>::Context;
    DEVICE
    static Acc identity() { return cast<Acc>(0.0f); }
    DEVICE
    static Acc map(In x, index_t, Context) { return is_nan(x) ? cast<Acc>(0.0f) : cast<Acc>(x); }
};

template <class In, class Out_>
struct NanProd : Prod<In, Out_> {
    using typename Prod<In, Out_>::Acc;
    using typename Prod<In, Out_>::Context;
    DEVICE
    static Acc map(In x, index_t, Context) { return is_nan(x) ? cast<Acc>(1.0f) : cast<Acc>(x); }
};

// Sum of |x - mean|^2, with one mean an output; divided (var) and rooted (std) at the end.
template <class In, class Out_>
struct SquaredDeviation : Reduction<compute<Out_>, Out_, true> {
    using Base = Reduction<compute<Out_>, Out_, true>;
    using typename Base::Acc;
    template <class T>
    struct MeanOf {
        using type = Acc;
    };
    template <class T>
    struct MeanOf<complex<T>> {
        using type = complex<T>;
    };
    using Mean = typename MeanOf<In>::type;
    using Context = Mean;
    DEVICE
    static Context context(const char *means, index_t output) {
        return reinterpret_cast<const Mean *>(means)[output];
    }
    DEVICE
    static Acc identity() { return Acc(0); }
    DEVICE
    static Acc map(In x, index_t, Context mean) {
        if constexpr (is_complex<In>::value) {
            const Acc re = x.re - mean.re, im = x.im - mean.im;
            return re * re + im * im;
        } else {
            const Acc deviation = cast<Acc>(x) - mean;
            return deviation * deviation;
        }
    }
    DEVICE
    static Acc combine(Acc a, Acc b) { return a + b; }
    DEVICE
    static Out_ finish(Acc value, double divisor, int64_t mode) {
        if (mode != FINISH_PLAIN) value = static_cast<Acc>(value / divisor);
        if (mode == FINISH_DIVIDE_SQRT) {
            if constexpr (sizeof(Acc) == 4) {
                value = sqrtf(value);
            } else {
                value = sqrt(value);
            }
        }
        return cast<Out_>(value);
    }
};

// ---- order ----

// NaN wins over everything, as in numpy.maximum.
template <class In, class Out_>
struct Max : Reduction<compute<In>, Out_, reorders<In>> {
    using Base = Reduction<compute<In>, Out_, reorders<In>>;
    using typename Base::Acc;
    using typename Base::Context;
    DEVICE
    static Acc identity() { return lowest<Acc>(); }
    DEVICE
    static Acc map(In x, index_t, Context) { return cast<Acc>(x); }
    DEVICE
    static Acc combine(Acc a, Acc b) {
        if constexpr (is_complex<Acc>::value) {
            return ((greater_value(a, b) & !is_nan(b)) | is_nan(a)) ? a : b;
        } else if constexpr (is_float<Acc>) {
            // Two plain selections: the first is one instruction.
            const Acc larger = a > b ? a : b;
            return a != a ? a : larger;
        } else {
            return a > b ? a : b;
        }
    }
};

template <class In, class Out_>
struct Min : Reduction<compute<In>, Out_, reorders<In>> {
    using Base = Reduction<compute<In>, Out_, reorders<In>>;
    using typename Base::Acc;
    using typename Base::Context;
    DEVICE
    static Acc identity() { return highest<Acc>(); }
    DEVICE
    static Acc map(In x, index_t, Context) { return cast<Acc>(x); }
    DEVICE
    static Acc combine(Acc a, Acc b) {
        if constexpr (is_complex<Acc>::value) {
            return ((greater_value(b, a) & !is_nan(b)) | is_nan(a)) ? a : b;
        } else if constexpr (is_float<Acc>) {
            const Acc smaller = a < b ? a : b;
            return a != a ? a : smaller;
        } else {
            return a < b ? a : b;
        }
    }
};

// NaN only where there is nothing else; its identity is NaN.
template <class In, class Out_>
struct Fmax : Max<In, Out_> {
    using typename Max<In, Out_>::Acc;
    DEVICE
    static Acc identity() {
        if constexpr (is_complex<Acc>::value) {
            return Acc(__builtin_nanf(""), __builtin_nanf(""));
        } else {
            return static_cast<Acc>(__builtin_nanf(""));
        }
    }
    DEVICE
    static Acc combine(Acc a, Acc b) {
        if constexpr (is_complex<Acc>::value) {
            return ((greater_value(a, b) & !is_nan(a)) | is_nan(b)) ? a : b;
        } else {
            const Acc larger = a > b ? a : b;
            return b != b ? a : larger;
        }
    }
};

template <class In, class Out_>
struct Fmin : Fmax<In, Out_> {
    using typename Fmax<In, Out_>::Acc;
    DEVICE
    static Acc combine(Acc a, Acc b) {
        if constexpr (is_complex<Acc>::value) {
            return ((greater_value(b, a) & !is_nan(a)) | is_nan(b)) ? a : b;
        } else {
            const Acc smaller = a < b ? a : b;
            return b != b ? a : smaller;
        }
    }
};

// A value and where it stands; the first of equal values wins, and NaN over every number.
template <class T>
struct Found {
    T value;
    int64_t index;
};

template <class In, class Out_, bool Greatest>
struct ArgBest : Reduction<Found<compute<In>>, Out_, true> {
    using Base = Reduction<Found<compute<In>>, Out_, true>;
    using Value = compute<In>;
    using typename Base::Acc;
    using typename Base::Context;
    static constexpr bool INDEXED = true;

    DEVICE
    static bool better(Value a, Value b) {
        if constexpr (reorders<Value>) {
            if (is_nan(b)) return false;
            if (is_nan(a)) return true;
        }
        return Greatest ? greater_value(a, b) : greater_value(b, a);
    }
    DEVICE
    static Acc identity() {
        return {Greatest ? lowest<Value>() : highest<Value>(), 0x7fffffffffffffff};
    }
    DEVICE
    static Acc map(In x, index_t index, Context) { return {cast<Value>(x), index}; }
    DEVICE
    static Acc combine(Acc a, Acc b) {
        if (better(b.value, a.value)) return b;
        if (better(a.value, b.value)) return a;
        return a.index < b.index ? a : b;
    }
    DEVICE
    static Out_ finish(Acc found, double, int64_t) { return static_cast<Out_>(found.index); }
    DEVICE
    static bool decided(Acc found) { return is_nan(found.value); }

    // The best value of contiguous items, by a loop that vectorises; its place is sought later.
    template <class T>
    DEVICE
    static Value best_value(const T *x, index_t n) {
        constexpr int LANES = 32;
        Value lane[LANES];
        for (int l = 0; l < LANES; ++l) lane[l] = identity().value;
        index_t i = 0;
        for (; i + LANES <= n; i += LANES) {
            for (int l = 0; l < LANES; ++l) lane[l] = better_value(lane[l], cast<Value>(x[i + l]));
        }
        for (int l = 0; i + l < n; ++l) lane[l] = better_value(lane[l], cast<Value>(x[i + l]));
        for (int s = LANES / 2; s > 0; s /= 2) {
            for (int l = 0; l < s; ++l) lane[l] = better_value(lane[l], lane[l + s]);
        }
        return lane[0];
    }
    template <class T>
    DEVICE
    static index_t place_of(Value best, const T *x, index_t n) {
        constexpr index_t STEP = 64;
        const bool missing = is_nan(best);
        index_t i = 0;
        // NaN equals nothing, itself included; other values are passed over 64 at a time.
        for (; !missing && i + STEP <= n; i += STEP) {
            int hits = 0;
            for (index_t k = 0; k < STEP; ++k) hits |= cast<Value>(x[i + k]) == best;
            if (hits) break;
        }
        for (; i < n; ++i) {
            const Value item = cast<Value>(x[i]);
            if (missing ? is_nan(item) : item == best) break;
        }
        return i;
    }
    DEVICE
    static Value better_value(Value a, Value b) {
        if constexpr (Greatest) {
            return Max<Value, Value>::combine(a, b);
        } else {
            return Min<Value, Value>::combine(a, b);
        }
    }
};

template <class In, class Out_>
struct ArgMax : ArgBest<In, Out_, true> {};
template <class In, class Out_>
struct ArgMin : ArgBest<In, Out_, false> {};

// ---- logic and bits ----

template <class T>
DEVICE
bool is_set(T x) {
    if constexpr (is_complex<T>::value) {
        return x.re != 0 || x.im != 0;
    } else if constexpr (is_float<T>) {
        return cast<compute<T>>(x) != 0;
    } else {
        return x != 0;
    }
}

template <class In, class Out_>
struct Any : Reduction<uint8_t, Out_, false> {
    using typename Reduction<uint8_t, Out_, false>::Context;
    DEVICE
    static uint8_t identity() { return 0; }
    DEVICE
    static uint8_t map(In x, index_t, Context) { return is_set(x); }
    DEVICE
    static uint8_t combine(uint8_t a, uint8_t b) { return a | b; }
    DEVICE
    static bool decided(uint8_t value) { return value != 0; }
};

template <class In, class Out_>
struct All : Reduction<uint8_t, Out_, false> {
    using typename Reduction<uint8_t, Out_, false>::Context;
    DEVICE
    static uint8_t identity() { return 1; }
    DEVICE
    static uint8_t map(In x, index_t, Context) { return is_set(x); }
    DEVICE
    static uint8_t combine(uint8_t a, uint8_t b) { return a & b; }
    DEVICE
    static bool decided(uint8_t value) { return value == 0; }
};

template <class In, class Out_>
struct LogicalXor : Reduction<uint8_t, Out_, false> {
    using typename Reduction<uint8_t, Out_, false>::Context;
    DEVICE
    static uint8_t identity() { return 0; }
    DEVICE
    static uint8_t map(In x, index_t, Context) { return is_set(x); }
    DEVICE
    static uint8_t combine(uint8_t a, uint8_t b) { return a ^ b; }
};

template <class In, class Out_>
struct CountNonzero : Reduction<int64_t, Out_, false> {
    using typename Reduction<int64_t, Out_, false>::Context;
    DEVICE
    static int64_t identity() { return 0; }
    DEVICE
    static int64_t map(In x, index_t, Context) { return is_set(x); }
    DEVICE
    static int64_t combine(int64_t a, int64_t b) { return a + b; }
    // Counts in bytes first, which hold what a run gives each of them: many fit a register.
    static constexpr bool OWN_RUN = sizeof(In) == 1;
    DEVICE
    static int64_t run(const In *x, index_t n) {
        constexpr int LANES = 64;
        uint8_t lane[LANES];
        for (int l = 0; l < LANES; ++l) lane[l] = 0;
        index_t i = 0;
        for (; i + LANES <= n; i += LANES) {
            for (int l = 0; l < LANES; ++l) lane[l] += x[i + l] != 0;
        }
        int64_t count = 0;
        for (int l = 0; l < LANES; ++l) count += lane[l];
        for (; i < n; ++i) count += x[i] != 0;
        return count;
    }
};

template <class In, class Out_>
struct BitAnd : Reduction<In, Out_, false> {
    using typename Reduction<In, Out_, false>::Context;
    DEVICE
    static In identity() { return static_cast<In>(~In(0)); }
    DEVICE
    static In map(In x, index_t, Context) { return x; }
    DEVICE
    static In combine(In a, In b) { return a & b; }
};

template <class In, class Out_>
struct BitOr : Reduction<In, Out_, false> {
    using typename Reduction<In, Out_, false>::Context;
    DEVICE
    static In identity() { return 0; }
    DEVICE
    static In map(In x, index_t, Context) { return x; }
    DEVICE
    static In combine(In a, In b) { return a | b; }
};

template <class In, class Out_>
struct BitXor : Reduction<In, Out_, false> {
    using typename Reduction<In, Out_, false>::Context;
    DEVICE
    static In identity() { return 0; }
    DEVICE
    static In map(In x, index_t, Context) { return x; }
    DEVICE
    static In combine(In a, In b) { return a ^ b; }
};

}  // namespace rocarray
