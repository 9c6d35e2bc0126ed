// The driver of the rewrite rules. One walk copies a module and rewrites each instruction right
// after its operands, so a rule sees simplified operands; what a rule returns is rewritten again at
// once, up to kMaxRewrites (16) times. Walks repeat, at most kMaxWalks (4), because a rewrite can
// enable one above it. Rules are found by the opcode of their root, so an instruction costs the
// rules of its own opcode only.
//
// A rule keeps the shape of its instruction; a result with another shape (a layout differs) is
// ignored. Replaced instructions are removed at once if they are the last one, otherwise by
// dead-code elimination after the walk. The new instruction records the ids of what it replaces
// (origins), so that reports can name the original instructions.

#include "axle/passes/simplify/simplify.h"

#include <algorithm>

#include "axle/ops/dynamic.h"
#include "axle/passes/dce.h"
#include "axle/passes/rebuild.h"

namespace axle {
namespace {

// Rules by the op at their root.
using RuleIndex = std::unordered_map<Opcode, std::vector<const Rule*>>;
// At most so many rewrites in a row at one instruction and walk.
constexpr int kMaxRewrites = 16;

class Walk : public Rebuilder, public Maker {
 public:
  Walk(const Module& module, const RuleIndex& rules, PassContext& context)
      : Rebuilder(module, context.limits), rules_(rules), context_(context) {}
  bool leaves_garbage() const { return leaves_garbage_; }

 private:
  StatusOr<Instruction*> Visit(const Instruction& inst) override {
    Instruction* current = Copy(inst);
    if (IsParameter(inst) || IsPinned(inst)) return current;
    replaced_ = &inst;
    for (int i = 0; i < kMaxRewrites; ++i) {
      Instruction* const next = Rewrite(*current);
      if (next == nullptr) break;
      ++context_.changes;
      NoteOrigins(*current, *next);
      Drop(current);
      current = next;
    }
    return current;
  }

  // The replacement of `inst` by the first rule that matches, or null.
  Instruction* Rewrite(Instruction& inst) {
    const auto rules = rules_.find(inst.opcode());
    if (rules == rules_.end() || HasTokens(inst.shape())) return nullptr;
    if (const auto check = GetOpDef(inst).check_run; check != nullptr && !check(inst).ok()) {
      return nullptr;  // such instructions parse and print but do not run
    }
    for (const Rule* rule : rules->second) {
      if (!rule->takes_dynamic && IsDynamic(inst)) continue;
      const size_t size = to()->instructions().size();
      Instruction* const next = rule->rewrite(*this, inst);
      const bool made = to()->instructions().size() > size;
      leaves_garbage_ |= made;
      if (next == nullptr || next == &inst) continue;
      const bool is_new = next->index() >= size;
      if (next->shape() != inst.shape() || (is_new && !rule->takes_dynamic && IsDynamic(*next))) {
        continue;
      }
      return next;
    }
    return nullptr;
  }

  Instruction* Add(Opcode opcode, const Shape& shape, std::span<Instruction* const> operands,
                   AttrBlock attrs, std::span<HloComputation* const> callees) override {
    return Rebuilder::Make(*replaced_, opcode, shape, operands, std::move(attrs), callees);
  }

  // A new instruction replaces `old` and those of its operands that it does not read.
  void NoteOrigins(const Instruction& old, Instruction& made) {
    if (made.index() < old.index()) return;
    std::vector<OpId> origins = {replaced_->id()};
    for (i64 i = 0; i < old.num_operands(); ++i) {
      const Instruction* operand = old.operand(i);
      bool is_read = IsParameter(*operand) || IsConstant(*operand);
      for (i64 k = 0; k < made.num_operands(); ++k) is_read |= made.operand(k) == operand;
      if (!is_read && std::ranges::find(origins, operand->id()) == origins.end()) {
        origins.push_back(operand->id());
      }
    }
    if (origins.size() > 1) to()->MutableExtras(&made).origins = std::move(origins);
  }

  void Drop(Instruction* inst) {
    if (to()->instructions().back() == inst && inst->first_use() == nullptr) {
      to()->RemoveLast();
    } else {
      leaves_garbage_ = true;
    }
  }

  const RuleIndex& rules_;
  PassContext& context_;
  const Instruction* replaced_ = nullptr;
  bool leaves_garbage_ = false;
};

}  // namespace

StatusOr<std::unique_ptr<Module>> ApplyRules(const Module& module,
                                             std::span<const Rule* const> rules,
                                             PassContext& context) {
  RuleIndex index;
  for (const Rule* rule : rules) index[rule->root].push_back(rule);
  std::unique_ptr<Module> owned;
  const Module* current = &module;
  for (int i = 0; i < kMaxWalks; ++i) {
    const i64 before = context.changes;
    Walk walk(*current, index, context);
    AXLE_ASSIGN(std::unique_ptr<Module> next, walk.Run());
    if (walk.leaves_garbage() || context.changes != before) {
      AXLE_ASSIGN(next, RemoveDeadCode(*next, context.limits));
    }
    owned = std::move(next);
    current = owned.get();
    if (context.changes == before) break;
  }
  return owned;
}

StatusOr<std::unique_ptr<Module>> Simplify(const Module& module, PassContext& context) {
  return ApplyRules(module, AllRules(), context);
}

}  // namespace axle
