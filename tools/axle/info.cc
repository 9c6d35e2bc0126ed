// axle info: what is in a module.
#include <algorithm>
#include <map>

#include "axle/client/op_table.h"
#include "axle/core/strings.h"
#include "tools/axle/json.h"
#include "tools/axle/verbs.h"

namespace axle::tool {
namespace {

struct Facts {
  std::map<std::string_view, i64> ops;
  i64 instructions = 0;
  i64 parameter_bytes = 0;
  i64 result_bytes = 0;
  i64 constant_bytes = 0;
  double flops = 0;  // loop bodies count once
  double bytes = 0;  // that instructions read and write
};

Facts Collect(const Module& module) {
  Facts facts;
  for (const auto& computation : module.computations()) {
    for (const Instruction* inst : computation->instructions()) {
      ++facts.ops[OpName(*inst)];
      ++facts.instructions;
      facts.flops += Flops(*inst);
      const double size = static_cast<double>(inst->shape().num_bytes());
      if (IsConstantOp(*inst)) facts.constant_bytes += inst->shape().num_bytes();
      if (MovesNothing(*inst)) continue;
      facts.bytes += size;
      for (i64 i = 0; i < inst->num_operands(); ++i) {
        facts.bytes += static_cast<double>(inst->operand(i)->shape().num_bytes());
      }
    }
  }
  for (const Instruction* parameter : module.entry()->parameters()) {
    facts.parameter_bytes += parameter->shape().num_bytes();
  }
  facts.result_bytes = module.entry()->root()->shape().num_bytes();
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

std::string Text(const Module& module, const Facts& facts) {
  std::string text = StrCat(module.name(), "\n  entry         ", module.entry()->name(), " ",
                            Signature(module), "\n");
  StrAppend(text, "  instructions  ", facts.instructions, " in ", module.computations().size(),
            " computations\n");
  StrAppend(text, "  parameters    ", HumanBytes(facts.parameter_bytes), "\n");
  StrAppend(text, "  result        ", HumanBytes(facts.result_bytes), "\n");
  StrAppend(text, "  constants     ", HumanBytes(facts.constant_bytes), "\n");
  StrAppend(text, "  flops         ", facts.flops, " (loop bodies once)\n");
  StrAppend(text, "  moved         ", HumanBytes(static_cast<i64>(facts.bytes)),
            " (loop bodies once)\n");
  for (const AliasEntry& alias : module.config().input_output_alias) {
    StrAppend(text, "  alias         ", Describe(alias), "\n");
  }
  std::vector<std::pair<std::string_view, i64>> ops(facts.ops.begin(), facts.ops.end());
  // By count, then by name. Not std::stable_sort: clang finds fault with libstdc++'s.
  std::ranges::sort(ops, [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  for (const auto& [name, count] : ops) StrAppend(text, "  ", count, "\t", name, "\n");
  return text;
}

Json Report(const Module& module, const Facts& facts, const std::string& file) {
  Json report = NewReport("info");
  report["file"] = file;
  report["module"] = module.name();
  report["signature"] = Signature(module);
  report["instructions"] = facts.instructions;
  report["computations"] = module.computations().size();
  report["parameter_bytes"] = facts.parameter_bytes;
  report["result_bytes"] = facts.result_bytes;
  report["constant_bytes"] = facts.constant_bytes;
  report["flops"] = facts.flops;
  report["moved_bytes"] = facts.bytes;
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
    const Facts facts = Collect(**module);
    session.Out(session.options().json ? ToLine(Report(**module, facts, file))
                                       : Text(**module, facts));
  }
  return worst;
}

}  // namespace

const Verb kInfoVerb = {"info",
                        "signature, operations, sizes, flops and bytes, aliases",
                        "axle info model.hlo\n"
                        "axle info FOLDER --json\n"
                        "\n"
                        "Sizes are those of row-major arrays. flops counts one per element of\n"
                        "elementwise results and reduced operands, two per product of dots and\n"
                        "convolutions; the bodies of loops count once.\n"
                        "\n"
                        "  --from F         hlo; the default is to find out from the content\n"
                        "  --json           one object per file\n"
                        "  --time-limit S   seconds, 8 by default; 0 for as long as it takes\n"
                        "  --mem-limit B    bytes, 1G by default; K, M, G; 0 for no limit\n",
                        {},
                        Info};

}  // namespace axle::tool
