// ComputationBuilder: the builder of the years before XlaBuilder, as a layer over it.
//
//   ComputationBuilder builder(client, "max");
//   auto y = builder.Parameter(0, ShapeUtil::MakeShape(F32, {}), "y");
//   auto x = builder.Parameter(1, ShapeUtil::MakeShape(F32, {}), "x");
//   builder.Max(y, x);
//   Computation max = builder.Build().ConsumeValueOrDie();
//
// Everything of XlaBuilder is here, and handles and computations are the same types, so that both
// may be mixed. Old argument orders that the types of the arguments tell apart are overloads of
// XlaBuilder; this class has those that they do not. Threads as XlaBuilder.
#pragma once
#include "axle/builder/hlo_instruction.h"
#include "axle/builder/xla_builder.h"

namespace axle {

using ComputationDataHandle = XlaOp;
using Computation = XlaComputation;

class ComputationBuilder : public XlaBuilder {
 public:
  using XlaBuilder::XlaBuilder;

  // Each element of `operand` held between min and max: here the operand comes first.
  //
  //   operand   [D0, .., Dn-1]
  //   min, max  [] or [D0, .., Dn-1], same element type
  //
  // Errors: as Clamp(min, operand, max).
  XlaOp Clamp(XlaOp operand, XlaOp min, XlaOp max,
              Location location = std::source_location::current()) {
    return XlaBuilder::Clamp(min, operand, max, location);
  }
};

}  // namespace axle
