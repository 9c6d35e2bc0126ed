#include <gtest/gtest.h>

#include "axle/builder/xla_builder.h"
#include "axle/eval/evaluate.h"
#include "axle/runtime/host_device.h"
#include "axle/text/parse.h"
#include "axle/text/print.h"

namespace axle {
namespace {

ChannelHandle Channel(i64 handle, ChannelHandle::ChannelType type) {
  ChannelHandle channel;
  channel.set_handle(handle);
  channel.set_type(type);
  return channel;
}

// The operations of the entry, as text, without names and metadata.
std::vector<std::string> Ops(const Module& module) {
  std::vector<std::string> ops;
  for (const Instruction* inst : module.entry()->instructions()) {
    const std::string text = Print(*inst, {.style = PrintOptions::Style::kShort});
    ops.push_back(text.substr(text.find(" = ") + 3));
  }
  return ops;
}

TEST(SideEffects, InfeedsFollowEachOther) {
  XlaBuilder b("infeeds");
  const XlaOp x = Infeed(&b, Shape(F32, {2}), "cfg");
  const XlaOp y = Infeed(&b, Shape(F32, {2}));
  const XlaOp z = Add(x, y);
  Outfeed(z, Shape(F32, {2}), "out");
  const XlaOp last = Outfeed(x, Shape(F32, {2}));
  EXPECT_EQ(b.GetShape(last)->ToString(), "()");
  const auto computation = b.Build(z);
  ASSERT_TRUE(computation.ok()) << computation.status().message();
  EXPECT_EQ(
      Ops(computation->module()),
      (std::vector<std::string>{
          "token[] after-all()",
          "(f32[2]{0}, token[]) infeed(after-all.0), infeed_config=\"cfg\"",
          "f32[2]{0} get-tuple-element(infeed.1), index=0",
          "token[] get-tuple-element(infeed.1), index=1",
          "(f32[2]{0}, token[]) infeed(get-tuple-element.3)",
          "f32[2]{0} get-tuple-element(infeed.4), index=0",
          "f32[2]{0} add(get-tuple-element.2, get-tuple-element.5)",
          "token[] after-all()",
          R"(token[] outfeed(add.6, after-all.7), outfeed_shape=f32[2]{0}, outfeed_config="out")",
          "() tuple()",
          "token[] outfeed(get-tuple-element.2, outfeed.8), outfeed_shape=f32[2]{0}",
          "() tuple()",
      }));
  EXPECT_TRUE(Parse(Print(computation->module())).ok());
}

TEST(SideEffects, TokensAndTransfers) {
  XlaBuilder b("transfers");
  const XlaOp x = Parameter(&b, 0, Shape(F32, {2}), "x");
  const XlaOp t = CreateToken(&b);
  const XlaOp sent = SendWithToken(x, t, Channel(1, ChannelHandle::DEVICE_TO_DEVICE));
  const XlaOp received = Recv(&b, Shape(F32, {2}), Channel(1, ChannelHandle::DEVICE_TO_DEVICE));
  const XlaOp host = RecvFromHost(AfterAll(&b, std::vector<XlaOp>{t, sent}), Shape(F32, {2}),
                                  Channel(8, ChannelHandle::HOST_TO_DEVICE));
  SendToHost(received, GetTupleElement(host, 1), Shape(F32, {2}),
             Channel(7, ChannelHandle::DEVICE_TO_HOST));
  const auto computation =
      b.Build(Tuple(&b, std::vector<XlaOp>{received, OptimizationBarrier(host)}));
  ASSERT_TRUE(computation.ok()) << computation.status().message();
  HostDevice device;
  const float data[] = {1, 2}, more[] = {3, 4};
  const Literal argument = Literal::Array<float>(F32, {2}, data);
  ASSERT_TRUE(device.SendToDevice(8, Literal::Array<float>(F32, {2}, more)).ok());
  const auto result = Evaluate(computation->module(), {&argument, 1}, {.device = &device});
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result->element(0), argument);
  EXPECT_EQ(result->element(1).element(0).data<float>()[1], 4);
  EXPECT_EQ(*device.RecvFromDevice(7, Shape(F32, {2})), argument);
}

TEST(SideEffects, ChannelsHaveATypeOfTheirOwn) {
  XlaBuilder b("channels");
  const XlaOp x = Parameter(&b, 0, Shape(F32), "x");
  EXPECT_FALSE(Send(x, Channel(1, ChannelHandle::DEVICE_TO_HOST)).valid());
  EXPECT_NE(b.first_error().message().find(
                "send: the channel is DEVICE_TO_HOST, must be DEVICE_TO_DEVICE"),
            std::string::npos);
  XlaBuilder c("channels");
  EXPECT_FALSE(Recv(&c, Shape(F32), Channel(1, ChannelHandle::CHANNEL_TYPE_INVALID)).valid());
  EXPECT_NE(c.first_error().message().find(
                "recv: the channel is CHANNEL_TYPE_INVALID, must be DEVICE_TO_DEVICE"),
            std::string::npos);
  XlaBuilder d("channels");
  const XlaOp y = Parameter(&d, 0, Shape(F32), "y");
  SendToHost(y, CreateToken(&d), Shape(S32), Channel(1, ChannelHandle::DEVICE_TO_HOST));
  EXPECT_NE(d.first_error().message().find("send: shape_with_layout is s32[] but operand is f32[]"),
            std::string::npos);
}

TEST(SideEffects, CompositeCallsSayTheirName) {
  XlaBuilder inner("body");
  Neg(Parameter(&inner, 0, Shape(F32), "p"));
  const auto body = inner.Build();
  ASSERT_TRUE(body.ok());
  XlaBuilder b("composite");
  const XlaOp x = Parameter(&b, 0, Shape(F32), "x");
  CompositeCall(&b, *body, {&x, 1}, "my.neg", "{n = 1 : i32}", 2);
  const auto computation = b.Build();
  ASSERT_TRUE(computation.ok()) << computation.status().message();
  EXPECT_EQ(Ops(computation->module())[1],
            "f32[] call(x), to_apply=body, is_composite=true, "
            "frontend_attributes={composite.attributes={n = 1 : i32},composite.name=\"my.neg\","
            "composite.version=\"2\"}");
  XlaBuilder c("composite");
  const XlaOp y = Parameter(&c, 0, Shape(F32), "x");
  CompositeCall(&c, *body, {&y, 1}, "my.neg");
  EXPECT_NE(Ops(c.Build()->module())[1].find(
                "composite.attributes={},composite.name=\"my.neg\",composite.version=\"0\""),
            std::string::npos);
}

TEST(SideEffects, CustomCalls) {
  XlaBuilder inner("helper");
  Neg(Parameter(&inner, 0, Shape(F32), "p"));
  const auto helper = inner.Build();
  XlaBuilder b("calls");
  const XlaOp x = Parameter(&b, 0, Shape(F32, {2, 3}), "x");
  const std::vector<XlaOp> operands = {x};
  const Literal literal = Literal::Scalar<std::int32_t>(S32, 5);
  const XlaOp plain = CustomCall(&b, "f", operands, Shape(F32), "opaque", true, {}, &literal,
                                 CustomCallSchedule::kLatest, CustomCallApi::kTyped);
  CustomCallWithComputation(&b, "g", operands, *helper, Shape(F32, {2, 3}), "", false,
                            {{.output_index = {}, .operand = 0, .operand_index = {}}});
  Shape columns(F32, {2, 3});
  Layout layout;
  layout.minor_to_major = {0, 1};
  columns.set_layout(layout);
  CustomCallWithLayout(&b, "h", operands, columns, {&columns, 1});
  const auto computation = b.Build(plain);
  ASSERT_TRUE(computation.ok()) << computation.status().message();
  const auto ops = Ops(computation->module());
  EXPECT_EQ(ops[1],
            "f32[] custom-call(x), custom_call_target=\"f\", custom_call_has_side_effect=true, "
            "literal=s32[] 5, schedule=SCHEDULE_LATEST, api_version=API_VERSION_TYPED_FFI, "
            "backend_config=\"opaque\"");
  EXPECT_EQ(ops[2],
            "f32[2,3]{1,0} custom-call(x), custom_call_target=\"g\", "
            "output_to_operand_aliasing={{}: (0, {})}, called_computations={helper}");
  EXPECT_EQ(ops[3],
            "f32[2,3]{0,1} custom-call(x), custom_call_target=\"h\", "
            "operand_layout_constraints={f32[2,3]{0,1}}");
  XlaBuilder c("reserved");
  CustomCall(&c, "$f", {}, Shape(F32));
  EXPECT_NE(c.first_error().message().find(
                "custom-call: target \"$f\" begins with '$', which is reserved"),
            std::string::npos);
}

}  // namespace
}  // namespace axle
