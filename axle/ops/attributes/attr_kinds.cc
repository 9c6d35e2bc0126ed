// How each kind of attribute is read from and printed as HLO text. A row names the kinds of its
// attributes; the kinds know nothing about ops. Reading and printing are inverse: what a default
// would print is left out, and both spellings of a value are read as one.

#include "axle/ops/attributes/attr_kinds.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>

#include "axle/core/number_text.h"
#include "axle/core/strings.h"

namespace axle {

Status AttrTraits<i64>::Parse(Scanner& scanner, const Shape&, i64& value) {
  AXLE_ASSIGN(value, scanner.Integer());
  return {};
}

Status AttrTraits<bool>::Parse(Scanner& scanner, const Shape&, bool& value) {
  AXLE_ASSIGN(value, scanner.Bool());
  return {};
}

Status AttrTraits<float>::Parse(Scanner& scanner, const Shape&, float& value) {
  AXLE_ASSIGN(value, scanner.Number());
  return {};
}

// The text reads back as the same number.
std::string AttrTraits<float>::Print(float value) {
  std::string text;
  AppendFloat(Info(F32), std::bit_cast<std::uint32_t>(value), text);
  return text;
}

Status AttrTraits<Dims>::Parse(Scanner& scanner, const Shape&, Dims& value) {
  return scanner.List("{", "}", [&]() -> Status {
    AXLE_ASSIGN(value.emplace_back(), scanner.Integer());
    return {};
  });
}

std::string AttrTraits<Dims>::Print(const Dims& value) {
  return StrCat("{", Join(value, ","), "}");
}

// Attributes are hashed for structural comparison of instructions.
size_t AttrTraits<Dims>::Hash(const Dims& value) {
  size_t hash = value.size();
  for (i64 x : value) hash = hash * 1000003 + static_cast<size_t>(x);
  return hash;
}

// "0_1_2x3_4": low, high and optionally interior padding per dimension. Interior padding is printed
// only if some dimension has it.
Status AttrTraits<PaddingConfig>::Parse(Scanner& scanner, const Shape&, PaddingConfig& value) {
  AXLE_ASSIGN(const std::vector<std::vector<i64>> pads, scanner.JoinedPads());
  for (const std::vector<i64>& pad : pads) {
    value.push_back({pad[0], pad[1], pad.size() > 2 ? pad[2] : 0});
  }
  return {};
}

// If one dimension has interior padding, all are printed with it, as XLA does.
std::string AttrTraits<PaddingConfig>::Print(const PaddingConfig& value) {
  const bool interior =
      std::ranges::any_of(value, [](const PaddingDim& dim) { return dim.interior != 0; });
  return Join(value, "x", [interior](const PaddingDim& dim) {
    const std::string edges = StrCat(dim.low, "_", dim.high);
    return interior ? StrCat(edges, "_", dim.interior) : edges;
  });
}

// "{[0:8:2], [1:3]}": start, limit and optionally stride. Strides are printed only if one of them
// is not 1.
Status AttrTraits<SliceConfig>::Parse(Scanner& scanner, const Shape&, SliceConfig& value) {
  return scanner.List("{", "}", [&]() -> Status {
    SliceDim& dim = value.emplace_back();
    AXLE_TRY(scanner.Expect("["));
    AXLE_ASSIGN(dim.start, scanner.Integer());
    AXLE_TRY(scanner.Expect(":"));
    AXLE_ASSIGN(dim.limit, scanner.Integer());
    if (scanner.Consume(":")) {
      AXLE_ASSIGN(dim.stride, scanner.Integer());
    }
    return scanner.Expect("]");
  });
}

std::string AttrTraits<SliceConfig>::Print(const SliceConfig& value) {
  const bool strides =
      std::ranges::any_of(value, [](const SliceDim& dim) { return dim.stride != 1; });
  const auto dim_text = [strides](const SliceDim& dim) {
    const std::string range = StrCat("[", dim.start, ":", dim.limit);
    return strides ? StrCat(range, ":", dim.stride, "]") : range + "]";
  };
  return StrCat("{", Join(value, ", ", dim_text), "}");
}

namespace {

// One key of a window: numbers for every dimension, joined by "x".
struct WindowKey {
  std::string_view text;
  i64 WindowDim::*member;
  i64 fallback;
};
constexpr WindowKey kWindowKeys[] = {
    {"stride", &WindowDim::stride, 1},
    {"lhs_dilate", &WindowDim::base_dilation, 1},
    {"rhs_dilate", &WindowDim::window_dilation, 1},
};
constexpr std::string_view kWindowNames[] = {"size",       "stride",     "pad",
                                             "lhs_dilate", "rhs_dilate", "rhs_reversal"};

}  // namespace

// The keys may come in any order; all lists must have as many dimensions as "size". Everything is
// read first and then stored, since "size" may come last.
Status AttrTraits<Window>::Parse(Scanner& scanner, const Shape&, Window& value) {
  std::vector<std::string_view> seen;
  std::vector<std::pair<std::string_view, std::vector<i64>>> lists;
  std::vector<std::vector<i64>> pads;
  AXLE_TRY(scanner.List("{", "}", [&]() -> Status {
    const std::string_view key = scanner.AttributeName();
    if (std::ranges::find(kWindowNames, key) == std::end(kWindowNames)) {
      return scanner.Error(
          StrCat("expected one of: ", Join(kWindowNames, ", "), ", each with '='"));
    }
    if (std::ranges::find(seen, key) != seen.end()) {
      return scanner.Error(StrCat("second value for \"", key, "\""));
    }
    seen.push_back(key);
    if (key == "pad") {
      AXLE_ASSIGN(pads, scanner.JoinedPads());
      for (const auto& pad : pads) {
        if (pad.size() != 2) return scanner.Error("a window's padding is low_high");
      }
      return {};
    }
    AXLE_ASSIGN(std::vector<i64> list, scanner.JoinedSizes());
    lists.emplace_back(key, std::move(list));
    return {};
  }));
  const auto size = std::ranges::find(lists, "size", [](const auto& list) { return list.first; });
  if (size == lists.end()) {
    return lists.empty() && pads.empty() ? Status() : scanner.Error("a window needs size=...");
  }
  value.resize(size->second.size());
  const auto wrong_count = [&](std::string_view key, size_t count) {
    return scanner.Error(
        StrCat("\"", key, "\" has ", count, " dimensions but \"size\" has ", value.size()));
  };
  for (const auto& [key, list] : lists) {
    if (list.size() != value.size()) return wrong_count(key, list.size());
    for (size_t d = 0; d < value.size(); ++d) {
      if (key == "size") value[d].size = list[d];
      if (key == "rhs_reversal") value[d].reversal = list[d] != 0;
      for (const WindowKey& known : kWindowKeys) {
        if (key == known.text) value[d].*known.member = list[d];
      }
    }
  }
  if (!pads.empty() && pads.size() != value.size()) return wrong_count("pad", pads.size());
  for (size_t d = 0; d < pads.size(); ++d) {
    value[d].pad_low = pads[d][0];
    value[d].pad_high = pads[d][1];
  }
  return {};
}

// Keys whose values are all defaults are left out, in the order in which XLA prints them.
std::string AttrTraits<Window>::Print(const Window& value) {
  if (value.empty()) return "{}";
  std::string out =
      StrCat("{size=", Join(value, "x", [](const WindowDim& d) { return StrCat(d.size); }));
  const auto append = [&](std::string_view key, auto is_default, auto text) {
    if (!std::ranges::all_of(value, is_default))
      out += StrCat(" ", key, "=", Join(value, "x", text));
  };
  const auto append_key = [&](const WindowKey& key) {
    append(
        key.text, [&](const WindowDim& d) { return d.*key.member == key.fallback; },
        [&](const WindowDim& d) { return StrCat(d.*key.member); });
  };
  append_key(kWindowKeys[0]);
  append(
      "pad", [](const WindowDim& d) { return d.pad_low == 0 && d.pad_high == 0; },
      [](const WindowDim& d) { return StrCat(d.pad_low, "_", d.pad_high); });
  append_key(kWindowKeys[1]);
  append_key(kWindowKeys[2]);
  append(
      "rhs_reversal", [](const WindowDim& d) { return !d.reversal; },
      [](const WindowDim& d) { return StrCat(d.reversal ? 1 : 0); });
  return out + "}";
}

// The dimension of a role, or -1.
i64 ConvolutionDimensionNumbers::Find(const std::string& side, char role) {
  const size_t at = side.find(role);
  return at == side.npos ? -1 : static_cast<i64>(at);
}

i64 ConvolutionDimensionNumbers::num_spatial() const {
  return std::ranges::count_if(lhs, [](char c) { return c >= '0' && c <= '9'; });
}

PaddingDim* PaddingConfig::add_dimensions() {
  return &emplace_back();
}

// Moves a role to a dimension: '?' marks dimensions that have none yet. The rank is limited,
// because the number comes from callers.
void ConvolutionDimensionNumbers::Place(std::string& side, i64 dim, char role) {
  if (const i64 before = Find(side, role); before >= 0) side[before] = '?';
  constexpr i64 kMaxRank = 16;
  if (dim < 0 || dim >= kMaxRank) return;
  if (dim >= static_cast<i64>(side.size())) side.resize(dim + 1, '?');
  side[dim] = role;
}

// Spatial dimensions are named by digits, so that there are at most ten.
std::vector<i64> ConvolutionDimensionNumbers::Spatial(const std::string& side) {
  std::vector<i64> dims;
  for (char digit = '0'; digit <= '9' && Find(side, digit) >= 0; ++digit) {
    dims.push_back(Find(side, digit));
  }
  return dims;
}

// The next spatial dimension. Roles are single characters, so there are at most ten.
void ConvolutionDimensionNumbers::AddSpatial(std::string& side, i64 dim) {
  const size_t number = Spatial(side).size();
  if (number < 10) Place(side, dim, static_cast<char>('0' + number));
}

// "b01f_01io->b01f": the dimensions of lhs, rhs and output by their roles.
Status AttrTraits<ConvolutionDimensionNumbers>::Parse(Scanner& scanner, const Shape&,
                                                      ConvolutionDimensionNumbers& value) {
  AXLE_ASSIGN(const std::string_view text, scanner.DimLabels());
  const size_t underscore = text.find('_'), arrow = text.find("->");
  value.lhs = text.substr(0, underscore);
  value.rhs = text.substr(underscore + 1, arrow - underscore - 1);
  value.output = text.substr(arrow + 2);
  // Each side has its two letters once and the same spatial numbers 0, 1, ...
  const i64 spatial = value.num_spatial();
  const auto check = [&](const std::string& side, char first, char second) -> Status {
    std::string roles = {first, second};
    for (i64 s = 0; s < spatial; ++s) roles += static_cast<char>('0' + s);
    const i64 unused = std::ranges::count(side, '?');
    for (char role : roles) {
      if (std::ranges::count(side, role) != 1) {
        return scanner.Error(StrCat("\"", side, "\" must name each of \"", roles, "\" once"));
      }
    }
    if (side.size() != roles.size() + unused) {
      return scanner.Error(StrCat("\"", side, "\" must name each of \"", roles, "\" once"));
    }
    return {};
  };
  AXLE_TRY(check(value.lhs, 'b', 'f'));
  AXLE_TRY(check(value.rhs, 'i', 'o'));
  return check(value.output, 'b', 'f');
}

std::string AttrTraits<ConvolutionDimensionNumbers>::Print(
    const ConvolutionDimensionNumbers& value) {
  return StrCat(value.lhs, "_", value.rhs, "->", value.output);
}

// The texts are those of HLO; an unknown one is answered with the list of all.
StatusOr<size_t> ParseEnum(Scanner& scanner, std::string_view what,
                           std::span<const std::string_view> texts, bool ignore_case) {
  AXLE_ASSIGN(const std::string_view text, scanner.Name(StrCat("a ", what)));
  const auto same = [ignore_case](char a, char b) {
    if (!ignore_case) return a == b;
    return std::tolower(static_cast<unsigned char>(a)) ==
           std::tolower(static_cast<unsigned char>(b));
  };
  for (size_t i = 0; i < texts.size(); ++i) {
    if (std::ranges::equal(text, texts[i], same)) return i;
  }
  std::vector<std::string_view> known;
  for (std::string_view known_text : texts) {
    if (!known_text.empty()) known.push_back(known_text);
  }
  return scanner.Error(
      StrCat("unknown ", what, " \"", text, "\"; it is one of: ", Join(known, ", ")));
}

// One precision per operand.
Status AttrTraits<OperandPrecision>::Parse(Scanner& scanner, const Shape& result,
                                           OperandPrecision& value) {
  AXLE_TRY(scanner.List("{", "}", [&]() -> Status {
    return AttrTraits<Precision>::Parse(scanner, result, value.emplace_back());
  }));
  // XLA prints nothing when all are default, so both spellings are one value.
  if (std::ranges::all_of(value, [](Precision p) { return p == Precision::kDefault; })) value = {};
  return {};
}

std::string AttrTraits<OperandPrecision>::Print(const OperandPrecision& value) {
  return StrCat("{", Join(value, ",", AttrTraits<Precision>::Print), "}");
}

// "{0}: (1, {2})": output index, operand number, operand index.
Status AttrTraits<OperandAliasing>::Parse(Scanner& scanner, const Shape& result,
                                          OperandAliasing& value) {
  return scanner.List("{", "}", [&]() -> Status {
    OperandAlias& alias = value.emplace_back();
    AXLE_TRY(AttrTraits<Dims>::Parse(scanner, result, alias.output_index));
    AXLE_TRY(scanner.Expect(":"));
    AXLE_TRY(scanner.Expect("("));
    AXLE_ASSIGN(alias.operand, scanner.Integer());
    AXLE_TRY(scanner.Expect(","));
    AXLE_TRY(AttrTraits<Dims>::Parse(scanner, result, alias.operand_index));
    return scanner.Expect(")");
  });
}

std::string AttrTraits<OperandAliasing>::Print(const OperandAliasing& value) {
  const auto text = [](const OperandAlias& alias) {
    return StrCat("{", Join(alias.output_index, ","), "}: (", alias.operand, ", {",
                  Join(alias.operand_index, ","), "})");
  };
  return StrCat("{", Join(value, ", ", text), "}");
}

// "{{0,1},{1,0}}".
Status AttrTraits<SourceTargetPairs>::Parse(Scanner& scanner, const Shape&,
                                            SourceTargetPairs& value) {
  return scanner.List("{", "}", [&]() -> Status {
    AXLE_TRY(scanner.Expect("{"));
    AXLE_ASSIGN(const i64 source, scanner.Integer());
    AXLE_TRY(scanner.Expect(","));
    AXLE_ASSIGN(const i64 target, scanner.Integer());
    AXLE_TRY(scanner.Expect("}"));
    value.emplace_back(source, target);
    return {};
  });
}

std::string AttrTraits<SourceTargetPairs>::Print(const SourceTargetPairs& value) {
  const auto text = [](const auto& pair) { return StrCat("{", pair.first, ",", pair.second, "}"); };
  return StrCat("{", Join(value, ",", text), "}");
}

Status AttrTraits<DimsList>::Parse(Scanner& scanner, const Shape& result, DimsList& value) {
  return scanner.List("{", "}", [&]() -> Status {
    return AttrTraits<Dims>::Parse(scanner, result, value.emplace_back());
  });
}

std::string AttrTraits<DimsList>::Print(const DimsList& value) {
  return StrCat("{", Join(value, ",", AttrTraits<Dims>::Print), "}");
}

Status AttrTraits<std::string>::Parse(Scanner& scanner, const Shape&, std::string& value) {
  AXLE_ASSIGN(value, scanner.String());
  return {};
}

std::string AttrTraits<std::string>::Print(const std::string& value) {
  return StrCat("\"", CEscape(value), "\"");
}

Status AttrTraits<Literal>::Parse(Scanner& scanner, const Shape& result, Literal& value) {
  AXLE_ASSIGN(value, ParseConstant(scanner, result));
  return {};
}

Status AttrTraits<std::optional<Shape>>::Parse(Scanner& scanner, const Shape&,
                                               std::optional<Shape>& value) {
  AXLE_ASSIGN(value, ParseShape(scanner));
  return {};
}

std::string AttrTraits<std::optional<Shape>>::Print(const std::optional<Shape>& value) {
  return value ? value->ToStringWithLayout() : "";
}

// An empty list differs from no list: with it, all operands are unconstrained.
Status AttrTraits<std::optional<std::vector<Shape>>>::Parse(
    Scanner& scanner, const Shape&, std::optional<std::vector<Shape>>& value) {
  std::vector<Shape>& shapes = value.emplace();
  return scanner.List("{", "}", [&]() -> Status {
    AXLE_ASSIGN(shapes.emplace_back(), ParseShape(scanner));
    return {};
  });
}

std::string AttrTraits<std::optional<std::vector<Shape>>>::Print(
    const std::optional<std::vector<Shape>>& value) {
  if (!value) return "";
  const auto text = [](const Shape& shape) { return shape.ToStringWithLayout(); };
  return StrCat("{", Join(*value, ", ", text), "}");
}

namespace {

// s32[2]{0} {1, 2}, or a tuple ( s32[] 1, f32[] 2 ): each array with its shape.
StatusOr<Literal> ParseLiteralWithShape(Scanner& scanner) {
  if (scanner.Peek("(")) {
    std::vector<Literal> elements;
    AXLE_TRY(scanner.List("(", ")", [&]() -> Status {
      AXLE_ASSIGN(elements.emplace_back(), ParseLiteralWithShape(scanner));
      return {};
    }));
    return Literal::Tuple(std::move(elements));
  }
  AXLE_ASSIGN(const Shape shape, ParseShape(scanner));
  AXLE_ASSIGN(Literal value, ParseLiteral(scanner, shape));
  const bool has_layout = shape.is_array() && shape.layout() != nullptr;
  // Literals are kept row-major; the elements of the text are in the order of the stated layout.
  return has_layout && shape.layout()->tiles.empty() ? value.Relayout(*shape.layout()) : value;
}

std::string LiteralWithShapeText(const Literal& literal) {
  if (literal.shape().is_tuple()) {
    return StrCat("( ", Join(literal.elements(), ", ", LiteralWithShapeText), " )");
  }
  return StrCat(literal.shape().ToStringWithLayout(), " ", literal.ToString());
}

}  // namespace

// A value without its elements, {...}, cannot be checked or used and is an error.
Status AttrTraits<std::optional<Literal>>::Parse(Scanner& scanner, const Shape&,
                                                 std::optional<Literal>& value) {
  AXLE_ASSIGN(value, ParseLiteralWithShape(scanner));
  if (const auto elided = scanner.TakeElided()) {
    return scanner.ErrorAt(*elided, "the elements are left out; this value needs all of them");
  }
  const Status status = CheckShape(value->shape());
  return status.ok() ? status : scanner.Error(status.message());
}

std::string AttrTraits<std::optional<Literal>>::Print(const std::optional<Literal>& value) {
  return value ? LiteralWithShapeText(*value) : "";
}

// The shardings themselves are only carried as text.
Status AttrTraits<DomainSharding>::Parse(Scanner& scanner, const Shape&, DomainSharding& value) {
  constexpr std::string_view kKeys[] = {"kind", "entry", "exit"};
  std::array<bool, std::size(kKeys)> seen = {};
  AXLE_TRY(scanner.List("{", "}", [&]() -> Status {
    const std::string_view key = scanner.AttributeName();
    const size_t i = std::ranges::find(kKeys, key) - std::begin(kKeys);
    if (i == std::size(kKeys)) return scanner.Expected("kind=, entry= or exit=");
    if (seen[i]) return scanner.Error(StrCat("second value for \"", key, "\""));
    seen[i] = true;
    if (key != "kind") {
      AXLE_ASSIGN((key == "entry" ? value.entry : value.exit), scanner.Braces());
      return {};
    }
    AXLE_ASSIGN(const std::string kind, scanner.String());
    if (kind == "sharding") return {};
    return scanner.Error(StrCat("unknown kind of domain \"", kind, "\"; there is: sharding"));
  }));
  for (size_t i = 0; i < seen.size(); ++i) {
    if (!seen[i]) return scanner.Error(StrCat("a domain needs ", kKeys[i], "=..."));
  }
  return {};
}

std::string AttrTraits<DomainSharding>::Print(const DomainSharding& value) {
  return StrCat("{kind=\"sharding\", entry=", value.entry, ", exit=", value.exit, "}");
}

}  // namespace axle
