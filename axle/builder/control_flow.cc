#include "axle/builder/control_flow.h"

#include <algorithm>
#include <numeric>

#include "axle/builder/emit.h"
#include "axle/core/strings.h"

namespace axle {

XlaOp Tuple(XlaBuilder* builder, ArraySlice<XlaOp> elements, Location location) {
  return AppendTo(builder, {.opcode = Opcode::kTuple, .operands = elements}, location);
}

XlaOp GetTupleElement(XlaOp tuple, i64 index, Location location) {
  return Emit(Opcode::kGetTupleElement, {tuple}, location, TupleIndexAttrs{index});
}

XlaOp Call(XlaBuilder* builder, const XlaComputation& computation, ArraySlice<XlaOp> operands,
           Location location) {
  const Called called = {&computation};
  return AppendTo(builder, {.opcode = Opcode::kCall, .operands = operands, .called = called},
                  location);
}

XlaOp Map(XlaBuilder* builder, ArraySlice<XlaOp> operands, const XlaComputation& computation,
          ArraySlice<i64> dimensions, ArraySlice<XlaOp> static_operands, Location location) {
  std::vector<XlaOp> all(operands.begin(), operands.end());
  for (const XlaOp& operand : static_operands) {
    if (operand.valid() && !operand.instruction()->shape().is_scalar()) {
      return ReportTo(
          builder,
          Unimplemented(StrCat("map: static operand of shape ",
                               operand.instruction()->shape().ToString(), ", must be a scalar")),
          location);
    }
    all.push_back(operand);
  }
  const auto is_array = [&](const XlaOp& operand) {
    return operand.valid() && operand.builder_or_null() == builder &&
           operand.instruction()->shape().rank() > 0;
  };
  if (const auto array = std::ranges::find_if(all, is_array); array != all.end()) {
    const Dims sizes = array->instruction()->shape().dims();
    for (XlaOp& operand : all) {
      if (operand.valid() && operand.builder_or_null() == builder &&
          operand.instruction()->shape().is_scalar()) {
        operand = Broadcast(operand, sizes, location);
      }
    }
  }
  const Called called = {&computation};
  return AppendTo(builder,
                  {.opcode = Opcode::kMap,
                   .operands = all,
                   .attrs = Block(Opcode::kMap, DimensionsAttrs{ToDims(dimensions)}),
                   .called = called},
                  location);
}

namespace {

// 0, 1, ..., as many as the operands have.
Dims AllDimensions(ArraySlice<XlaOp> operands) {
  i64 rank = 0;
  for (const XlaOp& operand : operands) {
    if (operand.valid()) rank = std::max(rank, operand.instruction()->shape().rank());
  }
  Dims all(rank);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

}  // namespace

XlaOp Map(XlaBuilder* builder, ArraySlice<XlaOp> operands, const XlaComputation& computation,
          Location location) {
  return Map(builder, operands, computation, AllDimensions(operands), ArraySlice<XlaOp>(),
             location);
}

XlaOp Map(XlaBuilder* builder, ArraySlice<XlaOp> operands, const XlaComputation& computation,
          ArraySlice<XlaOp> static_operands, Location location) {
  return Map(builder, operands, computation, AllDimensions(operands), static_operands, location);
}

XlaOp Map(XlaBuilder* builder, ArraySlice<XlaOp> operands, const XlaComputation& computation,
          std::initializer_list<i64> dimensions, Location location) {
  return Map(builder, operands, computation, ArraySlice<i64>(dimensions), ArraySlice<XlaOp>(),
             location);
}

namespace {

// Says how many steps a scan has, by the first output; inputs have that size already.
StatusOr<Shape> ScanShape(ArraySlice<XlaOp> inputs, const XlaComputation& computation, i64 dim,
                          i64 size) {
  for (const XlaOp& input : inputs) {
    if (!input.valid()) return Shape();
    const Shape& shape = input.instruction()->shape();
    if (dim >= 0 && dim < shape.rank() && shape.dim(dim) != size) {
      return InvalidArgument(StrCat("scan: scan_dimension_size is ", size, " but dimension ", dim,
                                    " of ", shape.ToString(), " has size ", shape.dim(dim)));
    }
  }
  if (!computation.valid()) return Shape();
  const Shape& given = computation.module().entry()->root()->shape();
  if (!given.is_tuple() || given.num_tuple_elements() == 0) return Shape();
  const Shape& output = given.element(0);
  if (!output.is_array() || dim < 0 || dim > output.rank()) return Shape();
  Dims dims = output.dims();
  dims.insert(dims.begin() + dim, size);
  return Shape::Tuple({Shape(output.type(), std::move(dims))});
}

}  // namespace

XlaOp Scan(ArraySlice<XlaOp> inputs, ArraySlice<XlaOp> inits, const XlaComputation& computation,
           i64 scan_dimension, std::optional<i64> scan_dimension_size, bool is_reverse,
           TriState is_associative, Location location) {
  std::vector<XlaOp> operands(inputs.begin(), inputs.end());
  operands.insert(operands.end(), inits.begin(), inits.end());
  StatusOr<Shape> declared = Shape();
  if (scan_dimension_size) {
    declared = ScanShape(inputs, computation, scan_dimension, *scan_dimension_size);
  }
  if (!declared.ok()) {
    return BuilderOf(operands)->ReportError(declared.status(), location);
  }
  return Emit(Opcode::kScan, operands, location,
              ScanAttrs{.dimensions = {scan_dimension},
                        .num_carries = static_cast<i64>(inits.size()),
                        .is_reverse = is_reverse,
                        .is_associative = is_associative},
              {&computation}, *declared);
}

XlaOp While(const XlaComputation& condition, const XlaComputation& body, XlaOp init,
            Location location) {
  return Emit(Opcode::kWhile, {init}, location, NoAttrs{}, {&condition, &body});
}

XlaOp Conditional(XlaOp predicate, XlaOp true_operand, const XlaComputation& true_computation,
                  XlaOp false_operand, const XlaComputation& false_computation, Location location) {
  return Emit(Opcode::kConditional, {predicate, true_operand, false_operand}, location, NoAttrs{},
              {&true_computation, &false_computation});
}

XlaOp Conditional(XlaOp branch_index, ComputationList branch_computations,
                  ArraySlice<XlaOp> branch_operands, Location location) {
  std::vector<XlaOp> operands = {branch_index};
  operands.insert(operands.end(), branch_operands.begin(), branch_operands.end());
  const ArraySlice<const XlaComputation*> called = branch_computations.pointers();
  return Emit(Opcode::kConditional, operands, location, NoAttrs{},
              Called(called.begin(), called.end()));
}

}  // namespace axle
