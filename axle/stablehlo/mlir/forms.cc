// Reads and prints the formats of the rows (dialect.h). A format is compiled once into items; the
// same items are walked to read a form and to print it.
#include "axle/stablehlo/mlir/forms.h"

#include <algorithm>

#include "axle/core/strings.h"

namespace axle::mlir {
namespace {

enum class ItemKind : std::uint8_t {
  kLiteral,     // text
  kOperand,     // index in the row
  kAttribute,   // index
  kStruct,      // index
  kRegions,     // all regions
  kAttributes,  // {}
  kGroup,       // items, or `otherwise`
  kTypes,       // text: same, function, ...
  kPart,        // text: %ranges
};

struct Item {
  ItemKind kind = ItemKind::kLiteral;
  std::string_view text = {};
  size_t index = 0;
  bool space = false;       // before it, where it is printed
  bool each_comma = false;  // a variadic operand: a comma behind each value
  bool is_symbol = false;   // @$name
  std::vector<Item> items = {};
  std::vector<Item> otherwise = {};
};

struct Format {
  const CustomForm* custom = nullptr;
  std::vector<Item> items;
  std::vector<std::string_view> names;  // of attributes that stand in the items
};

constexpr std::string_view kTypeWords[] = {"same",    "function", "arrow",   "pairs",
                                           "types",   "type",     "results", "result_types",
                                           "complex", "select",   "tuple"};

bool IsNamePart(char c) {
  return IsAlnum(c) || c == '_';
}

// Compiles the notation. Rows are ours: what it does not understand is a mistake that every test
// of the forms shows, as an item that is never read.
class Compiler {
 public:
  explicit Compiler(const OpSyntax& syntax, Format& format) : syntax_(syntax), format_(format) {}

  std::vector<Item> Items(std::string_view text, bool space) {
    std::vector<Item> items;
    for (size_t at = 0; at < text.size();) {
      if (text[at] == ' ') {
        space = true;
        ++at;
        continue;
      }
      Item item = Next(text, at);
      item.space = space && item.text != ",";
      space = false;
      items.push_back(std::move(item));
    }
    return items;
  }

 private:
  Item Next(std::string_view text, size_t& at) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("{}")) return at += 2, Item{.kind = ItemKind::kAttributes};
    if (rest[0] == '%') {
      const std::string_view name = Name(rest.substr(1));
      at += 1 + name.size();
      for (const std::string_view entry : NamesOfPart(name)) format_.names.push_back(entry);
      return {.kind = ItemKind::kPart, .text = name};
    }
    if (rest[0] == '$' || rest.starts_with("@$")) return Value(rest, at);
    if (rest[0] == '(') {
      const size_t close = Close(rest);
      if (close + 1 < rest.size() && rest[close + 1] == '?') {
        at += close + 2;
        const std::string_view inner = rest.substr(1, close - 1);
        const size_t bar = inner.find('|');
        Item group{.kind = ItemKind::kGroup};
        group.items = Items(inner.substr(0, bar), true);
        if (bar != inner.npos) group.otherwise = Items(inner.substr(bar + 1), true);
        return group;
      }
    }
    const std::string_view word = Name(rest);
    if (word.empty()) return at += 1, Item{.text = rest.substr(0, 1)};
    at += word.size();
    const size_t next = text.find_first_not_of(' ', at);
    const bool is_literal = next != text.npos && text[next] == '=';
    const bool is_types =
        !is_literal && std::ranges::find(kTypeWords, word) != std::end(kTypeWords);
    return {.kind = is_types ? ItemKind::kTypes : ItemKind::kLiteral, .text = word};
  }

