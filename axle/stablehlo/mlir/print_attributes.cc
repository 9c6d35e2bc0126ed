// The text of attributes: the inverse of read_attributes.cc and read_elements.cc.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "axle/core/convert.h"
#include "axle/core/number_text.h"
#include "axle/core/strings.h"
#include "axle/stablehlo/mlir/lexer.h"
#include "axle/stablehlo/mlir/printer.h"

namespace axle::mlir {
namespace {

// Lists with more elements are printed as "0x..." of their bytes.
constexpr i64 kMaxListed = 100;

template <typename T>
std::string Scientific(T value) {
  char buffer[64];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific, 6);
  T back = 0;
  std::from_chars(buffer, end.ptr, back);
  if (back == value) return {buffer, end.ptr};
  end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific);
  std::string text(buffer, end.ptr);
  // 1e+10 has to be told from an integer.
  if (text.find('.') == text.npos) text.insert(text.find('e'), ".0");
  return text;
}

void AppendHex(const std::byte* bytes, size_t size, bool reversed, std::string& out) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  for (size_t i = 0; i < size; ++i) {
    const auto byte = static_cast<std::uint8_t>(bytes[reversed ? size - 1 - i : i]);
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
}

void AppendElement(ElementType type, const std::byte* element, std::string& out) {
  const ElementTypeInfo& info = Info(type);
  switch (info.type_class) {
    case TypeClass::kPred:
      out += *element != std::byte{0} ? "true" : "false";
      return;
    case TypeClass::kComplex: {
      const ElementType part = PartOf(type);
      out += "(";
      AppendNumber(part, element, out);
      out += ",";
      AppendNumber(part, element + Info(part).bytes, out);
      out += ")";
      return;
    }
    case TypeClass::kFloat:
      return AppendNumber(type, element, out);
    default:
      out += ElementToString(type, element);
  }
}

// [[a, b], [c, d]]
void AppendList(const Literal& literal, const Dims& dims, std::string& out) {
  const auto size = static_cast<size_t>(Info(literal.shape().type()).bytes);
  const i64 count = literal.num_elements();
  if (dims.empty() || count == 0) {
    // One level is enough to say that there is nothing.
    if (dims.empty()) AppendElement(literal.shape().type(), literal.bytes(), out);
    return;
  }
  for (i64 i = 0; i < count; ++i) {
    // How many lists begin here: those whose sizes below divide the position.
    i64 below = 1;
    size_t opened = 0;
    for (size_t d = dims.size(); d > 0; --d) {
      below *= dims[d - 1];
      if (i % below == 0) ++opened;
    }
    if (i > 0) {
      out.append(opened, ']');
      out += ", ";
    }
    out.append(opened, '[');
    AppendElement(literal.shape().type(), literal.bytes() + static_cast<size_t>(i) * size, out);
  }
  out.append(dims.size(), ']');
}

void AppendElements(const Attribute& attribute, std::string& out) {
  if (attribute.literal == nullptr) {
    StrAppend(out, "dense_resource<__elided__> : ", attribute.type->ToString());
    return;
  }
  const Literal& literal = *attribute.literal;
  const ElementType type = literal.shape().type();
  out += "dense<";
  if (attribute.is_splat) {
    AppendElement(type, literal.bytes(), out);
  } else if (literal.num_elements() > kMaxListed && type != PRED) {
    out += "\"0x";
    AppendHex(literal.bytes(), static_cast<size_t>(literal.num_bytes()), false, out);
    out += "\"";
  } else {
    AppendList(literal, attribute.type->dims, out);
  }
  StrAppend(out, "> : ", attribute.type->ToString());
}

