// Common subexpression elimination by value numbering. One walk over each computation keeps a hash
// table from (opcode, shape, attributes, operand indices, callees) to the first instruction of that
// kind; shapes and attributes are interned, so their addresses are compared. Operands have been
// merged before their users are looked at, so a chain of equal instructions is found in one walk.
// For commutative operations the two operands are sorted: add(x, y) equals add(y, x).
//
// Computations are merged the same way: the key of a computation is the concatenation of its
// instructions' keys, and callees come first, so equal trees of calls merge too. A computation is
// not merged if it is the entry, has annotations, or is called by an instruction that is not
// mergeable (a fusion or custom call owns its computation). Linear in the size of the module.

#include "axle/passes/cse.h"

#include <algorithm>

#include "axle/passes/dce.h"
#include "axle/passes/rebuild.h"

namespace axle {
namespace {

// The identity of an instruction or a computation, as numbers: interned objects by their addresses.
using Key = std::vector<std::uintptr_t>;
struct KeyHash {
  size_t operator()(const Key& key) const {
    size_t hash = key.size();
    for (const std::uintptr_t word : key) {
      hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
      hash ^= hash >> 32;
    }
    return hash;
  }
};

template <typename T>
std::uintptr_t Word(const T* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

// The key of `inst` apart from annotations, which SameAnnotations compares.
void AppendKey(const Instruction& inst, Key& key) {
  key.push_back(static_cast<std::uintptr_t>(inst.opcode()));
  key.push_back(Word(&inst.shape()));
  key.push_back(Word(&inst.attr_block()));
  const size_t first = key.size();
  for (i64 i = 0; i < inst.num_operands(); ++i) key.push_back(inst.operand(i)->index());
  if (GetOpDef(inst).has(kCommutative) && inst.num_operands() == 2 && key[first] > key[first + 1]) {
    std::swap(key[first], key[first + 1]);
  }
  for (const HloComputation* callee : inst.callees()) key.push_back(Word(callee));
}

bool SameAnnotations(const Instruction& a, const Instruction& b) {
  if (!HasAnnotations(a) && !HasAnnotations(b)) return true;
  if (!HasAnnotations(a) || !HasAnnotations(b)) return false;
  const InstructionExtras &x = *a.extras(), &y = *b.extras();
  return x.sharding == y.sharding && x.frontend_attributes == y.frontend_attributes &&
         x.result_accuracy == y.result_accuracy && x.has_backend_config == y.has_backend_config &&
         x.backend_config == y.backend_config;
}

class Merging : public Rebuilder {
 public:
  Merging(const Module& module, PassContext& context)
      : Rebuilder(module, context.limits), context_(context) {
    // An instruction that is not mergeable, a fusion for example, owns its computation.
    for (const auto& computation : module.computations()) {
      for (const Instruction* inst : computation->instructions()) {
        if (!IsMergeable(*inst)) owned_.insert(inst->callees().begin(), inst->callees().end());
      }
    }
  }
  bool merged_computations() const { return merged_computations_; }

 private:
  Status Begin(const HloComputation&) override {
    instructions_.clear();
    return {};
  }

  StatusOr<Instruction*> Visit(const Instruction& inst) override {
    Instruction* const copy = Copy(inst);
    const bool has_edges =
        copy->extras() != nullptr && !copy->extras()->control_predecessors.empty();
    if (has_edges || !effects().IsPlain(inst)) return copy;
    Key key;
    AppendKey(*copy, key);
    const auto [it, is_new] = instructions_.try_emplace(std::move(key), copy);
    if (is_new || !SameAnnotations(*it->second, *copy)) return copy;
    to()->RemoveLast();
    ++context_.changes;
    return it->second;
  }

  // A computation that is not plain depends on instruction ids, and keys leave annotations out:
  // such computations are not merged.
  HloComputation* End(const HloComputation& computation, HloComputation* made) override {
    if (&computation == from().entry() || owned_.contains(&computation) ||
        !effects().IsPlain(computation)) {
      return made;
    }
    Key key;
    for (const Instruction* inst : made->instructions()) {
      if (HasAnnotations(*inst)) return made;
      AppendKey(*inst, key);
    }
    key.push_back(made->root()->index());
    key.push_back(std::hash<std::string>()(made->execution_thread()));
    const auto [it, is_new] = computations_.try_emplace(std::move(key), made);
    if (is_new) return made;
    ++context_.changes;
    merged_computations_ = true;
    return it->second;
  }

  PassContext& context_;
  std::unordered_set<const HloComputation*> owned_;
  std::unordered_map<Key, Instruction*, KeyHash> instructions_;
  std::unordered_map<Key, HloComputation*, KeyHash> computations_;
  bool merged_computations_ = false;
};

}  // namespace

StatusOr<std::unique_ptr<Module>> MergeEqual(const Module& module, PassContext& context) {
  Merging merging(module, context);
  AXLE_ASSIGN(std::unique_ptr<Module> merged, merging.Run());
  if (!merging.merged_computations()) return merged;
  return RemoveDeadCode(*merged, context.limits);
}

}  // namespace axle
