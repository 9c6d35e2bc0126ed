// Modules on the native engine, through the client: the bits of the interpreter.
#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <thread>

#include "axle/client/arguments.h"
#include "axle/client/client.h"
#include "axle/core/strings.h"

namespace axle {
namespace {

class NativeEngineTest : public testing::Test {
 protected:
  void SetUp() override {
    auto client = Client::Create();
    ASSERT_TRUE(client.ok()) << client.status().message();
    client_ = *std::move(client);
  }

  StatusOr<Literal> RunOn(std::string_view text, std::span<const Literal> arguments,
                          EngineKind engine) {
    AXLE_ASSIGN(const auto executable, client_->Compile(text, {.engine = engine}));
    return executable->Execute(arguments);
  }

  void ExpectSame(std::string_view text, std::vector<std::string_view> arguments) {
    std::vector<Literal> values;
    for (std::string_view argument : arguments) values.push_back(*ParseLiteral(argument));
    const auto expected = RunOn(text, values, EngineKind::kInterpret);
    const auto actual = RunOn(text, values, EngineKind::kNative);
    ASSERT_TRUE(expected.ok()) << expected.status().message();
    ASSERT_TRUE(actual.ok()) << actual.status().message();
    EXPECT_TRUE(SameValue(*expected, *actual)) << expected->ToString() << "\n"
                                               << actual->ToString();
  }

  std::unique_ptr<Client> client_;
};

TEST_F(NativeEngineTest, CodeForV2HasNeitherAvxNorFusedInstructions) {
  const std::string text =
      "ENTRY e { x = f32[999] parameter(0)  ROOT y = f32[999] exponential(x) }";
  for (const NativeIsa isa : {NativeIsa::kV2, NativeIsa::kAvx2}) {
    std::string code;
    const auto executable = client_->Compile(
        text, {.engine = EngineKind::kNative,
               .isa = isa,
               .debug = {.on_assembly = [&](std::string_view more) { code += more; }}});
    ASSERT_TRUE(executable.ok()) << executable.status().message();
    const bool is_v2 = isa == NativeIsa::kV2;
    EXPECT_EQ(code.find("ymm") == code.npos, is_v2);
    EXPECT_EQ(code.find("vfmadd") == code.npos, is_v2);
    EXPECT_EQ(code.find("axle_fma_f32") != code.npos, is_v2);
  }
}

TEST_F(NativeEngineTest, ChainsWithBroadcastScalarsOfEveryOrigin) {
  ExpectSame(R"(
ENTRY e {
  a = f32[] parameter(0)
  x = f32[3,5] parameter(1)
  two = f32[] constant(2)
  b = f32[3,5] broadcast(two), dimensions={}
  a2 = f32[] add(a, two)
  s = f32[3,5] broadcast(a2), dimensions={}
  m = f32[3,5] multiply(x, s)
  t = f32[3,5] tanh(m)
  u = f32[3,5] add(t, b)
  p = pred[3,5] compare(u, b), direction=GT
  w = f32[3,5] select(p, u, s)
  ROOT r = (f32[3,5], pred[3,5], f32[3,5], f32[], f32[3,5]) tuple(w, p, b, a2, x)
})",
             {"f32[] 0.75", "f32[3,5] {{1,2,3,4,5},{-1,-2,-3,-4,-5},{0.1,0.2,nan,inf,-0.0}}"});
}

TEST_F(NativeEngineTest, SizesZeroAndOneAndSeveralShapes) {
  ExpectSame(R"(
ENTRY e {
  x = f32[0] parameter(0)
  y = bf16[1] parameter(1)
  z = s8[3] parameter(2)
  a = f32[0] exponential(x)
  b = bf16[1] exponential(y)
  c = s8[3] multiply(z, z)
  d = f32[3] convert(z)
  ROOT r = (f32[0], bf16[1], s8[3], f32[3]) tuple(a, b, c, d)
})",
             {"f32[0] {}", "bf16[1] {1.5}", "s8[3] {100, -128, 3}"});
}

