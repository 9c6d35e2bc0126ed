#include "tools/axle/checking.h"

#include <algorithm>
#include <filesystem>

#include "axle/core/file.h"
#include "axle/core/strings.h"
#include "axle/gen/fuzz_run.h"
#include "axle/gen/generate.h"
#include "axle/gen/reduce.h"
#include "axle/ops/op_def.h"
#include "axle/ops/open_sizes.h"
#include "tools/axle/values.h"

namespace axle::tool {
namespace {

// The first instruction of the entry with other bits, as "name (op) at file:line".
std::string FirstDifferentOp(const Checker& checker, const Module& module) {
  for (const Instruction* inst : module.entry()->instructions()) {
    auto head = ModuleUpTo(module, *inst);
    if (!inst->shape().is_array() || !head.ok()) continue;
    const CheckResult result = CheckIsolated(checker, *std::move(head), kHangSeconds);
    if (!IsFailure(result.outcome)) continue;
    const Metadata& from = inst->metadata();
    return StrCat(
        inst->name(), " = ", inst->shape().ToString(), " ", GetOpDef(*inst).text,
        from.source_file.empty() ? "" : StrCat(" at ", from.source_file, ":", from.source_line),
        ": ", result.message);
  }
  return "no instruction differs on its own";
}

// A failing module, as a file of --output.
Status Keep(const std::string& folder, std::uint64_t seed, const FuzzFailure& failure) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  AXLE_ASSIGN(const std::string text, GenerateText(seed, failure.index));
  return WriteFile(StrCat(folder, "/gen_", seed, "_", failure.index, ".hlo"), text);
}

// What checks this module again, in the same ways.
std::string ReproOf(const Options& options, std::uint64_t index) {
  const auto text = [](const std::vector<int>& numbers) {
    std::vector<std::string> parts;
    for (const int number : numbers) parts.push_back(StrCat(number));
    return Join(parts, ",");
  };
  std::string repro = StrCat("axle check --random=1 --seed ", options.seed, " --first ", index,
                             " --isa ", Join(options.isas, ","), " --levels ", text(options.levels),
                             " --threads ", text(options.thread_list), " --seeds ", options.seeds);
  if (options.variants > 0) StrAppend(repro, " --variants ", options.variants);
  if (options.repeats > 1) StrAppend(repro, " --repeat ", options.repeats);
  if (options.concurrent) repro += " --concurrent";
  if (options.numerics == Numerics::kFast) repro += " --numerics fast";
  return repro;
}

Json ToJson(const FuzzFailure& found) {
  return {{"index", found.index},
          {"outcome", OutcomeName(found.result.outcome)},
          {"message", found.result.message}};
}

std::string Summary(const FuzzReport& report) {
  std::string text = StrCat(report.modules, " modules, ", report.runs, " runs compared in ",
                            static_cast<i64>(report.seconds), " s:");
  for (int i = 0; i < kNumOutcomes; ++i) {
    if (report.outcomes[i] > 0) {
      StrAppend(text, " ", OutcomeName(static_cast<Outcome>(i)), " ", report.outcomes[i]);
    }
  }
  const BoundedElements& elements = report.elements;
  if (elements.exact + elements.within + elements.unknown > 0) {
    StrAppend(text, "\nelements: ", elements.exact, " compared exactly, ", elements.within,
              " within an error bound, ", elements.unknown, " without a bound");
  }
  const Coverage::Totals cells = report.coverage.Total(1);
  return StrCat(text, "\n", cells.enough, " of ", cells.cells, " cells of operation and type");
}

}  // namespace

CheckOptions CheckOptionsOf(const Options& options) {
  CheckOptions check = {.numerics = options.numerics,
                        .levels = options.levels,
                        .threads = options.thread_list,
                        .seeds = options.seeds,
                        .first_seed = options.seed,
                        .variants = options.variants,
                        .repeats = options.repeats,
                        .concurrent = options.concurrent};
  check.isas.clear();
  for (const std::string& name : options.isas) {
    for (const NativeIsa isa : kNativeIsas) {
      // An emulator is slow: who wants it says so.
      const bool is_one_of_all =
          name == "all" && isa != NativeIsa::kAuto && isa != NativeIsa::kAarch64;
      if (is_one_of_all || name == Name(isa)) check.isas.push_back(isa);
    }
  }
  if (options.mem_limit > 0) check.memory_cap = options.mem_limit;
  check.time_limit = options.time_limit;
  return check;
}

int ExitCodeOf(const Options& options, Outcome outcome) {
  if (IsFailure(outcome)) return kNo;
  if (outcome == Outcome::kOverLimit) return kLimit;
  if (outcome == Outcome::kUndefined) return kInvalid;
  return outcome == Outcome::kUnimplemented && !options.allow_unimplemented ? kUnsupported : kYes;
}

Status CheckIsForOneDevice(const Session& session, const Module& module) {
  AXLE_ASSIGN(const i64 num_devices, session.NumDevices(module));
  if (num_devices == 1) return {};
  return Unimplemented(StrCat("check: \"", PrintableText(module.name()), "\" runs on ", num_devices,
                              " devices, for which axle check draws the arguments; axle run with "
                              "--inputs, --engine native and --engine interpret gives results to "
                              "compare"));
}

