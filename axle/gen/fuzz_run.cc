// The fuzz run. Worker i checks the modules i, i + jobs, i + 2 jobs, ... in a process of its own
// and writes one line when a module begins and one when it is done, so that the parent knows which
// module crashed a worker or holds it up. The parent polls all pipes, kills a worker that exceeds
// hang_seconds and starts the next one behind the failed module. A worker exits with kTryAgain if a
// module ran out of memory and was not its first: the fresh process repeats this module, so only a
// module that is over a limit by itself counts as such.

#include "axle/gen/fuzz_run.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstring>
#include <exception>
#include <map>
#include <new>

#include "axle/core/strings.h"
#include "axle/core/temporary_folder.h"
#include "axle/gen/generate.h"
#include "axle/gen/isolated.h"

namespace axle {
namespace {

using Clock = std::chrono::steady_clock;

// Modules per worker process. With many threads malloc retains about 50 KB per module, and the
// memory of a worker is limited.
constexpr std::uint64_t kMaxPerProcess = 2000;
// Exit code of a worker that had no memory or thread for a module that was not its first: a fresh
// process repeats that module, since earlier modules may be the cause.
constexpr int kTryAgain = 75;

double Since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// "outcome runs exact within unknown message" on one line, and back.
std::string Encode(const CheckResult& result) {
  std::string message = result.message;
  std::ranges::replace(message, '\n', ' ');
  return StrCat(static_cast<int>(result.outcome), " ", result.runs, " ", result.elements.exact, " ",
                result.elements.within, " ", result.elements.unknown, " ", message);
}

std::uint64_t TakeNumber(std::string_view& text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  if (!text.empty() && text[0] == ' ') text.remove_prefix(1);
  return error == std::errc() ? number : 0;
}

CheckResult Decode(std::string_view text) {
  CheckResult result;
  result.outcome =
      static_cast<Outcome>(std::min<std::uint64_t>(TakeNumber(text), kNumOutcomes - 1));
  result.runs = static_cast<int>(TakeNumber(text));
  BoundedElements& elements = result.elements;
  for (i64* count : {&elements.exact, &elements.within, &elements.unknown}) {
    *count = static_cast<i64>(TakeNumber(text));
  }
  result.message = std::string(text);
  return result;
}

// The op that native code does not have, of "reduce is not compiled to native code yet; ...".
std::string OpOf(std::string_view message) {
  for (const std::string_view stop : {" is not", ";", ":"})
    message = message.substr(0, message.find(stop));
  return std::string(message.substr(0, 40));
}

std::string SignalText(int signal) {
  return StrCat("signal ", signal, " (", strsignal(signal), ")");
}

// The parent's view of one process.
struct Worker {
  pid_t process = -1;
  int from = -1;  // the end of its pipe
  bool is_to_start = false;
  std::string text;
  std::uint64_t next = 0;  // the module that it begins with
  bool is_busy = false;    // with module `index`, since `begun`
  std::uint64_t index = 0;
  Clock::time_point begun;
};

// The parent is gone if a line cannot be written, so that the process ends silently.
void Say(int to, const std::string& line) {
  // A line is short enough to be written at once.
  if (write(to, line.data(), line.size()) != static_cast<ssize_t>(line.size())) _exit(0);
}

// The parent of all workers. All counters are here; a worker only sends lines.
class Fuzzer {
 public:
  Fuzzer(const FuzzOptions& options, const Checker& checker)
      : options_(options), checker_(checker), begin_(Clock::now()) {
    report_.next = options.first;
  }

  StatusOr<FuzzReport> Run() {
    std::vector<Worker> workers(static_cast<size_t>(std::max(options_.jobs, 1)));
    for (size_t i = 0; i < workers.size(); ++i) {
      workers[i].next = options_.first + i;
      if (!Start(workers[i], workers.size())) {
        for (Worker& worker : workers) Stop(worker);
        return Internal("check --random: cannot start a process");
      }
    }
    while (!IsOver() && Wait(workers)) {
    }
    for (Worker& worker : workers) Stop(worker);
    report_.seconds = Since(begin_);
    for (const auto& [op, count] : unimplemented_) report_.unimplemented.emplace_back(op, count);
    std::ranges::sort(report_.unimplemented,
                      [](const auto& a, const auto& b) { return a.second > b.second; });
    return std::move(report_);
  }

