// axle run: compiles a module, runs it, prints or saves the results.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>

#include "axle/client/arguments.h"
#include "axle/core/strings.h"
#include "axle/ops/open_sizes.h"
#include "axle/passes/transfer_order.h"
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

// There is one device.
Status CheckReplicas(const Options& options, const Module& module) {
  const i64 replicas = options.replicas != 0 ? options.replicas : module.config().replica_count;
  if (replicas == 1) return {};
  return Unimplemented(StrCat(
      options.replicas != 0 ? "--replicas: " : "the program is for several replicas: ",
      "axle run has one device, ", replicas,
      " replicas need as many; --replicas 1 runs one of them alone, and in C++ "
      "ClientOptions::num_devices and Executable::ExecuteReplicated run several (docs/client.md)"));
}

StatusOr<Literal> CompileAndRun(Session& session, const std::string& file,
                                std::optional<ResultFile> kind, Timing& timing) {
  const Options& options = session.options();
  const auto begin = Clock::now();
  AXLE_ASSIGN(LoadedProgram program, session.LoadWithValues(file));
  std::shared_ptr<const Module> module = std::move(program.module);
  AXLE_TRY(CheckReplicas(options, *module));
  std::optional<std::vector<Literal>> arguments;
  if (HasOpenSize(*module)) {  // it is compiled for the values' sizes
    AXLE_ASSIGN(arguments, ReadArguments(session, *module->entry(), std::move(program.arguments)));
    AXLE_TRY(FitToArguments(*arguments, module));
  }
  if (kind) AXLE_TRY(CheckResultFits(options.output, *kind, module->entry()->root()->shape()));
  AXLE_ASSIGN(const auto executable, session.Compile(module, options.engine));
  timing.compile = Seconds(begin);
  if (!arguments) {
    AXLE_ASSIGN(arguments, ReadArguments(session, *module->entry(), std::move(program.arguments)));
  }
  AXLE_ASSIGN(const Feeds feeds, ReadFeeds(session));
  const std::vector<std::optional<i64>> sent = SentChannels(*module);
  std::optional<FeedDevice> device;  // each run has its own, and meets the feeds from the start
  Literal result;
  for (int i = 0; i < options.repeat; ++i) {
    session.BeginRun(module->name(), i);
    device.emplace(feeds, !options.outfeed.empty(), sent);
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

constexpr OptionUse kOptions[] = {
    {"inputs"},
    {"arg"},
    {"fake",
     "values for the others: random, random:SEED, iota, zeros; without any of these three a "
     "snapshot runs on its own arguments"},
    {"output",
     "save out_0, ...: .npz, .safetensors, .npy (one array), FOLDER/ of .npy files, or - for .npz "
     "on stdout; "
     "else print"},
    {"full"},
    {"infeed"},
    {"outfeed"},
    {"recv"},
    {"send"},
    {"engine"},
    {"numerics"},
    {"repeat", "run N times, for --time"},
    {"time"},
    {"time-limit", "seconds, for all of it but --fake; none by default"},
    {"mem-limit"},
    Brief("json", "results with their types and times, with all elements"),
    Brief("seed", "of --fake"),
    Brief("isa"),
    Brief("codegen-level"),
    Brief("threads"),
    Brief("replicas"),
    Brief("from"),
    Brief("strict-types"),
    Brief("allow-elided"),
};

}  // namespace

const Verb kRunVerb = {.name = "run",
                       .summary = "compile and run; print or save the results",
                       .examples =
                           "axle run model.hlo --fake                       on random inputs\n"
                           "axle run model.hlo --inputs in.npz --output out.npz\n"
                           "axle run add.hlo --arg x=1,2 --arg 1=@y.npy --full\n",
                       .description = "",
                       .options = kOptions,
                       .run = Run};

}  // namespace axle::tool