  Item Value(std::string_view rest, size_t& at) {
    Item item{.is_symbol = rest[0] == '@'};
    const std::string_view name = Name(rest.substr(item.is_symbol ? 2 : 1));
    at += (item.is_symbol ? 2 : 1) + name.size();
    const auto operand = std::ranges::find(syntax_.operands, name, &OperandSyntax::name);
    const auto region = std::ranges::find(syntax_.regions, name, &OperandSyntax::name);
    const auto use = std::ranges::find(syntax_.structs, name, &StructUse::attribute);
    if (operand != syntax_.operands.end()) {
      item.kind = ItemKind::kOperand;
      item.index = static_cast<size_t>(operand - syntax_.operands.begin());
      const size_t end = item.is_symbol ? 2 : 1;
      item.each_comma = operand->variadic && rest.substr(end + name.size()).starts_with(',');
      if (item.each_comma) ++at;
    } else if (use != syntax_.structs.end()) {
      item.kind = ItemKind::kStruct;
      item.index = static_cast<size_t>(use - syntax_.structs.begin());
      for (const FieldSyntax& field : use->syntax->fields) {
        format_.names.push_back(field.attribute);
      }
    } else if (region != syntax_.regions.end()) {
      item.kind = ItemKind::kRegions;
    } else if (const AttributeSyntax* attribute = syntax_.FindAttribute(name)) {
      item.kind = ItemKind::kAttribute;
      item.index = static_cast<size_t>(attribute - syntax_.attributes.data());
      format_.names.push_back(attribute->name);
    }
    return item;
  }

  static std::string_view Name(std::string_view text) {
    size_t end = 0;
    while (end < text.size() && IsNamePart(text[end])) ++end;
    return text.substr(0, end);
  }
  static size_t Close(std::string_view text) {
    int depth = 0;
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '(') ++depth;
      if (text[i] == ')' && --depth == 0) return i;
    }
    return text.size();
  }
  static std::vector<std::string_view> NamesOfPart(std::string_view part) {
    if (part == "ranges") return {"start_indices", "limit_indices", "strides"};
    if (part == "format") return {"exponent_bits", "mantissa_bits"};
    if (part == "window") {
      return {"window_strides", "padding", "lhs_dilation", "rhs_dilation", "window_reversal"};
    }
    return {};
  }

  const OpSyntax& syntax_;
  Format& format_;
};

const Format& FormatOf(const OpSyntax& syntax) {
  static const std::vector<Format> formats = [] {
    std::vector<Format> made;
    for (const OpSyntax* row : AllSyntax()) {
      Format& format = made.emplace_back();
      constexpr std::string_view kCustom = "custom ";
      if (row->format.starts_with(kCustom)) {
        format.custom = FindCustomForm(row->format.substr(kCustom.size()));
      } else {
        format.items = Compiler(*row, format).Items(row->format, !row->format.starts_with('('));
      }
    }
    return made;
  }();
  return formats[static_cast<size_t>(&syntax - AllSyntax().front())];
}

// Reading

Status ReadItems(Reader& reader, PendingOperation& op, std::span<const Item> items);

// Whether an optional group is there: its first words and signs are, or a value is.
bool AtGroup(Reader& reader, std::span<const Item> items) {
  Lexer& lexer = reader.lexer();
  const size_t position = lexer.position();
  bool found = true;
  for (size_t i = 0; i < items.size() && found; ++i) {
    if (items[i].kind == ItemKind::kLiteral) {
      found =
          IsWord(items[i].text) ? lexer.ConsumeWord(items[i].text) : lexer.Consume(items[i].text);
    } else {
      if (items[i].kind == ItemKind::kOperand) found = reader.AtUse();
      if (items[i].kind == ItemKind::kRegions) found = lexer.Peek() == '{';
      break;
    }
  }
  lexer.Rewind(position);
  return found;
}

Status AssignSignature(Reader& reader, PendingOperation& op) {
  std::vector<const Type*> inputs;
  AXLE_TRY(reader.ReadSignature(inputs, op.result_types));
  return reader.SetOperandTypes(op, std::move(inputs));
}

// The tensor of the parts of complex elements; null if the type is not of complex elements.
const Type* RealPart(MlirModule& module, const Type& type) {
  const bool shaped = type.kind == TypeKind::kTensor || type.kind == TypeKind::kUnranked;
  if (!shaped || type.of->kind != TypeKind::kElement || !IsComplex(type.of->element)) {
    return nullptr;
  }
  Type part = type;
  part.of = module.Element(PartOf(type.of->element));
  return module.Get(std::move(part));
}

