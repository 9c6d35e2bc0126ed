// What processes tell each other of themselves with their heartbeats.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <linux/tcp.h>
#include <sys/socket.h>

#include <atomic>
#include <charconv>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <thread>

#include "axle/core/strings.h"
#include "axle/distributed/transport.h"
#include "tests/distributed/processes.h"

namespace axle {
namespace {

using Clock = std::chrono::steady_clock;

void Sleep(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

// Waits until something is true. False after five seconds.
bool Becomes(const std::function<bool()>& is_true) {
  const auto start = Clock::now();
  while (!is_true()) {
    if (SecondsSince(start) > 5) return false;
    Sleep(0.002);
  }
  return true;
}

// Bytes that the other sides of all TCP connections of this process have acknowledged.
std::uint64_t BytesSent() {
  std::uint64_t sum = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    const std::string name = entry.path().filename();
    int descriptor = -1;
    std::from_chars(name.data(), name.data() + name.size(), descriptor);
    tcp_info about = {};
    socklen_t size = sizeof about;
    if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &about, &size) == 0) {
      sum += about.tcpi_bytes_acked;
    }
  }
  return sum;
}

// Two transports in this process.
class Reports : public testing::Test {
 protected:
  void SetUp() override {
    if (!HasTransport("gloo")) GTEST_SKIP() << "built without Gloo";
  }
  // A heartbeat every `interval` seconds, with the functions that are called before them.
  void Connect(double interval, const std::function<void()>& on_heartbeat,
               const std::function<void()>& other_on_heartbeat = {}) {
    const auto connect = [&](int process) {
      TransportOptions options;
      options.rendezvous = StrCat("file://", job_.folder(), "/rendezvous");
      options.process_id = process;
      options.num_processes = 2;
      options.connect_limit = 20;
      options.silence_limit = 5 * interval;
      options.on_heartbeat = process == 0 ? on_heartbeat : other_on_heartbeat;
      StatusOr<std::unique_ptr<Transport>> transport = ConnectTransport(options);
      ASSERT_TRUE(transport.ok()) << transport.status().ToString();
      (process == 0 ? zero_ : one_) = *std::move(transport);
    };
    std::thread other([&] { connect(1); });
    connect(0);
    other.join();
    ASSERT_TRUE(zero_ != nullptr && one_ != nullptr);
  }
  // Two transports in one process would wait for each other's goodbye.
  void TearDown() override {
    std::thread other([this] { one_.reset(); });
    zero_.reset();
    other.join();
  }
  TestJob job_;
  std::unique_ptr<Transport> zero_, one_;
};

TEST_F(Reports, NewestGoesOutWithTheHeartbeat) {
  Connect(0.2, {});
  EXPECT_EQ(zero_->report(1), "");
  EXPECT_EQ(zero_->report(0), "");
  zero_->SetReport("first");
  zero_->SetReport("of zero");
  one_->SetReport("of one");
  EXPECT_EQ(zero_->report(0), "of zero");
  EXPECT_TRUE(Becomes([&] { return zero_->report(1) == "of one"; }));
  EXPECT_TRUE(Becomes([&] { return one_->report(0) == "of zero"; }));
  // No report is one too.
  zero_->SetReport("");
  EXPECT_TRUE(Becomes([&] { return one_->report(0).empty(); }));
  EXPECT_EQ(one_->report(7), "");
  EXPECT_EQ(one_->report(-1), "");
  EXPECT_TRUE(zero_->state().first_cause.ok());
}

TEST_F(Reports, AtOnce) {
  Connect(6, {});
  const auto start = Clock::now();
  for (int i = 0; i < 20; ++i) {
    zero_->SetReport(StrCat(i));
    zero_->SendReportNow();
    EXPECT_TRUE(Becomes([&] { return one_->report(0) == StrCat(i); }));
  }
  EXPECT_LT(SecondsSince(start), 5);  // before the first heartbeat
  // The report of the other process is not sent by that.
  one_->SetReport("of one");
  zero_->SendReportNow();
  Sleep(0.1);
  EXPECT_EQ(zero_->report(1), "");
}

// The other side looks at a report that is sent at once, long before the next heartbeat.
TEST_F(Reports, AtOnceCallsTheOtherSide) {
  std::atomic<int> calls = 0;
  Connect(6, {}, [&] { ++calls; });
  ASSERT_TRUE(Becomes([&] { return calls == 1; }));  // the first heartbeat
  zero_->SetReport("of zero");
  Sleep(0.1);
  EXPECT_EQ(calls, 1);
  zero_->SendReportNow();
  EXPECT_TRUE(Becomes([&] { return calls == 2; }));
  EXPECT_EQ(one_->report(0), "of zero");
}

