// Runs a called computation of scalars over arrays in the cheapest way: with its lane program
// through the block executor from four elements on, one element at a time below that, and by calls
// of the computation if it has no lane program.

#include "axle/ops/scalar_callee.h"

#include <algorithm>
#include <cstring>

#include "axle/core/strings.h"
#include "axle/ops/elementwise.h"

namespace axle {
namespace {

// Below this, the block executor's work per run costs more than calling functions per element.
constexpr i64 kMinBlock = 4;

i64 ElementBytes(const Shape& shape) {
  return Info(shape.type()).bytes;
}

}  // namespace

// The shapes of parameters and results are kept, because the loops step over their elements.
ScalarCallee::ScalarCallee(const Instruction& inst, const EvalContext& context, size_t i)
    : context_(context), callee_(context.callee(i)), lanes_(callee_.lanes()) {
  if (lanes_ != nullptr) scalar_.emplace(*lanes_);
  const HloComputation& computation = *inst.callee(static_cast<i64>(i));
  for (const Instruction* parameter : computation.parameters()) {
    parameters_.push_back(parameter->shape().WithoutLayout());
  }
  const Shape root = computation.root()->shape().WithoutLayout();
  results_ = root.is_tuple() ? root.elements() : std::vector<Shape>{root};
}

// `lanes_` is null if the computation is not scalar arithmetic.
Status ScalarCallee::Run(std::span<const void* const> inputs, std::span<void* const> outputs,
                         i64 count) {
  if (lanes_ != nullptr && count >= kMinBlock) {
    return context_.executor.Run(*lanes_, inputs, outputs, count);
  }
  if (lanes_ != nullptr && count == 1) {
    scalar_->Run(inputs, outputs);
    return {};
  }
  std::vector<const void*> input(inputs.begin(), inputs.end());
  std::vector<void*> output(outputs.begin(), outputs.end());
  for (i64 e = 0; e < count; ++e) {
    if (lanes_ == nullptr) {
      AXLE_TRY(Call(inputs, outputs, e));
      continue;
    }
    scalar_->Run(input, output);
    for (size_t p = 0; p < input.size(); ++p) {
      input[p] = static_cast<const std::byte*>(input[p]) + ElementBytes(parameters_[p]);
    }
    for (size_t r = 0; r < output.size(); ++r) {
      output[r] = static_cast<std::byte*>(output[r]) + ElementBytes(results_[r]);
    }
  }
  return {};
}

// One call of the computation with the elements as scalar literals.
Status ScalarCallee::Call(std::span<const void* const> inputs, std::span<void* const> outputs,
                          i64 element) {
  AXLE_TRY(context_.Check());
  std::vector<Literal> args;
  for (size_t p = 0; p < parameters_.size(); ++p) {
    const i64 bytes = ElementBytes(parameters_[p]);
    Literal& arg = args.emplace_back(Literal::Uninitialized(parameters_[p]));
    std::memcpy(arg.mutable_bytes(), static_cast<const std::byte*>(inputs[p]) + element * bytes,
                static_cast<size_t>(bytes));
  }
  AXLE_ASSIGN(const Literal result, callee_.Call(args));
  for (size_t r = 0; r < results_.size(); ++r) {
    const Literal& value = result.shape().is_tuple() ? result.element(static_cast<i64>(r)) : result;
    const i64 bytes = ElementBytes(results_[r]);
    std::memcpy(static_cast<std::byte*>(outputs[r]) + element * bytes, value.bytes(),
                static_cast<size_t>(bytes));
  }
  return {};
}

// A reducer takes accumulators, then values, and gives accumulators; a single one need not be in a
// tuple.
Status CheckReducer(const Instruction& inst, size_t i, std::span<const ElementType> accumulators,
                    std::span<const ElementType> values) {
  std::vector<Shape> parameters, results;
  for (ElementType type : accumulators) results.emplace_back(type);
  parameters = results;
  for (ElementType type : values) parameters.emplace_back(type);
  const bool single =
      results.size() == 1 && !inst.callee(static_cast<i64>(i))->root()->shape().is_tuple();
  return CheckCallee(inst, i, parameters, single ? results[0] : Shape::Tuple(results));
}

// The rules that reduce and reduce-window have in common: as many init values as operands, scalars
// of their types.
StatusOr<std::vector<Shape>> CheckFoldOperands(const Instruction& inst) {
  const i64 n = inst.num_operands() / 2;
  if (n == 0) return OpError(inst, "has no operands");
  for (i64 i = 0; i < 2 * n; ++i) AXLE_TRY(ExpectArray(inst, i));
  Shape merged = inst.operand(0)->shape().WithoutLayout();
  for (i64 i = 0; i < n; ++i) {
    const Shape &operand = inst.operand(i)->shape(), &init = inst.operand(n + i)->shape();
    if (!SameDims(operand, merged)) return OpError(inst, "operands must have the same dimensions");
    const Shape scalar(operand.type());
    if (!Compatible(init, scalar)) {
      return OpError(inst, StrCat("init_value", n == 1 ? "" : StrCat(".", i), " must be ",
                                  scalar.ToString(), ", not ", init.ToString()));
    }
    MergeDynamic(operand, merged);
  }
  std::vector<Shape> operands;
  for (i64 i = 0; i < n; ++i) operands.push_back(merged.WithType(inst.operand(i)->shape().type()));
  return operands;
}

// Several results are a tuple, and a reducer that gives a tuple makes the result one.
StatusOr<Shape> FoldResult(const Instruction& inst, std::vector<Shape> results) {
  std::vector<ElementType> types;
  for (const Shape& result : results) types.push_back(result.type());
  AXLE_TRY(CheckReducer(inst, 0, types, types));
  const bool is_tuple = results.size() > 1 || inst.callee(0)->root()->shape().is_tuple();
  return is_tuple ? Shape::Tuple(std::move(results)) : results[0];
}

}  // namespace axle
