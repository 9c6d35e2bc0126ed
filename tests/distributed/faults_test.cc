// What the others learn of a process that is lost, late, leaves, or never came.
#include <gtest/gtest.h>

#include <csignal>

#include "axle/core/strings.h"
#include "tests/distributed/processes.h"

namespace axle {
namespace {

using Clock = std::chrono::steady_clock;

// From a fault to the error of the survivors.
constexpr double kMostSeconds = 10;

std::string Name(int process) {
  return StrCat("process ", process, " (", ThisHost(), ")");
}

class Faults : public testing::Test {
 protected:
  void SetUp() override {
    if (!HasTransport("gloo")) GTEST_SKIP() << "built without Gloo";
  }
  // Each survivor ends in time, with the status.
  static void ExpectAll(std::vector<TestProcess>& survivors, Clock::time_point fault,
                        const std::string& status) {
    for (TestProcess& process : survivors) {
      EXPECT_EQ(process.WaitForEnd(kMostSeconds + 5), 1) << process.output();
      EXPECT_LE(SecondsSince(fault), kMostSeconds);
      EXPECT_EQ(process.LastLine(), status) << process.output();
    }
  }
  TestJob job_;
};

TEST_F(Faults, KilledProcess) {
  TestProcess victim = job_.Start(0, 4, "hang");
  std::vector<TestProcess> survivors;
  // Two wait for the victim, and one for a process that waits.
  for (int id = 1; id < 4; ++id) survivors.push_back(job_.Start(id, 4, "wait process=0 again=1"));
  for (TestProcess& process : survivors) ASSERT_TRUE(process.WaitForText("connected"));
  ASSERT_TRUE(victim.WaitForText("connected"));
  const auto fault = Clock::now();
  victim.Signal(SIGKILL);
  const std::string lost = StrCat(Name(0), " is lost: its connection was closed");
  ExpectAll(
      survivors, fault,
      StrCat("UNAVAILABLE: all-reduce \"sum\": receive of 8 bytes from ", Name(0), ": ", lost));
  // Later calls say the same.
  for (TestProcess& process : survivors) {
    EXPECT_TRUE(
        process.WaitForText(StrCat("UNAVAILABLE: receive of 1 bytes from ", Name(0), ": ", lost)))
        << process.output();
    EXPECT_TRUE(
        process.WaitForText(StrCat("UNAVAILABLE: send of 1 bytes to ", Name(0), ": ", lost)))
        << process.output();
  }
}

// Whoever waits for somebody else learns of it too.
TEST_F(Faults, KilledProcessThatNobodyWaitsFor) {
  TestProcess victim = job_.Start(2, 3, "hang");
  std::vector<TestProcess> survivors;
  survivors.push_back(job_.Start(0, 3, "wait process=1"));
  TestProcess other = job_.Start(1, 3, "hang");
  for (TestProcess* process : {&victim, &survivors[0], &other}) {
    ASSERT_TRUE(process->WaitForText("connected"));
  }
  const auto fault = Clock::now();
  victim.Signal(SIGKILL);
  ExpectAll(survivors, fault,
            StrCat("UNAVAILABLE: all-reduce \"sum\": receive of 8 bytes from ", Name(1), ": ",
                   Name(2), " is lost: its connection was closed"));
}

TEST_F(Faults, StoppedProcess) {
  TestProcess victim = job_.Start(1, 3, "wait process=0");
  std::vector<TestProcess> survivors;
  survivors.push_back(job_.Start(0, 3, "wait process=1"));
  survivors.push_back(job_.Start(2, 3, "wait process=1"));
  for (TestProcess& process : survivors) ASSERT_TRUE(process.WaitForText("connected"));
  ASSERT_TRUE(victim.WaitForText("connected"));
  const auto fault = Clock::now();
  victim.Signal(SIGSTOP);
  ExpectAll(survivors, fault,
            StrCat("UNAVAILABLE: all-reduce \"sum\": receive of 8 bytes from ", Name(1), ": ",
                   Name(1), " is lost: nothing was heard of it for 5 s"));
  EXPECT_GE(SecondsSince(fault), 4);
  // When it goes on it learns that it was given up.
  victim.Signal(SIGCONT);
  EXPECT_EQ(victim.WaitForEnd(), 1);
  EXPECT_NE(victim.LastLine().find(StrCat(" has given this process up: ", Name(1),
                                          " is lost: nothing was heard of it for 5 s")),
            std::string::npos)
      << victim.output();
}

// A process that is stopped for less than the limit is only slow.
TEST_F(Faults, ShortStop) {
  TestProcess slow = job_.Start(0, 2, "late process=1 after=1");
  TestProcess receiver = job_.Start(1, 2, "wait process=0");
  ASSERT_TRUE(slow.WaitForText("connected"));
  slow.Signal(SIGSTOP);
  usleep(3'000'000);
  slow.Signal(SIGCONT);
  EXPECT_EQ(receiver.WaitForEnd(), 0) << receiver.output();
  EXPECT_EQ(slow.WaitForEnd(), 0) << slow.output();
}

// In the middle of messages of a megabyte.
TEST_F(Faults, KilledSender) {
  TestProcess sender = job_.Start(0, 2, "send-forever process=1");
  std::vector<TestProcess> survivors;
  survivors.push_back(job_.Start(1, 2, "receive-forever process=0"));
  ASSERT_TRUE(survivors[0].WaitForText("connected"));
  usleep(300'000);
  const auto fault = Clock::now();
  sender.Signal(SIGKILL);
  ExpectAll(survivors, fault,
            StrCat("UNAVAILABLE: receive of 1048576 bytes from ", Name(0), ": ", Name(0),
                   " is lost: its connection was closed"));
}

TEST_F(Faults, KilledAndStoppedReceivers) {
  for (const int signal : {SIGKILL, SIGSTOP}) {
    TestJob job;
    TestProcess receiver = job.Start(1, 2, "receive-forever process=0");
    std::vector<TestProcess> survivors;
    survivors.push_back(job.Start(0, 2, "send-forever process=1"));
    ASSERT_TRUE(survivors[0].WaitForText("connected"));
    usleep(300'000);
    const auto fault = Clock::now();
    receiver.Signal(signal);
    const char* why =
        signal == SIGKILL ? "its connection was closed" : "nothing was heard of it for 5 s";
    ExpectAll(survivors, fault,
              StrCat("UNAVAILABLE: send \"s\": send of 1048576 bytes to ", Name(1), ": ", Name(1),
                     " is lost: ", why));
  }
}

TEST_F(Faults, ProcessThatLeavesEarly) {
  TestProcess early = job_.Start(0, 2, "leave");
  TestProcess receiver = job_.Start(1, 2, "wait process=0");
  EXPECT_EQ(early.WaitForEnd(), 0) << early.output();
  EXPECT_EQ(receiver.WaitForEnd(kMostSeconds), 1) << receiver.output();
  EXPECT_EQ(receiver.LastLine(), StrCat("UNAVAILABLE: all-reduce \"sum\": receive of 8 bytes from ",
                                        Name(0), ": ", Name(0), " has left"));
}

// What a process has sent before it leaves arrives.
TEST_F(Faults, MessageOfAProcessThatHasLeft) {
  TestProcess early = job_.Start(0, 2, "send process=1");
  TestProcess receiver = job_.Start(1, 2, "wait process=0");
  EXPECT_EQ(early.WaitForEnd(), 0) << early.output();
  EXPECT_EQ(receiver.WaitForEnd(), 0) << receiver.output();
}

TEST_F(Faults, FirstCauseReachesAll) {
  std::vector<TestProcess> survivors;
  survivors.push_back(job_.Start(1, 3, "wait process=2"));
  survivors.push_back(job_.Start(2, 3, "wait process=1"));
  TestProcess first = job_.Start(0, 3, "abort");
  for (int id : {1, 2}) {
    TestProcess& process = survivors[static_cast<size_t>(id - 1)];
    EXPECT_EQ(process.WaitForEnd(kMostSeconds), 1) << process.output();
    EXPECT_EQ(process.LastLine(),
              StrCat("INVALID_ARGUMENT: all-reduce \"sum\": receive of 8 bytes from ", Name(3 - id),
                     ": ", Name(0), " has failed: the program is wrong"));
  }
}

TEST_F(Faults, LateProcessIsWaitedFor) {
  TestProcess late = job_.Start(0, 2, "late process=1 after=2");
  TestProcess receiver = job_.Start(1, 2, "wait process=0 late_warning=1");
  EXPECT_EQ(receiver.WaitForEnd(), 0) << receiver.output();
  const std::string warning =
      StrCat("warning: all-reduce \"sum\": receive of 8 bytes from ", Name(0),
             " has waited for 1 s; ", Name(0), " is alive and is waited for up to 1800 s\n");
  EXPECT_NE(receiver.output().find(warning), std::string::npos) << receiver.output();
  EXPECT_EQ(receiver.output().find("warning"), receiver.output().rfind("warning"));  // once
}

TEST_F(Faults, LateProcessIsGivenUp) {
  TestProcess late = job_.Start(0, 2, "hang");
  TestProcess receiver = job_.Start(1, 2, "wait process=0 late_warning=0.5 late_limit=1.5");
  EXPECT_EQ(receiver.WaitForEnd(), 1) << receiver.output();
  EXPECT_EQ(receiver.LastLine(),
            StrCat("UNAVAILABLE: all-reduce \"sum\": receive of 8 bytes from ", Name(0), ": ",
                   Name(0), " is alive, and this has waited for it for 1.5 s"));
}

TEST_F(Faults, ProcessThatNeverStarts) {
  std::vector<TestProcess> present;
  for (int id : {0, 2}) present.push_back(job_.Start(id, 4, "leave connect_limit=1.5"));
  for (TestProcess& process : present) {
    EXPECT_EQ(process.WaitForEnd(kMostSeconds), 1) << process.output();
    EXPECT_EQ(process.LastLine(),
              "DEADLINE_EXCEEDED: connect: processes 1, 3 have not come within 1.5 s")
        << process.output();
  }
  EXPECT_EQ(job_.LeftInFolder(), "no folder");
}

// Both sides are told.
TEST_F(Faults, AnotherVersion) {
  std::vector<TestProcess> processes;
  processes.push_back(job_.Start(0, 2, "leave version=1.0.0"));
  processes.push_back(job_.Start(1, 2, "leave version=2.0.0"));
  for (int id : {0, 1}) {
    TestProcess& process = processes[static_cast<size_t>(id)];
    EXPECT_EQ(process.WaitForEnd(kMostSeconds), 1) << process.output();
    EXPECT_EQ(process.LastLine(),
              StrCat("FAILED_PRECONDITION: connect: ", Name(1 - id), " has version ", 2 - id,
                     ".0.0 of axle, and ", Name(id), " version ", 1 + id, ".0.0"))
        << process.output();
  }
}

// Who comes a little later learns of it too, and does not wait for those that have given up.
TEST_F(Faults, AnotherVersionAndLatecomers) {
  for (const bool is_tcp : {false, true}) {
    TestJob job;
    if (is_tcp) job.environment()["AXLE_RENDEZVOUS"] = StrCat("tcp://127.0.0.1:", FreePort());
    std::vector<TestProcess> processes;
    processes.push_back(job.Start(1, 4, "leave version=2.0.0"));
    processes.push_back(job.Start(2, 4, "leave version=1.0.0"));
    processes.push_back(job.Start(0, 4, "leave version=1.0.0"));
    usleep(500'000);
    processes.push_back(job.Start(3, 4, "leave version=1.0.0"));
    for (TestProcess& process : processes) {
      EXPECT_EQ(process.WaitForEnd(kMostSeconds), 1) << process.output();
      EXPECT_LE(process.seconds(), 4);
      EXPECT_TRUE(process.LastLine().starts_with("FAILED_PRECONDITION: connect: process "))
          << process.output();
      EXPECT_NE(process.LastLine().find(Name(1)), std::string::npos) << process.output();
    }
  }
}

// One that dies before all are there.
TEST_F(Faults, KilledProcessAndLatecomers) {
  TestProcess victim = job_.Start(0, 4, "leave");
  std::vector<TestProcess> survivors;
  survivors.push_back(job_.Start(2, 4, "leave"));
  survivors.push_back(job_.Start(3, 4, "leave"));
  usleep(500'000);
  victim.Signal(SIGKILL);
  survivors.push_back(job_.Start(1, 4, "leave"));
  for (TestProcess& process : survivors) {
    EXPECT_EQ(process.WaitForEnd(kMostSeconds), 1) << process.output();
    EXPECT_EQ(process.LastLine(),
              StrCat("UNAVAILABLE: connect: ", Name(0),
                     " has ended while others were not connected yet: its connection was closed"))
        << process.output();
  }
}

TEST_F(Faults, AnotherNumberOfProcesses) {
  std::vector<TestProcess> processes;
  processes.push_back(job_.Start(0, 2, "leave"));
  processes.push_back(job_.Start(1, 3, "leave"));
  for (int id : {0, 1}) {
    TestProcess& process = processes[static_cast<size_t>(id)];
    EXPECT_EQ(process.WaitForEnd(kMostSeconds), 1) << process.output();
    EXPECT_EQ(process.LastLine(),
              StrCat("FAILED_PRECONDITION: connect: ", Name(1 - id), " belongs to ", 3 - id,
                     " processes, and ", Name(id), " to ", 2 + id))
        << process.output();
  }
}

TEST_F(Faults, OtherNumerics) {
  std::vector<TestProcess> processes;
  processes.push_back(job_.Start(0, 2, "leave fingerprint=strict"));
  processes.push_back(job_.Start(1, 2, "leave fingerprint=fast"));
  EXPECT_EQ(processes[0].WaitForEnd(kMostSeconds), 1);
  EXPECT_EQ(processes[1].WaitForEnd(kMostSeconds), 1);
  EXPECT_EQ(processes[0].LastLine(), StrCat("FAILED_PRECONDITION: connect: ", Name(1),
                                            " has \"fast\", and ", Name(0), " has \"strict\""));
}

TEST_F(Faults, TwoProcessesOfOneNumber) {
  TestProcess zero = job_.Start(0, 3, "leave connect_limit=5");
  TestProcess one = job_.Start(1, 3, "leave connect_limit=5");
  ASSERT_TRUE(one.id() > 0);
  usleep(500'000);
  TestProcess again = job_.Start(1, 3, "leave connect_limit=5");
  EXPECT_EQ(again.WaitForEnd(kMostSeconds), 1) << again.output();
  EXPECT_EQ(again.LastLine(), StrCat("FAILED_PRECONDITION: connect: there are two processes 1, on ",
                                     ThisHost(), " and ", ThisHost()));
}

}  // namespace
}  // namespace axle
