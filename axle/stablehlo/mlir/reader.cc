// Aliases, resources, blocks, regions, operations and the values between them.
#include "axle/stablehlo/mlir/reader.h"

#include <algorithm>

#include "axle/core/strings.h"
#include "axle/stablehlo/mlir/forms.h"
#include "axle/stablehlo/mlir/text.h"

namespace axle::mlir {

StatusOr<std::unique_ptr<MlirModule>> ParseMlirText(std::string_view text,
                                                    const TextOptions& options) {
  auto module = std::make_unique<MlirModule>();
  module->SetSource(std::string(options.label), std::string(text));
  Reader reader(*module, options.limits);
  AXLE_TRY(reader.ReadModule());
  return module;
}

const Attribute* PendingOperation::Find(std::string_view attribute) const {
  for (const NamedAttribute& entry : attributes) {
    if (entry.name == attribute) return entry.value;
  }
  return nullptr;
}

Status Reader::ReadModule() {
  AXLE_TRY(FindAliases());
  for (Alias& alias : aliases_) AXLE_TRY(ReadAlias(alias));
  lexer_.Rewind(0);
  return ReadTop();
}

// One walk over the text, which knows strings and comments: `#name =` and `!name =` stand nowhere
// but in definitions, `{-#` nowhere but before resources.
Status Reader::FindAliases() {
  const std::string_view text = lexer_.text();
  size_t resources = text.npos;
  for (size_t at = 0; (at = text.find_first_of("\"/#!{", at)) < text.size(); ++at) {
    switch (text[at]) {
      case '"':
        // A string without an end is an error where it is read.
        while (++at < text.size() && text[at] != '"' && text[at] != '\n') {
          if (text[at] == '\\') ++at;
        }
        break;
      case '/':
        if (text.substr(at).starts_with("//")) at = std::min(text.find('\n', at), text.size());
        break;
      case '{':
        if (text.substr(at).starts_with("{-#") && resources == text.npos) resources = at;
        break;
      default:
        NoteAlias(at);
    }
  }
  for (Alias& alias : aliases_) {
    if (!aliases_by_name_.emplace(alias.name, &alias).second) {
      return lexer_.ErrorAt(alias.begin, StrCat("the alias ", alias.name, " is defined twice"));
    }
  }
  return resources == text.npos ? Status() : ReadResources(resources);
}

void Reader::NoteAlias(size_t begin) {
  lexer_.Rewind(begin + 1);
  const std::string_view name = lexer_.Suffix();
  if (name.empty() || name.find('.') != name.npos) return;
  const size_t end = lexer_.position();
  if (lexer_.Here() != ' ' && lexer_.Here() != '=') return;
  if (!lexer_.Consume('=') || lexer_.Here() == '=') return;
  aliases_.push_back(
      {.name = lexer_.Slice(begin, end), .begin = begin, .value = lexer_.position()});
}

Status Reader::ReadAlias(Alias& alias) {
  if (alias.state == Alias::kRead) return {};
  if (alias.state == Alias::kOpen) {
    return lexer_.ErrorAt(alias.begin, StrCat("the alias ", alias.name, " stands for itself"));
  }
  alias.state = Alias::kOpen;
  const size_t position = lexer_.position();
  const int outer_depth = lexer_.BeginDepth();
  const int outer_metadata_depth = std::exchange(metadata_depth_, 0);
  const i64 outer_size = size_;
  lexer_.Rewind(alias.value);
  if (alias.name.starts_with('!')) {
    AXLE_ASSIGN(alias.type, ReadType());
  } else {
    AXLE_ASSIGN(alias.attribute, ReadAttribute());
  }
  alias.end = lexer_.position();
  alias.depth = lexer_.EndDepth(outer_depth);
  alias.metadata_depth = std::exchange(metadata_depth_, outer_metadata_depth);
  alias.size = size_ - outer_size + static_cast<i64>((alias.end - alias.value) / 16);
  definitions_[alias.begin] = alias.end;
  alias.state = Alias::kRead;
  lexer_.Rewind(position);
  return {};
}

StatusOr<Reader::Alias*> Reader::FindAlias(std::string_view name, size_t position) {
  const auto found = aliases_by_name_.find(name);
  if (found == aliases_by_name_.end()) {
    return lexer_.ErrorAt(position, StrCat("the alias ", name, " is not defined"));
  }
  AXLE_TRY(lexer_.Enter());
  AXLE_TRY(ReadAlias(*found->second));
  lexer_.Leave();
  return found->second;
}

StatusOr<Reader::Alias*> Reader::UseAlias(std::string_view name, size_t position) {
  AXLE_ASSIGN(Alias * alias, FindAlias(name, position));
  AXLE_TRY(lexer_.Reach(alias->depth));
  AXLE_TRY(Charge(alias->size));
  return alias;
}

Status Reader::Charge(i64 size) {
  size_ += size;
  const i64 most = kMaxSize + kMaxSizePerByte * static_cast<i64>(lexer_.text().size());
  if (size_ <= most) return {};
  return ResourceExhausted(
      Error("aliases and resources that are used so often make too large a program").message());
}

// {-# dialect_resources: { builtin: { name: "0x..." } }, external_resources: {...} #-}
Status Reader::ReadResources(size_t begin) {
  lexer_.Rewind(begin + 3);
  while (!lexer_.Consume("#-}")) {
    if (lexer_.Word().empty()) return lexer_.Expected("resources or \"#-}\"");
    AXLE_TRY(lexer_.Expect(":"));
    AXLE_TRY(lexer_.Expect("{"));
    while (!lexer_.Consume('}')) {
      if (lexer_.Word().empty()) return lexer_.Expected("the name of a dialect");
      AXLE_TRY(lexer_.Expect(":"));
      AXLE_TRY(lexer_.Expect("{"));
      while (!lexer_.Consume('}')) {
        lexer_.Peek();
        std::string_view name = lexer_.Suffix();
        if (name.empty()) {
          AXLE_ASSIGN(name, ReadString());
        }
        AXLE_TRY(lexer_.Expect(":"));
        if (lexer_.Peek() == '"') {
          AXLE_ASSIGN(const std::string_view value, ReadString());
          resources_[name].digits = value;
        } else if (lexer_.Number().empty() && lexer_.Word().empty()) {
          return lexer_.Expected("the value of a resource");
        }
        lexer_.Consume(',');
      }
      lexer_.Consume(',');
    }
    lexer_.Consume(',');
  }
  definitions_[begin] = lexer_.position();
  return {};
}

// Steps over a definition of an alias or the resources, all of which have been read.
StatusOr<bool> Reader::SkipDefinition() {
  const char next = lexer_.Peek();
  if (next != '#' && next != '!' && next != '{') return false;
  const auto found = definitions_.find(lexer_.position());
  if (found == definitions_.end()) return false;
  lexer_.Rewind(found->second);
  return true;
}

Status Reader::ReadTop() {
  PendingOperation top{.name = "builtin.module", .syntax = FindSyntax("builtin.module")};
  Region& region = *top.regions.emplace_back(std::make_unique<Region>());
  Block& block = *module_.NewBlock(region, 0);
  AXLE_TRY(OpenScope(true, true));
  while (!lexer_.AtEnd()) {
    AXLE_ASSIGN(const bool skipped, SkipDefinition());
    if (skipped) continue;
    AXLE_TRY(ReadOperation(block));
  }
  AXLE_TRY(CloseScope(true));
  if (block.operations.size() == 1 && block.operations.front()->name == "builtin.module") {
    Operation* module = block.operations.front();
    module->block = nullptr;
    module_.set_top(module);
    return {};
  }
  PendingOperation wrapper = std::move(top);
  Block unused;
  AXLE_ASSIGN(Operation * module, FinishOperation(wrapper, unused));
  module->block = nullptr;
  module_.set_top(module);
  return {};
}

Status Reader::OpenScope(bool isolated, bool is_graph) {
  if (++region_depth_ > kMaxRegionDepth) {
    return Error(StrCat("more than ", kMaxRegionDepth, " regions inside of each other"));
  }
  if (isolated) scopes_.push_back({.is_graph = is_graph, .depth = region_depth_});
  region_marks_.push_back(scopes_.back().order.size());
  return {};
}

Status Reader::CloseScope(bool isolated) {
  --region_depth_;
  Scope& scope = scopes_.back();
  if (!isolated) {
    for (; scope.order.size() > region_marks_.back(); scope.order.pop_back()) {
      scope.values.erase(scope.order.back());
    }
  } else {
    const ForwardUse* first = nullptr;
    for (const auto& [name, uses] : scope.forward) {
      if (first == nullptr || uses.front().use.position < first->use.position) {
        first = &uses.front();
      }
    }
    if (first != nullptr) {
      return lexer_.ErrorAt(first->use.position,
                            StrCat("the value %", first->use.name, " is not defined"));
    }
    scopes_.pop_back();
  }
  region_marks_.pop_back();
  return {};
}

Status Reader::Define(std::string_view name, size_t position, Value* values, size_t count) {
  if (name.empty()) return {};
  Scope& scope = scopes_.back();
  const Definition definition{values, static_cast<std::uint32_t>(count), position};
  const auto [entry, is_new] = scope.values.emplace(name, definition);
  if (!is_new) {
    const std::string_view before = lexer_.Slice(0, entry->second.position);
    return lexer_.ErrorAt(position, StrCat("the value %", name, " is already defined, in line ",
                                           std::ranges::count(before, '\n') + 1));
  }
  scope.order.push_back(name);
  if (scope.forward.empty() || region_depth_ != scope.depth) return {};
  const auto uses = scope.forward.find(name);
  if (uses == scope.forward.end()) return {};
  for (const ForwardUse& use : uses->second) {
    AXLE_TRY(CheckUse(definition, use.use, use.type));
    use.operation->operands[use.operand] = values + use.use.number;
  }
  scope.forward.erase(uses);
  return {};
}

Status Reader::CheckUse(const Definition& definition, const ValueUse& use, const Type* type) {
  if (use.number >= definition.count) {
    return lexer_.ErrorAt(
        use.position, StrCat("%", use.name, " stands for ", definition.count,
                             definition.count == 1 ? " value" : " values", ", counted from #0"));
  }
  const Type* defined = definition.values[use.number].type;
  if (defined == type) return {};
  return lexer_.ErrorAt(use.position, StrCat("%", use.name, " has the type ", defined->ToString(),
                                             " and is used as ", type->ToString()));
}

Status Reader::ResolveOperands(const PendingOperation& op, Operation& operation) {
  if (op.operands.empty()) return {};  // the module around all has no scope
  Scope& scope = scopes_.back();
  for (size_t i = 0; i < op.operands.size(); ++i) {
    const ValueUse& use = op.operands[i];
    const auto found = scope.values.find(use.name);
    if (found == scope.values.end()) {
      if (!scope.is_graph) {
        return lexer_.ErrorAt(use.position, StrCat("the value %", use.name, " is not defined"));
      }
      scope.forward[use.name].push_back({&operation, i, use, op.operand_types[i]});
      continue;
    }
    AXLE_TRY(CheckUse(found->second, use, op.operand_types[i]));
    operation.operands[i] = found->second.values + use.number;
  }
  return {};
}

StatusOr<ValueUse> Reader::ReadUse() {
  ValueUse use;
  if (!lexer_.Consume('%')) return lexer_.Expected("a value, %name");
  use.position = lexer_.token();
  use.name = lexer_.Suffix();
  if (use.name.empty()) return Error("expected the name of a value behind '%'");
  if (lexer_.Here() == '#') {
    lexer_.Skip(1);
    AXLE_ASSIGN(const std::uint64_t number, lexer_.Digits());
    use.number = static_cast<std::uint32_t>(std::min<std::uint64_t>(number, 0xffffffff));
  }
  return use;
}

Status Reader::ReadUses(std::vector<ValueUse>& uses) {
  if (!AtUse()) return {};
  do {
    AXLE_ASSIGN(const ValueUse use, ReadUse());
    uses.push_back(use);
  } while (lexer_.Consume(','));
  return {};
}

StatusOr<ArgumentText> Reader::ReadArgument() {
  ArgumentText argument;
  AXLE_ASSIGN(const ValueUse use, ReadUse());
  argument.name = use.name;
  argument.position = use.position;
  AXLE_TRY(lexer_.Expect(":"));
  AXLE_ASSIGN(argument.type, ReadType());
  AXLE_ASSIGN(argument.location, ReadOptionalLocation());
  return argument;
}

Status Reader::ReadArguments(std::vector<ArgumentText>& arguments) {
  if (lexer_.Consume(')')) return {};
  do {
    AXLE_ASSIGN(const ArgumentText argument, ReadArgument());
    arguments.push_back(argument);
  } while (lexer_.Consume(','));
  return lexer_.Expect(")");
}

Status Reader::DefineArguments(Block& block, std::span<const ArgumentText> arguments) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    Value& value = block.arguments[i];
    value.type = arguments[i].type;
    value.name = arguments[i].name;
    if (arguments[i].location != nullptr) value.location = arguments[i].location;
    AXLE_TRY(Define(value.name, arguments[i].position, &value, 1));
  }
  return {};
}

