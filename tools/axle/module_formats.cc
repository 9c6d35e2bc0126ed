#include "tools/axle/module_formats.h"

#include <unordered_map>

#include "axle/core/strings.h"
#include "axle/ops/op_def.h"
#include "tools/axle/json.h"

namespace axle::tool {
namespace {

// Longer attribute values are cut in a graph.
constexpr size_t kMaxShown = 60;

std::string AttributeText(const Instruction& inst, const AttrSpec& spec) {
  if (IsElided(inst)) return "{...}";
  return spec.kind->print(spec.Field(inst.attr_block().values.get()));
}

bool IsDefault(const Instruction& inst, const AttrSpec& spec) {
  return spec.presence != Presence::kRequired &&
         spec.kind->equal(spec.Field(inst.attr_block().values.get()),
                          spec.Field(GetOpDef(inst).attrs.defaults));
}

// Inside of double quotes; a line feed begins a new line of the label.
std::string DotText(std::string_view text) {
  std::string out;
  for (char c : PrintableText(text)) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out;
}

std::string NodeLabel(const Instruction& inst) {
  const OpDef& def = GetOpDef(inst);
  std::string label = StrCat(def.text, " ", inst.name(), "\n", inst.shape().ToStringWithLayout());
  for (const AttrSpec& spec : def.attrs.specs) {
    if (IsDefault(inst, spec)) continue;
    std::string value = AttributeText(inst, spec);
    if (value.size() > kMaxShown) value = value.substr(0, kMaxShown) + "...";
    StrAppend(label, "\n", spec.text, "=", value);
  }
  return label;
}

}  // namespace

std::string ToDot(const Module& module) {
  std::unordered_map<const HloComputation*, size_t> numbers;
  for (const auto& computation : module.computations()) {
    numbers.emplace(computation.get(), numbers.size());
  }
  const auto node = [&](const Instruction& inst) {
    return StrCat("n", numbers.at(inst.parent()), "_", inst.index());
  };
  std::string out = StrCat("digraph \"", DotText(module.name()),
                           "\" {\n  node [shape=box, fontname=monospace];\n");
  std::string calls;
  for (const auto& computation : module.computations()) {
    const bool is_entry = computation.get() == module.entry();
    StrAppend(out, "  subgraph cluster_", numbers.at(computation.get()), " {\n    label=\"",
              is_entry ? "ENTRY " : "", DotText(computation->name()), "\";\n");
    for (const Instruction* inst : computation->instructions()) {
      StrAppend(out, "    ", node(*inst), " [label=\"", DotText(NodeLabel(*inst)), "\"",
                inst == computation->root() ? ", style=bold" : "", "];\n");
      for (i64 i = 0; i < inst->num_operands(); ++i) {
        StrAppend(out, "    ", node(*inst->operand(i)), " -> ", node(*inst), ";\n");
      }
      for (const HloComputation* callee : inst->callees()) {
        StrAppend(calls, "  ", node(*callee->root()), " -> ", node(*inst), " [style=dashed];\n");
      }
    }
    out += "  }\n";
  }
  return StrCat(out, calls, "}\n");
}

std::string ToJson(const Module& module) {
  Json report = NewReport("module");
  report["name"] = module.name();
  report["entry"] = std::string(module.entry()->name());
  report["computations"] = Json::array();
  for (const auto& computation : module.computations()) {
    Json instructions = Json::array();
    for (const Instruction* inst : computation->instructions()) {
      const OpDef& def = GetOpDef(*inst);
      Json row = {{"name", inst->name()},
                  {"op", def.text},
                  {"shape", inst->shape().ToStringWithLayout()},
                  {"operands", Json::array()}};
      for (i64 i = 0; i < inst->num_operands(); ++i) {
        row["operands"].push_back(inst->operand(i)->name());
      }
      for (const AttrSpec& spec : def.attrs.specs) {
        if (!IsDefault(*inst, spec)) {
          row["attributes"][std::string(spec.text)] = AttributeText(*inst, spec);
        }
      }
      for (const HloComputation* callee : inst->callees()) row["calls"].push_back(callee->name());
      if (!inst->metadata().op_name.empty()) row["op_name"] = inst->metadata().op_name;
      instructions.push_back(std::move(row));
    }
    report["computations"].push_back({{"name", computation->name()},
                                      {"root", computation->root()->name()},
                                      {"instructions", std::move(instructions)}});
  }
  return ToLine(report);
}

}  // namespace axle::tool