// array<i64: 1, 2>; false if the elements are not one list.
bool AppendDenseArray(const Attribute& attribute, std::string& out) {
  if (attribute.literal == nullptr || attribute.type->dims.size() != 1 ||
      attribute.type->of->kind != TypeKind::kElement || IsComplex(attribute.type->of->element)) {
    return false;
  }
  const Literal& literal = *attribute.literal;
  const auto size = static_cast<size_t>(Info(literal.shape().type()).bytes);
  const i64 count = attribute.type->dims[0];
  if (attribute.is_splat && count > 65536) return false;
  StrAppend(out, "array<", attribute.type->of->ToString());
  for (i64 i = 0; i < count; ++i) {
    out += i == 0 ? ": " : ", ";
    AppendElement(literal.shape().type(),
                  literal.bytes() + (attribute.is_splat ? 0 : static_cast<size_t>(i) * size), out);
  }
  out += ">";
  return true;
}

void AppendFields(std::span<const NamedAttribute> fields, std::string_view dialect,
                  std::string& out) {
  out += "{";
  for (size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) out += ", ";
    AppendName(fields[i].name, out);
    if (fields[i].value->kind == AttributeKind::kUnit) continue;
    out += " = ";
    AppendAttribute(*fields[i].value, dialect, out);
  }
  out += "}";
}

// One list of labels: letters at their places, numbers at those of spatial dimensions.
bool AppendLabels(std::string_view letters, const i64 (&places)[2], const Dims& spatial,
                  std::string& out) {
  std::vector<std::string> labels(spatial.size() + 2);
  const auto put = [&](i64 place, std::string label) {
    if (place < 0 || static_cast<size_t>(place) >= labels.size()) return false;
    std::string& slot = labels[static_cast<size_t>(place)];
    if (!slot.empty()) return false;
    slot = std::move(label);
    return true;
  };
  for (size_t i = 0; i < 2; ++i) {
    if (!put(places[i], std::string(letters.substr(i, 1)))) return false;
  }
  for (size_t i = 0; i < spatial.size(); ++i) {
    if (!put(spatial[i], StrCat(i))) return false;
  }
  StrAppend(out, "[", Join(labels, ", "), "]");
  return true;
}

void AppendFieldValue(const FieldSyntax& field, const Attribute& value, std::string_view dialect,
                      std::string& out) {
  if (field.kind == "float" && value.kind == AttributeKind::kFloat) {
    out += Scientific(value.number);
  } else if (field.kind == "result_accuracy_mode") {
    StrAppend(out, "#stablehlo.result_accuracy_mode<", value.text, ">");
  } else if (field.kind == "structs" && value.kind == AttributeKind::kArray) {
    out += "[";
    for (size_t i = 0; i < value.elements.size(); ++i) {
      if (i > 0) out += ", ";
      if (!AppendOfKind(value.elements[i], "mesh_axis", dialect, out)) {
        AppendAttribute(*value.elements[i], dialect, out);
      }
    }
    out += "]";
  } else if (field.kind == "any" || field.kind == "array" ||
             !AppendOfKind(&value, field.kind, dialect, out)) {
    AppendAttribute(value, dialect, out);
  }
}

// <...> of a structure with this default: a list without elements, or 0 where that is it.
bool IsLeftOut(const FieldSyntax& field, const Attribute& value) {
  if (field.required) return false;
  if (field.fallback == "[]") {
    const std::optional<Dims> values = Ints(value);
    return values && values->empty();
  }
  if (field.fallback != "0") return false;
  return value.kind == AttributeKind::kFloat ? value.number == 0 : Int(value) == 0;
}

// loc(...) with all that it is made of. Parts may be shared so often that they have no end; what
// is beyond a length that no text has is left out.
void AppendLocationPart(const Location& location, int depth, size_t limit, std::string& out) {
  constexpr int kMaxDepth = 100;
  if (depth > kMaxDepth || out.size() > limit) {
    out += "unknown";
    return;
  }
  const auto part = [&](size_t i) {
    AppendLocationPart(*location.children[i], depth + 1, limit, out);
  };
  switch (location.kind) {
    case Location::Kind::kUnknown:
      out += "unknown";
      return;
    case Location::Kind::kFile:
      AppendFileLocation(location, out);
      return;
    case Location::Kind::kName:
      StrAppend(out, "\"", Escape(location.text), "\"");
      if (location.children.empty()) return;
      out += "(";
      part(0);
      break;
    case Location::Kind::kCallSite:
      out += "callsite(";
      part(0);
      out += " at ";
      part(1);
      break;
    case Location::Kind::kFused:
      out += "fused";
      if (location.metadata != nullptr) {
        out += "<";
        AppendAttribute(*location.metadata, "builtin", out);
        out += ">";
      }
      out += "[";
      for (size_t i = 0; i < location.children.size(); ++i) {
        if (i > 0) out += ", ";
        part(i);
      }
      out += "]";
      return;
  }
  out += ")";
}

