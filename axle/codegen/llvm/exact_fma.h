// Fused multiply-add without the instruction, for code of instruction sets that have none.
#pragma once

namespace axle {

// a * b + c, rounded once, to nearest even, in the default floating-point mode.
float ExactFma(float a, float b, float c);
double ExactFma(double a, double b, double c);

}  // namespace axle