// One type for all operands, or for them and the result.
Status AssignOne(Reader& reader, PendingOperation& op, std::string_view kind) {
  const size_t position = reader.lexer().position();
  AXLE_ASSIGN(const Type* type, reader.ReadType());
  const auto fail = [&](std::string_view what) {
    return reader.lexer().ErrorAt(position, StrCat(what, ", not ", type->ToString()));
  };
  if (kind == "type") {
    op.operand_types.assign(op.operands.size(), type);
    return {};
  }
  op.result_types = {type};
  if (kind == "complex") {
    const Type* part = RealPart(reader.module(), *type);
    if (part == nullptr) return fail("expected a tensor of complex numbers");
    op.operand_types.assign(op.operands.size(), part);
  } else if (kind == "tuple") {
    if (type->kind != TypeKind::kTuple) return fail("expected a tuple");
    return reader.SetOperandTypes(op, type->inputs);
  } else {
    op.operand_types.assign(op.operands.size(), type);
  }
  return {};
}

Status ReadTypesItem(Reader& reader, PendingOperation& op, std::string_view kind) {
  Lexer& lexer = reader.lexer();
  const bool signature = lexer.Peek() == '(';
  const size_t position = lexer.position();
  if (kind == "function") return AssignSignature(reader, op);
  if (signature && (kind == "same" || kind == "complex" || kind == "select")) {
    return AssignSignature(reader, op);
  }
  if (kind == "same" || kind == "type" || kind == "complex" || kind == "tuple") {
    return AssignOne(reader, op, kind);
  }
  if (kind == "results" || kind == "result_types") return reader.ReadTypes(op.result_types);
  std::vector<const Type*> types;
  AXLE_TRY(reader.ReadTypes(types));
  if (kind == "select") {
    if (types.size() != 2) {
      return lexer.ErrorAt(position, "expected two types, of the predicate and of the result");
    }
    op.result_types = {types[1]};
    types.push_back(types[1]);
  } else if (kind == "pairs") {
    op.result_types = types;
  } else if (kind == "arrow") {
    AXLE_TRY(lexer.Expect("->"));
    AXLE_TRY(reader.ReadResultTypes(op.result_types));
  }
  return reader.SetOperandTypes(op, std::move(types));
}

// [0:4:2, 1:3]
Status ReadRanges(Reader& reader, PendingOperation& op) {
  Lexer& lexer = reader.lexer();
  Dims starts, limits, strides;
  AXLE_TRY(lexer.Expect("["));
  while (lexer.Peek() != ']') {
    AXLE_ASSIGN(const i64 start, lexer.Integer());
    AXLE_TRY(lexer.Expect(":"));
    AXLE_ASSIGN(const i64 limit, lexer.Integer());
    i64 stride = 1;
    if (lexer.Consume(':')) {
      AXLE_ASSIGN(stride, lexer.Integer());
    }
    starts.push_back(start);
    limits.push_back(limit);
    strides.push_back(stride);
    if (!lexer.Consume(',')) break;
  }
  AXLE_TRY(lexer.Expect("]"));
  op.Set("start_indices", reader.MakeInts(starts));
  op.Set("limit_indices", reader.MakeInts(limits));
  op.Set("strides", reader.MakeInts(strides));
  return {};
}

// e8m10
Status ReadNumberFormat(Reader& reader, PendingOperation& op) {
  const std::string_view word = reader.lexer().Word();
  const size_t m = word.find('m');
  const auto digits = [](std::string_view text) {
    return !text.empty() && text.size() < 10 && text.find_first_not_of("0123456789") == text.npos;
  };
  if (!word.starts_with('e') || m == word.npos || !digits(word.substr(1, m - 1)) ||
      !digits(word.substr(m + 1))) {
    return reader.lexer().ErrorAt(reader.lexer().token(),
                                  "expected a format like e8m10: bits of exponent and mantissa");
  }
  const auto number = [&](std::string_view text) {
    i64 value = 0;
    for (const char c : text) value = value * 10 + (c - '0');
    return reader.MakeInt(value, "i32");
  };
  op.Set("exponent_bits", number(word.substr(1, m - 1)));
  op.Set("mantissa_bits", number(word.substr(m + 1)));
  return {};
}

