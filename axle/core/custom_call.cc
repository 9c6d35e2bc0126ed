#include "axle/core/custom_call.h"

#include <algorithm>

#include "axle/core/scanner.h"
#include "axle/core/strings.h"

namespace axle {
namespace {

constexpr std::string_view kLabel = "custom-call attributes";

// The value of a hexadecimal digit as MLIR writes them, in capitals; -1 for anything else.
int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// MLIR writes a byte in a string as \ and two hexadecimal digits, "a\22b", the scanner reads octal
// ones. The other escapes are the same in MLIR, JSON and C.
std::string WithOctalEscapes(std::string_view text) {
  std::string octal;
  for (size_t i = 0; i < text.size(); ++i) {
    octal += text[i];
    if (text[i] != '\\' || i + 1 == text.size()) continue;
    const int high = HexDigit(text[i + 1]), low = i + 2 < text.size() ? HexDigit(text[i + 2]) : -1;
    if (high >= 0 && low >= 0) {
      const int byte = high * 16 + low;
      for (const int shift : {6, 3, 0}) octal += static_cast<char>('0' + ((byte >> shift) & 7));
      i += 2;
    } else {
      octal += text[++i];
    }
  }
  return octal;
}

// Reads MLIR's and JSON's spelling of dictionaries.
class AttributeParser {
 public:
  explicit AttributeParser(std::string_view text) : scanner_(text, kLabel) {}

  StatusOr<CustomCallAttribute::List> ParseAll() {
    if (scanner_.AtEnd()) return CustomCallAttribute::List();
    AXLE_ASSIGN(auto list, Dictionary());
    if (!scanner_.AtEnd()) return scanner_.Expected("the end after the dictionary");
    return list;
  }

 private:
  StatusOr<CustomCallAttribute::List> Dictionary() {
    CustomCallAttribute::List list;
    AXLE_TRY(scanner_.List("{", "}", [&]() -> Status {
      CustomCallAttribute& entry = list.emplace_back();
      if (scanner_.PeekString()) {
        AXLE_ASSIGN(entry.name, scanner_.String());
      } else {
        AXLE_ASSIGN(const std::string_view name, scanner_.Name("the name of an attribute"));
        entry.name = name;
      }
      if (!scanner_.Consume("=") && !scanner_.Consume(":")) return {};
      return Value(entry);
    }));
    return list;
  }

  Status Value(CustomCallAttribute& entry) {
    if (scanner_.PeekString()) {
      AXLE_ASSIGN(entry.value, scanner_.String());
    } else if (scanner_.Peek("{")) {
      AXLE_ASSIGN(entry.value, Dictionary());
    } else if (scanner_.Peek("[")) {
      AXLE_ASSIGN(entry.value, Elements("[", "]", ""));
    } else if (const std::string_view word = scanner_.PeekWord();
               word == "true" || word == "false") {
      AXLE_ASSIGN(entry.value, scanner_.Bool());
    } else if (word == "array") {
      return Array(entry);
    } else if (word == "unit") {
      scanner_.Word();
    } else if (!Number(entry)) {
      const std::string_view text = scanner_.SkipValue();
      if (text.empty()) return scanner_.Expected("the value of an attribute");
      if (scanner_.Consume(":")) scanner_.SkipValue();
      entry.value = std::string(text);
      entry.type = "?";
      return {};
    }
    if (scanner_.Consume(":")) entry.type = scanner_.SkipValue();
    return {};
  }

  // array<i64: 1, 2>
  Status Array(CustomCallAttribute& entry) {
    scanner_.Word();
    AXLE_TRY(scanner_.Expect("<"));
    AXLE_ASSIGN(const std::string_view type, scanner_.Name("the type of the elements"));
    entry.type = type;
    if (scanner_.Consume(">")) {
      entry.value = CustomCallAttribute::List();
      return {};
    }
    AXLE_ASSIGN(entry.value, Elements(":", ">", type));
    return {};
  }