Status Reader::ReadRegion(PendingOperation& op, std::span<const ArgumentText> arguments,
                          bool has_arguments) {
  AXLE_TRY(lexer_.Expect("{"));
  const bool isolated = op.syntax != nullptr && op.syntax->isolated;
  const bool is_module = op.name == "builtin.module";
  AXLE_TRY(OpenScope(isolated, is_module));
  Region& region = *op.regions.emplace_back(std::make_unique<Region>());
  const bool outer_function = std::exchange(in_function_, op.name == "func.func");
  if (has_arguments) {
    Block& block = *module_.NewBlock(region, arguments.size());
    AXLE_TRY(DefineArguments(block, arguments));
    AXLE_TRY(ReadBlockBody(block));
  }
  AXLE_TRY(ReadBlocks(region));
  in_function_ = outer_function;
  AXLE_TRY(lexer_.Expect("}"));
  return CloseScope(isolated);
}

// Operations without a label, and blocks with one, up to the bracket.
Status Reader::ReadBlocks(Region& region) {
  if (region.blocks.empty() && lexer_.Peek() != '^' && lexer_.Peek() != '}') {
    AXLE_TRY(ReadBlockBody(*module_.NewBlock(region, 0)));
  }
  while (lexer_.Peek() == '^') AXLE_TRY(ReadLabel(region));
  return {};
}

