// What tests/builder/styles_test.cc needs, which is made from styles.txt: operands to call every
// function of the builder with, and the comparison of the styles.
#pragma once
#include <gtest/gtest.h>

#include <string>

#include "axle/computation_builder.h"
#include "axle/text/print.h"

namespace axle {

inline constexpr float kValues[] = {1, 2};
inline constexpr i64 kNumParameters = 19;
inline const ReplicaGroup kOneGroup[] = {{0}};

// Parameters of a builder, and computations that they can be called with.
struct Operands {
  explicit Operands(XlaBuilder& b) : builder(b) {}

  XlaOp Next(PrimitiveType type, Dims dims) {
    return Parameter(&builder, number++, Shape(type, std::move(dims)), "p");
  }
  static XlaComputation Build(std::string_view name, std::vector<PrimitiveType> types,
                              XlaOp (*root)(const std::vector<XlaOp>&)) {
    XlaBuilder b(name);
    std::vector<XlaOp> parameters;
    for (size_t i = 0; i < types.size(); ++i) {
      parameters.push_back(Parameter(&b, static_cast<i64>(i), Shape(types[i]), "p"));
    }
    return b.Build(root(parameters)).value();
  }
  static ChannelHandle Channel(ChannelHandle::ChannelType type) {
    ChannelHandle channel;
    channel.set_handle(1);
    channel.set_type(type);
    return channel;
  }

  XlaBuilder& builder;
  i64 number = 0;
  XlaOp x = Next(F32, {2, 3}), y = Next(F32, {2, 3}), s = Next(F32, {}), i = Next(S32, {});
  XlaOp n = Next(S32, {2, 3}), u = Next(U32, {2, 3}), p = Next(PRED, {2, 3}), q = Next(PRED, {});
  XlaOp c = Next(C64, {2}), square = Next(F32, {3, 3}), row = Next(F32, {3}), pair = Next(S32, {2});
  XlaOp scale = Next(F32, {3}), image = Next(F32, {1, 1, 4, 4}), kernel = Next(F32, {1, 1, 2, 2});
  XlaOp one = Next(S32, {1}), groups = Next(F32, {1, 3, 2}), state = Next(U64, {2});
  XlaOp corner = Next(F32, {1, 1});
  XlaOp token = CreateToken(&builder), tuple = Tuple(&builder, {x, y});
  XlaOp column = Slice(x, {0, 0}, {2, 2});
  XlaComputation add = Build("add", {F32, F32}, [](auto& p) { return Add(p[0], p[1]); });
  XlaComputation negate = Build("negate", {F32}, [](auto& p) { return Neg(p[0]); });
  XlaComputation less = Build("less", {F32, F32}, [](auto& p) { return Lt(p[0], p[1]); });
  XlaComputation greater = Build("greater", {F32, F32}, [](auto& p) { return Ge(p[0], p[1]); });
  XlaComputation step = Build("step", {F32, F32}, [](auto& p) {
    const XlaOp sum = Add(p[0], p[1]);
    return Tuple(sum.builder(), {sum, sum});
  });
  XlaComputation condition =
      Build("condition", {S32}, [](auto& p) { return Lt(p[0], ConstantR0(p[0].builder(), 3)); });
  XlaComputation body =
      Build("body", {S32}, [](auto& p) { return Add(p[0], ConstantR0(p[0].builder(), 1)); });
  ConvolutionDimensionNumbers numbers = {"bf01", "oi01", "bf01"};
  ChannelHandle channel = Channel(ChannelHandle::DEVICE_TO_DEVICE);
  ChannelHandle to_host = Channel(ChannelHandle::DEVICE_TO_HOST);
  ChannelHandle from_host = Channel(ChannelHandle::HOST_TO_DEVICE);
};

// The program that `call` makes, as text, with the lines where it was written.
template <typename Builder, typename Call>
std::string ProgramOf(const Call& call) {
  Builder b("program");
  const Operands operands(b);
  const XlaOp made = call(b, operands);
  EXPECT_EQ(b.first_error().message(), "");
  EXPECT_TRUE(made.valid());
  const StatusOr<XlaComputation> built = b.Build();
  return built.ok() ? Print(built->module()) : built.status().ToString();
}

// As a function, as a method, and as a method of the older builder: one program.
template <typename Function, typename Method, typename Older>
void ExpectOneProgram(const Function& function, const Method& method, const Older& older) {
  const std::string program = ProgramOf<XlaBuilder>(function);
  EXPECT_EQ(ProgramOf<XlaBuilder>(method), program);
  EXPECT_EQ(ProgramOf<ComputationBuilder>(older), program);
}

}  // namespace axle