TEST_F(NativeEngineTest, ResultsThatAreNoKernel) {
  ExpectSame("ENTRY e { ROOT x = f32[2] parameter(0) }", {"f32[2] {1, 2}"});
  ExpectSame("ENTRY e { ROOT c = s32[2] constant({3, 4}) }", {});
  ExpectSame("ENTRY e { x = f32[] parameter(0) ROOT b = f32[2,2] broadcast(x), dimensions={} }",
             {"f32[] 7"});
  ExpectSame(R"(
ENTRY e {
  t = (f32[2], (s32[], f32[2])) parameter(0)
  u = (s32[], f32[2]) get-tuple-element(t), index=1
  y = f32[2] get-tuple-element(u), index=1
  x = f32[2] get-tuple-element(t), index=0
  s = f32[2] add(x, y)
  ROOT r = ((s32[], f32[2]), f32[2]) tuple(u, s)
})",
             {"(f32[2], (s32[], f32[2])) ({1, 2}, (5, {10, 20}))"});
}

// A barrier copies nothing: its operand and its result are one array, which updates in place, loops
// and donated arguments must not change for who reads it under the other name.
TEST_F(NativeEngineTest, TwoNamesOfOneArray) {
  std::string numbers = "s32[400] {";
  for (int i = 0; i < 400; ++i) StrAppend(numbers, i == 0 ? "" : ", ", i);
  StrAppend(numbers, "}");
  ExpectSame(R"(
ENTRY e {
  x = s32[400] parameter(0)
  i = s32[] parameter(1)
  u = s32[2] parameter(2)
  a = s32[400] negate(x)
  b = s32[400] opt-barrier(a)
  c = s32[400] dynamic-update-slice(b, u, i)
  d = s32[400] add(a, c)
  e = s32[400] opt-barrier(d)
  f = s32[400] dynamic-update-slice(d, u, i)
  g = s32[400] opt-barrier(f)
  j = s32[] constant(3)
  v = s32[1] constant({77})
  h = s32[400] dynamic-update-slice(g, v, j)
  ROOT r = (s32[400], s32[400], s32[400], s32[400]) tuple(c, e, h, e)
})",
             {numbers, "s32[] 7", "s32[2] {-5, -6}"});
  // Arguments, given back twice; one is replaced by the other one.
  ExpectSame(R"(
HloModule m, input_output_alias={ {0}: (1, {}, may-alias), {1}: (0, {}, may-alias) }
ENTRY e {
  x = s32[3] parameter(0)
  y = s32[3] parameter(1)
  t = (s32[3], s32[3]) tuple(x, y)
  b = (s32[3], s32[3]) opt-barrier(t)
  p = s32[3] get-tuple-element(b), index=0
  q = s32[3] get-tuple-element(b), index=1
  n = s32[3] negate(p)
  z = s32[3] add(q, x)
  ROOT r = (s32[3], s32[3], s32[3], s32[3]) tuple(p, n, q, z)
})",
             {"s32[3] {1, 2, 3}", "s32[3] {40, 50, 60}"});
  // A loop whose two states start as one array and change places behind barriers.
  ExpectSame(R"(
body {
  s = (s32[], s32[300], s32[300]) parameter(0)
  sb = (s32[], s32[300], s32[300]) opt-barrier(s)
  i = s32[] get-tuple-element(sb), index=0
  x = s32[300] get-tuple-element(sb), index=1
  y = s32[300] get-tuple-element(s), index=2
  one = s32[] constant(1)
  i1 = s32[] add(i, one)
  e = s32[1] dynamic-slice(x, i), dynamic_slice_sizes={1}
  d = s32[1] add(e, e)
  z = s32[300] dynamic-update-slice(y, d, i1)
  t = (s32[], s32[300], s32[300]) tuple(i1, z, x)
  ROOT tb = (s32[], s32[300], s32[300]) opt-barrier(t)
}
condition {
  s = (s32[], s32[300], s32[300]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(251)
  ROOT l = pred[] compare(i, n), direction=LT
}
ENTRY e {
  k = s32[] parameter(0)
  p = s32[300] broadcast(k), dimensions={}
  a = s32[300] opt-barrier(p)
  b = s32[300] opt-barrier(p)
  zero = s32[] constant(0)
  init = (s32[], s32[300], s32[300]) tuple(zero, a, b)
  w = (s32[], s32[300], s32[300]) while(init), condition=condition, body=body
  x = s32[300] get-tuple-element(w), index=1
  y = s32[300] get-tuple-element(w), index=2
  d = s32[300] subtract(y, x)
  ROOT r = (s32[300], s32[300]) tuple(d, p)
})",
             {"s32[] 3"});
}

