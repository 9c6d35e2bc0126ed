// Delta debugging on modules. Each candidate is a copy with one edit; only what the root needs is
// copied, so whatever an edit makes useless disappears with it. A round tries, in this order: an
// earlier root, fewer outputs (halves, then one by one), a simpler replacement of each instruction
// (parameter, zeros, operand, callee inlined once, another value of the same shape), each compiler
// pass, and smaller sizes. Rounds repeat until none makes the module smaller. Size is compared
// lexicographically: instructions that are not leaves, all instructions, elements. A candidate is
// tried once (hash of its text).
//
// Smaller sizes are tried on the text: sizes of shapes and of the attributes that repeat them are
// replaced together, and the parser says whether the result is valid. That keeps the reducer free
// of rules about attributes.

#include "axle/gen/reduce.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "axle/core/strings.h"
#include "axle/ir/callees_first.h"
#include "axle/ops/op_def.h"
#include "axle/passes/facts.h"
#include "axle/passes/pipeline.h"
#include "axle/text/parse.h"
#include "axle/text/print.h"

namespace axle {
namespace {

// The replacement of an instruction.
struct Replacement {
  enum Kind : std::uint8_t { kValue, kZero, kParameter, kCall, kNothing } kind = kZero;
  const Instruction* value = nullptr;      // another one of its computation, before it
  const HloComputation* callee = nullptr;  // kCall: called on the first operands
  i64 first_operand = 0;
};

struct Edit {
  const Instruction* root = nullptr;  // of the entry; null: as it is
  std::unordered_map<const Instruction*, Replacement> replaced = {};
  bool keeps_dead = false;   // keeps dead instructions: one of them may be what fails
  bool drops_config = true;  // layouts and aliases; parameters that nobody reads go with them
};

// Applies one edit while it copies. Mark finds the instructions that the edited root still needs,
// callers before callees; Copy then writes the computations, callees first. An edit that cannot be
// made sets `is_broken_`, and the caller drops the candidate.
class Copier {
 public:
  Copier(const Module& from, const Edit& edit)
      : from_(from), edit_(edit), to_(std::make_unique<Module>(from.name())) {}

  std::unique_ptr<Module> Run() {
    const std::vector<const HloComputation*> order = CalleesFirst(from_);
    called_.insert(from_.entry());
    for (auto computation = order.rbegin(); computation != order.rend(); ++computation) {
      if (called_.contains(*computation)) Mark(**computation);
    }
    for (const HloComputation* computation : order) {
      if (called_.contains(computation)) Copy(*computation);
    }
    if (!edit_.drops_config) to_->config() = from_.config();
    to_->config().replica_count = from_.config().replica_count;
    to_->config().num_partitions = from_.config().num_partitions;
    return is_broken_ ? nullptr : std::move(to_);
  }

 private:
  const Instruction* RootOf(const HloComputation& computation) const {
    return &computation == from_.entry() && edit_.root != nullptr ? edit_.root : computation.root();
  }
  const Replacement* ReplacementOf(const Instruction& inst) const {
    const auto it = edit_.replaced.find(&inst);
    return it == edit_.replaced.end() ? nullptr : &it->second;
  }

  // Marks the instructions that the root needs and the computations that they call.
  void Mark(const HloComputation& computation) {
    std::vector<bool>& live = live_[&computation];
    live.resize(computation.instructions().size());
    // An explicit stack: the depth of a program is not bounded.
    std::vector<const Instruction*> todo = {RootOf(computation)};
    if (&computation != from_.entry() || !edit_.drops_config) {
      for (const Instruction* p : computation.parameters()) todo.push_back(p);
    }
    if (edit_.keeps_dead) {
      for (const Instruction* inst : computation.instructions()) {
        const Replacement* other = ReplacementOf(*inst);
        const bool is_up_to_root = inst->index() <= RootOf(computation)->index();
        if (is_up_to_root && (other == nullptr || other->kind != Replacement::kNothing)) {
          todo.push_back(inst);
        }
      }
    }
    while (!todo.empty()) {
      const Instruction& inst = *todo.back();
      todo.pop_back();
      if (live[inst.index()]) continue;
      live[inst.index()] = true;
      const Replacement* other = ReplacementOf(inst);
      if (other != nullptr && other->kind == Replacement::kValue) todo.push_back(other->value);
      // A replacement by a call needs the operands that it passes and the callee, and nothing else
      // of the old instruction.
      if (other != nullptr && other->kind == Replacement::kCall) {
        for (size_t i = 0; i < other->callee->parameters().size(); ++i) {
          todo.push_back(inst.operand(other->first_operand + static_cast<i64>(i)));
        }
        called_.insert(other->callee);
      }
      if (other != nullptr) continue;
      for (i64 i = 0; i < inst.num_operands(); ++i) todo.push_back(inst.operand(i));
      called_.insert(inst.callees().begin(), inst.callees().end());
    }
  }

