// axle check: do the results agree, with a file or between the engines?
#include "axle/client/arguments.h"
#include "axle/core/npz.h"
#include "axle/core/strings.h"
#include "tools/axle/json.h"
#include "tools/axle/values.h"
#include "tools/axle/verbs.h"

namespace axle::tool {
namespace {

StatusOr<Literal> RunOn(Session& session, const std::shared_ptr<const Module>& module,
                        EngineKind engine, std::span<const Literal> arguments) {
  AXLE_ASSIGN(const auto executable, session.Compile(module, engine));
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
  AXLE_ASSIGN(const Npz npz, ReadNpz(bytes, session.limits().memory_cap()));
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
  const StatusOr<std::vector<std::string>> files = session.Modules();
  if (!files.ok()) return session.Fail(files.status());
  if (files->empty()) return session.Usage("check: takes a FILE or a folder");
  if (files->size() > 1 && !session.options().against.empty()) {
    return session.Usage("check: --against goes with one FILE");
  }
  int worst = kYes;
  for (const std::string& file : *files) {
    const StatusOr<int> answer = CheckFile(session, file);
    worst = std::max(worst, answer.ok() ? *answer : session.Fail(answer.status()));
  }
  return worst;
}

constexpr std::string_view kOptions[] = {"inputs", "arg",           "fake",    "seed",
                                         "engine", "isa",           "against", "rtol",
                                         "atol",   "codegen-level", "ulp"};

}  // namespace

const Verb kCheckVerb = {
    "check", "do results agree, with a file or between the engines?",
    "axle check model.hlo --inputs in.npz --against out.npz --rtol 1e-5 --atol 1e-6\n"
    "axle check model.hlo --fake                  native code against the interpreter\n"
    "axle check FOLDER --fake=random:3\n"
    "\n"
    "Exit 0 if all agree, 1 with the first difference of each output if not.\n"
    "\n"
    "  --against F.npz     expected out_0, out_1, ...; without it native code is compared\n"
    "                      with the interpreter\n"
    "  --rtol R --atol A   |a - b| <= A + R * |b| is equal; infinities must be the same\n"
    "  --ulp N             so are floats N or fewer steps apart\n"
    "                      without any of them all bits count, and NaN equals NaN\n"
    "  --engine E          of the comparison with a file: interpret (default) or native\n"
    "  --inputs X --arg N=V --fake[=KIND]           as for run\n"
    "  --isa I --codegen-level N                    of native code\n"
    "  --time-limit S   seconds, 8 by default; 0 for as long as it takes\n"
    "  --mem-limit B    bytes, 1G by default; K, M, G; 0 for no limit\n"
    "  --json -v -q     -v also lists the outputs that agree\n",
    kOptions, Check};

}  // namespace axle::tool
