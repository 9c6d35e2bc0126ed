// Infeed, outfeed, send and recv as state machines: what the host does, what programs do, and what
// comes out, also when they fail, wait or run in many threads.
#include "axle/runtime/host_device.h"

#include <atomic>
#include <thread>

#include "axle/core/storage.h"
#include "tests/runtime/run_text.h"

namespace axle {
namespace {

constexpr char kInfeed[] =
    "ENTRY e { t = token[] after-all()  i = (f32[2], token[]) infeed(t)  "
    "ROOT d = f32[2] get-tuple-element(i), index=0 }";
constexpr char kInfeedPair[] =
    "ENTRY e { t = token[] after-all()  i = ((s32[], s32[]), token[]) infeed(t)  "
    "ROOT d = (s32[], s32[]) get-tuple-element(i), index=0 }";
constexpr char kOutfeed[] =
    "ENTRY e { p = s32[] parameter(0)  t = token[] after-all()  ROOT o = token[] outfeed(p, t) }";

TEST(Infeed, TakesWhatTheHostTransferred) {
  HostDevice device;
  ASSERT_TRUE(device.TransferToInfeed(Value("f32[2] {1, 2}")).ok());
  ASSERT_TRUE(device.TransferToInfeed(Value("f32[2] {3, 4}")).ok());
  EXPECT_EQ(ResultText(RunText(kInfeed, &device)), "f32[2] {1, 2}");
  EXPECT_EQ(ResultText(RunText(kInfeed, &device)), "f32[2] {3, 4}");
  EXPECT_EQ(device.infeed().num_buffers(), 0);
}

// A tuple is one buffer per element, whoever put them there.
TEST(Infeed, TuplesAreTheirElements) {
  HostDevice device;
  ASSERT_TRUE(device.TransferToInfeed(Value("(s32[], f32[2]) (1, {2, 3})")).ok());
  ASSERT_TRUE(device.TransferToInfeed(Value("s32[] 4")).ok());
  ASSERT_TRUE(device.TransferToInfeed(Value("s32[] 5")).ok());
  EXPECT_EQ(device.infeed().num_buffers(), 4);
  EXPECT_EQ(
      ResultText(RunText("ENTRY e { t = token[] after-all()  ROOT i = (s32[], token[]) infeed(t) }",
                         &device)),
      "(s32[], token[]) (1, token)");
  EXPECT_EQ(ResultText(RunText(kInfeed, &device)), "f32[2] {2, 3}");
  EXPECT_EQ(ResultText(RunText(kInfeedPair, &device)), "(s32[], s32[]) (4, 5)");
}

TEST(Infeed, NoMemoryIsAStatus) {
  HostDevice device;
  const float data[2] = {1, 2};
  const Literal view = Literal::View(Shape(F32, {2}), data);
  Layout columns;
  columns.minor_to_major = {0, 1};
  const Literal matrix = Value("f32[2,2] {{1, 2}, {3, 4}}").Relayout(columns);
  Limits limits;
  limits.set_memory_cap(4);
  const StorageScope scope(&limits);
  constexpr std::string_view kError = "RESOURCE_EXHAUSTED: infeed: no memory for a copy of f32[2]";
  EXPECT_EQ(device.TransferToInfeed(view).ToString(), kError);
  EXPECT_EQ(device.infeed().num_buffers(), 0);
  EXPECT_EQ(device.SendToDevice(7, view).ToString(),
            "RESOURCE_EXHAUSTED: send: no memory for a copy of f32[2]");
  EXPECT_EQ(device.SendToDevice(7, matrix).ToString(),
            "RESOURCE_EXHAUSTED: send: no memory for a copy of f32[2,2]");
}

TEST(Infeed, LayoutsChangeNoValue) {
  HostDevice device;
  const Literal value = Value("f32[2,3] {{1, 2, 3}, {4, 5, 6}}");
  Layout columns;
  columns.minor_to_major = {0, 1};
  ASSERT_TRUE(device.TransferToInfeed(value.Relayout(columns)).ok());
  EXPECT_EQ(ResultText(RunText("ENTRY e { t = token[] after-all()  "
                               "i = (f32[2,3]{0,1}, token[]) infeed(t)  "
                               "ROOT d = f32[2,3] get-tuple-element(i), index=0 }",
                               &device)),
            ResultText(value));
}

// The program of XLA's documentation: a loop as long as the host feeds it true.
TEST(Infeed, DrivesALoop) {
  HostDevice device;
  for (const char* value : {"pred[] true", "pred[] true", "pred[] true", "pred[] false"}) {
    ASSERT_TRUE(device.TransferToInfeed(Value(value)).ok());
  }
  const char* text = R"(
goes_on { s = (s32[], pred[], token[]) parameter(0)  ROOT r = pred[] get-tuple-element(s), index=1 }
next { s = (s32[], pred[], token[]) parameter(0)  n = s32[] get-tuple-element(s), index=0
  t = token[] get-tuple-element(s), index=2  i = (pred[], token[]) infeed(t)
  more = pred[] get-tuple-element(i), index=0  t2 = token[] get-tuple-element(i), index=1
  t3 = token[] outfeed(n, t2)  one = s32[] constant(1)  m = s32[] add(n, one)
  ROOT r = (s32[], pred[], token[]) tuple(m, more, t3) }
ENTRY e { zero = s32[] constant(0)  yes = pred[] constant(true)  t = token[] after-all()
  init = (s32[], pred[], token[]) tuple(zero, yes, t)
  w = (s32[], pred[], token[]) while(init), condition=goes_on, body=next
  ROOT r = s32[] get-tuple-element(w), index=0 }
)";
  EXPECT_EQ(ResultText(RunText(text, &device)), "s32[] 4");
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(ResultText(device.TransferFromOutfeed(Shape(S32))), StrCat("s32[] ", i));
  }
}

