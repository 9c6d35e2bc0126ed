// The order of transfers on several devices: each instruction comes after its operands, whatever
// sends and recv-dones need of each other.
#include "axle/passes/transfer_order.h"

#include <gtest/gtest.h>

#include <string>

#include "axle/core/strings.h"
#include "axle/text/parse.h"

namespace axle {
namespace {

// The names of the entry in their order, or the error.
std::string Ordered(const Module& module, bool is_alone) {
  const auto ordered = OrderTransfers(module, is_alone);
  if (!ordered.ok()) return std::string(ordered.status().message());
  std::vector<std::string> names;
  const Module& result = *ordered == nullptr ? module : **ordered;
  for (const Instruction* inst : result.entry()->instructions()) {
    names.emplace_back(inst->name());
    for (i64 i = 0; i < inst->num_operands(); ++i) {
      EXPECT_LT(inst->operand(i)->index(), inst->index()) << inst->name();
    }
  }
  return Join(names, " ");
}

TEST(TransferOrder, ASendComesBeforeItsRecvDone) {
  const auto module = Parse(
      "HloModule m\nENTRY e { x = f32[] parameter(0) t = token[] after-all() v = (f32[], u32[], "
      "token[]) recv(t), channel_id=1 w = (f32[], token[]) recv-done(v), channel_id=1 y = f32[] "
      "negate(x) s = (f32[], u32[], token[]) send(y, t), channel_id=1 d = token[] send-done(s), "
      "channel_id=1 ROOT r = f32[] get-tuple-element(w), index=0 }");
  ASSERT_TRUE(module.ok()) << module.status().message();
  EXPECT_EQ(Ordered(**module, /*is_alone=*/true), "x t v y s w d r");
  EXPECT_EQ(Ordered(**module, /*is_alone=*/false), "x t v y s w d r");
}

// Send `s` needs what its own recv-done gives: only another device can send. `z` is sent first.
TEST(TransferOrder, ACycleKeepsItsOrder) {
  const auto module = Parse(
      "HloModule m\nENTRY e { x = f32[] parameter(0) t = token[] after-all() v = (f32[], u32[], "
      "token[]) recv(t), channel_id=1 w = (f32[], token[]) recv-done(v), channel_id=1 r = f32[] "
      "get-tuple-element(w), index=0 s = (f32[], u32[], token[]) send(r, t), channel_id=1 d = "
      "token[] send-done(s), channel_id=1 p = (f32[], u32[], token[]) recv(t), channel_id=2 q = "
      "(f32[], token[]) recv-done(p), channel_id=2 z = (f32[], u32[], token[]) send(x, t), "
      "channel_id=2 y = token[] send-done(z), channel_id=2 ROOT o = f32[] copy(r) }");
  ASSERT_TRUE(module.ok()) << module.status().message();
  EXPECT_EQ(Ordered(**module, /*is_alone=*/false), "x t v w r s d p z q y o");
  EXPECT_EQ(
      Ordered(**module, /*is_alone=*/true),
      "recv-done: a deadlock: recv-done \"w\" for send \"s\" of channel 1 waits, and the send "
      "needs the result of the recv-done; operand (f32[], u32[], token[])");
}

// Each of many sends is behind a long chain that needs all recv-dones. To walk down the chain again
// for each would take minutes.
TEST(TransferOrder, ManyCyclesTakeLinearTime) {
  constexpr int kCount = 20'000;
  std::string text = "HloModule m\nENTRY e {\n x = f32[] parameter(0)\n t = token[] after-all()\n";
  std::string values, types;
  for (int k = 0; k < kCount; ++k) {
    const std::string channel = StrCat("channel_id=", k + 1, "\n");
    StrAppend(text, " v.", k, " = (f32[], u32[], token[]) recv(t), ", channel, " w.", k,
              " = (f32[], token[]) recv-done(v.", k, "), ", channel, " r.", k,
              " = f32[] get-tuple-element(w.", k, "), index=0\n");
    StrAppend(values, k > 0 ? ", r." : "r.", k);
    StrAppend(types, k > 0 ? ", f32[]" : "f32[]");
  }
  StrAppend(text, " all = (", types, ") tuple(", values,
            ")\n c.0 = f32[] get-tuple-element(all), index=0\n");
  for (int k = 1; k < kCount; ++k) StrAppend(text, " c.", k, " = f32[] add(c.", k - 1, ", x)\n");
  for (int k = 0; k < kCount; ++k) {
    StrAppend(text, " s.", k, " = (f32[], u32[], token[]) send(c.", kCount - 1,
              ", t), channel_id=", k + 1, "\n d.", k, " = token[] send-done(s.", k,
              "), channel_id=", k + 1, "\n");
  }
  StrAppend(text, " ROOT o = f32[] copy(c.", kCount - 1, ")\n}\n");
  const auto module = Parse(text);
  ASSERT_TRUE(module.ok()) << module.status().message();
  EXPECT_TRUE(Ordered(**module, /*is_alone=*/false).starts_with("x t v.0 w.0 "));
}

}  // namespace
}  // namespace axle
