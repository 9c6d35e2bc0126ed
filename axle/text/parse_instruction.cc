// Operations: shape, name, operands.
#include <algorithm>

#include "axle/core/strings.h"
#include "axle/ops/implied.h"
#include "axle/ops/open_sizes.h"
#include "axle/text/instruction_checks.h"
#include "axle/text/parser.h"

namespace axle {

StatusOr<Instruction*> Parser::ParseInstruction(Scope& scope) {
  AXLE_ASSIGN(const std::string_view name, scanner_.Name("an instruction"));
  AXLE_TRY(CheckNewName(scope, name));
  AXLE_TRY(scanner_.Expect("="));
  AXLE_ASSIGN(Instruction* const inst, ParseOperation(scope, name));
  return inst;
}

Status Parser::CheckNewName(const Scope& scope, std::string_view name) {
  if (scope.instructions.contains(name)) {
    return scanner_.Error(StrCat("second instruction \"", name, "\""));
  }
  if (const Status status = CheckInstructionName(name); !status.ok()) {
    return scanner_.Error(status.message());
  }
  const size_t begin = scanner_.token_position();
  const bool has_percent = scanner_.Slice(begin, begin + 1) == "%";
  if (has_percent || !scanner_.PeekAdjacent("=")) return {};
  return scanner_.Error(
      StrCat("\"", name, "=\" is an attribute; an instruction has a space, \"", name, " = ...\""));
}

StatusOr<Shape> Parser::ReadShape() {
  AXLE_ASSIGN(Shape shape, ParseShape(scanner_));
  if (!shape.is_array() || !scanner_.Peek("{")) return shape;
  const size_t begin = scanner_.position();
  scanner_.Consume("{");
  const bool is_layout = scanner_.Peek(":") || IsDigit(scanner_.PeekChar());
  scanner_.Rewind(begin);
  if (!is_layout) return shape;
  AXLE_ASSIGN(Layout layout, ParseLayout(scanner_, shape.rank()));
  shape.set_layout(std::move(layout));
  return shape;
}

StatusOr<Instruction*> Parser::ParseOperation(Scope& scope, std::string_view name, bool nested) {
  PendingOperation op;
  op.nested = nested;
  scanner_.PeekChar();
  op.shape_position = scanner_.position();
  op.has_shape = AtShape();
  if (op.has_shape) {
    AXLE_ASSIGN(op.shape, ReadShape());
  }
  AXLE_ASSIGN(op.text, scanner_.Name("an operation"));
  op.op_position = scanner_.token_position();
  op.def = FindOpDef(op.text);
  std::optional<AsyncForm> async;
  if (op.def == nullptr) {
    async = FindAsyncForm(op.text);
    if (!async) return UnknownOp(op.text);
    if (async->begins) return ParseAsyncStart(scope, name, *async, op);
    op.def = async->wrapper;
  }
  if (op.def->declared_shape && !op.has_shape) {
    return scanner_.Error(StrCat("\"", op.text, "\" needs a shape before it"));
  }
  AXLE_TRY(ParseOperands(scope, name, op));
  if (!op.nested) AXLE_TRY(ParseAttributes(scope, *op.def, op.shape, op.attributes));
  AXLE_TRY(CheckAttributes(*op.def, op.op_position, op.attributes));
  if (IsAsyncStart(*op.def) || GoesOnAsync(*op.def)) {
    PendingAsync pending;
    if (async) pending.op = async->op;
    return AddAsync(scope, name, op, std::move(pending));
  }
  return AddOperation(scope, name, op);
}

void Parser::NoteElided(std::string_view name, PendingAttributes& attributes) {
  const std::optional<size_t> position = scanner_.TakeElided();
  if (!position) return;
  attributes.has_extras = attributes.extras.is_elided = true;
  if (++num_elided_ > kMaxElidedPlaces) return;
  attributes.extras.elided_place = scanner_.ErrorAt(*position, ElidedText(name)).message();
}

Status Parser::ParseOperands(Scope& scope, std::string_view name, PendingOperation& op) {
  if (op.def->parens == ParenSyntax::kAttribute) {
    AXLE_TRY(scanner_.Expect("("));
    AXLE_TRY(ParseSpec(*op.def, 0, op.shape, op.attributes));
    NoteElided(name, op.attributes);
    return scanner_.Expect(")");
  }
  return scanner_.List("(", ")", [&]() -> Status {
    AXLE_ASSIGN(op.operands.emplace_back(), ParseOperand(scope));
    return {};
  });
}

StatusOr<Instruction*> Parser::AddOperation(Scope& scope, std::string_view name,
                                            PendingOperation& op) {
  const bool is_open = HaveOpenSize(*op.def, op.operands);
  if (is_open && !op.has_shape) {
    return scanner_.ErrorAt(op.op_position, StrCat("\"", op.text,
                                                   "\" needs a shape before it, "
                                                   "because its operands leave sizes open"));
  }
  const auto type = is_open ? std::nullopt : MixedFloatType(*op.def, op.operands);
  if (type && !strict_types_) {
    return AddMixedOperation(scope, name, op, *type);
  }
  AXLE_ASSIGN(Instruction* const inst, AddUnchecked(scope, name, op));
  const StatusOr<Shape> shape = InferShape(*inst);
  if (!shape.ok()) return Located(op.op_position, shape.status());
  const bool is_stated = op.has_shape && EqualIgnoringLayout(*shape, op.shape);
  if (op.has_shape && !is_stated && !op.def->has(kIgnoresStatedShape)) {
    return Located(op.shape_position,
                   InvalidArgument(StrCat("\"", op.text, "\" has shape ", shape->ToString(),
                                          ", not ", op.shape.ToString())));
  }
  if (!is_stated) scope.computation->SetShape(inst, *shape);
  AXLE_TRY(FinishOperation(scope, op, inst));
  return inst;
}

StatusOr<NewInstruction> Parser::Describe(Scope& scope, std::string_view name,
                                          PendingOperation& op) {
  const OpDef& def = *op.def;
  PendingAttributes& attributes = op.attributes;
  if (def.canonicalize != nullptr && op.operands.size() >= def.operands.size()) {
    def.canonicalize(op.operands, MutableValues(def, attributes));
  }
  if (name.empty()) {
    op.generated_name = UnusedName(scope, op.nested ? StrCat(op.text, ".anon") : "_");
    name = op.generated_name;
  }
  if (!shape_budget_.ChargeOperands(def, op.operands)) return TooLarge(op.op_position);
  return NewInstruction{.opcode = def.opcode,
                        .name = name,
                        .shape = op.shape,
                        .operands = op.operands,
                        .callees = attributes.callees,
                        .attrs = FinishAttrs(def, attributes),
                        .metadata = attributes.metadata};
}

StatusOr<Instruction*> Parser::AddUnchecked(Scope& scope, std::string_view name,
                                            PendingOperation& op) {
  AXLE_ASSIGN(const NewInstruction init, Describe(scope, name, op));
  return scope.computation->Add(init);
}

StatusOr<Instruction*> Parser::AddMixedOperation(Scope& scope, std::string_view name,
                                                 PendingOperation& op, ElementType type) {
  AXLE_ASSIGN(const NewInstruction init, Describe(scope, name, op));
  const size_t first = scope.computation->instructions().size();
  const StatusOr<MixedInstruction> mixed =
      AddMixed(*scope.computation, init, op.has_shape, type,
               [&](const std::string& base) { return UnusedName(scope, base); });
  if (!mixed.ok()) return Located(op.op_position, mixed.status());
  const auto added = scope.computation->instructions();
  for (size_t i = first; i < added.size(); ++i) {
    if (added[i] == mixed->computed) continue;
    if (!shape_budget_.ChargeResult(*added[i])) return TooLarge(op.op_position);
    scope.instructions.emplace(added[i]->name(), added[i]);
  }
  AXLE_TRY(FinishOperation(scope, op, mixed->computed));
  return mixed->result;
}

Status Parser::FinishOperation(Scope& scope, PendingOperation& op, Instruction* inst) {
  if (!shape_budget_.ChargeResult(*inst)) return TooLarge(op.op_position);
  if (op.attributes.has_extras) {
    AXLE_TRY(FinishExtras(op.attributes, *inst));
    scope.computation->MutableExtras(inst) = std::move(op.attributes.extras);
  }
  scope.instructions.emplace(inst->name(), inst);
  return {};
}

void Parser::NameGenerated() {
  std::map<std::string, i64, std::less<>> counts;
  for (HloComputation* computation : generated_) {
    const std::string base(computation->name());
    i64& count = counts[base];
    std::string name;
    do {
      name = count == 0 ? base : StrCat(base, ".", count);
      ++count;
    } while (computations_.contains(name));
    computation->set_name(std::move(name));
  }
}

Status Parser::TooLarge(size_t position) {
  return ResourceExhausted(
      scanner_.ErrorAt(position, "the tuple shapes of this text are too large").message());
}

std::string Parser::UnusedName(Scope& scope, const std::string& base) {
  i64& count = scope.num_generated[base];
  std::string name = count == 0 ? base : StrCat(base, ".", count);
  while (scope.instructions.contains(name)) name = StrCat(base, ".", ++count);
  ++count;
  return name;
}

bool Parser::AtShape() {
  if (scanner_.Peek("(")) return true;
  const size_t begin = scanner_.position();
  const std::string_view word = scanner_.Word();
  const bool found = !word.empty() && (scanner_.Peek("[") || (word == "b" && scanner_.Peek("(")));
  scanner_.Rewind(begin);
  return found;
}

Status Parser::UnknownOp(std::string_view text) {
  std::vector<std::string_view> names;
  for (const OpDef* def : AllOpDefs()) names.push_back(def->text);
  return scanner_.Error(StrCat("unknown operation \"", text, "\"", DidYouMean(text, names)));
}

StatusOr<Instruction*> Parser::ParseOperand(Scope& scope) {
  scanner_.PeekChar();
  const size_t begin = scanner_.position();
  std::optional<Shape> shape;
  if (AtShape()) {
    AXLE_ASSIGN(shape, ReadShape());
    if (scope.is_single_instruction && (scanner_.Peek(",") || scanner_.Peek(")"))) {
      return AddUnknownParameter(scope, *shape, "");
    }
  }
  AXLE_ASSIGN(const std::string_view name, scanner_.Name("an operand"));
  const size_t name_position = scanner_.token_position();
  if (scanner_.Peek("(")) {
    scanner_.Rewind(begin);
    AXLE_TRY(scanner_.Enter());
    AXLE_ASSIGN(Instruction* const inst, ParseOperation(scope, "", /*nested=*/true));
    scanner_.Leave();
    return inst;
  }
  const auto it = scope.instructions.find(name);
  if (it == scope.instructions.end()) {
    if (!scope.is_single_instruction) return UnknownInstruction(scope, name, name_position);
    if (shape) return AddUnknownParameter(scope, *shape, name);
    return scanner_.ErrorAt(name_position, StrCat("parameter \"", name, "\" needs its shape"));
  }
  Instruction* operand = it->second;
  while (scanner_.Consume("#")) {
    AXLE_ASSIGN(operand, ParseTupleElement(scope, operand));
  }
  if (shape && !Compatible(*shape, operand->shape())) {
    return scanner_.ErrorAt(begin, StrCat("\"", name, "\" has shape ", operand->shape().ToString(),
                                          ", not ", shape->ToString()));
  }
  return operand;
}

StatusOr<Instruction*> Parser::ParseTupleElement(Scope& scope, Instruction* tuple) {
  AXLE_ASSIGN(const i64 index, scanner_.Integer());
  if (index < 0 || index >= tuple->shape().num_tuple_elements()) {
    return scanner_.Error(StrCat("\"", tuple->name(), "\" of shape ", tuple->shape().ToString(),
                                 " has no element ", index));
  }
  Instruction*& element = scope.tuple_elements[{tuple, index}];
  if (element == nullptr) {
    const std::string name = UnusedName(scope, StrCat(tuple->name(), "_", index));
    element = AddTupleElement(*scope.computation, tuple, index, name);
    scope.instructions.emplace(element->name(), element);
  }
  return element;
}

Instruction* Parser::AddUnknownParameter(Scope& scope, const Shape& shape, std::string_view name) {
  const i64 number = scope.num_parameters++;
  const std::string text =
      name.empty() ? UnusedName(scope, StrCat("_", number)) : std::string(name);
  Instruction* parameter = AddParameter(*scope.computation, number, shape, text);
  scope.instructions.emplace(parameter->name(), parameter);
  return parameter;
}

Status Parser::UnknownInstruction(const Scope& scope, std::string_view name, size_t position) {
  std::vector<std::string_view> names;
  for (const Instruction* inst : scope.computation->instructions()) names.push_back(inst->name());
  return scanner_.ErrorAt(
      position, StrCat("no instruction \"", name, "\" before this one", DidYouMean(name, names)));
}

}  // namespace axle
