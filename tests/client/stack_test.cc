// Programs nested as deep as may be, on threads with little stack: a status, or the result.
#include <gtest/gtest.h>
#include <pthread.h>

#include "axle/client/client.h"
#include "axle/core/stack_room.h"
#include "axle/core/strings.h"
#include "tests/sanitizers.h"

namespace axle {
namespace {

// Loops of one turn each inside of each other, around an addition.
std::string NestedLoops(int depth) {
  std::string text = R"(
b0 {
  s = (s32[], f32[64]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[64] get-tuple-element(s), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  y = f32[64] add(x, x)
  ROOT t = (s32[], f32[64]) tuple(j, y)
}
)";
  for (int d = 1; d < depth; ++d) {
    StrAppend(text, "c", d,
              " {\n  s = (s32[], f32[64]) parameter(0)\n  i = s32[] get-tuple-element(s), "
              "index=0\n  n = s32[] constant(1)\n"
              "  ROOT r = pred[] compare(i, n), direction=LT\n}\n");
    StrAppend(
        text, "b", d,
        " {\n  s = (s32[], f32[64]) parameter(0)\n  x = f32[64] get-tuple-element(s), index=1\n"
        "  z = s32[] constant(0)\n  t = (s32[], f32[64]) tuple(z, x)\n  ROOT w = (s32[], f32[64]) "
        "while(t), condition=c",
        d, ", body=b", d - 1, "\n}\n");
  }
  StrAppend(text,
            "ENTRY e {\n  x = f32[64] parameter(0)\n  z = s32[] constant(0)\n  t = (s32[], "
            "f32[64]) tuple(z, x)\n"
            "  c = (s32[], f32[64]) call(t), to_apply=b",
            depth - 1, "\n  ROOT r = f32[64] get-tuple-element(c), index=1\n}\n");
  return text;
}

struct RunInThread {
  const Executable* executable;
  StatusOr<Literal> result = Literal();
  i64 left = 0;
  static void* Main(void* argument) {
    auto& run = *static_cast<RunInThread*>(argument);
    run.left = StackBytesLeft();
    const Literal x(Shape(F32, {64}));
    run.result = run.executable->Execute({x});
    return nullptr;
  }
};

RunInThread RunOnStack(const Executable& executable, size_t bytes) {
  RunInThread run{&executable};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  EXPECT_EQ(pthread_attr_setstacksize(&attributes, bytes), 0);
  pthread_t thread;
  EXPECT_EQ(pthread_create(&thread, &attributes, &RunInThread::Main, &run), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  return run;
}

TEST(Stack, DeepProgramsEndWithAStatusOnSmallOnes) {
  const std::string text = NestedLoops(450);
  for (const EngineKind engine : {EngineKind::kInterpret, EngineKind::kDefault}) {
    auto client = Client::Create({.num_threads = 1});
    CompileOptions options;
    options.engine = engine;
    options.debug.run_passes = false;
    const auto executable = (*client)->Compile(text, options);
    ASSERT_TRUE(executable.ok()) << executable.status().message();
    for (const size_t kib : {256, 512, 1024, 2048, 8192}) {
      const RunInThread run = RunOnStack(**executable, kib << 10);
      EXPECT_GT(run.left, 0);  // of a larger stack, if the system has kept one
      if (run.result.ok()) continue;
      EXPECT_EQ(run.result.status().code(), StatusCode::kResourceExhausted);
      EXPECT_NE(run.result.status().message().find("of its stack left; a thread with 2 MiB"),
                std::string::npos)
          << run.result.status().message();
      EXPECT_TRUE(kib < 2048 || kAddressSanitizer || kThreadSanitizer)
          << run.result.status().message();
    }
  }
}

}  // namespace
}  // namespace axle
