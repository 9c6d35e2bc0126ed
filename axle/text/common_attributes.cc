#include "axle/text/common_attributes.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "axle/core/strings.h"

namespace axle {
namespace {

// The keys of metadata in the order in which they are printed.
struct MetadataKey {
  std::string_view text;
  std::string_view Metadata::*string = nullptr;
  std::int32_t Metadata::*number = nullptr;
};
constexpr MetadataKey kMetadataKeys[] = {
    {"op_type", &Metadata::op_type},
    {"op_name", &Metadata::op_name},
    {"source_file", &Metadata::source_file},
    {"source_line", nullptr, &Metadata::source_line},
    {"source_end_line", nullptr, &Metadata::source_end_line},
    {"source_column", nullptr, &Metadata::source_column},
    {"source_end_column", nullptr, &Metadata::source_end_column},
    {"profile_type", &Metadata::profile_type},  // a list, not a string
    {"deduplicated_name", &Metadata::deduplicated_name},
    {"scheduling_name", &Metadata::scheduling_name},
    {"stack_frame_id", nullptr, &Metadata::stack_frame_id},
    {"metadata_payload", &Metadata::metadata_payload},
};
constexpr size_t kNumMetadataKeys = std::size(kMetadataKeys);

bool IsList(const MetadataKey& key) {
  return key.string == &Metadata::profile_type;
}

StatusOr<std::int32_t> ParseInt32(Scanner& scanner) {
  AXLE_ASSIGN(const i64 value, scanner.Integer());
  if (value != static_cast<std::int32_t>(value)) {
    return scanner.Error(StrCat(value, " does not fit into 32 bits"));
  }
  return static_cast<std::int32_t>(value);
}

StatusOr<std::string> ParseIntegerList(Scanner& scanner) {
  std::vector<i64> list;
  AXLE_TRY(scanner.List("{", "}", [&]() -> Status {
    AXLE_ASSIGN(list.emplace_back(), scanner.Integer());
    return {};
  }));
  return list.empty() ? "" : StrCat("{", Join(list, ","), "}");
}

// As printf's %g prints it, whatever the locale.
std::string SixDigits(double value) {
  char text[32];
  const auto result =
      std::to_chars(text, text + sizeof(text), value, std::chars_format::general, 6);
  return {text, result.ptr};
}

// An attribute name with its '=', or a diagnostic that says which ones there are.
template <size_t kCount>
StatusOr<size_t> ParseKey(Scanner& scanner, std::string_view what,
                          const std::array<std::string_view, kCount>& keys,
                          std::span<const bool> seen) {
  const std::string_view name = scanner.AttributeName();
  const auto at = std::ranges::find(keys, name);
  if (at == keys.end()) {
    if (name.empty()) return scanner.Expected(StrCat(what, ": ", Join(keys, ", "), ", and '='"));
    return scanner.Error(StrCat("unknown ", what, " \"", name, "\"", DidYouMean(name, keys)));
  }
  const size_t index = at - keys.begin();
  if (seen[index]) return scanner.Error(StrCat("second value for \"", name, "\""));
  return index;
}

constexpr auto kMetadataNames = [] {
  std::array<std::string_view, kNumMetadataKeys> names;
  for (size_t i = 0; i < kNumMetadataKeys; ++i) names[i] = kMetadataKeys[i].text;
  return names;
}();

}  // namespace

StatusOr<OwnedMetadata> ParseMetadata(Scanner& scanner) {
  OwnedMetadata metadata;
  metadata.texts.reserve(kNumMetadataKeys);  // views must not move
  std::array<bool, kNumMetadataKeys> seen = {};
  AXLE_TRY(scanner.List("{", "}", [&]() -> Status {
    AXLE_ASSIGN(const size_t i, ParseKey(scanner, "metadata key", kMetadataNames, seen));
    const MetadataKey& key = kMetadataKeys[i];
    seen[i] = true;
    if (key.number != nullptr) {
      AXLE_ASSIGN(metadata.value.*key.number, ParseInt32(scanner));
      return {};
    }
    AXLE_ASSIGN(std::string text, IsList(key) ? ParseIntegerList(scanner) : scanner.String());
    metadata.value.*key.string = metadata.texts.emplace_back(std::move(text));
    return {};
  }));
  return metadata;
}

std::string MetadataText(const Metadata& metadata) {
  std::string out;
  for (const MetadataKey& key : kMetadataKeys) {
    const std::string_view separator = out.empty() ? "" : " ";
    if (key.number != nullptr) {
      if (const std::int32_t value = metadata.*key.number; value != 0) {
        StrAppend(out, separator, key.text, "=", value);
      }
    } else if (const std::string_view value = metadata.*key.string; !value.empty()) {
      if (IsList(key)) {
        StrAppend(out, separator, key.text, "=", value);
      } else {
        StrAppend(out, separator, key.text, "=\"", CEscape(value), "\"");
      }
    }
  }
  return out.empty() ? out : StrCat("{", out, "}");
}

StatusOr<std::string> ParseTextOrJson(Scanner& scanner) {
  if (scanner.Peek("{")) {
    AXLE_ASSIGN(const std::string_view json, scanner.Braces());
    return std::string(json);
  }
  if (!scanner.PeekString()) return scanner.Expected("a string in quotation marks or {...}");
  return scanner.String();
}

std::string TextOrJson(std::string_view bytes) {
  if (bytes.starts_with("{")) {
    Scanner scanner(bytes);
    const auto json = scanner.Braces();
    if (json.ok() && json->size() == bytes.size()) return std::string(bytes);
  }
  return StrCat("\"", CEscape(bytes), "\"");
}

std::string_view SpacedAttributeName(Scanner& scanner) {
  std::string_view name = scanner.AttributeName();
  if (!name.empty() || scanner.Peek("%")) return name;
  Scanner ahead = scanner;
  name = ahead.Word();
  if (name.empty() || !ahead.Consume("=")) return {};
  scanner = ahead;
  return name;
}

StatusOr<FrontendAttributeList> ParseFrontendAttributes(Scanner& scanner) {
  FrontendAttributeList attributes;
  AXLE_TRY(scanner.List("{", "}", [&]() -> Status {
    const std::string_view name = SpacedAttributeName(scanner);
    if (name.empty()) return scanner.Expected("a name, and '='");
    AXLE_ASSIGN(const std::string value, ParseTextOrJson(scanner));
    attributes.emplace_back(name, TextOrJson(value));
    return {};
  }));
  std::ranges::sort(attributes, {}, [](const auto& attribute) { return attribute.first; });
  const auto twice = std::ranges::adjacent_find(
      attributes, {}, [](const auto& attribute) { return attribute.first; });
  if (twice != attributes.end()) {
    return scanner.Error(StrCat("second value for \"", twice->first, "\""));
  }
  return attributes;
}

std::string FrontendAttributesText(const FrontendAttributeList& attributes) {
  const auto text = [](const auto& attribute) {
    return StrCat(attribute.first, "=", attribute.second);
  };
  return StrCat("{", Join(attributes, ",", text), "}");
}

StatusOr<std::string> ParseStatistics(Scanner& scanner) {
  std::string out;
  bool has_index = false;
  AXLE_TRY(scanner.List("{", "}", [&]() -> Status {
    const std::string_view name = scanner.AttributeName();
    if (name.empty()) return scanner.Expected("the name of a statistic, and '='");
    if (!has_index) {
      if (name != "visualizing_index") return scanner.Error("visualizing_index comes first");
      has_index = true;
      AXLE_ASSIGN(const i64 index, scanner.Integer());
      StrAppend(out, name, "=", index);
    } else {
      AXLE_ASSIGN(const double value, scanner.Double());
      StrAppend(out, ",", name, "=", SixDigits(value));
    }
    return {};
  }));
  return out.empty() ? out : StrCat("{", out, "}");
}

StatusOr<std::vector<i64>> ParseShapeIndex(Scanner& scanner) {
  std::vector<i64> index;
  AXLE_TRY(scanner.List("{", "}", [&]() -> Status {
    AXLE_ASSIGN(index.emplace_back(), scanner.Integer());
    return index.back() >= 0 ? Status() : scanner.Error("a tuple index must be >= 0");
  }));
  return index;
}

std::string ShapeIndexText(const std::vector<i64>& index) {
  return StrCat("{", Join(index, ","), "}");
}

namespace {

// {"inst" {1}}, or {} where nothing is known.
Status ParseOriginLeaf(Scanner& scanner, std::string& out) {
  AXLE_TRY(scanner.Expect("{"));
  out += '{';
  if (scanner.PeekString()) {
    AXLE_ASSIGN(const std::string name, scanner.String());
    StrAppend(out, "\"", CEscape(name), "\"");
    if (scanner.Peek("{")) {
      AXLE_ASSIGN(const std::vector<i64> index, ParseShapeIndex(scanner));
      if (!index.empty()) StrAppend(out, " ", ShapeIndexText(index));
    }
  }
  out += '}';
  return scanner.Expect("}");
}

// A leaf or a tuple (a, b) of trees.
Status ParseOriginTree(Scanner& scanner, std::string& out) {
  if (!scanner.Peek("(")) return ParseOriginLeaf(scanner, out);
  out += '(';
  AXLE_TRY(scanner.List("(", ")", [&]() -> Status {
    if (!out.ends_with('(')) out += ", ";
    return ParseOriginTree(scanner, out);
  }));
  out += ')';
  return {};
}

// What `read` reads, exactly as written.
template <typename Read>
StatusOr<std::string> Verbatim(Scanner& scanner, Read read) {
  scanner.PeekChar();
  const size_t begin = scanner.position();
  AXLE_TRY(read());
  return std::string(scanner.Slice(begin, scanner.position()));
}

constexpr std::string_view kDebugKeys[] = {"log_mode", "callback_id", "partitioned", "op_id"};

}  // namespace

StatusOr<std::string> ParseOriginRecoveryTable(Scanner& scanner) {
  return Verbatim(scanner, [&] {
    return scanner.List("{", "}", [&]() -> Status {
      std::string leaf;
      AXLE_TRY(ParseOriginLeaf(scanner, leaf));
      AXLE_TRY(scanner.Expect(":"));
      AXLE_TRY(ParseOriginLeaf(scanner, leaf));
      if (!scanner.Consume(",")) return {};
      return scanner.String().status();  // a module
    });
  });
}

StatusOr<std::string> ParseDebugAttributes(Scanner& scanner) {
  const auto read_value = [&]() -> Status {
    const std::string_view key = scanner.AttributeName();
    if (std::ranges::find(kDebugKeys, key) != std::end(kDebugKeys)) {
      return scanner.SkipValue().empty() ? scanner.Expected("a value") : Status();
    }
    const std::string one_of = StrCat("one of: ", Join(kDebugKeys, ", "), ", with '='");
    return key.empty() ? scanner.Expected(one_of) : scanner.Error("expected " + one_of);
  };
  return Verbatim(scanner, [&] {
    return scanner.List("{", "}", [&]() -> Status {
      std::string leaf;
      AXLE_TRY(ParseOriginLeaf(scanner, leaf));
      AXLE_TRY(scanner.Expect(":"));
      return scanner.List("(", ")", [&] { return scanner.List("{", "}", read_value); });
    });
  });
}

StatusOr<std::string> ParseOrigin(Scanner& scanner) {
  AXLE_TRY(scanner.Expect("{"));
  std::string out = "{";
  if (scanner.Consume("[")) {
    if (!scanner.ConsumeWord("synthetic_call")) return scanner.Expected("synthetic_call");
    AXLE_TRY(scanner.Expect("]"));
    out += "[synthetic_call]";
  } else {
    AXLE_TRY(ParseOriginTree(scanner, out));
  }
  AXLE_TRY(scanner.Expect("}"));
  return out + "}";
}

StatusOr<std::string> ParseResultAccuracy(Scanner& scanner) {
  constexpr std::array<std::string_view, 2> kForms = {"mode", "tolerance"};
  constexpr std::array<std::string_view, 3> kTolerances = {"atol", "rtol", "ulps"};
  constexpr std::array<bool, 2> kNone = {};
  AXLE_TRY(scanner.Expect("{"));
  AXLE_ASSIGN(const size_t form, ParseKey(scanner, "result accuracy", kForms, kNone));
  std::string out;
  if (form == 0) {
    AXLE_ASSIGN(const std::string_view mode, scanner.Name("an accuracy mode"));
    if (LowerCase(mode) != "default" && LowerCase(mode) != "highest") {
      return scanner.Error(
          StrCat("unknown accuracy mode \"", mode, "\"; it is one of: default, highest"));
    }
    // XLA prints nothing for the default.
    if (LowerCase(mode) == "highest") out = "{mode=highest}";
  } else {
    std::array<double, 3> values = {};
    std::array<bool, 3> seen = {};
    AXLE_TRY(scanner.List("{", "}", [&]() -> Status {
      AXLE_ASSIGN(const size_t i, ParseKey(scanner, "tolerance", kTolerances, seen));
      seen[i] = true;
      AXLE_ASSIGN(values[i], scanner.Double());
      return values[i] >= 0 ? Status() : scanner.Error("a tolerance must be >= 0");
    }));
    out = StrCat("{tolerance={atol=", SixDigits(values[0]), ",rtol=", SixDigits(values[1]),
                 ",ulps=", SixDigits(values[2]), "}}");
  }
  AXLE_TRY(scanner.Expect("}"));
  return out;
}

StatusOr<std::string> ParseParameterReplication(Scanner& scanner) {
  std::vector<std::string_view> flags;
  AXLE_TRY(scanner.List("{", "}", [&]() -> Status {
    AXLE_ASSIGN(const bool replicated, scanner.Bool());
    flags.push_back(replicated ? "true" : "false");
    return {};
  }));
  return StrCat("{", Join(flags, ","), "}");
}

}  // namespace axle
