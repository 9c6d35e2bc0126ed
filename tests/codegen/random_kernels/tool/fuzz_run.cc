#include "tests/codegen/random_kernels/tool/fuzz_run.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "tests/codegen/random_kernels/compare.h"
#include "tests/codegen/random_kernels/generate.h"
#include "tests/codegen/random_kernels/reduce.h"

namespace axle {
namespace {

constexpr std::uint64_t kBatch = 32;   // programs in one LLVM module
constexpr unsigned kMaxSeconds = 300;  // for a batch, before it counts as a crash
constexpr unsigned kMaxSecondsAlone = 60;
constexpr int kNumSets = 24;  // of inputs, where a program is reduced

using Clock = std::chrono::steady_clock;

// How far the fuzz run is: in memory that is shared with the process that compiles and runs.
struct State {
  FuzzTotals totals;
  std::uint64_t next = 0;  // index of the first program of the batch that is looked at
};

class Fuzzer {
 public:
  Fuzzer(const FuzzOptions& options, State& state) : options_(options), state_(state) {
    state_.next = options.first;
  }

  void Run() {
    while (!IsDone()) {
      const int status = InChild([this] { RunBatches(); }, /*seconds=*/0, /*is_silent=*/false);
      if (status == 0) continue;
      ReportCrash();
      state_.next += kBatch;
    }
    if (isatty(STDERR_FILENO) != 0) std::fprintf(stderr, "\r%78s\r", "");
  }

 private:
  bool IsDone() const {
    const std::chrono::duration<double> passed = Clock::now() - start_;
    return state_.next >= options_.first + options_.count ||
           (options_.seconds > 0 && passed.count() >= options_.seconds);
  }

  // The status with which it ends: 0 is that of its end, others are those of a signal.
  static int InChild(const std::function<void()>& run, unsigned seconds, bool is_silent) {
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child < 0) {
      std::perror("fork");
      std::exit(2);
    }
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);  // it does not outlive the fuzz run
      if (is_silent) dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
      alarm(seconds);
      run();
      std::fflush(nullptr);
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return status;
  }

  KernelForm FormOfBatch() const {
    return options_.forms[state_.next / kBatch % options_.forms.size()];
  }
  std::vector<RandomProgram> Batch() const {
    const std::uint64_t end = std::min(options_.first + options_.count, state_.next + kBatch);
    std::vector<RandomProgram> programs;
    for (std::uint64_t i = state_.next; i < end; ++i) {
      programs.push_back(Generate(options_.seed, i, FormOfBatch()));
    }
    return programs;
  }
  const JitTarget& target() const {
    return Random(options_.seed, state_.next / kBatch).Of(options_.targets);
  }
  Random InputsOf(size_t i) const { return InputStream(options_.seed, state_.next + i); }

  void RunBatches() {
    for (; !IsDone(); state_.next += kBatch) {
      alarm(kMaxSeconds);
      RunBatch(Batch());
      ShowProgress();
    }
  }

  void RunBatch(const std::vector<RandomProgram>& programs) {
    const auto compiled = CompiledPrograms::Create(programs, target());
    if (!compiled.ok()) {
      std::printf("not compiled: %s\n", std::string(compiled.status().message()).c_str());
      std::abort();
    }
    for (size_t i = 0; i < programs.size(); ++i) {
      const Comparison comparison = Compare(programs[i], compiled->function(i), InputsOf(i));
      ++state_.totals.kernels;
      state_.totals.values += static_cast<std::uint64_t>(comparison.num_values);
      if (!comparison.is_defined) {
        ++state_.totals.differences;
        PrintHead("not defined", i);
      }
      if (!comparison.is_equal) ReportDifference(programs[i], i, comparison);
    }
  }

  void ReportDifference(const RandomProgram& program, size_t i, const Comparison& comparison) {
    ++state_.totals.differences;
    PrintHead("different", i);
    std::printf("%s", comparison.difference.c_str());
    std::fflush(stdout);
    const auto differs = [&](const RandomProgram& candidate) {
      const auto made = CompileAndCompare(candidate, target(), InputsOf(i), kNumSets);
      return made.ok() && made->is_defined && !made->is_equal;
    };
    PrintReduced(Reduced(program, differs), i, kNumSets);
  }

  void PrintReduced(const RandomProgram& program, size_t i, int num_sets) const {
    std::printf("reduced:\n%s", program.ToString().c_str());
    const auto compiled = CompiledPrograms::Create({&program, 1}, target(), &PrintText);
    if (!compiled.ok()) return;
    const Comparison comparison = Compare(program, compiled->function(0), InputsOf(i), num_sets);
    PrintText(comparison.difference);
  }

  static void PrintText(std::string_view text) {
    std::printf("%s\n", std::string(text).c_str());
    std::fflush(stdout);  // code may end the process
  }

  // The process has ended in the middle of a batch: looks for the program that does it. Others of
  // the batch are not looked at.
  void ReportCrash() {
    ++state_.totals.crashes;
    const std::vector<RandomProgram> programs = Batch();
    size_t i = 0;
    const auto crashes = [&](const RandomProgram& program) {
      const auto run = [&] {
        if (!CompileAndCompare(program, target(), InputsOf(i)).ok()) std::abort();
      };
      return InChild(run, kMaxSecondsAlone, /*is_silent=*/true) != 0;
    };
    while (i < programs.size() && !crashes(programs[i])) ++i;
    if (i == programs.size()) {
      PrintHead("crashed, but no program of the batch does so alone", 0);
      return;
    }
    PrintHead("crashed", i);
    const RandomProgram reduced = Reduced(programs[i], crashes);
    InChild([&] { PrintReduced(reduced, i, kNumSets); }, kMaxSecondsAlone, /*is_silent=*/true);
  }

  void PrintHead(const char* what, size_t i) const {
    const std::uint64_t index = state_.next + i;
    const auto seed = static_cast<unsigned long long>(options_.seed);
    std::printf(
        "%s: axle_random_kernels --seed %llu --first %llu --count 1 --form %s --isa %s "
        "--levels %d%s\n",
        what, seed, static_cast<unsigned long long>(index),
        std::string(Name(FormOfBatch())).c_str(), std::string(Name(target().isa)).c_str(),
        target().codegen_level, target().works_around_llvm ? "" : " --no-workarounds");
    std::fflush(stdout);
  }

  void ShowProgress() {
    if (isatty(STDERR_FILENO) == 0) return;
    const FuzzTotals& totals = state_.totals;
    std::fprintf(stderr, "\r%llu kernels, %llu values, %llu different, %llu crashed",
                 static_cast<unsigned long long>(totals.kernels),
                 static_cast<unsigned long long>(totals.values),
                 static_cast<unsigned long long>(totals.differences),
                 static_cast<unsigned long long>(totals.crashes));
  }

  const FuzzOptions& options_;
  State& state_;
  const Clock::time_point start_ = Clock::now();
};

}  // namespace

FuzzTotals RunFuzzer(const FuzzOptions& options) {
  void* shared =
      mmap(nullptr, sizeof(State), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) {
    std::perror("mmap");
    std::exit(2);
  }
  State& state = *new (shared) State;
  Fuzzer(options, state).Run();
  const FuzzTotals totals = state.totals;
  munmap(shared, sizeof(State));
  return totals;
}

}  // namespace axle