void AppendLocation(const Location* location, std::string& out) {
  constexpr size_t kMaxLength = size_t{1} << 20;
  out += "loc(";
  AppendLocationPart(*location, 0, out.size() + kMaxLength, out);
  out += ")";
}

}  // namespace

void AppendFileLocation(const Location& location, std::string& out) {
  StrAppend(out, "\"", Escape(location.text), "\":", location.line, ":", location.column);
  if (location.end_line == 0 && location.end_column == 0) return;
  out += " to ";
  if (location.end_line != location.line) StrAppend(out, location.end_line);
  StrAppend(out, ":", location.end_column);
}

void AppendNumber(ElementType type, const void* element, std::string& out) {
  double value = 0;
  ConvertElements(type, element, F64, &value, 1);
  const auto size = static_cast<size_t>(Info(type).bytes);
  if (!std::isfinite(value)) {
    out += "0x";
    AppendHex(static_cast<const std::byte*>(element), size, true, out);
    return;
  }
  if (type == F64) {
    out += Scientific(value);
    return;
  }
  if (type != F32) {
    // Six digits, if they are enough for this type.
    char buffer[64];
    const auto end =
        std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific, 6);
    const std::string_view text(buffer, static_cast<size_t>(end.ptr - buffer));
    const auto bits = ParseFloat(Info(type), text);
    if (bits.ok() && std::memcmp(&*bits, element, size) == 0) {
      out += text;
      return;
    }
  }
  out += Scientific(static_cast<float>(value));
}

void AppendName(std::string_view name, std::string& out) {
  if (IsWord(name)) {
    out += name;
  } else {
    StrAppend(out, "\"", Escape(name), "\"");
  }
}

void AppendSymbol(std::string_view name, std::string& out) {
  for (bool first = true;; first = false) {
    const size_t end = std::min(name.find("::"), name.size());
    out += first ? "@" : "::@";
    const std::string_view part = name.substr(0, end);
    const bool plain =
        IsWord(part) || (!part.empty() && part.find_first_not_of("0123456789") == part.npos);
    if (plain) {
      out += part;
    } else {
      StrAppend(out, "\"", Escape(part), "\"");
    }
    if (end == name.size()) return;
    name.remove_prefix(end + 2);
  }
}

void AppendInts(const Dims& values, std::string& out) {
  StrAppend(out, "[", Join(values, ", "), "]");
}

bool AppendConvolutionDimensions(const Attribute& value, std::string& out) {
  const auto number = [&](std::string_view name) {
    const Attribute* field = value.Field(name);
    return field == nullptr ? -1 : Int(*field).value_or(-1);
  };
  const auto list = [&](std::string_view name) {
    const Attribute* field = value.Field(name);
    return field == nullptr ? Dims{-1} : Ints(*field).value_or(Dims{-1});
  };
  std::string text;
  const i64 input[] = {number("input_batch_dimension"), number("input_feature_dimension")};
  const i64 kernel[] = {number("kernel_input_feature_dimension"),
                        number("kernel_output_feature_dimension")};
  const i64 output[] = {number("output_batch_dimension"), number("output_feature_dimension")};
  if (!AppendLabels("bf", input, list("input_spatial_dimensions"), text)) return false;
  text += "x";
  if (!AppendLabels("io", kernel, list("kernel_spatial_dimensions"), text)) return false;
  text += "->";
  if (!AppendLabels("bf", output, list("output_spatial_dimensions"), text)) return false;
  out += text;
  return true;
}