constexpr std::pair<std::string_view, std::string_view> kWindow[] = {
    {"stride", "window_strides"},   {"pad", "padding"},
    {"lhs_dilate", "lhs_dilation"}, {"rhs_dilate", "rhs_dilation"},
    {"reverse", "window_reversal"},
};

// [[1, 1], [0, 2]]
StatusOr<const Attribute*> ReadPadding(Reader& reader) {
  Lexer& lexer = reader.lexer();
  Dims values;
  AXLE_TRY(lexer.Expect("["));
  while (lexer.Peek() != ']') {
    AXLE_ASSIGN(const Dims pair, reader.ReadInts());
    if (pair.size() != 2) return reader.Error("expected two numbers of padding, [low, high]");
    values.insert(values.end(), pair.begin(), pair.end());
    if (!lexer.Consume(',')) break;
  }
  AXLE_TRY(lexer.Expect("]"));
  const Dims dims = {static_cast<i64>(values.size() / 2), 2};
  return reader.MakeElements(reader.module().Tensor(dims, reader.module().Element(S64)),
                             Literal::Array<i64>(S64, dims, std::span<const i64>(values)));
}

// {stride = [2, 1], pad = [[1, 1], [0, 2]], ...}, each or none of them.
Status ReadWindow(Reader& reader, PendingOperation& op) {
  Lexer& lexer = reader.lexer();
  AXLE_TRY(lexer.Expect("{"));
  while (lexer.Peek() != '}') {
    const std::string_view word = lexer.Word();
    const auto* entry = std::ranges::find_if(
        kWindow, [&](const auto& candidate) { return candidate.first == word; });
    if (entry == std::end(kWindow)) {
      return lexer.ErrorAt(lexer.token(),
                           "expected stride, pad, lhs_dilate, rhs_dilate, reverse or '}'");
    }
    AXLE_TRY(lexer.Expect("="));
    const Attribute* value = nullptr;
    if (word == "pad") {
      AXLE_ASSIGN(value, ReadPadding(reader));
    } else {
      AXLE_ASSIGN(value, reader.ReadOfKind(word == "reverse" ? "bools" : "ints"));
    }
    op.Set(entry->second, value);
    if (!lexer.Consume(',')) break;
  }
  return lexer.Expect("}");
}

Status ReadPart(Reader& reader, PendingOperation& op, std::string_view part) {
  if (part == "ranges") return ReadRanges(reader, op);
  if (part == "format") return ReadNumberFormat(reader, op);
  if (part == "window") return ReadWindow(reader, op);
  const Attribute* value = op.Find("value");  // like_value
  if (value != nullptr && value->type != nullptr) {
    op.operand_types.assign(op.operands.size(), value->type);
  }
  return {};
}

Status ReadOperandItem(Reader& reader, PendingOperation& op, const Item& item) {
  if (item.each_comma) {
    while (reader.AtUse()) {
      AXLE_ASSIGN(const ValueUse use, reader.ReadUse());
      op.operands.push_back(use);
      AXLE_TRY(reader.lexer().Expect(","));
    }
    return {};
  }
  if (op.syntax->operands[item.index].variadic) return reader.ReadUses(op.operands);
  AXLE_ASSIGN(const ValueUse use, reader.ReadUse());
  op.operands.push_back(use);
  return {};
}

Status ReadStructItem(Reader& reader, PendingOperation& op, const StructUse& use) {
  if (use.syntax->mnemonic == "conv" && reader.lexer().Peek() == '[') {
    std::vector<NamedAttribute> fields;
    AXLE_TRY(reader.ReadConvolutionDimensions(fields));
    for (const NamedAttribute& field : fields) op.Set(field.name, field.value);
    return {};
  }
  AXLE_ASSIGN(const Attribute* value, reader.lexer().Peek() == '#'
                                          ? reader.ReadAttribute()
                                          : reader.ReadStruct(*use.syntax));
  op.Set(use.attribute, value);  // taken apart when all attributes are known
  return {};
}

