// axle run: compiles a module, runs it, prints or saves the results.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <numeric>
#include <optional>

#include "axle/client/arguments.h"
#include "axle/client/profile.h"
#include "axle/client/profile_text.h"
#include "axle/core/file.h"
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

// The results of this process: of one device without a number, or of several.
struct Results {
  std::vector<i64> devices;  // their numbers in the run, or none
  std::vector<Literal> values;

  std::optional<i64> device(i64 i) const {
    return devices.empty() ? std::nullopt : std::optional(devices[static_cast<size_t>(i)]);
  }
};

struct Timing {
  double compile = 0;
  std::vector<double> runs;  // sorted
  Profile* profile = nullptr;
  double median() const { return runs[runs.size() / 2]; }
};

// The most events of a trace: more than that is slow to look at.
constexpr std::uint64_t kMaxTraceEvents = 100'000;

// Whether the profile goes to stdout, in the place of the results.
bool ProfilesToStdout(const Options& options) {
  return !options.profile.empty() && options.profile != "table" && options.profile_file.empty();
}

// What --profile asks of the other options; "" for all others.
std::string WrongProfile(const Options& options) {
  if (options.profile.empty() && !options.profile_file.empty()) {
    return "run: --profile-file is for --profile";
  }
  const bool has_other = options.json || options.output == "-";
  if (ProfilesToStdout(options) && has_other) {
    return StrCat("run: --profile=", options.profile, " and ",
                  options.json ? "--json" : "--output -",
                  " both go to stdout; --profile-file FILE takes the profile");
  }
  if (options.distributed && !options.profile_file.empty() &&
      options.profile_file.find("{device}") == std::string::npos) {
    return StrCat(
        "run: --profile-file: each process of --distributed writes its own; put {device} "
        "into \"",
        PrintableText(options.profile_file), "\" for the number of its first device");
  }
  return "";
}

Status WriteProfile(Session& session, const Profile& profile) {
  const Options& options = session.options();
  AXLE_ASSIGN(const ProfileReport report, profile.Report());
  std::string text = options.profile == "json"    ? ProfileJson(report) + "\n"
                     : options.profile == "trace" ? ProfileTrace(report)
                                                  : ProfileTable(report);
  if (options.profile == "trace" && report.events_left_out > 0) {
    session.Say(StrCat("note: the trace has the first ", report.events.size(), " events; ",
                       report.events_left_out, " later ones are left out"));
  }
  if (!options.profile_file.empty()) {
    const i64 device = report.programs.empty() ? 0 : report.programs[0].device;
    return WriteFile(ForDevice(options.profile_file, device), text);
  }
  if (ProfilesToStdout(options)) return session.Out(text), Status();
  text.pop_back();  // the line feed
  session.SayAlways(text);
  return {};
}

// One line: {"schema": ..., "seconds": ..., "outputs": [...]}, where an output of several devices
// has the number of its device. Values are written as text at once, because a tree of their
// elements would take many times their memory.
std::string JsonLine(const Results& results, const Timing& timing) {
  Json report = NewReport("run", 2);
  report["seconds"] = {{"compile", timing.compile}, {"runs", timing.runs}};
  std::string line = report.dump();
  line.back() = ',';
  line += "\"outputs\":[";
  bool first = true;
  for (i64 d = 0; d < std::ssize(results.values); ++d) {
    for (const auto& [name, value] : NamedLeaves(results.values[d], "out_")) {
      Json output = {
          {"name", name}, {"type", Name(value.shape().type())}, {"shape", value.shape().dims()}};
      if (results.device(d)) output["device"] = *results.device(d);
      if (!value.shape().is_static()) output["sizes"] = value.sizes();
      std::string text = output.dump();
      text.back() = ',';
      StrAppend(line, first ? "" : ",", text, "\"value\":");
      AppendJson(value, line);
      line += '}';
      first = false;
    }
  }
  line += "]}\n";
  return line;
}

