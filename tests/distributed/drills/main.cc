// axle_fault_drills --seed S --count N: N schedules of faults, each in a process of its own. See
// docs/distributed.md.
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <string>
#include <string_view>
#include <vector>

#include "axle/core/strings.h"
#include "tests/distributed/drills/drill.h"

namespace axle {
namespace {

constexpr const char* kUsage =
    "usage: axle_fault_drills [--seed S] [--first I] [--count N] [--jobs J] [--silence SECONDS]\n"
    "         [--list] [--command COMMAND --ready TEXT --operation TEXT]\n"
    "Schedules I to I + N - 1 of the seed, J at a time. The seed is $AXLE_SEED or a fresh one.\n"
    "--list prints them only. --silence is the silence limit of faults that end a job.\n"
    "COMMAND is what each process runs in place of axle_distributed_process: it finds its number\n"
    "in the environment, has that silence limit, prints TEXT when the processes exchange "
    "messages,\n"
    "and names the operation TEXT in its errors.\n";

struct Options {
  std::uint64_t seed = 0;
  int first = 0, count = 20, jobs = 2;
  double silence = 3;
  bool only_lists = false, is_one = false;
  DrillProgram program;
};

template <typename T>
bool Parse(std::string_view text, T& value) {
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && rest == text.data() + text.size();
}

std::uint64_t FreshSeed() {
  const char* text = std::getenv("AXLE_SEED");
  std::uint64_t seed = 0;
  if (text != nullptr && Parse(text, seed)) return seed;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(now.count() / 1000 + getpid()) % 1'000'000'000;
}

bool ParseArguments(int argc, char** argv, Options& options) {
  options.seed = FreshSeed();
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    if (name == "--list") {
      options.only_lists = true;
      continue;
    }
    if (name == "--one") {  // this process runs the first one itself
      options.is_one = true;
      continue;
    }
    if (++i == argc) return false;
    const std::string_view value = argv[i];
    bool is_right = true;
    if (name == "--seed") {
      is_right = Parse(value, options.seed);
    } else if (name == "--first") {
      is_right = Parse(value, options.first) && options.first >= 0;
    } else if (name == "--count") {
      is_right = Parse(value, options.count) && options.count > 0;
    } else if (name == "--jobs") {
      is_right = Parse(value, options.jobs) && options.jobs > 0;
    } else if (name == "--silence") {
      is_right = Parse(value, options.silence) && options.silence > 0;
    } else if (name == "--command") {
      options.program.command = value;
    } else if (name == "--ready") {
      options.program.ready = value;
    } else if (name == "--operation") {
      options.program.operations = {std::string(value)};
    } else {
      return false;
    }
    if (!is_right) return false;
  }
  return true;
}

// Runs one schedule, and prints what came of it.
int RunOne(const Options& options) {
  const Schedule schedule = DrawSchedule(options.seed, options.first, options.silence);
  const std::string text = StrCat("schedule ", schedule.index, ": ", schedule.ToText());
  if (!options.program.is_own() && !RunsWithAnyProgram(schedule.fault)) {
    std::printf("%s: not with this program\n", text.c_str());
    return 0;
  }
  // Children of the processes come here when their parents end.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  Drill drill(schedule, options.program);
  const std::vector<std::string>& problems = drill.Run();
  std::printf("%s: %s after %.2f s\n", text.c_str(), problems.empty() ? "ok" : "FAILED",
              drill.seconds());
  for (const std::string& problem : problems) std::printf("  %s\n", problem.c_str());
  if (!problems.empty()) std::printf("%s", drill.Outputs().c_str());
  return problems.empty() ? 0 : 1;
}

int RunAll(const Options& options, const char* self) {
  struct Running {
    int index;
    TestProcess process;
  };
  std::list<Running> running;
  std::vector<int> failed;
  int next = options.first;
  const int end = options.first + options.count;
  const auto start = std::chrono::steady_clock::now();
  while (next < end || !running.empty()) {
    while (next < end && static_cast<int>(running.size()) < options.jobs) {
      std::vector<std::string> command = {self,        "--one",
                                          "--seed",    std::to_string(options.seed),
                                          "--first",   std::to_string(next),
                                          "--silence", StrCat(options.silence)};
      if (!options.program.is_own()) {
        command.insert(command.end(),
                       {"--command", options.program.command, "--ready", options.program.ready,
                        "--operation", options.program.operations.front()});
      }
      running.push_back({next++, TestProcess(command, {})});
    }
    for (auto at = running.begin(); at != running.end();) {
      const std::optional<int> code = at->process.WaitForEnd(0);
      if (!code) {
        ++at;
        continue;
      }
      std::printf("%s", at->process.output().c_str());
      std::fflush(stdout);
      if (*code != 0) failed.push_back(at->index);
      at = running.erase(at);
    }
  }
  std::printf("%d schedules of seed %llu, %zu failed, in %.1f s\n", options.count,
              static_cast<unsigned long long>(options.seed), failed.size(), SecondsSince(start));
  std::ranges::sort(failed);
  for (const int index : failed) {
    std::printf("again: %s --seed %llu --first %d --count 1 --silence %g\n", self,
                static_cast<unsigned long long>(options.seed), index, options.silence);
  }
  return failed.empty() ? 0 : 1;
}

int Main(int argc, char** argv) {
  Options options;
  if (!ParseArguments(argc, argv, options)) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  if (!HasTransport("gloo")) {
    std::printf("built without Gloo\n");
    return 77;
  }
  if (options.only_lists) {
    for (int i = options.first; i < options.first + options.count; ++i) {
      std::printf("schedule %d: %s\n", i,
                  DrawSchedule(options.seed, i, options.silence).ToText().c_str());
    }
    return 0;
  }
  return options.is_one ? RunOne(options) : RunAll(options, argv[0]);
}

}  // namespace
}  // namespace axle

int main(int argc, char** argv) {
  return axle::Main(argc, argv);
}
