// Messages between processes that are all well.
#include <gtest/gtest.h>

#include <filesystem>

#include "axle/core/strings.h"
#include "tests/distributed/processes.h"
#include "tests/paths.h"

namespace axle {
namespace {

class Messages : public testing::Test {
 protected:
  void SetUp() override {
    if (!HasTransport("gloo")) GTEST_SKIP() << "built without Gloo";
  }
  // All processes run the task, to its end, and leave nothing behind.
  void RunAll(int count, const std::string& task) {
    std::vector<TestProcess> processes = job_.StartAll(count, task);
    for (TestProcess& process : processes) {
      EXPECT_EQ(process.WaitForEnd(60), 0) << process.output();
      EXPECT_EQ(process.LastLine(), "OK");
    }
    EXPECT_EQ(job_.LeftInFolder(), "no folder");
  }
  TestJob job_;
};

TEST_F(Messages, AllSizesBothWaysAtOnce) {
  RunAll(2, "exchange largest=67108864");
}
TEST_F(Messages, FourProcesses) {
  RunAll(4, "exchange largest=4000000");
}
TEST_F(Messages, EightProcesses) {
  RunAll(8, "exchange");
}
TEST_F(Messages, SixteenProcesses) {
  RunAll(16, "barriers");
}
TEST_F(Messages, ThreadsThatReceiveInAnotherOrder) {
  RunAll(3, "threads");
}
TEST_F(Messages, MessagesOfOneKeyKeepTheirOrder) {
  RunAll(2, "order");
}
// Process p gets p + 1 messages of each other one; no process has the numbers -1 and 3.
TEST_F(Messages, WhatWasSentIsCounted) {
  std::vector<TestProcess> processes = job_.StartAll(3, "count-sent");
  const std::string sent[] = {"sent 0:0 0:0 2:100 3:300 0:0", "sent 0:0 1:0 0:0 3:300 0:0",
                              "sent 0:0 1:0 2:100 0:0 0:0"};
  for (size_t p = 0; p < 3; ++p) {
    EXPECT_EQ(processes[p].WaitForEnd(60), 0) << processes[p].output();
    EXPECT_TRUE(processes[p].WaitForText(sent[p])) << processes[p].output();
  }
}
TEST_F(Messages, OneProcessIsAJob) {
  RunAll(1, "connect");
}

TEST_F(Messages, OverATcpStore) {
  job_.environment()["AXLE_RENDEZVOUS"] = StrCat("tcp://127.0.0.1:", FreePort());
  RunAll(4, "exchange");
}

// Who is through first must not leave, and take the store along, while others look for each other.
TEST_F(Messages, ManyProcessesThatLeaveAtOnce) {
  for (int round = 0; round < 3; ++round) {
    job_.environment()["AXLE_RENDEZVOUS"] = StrCat("tcp://127.0.0.1:", FreePort());
    RunAll(32, "leave");
  }
}

// Process 1 is in a call of the user from 2 s to 5.2 s, and does not hear the goodbye of process 0
// before its end. It is silent for less than the limit, and has the message.
TEST_F(Messages, GoodbyeToAProcessThatIsBusy) {
  TestProcess zero = job_.Start(0, 2, "parting silence_limit=10"),
              one = job_.Start(1, 2, "parting silence_limit=10 second_heartbeat_takes=3.2");
  EXPECT_EQ(zero.WaitForEnd(20), 0) << zero.output();
  EXPECT_EQ(one.WaitForEnd(20), 0) << one.output();
}

// The library lies beside libaxle.so; here it does not.
TEST_F(Messages, WithoutTheLibrary) {
  std::filesystem::create_symlink(BuildFolder() / "lib" / "libaxle.so.0.1",
                                  std::filesystem::path(job_.folder()) / "libaxle.so.0.1");
  job_.environment()["LD_LIBRARY_PATH"] = job_.folder();
  TestProcess process = job_.Start(0, 1, "leave");
  EXPECT_EQ(process.WaitForEnd(), 1);
  const std::string file = StrCat(job_.folder(), "/libaxle_gloo.so");
  EXPECT_EQ(process.LastLine(),
            StrCat("UNAVAILABLE: connect: no libaxle_gloo.so: ", file,
                   ": cannot open shared object file: No such file or directory; it comes with a "
                   "build with -DAXLE_GLOO=ON and needs the package libgloo0"));
}

TEST_F(Messages, SixteenProcessesConnectInTwoSeconds) {
  std::vector<TestProcess> processes = job_.StartAll(16, "leave");
  double slowest = 0;
  for (TestProcess& process : processes) {
    EXPECT_EQ(process.WaitForEnd(), 0) << process.output();
    slowest = std::max(slowest, process.seconds());
  }
  RecordProperty("seconds", std::to_string(slowest));
  EXPECT_LE(slowest, 2.0);
}

// Each round is an epoch: connections are made and closed.
TEST_F(Messages, ConnectingAgainLeavesNothingBehind) {
  std::vector<TestProcess> processes = job_.StartAll(3, "exchange rounds=4");
  for (TestProcess& process : processes) {
    EXPECT_EQ(process.WaitForEnd(60), 0) << process.output();
    EXPECT_TRUE(process.WaitForText("left behind: 0 files, 0 threads")) << process.output();
  }
  EXPECT_EQ(job_.LeftInFolder(), "no folder");
}

TEST_F(Messages, SizesAgree) {
  TestProcess sender = job_.Start(0, 2, "send process=1 bytes=8");
  TestProcess receiver = job_.Start(1, 2, "wait process=0 bytes=4");
  EXPECT_EQ(receiver.WaitForEnd(), 1);
  EXPECT_EQ(receiver.LastLine(),
            StrCat("FAILED_PRECONDITION: all-reduce \"sum\": process 0 (", ThisHost(),
                   ") sends 8 bytes, and process 1 (", ThisHost(), ") receives 4"));
  EXPECT_EQ(sender.WaitForEnd(), 0);  // it was through
}

TEST_F(Messages, LimitsEndAReceive) {
  TestProcess idle = job_.Start(0, 2, "hang");
  TestProcess receiver = job_.Start(1, 2, "wait process=0 limit=0.5");
  EXPECT_EQ(receiver.WaitForEnd(), 1);
  EXPECT_EQ(receiver.LastLine().substr(0, 18), "DEADLINE_EXCEEDED:") << receiver.LastLine();
}

TEST_F(Messages, CancellationEndsAReceive) {
  TestProcess idle = job_.Start(0, 2, "hang");
  TestProcess receiver = job_.Start(1, 2, "wait process=0 cancel=1");
  EXPECT_EQ(receiver.WaitForEnd(), 1);
  EXPECT_EQ(receiver.LastLine().substr(0, 10), "CANCELLED:") << receiver.LastLine();
}

TEST_F(Messages, NoProcessOfTheJob) {
  TestProcess receiver = job_.Start(0, 1, "wait process=3");
  EXPECT_EQ(receiver.WaitForEnd(), 1);
  EXPECT_EQ(receiver.LastLine(),
            "INVALID_ARGUMENT: transport: process 3 is none of the others: this is 0 of 1");
}

TEST_F(Messages, WhatNobodyReceivesHasALimit) {
  TestProcess sender = job_.Start(0, 2, "send-forever process=1");
  TestProcess idle = job_.Start(1, 2, "hang max_kept_bytes=10000000");
  EXPECT_EQ(sender.WaitForEnd(), 1);
  EXPECT_EQ(sender.LastLine(),
            StrCat("RESOURCE_EXHAUSTED: send \"s\": send of 1048576 bytes to process 1 (",
                   ThisHost(), "): process 1 (", ThisHost(),
                   ") has failed: transport: no room for a message of 1048576 bytes from process "
                   "0 (",
                   ThisHost(), "), which nobody receives yet; at most 10000000 bytes are kept"));
}

}  // namespace
}  // namespace axle
