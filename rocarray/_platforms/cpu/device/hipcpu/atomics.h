// Atomic operations. HIP's are relaxed; the forms for a block or the whole system are the same
// here, since all work-items share one coherent memory.
#pragma once

#include "base.h"

namespace hipcpu {

template <class T>
struct Same {
    using type = T;
};

// `change` maps the old value to the new one.
template <class T, class F>
inline T atomic_update(T *address, F change) {
    using Bits = typename EnableIf<sizeof(T) == 4 || sizeof(T) == 8, T>::type;
    Bits old;
    __atomic_load(address, &old, __ATOMIC_RELAXED);
    Bits value = change(old);
    while (
        !__atomic_compare_exchange(address, &old, &value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        value = change(old);
    return old;
}

template <class T>
inline T atomic_add(T *address, T value) {
    if constexpr (is_integer<T>)
        return __atomic_fetch_add(address, value, __ATOMIC_RELAXED);
    else
        return atomic_update(address, [=](T old) { return old + value; });
}
template <class T>
inline T atomic_sub(T *address, T value) {
    if constexpr (is_integer<T>)
        return __atomic_fetch_sub(address, value, __ATOMIC_RELAXED);
    else
        return atomic_update(address, [=](T old) { return old - value; });
}
// With a NaN on one side, the number wins (as fmin and fmax).
template <class T>
inline T atomic_min(T *address, T value) {
    return atomic_update(address,
                         [=](T old) { return old <= value || value != value ? old : value; });
}
template <class T>
inline T atomic_max(T *address, T value) {
    return atomic_update(address,
                         [=](T old) { return old >= value || value != value ? old : value; });
}
template <class T>
inline T atomic_exchange(T *address, T value) {
    T old;
    __atomic_exchange(address, &value, &old, __ATOMIC_RELAXED);
    return old;
}
template <class T>
inline T atomic_compare_exchange(T *address, T compare, T value) {
    __atomic_compare_exchange(address, &compare, &value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return compare;
}
template <class T>
inline T atomic_and(T *address, T value) {
    return __atomic_fetch_and(address, value, __ATOMIC_RELAXED);
}
template <class T>
inline T atomic_or(T *address, T value) {
    return __atomic_fetch_or(address, value, __ATOMIC_RELAXED);
}
template <class T>
inline T atomic_xor(T *address, T value) {
    return __atomic_fetch_xor(address, value, __ATOMIC_RELAXED);
}
template <class T>
inline T atomic_inc(T *address, T limit) {
    return atomic_update(address, [=](T old) { return old >= limit ? T(0) : T(old + 1); });
}
template <class T>
inline T atomic_dec(T *address, T limit) {
    return atomic_update(address,
                         [=](T old) { return old == 0 || old > limit ? limit : T(old - 1); });
}

template <class T>
constexpr bool is_atomic = is_arithmetic<T> && (sizeof(T) == 4 || sizeof(T) == 8);

}  // namespace hipcpu

// The operand takes the type of the memory: atomicAdd(&float_value, 1) adds 1.0f, as HIP does.
#define HIPCPU_ATOMIC_NAMED(name, function)                               \
    template <class T>                                                    \
    inline typename hipcpu::EnableIf<hipcpu::is_atomic<T>, T>::type name( \
        T *address, typename hipcpu::Same<T>::type value) {               \
        return hipcpu::function(address, value);                          \
    }
#define HIPCPU_ATOMIC(name, function)            \
    HIPCPU_ATOMIC_NAMED(name, function)          \
    HIPCPU_ATOMIC_NAMED(name##_system, function) \
    HIPCPU_ATOMIC_NAMED(name##_block, function)
HIPCPU_ATOMIC(atomicAdd, atomic_add)
HIPCPU_ATOMIC(atomicSub, atomic_sub)
HIPCPU_ATOMIC(atomicMin, atomic_min)
HIPCPU_ATOMIC(atomicMax, atomic_max)
HIPCPU_ATOMIC(atomicExch, atomic_exchange)
HIPCPU_ATOMIC(atomicAnd, atomic_and)
HIPCPU_ATOMIC(atomicOr, atomic_or)
HIPCPU_ATOMIC(atomicXor, atomic_xor)
HIPCPU_ATOMIC(atomicInc, atomic_inc)
HIPCPU_ATOMIC(atomicDec, atomic_dec)
HIPCPU_ATOMIC_NAMED(unsafeAtomicAdd, atomic_add)
HIPCPU_ATOMIC_NAMED(safeAtomicAdd, atomic_add)
HIPCPU_ATOMIC_NAMED(unsafeAtomicMin, atomic_min)
HIPCPU_ATOMIC_NAMED(unsafeAtomicMax, atomic_max)
HIPCPU_ATOMIC_NAMED(atomicAddNoRet, atomic_add)
#undef HIPCPU_ATOMIC
#undef HIPCPU_ATOMIC_NAMED

#define HIPCPU_ATOMIC_CAS(name)                                               \
    template <class T>                                                        \
    inline typename hipcpu::EnableIf<hipcpu::is_arithmetic<T>, T>::type name( \
        T *address, typename hipcpu::Same<T>::type compare,                   \
        typename hipcpu::Same<T>::type value) {                               \
        return hipcpu::atomic_compare_exchange(address, compare, value);      \
    }
HIPCPU_ATOMIC_CAS(atomicCAS)
HIPCPU_ATOMIC_CAS(atomicCAS_system)
HIPCPU_ATOMIC_CAS(atomicCAS_block)
#undef HIPCPU_ATOMIC_CAS

#define __HIP_MEMORY_SCOPE_SINGLETHREAD 1
#define __HIP_MEMORY_SCOPE_WAVEFRONT 2
#define __HIP_MEMORY_SCOPE_WORKGROUP 3
#define __HIP_MEMORY_SCOPE_AGENT 4
#define __HIP_MEMORY_SCOPE_SYSTEM 5
#define __hip_atomic_load(pointer, order, scope) __atomic_load_n(pointer, order)
#define __hip_atomic_store(pointer, value, order, scope) __atomic_store_n(pointer, value, order)
#define __hip_atomic_fetch_add(pointer, value, order, scope) hipcpu::atomic_add(pointer, value)
#define __hip_atomic_fetch_and(pointer, value, order, scope) \
    __atomic_fetch_and(pointer, value, order)
#define __hip_atomic_fetch_or(pointer, value, order, scope) __atomic_fetch_or(pointer, value, order)
#define __hip_atomic_fetch_xor(pointer, value, order, scope) \
    __atomic_fetch_xor(pointer, value, order)
#define __hip_atomic_exchange(pointer, value, order, scope) \
    __atomic_exchange_n(pointer, value, order)