  std::string Fresh(std::string_view base) {
    std::string name;
    do {
      name = StrCat(base, ".r", ++next_);
    } while (names_.contains(name));
    return name;
  }

  Instruction* Add(HloComputation& to, Opcode opcode, const Shape& shape,
                   std::span<Instruction* const> operands, AttrBlock attrs,
                   std::span<HloComputation* const> callees = {}) {
    if (attrs.values == nullptr) attrs = {GetOpDef(opcode).attrs, GetOpDef(opcode).attrs.create()};
    return to.Add({.opcode = opcode,
                   .name = Fresh(GetOpDef(opcode).text),
                   .shape = shape,
                   .operands = operands,
                   .callees = callees,
                   .attrs = std::move(attrs)});
  }
  template <typename Attrs>
  static AttrBlock Block(Opcode opcode, Attrs attrs) {
    return {GetOpDef(opcode).attrs, std::make_shared<const Attrs>(std::move(attrs))};
  }

  // The simplest value of a shape: a broadcast constant, a token, or a tuple of such values.
  Instruction* Zero(HloComputation& to, const Shape& shape) {
    if (shape.is_token()) return Add(to, Opcode::kAfterAll, shape, {}, {});
    if (shape.is_tuple()) {
      std::vector<Instruction*> elements;
      for (const Shape& element : shape.elements()) elements.push_back(Zero(to, element));
      return is_broken_ ? nullptr : Add(to, Opcode::kTuple, shape, elements, {});
    }
    if (!shape.is_array() || !shape.is_static()) {
      is_broken_ = true;
      return nullptr;
    }
    Instruction* zero = Add(to, Opcode::kConstant, Shape(shape.type()), {},
                            Block(Opcode::kConstant, ConstantAttrs{Literal(Shape(shape.type()))}));
    if (shape.is_scalar()) return zero;
    Instruction* const operands[] = {zero};
    return Add(to, Opcode::kBroadcast, shape, operands,
               Block(Opcode::kBroadcast, DimensionsAttrs{}));
  }

  Instruction* Made(HloComputation& to, const Instruction& inst, const Replacement& other,
                    const std::vector<Instruction*>& map) {
    switch (other.kind) {
      case Replacement::kValue:
        return map[other.value->index()];
      case Replacement::kZero:
        return Zero(to, inst.shape());
      case Replacement::kParameter:
        return Add(to, Opcode::kParameter, inst.shape(), {},
                   Block(Opcode::kParameter, ParameterAttrs{num_parameters_++}));
      case Replacement::kCall:
      case Replacement::kNothing:
        break;
    }
    std::vector<Instruction*> operands;
    for (size_t i = 0; i < other.callee->parameters().size(); ++i) {
      operands.push_back(map[inst.operand(other.first_operand + static_cast<i64>(i))->index()]);
    }
    HloComputation* const callees[] = {computations_.at(other.callee)};
    return Add(to, Opcode::kCall, inst.shape(), operands, {}, callees);
  }

  void Copy(const HloComputation& computation) {
    HloComputation* to = to_->AddComputation(computation.name());
    to->set_execution_thread(computation.execution_thread());
    computations_[&computation] = to;
    const bool is_entry = &computation == from_.entry();
    if (is_entry) {
      to_->set_entry(to);
      num_parameters_ = 0;
    }
    for (const Instruction* inst : computation.instructions()) names_.emplace(inst->name());
    std::vector<Instruction*> map(computation.instructions().size());
    for (const Instruction* inst : computation.instructions()) {
      if (!live_.at(&computation)[inst->index()] || is_broken_) continue;
      if (const Replacement* other = ReplacementOf(*inst)) {
        map[inst->index()] = Made(*to, *inst, *other, map);
        continue;
      }
      std::vector<Instruction*> operands;
      std::vector<HloComputation*> callees;
      for (i64 i = 0; i < inst->num_operands(); ++i)
        operands.push_back(map[inst->operand(i)->index()]);
      for (const HloComputation* callee : inst->callees())
        callees.push_back(computations_.at(callee));
      AttrBlock attrs = inst->attr_block();
      // Parameters are renumbered in order, since dropped ones leave gaps.
      if (is_entry && edit_.drops_config && IsParameter(*inst)) {
        attrs = Block(Opcode::kParameter, ParameterAttrs{num_parameters_++});
      }
      map[inst->index()] = to->Add({.opcode = inst->opcode(),
                                    .name = inst->name(),
                                    .shape = inst->shape(),
                                    .operands = operands,
                                    .callees = callees,
                                    .attrs = std::move(attrs),
                                    .metadata = inst->metadata(),
                                    .id = inst->id()});
    }
    if (is_broken_) return;
    to->set_root(map[RootOf(computation)->index()]);
    if (!BindParameters(*to).ok()) is_broken_ = true;
  }

