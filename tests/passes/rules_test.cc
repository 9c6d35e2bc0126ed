// Every rewrite rule keeps every bit: its sample is run as it is and after the rule alone, on
// random and special values; and the sample with other element types, after all rules.
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <set>

#include "axle/core/float_format.h"
#include "axle/core/strings.h"
#include "axle/eval/evaluate.h"
#include "axle/passes/simplify/simplify.h"
#include "axle/text/parse.h"
#include "axle/text/print.h"

namespace axle {
namespace {

constexpr int kTrials = 12;

std::uint64_t SpecialFloat(const FloatFormat& format, std::mt19937_64& random) {
  const std::uint64_t one = static_cast<std::uint64_t>(format.bias) << format.mantissa_bits;
  const std::uint64_t quiet =
      format.nan == NanEncoding::kIeee
          ? InfinityBits(format) | (random() & LowBits(format.mantissa_bits))
          : NanBits(format);
  const std::uint64_t magnitudes[] = {
      0,     1,       LowBits(format.mantissa_bits), std::uint64_t{1} << format.mantissa_bits,
      one,   one + 1, FirstNonFinite(format) - 1,    FirstNonFinite(format),
      quiet, random()};
  const std::uint64_t sign = (random() & 1) != 0 ? SignBit(format) : 0;
  return (magnitudes[random() % std::size(magnitudes)] & MagnitudeMask(format)) | sign;
}

std::uint64_t SpecialElement(ElementType type, std::mt19937_64& random) {
  const ElementTypeInfo& info = Info(type);
  if (type == PRED) return random() & 1;
  if (IsFloating(type)) return SpecialFloat(info.format, random);
  const std::uint64_t values[] = {0,
                                  1,
                                  ~std::uint64_t{0},
                                  LowBits(info.bits - 1),
                                  random(),
                                  random(),
                                  std::uint64_t{1} << (info.bits - 1)};
  const std::uint64_t bits = values[random() % std::size(values)] & LowBits(info.bits);
  const int unused = 64 - info.bits;
  return IsSigned(type) ? static_cast<std::uint64_t>(static_cast<i64>(bits << unused) >> unused)
                        : bits;
}

Literal SpecialValues(const Shape& shape, std::mt19937_64& random) {
  if (shape.is_tuple()) {
    std::vector<Literal> elements;
    for (const Shape& element : shape.elements()) {
      elements.push_back(SpecialValues(element, random));
    }
    return Literal::Tuple(std::move(elements));
  }
  Literal literal(shape);
  const ElementType part = PartOf(shape.type());
  const auto size = static_cast<size_t>(Info(part).bytes);
  std::byte* to = literal.mutable_bytes();
  for (const std::byte* end = to + literal.num_bytes(); to < end; to += size) {
    const std::uint64_t bits = SpecialElement(part, random);
    std::memcpy(to, &bits, size);
  }
  return literal;
}

std::string ModuleOf(const Rule& rule) {
  return StrCat("HloModule sample\n", rule.helpers, "ENTRY e {\n", rule.sample, "\n}\n");
}

void ExpectSameBits(const Module& before, const Module& after, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<Literal> arguments;
    for (const Instruction* parameter : before.entry()->parameters()) {
      arguments.push_back(SpecialValues(parameter->shape(), random));
    }
    const auto expected = Evaluate(before, arguments);
    ASSERT_TRUE(expected.ok()) << expected.status().ToString() << "\n" << Print(before);
    const auto actual = Evaluate(after, arguments);
    ASSERT_TRUE(actual.ok()) << actual.status().ToString() << "\n" << Print(after);
    std::string text;
    for (const Literal& argument : arguments) text += argument.ToStringWithShape() + "\n";
    ASSERT_TRUE(SameValue(*expected, *actual))
        << "seed " << seed << "\n"
        << Print(before) << "\n"
        << Print(after) << "\non\n"
        << text << "before: " << expected->ToString() << "\nafter: " << actual->ToString();
  }
}

class Rules : public testing::TestWithParam<const Rule*> {};

TEST_P(Rules, FiresOnItsSampleAndKeepsBits) {
  const Rule& rule = *GetParam();
  const auto module = Parse(ModuleOf(rule));
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  ASSERT_TRUE(VerifyModule(**module).ok());
  PassContext context;
  const auto after = ApplyRules(**module, {&GetParam(), 1}, context);
  ASSERT_TRUE(after.ok()) << after.status().ToString();
  EXPECT_GE(context.changes, 1) << "does not fire:\n" << Print(**module);
  const Status verified = VerifyModule(**after);
  ASSERT_TRUE(verified.ok()) << verified.ToString() << "\n" << Print(**after);
  EXPECT_NE(StructuralHash(*(*after)->entry()), StructuralHash(*(*module)->entry()));
  ExpectSameBits(**module, **after, 1);
}

// What a rule says of one type may be wrong of another one.
TEST_P(Rules, KeepBitsOfOtherTypes) {
  const std::string text = ModuleOf(*GetParam());
  std::set<std::string> types_there;
  for (const ElementTypeInfo& info : kElementTypes) {
    if (text.find(StrCat(" ", info.text, "[")) != std::string::npos) {
      types_there.insert(std::string(info.text));
    }
  }
  for (const std::string& type : types_there) {
    for (const ElementTypeInfo& info : kElementTypes) {
      if (!IsArrayType(info.type)) continue;
      std::string other = text;
      const std::string pattern = StrCat(type, "[");
      for (size_t at = 0; (at = other.find(pattern, at)) != std::string::npos;) {
        const bool is_word = at == 0 || !(IsDigit(other[at - 1]) || other[at - 1] == 'b');
        if (is_word) other.replace(at, type.size(), info.text);
        at += info.text.size() + 1;
      }
      const auto module = Parse(other);
      if (!module.ok() || !CheckRuns(**module).ok()) continue;  // not for this type
      SCOPED_TRACE(StrCat(type, " -> ", info.text));
      PassContext context;
      const auto after = Simplify(**module, context);
      ASSERT_TRUE(after.ok()) << after.status().ToString();
      const Status verified = VerifyModule(**after);
      ASSERT_TRUE(verified.ok()) << verified.ToString() << "\n" << Print(**after);
      ExpectSameBits(**module, **after, 2);
    }
  }
}

// Which conversions may be left out depends on three types.
TEST(Conversions, OfConversions) {
  constexpr ElementType kTypes[] = {PRED, S4,  U4,   S8,  U8,  S16, U16,    S32,       S64,
                                    U64,  F16, BF16, F32, F64, C64, F8E5M2, F8E8M0FNU, F6E2M3FN};
  int count = 0;
  for (const ElementType from : kTypes) {
    for (const ElementType through : kTypes) {
      for (const ElementType to : kTypes) {
        const auto module =
            Parse(StrCat("ENTRY e { x = ", Name(from), "[64] parameter(0)  y = ", Name(through),
                         "[64] convert(x)  ROOT r = ", Name(to), "[64] convert(y) }"));
        ASSERT_TRUE(module.ok()) << module.status().ToString();
        PassContext context;
        const auto after = Simplify(**module, context);
        ASSERT_TRUE(after.ok()) << after.status().ToString();
        if (context.changes == 0) continue;
        ++count;
        ExpectSameBits(**module, **after, 3);
        if (HasFatalFailure()) return;
      }
    }
  }
  EXPECT_GE(count, 1000);
}

// Any types and orders in memory, sizes 0 and 1, scalars.
TEST(Bitcasts, OfTypesAndLayouts) {
  constexpr std::pair<const char*, const char*> kShapes[] = {
      {"[4,6]{1,0}", "[6,4]{1,0}"},
      {"[4,6]{0,1}", "[6,4]{1,0}"},
      {"[4,6]{0,1}", "[2,3,4]{0,2,1}"},
      {"[24]", "[4,1,6]{1,0,2}"},
      {"[4,6]{0,1}", "[12]"},
      {"[4,6]{1,0}", "[48]"},
      {"[2,3,4]{0,2,1}", "[6,8]{0,1}"},
      {"[0,4]{0,1}", "[8,0]{0,1}"},
      {"[1,4]{0,1}", "[2]"},
      {"[]", "[]"},
      {"[]", "[2]"},
      {"[2]", "[]"},
  };
  constexpr const char* kTypes[] = {"pred", "s4",  "u8",  "s16", "u32", "s64",
                                    "bf16", "f32", "f64", "c64", "c128"};
  int count = 0;
  for (const auto& [from_dims, to_dims] : kShapes) {
    for (const char* from : kTypes) {
      for (const char* to : kTypes) {
        const auto module = Parse(StrCat("ENTRY e { x = ", from, from_dims,
                                         " parameter(0)  ROOT r = ", to, to_dims, " bitcast(x) }"));
        if (!module.ok() || !CheckRuns(**module).ok()) continue;  // of other bytes
        PassContext context;
        const auto after = Simplify(**module, context);
        ASSERT_TRUE(after.ok()) << after.status().ToString();
        const bool is_left = std::ranges::any_of((*after)->entry()->instructions(), [](auto* inst) {
          return Is(*inst, Opcode::kBitcast);
        });
        const auto is_complex = [](std::string_view type) { return type[0] == 'c'; };
        EXPECT_EQ(is_left, is_complex(from) != is_complex(to)) << Print(**module);
        const Status verified = VerifyModule(**after);
        ASSERT_TRUE(verified.ok()) << verified.ToString() << "\n" << Print(**after);
        ++count;
        ExpectSameBits(**module, **after, 4);
        if (HasFatalFailure()) return;
      }
    }
  }
  EXPECT_GE(count, 100);
}

std::string TestName(const testing::TestParamInfo<const Rule*>& info) {
  std::string name(info.param->name);
  std::ranges::replace(name, '-', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(All, Rules, testing::ValuesIn(AllRules()), TestName);

TEST(RuleTable, SaysEverythingOnce) {
  std::set<std::string_view> names;
  for (const Rule* rule : AllRules()) {
    EXPECT_TRUE(names.insert(rule->name).second) << rule->name;
    EXPECT_FALSE(rule->algebra.empty()) << rule->name;
    EXPECT_FALSE(rule->why.empty()) << rule->name;
    EXPECT_FALSE(rule->sample.empty()) << rule->name;
    EXPECT_NE(rule->rewrite, nullptr) << rule->name;
  }
  EXPECT_GE(names.size(), 40u);
}

}  // namespace
}  // namespace axle
