// The forms that the notation of the rows cannot describe. Of each, the functions that read, check
// and print it stand beside each other.
#include <algorithm>

#include "axle/core/strings.h"
#include "axle/stablehlo/mlir/forms.h"

namespace axle::mlir {
namespace {

bool HasOneBlock(const Operation& operation, size_t num_regions) {
  return operation.regions.size() == num_regions &&
         std::ranges::all_of(operation.regions, &Region::has_one_block);
}

// The text of an attribute kind of the row, or "" if there is none.
bool IsKind(const Operation& operation, std::string_view name, AttributeKind kind) {
  const Attribute* value = operation.Find(name);
  return value != nullptr && value->kind == kind;
}

// constant {attributes} dense<...> : type, or where the types differ
// constant() <{value = ...}> {attributes} : () -> type

Status ReadConstant(Reader& reader, PendingOperation& op) {
  Lexer& lexer = reader.lexer();
  if (lexer.Consume('(')) {
    AXLE_TRY(lexer.Expect(")"));
    if (lexer.Consume('<')) {
      AXLE_TRY(reader.ReadOptionalDictionary(op.attributes));
      AXLE_TRY(lexer.Expect(">"));
    }
    AXLE_TRY(reader.ReadOptionalDictionary(op.attributes));
    AXLE_TRY(lexer.Expect(":"));
    return reader.ReadSignature(op.operand_types, op.result_types);
  }
  AXLE_TRY(reader.ReadOptionalDictionary(op.attributes));
  AXLE_ASSIGN(const Attribute* value, reader.ReadElements());
  if (value->type == nullptr) return reader.Error("a constant of elements that are no numbers");
  op.Set("value", value);
  op.result_types = {value->type};
  return {};
}

bool ConstantFits(const Operation& operation) {
  return operation.operands.empty() && operation.results.size() == 1 && operation.regions.empty() &&
         IsKind(operation, "value", AttributeKind::kElements);
}

void PrintConstant(Printer& printer, const Operation& operation) {
  constexpr std::string_view kValue[] = {"value"};
  std::string& out = printer.out();
  const Attribute* value = operation.Find("value");
  const bool same = value->type == operation.results[0].type;
  if (!same) {
    out += "() <{value = ";
    AppendOfKind(value, "elements", printer.dialect(), out);
    out += "}>";
  }
  printer.Attributes(operation, kValue);
  if (!same) {
    out += " : ";
    return printer.Signature(operation);
  }
  out += " ";
  AppendOfKind(value, "elements", printer.dialect(), out);
}

// (%x init: %a), (%y init: %b) [applies op] across dimensions = [1] {attributes} : types
//  [reducer(%l: t, %r: t) (...) { ... }]

// Binary, commutative, of two values and a result of one type.
constexpr std::string_view kCommutative[] = {
    "stablehlo.add",      "stablehlo.and", "stablehlo.maximum", "stablehlo.minimum",
    "stablehlo.multiply", "stablehlo.or",  "stablehlo.xor",
};

Status ReadReduceOperands(Reader& reader, PendingOperation& op) {
  Lexer& lexer = reader.lexer();
  std::vector<ValueUse> initial;
  do {
    AXLE_TRY(lexer.Expect("("));
    if (lexer.Consume(')')) break;
    AXLE_ASSIGN(const ValueUse input, reader.ReadUse());
    op.operands.push_back(input);
    AXLE_TRY(lexer.ExpectWord("init"));
    AXLE_TRY(lexer.Expect(":"));
    AXLE_ASSIGN(const ValueUse value, reader.ReadUse());
    initial.push_back(value);
    AXLE_TRY(lexer.Expect(")"));
  } while (lexer.Consume(','));
  op.operands.insert(op.operands.end(), initial.begin(), initial.end());
  return {};
}

// The body that "applies" stands for: the operation on the two arguments, and a return.
Status AddAppliedBody(Reader& reader, PendingOperation& op, const OpSyntax& applied) {
  MlirModule& module = reader.module();
  const Type* input = op.operand_types[0];
  if (input->of == nullptr) return reader.Error("the first operand of a reduce is no tensor");
  const Type* scalar = module.Tensor({}, input->of);
  Region& region = *op.regions.emplace_back(std::make_unique<Region>());
  Block& block = *module.NewBlock(region, 2);
  const auto add = [&](std::string_view name, size_t operands, size_t results) {
    Operation* operation = module.NewOperation(name, operands, results, 0);
    operation->syntax = FindSyntax(name);
    operation->block = &block;
    operation->position = op.position;
    if (op.location != nullptr) operation->location = op.location;
    block.operations.push_back(operation);
    return operation;
  };
  Operation* inner = add(applied.name, 2, 1);
  for (size_t i = 0; i < 2; ++i) {
    block.arguments[i].type = scalar;
    if (op.location != nullptr) block.arguments[i].location = op.location;
    inner->operands[i] = &block.arguments[i];
  }
  inner->results[0].type = scalar;
  add("stablehlo.return", 1, 0)->operands[0] = &inner->results[0];
  return {};
}

Status ReadReducer(Reader& reader, PendingOperation& op) {
  AXLE_TRY(reader.lexer().ExpectWord("reducer"));
  // All arguments that are elements, then all that accumulate.
  std::vector<ArgumentText> elements, values;
  while (reader.lexer().Consume('(')) {
    std::vector<ArgumentText> pair;
    AXLE_TRY(reader.ReadArguments(pair));
    if (pair.size() != 2) return reader.Error("expected two arguments in each pair of a reducer");
    elements.push_back(pair[0]);
    values.push_back(pair[1]);
  }
  elements.insert(elements.end(), values.begin(), values.end());
  return reader.ReadRegion(op, elements, true);
}

Status ReadReduce(Reader& reader, PendingOperation& op) {
  Lexer& lexer = reader.lexer();
  AXLE_TRY(ReadReduceOperands(reader, op));
  const OpSyntax* applied = nullptr;
  if (lexer.ConsumeWord("applies")) {
    const std::string_view name = lexer.Word();
    if (std::ranges::find(kCommutative, name) == std::end(kCommutative)) {
      return lexer.ErrorAt(lexer.token(),
                           StrCat("a reduce applies one of ", Join(kCommutative, ", ")));
    }
    applied = FindSyntax(name);
  }
  AXLE_TRY(lexer.ExpectWord("across"));
  AXLE_TRY(lexer.ExpectWord("dimensions"));
  AXLE_TRY(lexer.Expect("="));
  AXLE_ASSIGN(const Attribute* dimensions, reader.ReadOfKind("ints"));
  op.Set("dimensions", dimensions);
  AXLE_TRY(reader.ReadOptionalDictionary(op.attributes));
  AXLE_TRY(lexer.Expect(":"));
  std::vector<const Type*> types;
  AXLE_TRY(reader.ReadSignature(types, op.result_types));
  AXLE_TRY(reader.SetOperandTypes(op, std::move(types)));
  AXLE_ASSIGN(op.location, reader.ReadOptionalLocation());
  if (applied == nullptr) return ReadReducer(reader, op);
  if (op.operands.empty()) return reader.Error("a reduce needs operands");
  return AddAppliedBody(reader, op, *applied);
}

bool ReduceFits(const Operation& operation) {
  const size_t count = operation.operands.size();
  const Attribute* dimensions = operation.Find("dimensions");
  std::string unused;
  return HasOneBlock(operation, 1) && count % 2 == 0 && count > 0 &&
         operation.regions[0].blocks.front().arguments.size() == count &&
         operation.operand_sizes.empty() && AppendOfKind(dimensions, "ints", "stablehlo", unused);
}

// The operation that the body is, where "applies" says all of it.
const Operation* Applied(const Printer& printer, const Operation& operation) {
  const Block& body = operation.regions[0].blocks.front();
  if (body.operations.size() != 2 || body.arguments.size() != 2) return nullptr;
  const Operation& inner = *body.operations[0];
  const Operation& end = *body.operations[1];
  if (std::ranges::find(kCommutative, inner.name) == std::end(kCommutative)) return nullptr;
  if (inner.operands.size() != 2 || inner.results.size() != 1 || !inner.attributes.empty() ||
      end.name != "stablehlo.return" || !end.attributes.empty() || end.operands.size() != 1 ||
      end.operands[0] != &inner.results[0]) {
    return nullptr;
  }
  const Type& input = *operation.operands[0]->type;
  const Type& scalar = *inner.results[0].type;
  const bool is_scalar = scalar.is_tensor() && scalar.dims.empty() && scalar.of == input.of;
  for (size_t i = 0; i < 2; ++i) {
    const Value& argument = body.arguments[i];
    if (inner.operands[i] != &argument || argument.type != &scalar) return nullptr;
    if (printer.locations() && argument.location != operation.location) return nullptr;
  }
  if (printer.locations() &&
      (inner.location != operation.location || end.location != operation.location)) {
    return nullptr;
  }
  return is_scalar ? &inner : nullptr;
}

void PrintReduce(Printer& printer, const Operation& operation) {
  constexpr std::string_view kDimensions[] = {"dimensions"};
  std::string& out = printer.out();
  const size_t half = operation.operands.size() / 2;
  for (size_t i = 0; i < half; ++i) {
    out += i > 0 ? ", (" : "(";
    printer.Use(*operation.operands[i]);
    out += " init: ";
    printer.Use(*operation.operands[i + half]);
    out += ")";
  }
  const Operation* applied = Applied(printer, operation);
  if (applied != nullptr) StrAppend(out, " applies ", applied->name);
  out += " across dimensions = ";
  AppendOfKind(operation.Find("dimensions"), "ints", printer.dialect(), out);
  printer.Attributes(operation, kDimensions);
  out += " : ";
  printer.Signature(operation);
  if (applied != nullptr) return;
  out += " reducer";
  const Region& region = operation.regions[0];
  const std::span<const Value> arguments = region.blocks.front().arguments;
  for (const Value& argument : arguments) printer.NameArgument(argument, "");
  for (size_t i = 0; i < half; ++i) {
    out += i > 0 ? " (" : "(";
    printer.Argument(arguments[i]);
    out += ", ";
    printer.Argument(arguments[i + half]);
    out += ")";
  }
  out += " ";
  printer.PrintRegion(region, false);
}

// (%iterArg = %a, %iterArg_0 = %b) : t, u attributes {...} cond { ... } do { ... }

Status ReadWhile(Reader& reader, PendingOperation& op) {
  Lexer& lexer = reader.lexer();
  std::vector<ArgumentText> arguments;
  AXLE_TRY(lexer.Expect("("));
  while (lexer.Peek() != ')') {
    AXLE_ASSIGN(const ValueUse argument, reader.ReadUse());
    arguments.push_back({.name = argument.name, .position = argument.position});
    AXLE_TRY(lexer.Expect("="));
    AXLE_ASSIGN(const ValueUse use, reader.ReadUse());
    op.operands.push_back(use);
    if (!lexer.Consume(',')) break;
  }
  AXLE_TRY(lexer.Expect(")"));
  std::vector<const Type*> types;
  if (!op.operands.empty()) {
    AXLE_TRY(lexer.Expect(":"));
    AXLE_TRY(reader.ReadTypes(types));
  }
  op.result_types = types;
  AXLE_TRY(reader.SetOperandTypes(op, std::move(types)));
  for (size_t i = 0; i < arguments.size(); ++i) arguments[i].type = op.operand_types[i];
  if (lexer.ConsumeWord("attributes")) AXLE_TRY(reader.ReadOptionalDictionary(op.attributes));
  AXLE_TRY(lexer.ExpectWord("cond"));
  AXLE_TRY(reader.ReadRegion(op, arguments, true));
  AXLE_TRY(lexer.ExpectWord("do"));
  return reader.ReadRegion(op, arguments, true);
}

bool WhileFits(const Operation& operation) {
  if (!HasOneBlock(operation, 2)) return false;
  const auto same_types = [&](const auto& values) {
    return std::ranges::equal(values, operation.operands, {}, &Value::type, &Value::type);
  };
  return same_types(operation.results) &&
         same_types(operation.regions[0].blocks.front().arguments) &&
         same_types(operation.regions[1].blocks.front().arguments);
}

void PrintWhile(Printer& printer, const Operation& operation) {
  std::string& out = printer.out();
  const std::span<const Value> condition = operation.regions[0].blocks.front().arguments;
  const std::span<const Value> body = operation.regions[1].blocks.front().arguments;
  out += "(";
  for (size_t i = 0; i < condition.size(); ++i) {
    if (i > 0) out += ", ";
    printer.NameArgument(condition[i], "iterArg");
    printer.NameArgument(body[i], "=");
    printer.Use(condition[i]);
    out += " = ";
    printer.Use(*operation.operands[i]);
  }
  out += ")";
  if (!operation.operands.empty()) {
    out += " : ";
    printer.Types(operation.operands);
  }
  printer.Attributes(operation, {}, "attributes");
  out += " cond ";
  printer.PrintRegion(operation.regions[0], false);
  out += " do ";
  printer.PrintRegion(operation.regions[1], false);
}

// func.func public @main(%a: t {attributes} loc(...), ...) -> (t {attributes}, ...)
//     attributes {...} { ... }

bool IsVisibility(std::string_view word) {
  return word == "public" || word == "private" || word == "nested";
}

// One parameter or result: [%name:] type {attributes} loc(...).
Status ReadSlot(Reader& reader, std::vector<ArgumentText>& slots, bool& any_attributes) {
  ArgumentText slot;
  if (reader.AtUse()) {
    AXLE_ASSIGN(const ValueUse use, reader.ReadUse());
    slot.name = use.name;
    slot.position = use.position;
    AXLE_TRY(reader.lexer().Expect(":"));
  }
  AXLE_ASSIGN(slot.type, reader.ReadType());
  std::vector<NamedAttribute> attributes;
  const size_t position = reader.lexer().position();
  AXLE_TRY(reader.ReadOptionalDictionary(attributes));
  any_attributes = any_attributes || !attributes.empty();
  AXLE_ASSIGN(slot.attributes,
              reader.MakeFields(AttributeKind::kDictionary, {}, std::move(attributes), position));
  AXLE_ASSIGN(slot.location, reader.ReadOptionalLocation());
  slots.push_back(slot);
  return {};
}

Status ReadSlots(Reader& reader, std::string_view attribute, PendingOperation& op,
                 std::vector<ArgumentText>& slots) {
  Lexer& lexer = reader.lexer();
  bool any_attributes = false;
  while (lexer.Peek() != ')') {
    if (lexer.Peek("...")) {
      return lexer.ErrorAt(lexer.position(),
                           "functions of any number of arguments are not "
                           "supported");
    }
    AXLE_TRY(ReadSlot(reader, slots, any_attributes));
    if (!lexer.Consume(',')) break;
  }
  AXLE_TRY(lexer.Expect(")"));
  if (!any_attributes) return {};
  std::vector<const Attribute*> dictionaries;
  for (const ArgumentText& slot : slots) dictionaries.push_back(slot.attributes);
  op.Set(attribute, reader.MakeArray(dictionaries));
  return {};
}

Status ReadFunction(Reader& reader, PendingOperation& op) {
  Lexer& lexer = reader.lexer();
  if (const std::string_view word = lexer.PeekWord(); IsVisibility(word)) {
    lexer.Word();
    op.Set("sym_visibility", reader.MakeText(AttributeKind::kString, word));
  }
  AXLE_ASSIGN(const std::string_view name, reader.ReadSymbol());
  op.Set("sym_name", reader.MakeText(AttributeKind::kString, name));
  std::vector<ArgumentText> parameters, results;
  AXLE_TRY(lexer.Expect("("));
  AXLE_TRY(ReadSlots(reader, "arg_attrs", op, parameters));
  Type type{.kind = TypeKind::kFunction};
  for (const ArgumentText& parameter : parameters) type.inputs.push_back(parameter.type);
  if (lexer.Consume("->")) {
    if (lexer.Consume('(')) {
      AXLE_TRY(ReadSlots(reader, "res_attrs", op, results));
      for (const ArgumentText& result : results) type.results.push_back(result.type);
    } else {
      AXLE_TRY(reader.ReadResultTypes(type.results));
    }
  }
  op.Set("function_type", reader.MakeType(reader.module().Get(std::move(type))));
  if (lexer.ConsumeWord("attributes")) AXLE_TRY(reader.ReadOptionalDictionary(op.attributes));
  if (lexer.Peek() != '{') {
    op.regions.push_back(std::make_unique<Region>());
    return {};
  }
  const bool named = std::ranges::all_of(
      parameters, [](const ArgumentText& parameter) { return !parameter.name.empty(); });
  if (!named)
    return lexer.ErrorAt(op.position,
                         "the parameters of a function with a body need "
                         "names");
  return reader.ReadRegion(op, parameters, true);
}

// A dictionary for each, or nothing at all.
bool SlotsFit(const Operation& operation, std::string_view attribute, size_t count) {
  const Attribute* slots = operation.Find(attribute);
  if (slots == nullptr) return true;
  if (slots->kind != AttributeKind::kArray) return false;
  return slots->elements.empty() ||
         (slots->elements.size() == count &&
          std::ranges::all_of(slots->elements, [](const Attribute* slot) {
            return slot->kind == AttributeKind::kDictionary;
          }));
}

bool FunctionFits(const Operation& operation) {
  if (!IsKind(operation, "sym_name", AttributeKind::kString) ||
      !IsKind(operation, "function_type", AttributeKind::kType)) {
    return false;
  }
  const Type& type = *operation.Find("function_type")->type;
  const Attribute* visibility = operation.Find("sym_visibility");
  const bool visible =
      visibility == nullptr || (visibility->kind == AttributeKind::kString &&
                                (visibility->text.empty() || IsVisibility(visibility->text)));
  if (!visible || type.kind != TypeKind::kFunction || operation.regions.size() != 1 ||
      !operation.results.empty() || !operation.operands.empty() ||
      !SlotsFit(operation, "arg_attrs", type.inputs.size()) ||
      !SlotsFit(operation, "res_attrs", type.results.size())) {
    return false;
  }
  const Region& body = operation.regions[0];
  return body.blocks.empty() ||
         std::ranges::equal(body.blocks.front().arguments, type.inputs, {}, &Value::type);
}

// {attributes} of a parameter or result.
void PrintSlot(Printer& printer, const Operation& operation, std::string_view attribute,
               size_t index) {
  const Attribute* slots = operation.Find(attribute);
  if (slots == nullptr || slots->elements.empty() || slots->elements[index]->fields.empty()) {
    return;
  }
  printer.out() += " ";
  AppendAttribute(*slots->elements[index], "stablehlo", printer.out());
}

void PrintFunction(Printer& printer, const Operation& operation) {
  constexpr std::string_view kWithout[] = {"arg_attrs", "function_type", "res_attrs", "sym_name",
                                           "sym_visibility"};
  std::string& out = printer.out();
  const Attribute* visibility = operation.Find("sym_visibility");
  if (visibility != nullptr && !visibility->text.empty()) StrAppend(out, " ", visibility->text);
  out += " ";
  AppendSymbol(operation.Find("sym_name")->text, out);
  const Type& type = *operation.Find("function_type")->type;
  const Region& body = operation.regions[0];
  out += "(";
  for (size_t i = 0; i < type.inputs.size(); ++i) {
    if (i > 0) out += ", ";
    const Value* argument = body.blocks.empty() ? nullptr : &body.blocks.front().arguments[i];
    if (argument != nullptr) {
      printer.NameArgument(*argument, "");
      printer.Use(*argument);
      out += ": ";
    }
    out += type.inputs[i]->ToString();
    PrintSlot(printer, operation, "arg_attrs", i);
    if (argument != nullptr) printer.OptionalLocation(argument->location);
  }
  out += ")";
  const Attribute* slots = operation.Find("res_attrs");
  const bool brackets = type.results.size() != 1 ||
                        (slots != nullptr && !slots->elements.empty()) ||
                        type.results[0]->kind == TypeKind::kFunction;
  if (!type.results.empty()) {
    out += brackets ? " -> (" : " -> ";
    for (size_t i = 0; i < type.results.size(); ++i) {
      StrAppend(out, i > 0 ? ", " : "", type.results[i]->ToString());
      PrintSlot(printer, operation, "res_attrs", i);
    }
    if (brackets) out += ")";
  }
  printer.Attributes(operation, kWithout, "attributes");
  if (body.blocks.empty()) return;
  out += " ";
  printer.PrintRegion(body, false);
}

// module @name attributes {...} { ... }

Status ReadModuleForm(Reader& reader, PendingOperation& op) {
  Lexer& lexer = reader.lexer();
  if (const std::string_view word = lexer.PeekWord(); IsVisibility(word)) {
    lexer.Word();
    op.Set("sym_visibility", reader.MakeText(AttributeKind::kString, word));
  }
  if (lexer.Peek() == '@') {
    AXLE_ASSIGN(const std::string_view name, reader.ReadSymbol());
    op.Set("sym_name", reader.MakeText(AttributeKind::kString, name));
  }
  if (lexer.ConsumeWord("attributes")) AXLE_TRY(reader.ReadOptionalDictionary(op.attributes));
  return reader.ReadRegion(op, {}, true);
}

bool ModuleFits(const Operation& operation) {
  const Attribute* name = operation.Find("sym_name");
  return HasOneBlock(operation, 1) && operation.regions[0].blocks.front().arguments.empty() &&
         operation.results.empty() && operation.operands.empty() &&
         operation.Find("sym_visibility") == nullptr &&
         (name == nullptr || (name->kind == AttributeKind::kString && !name->text.empty()));
}

void PrintModule(Printer& printer, const Operation& operation) {
  constexpr std::string_view kWithout[] = {"sym_name"};
  if (const Attribute* name = operation.Find("sym_name")) {
    printer.out() += " ";
    AppendSymbol(name->text, printer.out());
  }
  printer.Attributes(operation, kWithout, "attributes");
  printer.out() += " ";
  printer.PrintRegion(operation.regions[0], false);
}

// (%xs) inits (%carries) dimension=0 attributes {...} { ^bb0(...): ... } : types

Status ReadUsesInBrackets(Reader& reader, std::vector<ValueUse>& uses) {
  AXLE_TRY(reader.lexer().Expect("("));
  AXLE_TRY(reader.ReadUses(uses));
  return reader.lexer().Expect(")");
}

Status ReadScan(Reader& reader, PendingOperation& op) {
  Lexer& lexer = reader.lexer();
  AXLE_TRY(ReadUsesInBrackets(reader, op.operands));
  const i64 inputs = static_cast<i64>(op.operands.size());
  AXLE_TRY(lexer.ExpectWord("inits"));
  AXLE_TRY(ReadUsesInBrackets(reader, op.operands));
  const i64 carries = static_cast<i64>(op.operands.size()) - inputs;
  AXLE_TRY(lexer.ExpectWord("dimension"));
  AXLE_TRY(lexer.Expect("="));
  AXLE_ASSIGN(const Attribute* dimension, reader.ReadOfKind("int"));
  op.Set("dimension", dimension);
  if (lexer.ConsumeWord("attributes")) AXLE_TRY(reader.ReadOptionalDictionary(op.attributes));
  AXLE_TRY(reader.ReadRegion(op, {}, false));
  AXLE_TRY(lexer.Expect(":"));
  std::vector<const Type*> types;
  AXLE_TRY(reader.ReadSignature(types, op.result_types));
  AXLE_TRY(reader.SetOperandTypes(op, std::move(types)));
  const i64 outputs = static_cast<i64>(op.result_types.size()) - carries;
  if (outputs < 0) return lexer.ErrorAt(op.name_position, "a scan has a result for each carry");
  const auto sizes = [&](i64 first) {
    const Type* type = reader.module().Tensor({2}, reader.module().Element(S32));
    const std::int32_t values[] = {static_cast<std::int32_t>(first),
                                   static_cast<std::int32_t>(carries)};
    Literal literal = Literal::Array<std::int32_t>(S32, {2}, std::span(values));
    return reader.module().NewAttribute({.kind = AttributeKind::kElements,
                                         .type = type,
                                         .mnemonic = "array",
                                         .literal = reader.module().Keep(std::move(literal))});
  };
  op.Set("operandSegmentSizes", sizes(inputs));
  op.Set("resultSegmentSizes", sizes(outputs));
  return {};
}

bool ScanFits(const Operation& operation) {
  std::string unused;
  const Attribute* sizes = operation.Find("resultSegmentSizes");
  const std::optional<Dims> results = sizes == nullptr ? std::nullopt : Ints(*sizes);
  const bool counted = operation.operand_sizes.size() == 2 && results && results->size() == 2 &&
                       (*results)[1] == operation.operand_sizes[1] &&
                       (*results)[0] + (*results)[1] == static_cast<i64>(operation.results.size());
  return counted && operation.regions.size() == 1 &&
         AppendOfKind(operation.Find("dimension"), "int", "chlo", unused);
}

void PrintScan(Printer& printer, const Operation& operation) {
  constexpr std::string_view kWithout[] = {"dimension", "resultSegmentSizes"};
  std::string& out = printer.out();
  const auto inputs = static_cast<size_t>(operation.operand_sizes[0]);
  out += "(";
  printer.Uses(operation.operands.first(inputs));
  out += ") inits (";
  printer.Uses(operation.operands.subspan(inputs));
  out += ") dimension=";
  AppendOfKind(operation.Find("dimension"), "int", printer.dialect(), out);
  printer.Attributes(operation, kWithout, "attributes");
  out += " ";
  printer.PrintRegion(operation.regions[0], true);
  out += " : ";
  printer.Signature(operation);
}

// (%x) in_shardings=[...] out_shardings=[...] manual_axes={...} (%a: t) { ... } : types

Status ReadShardedBody(Reader& reader, PendingOperation& op, bool manual) {
  Lexer& lexer = reader.lexer();
  AXLE_TRY(ReadUsesInBrackets(reader, op.operands));
  for (const std::string_view name : {"in_shardings", "out_shardings", "manual_axes"}) {
    if (!manual && (name == "manual_axes" || lexer.PeekWord() != name)) continue;
    AXLE_TRY(lexer.ExpectWord(name));
    AXLE_TRY(lexer.Expect("="));
    AXLE_ASSIGN(const Attribute* value, reader.ReadOfKind(op.syntax->FindAttribute(name)->kind));
    op.Set(name, value);
  }
  AXLE_TRY(lexer.Expect("("));
  std::vector<ArgumentText> arguments;
  AXLE_TRY(reader.ReadArguments(arguments));
  AXLE_TRY(reader.ReadRegion(op, arguments, true));
  AXLE_TRY(reader.ReadOptionalDictionary(op.attributes));
  AXLE_TRY(lexer.Expect(":"));
  std::vector<const Type*> types;
  AXLE_TRY(reader.ReadSignature(types, op.result_types));
  return reader.SetOperandTypes(op, std::move(types));
}

bool ShardedBodyFits(const Operation& operation) {
  std::string unused;
  for (const AttributeSyntax& attribute : operation.syntax->attributes) {
    const Attribute* value = operation.Find(attribute.name);
    if (value == nullptr && !attribute.required) continue;
    if (!AppendOfKind(value, attribute.kind, "sdy", unused)) return false;
  }
  return HasOneBlock(operation, 1);
}

void PrintShardedBody(Printer& printer, const Operation& operation) {
  std::string& out = printer.out();
  std::vector<std::string_view> without = {"name"};
  out += "(";
  printer.Uses(operation.operands);
  out += ")";
  for (const std::string_view name : {"in_shardings", "out_shardings", "manual_axes"}) {
    const Attribute* value = operation.Find(name);
    if (value == nullptr) continue;
    StrAppend(out, " ", name, "=");
    AppendOfKind(value, operation.syntax->FindAttribute(name)->kind, "sdy", out);
    without.push_back(name);
  }
  const Region& region = operation.regions[0];
  out += " (";
  const std::span<const Value> arguments = region.blocks.front().arguments;
  for (const Value& argument : arguments) printer.NameArgument(argument, "");
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (i > 0) out += ", ";
    printer.Argument(arguments[i]);
  }
  out += ") ";
  printer.PrintRegion(region, false);
  printer.Attributes(operation, without);
  out += " : ";
  printer.Signature(operation);
}

Status ReadManual(Reader& reader, PendingOperation& op) {
  return ReadShardedBody(reader, op, true);
}

// <"name">, then the same.
Status ReadNamed(Reader& reader, PendingOperation& op) {
  AXLE_TRY(reader.lexer().Expect("<"));
  AXLE_ASSIGN(const Attribute* name, reader.ReadOfKind("string"));
  op.Set("name", name);
  AXLE_TRY(reader.lexer().Expect(">"));
  return ReadShardedBody(reader, op, false);
}

void PrintNamed(Printer& printer, const Operation& operation) {
  printer.out() += "<";
  AppendOfKind(operation.Find("name"), "string", "sdy", printer.out());
  printer.out() += ">";
  PrintShardedBody(printer, operation);
}

constexpr CustomForm kForms[] = {
    {"constant", ReadConstant, ConstantFits, PrintConstant},
    {"func", ReadFunction, FunctionFits, PrintFunction},
    {"manual_computation", ReadManual, ShardedBodyFits, PrintShardedBody},
    {"module", ReadModuleForm, ModuleFits, PrintModule},
    {"named_computation", ReadNamed, ShardedBodyFits, PrintNamed},
    {"reduce", ReadReduce, ReduceFits, PrintReduce},
    {"scan", ReadScan, ScanFits, PrintScan},
    {"while", ReadWhile, WhileFits, PrintWhile},
};

}  // namespace

const CustomForm* FindCustomForm(std::string_view name) {
  const auto* found = std::ranges::find(kForms, name, &CustomForm::name);
  return found == std::end(kForms) ? nullptr : found;
}

}  // namespace axle::mlir
