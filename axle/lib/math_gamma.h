// The gamma functions on f64 values, for the functions that are made of them. Internal to axle/lib.
#pragma once
#include "axle/lib/value.h"

namespace axle {

// Lgamma and Digamma of math.h.
Value LgammaOf(const Value& x);
Value DigammaOf(const Value& x);

}  // namespace axle
