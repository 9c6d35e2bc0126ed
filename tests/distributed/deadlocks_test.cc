// Programs over several processes whose devices wait for each other, and those that only seem to.
// The clients of a job are in this process, on a thread each.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <thread>

#include "axle/client/client.h"
#include "axle/client/job.h"
#include "axle/core/strings.h"
#include "axle/runtime/custom_call_registry.h"
#include "tests/distributed/processes.h"

namespace axle {
namespace {

using Clock = std::chrono::steady_clock;
using Texts = std::vector<std::string>;

constexpr std::string_view kSum =
    "HloModule m\nsum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }\n";

// All devices meet once.
std::string AllReduceOfAll() {
  return StrCat(kSum, "ENTRY main { x = f32[2] parameter(0) ROOT f = f32[2] all-reduce(x), ",
                "replica_groups={}, to_apply=sum }");
}

// Device `device` does what `first` says with a, the others what `rest` says with b.
std::string ByDevice(i64 device, std::string_view first, std::string_view rest) {
  return StrCat(kSum, "ENTRY main { x = f32[2] parameter(0) r = u32[] replica-id() z = u32[] ",
                "constant(", device, ") p = pred[] compare(r, z), direction=EQ ",
                "ROOT c = f32[2] conditional(p, x, x), true_computation={ a = f32[2] parameter(0) ",
                first, " }, false_computation={ b = f32[2] parameter(0) ", rest, " } }");
}

class Deadlocks : public testing::TestWithParam<EngineKind> {
 protected:
  void SetUp() override {
    if (!HasTransport("gloo")) GTEST_SKIP() << "built without Gloo";
  }
  void TearDown() override {
    ForAll([&](size_t process) { clients_[process].reset(); });
  }
  // Makes a process for each number of devices.
  void Connect(const std::vector<i64>& num_devices) {
    clients_.resize(num_devices.size());
    ForAll([&](size_t process) {
      TransportOptions transport;
      transport.rendezvous = StrCat("file://", job_.folder(), "/rendezvous");
      transport.process_id = static_cast<int>(process);
      transport.num_processes = static_cast<int>(num_devices.size());
      transport.connect_limit = 60;
      ClientOptions options;
      options.num_devices = num_devices[process];
      options.distributed = transport;
      auto client = Client::Create(options);
      ASSERT_TRUE(client.ok()) << client.status().ToString();
      clients_[process] = *std::move(client);
      Client& made = *clients_[process];
      const auto sleep = [](const CustomCallFrame& frame) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2500));
        std::memcpy(frame.results[0].data, frame.operands[0].data, 2 * sizeof(float));
        return Status();
      };
      const auto fail = [](const CustomCallFrame&) { return InvalidArgument("broken"); };
      EXPECT_TRUE(made.RegisterTypedCustomCall("slow", sleep).ok());
      EXPECT_TRUE(made.RegisterTypedCustomCall("fail", fail).ok());
    });
  }
  void ForAll(const std::function<void(size_t process)>& act) {
    std::vector<std::thread> threads;
    for (size_t process = 0; process < clients_.size(); ++process) {
      threads.emplace_back(act, process);
    }
    for (std::thread& thread : threads) thread.join();
  }
  // What each process gets: "OK", or its error. Each runs the programs one after the other, on
  // zeros, until one fails. `elements` are those of the argument.
  Texts Run(const std::vector<std::string>& programs, i64 elements = 2) {
    Texts texts(clients_.size());
    num_whole_.assign(clients_.size(), 0);
    const auto start = Clock::now();
    ForAll([&](size_t process) {
      Client& client = *clients_[process];
      Status status;
      for (const std::string& program : programs) {
        if (status.ok()) status = RunOne(client, program, elements);
        num_whole_[process] += status.ok() ? 1 : 0;
      }
      texts[process] = status.ToString();
    });
    seconds_ = SecondsSince(start);
    return texts;
  }
  Status RunOne(Client& client, const std::string& program, i64 elements) const {
    AXLE_ASSIGN(
        const auto executable,
        client.Compile(program, {.engine = GetParam(), .replicas = client.job()->num_devices()}));
    std::vector<std::vector<BufferPtr>> arguments;
    const std::vector<float> zeros(static_cast<size_t>(elements));
    for (size_t d = 0; d < executable->devices().size(); ++d) {
      AXLE_ASSIGN(auto buffer,
                  client.BufferFromLiteral(Literal::Array<float>(F32, {elements}, zeros),
                                           static_cast<i64>(d)));
      arguments.push_back({std::move(buffer)});
    }
    return executable->ExecuteReplicated(arguments).status();
  }
  // Every process has got this error, soon.
  void ExpectDeadlock(const Texts& texts, const std::string& deadlock) const {
    for (const std::string& text : texts) {
      EXPECT_TRUE(text.starts_with("INVALID_ARGUMENT: ")) << text;
      EXPECT_NE(text.find(deadlock), std::string::npos) << text;
    }
    EXPECT_LT(seconds_, 10);
  }

  TestJob job_;
  std::vector<std::unique_ptr<Client>> clients_;
  double seconds_ = 0;
  std::vector<int> num_whole_;  // programs that a process has run without an error
};