 private:
  // A run ends after enough failures, at its time limit, or if the caller cancels it.
  bool IsOver() const {
    return static_cast<int>(report_.failures.size()) >= options_.max_failures ||
           (options_.seconds > 0 && Since(begin_) >= options_.seconds) ||
           (options_.limits != nullptr && !options_.limits->CheckNow().ok());
  }

  // The index behind the last module.
  std::uint64_t End() const {
    return options_.count == 0 ? UINT64_MAX : options_.first + options_.count;
  }

  // False if the system gives no process or pipe.
  // The worker keeps `is_to_start` until a process exists, so that Wait tries again when the
  // machine has no process to give.
  bool Start(Worker& worker, size_t step) {
    worker.is_busy = false;
    worker.is_to_start = true;
    worker.text.clear();
    int ends[2];
    if (pipe(ends) != 0) return false;
    worker.process = fork();
    if (worker.process == 0) {
      close(ends[0]);
      Work(worker.next, step, ends[1]);
    }
    close(ends[1]);
    if (worker.process < 0) {
      close(ends[0]);
      return false;
    }
    worker.from = ends[0];
    worker.is_to_start = false;
    return true;
  }

  // Runs in the child, which never returns. The signal handlers of the command-line tool are reset,
  // so that a crash ends the process; interrupts are left to the parent. Output goes to /dev/null,
  // because a crash must not mix with the parent's report.
  [[noreturn]] void Work(std::uint64_t index, size_t step, int to) const {
    for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
      std::signal(number, SIG_DFL);
    for (const int number : {SIGINT, SIGTERM}) std::signal(number, SIG_IGN);  // the parent ends it
    if (const int nothing = open("/dev/null", O_WRONLY); nothing >= 0) {
      dup2(nothing, STDOUT_FILENO);
      dup2(nothing, STDERR_FILENO);
    }
    const std::uint64_t first = index, end = std::min(End(), index + kMaxPerProcess * step);
    for (; index < end; index += step) {
      Say(to, StrCat("b", index, "\n"));
      CheckResult result;
      try {
        auto generated = GenerateModule(options_.seed, index);
        if (generated.ok()) {
          result = checker_.Check(*std::move(generated));
        } else {
          result = {Outcome::kDifferent, generated.status().ToString(), 0};
        }
      } catch (const std::exception& exception) {
        // An exception may be the work of an earlier module that filled the memory: a fresh process
        // repeats the module.
        if (index != first) _exit(kTryAgain);
        result = {Outcome::kCrashed, exception.what(), 0};
      }
      if (result.outcome == Outcome::kOverLimit && index != first) _exit(kTryAgain);
      if (result.message.size() > 2000) result.message.resize(2000);
      Say(to, StrCat("e", Encode(result), "\n"));
    }
    _exit(0);
  }

  void Stop(Worker& worker) {
    if (worker.process > 0) {
      kill(worker.process, SIGKILL);
      waitpid(worker.process, nullptr, 0);
      RemoveTemporaryFoldersOf(worker.process);
    }
    if (worker.from >= 0) close(worker.from);
    worker.process = worker.from = -1;
  }

  // Waits up to 100 ms for output, reads what is there, restarts workers that ended, and kills
  // those that hang. False if all workers are done.
  bool Wait(std::vector<Worker>& workers) {
    std::vector<pollfd> files;
    for (const Worker& worker : workers) files.push_back({worker.from, POLLIN, 0});
    const auto is_done = [](const Worker& w) { return w.from < 0 && !w.is_to_start; };
    if (std::ranges::all_of(workers, is_done)) return false;
    poll(files.data(), files.size(), 100);
    for (size_t i = 0; i < workers.size(); ++i) {
      Worker& worker = workers[i];
      if (worker.is_to_start) Start(worker, workers.size());
      if (files[i].fd < 0) continue;
      if ((files[i].revents & (POLLIN | POLLHUP)) != 0) {
        char chunk[8192];
        const ssize_t got = read(worker.from, chunk, sizeof chunk);
        if (got > 0) {
          worker.text.append(chunk, static_cast<size_t>(got));
          Read(worker, workers.size());
        } else {
          Ended(worker, workers.size());
        }
      } else if (worker.is_busy && Since(worker.begun) > options_.hang_seconds) {
        Stop(worker);
        Done(worker.index,
             {Outcome::kHung, StrCat("no answer after ", options_.hang_seconds, " s"), 0});
        Start(worker, workers.size());
      }
    }
    if (options_.limits != nullptr) options_.limits->Progress(Progress());
    return true;
  }

