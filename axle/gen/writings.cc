// Each writing is a copy of the module (passes/rebuild.h) in which an instruction, drawn with the
// seed, is replaced by another way to say it: by itself with a layout, by a call or a fusion of a
// computation that has it alone, by itself and two reshapes. Left alone are instructions with
// effects, those that move no array, and computations whose form decides about bits (frozen ones).
// A dump has the layouts that the passes leave and is read back as text. The branch goes around the
// whole: the entry becomes a computation, which both sides of a conditional call.
#include "axle/gen/writings.h"

#include <array>
#include <vector>

#include "axle/core/strings.h"
#include "axle/gen/body.h"
#include "axle/gen/random.h"
#include "axle/ops/attributes/attributes.h"
#include "axle/passes/pipeline.h"
#include "axle/passes/rebuild.h"
#include "axle/text/parse.h"
#include "axle/text/print.h"

namespace axle {
namespace {

constexpr std::array kAll = {Writing::kLayouts,  Writing::kCalls,  Writing::kFusions,
                             Writing::kReshapes, Writing::kBranch, Writing::kOptimised};
constexpr i64 kPercent = 60;  // of the instructions that could be rewritten

// Whether an instruction is asked for the layouts of its operands or its result.
bool MeansLayouts(const Instruction& inst) {
  return Is(inst, Opcode::kBitcast) || HasSideEffect(inst);
}

bool AnyMeansLayouts(const Module& module) {
  for (const auto& computation : module.computations()) {
    for (const Instruction* inst : computation->instructions()) {
      if (MeansLayouts(*inst)) return true;
    }
  }
  return false;
}

class Rewriting : public Rebuilder {
 public:
  Rewriting(const Module& module, Writing writing, std::uint64_t seed)
      : Rebuilder(module, nullptr), writing_(writing), random_(seed) {}
  i64 num_changes() const { return num_changes_; }

 private:
  // Gives an array and does nothing else.
  bool IsPlainArray(const Instruction& inst) const {
    const OpDef& def = GetOpDef(inst);
    return inst.shape().is_array() && inst.shape().is_static() && !IsPinned(inst) &&
           IsMergeable(inst) && def.lowering != Lowering::kData &&
           def.lowering != Lowering::kCollective && def.check_uses == nullptr &&
           inst.parent()->execution_thread().empty();
  }

  StatusOr<Instruction*> Visit(const Instruction& inst) override {
    if (!IsPlainArray(inst) || !random_.Percent(kPercent)) return Copy(inst);
    switch (writing_) {
      case Writing::kLayouts:
        return WithLayout(inst);
      case Writing::kCalls:
        return Outlined(inst, Opcode::kCall, Block(Opcode::kCall, CallAttrs{}));
      case Writing::kFusions:
        return Outlined(inst, Opcode::kFusion, Block(Opcode::kFusion, FusionAttrs{}));
      case Writing::kReshapes:
        return Reshaped(inst);
      default:
        return Copy(inst);
    }
  }

  Instruction* WithLayout(const Instruction& inst) {
    if (inst.shape().rank() < 2 || (inst.parent()->root() == &inst)) return Copy(inst);
    ++num_changes_;
    return CopyAs(inst.name(), inst, Operands(inst), WithAnyLayout(random_, inst.shape()),
                  inst.attr_block());
  }

  Instruction* Outlined(const Instruction& inst, Opcode opcode, AttrBlock attrs) {
    for (i64 i = 0; i < inst.num_operands(); ++i) {
      if (!inst.operand(i)->shape().is_array()) return Copy(inst);
    }
    ++num_changes_;
    const std::vector<Instruction*> operands = Operands(inst);
    Suspend(FreshName("outlined"));
    std::vector<Instruction*> parameters;
    for (size_t i = 0; i < operands.size(); ++i) {
      parameters.push_back(Make(inst, Opcode::kParameter, operands[i]->shape(), {},
                                Block(Opcode::kParameter, ParameterAttrs{static_cast<i64>(i)})));
    }
    Instruction* const copy = CopyAs(FreshName("inner"), inst, parameters);
    to()->set_parameters(std::move(parameters));
    to()->set_root(copy);
    HloComputation* const callee = Resume();
    return Make(inst, opcode, inst.shape(), operands, std::move(attrs), {&callee, 1});
  }

  Instruction* Reshaped(const Instruction& inst) {
    Instruction* const copy = Copy(inst);
    if (inst.shape().rank() == 0 || inst.parent()->root() == &inst) return copy;
    ++num_changes_;
    const Shape shape = inst.shape().WithoutLayout();
    const Shape flat(shape.type(), {shape.num_elements()});
    Instruction* const line =
        Make(inst, Opcode::kReshape, flat, {&copy, 1}, Block(Opcode::kReshape, ReshapeAttrs{}));
    return Make(inst, Opcode::kReshape, shape, {&line, 1}, Block(Opcode::kReshape, ReshapeAttrs{}));
  }