void AppendStruct(const StructSyntax& syntax, const Attribute& value, std::string_view dialect,
                  std::string& out) {
  if (syntax.mnemonic == "sub_axis_info") {
    const auto number = [&](std::string_view name) {
      const Attribute* field = value.Field(name);
      return field == nullptr ? 0 : field->integer;
    };
    StrAppend(out, "(", number("pre_size"), ")", number("size"));
    return;
  }
  out += "<";
  if (syntax.mnemonic == "conv") {
    if (AppendConvolutionDimensions(value, out)) {
      out += ">";
      return;
    }
    out += "raw ";
  }
  bool first = true;
  for (const FieldSyntax& field : syntax.fields) {
    const Attribute* entry = value.Field(field.name);
    const bool stated = entry != nullptr && !IsLeftOut(field, *entry);
    // The type of a channel is always written.
    if (!stated && field.fallback != "1") continue;
    StrAppend(out, first ? "" : ", ", field.name, " = ");
    first = false;
    if (stated) {
      AppendFieldValue(field, *entry, dialect, out);
    } else {
      out += field.fallback;
    }
  }
  out += ">";
}

bool AppendOfKind(const Attribute* attribute, std::string_view kind, std::string_view dialect,
                  std::string& out) {
  if (attribute == nullptr) return false;
  const Attribute& value = *attribute;
  const std::string_view scalar = kind == "int" ? "i64" : kind == "float" ? "f64" : kind;
  switch (value.kind) {
    case AttributeKind::kInteger:
      if (value.type == nullptr || value.type->ToString() != scalar) return false;
      out += scalar == "ui64" ? StrCat(static_cast<std::uint64_t>(value.integer))
                              : StrCat(value.integer);
      return true;
    case AttributeKind::kFloat:
      if (value.type == nullptr || value.type->ToString() != scalar) return false;
      AppendNumber(F64, &value.number, out);
      return true;
    case AttributeKind::kElements: {
      if (kind == "elements") return AppendElements(value, out), true;
      const std::string_view of = kind == "ints" ? "i64" : kind == "bools" ? "i1" : "";
      if (value.type->dims.size() != 1 || value.type->of->ToString() != of) return false;
      const std::optional<Dims> values = Ints(value);
      if (!values) return false;
      if (kind == "ints") return AppendInts(*values, out), true;
      StrAppend(out, "[", Join(*values, ", ", [](i64 v) { return v != 0 ? "true" : "false"; }),
                "]");
      return true;
    }
    case AttributeKind::kBool:
      if (kind != "bool") return false;
      out += value.integer != 0 ? "true" : "false";
      return true;
    case AttributeKind::kString:
      if (kind != "string" || value.type != nullptr) return false;
      StrAppend(out, "\"", Escape(value.text), "\"");
      return true;
    case AttributeKind::kSymbol:
      if (kind != "symbol") return false;
      AppendSymbol(value.text, out);
      return true;
    case AttributeKind::kType:
      if (kind != "type") return false;
      out += value.type->ToString();
      return true;
    case AttributeKind::kEnum:
      if (kind != value.mnemonic) return false;
      out += value.text;
      return true;
    case AttributeKind::kStruct: {
      const StructSyntax* syntax = FindStruct(kind);
      if (syntax == nullptr || value.mnemonic != kind) return false;
      AppendStruct(*syntax, value, dialect, out);
      return true;
    }
    case AttributeKind::kArray: {
      const std::string_view element = kind.substr(0, kind.empty() ? 0 : kind.size() - 1);
      if (!kind.ends_with('s') || EnumValues(element).empty()) return false;
      std::string text = "[";
      for (const Attribute* entry : value.elements) {
        if (entry->kind != AttributeKind::kEnum || entry->mnemonic != element) return false;
        StrAppend(text, text.size() > 1 ? ", " : "", entry->text);
      }
      StrAppend(out, text, "]");
      return true;
    }
    case AttributeKind::kOther: {
      if (!kind.starts_with("sdy.")) return false;
      const std::string dotted = StrCat("#", kind);                  // #sdy.sharding<...>
      const std::string enclosed = StrCat("#sdy<", kind.substr(4));  // #sdy<manual_axes{...}>
      std::string_view text = value.text;
      const bool is_list = kind == "sdy.sharding_per_value";
      if (text.starts_with(dotted + "<")) {
        text.remove_prefix(dotted.size());
        if (is_list) text = text.substr(1, text.size() - 2);
      } else if (text.starts_with(enclosed + "{") || text.starts_with(enclosed + "[")) {
        text = text.substr(enclosed.size(), text.size() - enclosed.size() - 1);
      } else {
        return false;
      }
      if (is_list && !text.starts_with('[')) return false;
      out += text;
      return true;
    }
    default:
      return false;
  }
}