  double Progress() const {
    const double by_time = options_.seconds > 0 ? Since(begin_) / options_.seconds : 0;
    const double by_count = options_.count > 0 ? static_cast<double>(report_.modules) /
                                                     static_cast<double>(options_.count)
                                               : 0;
    return std::max(by_time, by_count);
  }

  // Complete lines only: the rest of a chunk stays in `text` until its end arrives. "b<index>"
  // begins a module, "e<result>" ends it.
  void Read(Worker& worker, size_t step) {
    size_t end;
    while ((end = worker.text.find('\n')) != std::string::npos) {
      std::string_view line = std::string_view(worker.text).substr(0, end);
      const char kind = line.empty() ? ' ' : line[0];
      line.remove_prefix(std::min<size_t>(1, line.size()));
      if (kind == 'b') {
        worker.index = TakeNumber(line);
        worker.next = worker.index + step;
        worker.is_busy = true;
        worker.begun = Clock::now();
        report_.next = std::max(report_.next, worker.index + 1);
      } else {
        worker.is_busy = false;
        Done(worker.index, Decode(line));
      }
      worker.text.erase(0, end + 1);
    }
  }

  // The pipe is closed: the worker exited or was killed by a signal. A module that was begun and
  // not ended is the one that crashed it.
  void Ended(Worker& worker, size_t step) {
    int status = 0;
    const pid_t process = worker.process;
    waitpid(process, &status, 0);
    close(worker.from);
    worker.process = worker.from = -1;
    const bool is_again = WIFEXITED(status) && WEXITSTATUS(status) == kTryAgain;
    const bool crashed = worker.is_busy || !WIFEXITED(status) || WEXITSTATUS(status) != 0;
    if (is_again) {
      ++report_.begun_anew;
      worker.next = worker.index;
    }
    if (!crashed || is_again) {
      if (worker.next < End()) Start(worker, step);
      return;
    }
    RemoveTemporaryFoldersOf(process);
    Done(worker.index, {Outcome::kCrashed,
                        WIFSIGNALED(status) ? SignalText(WTERMSIG(status))
                                            : StrCat("ended with ", WEXITSTATUS(status)),
                        0});
    Start(worker, step);
  }

  // Generates the module again to count its coverage in the parent, which is cheap compared with a
  // check and needs no transfer between processes.
  void Done(std::uint64_t index, CheckResult result) {
    ++report_.modules;
    ++report_.outcomes[static_cast<size_t>(result.outcome)];
    report_.runs += static_cast<std::uint64_t>(result.runs);
    report_.elements.Count(result.elements);
    if (result.outcome == Outcome::kUnimplemented) ++unimplemented_[OpOf(result.message)];
    if (const auto module = GenerateModule(options_.seed, index); module.ok()) {
      report_.coverage.Add(**module);
    }
    if (IsFailure(result.outcome)) {
      report_.failures.push_back({index, std::move(result)});
    } else if (result.outcome == Outcome::kOverLimit &&
               report_.over_limit.size() < FuzzReport::kMaxOverLimit) {
      report_.over_limit.push_back({index, std::move(result)});
    }
  }

  const FuzzOptions& options_;
  const Checker& checker_;
  const Clock::time_point begin_;
  FuzzReport report_;
  std::map<std::string, std::uint64_t> unimplemented_;
};

}  // namespace

StatusOr<FuzzReport> RunFuzzer(const FuzzOptions& options) {
  if (options.count == 0 && options.seconds <= 0) {
    return InvalidArgument("check --random: needs a number of modules or of seconds");
  }
  AXLE_ASSIGN(const std::unique_ptr<Checker> checker, Checker::Create(options.check));
  return Fuzzer(options, *checker).Run();
}

CheckResult CheckIsolated(const Checker& checker, const std::shared_ptr<const Module>& module,
                          double hang_seconds, const std::vector<Literal>* arguments) {
  const auto check = [&] {
    try {
      return Encode(arguments == nullptr ? checker.Check(module)
                                         : checker.Check(module, {arguments, 1}));
    } catch (const std::bad_alloc&) {
      return Encode({Outcome::kOverLimit, "no memory to check the program", 0});
    }
  };
  const IsolatedResult run = RunIsolated(check, hang_seconds);
  if (run.hung) return {Outcome::kHung, StrCat("no answer after ", hang_seconds, " s"), 0};
  if (run.crashed) {
    return {Outcome::kCrashed,
            run.signal != 0 ? SignalText(run.signal) : StrCat("ended with ", run.exit_code), 0};
  }
  return Decode(run.output);
}

}  // namespace axle