  const Writing writing_;
  Random random_;
  i64 num_changes_ = 0;
};

// What the entry gives, by a conditional on a pred that nobody knows before the run.
StatusOr<std::unique_ptr<Module>> InBranch(const Module& module) {
  if (module.entry()->parameters().empty()) {
    return FailedPrecondition("branch: the entry has no parameters");
  }
  std::unique_ptr<Module> result = module.Clone();
  HloComputation* const inner = result->entry();
  HloComputation* const entry = result->AddComputation("in_branch");
  const auto block = [](Opcode opcode, auto attrs) {
    return AttrBlock{GetOpDef(opcode).attrs,
                     std::make_shared<const decltype(attrs)>(std::move(attrs))};
  };
  const auto plain = [](Opcode opcode) {
    const AttrSchema& schema = GetOpDef(opcode).attrs;
    return AttrBlock{schema, schema.create()};
  };
  std::vector<Instruction*> parameters;
  std::vector<Shape> shapes;
  for (const Instruction* parameter : inner->parameters()) {
    const i64 number = std::ssize(parameters);
    parameters.push_back(entry->Add({.opcode = Opcode::kParameter,
                                     .name = StrCat("given.", number),
                                     .shape = parameter->shape(),
                                     .attrs = block(Opcode::kParameter, ParameterAttrs{number})}));
    shapes.push_back(parameter->shape());
  }
  const Shape pred(PRED);
  Instruction* const known =
      entry->Add({.opcode = Opcode::kConstant,
                  .name = "known",
                  .shape = pred,
                  .attrs = block(Opcode::kConstant, ConstantAttrs{Literal::Scalar(PRED, true)})});
  Instruction* const unknown = entry->Add({.opcode = Opcode::kOptBarrier,
                                           .name = "unknown",
                                           .shape = pred,
                                           .operands = {&known, 1},
                                           .attrs = plain(Opcode::kOptBarrier)});
  Instruction* const state = entry->Add({.opcode = Opcode::kTuple,
                                         .name = "state",
                                         .shape = Shape::Tuple(shapes),
                                         .operands = parameters,
                                         .attrs = plain(Opcode::kTuple)});
  HloComputation* const side = result->AddComputation("side");
  Instruction* const given = side->Add({.opcode = Opcode::kParameter,
                                        .name = "given",
                                        .shape = state->shape(),
                                        .attrs = block(Opcode::kParameter, ParameterAttrs{0})});
  std::vector<Instruction*> elements;
  for (const Shape& shape : shapes) {
    const i64 index = std::ssize(elements);
    elements.push_back(
        side->Add({.opcode = Opcode::kGetTupleElement,
                   .name = StrCat("element.", index),
                   .shape = shape,
                   .operands = {&given, 1},
                   .attrs = block(Opcode::kGetTupleElement, TupleIndexAttrs{index})}));
  }
  side->Add({.opcode = Opcode::kCall,
             .name = "whole",
             .shape = inner->root()->shape(),
             .operands = elements,
             .callees = {&inner, 1},
             .attrs = block(Opcode::kCall, CallAttrs{})});
  side->set_parameters({given});
  Instruction* const operands[] = {unknown, state, state};
  HloComputation* const sides[] = {side, side};
  entry->Add({.opcode = Opcode::kConditional,
              .name = "branch",
              .shape = inner->root()->shape(),
              .operands = operands,
              .callees = sides,
              .attrs = plain(Opcode::kConditional)});
  entry->set_parameters(std::move(parameters));
  result->set_entry(entry);
  return result;
}

}  // namespace

std::span<const Writing> AllWritings() {
  return kAll;
}

std::string_view WritingName(Writing writing) {
  switch (writing) {
    case Writing::kLayouts:
      return "layouts";
    case Writing::kCalls:
      return "calls";
    case Writing::kFusions:
      return "fusions";
    case Writing::kReshapes:
      return "reshapes";
    case Writing::kBranch:
      return "branch";
    case Writing::kOptimised:
      return "optimised";
  }
  return "";
}

StatusOr<std::unique_ptr<Module>> Rewritten(const Module& module, Writing writing,
                                            std::uint64_t seed) {
  std::unique_ptr<Module> result;
  if (writing == Writing::kBranch) {
    AXLE_ASSIGN(result, InBranch(module));
  } else if (writing == Writing::kOptimised) {
    AXLE_ASSIGN(result, RunPipeline(module));
  } else {
    if (writing == Writing::kLayouts && AnyMeansLayouts(module)) {
      return FailedPrecondition("layouts: something in the module means those that it has");
    }
    Rewriting rewriting(module, writing, seed);
    AXLE_ASSIGN(result, rewriting.Run());
    if (rewriting.num_changes() == 0) {
      return FailedPrecondition(StrCat(WritingName(writing), ": nothing in the module to rewrite"));
    }
  }
  // As somebody would read it.
  return Parse(Print(*result));
}

}  // namespace axle
