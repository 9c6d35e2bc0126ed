// The index maps of all ops that move elements stay inside their arrays, whatever the attributes:
// random padding, slices and updates.
#include <gtest/gtest.h>

#include <random>

#include "axle/core/strings.h"
#include "axle/ops/op_def.h"
#include "axle/text/parse.h"

namespace axle {
namespace {

void CheckMap(const std::string& text) {
  const auto module = Parse(text);
  if (!module.ok()) return;  // the random attributes make no legal op
  const Instruction& root = *(*module)->entry()->root();
  std::vector<const Shape*> operands;
  for (i64 i = 0; i < root.num_operands(); ++i) operands.push_back(&root.operand(i)->shape());
  const Status status = VerifyIndexMap(GetOpDef(root).index_map(root), root.shape(), operands);
  EXPECT_TRUE(status.ok()) << status.message() << "\n" << text;
}

TEST(Movement, MapsOfRandomPadsStayInBounds) {
  std::mt19937 random(1);
  const auto number = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  for (int i = 0; i < 2000; ++i) {
    const std::string padding = StrCat(number(-6, 6), "_", number(-6, 6), "_", number(0, 3), "x",
                                       number(-3, 3), "_", number(-3, 3), "_", number(0, 2));
    CheckMap(StrCat("HloModule m ENTRY e { a = s8[", number(0, 5), ",", number(0, 3),
                    "] parameter(0) b = s8[] parameter(1) ROOT r = pad(a, b), padding=", padding,
                    " }"));
  }
}

TEST(Movement, MapsOfRandomSlicesStayInBounds) {
  std::mt19937 random(2);
  const auto number = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  for (int i = 0; i < 1000; ++i) {
    const int n = number(0, 6), m = number(0, 4);
    const std::string a = StrCat("HloModule m ENTRY e { a = s8[", n, ",", m, "] parameter(0) ");
    const std::string index = "i = s32[] parameter(1) j = s32[] parameter(2) ";
    CheckMap(StrCat(a, "ROOT r = slice(a), slice={[", number(0, 3), ":", number(0, 6), ":",
                    number(1, 4), "], [0:", number(0, 4), "]} }"));
    CheckMap(StrCat(a, index, "ROOT r = dynamic-slice(a, i, j), dynamic_slice_sizes={",
                    number(0, 6), ",", number(0, 4), "} }"));
    CheckMap(StrCat(a, index, "u = s8[", number(0, 6), ",", number(0, 4),
                    "] parameter(3) ROOT r = dynamic-update-slice(a, u, i, j) }"));
    CheckMap(StrCat(a, "ROOT r = reverse(a), dimensions={", number(0, 1), "} }"));
    CheckMap(StrCat(a, "ROOT r = transpose(a), dimensions={1,0} }"));
    CheckMap(StrCat(a, "ROOT r = s8[", m, ",2,", n, "] broadcast(a), dimensions={2,0} }"));
    CheckMap(StrCat(a, "ROOT r = concatenate(a, a, a), dimensions={", number(0, 1), "} }"));
  }
}

}  // namespace
}  // namespace axle
