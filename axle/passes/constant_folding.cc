// Evaluates instructions whose operands are constants: add(constant, constant) becomes a constant.
//
// The value comes from the interpreter, which is the definition of every operation: a module of one
// computation is built around the instruction and run. Nothing is folded that is pinned, has an
// effect, depends on the device, or fails (its failure belongs to the run). Two forms:
//
//   add(broadcast(1), broadcast(2))          one element is computed and broadcast again
//   concatenate(constant, constant), ...     whole arrays
//
// The limits in the header bound both the work and the growth of the program: index maps must not
// give more elements than the constants have, reductions and the like read at most 16 KiB, and a
// called computation is scalar and has at most 100 instructions, so that its work follows from the
// size of the operands. One walk; operands come first, so chains fold in it.

#include "axle/passes/constant_folding.h"

#include <algorithm>

#include "axle/eval/evaluate.h"
#include "axle/ops/attributes/attributes.h"
#include "axle/ops/dynamic.h"
#include "axle/passes/dce.h"
#include "axle/passes/rebuild.h"
#include "axle/passes/simplify/rule.h"

namespace axle {
namespace {

// A called computation must be scalar arithmetic: its work is then bounded by the operands' size.
bool IsScalarWork(const HloComputation& computation) {
  constexpr size_t kMaxInstructions = 100;
  return computation.instructions().size() <= kMaxInstructions &&
         std::ranges::all_of(computation.instructions(), [](const Instruction* inst) {
           bool scalar = inst->callees().empty();
           ForEachLeaf(inst->shape(),
                       [&](const Shape& leaf, const Dims&) { scalar &= leaf.is_scalar(); });
           return scalar;
         });
}

bool IsSmallIota(const Instruction& inst) {
  return GetOpDef(inst).lowering == Lowering::kIota && inst.shape().rank() == 1 &&
         inst.shape().num_elements() <= kMaxFoldedIota;
}

// Runs the operation of `inst`, with result `shape`, on `operands`.
StatusOr<Literal> ValueOf(const Instruction& inst, const Shape& shape,
                          std::span<const Literal> operands) {
  Module module("fold");
  std::unordered_map<const HloComputation*, HloComputation*> cloned;
  std::vector<HloComputation*> callees;
  for (const HloComputation* callee : inst.callees()) {
    callees.push_back(module.CloneComputation(*callee, cloned));
  }
  HloComputation* entry = module.AddComputation("fold");
  std::vector<Instruction*> parameters;
  for (size_t i = 0; i < operands.size(); ++i) {
    auto number = std::make_shared<const ParameterAttrs>(ParameterAttrs{static_cast<i64>(i)});
    parameters.push_back(entry->Add({.opcode = Opcode::kParameter,
                                     .name = "operand",
                                     .shape = operands[i].shape(),
                                     .attrs = {GetOpDef(Opcode::kParameter).attrs, number}}));
  }
  entry->Add({.opcode = inst.opcode(),
              .name = inst.name(),
              .shape = shape,
              .operands = parameters,
              .callees = callees,
              .attrs = inst.attr_block(),
              .metadata = inst.metadata(),
              .id = inst.id()});
  entry->set_parameters(std::move(parameters));
  module.set_entry(entry);
  return Evaluate(module, operands);
}

class Folding : public Rebuilder, private Maker {
 public:
  Folding(const Module& module, PassContext& context)
      : Rebuilder(module, context.limits), context_(context) {}

 private:
  StatusOr<Instruction*> Visit(const Instruction& inst) override {
    Instruction* const copy = Copy(inst);
    if ((copy->num_operands() == 0 && !IsSmallIota(inst)) || IsPinned(inst) || !IsFoldable(inst) ||
        !effects().IsPlain(inst) || !inst.shape().is_array() || IsDynamic(inst)) {
      return copy;
    }
    replaced_ = &inst;
    Instruction* folded = FoldRepeated(*copy);
    if (folded == nullptr) folded = FoldArrays(*copy);
    if (folded == nullptr) return copy;
    ++context_.changes;
    return folded;
  }

