// Functions of complex lanes: what the transcendental ops mean for c64 and c128. c64 is computed in
// f64 and rounded once, so that its parts are hardly more than half an ulp off; c128 carries low
// parts (transcendental_pairs.h).
//
// No intermediate overflows or loses its bits where the result does not. Parts that are 0 for
// every argument on an axis are 0, with the sign that the function's symmetries give, also where
// the other part is infinite or NaN. Branch cuts are C's, and the sign of a zero tells the sides
// apart.
#pragma once
#include "axle/ops/lanes/lane_math.h"

namespace axle {

ComplexLane ComplexExp(ComplexLane z);
ComplexLane ComplexExpMinusOne(ComplexLane z);
ComplexLane ComplexSinh(ComplexLane z);
ComplexLane ComplexCosh(ComplexLane z);
ComplexLane ComplexTanh(ComplexLane z);
ComplexLane ComplexSin(ComplexLane z);
ComplexLane ComplexCos(ComplexLane z);
ComplexLane ComplexTan(ComplexLane z);
ComplexLane ComplexLogistic(ComplexLane z);

ComplexLane ComplexLog(ComplexLane z);
ComplexLane ComplexLogPlusOne(ComplexLane z);
ComplexLane ComplexSqrt(ComplexLane z);
ComplexLane ComplexRsqrt(ComplexLane z);
ComplexLane ComplexPower(ComplexLane base, ComplexLane exponent);
ComplexLane ComplexAtan2(ComplexLane y, ComplexLane x);
ComplexLane ComplexAsin(ComplexLane z);
ComplexLane ComplexAcos(ComplexLane z);
ComplexLane ComplexAsinh(ComplexLane z);
ComplexLane ComplexAcosh(ComplexLane z);
ComplexLane ComplexAtanh(ComplexLane z);

}  // namespace axle
