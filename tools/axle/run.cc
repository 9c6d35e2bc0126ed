// axle run: compiles a module, runs it, prints or saves the results.
#include <algorithm>
#include <chrono>
#include <cstdio>

#include "axle/client/arguments.h"
#include "axle/core/strings.h"
#include "tools/axle/json.h"
#include "tools/axle/values.h"
#include "tools/axle/verbs.h"

namespace axle::tool {
namespace {

using Clock = std::chrono::steady_clock;

// Longer results are shown by their first elements; --output saves all of them.
constexpr i64 kShownElements = 64;
constexpr i64 kFirstElements = 8;

double Seconds(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

std::string Show(const Literal& value) {
  const Literal literal = value.ValidPart();
  if (literal.num_elements() <= kShownElements) return literal.ToString();
  std::string text = "{";
  for (i64 i = 0; i < kFirstElements; ++i) {
    const std::byte* element = literal.bytes() + i * Info(literal.shape().type()).bytes;
    StrAppend(text, ElementToString(literal.shape().type(), element), ", ");
  }
  return StrCat(text, "...}");
}

std::string Milliseconds(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f ms", seconds * 1e3);
  return text;
}

struct Timing {
  double compile = 0;
  std::vector<double> runs;  // sorted
  double median() const { return runs[runs.size() / 2]; }
};

void PrintResult(Session& session, const Literal& result, const Timing& timing) {
  const auto leaves = NamedLeaves(result, "out_");
  if (session.options().json) {
    Json report = NewReport("run");
    for (const auto& [name, value] : leaves) {
      Json output = {{"name", name},
                     {"type", Name(value.shape().type())},
                     {"shape", value.shape().dims()},
                     {"value", Show(value)}};
      if (!value.shape().is_static()) output["sizes"] = value.sizes();
      report["outputs"].push_back(std::move(output));
    }
    report["seconds"] = {{"compile", timing.compile}, {"runs", timing.runs}};
    session.Out(ToLine(report));
  } else if (session.options().output.empty() && !session.is_batch()) {
    for (const auto& [name, value] : leaves) {
      session.Out(StrCat(name, " = ", value.ShapeToString(), " ", Show(value), "\n"));
    }
  }
  if (session.options().time) {
    session.Say(StrCat("load and compile ", Milliseconds(timing.compile), "; run ",
                       Milliseconds(timing.median()), " (median of ", timing.runs.size(), ", ",
                       Milliseconds(timing.runs.front()), " to ", Milliseconds(timing.runs.back()),
                       ")"));
  }
}

StatusOr<Literal> CompileAndRun(Session& session, const std::string& file, Timing& timing) {
  const Options& options = session.options();
  if (options.replicas != 1) return Unimplemented("--replicas: only one replica runs so far");
  const auto begin = Clock::now();
  AXLE_ASSIGN(LoadedProgram program, session.LoadWithValues(file));
  const std::shared_ptr<const Module> module = std::move(program.module);
  AXLE_ASSIGN(const auto executable, session.Compile(module, options.engine));
  timing.compile = Seconds(begin);
  AXLE_ASSIGN(const std::vector<Literal> arguments,
              ReadArguments(session, *module->entry(), std::move(program.arguments)));
  Literal result;
  for (int i = 0; i < options.repeat; ++i) {
    const auto run_begin = Clock::now();
    AXLE_ASSIGN(result, executable->Execute(
                            arguments, {.limits = &session.limits(), .device = &DefaultDevice()}));
    timing.runs.push_back(Seconds(run_begin));
  }
  std::sort(timing.runs.begin(), timing.runs.end());
  return result;
}

int Run(Session& session) {
  const StatusOr<std::string> file = session.OneFile();
  if (!file.ok()) return session.Usage(StrCat("run: ", file.status().message()));
  Timing timing;
  const StatusOr<Literal> result = CompileAndRun(session, *file, timing);
  if (!result.ok()) return session.Fail(result.status());
  if (!session.options().output.empty()) {
    const Status written = WriteResult(session.options().output, *result);
    if (!written.ok()) return session.Fail(written);
  }
  PrintResult(session, *result, timing);
  return kYes;
}

constexpr std::string_view kOptions[] = {"inputs", "arg",    "fake",     "seed",
                                         "output", "engine", "isa",      "codegen-level",
                                         "repeat", "time",   "replicas", "numerics", "allow-elided"};

}  // namespace

const Verb kRunVerb = {
    "run", "compile and run; print or save the results",
    "axle run model.hlo --fake                       on made-up inputs\n"
    "axle run model.hlo --inputs in.npz --output out.npz\n"
    "axle run add.hlo --arg \"0=f32[2] 1,2\" --arg 1=@y.npy\n"
    "axle run model.hlo --fake=random:7 --repeat 100 --time --time-limit 0\n"
    "\n"
    "  --inputs X          .npz with in_0, in_1, ..., or a folder of such .npy files:\n"
    "                      the arrays of the parameters, depth first\n"
    "  --arg N=@F.npy      one of them from a file; --arg \"N=f32[2] 1,2\" as text\n"
    "  --fake[=KIND]       values for the rest: random, random:SEED, iota, zeros\n"
    "                      without any of them a snapshot runs on its own arguments\n"
    "  --output X          save out_0, ...: .npz, or a folder of .npy; else print\n"
    "  --engine E          native (default, where there is any) or interpret\n"
    "  --isa I             of native code: auto, v2, avx2, avx512; aarch64, under qemu\n"
    "  --codegen-level N   effort of native compilation: 0, 2, or 1 (default), by kind of\n"
    "                      kernel\n"
    "  --numerics N        strict (default), or fast: native code may round less often\n"
    "  --repeat N, --time  run N times; say how long it took\n"
    "  --time-limit S      seconds, 8 by default; 0 for as long as it takes\n"
    "  --mem-limit B       bytes, 1G by default; K, M, G; 0 for no limit\n"
    "  --threads N --replicas N --seed N --from F --json -q -v\n",
    kOptions, Run};

}  // namespace axle::tool
    "  --allow-elided      for tests: constant({...}) is a counting pattern, not an error\n"
