// axle run: compiles a module, runs it, prints or saves the results.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>

#include "axle/client/arguments.h"
#include "axle/core/strings.h"
#include "axle/ops/open_sizes.h"
#include "tools/axle/feeds.h"
#include "tools/axle/json.h"
#include "tools/axle/value_text.h"
#include "tools/axle/values.h"
#include "tools/axle/verbs.h"

namespace axle::tool {
namespace {

using Clock = std::chrono::steady_clock;

double Seconds(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
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

// One line: {"schema": ..., "seconds": ..., "outputs": [...]}. Values are written as text at once,
// because a tree of their elements would take many times their memory.
std::string JsonLine(const Literal& result, const Timing& timing) {
  Json report = NewReport("run", 2);
  report["seconds"] = {{"compile", timing.compile}, {"runs", timing.runs}};
  std::string line = report.dump();
  line.back() = ',';
  line += "\"outputs\":[";
  bool first = true;
  for (const auto& [name, value] : NamedLeaves(result, "out_")) {
    Json output = {
        {"name", name}, {"type", Name(value.shape().type())}, {"shape", value.shape().dims()}};
    if (!value.shape().is_static()) output["sizes"] = value.sizes();
    std::string text = output.dump();
    text.back() = ',';
    StrAppend(line, first ? "" : ",", text, "\"value\":");
    AppendJson(value, line);
    line += '}';
    first = false;
  }
  line += "]}\n";
  return line;
}

void PrintResult(Session& session, const Literal& result, const Timing& timing) {
  const Options& options = session.options();
  if (options.json) {
    session.Out(JsonLine(result, timing));
  } else if (options.output.empty()) {
    for (const auto& [name, value] : NamedLeaves(result, "out_")) {
      session.Out(
          StrCat(name, " = ", value.ShapeToString(), " ", ValueText(value, options.full), "\n"));
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
  std::shared_ptr<const Module> module = std::move(program.module);
  std::optional<std::vector<Literal>> arguments;
  if (HasOpenSize(*module)) {  // it is compiled for the values' sizes
    AXLE_ASSIGN(arguments, ReadArguments(session, *module->entry(), std::move(program.arguments)));
    std::vector<Shape> shapes;
    for (const Literal& argument : *arguments) shapes.push_back(argument.shape().WithoutLayout());
    AXLE_ASSIGN(module, ForArgumentShapes(*module, shapes));
  }
  if (kind) AXLE_TRY(CheckResultFits(options.output, *kind, module->entry()->root()->shape()));
  AXLE_ASSIGN(const auto executable, session.Compile(module, options.engine));
  timing.compile = Seconds(begin);
  if (!arguments) {
    AXLE_ASSIGN(arguments, ReadArguments(session, *module->entry(), std::move(program.arguments)));
  }
  AXLE_ASSIGN(const Feeds feeds, ReadFeeds(session));
  std::optional<FeedDevice> device;  // each run has its own, and meets the feeds from the start
  Literal result;
  for (int i = 0; i < options.repeat; ++i) {
    session.BeginRun(module->name(), i);
    device.emplace(feeds, !options.outfeed.empty());
    const auto run_begin = Clock::now();
    AXLE_ASSIGN(result,
                executable->Execute(*arguments, {.limits = &session.limits(), .device = &*device}));
    timing.runs.push_back(Seconds(run_begin));
  }
  AXLE_TRY(device->Finish(session));
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
    "inputs",        "arg",    "fake", "seed",     "output",   "infeed",
    "outfeed",       "recv",   "send", "full",     "engine",   "isa",
    "codegen-level", "repeat", "time", "replicas", "numerics", "allow-elided"};

}  // namespace

const Verb kRunVerb = {
    "run", "compile and run; print or save the results",
    "axle run model.hlo --fake                       on made-up inputs\n"
    "axle run model.hlo --inputs in.npz --output out.npz\n"
    "axle run add.hlo --arg x=1,2 --arg 1=@y.npy --full\n"
    "\n"
    "  --inputs X          .npz with in_0, in_1, ..., or a folder of such .npy files:\n"
    "                      the arrays of the parameters, depth first\n"
    "  --arg N=VALUE       one of them, by number or name: 1,2 or [[1,2],[3,4]] or\n"
    "                      \"f32[2] 1,2\" as text, @F.npy from a file\n"
    "  --fake[=KIND]       values for the rest: random, random:SEED, iota, zeros\n"
    "                      without any of them a snapshot runs on its own arguments\n"
    "  --output X          save out_0, ...: .npz, .npy (one array), FOLDER/ of .npy files,\n"
    "                      or - for .npz on stdout; else print\n"
    "  --full              print all elements, as --arg reads them; --json always does\n"
    "  --infeed F.npz      arrays in_0, ... for infeeds; --recv CHANNEL=F.npz for a channel\n"
    "  --outfeed F.npz     where what goes out goes; --send CHANNEL=F.npz from a channel\n"
    "  --engine E          native (default, where there is any) or interpret\n"
    "  --isa I             of native code: auto, v2, avx2, avx512; aarch64, under qemu\n"
    "  --codegen-level N   effort of native compilation: 0, 2, or 1 (default)\n"
    "  --numerics N        strict (default), or fast: native code may round less often\n"
    "  --allow-elided      for tests: constant({...}) is a counting pattern, not an error\n"
    "  --repeat N, --time  run N times; say how long it took\n"
    "  --time-limit S      seconds, for all of it but --fake; none by default\n"
    "  --mem-limit B       bytes (K, M, G, T), 75 % of the machine by default; 0 for no limit\n"
    "  --threads N --replicas N --seed N --from F --json -q -v\n",
    kOptions, Run};

}  // namespace axle::tool
