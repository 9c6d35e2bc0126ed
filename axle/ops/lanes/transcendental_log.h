// The first step of every logarithm, shared by log, log1p and power, and the logarithm that power
// uses.
#pragma once
#include "axle/ops/lanes/lane_math.h"

namespace axle {

// x = 2^k m with m in [sqrt(1/2), sqrt(2)). Of positive finite x, subnormals included; of other
// values the parts mean nothing.
struct LogParts {
  Lane k_biased;  // as an integer with the exponent bias; k of 2^24 x or 2^54 x if x is subnormal
  Lane k;         // as a float
  Lane m;
};
LogParts SplitLog(Lane x);

// log x for positive finite x in f64, with a relative error of about 2^-65.
LanePair LogPair(Lane x);

}  // namespace axle