TEST_F(NativeEngineTest, TheFrontOfAnArrayIsNoPlaceForWiderElements) {
  const char* text = R"(
ENTRY e {
  p = f32[4000] parameter(0)
  u = f32[1] parameter(1)
  i = s32[] parameter(2)
  x = f32[4000] dynamic-update-slice(p, u, i)
  y = f32[2000] slice(x), slice={[0:2000]}
  ROOT z = f64[2000] convert(y)
})";
  Literal p{Shape(F32, {4000})};
  float next = 0;
  for (float& element : p.mutable_data<float>()) element = next++;
  const std::vector<Literal> arguments = {p, *ParseLiteral("f32[1] {-1}"),
                                          *ParseLiteral("s32[] 7")};
  const auto expected = RunOn(text, arguments, EngineKind::kInterpret);
  const auto actual = RunOn(text, arguments, EngineKind::kNative);
  ASSERT_TRUE(expected.ok() && actual.ok()) << actual.status().message();
  EXPECT_TRUE(*expected == *actual);
}

TEST_F(NativeEngineTest, ArgumentsOfAnyLayout) {
  const char* text = "ENTRY e { x = f32[2,3] parameter(0) ROOT r = f32[2,3] negate(x) }";
  Literal value = *ParseLiteral("f32[2,3] {{1,2,3},{4,5,6}}");
  Layout columns;
  columns.minor_to_major = {0, 1};
  const Literal turned = value.Relayout(columns);
  const auto result = RunOn(text, {&turned, 1}, EngineKind::kNative);
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result->ToString(), "{ { -1, -2, -3 }, { -4, -5, -6 } }");
}

TEST_F(NativeEngineTest, ResultsOutliveBorrowedArguments) {
  const auto executable =
      client_->Compile("ENTRY e { ROOT x = f32[3] parameter(0) }", {.engine = EngineKind::kNative});
  ASSERT_TRUE(executable.ok()) << executable.status().message();
  std::vector<float> memory = {1, 2, 3};
  const Literal view = Literal::View(Shape(F32, {3}), memory.data());
  const auto result = (*executable)->Execute({&view, 1});
  ASSERT_TRUE(result.ok()) << result.status().message();
  memory = {7, 8, 9};
  EXPECT_EQ(result->ToString(), "{1, 2, 3}");
}

TEST_F(NativeEngineTest, TheMemoryLimitHolds) {
  const auto executable =
      client_->Compile("ENTRY e { x = f32[1000] parameter(0) ROOT r = f32[1000] negate(x) }",
                       {.engine = EngineKind::kNative});
  ASSERT_TRUE(executable.ok()) << executable.status().message();
  Limits limits;
  limits.set_memory_cap(1000);
  const Literal x{Shape(F32, {1000})};
  const auto result = (*executable)->Execute({&x, 1}, {.limits = &limits});
  EXPECT_EQ(result.status().code(), StatusCode::kResourceExhausted);
}

TEST_F(NativeEngineTest, BoundsThatAreConstants) {
  for (const std::string_view type : {"f32", "f64", "bf16", "f16"}) {
    for (const std::string_view op : {"maximum", "minimum"}) {
      for (const std::string_view bound : {"0", "-0", "1.5", "-1.5", "inf", "-inf", "nan"}) {
        std::string text =
            StrCat("ENTRY e { x = ", type, "[11] parameter(0) c = ", type, "[] constant(", bound,
                   ") b = ", type, "[11] broadcast(c), dimensions={} l = ", type, "[11] ", op,
                   "(b, x) r = ", type, "[11] ", op, "(x, b) ROOT t = (", type, "[11], ", type,
                   "[11]) tuple(l, r) }");
        SCOPED_TRACE(text);
        const std::string argument =
            StrCat(type, "[11] {0, -0.0, 1.5, -1.5, 1, -1, 2, -2, inf, -inf, nan}");
        ExpectSame(text, {argument});
      }
    }
  }
}

