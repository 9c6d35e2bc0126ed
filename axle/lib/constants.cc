#include "axle/lib/constants.h"

#include "axle/core/convert.h"
#include "axle/lib/compose.h"

namespace axle {
namespace {

XlaOp ReportTo(XlaBuilder* builder, Status error, const Location& location) {
  return builder == nullptr ? XlaOp() : builder->ReportError(error, location);
}

XlaOp ConstantOr(XlaBuilder* builder, const StatusOr<Literal>& value, const Location& location) {
  if (!value.ok()) return ReportTo(builder, value.status(), location);
  return ConstantLiteral(builder, *value, location);
}

// The extremes of complex numbers are not defined.
XlaOp Extreme(XlaBuilder* builder, std::string_view what, PrimitiveType type,
              Literal (*make)(PrimitiveType), const Location& location) {
  if (!IsArrayType(type) || IsComplex(type)) {
    return ReportTo(builder, InvalidArgument(StrCat(what, ": takes a real type, got ", Name(type))),
                    location);
  }
  return ConstantLiteral(builder, make(type), location);
}

XlaOp Small(XlaBuilder* builder, std::string_view what, PrimitiveType type,
            Literal (*make)(PrimitiveType), const Location& location) {
  if (!IsArrayType(type)) {
    return ReportTo(builder,
                    InvalidArgument(StrCat(what, ": takes an array type, got ", Name(type))),
                    location);
  }
  return ConstantLiteral(builder, make(type), location);
}

// An array of the prototype's bounds with its run-time sizes.
XlaOp WithSizesOf(XlaOp prototype, XlaOp full, const Location& location) {
  const Shape& shape = ShapeOfOp(prototype);
  for (i64 d = 0; d < shape.rank(); ++d) {
    if (!shape.is_dynamic(d)) continue;
    full = SetDimensionSize(full, GetDimensionSize(prototype, d, location), d, location);
  }
  return full;
}

}  // namespace

XlaOp ConstantR0WithType(XlaBuilder* builder, PrimitiveType type, const Literal& value,
                         Location location) {
  const StatusOr<Literal> converted = ConvertNumber(value, type);
  if (converted.ok()) return ConstantLiteral(builder, *converted, location);
  return ReportTo(builder, InvalidArgument(StrCat("constant: ", converted.status().message())),
                  location);
}

XlaOp ScalarLike(XlaOp prototype, const Literal& value, Location location) {
  return Compose("scalar like", {prototype}, location, [&](XlaBuilder& b) {
    return ConstantR0WithType(&b, ShapeOfOp(prototype).type(), value, location);
  });
}

XlaOp FullLike(XlaOp prototype, const Literal& value, Location location) {
  return Compose("full like", {prototype}, location, [&](XlaBuilder&) -> StatusOr<XlaOp> {
    const Shape& shape = ShapeOfOp(prototype);
    AXLE_TRY(TakesOnly("full like", shape.is_array(), "an array", prototype));
    return WithSizesOf(prototype,
                       Broadcast(ScalarLike(prototype, value, location), shape.dims(), location),
                       location);
  });
}

XlaOp IotaLike(XlaOp prototype, i64 iota_dimension, std::optional<PrimitiveType> type,
               Location location) {
  return Compose("iota like", {prototype}, location, [&](XlaBuilder& b) -> StatusOr<XlaOp> {
    const Shape& shape = ShapeOfOp(prototype);
    AXLE_TRY(TakesOnly("iota like", shape.is_array(), "an array", prototype));
    const Shape wanted(type.value_or(shape.type()), shape.dims());
    return WithSizesOf(prototype, Iota(&b, wanted, iota_dimension, location), location);
  });
}

XlaOp Zero(XlaBuilder* builder, PrimitiveType type, Location location) {
  return Small(builder, "zero", type, LiteralUtil::Zero, location);
}

XlaOp Zeros(XlaBuilder* builder, const Shape& shape, Location location) {
  if (shape.is_array())
    return Broadcast(Zero(builder, shape.type(), location), shape.dims(), location);
  std::vector<XlaOp> elements;
  for (const Shape& element : shape.elements()) {
    elements.push_back(Zeros(builder, element, location));
  }
  if (!shape.is_tuple()) return Zero(builder, shape.type(), location);
  return Tuple(builder, elements, location);
}

XlaOp ZerosLike(XlaOp prototype, Location location) {
  return Compose("zeros like", {prototype}, location, [&](XlaBuilder& b) {
    const Shape& shape = ShapeOfOp(prototype);
    return shape.is_array() ? FullLike(prototype, LiteralUtil::Zero(shape.type()), location)
                            : Zeros(&b, shape, location);
  });
}

XlaOp One(XlaBuilder* builder, PrimitiveType type, Location location) {
  return Small(builder, "one", type, LiteralUtil::One, location);
}
XlaOp Epsilon(XlaBuilder* builder, PrimitiveType type, Location location) {
  return ConstantOr(builder, LiteralUtil::Epsilon(type), location);
}
XlaOp MinValue(XlaBuilder* builder, PrimitiveType type, Location location) {
  return Extreme(builder, "min value", type, LiteralUtil::MinValue, location);
}
XlaOp MaxValue(XlaBuilder* builder, PrimitiveType type, Location location) {
  return Extreme(builder, "max value", type, LiteralUtil::MaxValue, location);
}
XlaOp MinFiniteValue(XlaBuilder* builder, PrimitiveType type, Location location) {
  return Extreme(builder, "min finite value", type, LiteralUtil::MinFiniteValue, location);
}
XlaOp MaxFiniteValue(XlaBuilder* builder, PrimitiveType type, Location location) {
  return Extreme(builder, "max finite value", type, LiteralUtil::MaxFiniteValue, location);
}
XlaOp MinPositiveNormalValue(XlaBuilder* builder, PrimitiveType type, Location location) {
  return ConstantOr(builder, LiteralUtil::MinPositiveNormalValue(type), location);
}
XlaOp NanValue(XlaBuilder* builder, PrimitiveType type, Location location) {
  return ConstantOr(builder, LiteralUtil::NanValue(type), location);
}

}  // namespace axle
