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

namespace {

// Checks a map whose static operands are not scalars and returns what is wrong; all handles are
// valid.
Status CheckMapWithWhole(ArraySlice<XlaOp> operands, const XlaComputation& computation,
                         ArraySlice<i64> dimensions, ArraySlice<XlaOp> static_operands) {
  if (operands.empty()) return InvalidArgument("map: needs at least one operand");
  const Shape& first = operands[0].instruction()->shape();
  ProgramShape wanted;
  for (const XlaOp& operand : operands) {
    const Shape& shape = operand.instruction()->shape();
    if (!shape.is_array() || !SameDims(shape, first)) {
      return InvalidArgument(StrCat("map: operands must have the same dimensions; operands ",
                                    first.ToString(), ", ", shape.ToString()));
    }
    if (!shape.is_static()) {
      return Unimplemented(StrCat("map: with static operands that are no scalars, operands are ",
                                  "static; operand ", shape.ToString()));
    }
    wanted.parameters.emplace_back(shape.type());
  }
  for (const XlaOp& operand : static_operands) {
    wanted.parameters.push_back(operand.instruction()->shape().WithoutLayout());
  }
  Dims all(first.rank());
  std::iota(all.begin(), all.end(), 0);
  if (!std::ranges::equal(dimensions, all)) {
    return InvalidArgument(
        StrCat("map: dimensions is {", Join(dimensions, ","), "}, must be {", Join(all, ","), "}"));
  }
  if (!computation.valid()) return InvalidArgument("map: the computation is empty");
  const HloComputation& entry = *computation.module().entry();
  std::vector<Shape> taken;
  for (const Instruction* parameter : entry.parameters()) taken.push_back(parameter->shape());
  const Shape takes = Shape::Tuple(taken), gets = Shape::Tuple(wanted.parameters);
  if (entry.root()->shape().is_scalar() && Compatible(takes, gets)) return {};
  return InvalidArgument(StrCat("map: to_apply must take ", gets.ToString(),
                                " and give a scalar, but it is ", takes.ToString(), "->",
                                entry.root()->shape().ToString()));
}

// Makes the body of the loop below. Its state is the position, the operands as [count], the static
// operands, and the result as [count].
StatusOr<XlaComputation> MapBody(const Shape& state_shape, i64 num_operands,
                                 const XlaComputation& computation, Location at) {
  XlaBuilder b("map_body");
  const XlaOp state = Parameter(&b, 0, state_shape, "state", at);
  std::vector<XlaOp> parts, arguments;
  for (i64 i = 0; i < state_shape.num_tuple_elements(); ++i) {
    parts.push_back(GetTupleElement(state, i, at));
    if (i == 0 || i + 1 == state_shape.num_tuple_elements()) continue;
    const bool is_whole = i > num_operands;
    arguments.push_back(
        is_whole ? parts[i] : Reshape(DynamicSlice(parts[i], {parts[0]}, {1}, at), Dims(), at));
  }
  const XlaOp element = Call(&b, computation, arguments, at);
  parts.back() = DynamicUpdateSlice(parts.back(), Reshape(element, {1}, at), {parts[0]}, at);
  parts[0] = Add(parts[0], ConstantR0<i64>(&b, 1, at), {}, at);
  Tuple(&b, parts, at);
  return b.Build();
}

// HLO's map accepts only elements. Instead, a loop over the elements calls the computation with the
// static operands as a whole.
StatusOr<XlaOp> MapWithWhole(XlaBuilder* builder, ArraySlice<XlaOp> operands,
                             const XlaComputation& computation, ArraySlice<i64> dimensions,
                             ArraySlice<XlaOp> static_operands, Location at) {
  AXLE_TRY(CheckMapWithWhole(operands, computation, dimensions, static_operands));
  const Shape& first = operands[0].instruction()->shape();
  const i64 count = first.num_elements();
  const ElementType type = computation.module().entry()->root()->shape().type();
  std::vector<XlaOp> state = {ConstantR0<i64>(builder, 0, at)};
  for (const XlaOp& operand : operands) state.push_back(Reshape(operand, {count}, at));
  state.insert(state.end(), static_operands.begin(), static_operands.end());
  AXLE_ASSIGN(const Literal zero, Literal::Create(Shape(type)));
  state.push_back(Broadcast(ConstantLiteral(builder, zero, at), {count}, at));
  const XlaOp init = Tuple(builder, state, at);
  if (!init.valid()) return init;
  XlaBuilder b("map_condition");
  const Shape state_shape = init.instruction()->shape().WithoutLayout();
  const XlaOp position = GetTupleElement(Parameter(&b, 0, state_shape, "state", at), 0, at);
  Lt(position, ConstantR0<i64>(&b, count, at), {}, at);
  AXLE_ASSIGN(const XlaComputation condition, b.Build());
  AXLE_ASSIGN(const XlaComputation body,
              MapBody(state_shape, static_cast<i64>(operands.size()), computation, at));
  const XlaOp last = While(condition, body, init, at);
  return Reshape(GetTupleElement(last, static_cast<i64>(state.size()) - 1, at), first.dims(), at);
}

}  // namespace

XlaOp Map(XlaBuilder* builder, ArraySlice<XlaOp> operands, const XlaComputation& computation,
          ArraySlice<i64> dimensions, ArraySlice<XlaOp> static_operands, Location location) {
  std::vector<XlaOp> all(operands.begin(), operands.end());
  all.insert(all.end(), static_operands.begin(), static_operands.end());
  const bool is_ready = std::ranges::all_of(all, [&](const XlaOp& operand) {
    return operand.valid() && operand.builder_or_null() == builder;
  });
  const bool has_whole = is_ready && std::ranges::any_of(static_operands, [](XlaOp operand) {
                           return !operand.instruction()->shape().is_scalar();
                         });
  // Scalars are broadcast if there are arrays.
  const auto is_ours = [&](const XlaOp& operand) {
    return operand.valid() && operand.builder_or_null() == builder;
  };
  const auto is_array = [&](const XlaOp& operand) {
    return is_ours(operand) && operand.instruction()->shape().rank() > 0;
  };
  if (has_whole) all.resize(operands.size());
  if (const auto array = std::ranges::find_if(all, is_array); array != all.end()) {
    const Dims sizes = array->instruction()->shape().dims();
    for (XlaOp& operand : all) {
      if (is_ours(operand) && operand.instruction()->shape().is_scalar()) {
        operand = Broadcast(operand, sizes, location);
      }
    }
  }
  if (has_whole) {
    const StatusOr<XlaOp> mapped =
        MapWithWhole(builder, all, computation, dimensions, static_operands, location);
    return mapped.ok() ? *mapped : builder->ReportError(mapped.status(), location);
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

// Returns the dimensions 0, 1, ... of the operands.
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

// Sets the number of steps of a scan in the shape of the first output; inputs have that size
// already.
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