// Only the branch that is taken takes something.
TEST(Infeed, BranchesThatDoNotRunTakeNothing) {
  HostDevice device;
  ASSERT_TRUE(device.TransferToInfeed(Value("s32[] 7")).ok());
  const char* text = R"(
fed { t = token[] parameter(0)  i = (s32[], token[]) infeed(t)  ROOT r = s32[] get-tuple-element(i), index=0 }
fixed { t = token[] parameter(0)  ROOT r = s32[] constant(1) }
ENTRY e { p = pred[] parameter(0)  t = token[] after-all()
  ROOT r = s32[] conditional(p, t, t), true_computation=fed, false_computation=fixed }
)";
  EXPECT_EQ(ResultText(RunText(text, &device, {Value("pred[] false")})), "s32[] 1");
  EXPECT_EQ(device.infeed().num_buffers(), 1);
  EXPECT_EQ(ResultText(RunText(text, &device, {Value("pred[] true")})), "s32[] 7");
}

TEST(Infeed, AnotherShapeIsAnErrorAndStays) {
  HostDevice device;
  ASSERT_TRUE(device.TransferToInfeed(Value("s32[2] {1, 2}")).ok());
  EXPECT_EQ(ResultText(RunText(kInfeed, &device)),
            "INVALID_ARGUMENT: infeed: buffer 0 of the queue is s32[2] but f32[2] is asked for");
  ASSERT_TRUE(device.TransferToInfeed(Value("s32[] 3")).ok());
  EXPECT_EQ(ResultText(RunText(kInfeedPair, &device)),
            "INVALID_ARGUMENT: infeed: buffer 0 of the queue is s32[2] but s32[] is asked for");
  EXPECT_EQ(device.infeed().num_buffers(), 2);
  device.infeed().Clear();
  ASSERT_TRUE(device.TransferToInfeed(Value("f32[2] {1, 2}")).ok());
  EXPECT_EQ(ResultText(RunText(kInfeed, &device)), "f32[2] {1, 2}");
}

TEST(Infeed, HostsTransferArraysAndTuplesOfArrays) {
  HostDevice device;
  EXPECT_EQ(device.TransferToInfeed(Value("((f32[])) ((1))")).ToString(),
            "INVALID_ARGUMENT: infeed: takes arrays and tuples of arrays, not ((f32[]))");
  EXPECT_EQ(device.TransferToInfeed(Value("token[] token")).ToString(),
            "INVALID_ARGUMENT: infeed: takes arrays and tuples of arrays, not token[]");
  EXPECT_TRUE(device.TransferToInfeed(Value("() ()")).ok());
  EXPECT_EQ(device.infeed().num_buffers(), 0);
}

