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
  AXLE_ASSIGN(const Npz npz, ReadArrays(bytes, session.limits().memory_cap()));
  Status status;
  ForEachLeaf(module->entry()->root()->shape(), [&](const Shape& shape, const Dims&) {
    if (!status.ok() || !shape.is_array()) return;
    auto leaf = MemberLiteral(npz, StrCat("out_", expected.size()), shape);
    status = leaf.status();
    if (leaf.ok()) expected.push_back(*std::move(leaf));
  });
  if (status.ok()) return expected;
  return Status(status.code(), StrCat(PrintableText(file), ": ", status.message()));
}

// kYes or kNo, or the reason why there is no answer.
StatusOr<int> CheckFile(Session& session, const std::string& file) {
  const Options& options = session.options();
  AXLE_ASSIGN(LoadedProgram program, session.LoadWithValues(file));
  const std::shared_ptr<const Module> module = std::move(program.module);
  AXLE_ASSIGN(const std::vector<Literal> arguments,
              ReadArguments(session, *module->entry(), std::move(program.arguments)));
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

constexpr std::string_view kOptions[] = {
    "inputs",      "arg",      "fake",       "seed",        "engine",       "isas",
    "against",     "numerics", "rtol",       "atol",        "levels",       "ulp",
    "seeds",       "repeats",  "concurrent", "per-op",      "random",       "variants",
    "first",       "jobs",     "output",     "thread-list", "max-failures", "allow-unimplemented",
    "allow-elided"};

}  // namespace

const Verb kCheckVerb = {
    "check", "do results agree, with a file or between the engines?",
    "axle check model.hlo --isa all --levels 0,2    interpreter, passes, native code\n"
    "axle check model.hlo --inputs in.npz --against out.npz --rtol 1e-5 --atol 1e-6\n"
    "axle check --random --time-limit 60 --seed 7   modules as `axle gen` makes them\n"
    "\n"
    "Exit 0 if all agree, 1 with the first difference if not, 5 if native code lacks an\n"
    "operation. The arguments are drawn, or given as for run.\n"
    "\n"
    "  --against F.npz     or .safetensors, expected out_0, ...; --engine E gives the results\n"
    "  --rtol R --atol A   |a - b| <= A + R * |b| is equal; --ulp N: so are floats N steps\n"
    "                      apart. Without any of them all bits count, and NaN equals NaN\n"
    "  --isa L             v2,avx2,avx512, or all; aarch64, whose kernels run under qemu;\n"
    "                      --levels 0,1,2 and --threads 1,2,7: all of them, or --variants N\n"
    "                      of all combinations. auto, 2 and 1 without\n"
    "  --numerics fast     native code that rounds as it likes, within bounds that are\n"
    "                      worked out for each element\n"
    "  --seeds N           sets of drawn arguments, 3 by default, from --seed S on\n"
    "  --repeat N --concurrent   run again, and twice at a time\n"
    "  --per-op            names the first instruction that differs on its own\n"
    "  --random[=N]        N modules, or until --time-limit; --first I, --jobs J processes,\n"
    "                      --output DIR for those that fail, --max-failures M (10)\n"
    "  --allow-unimplemented      is no failure\n"
    "  --allow-elided      for tests: constant({...}) is a counting pattern, not an error\n"
    "  --inputs X --arg N=V --fake[=KIND]           as for run\n"
    "  --time-limit S      seconds; 8, or none with --random=N\n"
    "  --mem-limit B --json -v -q\n",
    kOptions, Check};

}  // namespace axle::tool
