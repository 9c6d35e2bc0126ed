// axle explain: what native code is made of: the records of each program, what was fused and why a
// neighbour was not, and where values lie.
#include <span>

#include "axle/core/strings.h"
#include "axle/passes/spmd/partition.h"
#include "tools/axle/json.h"
#include "tools/axle/report_text.h"
#include "tools/axle/verbs.h"

namespace axle::tool {
namespace {

Json ToJson(const CompileReport::Record& record) {
  Json json = {{"name", record.name},
               {"kind", record.kind},
               {"engine", record.engine},
               {"tiles", record.num_tiles},
               {"bytes_read", record.bytes_read},
               {"bytes_written", record.bytes_written}};
  if (!record.kernels.empty()) json["kernels"] = record.kernels;
  if (!record.note.empty()) json["note"] = record.note;
  if (!record.programs.empty()) json["programs"] = record.programs;
  for (const CompileReport::Instruction& inst : record.instructions) {
    Json& made = json["instructions"].emplace_back(Json{{"name", inst.name}, {"op", inst.op}});
    if (!inst.source.empty()) made["source"] = inst.source;
  }
  return json;
}

Json ToJson(const CompileReport::Program& program) {
  Json json = {{"name", program.name},
               {"frame_bytes", program.frame_bytes},
               {"live_bytes", program.live_bytes},
               {"peak", program.peak},
               {"pointer_bytes", program.pointer_bytes},
               {"constant_bytes", program.constant_bytes},
               {"copies", program.num_copies},
               {"records", Json::array()},
               {"placements", Json::array()},
               {"not_fused", Json::array()},
               {"values", Json::array()}};
  for (const CompileReport::Record& record : program.records) {
    json["records"].push_back(ToJson(record));
  }
  for (const CompileReport::Placement& placement : program.placements) {
    json["placements"].push_back({{"computation", placement.computation},
                                  {"instruction", placement.instruction},
                                  {"kind", placement.kind}});
  }
  for (const CompileReport::Boundary& boundary : program.boundaries) {
    json["not_fused"].push_back({{"producer", boundary.producer},
                                 {"consumer", boundary.consumer},
                                 {"value", boundary.value},
                                 {"reason", boundary.reason}});
  }
  for (const CompileReport::Value& value : program.values) {
    json["values"].push_back({{"name", value.name},
                              {"bytes", value.bytes},
                              {"place", value.place},
                              {"offset", value.offset},
                              {"first", value.first},
                              {"last", value.last}});
  }
  return json;
}

std::string Text(const Executable& executable, const CompileReport& report,
                 std::span<const PassNote> gathers, bool memory) {
  std::string text = StrCat(executable.name(), " for ", report.target, ": ", report.num_loops,
                            " loops, ", report.num_kernels, " different\n");
  if (memory) {
    const MemoryAnalysis bytes = executable.memory_analysis();
    StrAppend(text, "arguments ", HumanBytes(bytes.argument_bytes), ", results ",
              HumanBytes(bytes.result_bytes),
              "; beside those a run needs the frame of the entry\n");
  }
  if (!memory && !gathers.empty()) StrAppend(text, "\nbetween partitions:\n");
  for (const PassNote& note : gathers) {
    if (!memory)
      StrAppend(text, "  ", note.computation, ", ", note.instruction, " ", note.text, "\n");
  }
  if (!memory && !report.layouts.empty())
    StrAppend(text, "\nlayouts that differ from the program's:\n");
  for (const CompileReport::Note& note : report.layouts) {
    if (!memory)
      StrAppend(text, "  ", note.computation, ", ", note.instruction, " ", note.text, "\n");
  }
  // The entry first.
  for (auto program = report.programs.rbegin(); program != report.programs.rend(); ++program) {
    StrAppend(text, "\n", memory ? BuffersText(*program) : RecordsText(*program));
    if (!memory) StrAppend(text, BytesLine(*program));
  }
  return text;
}

int Explain(Session& session) {
  const StatusOr<std::string> file = session.OneFile();
  if (!file.ok()) return session.Usage(StrCat("explain: ", file.status().message()));
  auto loaded = session.Load(*file);
  if (!loaded.ok()) return session.Fail(loaded.status());
  const std::shared_ptr<const Module> module = *std::move(loaded);
  session.NoteWhatIsElided(*module);
  auto executable =
      session.CompileNative(module, {.allow_elided = true, .debug = {.report = true}});
  // Without LLVM: what would be compiled.
  if (executable.status().code() == StatusCode::kUnavailable) {
    executable = session.CompileNative(
        module, {.allow_elided = true, .debug = {.report = true, .code = false}});
  }
  if (!executable.ok()) return session.Fail(executable.status());
  const CompileReport& report = *(*executable)->report();
  // The client has done this too, for whoever runs the program.
  PassContext partitioning = {.limits = &session.limits()};
  const auto partitioned = GatherShardings(*module, partitioning);
  if (!partitioned.ok()) return session.Fail(partitioned.status());
  if (!session.options().json) {
    session.Out(Text(**executable, report, partitioning.notes, session.options().memory));
    return kYes;
  }
  Json json = NewReport("explain");
  json["file"] = *file;
  json["module"] = (*executable)->name();
  json["target"] = report.target;
  json["loops"] = report.num_loops;
  json["kernels"] = report.num_kernels;
  for (const CompileReport::Program& program : report.programs) {
    json["programs"].push_back(ToJson(program));
  }
  json["layouts"] = Json::array();
  for (const CompileReport::Note& note : report.layouts) {
    json["layouts"].push_back({{"computation", note.computation},
                               {"instruction", note.instruction},
                               {"text", note.text}});
  }
  json["partitions"] = Json::array();
  for (const PassNote& note : partitioning.notes) {
    json["partitions"].push_back({{"computation", note.computation},
                                  {"instruction", note.instruction},
                                  {"text", note.text}});
  }
  for (const CompileReport::Stage& stage : report.stages)
    json["seconds"][stage.name] = stage.seconds;
  session.Out(ToLine(json));
  return kYes;
}

constexpr OptionUse kOptions[] = {
    {"memory"},
    {"isa"},
    {"codegen-level"},
    {"numerics"},
    {"json", "everything, with the time of each stage"},
    {"time-limit"},
    {"mem-limit"},
    Brief("threads"),
    Brief("from"),
    Brief("strict-types"),
};

}  // namespace

const Verb kExplainVerb = {
    .name = "explain",
    .summary = "how a program is fused and compiled, and why",
    .examples =
        "axle explain model.hlo\n"
        "axle explain model.hlo --memory\n"
        "axle explain model.hlo --json\n",
    .description =
        "For each program (the entry, the bodies of loops, branches) the records that it\n"
        "runs: the instructions in each, what computes them (compiled code, a routine of the\n"
        "library, an operation's evaluator, another program), bytes read and written, tiles\n"
        "that threads could share; then which records were not fused, and why.\n",
    .options = kOptions,
    .run = Explain};

}  // namespace axle::tool
