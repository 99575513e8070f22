// Conversion between element types, as a functor.
#pragma once

#include "casts.hpp"

namespace rocarray {

template <class To>
struct Cast {
    template <class From>
    DEVICE
    To operator()(From x) const { return cast<To>(x); }
};

}  // namespace rocarray
