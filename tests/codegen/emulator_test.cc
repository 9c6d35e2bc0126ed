// Kernels of another processor, called like those of this one: what they get and what they change,
// what they ask for, and what is said when they cannot run. Their results: sweep_test.cc and
// others.
#include "axle/codegen/emulation/emulator.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <numeric>
#include <thread>

#include "axle/client/client.h"
#include "axle/codegen/choose_target.h"
#include "axle/codegen/emulation/cross_tools.h"
#include "axle/codegen/llvm/jit.h"
#include "axle/codegen/llvm/lane_jit.h"
#include "axle/core/file.h"
#include "axle/core/strings.h"
#include "axle/core/temporary_folder.h"
#include "axle/emit/lane_builder.h"
#include "tests/codegen/isas.h"

namespace axle {
namespace {

constexpr NativeIsa kIsa = NativeIsa::kAarch64;

class EmulatorTest : public testing::Test {
 protected:
  void SetUp() override { AXLE_SKIP_UNLESS_IT_RUNS(kIsa); }

  // x + y, with y read as `inner` says.
  LoopKernel* AddKernel(InnerStride inner) {
    LaneBuilder b;
    const Lane x = b.Input(LaneType::kF32), y = b.Input(LaneType::kF32);
    program_ = std::move(b).Finish(std::vector<Lane>{x + y});
    const JitTarget target = *ChooseTarget(kIsa, 1);
    jit_ = *Jit::Create(target);
    Jit::NewModule module = jit_->MakeModule("m");
    EmitLoopKernel({&program_, {InnerStride::kUnit, inner}}, target, "kernel", *module.module);
    const Status added = jit_->Add(std::move(module));
    EXPECT_TRUE(added.ok()) << added.ToString();
    return added.ok() ? reinterpret_cast<LoopKernel*>(*jit_->Lookup("kernel")) : nullptr;
  }

