// Which computation a state of asynchronous ops is of: the state is followed backwards, through
// what hands values on, to the async-start.
//
// A place is an instruction and a path of tuple indices into its value. get-tuple-element makes the
// path longer, tuple shorter; the other ops keep it. Inside of a computation there is one way back
// (AsyncChains); a parameter has as many as the computation has callers, and a loop two, its
// initial state and what its body gives (AsyncSources).
#include <algorithm>
#include <set>

#include "axle/core/strings.h"
#include "axle/ops/async.h"

namespace axle {

// In async.cc: whether "op-start" is not an op of its own.
bool HasShortForm(const Instruction& op);

namespace {

// Whether the value is that of operand 0 as a whole.
bool IsOperand0(const Instruction& inst) {
  if (inst.opcode() == Opcode::kCustomCall) {  // such as Sharding
    return inst.num_operands() > 0 && Compatible(inst.shape(), inst.operand(0)->shape());
  }
  return GetOpDef(inst).has(kGivesOperand) || inst.opcode() == Opcode::kCopy;
}

i64 NumberOf(const Instruction& parameter) {
  return parameter.attrs<ParameterAttrs>().number;
}

}  // namespace

// Follows the state backwards from instruction to instruction. `path` holds the tuple indices that
// are still to be applied, `callers` the calls whose bodies are being walked. Results are
// remembered for all instructions that were passed with an empty path.
const HloComputation* AsyncChains::Find(const Instruction& state) {
  std::vector<const Instruction*> passed, callers;
  Dims path;
  const Instruction* at = &state;
  const HloComputation* result = nullptr;
  // Calls that are nested twice in each other are walked twice in each other. Beyond so many steps
  // AsyncSources answers, which goes to no place twice.
  constexpr int kMaxStepsInCallees = 1 << 12;
  int num_steps_in_callees = 0;
  while (at != nullptr) {
    if (!callers.empty() && ++num_steps_in_callees > kMaxStepsInCallees) return nullptr;
    if (path.empty() && callers.empty()) {
      if (const auto it = found_.find(at); it != found_.end()) {
        result = it->second;
        break;
      }
      passed.push_back(at);
    }
    const Instruction& inst = *at;
    at = nullptr;
    if (IsOperand0(inst)) {
      at = inst.operand(0);
      continue;
    }
    switch (inst.opcode()) {
      case Opcode::kAsyncStart:
        result = inst.callee(0);
        break;
      case Opcode::kAsyncUpdate:
        if (!inst.callees().empty()) {
          result = inst.callee(0);
        } else {
          at = inst.operand(0);
        }
        break;
      case Opcode::kWhile:
        at = inst.operand(0);
        break;
      case Opcode::kGetTupleElement:
        path.push_back(inst.attrs<TupleIndexAttrs>().index);
        at = inst.operand(0);
        break;
      case Opcode::kTuple:
        // A state may have been taken apart and put together again.
        if (!path.empty()) {
          if (path.back() < inst.num_operands()) at = inst.operand(path.back());
          path.pop_back();
        } else if (inst.num_operands() > 0) {
          at = inst.operand(0);
        }
        break;
      case Opcode::kCall:
      case Opcode::kConditional:
        callers.push_back(&inst);
        at = inst.callee(0)->root();
        break;
      case Opcode::kParameter: {
        if (callers.empty()) break;
        const Instruction& caller = *callers.back();
        callers.pop_back();
        at = caller.operand(caller.opcode() == Opcode::kConditional ? 1 : NumberOf(inst));
        break;
      }
      default:
        break;
    }
  }
  if (result == nullptr) return nullptr;  // it may be known later
  for (const Instruction* inst : passed) found_.emplace(inst, result);
  return result;
}

// Collects what the short form of a chain can leave out, in one pass over the module. A chain whose
// computation cannot be found again from its start (`alone_`) is printed in the long form.
void AsyncChains::Note(const Module& module) {
  has_noted_ = true;
  const std::unordered_set<const HloComputation*> none_open;
  std::optional<AsyncSources> sources;  // made if needed
  std::unordered_map<const HloComputation*, i64> num_starts;
  std::vector<const HloComputation*> late;  // of starts that leave something open; some twice
  for (const auto& computation : module.computations()) {
    for (const Instruction* inst : computation->instructions()) {
      const OpDef& def = GetOpDef(*inst);
      if ((!IsAsyncStart(def) && !GoesOnAsync(def)) || inst->callees().empty()) continue;
      const HloComputation* callee = inst->callee(0);
      if (GoesOnAsync(def) && Find(*inst->operand(0)) == nullptr) {
        if (!sources) sources.emplace(module, none_open);
        const auto source = sources->Find(*inst);
        const bool is_implied = source.ok() && StructuralHash(**source) == StructuralHash(*callee);
        if (!is_implied) {
          alone_.insert(inst);
          continue;
        }
      }
      if (!def.declared_shape) {  // async-done
        gives_all_.insert(callee);
        continue;
      }
      const Shape& state = inst->shape();
      if (!IsAsyncState(state)) continue;
      if (state.element(0).num_tuple_elements() == std::ssize(callee->parameters())) {
        binds_all_.insert(callee);
      }
      const bool gives_all = Compatible(state.element(1), callee->root()->shape());
      if (gives_all) gives_all_.insert(callee);
      if (!IsAsyncStart(def)) continue;
      ++num_starts[callee];
      const i64 num_bound = state.element(0).num_tuple_elements();
      if (!gives_all || num_bound < std::ssize(callee->parameters())) late.push_back(callee);
    }
  }
  // Each op-start is read as one of a computation of its own, so that what one leaves open has to
  // be said in its own chain.
  for (const HloComputation* callee : late) {
    if (num_starts[callee] > 1) binds_all_.erase(callee);
  }
}

// The op that `inst` wraps if it may be printed in the short form: the computation consists of
// parameters and one op that reads them in order, and all shapes can be recovered.
const Instruction* AsyncChains::WrappedOp(const Instruction& inst) {
  const bool begins = IsAsyncStart(GetOpDef(inst));
  if ((!begins && !GoesOnAsync(GetOpDef(inst))) || inst.callees().empty()) return nullptr;
  if (alone_.contains(&inst)) return nullptr;
  const HloComputation& callee = *inst.callee(0);
  const Instruction* root = callee.root();
  const auto parameters = callee.parameters();
  if (root == nullptr || !HasShortForm(*root) ||
      callee.instructions().size() != parameters.size() + 1 ||
      root->num_operands() != static_cast<i64>(parameters.size())) {
    return nullptr;
  }
  for (i64 i = 0; i < root->num_operands(); ++i) {
    if (root->operand(i) != parameters[i]) return nullptr;
  }
  // Attributes that are written behind op-start are taken for the op's.
  if (begins && !inst.attrs<AsyncStartAttrs>().output_to_operand_aliasing.empty() &&
      std::ranges::any_of(GetOpDef(*root).attrs.specs, [](const AttrSpec& spec) {
        return spec.text == "output_to_operand_aliasing";
      })) {
    return nullptr;
  }
  AsyncSignature signature;
  signature.AddCallee(GetOpDef(*root), root->callees());
  if (signature.is_result_known) return root;
  if (has_noted_ && (!binds_all_.contains(&callee) || !gives_all_.contains(&callee))) {
    return nullptr;
  }
  return root;
}

// Whether the reader of a text finds the computation of this op by itself, so that it need not be
// printed.
bool AsyncChains::IsImplied(const Instruction& inst) {
  return GoesOnAsync(GetOpDef(inst)) && !inst.callees().empty() && !alone_.contains(&inst) &&
         Find(*inst.operand(0)) == inst.callee(0);
}

AsyncSources::AsyncSources(const Module& module,
                           const std::unordered_set<const HloComputation*>& open)
    : open_(open) {
  for (const auto& computation : module.computations()) {
    for (const Instruction* inst : computation->instructions()) {
      for (const HloComputation* callee : inst->callees()) callers_[callee].push_back(inst);
    }
  }
}

// A search over places with a list of those that were visited, so that loops and recursion through
// several callers end. All sources must run the same computation.
StatusOr<const HloComputation*> AsyncSources::Find(const Instruction& inst) {
  std::vector<Place> places = {{inst.operand(0), {}}};
  std::set<Place> seen;
  const HloComputation* result = nullptr;
  const Instruction* end = inst.operand(0);
  while (!places.empty()) {
    const Place place = std::move(places.back());
    places.pop_back();
    if (!seen.insert(place).second) continue;
    const Instruction& at = *place.inst;
    const auto found = found_.find(place);
    const bool is_update = at.opcode() == Opcode::kAsyncUpdate;
    const bool is_known = !at.callees().empty() && !open_.contains(at.callee(0));
    if (found != found_.end() || at.opcode() == Opcode::kAsyncStart || (is_update && is_known)) {
      const HloComputation* callee = found != found_.end() ? found->second : at.callee(0);
      if (result != nullptr && result != callee && result->root() != nullptr &&
          callee->root() != nullptr && StructuralHash(*result) != StructuralHash(*callee)) {
        return OpError(inst, StrCat("operand is the state of async-starts that run different "
                                    "computations, \"",
                                    result->name(), "\" and \"", callee->name(), "\""));
      }
      if (result == nullptr) result = callee;
    } else {
      const size_t size = places.size();
      AddSourcesOf(place, places);
      if (places.size() == size) end = &at;
    }
  }
  if (result != nullptr) {
    for (const Place& place : seen) found_.emplace(place, result);
    return result;
  }
  return OpError(inst, StrCat("operand must come from async-start or async-update, not from ",
                              GetOpDef(*end).text));
}

// The places that a value comes from, one step back.
void AsyncSources::AddSourcesOf(const Place& place, std::vector<Place>& places) const {
  const Instruction& inst = *place.inst;
  const auto add = [&](const Instruction* source) { places.push_back({source, place.path}); };
  if (IsOperand0(inst)) return add(inst.operand(0));
  switch (inst.opcode()) {
    case Opcode::kAsyncUpdate:
      return add(inst.operand(0));
    case Opcode::kWhile:
      add(inst.callee(1)->root());
      return add(inst.operand(0));
    case Opcode::kGetTupleElement:
      add(inst.operand(0));
      return places.back().path.push_back(inst.attrs<TupleIndexAttrs>().index);
    case Opcode::kTuple:
      if (place.path.empty()) {
        for (i64 i = inst.num_operands(); i-- > 0;) add(inst.operand(i));
      } else if (place.path.back() < inst.num_operands()) {
        add(inst.operand(place.path.back()));
        places.back().path.pop_back();
      }
      return;
    case Opcode::kCall:
    case Opcode::kConditional:
      for (const HloComputation* callee : inst.callees()) add(callee->root());
      return;
    case Opcode::kParameter:
      return AddSourcesOfParameter(place, places);
    default:
      return;
  }
}

// A parameter comes from every caller. In a loop it comes from the initial state and from the body
// of the loop.
void AsyncSources::AddSourcesOfParameter(const Place& place, std::vector<Place>& places) const {
  const HloComputation* computation = place.inst->parent();
  const auto callers = callers_.find(computation);
  if (callers == callers_.end()) return;
  for (const Instruction* caller : callers->second) {
    switch (caller->opcode()) {
      case Opcode::kWhile:
        places.push_back({caller->callee(1)->root(), place.path});
        places.push_back({caller->operand(0), place.path});
        break;
      case Opcode::kConditional:
        for (size_t i = 0; i < caller->callees().size(); ++i) {
          if (caller->callees()[i] != computation) continue;
          places.push_back({caller->operand(static_cast<i64>(i) + 1), place.path});
        }
        break;
      case Opcode::kAsyncStart:
      case Opcode::kCall:
      case Opcode::kFusion:
        if (NumberOf(*place.inst) < caller->num_operands()) {
          places.push_back({caller->operand(NumberOf(*place.inst)), place.path});
        }
        break;
      default:
        break;
    }
  }
}

// Collects the shapes of parameters and result of a chain in the order of the text. A later op may
// bind more operands and state more of the result; async-done states all of it.
void AsyncSignature::Add(const Instruction& inst) {
  if (!GetOpDef(inst).declared_shape) {  // async-done
    result = inst.shape();
    is_result_known = true;
    return;
  }
  const auto& bound = inst.shape().element(0).elements();
  if (bound.size() >= parameters.size()) {
    parameters.assign(bound.begin(), bound.end());
    const Shape& stated = inst.shape().element(1);
    const bool says_nothing = stated.is_tuple() && stated.num_tuple_elements() == 0;
    if (!is_result_known && !says_nothing) result = stated;
  }
}

// A call or fusion knows its shapes from its computation.
void AsyncSignature::AddCallee(const OpDef& op, std::span<HloComputation* const> callees) {
  if ((op.opcode != Opcode::kCall && op.opcode != Opcode::kFusion) || callees.empty()) return;
  parameters.clear();
  for (const Instruction* p : callees[0]->parameters()) parameters.push_back(p->shape());
  result = callees[0]->root()->shape();
  is_result_known = true;
}

// Instructions are in order, so that each operand is copied before its reader.
void CopyInstructions(const HloComputation& from, HloComputation& to) {
  std::vector<Instruction*> copies, operands, parameters;
  for (const Instruction* inst : from.instructions()) {
    operands.clear();
    for (i64 i = 0; i < inst->num_operands(); ++i) {
      operands.push_back(copies[inst->operand(i)->index()]);
    }
    Instruction* const copy = to.Add({.opcode = inst->opcode(),
                                      .name = inst->name(),
                                      .shape = inst->shape(),
                                      .operands = operands,
                                      .callees = inst->callees(),
                                      .attrs = inst->attr_block(),
                                      .metadata = inst->metadata()});
    copies.push_back(copy);
    if (inst->extras() == nullptr) continue;
    InstructionExtras& extras = to.MutableExtras(copy);
    extras = *inst->extras();
    for (Instruction*& before : extras.control_predecessors) before = copies[before->index()];
  }
  for (const Instruction* p : from.parameters()) parameters.push_back(copies[p->index()]);
  to.set_parameters(std::move(parameters));
  to.set_root(copies[from.root()->index()]);
  to.set_execution_thread(from.execution_thread());
}

}  // namespace axle
