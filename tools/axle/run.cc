// axle run: compiles a module, runs it, prints or saves the results.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>

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
    session.SayAlways(StrCat("load and compile ", Milliseconds(timing.compile), "; run ",
                             Milliseconds(timing.median()), " (median of ", timing.runs.size(),
                             ", ", Milliseconds(timing.runs.front()), " to ",
                             Milliseconds(timing.runs.back()), ")"));
  }
}

// What the name of --output asks of a result of this shape; OK for the others.
Status CheckResultFits(const std::string& output, ResultFile kind, const Shape& result) {
  i64 arrays = 0;
  ForEachLeaf(result, [&](const Shape& leaf, const Dims&) { arrays += leaf.is_array() ? 1 : 0; });
  if (kind != ResultFile::kNpy || arrays == 1) return {};
  return InvalidArgument(StrCat("--output: \"", PrintableText(output),
                                "\" is for one array, but the result has ", arrays,
                                "; .npz takes any number"));
}

StatusOr<Literal> CompileAndRun(Session& session, const std::string& file,
                                std::optional<ResultFile> kind, Timing& timing) {
  const Options& options = session.options();
  if (options.replicas != 1) return Unimplemented("--replicas: only one replica runs so far");
  const auto begin = Clock::now();
  AXLE_ASSIGN(LoadedProgram program, session.LoadWithValues(file));
  const std::shared_ptr<const Module> module = std::move(program.module);
  if (kind) AXLE_TRY(CheckResultFits(options.output, *kind, module->entry()->root()->shape()));
  AXLE_ASSIGN(const auto executable, session.Compile(module, options.engine));
  timing.compile = Seconds(begin);
  AXLE_ASSIGN(const std::vector<Literal> arguments,
              ReadArguments(session, *module->entry(), std::move(program.arguments)));
  Literal result;
  for (int i = 0; i < options.repeat; ++i) {
    session.BeginRun(module->name(), i);
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
  const Options& options = session.options();
  std::optional<ResultFile> kind;
  if (!options.output.empty()) {
    const StatusOr<ResultFile> found = ResultFileOf(options.output);
    if (!found.ok()) return session.Usage(StrCat("run: ", found.status().message()));
    kind = *found;
  }
  if (kind == ResultFile::kStdout) {
    if (session.is_batch()) {
      return session.Usage(
          "run: \"output\": \"-\" is no file: stdout has the answers of the batch");
    }
    if (options.json) return session.Usage("run: --output - and --json both go to stdout");
    if (session.WritesToTerminal()) {
      return session.Usage("run: --output -: .npz is binary and stdout is a terminal");
    }
  }
  Timing timing;
  const StatusOr<Literal> result = CompileAndRun(session, *file, kind, timing);
  if (!result.ok()) return session.Fail(result.status());
  if (kind) {
    const Status written = WriteResult(session, *kind, *result);
    if (!written.ok()) return session.Fail(written);
  }
  PrintResult(session, *result, timing);
  return kYes;
}

constexpr std::string_view kOptions[] = {
    "inputs",        "arg",    "fake", "seed",     "output",   "engine",      "isa",
    "codegen-level", "repeat", "time", "replicas", "numerics", "allow-elided"};

}  // namespace

const Verb kRunVerb = {
    "run", "compile and run; print or save the results",
    "axle run model.hlo --fake                       on made-up inputs\n"
    "axle run model.hlo --inputs in.npz --output out.npz\n"
    "axle run add.hlo --arg \"0=f32[2] 1,2\" --arg 1=@y.npy\n"
    "axle run model.hlo --fake=random:7 --repeat 100 --time\n"
    "\n"
    "  --inputs X          .npz with in_0, in_1, ..., or a folder of such .npy files:\n"
    "                      the arrays of the parameters, depth first\n"
    "  --arg N=@F.npy      one of them from a file; --arg \"N=f32[2] 1,2\" as text\n"
    "  --fake[=KIND]       values for the rest: random, random:SEED, iota, zeros\n"
    "                      without any of them a snapshot runs on its own arguments\n"
    "  --output X          save out_0, ...: .npz, .npy (one array), FOLDER/ of .npy files,\n"
    "                      or - for .npz on stdout; else print\n"
    "  --engine E          native (default, where there is any) or interpret\n"
    "  --isa I             of native code: auto, v2, avx2, avx512; aarch64, under qemu\n"
    "  --codegen-level N   effort of native compilation: 0, 2, or 1 (default), by kind of\n"
    "                      kernel\n"
    "  --numerics N        strict (default), or fast: native code may round less often\n"
    "  --allow-elided      for tests: constant({...}) is a counting pattern, not an error\n"
    "  --repeat N, --time  run N times; say how long it took\n"
    "  --time-limit S      seconds, for all of it but --fake; none by default\n"
    "  --mem-limit B       bytes (K, M, G, T), 75 % of the machine by default; 0 for no limit\n"
    "  --threads N --replicas N --seed N --from F --json -q -v\n",
    kOptions, Run};

}  // namespace axle::tool
