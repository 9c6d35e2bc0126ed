// The magnitude of a complex number, sqrt(x^2 + y^2), for whatever op needs it as a piece. Lanes of
// f32 or f64, any values: nothing overflows or underflows on the way, and an infinity in one part
// wins over a NaN in the other.
#pragma once
#include "axle/emit/lane_builder.h"

namespace axle {

// Error: 0.501 ulp of f32, 1 ulp of f64.
Lane Hypot(Lane x, Lane y);

// The magnitude times `scale`, a power of two that keeps it far from overflow and underflow; both
// f64, whatever the type of x and y. Useful where the magnitude is divided by.
struct ScaledHypot {
  Lane value;
  Lane scale;
};
ScaledHypot HypotScaled(Lane x, Lane y);

}  // namespace axle