// It does so before it takes notice of what has come after the report.
TEST_F(Reports, AtOnceBeforeTheProcessLeaves) {
  std::atomic<Transport*> one = nullptr;
  std::atomic<bool> has_seen = false;
  Connect(6, {}, [&] {
    Transport* const transport = one;
    if (transport == nullptr || transport->report(0) != "last words") return;
    Sleep(0.1);
    has_seen = true;
  });
  one = one_.get();
  std::thread leaving([&] {
    zero_->SetReport("last words");
    zero_->SendReportNow();
    zero_.reset();
  });
  std::byte byte = {};
  const Status status = one_->Receive(0, {.run = 1}, {&byte, 1}, nullptr);
  EXPECT_TRUE(has_seen);
  EXPECT_TRUE(status.message().ends_with(" has left")) << status.ToString();
  leaving.join();
}

// A report goes over the connection once, however often it is set.
TEST_F(Reports, SentOnlyWhenItDiffers) {
  std::atomic<int> heartbeats = 0;
  Connect(0.02, [&] { ++heartbeats; });
  const std::string text(50000, 'x');
  const std::uint64_t before = BytesSent();
  zero_->SetReport(text);
  ASSERT_TRUE(Becomes([&] { return one_->report(0) == text; }));
  EXPECT_TRUE(Becomes([&] { return BytesSent() >= before + 50000; }));
  for (const int last = heartbeats + 20; heartbeats < last; Sleep(0.005)) {
    zero_->SetReport(text);
    zero_->SendReportNow();
  }
  EXPECT_LT(BytesSent() - before, 100000U);
}

TEST_F(Reports, LongOnesAreCutOff) {
  Connect(0.1, {});
  std::string text(kMostReportBytes, 'x');
  zero_->SetReport(text + "y");
  EXPECT_EQ(zero_->report(0), text);
  EXPECT_TRUE(Becomes([&] { return one_->report(0) == text; }));
}

// The owner refreshes its report there, and looks at those of others.
TEST_F(Reports, CalledBeforeEachHeartbeat) {
  std::atomic<Transport*> zero = nullptr;
  std::atomic<int> calls = 0;
  std::string seen;  // by the thread that calls
  std::atomic<bool> has_seen = false;
  Connect(0.05, [&] {
    ++calls;
    Transport* const transport = zero;
    if (transport == nullptr) return;
    transport->SetReport(StrCat("call ", calls.load()));
    seen = transport->report(1);
    if (seen == "of one") has_seen = true;
    throw std::runtime_error("dropped");
  });
  zero = zero_.get();
  one_->SetReport("of one");
  EXPECT_TRUE(Becomes([&] { return has_seen.load(); }));
  const int some = calls;
  EXPECT_TRUE(Becomes([&] { return calls > some + 3; }));
  EXPECT_TRUE(Becomes([&] { return one_->report(0) > StrCat("call "); }));
  EXPECT_TRUE(zero_->state().first_cause.ok()) << zero_->state().first_cause.ToString();
}

// While the destructor waits for the other process, which does not answer, nothing is called.
TEST_F(Reports, NotCalledOnceTheDestructorHasBegun) {
  std::atomic<int> calls = 0;
  std::atomic<bool> is_blocked = false, is_released = false;
  Connect(
      0.3, [&] { ++calls; },
      [&] {
        is_blocked = true;
        while (!is_released) Sleep(0.002);
      });
  ASSERT_TRUE(Becomes([&] { return is_blocked && calls > 0; }));
  std::thread releasing([&] {
    Sleep(1.2);
    is_released = true;
  });
  const auto start = Clock::now();
  std::atomic<int> calls_at_start = 0;
  std::thread watching([&] {
    Sleep(0.05);
    calls_at_start = calls.load();
  });
  zero_.reset();
  watching.join();
  releasing.join();
  EXPECT_GE(SecondsSince(start), 0.8);
  EXPECT_EQ(calls, calls_at_start);
}

// A call that is under way is waited for.
TEST_F(Reports, TheDestructorWaitsForACall) {
  std::atomic<int> begun = 0, ended = 0;
  Connect(0.1, [&] {
    ++begun;
    Sleep(0.3);
    ++ended;
  });
  ASSERT_TRUE(Becomes([&] { return begun > ended; }));
  zero_.reset();
  const int calls = begun;
  EXPECT_EQ(ended, calls);
  Sleep(0.3);
  EXPECT_EQ(begun, calls);
}

TEST_F(Reports, BetweenProcesses) {
  std::vector<TestProcess> processes = job_.StartAll(5, "reports silence_limit=10");
  for (TestProcess& process : processes) {
    EXPECT_EQ(process.WaitForEnd(60), 0) << process.output();
    EXPECT_EQ(process.LastLine(), "OK");
  }
}

}  // namespace
}  // namespace axle
