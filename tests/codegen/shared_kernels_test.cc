// Kernels that programs of one process share.
#include "axle/codegen/kernel_cache/shared_kernels.h"

#include <gtest/gtest.h>

#include "axle/client/arguments.h"
#include "axle/codegen/choose_target.h"
#include "axle/codegen/compiler.h"
#include "axle/core/float_environment.h"
#include "axle/core/strings.h"
#include "axle/text/parse.h"

namespace axle {
namespace {

class SharedKernels : public ::testing::Test {
 protected:
  void SetUp() override {
    if (kAlwaysChecksAccesses) GTEST_SKIP() << "code is checked: programs share none";
  }

  // Two operations, so that no precompiled kernel does it; compiled with `options`, and how many
  // kernels there are to share afterwards beside those that were there.
  struct Compiled {
    CompiledModule module;
    std::vector<Literal> arguments;
    Literal Run() {
      HostRun run;
      StatusOr<Literal> result = RunOnLiterals(*module.entry, arguments, run);
      EXPECT_TRUE(result.ok()) << result.status().ToString();
      return result.ok() ? *std::move(result) : Literal();
    }
  };
  static Compiled Make(std::string_view op, i64 n, const NativeOptions& options = {},
                       int level = 1) {
    const auto module =
        Parse(StrCat("HloModule m\nENTRY e {\n  x = f32[", n, "] parameter(0)\n  y = f32[", n,
                     "] multiply(x, x)\n  z = f32[", n, "] ", op, "(y)\n  ROOT r = f32[", n,
                     "] subtract(z, x)\n}\n"));
    EXPECT_TRUE(module.ok()) << module.status().ToString();
    auto made = CompileModule(**module, *ChooseTarget(NativeIsa::kAuto, level), options);
    EXPECT_TRUE(made.ok()) << made.status().ToString();
    Compiled compiled{*std::move(made), {}};
    for (const Shape& shape : ArgumentLeaves(*(*module)->entry())) {
      compiled.arguments.push_back(*FakeLiteral(shape, "random:5", 0));
    }
    return compiled;
  }

  const ScopedFloatEnvironment environment_;
  const size_t before_ = NumSharedKernels();
};

TEST_F(SharedKernels, AnotherProgramTakesThem) {
  Compiled first = Make("tanh", 1000);
  EXPECT_EQ(NumSharedKernels(), before_ + 1);
  Compiled same = Make("tanh", 1000), longer = Make("tanh", 5001);
  EXPECT_EQ(NumSharedKernels(), before_ + 1);
  Compiled alone = Make("tanh", 5001, {.debug = {.use_precompiled = false}});
  EXPECT_TRUE(SameValue(longer.Run(), alone.Run()));
  EXPECT_TRUE(SameValue(first.Run(), same.Run()));
  // Another function, and one that needs no masked tail.
  const Compiled other = Make("sine", 1000), whole = Make("tanh", 1024);
  EXPECT_EQ(NumSharedKernels(), before_ + 3);
}

TEST_F(SharedKernels, LiveAsLongAsAProgramThatHasThem) {
  auto first = std::make_unique<Compiled>(Make("tanh", 1000));
  const Literal expected = first->Run();
  {
    Compiled second = Make("tanh", 1000);
    first = nullptr;
    EXPECT_EQ(NumSharedKernels(), before_ + 1);
    EXPECT_TRUE(SameValue(second.Run(), expected));
  }
  EXPECT_EQ(NumSharedKernels(), before_);
  EXPECT_TRUE(SameValue(Make("tanh", 1000).Run(), expected));
}

TEST_F(SharedKernels, AreLeftAloneWhereCodeIsToBeMade) {
  Compiled first = Make("tanh", 1000);
  size_t num_texts = 0;
  const Compiled shown =
      Make("tanh", 1000, {.debug = {.on_llvm = [&](std::string_view) { ++num_texts; }}});
  EXPECT_EQ(num_texts, 1);
  Make("tanh", 1000, {.debug = {.check_accesses = true}});
  const Compiled unshared = Make("sine", 1000, {.debug = {.use_precompiled = false}});
  EXPECT_EQ(NumSharedKernels(), before_ + 1);
  // Code of another level is other code.
  const Compiled careful = Make("tanh", 1000, {}, 2);
  EXPECT_EQ(NumSharedKernels(), before_ + 2);
}

}  // namespace
}  // namespace axle