  StatusOr<CustomCallAttribute::List> Elements(std::string_view open, std::string_view close,
                                               std::string_view type) {
    CustomCallAttribute::List list;
    AXLE_TRY(scanner_.List(open, close, [&]() -> Status {
      CustomCallAttribute& entry = list.emplace_back();
      AXLE_TRY(Value(entry));
      if (!type.empty()) entry.type = type;
      return {};
    }));
    return list;
  }

  // 76, 1.5e-3; false, with nothing read, if there is no number.
  bool Number(CustomCallAttribute& entry) {
    const size_t begin = scanner_.position();
    const std::string_view token = scanner_.NumberToken();
    const bool is_integer = token.find_first_not_of("-0123456789") == token.npos;
    scanner_.Rewind(begin);
    if (token.empty()) return false;
    if (is_integer) {
      if (const auto integer = scanner_.Integer(); integer.ok()) {
        entry.value = *integer;
        return true;
      }
      scanner_.Rewind(begin);
    }
    if (const auto number = scanner_.Double(); number.ok()) {
      entry.value = *number;
      return true;
    }
    scanner_.Rewind(begin);
    return false;
  }

  Scanner scanner_;
};

}  // namespace

StatusOr<CustomCallAttributes> CustomCallAttributes::Parse(std::string_view text) {
  CustomCallAttributes attributes;
  const std::string octal = WithOctalEscapes(text);
  AXLE_ASSIGN(attributes.list_, AttributeParser(octal).ParseAll());
  return attributes;
}

const CustomCallAttribute* CustomCallAttributes::Find(std::string_view name) const {
  const auto it = std::ranges::find(list_, name, &CustomCallAttribute::name);
  return it == list_.end() ? nullptr : &*it;
}

template <typename T>
StatusOr<T> CustomCallAttributes::Get(std::string_view name, std::string_view kind) const {
  const CustomCallAttribute* attribute = Find(name);
  if (attribute == nullptr) {
    return InvalidArgument(StrCat("needs an attribute \"", name, "\""));
  }
  if (const T* value = std::get_if<T>(&attribute->value)) return *value;
  return InvalidArgument(StrCat("attribute \"", name, "\" is not ", kind));
}

StatusOr<i64> CustomCallAttributes::Integer(std::string_view name) const {
  return Get<i64>(name, "an integer");
}

StatusOr<i64> CustomCallAttributes::Integer(std::string_view name, i64 otherwise) const {
  return Find(name) == nullptr ? otherwise : Integer(name);
}

StatusOr<double> CustomCallAttributes::Float(std::string_view name) const {
  if (const CustomCallAttribute* attribute = Find(name); attribute != nullptr) {
    if (const i64* value = std::get_if<i64>(&attribute->value)) return static_cast<double>(*value);
  }
  return Get<double>(name, "a number");
}

StatusOr<double> CustomCallAttributes::Float(std::string_view name, double otherwise) const {
  return Find(name) == nullptr ? otherwise : Float(name);
}

StatusOr<bool> CustomCallAttributes::Bool(std::string_view name) const {
  return Get<bool>(name, "true or false");
}

StatusOr<bool> CustomCallAttributes::Bool(std::string_view name, bool otherwise) const {
  return Find(name) == nullptr ? otherwise : Bool(name);
}

StatusOr<std::string> CustomCallAttributes::String(std::string_view name) const {
  return Get<std::string>(name, "a text");
}

std::optional<std::string> CustomCallInvocation::FrontendAttribute(std::string_view name) const {
  for (const auto& [key, value] : frontend_attributes) {
    if (key != name) continue;
    Scanner scanner(value);
    if (!scanner.PeekString()) return value;
    const StatusOr<std::string> text = scanner.String();
    return text.ok() ? *text : value;
  }
  return std::nullopt;
}

}  // namespace axle