  const Module& from_;
  const Edit& edit_;
  std::unique_ptr<Module> to_;
  std::unordered_map<const HloComputation*, std::vector<bool>> live_;
  std::set<const HloComputation*> called_;
  std::unordered_map<const HloComputation*, HloComputation*> computations_;
  std::set<std::string, std::less<>> names_;
  i64 num_parameters_ = 0;
  int next_ = 0;
  bool is_broken_ = false;
};

// Null if the edit makes no valid module.
std::unique_ptr<Module> Edited(const Module& module, const Edit& edit) {
  std::unique_ptr<Module> copy = Copier(module, edit).Run();
  if (copy == nullptr) return nullptr;
  // Printed and parsed, because the text is what will be kept.
  auto parsed = Parse(Print(*copy));
  return parsed.ok() ? *std::move(parsed) : nullptr;
}

// Leaves of expressions: as simple as it gets.
bool IsSimple(const Instruction& inst) {
  return IsParameter(inst) || IsConstant(inst) ||
         (inst.num_operands() == 1 && IsConstant(*inst.operand(0)) &&
          inst.operand(0)->shape().is_scalar() && GetOpDef(inst).lowering == Lowering::kIndexMap);
}

// Instructions that are not leaves, then all instructions, then elements; compared in this order.
struct Size {
  i64 instructions = 0, all = 0, elements = 0;
  auto operator<=>(const Size&) const = default;
};
Size SizeOf(const Module& module) {
  Size size;
  for (const auto& computation : module.computations()) {
    for (const Instruction* inst : computation->instructions()) {
      size.instructions += !IsSimple(*inst) && !IsTuple(*inst) && !IsTupleElement(*inst);
      ++size.all;
      size.elements += std::min<i64>(inst->shape().num_bytes(), i64{1} << 40);
      for (const i64 dim : inst->shape().dims()) size.elements += std::min<i64>(dim, i64{1} << 40);
    }
  }
  return size;
}

// The search. `fails_` is the caller's test; everything that is accepted has passed it.
class Reducer {
 public:
  Reducer(const std::function<bool(const Module&)>& fails, const ReduceOptions& options)
      : fails_(fails), options_(options) {}

  StatusOr<std::unique_ptr<Module>> Run(const Module& module) {
    current_ = module.Clone();
    if (!fails_(*current_)) {
      return InvalidArgument("reduce: the module does not fail: nothing to reduce");
    }
    // Drops the configuration and dead instructions if the module still fails.
    keeps_dead_ = !Try(Edited(*current_, {}), /*smaller=*/false);
    if (keeps_dead_) Try(Edited(*current_, {.keeps_dead = true}), /*smaller=*/false);
    Size before;
    // Each round starts with the edits that remove most.
    do {
      before = SizeOf(*current_);
      Roots();  // inlined calls bring more of them
      if (keeps_dead_ && Try(Edited(*current_, {}))) keeps_dead_ = false;
      OutputsOfRoot();
      Instructions();
      Passes();
      Sizes();
    } while (SizeOf(*current_) < before && !IsOver());
    return std::move(current_);
  }

 private:
  bool IsOver() const {
    return attempts_ >= options_.max_attempts ||
           (options_.limits != nullptr && !options_.limits->CheckNow().ok());
  }

  // Takes the candidate if it is smaller and fails.
  bool Try(std::unique_ptr<Module> candidate, bool smaller = true) {
    if (candidate == nullptr || IsOver()) return false;
    if (smaller && !(SizeOf(*candidate) < SizeOf(*current_))) return false;
    // The hash may collide; then one candidate is not tried, which does no harm.
    if (!tried_.insert(std::hash<std::string>()(Print(*candidate))).second) return false;
    ++attempts_;
    if (!fails_(*candidate)) return false;
    current_ = std::move(candidate);
    if (options_.on_progress) options_.on_progress(current_->num_instructions(), attempts_);
    return true;
  }

