// Two machines that a cable connects: network namespaces, where this test may make them.
#include <gtest/gtest.h>
#include <unistd.h>

#include <sstream>

#include "axle/core/strings.h"
#include "tests/distributed/processes.h"

namespace axle {
namespace {

class Network : public testing::Test {
 protected:
  void SetUp() override {
    if (!HasTransport("gloo")) GTEST_SKIP() << "built without Gloo";
    if (!Run(StrCat("ip netns add ", a_))) GTEST_SKIP() << "no network namespaces here";
    ASSERT_TRUE(Run(StrCat("ip netns add ", b_)));
    ASSERT_TRUE(Run(StrCat("ip link add v0 netns ", a_, " type veth peer name v0 netns ", b_)));
    for (const auto& [name, address] :
         {std::pair(a_, "10.77.0.1/24"), std::pair(b_, "10.77.0.2/24")}) {
      ASSERT_TRUE(Run(StrCat("ip -n ", name, " addr add ", address, " dev v0")));
      ASSERT_TRUE(Run(StrCat("ip -n ", name, " link set lo up")));
      ASSERT_TRUE(Run(StrCat("ip -n ", name, " link set v0 up")));
    }
    job_.environment() = {{"AXLE_RENDEZVOUS", "tcp://10.77.0.1:4600"},
                          {"AXLE_JOB_SECRET", "secret"},
                          {"AXLE_NUM_PROCESSES", "2"}};
  }
  void TearDown() override {
    Run(StrCat("ip netns del ", a_));
    Run(StrCat("ip netns del ", b_));
  }
  static std::vector<std::string> Words(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    return words;
  }
  static bool Run(const std::string& command) {
    return TestProcess(Words(command), {}).WaitForEnd() == 0;
  }
  TestProcess Start(int id, const std::string& task) {
    job_.environment()["AXLE_PROCESS_ID"] = std::to_string(id);
    return {Words(StrCat("ip netns exec ", id == 0 ? a_ : b_, " ", ProcessProgram(), " ", task)),
            job_.environment()};
  }
  const std::string a_ = StrCat("axle-a", getpid()), b_ = StrCat("axle-b", getpid());
  TestJob job_;
};

TEST_F(Network, MessagesBetweenMachines) {
  TestProcess zero = Start(0, "exchange"), one = Start(1, "exchange");
  EXPECT_EQ(zero.WaitForEnd(), 0) << zero.output();
  EXPECT_EQ(one.WaitForEnd(), 0) << one.output();
}

// Without a cable nothing is closed: there is only silence.
TEST_F(Network, PulledCable) {
  TestProcess zero = Start(0, "send-forever process=1"),
              one = Start(1, "receive-forever process=0");
  ASSERT_TRUE(zero.WaitForText("connected") && one.WaitForText("connected"));
  usleep(200'000);
  const auto fault = std::chrono::steady_clock::now();
  ASSERT_TRUE(Run(StrCat("ip -n ", b_, " link set v0 down")));
  const auto lost = [](int process) {
    const std::string name = StrCat("process ", process, " (", ThisHost(), ")");
    return StrCat(name, ": ", name, " is lost: nothing was heard of it for 5 s");
  };
  EXPECT_EQ(zero.WaitForEnd(), 1);
  EXPECT_EQ(one.WaitForEnd(), 1);
  EXPECT_LE(SecondsSince(fault), 10);
  EXPECT_EQ(zero.LastLine(), StrCat("UNAVAILABLE: send \"s\": send of 1048576 bytes to ", lost(1)));
  EXPECT_EQ(one.LastLine(), StrCat("UNAVAILABLE: receive of 1048576 bytes from ", lost(0)));
}

// Without a secret, nobody listens at an address that others reach.
TEST_F(Network, NoSecret) {
  job_.environment().erase("AXLE_JOB_SECRET");
  TestProcess zero = Start(0, "leave");
  EXPECT_EQ(zero.WaitForEnd(), 1);
  EXPECT_TRUE(
      zero.LastLine().starts_with("FAILED_PRECONDITION: connect: this process listens at 10.77.0.1 "
                                  "and the job has no secret: "))
      << zero.output();
}

}  // namespace
}  // namespace axle