// One loop with as many results as a loop can have, and more.
TEST_F(NativeEngineTest, HundredsOfResults) {
  constexpr int kResults = 600;
  std::string body, shapes, names;
  for (int i = 0; i < kResults; ++i) {
    body += StrCat("y", i, " = f32[5] ", i % 2 == 0 ? "add" : "multiply", "(x, ",
                   i < 2 ? "x" : StrCat("y", i - 2), ")\n");
    shapes += StrCat(i == 0 ? "" : ", ", "f32[5]");
    names += StrCat(i == 0 ? "y" : ", y", i);
  }
  ExpectSame(StrCat("ENTRY e {\nx = f32[5] parameter(0)\n", body, "ROOT t = (", shapes, ") tuple(",
                    names, ")\n}"),
             {"f32[5] {1, -2, 0.5, 1e-3, nan}"});
}

// Values whose sizes add up to more than fits into 63 bits.
TEST_F(NativeEngineTest, FramesBeyondAllMemoryAreRefused) {
  std::string text = R"(
less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT p = pred[] compare(a, b), direction=LT }
ENTRY e {
  x = f32[] parameter(0)
  sorted.0 = f32[400000000,1000000000] broadcast(x), dimensions={}
)";
  for (int i = 1; i <= 8; ++i) {
    text += StrCat("sorted.", i, " = f32[400000000,1000000000] sort(sorted.", i - 1,
                   "), dimensions={0}, to_apply=less\n");
  }
  text += "sum.1 = f32[400000000,1000000000] add(sorted.1, sorted.8)\n";
  for (int i = 2; i < 8; ++i) {
    text += StrCat("sum.", i, " = f32[400000000,1000000000] add(", StrCat("sum.", i - 1),
                   ", sorted.", i, ")\n");
  }
  text += "ROOT r = f32[1,1] slice(sum.7), slice={[0:1],[0:1]} }";
  const std::vector<Literal> arguments = {Literal::Scalar<float>(F32, 1)};
  const auto result = RunOn(text, arguments, EngineKind::kNative);
  EXPECT_EQ(result.status().code(), StatusCode::kResourceExhausted);
  EXPECT_NE(result.status().message().find("the most at \""), std::string::npos)
      << result.status().message();
}

// Large enough that threads share the work: loops, folds of rows and columns, of more than one
// chunk too, a product.
TEST_F(NativeEngineTest, AnyNumberOfThreadsGivesTheSameBits) {
  constexpr std::string_view kText = R"(
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
max { a = f32[] parameter(0) b = f32[] parameter(1) ROOT m = f32[] maximum(a, b) }
ENTRY e {
  x = f32[537,1000] parameter(0)
  w = f32[1000,133] parameter(1)
  zero = f32[] constant(0)
  low = f32[] constant(-inf)
  m = f32[537] reduce(x, low), dimensions={1}, to_apply=max
  mb = f32[537,1000] broadcast(m), dimensions={0}
  d = f32[537,1000] subtract(x, mb)
  ex = f32[537,1000] exponential(d)
  s = f32[537] reduce(ex, zero), dimensions={1}, to_apply=add
  sb = f32[537,1000] broadcast(s), dimensions={0}
  r = f32[537,1000] divide(ex, sb)
  c = f32[1000] reduce(x, zero), dimensions={0}, to_apply=add
  all = f32[] reduce(x, zero), dimensions={0,1}, to_apply=add
  t = f32[537,133] dot(r, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  long = f32[26850,20] reshape(x)
  lc = f32[20] reduce(long, zero), dimensions={0}, to_apply=add
  turned = f32[20,26850] transpose(long), dimensions={1,0}
  lr = f32[20] reduce(turned, zero), dimensions={1}, to_apply=add
  ROOT q = (f32[537,1000], f32[1000], f32[], f32[537,133], f32[20], f32[20]) tuple(r, c, all, t, lc, lr)
})";
  std::vector<Literal> arguments = {Literal(Shape(F32, {537, 1000})),
                                    Literal(Shape(F32, {1000, 133}))};
  std::uint32_t state = 1;
  for (Literal& argument : arguments) {
    for (float& x : argument.mutable_data<float>()) {
      state = state * 1664525 + 1013904223;
      x = static_cast<float>(static_cast<std::int32_t>(state)) * 0x1p-30f;
    }
  }
  const auto expected = RunOn(kText, arguments, EngineKind::kInterpret);
  ASSERT_TRUE(expected.ok()) << expected.status().message();
  for (const int num_threads : {1, 2, 7}) {
    const auto client = Client::Create({.num_threads = num_threads});
    ASSERT_TRUE(client.ok());
    const auto executable = (*client)->Compile(kText, {.engine = EngineKind::kNative});
    ASSERT_TRUE(executable.ok()) << executable.status().message();
    for (int run = 0; run < 3; ++run) {
      const auto result = (*executable)->Execute(arguments);
      ASSERT_TRUE(result.ok()) << result.status().message();
      const auto difference = FirstDifference(*expected, *result);
      EXPECT_FALSE(difference) << num_threads << " threads: " << difference->ToString();
    }
  }
}

