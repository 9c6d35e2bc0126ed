// Compares all ways to run a module with the oracle. The oracle is the interpreter on the module as
// written. Runners are the interpreter after the passes, and one native executable per variant
// (instruction set, codegen level, threads, small functions, checked accesses), with an extra
// runner on donated buffers if the module donates. For each set of arguments every runner runs
// `repeats` times, then twice at the same time. If a result differs, the module is run again with
// other NaN bits: if the oracle itself depends on them the outcome is kUndefined and not
// kDifferent. With Numerics::kFast the oracle is the optimized module with error bounds
// (error_bound.h) and a result must lie within them.
//
// The variants of a module are drawn from a hash of its structure, so that a module is checked the
// same way whenever it is checked.

#include "axle/gen/check.h"

#include <algorithm>
#include <optional>
#include <thread>

#include "axle/core/strings.h"
#include "axle/gen/nan_bits.h"
#include "axle/gen/on_devices.h"
#include "axle/gen/random.h"
#include "axle/passes/pipeline.h"
#include "axle/text/parse.h"

namespace axle {

// One way to run the module: its name in messages, and a function of arguments.
struct Checker::Runner {
  std::string name;
  std::function<StatusOr<Literal>(std::span<const Literal>, Limits*)> run;
  bool repeated = true;
  i64 num_devices = 1;
};

namespace {

constexpr std::string_view kNames[kNumOutcomes] = {
    "equal", "different", "unimplemented", "undefined", "over limit", "crashed", "hung"};

// Errors of the budget that a caller sets, as opposed to errors of the program.
bool IsLimit(const Status& status) {
  const StatusCode code = status.code();
  return code == StatusCode::kResourceExhausted || code == StatusCode::kDeadlineExceeded ||
         code == StatusCode::kCancelled;
}

using Runner = Checker::Runner;

// Donation changes who owns the memory of arguments and results, so that it needs runs of its own.
bool GivesAway(const Module& module) {
  return !module.config().input_output_alias.empty() || !module.config().buffer_donor.empty();
}

// Adds runners for one executable: on copies of the arguments, and, if the module donates
// arguments, on buffers that it may take over.
void AddRunners(const Module& module, const std::string& name, bool repeated, Client& client,
                const std::shared_ptr<Executable>& executable, std::vector<Runner>& runners) {
  const auto add = [&](std::string runner_name, bool donates) {
    runners.push_back(
        {std::move(runner_name),
         [executable, &client, donates](std::span<const Literal> arguments, Limits* limits) {
           return RunOnAll(client, *executable, arguments, limits, donates);
         },
         repeated, NumDevicesOf(module)});
  };
  add(name, /*donates=*/false);
  if (GivesAway(module)) add(StrCat(name, ", donated arguments"), /*donates=*/true);
}

// Whether a run with this error is not compared. Engines need different amounts of memory; with
// kFast loops may need more iterations, and devices may take branches with other collectives.
bool CannotCompare(const Status& status, bool is_fast) {
  const bool is_deadlock = status.message().find("deadlock:") != std::string::npos;
  return status.code() == StatusCode::kResourceExhausted ||
         (is_fast && (IsLimit(status) || is_deadlock));
}

// "" if the run gives the expected value, otherwise a description of the difference. With
// `bounded`, which counts elements, `expected` is a value with bounds. `limit` is set if the run
// cannot be compared.
std::string Difference(const Runner& runner, std::span<const Literal> arguments,
                       const StatusOr<Literal>& expected, Limits* limits, BoundedElements* bounded,
                       std::string& limit) {
  const StatusOr<Literal> actual = runner.run(arguments, limits);
  if (!expected.ok()) return "";
  if (!actual.ok() && CannotCompare(actual.status(), bounded != nullptr)) {
    limit = StrCat(runner.name, ": ", actual.status().ToString());
    return "";
  }
  if (!actual.ok()) return StrCat("fails: ", actual.status().ToString());
  if (bounded != nullptr) {
    const BoundedElements here = CompareWithin(*actual, *expected, runner.num_devices);
    bounded->Count(here);
    return here.violation;
  }
  if (SameValue(*expected, *actual)) return "";
  const auto difference = FirstDifference(*expected, *actual);
  return difference ? difference->ToString() : "differs";
}

}  // namespace

std::string_view OutcomeName(Outcome outcome) {
  return kNames[static_cast<int>(outcome)];
}

bool IsFailure(Outcome outcome) {
  return outcome == Outcome::kDifferent || outcome == Outcome::kCrashed ||
         outcome == Outcome::kHung;
}

// Compiles a probe for each instruction set. A set that this machine does not have is dropped, so
// that the variants are drawn from those that run here.
StatusOr<std::unique_ptr<Checker>> Checker::Create(CheckOptions options) {
  std::unique_ptr<Checker> checker(new Checker(std::move(options)));
  CheckOptions& o = checker->options_;
  AXLE_ASSIGN(checker->interpreter_,
              Client::Create({.num_devices = kMaxCheckedDevices, .num_threads = 1}));
  if (!o.native) return checker;
  for (const int threads : o.threads) {
    AXLE_ASSIGN(auto client,
                Client::Create({.num_devices = kMaxCheckedDevices, .num_threads = threads}));
    checker->clients_.push_back(std::move(client));
  }
  // Loads the native engine and initializes LLVM once, before any fork: the probe contains a loop
  // that is not precompiled.
  AXLE_ASSIGN(const std::shared_ptr<const Module> probe,
              Parse("HloModule probe\nENTRY e { x = f32[9] parameter(0) y = f32[9] negate(x) "
                    "z = f32[9] floor(y) ROOT w = f32[9] multiply(z, x) }"));
  std::vector<NativeIsa> here;
  for (const NativeIsa isa : o.isas) {
    const auto compiled =
        checker->clients_[0]->Compile(probe, {.engine = EngineKind::kNative, .isa = isa});
    if (compiled.ok()) here.push_back(isa);
    const bool may_lack =
        isa != NativeIsa::kAarch64;  // its emulator can be installed, so its absence is an error
    if (!compiled.ok() &&
        (compiled.status().code() != StatusCode::kFailedPrecondition || !may_lack)) {
      return compiled.status();
    }
  }
  o.isas = std::move(here);
  return checker;
}

CheckResult Checker::Check(const std::shared_ptr<const Module>& module) const {
  std::vector<std::vector<Literal>> arguments;
  for (int s = 0; s < options_.seeds; ++s) {
    arguments.push_back(
        DrawArgumentsOfAll(*module, options_.first_seed + static_cast<std::uint64_t>(s)));
  }
  return Check(module, arguments);
}

// The limits are set anew for every compilation and every run: one that is over its limit does not
// use up the budget of the next one.
void Checker::SetLimits(Limits& limits) const {
  limits.set_memory_cap(options_.memory_cap);
  limits.set_step_limit(options_.step_limit);
  if (options_.time_limit > 0) limits.set_time_limit(options_.time_limit);
}

std::string Checker::Variant::NameIn(const CheckOptions& options) const {
  return StrCat("native ", axle::Name(isa), " level ", level, ", ", options.threads[client],
                " threads", small ? ", small wherever possible" : "", checked ? ", checked" : "");
}

// With `variants` = 0 these are all combinations; otherwise they are drawn from a hash of the
// module, so that the same module always has the same variants.
std::vector<Checker::Variant> Checker::VariantsFor(const Module& module) const {
  std::vector<Variant> variants;
  const CheckOptions& o = options_;
  if (clients_.empty() || o.isas.empty() || o.levels.empty()) return variants;
  Random random(StructuralHash(*module.entry()));
  for (int v = 0; v < o.variants; ++v) {
    variants.push_back({.client = static_cast<size_t>(random.Below(std::ssize(clients_))),
                        .isa = random.Of(o.isas),
                        .level = random.Of(o.levels),
                        .small = random.Percent(40),
                        .checked = random.Percent(30),
                        .repeated = random.Percent(50)});
  }
  // This loop runs only for the complete list.
  for (size_t client = 0; client < clients_.size() && o.variants == 0; ++client) {
    for (const NativeIsa isa : o.isas) {
      for (const int level : o.levels) {
        for (const bool small : {false, true}) {
          for (const bool checked : {false, true}) {
            variants.push_back({client, isa, level, small, checked});
          }
        }
      }
    }
  }
  return variants;
}

// Compiles first, so that an executable serves all sets of arguments. The first difference that NaN
// bits do not explain ends the check. UNIMPLEMENTED is no failure: the module is still checked by
// the passes' runner.
CheckResult Checker::Check(const std::shared_ptr<const Module>& module,
                           std::span<const std::vector<Literal>> argument_sets) const {
  std::vector<Runner> runners;
  std::unique_ptr<Module> optimized;
  const bool is_fast = options_.numerics == Numerics::kFast;
  const i64 num_devices = NumDevicesOf(*module);
  if (num_devices > kMaxCheckedDevices) {
    return {Outcome::kUnimplemented,
            StrCat("a program for ", num_devices, " devices; at most ", kMaxCheckedDevices,
                   " are checked"),
            0};
  }
  // With kFast the passes run in any case: their result is what the bounds are computed for.
  if (options_.passes || is_fast) {
    Limits limits;
    SetLimits(limits);
    auto passed = RunPipeline(*module, {.verify_each = true, .limits = &limits});
    if (!passed.ok()) {
      return {Outcome::kDifferent, StrCat("passes: ", passed.status().ToString()), 0};
    }
    optimized = *std::move(passed);
  }
  if (is_fast) {
    auto bounded = WithErrorBounds(*optimized);
    if (!bounded.ok()) return {Outcome::kDifferent, bounded.status().ToString(), 0};
    optimized = *std::move(bounded);
  } else if (options_.passes) {
    runners.push_back({"passes", [&](std::span<const Literal> arguments, Limits* run_limits) {
                         return EvaluateOnAll(interpreter_.get(), *optimized, arguments,
                                              run_limits);
                       }});
  }
  // The oracle.
  const Module& oracle = is_fast ? *optimized : *module;
  std::string unimplemented;
  for (const Variant& variant : VariantsFor(*module)) {
    const std::string name = variant.NameIn(options_);
    Limits limits;
    SetLimits(limits);
    Client& client = *clients_[variant.client];
    const auto compiled = client.Compile(
        module,
        {.engine = EngineKind::kNative,
         .numerics = options_.numerics,
         .isa = variant.isa,
         .codegen_level = variant.level,
         .limits = &limits,
         .allow_elided = true,
         .debug = {.small_wherever_possible = variant.small, .check_accesses = variant.checked}});
    if (compiled.ok()) {
      AddRunners(*module, name, variant.repeated, client, *compiled, runners);
      continue;
    }
    if (compiled.status().code() == StatusCode::kUnimplemented) {
      unimplemented = compiled.status().message();
      break;
    }
    return {IsLimit(compiled.status()) ? Outcome::kOverLimit : Outcome::kDifferent,
            StrCat(name, ": compile: ", compiled.status().ToString()), 0};
  }

  CheckResult result;
  for (size_t s = 0; s < argument_sets.size(); ++s) {
    const std::vector<Literal>& arguments = argument_sets[s];
    Limits limits;
    SetLimits(limits);
    const StatusOr<Literal> expected =
        EvaluateOnAll(interpreter_.get(), oracle, arguments, &limits);
    if (!expected.ok()) {
      result.outcome = IsLimit(expected.status()) ? Outcome::kOverLimit : Outcome::kUndefined;
      result.message = expected.status().ToString();
      if (result.outcome == Outcome::kOverLimit) return result;
    }
    // A runner is compared also if the oracle failed with an error of the program: it must not
    // crash, but need not find the error.
    for (const Runner& runner : runners) {
      const std::string difference = FirstWrongRun(runner, arguments, expected, result);
      if (difference.empty()) continue;
      const auto evaluate = [&](const Module& some) {
        Limits own;
        SetLimits(own);
        return EvaluateOnAll(interpreter_.get(), some, arguments, &own);
      };
      if (!DependsOnNanBits(*module, evaluate)) {
        result.outcome = Outcome::kDifferent;
        result.message =
            StrCat(runner.name, ", arguments ", options_.first_seed + s, ": ", difference);
        return result;
      }
      result.outcome = Outcome::kUndefined;
      result.message = "the result depends on the bits of a NaN";
    }
  }
  if (result.outcome == Outcome::kEqual && !unimplemented.empty()) {
    result.outcome = Outcome::kUnimplemented;
    result.message = unimplemented;
  }
  return result;
}

// Repeats find state that a run leaves behind in an executable; two runs at once find state that
// they share. Returns the first difference, "" if there is none.
std::string Checker::FirstWrongRun(const Runner& runner, std::span<const Literal> arguments,
                                   const StatusOr<Literal>& expected, CheckResult& result) const {
  const auto once = [&](BoundedElements* elements, std::string& limit) {
    Limits limits;
    SetLimits(limits);
    const bool is_fast = options_.numerics == Numerics::kFast;
    return Difference(runner, arguments, expected, &limits, is_fast ? elements : nullptr, limit);
  };
  // An equal outcome becomes kOverLimit if a run could not be compared.
  const auto note = [&](const std::string& limit) {
    if (limit.empty() || result.outcome != Outcome::kEqual) return;
    result.outcome = Outcome::kOverLimit;
    result.message = limit;
  };
  BoundedElements others;
  std::string limit, other_limit;
  for (int repeat = 0; repeat < (runner.repeated ? options_.repeats : 1); ++repeat) {
    ++result.runs;
    if (std::string difference = once(&result.elements, limit); !difference.empty()) {
      return difference;
    }
  }
  note(limit);
  // The limit and the counters of the second thread are kept apart and joined after it has ended.
  if (!options_.concurrent || !runner.repeated) return "";
  result.runs += 2;
  std::string here, there;
  std::thread other([&] { there = once(&others, other_limit); });
  here = once(&result.elements, limit);
  other.join();
  note(limit);
  note(other_limit);
  result.elements.Count(others);
  return here.empty() ? there : here;
}

}  // namespace axle