Status ReadItem(Reader& reader, PendingOperation& op, const Item& item) {
  Lexer& lexer = reader.lexer();
  switch (item.kind) {
    case ItemKind::kLiteral:
      return IsWord(item.text) ? lexer.ExpectWord(item.text) : lexer.Expect(item.text);
    case ItemKind::kOperand:
      return ReadOperandItem(reader, op, item);
    case ItemKind::kAttribute: {
      const AttributeSyntax& attribute = op.syntax->attributes[item.index];
      if (item.is_symbol) {
        AXLE_ASSIGN(const std::string_view name, reader.ReadSymbol());
        op.Set(attribute.name, reader.MakeText(AttributeKind::kString, name));
        return {};
      }
      AXLE_ASSIGN(const Attribute* value, reader.ReadOfKind(attribute.kind));
      op.Set(attribute.name, value);
      return {};
    }
    case ItemKind::kStruct:
      return ReadStructItem(reader, op, op.syntax->structs[item.index]);
    case ItemKind::kRegions:
      do {
        AXLE_TRY(reader.ReadRegion(op, {}, false));
      } while (lexer.Consume(','));
      return {};
    case ItemKind::kAttributes:
      return reader.ReadOptionalDictionary(op.attributes);
    case ItemKind::kGroup:
      if (AtGroup(reader, item.items)) return ReadItems(reader, op, item.items);
      if (!item.otherwise.empty() && AtGroup(reader, item.otherwise)) {
        return ReadItems(reader, op, item.otherwise);
      }
      return {};
    case ItemKind::kTypes:
      return ReadTypesItem(reader, op, item.text);
    case ItemKind::kPart:
      return ReadPart(reader, op, item.text);
  }
  return {};
}

Status ReadItems(Reader& reader, PendingOperation& op, std::span<const Item> items) {
  for (const Item& item : items) AXLE_TRY(ReadItem(reader, op, item));
  return {};
}

// Printing

// The operands of one name of the row.
std::span<Value* const> Group(const Operation& operation, size_t index) {
  const std::vector<OperandSyntax>& row = operation.syntax->operands;
  const auto num_variadic =
      static_cast<size_t>(std::ranges::count_if(row, &OperandSyntax::variadic));
  const size_t fixed = row.size() - num_variadic;
  const size_t each = num_variadic == 0 ? 0 : (operation.operands.size() - fixed) / num_variadic;
  size_t begin = 0;
  for (size_t i = 0; i < index; ++i) begin += row[i].variadic ? each : 1;
  return operation.operands.subspan(begin, row[index].variadic ? each : 1);
}

bool HasRowCounts(const Operation& operation) {
  const OpSyntax& syntax = *operation.syntax;
  const auto has = [](const std::vector<OperandSyntax>& row, size_t count) {
    const auto variadic = static_cast<size_t>(std::ranges::count_if(row, &OperandSyntax::variadic));
    const size_t fixed = row.size() - variadic;
    return variadic == 0 ? count == fixed : count >= fixed && (count - fixed) % variadic == 0;
  };
  return operation.operand_sizes.empty() && has(syntax.operands, operation.operands.size()) &&
         has(syntax.results, operation.results.size()) &&
         has(syntax.regions, operation.regions.size());
}

bool HasGroup(const Operation& operation, std::span<const Item> items) {
  for (const Item& item : items) {
    switch (item.kind) {
      case ItemKind::kOperand:
        return !Group(operation, item.index).empty();
      case ItemKind::kRegions:
        return !operation.regions.empty();
      case ItemKind::kTypes:
        return !operation.operands.empty();
      case ItemKind::kAttribute: {
        const AttributeSyntax& attribute = operation.syntax->attributes[item.index];
        return !IsDefault(attribute, operation.Find(attribute.name));
      }
      case ItemKind::kStruct: {
        std::vector<NamedAttribute> fields;
        std::vector<std::string_view> taken;
        return Printer::PutTogether(operation, operation.syntax->structs[item.index], fields,
                                    taken);
      }
      default:
        break;
    }
  }
  return true;
}

