// Several devices of one client, many threads at a time, and what a host may do to a process: fork,
// signals, another floating-point mode.
#include <gtest/gtest.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xmmintrin.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "axle/client/client.h"
#include "axle/core/strings.h"
#include "axle/runtime/custom_call_registry.h"
#include "axle/runtime/host_device.h"
#include "tests/sanitizers.h"

namespace axle {
namespace {

Literal Parsed(std::string_view text) {
  return *ParseLiteral(text);
}

constexpr std::string_view kTwice =
    "ENTRY main { x = f32[3] parameter(0) ROOT r = f32[3] add(x, x) }";

TEST(ClientDevices, OptionsAreChecked) {
  EXPECT_EQ(Client::Create({.num_devices = 0}).status().message(),
            "client: num_devices is 0, must be 1 to 1024");
  EXPECT_EQ(Client::Create({.num_threads = -1}).status().message(),
            "client: num_threads is -1, must be 0 to 1024");
  EXPECT_EQ(Client::Create({.memory_cap = -1}).status().message(),
            "client: memory_cap is -1, must be >= 0");
  const auto client = *Client::Create({.num_devices = 2});
  EXPECT_EQ(client->Compile(kTwice, {.replicas = 3}).status().message(),
            "compile: 3 replicas x 1 partitions need more devices than the client has, 2");
  EXPECT_EQ(client->Compile(kTwice, {.devices = {2}}).status().message(),
            "compile: there is no device 2, the client has 2");
  EXPECT_EQ(client->Compile(kTwice, {.replicas = -1}).status().message(),
            "compile: replicas is -1 and partitions 1, must be >= 1");
  EXPECT_EQ(client->Compile(std::shared_ptr<const Module>()).status().message(),
            "compile: the module is null");
}

TEST(ClientDevices, EachReplicaHasItsArguments) {
  const auto client = *Client::Create({.num_devices = 4});
  const auto executable = *client->Compile(
      "ENTRY main { x = u32[] parameter(0) r = u32[] replica-id() p = u32[] partition-id() a = "
      "u32[] add(x, r) m = u32[] constant(100) b = u32[] multiply(p, m) ROOT s = u32[] add(a, b) }",
      {.replicas = 2, .partitions = 2});
  std::vector<std::vector<BufferPtr>> arguments;
  for (i64 d = 0; d < 4; ++d) {
    arguments.push_back(
        {*client->BufferFromLiteral(Literal::Scalar<std::uint32_t>(U32, 10 * d), d)});
  }
  const auto results = executable->ExecuteReplicated(arguments);
  ASSERT_TRUE(results.ok()) << results.status().message();
  const std::uint32_t expected[] = {0, 110, 21, 131};
  for (i64 d = 0; d < 4; ++d) {
    EXPECT_EQ((*results)[d][0]->ToLiteral()->data<std::uint32_t>()[0], expected[d]);
    EXPECT_EQ((*results)[d][0]->device().ordinal(), d);
  }
  EXPECT_EQ(
      executable->Execute({Literal()}).status().message(),
      "execute: \"module_main\" runs on 4 devices: ExecuteReplicated takes arguments for each");
  std::swap(arguments[0], arguments[1]);
  EXPECT_EQ(executable->ExecuteReplicated(arguments).status().message(),
            "execute: argument 0 is on cpu:1, but the program runs on cpu:0 (device 0)");
  arguments.pop_back();
  EXPECT_EQ(executable->ExecuteReplicated(arguments).status().message(),
            "execute: \"module_main\" runs on 4 devices, not on 3");
}

TEST(ClientDevices, DevicesSendToEachOther) {
  const auto client = *Client::Create({.num_devices = 2});
  const auto executable = *client->Compile(R"(
ENTRY main { x = f32[] parameter(0)  r = u32[] replica-id()  z = u32[] constant(0)
  first = pred[] compare(r, z), direction=EQ
  ROOT c = f32[] conditional(first, x, x), true_computation={
    a = f32[] parameter(0)  t = token[] after-all()  s = (f32[], u32[], token[]) send(a, t), channel_id=1
    d = token[] send-done(s), channel_id=1  ROOT o = f32[] copy(a) }, false_computation={
    b = f32[] parameter(0)  t2 = token[] after-all()  v = (f32[], u32[], token[]) recv(t2), channel_id=1
    w = (f32[], token[]) recv-done(v), channel_id=1  ROOT g = f32[] get-tuple-element(w), index=0 } })",
                                           {.replicas = 2});
  const auto put = [&](std::string_view text, i64 device) {
    return *client->BufferFromLiteral(Parsed(text), device);
  };
  const auto results = executable->ExecuteReplicated({{put("f32[] 1", 0)}, {put("f32[] 2", 1)}});
  ASSERT_TRUE(results.ok()) << results.status().message();
  EXPECT_EQ((*results)[1][0]->ToLiteral()->ToString(), "1");
}

// Device 0 does what `first` says, the others what `rest` says.
std::string ByDevice(std::string_view first, std::string_view rest) {
  return StrCat(
      "ENTRY main { x = f32[] parameter(0) r = u32[] replica-id() z = u32[] constant(0) p = pred[] "
      "compare(r, z), direction=EQ ROOT c = f32[] conditional(p, x, x), true_computation={ a = "
      "f32[] parameter(0) ",
      first, " }, false_computation={ b = f32[] parameter(0) ", rest, " } }");
}
constexpr std::string_view kTakesInfeed =
    "t = token[] after-all() i = (f32[], token[]) infeed(t) ROOT v = f32[] get-tuple-element(i), "
    "index=0";

class TwoDevices : public testing::Test {
 protected:
  TwoDevices() {
    for (i64 d = 0; d < 2; ++d) x_.push_back({*client_->BufferFromLiteral(Parsed("f32[] 1"), d)});
    EXPECT_TRUE(client_
                    ->RegisterTypedCustomCall(
                        "fail", [](const CustomCallFrame&) { return InvalidArgument("broken"); })
                    .ok());
  }
  Status Run(std::string_view first, std::string_view rest, Limits* limits = nullptr) {
    const auto executable = client_->Compile(ByDevice(first, rest), {.replicas = 2});
    if (!executable.ok()) return executable.status();
    return (*executable)->ExecuteReplicated(x_, {.limits = limits}).status();
  }
  // Its queue holds nothing up.
  bool IsFree(i64 device) {
    const auto executable = *client_->Compile(
        "ENTRY main { x = f32[] parameter(0) ROOT r = f32[] add(x, x) }", {.devices = {device}});
    return executable->ExecuteAsync(x_[device])->done.Await().ok();
  }
  std::unique_ptr<Client> client_ = *Client::Create({.num_devices = 2});
  std::vector<std::vector<BufferPtr>> x_;
};

constexpr std::string_view kCopiesA = "ROOT o = f32[] copy(a)";
constexpr std::string_view kCopiesB = "ROOT o2 = f32[] copy(b)";
constexpr std::string_view kFailsA =
    "ROOT f = f32[] custom-call(a), custom_call_target=\"fail\", api_version=API_VERSION_TYPED_FFI";
constexpr std::string_view kFailsB =
    "ROOT f = f32[] custom-call(b), custom_call_target=\"fail\", api_version=API_VERSION_TYPED_FFI";

TEST_F(TwoDevices, CancelEndsTheRunsOfAll) {
  Limits limits;
  std::thread canceller([&] { limits.Cancel(); });
  EXPECT_EQ(Run(kCopiesA, kTakesInfeed, &limits).code(), StatusCode::kCancelled);
  canceller.join();
  EXPECT_TRUE(IsFree(1));
}

TEST_F(TwoDevices, SoDoesTheTimeLimit) {
  Limits limits;
  limits.set_time_limit(0.01);
  EXPECT_EQ(Run(kCopiesA, kTakesInfeed, &limits).code(), StatusCode::kDeadlineExceeded);
  EXPECT_TRUE(IsFree(1));
}

TEST_F(TwoDevices, AFailureEndsTheRunsOfAll) {
  Limits limits;  // of the caller, which the failure does not cancel
  for (const Status& status : {Run(kFailsA, kTakesInfeed), Run(kTakesInfeed, kFailsB),
                               Run(kTakesInfeed, kFailsB, &limits)}) {
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_NE(status.message().find("broken"), std::string::npos) << status.message();
  }
  EXPECT_FALSE(limits.cancelled());
  EXPECT_TRUE(IsFree(0));
  EXPECT_TRUE(IsFree(1));
  EXPECT_TRUE(Run(kCopiesA, kCopiesB).ok());
}

TEST(ClientDevices, TheSeedChangesRng) {
  const auto client = *Client::Create();
  const auto executable = *client->Compile(
      "ENTRY main { a = f32[] constant(0) b = f32[] constant(1) ROOT r = f32[4] rng(a, b), "
      "distribution=rng_uniform }");
  const Literal one = *executable->Execute({}, {.random_seed = 1});
  EXPECT_EQ(one, *executable->Execute({}, {.random_seed = 1}));
  EXPECT_NE(one, *executable->Execute({}, {.random_seed = 2}));
}

// 64 threads, 200 programs of all sorts.
TEST(ClientThreads, CompileAndExecuteAtOnce) {
  const auto client = *Client::Create({.num_devices = 3});
  const auto shared = *client->Compile(kTwice);
  std::atomic<int> wrong = 0;
  const auto work = [&](int thread) {
    for (int i = thread; i < 200; i += 64) {
      const std::string size = std::to_string(1 + i % 7);
      const std::string shape = "f32[" + size + "]";
      const auto executable =
          client->Compile("ENTRY main { x = " + shape + " parameter(0) s = " + shape +
                              " multiply(x, x) l = " + shape + " exponential(x) ROOT t = (" +
                              shape + ", " + shape + ") tuple(s, l) }",
                          {.devices = {i % 3}});
      if (!executable.ok()) {
        ++wrong;
        continue;
      }
      const Literal x(Shape(F32, {1 + i % 7}));
      const auto buffer = *client->BufferFromLiteral(x, i % 3);
      const auto later = (*executable)->ExecuteAsync({buffer});
      const auto now = (*executable)->Execute({buffer});
      const auto literal = (*executable)->Execute({x});
      const auto twice = shared->Execute({Parsed("f32[3] {1, 2, 3}")});
      wrong += !later.ok() || !now.ok() || !literal.ok() || !twice.ok() ||
               *later->results[1]->ToLiteral() != literal->element(1) ||
               *(*now)[1]->ToLiteral() != literal->element(1) || twice->ToString() != "{2, 4, 6}";
    }
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < 64; ++t) threads.emplace_back(work, t);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(client->live_buffer_bytes(), 0);
}

TEST(ClientThreads, ACallersExecutorRunsTheWork) {
  struct Counting : Executor {
    void Schedule(std::function<void()> task) override {
      ++tasks;
      threads.emplace_back(std::move(task));
    }
    int num_threads() const override { return 8; }
    std::atomic<int> tasks = 0;
    std::vector<std::thread> threads;
  };
  const auto executor = std::make_shared<Counting>();
  {
    const auto client = *Client::Create({.executor = executor});
    const auto executable = *client->Compile(kTwice);
    const auto result =
        *executable->ExecuteAsync({*client->BufferFromLiteral(Parsed("f32[3] {1, 2, 3}"))});
    EXPECT_EQ(result.results[0]->ToLiteral()->ToString(), "{2, 4, 6}");
  }
  for (std::thread& thread : executor->threads) thread.join();
  EXPECT_EQ(executor->tasks, 1);
}

TEST(ClientThreads, LogsGoToTheCallersFunction) {
  std::vector<std::string> lines;
  const auto client =
      *Client::Create({.log = [&](LogLevel, std::string_view line) { lines.emplace_back(line); }});
  ASSERT_TRUE(client->Compile(kTwice, {.engine = EngineKind::kInterpret}).ok());
  EXPECT_EQ(lines, std::vector<std::string>{
                       "compile: \"module_main\", 2 instructions, for the interpreter"});
}

// Whatever the parent was doing, a child runs programs, asynchronously too.
TEST(ClientProcess, AForkedChildExecutes) {
  if (kThreadSanitizer) GTEST_SKIP() << "it lets a forked child of many threads start none";
  const auto client = *Client::Create();
  const auto executable = *client->Compile(kTwice);
  const auto x = *client->BufferFromLiteral(Parsed("f32[3] {1, 2, 3}"));
  ASSERT_TRUE((*executable->ExecuteAsync({x})).done.Await().ok());
  const auto waits = *client->Compile(
      "ENTRY main { t = token[] after-all() i = (f32[], token[]) infeed(t) ROOT x = f32[] "
      "get-tuple-element(i), index=0 }");
  const auto pending = *waits->ExecuteAsync({});
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // until it waits
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const auto sync = executable->Execute({x});
    const auto async = executable->ExecuteAsync({x});
    const auto value = async->results[0]->ToLiteral();
    const bool good =
        sync.ok() && value.ok() && value->ToString() == "{2, 4, 6}" &&
        pending.results[0]->ToLiteral().status().code() == StatusCode::kFailedPrecondition;
    // The queue on which a thread of the parent waits is one of the child too.
    alarm(60);
    bool fed = true;
    for (int round = 0; round < 3; ++round) {
      const auto later = waits->ExecuteAsync({});
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      fed = fed && later.ok() && client->TransferToInfeed(Parsed("f32[] 3")).ok() &&
            later->results[0]->ToLiteral()->ToString() == "3";
    }
    _exit(good && fed ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  ASSERT_TRUE(client->TransferToInfeed(Parsed("f32[] 2")).ok());
  EXPECT_EQ(pending.results[0]->ToLiteral()->ToString(), "2");
}

std::atomic<int> ticks = 0;

TEST(ClientProcess, SurvivesAStormOfSignals) {
  struct sigaction action = {}, before = {};
  action.sa_handler = [](int) { ++ticks; };
  sigaction(SIGPROF, &action, &before);
  const itimerval storm = {{0, 200}, {0, 200}};
  setitimer(ITIMER_PROF, &storm, nullptr);
  const auto client = *Client::Create({.num_devices = 2});
  const auto executable = *client->Compile(
      "ENTRY main { x = f32[200,200] parameter(0) d = f32[200,200] dot(x, x), "
      "lhs_contracting_dims={1}, rhs_contracting_dims={0} ROOT e = f32[200,200] tanh(d) }");
  const auto x = *client->BufferFromLiteral(Literal(Shape(F32, {200, 200})));
  const auto begin = std::chrono::steady_clock::now();
  while (ticks < 20 && std::chrono::steady_clock::now() - begin < std::chrono::seconds(60)) {
    const auto later = executable->ExecuteAsync({x});
    EXPECT_TRUE(executable->Execute({x}).ok());
    EXPECT_TRUE(later->done.Await().ok());
  }
  const itimerval calm = {};
  setitimer(ITIMER_PROF, &calm, nullptr);
  sigaction(SIGPROF, &before, nullptr);
  EXPECT_GE(ticks, 20);
}

TEST(ClientProcess, TheHostsFloatingPointModeDoesNotMatter) {
  const auto client = *Client::Create();
  const auto executable = *client->Compile(
      "ENTRY main { x = f32[1] parameter(0) h = f32[1] constant({0.5}) ROOT r = f32[1] multiply(x, "
      "h) }");
  const auto x = *client->BufferFromLiteral(Parsed("f32[1] {1e-40}"));
  const std::string expected = (*executable->Execute({x}))[0]->ToLiteral()->ToString();
  EXPECT_EQ(expected, "{4.99997e-41}");
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before | 0x8040);  // flush to zero, denormals are zero
  const auto now = executable->Execute({x});
  const auto later = executable->ExecuteAsync({x});
  const unsigned after = _mm_getcsr();
  _mm_setcsr(before);
  EXPECT_EQ(after & 0x8040, 0x8040u);
  EXPECT_EQ((*now)[0]->ToLiteral()->ToString(), expected);
  EXPECT_EQ(later->results[0]->ToLiteral()->ToString(), expected);
}

}  // namespace
}  // namespace axle
