// Runs instructions on values with run-time sizes. The header says which class of op goes which
// way; every way ends in Substitute, which puts the instruction into a module of one instruction
// with the run-time sizes as static shapes and asks the row's own infer for the result. If infer
// refuses the sizes, its message comes back with the sizes and the bounds that led to it.
//
// Example: add(f32[<=8], f32[<=8]) on values of 5 and 5 elements cuts both to f32[5], infers and
// runs add(f32[5], f32[5]), and copies the five sums to the front of an f32[8]. With 5 and 6
// elements the run is an error that names both operands. The price is a copy of each cut operand
// and of the result; a value that is as large as its bound is not copied.

#include "axle/ops/dynamic.h"

#include <algorithm>

#include "axle/core/storage.h"
#include "axle/core/strings.h"
#include "axle/ops/attributes/attributes.h"
#include "axle/ops/lanes/lane_compiler.h"

namespace axle {
namespace {

// How many elements a lane program runs between two checks of the limits.
constexpr i64 kSliceSize = 1 << 14;

// One elementwise instruction of static shape as a lane program.
// Compiled at each run, since the shapes are not known before.
StatusOr<LaneProgram> CompileElementwise(const Instruction& inst) {
  LaneCompiler compiler;
  for (i64 i = 0; i < inst.num_operands(); ++i) compiler.AddInput(*inst.operand(i));
  if (!compiler.Add(inst)) {
    return OpError(inst, "is not defined for these types", StatusCode::kUnimplemented);
  }
  const Instruction* const results[] = {&inst};
  return std::move(compiler).Finish(results);
}

// Runs the program. A scalar operand of an op on arrays stands for all elements.
StatusOr<Literal> RunElementwise(const Instruction& inst, const LaneProgram& program,
                                 std::span<const Literal> operands, const EvalContext& context) {
  AXLE_ASSIGN(Literal result, Literal::CreateUninitialized(inst.shape().WithoutLayout()));
  const i64 count = result.num_elements();
  std::vector<Literal> arrays;
  // A scalar operand is repeated for a slice, whose copy all slices read (step 0).
  std::vector<i64> steps;  // in bytes per element
  for (const Literal& operand : operands) {
    const i64 bytes = Info(operand.shape().type()).bytes;
    const bool repeats = operand.shape().is_scalar() && !result.shape().is_scalar();
    steps.push_back(repeats ? 0 : bytes);
    arrays.push_back(operand);
    if (!repeats) continue;
    arrays.back() =
        Literal::Uninitialized(Shape(operand.shape().type(), {std::min(count, kSliceSize)}));
    std::byte* const copies = arrays.back().mutable_bytes();
    for (i64 i = 0; i < arrays.back().num_elements(); ++i) {
      std::copy_n(operand.bytes(), bytes, copies + i * bytes);
    }
  }
  std::vector<const void*> inputs(operands.size());
  const i64 result_bytes = Info(result.shape().type()).bytes;
  std::byte* const out = result.mutable_bytes();
  for (i64 begin = 0; begin < count; begin += kSliceSize) {
    AXLE_TRY(context.Check());
    for (size_t i = 0; i < inputs.size(); ++i) inputs[i] = arrays[i].bytes() + begin * steps[i];
    void* const output = out + begin * result_bytes;
    AXLE_TRY(
        context.executor.Run(program, inputs, {&output, 1}, std::min(kSliceSize, count - begin)));
  }
  return result;
}

bool IsStatic(const Instruction* inst) {
  return inst->shape().is_static();
}

// Applies the row's rules to the run-time sizes. An error has the row's message and the bounds.
// The text of the rule comes from the row; the shapes that it prints are replaced by the run-time
// shapes.
Status SizesDoNotFit(const Instruction& inst, std::span<const Literal> operands,
                     const Status& status) {
  if (status.code() == StatusCode::kResourceExhausted) return status;
  const auto text = [](const Literal& operand) { return operand.shape().ToString(); };
  std::string_view rule = status.message();
  const std::string prefix = StrCat(GetOpDef(inst).text, ": ");
  if (rule.starts_with(prefix)) rule.remove_prefix(prefix.size());
  rule = rule.substr(0, rule.find("; "));
  return OpError(inst, StrCat("at run time, on (", Join(operands, ", ", text), "): ", rule),
                 status.code());
}

// The result of a control-flow or data op, with the dynamic flags of the instruction's shape.
StatusOr<Literal> PassThrough(const Instruction& inst, std::span<Literal> operands,
                              const EvalContext& context) {
  return GetOpDef(inst).eval(inst, operands, context);
}

// The class of an op decides how it runs on dynamic values: by a function of its own, cut alike,
// passed through, or cut operand by operand.
StatusOr<Literal> EvaluateByClass(const Instruction& inst, std::span<Literal> operands,
                                  const EvalContext& context) {
  const OpDef& def = GetOpDef(inst);
  if (def.eval_dynamic != nullptr) return def.eval_dynamic(inst, operands, context);
  if (def.lowering == Lowering::kElementwise) {
    return EvaluateCutAlike(inst, operands, context);
  }
  const bool passes = def.lowering == Lowering::kControlFlow || def.lowering == Lowering::kData;
  if (passes && def.eval != nullptr) return PassThrough(inst, operands, context);
  if (def.declared_shape) {
    return OpError(inst,
                   StrCat("does not run with dynamic dimensions; result ", inst.shape().ToString()),
                   StatusCode::kUnimplemented);
  }
  return EvaluateCut(inst, operands, context);
}

// Puts `value`, of static shape, into an array of the bounds of `shape`.
// Tuples are padded element by element.
StatusOr<Literal> PutIntoShape(const Instruction& inst, const Literal& value, const Shape& shape) {
  if (!shape.is_array()) {
    std::vector<Literal> elements;
    for (i64 i = 0; i < static_cast<i64>(value.elements().size()); ++i) {
      AXLE_ASSIGN(auto element, PutIntoShape(inst, value.element(i), shape.element(i)));
      elements.push_back(std::move(element));
    }
    return shape.is_tuple() ? Literal::Tuple(std::move(elements)) : value;
  }
  AXLE_INVARIANT(value.shape().rank() == shape.rank(), "run-time sizes do not change a rank");
  for (i64 d = 0; d < shape.rank(); ++d) {
    const i64 size = value.shape().dim(d);
    if (size > shape.dim(d) || (size != shape.dim(d) && !shape.is_dynamic(d))) {
      return OpError(inst, StrCat("dimension ", d, " of the result ", shape.ToString(),
                                  " would have run-time size ", size));
    }
  }
  return Literal::Padded(value, shape);
}

}  // namespace

bool IsDynamic(const Instruction& inst) {
  if (!inst.shape().is_static()) return true;
  for (i64 i = 0; i < inst.num_operands(); ++i) {
    if (!IsStatic(inst.operand(i))) return true;
  }
  return false;
}

// Whatever the way, the result must have the shape of the instruction with its dynamic flags.
StatusOr<Literal> EvaluateDynamic(const Instruction& inst, std::span<Literal> operands,
                                  const EvalContext& context) {
  AXLE_ASSIGN(Literal result, EvaluateByClass(inst, operands, context));
  result.SetDynamicFlags(inst.shape());
  if (!EqualIgnoringLayout(result.shape(), inst.shape())) {
    return OpError(inst, StrCat("gives ", result.ShapeToString(), " at run time but its shape is ",
                                inst.shape().ToString()));
  }
  return result;
}

// The scrap module has the device counts of the original, because rows of collectives look at them.
StatusOr<Substitute> Substitute::Make(const Instruction& inst, Opcode opcode, AttrBlock attrs,
                                      std::span<const Literal> operands, const Shape* declared) {
  Substitute made;
  made.module_ = std::make_unique<Module>("substitute");
  if (inst.parent() != nullptr) {
    const ModuleConfig& config = inst.parent()->module()->config();
    made.module_->config().replica_count = config.replica_count;
    made.module_->config().num_partitions = config.num_partitions;
  }
  HloComputation* computation = made.module_->AddComputation("substitute");
  const OpDef& parameter = GetOpDef(Opcode::kParameter);
  std::vector<Instruction*> parameters;
  for (const Literal& operand : operands) {
    const auto number = std::make_shared<ParameterAttrs>();
    number->number = static_cast<i64>(parameters.size());
    parameters.push_back(computation->Add({.opcode = Opcode::kParameter,
                                           .name = "operand",
                                           .shape = operand.shape().WithoutLayout(),
                                           .attrs = {parameter.attrs, number}}));
  }
  // The element type of a result may be a part of the program: that of a dot is.
  const Shape hint = inst.shape().is_array() ? Shape(inst.shape().type()) : Shape();
  Instruction* copy = computation->Add({.opcode = opcode,
                                        .name = inst.name(),
                                        .shape = declared != nullptr ? *declared : hint,
                                        .operands = parameters,
                                        .callees = inst.callees(),
                                        .attrs = std::move(attrs),
                                        .metadata = inst.metadata(),
                                        .id = inst.id()});
  if (inst.extras() != nullptr) {
    InstructionExtras extras = *inst.extras();
    extras.control_predecessors.clear();
    computation->MutableExtras(copy) = std::move(extras);
  }
  const StatusOr<Shape> shape = InferShape(*copy);
  if (!shape.ok()) return SizesDoNotFit(inst, operands, shape.status());
  computation->SetShape(copy, *shape);
  made.inst_ = copy;
  return made;
}

// Runs the substitute by the kind of its row, without a pass or an engine between.
StatusOr<Literal> Substitute::Evaluate(std::span<Literal> operands,
                                       const EvalContext& context) const {
  const Instruction& inst = *inst_;
  if (IsDynamic(inst)) return EvaluateDynamic(inst, operands, context);
  const OpDef& def = GetOpDef(inst);
  AXLE_TRY(CheckStorage(inst.shape().num_bytes()));
  if (def.lowering == Lowering::kElementwise) {
    AXLE_ASSIGN(const LaneProgram program, CompileElementwise(inst));
    return RunElementwise(inst, program, operands, context);
  }
  if (def.index_map != nullptr) {
    return EvaluateIndexMap(def.index_map(inst), inst.shape(), operands);
  }
  if (def.eval != nullptr) return def.eval(inst, operands, context);
  return OpError(inst, "has no evaluator", StatusCode::kUnimplemented);
}

// Cuts every operand to its run-time sizes.
StatusOr<Literal> EvaluateCut(const Instruction& inst, std::span<Literal> operands,
                              const EvalContext& context) {
  for (Literal& operand : operands) operand = operand.ValidPart();
  AXLE_ASSIGN(const Substitute substitute, Substitute::Create(inst, operands));
  AXLE_ASSIGN(const Literal result, substitute.Evaluate(operands, context));
  return PutIntoBounds(inst, result);
}

// Static operands impose no size: only dynamic ones must agree.
StatusOr<Dims> AgreedSizes(const Instruction& inst, std::span<const Literal> operands) {
  Dims sizes;
  std::vector<size_t> from;  // the operand that each dynamic size is from
  for (size_t i = 0; i < operands.size(); ++i) {
    const Literal& operand = operands[i];
    if (operand.shape().is_scalar()) continue;
    if (sizes.empty()) {
      sizes = operand.shape().dims();
      from.assign(sizes.size(), operands.size());
    }
    for (i64 d = 0; d < operand.shape().rank(); ++d) {
      if (!operand.shape().is_dynamic(d)) continue;
      if (from[d] < operands.size() && sizes[d] != operand.size(d)) {
        return OpError(
            inst, StrCat("dimension ", d, " has run-time size ", sizes[d], " in operand ", from[d],
                         " but ", operand.size(d), " in operand ", i));
      }
      sizes[d] = operand.size(d);
      from[d] = i;
    }
  }
  return sizes;
}

// All arrays of an elementwise op have one shape at run time.
StatusOr<Literal> EvaluateCutAlike(const Instruction& inst, std::span<Literal> operands,
                                   const EvalContext& context) {
  AXLE_ASSIGN(const Dims sizes, AgreedSizes(inst, operands));
  for (Literal& operand : operands) {
    if (!operand.shape().is_scalar()) operand = FirstElements(operand, sizes);
  }
  const Shape declared(inst.shape().type(), sizes);
  AXLE_ASSIGN(const Substitute substitute,
              Substitute::Create(inst, operands, inst.shape().is_array() ? &declared : nullptr));
  AXLE_ASSIGN(const Literal result, substitute.Evaluate(operands, context));
  return PutIntoBounds(inst, result);
}

StatusOr<Literal> PutIntoBounds(const Instruction& inst, const Literal& value) {
  return PutIntoShape(inst, value, inst.shape());
}

Literal WholeBuffer(const Literal& value) {
  return value.WithShape(Shape(value.shape().type(), value.shape().dims()));
}

// Sets the run-time sizes and copies the elements that remain.
Literal FirstElements(const Literal& value, const Dims& sizes) {
  Literal part = value;
  for (i64 d = 0; d < value.shape().rank(); ++d) part.SetSizeBeforeFlags(d, sizes[d]);
  return part.ValidPart();
}

// Pads a value to larger sizes with a scalar, as an index map of two pieces.
StatusOr<Literal> Extended(const Literal& value, const Dims& sizes, const Literal& fill) {
  const Shape shape(value.shape().type(), sizes);
  const IndexMap map = {WholeResult(shape, 1, 0, Dims(shape.rank(), kNoSourceDim)),
                        WholeOperand(value.shape(), 0, Dims(shape.rank(), 0))};
  Literal operands[] = {value, fill};
  return EvaluateIndexMap(map, shape, operands);
}

}  // namespace axle
