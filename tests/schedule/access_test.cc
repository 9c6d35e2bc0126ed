// Accesses against index maps evaluated on arrays that hold their own positions.
#include "axle/codegen/schedule/access.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <random>

#include "axle/core/strings.h"
#include "axle/ops/op_def.h"
#include "axle/text/parse.h"

namespace axle {
namespace {

// The element that position k reads, straight from the factors.
i64 ElementAt(const Access& access, i64 k) {
  i64 element = access.offset;
  for (size_t f = access.factors.size(); f-- > 0;) {
    element += k % access.factors[f].size * access.factors[f].stride;
    k /= access.factors[f].size;
  }
  EXPECT_EQ(k, 0) << "the factors have too few positions";
  return element;
}

std::vector<i64> Elements(const Access& access, i64 n) {
  std::vector<i64> elements;
  for (i64 k = 0; k < n; ++k) elements.push_back(ElementAt(access, k));
  return elements;
}

Literal Iota(const Shape& shape) {
  Literal literal{shape};
  std::int32_t next = 0;
  for (std::int32_t& element : literal.mutable_data<std::int32_t>()) element = next++;
  return literal;
}

std::vector<i64> Values(const Literal& literal) {
  const auto values = literal.data<std::int32_t>();
  return {values.begin(), values.end()};
}

void ExpectOneForm(const Access& access) {
  for (size_t f = 0; f < access.factors.size(); ++f) {
    const AccessFactor& factor = access.factors[f];
    EXPECT_NE(factor.size, 1);
    if (f > 0) {
      EXPECT_NE(access.factors[f - 1].stride, factor.size * factor.stride);
    }
  }
}

std::string DimsText(const Dims& dims) {
  return StrCat("s32[", Join(dims, ","), "]");
}

// A module of `length` instructions that only move, each on the one before.
std::string RandomChain(std::mt19937_64& random, int length) {
  const auto below = [&](i64 n) { return static_cast<i64>(random() % static_cast<size_t>(n)); };
  Dims dims;
  for (i64 d = below(4); d >= 0; --d) dims.push_back(1 + below(4));
  std::string text = StrCat("ENTRY e {\n  v0 = ", DimsText(dims), " parameter(0)\n");
  for (int i = 1; i <= length; ++i) {
    std::string op, attributes;
    const auto rank = static_cast<i64>(dims.size());
    switch (below(5)) {
      case 0: {  // a broadcast with one or two more dimensions, anywhere
        Dims result, at;
        for (i64 d = 0; d <= rank; ++d) {
          while (static_cast<i64>(result.size()) < 5 && below(4) == 0)
            result.push_back(1 + below(3));
          if (d == rank) break;
          at.push_back(static_cast<i64>(result.size()));
          result.push_back(dims[d]);
        }
        dims = result;
        op = "broadcast";
        attributes = StrCat(", dimensions={", Join(at, ","), "}");
        break;
      }
      case 1: {  // split a dimension, or make one of two
        Dims result = dims;
        if (rank > 1 && below(2) == 0) {
          const i64 d = below(rank - 1);
          result[d] *= result[d + 1];
          result.erase(result.begin() + d + 1);
        } else if (rank > 0) {
          const i64 d = below(rank);
          for (i64 part = 2; part <= result[d]; ++part) {
            if (result[d] % part != 0) continue;
            result[d] /= part;
            result.insert(result.begin() + d, part);
            break;
          }
        }
        dims = result;
        op = "reshape";
        break;
      }
      case 2: {
        std::vector<std::string> bounds;
        for (i64& dim : dims) {
          const i64 begin = below(dim), step = 1 + below(3), end = begin + 1 + below(dim - begin);
          bounds.push_back(StrCat("[", begin, ":", end, ":", step, "]"));
          dim = (end - begin + step - 1) / step;
        }
        op = "slice";
        attributes = StrCat(", slice={", Join(bounds, ","), "}");
        break;
      }
      case 3: {
        Dims at;
        for (i64 d = 0; d < rank; ++d) {
          if (below(2) == 0) at.push_back(d);
        }
        op = "reverse";
        attributes = StrCat(", dimensions={", Join(at, ","), "}");
        break;
      }
      default: {
        Dims at(rank), result;
        for (i64 d = 0; d < rank; ++d) at[d] = d;
        std::ranges::shuffle(at, random);
        for (const i64 d : at) result.push_back(dims[d]);
        dims = result;
        op = "transpose";
        attributes = StrCat(", dimensions={", Join(at, ","), "}");
      }
    }
    StrAppend(text, i == length ? "  ROOT v" : "  v", i, " = ", DimsText(dims), " ", op, "(v",
              i - 1, ")", attributes, "\n");
  }
  return text + "}\n";
}

// The accesses of a random chain; what cannot be composed begins a new array.
std::vector<std::pair<Access, i64>> RandomAccesses(std::mt19937_64& random, int* composed,
                                                   int* refused) {
  const std::string text = RandomChain(random, 5);
  const auto module = Parse(text);
  EXPECT_TRUE(module.ok()) << module.status().ToString() << text;
  if (!module.ok()) return {};
  std::vector<std::pair<Access, i64>> accesses;
  Literal value;
  Access access;
  for (const Instruction* inst : (*module)->entry()->instructions()) {
    const i64 n = inst->shape().num_elements();
    if (inst->num_operands() == 0) {
      value = Iota(inst->shape());
      access = Access::Whole(n);
      continue;
    }
    const IndexMap map = GetOpDef(*inst).index_map(*inst);
    const auto next = Compose(map, inst->shape().dims(), inst->operand(0)->shape().dims(), access);
    if (!next) {
      // An access to all of an array is no obstacle to anything.
      EXPECT_FALSE(access.IsWhole()) << text;
      ++*refused;
      value = Iota(inst->shape());
      access = Access::Whole(n);
      continue;
    }
    ++*composed;
    auto moved = EvaluateIndexMap(map, inst->shape(), {&value, 1});
    EXPECT_TRUE(moved.ok());
    value = *std::move(moved);
    access = *next;
    EXPECT_EQ(Elements(access, n), Values(value)) << text << inst->name();
    ExpectOneForm(access);
    accesses.emplace_back(access, n);
  }
  return accesses;
}

TEST(Access, ChainsReadWhatTheirMapsMove) {
  std::mt19937_64 random(1);
  int composed = 0, refused = 0;
  for (int i = 0; i < 2000; ++i) RandomAccesses(random, &composed, &refused);
  // Almost everything is read in place.
  EXPECT_GT(composed, 9000);
  EXPECT_GT(refused, 10);
}

TEST(Access, EqualReadsAreEqualAsData) {
  std::mt19937_64 random(2);
  int composed = 0, refused = 0;
  std::map<std::vector<i64>, Access> seen;
  for (int i = 0; i < 1000; ++i) {
    for (const auto& [access, n] : RandomAccesses(random, &composed, &refused)) {
      const auto [it, is_new] = seen.try_emplace(Elements(access, n), access);
      EXPECT_EQ(it->second, access);
    }
  }
}

TEST(Access, WholeAndUniform) {
  for (const i64 n : {1, 2, 12}) {
    EXPECT_TRUE(Access::Whole(n).IsWhole());
    EXPECT_TRUE(Access::Uniform(n).IsUniform());
    EXPECT_EQ(Access::Whole(n).IsUniform(), n == 1);
    EXPECT_EQ(Access::Uniform(n).IsWhole(), n == 1);
  }
  EXPECT_FALSE((Access{3, {{4, 1}}}.IsWhole()));
  EXPECT_TRUE((Access{3, {{4, 0}}}.IsUniform()));
  EXPECT_FALSE((Access{0, {{4, 0}, {3, 1}}}.IsWhole()));
  EXPECT_EQ((Access{0, {{4, 0}, {3, 1}}}.inner_stride()), 1);
}

TEST(Access, WhatHasNoFactorsIsRefused) {
  // Two pieces, and a piece that a run-time number moves.
  const Shape shape(S32, {4});
  const Dims dims = {0};
  const IndexPiece piece = WholeResult(shape, 0, 1, dims);
  const Access whole = Access::Whole(4);
  EXPECT_TRUE(Compose({piece}, {4}, {4}, whole).has_value());
  EXPECT_FALSE(Compose({piece, piece}, {4}, {4}, whole).has_value());
  EXPECT_FALSE(Compose({}, {4}, {4}, whole).has_value());
  IndexPiece moved = piece;
  moved.offsets.emplace_back();
  EXPECT_FALSE(Compose({moved}, {4}, {4}, whole).has_value());
  // A piece of a part of the result: a pad.
  IndexPiece part = piece;
  part.dims[0].count = 3;
  EXPECT_FALSE(Compose({part}, {4}, {4}, whole).has_value());
  // A slice that takes 5 elements across the rows of a turned [3,4].
  const Access turned = {0, {{4, 1}, {3, 4}}};
  IndexPiece five = WholeResult(Shape(S32, {5}), 0, 1, dims);
  EXPECT_FALSE(Compose({five}, {5}, {12}, turned).has_value());
}

// All ways to write n as a product of numbers above 1.
void ForEachFactorization(i64 n, Dims& sizes, const std::function<void()>& f) {
  if (n == 1) return f();
  for (i64 size = 2; size <= n; ++size) {
    if (n % size != 0) continue;
    sizes.push_back(size);
    ForEachFactorization(n / size, sizes, f);
    sizes.pop_back();
  }
}

// Whether one stride per size gives these elements.
bool HasStrides(const std::vector<i64>& elements, const Dims& sizes) {
  Dims strides(sizes.size());
  i64 step = 1;
  for (size_t d = sizes.size(); d-- > 0; step *= sizes[d]) {
    strides[d] = elements[step] - elements[0];
  }
  for (i64 k = 0; k < static_cast<i64>(elements.size()); ++k) {
    i64 element = elements[0], rest = k;
    for (size_t d = sizes.size(); d-- > 0; rest /= sizes[d])
      element += rest % sizes[d] * strides[d];
    if (element != elements[k]) return false;
  }
  return true;
}

TEST(Access, CommonSizesAreTheFewestThereAre) {
  std::mt19937_64 random(3);
  int composed = 0, refused = 0, found = 0, impossible = 0;
  std::map<i64, std::vector<Access>> by_positions;
  for (int i = 0; i < 2000; ++i) {
    for (const auto& [access, n] : RandomAccesses(random, &composed, &refused)) {
      if (n <= 48) by_positions[n].push_back(access);
    }
  }
  for (const auto& [n, accesses] : by_positions) {
    for (int trial = 0; trial < 60; ++trial) {
      std::vector<const Access*> chosen;
      std::vector<std::vector<i64>> elements;
      for (size_t k = 0; k < 1 + random() % 3; ++k) {
        chosen.push_back(&accesses[random() % accesses.size()]);
        elements.push_back(Elements(*chosen.back(), n));
      }
      size_t fewest = SIZE_MAX;
      Dims sizes;
      ForEachFactorization(n, sizes, [&] {
        const bool fits = std::ranges::all_of(
            elements, [&](const auto& reads) { return HasStrides(reads, sizes); });
        if (fits) fewest = std::min(fewest, sizes.size());
      });
      const auto common = CommonSizes(chosen, n);
      ASSERT_EQ(common.has_value(), fewest != SIZE_MAX) << n;
      ++(common ? found : impossible);
      if (!common) continue;
      EXPECT_EQ(common->size(), fewest) << n;
      for (size_t k = 0; k < chosen.size(); ++k) {
        const Dims strides = StridesOn(*chosen[k], *common);
        for (i64 position = 0; position < n; ++position) {
          i64 element = chosen[k]->offset, rest = position;
          for (size_t d = strides.size(); d-- > 0; rest /= (*common)[d]) {
            element += rest % (*common)[d] * strides[d];
          }
          ASSERT_EQ(element, elements[k][position]);
        }
      }
    }
  }
  EXPECT_GT(found, 500);
  EXPECT_GT(impossible, 5);
}

}  // namespace
}  // namespace axle
