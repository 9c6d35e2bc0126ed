// Reads, prints and checks the sparsity attributes of dot and convolution. Programs with them do
// not run: CheckRuns answers UNIMPLEMENTED.
//
// Two generations of the attribute exist: sparsity_config in braces, and the older sparsity with
// entries joined by underscores. Tables of fields drive text and proto of the first; the second has
// code of its own.

#include "axle/ops/sparsity.h"

#include <algorithm>

#include "axle/core/strings.h"
#include "axle/core/wire.h"

namespace axle {

// More than two operands are the indices of sparse ones, and only an instruction with the attribute
// may have them.
Status CheckSparseOperands(const Instruction& inst, bool is_sparse) {
  if (is_sparse || inst.num_operands() <= 2) return {};
  return OpError(inst, StrCat("has ", inst.num_operands(),
                              " operands but takes (lhs, rhs); more are the indices of sparse "
                              "operands, which need sparsity_config"));
}

// The error says what to do instead, since the program is valid HLO and cannot be run here.
Status CheckNothingIsSparse(const Instruction& inst, bool is_sparse) {
  if (!is_sparse) return {};
  return OpError(inst,
                 "sparse operands do not run; give the dense array, with zeros for the elements "
                 "that are not stored, and no sparsity",
                 StatusCode::kUnimplemented);
}

namespace {

// One row per operand that may be sparse: its key in the text and its field in the proto.
struct Side {
  std::string_view text;
  int field;
  std::optional<TensorSparsityConfig> SparsityConfig::*member;
};
constexpr Side kSides[] = {{"lhs", 1, &SparsityConfig::lhs}, {"rhs", 2, &SparsityConfig::rhs}};

// One row per integer of a side. The first two have no key of their own, since the text joins them
// as sparsity=2x4.
struct Number {
  std::string_view text;  // "": together with others
  int field;
  i64 TensorSparsityConfig::*member;
};
constexpr Number kNumbers[] = {
    {"", 1, &TensorSparsityConfig::num_non_zero},
    {"", 2, &TensorSparsityConfig::block_size},
    {"dimension", 3, &TensorSparsityConfig::dimension},
    {"stride", 4, &TensorSparsityConfig::stride},
    {"idx", 5, &TensorSparsityConfig::idx},
};

// Each key occurs at most once; the values are integers or a pair joined by x.
Status ParseSide(Scanner& scanner, TensorSparsityConfig& value) {
  std::vector<std::string_view> seen;
  return scanner.List("{", "}", [&]() -> Status {
    const std::string_view key = scanner.AttributeName();
    if (std::ranges::find(seen, key) != seen.end()) {
      return scanner.Error(StrCat("second value for \"", key, "\""));
    }
    seen.push_back(key);
    if (key == "sparsity") {
      AXLE_ASSIGN(const std::vector<i64> sizes, scanner.JoinedSizes());
      if (sizes.size() != 2) return scanner.Error("sparsity is two sizes, as in 2x4");
      value.num_non_zero = sizes[0];
      value.block_size = sizes[1];
      return {};
    }
    const auto known = std::ranges::find(kNumbers, key, &Number::text);
    if (key.empty() || known == std::end(kNumbers)) {
      return scanner.Error("expected one of: sparsity, dimension, stride, idx, each with '='");
    }
    AXLE_ASSIGN(value.*known->member, scanner.Integer());
    return {};
  });
}

}  // namespace

Status AttrTraits<SparsityConfig>::Parse(Scanner& scanner, const Shape&, SparsityConfig& value) {
  return scanner.List("{", "}", [&]() -> Status {
    const std::string_view key = scanner.AttributeName();
    const auto side = std::ranges::find(kSides, key, &Side::text);
    if (side == std::end(kSides)) return scanner.Error("expected lhs= or rhs=");
    if (value.*side->member) return scanner.Error(StrCat("second value for \"", key, "\""));
    return ParseSide(scanner, (value.*side->member).emplace());
  });
}

std::string AttrTraits<SparsityConfig>::Print(const SparsityConfig& value) {
  std::string out = "{";
  for (const Side& side : kSides) {
    if (!(value.*side.member)) continue;
    const TensorSparsityConfig& part = *(value.*side.member);
    StrAppend(out, out.size() > 1 ? " " : "", side.text, "={sparsity=", part.num_non_zero, "x",
              part.block_size, " dimension=", part.dimension, " stride=", part.stride);
    if (part.idx != 0) StrAppend(out, " idx=", part.idx);  // 0 is no operand of indices
    out += '}';
  }
  return out + "}";
}

void AttrTraits<SparsityConfig>::Write(const SparsityConfig& value, int field, WireWriter& out) {
  WireWriter message;
  for (const Side& side : kSides) {
    if (!(value.*side.member)) continue;
    WireWriter part;
    for (const Number& number : kNumbers) {
      part.Int(number.field, *(value.*side.member).*number.member);
    }
    message.Message(side.field, part);
  }
  out.Message(field, message);
}

Status AttrTraits<SparsityConfig>::Read(const WireReader& in, SparsityConfig& value) {
  return ReadMessage(in, [&](const WireReader& field) -> Status {
    const auto side = std::ranges::find(kSides, field.field(), &Side::field);
    if (side == std::end(kSides)) return {};
    TensorSparsityConfig& part = (value.*side->member).emplace();
    return ReadMessage(field, [&](const WireReader& inner) -> Status {
      const auto number = std::ranges::find(kNumbers, inner.field(), &Number::field);
      if (number == std::end(kNumbers)) return {};
      AXLE_ASSIGN(part.*number->member, inner.Int());
      return {};
    });
  });
}

// Entries are joined by '_', as XLA prints them: L.1@2:4 is operand lhs, dimension 1, 2 of 4
// elements.
Status AttrTraits<SparsityDescriptors>::Parse(Scanner& scanner, const Shape&,
                                              SparsityDescriptors& value) {
  const auto number = [&](std::string_view& text, std::string_view end, i64& to) {
    size_t size = 0;
    to = 0;
    while (size < text.size() && text[size] >= '0' && text[size] <= '9' && to < 1000000000) {
      to = to * 10 + (text[size++] - '0');
    }
    const bool fits = size > 0 && text.substr(size).starts_with(end);
    if (fits) text.remove_prefix(size + end.size());
    return fits;
  };
  scanner.PeekChar();
  std::string_view text = scanner.SkipValue();
  while (!text.empty()) {
    SparsityDescriptor& part = value.emplace_back();
    const char side = text[0];
    text.remove_prefix(1);
    part.index = side == 'R' ? 1 : 0;
    const bool fits = (side == 'L' || side == 'R') && text.starts_with(".");
    if (fits) text.remove_prefix(1);
    if (!fits || !number(text, "@", part.dimension) || !number(text, ":", part.n) ||
        !number(text, "", part.m)) {
      break;
    }
    if (text.empty()) return {};
    if (!text.starts_with("_")) break;
    text.remove_prefix(1);
  }
  return scanner.Error("expected sparsity as in L.1@2:4 or L.1@2:4_R.0@2:4");
}

std::string AttrTraits<SparsityDescriptors>::Print(const SparsityDescriptors& value) {
  return Join(value, "_", [](const SparsityDescriptor& part) {
    return StrCat(part.index == 0 ? "L." : "R.", part.dimension, "@", part.n, ":", part.m);
  });
}

// The field is repeated; each descriptor is a message.
void AttrTraits<SparsityDescriptors>::Write(const SparsityDescriptors& value, int field,
                                            WireWriter& out) {
  for (const SparsityDescriptor& part : value) {
    WireWriter message;
    message.Int(1, 1);  // n of m elements, the only type
    message.Int(2, part.index);
    message.Int(3, part.dimension);
    message.Int(4, part.n);
    message.Int(5, part.m);
    out.Message(field, message);
  }
}

// Field 1 is the type, of which there is one.
Status AttrTraits<SparsityDescriptors>::Read(const WireReader& in, SparsityDescriptors& value) {
  SparsityDescriptor& part = value.emplace_back();
  i64 type = 0;
  i64* const numbers[] = {&type, &part.index, &part.dimension, &part.n, &part.m};
  AXLE_TRY(ReadMessage(in, [&](const WireReader& field) -> Status {
    const auto i = static_cast<size_t>(field.field());
    if (i < 1 || i > std::size(numbers)) return {};
    AXLE_ASSIGN(*numbers[i - 1], field.Int());
    return {};
  }));
  if (type != 1) return in.Error(StrCat("there is no type of sparsity ", type));
  if (part.index == 0 || part.index == 1) return {};
  return in.Error(StrCat("operand ", part.index, " cannot be sparse, only 0 and 1"));
}

}  // namespace axle
