// Fork, run, and read the answer through a pipe until its end, the time limit or a signal. The
// child restores default signal handlers, so that a crash ends it, and leaves with _exit. The
// parent removes the temporary folders of a child that crashed or was killed.

#include "axle/gen/isolated.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <exception>
#include <string_view>

#include "axle/core/temporary_folder.h"

namespace axle {
namespace {

using Clock = std::chrono::steady_clock;

// `quiet` sends the output to /dev/null. An exception counts as a failed run and not as a crash of
// the parent.
[[noreturn]] void RunChild(const std::function<std::string()>& function, int to, bool quiet) {
  for (const int number : {SIGINT, SIGTERM, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    std::signal(number, SIG_DFL);
  }
  if (const int nothing = open("/dev/null", O_WRONLY); quiet && nothing >= 0) {
    dup2(nothing, STDOUT_FILENO);
    dup2(nothing, STDERR_FILENO);
  }
  try {
    const std::string output = function();
    std::string_view rest = output;
    while (!rest.empty()) {
      const ssize_t written = write(to, rest.data(), rest.size());
      if (written <= 0) _exit(1);
      rest.remove_prefix(static_cast<size_t>(written));
    }
  } catch (const std::exception&) {
    _exit(1);
  }
  _exit(0);
}

}  // namespace

IsolatedResult RunIsolated(const std::function<std::string()>& function, double seconds,
                           bool quiet) {
  IsolatedResult result;
  int ends[2];
  if (pipe(ends) != 0) {
    result.crashed = true;
    return result;
  }
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    RunChild(function, ends[1], quiet);
  }
  close(ends[1]);
  const auto begin = Clock::now();
  char chunk[4096];
  // Reads until the end of the pipe, which closes when the child ends, or until the time is over.
  while (child > 0) {
    int timeout = -1;
    if (seconds > 0) {
      const double left = seconds - std::chrono::duration<double>(Clock::now() - begin).count();
      timeout = left > 0 ? static_cast<int>(left * 1000) + 1 : 0;
    }
    pollfd waiting = {ends[0], POLLIN, 0};
    const int ready = poll(&waiting, 1, timeout);
    if (ready < 0) continue;  // interrupted
    if (ready == 0) {
      result.hung = true;
      kill(child, SIGKILL);
      break;
    }
    const ssize_t got = read(ends[0], chunk, sizeof chunk);
    if (got <= 0) break;
    result.output.append(chunk, static_cast<size_t>(got));
  }
  close(ends[0]);
  // The child is always waited for, also after a kill, so that no zombie remains.
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) {
    result.crashed = true;
  } else if (!result.hung) {
    result.crashed = !WIFEXITED(status) || WEXITSTATUS(status) != 0;
    if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
    if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  }
  if (result.hung || result.crashed) RemoveTemporaryFoldersOf(child);
  return result;
}

}  // namespace axle
