#include "axle/stablehlo/mlir/bytecode_op_kinds.h"

#include <algorithm>
#include <charconv>

#include "axle/stablehlo/mlir/vhlo_codes.h"

namespace axle::mlir {
namespace {

// Attributes of plain bytecode that no row has, because nothing here asks for them: MLIR added them
// later.
struct ExtraProperty {
  std::string_view op, name;
  int age;
};
constexpr ExtraProperty kExtraProperties[] = {
    {"func.func", "no_inline", 1},         {"func.call", "no_inline", 1},
    {"func.call", "arg_attrs", 2},         {"func.call", "res_attrs", 2},
    {"sdy.all_reduce", "reduction_op", 1}, {"sdy.reduce_scatter", "reduction_op", 1},
};

// Where plain bytecode has other attributes that may be absent than VHLO, whose rows they are.
struct Optionality {
  std::string_view op, attribute;
  bool is_optional;
};
constexpr Optionality kOptionalities[] = {
    {"stablehlo.recv", "source_target_pairs", true},
    {"stablehlo.recv", "channel_handle", false},
    {"stablehlo.select_and_scatter", "window_dimensions", true},
    {"stablehlo.send", "source_target_pairs", true},
    {"stablehlo.send", "channel_handle", false},
    {"stablehlo.triangular_solve", "lower", false},
};

// Attributes of rows that came later although no version of VHLO says so.
constexpr ExtraProperty kLaterProperties[] = {{"chlo.top_k", "is_stable", 1}};

int AgeOf(std::string_view op, const AttributeSyntax& attribute) {
  for (const ExtraProperty& row : kLaterProperties) {
    if (row.op == op && row.name == attribute.name) return row.age;
  }
  return attribute.since > 1 ? 1 : 0;
}

bool IsOptional(std::string_view op, std::string_view attribute, bool otherwise) {
  for (const Optionality& row : kOptionalities) {
    if (row.op == op && row.attribute == attribute) return row.is_optional;
  }
  return otherwise;
}

// The versions of VHLO's operation in which an attribute is.
bool IsIn(const AttributeSyntax& attribute, int version) {
  return attribute.since <= version && version <= attribute.until;
}

// Names of attributes that stand inside of a structure, of a row.
bool IsInStruct(const OpSyntax& syntax, std::string_view attribute) {
  for (const StructUse& use : syntax.structs) {
    for (const FieldSyntax& field : use.syntax->fields) {
      if (field.attribute == attribute) return true;
    }
  }
  return false;
}

// The properties of an operation that is not VHLO's, sorted by name as MLIR stores them.
void AddPlainProperties(OpKind& kind) {
  const OpSyntax& syntax = *kind.syntax;
  for (const AttributeSyntax& attribute : syntax.attributes) {
    if (attribute.until < 1 << 30 || IsInStruct(syntax, attribute.name)) continue;
    if (attribute.name == "resultSegmentSizes") {
      kind.has_segments = true;
      continue;
    }
    kind.properties.push_back(
        {.name = attribute.name,
         .is_optional = IsOptional(syntax.name, attribute.name, !attribute.required),
         .age = AgeOf(syntax.name, attribute)});
  }
  for (const StructUse& use : syntax.structs) {
    const bool is_newer = use.attribute == "algorithm";
    const bool is_optional = is_newer || use.attribute == "channel_handle";
    kind.properties.push_back({.name = use.attribute,
                               .is_optional = IsOptional(syntax.name, use.attribute, is_optional),
                               .age = is_newer ? 1 : 0});
  }
  for (const ExtraProperty& extra : kExtraProperties) {
    if (extra.op == syntax.name) {
      kind.properties.push_back({.name = extra.name, .is_optional = true, .age = extra.age});
    }
  }
  std::ranges::sort(kind.properties, {}, &PropertySyntax::name);
}

StatusOr<OpKind> FindVhlo(const BytecodeFile& file, const BytecodeFile::OpName& name) {
  constexpr std::string_view kPrefix = "vhlo.";
  const std::string_view text = std::string_view(name.name).substr(kPrefix.size());
  const size_t end = text.rfind("_v");
  OpKind kind;
  if (end != std::string_view::npos) {
    const std::string_view digits = text.substr(end + 2);
    std::from_chars(digits.data(), digits.data() + digits.size(), kind.version);
  }
  const std::string base(text.substr(0, end));
  const bool is_of_func = base == "func" || base == "call";
  kind.syntax = FindSyntax((is_of_func ? "func." : "stablehlo.") + base);
  if (kind.version < 1 || kind.syntax == nullptr ||
      static_cast<size_t>(kind.version) > kind.syntax->versions.size()) {
    return BytecodeError(file.label, name.offset,
                         "the operation " + name.name + " of " + std::string(file.producer) +
                             " is not known; what StableHLO " + kNewestStableHlo.ToString() +
                             " and older versions have is read",
                         StatusCode::kUnimplemented);
  }
  if (base != "return") kind.name = kind.syntax->name;
  kind.has_properties = true;
  for (const AttributeSyntax& attribute : kind.syntax->attributes) {
    if (IsIn(attribute, kind.version)) kind.properties.push_back({.name = attribute.name});
  }
  return kind;
}

const Attribute* Symbol(MlirModule& module, const Attribute& value) {
  if (value.kind == AttributeKind::kSymbol) return &value;
  if (value.kind != AttributeKind::kString) return nullptr;
  return module.NewAttribute({.kind = AttributeKind::kSymbol, .text = value.text});
}

const Attribute* Enum(MlirModule& module, std::string_view mnemonic, const Attribute& value) {
  if (value.kind == AttributeKind::kEnum) return value.mnemonic == mnemonic ? &value : nullptr;
  const std::span<const std::string_view> values = EnumValues(mnemonic);
  const i64 number = value.integer - FirstEnumNumber(mnemonic);
  if (value.kind != AttributeKind::kInteger || number < 0 ||
      number >= static_cast<i64>(values.size())) {
    return nullptr;
  }
  return module.NewAttribute({.kind = AttributeKind::kEnum,
                              .text = values[static_cast<size_t>(number)],
                              .mnemonic = mnemonic});
}

// The elements of an array, each through `convert`; null if one is null.
template <typename Function>
const Attribute* Each(MlirModule& module, const Attribute& value, Function convert) {
  if (value.kind != AttributeKind::kArray) return nullptr;
  std::vector<const Attribute*> elements;
  for (const Attribute* element : value.elements) {
    elements.push_back(convert(*element));
    if (elements.back() == nullptr) return nullptr;
  }
  return std::ranges::equal(elements, value.elements) ? &value : MakeArray(module, elements);
}

const Attribute* Bool(MlirModule& module, const Attribute& value) {
  if (value.kind == AttributeKind::kBool) return &value;
  return value.kind == AttributeKind::kUnit ? MakeBool(module, true) : nullptr;
}

bool IsNumbers(const Attribute& value) {
  if (value.kind == AttributeKind::kElements) return true;
  if (value.kind != AttributeKind::kArray) return false;
  return std::ranges::all_of(value.elements, [](const Attribute* element) {
    return element->kind == AttributeKind::kInteger || element->kind == AttributeKind::kBool;
  });
}

// What a value of that kind may be, where it stays as it is.
struct KindRow {
  std::string_view name;
  AttributeKind kind;
};
constexpr KindRow kKinds[] = {
    {"array", AttributeKind::kArray},   {"dict", AttributeKind::kDictionary},
    {"float", AttributeKind::kFloat},   {"int", AttributeKind::kInteger},
    {"string", AttributeKind::kString}, {"type", AttributeKind::kType},
    {"i32", AttributeKind::kInteger},   {"ui32", AttributeKind::kInteger},
    {"ui64", AttributeKind::kInteger},  {"accuracy", AttributeKind::kStruct},
};

const Attribute* Converted(MlirModule& module, std::string_view kind, const Attribute& value) {
  if (kind == "any") return &value;
  if (kind == "bool" || kind == "unit") return Bool(module, value);
  if (kind == "ints" || kind == "bools") return IsNumbers(value) ? &value : nullptr;
  if (kind == "elements") {
    const bool is_mesh_axes = value.kind == AttributeKind::kStruct;
    return value.kind == AttributeKind::kElements || is_mesh_axes ? &value : nullptr;
  }
  if (kind == "symbol") return Symbol(module, value);
  if (kind == "symbols") {
    return Each(module, value, [&](const Attribute& part) { return Symbol(module, part); });
  }
  if (kind.starts_with("sdy.")) return value.kind == AttributeKind::kOther ? &value : nullptr;
  for (const KindRow& row : kKinds) {
    if (row.name == kind) return value.kind == row.kind ? &value : nullptr;
  }
  if (!EnumValues(kind).empty()) return Enum(module, kind, value);
  if (kind.ends_with('s')) {
    const std::string_view one = kind.substr(0, kind.size() - 1);
    return Each(module, value, [&](const Attribute& part) { return Enum(module, one, part); });
  }
  return nullptr;
}

}  // namespace

const AttributeSyntax* FindAttribute(const OpKind& kind, std::string_view name) {
  const AttributeSyntax* found =
      kind.syntax != nullptr ? kind.syntax->FindAttribute(name) : nullptr;
  return found != nullptr && (kind.version == 0 || IsIn(*found, kind.version)) ? found : nullptr;
}

bool IsRequired(const OpKind& kind, const AttributeSyntax& attribute) {
  if (!attribute.required || attribute.since > 1) return false;
  if (kind.version > 0) return IsIn(attribute, kind.version);
  return !IsOptional(kind.syntax->name, attribute.name, false);
}

StatusOr<OpKind> FindOpKind(const BytecodeFile& file, const BytecodeFile::OpName& name,
                            MlirModule& module) {
  if (name.name.starts_with("vhlo.")) {
    AXLE_ASSIGN(OpKind kind, FindVhlo(file, name));
    kind.is_registered = name.is_registered;
    return kind;
  }
  OpKind kind;
  kind.is_registered = name.is_registered;
  kind.syntax = FindSyntax(name.name);
  kind.name = kind.syntax != nullptr ? kind.syntax->name : module.Text(name.name);
  if (kind.syntax != nullptr) {
    kind.has_properties = true;
    AddPlainProperties(kind);
  }
  return kind;
}

Status Normalize(MlirModule& module, const AttributeSyntax& syntax, const Attribute& value,
                 const Attribute*& result) {
  result = nullptr;
  const bool is_none = value.kind == AttributeKind::kType && value.type != nullptr &&
                       value.type->kind == TypeKind::kNone;
  if (is_none && syntax.fallback == "none") return {};
  // What VHLO has where a program states nothing: {} for the backend_config of a custom call of the
  // typed interface, [{}, {}] for the attributes of a function's arguments.
  const auto is_empty = [](const Attribute* of) {
    return of->kind == AttributeKind::kDictionary && of->fields.empty();
  };
  if (syntax.fallback == "empty" && is_empty(&value)) return {};
  const bool is_default_array = value.kind == AttributeKind::kArray && syntax.kind == "array" &&
                                !syntax.required && std::ranges::all_of(value.elements, is_empty);
  if (is_default_array) return {};
  // No pairs of a send that is not to another device, which programs leave out.
  const bool is_default_pairs = syntax.kind == "elements" && syntax.since > 1 &&
                                value.literal != nullptr && value.literal->num_elements() == 0;
  if (is_default_pairs) return {};
  result = Converted(module, syntax.kind, value);
  if (result != nullptr) return {};
  return InvalidArgument("the attribute " + std::string(syntax.name) +
                         " has a value of another kind than " + std::string(syntax.kind));
}

}  // namespace axle::mlir
