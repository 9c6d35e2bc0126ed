// Asynchronous ops. A chain may begin in a computation that is written behind the ones in which it
// goes on, and op-start need not say what its op takes. So what the ops of chains call, and whether
// they are right, is found when all has been read.
#include "axle/core/strings.h"
#include "axle/ops/implied.h"
#include "axle/text/parser.h"

namespace axle {

StatusOr<Instruction*> Parser::ParseAsyncStart(Scope& scope, std::string_view name,
                                               const AsyncForm& form, PendingOperation& start) {
  if (!start.has_shape || start.shape.num_tuple_elements() < 2 ||
      !start.shape.element(0).is_tuple()) {
    return scanner_.Error(
        StrCat("\"", start.text, "\" needs the shape ((operands...), result, ...) before it"));
  }
  auto body = std::make_unique<PendingOperation>();
  PendingOperation& op = *body;
  op.def = form.op;
  op.text = form.op->text;
  op.shape_position = start.shape_position;
  op.op_position = start.op_position;
  op.has_shape = true;
  op.shape = start.shape.element(1);
  start.def = form.wrapper;
  AXLE_TRY(ParseOperands(scope, name, start));
  if (!start.nested) {
    AXLE_TRY(
        ParseAttributes(scope, *op.def, op.shape, op.attributes, start.def, &start.attributes));
  }
  AXLE_TRY(CheckAttributes(*op.def, op.op_position, op.attributes));
  TakeCommonAttributes(op.attributes, start.attributes);
  const size_t num_bound = start.operands.size();
  if (start.shape.element(0).num_tuple_elements() != static_cast<i64>(num_bound)) {
    return scanner_.ErrorAt(start.shape_position,
                            StrCat("\"", start.text, "\" has ", num_bound,
                                   " operands but its shape ", start.shape.ToString(),
                                   " begins with ", start.shape.element(0).num_tuple_elements()));
  }
  start.attributes.callees = {AddOpenComputation(start.op_position)};
  PendingAsync pending;
  pending.op = op.def;
  pending.body = std::move(body);
  return AddAsync(scope, name, start, std::move(pending));
}

void Parser::TakeCommonAttributes(PendingAttributes& op, PendingAttributes& start) {
  start.metadata = op.metadata;
  start.seen_common = op.seen_common;
  start.has_extras = op.has_extras;
  start.sharding = std::move(op.sharding);
  start.replication_position = op.replication_position;
  start.extras = std::move(op.extras);
  op.extras = {};
  op.extras.frontend_attributes = start.extras.frontend_attributes;
  op.extras.statistics = start.extras.statistics;
  op.extras.result_accuracy = start.extras.result_accuracy;
  op.extras.origin = start.extras.origin;
  op.extras.backend_config = start.extras.backend_config;
  op.extras.has_backend_config = start.extras.has_backend_config;
  op.has_extras = start.has_extras;
  op.seen_common.reset();
}

HloComputation* Parser::AddOpenComputation(size_t position) {
  HloComputation* computation = module_->AddComputation(kWrappedName);
  generated_.push_back(computation);
  positions_.emplace(computation, position);
  return computation;
}

StatusOr<Instruction*> Parser::AddAsync(Scope& scope, std::string_view name, PendingOperation& op,
                                        PendingAsync pending) {
  if (GoesOnAsync(*op.def)) {
    if (op.operands.empty()) {
      if (pending.op == nullptr) return AddOperation(scope, name, op);  // which is an error
      return scanner_.ErrorAt(
          op.op_position,
          StrCat("the operand of \"", op.text, "\" is not of \"", pending.op->text, "-start\""));
    }
    if (op.attributes.callees.empty()) {
      auto* callee = const_cast<HloComputation*>(chains_.Find(*op.operands[0]));
      if (callee == nullptr) {
        callee = AddOpenComputation(op.op_position);
        open_.insert(callee);
      }
      op.attributes.callees = {callee};
    }
    const Shape& state = op.operands[0]->shape();
    if (!op.has_shape && state.num_tuple_elements() >= 2) op.shape = state.element(1);
  }
  AXLE_ASSIGN(Instruction* const inst, AddUnchecked(scope, name, op));
  AXLE_TRY(FinishOperation(scope, op, inst));
  pending.inst = inst;
  pending.shape_position = op.shape_position;
  pending.op_position = op.op_position;
  pending.has_shape = op.has_shape;
  async_.push_back(std::move(pending));
  return inst;
}

Status Parser::FinishAsync() {
  if (async_.empty()) return {};
  AXLE_ASSIGN(const ComputationMap sources, FindSources());
  std::unordered_map<const HloComputation*, AsyncSignature> signatures;
  for (const PendingAsync& pending : async_) {
    const Instruction& inst = *pending.inst;
    const auto source = sources.find(inst.callee(0));
    const HloComputation* callee = source == sources.end() ? inst.callee(0) : source->second;
    const bool says =
        GetOpDef(inst).declared_shape ? IsAsyncState(inst.shape()) : pending.has_shape;
    if (says) signatures[callee].Add(inst);
  }
  for (const PendingAsync& pending : async_) {
    if (pending.body == nullptr) continue;
    AXLE_TRY(FillWrapped(signatures[pending.inst->callee(0)], pending));
  }
  for (const PendingAsync& pending : async_) {
    if (IsAsyncStart(GetOpDef(*pending.inst))) SetThreadOfCallee(*pending.inst);
  }
  AXLE_TRY(FindSources().status());  // those of one chain run the same, now that they are filled
  for (const PendingAsync& pending : async_) {
    HloComputation* const callee = pending.inst->callee(0);
    const auto source = sources.find(callee);
    if (source != sources.end() && callee->root() == nullptr) {
      CopyInstructions(*source->second, *callee);
    }
  }
  for (const PendingAsync& pending : async_) AXLE_TRY(CheckAsync(pending));
  return {};
}

StatusOr<Parser::ComputationMap> Parser::FindSources() {
  ComputationMap sources;
  if (open_.empty()) return sources;
  AsyncSources search(*module_, open_);
  for (const PendingAsync& pending : async_) {
    const HloComputation* callee = pending.inst->callee(0);
    if (!open_.contains(callee) || sources.contains(callee)) continue;
    const auto source = search.Find(*pending.inst);
    if (source.ok()) {
      sources.emplace(callee, *source);
    } else {
      return pending.op == nullptr ? Located(pending.op_position, source.status())
                                   : NotOfStart(pending);
    }
  }
  return sources;
}

Status Parser::NotOfStart(const PendingAsync& pending) {
  const std::string_view op = pending.op->text;
  return scanner_.ErrorAt(pending.op_position,
                          StrCat("the operand of \"", op, AsyncSuffix(*pending.inst),
                                 "\" is not of \"", op, "-start\""));
}

Status Parser::FillWrapped(const AsyncSignature& signature, const PendingAsync& start) {
  Scope scope{.computation = start.inst->callee(0)};
  PendingOperation& op = *start.body;
  AsyncSignature whole = signature;
  whole.AddCallee(*op.def, op.attributes.callees);
  op.shape = whole.result;
  for (size_t i = 0; i < whole.parameters.size(); ++i) {
    op.operands.push_back(AddParameter(*scope.computation, static_cast<i64>(i), whole.parameters[i],
                                       i == 0 ? "async_param" : StrCat("async_param.", i)));
  }
  AXLE_TRY(AddOperation(scope, "async_op", op).status());
  const Status status = BindParameters(*scope.computation);
  return status.ok() ? status : Located(op.op_position, status);
}

Status Parser::CheckAsync(const PendingAsync& pending) {
  Instruction& inst = *pending.inst;
  if (pending.op != nullptr && pending.body == nullptr) {
    const Instruction* op = chains_.WrappedOp(inst);
    if (op == nullptr || &GetOpDef(*op) != pending.op) return NotOfStart(pending);
  }
  if (GoesOnAsync(GetOpDef(inst))) {
    const HloComputation* found = chains_.Find(*inst.operand(0));
    if (found != nullptr && found != inst.callee(0) &&
        StructuralHash(*found) != StructuralHash(*inst.callee(0))) {
      return Located(pending.op_position,
                     OpError(inst, StrCat("calls \"", inst.callee(0)->name(),
                                          "\" but async-start calls \"", found->name(), "\"")));
    }
  }
  const StatusOr<Shape> shape = InferShape(inst);
  if (!shape.ok()) return Located(pending.op_position, shape.status());
  if (EqualIgnoringLayout(*shape, inst.shape())) return {};
  const std::string text = pending.op == nullptr ? std::string(GetOpDef(inst).text)
                                                 : StrCat(pending.op->text, AsyncSuffix(inst));
  return Located(pending.has_shape ? pending.shape_position : pending.op_position,
                 InvalidArgument(StrCat("\"", text, "\" has shape ", shape->ToString(), ", not ",
                                        inst.shape().ToString())));
}

}  // namespace axle
