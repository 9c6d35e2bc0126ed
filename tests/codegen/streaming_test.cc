// Loops that write past the caches: the bits of the interpreter, and only where it pays.
#include <gtest/gtest.h>

#include "axle/client/arguments.h"
#include "axle/client/client.h"
#include "axle/core/strings.h"
#include "axle/text/parse.h"

namespace axle {
namespace {

constexpr i64 kMega = i64{1} << 20;

class Streaming : public ::testing::Test {
 protected:
  // Whether the program has stores that stream, with its result the interpreter's.
  bool Streams(const std::string& lines, NativeIsa isa = NativeIsa::kAuto) {
    const std::string text = StrCat("HloModule m\nENTRY e {\n", lines, "}\n");
    std::string llvm;
    const auto native = client_->Compile(
        text, {.engine = EngineKind::kNative,
               .isa = isa,
               .debug = {.on_llvm = [&](std::string_view code) { llvm += code; }}});
    EXPECT_TRUE(native.ok()) << native.status().ToString();
    const auto interpreted = client_->Compile(text, {.engine = EngineKind::kInterpret});
    EXPECT_TRUE(interpreted.ok());
    if (!native.ok() || !interpreted.ok()) return false;
    std::vector<Literal> arguments;
    for (const Shape& shape : ArgumentLeaves(*(*native)->module().entry())) {
      arguments.push_back(*FakeLiteral(shape, "random:3", 0));
    }
    const auto expected = (*interpreted)->Execute(arguments);
    for (int i = 0; i < 2; ++i) {  // in fresh memory, and in what the first run left
      const auto actual = (*native)->Execute(arguments);
      EXPECT_TRUE(actual.ok()) << actual.status().ToString();
      if (!actual.ok()) return false;
      const auto difference = FirstDifference(*expected, *actual);
      EXPECT_FALSE(difference) << difference->ToString() << "\n" << text;
    }
    return llvm.find("!nontemporal") != llvm.npos;
  }

  const std::unique_ptr<Client> client_ = *Client::Create({.num_threads = 2});
};

TEST_F(Streaming, ElementsOfEveryWidth) {
  for (const NativeIsa isa : {NativeIsa::kAvx2, NativeIsa::kAuto}) {
    for (const char* type : {"s8", "bf16", "f32", "f64"}) {
      const i64 n = 32 * kMega / (type[0] == 's' ? 1 : type[0] == 'b' ? 2 : type[1] == '3' ? 4 : 8);
      const std::string shape = StrCat(type, "[", n + 3, "]");  // with a tail
      EXPECT_TRUE(Streams(StrCat("  x = ", shape, " parameter(0)\n  y = ", shape,
                                 " add(x, x)\n  ROOT r = ", shape, " negate(y)\n"),
                          isa))
          << type;
    }
  }
}

TEST_F(Streaming, TwoResultsRowsAndPredicates) {
  EXPECT_TRUE(
      Streams("  i = s32[512,65536] parameter(0)\n"
              "  n = s32[512,65536] negate(i)\n"
              "  p = pred[512,65536] compare(i, n), direction=GT\n"
              "  ROOT r = (s32[512,65536], pred[512,65536]) tuple(n, p)\n"));
  EXPECT_TRUE(
      Streams("  i = f32[1024] parameter(0)\n  e = f32[1024] exponential(i)\n"
              "  b = f32[1024,8192] broadcast(e), dimensions={0}\n"
              "  ROOT r = c64[1024,8192] complex(b, b)\n"));
}

// 52 MB in one pass, of which the results are 16 and 4; and passes over less.
TEST_F(Streaming, ResultsOfPassesThatFillTheCaches) {
  EXPECT_TRUE(
      Streams("  x = s32[4194304] parameter(0)\n  y = s32[4194304] parameter(1)\n"
              "  s = s32[4194304] add(x, y)\n  p = pred[4194304] compare(x, y), direction=LT\n"
              "  ROOT r = (s32[4194304], pred[4194304]) tuple(s, p)\n"));
  EXPECT_FALSE(
      Streams("  x = s32[4194304] parameter(0)\n  y = s32[] parameter(1)\n"
              "  b = s32[4194304] broadcast(y), dimensions={}\n"
              "  ROOT r = s32[4194304] add(x, b)\n"));
  // Three ways to read one array.
  EXPECT_FALSE(
      Streams("  x = s32[4194304] parameter(0)\n  u = s32[4194304] reverse(x), dimensions={0}\n"
              "  m = s32[2048,2048] reshape(x)\n"
              "  n = s32[2048,2048] reverse(m), dimensions={1}\n  v = s32[4194304] reshape(n)\n"
              "  s = s32[4194304] add(x, u)\n  ROOT r = s32[4194304] add(s, v)\n"));
}

TEST_F(Streaming, SmallOnesAndCrookedRowsStayInTheCaches) {
  EXPECT_FALSE(Streams("  i = f32[4096,64] parameter(0)\n  ROOT r = f32[4096,64] tanh(i)\n"));
  EXPECT_FALSE(
      Streams("  i = f32[4099] parameter(0)\n"
              "  b = f32[2049,4099] broadcast(i), dimensions={1}\n"
              "  ROOT r = f32[2049,4099] negate(b)\n"));
}

TEST_F(Streaming, WhatIsReplacedInPlaceStaysInTheCaches) {
  EXPECT_FALSE(
      Streams("  x = f32[8388608] parameter(0)\n  s = f32[8388608] reverse(x), dimensions={0}\n"
              "  e = f32[8388608] opt-barrier(s)\n  ROOT r = f32[8388608] negate(e)\n"));
}

}  // namespace
}  // namespace axle
