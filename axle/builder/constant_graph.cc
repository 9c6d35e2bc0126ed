// Finds out which values of a builder are constants, and computes them.
#include "axle/builder/builder_state.h"
#include "axle/builder/emit.h"
#include "axle/core/strings.h"
#include "axle/eval/evaluate.h"

namespace axle {
namespace {

// Returns whether the value of an instruction follows from its operands, on every device and at
// every time. In a called computation that holds for parameters, which are operands of the call.
bool IsFunction(const Instruction& inst, bool is_entry) {
  const OpDef& def = GetOpDef(inst);
  if (is_entry && IsParameter(inst)) return false;
  // An op with the attributes of a custom call is one, even if its function is not registered yet.
  if (inst.attr_block().schema.defaults == &kDefaultAttrs<CustomCallAttrs>) return false;
  if (def.lowering == Lowering::kCollective) return false;
  return !HasSideEffect(inst);
}

// Marks the instructions that `root` depends on, by index. Returns the instruction that makes it
// not constant, or null.
const Instruction* FindNonConstant(const Instruction& root, std::vector<bool>& needed) {
  std::unordered_set<const HloComputation*> called;
  std::vector<const HloComputation*> to_check;
  const auto visit = [&](const Instruction& inst, bool is_entry) {
    for (const HloComputation* callee : inst.callees()) {
      if (called.insert(callee).second) to_check.push_back(callee);
    }
    return IsFunction(inst, is_entry);
  };
  needed.assign(root.index() + 1, false);
  needed[root.index()] = true;
  const auto instructions = root.parent()->instructions();
  for (size_t i = root.index() + 1; i-- > 0;) {
    if (!needed[i]) continue;
    const Instruction& inst = *instructions[i];
    if (!visit(inst, /*is_entry=*/true)) return &inst;
    for (i64 o = 0; o < inst.num_operands(); ++o) needed[inst.operand(o)->index()] = true;
  }
  while (!to_check.empty()) {
    const HloComputation* computation = to_check.back();
    to_check.pop_back();
    for (const Instruction* inst : computation->instructions()) {
      if (!visit(*inst, /*is_entry=*/false)) return inst;
    }
  }
  return nullptr;
}

}  // namespace

StatusOr<bool> XlaBuilder::IsConstant(XlaOp op) const {
  AXLE_TRY(CheckHandle(op));
  std::vector<bool> needed;
  return FindNonConstant(*op.instruction(), needed) == nullptr;
}

StatusOr<XlaComputation> XlaBuilder::BuildConstantSubGraph(XlaOp op) const {
  AXLE_TRY(CheckHandle(op));
  std::vector<bool> needed;
  if (const Instruction* in_the_way = FindNonConstant(*op.instruction(), needed)) {
    return InvalidArgument(StrCat("constant: the value depends on ", GetOpDef(*in_the_way).text,
                                  " \"", in_the_way->name(), "\""));
  }
  auto module = std::make_shared<Module>(state_->module->name());
  std::unordered_map<const HloComputation*, HloComputation*> copies;
  std::vector<Instruction*> made(needed.size()), operands;
  std::vector<HloComputation*> callees;
  HloComputation* entry = module->AddComputation(state_->computation->name());
  module->set_entry(entry);
  for (size_t i = 0; i < needed.size(); ++i) {
    if (!needed[i]) continue;
    const Instruction& inst = *state_->computation->instructions()[i];
    operands.clear();
    callees.clear();
    for (i64 o = 0; o < inst.num_operands(); ++o) {
      operands.push_back(made[inst.operand(o)->index()]);
    }
    for (const HloComputation* callee : inst.callees()) {
      callees.push_back(module->CloneComputation(*callee, copies));
    }
    made[i] = entry->Add({.opcode = inst.opcode(),
                          .name = inst.name(),
                          .shape = inst.shape(),
                          .operands = operands,
                          .callees = callees,
                          .attrs = inst.attr_block(),
                          .metadata = inst.metadata()});
  }
  return XlaComputation(std::move(module));
}

StatusOr<Literal> XlaBuilder::ComputeConstant(XlaOp op, Limits* limits) const {
  AXLE_ASSIGN(const XlaComputation computation, BuildConstantSubGraph(op));
  AXLE_TRY(CheckNothingIsElided(computation.module()));
  return Evaluate(computation.module(), {}, {.limits = limits});
}

StatusOr<Literal> ComputeConstant(XlaOp op, Limits* limits) {
  if (op.builder_or_null() == nullptr)
    return InvalidArgument("constant: the handle is an empty handle");
  return op.builder()->ComputeConstant(op, limits);
}

}  // namespace axle
