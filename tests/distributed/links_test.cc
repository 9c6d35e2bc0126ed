// Connections that carry messages and end by themselves, while the processes go on.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "axle/core/strings.h"
#include "axle/distributed/engine/sockets.h"
#include "tests/distributed/processes.h"
#include "tests/distributed/relay.h"
#include "tests/paths.h"

namespace axle {
namespace {

using Clock = std::chrono::steady_clock;

std::string Name(int process) {
  return StrCat("process ", process, " (", ThisHost(), ")");
}

// A port at which a process listens, or 0.
int ListeningPort(pid_t process) {
  std::set<std::string> own;  // "socket:[12345]"
  const std::string folder = StrCat("/proc/", process, "/fd");
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::error_code error;
    own.insert(std::filesystem::read_symlink(entry.path(), error).string());
  }
  std::ifstream table("/proc/net/tcp");
  for (std::string line; std::getline(table, line);) {
    std::istringstream words(line);
    std::array<std::string, 10> columns;
    for (std::string& column : columns) words >> column;
    const bool listens = columns[3] == "0A";
    if (listens && own.contains(StrCat("socket:[", columns[9], "]"))) {
      return static_cast<int>(std::stoul(columns[1].substr(columns[1].find(':') + 1), nullptr, 16));
    }
  }
  return 0;
}

class Links : public testing::Test {
 protected:
  void SetUp() override {
    if (!HasTransport("gloo")) GTEST_SKIP() << "built without Gloo";
  }
  // A process whose connections go through the relay.
  TestProcess Start(int id, int count, const std::string& task) {
    job_.environment()[kRelayVariable] = std::to_string(relay_.port());
    job_.environment()["LD_PRELOAD"] = BuildFolder() / "lib" / "libaxle_divert.so";
    job_.environment()["AXLE_LISTEN_ADDRESS"] = StrCat("127.77.0.", id + 1);
    return job_.Start(id, count, task);
  }
  Relay relay_;
  TestJob job_;
};

// Gloo's own thread takes connections: what is wrong with one ends only that.
TEST_F(Links, StrangersAtThePortOfGloo) {
  // What Gloo takes for the bytes of a receive that there is not.
  constexpr std::array<std::uint64_t, 6> kRubbish = {56, 1, 77, 0, 8, 0};
  for (const bool resets : {false, true}) {
    TestJob job;
    TestProcess zero = job.Start(0, 2, "late process=1 after=1 silence_limit=60");
    TestProcess one = job.Start(1, 2, "hang silence_limit=60");
    ASSERT_TRUE(zero.WaitForText("connected") && one.WaitForText("connected"));
    one.Signal(SIGSTOP);  // so that it does not connect
    int port = 0;
    for (const auto start = Clock::now(); port == 0 && SecondsSince(start) < 10; usleep(1000)) {
      port = ListeningPort(zero.id());
    }
    ASSERT_NE(port, 0);
    auto stranger = BeginConnect({"127.0.0.1", port});
    ASSERT_TRUE(stranger.ok());
    pollfd polled = {stranger->get(), POLLOUT, 0};
    ASSERT_EQ(poll(&polled, 1, 1000), 1);
    if (resets) {
      const linger at_once = {1, 0};
      setsockopt(stranger->get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
      stranger->Close();
    } else {
      ASSERT_EQ(send(stranger->get(), kRubbish.data(), sizeof kRubbish, MSG_NOSIGNAL),
                static_cast<ssize_t>(sizeof kRubbish));
    }
    EXPECT_EQ(zero.WaitForEnd(10), 1) << zero.output();
    EXPECT_TRUE(
        zero.LastLine().starts_with(StrCat("UNAVAILABLE: all-reduce \"sum\": send of 8 bytes to ",
                                           Name(1), ": ", Name(1), " is lost: ")))
        << zero.output();
  }
}

// Both processes are in the middle of a long message of the other one. The reset says that it is
// over, long before the silence limit.
TEST_F(Links, ResetWhileMessagesCross) {
  TestProcess zero = Start(0, 2, "steps steps=1000 bytes=8000000 silence_limit=60");
  TestProcess one = Start(1, 2, "steps steps=1000 bytes=8000000 silence_limit=60");
  ASSERT_TRUE(zero.WaitForText("first step") && one.WaitForText("first step"));
  relay_.SetBothWays(0, 1, {.bytes_per_second = 2e6});
  usleep(500'000);
  const auto fault = Clock::now();
  EXPECT_EQ(relay_.Break(0, 1, Relay::kData, true), 1);
  for (TestProcess* process : {&zero, &one}) {
    EXPECT_EQ(process->WaitForEnd(30), 1) << process->output();
    EXPECT_TRUE(process->LastLine().starts_with("UNAVAILABLE: ")) << process->output();
    EXPECT_NE(process->LastLine().find(" is lost: "), std::string::npos) << process->output();
    EXPECT_TRUE(process->WaitForText("left behind: 0 sockets, 0 threads")) << process->output();
  }
  EXPECT_LE(SecondsSince(fault), 20);
}

// A report that takes longer than the silence limit to come is no silence.
TEST_F(Links, ReportsOverASlowLink) {
  relay_.SetBothWays(0, 1, {.bytes_per_second = 30000});
  TestProcess zero = Start(0, 2, "reports silence_limit=1"),
              one = Start(1, 2, "reports silence_limit=1");
  EXPECT_EQ(zero.WaitForEnd(), 0) << zero.output();
  EXPECT_EQ(one.WaitForEnd(), 0) << one.output();
}

}  // namespace
}  // namespace axle
