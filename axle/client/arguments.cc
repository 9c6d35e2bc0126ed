#include "axle/client/arguments.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "axle/core/convert.h"
#include "axle/core/strings.h"

namespace axle {
namespace {

// Consumes leaves in order and builds the tuples around them.
Literal Assemble(const Shape& shape, std::vector<Literal>& leaves, size_t& next) {
  if (shape.is_array()) return std::move(leaves[next++]);
  Literal literal(shape.WithoutLayout());  // a token has no value
  for (i64 i = 0; i < shape.num_tuple_elements() && shape.is_tuple(); ++i) {
    literal.mutable_elements()[i] = Assemble(shape.element(i), leaves, next);
  }
  return literal;
}

// splitmix64: it mixes a counter, so that every element is independent of the order of filling.
std::uint64_t Mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

double RandomNumber(ElementType type, std::uint64_t bits) {
  if (type == PRED) return static_cast<double>(bits >> 63);
  if (IsIntegral(type)) {
    const int width = std::min(Info(type).bits, IsSigned(type) ? 4 : 3);
    const auto value = static_cast<double>(bits >> (64 - width));
    return IsSigned(type) ? value - static_cast<double>(1 << (width - 1)) : value;
  }
  return static_cast<double>(bits >> 11) * 0x1p-52 - 1;  // 53 bits in [-1, 1)
}

// Returns the element as one or two doubles (exact for all types but 64-bit integers).
struct Number {
  double re = 0;
  double im = 0;
};
Number ToNumber(ElementType type, const std::byte* element) {
  std::complex<double> value;
  ConvertElements(type, element, C128, &value, 1);
  return {value.real(), value.imag()};
}

bool SamePart(double a, double b) {
  return (a != a && b != b) || a == b;
}

bool IsFinite(double x) {
  return x - x == 0;
}

// Tests |a - b| <= atol + rtol * |b|, with the modulus of a complex number, without intermediate
// overflow.
bool IsClose(Number a, Number b, const Tolerance& tolerance) {
  if (SamePart(a.re, b.re) && SamePart(a.im, b.im)) return true;
  for (double part : {a.re, a.im, b.re, b.im}) {
    if (!IsFinite(part)) return false;
  }
  const auto modulus = [](double re, double im) {
    const double large = std::max(__builtin_fabs(re), __builtin_fabs(im));
    if (large == 0) return 0.0;
    return large * __builtin_sqrt((re / large) * (re / large) + (im / large) * (im / large));
  };
  return modulus(a.re - b.re, a.im - b.im) <= tolerance.atol + tolerance.rtol * modulus(b.re, b.im);
}

bool IsWithinUlp(ElementType type, const std::byte* a, const std::byte* b, std::uint64_t ulp) {
  const int parts = IsComplex(type) ? 2 : 1;
  const int bytes = Info(type).bytes / parts;
  for (int part = 0; part < parts; ++part) {
    std::uint64_t x = 0, y = 0;
    std::memcpy(&x, a + part * bytes, bytes);
    std::memcpy(&y, b + part * bytes, bytes);
    if (UlpDistance(Info(type).format, x, y) > ulp) return false;
  }
  return true;
}

}  // namespace

std::vector<Shape> ArgumentLeaves(const HloComputation& entry) {
  std::vector<Shape> leaves;
  for (const Instruction* parameter : entry.parameters()) {
    ForEachLeaf(parameter->shape(), [&](const Shape& leaf, const Dims&) {
      if (leaf.is_array()) leaves.push_back(leaf.WithoutLayout());
    });
  }
  return leaves;
}

std::vector<Literal> ArgumentsFromLeaves(const HloComputation& entry, std::vector<Literal> leaves) {
  std::vector<Literal> arguments;
  size_t next = 0;
  for (const Instruction* parameter : entry.parameters()) {
    arguments.push_back(Assemble(parameter->shape(), leaves, next));
  }
  return arguments;
}

StatusOr<std::vector<Literal>> ArgumentsFromNpz(const HloComputation& entry, const Npz& npz) {
  std::vector<Literal> leaves;
  for (const Shape& shape : ArgumentLeaves(entry)) {
    AXLE_ASSIGN(auto leaf, MemberLiteral(npz, StrCat("in_", leaves.size()), shape));
    leaves.push_back(std::move(leaf));
  }
  return ArgumentsFromLeaves(entry, std::move(leaves));
}

StatusOr<Literal> FakeLiteral(const Shape& shape, std::string_view kind, i64 leaf, Limits* limits,
                              const std::function<void(double done)>& progress) {
  std::uint64_t seed = 0;
  const bool seeded = kind.starts_with("random:");
  if (seeded) {
    const std::string_view text = kind.substr(7);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
    if (error != std::errc() || end != text.data() + text.size()) {
      return InvalidArgument(StrCat("fake: \"", text, "\" is not a seed"));
    }
  }
  AXLE_ASSIGN(Literal literal, Literal::Create(shape.WithoutLayout()));
  if (kind == "zeros") return literal;
  const bool random = seeded || kind == "random";
  if (!random && kind != "iota") {
    constexpr std::string_view kKinds[] = {"random", "iota", "zeros"};
    return InvalidArgument(StrCat("fake: unknown kind of values \"", PrintableText(kind), "\"",
                                  DidYouMean(kind, kKinds),
                                  "; there are random, random:SEED, iota and zeros"));
  }
  // Numbers are made as doubles, a block at a time, and converted; complex numbers have two.
  const ElementType type = shape.type();
  const std::uint64_t start = Mix(seed * 1000003 + static_cast<std::uint64_t>(leaf));
  const bool is_complex = IsComplex(type);
  constexpr i64 kBlock = 512, kBlocksBetween = 1 << 10;
  double numbers[2 * kBlock];
  i64 counts[kBlock];
  for (i64 begin = 0; begin < literal.num_elements(); begin += kBlock) {
    if (limits != nullptr) AXLE_TRY(limits->Check());
    if (progress && begin % (kBlocksBetween * kBlock) == 0) {
      progress(static_cast<double>(begin) / static_cast<double>(literal.num_elements()));
    }
    const i64 n = std::min(kBlock, literal.num_elements() - begin);
    std::byte* to = literal.mutable_bytes() + begin * Info(type).bytes;
    if (random) {
      for (i64 i = 0; i < (is_complex ? 2 * n : n); ++i) {
        const i64 counter = is_complex ? 2 * begin + i : 2 * (begin + i);
        numbers[i] = RandomNumber(type, Mix(start + static_cast<std::uint64_t>(counter)));
      }
      ConvertElements(is_complex ? C128 : F64, numbers, type, to, n);
    } else {
      for (i64 i = 0; i < n; ++i) counts[i] = begin + i;
      ConvertElements(S64, counts, type, to, n);
    }
  }
  return literal;
}

std::vector<std::pair<std::string, Literal>> NamedLeaves(const Literal& value,
                                                         std::string_view prefix) {
  std::vector<std::pair<std::string, Literal>> leaves;
  ForEachLeaf(value.shape(), [&](const Shape& shape, const Dims& path) {
    if (shape.is_array()) leaves.emplace_back(StrCat(prefix, leaves.size()), value.at(path));
  });
  return leaves;
}

std::optional<LiteralDifference> FirstDifference(const Literal& a, const Literal& b,
                                                 const Tolerance& tolerance) {
  const ElementType type = a.shape().type();
  const bool is_float = IsFloating(type) || IsComplex(type);
  if (tolerance.exact() || !is_float || !SameDims(a.shape(), b.shape()) ||
      a.shape().type() != b.shape().type() || a.sizes() != b.sizes()) {
    return FirstDifference(a, b);
  }
  if (a.is_padded()) return FirstDifference(a.ValidPart(), b.ValidPart(), tolerance);
  Literal passed = b.ToRowMajor();
  const Literal x = a.ToRowMajor();
  const i64 bytes = Info(type).bytes;
  // Elements that pass are made equal, so that the rest is described like an exact difference.
  std::byte* to = passed.mutable_bytes();
  for (i64 i = 0; i < x.num_elements(); ++i) {
    const std::byte* p = x.bytes() + i * bytes;
    std::byte* q = to + i * bytes;
    if (IsClose(ToNumber(type, p), ToNumber(type, q), tolerance) ||
        (tolerance.ulp > 0 && IsWithinUlp(type, p, q, tolerance.ulp))) {
      std::memcpy(q, p, bytes);
    }
  }
  return FirstDifference(x, passed);
}

}  // namespace axle