bool AllOperandsAre(const Operation& operation, const Type* type) {
  return std::ranges::all_of(operation.operands,
                             [&](const Value* value) { return value->type == type; });
}

// All lists of the same length.
bool RangesFit(const Operation& operation, Dims (&lists)[3]) {
  constexpr std::string_view kNames[] = {"start_indices", "limit_indices", "strides"};
  for (size_t i = 0; i < 3; ++i) {
    const Attribute* value = operation.Find(kNames[i]);
    std::optional<Dims> ints = value == nullptr ? std::nullopt : Ints(*value);
    if (!ints) return false;
    lists[i] = std::move(*ints);
  }
  return lists[0].size() == lists[1].size() && lists[0].size() == lists[2].size();
}

bool WindowText(const Operation& operation, std::string& out) {
  out += "{";
  bool first = true;
  for (const auto& [word, name] : kWindow) {
    const Attribute* value = operation.Find(name);
    if (value == nullptr) continue;
    StrAppend(out, first ? "" : ", ", word, " = ");
    first = false;
    if (word != "pad") {
      if (!AppendOfKind(value, word == "reverse" ? "bools" : "ints", "stablehlo", out)) {
        return false;
      }
      continue;
    }
    const std::optional<Dims> pads = Ints(*value);
    if (!pads || pads->size() % 2 != 0 || value->type == nullptr || value->type->dims.size() != 2 ||
        value->type->dims[1] != 2 || value->type->of->ToString() != "i64") {
      return false;
    }
    out += "[";
    for (size_t i = 0; i < pads->size(); i += 2) {
      StrAppend(out, i > 0 ? ", " : "", "[", (*pads)[i], ", ", (*pads)[i + 1], "]");
    }
    out += "]";
  }
  out += "}";
  return true;
}

bool PartFits(const Operation& operation, std::string_view part, std::string& out) {
  if (part == "window") return WindowText(operation, out);
  if (part == "ranges") {
    Dims lists[3];
    if (!RangesFit(operation, lists)) return false;
    out += "[";
    for (size_t i = 0; i < lists[0].size(); ++i) {
      StrAppend(out, i > 0 ? ", " : "", lists[0][i], ":", lists[1][i]);
      if (lists[2][i] != 1) StrAppend(out, ":", lists[2][i]);
    }
    out += "]";
    return true;
  }
  if (part == "format") {
    for (const std::string_view name : {"exponent_bits", "mantissa_bits"}) {
      const Attribute* bits = operation.Find(name);
      if (bits == nullptr || bits->kind != AttributeKind::kInteger || bits->integer < 0 ||
          bits->type == nullptr || bits->type->ToString() != "i32") {
        return false;
      }
      StrAppend(out, name.substr(0, 1), bits->integer);
    }
    return true;
  }
  const Attribute* value = operation.Find("value");
  return value != nullptr && AllOperandsAre(operation, value->type);
}

bool TypesFit(const Operation& operation, std::string_view kind) {
  if (kind == "same" || kind == "complex" || kind == "select" || kind == "tuple") {
    if (operation.results.size() != 1) return false;
  }
  if (kind == "type") {
    return !operation.operands.empty() &&
           AllOperandsAre(operation, operation.operands.front()->type);
  }
  if (kind == "tuple") {
    const Type& type = *operation.results[0].type;
    return type.kind == TypeKind::kTuple &&
           std::ranges::equal(type.inputs, operation.operands, {}, {}, &Value::type);
  }
  if (kind == "pairs") {
    return std::ranges::equal(operation.operands, operation.results, {}, &Value::type,
                              &Value::type);
  }
  if (kind == "types" || kind == "arrow") return !operation.operands.empty();
  return true;
}