// The host's memory may change after the transfer.
TEST(Infeed, ViewsAreCopied) {
  HostDevice device;
  float data[] = {1, 2};
  ASSERT_TRUE(device.TransferToInfeed(Literal::View(Shape(F32, {2}), data)).ok());
  data[0] = 9;
  EXPECT_EQ(ResultText(RunText(kInfeed, &device)), "f32[2] {1, 2}");
}

TEST(Infeed, WaitsForTheHost) {
  HostDevice device;
  StatusOr<Literal> result = Literal();
  std::thread run([&] { result = RunText(kInfeedPair, &device); });
  ASSERT_TRUE(device.TransferToInfeed(Value("s32[] 1")).ok());
  ASSERT_TRUE(device.TransferToInfeed(Value("s32[] 2")).ok());
  run.join();
  EXPECT_EQ(ResultText(result), "(s32[], s32[]) (1, 2)");
}

TEST(Infeed, AWaitEndsWhenTheRunIsCancelled) {
  HostDevice device;
  Limits limits;
  StatusOr<Literal> result = Literal();
  std::thread run([&] { result = RunText(kInfeed, &device, {}, &limits); });
  limits.Cancel();
  run.join();
  EXPECT_EQ(ResultText(result), "CANCELLED: cancelled");
  // The queue works as before.
  ASSERT_TRUE(device.TransferToInfeed(Value("f32[2] {1, 2}")).ok());
  EXPECT_EQ(ResultText(RunText(kInfeed, &device)), "f32[2] {1, 2}");
}

TEST(Infeed, AWaitEndsAtTheTimeLimit) {
  HostDevice device;
  Limits limits;
  limits.set_time_limit(0.01);
  EXPECT_EQ(ResultText(RunText(kInfeed, &device, {}, &limits)),
            "DEADLINE_EXCEEDED: the time limit of 0.01 s is used up");
}

TEST(Infeed, TheQueueHasABound) {
  HostDevice device({.queue_capacity = 8});
  EXPECT_EQ(device.TransferToInfeed(Value("f32[3] {1, 2, 3}")).ToString(),
            "RESOURCE_EXHAUSTED: infeed: f32[3] has 12 bytes, but the queue holds 8");
  ASSERT_TRUE(device.TransferToInfeed(Value("f32[2] {1, 2}")).ok());
  Limits limits;
  limits.set_time_limit(0.01);
  EXPECT_EQ(device.TransferToInfeed(Value("f32[2] {3, 4}"), &limits).ToString(),
            "DEADLINE_EXCEEDED: the time limit of 0.01 s is used up");
  Status status;
  std::thread host([&] { status = device.TransferToInfeed(Value("f32[2] {5, 6}")); });
  EXPECT_EQ(ResultText(RunText(kInfeed, &device)), "f32[2] {1, 2}");
  EXPECT_EQ(ResultText(RunText(kInfeed, &device)), "f32[2] {5, 6}");
  host.join();
  EXPECT_TRUE(status.ok());
}

// Arrays without bytes fill a queue too.
TEST(Infeed, TheQueueHoldsSoManyBuffers) {
  HostDevice device({.max_buffers = 2});
  EXPECT_EQ(device.TransferToInfeed(Value("(s32[0], s32[0], s32[0]) ({}, {}, {})")).ToString(),
            "RESOURCE_EXHAUSTED: infeed: a tuple of 3 arrays, but the queue holds 2");
  EXPECT_EQ(device.TransferFromOutfeed(Value("(s32[0], s32[0], s32[0]) ({}, {}, {})").shape())
                .status()
                .ToString(),
            "RESOURCE_EXHAUSTED: outfeed: a tuple of 3 arrays, but the queue holds 2");
  ASSERT_TRUE(device.TransferToInfeed(Value("(s32[0], s32[0]) ({}, {})")).ok());
  Limits limits;
  limits.Cancel();
  EXPECT_EQ(device.TransferToInfeed(Value("s32[0] {}"), &limits).ToString(),
            "CANCELLED: cancelled");
  EXPECT_EQ(device.infeed().num_buffers(), 2);
}

