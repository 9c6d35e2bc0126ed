// async-start, async-update, async-done: a computation that is begun in one place and whose result
// is read in another. Here it runs as soon as its operands are bound (async.h).
//
// The state that passes from start to done is the tuple ((operands...), result, contexts...). A
// chain may bind its operands in several steps: the computation runs in the first op whose state
// has all parameters and the whole result (HasRun), and otherwise in async-done. Until then the
// result is zeros. Attributes of update and done only repeat what the start says; they are dropped,
// or are errors if they contradict it.
#include "axle/ops/async.h"

#include <algorithm>

#include "axle/ops/aliasing.h"
#include "axle/ops/elementwise.h"

namespace axle {

extern const OpDef kAsyncDoneDef, kAsyncStartDef, kAsyncUpdateDef;

namespace {

constexpr OperandSpec kStartOperands[] = {{"operand", kVariadic}};
constexpr OperandSpec kUpdateOperands[] = {{"operand"}, {"bound", kVariadic}};
constexpr CalleeSpec kStartCallees[] = {{"calls"}};
// The computation of the start; it is filled in where a program leaves it out.
constexpr CalleeSpec kChainCallees[] = {{.text = "calls", .optional = true}};
constexpr std::string_view kMainThread = "main";
constexpr std::string_view kAsync = "async";

constexpr AttrSpec kStartAttrs[] = {
    Attr<&AsyncStartAttrs::async_execution_thread>("async_execution_thread", {.field = 79},
                                                   Presence::kOptional),
    Attr<&AsyncStartAttrs::output_to_operand_aliasing>("output_to_operand_aliasing", {.field = 74},
                                                       Presence::kOptional),
};
constexpr AttrSpec kUpdateAttrs[] = {
    Attr<&AsyncUpdateAttrs::async_execution_thread>("async_execution_thread", {},
                                                    Presence::kOptional),
    Attr<&AsyncUpdateAttrs::output_to_operand_aliasing>("output_to_operand_aliasing", {.field = 74},
                                                        Presence::kOptional),
};
constexpr AttrSpec kDoneAttrs[] = {
    Attr<&AsyncDoneAttrs::async_execution_thread>("async_execution_thread", {},
                                                  Presence::kOptional),
};

// The async-start at the head of the chain that `inst`, an async-start or async-update, is in, if
// the state goes from one to the next directly; null for other ops.
const Instruction* AsyncStartOf(const Instruction& inst) {
  const Instruction* at = &inst;
  while (at->opcode() == Opcode::kAsyncUpdate) at = at->operand(0);
  return at->opcode() == Opcode::kAsyncStart ? at : nullptr;
}

const std::string& ThreadOf(const Instruction& start) {
  return start.attrs<AsyncStartAttrs>().async_execution_thread;
}

std::string_view ThreadText(const std::string& thread) {
  return thread.empty() ? kMainThread : std::string_view(thread);
}

// XLA's name of the main thread means the same as no name.
void DropMainThread(std::span<Instruction* const>, void* attrs) {
  std::string& thread = static_cast<AsyncStartAttrs*>(attrs)->async_execution_thread;
  if (thread == kMainThread) thread.clear();
}

// Whether `prefix` is a first part of `whole`: the same, or (), or a tuple of first parts of the
// first elements. Shapes are as deep as the text's limit on nesting lets them be.
bool IsPrefix(const Shape& prefix, const Shape& whole) {
  if (Compatible(prefix, whole)) return true;
  if (!prefix.is_tuple()) return false;
  if (prefix.num_tuple_elements() == 0) return true;
  if (!whole.is_tuple() || prefix.num_tuple_elements() > whole.num_tuple_elements()) return false;
  for (i64 i = 0; i < prefix.num_tuple_elements(); ++i) {
    if (!IsPrefix(prefix.element(i), whole.element(i))) return false;
  }
  return true;
}

// The number of bound operands is visible in the shape of the state.
bool BindsAll(const Shape& state, const HloComputation& callee) {
  return state.element(0).num_tuple_elements() == std::ssize(callee.parameters());
}

// From the first state of which this holds on, the result is there.
bool HasRun(const Shape& state, const HloComputation& callee) {
  return BindsAll(state, callee) && Compatible(state.element(1), callee.root()->shape());
}

// An error unless `operands` fit the first parameters of the computation.
Status CheckBound(const Instruction& inst, std::span<const Shape> operands) {
  const HloComputation& callee = *inst.callee(0);
  bool fits = operands.size() <= callee.parameters().size();
  for (size_t i = 0; fits && i < operands.size(); ++i) {
    fits = Compatible(callee.parameters()[i]->shape(), operands[i]);
  }
  return fits ? Status() : CheckCallee(inst, 0, operands, callee.root()->shape());
}

// ((operands...), result, contexts...): what the contexts are is up to the program, and of the
// result it may say the first part only.
Shape StateShape(const Instruction& inst, std::vector<Shape> operands, const Shape& at_least) {
  const Shape& stated = inst.shape();
  const Shape& whole = inst.callee(0)->root()->shape();
  const bool is_state = IsAsyncState(stated);
  const bool fits =
      is_state && IsPrefix(at_least, stated.element(1)) && IsPrefix(stated.element(1), whole);
  Shape result =
      Shape::Tuple({Shape::Tuple(std::move(operands)), fits ? stated.element(1) : whole});
  for (i64 i = 2; i < stated.num_tuple_elements(); ++i) result.AddElement(stated.element(i));
  return result;
}

// The start decides about the callee, the thread and the bound operands; later ops of the chain are
// compared with it.
StatusOr<Shape> InferStart(const Instruction& inst) {
  std::vector<Shape> operands;
  for (i64 i = 0; i < inst.num_operands(); ++i) operands.push_back(inst.operand(i)->shape());
  const HloComputation& callee = *inst.callee(0);
  AXLE_TRY(CheckBound(inst, operands));
  const std::string& thread = ThreadOf(inst);
  if (ThreadText(thread) != ThreadText(callee.execution_thread())) {
    return OpError(
        inst, StrCat("async_execution_thread is \"", ThreadText(thread), "\" but \"", callee.name(),
                     "\" runs on \"", ThreadText(callee.execution_thread()), "\""));
  }
  Shape result = StateShape(inst, std::move(operands), Shape::Tuple({}));
  // Aliases name parts of all parameters and of the whole result, bound here or later.
  std::vector<Shape> parameters;
  for (const Instruction* p : callee.parameters()) parameters.push_back(p->shape());
  Shape whole = Shape::Tuple({Shape::Tuple(parameters), callee.root()->shape()});
  for (i64 i = 2; i < result.num_tuple_elements(); ++i) whole.AddElement(result.element(i));
  AXLE_TRY(CheckAliasing(inst, whole, inst.attrs<AsyncStartAttrs>().output_to_operand_aliasing,
                         parameters, Buffers::kAreAsTheirContents));
  return result;
}

// A value of zeros for a part of the state that is not computed yet.
StatusOr<Literal> Zeros(const Shape& shape) {
  return Literal::Create(shape.WithoutLayout());
}

// The result of the computation if it runs here, in the place of `result` otherwise.
StatusOr<Literal> StateOf(const Instruction& inst, std::vector<Literal> bound, bool runs,
                          Literal result, const EvalContext& context) {
  if (runs) {
    std::vector<Literal> arguments = bound;
    AXLE_ASSIGN(result, context.callee().Call(arguments));
  }
  std::vector<Literal> parts = {Literal::Tuple(std::move(bound)), std::move(result)};
  for (i64 i = 2; i < inst.shape().num_tuple_elements(); ++i) {
    AXLE_ASSIGN(parts.emplace_back(), Zeros(inst.shape().element(i)));
  }
  return Literal::Tuple(std::move(parts));
}

// The start runs the computation only if it binds all parameters and states the whole result.
StatusOr<Literal> EvalStart(const Instruction& inst, std::span<Literal> operands,
                            const EvalContext& context) {
  AXLE_TRY(context.Step());
  const bool runs = HasRun(inst.shape(), *inst.callee(0));
  Literal result;
  if (!runs) {
    AXLE_ASSIGN(result, Zeros(inst.shape().element(1)));
  }
  return StateOf(inst, {operands.begin(), operands.end()}, runs, std::move(result), context);
}

// An attribute that repeats the start is dropped; one that contradicts it stays and is an error.
template <typename Attrs>
void DropWhatTheStartSays(std::span<Instruction* const> operands, void* attrs) {
  std::string& thread = static_cast<Attrs*>(attrs)->async_execution_thread;
  if (thread.empty()) return;
  const Instruction* start = AsyncStartOf(*operands[0]);
  if (start != nullptr && thread == ThreadText(ThreadOf(*start))) thread.clear();
}

// What an update or a done op must have in common with the ops before it: the computation (by
// identity or by structure, since text may repeat it), a state as operand, and the thread.
Status CheckChain(const Instruction& inst, const std::string& thread) {
  if (inst.callees().empty()) {
    return OpError(inst, "calls no computation; it must be that of the async-start");
  }
  const HloComputation& callee = *inst.callee(0);
  const Instruction& before = *inst.operand(0);
  const bool is_chain =
      before.opcode() == Opcode::kAsyncStart || before.opcode() == Opcode::kAsyncUpdate;
  if (is_chain && !before.callees().empty() && before.callee(0) != &callee &&
      StructuralHash(*before.callee(0)) != StructuralHash(callee)) {
    return OpError(inst, StrCat("calls \"", callee.name(), "\" but async-start calls \"",
                                before.callee(0)->name(), "\""));
  }
  if (!IsAsyncState(before.shape())) {
    return OpError(inst, "operand is no state ((operands...), result, ...) of async-start");
  }
  AXLE_TRY(CheckBound(inst, before.shape().element(0).elements()));
  if (!IsPrefix(before.shape().element(1), callee.root()->shape())) {
    return OpError(inst, StrCat("the state has the result ", before.shape().element(1).ToString(),
                                " but that of \"", callee.name(), "\" is ",
                                callee.root()->shape().ToString()));
  }
  if (thread.empty() || thread == ThreadText(callee.execution_thread())) return {};
  return OpError(inst,
                 StrCat("async_execution_thread is \"", thread, "\" but that of async-start is \"",
                        ThreadText(callee.execution_thread()), "\""));
}

// The operands of an update extend the list of bound operands.
StatusOr<Shape> InferUpdate(const Instruction& inst) {
  const auto& attrs = inst.attrs<AsyncUpdateAttrs>();
  AXLE_TRY(CheckChain(inst, attrs.async_execution_thread));
  const Shape& before = inst.operand(0)->shape();
  const auto elements = before.element(0).elements();
  std::vector<Shape> bound(elements.begin(), elements.end());
  for (i64 i = 1; i < inst.num_operands(); ++i) bound.push_back(inst.operand(i)->shape());
  AXLE_TRY(CheckBound(inst, bound));
  Shape result = StateShape(inst, std::move(bound), before.element(1));
  for (const OperandAlias& alias : attrs.output_to_operand_aliasing) {
    const bool is_context = !alias.output_index.empty() && alias.output_index[0] >= 2 &&
                            !alias.operand_index.empty() && alias.operand_index[0] >= 2;
    if (alias.operand == 0 && is_context) continue;
    return OpError(inst,
                   "output_to_operand_aliasing of async-update is of contexts, {2} and so on, of "
                   "the result and of operand 0");
  }
  AXLE_TRY(
      CheckAliasing(inst, result, attrs.output_to_operand_aliasing, Buffers::kAreAsTheirContents));
  return result;
}

// A state that does not change is passed on. Otherwise the new state is built from the parts of the
// old one, and the computation runs if this op is the first to have everything.
StatusOr<Literal> EvalUpdate(const Instruction& inst, std::span<Literal> operands,
                             const EvalContext& context) {
  const HloComputation& callee = *inst.callee(0);
  const Shape& before = inst.operand(0)->shape();
  if (before == inst.shape() && operands.size() == 1) return std::move(operands[0]);
  AXLE_TRY(context.Step());
  const std::span<Literal> parts = operands[0].mutable_elements();
  const std::span<Literal> first = parts[0].mutable_elements();
  std::vector<Literal> bound(first.begin(), first.end());
  for (Literal& operand : operands.subspan(1)) bound.push_back(std::move(operand));
  const bool runs = !HasRun(before, callee) && HasRun(inst.shape(), callee);
  Literal result;
  if (Compatible(before.element(1), inst.shape().element(1))) {
    result = std::move(parts[1]);
  } else if (!runs) {
    AXLE_ASSIGN(result, Zeros(inst.shape().element(1)));
  }
  return StateOf(inst, std::move(bound), runs, std::move(result), context);
}

// The chain must have bound everything before its end.
StatusOr<Shape> InferDone(const Instruction& inst) {
  AXLE_TRY(CheckChain(inst, inst.attrs<AsyncDoneAttrs>().async_execution_thread));
  const HloComputation& callee = *inst.callee(0);
  const Shape& state = inst.operand(0)->shape();
  if (!BindsAll(state, callee)) {
    return OpError(inst, StrCat("the chain binds ", state.element(0).num_tuple_elements(),
                                " of the ", callee.parameters().size(), " parameters of \"",
                                callee.name(), "\"; async-start or async-update bind the others"));
  }
  return callee.root()->shape();
}

// The result is there if an op before has run the computation; otherwise it runs here.
StatusOr<Literal> EvalDone(const Instruction& inst, std::span<Literal> operands,
                           const EvalContext& context) {
  const std::span<Literal> parts = operands[0].mutable_elements();
  if (HasRun(inst.operand(0)->shape(), *inst.callee(0))) return std::move(parts[1]);
  AXLE_TRY(context.Step());
  return context.callee().Call(parts[0].mutable_elements());
}

// A state may be read by the ops of its chain and by ops that pass values on.
Status CheckReaders(const Instruction& inst) {
  for (const Use* use = inst.first_use(); use != nullptr; use = use->next) {
    const Instruction& reader = *use->user;
    const bool is_chain =
        reader.opcode() == Opcode::kAsyncDone || reader.opcode() == Opcode::kAsyncUpdate;
    if (is_chain ? reader.operand(0) == &inst : GetOpDef(reader).has(kHandsOn)) continue;
    return OpError(inst, StrCat("\"", inst.name(),
                                "\" must be read by async-update or async-done, as operand 0, or "
                                "by what hands it on, not by ",
                                GetOpDef(reader).text));
  }
  return {};
}

// Ops with an asynchronous form of their own, and those without operands in parentheses, have none.
bool HasShortForm(const OpDef& op) {
  switch (op.opcode) {
    case Opcode::kAllGather:
    case Opcode::kAllReduce:
    case Opcode::kAsyncDone:
    case Opcode::kAsyncStart:
    case Opcode::kAsyncUpdate:
    case Opcode::kCollectivePermute:
    case Opcode::kCopy:
    case Opcode::kRecv:
    case Opcode::kSend:
      return false;
    default:
      return op.parens == ParenSyntax::kOperands;
  }
}

}  // namespace

// "all-to-all-start" is read as async-start of a computation of one all-to-all. The suffix finds
// the wrapper, the rest of the name the wrapped op.
std::optional<AsyncForm> FindAsyncForm(std::string_view text) {
  for (const Opcode opcode : {Opcode::kAsyncStart, Opcode::kAsyncUpdate, Opcode::kAsyncDone}) {
    const OpDef& wrapper = GetOpDef(opcode);
    const std::string_view suffix = wrapper.text.substr(kAsync.size());
    if (!text.ends_with(suffix)) continue;
    const OpDef* op = FindOpDef(text.substr(0, text.size() - suffix.size()));
    if (op == nullptr || !HasShortForm(*op)) return std::nullopt;
    return AsyncForm{op, &wrapper, opcode == Opcode::kAsyncStart};
  }
  return std::nullopt;
}

bool IsAsyncState(const Shape& shape) {
  return shape.is_tuple() && shape.num_tuple_elements() >= 2 && shape.element(0).is_tuple();
}

bool IsAsyncStart(const OpDef& def) {
  return def.opcode == Opcode::kAsyncStart;
}

bool GoesOnAsync(const OpDef& def) {
  return def.opcode == Opcode::kAsyncUpdate || def.opcode == Opcode::kAsyncDone;
}

bool HasShortForm(const Instruction& op) {
  return HasShortForm(GetOpDef(op));
}

std::string_view AsyncSuffix(const Instruction& inst) {
  return GetOpDef(inst).text.substr(kAsync.size());
}

// A computation that an async-start runs has no other callers: its thread belongs to it. The list
// is sorted once and searched by bisection.
Status CheckAsyncCallees(const Module& module, const HloComputation** caller) {
  std::vector<const HloComputation*> begun;  // sorted
  const auto for_each = [&](const auto& fn) -> Status {
    for (const auto& computation : module.computations()) {
      for (const Instruction* inst : computation->instructions()) AXLE_TRY(fn(*inst));
    }
    return {};
  };
  AXLE_TRY(for_each([&](const Instruction& inst) -> Status {
    if (inst.opcode() == Opcode::kAsyncStart) begun.push_back(inst.callee(0));
    return {};
  }));
  if (begun.empty()) return {};
  // Not std::ranges::sort: clang 19 instantiates the operators of lanes for it.
  std::sort(begun.begin(), begun.end());
  return for_each([&](const Instruction& inst) -> Status {
    if (inst.opcode() == Opcode::kAsyncStart || GoesOnAsync(GetOpDef(inst))) return {};
    for (const HloComputation* callee : inst.callees()) {
      if (!std::binary_search(begun.begin(), begun.end(), callee)) continue;
      if (caller != nullptr) *caller = inst.parent();
      return OpError(inst,
                     StrCat("calls \"", callee->name(), "\", which an async-start calls too"));
    }
    return {};
  });
}

void SetThreadOfCallee(const Instruction& start) {
  HloComputation& callee = *start.callee(0);
  if (callee.execution_thread().empty()) callee.set_execution_thread(ThreadOf(start));
}

const OpDef kAsyncStartDef = {
    .opcode = Opcode::kAsyncStart,
    .text = "async-start",
    .summary = "Begins to run a computation whose result async-done reads.",
    .semantics =
        "Gives a state: a tuple of the operands, as a tuple, of the result of `calls` on them, and "
        "of any further elements that the program states, which are zeros. There may be fewer "
        "operands than the computation has parameters; async-update binds the next ones. The "
        "stated result may be a first part of the whole one, such as (). The computation runs in "
        "the first op of the chain whose state has all operands and the whole result, or in "
        "async-done; until then the result is zeros. The state may go through tuples, copies, "
        "opt-barrier, loops, branches and calls; other ops do not read it. The computation is "
        "called by nothing but asynchronous ops, and runs on async_execution_thread, which it may "
        "leave to be said here. HLO text writes a computation of one op in its short form: "
        "op-start, op-update, op-done.",
    .source = "XLA's HLO async-start; StableHLO async_start",
    .operands = kStartOperands,
    .attrs = Schema<AsyncStartAttrs>(kStartAttrs),
    .callees = kStartCallees,
    .declared_shape = true,
    .traits = kMixedPrecision | kRunsCallees,
    .lowering = Lowering::kControlFlow,
    .infer = InferStart,
    .canonicalize = DropMainThread,
    .check_uses = CheckReaders,
    .eval = EvalStart,
};

const OpDef kAsyncUpdateDef = {
    .opcode = Opcode::kAsyncUpdate,
    .text = "async-update",
    .summary = "A point between async-start and async-done where a computation goes on.",
    .semantics =
        "Takes the state of an async-start or async-update and the operands that it binds to the "
        "next parameters of the computation, and gives the state with them. The stated result "
        "begins with that of the operand's state; further elements are free, and zeros where they "
        "are new or the state changes. What it says of the computation or its thread agrees with "
        "async-start. output_to_operand_aliasing is of those further elements.",
    .source = "XLA's HLO async-update",
    .operands = kUpdateOperands,
    .attrs = Schema<AsyncUpdateAttrs>(kUpdateAttrs),
    .callees = kChainCallees,
    .declared_shape = true,
    .traits = kMixedPrecision | kRunsCallees,
    .lowering = Lowering::kControlFlow,
    .infer = InferUpdate,
    .canonicalize = DropWhatTheStartSays<AsyncUpdateAttrs>,
    .check_uses = CheckReaders,
    .eval = EvalUpdate,
};

const OpDef kAsyncDoneDef = {
    .opcode = Opcode::kAsyncDone,
    .text = "async-done",
    .summary = "The result of the computation that an async-start began.",
    .semantics =
        "The operand is the state of an async-start or the last async-update behind it, with all "
        "operands bound. What it says of the computation or its thread agrees with async-start.",
    .source = "XLA's HLO async-done; StableHLO async_done",
    .operands = kUnaryOperands,
    .attrs = Schema<AsyncDoneAttrs>(kDoneAttrs),
    .callees = kChainCallees,
    .traits = kMixedPrecision | kRunsCallees,
    .lowering = Lowering::kControlFlow,
    .infer = InferDone,
    .canonicalize = DropWhatTheStartSays<AsyncDoneAttrs>,
    .eval = EvalDone,
};

}  // namespace axle