// ^bb0(%a: type, ...):
Status Reader::ReadLabel(Region& region) {
  lexer_.Consume('^');
  if (lexer_.Suffix().empty()) return Error("expected the name of a block behind '^'");
  std::vector<ArgumentText> arguments;
  if (lexer_.Consume('(')) AXLE_TRY(ReadArguments(arguments));
  AXLE_TRY(lexer_.Expect(":"));
  Block& block = *module_.NewBlock(region, arguments.size());
  AXLE_TRY(DefineArguments(block, arguments));
  return ReadBlockBody(block);
}

Status Reader::ReadBlockBody(Block& block) {
  for (char next = lexer_.Peek(); next != '}' && next != '^'; next = lexer_.Peek()) {
    AXLE_TRY(ReadOperation(block));
  }
  return {};
}

// %a, %b:2 =
Status Reader::ReadResultNames(PendingOperation& op) {
  do {
    if (!lexer_.Consume('%')) return lexer_.Expected("a value, %name");
    ResultText result{.name = {}, .position = lexer_.token()};
    result.name = lexer_.Suffix();
    if (result.name.empty()) return Error("expected the name of a value behind '%'");
    if (lexer_.Consume(':')) {
      AXLE_ASSIGN(const std::uint64_t count, lexer_.Digits());
      if (count == 0 || count > 0xffffffff) return Error("a value stands for one result or more");
      result.count = static_cast<std::uint32_t>(count);
    }
    op.names.push_back(result);
  } while (lexer_.Consume(','));
  return lexer_.Expect("=");
}