// What is static in the program is full.
TEST(Infeed, RunTimeSizes) {
  HostDevice device;
  ASSERT_TRUE(device.TransferToInfeed(Value("f32[<=2](1) {1}")).ok());
  EXPECT_EQ(ResultText(RunText(kInfeed, &device)),
            "INVALID_ARGUMENT: infeed: buffer 0 of the queue is f32[<=2](1) but f32[2] is asked "
            "for");
  const std::string dynamic =
      "ENTRY e { t = token[] after-all()  i = (f32[<=2], token[]) infeed(t)  "
      "ROOT d = f32[<=2] get-tuple-element(i), index=0 }";
  EXPECT_EQ(ResultText(RunText(dynamic, &device)), "f32[<=2] (1) {1}");
  ASSERT_TRUE(device.TransferToInfeed(Value("f32[<=2](2) {1, 2}")).ok());
  EXPECT_EQ(ResultText(RunText(kInfeed, &device)), "f32[2] {1, 2}");
}

TEST(Infeed, NeedsADevice) {
  EXPECT_EQ(ResultText(RunText(kInfeed, nullptr)),
            "FAILED_PRECONDITION: infeed: this run has no device with an infeed queue");
  EXPECT_EQ(ResultText(RunText(kOutfeed, nullptr, {Value("s32[] 1")})),
            "FAILED_PRECONDITION: outfeed: this run has no device with an outfeed queue");
}

