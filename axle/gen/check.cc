#include "axle/gen/check.h"

#include <algorithm>
#include <optional>
#include <thread>

#include "axle/core/strings.h"
#include "axle/eval/evaluate.h"
#include "axle/gen/inputs.h"
#include "axle/passes/pipeline.h"
#include "axle/text/parse.h"

namespace axle {
namespace {

constexpr std::string_view kNames[kNumOutcomes] = {
    "equal", "different", "unimplemented", "undefined", "over limit", "crashed", "hung"};

std::string_view IsaName(NativeIsa isa) {
  return isa == NativeIsa::kAvx2 ? "avx2" : isa == NativeIsa::kAvx512 ? "avx512" : "auto";
}

bool IsLimit(const Status& status) {
  const StatusCode code = status.code();
  return code == StatusCode::kResourceExhausted || code == StatusCode::kDeadlineExceeded ||
         code == StatusCode::kCancelled;
}

// One way to run the module: its name in messages, and a function of arguments.
struct Runner {
  std::string name;
  std::function<StatusOr<Literal>(std::span<const Literal>, Limits*)> run;
};

bool GivesAway(const Module& module) {
  return !module.config().input_output_alias.empty() || !module.config().buffer_donor.empty();
}

// The results of buffers as one value of this shape.
StatusOr<Literal> FromBuffers(const Shape& shape, const std::vector<BufferPtr>& buffers) {
  std::vector<Literal> elements;
  for (const BufferPtr& buffer : buffers) {
    AXLE_ASSIGN(Literal element, buffer->ToLiteral());
    elements.push_back(std::move(element));
  }
  if (!shape.is_tuple()) return std::move(elements[0]);
  return Literal::Tuple(std::move(elements));
}

}  // namespace

std::string_view OutcomeName(Outcome outcome) {
  return kNames[static_cast<int>(outcome)];
}

bool IsFailure(Outcome outcome) {
  return outcome == Outcome::kDifferent || outcome == Outcome::kCrashed ||
         outcome == Outcome::kHung;
}

StatusOr<std::unique_ptr<Checker>> Checker::Create(CheckOptions options) {
  std::unique_ptr<Checker> checker(new Checker(std::move(options)));
  CheckOptions& o = checker->options_;
  if (!o.native) return checker;
  for (const int threads : o.threads) {
    AXLE_ASSIGN(auto client, Client::Create({.num_threads = threads}));
    checker->clients_.push_back(std::move(client));
  }
  // Loads the native engine, once and before anybody forks.
  AXLE_ASSIGN(
      const std::shared_ptr<const Module> probe,
      Parse("HloModule probe\nENTRY e { x = f32[] parameter(0) ROOT y = f32[] negate(x) }"));
  std::vector<NativeIsa> here;
  for (const NativeIsa isa : o.isas) {
    const auto compiled =
        checker->clients_[0]->Compile(probe, {.engine = EngineKind::kNative, .isa = isa});
    if (compiled.ok()) here.push_back(isa);
    if (!compiled.ok() && compiled.status().code() != StatusCode::kFailedPrecondition) {
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
        DrawArguments(*module->entry(), options_.first_seed + static_cast<std::uint64_t>(s)));
  }
  return Check(module, arguments);
}

CheckResult Checker::Check(const std::shared_ptr<const Module>& module,
                           std::span<const std::vector<Literal>> argument_sets) const {
  CheckResult result;
  const auto limited = [&](Limits& limits) {
    limits.set_memory_cap(options_.memory_cap);
    limits.set_step_limit(options_.step_limit);
    if (options_.time_limit > 0) limits.set_time_limit(options_.time_limit);
  };
  const auto fails = [&](std::string message) {
    result.outcome = Outcome::kDifferent;
    result.message = std::move(message);
    return result;
  };

  // What is run, compiled once.
  std::vector<Runner> runners;
  std::unique_ptr<Module> optimized;
  if (options_.passes) {
    Limits limits;
    limited(limits);
    auto passed = RunPipeline(*module, {.verify_each = true, .limits = &limits});
    if (!passed.ok()) return fails(StrCat("passes: ", passed.status().ToString()));
    optimized = *std::move(passed);
    runners.push_back({"passes", [&](std::span<const Literal> arguments, Limits* run_limits) {
                         return Evaluate(*optimized, arguments, {.limits = run_limits});
                       }});
  }
  std::vector<std::shared_ptr<Executable>> executables;
  std::string unimplemented;
  for (size_t t = 0; t < clients_.size() && unimplemented.empty(); ++t) {
    for (const NativeIsa isa : options_.isas) {
      for (const int level : options_.levels) {
        if (!unimplemented.empty()) break;
        const std::string name = StrCat("native ", IsaName(isa), " level ", level, ", ",
                                        options_.threads[t], " threads");
        Limits limits;
        limited(limits);
        auto compiled = clients_[t]->Compile(
            module,
            {.engine = EngineKind::kNative, .isa = isa, .codegen_level = level, .limits = &limits});
        if (!compiled.ok() && compiled.status().code() == StatusCode::kUnimplemented) {
          unimplemented = compiled.status().message();
          break;
        }
        if (!compiled.ok() && IsLimit(compiled.status())) {
          result.outcome = Outcome::kOverLimit;
          result.message = StrCat(name, ": ", compiled.status().ToString());
          return result;
        }
        if (!compiled.ok()) return fails(StrCat(name, ": compile: ", compiled.status().ToString()));
        const std::shared_ptr<Executable> executable = *std::move(compiled);
        runners.push_back(
            {name, [executable](std::span<const Literal> arguments, Limits* run_limits) {
               return executable->Execute(arguments, {.limits = run_limits});
             }});
        if (!GivesAway(*module)) continue;
        Client* client = clients_[t].get();
        runners.push_back({StrCat(name, ", arguments given away"),
                           [executable, client](std::span<const Literal> arguments,
                                                Limits* run_limits) -> StatusOr<Literal> {
                             std::vector<BufferPtr> buffers;
                             for (const Literal& argument : arguments) {
                               AXLE_ASSIGN(BufferPtr buffer, client->BufferFromLiteral(argument));
                               buffers.push_back(std::move(buffer));
                             }
                             AXLE_ASSIGN(const auto results,
                                         executable->Execute(ArraySlice<BufferPtr>(buffers),
                                                             {.limits = run_limits}));
                             return FromBuffers(executable->program_shape().result, results);
                           }});
      }
    }
  }

  for (size_t s = 0; s < argument_sets.size(); ++s) {
    const std::vector<Literal>& arguments = argument_sets[s];
    Limits limits;
    limited(limits);
    const StatusOr<Literal> expected = Evaluate(*module, arguments, {.limits = &limits});
    if (!expected.ok()) {
      result.outcome = IsLimit(expected.status()) ? Outcome::kOverLimit : Outcome::kUndefined;
      result.message = expected.status().ToString();
      if (result.outcome == Outcome::kOverLimit) return result;
    }
    for (const Runner& runner : runners) {
      // "" if it is right.
      const auto differs = [&]() -> std::string {
        Limits run_limits;
        limited(run_limits);
        const StatusOr<Literal> actual = runner.run(arguments, &run_limits);
        if (!expected.ok()) return "";
        if (!actual.ok()) return StrCat("fails: ", actual.status().ToString());
        if (SameValue(*expected, *actual)) return "";
        const auto difference = FirstDifference(*expected, *actual);
        return difference ? difference->ToString() : "differs";
      };
      std::vector<std::string> wrong(1);
      for (int repeat = 0; repeat < options_.repeats && wrong[0].empty(); ++repeat) {
        wrong[0] = differs();
        ++result.runs;
      }
      if (options_.concurrent && wrong[0].empty()) {
        wrong.resize(3);
        std::thread other([&] { wrong[1] = differs(); });
        wrong[2] = differs();
        other.join();
        result.runs += 2;
      }
      for (const std::string& text : wrong) {
        if (!text.empty())
          return fails(StrCat(runner.name, ", arguments ", options_.first_seed + s, ": ", text));
      }
    }
  }
  if (result.outcome == Outcome::kEqual && !unimplemented.empty()) {
    result.outcome = Outcome::kUnimplemented;
    result.message = unimplemented;
  }
  return result;
}

}  // namespace axle