void PrintResults(Session& session, const Results& results, const Timing& timing) {
  const Options& options = session.options();
  if (options.json) {
    session.Out(JsonLine(results, timing));
  } else if (options.output.empty() && !ProfilesToStdout(options)) {
    for (i64 d = 0; d < std::ssize(results.values); ++d) {
      const auto number = results.device(d);
      const std::string device = number ? StrCat("device ", *number, ": ") : "";
      for (const auto& [name, value] : NamedLeaves(results.values[d], "out_")) {
        session.Out(StrCat(device, name, " = ", value.ShapeToString(), " ",
                           ValueText(value, options.full), "\n"));
      }
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

// The result of each device of a program for several.
StatusOr<Results> RunOnDevices(Session& session, const Executable& executable,
                               const std::vector<Literal>& stored, Timing& timing) {
  const Options& options = session.options();
  const auto num_devices = static_cast<i64>(executable.devices().size());
  std::vector<std::vector<BufferPtr>> arguments(executable.devices().size());
  for (i64 d = 0; d < num_devices; ++d) {
    const i64 number = executable.device_numbers()[static_cast<size_t>(d)];
    AXLE_ASSIGN(std::vector<Literal> values,
                ReadArguments(session, *executable.module().entry(), stored, number));
    for (Literal& value : values) {
      AXLE_ASSIGN(BufferPtr buffer, Buffer::Create(executable.devices()[d], std::move(value)));
      arguments[d].push_back(std::move(buffer));
    }
  }
  std::vector<i64> not_donated(executable.module().entry()->parameters().size());
  std::iota(not_donated.begin(), not_donated.end(), 0);  // each run has the same arguments
  std::vector<std::vector<BufferPtr>> results;
  for (int i = 0; i < options.repeat; ++i) {
    session.BeginRun(executable.name(), i);
    const auto begin = Clock::now();
    AXLE_ASSIGN(results, executable.ExecuteReplicated(arguments, {.limits = &session.limits(),
                                                                  .not_donated = not_donated,
                                                                  .profile = timing.profile}));
    timing.runs.push_back(Seconds(begin));
  }
  std::sort(timing.runs.begin(), timing.runs.end());
  std::vector<Literal> values;
  for (const std::vector<BufferPtr>& buffers : results) {
    std::vector<Literal> elements;
    for (const BufferPtr& buffer : buffers) {
      AXLE_ASSIGN(Literal element, buffer->ToLiteral());
      elements.push_back(std::move(element));
    }
    const bool is_tuple = executable.module().entry()->root()->shape().is_tuple();
    values.push_back(is_tuple ? Literal::Tuple(std::move(elements)) : std::move(elements[0]));
  }
  return Results{executable.device_numbers(), std::move(values)};
}

// What a program for several devices asks of the options.
Status CheckDeviceOptions(const Options& options, const Module& module, i64 num_devices) {
  const std::string what =
      StrCat("\"", PrintableText(module.name()), "\" runs on ", num_devices, " devices");
  if (HasOpenSize(module)) {
    return Unimplemented(StrCat(what,
                                ", which axle run does not do with open sizes; write them "
                                "into the program"));
  }
  if (!options.infeed.empty() || !options.outfeed.empty() || !options.recvs.empty() ||
      !options.sends.empty()) {
    return Unimplemented(StrCat(what,
                                "; --infeed, --outfeed, --recv and --send are for one: in "
                                "C++ every device has its queues (docs/client.md)"));
  }
  if (options.output.empty() || options.output.find("{device}") != std::string::npos) return {};
  return InvalidArgument(StrCat("--output: ", what,
                                ", whose results need a name each: put "
                                "{device} into it, as in out_{device}.npz"));
}

// The result of each device.
StatusOr<Results> CompileAndRun(Session& session, const std::string& file,
                                std::optional<ResultFile> kind, Timing& timing) {
  const Options& options = session.options();
  const auto begin = Clock::now();
  AXLE_ASSIGN(LoadedProgram program, session.LoadWithValues(file));
  std::shared_ptr<const Module> module = std::move(program.module);
  AXLE_ASSIGN(const i64 num_devices, session.NumDevices(*module));
  if (num_devices > 1) AXLE_TRY(CheckDeviceOptions(options, *module, num_devices));
  std::optional<std::vector<Literal>> arguments;
  if (HasOpenSize(*module)) {  // it is compiled for the values' sizes
    AXLE_ASSIGN(arguments, ReadArguments(session, *module->entry(), std::move(program.arguments)));
    AXLE_TRY(FitToArguments(*arguments, module));
  }
  if (kind) AXLE_TRY(CheckResultFits(options.output, *kind, module->entry()->root()->shape()));
  AXLE_ASSIGN(const auto executable, session.Compile(module, options.engine));
  timing.compile = Seconds(begin);
  if (num_devices > 1) return RunOnDevices(session, *executable, program.arguments, timing);
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
    AXLE_ASSIGN(result, executable->Execute(*arguments, {.limits = &session.limits(),
                                                         .device = &*device,
                                                         .profile = timing.profile}));
    timing.runs.push_back(Seconds(run_begin));
  }
  AXLE_TRY(device->Finish(session));
  std::sort(timing.runs.begin(), timing.runs.end());
  std::vector<Literal> values;
  values.push_back(std::move(result));
  return Results{{}, std::move(values)};
}

int Run(Session& session) {
  const StatusOr<std::string> file = session.OneFile();
  if (!file.ok()) return session.Usage(StrCat("run: ", file.status().message()));
  const Options& options = session.options();
  if (!options.distributed && (options.process >= 0 || options.processes > 0 ||
                               options.local_devices > 0 || !options.rendezvous.empty())) {
    return session.Usage(
        "run: --process, --processes, --local-devices and --rendezvous are for --distributed");
  }
  if (options.distributed && session.is_batch()) {
    return session.Usage("run: --distributed is for a process of its own, not for a batch");
  }
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
  if (const std::string wrong = WrongProfile(options); !wrong.empty()) return session.Usage(wrong);
  Profile profile({.max_events = options.profile == "trace" ? kMaxTraceEvents : 0});
  Timing timing;
  if (!options.profile.empty()) timing.profile = &profile;
  const StatusOr<Results> results = CompileAndRun(session, *file, kind, timing);
  if (!results.ok()) return session.Fail(results.status());
  for (i64 d = 0; kind && d < std::ssize(results->values); ++d) {
    const Status written = WriteResult(session, ForDevice(options.output, results->device(d)),
                                       *kind, results->values[static_cast<size_t>(d)]);
    if (!written.ok()) return session.Fail(written);
  }
  PrintResults(session, *results, timing);
  if (timing.profile == nullptr) return kYes;
  const Status written = WriteProfile(session, profile);
  return written.ok() ? kYes : session.Fail(written);
}

constexpr OptionUse kOptions[] = {
    {"inputs"},
    {"arg"},
    {"fake", "the others: random[:SEED], iota, zeros; a snapshot has its own"},
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
    Brief("repeat", "run N times, for --time"),
    {"time"},
    {"profile", "the time of each step: table (default), json, trace"},
    Brief("profile-file"),
    {"time-limit", "seconds, for all of it but --fake; none by default"},
    Brief("mem-limit"),
    Brief("json", "results with their types and times, with all elements"),
    Brief("seed", "of --fake"),
    Brief("isa"),
    Brief("codegen-level"),
    Brief("threads"),
    Brief("replicas"),
    Brief("partitions"),
    Brief("distributed"),
    Brief("rendezvous", "of --distributed: file:///FOLDER or tcp://HOST:PORT"),
    Brief("process"),
    Brief("processes"),
    Brief("local-devices"),
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
