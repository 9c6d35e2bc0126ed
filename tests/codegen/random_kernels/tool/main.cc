// axle_random_kernels: compares kernels of random programs with the interpreter, as long as it may.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>

#include "axle/codegen/choose_target.h"
#include "tests/codegen/isas.h"
#include "tests/codegen/random_kernels/tool/fuzz_run.h"

namespace axle {
namespace {

struct Flags {
  FuzzOptions run;
  std::string form = "all";
  std::vector<std::string> isas = {};
  std::vector<int> levels = {0, 1, 2};
  bool no_workarounds = false;
};

std::vector<KernelForm> FormsOf(const std::string& name) {
  if (name == "small") return {KernelForm::kSmall};
  if (name == "loop") return {KernelForm::kLoop};
  return {KernelForm::kSmall, KernelForm::kLoop};
}

// Those that were asked for, or all of x86 that this CPU runs.
StatusOr<std::vector<JitTarget>> TargetsOf(const Flags& flags) {
  std::vector<JitTarget> targets;
  for (const NativeIsa isa : {NativeIsa::kV2, NativeIsa::kAvx2, NativeIsa::kAvx512}) {
    const auto& names = flags.isas;
    const bool is_named = std::find(names.begin(), names.end(), Name(isa)) != names.end();
    if (names.empty() ? !CanRun(isa).ok() : !is_named) continue;
    for (const int level : flags.levels) {
      AXLE_ASSIGN(JitTarget target, ChooseTarget(isa, level));
      target.works_around_llvm = !flags.no_workarounds;
      targets.push_back(target);
    }
  }
  return targets;
}

void AddOptions(CLI::App& app, Flags& flags) {
  FuzzOptions& run = flags.run;
  app.add_option("--seed", run.seed, "of the programs; else from the clock");
  app.add_option("--first", run.first, "index of the first program");
  app.add_option("--count", run.count, "how many programs; else 10000, or until --time-limit");
  app.add_option("--time-limit", run.seconds, "seconds after which no other programs are drawn");
  app.add_option("--form", flags.form, "small (few elements), loop or all")
      ->check(CLI::IsMember({"small", "loop", "all"}));
  app.add_option("--isa", flags.isas, "of v2,avx2,avx512; else all that this CPU has")
      ->delimiter(',')
      ->check(CLI::IsMember({"v2", "avx2", "avx512"}));
  app.add_option("--levels", flags.levels, "of the code generator, of 0,1,2")
      ->delimiter(',')
      ->check(CLI::Range(0, 2));
  app.add_flag("--no-workarounds", flags.no_workarounds,
               "compile without the workarounds for bugs of LLVM");
}

int Run(Flags flags) {
  FuzzOptions& run = flags.run;
  run.forms = FormsOf(flags.form);
  auto targets = TargetsOf(flags);
  if (!targets.ok() || targets->empty()) {
    const std::string why(targets.ok() ? "no code for x86 runs here" : targets.status().message());
    std::fprintf(stderr, "axle_random_kernels: %s\n", why.c_str());
    return 2;
  }
  run.targets = std::move(*targets);
  const auto start = std::chrono::steady_clock::now();
  const FuzzTotals totals = RunFuzzer(run);
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
  std::printf(
      "seed %llu: %llu kernels, %llu values compared, %llu differences, %llu crashes, "
      "%.1f s\n",
      static_cast<unsigned long long>(run.seed), static_cast<unsigned long long>(totals.kernels),
      static_cast<unsigned long long>(totals.values),
      static_cast<unsigned long long>(totals.differences),
      static_cast<unsigned long long>(totals.crashes), passed.count());
  return totals.differences + totals.crashes > 0 ? 1 : 0;
}

int Main(int argc, char** argv) {
  CLI::App app(
      "Compares kernels of random programs with the interpreter, bit for bit. Prints each "
      "that differs or crashes, reduced, and exits 1 if there was one.");
  Flags flags;
  flags.run.seed = static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch() /
                                              std::chrono::microseconds(1));
  AddOptions(app, flags);
  CLI11_PARSE(app, argc, argv);
  if (flags.run.count == 0) {
    flags.run.count = flags.run.seconds > 0 ? std::uint64_t{1} << 62 : 10'000;
  }
  return Run(std::move(flags));
}

}  // namespace
}  // namespace axle

int main(int argc, char** argv) {
  try {
    return axle::Main(argc, argv);
  } catch (const std::exception& error) {  // of the parser of options
    std::fprintf(stderr, "axle_random_kernels: %s\n", error.what());
    return 2;
  }
}
