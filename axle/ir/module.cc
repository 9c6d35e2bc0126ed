#include "axle/ir/module.h"

#include <algorithm>
#include <new>
#include <type_traits>

namespace axle {

// The arena frees instructions without running destructors.
static_assert(std::is_trivially_destructible_v<Instruction> && sizeof(Instruction) % 8 == 0);

namespace {

// Puts `use` at the head of its operand's list, which starts at *head.
void Link(Use* use, Use** head) {
  use->next = *head;
  use->link = head;
  if (use->next != nullptr) use->next->link = &use->next;
  *head = use;
}

void Unlink(Use* use) {
  *use->link = use->next;
  if (use->next != nullptr) use->next->link = use->link;
}

}  // namespace

Instruction* HloComputation::Add(const NewInstruction& init) {
  const size_t size = sizeof(Instruction) + init.operands.size() * sizeof(Use) +
                      init.callees.size() * sizeof(HloComputation*);
  auto* inst = new (module_->arena_.allocate(size, alignof(Instruction))) Instruction;
  auto* name =
      static_cast<char*>(module_->arena_.allocate(std::max<size_t>(init.name.size(), 1), 1));
  std::ranges::copy(init.name, name);

  Metadata metadata = init.metadata;
  for (std::string_view* text :
       {&metadata.op_type, &metadata.op_name, &metadata.source_file, &metadata.profile_type,
        &metadata.deduplicated_name, &metadata.scheduling_name, &metadata.metadata_payload}) {
    *text = module_->InternText(*text);
  }
  const auto index = static_cast<std::uint32_t>(instructions_.size());
  inst->opcode_ = init.opcode;
  inst->index_ = index;
  inst->num_operands_ = static_cast<std::uint32_t>(init.operands.size());
  inst->num_callees_ = static_cast<std::uint32_t>(init.callees.size());
  inst->id_ = init.id.value_or(OpId{ordinal_, index});
  inst->shape_ = module_->InternShape(init.shape);
  inst->attrs_ = &*module_->attrs_.insert(init.attrs).first;
  inst->metadata_ = &*module_->metadata_.insert(metadata).first;
  inst->parent_ = this;
  inst->name_ = name;
  inst->name_size_ = static_cast<std::uint32_t>(init.name.size());
  Use* use = inst->uses();
  for (Instruction* operand : init.operands) {
    Link(new (use++) Use{operand, inst, nullptr, nullptr}, &operand->first_use_);
  }
  std::ranges::copy(init.callees, reinterpret_cast<HloComputation**>(use));

  instructions_.push_back(inst);
  root_ = inst;
  return inst;
}

void HloComputation::SetOrder(std::vector<Instruction*> order) {
  assert(order.size() == instructions_.size());
  instructions_ = std::move(order);
  for (size_t i = 0; i < instructions_.size(); ++i) {
    instructions_[i]->index_ = static_cast<std::uint32_t>(i);
  }
}

void HloComputation::RemoveLast() {
  Instruction* inst = instructions_.back();
  assert(inst->first_use_ == nullptr);
  for (i64 i = 0; i < inst->num_operands(); ++i) Unlink(&inst->uses()[i]);
  if (inst->has_extras_) module_->extras_.erase(inst);
  instructions_.pop_back();
  if (root_ == inst) root_ = instructions_.empty() ? nullptr : instructions_.back();
}

void HloComputation::SetShape(Instruction* inst, const Shape& shape) {
  inst->shape_ = module_->InternShape(shape);
}

InstructionExtras& HloComputation::MutableExtras(Instruction* inst) {
  std::unique_ptr<InstructionExtras>& extras = module_->extras_[inst];
  if (extras == nullptr) extras = std::make_unique<InstructionExtras>();
  inst->has_extras_ = true;
  return *extras;
}

void Instruction::ReplaceAllUsesWith(Instruction* other) {
  if (other == this) return;
  while (Use* use = first_use_) {
    Unlink(use);
    use->operand = other;
    Link(use, &other->first_use_);
  }
}

void Instruction::ReplaceOperand(i64 i, Instruction* other) {
  Use* use = &uses()[i];
  Unlink(use);
  use->operand = other;
  Link(use, &other->first_use_);
}

HloComputation* Module::AddComputation(std::string_view name) {
  const auto ordinal = static_cast<std::uint32_t>(computations_.size());
  computations_.emplace_back(new HloComputation(this, name, ordinal));
  return computations_.back().get();
}

void Module::MoveToEnd(size_t position) {
  const auto first = computations_.begin() + static_cast<std::ptrdiff_t>(position);
  std::rotate(first, first + 1, computations_.end());
}

i64 Module::num_instructions() const {
  i64 count = 0;
  for (const auto& computation : computations_) {
    count += static_cast<i64>(computation->instructions().size());
  }
  return count;
}

std::string_view Module::InternText(std::string_view text) {
  if (text.empty()) return {};
  if (const auto it = texts_.find(text); it != texts_.end()) return *it;
  auto* copy = static_cast<char*>(arena_.allocate(text.size(), 1));
  std::ranges::copy(text, copy);
  return *texts_.emplace(copy, text.size()).first;
}

size_t Module::MetadataHash::operator()(const Metadata& m) const {
  // Texts are interned before they get here: their addresses identify them.
  size_t hash = static_cast<size_t>(m.stack_frame_id);
  for (const std::string_view text : {m.op_type, m.op_name, m.source_file, m.metadata_payload}) {
    hash = hash * 1000003 + reinterpret_cast<size_t>(text.data());
  }
  return hash * 1000003 + static_cast<size_t>(m.source_line);
}

}  // namespace axle
