// Runs one schedule: starts the processes of a job behind a relay, brings the fault about, and
// checks what each process makes of it.
//
// Where a process is lost, each other one ends within the silence limit and five seconds more, with
// an error that names a process of the fault and the operation that it waited in. Where one is only
// slow, all come through. None is ended by a signal but those that the fault kills, and nothing is
// left: no socket and no thread of a transport, no file, no process.
#pragma once
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/distributed/drills/schedule.h"
#include "tests/distributed/processes.h"
#include "tests/distributed/relay.h"

namespace axle {

// What each process runs.
struct DrillProgram {
  // A command line for sh, which finds the numbers of its process in the environment; "": the steps
  // of axle_distributed_process.
  std::string command;
  // What it prints when all processes have begun to exchange messages.
  std::string ready = "first step\n";
  // One of these is in its errors: names of its operations.
  std::vector<std::string> operations = {"all-reduce \"step\": ", "barrier: "};

  bool is_own() const { return command.empty(); }
};

// Whether a program that knows nothing of drills can run a schedule with the fault.
bool RunsWithAnyProgram(Fault fault);

class Drill {
 public:
  Drill(const Schedule& schedule, const DrillProgram& program);
  ~Drill();
  Drill(const Drill&) = delete;
  Drill& operator=(const Drill&) = delete;

  // What was wrong, a line each.
  const std::vector<std::string>& Run();
  // Seconds from the fault to the end of the last process that it ends.
  double seconds() const { return seconds_; }
  // What the processes have printed.
  std::string Outputs() const;

 private:
  using Clock = std::chrono::steady_clock;
  // What a process should come to.
  struct Expected {
    int code = 1;                              // 1000 and the signal for one that is killed
    std::vector<std::string> statuses = {};    // of which its last line begins with one
    std::vector<std::string> names = {};       // and contains one
    std::vector<std::string> operations = {};  // and one of these
  };

  void Start(int process);
  std::string Task(int process) const;
  bool WaitForText(int process, const std::string& text);
  bool StartAll();
  bool StartWithFullDisk();
  bool StartAndKill();
  void BringFault();
  void SetLinks(const LinkState& state);
  void BreakConnections();
  void WaitForEnds();
  bool IsVictim(int process) const;
  Expected ExpectedOf(int process) const;
  Expected ExpectedAtStart(int process) const;
  void Check(int process);
  void CheckFolder();
  void CheckChildren();
  void Problem(const std::string& text) { problems_.push_back(text); }

  const Schedule schedule_;
  const DrillProgram program_;
  Relay relay_;
  TestJob job_;
  std::string disk_;  // what is mounted
  int num_before_full_ = 0;
  std::vector<std::optional<TestProcess>> processes_;
  std::vector<std::optional<int>> codes_;
  Clock::time_point fault_ = {};
  double seconds_ = 0;
  std::vector<std::string> problems_;
};

}  // namespace axle
