// axle opt: a module as the compiler's passes leave it.
#include <algorithm>
#include <cstdio>
#include <regex>

#include "axle/core/strings.h"
#include "axle/ops/op_def.h"
#include "axle/passes/pipeline.h"
#include "axle/text/print.h"
#include "tools/axle/json.h"
#include "tools/axle/report_text.h"
#include "tools/axle/verbs.h"

namespace axle::tool {
namespace {

int ListPasses(Session& session) {
  Json passes = Json::array();
  std::string text;
  size_t width = 0;
  for (const Pass& pass : AllPasses()) width = std::max(width, pass.name.size());
  for (const Pass& pass : AllPasses()) {
    StrAppend(text, Padded(std::string(pass.name), width + 2), pass.summary, "\n");
    passes.push_back({{"name", pass.name}, {"summary", pass.summary}});
  }
  std::string order;
  Json pipeline = Json::array();
  for (const Pass* pass : DefaultPipeline()) {
    StrAppend(order, order.empty() ? "" : ",", pass->name);
    pipeline.push_back(pass->name);
  }
  if (session.options().json) {
    Json report = NewReport("opt");
    report["passes"] = passes;
    report["default"] = pipeline;
    session.Out(ToLine(report));
  } else {
    session.Out(StrCat(text, "\ndefault: ", order, "\n"));
  }
  return kYes;
}

// The passes of --passes, or an error that names the one that is not there.
StatusOr<std::vector<const Pass*>> ChosenPasses(const Options& options) {
  std::vector<const Pass*> chosen;
  for (const std::string& name : options.passes) {
    chosen.push_back(FindPass(name));
    if (chosen.back() != nullptr) continue;
    std::vector<std::string_view> names;
    for (const Pass& pass : AllPasses()) names.push_back(pass.name);
    return InvalidArgument(StrCat("--passes: unknown pass \"", PrintableText(name), "\"",
                                  DidYouMean(name, names), "; --list shows them"));
  }
  return chosen;
}

std::string TimingLine(const PassReport& report) {
  char line[100];
  std::snprintf(line, sizeof line, "%-16s %10.3f ms %8lld changes %8lld instructions",
                std::string(report.pass->name).c_str(), report.seconds * 1e3,
                static_cast<long long>(report.changes),
                static_cast<long long>(report.module.num_instructions()));
  return line;
}

std::string TimingLine(const CompileReport::Stage& stage) {
  char line[100];
  std::snprintf(line, sizeof line, "%-16s %10.3f ms", stage.name.c_str(), stage.seconds * 1e3);
  return line;
}

// A stage behind the passes, which the module has had.
StatusOr<std::string> NativeStage(Session& session, std::shared_ptr<const Module> module) {
  const std::string& stage = session.options().stage;
  std::string text;
  const auto append = [&](std::string_view more) { StrAppend(text, more); };
  CompileOptions options = {.allow_elided = true, .debug = {.run_passes = false, .report = true}};
  options.debug.code = stage == "llvm" || stage == "asm";
  if (stage == "llvm") options.debug.on_llvm = append;
  if (stage == "asm") options.debug.on_assembly = append;
  AXLE_ASSIGN(const auto executable, session.CompileNative(std::move(module), options));
  const CompileReport& report = *executable->report();
  for (const CompileReport::Stage& timed : report.stages) {
    if (session.options().timing && timed.name != "passes") session.Say(TimingLine(timed));
  }
  if (stage != "fusions" && stage != "buffers") return text;
  for (const CompileReport::Program& program : report.programs) {
    StrAppend(text, text.empty() ? "" : "\n",
              stage == "fusions" ? RecordsText(program) : BuffersText(program));
  }
  return text;
}

int RunOpt(Session& session) {
  const Options& options = session.options();
  if (options.list) return ListPasses(session);
  const std::string& stage = options.stage;
  const auto* const place = std::ranges::find(kStages, stage);
  if (!stage.empty() && place == std::end(kStages)) {
    return session.Usage(StrCat("opt: --to: unknown stage \"", PrintableText(stage), "\"",
                                DidYouMean(stage, kStages), "; there are ", Join(kStages, ", ")));
  }
  const StatusOr<std::string> file = session.OneFile();
  if (!file.ok()) return session.Usage(StrCat("opt: ", file.status().message()));
  const auto chosen = ChosenPasses(options);
  if (!chosen.ok()) return session.Usage(StrCat("opt: ", chosen.status().message()));
  std::regex print_after;
  try {
    print_after.assign(options.print_after);
  } catch (const std::regex_error&) {
    return session.Usage(StrCat("opt: --print-after: \"", PrintableText(options.print_after),
                                "\" is not a regular expression"));
  }
  const auto is_printed = [&](const Pass& pass) {
    return std::regex_search(std::string(pass.name), print_after);
  };
  if (!options.print_after.empty() && std::ranges::none_of(AllPasses(), is_printed)) {
    return session.Usage(StrCat("opt: --print-after: no pass is called \"",
                                PrintableText(options.print_after),
                                "\"; --list shows them, and --to prints the stages after them"));
  }

  auto module = session.Load(*file);
  if (!module.ok()) return session.Fail(module.status());
  const PrintOptions style = {.style = options.short_style ? PrintOptions::Style::kShort
                                                           : PrintOptions::Style::kLong};
  if (stage != "hlo") {
    const Status whole = session.CheckNothingIsElided(**module);
    if (!whole.ok()) return session.Fail(whole);
    const Status runs = CheckRuns(**module);
    if (!runs.ok()) return session.Fail(runs);
    const auto after_each = [&](const PassReport& report) {
      if (options.timing) session.Say(TimingLine(report));
      if (options.print_after.empty() || !is_printed(*report.pass)) return;
      session.Say(StrCat("// after ", report.pass->name, "\n", Print(report.module, style)));
    };
    module = RunPipeline(**module, {.passes = *chosen,
                                    .verify_each = options.verify_each,
                                    .after_each = after_each,
                                    .limits = &session.limits()});
    if (!module.ok()) return session.Fail(module.status());
  }
  std::string text;
  if (!stage.empty() && place > std::ranges::find(kStages, "opt-hlo")) {
    StatusOr<std::string> native = NativeStage(session, *std::move(module));
    if (!native.ok()) return session.Fail(native.status());
    text = *std::move(native);
  } else {
    text = Print(**module, style);
  }
  if (options.json) {
    Json report = NewReport("opt");
    report["text"] = text;
    text = ToLine(report);
  }
  return session.Write(text);
}

constexpr OptionUse kOptions[] = {
    {"passes"},
    {"list"},
    {"stage"},
    {"isa"},
    {"codegen-level"},
    {"numerics"},
    {"print-after"},
    {"timing"},
    {"verify-each"},
    {"style", "long (default) or short"},
    {"output"},
    Brief("json", "{\"schema\": ..., \"text\": ...}"),
    Brief("threads"),
    Brief("from"),
    Brief("strict-types"),
    Brief("allow-elided"),
};

}  // namespace

const Verb kOptVerb = {
    .name = "opt",
    .summary = "the module after the compiler's passes",
    .examples =
        "axle opt model.hlo\n"
        "axle opt model.hlo --passes dce,cse --timing\n"
        "axle opt model.hlo --print-after 'simplify|constant-folding'\n"
        "axle opt model.hlo --to fusions\n"
        "axle opt --list\n",
    .description = "Results stay the same, bit for bit. HLO text goes to stdout.\n",
    .options = kOptions,
    .run = RunOpt};

}  // namespace axle::tool
