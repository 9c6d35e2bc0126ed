// Compose: how the functions of axle/lib make graphs. Internal to axle/lib.
//
//   XlaOp Square(XlaOp x, Location location) {
//     return Compose("square", {x}, location, [&](XlaBuilder&) { return Mul(x, x, {}, location);
//     });
//   }
//
// Whoever gives a bad handle gets an invalid one back and an error in the builder; `build` runs
// only with good ones. It returns an XlaOp or a Status that says "<function>: <rule>; <operands>".
#pragma once
#include <string>
#include <string_view>

#include "axle/builder/xla_builder.h"
#include "axle/core/strings.h"
#include "axle/ir/instruction.h"

namespace axle {

// The shape of a handle, the empty tuple for one that an error left invalid.
inline const Shape& ShapeOfOp(XlaOp op) {
  static const Shape kNone;
  return op.valid() ? op.instruction()->shape() : kNone;
}

// The builder of the first operand that has one; null if there is none, or after recording what is
// wrong with an operand.
XlaBuilder* CheckedBuilder(std::string_view function, ArraySlice<XlaOp> operands,
                           const Location& location);
// What a function gives back when there is nothing to build: invalid, but of the operands' builder.
XlaOp NothingBuilt(ArraySlice<XlaOp> operands);

// What build(builder) gives, with errors recorded; NothingBuilt if an operand is bad.
template <typename Build>
XlaOp Compose(std::string_view function, ArraySlice<XlaOp> operands, const Location& location,
              const Build& build) {
  XlaBuilder* builder = CheckedBuilder(function, operands, location);
  if (builder == nullptr) return NothingBuilt(operands);
  return builder->ReportErrorOrReturn(StatusOr<XlaOp>(build(*builder)), location);
}

// "f32[2,3], s32[]" of operands, for messages.
std::string ShapesOf(ArraySlice<XlaOp> operands);

// Errors: "<function>: takes <what>; operand f32[2]".
Status TakesOnly(std::string_view function, bool condition, std::string_view what, XlaOp operand);

// `dimension` counted from the end if negative. Errors: "<function>: dimension 3 is not in ...".
StatusOr<i64> DimensionOf(std::string_view function, XlaOp operand, i64 dimension);

// A computation that was built in `builder`; an error is recorded in `parent` (null: nowhere) and
// gives an invalid one.
XlaComputation BuildOrReport(XlaBuilder& builder, XlaOp root, XlaBuilder* parent,
                             const Location& location);

}  // namespace axle
