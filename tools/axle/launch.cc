// axle launch: several processes of one job on this machine.
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "axle/core/strings.h"
#include "axle/core/temporary_folder.h"
#include "axle/distributed/environment.h"
#include "tools/axle/verbs.h"

namespace axle::tool {
namespace {

using Clock = std::chrono::steady_clock;

// After the first failure: until the others, who report their own error first, are asked to end,
// and until they are ended.
constexpr std::chrono::seconds kReportTime{10};
constexpr std::chrono::seconds kEndTime{5};

constexpr int kForwarded[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
volatile std::sig_atomic_t received = 0;  // the last signal that is not forwarded yet

void OnForwardedSignal(int signal) {
  received = signal;
}

// One stream of a process, which is copied line by line with the number of the process in front.
struct Stream {
  int from = -1;
  int to = -1;
  std::string line = {};
};

struct Child {
  pid_t id = -1;
  int end = -1;                        // a descriptor that can be read once it has ended
  std::array<Stream, 2> streams = {};  // stdout, stderr
  bool has_ended = false;
};

void WriteAll(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = write(file, text.data(), text.size());
    if (count < 0 && errno != EINTR) return;  // nobody reads it
    if (count > 0) text.remove_prefix(static_cast<size_t>(count));
  }
}

class Launch {
 public:
  explicit Launch(Session& session)
      : session_(session), children_(static_cast<size_t>(session.options().processes)) {}
  ~Launch() {
    SignalAll(SIGKILL);
    for (Child& child : children_) {
      if (child.id > 0 && !child.has_ended) waitpid(child.id, nullptr, 0);
      if (child.end >= 0) close(child.end);
      for (Stream& stream : child.streams) {
        if (stream.from >= 0) close(stream.from);
      }
    }
  }
  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;

  // Starts all processes. The environment is complete but for their numbers.
  Status Start() {
    for (size_t i = 0; i < children_.size(); ++i) AXLE_TRY(StartOne(i));
    return {};
  }

  // Waits for the end of all; the exit code of the first that failed.
  int Run() {
    std::optional<Clock::time_point> next_signal;
    int signal = SIGTERM;
    while (true) {
      Copy();
      Reap();
      if (std::ranges::all_of(children_, &Child::has_ended)) break;
      if (received != 0) {
        const int forwarded = received;
        received = 0;
        SignalAll(forwarded);
      }
      if (!code_) continue;
      if (!next_signal) next_signal = Clock::now() + kReportTime;
      if (Clock::now() < *next_signal) continue;
      SignalAll(signal);
      signal = SIGKILL;
      next_signal = Clock::now() + kEndTime;
    }
    for (size_t i = 0; i < children_.size(); ++i) {
      for (Stream& stream : children_[i].streams) {
        // What processes that it has started hold open is not waited for.
        if (stream.from >= 0) fcntl(stream.from, F_SETFL, O_NONBLOCK);
        while (stream.from >= 0 && CopySome(i, stream)) {
        }
        Flush(i, stream);
      }
    }
    return code_.value_or(kYes);
  }

 private:
  Status StartOne(size_t i) {
    std::vector<char*> arguments;
    for (const std::string& word : session_.options().files) {
      arguments.push_back(const_cast<char*>(word.c_str()));
    }
    arguments.push_back(nullptr);
    const std::string number = std::to_string(i);
    int out[2], err[2];
    if (pipe2(out, O_CLOEXEC) != 0) return ResourceExhausted("launch: no more pipes");
    children_[i].streams[0] = {out[0], STDOUT_FILENO};
    if (pipe2(err, O_CLOEXEC) != 0) {
      close(out[1]);
      return ResourceExhausted("launch: no more pipes");
    }
    children_[i].streams[1] = {err[0], STDERR_FILENO};
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child == 0) {
      // A group of its own: signals of the terminal come through this process, once.
      setpgid(0, 0);
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != parent) _exit(127);
      BecomePlain();
      dup2(out[1], STDOUT_FILENO);
      dup2(err[1], STDERR_FILENO);
      setenv("AXLE_PROCESS_ID", number.c_str(), 1);
      execvp(arguments[0], arguments.data());
      const std::string why =
          StrCat("axle: launch: cannot run ", arguments[0], ": ", std::strerror(errno), "\n");
      WriteAll(STDERR_FILENO, why);
      _exit(127);
    }
    close(out[1]);
    close(err[1]);
    if (child < 0) return ResourceExhausted("launch: no more processes");
    setpgid(child, child);
    children_[i].id = child;
    children_[i].end = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
    return {};
  }