  // The first instruction that fails on its own.
  void Roots() {
    for (size_t i = 0; i < current_->entry()->instructions().size() && !IsOver(); ++i) {
      const Instruction* root = current_->entry()->instructions()[i];
      if (root == current_->entry()->root() || !root->shape().is_array()) continue;
      if (Try(Edited(*current_, {.root = root, .keeps_dead = keeps_dead_}))) return;
    }
  }

  // Fewer elements of a tuple that is the root: halves, then one by one.
  void OutputsOfRoot() {
    if (!IsTuple(*current_->entry()->root())) return;
    // The blocks shrink by halves, as in delta debugging: few tests if most outputs are not needed,
    // at most two per output otherwise.
    for (i64 part = current_->entry()->root()->num_operands(); part >= 1; part /= 2) {
      for (i64 begin = 0; begin < current_->entry()->root()->num_operands() && !IsOver();) {
        if (!Try(WithoutOutputs(begin, begin + part))) begin += part;
        if (!IsTuple(*current_->entry()->root())) return;
      }
    }
  }
  std::unique_ptr<Module> WithoutOutputs(i64 begin, i64 end) const {
    std::unique_ptr<Module> copy = current_->Clone();
    HloComputation& entry = *copy->entry();
    const Instruction& root = *entry.root();
    std::vector<Instruction*> kept;
    for (i64 i = 0; i < root.num_operands(); ++i) {
      if (i < begin || i >= end) kept.push_back(root.operand(i));
    }
    if (kept.empty() || static_cast<i64>(kept.size()) == root.num_operands()) return nullptr;
    if (kept.size() == 1) {
      entry.set_root(kept[0]);
    } else {
      Shape shape;
      for (const Instruction* inst : kept) shape.AddElement(inst->shape());
      entry.set_root(entry.Add({.opcode = root.opcode(),
                                .name = "outputs",
                                .shape = shape,
                                .operands = kept,
                                .attrs = root.attr_block()}));
    }
    return Edited(*copy, {.keeps_dead = keeps_dead_});
  }

  // Every instruction of every computation, last ones first, by something simpler.
  void Instructions() {
    for (size_t c = current_->computations().size(); c-- > 0;) {
      if (c >= current_->computations().size()) continue;
      for (size_t i = current_->computations()[c]->instructions().size(); i-- > 0;) {
        if (IsOver() || c >= current_->computations().size()) return;
        if (i >= current_->computations()[c]->instructions().size()) continue;
        Simplify(c, i);
      }
    }
  }

  // Tries replacements from the strongest to the weakest and returns at the first success; the
  // caller continues with the instruction before.
  void Simplify(size_t c, size_t i) {
    const HloComputation& computation = *current_->computations()[c];
    const Instruction& inst = *computation.instructions()[i];
    const auto with = [&](const Replacement& other) {
      Edit edit = {.keeps_dead = keeps_dead_};
      edit.replaced[&inst] = other;
      return Try(Edited(*current_, edit));
    };
    const bool is_dead = inst.first_use() == nullptr && &inst != computation.root();
    if (is_dead && !IsParameter(inst) && Try(Edited(*current_, WithoutDead(inst)))) return;
    if (IsSimple(inst) && !inst.shape().is_tuple()) return;
    const bool is_entry = &computation == current_->entry();
    if (is_entry && inst.shape().is_array() && inst.shape().is_static() && !IsParameter(inst) &&
        with({.kind = Replacement::kParameter})) {
      return;
    }
    if (!IsParameter(inst) && with({.kind = Replacement::kZero})) return;
    for (i64 k = 0; k < inst.num_operands(); ++k) {
      if (EqualIgnoringLayout(inst.operand(k)->shape(), inst.shape()) &&
          with({.kind = Replacement::kValue, .value = inst.operand(k)})) {
        return;
      }
    }
    for (const HloComputation* callee : inst.callees()) {
      // One iteration of a loop, or one branch: any callee with fitting parameters.
      for (i64 first = 0; first < inst.num_operands(); ++first) {
        const auto n = static_cast<i64>(callee->parameters().size());
        if (first + n > inst.num_operands() || !Compatible(callee->root()->shape(), inst.shape()))
          break;
        bool fits = true;
        for (i64 p = 0; p < n; ++p) {
          fits = fits &&
                 Compatible(callee->parameters()[p]->shape(), inst.operand(first + p)->shape());
        }
        if (fits && with({.kind = Replacement::kCall, .callee = callee, .first_operand = first}))
          return;
      }
    }
    // Another value of the same shape that is there already.
    for (const Instruction* other : computation.instructions().subspan(0, i)) {
      if (IsSimple(*other) && EqualIgnoringLayout(other->shape(), inst.shape()) &&
          with({.kind = Replacement::kValue, .value = other})) {
        return;
      }
    }
  }