  LaneProgram program_;
  std::unique_ptr<Jit> jit_;
};

TEST_F(EmulatorTest, RowsWithGapsBackwardsAndInPlace) {
  LoopKernel* const add = AddKernel(InnerStride::kAny);
  ASSERT_NE(add, nullptr);
  constexpr i64 kRows = 5, kColumns = 11, kStride = 17;  // elements
  std::vector<float> x(kRows * kStride), y(kRows * kColumns * 3);
  std::iota(x.begin(), x.end(), 1.f);
  std::iota(y.begin(), y.end(), 1000.f);
  const std::vector<float> x_before = x;
  // Rows of y come last first, and each of them from its end, every third element; the sum goes to
  // where x was.
  void* const pointers[] = {x.data(), &y[kRows * kColumns * 3 - 1], x.data()};
  const i64 outer[] = {kStride * 4, -kColumns * 3 * 4, kStride * 4}, inner[] = {4, -3 * 4, 4};
  add(pointers, kColumns, kRows, outer, inner);
  ASSERT_TRUE(jit_->status().ok()) << jit_->status().ToString();
  for (i64 r = 0; r < kRows; ++r) {
    for (i64 c = 0; c < kStride && r * kStride + c < std::ssize(x); ++c) {
      const i64 at = r * kStride + c;
      const float added = c < kColumns ? y[y.size() - 1 - (r * kColumns + c) * 3] : 0;
      EXPECT_EQ(x[at], x_before[at] + added) << r << " " << c;
    }
  }
}

TEST_F(EmulatorTest, NothingAndOneElementForAll) {
  LoopKernel* const add = AddKernel(InnerStride::kUniform);
  ASSERT_NE(add, nullptr);
  float x[] = {1, 2, 3}, y = 10, sum[] = {0, 0, 0};
  void* const pointers[] = {x, &y, sum};
  const i64 strides[] = {0, 0, 0};
  add(pointers, 0, 1, strides, strides);
  add(pointers, 3, 0, strides, strides);
  EXPECT_EQ(sum[0], 0);
  add(pointers, 3, 1, strides, strides);
  EXPECT_EQ(std::vector(sum, sum + 3), (std::vector<float>{11, 12, 13}));
  EXPECT_TRUE(jit_->status().ok()) << jit_->status().ToString();
}

TEST_F(EmulatorTest, RemaindersAreThoseOfTheHost) {
  LaneBuilder b;
  const Lane x = b.Input(LaneType::kF32), y = b.Input(LaneType::kF32);
  const Lane p = b.Input(LaneType::kF64), q = b.Input(LaneType::kF64);
  const LaneProgram program = std::move(b).Finish(std::vector<Lane>{x % y, p % q});
  auto jit = *LaneJit::Create(*ChooseTarget(kIsa, 1));
  const std::vector<float> a = {5.5f, -7, 1e30f}, c = {2, 3, 0.7f};
  const std::vector<double> d = {5.5, -7, 1e300}, e = {2, 3, 0.7};
  std::vector<float> f(3);
  std::vector<double> g(3);
  const Status ran =
      jit->Run(program, std::vector<const void*>{a.data(), c.data(), d.data(), e.data()},
               std::vector<void*>{f.data(), g.data()}, 3);
  ASSERT_TRUE(ran.ok()) << ran.ToString();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(f[i], std::fmod(a[i], c[i]));
    EXPECT_EQ(g[i], std::fmod(d[i], e[i]));
  }
}

// The kernel of the loop asks for more each time its ration is used up, and obeys the limit.
TEST_F(EmulatorTest, LoopsCountTheirSteps) {
  constexpr std::string_view kText = R"(HloModule m
cond {
  s = (s32[], f32[3]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(5000)
  ROOT p = pred[] compare(i, n), direction=LT
}
body {
  s = (s32[], f32[3]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  v = f32[3] get-tuple-element(s), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  half = f32[] constant(0.5)
  halves = f32[3] broadcast(half), dimensions={}
  w = f32[3] add(v, halves)
  ROOT t = (s32[], f32[3]) tuple(j, w)
}
ENTRY e {
  zero = s32[] constant(0)
  v = f32[3] parameter(0)
  s = (s32[], f32[3]) tuple(zero, v)
  w = (s32[], f32[3]) while(s), condition=cond, body=body
  ROOT r = f32[3] get-tuple-element(w), index=1
})";
  const auto client = *Client::Create();
  const auto executable = client->Compile(kText, {.engine = EngineKind::kNative, .isa = kIsa});
  ASSERT_TRUE(executable.ok()) << executable.status().ToString();
  const Literal v = Literal::Array<float>(F32, {3}, std::vector{1.f, 2.f, 3.f});
  Limits enough;
  enough.set_step_limit(6000);
  const auto result = (*executable)->Execute({v}, {.limits = &enough});
  ASSERT_TRUE(result.ok()) << result.status().ToString();
  EXPECT_EQ(result->data<float>()[2], 2503.f);
  EXPECT_LE(enough.steps_left(), 1000);
  Limits few;
  few.set_step_limit(4000);
  EXPECT_EQ((*executable)->Execute({v}, {.limits = &few}).status().code(),
            StatusCode::kResourceExhausted);
}

TEST_F(EmulatorTest, ManyThreadsAtATime) {
  LoopKernel* const add = AddKernel(InnerStride::kUnit);
  ASSERT_NE(add, nullptr);
  constexpr size_t kThreads = 4, kCount = 1000;
  std::vector<float> x(kCount * kThreads, 1.f), sum(kCount * kThreads);
  std::iota(x.begin(), x.end(), 0.f);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      void* const pointers[] = {&x[t * kCount], &x[t * kCount], &sum[t * kCount]};
      const i64 strides[] = {0, 0, 0};
      for (int i = 0; i < 20; ++i) add(pointers, kCount, 1, strides, strides);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (size_t i = 0; i < sum.size(); ++i) EXPECT_EQ(sum[i], x[i] + x[i]);
  EXPECT_TRUE(jit_->status().ok()) << jit_->status().ToString();
}

TEST_F(EmulatorTest, AForkedProcessHasItsOwn) {
  ASSERT_NE(AddKernel(InnerStride::kUnit), nullptr);
  const pid_t child = fork();
  if (child == 0) {
    float x[] = {1, 2}, y[] = {10, 20}, sum[] = {0, 0};
    void* const pointers[] = {x, y, sum};
    const i64 strides[] = {0, 0, 0};
    LoopKernel* const own = AddKernel(InnerStride::kUnit);
    own(pointers, 2, 1, strides, strides);
    _exit(sum[0] == 11 && sum[1] == 22 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  float x[] = {1, 2}, y[] = {10, 20}, sum[] = {0, 0};
  void* const pointers[] = {x, y, sum};
  const i64 strides[] = {0, 0, 0};
  LoopKernel* const add = AddKernel(InnerStride::kUnit);
  add(pointers, 2, 1, strides, strides);
  EXPECT_EQ(sum[1], 22);
}

TEST_F(EmulatorTest, ACrashIsAnErrorAndTheNextOneRuns) {
  LoopKernel* const before = AddKernel(InnerStride::kUnit);
  ASSERT_NE(before, nullptr);
  const auto none = [](const AxleMessage&) -> std::uint64_t { return 0; };
  const auto emulator = *Emulator::Shared();
  {
    const auto lock = emulator->Lock();
    const std::uint64_t nowhere[] = {8};  // no function is there
    const Status crashed = emulator->Call(nowhere, none).status();
    EXPECT_EQ(crashed.code(), StatusCode::kInternal);
    EXPECT_NE(crashed.message().find("native: the emulator was ended by signal 11"),
              std::string::npos)
        << crashed.ToString();
  }
  float x[] = {1, 2}, y[] = {10, 20}, sum[] = {0, 0};
  void* const pointers[] = {x, y, sum};
  const i64 strides[] = {0, 0, 0};
  before(pointers, 2, 1, strides, strides);  // its process is gone
  EXPECT_EQ(jit_->status().code(), StatusCode::kInternal);
  EXPECT_NE(jit_->status().message().find("kernel: native: the emulator has ended"),
            std::string::npos)
      << jit_->status().ToString();
  LoopKernel* const after = AddKernel(InnerStride::kUnit);
  ASSERT_NE(after, nullptr);
  after(pointers, 2, 1, strides, strides);
  EXPECT_TRUE(jit_->status().ok()) << jit_->status().ToString();
  EXPECT_EQ(sum[1], 22);
}

TEST_F(EmulatorTest, MoreMemoryThanThereIsIsAnError) {
  LoopKernel* const add = AddKernel(InnerStride::kAny);
  ASSERT_NE(add, nullptr);
  float x = 1, sum = 0;
  void* const pointers[] = {&x, &x, &sum};
  const i64 outer[] = {0, 0, 0}, inner[] = {4, i64{1} << 40, 4};
  add(pointers, 2, 1, outer, inner);
  EXPECT_EQ(jit_->status().code(), StatusCode::kResourceExhausted) << jit_->status().ToString();
  EXPECT_EQ(sum, 0);
}

// As everywhere: what LLVM would make with a function of libm cannot be used.
TEST_F(EmulatorTest, CodeFindsNoOtherFunctions) {
  const auto folder = *TemporaryFolder::Create();
  const std::string source = folder->At("code.s"), object = folder->At("code.o");
  ASSERT_TRUE(WriteFile(source, ".globl kernel\nkernel: b expf\n").ok());
  ASSERT_TRUE(RunTool({*FindTool("aarch64-linux-gnu-as"), "-o", object, source}).ok());
  const std::string library = folder->At("code.so");
  ASSERT_TRUE(RunTool({*FindTool("aarch64-linux-gnu-ld"), "-shared", "-o", library, object}).ok());
  const Status loaded = (*Emulator::Shared())->Load(library).status();
  EXPECT_EQ(loaded.code(), StatusCode::kInternal);
  EXPECT_NE(loaded.message().find("expf"), std::string::npos) << loaded.ToString();
}

TEST(EmulatorTools, AreNamedWhenTheyAreMissing) {
  const std::string path = std::getenv("PATH");
  setenv("PATH", "/nowhere", 1);
  const Status missing = CanRun(kIsa);
  setenv("PATH", path.c_str(), 1);
  if (JitTarget::kIsAarch64) GTEST_SKIP() << "needs none";
  EXPECT_EQ(missing.code(), StatusCode::kFailedPrecondition);
  EXPECT_NE(missing.message().find("native: there is no llc-"), std::string::npos)
      << missing.ToString();
}

}  // namespace
}  // namespace axle