INSTANTIATE_TEST_SUITE_P(Engines, Deadlocks,
                         testing::Values(EngineKind::kInterpret, EngineKind::kNative),
                         [](const auto& info) {
                           return info.param == EngineKind::kNative ? "Native" : "Interpreted";
                         });

TEST_P(Deadlocks, TwoCollectivesCross) {
  Connect({1, 1});
  const Texts texts =
      Run({ByDevice(0, "ROOT f = f32[2] all-reduce(a), replica_groups={}, to_apply=sum",
                    "g = f32[4] all-gather(b), replica_groups={}, dimensions={0} "
                    "ROOT h = f32[2] slice(g), slice={[0:2]}")});
  ExpectDeadlock(texts,
                 "deadlock: device 0 waits at all-reduce \"f\" for device 1; device 1 waits at "
                 "all-gather \"g\" for "
                 "device 0");
}

TEST_P(Deadlocks, OneHasFinished) {
  Connect({1, 1});
  const std::string program =
      ByDevice(0, "ROOT f = f32[2] all-reduce(a), replica_groups={}, to_apply=sum",
               "ROOT g = f32[2] copy(b)");
  const Texts texts = Run({program});
  EXPECT_EQ(texts[1], "OK");
  ExpectDeadlock({texts[0]},
                 "deadlock: device 0 waits at all-reduce \"f\" for device 1; device 1 has finished "
                 "the program");
}

// The one that has finished waits in the next run of the same devices.
TEST_P(Deadlocks, OneIsInTheNextRun) {
  Connect({1, 1});
  const std::string whole = AllReduceOfAll();
  const std::string program =
      ByDevice(1, "ROOT f = f32[2] all-reduce(a), replica_groups={}, to_apply=sum",
               "ROOT g = f32[2] copy(b)");
  ExpectDeadlock(Run({whole, program, whole}),
                 "deadlock: device 1 waits at all-reduce \"f\" for device 0; device 0 has finished "
                 "the program");
}

TEST_P(Deadlocks, ARecvWithoutASend) {
  Connect({1, 1});
  const std::string pairs =
      ", channel_id=3, frontend_attributes={_xla_send_recv_source_target_pairs=\"{{1,0}}\"}";
  const std::string receives =
      StrCat("t = token[] after-all() v = (f32[2], u32[], token[]) recv(t)", pairs,
             " w = (f32[2], token[]) recv-done(v)", pairs,
             " ROOT g = f32[2] get-tuple-element(w), index=0");
  const Texts texts = Run(
      {ByDevice(0, receives, "ROOT f = f32[2] all-reduce(b), replica_groups={}, to_apply=sum")});
  ExpectDeadlock(
      texts,
      "deadlock: device 0 waits to receive from channel 3 for device 1; device 1 waits at "
      "all-reduce \"f\" for device 0");
}