Status Reader::ReadOperation(Block& block) {
  if (limits_ != nullptr) AXLE_TRY(limits_->Check());
  PendingOperation op;
  const char next = lexer_.Peek();
  op.position = lexer_.position();
  if (next == '%') AXLE_TRY(ReadResultNames(op));
  AXLE_TRY(lexer_.Peek() == '"' ? ReadGeneric(op) : ReadPretty(op));
  AXLE_ASSIGN(const Location* location, ReadOptionalLocation());
  if (location != nullptr) op.location = location;
  return FinishOperation(op, block).status();
}

// "d.op"(%a)[^next] <{properties}> ({ regions }) {attributes} : (types) -> types
Status Reader::ReadGeneric(PendingOperation& op) {
  AXLE_ASSIGN(op.name, ReadString());
  op.name_position = lexer_.token();
  op.syntax = FindSyntax(op.name);
  if (op.syntax != nullptr) op.name = op.syntax->name;
  AXLE_TRY(lexer_.Expect("("));
  AXLE_TRY(ReadUses(op.operands));
  AXLE_TRY(lexer_.Expect(")"));
  if (lexer_.Peek() == '[') {
    return Unimplemented(
        lexer_.ErrorAt(lexer_.position(), "branches between blocks are not supported").message());
  }
  if (lexer_.Consume('<')) {
    AXLE_TRY(ReadEntries(op.attributes));
    AXLE_TRY(lexer_.Expect(">"));
  }
  if (lexer_.Consume('(')) AXLE_TRY(ReadGenericRegions(op));
  AXLE_TRY(ReadOptionalDictionary(op.attributes));
  AXLE_TRY(lexer_.Expect(":"));
  return ReadSignature(op.operand_types, op.result_types);
}

