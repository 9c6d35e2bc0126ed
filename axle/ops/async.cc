// async-start, async-update, async-done: a computation that is begun in one place and whose result
// is read in another. Here it runs when it is begun.
#include "axle/ops/async.h"

#include <algorithm>

#include "axle/ops/collective_parts.h"
#include "axle/ops/elementwise.h"

namespace axle {

extern const OpDef kAsyncDoneDef, kAsyncStartDef, kAsyncUpdateDef;

namespace {

constexpr OperandSpec kStartOperands[] = {{"operand", kVariadic}};
constexpr CalleeSpec kStartCallees[] = {{"calls"}};
constexpr std::string_view kMainThread = "main";
constexpr std::string_view kAsync = "async";
constexpr Opcode kBegun[] = {Opcode::kAsyncStart, Opcode::kAsyncUpdate};

constexpr AttrSpec kStartAttrs[] = {
    Attr<&AsyncStartAttrs::async_execution_thread>("async_execution_thread", {.field = 79},
                                                   Presence::kOptional),
    Attr<&AsyncStartAttrs::output_to_operand_aliasing>("output_to_operand_aliasing", {.field = 74},
                                                       Presence::kOptional),
};
constexpr AttrSpec kChainAttrs[] = {
    Attr<&AsyncChainAttrs::async_execution_thread>("async_execution_thread", {},
                                                   Presence::kOptional),
    Attr<&AsyncChainAttrs::calls>("calls", {}, Presence::kOptional),
};

// The async-start at the head of the chain that `inst`, an async-start or async-update, is in; null
// for other ops.
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

// XLA's name of the main thread is as good as none.
void DropMainThread(std::span<Instruction* const>, void* attrs) {
  std::string& thread = static_cast<AsyncStartAttrs*>(attrs)->async_execution_thread;
  if (thread == kMainThread) thread.clear();
}

// ((operands...), result, contexts...): what the contexts are is up to the program.
StatusOr<Shape> InferStart(const Instruction& inst) {
  std::vector<Shape> operands;
  for (i64 i = 0; i < inst.num_operands(); ++i) operands.push_back(inst.operand(i)->shape());
  const HloComputation& callee = *inst.callee(0);
  AXLE_TRY(CheckCallee(inst, 0, operands, callee.root()->shape()));
  const std::string& thread = ThreadOf(inst);
  if (ThreadText(thread) != ThreadText(callee.execution_thread())) {
    return OpError(
        inst, StrCat("async_execution_thread is \"", ThreadText(thread), "\" but \"", callee.name(),
                     "\" runs on \"", ThreadText(callee.execution_thread()), "\""));
  }
  Shape result = Shape::Tuple({Shape::Tuple(std::move(operands)), callee.root()->shape()});
  for (i64 i = 2; i < inst.shape().num_tuple_elements(); ++i) {
    result.AddElement(inst.shape().element(i));
  }
  return result;
}

StatusOr<Literal> EvalStart(const Instruction& inst, std::span<Literal> operands,
                            const EvalContext& context) {
  AXLE_TRY(context.Step());
  std::vector<Literal> given(operands.begin(), operands.end());
  AXLE_ASSIGN(Literal result, context.callee().Call(operands));
  std::vector<Literal> parts = {Literal::Tuple(std::move(given)), std::move(result)};
  for (i64 i = 2; i < inst.shape().num_tuple_elements(); ++i) {
    AXLE_ASSIGN(parts.emplace_back(), Literal::Create(inst.shape().element(i).WithoutLayout()));
  }
  return Literal::Tuple(std::move(parts));
}

bool SaysNothing(const AsyncChainAttrs& chain) {
  return chain.calls.name.empty() && chain.async_execution_thread.empty();
}

// What repeats the start is not kept; what contradicts it stays, and is an error.
void DropWhatTheStartSays(std::span<Instruction* const> operands, void* attrs) {
  auto& chain = *static_cast<AsyncChainAttrs*>(attrs);
  if (SaysNothing(chain)) return;
  const Instruction* start = AsyncStartOf(*operands[0]);
  if (start == nullptr) return;
  if (chain.calls.name == start->callee(0)->name()) chain.calls.name.clear();
  if (chain.async_execution_thread == ThreadText(ThreadOf(*start))) {
    chain.async_execution_thread.clear();
  }
}

Status CheckChain(const Instruction& inst) {
  AXLE_TRY(CheckStartedBy(inst, kBegun));
  const auto& chain = inst.attrs<AsyncChainAttrs>();
  if (SaysNothing(chain)) return {};  // without a walk along the chain
  const Instruction& start = *AsyncStartOf(*inst.operand(0));
  if (!chain.calls.name.empty()) {
    return OpError(inst, StrCat("calls \"", chain.calls.name, "\" but async-start calls \"",
                                start.callee(0)->name(), "\""));
  }
  if (chain.async_execution_thread.empty()) return {};
  return OpError(inst,
                 StrCat("async_execution_thread is \"", chain.async_execution_thread,
                        "\" but that of async-start is \"", ThreadText(ThreadOf(start)), "\""));
}

StatusOr<Shape> InferUpdate(const Instruction& inst) {
  AXLE_TRY(CheckChain(inst));
  return inst.operand(0)->shape();
}

StatusOr<Literal> EvalUpdate(const Instruction&, std::span<Literal> operands, const EvalContext&) {
  return std::move(operands[0]);
}

StatusOr<Shape> InferDone(const Instruction& inst) {
  AXLE_TRY(CheckChain(inst));
  return inst.operand(0)->shape().element(1);
}

StatusOr<Literal> EvalDone(const Instruction&, std::span<Literal> operands, const EvalContext&) {
  return std::move(operands[0].mutable_elements()[1]);
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

const Instruction* AsyncChains::StartOf(const Instruction& inst) {
  const Instruction* at = &inst;
  std::vector<const Instruction*> updates;
  const Instruction* start = nullptr;
  while (start == nullptr && at->opcode() == Opcode::kAsyncUpdate) {
    const auto known = starts_.find(at);
    if (known != starts_.end()) {
      start = known->second;
    } else {
      updates.push_back(at);
      at = at->operand(0);
    }
  }
  if (start == nullptr && at->opcode() == Opcode::kAsyncStart) start = at;
  if (start == nullptr) return nullptr;  // no chain; InferShape refuses it
  for (const Instruction* update : updates) starts_.emplace(update, start);
  return start;
}

const Instruction* AsyncChains::WrappedOp(const Instruction& inst) {
  const Instruction* start = StartOf(inst.opcode() == Opcode::kAsyncDone ? *inst.operand(0) : inst);
  if (start == nullptr) return nullptr;
  const HloComputation& callee = *start->callee(0);
  const Instruction& root = *callee.root();
  const auto parameters = callee.parameters();
  if (!HasShortForm(GetOpDef(root)) || callee.instructions().size() != parameters.size() + 1 ||
      root.num_operands() != static_cast<i64>(parameters.size())) {
    return nullptr;
  }
  for (i64 i = 0; i < root.num_operands(); ++i) {
    if (root.operand(i) != parameters[i]) return nullptr;
  }
  return &root;
}

const OpDef* AsyncChains::WrappedDef(const Instruction& inst) {
  const Instruction* op = WrappedOp(inst);
  return op == nullptr ? nullptr : &GetOpDef(*op);
}

std::string_view AsyncSuffix(const Instruction& inst) {
  return GetOpDef(inst).text.substr(kAsync.size());
}

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
    if (inst.opcode() == Opcode::kAsyncStart) return {};
    for (const HloComputation* callee : inst.callees()) {
      if (!std::binary_search(begun.begin(), begun.end(), callee)) continue;
      if (caller != nullptr) *caller = inst.parent();
      return OpError(inst,
                     StrCat("calls \"", callee->name(), "\", which an async-start calls too"));
    }
    return {};
  });
}

