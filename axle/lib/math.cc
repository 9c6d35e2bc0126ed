#include "axle/lib/math.h"

#include "axle/core/float_format.h"
#include "axle/lib/value.h"

namespace axle {
namespace {

// build(operand) for a float operand.
template <typename Build>
XlaOp OfFloat(std::string_view function, XlaOp operand, const Location& location, Build build) {
  return Compose(function, {operand}, location, [&](XlaBuilder& b) -> StatusOr<XlaOp> {
    AXLE_TRY(TakesOnly(function, IsFloating(ShapeOfOp(operand).type()), "floats", operand));
    return build(b);
  });
}

XlaOp EqualToBits(XlaBuilder& b, XlaOp operand, std::uint64_t pattern, const Location& location) {
  const PrimitiveType type = ShapeOfOp(operand).type();
  const PrimitiveType bits = primitive_util::UnsignedIntegralTypeForBitWidth(Info(type).bits);
  return Eq(BitcastConvertType(operand, bits, location),
            ConstantR0WithType(&b, bits, pattern, location), {}, location);
}

// In the operand's shape, with its run-time sizes.
XlaOp False(XlaOp operand, const Location& location) {
  return Lt(operand, operand, {}, location);
}

XlaOp IsInfinity(std::string_view function, XlaOp operand, double sign, const Location& location) {
  return OfFloat(function, operand, location, [&](XlaBuilder&) {
    if (!HasInfinity(Info(ShapeOfOp(operand).type()).format)) return False(operand, location);
    const Value x(operand, location);
    return sign == 0 ? (Abs(x) == kInfinity).op : (x == sign * kInfinity).op;
  });
}

}  // namespace

XlaOp IsPosInf(XlaOp operand, Location location) {
  return IsInfinity("is positive infinity", operand, 1, location);
}
XlaOp IsNegInf(XlaOp operand, Location location) {
  return IsInfinity("is negative infinity", operand, -1, location);
}
XlaOp IsInf(XlaOp operand, Location location) {
  return IsInfinity("is infinity", operand, 0, location);
}

XlaOp IsNan(XlaOp operand, Location location) {
  return OfFloat("is nan", operand, location,
                 [&](XlaBuilder&) { return Ne(operand, operand, {}, location); });
}

XlaOp IsNegZero(XlaOp operand, Location location) {
  return OfFloat("is negative zero", operand, location, [&](XlaBuilder& b) {
    const FloatFormat& format = Info(ShapeOfOp(operand).type()).format;
    if (!HasNegativeZero(format)) return False(operand, location);
    // By comparison as f32, whose patterns are a whole integer type, if the type's own are not.
    const bool narrow = format.bits() < 8;
    const XlaOp wide = narrow ? ConvertElementType(operand, F32, location) : operand;
    return EqualToBits(b, wide, SignBit(narrow ? kF32Format : format), location);
  });
}

XlaOp NextAfter(XlaOp from, XlaOp to, Location location) {
  return Compose("next after", {from, to}, location, [&](XlaBuilder&) -> StatusOr<XlaOp> {
    const Shape& shape = ShapeOfOp(from);
    const FloatFormat& format = Info(shape.type()).format;
    const bool fits = IsFloating(shape.type()) && format.nan == NanEncoding::kIeee &&
                      Compatible(shape, ShapeOfOp(to));
    if (!fits) {
      return InvalidArgument(StrCat(
          "next after: takes IEEE floats of one type and shape; operands ", ShapesOf({from, to})));
    }
    const PrimitiveType bits =
        primitive_util::UnsignedIntegralTypeForBitWidth(Info(shape.type()).bits);
    const auto pattern = [&](XlaOp x) {
      return Value(BitcastConvertType(x, bits, location), location);
    };
    const Value from_bits = pattern(from), to_bits = pattern(to);
    const auto constant = [&](std::uint64_t value) {
      return Value(FullLike(from_bits.op, value, location), location);
    };
    const Value zero = constant(0), one = constant(1), sign_bit = constant(SignBit(format));
    const Value magnitude = from_bits & constant(MagnitudeMask(format));
    const Value to_magnitude = to_bits & constant(MagnitudeMask(format));
    const Value signs_differ = (from_bits & sign_bit) != (to_bits & sign_bit);
    // Away from zero the pattern grows, whatever the sign.
    const Value shrinks = (magnitude > to_magnitude) | signs_differ;
    const Value step = Select(shrinks, from_bits - one, from_bits + one);
    const Value from_zero = Select(to_magnitude == zero, to_bits, (to_bits & sign_bit) | one);
    const Value next = Select(magnitude == zero, from_zero, step);
    const Value x(from, location), y(to, location);
    const XlaOp result =
        Select((x == y).op, to, BitcastConvertType(next.op, shape.type(), location), location);
    const XlaOp nan = Or((x != x).op, (y != y).op, {}, location);
    return Select(nan, FullLike(from, *LiteralUtil::NanValue(shape.type()), location), result,
                  location);
  });
}

XlaOp Square(XlaOp operand, Location location) {
  return Mul(operand, operand, {}, location);
}

XlaOp Reciprocal(XlaOp operand, Location location) {
  return Div(ScalarLike(operand, 1, location), operand, {}, location);
}

XlaOp RoundToEven(XlaOp x, Location location) {
  return RoundNearestEven(x, location);
}

XlaOp MaybeConjugate(XlaOp x, bool conjugate, Location location) {
  return conjugate && IsComplex(ShapeOfOp(x).type()) ? Conj(x, location) : x;
}

XlaOp EvaluatePolynomial(XlaOp x, ArraySlice<double> coefficients, Location location) {
  return Compose("polynomial", {x}, location, [&](XlaBuilder&) {
    if (coefficients.empty()) return FullLike(x, 0, location);
    if (coefficients.size() == 1) return FullLike(x, coefficients[0], location);
    return Polynomial(Value(x, location), coefficients).op;
  });
}

XlaOp EvaluateChebyshevPolynomial(XlaOp x, ArraySlice<double> coefficients, Location location) {
  return Compose("chebyshev polynomial", {x}, location, [&](XlaBuilder&) {
    if (coefficients.empty()) return FullLike(x, 0, location);
    if (coefficients.size() == 1) return FullLike(x, coefficients[0] / 2, location);
    return Chebyshev(Value(x, location), coefficients).op;
  });
}

}  // namespace axle