bool Fits(const Operation& operation, std::span<const Item> items) {
  std::string unused;
  for (const Item& item : items) {
    bool fits = true;
    if (item.kind == ItemKind::kGroup) {
      fits = !HasGroup(operation, item.items) || Fits(operation, item.items);
    } else if (item.kind == ItemKind::kAttribute) {
      const AttributeSyntax& attribute = operation.syntax->attributes[item.index];
      const Attribute* value = operation.Find(attribute.name);
      fits = item.is_symbol ? value != nullptr && value->kind == AttributeKind::kString &&
                                  value->type == nullptr
                            : AppendOfKind(value, attribute.kind, "stablehlo", unused);
    } else if (item.kind == ItemKind::kStruct) {
      std::vector<NamedAttribute> fields;
      std::vector<std::string_view> taken;
      const StructUse& use = operation.syntax->structs[item.index];
      fits = Printer::PutTogether(operation, use, fields, taken);
      const Attribute value{.kind = AttributeKind::kStruct, .fields = fields};
      if (fits && use.syntax->mnemonic == "conv") {
        fits = AppendConvolutionDimensions(value, unused);
      }
    } else if (item.kind == ItemKind::kTypes) {
      fits = TypesFit(operation, item.text);
    } else if (item.kind == ItemKind::kPart) {
      fits = PartFits(operation, item.text, unused);
    }
    if (!fits) return false;
  }
  return true;
}

void PrintTypesItem(Printer& printer, const Operation& operation, std::string_view kind) {
  std::string& out = printer.out();
  const Type* result = operation.results.empty() ? nullptr : operation.results[0].type;
  if (kind == "same") {
    if (!AllOperandsAre(operation, result)) return printer.Signature(operation);
    out += result->ToString();
  } else if (kind == "complex") {
    MlirModule scratch;
    const Type* part = RealPart(scratch, *result);
    const bool regular = part != nullptr && std::ranges::all_of(operation.operands, [&](Value* v) {
                           return v->type->ToString() == part->ToString();
                         });
    if (!regular) return printer.Signature(operation);
    out += result->ToString();
  } else if (kind == "select") {
    if (operation.operands[1]->type != result || operation.operands[2]->type != result) {
      return printer.Signature(operation);
    }
    StrAppend(out, operation.operands[0]->type->ToString(), ", ", result->ToString());
  } else if (kind == "tuple" || kind == "results" || kind == "result_types") {
    printer.ResultTypes(operation.results, false);
  } else if (kind == "type") {
    out += operation.operands.front()->type->ToString();
  } else if (kind == "types" || kind == "pairs") {
    printer.Types(operation.operands);
  } else if (kind == "arrow") {
    printer.Types(operation.operands);
    out += " -> ";
    printer.ResultTypes(operation.results, operation.results.size() != 1);
  } else {
    printer.Signature(operation);
  }
}

void PrintItems(Printer& printer, const Operation& operation, const Format& format,
                std::span<const Item> items);

void PrintOperandItem(Printer& printer, const Operation& operation, const Item& item) {
  const std::span<Value* const> values = Group(operation, item.index);
  if (!item.each_comma) return printer.Uses(values);
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) printer.out() += " ";
    printer.Use(*values[i]);
    printer.out() += ",";
  }
}

void PrintStructItem(Printer& printer, const Operation& operation, const Item& item) {
  std::vector<NamedAttribute> fields;
  std::vector<std::string_view> taken;
  const StructUse& use = operation.syntax->structs[item.index];
  Printer::PutTogether(operation, use, fields, taken);
  const Attribute value{.kind = AttributeKind::kStruct, .fields = fields};
  if (use.syntax->mnemonic == "conv") {
    AppendConvolutionDimensions(value, printer.out());
  } else {
    AppendStruct(*use.syntax, value, printer.dialect(), printer.out());
  }
}