// Devices that wait here for one that waits for others, and large messages, of which a process
// waits for results.
TEST_P(Deadlocks, SeveralDevicesInAProcess) {
  Connect({2, 1, 2});
  constexpr i64 kElements = 300000;
  const auto program = [&](std::string text) {
    for (size_t at = 0; (at = text.find("f32[2]", at)) != std::string::npos;) {
      text.replace(at, 6, StrCat("f32[", kElements, "]"));
    }
    return text;
  };
  const Texts texts =
      Run({program(ByDevice(2, "ROOT f = f32[2] all-reduce(a), replica_groups={}, to_apply=sum",
                            "ROOT g = f32[2] all-reduce(b), replica_groups={}, to_apply=sum"))},
          kElements);
  // A process that has said nothing yet is not in the text.
  ExpectDeadlock(texts, "waits at all-reduce \"g\" for device 2");
  ExpectDeadlock(texts, "device 2 waits at all-reduce \"f\" for devices ");
}

// Two wait for each other while a third one computes.
TEST_P(Deadlocks, SomeOfTheProcesses) {
  Connect({1, 1, 1});
  const std::string program = ByDevice(
      2,
      "ROOT c = f32[2] custom-call(a), custom_call_target=\"slow\", "
      "api_version=API_VERSION_TYPED_FFI",
      "r = u32[] replica-id() z = u32[] constant(0) p = pred[] compare(r, z), direction=EQ ROOT c "
      "= "
      "f32[2] conditional(p, b, b), true_computation={ a = f32[2] parameter(0) ROOT f = f32[2] "
      "all-reduce(a), replica_groups={{0,1},{2}}, to_apply=sum }, false_computation={ a = f32[2] "
      "parameter(0) ROOT g = f32[2] all-reduce(a), replica_groups={{1,0},{2}}, to_apply=sum }");
  const Texts texts = Run({program});
  ExpectDeadlock({texts[0], texts[1]},
                 "deadlock: device 0 waits at all-reduce \"f\" for device 1; device 1 waits at "
                 "all-reduce \"g\" for "
                 "device 0");
}

// A process that computes for longer than any wait is told, before and between collectives.
TEST_P(Deadlocks, ASlowProcessIsWaitedFor) {
  Connect({1, 2, 1});
  const std::string slow =
      " = f32[2] custom-call(a), custom_call_target=\"slow\", api_version=API_VERSION_TYPED_FFI";
  std::string text = ByDevice(1, StrCat("ROOT s", slow), "ROOT g = f32[2] copy(b)");
  const std::string root = "ROOT c = f32[2] conditional";
  text.replace(text.find(root), root.size(),
               "y = f32[2] all-reduce(x), replica_groups={}, to_apply=sum c = f32[2] conditional");
  text.replace(text.find("conditional(p, x, x)"), 20, "conditional(p, y, y)");
  text.erase(text.rfind('}'));
  text +=
      " h = f32[2] all-reduce(c), replica_groups={}, to_apply=sum "
      "ROOT m = f32[2] collective-permute(h), source_target_pairs={{0,3},{1,0}} }";
  EXPECT_EQ(Run({text, text}), Texts(3, "OK"));
  EXPECT_GT(seconds_, 5);
}

// Everything that is asked for has been sent by then, and the source is in another place.
TEST_P(Deadlocks, WhoHasSentIsNotWaitedFor) {
  Connect({1, 1});
  const std::string send = "p = f32[2] collective-permute(x), source_target_pairs={{0,1}} ";
  const std::string program = StrCat(
      kSum, "ENTRY main { x = f32[2] parameter(0) ", send,
      "s = f32[2] custom-call(p), custom_call_target=\"slow\", api_version=API_VERSION_TYPED_FFI "
      "ROOT f = f32[2] all-reduce(s), replica_groups={}, to_apply=sum }");
  EXPECT_EQ(Run({program, program}), Texts(2, "OK"));
}

