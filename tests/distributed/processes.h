// Processes of a job, for tests: axle_distributed_process several times, on this machine.
#pragma once
#include <sys/types.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace axle {

// One of them, and what it has printed.
class TestProcess {
 public:
  using Environment = std::map<std::string, std::string>;
  TestProcess(const std::vector<std::string>& command, const Environment& environment);
  // Kills it, if it is still there.
  ~TestProcess();
  TestProcess(TestProcess&& other) noexcept;
  TestProcess& operator=(TestProcess&&) = delete;

  pid_t id() const { return id_; }
  void Signal(int signal) const;
  // Waits until it has printed the text. False after `seconds`.
  bool WaitForText(const std::string& text, double seconds = 20);
  // Waits for its end: the exit code, or 1000 and the signal; nullopt after `seconds`.
  std::optional<int> WaitForEnd(double seconds = 20);
  const std::string& output() const { return output_; }
  // What it has printed last: its status.
  std::string LastLine() const;
  // Seconds from its start to its end.
  double seconds() const { return seconds_; }

 private:
  bool ReadSome(double seconds);
  pid_t id_ = -1;
  int output_end_ = -1;
  std::string output_;
  std::optional<int> code_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double seconds_ = 0;
};

// A job, with a folder of its own as rendezvous.
class TestJob {
 public:
  TestJob();
  ~TestJob();
  TestJob(const TestJob&) = delete;
  TestJob& operator=(const TestJob&) = delete;

  const std::string& folder() const { return folder_; }
  TestProcess::Environment& environment() { return environment_; }
  // Starts process `id` of `count`: its task and options in one text, words apart.
  TestProcess Start(int id, int count, const std::string& task) const;
  // Starts all with the same task.
  std::vector<TestProcess> StartAll(int count, const std::string& task) const;
  // What is left in the folder of the rendezvous, or that there is none.
  std::string LeftInFolder() const;

 private:
  std::string folder_;
  TestProcess::Environment environment_;
};

// The name of this machine, which messages have.
std::string ThisHost();
std::string ProcessProgram();
bool HasTransport(const std::string& name);
// A port that nobody listens at.
int FreePort();
double SecondsSince(std::chrono::steady_clock::time_point start);

}  // namespace axle