StatusOr<int> CheckOnEngines(Session& session, const Checker& checker, const std::string& file) {
  const Options& options = session.options();
  AXLE_ASSIGN(LoadedProgram program, session.LoadWithValues(file));
  std::shared_ptr<const Module> module = std::move(program.module);
  AXLE_TRY(session.CheckNothingIsElided(*module));
  CheckResult result;
  const double hang_seconds = std::max(kHangSeconds, 2 * options.time_limit);
  if (!options.inputs.empty() || !options.args.empty() || !options.fake.empty()) {
    AXLE_TRY(CheckIsForOneDevice(session, *module));
    AXLE_ASSIGN(const std::vector<Literal> arguments,
                ReadArguments(session, *module->entry(), std::move(program.arguments)));
    AXLE_TRY(FitToArguments(arguments, module));
    result = CheckIsolated(checker, module, hang_seconds, &arguments);
  } else {
    AXLE_TRY(CheckSizesAreKnown(*module));
    result = CheckIsolated(checker, module, hang_seconds);
  }
  if (result.outcome == Outcome::kOverLimit) {
    if (result.message.find("memory") == result.message.npos) {
      result.message += "; --time-limit changes it";
    } else if (MayBeOfMemoryLimit(result.message)) {
      result.message += "; --mem-limit changes it";
    }
  }
  const std::string first = options.per_op && IsFailure(result.outcome)
                                ? FirstDifferentOp(checker, *module)
                                : std::string();
  if (options.json) {
    Json report = NewReport("check");
    report["file"] = file;
    report["equal"] = result.outcome == Outcome::kEqual;
    report["outcome"] = OutcomeName(result.outcome);
    report["message"] = result.message;
    report["runs"] = result.runs;
    if (!first.empty()) report["first_op"] = first;
    session.Out(ToLine(report));
  } else if (result.outcome == Outcome::kEqual) {
    session.Say(StrCat(PrintableText(file), ": equal in ", result.runs, " runs"));
  } else {
    session.Out(StrCat(file, ": ", OutcomeName(result.outcome), ": ", result.message, "\n"));
    if (!first.empty()) session.Out(StrCat(file, ": first: ", first, "\n"));
  }
  return ExitCodeOf(options, result.outcome);
}

int CheckRandom(Session& session, std::uint64_t count) {
  const Options& options = session.options();
  if (count == 0 && options.time_limit == 0) {
    return session.Usage("check: --random needs an end: --random=N, or --time-limit S");
  }
  FuzzOptions run = {.seed = options.seed,
                     .first = options.first,
                     .count = count,
                     .seconds = options.time_limit,
                     .jobs = options.jobs,
                     .hang_seconds = kHangSeconds,
                     .max_failures = options.max_failures,
                     .check = CheckOptionsOf(options),
                     .limits = &session.limits()};
  run.check.first_seed = 0;  // --seed is that of the modules
  run.check.time_limit = kMaxSeconds;
  run.check.step_limit = kMaxSteps;
  KeepWhatThereIsWhenInterrupted();
  const StatusOr<FuzzReport> report = RunFuzzer(run);
  if (!report.ok()) return session.Fail(report.status());
  Json json = NewReport("check");
  json["seed"] = options.seed;
  json["modules"] = report->modules;
  json["next"] = report->next;
  json["runs"] = report->runs;
  json["begun_anew"] = report->begun_anew;
  json["seconds"] = report->seconds;
  json["elements"] = {{"exact", report->elements.exact},
                      {"within", report->elements.within},
                      {"unknown", report->elements.unknown}};
  for (int i = 0; i < kNumOutcomes; ++i) {
    json["outcomes"][std::string(OutcomeName(static_cast<Outcome>(i)))] = report->outcomes[i];
  }
  for (const auto& [op, count] : report->unimplemented) json["unimplemented"][op] = count;
  json["over_limit"] = Json::array();
  for (const FuzzFailure& found : report->over_limit) json["over_limit"].push_back(ToJson(found));
  json["failures"] = Json::array();
  for (const FuzzFailure& failure : report->failures) {
    const std::string_view outcome = OutcomeName(failure.result.outcome);
    json["failures"].push_back(ToJson(failure));
    if (!options.json) {
      session.Out(StrCat(failure.index, ": ", outcome, ": ", failure.result.message,
                         "\n  repro: ", ReproOf(options, failure.index), "\n"));
    }
    if (options.output.empty()) continue;
    const Status kept = Keep(options.output, options.seed, failure);
    if (!kept.ok()) return session.Fail(kept);
  }
  if (options.json) session.Out(ToLine(json));
  session.Say(StrCat("seed ", options.seed, ": ", Summary(*report)));
  for (size_t i = 0; i < report->unimplemented.size() && (i < 5 || options.verbose); ++i) {
    session.Say(StrCat("  not compiled: ", report->unimplemented[i].first, " ",
                       report->unimplemented[i].second));
  }
  for (size_t i = 0; i < report->over_limit.size() && (i < 5 || options.verbose); ++i) {
    const auto& [index, result] = report->over_limit[i];
    session.Say(StrCat("  over limit: ", index, ": ", result.message));
  }
  if (!report->failures.empty()) return kNo;
  if (Interrupted()) return kLimit;
  return report->Of(Outcome::kUnimplemented) > 0 && !options.allow_unimplemented ? kUnsupported
                                                                                 : kYes;
}

}  // namespace axle::tool
