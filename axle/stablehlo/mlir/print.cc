// Operations, regions, names of values and locations.
//
// Values of a block are numbered before anything in it is printed, those of inner regions from
// there on; the numbers of an isolated operation's regions begin at 0. Locations are printed as
// aliases, because many share their parts.
#include "axle/stablehlo/mlir/print.h"

#include <algorithm>

#include "axle/core/strings.h"
#include "axle/stablehlo/mlir/forms.h"
#include "axle/stablehlo/mlir/lexer.h"
#include "axle/stablehlo/mlir/printer.h"

namespace axle::mlir {

std::string PrintMlirText(const MlirModule& module, const PrintTextOptions& options) {
  if (module.top() == nullptr) return "";
  return Printer(options).Print(*module.top());
}

std::string Printer::Print(const Operation& top) {
  PrintOperation(top);
  out_ += "\n";
  PrintLocations();
  return std::move(out_);
}

void Printer::Use(const Value& value) {
  const auto found = names_.find(&value);
  if (found == names_.end()) {
    out_ += "%<<unknown>>";
    return;
  }
  StrAppend(out_, "%", found->second);
  if (value.definition != nullptr && value.definition->results.size() > 1) {
    StrAppend(out_, "#", value.index);
  }
}

void Printer::Uses(std::span<Value* const> values) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) out_ += ", ";
    Use(*values[i]);
  }
}

void Printer::Types(std::span<Value* const> values) {
  for (size_t i = 0; i < values.size(); ++i) {
    StrAppend(out_, i > 0 ? ", " : "", values[i]->type->ToString());
  }
}

void Printer::ResultTypes(std::span<const Value> values, bool brackets) {
  if (brackets) out_ += "(";
  for (size_t i = 0; i < values.size(); ++i) {
    StrAppend(out_, i > 0 ? ", " : "", values[i].type->ToString());
  }
  if (brackets) out_ += ")";
}

void Printer::Signature(const Operation& operation) {
  out_ += "(";
  Types(operation.operands);
  out_ += ") -> ";
  const bool alone =
      operation.results.size() == 1 && operation.results[0].type->kind != TypeKind::kFunction;
  ResultTypes(operation.results, !alone);
}

bool Printer::PutTogether(const Operation& operation, const StructUse& use,
                          std::vector<NamedAttribute>& fields,
                          std::vector<std::string_view>& taken) {
  for (const FieldSyntax& field : use.syntax->fields) {
    const Attribute* value = operation.Find(field.attribute);
    if (value == nullptr) {
      if (field.required) return false;
      continue;
    }
    std::string unused;
    const bool is_none =
        value->kind == AttributeKind::kType && value->type->kind == TypeKind::kNone;
    if (is_none || !AppendOfKind(value, field.kind, "stablehlo", unused)) return false;
    fields.push_back({field.name, value});
    taken.push_back(field.attribute);
  }
  return true;
}