// Pairs go in and come out whole, whoever puts and takes them, and each once.
TEST(Infeed, ManyThreadsPutAndTakePairs) {
  constexpr int kThreads = 4, kPairs = 50;
  HostDevice device({.queue_capacity = 256});
  const auto module = Parse(kInfeedPair);
  ASSERT_TRUE(module.ok());
  std::atomic<i64> sum = 0, torn = 0, failed = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (std::int32_t i = 0; i < kPairs; ++i) {
        const auto number = Literal::Scalar(S32, static_cast<std::int32_t>(t * kPairs + i));
        if (!device.TransferToInfeed(Literal::Tuple({number, number})).ok()) ++failed;
      }
    });
    threads.emplace_back([&] {
      for (int i = 0; i < kPairs; ++i) {
        const auto pair = Evaluate(**module, {}, {.device = &device});
        if (!pair.ok()) {
          ++failed;
          continue;
        }
        const auto a = pair->element(0).data<std::int32_t>()[0];
        if (a != pair->element(1).data<std::int32_t>()[0]) ++torn;
        sum += a;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  constexpr i64 kCount = kThreads * kPairs;
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(torn, 0);
  EXPECT_EQ(sum, kCount * (kCount - 1) / 2);
  EXPECT_EQ(device.infeed().num_buffers(), 0);
}

// Runs are cancelled while others are fed: nothing is lost, and nobody hangs.
TEST(Infeed, CancelledRunsTakeNothing) {
  constexpr int kRuns = 12;
  HostDevice device;
  std::vector<std::unique_ptr<Limits>> limits;
  std::vector<std::thread> threads;
  std::atomic<int> fed = 0, cancelled = 0, other = 0;
  for (int i = 0; i < kRuns; ++i) limits.push_back(std::make_unique<Limits>());
  for (int i = 0; i < kRuns; ++i) {
    threads.emplace_back([&, i] {
      const auto result = RunText(kInfeedPair, &device, {}, limits[i].get());
      const StatusCode code = result.status().code();
      ++(code == StatusCode::kOk ? fed : code == StatusCode::kCancelled ? cancelled : other);
    });
  }
  for (int i = 0; i < kRuns / 2; ++i) {
    ASSERT_TRUE(device.TransferToInfeed(Value("(s32[], s32[]) (1, 2)")).ok());
  }
  while (fed < kRuns / 2) std::this_thread::yield();
  for (auto& limit : limits) limit->Cancel();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(fed, kRuns / 2);
  EXPECT_EQ(cancelled, kRuns / 2);
  EXPECT_EQ(other, 0);
  EXPECT_EQ(device.infeed().num_buffers(), 0);
}

TEST(Outfeed, GivesWhatProgramsPut) {
  HostDevice device;
  EXPECT_EQ(ResultText(RunText(kOutfeed, &device, {Value("s32[] 1")})), "token[] token");
  ASSERT_TRUE(RunText("ENTRY e { p = (f32[2,2], pred[]) parameter(0)  t = token[] after-all()  "
                      "ROOT o = token[] outfeed(p, t), outfeed_shape=(f32[2,2]{0,1}, pred[]) }",
                      &device, {Value("(f32[2,2], pred[]) ({{1, 2}, {3, 4}}, true)")})
                  .ok());
  EXPECT_EQ(device.outfeed().num_buffers(), 3);
  EXPECT_EQ(device.TransferFromOutfeed(Shape(F32)).status().ToString(),
            "INVALID_ARGUMENT: outfeed: buffer 0 of the queue is s32[] but f32[] is asked for");
  EXPECT_EQ(ResultText(device.TransferFromOutfeed(Shape(S32))), "s32[] 1");
  const auto shape = ParseShape("(f32[2,2]{0,1}, pred[])");
  const auto pair = device.TransferFromOutfeed(*shape);
  EXPECT_EQ(ResultText(pair), "(f32[2,2], pred[]) ({{1, 2}, {3, 4}}, true)");
  EXPECT_EQ(pair->shape().ToStringWithLayout(), "(f32[2,2]{0,1}, pred[])");
}

// Nothing reads the token of an outfeed, and it happens all the same: once, and in order.
TEST(Outfeed, HappensOnceAndInOrder) {
  HostDevice device;
  const char* text = R"(
report { x = s32[] parameter(0)  t = token[] after-all()  o = token[] outfeed(x, t)
  ROOT r = s32[] constant(0) }
ENTRY e { a = s32[] constant(1)  b = s32[] constant(2)  c = s32[] add(a, b)
  t = token[] after-all()  o1 = token[] outfeed(c, t)  unread = s32[] call(b), to_apply=report
  d = s32[] multiply(c, c)  o2 = token[] outfeed(d, o1)  ROOT r = s32[] subtract(a, b) }
)";
  EXPECT_EQ(ResultText(RunText(text, &device)), "s32[] -1");
  EXPECT_EQ(device.outfeed().num_buffers(), 3);
  for (const char* value : {"s32[] 3", "s32[] 2", "s32[] 9"}) {
    EXPECT_EQ(ResultText(device.TransferFromOutfeed(Shape(S32))), value);
  }
}

TEST(Outfeed, WaitsWhileTheQueueIsFull) {
  HostDevice device({.queue_capacity = 4});
  ASSERT_TRUE(RunText(kOutfeed, &device, {Value("s32[] 1")}).ok());
  Limits limits;
  limits.set_time_limit(0.01);
  EXPECT_EQ(ResultText(RunText(kOutfeed, &device, {Value("s32[] 2")}, &limits)),
            "DEADLINE_EXCEEDED: the time limit of 0.01 s is used up");
  StatusOr<Literal> result = Literal();
  std::thread run([&] { result = RunText(kOutfeed, &device, {Value("s32[] 3")}); });
  EXPECT_EQ(ResultText(device.TransferFromOutfeed(Shape(S32))), "s32[] 1");
  EXPECT_EQ(ResultText(device.TransferFromOutfeed(Shape(S32))), "s32[] 3");
  run.join();
  EXPECT_TRUE(result.ok());
}

TEST(Outfeed, TheHostCanStopWaiting) {
  HostDevice device;
  Limits limits;
  Status status;
  std::thread host([&] { status = device.TransferFromOutfeed(Shape(S32), &limits).status(); });
  limits.Cancel();
  host.join();
  EXPECT_EQ(status.ToString(), "CANCELLED: cancelled");
}

constexpr char kSendAndRecv[] = R"(
ENTRY e { a = f32[2] parameter(0)  b = f32[2] parameter(1)  t = token[] after-all()
  r1 = (f32[2], u32[], token[]) recv(t), channel_id=1
  r2 = (f32[2], u32[], token[]) recv(t), channel_id=1
  sa = (f32[2], u32[], token[]) send(a, t), channel_id=1
  sb = (f32[2], u32[], token[]) send(b, t), channel_id=1
  d2 = (f32[2], token[]) recv-done(r2), channel_id=1
  d1 = (f32[2], token[]) recv-done(r1), channel_id=1
  e1 = token[] send-done(sa), channel_id=1
  e2 = token[] send-done(sb), channel_id=1
  x = f32[2] get-tuple-element(d1), index=0  y = f32[2] get-tuple-element(d2), index=0
  ROOT r = (f32[2], f32[2]) tuple(x, y) }
)";