Status Reader::ReadGenericRegions(PendingOperation& op) {
  do {
    AXLE_TRY(ReadRegion(op, {}, false));
  } while (lexer_.Consume(','));
  return lexer_.Expect(")");
}

StatusOr<const OpSyntax*> Reader::FindPretty(std::string_view word) {
  const size_t position = lexer_.token();
  const OpSyntax* syntax = FindSyntax(word);
  if (syntax == nullptr && word.find('.') == word.npos) {
    for (const std::string_view dialect : {"builtin.", "func."}) {
      if (dialect == "func." && !in_function_ && word != "func") continue;
      syntax = FindSyntax(StrCat(dialect, word));
      if (syntax != nullptr) break;
    }
  }
  if (syntax != nullptr && !syntax->format.empty()) return syntax;
  if (word.empty()) return lexer_.Expected("an operation");
  if (syntax == nullptr && FindSyntax(StrCat("func.", word)) != nullptr) {
    return lexer_.ErrorAt(position, StrCat("\"", word,
                                           "\" stands directly in a function only; "
                                           "elsewhere it is func.",
                                           word));
  }
  return lexer_.ErrorAt(
      position,
      StrCat("\"", word, "\" ",
             syntax == nullptr ? "is of no dialect that is known here" : "has no form of its own",
             "; write it in the generic form, \"", word,
             "\"(...) : (...) -> ..., as mlir-opt --mlir-print-op-generic prints it"));
}

Status Reader::ReadPretty(PendingOperation& op) {
  const std::string_view word = lexer_.Word();
  op.name_position = lexer_.token();
  AXLE_ASSIGN(op.syntax, FindPretty(word));
  op.name = op.syntax->name;
  return ReadForm(*this, op);
}

Status Reader::SetOperandTypes(PendingOperation& op, std::vector<const Type*> types) {
  op.operand_types = std::move(types);
  if (op.operand_types.size() == op.operands.size()) return {};
  return lexer_.ErrorAt(op.name_position,
                        StrCat(op.name, " has ", op.operands.size(), " operands, but types for ",
                               op.operand_types.size()));
}

StatusOr<Operation*> Reader::AddOperation(PendingOperation& op, Block& block) {
  return FinishOperation(op, block);
}

namespace {

// Of the row: so many, or at least so many if some are variadic.
bool HasCount(std::string_view what, std::span<const OperandSyntax> row, size_t count,
              std::string& error) {
  const auto variadic = std::ranges::count_if(row, &OperandSyntax::variadic);
  const size_t least = row.size() - static_cast<size_t>(variadic);
  if (variadic == 0 ? count == least : count >= least) return true;
  error = StrCat(" has ", count, " ", what, count == 1 ? "" : "s", ", not ",
                 variadic == 0 ? "" : "at least ", least);
  return false;
}

}  // namespace

Status Reader::CheckCounts(const PendingOperation& op) {
  if (op.operand_types.size() != op.operands.size()) {
    return lexer_.ErrorAt(op.name_position,
                          StrCat(op.name, " has ", op.operands.size(), " operands, but types for ",
                                 op.operand_types.size()));
  }
  size_t num_names = 0;
  for (const ResultText& name : op.names) num_names += name.count;
  if (num_names != op.result_types.size() && !op.names.empty()) {
    return lexer_.ErrorAt(op.names.front().position,
                          StrCat(op.name, " has ", op.result_types.size(),
                                 op.result_types.size() == 1 ? " result" : " results",
                                 ", but names for ", num_names));
  }
  if (op.syntax == nullptr) return {};
  std::string error;
  if (!HasCount("operand", op.syntax->operands, op.operands.size(), error) ||
      !HasCount("result", op.syntax->results, op.result_types.size(), error) ||
      !HasCount("region", op.syntax->regions, op.regions.size(), error)) {
    return lexer_.ErrorAt(op.name_position, StrCat(op.name, error));
  }
  return {};
}

