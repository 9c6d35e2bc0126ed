// Cloning of computations and modules, and the structural hash.
#include "axle/ir/callees_first.h"
#include "axle/ir/module.h"

namespace axle {
namespace {

HloComputation* CloneOne(Module& module, const HloComputation& from,
                         const std::unordered_map<const HloComputation*, HloComputation*>& cloned) {
  HloComputation* to = module.AddComputation(from.name());
  to->set_execution_thread(from.execution_thread());
  std::vector<Instruction*> copies, operands;
  std::vector<HloComputation*> callees;
  copies.reserve(from.instructions().size());
  for (const Instruction* inst : from.instructions()) {
    operands.clear();
    callees.clear();
    for (i64 i = 0; i < inst->num_operands(); ++i) {
      operands.push_back(copies[inst->operand(i)->index()]);
    }
    for (const HloComputation* callee : inst->callees()) callees.push_back(cloned.at(callee));
    copies.push_back(to->Add({.opcode = inst->opcode(),
                              .name = inst->name(),
                              .shape = inst->shape(),
                              .operands = operands,
                              .callees = callees,
                              .attrs = inst->attr_block(),
                              .metadata = inst->metadata(),
                              .id = inst->id()}));
    if (inst->extras() == nullptr) continue;
    InstructionExtras& extras = to->MutableExtras(copies.back());
    extras = *inst->extras();
    for (Instruction*& other : extras.control_predecessors) other = copies[other->index()];
  }
  if (from.root() != nullptr) to->set_root(copies[from.root()->index()]);
  std::vector<Instruction*> parameters;
  for (const Instruction* p : from.parameters()) parameters.push_back(copies[p->index()]);
  to->set_parameters(std::move(parameters));
  return to;
}

constexpr std::uint64_t Mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 32;
}

}  // namespace

HloComputation* Module::CloneComputation(
    const HloComputation& computation,
    std::unordered_map<const HloComputation*, HloComputation*>& cloned) {
  if (const auto it = cloned.find(&computation); it != cloned.end()) return it->second;
  const auto is_cloned = [&](const HloComputation* c) { return cloned.contains(c); };
  for (const HloComputation* from : CalleesFirst(computation, is_cloned)) {
    cloned[from] = CloneOne(*this, *from, cloned);
  }
  return cloned.at(&computation);
}

std::unique_ptr<Module> Module::Clone() const {
  auto module = std::make_unique<Module>(name_);
  module->config_ = config_;
  module->open_program_ = open_program_;
  std::unordered_map<const HloComputation*, HloComputation*> cloned;
  for (const auto& computation : computations_) module->CloneComputation(*computation, cloned);
  if (entry_ != nullptr) module->entry_ = cloned.at(entry_);
  return module;
}

std::uint64_t StructuralHash(const HloComputation& computation) {
  std::unordered_map<const HloComputation*, std::uint64_t> hashes;
  for (const HloComputation* c : CalleesFirst(computation)) {
    std::uint64_t hash = c->instructions().size();
    for (const Instruction* inst : c->instructions()) {
      hash = Mix(hash, static_cast<std::uint64_t>(inst->opcode()));
      hash = Mix(hash, inst->shape().Hash());
      hash = Mix(hash, AttrBlock::ValueHash(inst->attr_block()));
      for (i64 i = 0; i < inst->num_operands(); ++i) hash = Mix(hash, inst->operand(i)->index());
      for (const HloComputation* callee : inst->callees()) hash = Mix(hash, hashes.at(callee));
    }
    hashes[c] = Mix(hash, c->root() == nullptr ? 0 : c->root()->index() + 1);
  }
  return hashes.at(&computation);
}

}  // namespace axle