// Process 2 has done its part in the first run when it fails in the second one, which the others
// have not begun. They finish the first one, though it is long.
TEST_P(Deadlocks, AFailureDoesNotEndRunsBeforeIt) {
  Connect({1, 1, 1});
  const std::string slow =
      " = f32[2] custom-call(a), custom_call_target=\"slow\", api_version=API_VERSION_TYPED_FFI";
  std::string first = ByDevice(1, StrCat("ROOT s", slow), "ROOT g = f32[2] copy(b)");
  const std::string root = "ROOT c = f32[2] conditional";
  first.replace(first.find(root), root.size(), "c = f32[2] conditional");
  first.erase(first.rfind('}'));
  first += " ROOT h = f32[2] all-reduce(c), replica_groups={{0,1},{2}}, to_apply=sum }";
  const std::string second =
      ByDevice(2,
               "ROOT s = f32[2] custom-call(a), custom_call_target=\"fail\", "
               "api_version=API_VERSION_TYPED_FFI",
               "ROOT f = f32[2] all-reduce(b), replica_groups={{0,1},{2}}, to_apply=sum");
  const Texts texts = Run({first, second, AllReduceOfAll()});
  EXPECT_EQ(texts[2], "INVALID_ARGUMENT: custom-call: \"fail\": broken; operand f32[2]");
  for (const Texts both = {texts[0], texts[1]}; const std::string& text : both) {
    EXPECT_TRUE(text.starts_with("INVALID_ARGUMENT: execute: \"m\": process 2 (")) << text;
    EXPECT_NE(text.find(") has failed: custom-call: \"fail\": broken"), std::string::npos) << text;
  }
  EXPECT_EQ(num_whole_, (std::vector<int>{1, 1, 1}));
  // All of them begin again.
  ForAll([&](size_t process) { EXPECT_TRUE(clients_[process]->Reconnect(nullptr).ok()); });
  EXPECT_EQ(Run({AllReduceOfAll()}), Texts(3, "OK"));
}

// The others are in the run in which a process fails: they learn of it at once.
TEST_P(Deadlocks, AFailureEndsItsRun) {
  Connect({1, 2, 1});
  const std::string fails =
      ByDevice(2,
               "ROOT s = f32[2] custom-call(a), custom_call_target=\"fail\", "
               "api_version=API_VERSION_TYPED_FFI",
               "ROOT f = f32[2] all-reduce(b), replica_groups={}, to_apply=sum");
  const Texts texts = Run({fails});
  EXPECT_EQ(texts[1], "INVALID_ARGUMENT: custom-call: \"fail\": broken; operand f32[2]");
  for (const Texts both = {texts[0], texts[2]}; const std::string& text : both) {
    EXPECT_TRUE(text.starts_with("INVALID_ARGUMENT: ")) << text;
    EXPECT_NE(text.find(" has failed: custom-call: \"fail\": broken"), std::string::npos) << text;
  }
  EXPECT_LT(seconds_, 5);
}

// The call is a run all the same: all processes go on with the same number.
TEST_P(Deadlocks, ArgumentsThatAreRefused) {
  Connect({1, 1});
  const std::string program = AllReduceOfAll();
  Texts texts(2);
  ForAll([&](size_t process) {
    texts[process] = RunOne(*clients_[process], program, process == 1 ? 3 : 2).ToString();
  });
  constexpr std::string_view kCause =
      "execute: argument 0 is f32[3] but \"main\" expects f32[2] for parameter 0 \"x\" (device 0)";
  EXPECT_EQ(texts[1], StrCat("INVALID_ARGUMENT: ", kCause));
  EXPECT_TRUE(texts[0].starts_with("INVALID_ARGUMENT: ")) << texts[0];
  EXPECT_NE(texts[0].find(kCause), std::string::npos) << texts[0];
}

// Evaluators and compiled code exchange other messages.
TEST_P(Deadlocks, TwoEngines) {
  Connect({1, 1});
  const std::string program = AllReduceOfAll();
  Texts texts(2);
  ForAll([&](size_t process) {
    const bool is_native = (GetParam() == EngineKind::kNative) == (process == 0);
    const auto executable = clients_[process]->Compile(
        program,
        {.engine = is_native ? EngineKind::kNative : EngineKind::kInterpret, .replicas = 2});
    ASSERT_TRUE(executable.ok()) << executable.status().ToString();
    texts[process] = (*executable)->Execute({Literal(Shape(F32, {2}))}).status().ToString();
  });
  for (const std::string& text : texts) {
    EXPECT_TRUE(text.starts_with("FAILED_PRECONDITION: ")) << text;
    EXPECT_NE(text.find("or on another engine; all processes run the same programs"),
              std::string::npos)
        << text;
  }
}

}  // namespace
}  // namespace axle