  // In a child: as the shell would have started it.
  static void BecomePlain() {
    for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_DFL);
    rlimit memory = {};
    if (getrlimit(RLIMIT_AS, &memory) == 0) {
      memory.rlim_cur = memory.rlim_max;
      setrlimit(RLIMIT_AS, &memory);
    }
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nothing >= 0) dup2(nothing, STDIN_FILENO);
  }

  void SignalAll(int signal) const {
    for (const Child& child : children_) {
      if (child.id > 0 && !child.has_ended) kill(-child.id, signal);
    }
  }

  // Copies what there is, or waits a moment for it.
  void Copy() {
    std::vector<pollfd> polled;
    for (const Child& child : children_) {
      for (const Stream& stream : child.streams) polled.push_back({stream.from, POLLIN, 0});
    }
    // The first that ends is to be known before those that end because of it.
    for (const Child& child : children_)
      polled.push_back({child.has_ended ? -1 : child.end, POLLIN, 0});
    if (poll(polled.data(), polled.size(), 50) <= 0) return;
    for (size_t i = 0; i < 2 * children_.size(); ++i) {
      if (polled[i].revents != 0) CopySome(i / 2, children_[i / 2].streams[i % 2]);
    }
  }

  // Copies whole lines. False if there is no more.
  bool CopySome(size_t process, Stream& stream) {
    std::array<char, 16384> bytes;
    const ssize_t got = read(stream.from, bytes.data(), bytes.size());
    if (got <= 0) {
      if (got == 0) {
        close(stream.from);
        stream.from = -1;
      }
      return false;
    }
    stream.line.append(bytes.data(), static_cast<size_t>(got));
    const size_t end = stream.line.rfind('\n');
    if (end == stream.line.npos) return true;
    std::string text;
    std::string_view lines = std::string_view(stream.line).substr(0, end + 1);
    while (!lines.empty()) {
      const size_t line = lines.find('\n') + 1;
      StrAppend(text, "[", process, "] ", lines.substr(0, line));
      lines.remove_prefix(line);
    }
    stream.line.erase(0, end + 1);
    WriteAll(stream.to, text);
    return true;
  }

  // A last line without an end.
  static void Flush(size_t process, Stream& stream) {
    if (!stream.line.empty()) WriteAll(stream.to, StrCat("[", process, "] ", stream.line, "\n"));
    stream.line.clear();
  }

  // Of several that have ended meanwhile, one that a signal has ended is more likely the cause.
  void Reap() {
    std::optional<size_t> first;  // of those that have failed
    int first_status = 0;
    for (size_t i = 0; i < children_.size(); ++i) {
      Child& child = children_[i];
      int status = 0;
      if (child.has_ended || waitpid(child.id, &status, WNOHANG) != child.id) continue;
      child.has_ended = true;
      if (status != 0 && (!first || (WIFSIGNALED(status) && !WIFSIGNALED(first_status)))) {
        first = i;
        first_status = status;
      }
    }
    if (!first || code_) return;
    const bool is_signal = WIFSIGNALED(first_status);
    const int signal = WTERMSIG(first_status);
    code_ = is_signal ? 128 + signal : WEXITSTATUS(first_status);
    session_.SayAlways(is_signal
                           ? StrCat("axle: launch: process ", *first, " was ended by signal ",
                                    signal, " (", strsignal(signal), ")")
                           : StrCat("axle: launch: process ", *first, " ended with code ", *code_));
  }

  Session& session_;
  std::vector<Child> children_;
  std::optional<int> code_;  // of the first that failed
};

int LaunchVerb(Session& session) {
  const Options& options = session.options();
  if (options.files.empty()) return session.Usage("launch: takes -n N -- COMMAND");
  if (options.processes == 0) return session.Usage("launch: -n says how many processes");
  const StatusOr<std::string> secret = NewJobSecret();
  if (!secret.ok()) return session.Fail(secret.status());
  StatusOr<std::unique_ptr<TemporaryFolder>> folder = std::unique_ptr<TemporaryFolder>();
  std::string rendezvous = options.rendezvous;
  if (rendezvous.empty()) {
    folder = TemporaryFolder::Create();
    if (!folder.ok()) return session.Fail(folder.status());
    rendezvous = StrCat("file://", (*folder)->At("rendezvous"));
  }
  setenv("AXLE_NUM_PROCESSES", std::to_string(options.processes).c_str(), 1);
  setenv("AXLE_RENDEZVOUS", rendezvous.c_str(), 1);
  setenv("AXLE_JOB_SECRET", secret->c_str(), 1);
  struct sigaction action = {};
  action.sa_handler = OnForwardedSignal;
  for (const int signal : kForwarded) sigaction(signal, &action, nullptr);
  Launch launch(session);
  if (const Status status = launch.Start(); !status.ok()) return session.Fail(status);
  return launch.Run();
}

constexpr OptionUse kOptions[] = {
    {"processes"},
    {"rendezvous"},
};

}  // namespace

const Verb kLaunchVerb = {
    .name = "launch",
    .summary = "run a command in several processes of one job",
    .examples = "axle launch -n 4 -- ./train\n",
    .description =
        "Each process finds its number in AXLE_PROCESS_ID, and in AXLE_NUM_PROCESSES,\n"
        "AXLE_RENDEZVOUS and AXLE_JOB_SECRET what it needs to meet the others; the\n"
        "secret is a new one each time. What a process prints has its number in front.\n"
        "Signals go to all processes, and their stdin is empty.\n"
        "\n"
        "When a process fails the others have ten seconds to report it and to end;\n"
        "then they are ended. The exit code is that of the first failure, 128 and the\n"
        "number of the signal if one ended it.\n",
    .options = kOptions,
    .run = LaunchVerb};

}  // namespace axle::tool