namespace {

bool Has(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// "= value" of an attribute of the row, as MLIR has it; false if it is printed by being absent.
bool AppendEntry(const AttributeSyntax* syntax, const Attribute& value, std::string_view dialect,
                 std::string& out) {
  const std::string_view kind = syntax == nullptr ? "" : syntax->kind;
  if (syntax != nullptr && syntax->fallback == "none" && IsDefault(*syntax, &value)) return false;
  if (kind == "unit" && value.kind == AttributeKind::kBool) return value.integer != 0;
  if (value.kind == AttributeKind::kUnit) return true;
  out += " = ";
  if (kind == "api_version" && value.kind == AttributeKind::kEnum) {
    const std::span<const std::string_view> values = EnumValues(kind);
    StrAppend(out, std::ranges::find(values, value.text) - values.begin(), " : i32");
    return true;
  }
  if (kind == "elements" && AppendOfKind(&value, kind, dialect, out)) return true;
  if ((kind == "ints" || kind == "bools") && value.kind == AttributeKind::kElements) {
    Attribute list = value;
    list.mnemonic = "array";
    AppendAttribute(list, dialect, out);
    return true;
  }
  AppendAttribute(value, dialect, out);
  return true;
}

}  // namespace

void Printer::Entries(const Operation& operation, std::span<const std::string_view> without,
                      bool inherent, bool discardable,
                      std::vector<std::pair<std::string, std::string>>& entries) {
  std::vector<std::string_view> taken(without.begin(), without.end());
  const OpSyntax* syntax = operation.syntax;
  if (syntax != nullptr) {
    for (const StructUse& use : syntax->structs) {
      if (Has(without, use.syntax->fields.front().attribute)) continue;
      std::vector<NamedAttribute> fields;
      std::vector<std::string_view> names;
      if (!PutTogether(operation, use, fields, names)) continue;
      taken.insert(taken.end(), names.begin(), names.end());
      if (!inherent) continue;
      const Attribute value{.kind = AttributeKind::kStruct, .fields = fields};
      std::string text = StrCat(" = #", use.syntax->dialect, ".", use.syntax->mnemonic);
      AppendStruct(*use.syntax, value, dialect_, text);
      entries.emplace_back(use.attribute, std::move(text));
    }
  }
  for (const NamedAttribute& entry : operation.attributes) {
    if (Has(taken, entry.name)) continue;
    const AttributeSyntax* row = syntax == nullptr ? nullptr : syntax->FindAttribute(entry.name);
    if (row == nullptr ? !discardable : !inherent) continue;
    std::string text;
    if (AppendEntry(row, *entry.value, dialect_, text)) entries.emplace_back(entry.name, text);
  }
}

void Printer::Dictionary(std::vector<std::pair<std::string, std::string>> entries) {
  std::ranges::sort(entries);
  out_ += "{";
  for (size_t i = 0; i < entries.size(); ++i) {
    if (i > 0) out_ += ", ";
    AppendName(entries[i].first, out_);
    out_ += entries[i].second;
  }
  out_ += "}";
}

void Printer::Attributes(const Operation& operation, std::span<const std::string_view> without,
                         std::string_view keyword) {
  std::vector<std::pair<std::string, std::string>> entries;
  Entries(operation, without, true, true, entries);
  if (entries.empty()) return;
  out_ += " ";
  if (!keyword.empty()) StrAppend(out_, keyword, " ");
  Dictionary(std::move(entries));
}

void Printer::NameArgument(const Value& value, std::string_view base) {
  if (base == "=") {  // as the argument before
    names_[&value] = StrCat("iterArg", next_conflict_ == 1 ? "" : StrCat("_", next_conflict_ - 2));
  } else if (base.empty()) {
    names_[&value] = StrCat("arg", next_argument_++);
  } else {
    names_[&value] = StrCat(base, next_conflict_ == 0 ? "" : StrCat("_", next_conflict_ - 1));
    ++next_conflict_;
  }
}

void Printer::Argument(const Value& value) {
  Use(value);
  StrAppend(out_, ": ", value.type->ToString());
  OptionalLocation(value.location);
}

void Printer::NumberBlock(const Block& block) {
  for (const Value& argument : block.arguments) {
    if (!names_.contains(&argument)) NameArgument(argument, "");
  }
  for (const Operation* operation : block.operations) {
    if (operation->results.empty()) continue;
    const std::string name = StrCat(next_value_++);
    for (const Value& result : operation->results) names_[&result] = name;
  }
}

void Printer::NewLine() {
  out_ += "\n";
  out_.append(static_cast<size_t>(2 * indent_), ' ');
}

void Printer::PrintRegion(const Region& region, bool arguments) {
  for (const Block& block : region.blocks) NumberBlock(block);
  out_ += "{";
  ++indent_;
  bool first = true;
  size_t number = 0;
  for (const Block& block : region.blocks) {
    const bool labelled =
        !first || (arguments && (!block.arguments.empty() || block.operations.empty()));
    if (labelled) {
      --indent_;
      NewLine();
      ++indent_;
      StrAppend(out_, "^bb", number);
      if (!block.arguments.empty()) {
        out_ += "(";
        for (size_t i = 0; i < block.arguments.size(); ++i) {
          if (i > 0) out_ += ", ";
          Argument(block.arguments[i]);
        }
        out_ += ")";
      }
      out_ += ":";
    }
    first = false;
    ++number;
    for (const Operation* operation : block.operations) {
      NewLine();
      PrintOperation(*operation);
    }
  }
  --indent_;
  NewLine();
  out_ += "}";
}

void Printer::PrintOperation(const Operation& operation) {
  const size_t value = next_value_, argument = next_argument_, conflict = next_conflict_;
  const std::string_view outer_dialect = dialect_;
  if (operation.syntax != nullptr && operation.syntax->isolated) {
    next_value_ = next_argument_ = next_conflict_ = 0;
  }
  dialect_ = operation.name.substr(0, operation.name.find('.'));
  if (!operation.results.empty()) {
    StrAppend(out_, "%", names_[&operation.results[0]]);
    if (operation.results.size() > 1) StrAppend(out_, ":", operation.results.size());
    out_ += " = ";
  }
  bool pretty = false;
  if (!options_.generic && operation.syntax != nullptr) {
    const Operation* parent = operation.parent();
    const bool in_function = parent != nullptr && parent->name == "func.func";
    const bool is_short = operation.name == "builtin.module" || (dialect_ == "func" && in_function);
    const size_t before = out_.size();
    out_ += is_short ? operation.name.substr(dialect_.size() + 1) : operation.name;
    pretty = PrintForm(*this, operation);
    if (!pretty) out_.resize(before);
  }
  if (!pretty) PrintGeneric(operation);
  OptionalLocation(operation.location);
  dialect_ = outer_dialect;
  next_value_ = value;
  next_argument_ = argument;
  next_conflict_ = conflict;
}

void Printer::PrintGeneric(const Operation& operation) {
  StrAppend(out_, "\"", Escape(operation.name), "\"(");
  Uses(operation.operands);
  out_ += ")";
  std::vector<std::pair<std::string, std::string>> properties, attributes;
  Entries(operation, {}, true, false, properties);
  Entries(operation, {}, false, true, attributes);
  if (!operation.operand_sizes.empty()) {
    std::string text = StrCat(" = array<i32: ", Join(operation.operand_sizes, ", "), ">");
    (operation.syntax == nullptr ? attributes : properties)
        .emplace_back("operandSegmentSizes", std::move(text));
  }
  if (!properties.empty()) {
    out_ += " <";
    Dictionary(std::move(properties));
    out_ += ">";
  }
  const std::string_view dialect = dialect_;
  for (size_t i = 0; i < operation.regions.size(); ++i) {
    out_ += i == 0 ? " (" : ", ";
    PrintRegion(operation.regions[i], true);
    dialect_ = dialect;
  }
  if (!operation.regions.empty()) out_ += ")";
  if (!attributes.empty()) {
    out_ += " ";
    Dictionary(std::move(attributes));
  }
  out_ += " : ";
  Signature(operation);
}

void Printer::OptionalLocation(const Location* location) {
  if (!options_.locations || location == nullptr || location->kind == Location::Kind::kUnknown) {
    return;
  }
  StrAppend(out_, " loc(#loc", LocationNumber(location), ")");
}

// Numbers the location and all that it is made of, parts first.
size_t Printer::LocationNumber(const Location* location) {
  std::vector<const Location*> open{location};
  while (!open.empty()) {
    const Location* next = open.back();
    const auto known = location_numbers_.find(next);
    if (known != location_numbers_.end() && known->second != 0) {
      open.pop_back();
      continue;
    }
    if (known == location_numbers_.end()) {
      location_numbers_.emplace(next, 0);  // its parts are being numbered
      for (const Location* part : next->children) {
        if (!location_numbers_.contains(part)) open.push_back(part);
      }
      continue;
    }
    open.pop_back();
    locations_.push_back(next);
    known->second = locations_.size();
  }
  return location_numbers_[location];
}

std::string Printer::LocationText(const Location& location) {
  const auto part = [&](size_t i) {
    return StrCat("#loc", location_numbers_[location.children[i]]);
  };
  const std::string text = StrCat("\"", Escape(location.text), "\"");
  switch (location.kind) {
    case Location::Kind::kUnknown:
      return "unknown";
    case Location::Kind::kFile: {
      std::string place;
      AppendFileLocation(location, place);
      return place;
    }
    case Location::Kind::kName:
      return location.children.empty() ? text : StrCat(text, "(", part(0), ")");
    case Location::Kind::kCallSite:
      return StrCat("callsite(", part(0), " at ", part(1), ")");
    case Location::Kind::kFused: {
      std::string fused = "fused";
      if (location.metadata != nullptr) {
        fused += "<";
        AppendAttribute(*location.metadata, "builtin", fused);
        fused += ">";
      }
      fused += "[";
      for (size_t i = 0; i < location.children.size(); ++i) {
        StrAppend(fused, i > 0 ? ", " : "", part(i));
      }
      return fused + "]";
    }
  }
  return "unknown";
}

void Printer::PrintLocations() {
  for (size_t i = 0; i < locations_.size(); ++i) {
    StrAppend(out_, "#loc", i + 1, " = loc(", LocationText(*locations_[i]), ")\n");
  }
}

}  // namespace axle::mlir