TEST(SendRecv, TheKthSendMeetsTheKthRecv) {
  HostDevice device;
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(ResultText(
                  RunText(kSendAndRecv, &device, {Value("f32[2] {1, 2}"), Value("f32[2] {3, 4}")})),
              "(f32[2], f32[2]) ({1, 2}, {3, 4})");
  }
}

constexpr char kSend[] = R"(
ENTRY e { a = s32[] parameter(0)  t = token[] after-all()
  s = (s32[], u32[], token[]) send(a, t), channel_id=5  ROOT d = token[] send-done(s), channel_id=5 }
)";
constexpr char kRecv[] = R"(
ENTRY e { t = token[] after-all()  r = (s32[], u32[], token[]) recv(t), channel_id=5
  d = (s32[], token[]) recv-done(r), channel_id=5  ROOT x = s32[] get-tuple-element(d), index=0 }
)";

TEST(SendRecv, BetweenProgramsAndDevices) {
  HostDevice device;
  StatusOr<Literal> result = Literal();
  std::thread run([&] { result = RunText(kRecv, &device); });
  ASSERT_TRUE(RunText(kSend, &device, {Value("s32[] 8")}).ok());
  run.join();
  EXPECT_EQ(ResultText(result), "s32[] 8");
  const auto hub = std::make_shared<TransferHub>(1024, 16);
  HostDevice first({.hub = hub}), second({.hub = hub});
  ASSERT_TRUE(RunText(kSend, &first, {Value("s32[] 9")}).ok());
  EXPECT_EQ(ResultText(RunText(kRecv, &second)), "s32[] 9");
}

// A recv that was given up keeps its place: the value that was meant for it goes nowhere.
TEST(SendRecv, ACancelledRecvLosesItsValue) {
  HostDevice device;
  Limits limits;
  limits.set_time_limit(0.01);
  EXPECT_EQ(ResultText(RunText(kRecv, &device, {}, &limits)),
            "DEADLINE_EXCEEDED: the time limit of 0.01 s is used up");
  ASSERT_TRUE(RunText(kSend, &device, {Value("s32[] 1")}).ok());
  ASSERT_TRUE(RunText(kSend, &device, {Value("s32[] 2")}).ok());
  EXPECT_EQ(ResultText(RunText(kRecv, &device)), "s32[] 2");
}

TEST(SendRecv, ShapesAreChecked) {
  HostDevice device;
  ASSERT_TRUE(RunText(kSend, &device, {Value("s32[] 1")}).ok());
  EXPECT_EQ(ResultText(RunText("ENTRY e { t = token[] after-all()  "
                               "r = (f32[2], u32[], token[]) recv(t), channel_id=5  "
                               "ROOT d = (f32[2], token[]) recv-done(r), channel_id=5 }",
                               &device)),
            "INVALID_ARGUMENT: recv: channel 5 has been sent s32[] but f32[2] is asked for");
  const std::string cut = R"(
ENTRY e { a = s32[2] parameter(0)  n = s32[] constant(1)  t = token[] after-all()
  c = s32[<=2] set-dimension-size(a, n), dimensions={0}
  s = (s32[<=2], u32[], token[]) send(c, t)  e = token[] send-done(s)
  r = (s32[2], u32[], token[]) recv(t)  d = (s32[2], token[]) recv-done(r)
  ROOT x = s32[2] get-tuple-element(d), index=0 }
)";
  EXPECT_EQ(ResultText(RunText(cut, &device, {Value("s32[2] {1, 2}")})),
            "INVALID_ARGUMENT: recv: the channel without an id has been sent s32[<=2](1) but "
            "s32[2] is asked for");
}

TEST(SendRecv, ChannelsHaveABound) {
  HostDevice device({.queue_capacity = 4});
  ASSERT_TRUE(RunText(kSend, &device, {Value("s32[] 1")}).ok());
  EXPECT_EQ(ResultText(RunText(kSend, &device, {Value("s32[] 2")})),
            "RESOURCE_EXHAUSTED: send: 4 bytes for channel 5 with 4 not received yet, but "
            "channels hold at most 4");
  EXPECT_EQ(ResultText(RunText(kRecv, &device)), "s32[] 1");
  EXPECT_TRUE(RunText(kSend, &device, {Value("s32[] 2")}).ok());
}

