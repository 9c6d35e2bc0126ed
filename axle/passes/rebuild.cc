// Rebuilder copies a module: computations callees first, instructions in order. map_ gives, per
// instruction of the computation that is being copied, what replaces it; a pass overrides Visit to
// return something else than a copy. Enter and Leave push another map, so that instructions of a
// callee are copied into its caller. AXLE_INVARIANT checks that a replacement has the shape of the
// original.

#include "axle/passes/rebuild.h"

#include <utility>

#include "axle/core/strings.h"
#include "axle/ir/callees_first.h"

namespace axle {

Rebuilder::Rebuilder(const Module& from, Limits* limits)
    : from_(from), effects_(from), frozen_(FrozenComputations(from)), limits_(limits) {
  for (const auto& computation : from.computations()) {
    for (const Instruction* inst : computation->instructions()) {
      if (inst->extras() == nullptr) continue;
      const std::vector<Instruction*>& before = inst->extras()->control_predecessors;
      control_predecessors_.insert(before.begin(), before.end());
    }
  }
}

StatusOr<std::unique_ptr<Module>> Rebuilder::Run() {
  module_ = std::make_unique<Module>(from_.name());
  module_->config() = from_.config();
  for (const HloComputation* computation : CalleesFirst(from_)) {
    if (Keeps(*computation)) AXLE_TRY(RebuildComputation(*computation));
  }
  if (from_.entry() != nullptr) module_->set_entry(Mapped(*from_.entry()));
  return std::move(module_);
}

Status Rebuilder::RebuildComputation(const HloComputation& computation) {
  to_ = module_->AddComputation(computation.name());
  to_->set_execution_thread(computation.execution_thread());
  map_.assign(computation.instructions().size(), nullptr);
  const bool frozen = IsFrozen(computation);
  if (!frozen) AXLE_TRY(Begin(computation));
  for (const Instruction* inst : computation.instructions()) {
    if (limits_ != nullptr) AXLE_TRY(limits_->Check());
    if (frozen) {
      map_[inst->index()] = Copy(*inst);
      continue;
    }
    AXLE_ASSIGN(Instruction* const made, Visit(*inst));
    AXLE_INVARIANT(made == nullptr || EqualIgnoringLayout(made->shape(), inst->shape()),
                   StrCat("a pass changes the shape of ", inst->name()));
    map_[inst->index()] = made;
  }
  std::vector<Instruction*> parameters;
  for (const Instruction* p : computation.parameters()) parameters.push_back(map_[p->index()]);
  to_->set_parameters(std::move(parameters));
  if (computation.root() != nullptr) to_->set_root(map_[computation.root()->index()]);
  computations_[&computation] = End(computation, to_);
  return {};
}

std::vector<Instruction*> Rebuilder::Operands(const Instruction& inst) const {
  std::vector<Instruction*> operands(static_cast<size_t>(inst.num_operands()));
  for (i64 i = 0; i < inst.num_operands(); ++i) operands[i] = Mapped(*inst.operand(i));
  return operands;
}

Metadata Rebuilder::MetadataOfCopy(const Instruction& inst) const {
  Metadata metadata = inst.metadata();
  if (caller_ == nullptr || !metadata.source_file.empty() || metadata.stack_frame_id != 0) {
    return metadata;
  }
  const Metadata& call = caller_->metadata();
  metadata.source_file = call.source_file;
  metadata.source_line = call.source_line;
  metadata.source_end_line = call.source_end_line;
  metadata.source_column = call.source_column;
  metadata.source_end_column = call.source_end_column;
  metadata.stack_frame_id = call.stack_frame_id;
  return metadata;
}

Instruction* Rebuilder::CopyAs(std::string_view name, const Instruction& inst,
                               std::span<Instruction* const> operands, const Shape& shape,
                               AttrBlock attrs) {
  std::vector<HloComputation*> callees;
  for (const HloComputation* callee : inst.callees()) callees.push_back(Mapped(*callee));
  Instruction* copy = to_->Add({.opcode = inst.opcode(),
                                .name = name,
                                .shape = shape,
                                .operands = operands,
                                .callees = callees,
                                .attrs = std::move(attrs),
                                .metadata = MetadataOfCopy(inst),
                                .id = inst.id()});
  if (inst.extras() == nullptr) return copy;
  InstructionExtras& extras = to_->MutableExtras(copy);
  extras = *inst.extras();
  for (Instruction*& before : extras.control_predecessors) before = Mapped(*before);
  return copy;
}

Instruction* Rebuilder::Make(const Instruction& replaced, Opcode opcode, const Shape& shape,
                             std::span<Instruction* const> operands, AttrBlock attrs,
                             std::span<HloComputation* const> callees) {
  return to_->Add({.opcode = opcode,
                   .name = FreshName(GetOpDef(opcode).text),
                   .shape = shape,
                   .operands = operands,
                   .callees = callees,
                   .attrs = std::move(attrs),
                   .metadata = replaced.metadata(),
                   .id = replaced.id()});
}

void Rebuilder::CopyAll(std::span<const Instruction* const> instructions, bool rename,
                        std::unordered_map<const Instruction*, Instruction*>& copies) {
  std::vector<Instruction*> operands;
  for (const Instruction* inst : instructions) {
    if (copies.contains(inst)) continue;
    operands.clear();
    for (i64 i = 0; i < inst->num_operands(); ++i) operands.push_back(copies.at(inst->operand(i)));
    Instruction* copy = to_->Add({.opcode = inst->opcode(),
                                  .name = rename ? FreshName(inst->name()) : inst->name(),
                                  .shape = inst->shape(),
                                  .operands = operands,
                                  .callees = inst->callees(),
                                  .attrs = inst->attr_block(),
                                  .metadata = MetadataOfCopy(*inst),
                                  .id = inst->id()});
    copies[inst] = copy;
    if (inst->extras() == nullptr) continue;
    InstructionExtras& extras = to_->MutableExtras(copy);
    extras = *inst->extras();
    for (Instruction*& before : extras.control_predecessors) before = copies.at(before);
  }
}

void Rebuilder::Enter(const HloComputation& callee, std::span<Instruction* const> arguments) {
  outer_maps_.push_back(std::move(map_));
  map_.assign(callee.instructions().size(), nullptr);
  for (size_t i = 0; i < arguments.size(); ++i) Stands(*callee.parameters()[i], arguments[i]);
}

Instruction* Rebuilder::Leave(const HloComputation& callee) {
  Instruction* const result = Mapped(*callee.root());
  map_ = std::move(outer_maps_.back());
  outer_maps_.pop_back();
  return result;
}

void Rebuilder::Suspend(std::string_view name) {
  suspended_ = std::exchange(to_, module_->AddComputation(name));
}

HloComputation* Rebuilder::Resume() {
  for (size_t i = module_->computations().size(); i-- > 0;) {
    if (module_->computations()[i].get() != suspended_) continue;
    module_->MoveToEnd(i);
    break;
  }
  return std::exchange(to_, std::exchange(suspended_, nullptr));
}

std::string Rebuilder::FreshName(std::string_view base) {
  if (names_.empty()) {
    for (const auto& computation : from_.computations()) {
      names_.emplace(computation->name());
      for (const Instruction* inst : computation->instructions()) names_.emplace(inst->name());
    }
  }
  i64& number = next_number_[std::string(base)];
  std::string name;
  do {
    name = StrCat(base, ".", ++number);
  } while (!names_.insert(name).second);
  return name;
}

}  // namespace axle
