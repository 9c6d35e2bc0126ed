// scan: applies a computation to one slice after another and passes carries on. A scan that only
// computes running sums and products of floats is a prefix fold of each (prefix_fold.h).
//
// The general way calls to_apply once per step with slices of the inputs and the carries, and
// stores the outputs at the step's position. Run-time sizes of slices must not change between
// steps, because the outputs are stacked.

#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>

#include "axle/ops/elementwise.h"
#include "axle/ops/prefix_fold.h"
#include "axle/ops/scan_sums.h"

namespace axle {

extern const OpDef kScanDef;

namespace {

constexpr OperandSpec kScanOperands[] = {{"operand", kVariadic}};
constexpr CalleeSpec kScanCallees[] = {{"to_apply"}};
constexpr AttrSpec kScanAttrs[] = {
    Attr<&ScanAttrs::dimensions>("dimensions", {.field = 14}),
    Attr<&ScanAttrs::num_carries>("num_carries", {.field = 95}),
    Attr<&ScanAttrs::is_reverse>("is_reverse", {.field = 94}, Presence::kOptional),
    Attr<&ScanAttrs::is_associative>("is_associative", {.field = 96}, Presence::kOptional),
};

i64 NumInputs(const Instruction& inst) {
  return inst.num_operands() - inst.attrs<ScanAttrs>().num_carries;
}
// The results of to_apply; a single array need not be in a tuple.
std::vector<Shape> GivenShapes(const Instruction& inst) {
  const Shape& root = inst.callee(0)->root()->shape();
  if (!root.is_tuple()) return {root};
  return {root.elements().begin(), root.elements().end()};
}
i64 NumOutputs(const Instruction& inst) {
  return std::ssize(GivenShapes(inst)) - inst.attrs<ScanAttrs>().num_carries;
}
// The shape of element i of the result.
const Shape& ResultShape(const Instruction& inst, i64 i) {
  return inst.shape().is_tuple() ? inst.shape().element(i) : inst.shape();
}
Literal ScanResult(const Instruction& inst, std::vector<Literal> results) {
  return inst.shape().is_tuple() ? Literal::Tuple(std::move(results)) : std::move(results[0]);
}

// A slice has the dimensions of the array without that of the steps.
Shape SliceShape(const Shape& stacked, i64 dim) {
  Shape slice = stacked.WithoutLayout();
  slice.DeleteDim(dim);
  return slice;
}

// The inverse: a dimension of `size` steps inserted at `dim`.
Shape StackedShape(const Shape& slice, i64 dim, i64 size, bool is_dynamic) {
  Shape stacked(slice.type());
  for (i64 d = 0; d <= slice.rank(); ++d) {
    if (d == dim) stacked.AppendDim(size, is_dynamic);
    if (d < slice.rank()) stacked.AppendDim(slice.dim(d), slice.is_dynamic(d));
  }
  return stacked;
}

// The number of steps: the size of the inputs; without inputs, what the declared shape says.
StatusOr<i64> NumSteps(const Instruction& inst, i64 dim) {
  for (i64 i = 0; i < NumInputs(inst); ++i) {
    const Shape& input = inst.operand(i)->shape();
    if (dim >= input.rank()) {
      return OpError(inst,
                     StrCat("dimension ", dim, " is not one of input ", i, ", ", input.ToString()));
    }
    const i64 size = inst.operand(0)->shape().dim(dim);
    if (input.dim(dim) != size) {
      return OpError(inst, StrCat("dimension ", dim, " has size ", size, " in input 0 but ",
                                  input.dim(dim), " in input ", i));
    }
  }
  if (NumInputs(inst) > 0) return inst.operand(0)->shape().dim(dim);
  const Shape& declared = inst.shape();
  const bool has_first = !declared.is_tuple() || declared.num_tuple_elements() > 0;
  if (NumOutputs(inst) > 0 && has_first) {
    const Shape& first = ResultShape(inst, 0);
    if (first.is_array() && dim < first.rank()) return first.dim(dim);
  }
  return OpError(inst, "without inputs, the declared shape of an output must say how many steps");
}

// to_apply gives outputs, then carries. Carries keep their shapes.
StatusOr<Shape> InferScan(const Instruction& inst) {
  const auto& [dimensions, num_carries, is_reverse, is_associative] = inst.attrs<ScanAttrs>();
  for (i64 i = 0; i < inst.num_operands(); ++i) AXLE_TRY(ExpectArray(inst, i));
  if (dimensions.size() != 1 || dimensions[0] < 0) {
    return OpError(inst, StrCat("dimensions is {", Join(dimensions, ","),
                                "}, must be the one dimension of the steps"));
  }
  if (num_carries < 0 || num_carries > inst.num_operands()) {
    return OpError(inst, StrCat("num_carries is ", num_carries, " but there are ",
                                inst.num_operands(), " operands"));
  }
  const Shape& root = inst.callee(0)->root()->shape();
  const std::vector<Shape> given = GivenShapes(inst);
  if ((!root.is_tuple() && !root.is_array()) || std::ssize(given) < num_carries) {
    return OpError(inst, StrCat("to_apply must give a tuple of outputs and ", num_carries,
                                " carries, not ", root.ToString()));
  }
  const i64 dim = dimensions[0];
  AXLE_ASSIGN(const i64 num_steps, NumSteps(inst, dim));
  bool is_dynamic = false;
  std::vector<Shape> parameters, results;
  for (i64 i = 0; i < inst.num_operands(); ++i) {
    const Shape& operand = inst.operand(i)->shape();
    const bool is_input = i < NumInputs(inst);
    is_dynamic = is_dynamic || (is_input && operand.is_dynamic(dim));
    parameters.push_back(is_input ? SliceShape(operand, dim) : operand);
  }
  for (i64 i = 0; i < std::ssize(given); ++i) {
    const bool is_output = i < NumOutputs(inst);
    results.push_back(is_output ? given[i] : parameters[NumInputs(inst) + i - NumOutputs(inst)]);
  }
  AXLE_TRY(CheckCallee(inst, 0, parameters, root.is_tuple() ? Shape::Tuple(results) : results[0]));
  for (i64 i = 0; i < NumOutputs(inst); ++i) {
    if (!results[i].is_array() || dim > results[i].rank()) {
      return OpError(inst, StrCat("output ", i, " of to_apply is ", results[i].ToString(),
                                  ", which has no place for dimension ", dim));
    }
    results[i] = StackedShape(results[i], dim, num_steps, is_dynamic);
  }
  const Shape& stated = inst.shape();
  const bool says_nothing = stated.is_tuple() && stated.num_tuple_elements() == 0;
  const bool is_array = says_nothing ? !root.is_tuple() : !stated.is_tuple();
  return is_array && results.size() == 1 ? results[0] : Shape::Tuple(std::move(results));
}

// The memory of a slice: `count` pieces of `bytes` bytes, `stride` bytes apart.
struct Slices {
  Slices(const Shape& stacked, i64 dim) {
    for (i64 d = 0; d < dim; ++d) count *= stacked.dim(d);
    bytes = Info(stacked.type()).bytes;
    for (i64 d = dim + 1; d < stacked.rank(); ++d) bytes *= stacked.dim(d);
    stride = bytes * stacked.dim(dim);
  }
  i64 count = 1;
  i64 bytes;
  i64 stride;
};

// Calls fn(d, e) for each dynamic dimension e of an array that is dimension d of its slices.
template <typename Fn>
void ForEachDynamicDim(const Shape& stacked, i64 dim, const Fn& fn) {
  for (i64 d = 0; d < stacked.rank(); ++d) {
    if (d != dim && stacked.is_dynamic(d)) fn(d < dim ? d : d - 1, d);
  }
}

// Copies slice `step` out of an array.
StatusOr<Literal> TakeSlice(const Literal& stacked, i64 dim, i64 step) {
  AXLE_ASSIGN(Literal slice, Literal::CreateUninitialized(SliceShape(stacked.shape(), dim)));
  ForEachDynamicDim(stacked.shape(), dim,
                    [&](i64 to, i64 from) { slice.SetSizeBeforeFlags(to, stacked.size(from)); });
  const Slices where(stacked.shape(), dim);
  if (slice.num_bytes() == 0) return slice;
  std::byte* to = slice.mutable_bytes();
  for (i64 i = 0; i < where.count; ++i) {
    std::memcpy(to + i * where.bytes, stacked.bytes() + i * where.stride + step * where.bytes,
                static_cast<size_t>(where.bytes));
  }
  return slice;
}

// Copies a slice into its place.
void PutSlice(const Literal& slice, i64 dim, i64 step, Literal& stacked) {
  if (slice.num_bytes() == 0) return;
  const Slices where(stacked.shape(), dim);
  std::byte* to = stacked.mutable_bytes();
  for (i64 i = 0; i < where.count; ++i) {
    std::memcpy(to + i * where.stride + step * where.bytes, slice.bytes() + i * where.bytes,
                static_cast<size_t>(where.bytes));
  }
}

// The arrays that outputs are stored into, with the sizes of the bounds.
// Outputs of a dynamic scan begin as zeros, which remain as padding.
StatusOr<std::vector<Literal>> MakeOutputs(const Instruction& inst) {
  std::vector<Literal> outputs;
  for (i64 i = 0; i < NumOutputs(inst); ++i) {
    const Shape shape = ResultShape(inst, i).WithoutLayout();
    // Padding is zeros in the end.
    AXLE_ASSIGN(outputs.emplace_back(),
                shape.is_static() ? Literal::CreateUninitialized(shape) : Literal::Create(shape));
  }
  return outputs;
}

// The number of steps at run time: dynamic inputs must agree, and static ones are cut to that size.
StatusOr<i64> NumStepsNow(const Instruction& inst, i64 dim, std::span<const Literal> inputs) {
  AXLE_ASSIGN(i64 num_steps, NumSteps(inst, dim));
  const Literal* first = nullptr;
  for (const Literal& input : inputs) {
    if (!input.shape().is_dynamic(dim)) continue;
    if (first == nullptr) {
      first = &input;
      num_steps = input.size(dim);
    } else if (input.size(dim) != num_steps) {
      return OpError(inst, StrCat("dimension ", dim, " has run-time size ", num_steps, " in input ",
                                  first - inputs.data(), " but ", input.size(dim), " in input ",
                                  &input - inputs.data()));
    }
  }
  return num_steps;
}

// The run-time sizes of a slice are those of what it is put into; all slices have the same.
Status TakeSizes(const Instruction& inst, const Literal& slice, i64 dim, bool is_first,
                 Literal& stacked) {
  Status status;
  ForEachDynamicDim(stacked.shape(), dim, [&](i64 from, i64 to) {
    if (is_first) {
      stacked.SetSizeBeforeFlags(to, slice.size(from));
    } else if (stacked.size(to) != slice.size(from)) {
      status = OpError(inst, StrCat("to_apply gives outputs of run-time sizes ", stacked.size(to),
                                    " and ", slice.size(from)));
    }
  });
  return status;
}

// Each carry is a prefix fold of its input; outputs are those folds, and the last carries are their
// last slices.
StatusOr<Literal> EvalSums(const ScanSums& sums, const Instruction& inst,
                           std::span<Literal> operands, const EvalContext& context) {
  const ScanAttrs& attrs = inst.attrs<ScanAttrs>();
  const i64 dim = attrs.dimensions[0], num_inputs = NumInputs(inst);
  std::vector<Literal> running, last;
  for (size_t c = 0; c < sums.carries.size(); ++c) {
    const Literal& input = operands[sums.carries[c].input];
    Literal& carry = operands[num_inputs + static_cast<i64>(c)];
    const Shape& shape = input.shape();
    AXLE_ASSIGN(Literal result, Literal::CreateUninitialized(shape.WithoutLayout()));
    const i64 steps = shape.dim(dim);
    if (shape.num_elements() == 0) {
      running.push_back(std::move(result));
      last.push_back(std::move(carry));
      continue;
    }
    i64 outer = 1, inner = 1;
    for (i64 d = 0; d < dim; ++d) outer *= shape.dim(d);
    for (i64 d = dim + 1; d < shape.rank(); ++d) inner *= shape.dim(d);
    const PrefixFold fold =
        PrefixFold::Make(sums.carries[c].kind, shape.type(), outer, steps, inner, attrs.is_reverse);
    AXLE_TRY(RunPrefixFold(fold, input.bytes(), carry.bytes(), true, result.mutable_bytes(),
                           [&] { return context.Check(); }));
    AXLE_ASSIGN(last.emplace_back(), TakeSlice(result, dim, attrs.is_reverse ? 0 : steps - 1));
    running.push_back(std::move(result));
  }
  std::vector<Literal> results;
  for (const i64 carry : sums.outputs) results.push_back(running[carry]);
  std::ranges::move(last, std::back_inserter(results));
  return Literal::Tuple(std::move(results));
}

// Recognised sums are folded at once; all other bodies are called step by step.
StatusOr<Literal> EvalScan(const Instruction& inst, std::span<Literal> operands,
                           const EvalContext& context) {
  const bool is_bare = !inst.shape().is_tuple() || !inst.callee(0)->root()->shape().is_tuple();
  const auto sums = is_bare ? std::nullopt : FindScanSums(inst);
  if (sums) return EvalSums(*sums, inst, operands, context);
  const ScanAttrs& attrs = inst.attrs<ScanAttrs>();
  const i64 dim = attrs.dimensions[0], num_outputs = NumOutputs(inst);
  const std::span<Literal> inputs = operands.first(NumInputs(inst));
  AXLE_ASSIGN(const i64 num_steps, NumStepsNow(inst, dim, inputs));
  std::vector<Literal> carries(std::make_move_iterator(operands.begin() + NumInputs(inst)),
                               std::make_move_iterator(operands.end()));
  AXLE_ASSIGN(std::vector<Literal> outputs, MakeOutputs(inst));
  for (i64 n = 0; n < num_steps; ++n) {
    AXLE_TRY(context.Step());
    const i64 step = attrs.is_reverse ? num_steps - 1 - n : n;
    std::vector<Literal> arguments;
    for (const Literal& input : inputs) {
      AXLE_ASSIGN(Literal slice, TakeSlice(input, dim, step));
      arguments.push_back(std::move(slice));
    }
    std::ranges::move(carries, std::back_inserter(arguments));
    AXLE_ASSIGN(Literal given, context.callee().Call(arguments));
    std::vector<Literal> elements;
    if (given.shape().is_tuple()) {
      elements = std::move(given.mutable_elements());
    } else {
      elements.push_back(std::move(given));
    }
    for (i64 i = 0; i < num_outputs; ++i) {
      AXLE_TRY(TakeSizes(inst, elements[i], dim, n == 0, outputs[i]));
      PutSlice(elements[i], dim, step, outputs[i]);
    }
    carries.assign(std::make_move_iterator(elements.begin() + num_outputs),
                   std::make_move_iterator(elements.end()));
  }
  for (Literal& output : outputs) {
    if (output.shape().is_dynamic(dim)) output.SetSizeBeforeFlags(dim, num_steps);
  }
  std::ranges::move(carries, std::back_inserter(outputs));
  return ScanResult(inst, std::move(outputs));
}

}  // namespace

const OpDef kScanDef = {
    .opcode = Opcode::kScan,
    .text = "scan",
    .summary = "Applies a computation to slice after slice of the inputs, handing carries on.",
    .semantics =
        "Operands are inputs and, as the last `num_carries` of them, the first carries. In each "
        "step to_apply takes the inputs' slices at that step, without the dimension that "
        "`dimensions` names, and the carries, and gives a tuple of outputs and the carries of the "
        "next step. The result is a tuple of the outputs, stacked along that dimension, and the "
        "last carries. One array may stand in the place of a tuple of one, in the result of "
        "to_apply "
        "and in that of the scan. With is_reverse the steps go from the last slice to the first, "
        "and outputs "
        "stand where their inputs stood. All inputs have the same size in the dimension; without "
        "inputs, the declared shape of the first output says how many steps there are. "
        "is_associative is carried and changes nothing. A scan whose carries are sums or products "
        "of themselves and a slice of floats, and whose outputs are those, folds as reduce-window "
        "does, narrow floats as f32. Dynamic inputs agree in the number of "
        "steps, static ones are cut to them; padding takes no part.",
    .source = "XLA Scan; CHLO scan",
    .operands = kScanOperands,
    .attrs = Schema<ScanAttrs>(kScanAttrs),
    .callees = kScanCallees,
    .lowering = Lowering::kControlFlow,
    .infer = InferScan,
    .eval = EvalScan,
};

}  // namespace axle
