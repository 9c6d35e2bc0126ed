// Rebuilder: how a pass changes a module. The IR only grows, so a pass copies: computation by
// computation, callees first, instruction by instruction in their order, and says for each what
// stands for it in the new module. Whatever is copied keeps its id, name, metadata and extras; the
// order of what remains is kept, so that a scheduled module stays scheduled. Linear time.
#pragma once
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "axle/core/limits.h"
#include "axle/passes/facts.h"

namespace axle {

class Rebuilder {
 public:
  // `from` outlives the object.
  Rebuilder(const Module& from, Limits* limits);
  virtual ~Rebuilder() = default;
  Rebuilder(const Rebuilder&) = delete;
  Rebuilder& operator=(const Rebuilder&) = delete;

  // The new module; once.
  StatusOr<std::unique_ptr<Module>> Run();

 protected:
  // Which computations the new module has. A computation that something copied calls is kept.
  virtual bool Keeps(const HloComputation&) { return true; }
  // Begin and Visit are not called for frozen computations, which are copied.
  virtual Status Begin(const HloComputation&) { return {}; }
  // The replacement of `inst`: an instruction of the same shape, layouts aside, in to(). Null if no
  // later instruction reads it.
  virtual StatusOr<Instruction*> Visit(const Instruction& inst) { return Copy(inst); }
  // Called when the computation is complete. Returns its replacement: itself, or one made before.
  virtual HloComputation* End(const HloComputation&, HloComputation* made) { return made; }

  // The instruction once more, on what stands for its operands and callees.
  Instruction* Copy(const Instruction& inst) { return CopyOn(inst, Operands(inst)); }
  Instruction* CopyOn(const Instruction& inst, std::span<Instruction* const> operands) {
    return CopyAs(inst.name(), inst, operands);
  }
  Instruction* CopyAs(std::string_view name, const Instruction& inst,
                      std::span<Instruction* const> operands) {
    return CopyAs(name, inst, operands, inst.shape(), inst.attr_block());
  }
  // With another shape, which differs in layouts only, and other attributes.
  Instruction* CopyAs(std::string_view name, const Instruction& inst,
                      std::span<Instruction* const> operands, const Shape& shape, AttrBlock attrs);
  // A fresh instruction in the place of `replaced`, whose id and metadata it takes.
  Instruction* Make(const Instruction& replaced, Opcode opcode, const Shape& shape,
                    std::span<Instruction* const> operands, AttrBlock attrs,
                    std::span<HloComputation* const> callees = {});
  template <typename Attrs>
  static AttrBlock Block(Opcode opcode, Attrs attrs) {
    return {GetOpDef(opcode).attrs, std::make_shared<const Attrs>(std::move(attrs))};
  }

  // Appends copies of instructions of the new module to to(). `copies` says what stands for those
  // that are there already (parameters, say) and learns the others; operands come before their
  // users. Names are made fresh if `rename`.
  void CopyAll(std::span<const Instruction* const> instructions, bool rename,
               std::unordered_map<const Instruction*, Instruction*>& copies);

  // Until the next call, copies that have no line of source of their own take that of `call`, which
  // they replace. Null: they stay without. Returns what it was before.
  const Instruction* SetCaller(const Instruction* call) { return std::exchange(caller_, call); }

  // Until Leave, which gives what stands for its root, instructions of `callee` are what is copied,
  // still to to(): `arguments` stand for its parameters, and Stands says what for the others, whose
  // names have to be fresh. These calls may be nested.
  void Enter(const HloComputation& callee, std::span<Instruction* const> arguments);
  void Stands(const Instruction& inst, Instruction* made) { map_[inst.index()] = made; }
  Instruction* Leave(const HloComputation& callee);

  // The copies of the operands of `inst`, of one instruction, of a computation.
  std::vector<Instruction*> Operands(const Instruction& inst) const;
  Instruction* Mapped(const Instruction& inst) const { return map_[inst.index()]; }
  HloComputation* Mapped(const HloComputation& computation) const {
    return computations_.at(&computation);
  }
  HloComputation* to() const { return to_; }
  // Another computation beside the one that is being made, which to() is until Resume. It is listed
  // before it.
  void Suspend(std::string_view name);
  HloComputation* Resume();
  // Whether this very instruction is referred to: it is annotated, or a control edge begins at it.
  bool IsTied(const Instruction& inst) const {
    return control_predecessors_.contains(&inst) || HasAnnotations(inst);
  }
  // Must stay as it is: it is tied or has an effect.
  bool IsPinned(const Instruction& inst) const { return IsTied(inst) || effects_.Of(inst); }

  // "add.7": a name that nothing in the old module and nothing made so far has.
  std::string FreshName(std::string_view base);
  const Module& from() const { return from_; }
  const Effects& effects() const { return effects_; }
  bool IsFrozen(const HloComputation& computation) const { return frozen_.contains(&computation); }
  Limits* limits() const { return limits_; }

 private:
  Status RebuildComputation(const HloComputation& computation);
  Metadata MetadataOfCopy(const Instruction& inst) const;

  const Module& from_;
  const Effects effects_;
  const std::unordered_set<const HloComputation*> frozen_;
  std::unordered_set<const Instruction*> control_predecessors_;
  Limits* const limits_;
  std::unique_ptr<Module> module_;
  HloComputation* to_ = nullptr;
  HloComputation* suspended_ = nullptr;
  const Instruction* caller_ = nullptr;  // of SetCaller
  std::vector<Instruction*> map_;        // by index in the computation that is being copied
  std::vector<std::vector<Instruction*>> outer_maps_;  // while there is an Enter without a Leave
  std::unordered_map<const HloComputation*, HloComputation*> computations_;
  std::unordered_set<std::string> names_;  // filled by the first FreshName
  std::unordered_map<std::string, i64> next_number_;
};

}  // namespace axle