void SetThreadOfCallee(const OpDef& start, const void* attrs, HloComputation& callee) {
  if (attrs == nullptr) attrs = start.attrs.defaults;
  const std::string& thread = static_cast<const AsyncStartAttrs*>(attrs)->async_execution_thread;
  callee.set_execution_thread(thread == kMainThread ? "" : thread);
}

const OpDef kAsyncStartDef = {
    .opcode = Opcode::kAsyncStart,
    .text = "async-start",
    .summary = "Begins to run a computation whose result async-done reads.",
    .semantics =
        "Gives a tuple of the operands, as a tuple, of the result of `calls` on them, and of any "
        "further elements that the program states, which are zeros. One async-done reads it, "
        "either directly or through a chain of async-update; nothing else does. The computation "
        "is called by nothing but asynchronous ops, and its execution thread is "
        "async_execution_thread. HLO text writes a computation of one op in its short form: "
        "op-start, op-update, op-done.",
    .source = "XLA's HLO async-start; StableHLO async_start",
    .operands = kStartOperands,
    .attrs = Schema<AsyncStartAttrs>(kStartAttrs),
    .callees = kStartCallees,
    .declared_shape = true,
    .traits = kMixedPrecision,
    .lowering = Lowering::kControlFlow,
    .infer = InferStart,
    .canonicalize = DropMainThread,
    .check_uses = CheckReadBy<Opcode::kAsyncUpdate, Opcode::kAsyncDone>,
    .eval = EvalStart,
};

const OpDef kAsyncUpdateDef = {
    .opcode = Opcode::kAsyncUpdate,
    .text = "async-update",
    .summary = "A point between async-start and async-done where a computation goes on.",
    .semantics =
        "Gives its operand, an async-start or async-update, which nothing else reads. What it says "
        "of the computation or its thread agrees with async-start.",
    .source = "XLA's HLO async-update",
    .operands = kUnaryOperands,
    .attrs = Schema<AsyncChainAttrs>(kChainAttrs),
    .traits = kMixedPrecision | kGivesOperand,
    .lowering = Lowering::kControlFlow,
    .infer = InferUpdate,
    .canonicalize = DropWhatTheStartSays,
    .check_uses = CheckReadBy<Opcode::kAsyncUpdate, Opcode::kAsyncDone>,
    .eval = EvalUpdate,
};

const OpDef kAsyncDoneDef = {
    .opcode = Opcode::kAsyncDone,
    .text = "async-done",
    .summary = "The result of the computation that an async-start began.",
    .semantics =
        "The operand is an async-start or the last async-update behind it. What it says of the "
        "computation or its thread agrees with async-start.",
    .source = "XLA's HLO async-done; StableHLO async_done",
    .operands = kUnaryOperands,
    .attrs = Schema<AsyncChainAttrs>(kChainAttrs),
    .traits = kMixedPrecision,
    .lowering = Lowering::kControlFlow,
    .infer = InferDone,
    .canonicalize = DropWhatTheStartSays,
    .eval = EvalDone,
};

}  // namespace axle
