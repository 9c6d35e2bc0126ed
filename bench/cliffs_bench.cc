// Programs in equivalent writings (gen/writings.h): bench_cliffs [--limit SECONDS] FILE.hlo...
//
// Each program runs as it is written and in every writing that it has, on the same random
// arguments, one thread. Prints the writings that take more than three times what the quickest one
// takes, and more than 20 us more, with both times; then how many were compared. Exits with 1 if
// there are any: such a pair is an edge of a cliff, whichever of the two the user has.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "axle/client/arguments.h"
#include "axle/client/client.h"
#include "axle/core/limits.h"
#include "axle/gen/writings.h"
#include "axle/text/parse.h"

namespace axle::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kCliff = 3;             // times the quickest writing
constexpr double kNoise = 20e-6;         // seconds that do not count
constexpr double kSampleSeconds = 0.05;  // of each writing, and at least three runs
constexpr int kRounds = 3;               // in which a slow one is timed again
constexpr std::uint64_t kSeed = 1;

double SecondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// The least time of a run; an error where the program does not compile, run or end.
StatusOr<double> TimeOf(Client& client, const std::shared_ptr<const Module>& module, double limit) {
  Limits compile_limits;
  compile_limits.set_time_limit(limit);
  AXLE_ASSIGN(const auto executable, client.Compile(module, {.limits = &compile_limits}));
  std::vector<BufferPtr> arguments;
  std::vector<Literal> leaves;
  for (const Shape& shape : ArgumentLeaves(*module->entry())) {
    AXLE_ASSIGN(leaves.emplace_back(), FakeLiteral(shape, "random:1", std::ssize(leaves)));
  }
  for (Literal& literal : ArgumentsFromLeaves(*module->entry(), std::move(leaves))) {
    AXLE_ASSIGN(arguments.emplace_back(), client.BufferFromLiteral(std::move(literal)));
  }
  std::vector<i64> kept;
  for (size_t i = 0; i < arguments.size(); ++i) kept.push_back(static_cast<i64>(i));
  double best = limit;
  const auto begin = Clock::now();
  for (int runs = 0; runs < 3 || SecondsSince(begin) < kSampleSeconds; ++runs) {
    Limits limits;
    limits.set_time_limit(limit);
    const auto start = Clock::now();
    AXLE_TRY(executable->Execute(arguments, {.limits = &limits, .not_donated = kept}).status());
    best = std::min(best, SecondsSince(start));
    if (SecondsSince(begin) > limit) break;
  }
  return best;
}

struct Timed {
  std::string writing;
  std::shared_ptr<const Module> module;
  double seconds = 0;
};

const Timed& QuickestOf(const std::vector<Timed>& timed) {
  return *std::ranges::min_element(timed, {}, &Timed::seconds);
}

bool IsCliff(const Timed& one, const Timed& quickest) {
  return one.seconds > kCliff * quickest.seconds && one.seconds > quickest.seconds + kNoise;
}

// The number of cliffs of a program.
int CheckFile(Client& client, const char* path, double limit, int& num_compared) {
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  auto parsed = Parse(text);
  if (!parsed.ok()) {
    std::fprintf(stderr, "%s: %s\n", path, parsed.status().ToString().c_str());
    return 1;
  }
  const std::shared_ptr<const Module> module = *std::move(parsed);
  std::vector<Timed> timed;
  const auto add = [&](std::shared_ptr<const Module> written, std::string_view name) {
    const StatusOr<double> seconds = TimeOf(client, written, limit);
    if (seconds.ok()) {
      timed.push_back({std::string(name), std::move(written), *seconds});
    } else {
      std::printf("%s, %s: %s\n", path, std::string(name).c_str(),
                  seconds.status().ToString().c_str());
    }
    return seconds.ok();
  };
  if (!add(module, "as it is")) return 0;
  for (const Writing writing : AllWritings()) {
    auto written = Rewritten(*module, writing, kSeed);
    if (written.ok()) {
      add(*std::move(written), WritingName(writing));
    } else if (written.status().code() != StatusCode::kFailedPrecondition) {
      std::printf("%s, %s: %s\n", path, std::string(WritingName(writing)).c_str(),
                  written.status().ToString().c_str());
    }
  }
  num_compared += static_cast<int>(timed.size());
  // What other processes did meanwhile is no cliff: such a time is taken again.
  for (int round = 0; round < kRounds; ++round) {
    for (Timed& one : timed) {
      if (!IsCliff(one, QuickestOf(timed))) continue;
      const StatusOr<double> again = TimeOf(client, one.module, limit);
      if (again.ok()) one.seconds = std::min(one.seconds, *again);
    }
  }
  const Timed& quickest = QuickestOf(timed);
  int cliffs = 0;
  for (const Timed& one : timed) {
    if (!IsCliff(one, quickest)) continue;
    ++cliffs;
    std::printf("%s: %s takes %.1f us, %s %.1f us: %.1f times\n", path, one.writing.c_str(),
                1e6 * one.seconds, quickest.writing.c_str(), 1e6 * quickest.seconds,
                one.seconds / quickest.seconds);
  }
  std::fflush(stdout);
  return cliffs;
}

int Main(int argc, char** argv) {
  double limit = 10;
  std::vector<const char*> files;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--limit") == 0 && i + 1 < argc) {
      limit = std::atof(argv[++i]);
    } else {
      files.push_back(argv[i]);
    }
  }
  if (files.empty() || limit <= 0) {
    std::fprintf(stderr, "usage: bench_cliffs [--limit SECONDS] FILE.hlo...\n");
    return 2;
  }
  const auto client = Client::Create({.num_threads = 1});
  if (!client.ok()) {
    std::fprintf(stderr, "%s\n", client.status().ToString().c_str());
    return 2;
  }
  int cliffs = 0, num_compared = 0;
  for (const char* file : files) cliffs += CheckFile(**client, file, limit, num_compared);
  std::printf("%d writings of %zu programs, %d cliffs\n", num_compared, files.size(), cliffs);
  return cliffs > 0;
}

}  // namespace
}  // namespace axle::bench

int main(int argc, char** argv) {
  return axle::bench::Main(argc, argv);
}
