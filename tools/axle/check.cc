// axle check: do the results agree, with a file or between the engines?
#include "axle/client/arguments.h"
#include "axle/core/device_context.h"
#include "axle/core/safetensors.h"
#include "axle/core/strings.h"
#include "tools/axle/checking.h"
#include "tools/axle/json.h"
#include "tools/axle/values.h"
#include "tools/axle/verbs.h"

namespace axle::tool {
namespace {

StatusOr<Literal> RunOn(Session& session, const std::shared_ptr<const Module>& module,
                        EngineKind engine, std::span<const Literal> arguments) {
  AXLE_ASSIGN(const auto executable, session.Compile(module, engine));
  session.BeginRun(module->name(), 0);
  return executable->Execute(arguments, {.limits = &session.limits(), .device = &DefaultDevice()});
}

// The values to compare with, leaf by leaf: of the file, or of the interpreter.
StatusOr<std::vector<Literal>> Expected(Session& session,
                                        const std::shared_ptr<const Module>& module,
                                        std::span<const Literal> arguments) {
  std::vector<Literal> expected;
  const std::string& file = session.options().against;
  if (file.empty()) {
    AXLE_ASSIGN(const Literal value, RunOn(session, module, EngineKind::kInterpret, arguments));
    for (auto& [name, leaf] : NamedLeaves(value, "out_")) expected.push_back(std::move(leaf));
    return expected;
  }
  AXLE_ASSIGN(const std::string bytes, session.Read(file));
  const auto at_file = [&](const Status& status) {
    return Status(status.code(), StrCat(PrintableText(file), ": ", status.message()));
  };
  const StatusOr<Npz> npz = ReadArrays(bytes, session.limits().memory_cap());
  if (!npz.ok()) return at_file(npz.status());
  std::vector<std::string> names;
  for (const auto& [name, array] : *npz) names.push_back(name);
  const StatusOr<std::map<i64, std::string>> by_number = NamesByNumber(names, "out_");
  if (!by_number.ok()) return at_file(by_number.status());
  Status status;
  ForEachLeaf(module->entry()->root()->shape(), [&](const Shape& shape, const Dims&) {
    if (!status.ok() || !shape.is_array()) return;
    const auto name = by_number->find(static_cast<i64>(expected.size()));
    auto leaf = MemberLiteral(
        *npz, name == by_number->end() ? StrCat("out_", expected.size()) : name->second, shape);
    status = leaf.status();
    if (leaf.ok()) expected.push_back(*std::move(leaf));
  });
  if (!status.ok()) return at_file(status);
  return expected;
}

// kYes or kNo, or the reason why there is no answer.
StatusOr<int> CheckFile(Session& session, const std::string& file) {
  const Options& options = session.options();
  AXLE_ASSIGN(LoadedProgram program, session.LoadWithValues(file));
  std::shared_ptr<const Module> module = std::move(program.module);
  AXLE_TRY(CheckIsForOneDevice(session, *module));
  AXLE_ASSIGN(const std::vector<Literal> arguments,
              ReadArguments(session, *module->entry(), std::move(program.arguments)));
  AXLE_TRY(FitToArguments(arguments, module));
  const EngineKind engine = options.against.empty() ? EngineKind::kNative : options.engine;
  AXLE_ASSIGN(const Literal result, RunOn(session, module, engine, arguments));
  AXLE_ASSIGN(const std::vector<Literal> expected, Expected(session, module, arguments));
  const Tolerance tolerance = {.rtol = options.rtol, .atol = options.atol, .ulp = options.ulp};
  Json report = NewReport("check");
  report["file"] = file;
  int answer = kYes;
  const auto leaves = NamedLeaves(result, "out_");
  for (size_t i = 0; i < leaves.size(); ++i) {
    const auto& [name, value] = leaves[i];
    const auto difference = FirstDifference(value, expected[i], tolerance);
    const std::string text = difference ? difference->ToString() : "equal";
    if (difference) answer = kNo;
    report["outputs"].push_back({{"name", name}, {"equal", !difference}, {"message", text}});
    if (options.json || (!difference && !options.verbose)) continue;
    session.Out(StrCat(file, ": ", name, " ", value.shape().ToString(), ": ", text, "\n"));
  }
  report["equal"] = answer == kYes;
  if (options.json) session.Out(ToLine(report));
  if (!options.json && answer == kYes) {
    session.Say(StrCat(PrintableText(file), ": ", leaves.size(),
                       leaves.size() == 1 ? " output agrees" : " outputs agree",
                       options.against.empty() ? " between native code and the interpreter" : ""));
  }
  return answer;
}

int Check(Session& session) {
  const Options& options = session.options();
  if (options.random) {
    if (!options.files.empty()) return session.Usage("check: --random goes without a FILE");
    return CheckRandom(session, *options.random);
  }
  const StatusOr<std::vector<std::string>> files = session.Modules();
  if (!files.ok()) return session.Fail(files.status());
  if (files->empty()) return session.Usage("check: takes a FILE, a folder, or --random");
  if (files->size() > 1 && !options.against.empty()) {
    return session.Usage("check: --against goes with one FILE");
  }
  const bool on_engines =
      options.against.empty() && options.rtol == 0 && options.atol == 0 && options.ulp == 0;
  std::unique_ptr<Checker> checker;
  if (on_engines) {
    auto created = Checker::Create(CheckOptionsOf(options));
    if (!created.ok()) return session.Fail(created.status());
    checker = *std::move(created);
  }
  int worst = kYes;
  for (const std::string& file : *files) {
    if (options.time_limit > 0) session.limits().set_time_limit(options.time_limit);  // for each
    const StatusOr<int> answer =
        on_engines ? CheckOnEngines(session, *checker, file) : CheckFile(session, file);
    worst = std::max(worst, answer.ok() ? *answer : session.Fail(answer.status()));
  }
  return worst;
}

constexpr OptionUse kOptions[] = {
    {"against", "expected out_0, out_1, ...; the results are those of --engine"},
    {"rtol", "|a - b| <= A + R * |b| is equal"},
    {"atol", "and A; without these three all bits count, and NaN equals NaN"},
    {"ulp", "floats that are N steps apart are equal too"},
    {"isas", "v2,avx2,avx512 or all; aarch64, under qemu; auto by default"},
    {"levels", "0,1,2; 2 by default"},
    {"thread-list", "1,2,7; 1 by default"},
    {"variants", "check N random combinations of these three"},
    {"numerics", "fast: native code may round less often, within bounds for each element"},
    {"seeds", "sets of random arguments, 3 by default, from --seed on"},
    {"repeats"},
    {"concurrent", "run twice at the same time, too"},
    {"per-op"},
    {"random", "N random modules (`axle gen`), or until --time-limit"},
    Brief("output", "--random: folder for failing modules"),
    Brief("first", "--random: number of the first module"),
    Brief("jobs", "--random: processes, 1 by default"),
    Brief("max-failures", "--random: stop after so many, 10 by default"),
    Brief("inputs"),
    Brief("arg"),
    Brief("fake"),
    Brief("seed"),
    Brief("engine"),
    Brief("time-limit", "seconds, for each file; 8, or none with --random=N"),
    Brief("json", "one object per file"),
    Brief("verbose", "report each output that agrees"),
    Brief("from"),
    Brief("strict-types"),
    Brief("allow-unimplemented"),
    Brief("allow-elided"),
};

}  // namespace

const Verb kCheckVerb = {
    .name = "check",
    .summary = "compare results with a file or between the engines",
    .examples =
        "axle check model.hlo --isa all --levels 0,2    interpreter, passes, native code\n"
        "axle check model.hlo --inputs in.npz --against out.npz --rtol 1e-5 --atol 1e-6\n"
        "axle check --random --time-limit 60 --seed 7   random modules (`axle gen`)\n",
    .description =
        "Exit 0 if all agree, 1 with the first difference if not, 5 if native code lacks an\n"
        "operation. Arguments are random, or given as for run.\n",
    .options = kOptions,
    .run = Check};

}  // namespace axle::tool