void AppendAttribute(const Attribute& attribute, std::string_view dialect, std::string& out) {
  switch (attribute.kind) {
    case AttributeKind::kUnit:
      out += "unit";
      return;
    case AttributeKind::kBool:
      out += attribute.integer != 0 ? "true" : "false";
      return;
    case AttributeKind::kInteger:
      if (attribute.type != nullptr && attribute.type->ToString() == "ui64") {
        out += StrCat(static_cast<std::uint64_t>(attribute.integer));
      } else {
        out += StrCat(attribute.integer);
      }
      if (attribute.type != nullptr) StrAppend(out, " : ", attribute.type->ToString());
      return;
    case AttributeKind::kFloat: {
      const ElementType type = attribute.type == nullptr ? F64 : ElementOf(*attribute.type);
      std::uint64_t bits = 0;
      ConvertElements(F64, &attribute.number, type, &bits, 1);
      // A NaN keeps its bits where they are known.
      if (std::isnan(attribute.number) && attribute.integer != 0) {
        bits = static_cast<std::uint64_t>(attribute.integer);
      }
      AppendNumber(type, &bits, out);
      if (attribute.type != nullptr) StrAppend(out, " : ", attribute.type->ToString());
      return;
    }
    case AttributeKind::kString:
      StrAppend(out, "\"", Escape(attribute.text), "\"");
      if (attribute.type != nullptr) StrAppend(out, " : ", attribute.type->ToString());
      return;
    case AttributeKind::kArray:
      out += "[";
      for (size_t i = 0; i < attribute.elements.size(); ++i) {
        if (i > 0) out += ", ";
        AppendAttribute(*attribute.elements[i], dialect, out);
      }
      out += "]";
      return;
    case AttributeKind::kDictionary:
      return AppendFields(attribute.fields, dialect, out);
    case AttributeKind::kSymbol:
      return AppendSymbol(attribute.text, out);
    case AttributeKind::kType:
      out += attribute.type->ToString();
      return;
    case AttributeKind::kElements:
      if (attribute.mnemonic != "array" || !AppendDenseArray(attribute, out)) {
        AppendElements(attribute, out);
      }
      return;
    case AttributeKind::kEnum: {
      const std::string_view own = EnumDialect(attribute.mnemonic);
      const bool of_chlo = own == "stablehlo" && dialect == "chlo";
      StrAppend(out, "#", of_chlo ? dialect : own, "<", attribute.mnemonic, " ", attribute.text,
                ">");
      return;
    }
    case AttributeKind::kStruct: {
      const StructSyntax* syntax = FindStruct(attribute.mnemonic);
      if (syntax == nullptr) return AppendFields(attribute.fields, dialect, out);
      // Of one without brackets of its own: #stablehlo<sub_axis_info(1)2>.
      const bool enclosed = syntax->mnemonic == "sub_axis_info";
      StrAppend(out, "#", syntax->dialect, enclosed ? "<" : ".", syntax->mnemonic);
      AppendStruct(*syntax, attribute, dialect, out);
      if (enclosed) out += ">";
      return;
    }
    case AttributeKind::kLocation:
      AppendLocation(attribute.location, out);
      return;
    case AttributeKind::kOther:
      out += attribute.text;
      return;
  }
}

std::string Attribute::ToString() const {
  std::string out;
  AppendAttribute(*this, "stablehlo", out);
  return out;
}

}  // namespace axle::mlir
