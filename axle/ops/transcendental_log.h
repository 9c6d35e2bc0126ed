// The first step of every logarithm, shared by log, log1p and power.
#pragma once
#include "axle/emit/lane_builder.h"

namespace axle {

// x = 2^k m with m in [sqrt(1/2), sqrt(2)). Of positive finite x, subnormals included; of other
// values the parts mean nothing.
struct LogParts {
  Lane k_biased;  // as an integer with the exponent bias; k of 2^24 x or 2^54 x if x is subnormal
  Lane k;         // as a float
  Lane m;
};
LogParts SplitLog(Lane x);

}  // namespace axle