TEST(SendRecv, ChannelsHoldSoManyBuffers) {
  HostDevice device({.max_buffers = 3});
  EXPECT_TRUE(device.SendToDevice(5, Value("s32[0] {}")).ok());
  EXPECT_EQ(device.SendToDevice(6, Value("(s32[0], s32[0]) ({}, {})")).ToString(),
            "RESOURCE_EXHAUSTED: send: 3 buffers for channel 6 with 1 not received yet, "
            "but channels hold at most 3");
}

TEST(SendRecv, WithTheHost) {
  HostDevice device;
  ASSERT_TRUE(device.SendToDevice(8, Value("f32[2] {3, 4}")).ok());
  const char* text = R"(
ENTRY e { t = token[] after-all()  x = f32[2] parameter(0)
  s = (f32[2], u32[], token[]) send(x, t), channel_id=7, is_host_transfer=true, frontend_attributes={_xla_host_transfer_rendezvous="k"}
  sd = token[] send-done(s), channel_id=7, is_host_transfer=true
  r = (f32[2], u32[], token[]) recv(sd), channel_id=8, is_host_transfer=true, control-predecessors={sd}
  ROOT rd = (f32[2], token[]) recv-done(r), channel_id=8, is_host_transfer=true }
)";
  EXPECT_EQ(ResultText(RunText(text, &device, {Value("f32[2] {1, 2}")})),
            "(f32[2], token[]) ({3, 4}, token)");
  Limits limits;
  limits.set_time_limit(0.01);
  EXPECT_EQ(ResultText(device.RecvFromDevice(9, Shape(F32), &limits)),
            "DEADLINE_EXCEEDED: the time limit of 0.01 s is used up");
  EXPECT_EQ(ResultText(device.RecvFromDevice(7, Shape(F32, {2}))), "f32[2] {1, 2}");
}

TEST(SendRecv, NeedADevice) {
  EXPECT_EQ(ResultText(RunText(kSend, nullptr, {Value("s32[] 1")})),
            "FAILED_PRECONDITION: send: this run has no device with channels; channel 5");
  EXPECT_EQ(ResultText(RunText(kRecv, nullptr)),
            "FAILED_PRECONDITION: recv: this run has no device with channels; channel 5");
}

// Errors, and limits that end a wait, say where they were found.
TEST(SendRecv, ErrorsNameTheInstruction) {
  HostDevice device;
  Limits limits;
  limits.set_time_limit(0.01);
  EXPECT_EQ(RunText(kRecv, &device, {}, &limits).status().message(),
            "the time limit of 0.01 s is used up; recv-done \"d\"");
  EXPECT_EQ(
      RunText(
          "ENTRY e { t = token[] after-all()\n"
          "ROOT i = (s32[], token[]) infeed(t), metadata={source_file=\"f.py\" source_line=7} }",
          nullptr)
          .status()
          .message(),
      "infeed: this run has no device with an infeed queue; infeed \"i\" at f.py:7");
}

TEST(SendRecv, DoneHasItsStartForItself) {
  const auto module = Parse(
      "ENTRY e { t = token[] after-all()  r = (f32[], u32[], token[]) recv(t)  "
      "u = u32[] get-tuple-element(r), index=1  ROOT d = (f32[], token[]) recv-done(r) }");
  EXPECT_NE(module.status().message().find(
                "recv: \"r\" must be read by one recv-done, not by 2 instructions"),
            std::string::npos)
      << module.status().message();
}

TEST(SendRecv, ManyThreads) {
  constexpr int kThreads = 4, kValues = 50;
  HostDevice device;
  const auto send = Parse(kSend), recv = Parse(kRecv);
  std::atomic<i64> sum = 0, failed = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (std::int32_t i = 0; i < kValues; ++i) {
        const Literal number = Literal::Scalar(S32, static_cast<std::int32_t>(t * kValues + i));
        if (!Evaluate(**send, {&number, 1}, {.device = &device}).ok()) ++failed;
      }
    });
    threads.emplace_back([&] {
      for (int i = 0; i < kValues; ++i) {
        const auto number = Evaluate(**recv, {}, {.device = &device});
        if (number.ok()) {
          sum += number->data<std::int32_t>()[0];
        } else {
          ++failed;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  constexpr i64 kCount = kThreads * kValues;
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(sum, kCount * (kCount - 1) / 2);
}

}  // namespace
}  // namespace axle
