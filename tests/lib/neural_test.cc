// Layers of neural networks.
#include "axle/lib/neural.h"

#include "tests/lib/lib_test.h"

namespace axle {
namespace {

using Ops = std::vector<XlaOp>;

TEST(Neural, Relu) {
  const auto relu = [](XlaBuilder&, Ops p) { return Relu(p[0]); };
  EXPECT_EQ(Result(relu, {"f32[4] {-1, 2, nan, -inf}"}), "f32[4] {0, 2, nan, 0}");
  EXPECT_EQ(Result(relu, {"s8[2] {-1, 2}"}), "s8[2] {0, 2}");
  EXPECT_EQ(Result(relu, {"c64[] (1, 2)"}), "relu: takes an array of real numbers; operand c64[]");
}

TEST(Neural, Softmax) {
  const auto softmax = [](i64 dimension) {
    return [dimension](XlaBuilder&, Ops p) { return Softmax(p[0], dimension); };
  };
  EXPECT_EQ(Result(softmax(-1), {"f32[2,2] {{0, 0}, {1000, 0}}"}),
            "f32[2,2] { { 0.5, 0.5 }, { 1, 0 } }");
  EXPECT_EQ(Result(softmax(0), {"f64[2,2] {{3, 0}, {3, -1000}}"}),
            "f64[2,2] { { 0.5, 1 }, { 0.5, 0 } }");
  EXPECT_EQ(Result(softmax(-2), {"bf16[2,1] {{3}, {3}}"}), "bf16[2,1] { {0.5}, {0.5} }");
  EXPECT_EQ(Result(softmax(0), {"f32[2] {nan, 0}"}), "f32[2] {nan, nan}");
  EXPECT_EQ(Result(softmax(0), {"f32[<=3](2) {7, 7}"}), "f32[<=3](2) {0.5, 0.5}");
  EXPECT_EQ(Result(softmax(1), {"f32[2] {0, 0}"}),
            "softmax: there is no dimension 1; operand f32[2]");
  EXPECT_EQ(Result(softmax(-1), {"f32[] 0"}), "softmax: there is no dimension -1; operand f32[]");
  EXPECT_EQ(Result(softmax(0), {"s32[2] {0, 0}"}),
            "softmax: takes an array of floats; operand s32[2]");
  EXPECT_EQ(Result([](XlaBuilder&, Ops p) { return Exp(LogSoftmax(p[0])); },
                   {"f32[2,2] {{0, 0}, {1000, 0}}"}),
            "f32[2,2] { { 0.5, 0.5 }, { 1, 0 } }");
}

TEST(Neural, LayerNorm) {
  const auto norm = [](i64 dimension) {
    return [dimension](XlaBuilder&, Ops p) { return LayerNorm(p[0], p[1], p[2], 0, dimension); };
  };
  EXPECT_EQ(Result(norm(-1), {"f32[2,2] {{1, 3}, {20, 10}}", "f32[2] {1, 2}", "f32[2] {0, 5}"}),
            "f32[2,2] { { -1, 7 }, { 1, 3 } }");
  EXPECT_EQ(Result(norm(0), {"f64[2,1] {{1}, {3}}", "f64[2] {1, 1}", "f64[2] {0, 0}"}),
            "f64[2,1] { {-1}, {1} }");
  // 257 numbers are counted, which bf16 could not.
  EXPECT_EQ(Result([](XlaBuilder& b, Ops) {
              const XlaOp x = Broadcast(ConstantR0<bfloat16>(&b, bfloat16(3.0F)), {257});
              return Slice(LayerNorm(x, x, x), {0}, {1}, {1});
            }),
            "bf16[1] {3}");
  EXPECT_EQ(Result(norm(-1), {"f32[2] {1, 3}", "f32[1] {1}", "f32[2] {0, 5}"}),
            "layer norm: scale and offset must be f32[2]; operands f32[2], f32[1], f32[2]");
}

TEST(Neural, OneHot) {
  const auto one_hot = [](i64 depth, PrimitiveType type, i64 axis) {
    return [=](XlaBuilder&, Ops p) { return OneHot(p[0], depth, type, axis); };
  };
  EXPECT_EQ(Result(one_hot(3, F32, -1), {"s32[2] {2, -1}"}),
            "f32[2,3] { { 0, 0, 1 }, { 0, 0, 0 } }");
  EXPECT_EQ(Result(one_hot(3, S8, 0), {"u8[2] {2, 0}"}),
            "s8[3,2] { { 0, 1 }, { 0, 0 }, { 1, 0 } }");
  EXPECT_EQ(Result(one_hot(2, PRED, 0), {"s64[] 4294967297"}), "pred[2] {0, 0}");
  EXPECT_EQ(Result(one_hot(300, U8, -1), {"u8[0] {}"}), "u8[0,300] {  }");
  EXPECT_EQ(Result(one_hot(-1, F32, 0), {"s32[] 0"}),
            "one hot: cannot make f32 of depth -1; operand s32[]");
  EXPECT_EQ(Result(one_hot(2, F32, 2), {"s32[1] {0}"}),
            "one hot: there is no dimension 2; operand s32[1]");
}

}  // namespace
}  // namespace axle
