// Variables of launchers, and options that say too little.
#include "axle/distributed/environment.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>

#include "axle/distributed/transport.h"

namespace axle {
namespace {

constexpr const char* kVariables[] = {
    "AXLE_PROCESS_ID",      "AXLE_NUM_PROCESSES",   "AXLE_RENDEZVOUS",    "AXLE_JOB_SECRET",
    "AXLE_JOB_ID",          "AXLE_LISTEN_ADDRESS",  "PMI_RANK",           "PMI_SIZE",
    "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "SLURM_PROCID",       "SLURM_NTASKS",
    "SLURM_JOB_ID",         "SLURM_STEP_ID",        "SLURM_JOB_NODELIST", "SLURM_JOB_NUM_NODES",
    "SLURM_RESTART_COUNT"};

class Environment : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : kVariables) {
      const char* value = std::getenv(name);
      if (value != nullptr) before_[name] = value;
      unsetenv(name);
    }
  }
  void TearDown() override {
    for (const char* name : kVariables) unsetenv(name);
    for (const auto& [name, value] : before_) setenv(name.c_str(), value.c_str(), 1);
  }
  static LaunchEnvironment Read(const std::map<std::string, std::string>& variables) {
    for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
    const auto found = ReadLaunchEnvironment();
    EXPECT_TRUE(found.ok()) << found.status().ToString();
    return found.ok() ? *found : LaunchEnvironment();
  }
  static std::string Error(const std::map<std::string, std::string>& variables) {
    for (const char* name : kVariables) unsetenv(name);
    for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
    return ReadLaunchEnvironment().status().ToString();
  }
  std::map<std::string, std::string> before_;
};

TEST_F(Environment, Nothing) {
  const LaunchEnvironment found = Read({});
  EXPECT_EQ(found.process_id, -1);
  EXPECT_EQ(found.num_processes, 0);
  EXPECT_EQ(found.source, "");
}

TEST_F(Environment, Ours) {
  const LaunchEnvironment found = Read({{"AXLE_PROCESS_ID", "1"},
                                        {"AXLE_NUM_PROCESSES", "3"},
                                        {"AXLE_RENDEZVOUS", "file:///r"},
                                        {"AXLE_JOB_SECRET", "s"},
                                        {"AXLE_JOB_ID", "j"},
                                        {"AXLE_LISTEN_ADDRESS", "10.0.0.1"},
                                        {"SLURM_PROCID", "7"},
                                        {"SLURM_NTASKS", "9"}});
  EXPECT_EQ(found.process_id, 1);
  EXPECT_EQ(found.num_processes, 3);
  EXPECT_EQ(found.source, "AXLE_PROCESS_ID");
  EXPECT_EQ(found.rendezvous, "file:///r");
  EXPECT_EQ(found.secret, "s");
  EXPECT_EQ(found.job, "j");
  EXPECT_EQ(found.listen_address, "10.0.0.1");
}

TEST_F(Environment, Slurm) {
  const LaunchEnvironment found = Read({{"SLURM_PROCID", "5"},
                                        {"SLURM_NTASKS", "8"},
                                        {"SLURM_JOB_ID", "77"},
                                        {"SLURM_STEP_ID", "0"},
                                        {"SLURM_JOB_NODELIST", "node[017-020,033],gpu1"},
                                        {"SLURM_JOB_NUM_NODES", "6"}});
  EXPECT_EQ(found.process_id, 5);
  EXPECT_EQ(found.num_processes, 8);
  EXPECT_EQ(found.source, "SLURM_PROCID");
  EXPECT_EQ(found.job, "slurm-77-0-");
  EXPECT_EQ(found.first_host, "node017");
  EXPECT_TRUE(found.has_several_hosts);
}

// A batch script of Slurm, and processes that mpirun starts in it.
TEST_F(Environment, LaunchersInEachOther) {
  EXPECT_EQ(Read({{"SLURM_NTASKS", "8"}}).process_id, -1);
  const LaunchEnvironment found = Read({{"SLURM_PROCID", "0"},
                                        {"SLURM_NTASKS", "1"},
                                        {"OMPI_COMM_WORLD_RANK", "2"},
                                        {"OMPI_COMM_WORLD_SIZE", "4"}});
  EXPECT_EQ(found.process_id, 2);
  EXPECT_EQ(found.num_processes, 4);
  EXPECT_EQ(found.source, "OMPI_COMM_WORLD_RANK");
}

TEST_F(Environment, Errors) {
  EXPECT_EQ(Error({{"AXLE_PROCESS_ID", "x"}, {"AXLE_NUM_PROCESSES", "2"}}),
            "INVALID_ARGUMENT: environment: AXLE_PROCESS_ID is \"x\", must be a number from 0 to "
            "1048576");
  EXPECT_EQ(
      Error({{"AXLE_PROCESS_ID", "0"}, {"AXLE_NUM_PROCESSES", "0"}}),
      "INVALID_ARGUMENT: environment: AXLE_NUM_PROCESSES is \"0\", must be a number from 1 to "
      "1048576");
  EXPECT_EQ(Error({{"AXLE_PROCESS_ID", "2"}, {"AXLE_NUM_PROCESSES", "2"}}),
            "INVALID_ARGUMENT: environment: AXLE_PROCESS_ID is 2, must be below "
            "AXLE_NUM_PROCESSES, which is 2");
  EXPECT_EQ(Error({{"AXLE_NUM_PROCESSES", "2"}}),
            "INVALID_ARGUMENT: environment: AXLE_NUM_PROCESSES is set and AXLE_PROCESS_ID is not");
  EXPECT_EQ(Error({{"PMI_RANK", "2"}}),
            "INVALID_ARGUMENT: environment: PMI_RANK is set and PMI_SIZE is not");
  EXPECT_EQ(Error({{"OMPI_COMM_WORLD_RANK", "1"},
                   {"OMPI_COMM_WORLD_SIZE", "2"},
                   {"SLURM_PROCID", "3"},
                   {"SLURM_NTASKS", "4"}}),
            "INVALID_ARGUMENT: environment: OMPI_COMM_WORLD_RANK and OMPI_COMM_WORLD_SIZE say "
            "process 1 of 2, SLURM_PROCID and SLURM_NTASKS say process 3 of 4; AXLE_PROCESS_ID and "
            "AXLE_NUM_PROCESSES decide");
}

TEST_F(Environment, OptionsThatSayTooLittle) {
  EXPECT_EQ(ConnectTransport({}).status().ToString(),
            "INVALID_ARGUMENT: connect: which process of how many this is was not said: set "
            "process_id and num_processes, or AXLE_PROCESS_ID and AXLE_NUM_PROCESSES");
  EXPECT_EQ(ConnectTransport({.process_id = 2, .num_processes = 2}).status().ToString(),
            "INVALID_ARGUMENT: connect: process_id is 2, must be below num_processes, which is 2");
  setenv("SLURM_JOB_NODELIST", "a1,a2", 1);
  EXPECT_EQ(ConnectTransport({.process_id = 1, .num_processes = 2}).status().ToString(),
            "INVALID_ARGUMENT: connect: where the processes meet was not said: set rendezvous or "
            "AXLE_RENDEZVOUS to file:///FOLDER or tcp://HOST:PORT (the first host of the job is "
            "a1)");
}

}  // namespace
}  // namespace axle