void PrintItem(Printer& printer, const Operation& operation, const Item& item) {
  std::string& out = printer.out();
  switch (item.kind) {
    case ItemKind::kLiteral:
      out += item.text;
      break;
    case ItemKind::kOperand:
      PrintOperandItem(printer, operation, item);
      break;
    case ItemKind::kAttribute: {
      const AttributeSyntax& attribute = operation.syntax->attributes[item.index];
      const Attribute* value = operation.Find(attribute.name);
      if (item.is_symbol) {
        AppendSymbol(value->text, out);
      } else {
        AppendOfKind(value, attribute.kind, printer.dialect(), out);
      }
      break;
    }
    case ItemKind::kStruct:
      PrintStructItem(printer, operation, item);
      break;
    case ItemKind::kRegions:
      for (size_t i = 0; i < operation.regions.size(); ++i) {
        if (i > 0) out += ", ";
        printer.PrintRegion(operation.regions[i], true);
      }
      break;
    case ItemKind::kTypes:
      PrintTypesItem(printer, operation, item.text);
      break;
    case ItemKind::kPart:
      PartFits(operation, item.text, out);
      break;
    default:
      break;
  }
}

void PrintItems(Printer& printer, const Operation& operation, const Format& format,
                std::span<const Item> items) {
  std::string& out = printer.out();
  for (const Item& item : items) {
    if (item.kind == ItemKind::kAttributes) {
      printer.Attributes(operation, format.names);
      continue;
    }
    if (item.kind == ItemKind::kGroup) {
      PrintItems(printer, operation, format,
                 HasGroup(operation, item.items) ? item.items : item.otherwise);
      continue;
    }
    const size_t before = out.size();
    if (item.space) out += " ";
    const size_t begin = out.size();
    PrintItem(printer, operation, item);
    if (out.size() == begin) out.resize(before);
  }
}

}  // namespace

Status ReadForm(Reader& reader, PendingOperation& op) {
  const Format& format = FormatOf(*op.syntax);
  if (format.custom != nullptr) return format.custom->read(reader, op);
  return ReadItems(reader, op, format.items);
}

bool PrintForm(Printer& printer, const Operation& operation) {
  const Format& format = FormatOf(*operation.syntax);
  if (format.custom != nullptr) {
    if (!format.custom->fits(operation)) return false;
    format.custom->print(printer, operation);
    return true;
  }
  if (format.items.empty() || !HasRowCounts(operation) || !Fits(operation, format.items)) {
    return false;
  }
  PrintItems(printer, operation, format, format.items);
  return true;
}

bool IsDefault(const AttributeSyntax& syntax, const Attribute* value) {
  if (value == nullptr) return !syntax.required;
  const std::string_view fallback = syntax.fallback;
  if (syntax.required || fallback == "absent") return false;
  if (fallback == "none") {
    return value->kind == AttributeKind::kType && value->type->kind == TypeKind::kNone;
  }
  if (fallback == "empty") return value->kind == AttributeKind::kString && value->text.empty();
  if (fallback == "{}") {
    return value->kind == AttributeKind::kDictionary && value->fields.empty();
  }
  if (fallback == "true" || fallback == "false") {
    if (value->kind == AttributeKind::kBool) return (value->integer != 0) == (fallback == "true");
    const std::optional<Dims> values = Ints(*value);
    return values && std::ranges::count(*values, fallback == "true" ? 1 : 0) ==
                         static_cast<std::ptrdiff_t>(values->size());
  }
  if (fallback == "default") {
    const Attribute* mode = value->Field("mode");
    return mode != nullptr && mode->text == "DEFAULT";
  }
  if (IsAlpha(fallback[0])) {
    if (value->kind == AttributeKind::kEnum) return value->text == fallback;
    return value->kind == AttributeKind::kArray &&
           std::ranges::all_of(value->elements, [&](const Attribute* element) {
             return element->kind == AttributeKind::kEnum && element->text == fallback;
           });
  }
  if (value->kind == AttributeKind::kArray && value->elements.empty()) return fallback == "[]";
  const std::optional<Dims> values = Ints(*value);
  if (fallback == "[]") return values && values->empty();
  if (value->kind == AttributeKind::kInteger) return StrCat(value->integer) == fallback;
  return values &&
         std::ranges::all_of(*values, [&](i64 entry) { return StrCat(entry) == fallback; });
}

}  // namespace axle::mlir