  // An instruction that must be read (the start of an asynchronous operation) is removed with its
  // reader.
  Edit WithoutDead(const Instruction& dead) const {
    Edit edit = {.keeps_dead = keeps_dead_};
    const Instruction* inst = &dead;
    while (true) {
      edit.replaced[inst] = {.kind = Replacement::kNothing};
      if (inst->num_operands() == 0) return edit;
      inst = inst->operand(0);
      if (GetOpDef(*inst).check_uses == nullptr || inst->first_use()->next != nullptr) return edit;
    }
  }

  // A pass that keeps the failure may simplify more than any single replacement, and shows that the
  // pass is not to blame.
  void Passes() {
    for (const Pass& pass : AllPasses()) {
      if (IsOver()) return;
      auto changed = RunPipeline(*current_, {.passes = {&pass}, .limits = options_.limits});
      if (changed.ok()) Try(Edited(**changed, {.keeps_dead = keeps_dead_}));
    }
  }

  // Sizes from the largest down; one size at a time, everywhere, with its multiples or without.
  void Sizes() {
    std::set<i64, std::greater<>> sizes;
    for (const auto& computation : current_->computations()) {
      for (const Instruction* inst : computation->instructions()) {
        ForEachLeaf(inst->shape(), [&](const Shape& leaf, const Dims&) {
          sizes.insert(leaf.dims().begin(), leaf.dims().end());
        });
      }
    }
    for (i64 size : sizes) {
      // Down as far as it goes: halves first.
      for (bool progress = true; progress && size > 1 && !IsOver();) {
        progress = false;
        for (const i64 less : {i64{0}, i64{1}, i64{2}, size / 2, size - size / 4, size - 1}) {
          if (less >= size || !(TrySize(size, less, true) || TrySize(size, less, false))) continue;
          size = less;
          progress = true;
          break;
        }
      }
    }
  }

  // The parser decides whether the text with another size is a module: mismatched sizes are errors
  // of shape inference.
  bool TrySize(i64 size, i64 less, bool multiples) {
    const std::string text = Print(*current_);
    auto parsed = Parse(WithSize(text, size, less, multiples));
    return parsed.ok() && VerifyModule(**parsed).ok() && Try(*std::move(parsed));
  }

  // Rewrites every number that equals `size`. Numbers count as sizes inside of [...], window={...}
  // and attributes whose names end in sizes. With `multiples`, numbers that `size` divides shrink
  // in proportion.
  static std::string WithSize(std::string_view text, i64 size, i64 less, bool multiples) {
    std::string result;
    bool in_brackets = false, in_sizes = false;
    for (size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (c == '[') in_brackets = true;
      if (c == ']') in_brackets = false;
      if (c == '{')
        in_sizes = text.substr(0, i).ends_with("sizes=") || text.substr(0, i).ends_with("window=");
      if (c == '}') in_sizes = false;
      if (!IsDigit(c) || !(in_brackets || in_sizes)) {
        result.push_back(c);
        continue;
      }
      i64 number = 0;
      const size_t begin = i;
      while (i < text.size() && IsDigit(text[i]) && i - begin < 18)
        number = number * 10 + (text[i++] - '0');
      --i;
      if (number == size) {
        number = less;
      } else if (multiples && size > 2 && number > size && number % size == 0) {
        number = number / size * less;
      }
      StrAppend(result, number);
    }
    return result;
  }

  const std::function<bool(const Module&)>& fails_;
  const ReduceOptions& options_;
  std::unique_ptr<Module> current_;
  std::set<size_t> tried_;
  bool keeps_dead_ = true;
  i64 attempts_ = 0;
};

}  // namespace

StatusOr<std::unique_ptr<Module>> ReduceModule(const Module& module,
                                               const std::function<bool(const Module&)>& fails,
                                               const ReduceOptions& options) {
  return Reducer(fails, options).Run(module);
}

StatusOr<std::unique_ptr<Module>> ModuleUpTo(const Module& module, const Instruction& root) {
  std::unique_ptr<Module> made = Edited(module, {.root = &root});
  if (made == nullptr) {
    return InvalidArgument(StrCat("\"", root.name(), "\" cannot be the result of a module"));
  }
  return made;
}

}  // namespace axle
