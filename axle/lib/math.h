// Functions of numbers that are graphs of ops, with XLA's names. What is an op of its own (Acos,
// Erf, RoundNearestEven, IsFinite, ...) is in the builder.
//
//   Lgamma(x), Igamma(a, x), ErfInv(x), NextAfter(from, to)
//
// Results have the shape and type of the operands, [dims], if nothing else is said; errors are as
// xla_builder.h says for all functions.
//
// The special functions take floats of one type and shape, scalars going with any shape, and work
// in f64: results in f32 and narrower are rounded once. In f64 the relative error is about 1e-14,
// near zeros of Lgamma and Digamma the absolute one; that of the incomplete functions grows with
// their arguments, to about 1e-8 at 1e6, and beyond 1e8 they may be wrong. Outside of the domain
// the result is NaN. Formulas: Lanczos (g = 7, 9 terms) for the gamma functions; series and
// continued fractions as in Abramowitz and Stegun 6.5 and DLMF 8.17; Wichura's AS 241 for ErfInv;
// Chebyshev series for the Bessel functions; Euler and Maclaurin for Zeta.
#pragma once
#include <span>

#include "axle/builder/xla_builder.h"

namespace axle {

// pred of the shape of a float operand. Errors: INVALID_ARGUMENT for other types, complex ones too.
XlaOp IsPosInf(XlaOp operand, Location location = std::source_location::current());
XlaOp IsNegInf(XlaOp operand, Location location = std::source_location::current());
XlaOp IsInf(XlaOp operand, Location location = std::source_location::current());
XlaOp IsNan(XlaOp operand, Location location = std::source_location::current());
XlaOp IsNegZero(XlaOp operand, Location location = std::source_location::current());

// The next number of the type from `from` towards `to`; `to` where they are equal, NaN where one
// is. Both [dims] of one of the float types with infinities.
XlaOp NextAfter(XlaOp from, XlaOp to, Location location = std::source_location::current());

// x * x and 1 / x, of any type that Mul and Div take.
XlaOp Square(XlaOp operand, Location location = std::source_location::current());
XlaOp Reciprocal(XlaOp operand, Location location = std::source_location::current());
// To the nearest integer, halves to the even one.
XlaOp RoundToEven(XlaOp x, Location location = std::source_location::current());
// The conjugate of a complex operand if `conjugate`, else the operand.
XlaOp MaybeConjugate(XlaOp x, bool conjugate, Location location = std::source_location::current());

// coefficients[0] * x^n + .. + coefficients[n], by Horner's rule in the type of x; 0 without any.
XlaOp EvaluatePolynomial(XlaOp x, ArraySlice<double> coefficients,
                         Location location = std::source_location::current());
// The sum of coefficients[n - i] * T_i(x / 2), the one of T_0 halved, by Clenshaw's rule.
XlaOp EvaluateChebyshevPolynomial(XlaOp x, ArraySlice<double> coefficients,
                                  Location location = std::source_location::current());

// 1 - erf(x); the inverse of erf on [-1, 1], infinite at the ends.
XlaOp Erfc(XlaOp x, Location location = std::source_location::current());
XlaOp ErfInv(XlaOp x, Location location = std::source_location::current());

// log |gamma(x)|, infinite at 0, -1, -2, ... and at both infinities.
XlaOp Lgamma(XlaOp input, Location location = std::source_location::current());
// d/dx log gamma(x); NaN at 0, -1, -2, ...
XlaOp Digamma(XlaOp input, Location location = std::source_location::current());
// The regularized incomplete gamma functions P(a, x) and Q(a, x) = 1 - P(a, x): a > 0, x >= 0.
XlaOp Igamma(XlaOp a, XlaOp x, Location location = std::source_location::current());
XlaOp Igammac(XlaOp a, XlaOp x, Location location = std::source_location::current());
// d/da P(a, x).
XlaOp IgammaGradA(XlaOp a, XlaOp x, Location location = std::source_location::current());
// The derivative by a of a sample x of the gamma distribution of shape a: -(dP/da) / (dP/dx).
XlaOp RandomGammaGrad(XlaOp a, XlaOp x, Location location = std::source_location::current());
// I_x(a, b): a > 0, b > 0, 0 <= x <= 1.
XlaOp RegularizedIncompleteBeta(XlaOp a, XlaOp b, XlaOp x,
                                Location location = std::source_location::current());
// The n-th derivative of Digamma, n = 0, 1, 2, ...
XlaOp Polygamma(XlaOp n, XlaOp x, Location location = std::source_location::current());
// The Hurwitz zeta function, the sum of (q + k)^-x for k = 0, 1, ...: x > 1. Infinite for x = 1 and
// q = 0, -1, ..; other q < 0 need an integral x, and are taken to -1000.
XlaOp Zeta(XlaOp x, XlaOp q, Location location = std::source_location::current());
// exp(-|x|) times the modified Bessel functions of the first kind, of order 0 and 1.
XlaOp BesselI0e(XlaOp x, Location location = std::source_location::current());
XlaOp BesselI1e(XlaOp x, Location location = std::source_location::current());

}  // namespace axle