TEST_F(NativeEngineTest, UnknownTargetsAreRefused) {
  const auto result = client_->Compile("ENTRY e { ROOT x = f32[] parameter(0) }",
                                       {.engine = EngineKind::kNative, .codegen_level = 3});
  EXPECT_EQ(result.status().message(), "compile: codegen level is 3, must be 0, 1 or 2");
}

TEST_F(NativeEngineTest, ThreadsShareAnExecutable) {
  const auto executable =
      client_->Compile("ENTRY e { x = f32[1000] parameter(0) ROOT r = f32[1000] sine(x) }",
                       {.engine = EngineKind::kNative});
  ASSERT_TRUE(executable.ok()) << executable.status().message();
  Literal x{Shape(F32, {1000})};
  for (int i = 0; i < 1000; ++i) x.mutable_data<float>()[i] = static_cast<float>(i) * 0.37f;
  const auto expected = (*executable)->Execute({&x, 1});
  ASSERT_TRUE(expected.ok());
  std::vector<std::thread> threads;
  std::vector<int> same(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        const auto result = (*executable)->Execute({&x, 1});
        same[t] += result.ok() && *result == *expected;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(same, std::vector<int>(4, 50));
}

// 60 loops that are all different, of different sizes.
std::string ManyLoops() {
  constexpr int kLoops = 60;
  std::string text = "ENTRY e {\n", results, shapes;
  for (int k = 0; k < kLoops; ++k) {
    const std::string shape = StrCat("f32[", 200 + k, "]");
    const std::string x = StrCat("x", k);
    text +=
        StrCat("  ", x, " = ", shape, " parameter(", k, ")\n  c", k, " = f32[] constant(", k,
               ")\n  b", k, " = ", shape, " broadcast(c", k, "), dimensions={}\n  sum", k, " = ",
               shape, " add(", x, ", b", k, ")\n  r", k, " = ", shape, " tanh(sum", k, ")\n");
    results += StrCat(k == 0 ? "" : ", ", "r", k);
    shapes += StrCat(k == 0 ? "" : ", ", shape);
  }
  return StrCat(text, "  ROOT t = (", shapes, ") tuple(", results, ")\n}\n");
}

TEST_F(NativeEngineTest, ManyKernelsAreCompiledByManyThreads) {
  const std::string text = ManyLoops();
  std::vector<Literal> arguments;
  for (int k = 0; k < 60; ++k) {
    arguments.push_back(Literal(Shape(F32, {200 + k})));
    std::ranges::fill(arguments.back().mutable_data<float>(), static_cast<float>(k) / 16 - 30);
  }
  const auto expected = RunOn(text, arguments, EngineKind::kInterpret);
  ASSERT_TRUE(expected.ok()) << expected.status().message();
  for (const int num_threads : {1, 2, 5, 64}) {
    const auto client = Client::Create({.num_threads = num_threads});
    ASSERT_TRUE(client.ok());
    const auto executable = (*client)->Compile(text, {.engine = EngineKind::kNative});
    ASSERT_TRUE(executable.ok()) << executable.status().message();
    const auto actual = (*executable)->Execute(arguments);
    ASSERT_TRUE(actual.ok()) << actual.status().message();
    EXPECT_TRUE(SameValue(*expected, *actual)) << num_threads;
    Limits limits;
    limits.Cancel();
    EXPECT_EQ((*client)
                  ->Compile(text, {.engine = EngineKind::kNative, .limits = &limits})
                  .status()
                  .code(),
              StatusCode::kCancelled);
  }
}

std::atomic<int> signals_taken = 0;

// They run the handlers of the program on threads that it does not know otherwise.
TEST_F(NativeEngineTest, ThreadsThatCompileTakeNoSignals) {
  signals_taken = 0;
  struct sigaction action = {}, before = {};
  action.sa_handler = [](int) { ++signals_taken; };
  sigaction(SIGUSR1, &action, &before);
  sigset_t one, mask_before;
  sigemptyset(&one);
  sigaddset(&one, SIGUSR1);
  pthread_sigmask(SIG_UNBLOCK, &one, &mask_before);
  int num_sent = 0;
  Limits limits;
  // Sent while the other threads compile, to whoever takes it: not to this one.
  limits.set_progress([&](double) {
    pthread_sigmask(SIG_BLOCK, &one, nullptr);
    num_sent += kill(getpid(), SIGUSR1) == 0 ? 1 : 0;
  });
  const auto client = *Client::Create({.num_threads = 5});
  EXPECT_TRUE(
      client->Compile(ManyLoops(), {.engine = EngineKind::kNative, .limits = &limits}).ok());
  EXPECT_GT(num_sent, 0);
  EXPECT_EQ(signals_taken, 0);
  pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
  EXPECT_EQ(signals_taken, 1);
  pthread_sigmask(SIG_SETMASK, &mask_before, nullptr);
  sigaction(SIGUSR1, &before, nullptr);
}

// At level 1 what memory decides about is compiled at level 0, and what stays in caches is not.
TEST_F(NativeEngineTest, TheKindOfAKernelChoosesItsLevel) {
  const std::string_view light =
      "ENTRY e { x = f32[100] parameter(0) ROOT r = f32[100] add(x, x) }";
  const std::string_view functions =
      "ENTRY e { x = f32[100] parameter(0) ROOT r = f32[100] exponential(x) }";
  const std::string_view quotients =
      "ENTRY e { x = f32[100] parameter(0) y = f32[] parameter(1)\n"
      "  z = f32[] add(y, y) b = f32[100] broadcast(z), dimensions={}\n"
      "  ROOT r = f32[100] divide(x, b) }";
  const std::string_view any_quotients =
      "ENTRY e { x = f32[100] parameter(0) y = f32[100] parameter(1)\n"
      "  ROOT r = f32[100] divide(x, y) }";
  const std::string_view folds =
      "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }\n"
      "ENTRY e { x = f32[9,100] parameter(0) z = f32[] constant(0)\n"
      "  ROOT r = f32[9] reduce(x, z), dimensions={1}, to_apply=add }";
  const std::string_view few =
      "next { a = f32[] parameter(0) ROOT r = f32[] add(a, a) }\n"
      "goes_on { a = f32[] parameter(0) b = f32[] constant(9)\n"
      "  ROOT r = pred[] compare(a, b), direction=LT }\n"
      "ENTRY e { x = f32[] parameter(0) ROOT r = f32[] while(x), condition=goes_on, body=next }";
  struct Case {
    std::string_view text;
    int asked, level;
  };
  for (const auto& [text, asked, level] : std::initializer_list<Case>{{light, 0, 0},
                                                                      {light, 1, 0},
                                                                      {light, 2, 2},
                                                                      {functions, 0, 0},
                                                                      {functions, 1, 1},
                                                                      {quotients, 0, 0},
                                                                      {quotients, 1, 1},
                                                                      {any_quotients, 1, 0},
                                                                      {folds, 1, 1},
                                                                      {folds, 2, 2},
                                                                      {few, 0, 1},
                                                                      {few, 1, 1},
                                                                      {few, 2, 2}}) {
    std::string code;
    const auto executable = client_->Compile(
        text, {.engine = EngineKind::kNative,
               .codegen_level = asked,
               .debug = {.on_llvm = [&](std::string_view more) { code += more; }}});
    ASSERT_TRUE(executable.ok()) << executable.status().message();
    EXPECT_NE(code.find(StrCat("!\"axle.codegen_level\", i32 ", level)), code.npos)
        << text << ", asked for " << asked;
  }
}

TEST_F(NativeEngineTest, SumsOfRowsFromMemoryFetchAhead) {
  for (const int columns : {4099, 301}) {
    const std::string text = StrCat(
        "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }\n"
        "ENTRY e { x = f32[3100,",
        columns, "] parameter(0) z = f32[] constant(0) ROOT r = f32[3100] reduce(x, z), ",
        "dimensions={1}, to_apply=add }");
    std::string code;
    const auto executable = client_->Compile(
        text, {.engine = EngineKind::kNative,
               .debug = {.on_llvm = [&](std::string_view more) { code += more; }}});
    ASSERT_TRUE(executable.ok()) << executable.status().message();
    EXPECT_EQ(code.find("call void @llvm.prefetch") != code.npos, columns > 4096);
    Literal x{Shape(F32, {3100, columns})};
    int i = 0;
    for (float& element : x.mutable_data<float>()) {
      element = static_cast<float>(i++ % 977) * 0.37f - 150;
    }
    const auto expected = RunOn(text, {&x, 1}, EngineKind::kInterpret);
    const auto actual = (*executable)->Execute({&x, 1});
    ASSERT_TRUE(expected.ok() && actual.ok());
    EXPECT_TRUE(SameValue(*expected, *actual)) << columns;
  }
}

// Where a kernel has rows of whole turns only, it has no masked tail; where it has others too, it
// is one kernel still, and has one for all of them.
TEST_F(NativeEngineTest, OnlyRowsThatNeedATailHaveOne) {
  using Counts = std::pair<int, int>;  // of kernels and tails
  // The exponentials of three rows of each of these sizes, and their sums along dimension `dim`.
  const auto counts = [&](int dim, const std::vector<int>& sizes) {
    std::string text =
        "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }\n"
        "ENTRY e {\n  z = f32[] constant(0)\n";
    std::string results, shapes;
    std::vector<Literal> arguments;
    for (size_t i = 0; i < sizes.size(); ++i) {
      const std::string shape = StrCat("f32[3,", sizes[i], "]"), n = StrCat(i);
      const std::string sums = StrCat("f32[", dim == 1 ? 3 : sizes[i], "]");
      StrAppend(text, "  x", n, " = ", shape, " parameter(", n, ")\n  e", n, " = ", shape,
                " exponential(x", n, ")\n  t", n, " = ", sums, " reduce(e", n, ", z), dimensions={",
                dim, "}, to_apply=add\n");
      StrAppend(results, i == 0 ? "" : ", ", "e", n, ", t", n);
      StrAppend(shapes, i == 0 ? "" : ", ", shape, ", ", sums);
      arguments.push_back(*FakeLiteral(Shape(F32, {3, sizes[i]}), "random:1", sizes[i]));
    }
    StrAppend(text, "  ROOT r = (", shapes, ") tuple(", results, ") }");
    std::string code;
    const auto executable = client_->Compile(
        text, {.engine = EngineKind::kNative,
               .debug = {.on_llvm = [&](std::string_view more) { code += more; }}});
    EXPECT_TRUE(executable.ok()) << executable.status().message();
    if (!executable.ok()) return Counts(-1, -1);
    const auto expected = RunOn(text, arguments, EngineKind::kInterpret);
    const auto actual = (*executable)->Execute(arguments);
    EXPECT_TRUE(expected.ok() && actual.ok() && SameValue(*expected, *actual)) << text;
    const auto count = [&](std::string_view what) {
      int times = 0;
      for (size_t at = 0; (at = code.find(what, at)) != code.npos; ++at) ++times;
      return times;
    };
    return Counts(count("\ndefine "), count("\nrest"));
  };
  for (const int dim : {0, 1}) {
    const auto [kernels, tails] = counts(dim, {1000});
    EXPECT_EQ(kernels, 1) << dim;
    EXPECT_GT(tails, 0) << dim;
    EXPECT_EQ(counts(dim, {1024}), Counts(1, 0)) << dim;
    EXPECT_EQ(counts(dim, {640, 64 * 9, 2048}), Counts(1, 0)) << dim;
    EXPECT_EQ(counts(dim, {1024, 1000, 640}), Counts(1, tails)) << dim;
    EXPECT_EQ(counts(dim, {1000, 1024}), Counts(1, tails)) << dim;
  }
}

// Numbers are operands of kernels where they select no code.
TEST_F(NativeEngineTest, LoopsThatDifferInAConstantAreOneKernel) {
  for (const ElementType element : {F32, F64, BF16, F16, C64}) {
    const std::string_view type = Name(element);
    std::string text = "ENTRY e {\n", results, shapes;
    std::vector<Literal> arguments;
    for (const int n : {1, 5, 65, 1000}) {
      const std::string array = StrCat(type, "[", n, "]"), i = StrCat(n);
      StrAppend(text, "  x", i, " = ", array, " parameter(", arguments.size(), ")\n  c", i, " = ",
                type, "[] constant(",
                IsComplex(element) ? StrCat("(", n, ".5, 3)") : StrCat(n, ".5"), ")\n  b", i, " = ",
                array, " broadcast(c", i, "), dimensions={}\n  w", i, " = ", array, " negate(x", i,
                ")\n  m", i, " = ", array, " multiply(w", i, ", b", i, ")\n  a", i, " = ", array,
                " add(b", i, ", m", i, ")\n");
      StrAppend(results, results.empty() ? "" : ", ", "a", i);
      StrAppend(shapes, shapes.empty() ? "" : ", ", array);
      auto x = FakeLiteral(Shape(element, {n}), "random:1", n);
      ASSERT_TRUE(x.ok());
      arguments.push_back(*std::move(x));
    }
    StrAppend(text, "  ROOT r = (", shapes, ") tuple(", results, ") }");
    std::string code;
    const auto executable = client_->Compile(
        text, {.engine = EngineKind::kNative,
               .debug = {.on_llvm = [&](std::string_view more) { code += more; }}});
    ASSERT_TRUE(executable.ok()) << executable.status().message();
    const size_t first = code.find("\ndefine ");
    EXPECT_NE(first, code.npos);
    // One position is read as neighbours are: a kernel of its own.
    const size_t second = code.find("\ndefine ", first + 1);
    EXPECT_NE(second, code.npos);
    EXPECT_EQ(code.find("\ndefine ", second + 1), code.npos) << type;
    const auto expected = RunOn(text, arguments, EngineKind::kInterpret);
    const auto actual = (*executable)->Execute(arguments);
    EXPECT_TRUE(expected.ok() && actual.ok() && SameValue(*expected, *actual)) << text;
  }
}

// The compiler's threads would end the process.
TEST_F(NativeEngineTest, WhatIsThrownWhileKernelsAreCompiledIsAnError) {
  const auto executable = client_->Compile(
      "HloModule m ENTRY e { x = f32[8] parameter(0) ROOT y = f32[8] add(x, x) }",
      {.engine = EngineKind::kNative,
       .debug = {.on_llvm = [](std::string_view) { throw std::runtime_error("no"); }}});
  EXPECT_EQ(executable.status().ToString(),
            "INTERNAL: the on_llvm callback threw an exception: no");
}

TEST_F(NativeEngineTest, ACancelledRunStops) {
  const auto executable =
      client_->Compile("ENTRY e { x = f32[8] parameter(0) ROOT r = f32[8] negate(x) }",
                       {.engine = EngineKind::kNative});
  ASSERT_TRUE(executable.ok());
  Limits limits;
  limits.Cancel();
  const Literal x{Shape(F32, {8})};
  const auto result = (*executable)->Execute({&x, 1}, {.limits = &limits});
  EXPECT_EQ(result.status().code(), StatusCode::kCancelled);
}

#if defined(__x86_64__)
TEST_F(NativeEngineTest, TheHostsFloatingPointModeChangesNothing) {
  const auto executable = client_->Compile(
      "ENTRY e { x = f32[2] parameter(0) y = f32[2] multiply(x, x) ROOT r = f32[2] add(y, x) }",
      {.engine = EngineKind::kNative});
  ASSERT_TRUE(executable.ok());
  const Literal x = *ParseLiteral("f32[2] {1e-40, 0.1}");
  const auto expected = (*executable)->Execute({&x, 1});
  ASSERT_TRUE(expected.ok());
  const unsigned before = __builtin_ia32_stmxcsr();
  const unsigned mode = 0x1f80 | 0x8040 | 0x4000;  // flush to zero, denormals are zero, upward
  __builtin_ia32_ldmxcsr(mode);
  const auto actual = (*executable)->Execute({&x, 1});
  const unsigned after = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr(before);
  ASSERT_TRUE(actual.ok());
  EXPECT_TRUE(*actual == *expected) << actual->ToString() << " " << expected->ToString();
  EXPECT_EQ(after & ~0x3fu, mode);
}
#endif

}  // namespace
}  // namespace axle
