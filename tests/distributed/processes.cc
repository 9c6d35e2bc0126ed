#include "tests/distributed/processes.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <sstream>
#include <utility>

#include "axle/core/strings.h"
#include "tests/paths.h"

namespace axle {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

TestProcess::TestProcess(const std::vector<std::string>& command, const Environment& environment) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return;
  id_ = fork();
  if (id_ == 0) {
    dup2(ends[1], STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
    std::vector<char*> arguments;
    for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  close(ends[1]);
  output_end_ = ends[0];
}

TestProcess::TestProcess(TestProcess&& other) noexcept
    : id_(std::exchange(other.id_, -1)),
      output_end_(std::exchange(other.output_end_, -1)),
      output_(std::move(other.output_)),
      code_(other.code_),
      start_(other.start_),
      seconds_(other.seconds_) {}

TestProcess::~TestProcess() {
  if (id_ > 0 && !code_) {
    kill(id_, SIGKILL);
    waitpid(id_, nullptr, 0);
  }
  if (output_end_ >= 0) close(output_end_);
}

void TestProcess::Signal(int signal) const {
  kill(id_, signal);
}

// Reads what it prints. False once there is no more.
bool TestProcess::ReadSome(double seconds) {
  pollfd polled = {output_end_, POLLIN, 0};
  if (poll(&polled, 1, static_cast<int>(seconds * 1000)) != 1) return true;
  std::array<char, 4096> bytes;
  const ssize_t got = read(output_end_, bytes.data(), bytes.size());
  if (got <= 0) return false;
  output_.append(bytes.data(), static_cast<size_t>(got));
  return true;
}

bool TestProcess::WaitForText(const std::string& text, double seconds) {
  const auto start = Clock::now();
  while (output_.find(text) == output_.npos) {
    if (SecondsSince(start) > seconds || !ReadSome(0.05)) return false;
  }
  return true;
}

std::optional<int> TestProcess::WaitForEnd(double seconds) {
  const auto start = Clock::now();
  bool reads = true;
  while (!code_) {
    if (reads) {
      reads = ReadSome(0.02);
    } else {
      usleep(5000);
    }
    int status = 0;
    if (waitpid(id_, &status, reads ? WNOHANG : 0) == id_) {
      seconds_ = SecondsSince(start_);
      while (reads && ReadSome(0.2)) {
      }
      code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
    }
    if (SecondsSince(start) > seconds) break;
  }
  return code_;
}

std::string TestProcess::LastLine() const {
  std::string text = output_;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

TestJob::TestJob() {
  std::string name = std::filesystem::temp_directory_path() / "axle-job-XXXXXX";
  folder_ = mkdtemp(name.data());
  environment_["AXLE_RENDEZVOUS"] = StrCat("file://", folder_, "/rendezvous");
}

TestJob::~TestJob() {
  std::error_code error;
  std::filesystem::remove_all(folder_, error);
}

TestProcess TestJob::Start(int id, int count, const std::string& task) const {
  std::vector<std::string> command = {ProcessProgram()};
  std::istringstream words(task);
  for (std::string word; words >> word;) command.push_back(word);
  TestProcess::Environment environment = environment_;
  environment["AXLE_PROCESS_ID"] = std::to_string(id);
  environment["AXLE_NUM_PROCESSES"] = std::to_string(count);
  return {command, environment};
}

std::vector<TestProcess> TestJob::StartAll(int count, const std::string& task) const {
  std::vector<TestProcess> processes;
  for (int id = 0; id < count; ++id) processes.push_back(Start(id, count, task));
  return processes;
}

std::string TestJob::LeftInFolder() const {
  const std::string folder = folder_ + "/rendezvous";
  if (!std::filesystem::exists(folder)) return "no folder";
  std::string names = "folder:";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    StrAppend(names, " ", entry.path().filename().string());
  }
  return names;
}

std::string ThisHost() {
  std::array<char, 256> name = {};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::string ProcessProgram() {
  return BuildFolder() / "bin" / "axle_distributed_process";
}

bool HasTransport(const std::string& name) {
  return std::filesystem::exists(BuildFolder() / "lib" / ("libaxle_" + name + ".so"));
}

int FreePort() {
  const int probe = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  int port = 0;
  if (bind(probe, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
      getsockname(probe, reinterpret_cast<sockaddr*>(&address), &size) == 0) {
    port = ntohs(address.sin_port);
  }
  close(probe);
  return port;
}

}  // namespace axle
