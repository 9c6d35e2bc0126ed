// axle info: what is in a module.
#include <algorithm>
#include <map>

#include "axle/client/analysis.h"
#include "axle/client/op_table.h"
#include "axle/core/strings.h"
#include "axle/ops/open_sizes.h"
#include "tools/axle/json.h"
#include "tools/axle/verbs.h"

namespace axle::tool {
namespace {

struct Facts {
  std::map<std::string_view, i64> ops;
  CostAnalysis cost;
  MemoryAnalysis memory;
};

Facts Collect(const Module& module) {
  Facts facts;
  for (const auto& computation : module.computations()) {
    for (const Instruction* inst : computation->instructions()) {
      ++facts.ops[OpName(*inst)];
    }
  }
  facts.cost = AnalyzeCost(module);
  facts.memory = AnalyzeMemory(module);
  return facts;
}

std::string Signature(const Module& module) {
  return StrCat("(",
                Join(module.entry()->parameters(), ", ",
                     [](const Instruction* parameter) {
                       return StrCat(parameter->name(), ": ", parameter->shape().ToString());
                     }),
                ") -> ", module.entry()->root()->shape().ToString());
}

std::string Describe(const AliasEntry& alias) {
  return StrCat("out {", Join(alias.output_index, ","), "} ",
                alias.kind == AliasKind::kMustAlias ? "must" : "may", " share parameter ",
                alias.parameter, " {", Join(alias.parameter_index, ","), "}");
}

// By count, then by name.
std::string OpsText(const Facts& facts) {
  std::vector<std::pair<std::string_view, i64>> ops(facts.ops.begin(), facts.ops.end());
  // Not std::stable_sort: clang finds fault with libstdc++'s.
  std::ranges::sort(ops, [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  std::string text;
  for (const auto& [name, count] : ops) StrAppend(text, "  ", count, "\t", name, "\n");
  return text;
}

std::string Text(const Module& module, const Facts& facts) {
  std::string text = StrCat(module.name(), "\n  entry         ", module.entry()->name(), " ",
                            Signature(module), "\n");
  StrAppend(text, "  instructions  ", facts.cost.instructions, " in ", module.computations().size(),
            " computations\n");
  if (HasOpenSize(module)) {
    StrAppend(text, "  sizes         open: the cost depends on the arguments\n");
    return StrCat(text, OpsText(facts));
  }
  StrAppend(text, "  parameters    ", HumanBytes(facts.memory.argument_bytes), "\n");
  StrAppend(text, "  result        ", HumanBytes(facts.memory.result_bytes), "\n");
  StrAppend(text, "  constants     ", HumanBytes(facts.memory.constant_bytes), "\n");
  StrAppend(text, "  temporaries   ", HumanBytes(facts.memory.peak_temporary_bytes),
            " at most, one instruction after the other\n");
  StrAppend(text, "  flops         ", facts.cost.flops, " (loop bodies once)\n");
  StrAppend(text, "  moved         ", HumanBytes(static_cast<i64>(facts.cost.bytes_accessed)),
            " (loop bodies once)\n");
  for (const AliasEntry& alias : module.config().input_output_alias) {
    StrAppend(text, "  alias         ", Describe(alias), "\n");
  }
  return StrCat(text, OpsText(facts));
}

Json Report(const Module& module, const Facts& facts, const std::string& file) {
  Json report = NewReport("info");
  report["file"] = file;
  report["module"] = module.name();
  report["signature"] = Signature(module);
  report["instructions"] = facts.cost.instructions;
  report["computations"] = module.computations().size();
  if (!HasOpenSize(module)) {
    report["parameter_bytes"] = facts.memory.argument_bytes;
    report["result_bytes"] = facts.memory.result_bytes;
    report["constant_bytes"] = facts.memory.constant_bytes;
    report["peak_temporary_bytes"] = facts.memory.peak_temporary_bytes;
    report["flops"] = facts.cost.flops;
    report["moved_bytes"] = facts.cost.bytes_accessed;
  }
  report["aliases"] = Json::array();
  for (const AliasEntry& alias : module.config().input_output_alias) {
    report["aliases"].push_back(Describe(alias));
  }
  report["custom_calls"] = Json::array();
  for (const auto& [name, count] : facts.ops) report["ops"][std::string(name)] = count;
  return report;
}

int Info(Session& session) {
  const StatusOr<std::vector<std::string>> files = session.Modules();
  if (!files.ok()) return session.Fail(files.status());
  if (files->empty()) return session.Usage("info: takes a FILE or a folder");
  int worst = kYes;
  for (const std::string& file : *files) {
    const auto module = session.Load(file);
    if (!module.ok()) {
      worst = std::max(worst, session.Fail(module.status()));
      continue;
    }
    session.NoteWhatIsElided(**module);
    const Facts facts = Collect(**module);
    session.Out(session.options().json ? ToLine(Report(**module, facts, file))
                                       : Text(**module, facts));
  }
  return worst;
}

constexpr OptionUse kOptions[] = {
    {"from"}, {"strict-types"}, {"json", "one object per file"}, {"time-limit"}, {"mem-limit"},
};

}  // namespace

const Verb kInfoVerb = {
    .name = "info",
    .summary = "signature, operations, sizes, flops and bytes, aliases",
    .examples =
        "axle info model.hlo\n"
        "axle info FOLDER --json\n",
    .description =
        "Sizes are those of row-major arrays. flops counts one per element of\n"
        "elementwise results and reduced operands, two per product of dots and\n"
        "convolutions; the bodies of loops count once.\n",
    .options = kOptions,
    .run = Info};

}  // namespace axle::tool
