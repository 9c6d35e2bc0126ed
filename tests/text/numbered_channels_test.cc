// channel_id=0 is a channel, and none is not: in texts, protos, devices of collectives, transfers.
#include <gtest/gtest.h>

#include "axle/client/client.h"
#include "axle/core/strings.h"
#include "axle/ops/attributes/attributes.h"
#include "axle/proto/read.h"
#include "axle/proto/write.h"
#include "tests/text/test_text.h"

namespace axle {
namespace {

// The text of a collective or transfer keeps what it says, through a proto too.
TEST(Channels, ZeroIsKept) {
  for (const std::string_view channel : {"", ", channel_id=0", ", channel_id=7"}) {
    const std::string text = StrCat(
        "HloModule m, entry_computation_layout={(f32[2]{0}, token[])->(f32[2]{0}, f32[2]{0}, "
        "token[], f32[2]{0}, token[])}\n\n"
        "ENTRY %e (x: f32[2], t: token[]) -> (f32[2], f32[2], token[], f32[2], token[]) {\n"
        "  %x = f32[2]{0} parameter(0)\n"
        "  %g = f32[2]{0} all-gather(%x)",
        channel,
        ", replica_groups={}, dimensions={0}\n"
        "  %p = f32[2]{0} collective-permute(%x)",
        channel,
        ", source_target_pairs={{0,0}}\n"
        "  %t = token[] parameter(1)\n"
        "  %s = (f32[2]{0}, u32[], token[]) send(%x, %t)",
        channel,
        "\n"
        "  %sd = token[] send-done(%s)",
        channel,
        "\n"
        "  %r = (f32[2]{0}, u32[], token[]) recv(%t)",
        channel,
        "\n"
        "  %rd = (f32[2]{0}, token[]) recv-done(%r)",
        channel,
        "\n"
        "  %v = f32[2]{0} get-tuple-element(%rd), index=0\n"
        "  ROOT %a = (f32[2]{0}, f32[2]{0}, token[], f32[2]{0}, token[]) tuple(%g, %p, %sd, %v, "
        "%t)\n"
        "}\n\n");
    const auto module = ParseOrFail(text);
    ASSERT_NE(module, nullptr);
    EXPECT_EQ(Print(*module), text);
    const auto reread = ReadModuleProto(WriteModuleProto(*module));
    ASSERT_TRUE(reread.ok()) << reread.status().ToString();
    EXPECT_EQ(Print(**reread), text);
  }
}

std::string ErrorOf(std::string_view op) {
  const Status status = Parse(StrCat("HloModule m, replica_count=2, num_partitions=2\nENTRY e {\n"
                                     "x = f32[2] parameter(0)\nr = ",
                                     op, "\n}"))
                            .status();
  return std::string(status.message().substr(0, status.message().find('\n')));
}

TEST(Channels, ZeroSaysWhoTakesPart) {
  // With a channel the ids of use_global_device_ids are devices, of which there are four.
  constexpr std::string_view kGather =
      "f32[8] all-gather(x), replica_groups={{0,1,2,3}}, dimensions={0}, "
      "use_global_device_ids=true";
  EXPECT_EQ(ErrorOf(StrCat(kGather, ", channel_id=0")), "");
  EXPECT_EQ(ErrorOf(kGather),
            "hlo text 4:12: all-gather: use_global_device_ids needs a channel_id; operand f32[2]");
  EXPECT_EQ(ErrorOf(StrCat(kGather, ", channel_id=-1")),
            "hlo text 4:12: all-gather: channel_id is -1, must be >= 0; operand f32[2]");
}

TEST(Channels, TransfersOfZeroAndOfNoneDoNotMeet) {
  const auto program = [](std::string_view send, std::string_view recv) {
    return StrCat("HloModule m\nENTRY e {\n  x = f32[2] parameter(0)\n  t = token[] after-all()\n",
                  "  s = (f32[2], u32[], token[]) send(x, t)", send,
                  "\n  sd = token[] send-done(s)", send, "\n  r = (f32[2], u32[], token[]) recv(t)",
                  recv, "\n  rd = (f32[2], token[]) recv-done(r)", recv,
                  "\n  ROOT v = f32[2] get-tuple-element(rd), index=0\n}\n");
  };
  const Literal x = *ParseLiteral("f32[2] {3, 4}");
  for (const std::string_view channel : {"", ", channel_id=0", ", channel_id=1"}) {
    const auto client = *Client::Create();
    const auto executable = client->Compile(program(channel, channel));
    ASSERT_TRUE(executable.ok()) << executable.status().ToString();
    const auto result = (*executable)->Execute({x});
    ASSERT_TRUE(result.ok()) << result.status().ToString();
    EXPECT_EQ(result->ToStringWithShape(), "f32[2] {3, 4}") << channel;
  }
  using Pair = std::pair<std::string_view, std::string_view>;
  for (const auto& [send, recv] : {Pair{"", ", channel_id=0"}, Pair{", channel_id=0", ""}}) {
    const auto client = *Client::Create();
    const auto executable = client->Compile(program(send, recv));
    ASSERT_TRUE(executable.ok()) << executable.status().ToString();
    const Status status = (*executable)->Execute({x}).status();
    const std::string channel = recv.empty() ? "the channel without an id" : "channel 0";
    EXPECT_NE(status.message().find("no program sends to " + channel + ";"), std::string::npos)
        << status.message();
  }
}

TEST(Channels, AnEndNamesTheChannelOfItsBeginning) {
  const Status status = Parse(
                            "HloModule m\nENTRY e {\nx = f32[2] parameter(0)\n"
                            "t = token[] after-all()\n"
                            "s = (f32[2], u32[], token[]) send(x, t), channel_id=0\n"
                            "ROOT d = token[] send-done(s)\n}")
                            .status();
  EXPECT_NE(status.message().find("channel_id is none but that of the send is 0"),
            std::string::npos)
      << status.message();
}

}  // namespace
}  // namespace axle