  // An elementwise op on repeated scalars.
  Instruction* FoldRepeated(Instruction& inst) {
    if (GetOpDef(inst).lowering != Lowering::kElementwise || inst.shape().is_scalar()) {
      return nullptr;
    }
    std::vector<Literal> operands;
    bool is_by_element = false;  // bitcast-convert can change the rank
    for (i64 i = 0; i < inst.num_operands(); ++i) {
      const Instruction& operand = *inst.operand(i);
      const bool same = operand.shape().is_array() && SameDims(operand.shape(), inst.shape());
      if (!same && !operand.shape().is_scalar()) return nullptr;
      is_by_element |= same;
      const std::span<const std::byte> element = UniformBytes(operand);
      if (element.empty()) return nullptr;
      Literal& scalar = operands.emplace_back(Shape(TypeOf(operand)));
      std::ranges::copy(element, scalar.mutable_bytes());
    }
    if (!is_by_element) return nullptr;
    const auto value = ValueOf(inst, Shape(TypeOf(inst)), operands);
    const bool fits = value.ok() && value->shape() == Shape(TypeOf(inst));
    return fits ? Uniform(inst.shape(), *value) : nullptr;
  }

  // An array of `shape` with `element` everywhere.
  static Literal Repeated(const Shape& shape, std::span<const std::byte> element) {
    Literal literal(shape.WithoutLayout());
    std::byte* to = literal.mutable_bytes();
    for (const std::byte* end = to + literal.num_bytes(); to < end; to += element.size()) {
      std::ranges::copy(element, to);
    }
    return literal;
  }

  // Whole arrays: operands are constants or, for elementwise operations, broadcast constants.
  Instruction* FoldArrays(Instruction& inst) {
    const Lowering lowering = GetOpDef(inst).lowering;
    const bool is_index_map = lowering == Lowering::kIndexMap;
    const bool is_linear = is_index_map || lowering == Lowering::kElementwise;
    i64 bytes = 0, elements = 0;
    bool is_repeated = false;
    std::vector<Literal> operands;
    for (i64 i = 0; i < inst.num_operands(); ++i) {
      const Instruction& operand = *inst.operand(i);
      if (!operand.shape().is_array()) return nullptr;
      bytes += operand.shape().num_bytes();
      if (IsConstant(operand)) {
        operands.push_back(operand.attrs<ConstantAttrs>().literal);
        elements += operands.back().num_elements();
        continue;
      }
      const std::span<const std::byte> element = UniformBytes(operand);
      if (lowering != Lowering::kElementwise || element.empty() || bytes > kMaxFoldedOperandBytes) {
        return nullptr;
      }
      operands.push_back(Repeated(operand.shape(), element));
      is_repeated = true;
    }
    if (bytes > (is_linear ? kMaxFoldedOperandBytes : kMaxFoldedWorkBytes) ||
        inst.shape().num_bytes() > kMaxFoldedBytes ||
        ((is_repeated || is_index_map) && inst.shape().num_elements() > elements) ||
        !std::ranges::all_of(inst.callees(),
                             [](const HloComputation* callee) { return IsScalarWork(*callee); })) {
      return nullptr;
    }
    const auto value = ValueOf(inst, inst.shape(), operands);
    if (!value.ok()) return nullptr;
    Literal literal = value->Relayout(inst.shape().LayoutOrDefault());
    if (literal.shape() != inst.shape()) return nullptr;
    return Rebuilder::Make(*replaced_, Opcode::kConstant, inst.shape(), {},
                           Block(Opcode::kConstant, ConstantAttrs{std::move(literal)}));
  }

  Instruction* Add(Opcode opcode, const Shape& shape, std::span<Instruction* const> operands,
                   AttrBlock attrs, std::span<HloComputation* const> callees) override {
    return Rebuilder::Make(*replaced_, opcode, shape, operands, std::move(attrs), callees);
  }

  PassContext& context_;
  const Instruction* replaced_ = nullptr;
};

}  // namespace

StatusOr<std::unique_ptr<Module>> FoldConstants(const Module& module, PassContext& context) {
  AXLE_ASSIGN(std::unique_ptr<Module> folded, Folding(module, context).Run());
  if (context.changes == 0) return folded;
  return RemoveDeadCode(*folded, context.limits);
}

}  // namespace axle