StatusOr<Operation*> Reader::FinishOperation(PendingOperation& op, Block& block) {
  AXLE_TRY(CheckCounts(op));
  const std::string_view name = op.syntax == nullptr ? module_.Text(op.name) : op.name;
  Operation& operation =
      *module_.NewOperation(name, op.operands.size(), op.result_types.size(), op.regions.size());
  operation.syntax = op.syntax;
  operation.position = op.position;
  operation.block = &block;
  if (op.location != nullptr) operation.location = op.location;
  for (size_t i = 0; i < op.regions.size(); ++i) {
    Region& region = operation.regions[i];
    region.blocks = std::move(op.regions[i]->blocks);
    for (Block& inner : region.blocks) {
      inner.region = &region;
      for (Value& argument : inner.arguments) argument.block = &inner;
    }
  }
  AXLE_TRY(FinishAttributes(op, operation));
  AXLE_TRY(ResolveOperands(op, operation));
  for (size_t i = 0; i < op.result_types.size(); ++i)
    operation.results[i].type = op.result_types[i];
  size_t first = 0;
  for (const ResultText& result : op.names) {
    for (size_t i = first; i < first + result.count; ++i) operation.results[i].name = result.name;
    AXLE_TRY(Define(result.name, result.position, operation.results.data() + first, result.count));
    first += result.count;
  }
  block.operations.push_back(&operation);
  return &operation;
}

// Structures are taken apart, segments become numbers of operands, and each value gets the form
// that bytecode has for it.
Status Reader::FinishAttributes(PendingOperation& op, Operation& operation) {
  if (op.attributes.empty()) return {};
  std::vector<NamedAttribute> given = std::move(op.attributes);
  op.attributes.clear();
  for (const NamedAttribute& entry : given) {
    if (entry.name == "operandSegmentSizes" || entry.name == "operand_segment_sizes") {
      const std::optional<Dims> sizes = Ints(*entry.value);
      i64 sum = 0;
      for (const i64 size : sizes.value_or(Dims{-1})) {
        sum = size < 0 || size > 0x7fffffff || sum < 0 ? -1 : sum + size;
      }
      if (sum != static_cast<i64>(operation.operands.size())) {
        return lexer_.ErrorAt(op.name_position,
                              StrCat(entry.name, " do not add up to the number of operands, ",
                                     operation.operands.size()));
      }
      operation.operand_sizes =
          module_.Copy(std::vector<std::int32_t>(sizes->begin(), sizes->end()));
      continue;
    }
    const StructUse* use = nullptr;
    if (op.syntax != nullptr && entry.value->kind == AttributeKind::kStruct) {
      for (const StructUse& candidate : op.syntax->structs) {
        if (candidate.attribute == entry.name &&
            candidate.syntax->mnemonic == entry.value->mnemonic) {
          use = &candidate;
        }
      }
    }
    if (use != nullptr) {
      TakeApart(op, *use->syntax, *entry.value);
      continue;
    }
    const AttributeSyntax* syntax =
        op.syntax == nullptr ? nullptr : op.syntax->FindAttribute(entry.name);
    const Attribute* value = entry.value;
    if (syntax != nullptr) {
      AXLE_ASSIGN(value, Normalized(*syntax, value));
    }
    op.Set(entry.name, value);
  }
  std::ranges::sort(op.attributes, {}, &NamedAttribute::name);
  const auto twice = std::ranges::adjacent_find(op.attributes, {}, &NamedAttribute::name);
  if (twice != op.attributes.end()) {
    return lexer_.ErrorAt(op.name_position,
                          StrCat("the attribute \"", twice->name, "\" is given twice"));
  }
  operation.attributes = module_.Copy(op.attributes);
  return {};
}

// Older texts write an enum as its number, a flag as a unit attribute.
StatusOr<const Attribute*> Reader::Normalized(const AttributeSyntax& syntax,
                                              const Attribute* value) {
  if (value->kind == AttributeKind::kUnit && (syntax.kind == "unit" || syntax.kind == "bool")) {
    return MakeBool(true);
  }
  if (value->kind != AttributeKind::kInteger) return value;
  const std::span<const std::string_view> values = EnumValues(syntax.kind);
  if (value->integer < 0 || static_cast<size_t>(value->integer) >= values.size()) return value;
  return MakeEnum(syntax.kind, values[static_cast<size_t>(value->integer)]);
}

}  // namespace axle::mlir
