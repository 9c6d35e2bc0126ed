#include "axle/proto/common_fields.h"

#include <algorithm>
#include <map>

#include "axle/core/stable_sort.h"
#include "axle/core/strings.h"
#include "axle/proto/fields.h"

namespace axle {
namespace {

struct TextField {
  int field;
  std::string_view Metadata::*member;
};
constexpr TextField kMetadataTexts[] = {
    {1, &Metadata::op_type},          {2, &Metadata::op_name},
    {3, &Metadata::source_file},      {12, &Metadata::deduplicated_name},
    {16, &Metadata::scheduling_name},
};
struct NumberField {
  int field;
  std::int32_t Metadata::*member;
};
constexpr NumberField kMetadataNumbers[] = {
    {4, &Metadata::source_line},        {15, &Metadata::stack_frame_id},
    {17, &Metadata::source_end_line},   {18, &Metadata::source_column},
    {19, &Metadata::source_end_column},
};
constexpr int kProfileType = 5;
constexpr int kMetadataPayload = 20;

// The integers of "{1,2}".
Dims IntegersOf(std::string_view text) {
  Scanner scanner(text);
  const StatusOr<Dims> list = ParseShapeIndex(scanner);
  return list.ok() ? *list : Dims();
}

StatusOr<double> ReadNumber(const WireReader& in) {
  return in.Double();
}

}  // namespace

bool IsName(std::string_view text) {
  Scanner scanner(text);
  return !text.empty() && !text.starts_with('%') && !IsSpace(text[0]) && scanner.Word() == text &&
         text != "ROOT" && text != "ENTRY" && text != "HloModule";
}

WireWriter MetadataMessage(const Metadata& metadata) {
  WireWriter out;
  for (const TextField& text : kMetadataTexts) out.Text(text.field, metadata.*text.member);
  for (const NumberField& number : kMetadataNumbers) {
    out.Int(number.field, metadata.*number.member);
  }
  out.Ints(kProfileType, IntegersOf(metadata.profile_type));
  if (!metadata.metadata_payload.empty()) {
    WireWriter payload;
    payload.Bytes(field::kPayloadValue, metadata.metadata_payload);
    out.Message(kMetadataPayload, payload);
  }
  out.SortFields();
  return out;
}

Status ReadMetadata(const WireReader& in, std::span<const std::string_view> payloads,
                    OwnedMetadata& metadata) {
  Dims profile_type;
  AXLE_TRY(ReadMessage(in, [&](const WireReader& field) -> Status {
    for (const TextField& text : kMetadataTexts) {
      if (text.field != field.field()) continue;
      AXLE_ASSIGN(metadata.value.*text.member, field.Bytes());
    }
    for (const NumberField& number : kMetadataNumbers) {
      if (number.field != field.field()) continue;
      AXLE_ASSIGN(metadata.value.*number.member, field.Int32());
    }
    if (field.field() == kProfileType) return field.Ints(profile_type);
    if (field.field() == kMetadataPayload) {
      AXLE_ASSIGN(metadata.value.metadata_payload, ReadPayload(field, payloads));
    }
    return {};
  }));
  if (profile_type.empty()) return {};
  if (std::ranges::any_of(profile_type, [](i64 type) { return type < 0; })) {
    return in.Error("a profile type must be >= 0");
  }
  metadata.texts = {StrCat("{", Join(profile_type, ","), "}")};
  metadata.value.profile_type = metadata.texts[0];
  return {};
}

WireWriter FrontendAttributesMessage(const FrontendAttributeList& attributes) {
  WireWriter out;
  for (const auto& [name, text] : attributes) {  // sorted by name
    WireWriter entry;
    entry.Text(1, name);
    Scanner scanner(text);
    const StatusOr<std::string> value = ParseTextOrJson(scanner);
    entry.Text(2, value.ok() ? *value : text);
    out.Message(1, entry);
  }
  return out;
}

StatusOr<FrontendAttributeList> ReadFrontendAttributes(const WireReader& in) {
  std::map<std::string, std::string> sorted;
  AXLE_TRY(ReadMessage(in, [&](const WireReader& field) -> Status {
    if (field.field() != 1) return {};
    std::string_view name, value;
    AXLE_TRY(ReadMessage(field, [&](const WireReader& part) -> Status {
      if (part.field() == 1) {
        AXLE_ASSIGN(name, part.Bytes());
      } else if (part.field() == 2) {
        AXLE_ASSIGN(value, part.Bytes());
      }
      return {};
    }));
    if (!IsName(name)) {
      return field.Error(StrCat("\"", PrintableText(name), "\" is not a name"));
    }
    sorted[std::string(name)] = TextOrJson(value);  // of equal keys the last one counts
    return {};
  }));
  return FrontendAttributeList(sorted.begin(), sorted.end());
}

StatusOr<std::string_view> ReadPayload(const WireReader& in,
                                       std::span<const std::string_view> payloads) {
  std::string_view value;
  AXLE_TRY(ReadMessage(in, [&](const WireReader& field) -> Status {
    if (field.field() == field::kPayloadValue) {
      AXLE_ASSIGN(value, field.Bytes());
    } else if (field.field() == field::kPayloadId) {
      AXLE_ASSIGN(const i64 id, field.Int());
      if (id < 0 || id >= static_cast<i64>(payloads.size())) {
        return field.Error(StrCat("there is no payload ", id, " of ", payloads.size()));
      }
      value = payloads[id];
    }
    return {};
  }));
  return value;
}

Status ReadShapeIndex(const WireReader& in, Dims& index) {
  AXLE_TRY(in.Ints(index));
  for (i64 i : index) {
    if (i < 0) return in.Error(StrCat("a tuple index must be >= 0, is ", i));
  }
  return {};
}

// --- Statistics: {visualizing_index=1,name=0.5}
// -----------------------------------------------------

WireWriter StatisticsMessage(std::string_view text) {
  WireWriter out;
  if (text.empty()) return out;
  Scanner scanner(text);
  bool is_first = true;
  const Status status = scanner.List("{", "}", [&]() -> Status {
    const std::string_view name = scanner.AttributeName();
    if (std::exchange(is_first, false)) {
      AXLE_ASSIGN(const i64 index, scanner.Integer());
      out.Int(1, index);
      return {};
    }
    WireWriter statistic;
    statistic.Text(1, name);
    AXLE_ASSIGN(const double value, scanner.Double());
    statistic.Double(2, value);
    out.Message(2, statistic);
    return {};
  });
  static_cast<void>(status.ok());  // the IR holds texts that read
  return out;
}

StatusOr<std::string> ReadStatistics(const WireReader& in) {
  i64 index = 0;
  std::string list;
  bool is_empty = true;
  AXLE_TRY(ReadMessage(in, [&](const WireReader& field) -> Status {
    is_empty = false;
    if (field.field() == 1) {
      AXLE_ASSIGN(index, field.Int());
      return {};
    }
    if (field.field() != 2) return {};
    std::string_view name;
    double value = 0;
    AXLE_TRY(ReadMessage(field, [&](const WireReader& part) -> Status {
      if (part.field() == 1) {
        AXLE_ASSIGN(name, part.Bytes());
      } else if (part.field() == 2) {
        AXLE_ASSIGN(value, ReadNumber(part));
      }
      return {};
    }));
    if (!IsName(name)) return field.Error(StrCat("\"", PrintableText(name), "\" is not a name"));
    StrAppend(list, ",", name, "=", value);
    return {};
  }));
  if (is_empty) return std::string();
  return CheckedText(in, StrCat("{visualizing_index=", index, list, "}"), ParseStatistics);
}

// --- Origins: {({"a" {0}}, {})}
// ----------------------------------------------------------------------

namespace {

constexpr int kOriginElements = 1, kIsSyntheticCall = 2;

// Writes the leaves of a tree; `path` leads to it.
Status WriteOriginTree(Scanner& scanner, Dims& path, WireWriter& out) {
  if (scanner.Peek("(")) {
    path.push_back(0);
    AXLE_TRY(scanner.List("(", ")", [&]() -> Status {
      AXLE_TRY(WriteOriginTree(scanner, path, out));
      ++path.back();
      return {};
    }));
    path.pop_back();
    return {};
  }
  AXLE_TRY(scanner.Expect("{"));
  WireWriter element;
  element.Ints(1, path);
  if (scanner.PeekString()) {
    WireWriter array;
    AXLE_ASSIGN(const std::string name, scanner.String());
    array.Text(1, name);
    if (scanner.Peek("{")) {
      AXLE_ASSIGN(const Dims index, ParseShapeIndex(scanner));
      array.Ints(2, index);
    }
    element.Message(2, array);
  }
  out.Message(kOriginElements, element);
  return scanner.Expect("}");
}

struct OriginLeaf {
  Dims path;
  std::string text;
};

// The text of the leaves that agree in the first `depth` indices of their paths; in their order.
StatusOr<std::string> OriginTreeText(const WireReader& in, std::span<const OriginLeaf> leaves,
                                     size_t depth) {
  if (leaves.size() == 1 && leaves[0].path.size() == depth) return leaves[0].text;
  std::string out = "(";
  i64 next = 0;
  for (size_t i = 0; i < leaves.size();) {
    if (leaves[i].path.size() <= depth) return in.Error("a value has two origins");
    const i64 index = leaves[i].path[depth];
    size_t end = i;
    while (end < leaves.size() && leaves[end].path.size() > depth &&
           leaves[end].path[depth] == index) {
      ++end;
    }
    // Elements without leaves are empty tuples.
    if (index - next > static_cast<i64>(leaves.size())) return in.Error("an origin is missing");
    for (; next < index; ++next) out += next == 0 ? "()" : ", ()";
    AXLE_ASSIGN(const std::string element,
                OriginTreeText(in, leaves.subspan(i, end - i), depth + 1));
    StrAppend(out, index == 0 ? "" : ", ", element);
    next = index + 1;
    i = end;
  }
  return out + ")";
}

Status ReadOriginElement(const WireReader& in, OriginLeaf& leaf) {
  std::string text = "{";
  AXLE_TRY(ReadMessage(in, [&](const WireReader& field) -> Status {
    if (field.field() == 1) return ReadShapeIndex(field, leaf.path);
    if (field.field() != 2) return {};
    std::string_view name;
    Dims index;
    AXLE_TRY(ReadMessage(field, [&](const WireReader& part) -> Status {
      if (part.field() == 2) return ReadShapeIndex(part, index);
      if (part.field() != 1) return {};
      AXLE_ASSIGN(name, part.Bytes());
      return {};
    }));
    StrAppend(text, "\"", CEscape(name), "\"");
    if (!index.empty()) StrAppend(text, " ", ShapeIndexText(index));
    return {};
  }));
  if (leaf.path.size() > static_cast<size_t>(kMaxTupleDepth)) {
    return in.Error("the path of an origin is too long");
  }
  leaf.text = text + "}";
  return {};
}

}  // namespace

WireWriter OriginMessage(std::string_view text) {
  WireWriter out;
  Scanner scanner(text);
  scanner.Consume("{");
  if (scanner.Consume("[")) {
    out.Bool(kIsSyntheticCall, true);
    return out;
  }
  Dims path;
  static_cast<void>(WriteOriginTree(scanner, path, out).ok());  // the IR holds texts that read
  return out;
}

StatusOr<std::string> ReadOrigin(const WireReader& in) {
  std::vector<OriginLeaf> leaves;
  bool is_synthetic_call = false;
  AXLE_TRY(ReadMessage(in, [&](const WireReader& field) -> Status {
    if (field.field() == kOriginElements) return ReadOriginElement(field, leaves.emplace_back());
    if (field.field() != kIsSyntheticCall) return {};
    AXLE_ASSIGN(is_synthetic_call, field.Bool());
    return {};
  }));
  if (is_synthetic_call) return std::string("{[synthetic_call]}");
  if (leaves.empty()) return std::string();
  StableSort(leaves, [](const OriginLeaf& a, const OriginLeaf& b) { return a.path < b.path; });
  AXLE_ASSIGN(const std::string tree, OriginTreeText(in, leaves, 0));
  return CheckedText(in, StrCat("{", tree, "}"), ParseOrigin);
}

// --- Accuracy: {mode=highest}, {tolerance={atol=1,rtol=2,ulps=3}}
// -----------------------------------

namespace {

constexpr int kAccuracyMode = 1, kAccuracyTolerance = 2;

}  // namespace

WireWriter ResultAccuracyMessage(std::string_view text) {
  WireWriter out;
  if (text.find("mode=highest") != text.npos) {
    out.ExplicitInt(kAccuracyMode, 1);
    return out;
  }
  Scanner scanner(text);
  scanner.Consume("{");
  if (scanner.AttributeName() != "tolerance") return out;
  WireWriter tolerance;
  const Status status = scanner.List("{", "}", [&]() -> Status {
    const std::string_view name = scanner.AttributeName();
    AXLE_ASSIGN(const double value, scanner.Double());
    if (name == "ulps") {
      tolerance.Int(3, static_cast<i64>(std::clamp(value, 0.0, 0x1p62)));
    } else {
      tolerance.Double(name == "atol" ? 1 : 2, value);
    }
    return {};
  });
  static_cast<void>(status.ok());  // the IR holds texts that read
  out.Message(kAccuracyTolerance, tolerance);
  return out;
}

StatusOr<std::string> ReadResultAccuracy(const WireReader& in) {
  std::string text;
  AXLE_TRY(ReadMessage(in, [&](const WireReader& field) -> Status {
    if (field.field() == kAccuracyMode) {
      AXLE_ASSIGN(const i64 mode, field.Int());
      if (mode != 0 && mode != 1) return field.Error(StrCat("there is no accuracy mode ", mode));
      text = mode == 1 ? "{mode=highest}" : "";
      return {};
    }
    if (field.field() != kAccuracyTolerance) return {};
    double atol = 0, rtol = 0;
    i64 ulps = 0;
    AXLE_TRY(ReadMessage(field, [&](const WireReader& part) -> Status {
      if (part.field() == 1) {
        AXLE_ASSIGN(atol, ReadNumber(part));
      } else if (part.field() == 2) {
        AXLE_ASSIGN(rtol, ReadNumber(part));
      } else if (part.field() == 3) {
        AXLE_ASSIGN(ulps, part.Int());
      }
      return {};
    }));
    text = StrCat("{tolerance={atol=", atol, ",rtol=", rtol, ",ulps=", ulps, "}}");
    return {};
  }));
  return text.empty() ? StatusOr<std::string>(text) : CheckedText(in, text, ParseResultAccuracy);
}

// --- Replication: {true,false}
// -----------------------------------------------------------------------

WireWriter ParameterReplicationMessage(std::string_view text) {
  Dims flags;
  Scanner scanner(text);
  const Status status = scanner.List("{", "}", [&]() -> Status {
    AXLE_ASSIGN(const bool flag, scanner.Bool());
    flags.push_back(flag ? 1 : 0);
    return {};
  });
  static_cast<void>(status.ok());  // the IR holds texts that read
  WireWriter out;
  out.Ints(1, flags);
  return out;
}

StatusOr<std::string> ReadParameterReplication(const WireReader& in) {
  Dims flags;
  AXLE_TRY(ReadMessage(in, [&](const WireReader& field) -> Status {
    return field.field() == 1 ? field.Ints(flags) : Status();
  }));
  return StrCat("{", Join(flags, ",", [](i64 flag) { return flag != 0 ? "true" : "false"; }), "}");
}

}  // namespace axle
