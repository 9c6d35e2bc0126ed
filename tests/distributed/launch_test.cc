// axle launch, and processes that mpirun starts.
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "axle/core/strings.h"
#include "tests/distributed/processes.h"
#include "tests/paths.h"
#include "tests/sanitizers.h"

namespace axle {
namespace {

size_t CountOf(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

class Launch : public testing::Test {
 protected:
  // With folders for temporary files of its own, to see what is left.
  TestProcess Start(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {BuildFolder() / "bin" / "axle", "launch"});
    job_.environment()["TMPDIR"] = job_.folder();
    return {arguments, job_.environment()};
  }
  TestJob job_;
};

TEST_F(Launch, ProcessesOfAJob) {
  TestProcess launch =
      Start({"-n", "3", "--", "sh", "-c", "echo $AXLE_PROCESS_ID of $AXLE_NUM_PROCESSES; cat"});
  EXPECT_EQ(launch.WaitForEnd(), 0) << launch.output();
  for (const char* line : {"[0] 0 of 3\n", "[1] 1 of 3\n", "[2] 2 of 3\n"}) {
    EXPECT_EQ(CountOf(launch.output(), line), 1U) << launch.output();
  }
  EXPECT_TRUE(std::filesystem::is_empty(job_.folder()));
}

TEST_F(Launch, TheyFindEachOther) {
  if (!HasTransport("gloo")) GTEST_SKIP() << "built without Gloo";
  for (const std::string& rendezvous : {std::string(), StrCat("tcp://127.0.0.1:", FreePort())}) {
    std::vector<std::string> arguments = {"-n", "4"};
    if (!rendezvous.empty()) arguments.insert(arguments.end(), {"--rendezvous", rendezvous});
    arguments.insert(arguments.end(), {"--", ProcessProgram(), "exchange"});
    TestProcess launch = Start(arguments);
    EXPECT_EQ(launch.WaitForEnd(), 0) << launch.output();
    EXPECT_EQ(CountOf(launch.output(), "] OK\n"), 4U) << launch.output();
    EXPECT_TRUE(std::filesystem::is_empty(job_.folder()));
  }
}

// The others report that they have lost it, and end by themselves.
TEST_F(Launch, FirstFailureIsTheExitCode) {
  if (!HasTransport("gloo")) GTEST_SKIP() << "built without Gloo";
  TestProcess launch = Start({"-n", "3", "--", "sh", "-c",
                              StrCat("if [ $AXLE_PROCESS_ID = 1 ]; then exec ", ProcessProgram(),
                                     " die; fi; ", ProcessProgram(), " wait process=1")});
  EXPECT_EQ(launch.WaitForEnd(), 128 + SIGKILL) << launch.output();
  EXPECT_LE(launch.seconds(), 5);
  EXPECT_EQ(CountOf(launch.output(), "axle: launch: process 1 was ended by signal 9 (Killed)\n"),
            1U)
      << launch.output();
  EXPECT_EQ(CountOf(launch.output(),
                    StrCat("process 1 (", ThisHost(), ") is lost: its connection was closed\n")),
            2U)
      << launch.output();
}

TEST_F(Launch, TheRestIsEnded) {
  TestProcess launch = Start(
      {"-n", "2", "--", "sh", "-c", "if [ $AXLE_PROCESS_ID = 0 ]; then kill -9 $$; fi; sleep 100"});
  EXPECT_EQ(launch.WaitForEnd(19), 128 + SIGKILL) << launch.output();
  EXPECT_GE(launch.seconds(), 10);
  EXPECT_EQ(launch.output(), "axle: launch: process 0 was ended by signal 9 (Killed)\n");
}

TEST_F(Launch, SignalsAreForwarded) {
  TestProcess launch = Start(
      {"-n", "2", "--", "sh", "-c",
       StrCat("trap 'echo got it; exit 3' USR1; echo here; ", "while true; do sleep 0.1; done")});
  ASSERT_TRUE(launch.WaitForText("[0] here") && launch.WaitForText("[1] here"));
  launch.Signal(SIGUSR1);
  EXPECT_EQ(launch.WaitForEnd(5), 3) << launch.output();
  EXPECT_EQ(CountOf(launch.output(), "] got it\n"), 2U) << launch.output();
}

TEST_F(Launch, WrongCommandLines) {
  const auto error = [this](const std::vector<std::string>& arguments, int code) {
    TestProcess launch = Start(arguments);
    EXPECT_EQ(launch.WaitForEnd(), code);
    return launch.output();
  };
  EXPECT_EQ(error({"-n", "2"}, 2), "axle: launch: takes -n N -- COMMAND\n");
  EXPECT_EQ(error({"--", "ls"}, 2), "axle: launch: -n says how many processes\n");
  EXPECT_EQ(error({"-n", "1", "--", "/nowhere/x"}, 127),
            "[0] axle: launch: cannot run /nowhere/x: No such file or directory\n"
            "axle: launch: process 0 ended with code 127\n");
}

class Mpi : public testing::Test {
 protected:
  void SetUp() override {
    if (!HasTransport("mpi")) GTEST_SKIP() << "built without MPI";
    if (kAddressSanitizer || kThreadSanitizer) GTEST_SKIP() << "MPI itself leaks and races";
    if (TestProcess({"mpirun", "--version"}, {}).WaitForEnd() != 0) GTEST_SKIP() << "no mpirun";
  }
  // mpirun, with processes that give the processor away while they wait.
  TestProcess Start(const std::vector<std::vector<std::string>>& commands,
                    const std::vector<std::string>& options = {}) {
    std::vector<std::string> words = {"mpirun", "--oversubscribe",     "--allow-run-as-root",
                                      "--mca",  "mpi_yield_when_idle", "1"};
    words.insert(words.end(), options.begin(), options.end());
    for (const std::vector<std::string>& command : commands) {
      if (&command != commands.data()) words.emplace_back(":");
      words.insert(words.end(), {"-n", command[0], ProcessProgram()});
      words.insert(words.end(), command.begin() + 1, command.end());
      words.emplace_back("transport=mpi");
    }
    return {words, {}};
  }
  void RunAll(const std::string& count, const std::string& task) {
    TestProcess job = Start({{count, task}});
    EXPECT_EQ(job.WaitForEnd(60), 0) << job.output();
    EXPECT_EQ(CountOf(job.output(), "OK\n"), static_cast<size_t>(std::stoi(count))) << job.output();
  }
};

TEST_F(Mpi, AllSizesBothWaysAtOnce) {
  RunAll("2", "exchange");
}
TEST_F(Mpi, FourProcesses) {
  RunAll("4", "exchange");
}
TEST_F(Mpi, ThreadsThatReceiveInAnotherOrder) {
  RunAll("2", "threads");
}
TEST_F(Mpi, Barriers) {
  RunAll("3", "barriers");
}
TEST_F(Mpi, Reports) {
  RunAll("3", "reports");
}
TEST_F(Mpi, ConnectingAgain) {
  TestProcess job = Start({{"2", "exchange", "rounds=3"}});
  EXPECT_EQ(job.WaitForEnd(60), 0) << job.output();
}

TEST_F(Mpi, KilledProcess) {
  const auto start = std::chrono::steady_clock::now();
  TestProcess job = Start({{"1", "die"}, {"2", "wait", "process=0"}}, {"--enable-recovery"});
  const std::string lost =
      StrCat("UNAVAILABLE: all-reduce \"sum\": receive of 8 bytes from process 0 (", ThisHost(),
             "): process 0 (", ThisHost(), ") is lost: its connection was closed\n");
  EXPECT_TRUE(job.WaitForText(lost, 10)) << job.output();
  EXPECT_TRUE(job.WaitForEnd(15).has_value());
  EXPECT_EQ(CountOf(job.output(), lost), 2U) << job.output();
  EXPECT_LE(SecondsSince(start), 10);
}

TEST_F(Mpi, OtherNumbers) {
  TestProcess job =
      Start({{"1", "leave"}}, {"-x", "AXLE_PROCESS_ID=1", "-x", "AXLE_NUM_PROCESSES=3"});
  EXPECT_NE(job.WaitForEnd(15), 0);
  EXPECT_EQ(CountOf(job.output(),
                    "INVALID_ARGUMENT: connect: this is process 0 of 1 of MPI, and process_id and "
                    "num_processes, or the environment, say 1 of 3\n"),
            1U)
      << job.output();
}

}  // namespace
}  // namespace axle
