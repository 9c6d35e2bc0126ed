// axle ops: the op table.
#include <algorithm>

#include "axle/client/op_table.h"
#include "axle/core/strings.h"
#include "tools/axle/json.h"
#include "tools/axle/verbs.h"

namespace axle::tool {
namespace {

Json Names(std::span<const ElementType> types) {
  Json names = Json::array();
  for (ElementType type : types) names.push_back(Name(type));
  return names;
}

Json Report(std::span<const OperandInfo> operands) {
  Json list = Json::array();
  for (const OperandInfo& operand : operands) {
    list.push_back({{"name", operand.name}, {"variadic", operand.variadic}});
  }
  return list;
}

Json Report(const AttributeInfo& attribute) {
  Json report = {
      {"name", attribute.name}, {"kind", attribute.kind}, {"presence", attribute.presence}};
  if (attribute.presence != "required") report["default"] = attribute.default_value;
  if (!attribute.values.empty()) report["values"] = attribute.values;
  return report;
}

// "element_types" is null where probing found no program of the op.
Json Report(const OpInfo& op) {
  Json report = {{"name", op.name},     {"summary", op.summary},   {"semantics", op.semantics},
                 {"source", op.source}, {"accuracy", op.accuracy}, {"lowering", op.lowering}};
  report["operands"] = Report(op.operands);
  report["attributes"] = Json::array();
  for (const AttributeInfo& attribute : op.attributes) {
    report["attributes"].push_back(Report(attribute));
  }
  report["callees"] = Report(op.callees);
  report["alternative_callees"] = Report(op.alternative_callees);
  report["traits"] = op.traits;
  report["builder_calls"] = op.builder_calls;
  report["attribute_in_parens"] = op.attribute_in_parens;
  report["declared_shape"] = op.declared_shape;
  report["element_types"] = nullptr;
  for (const OperandTypes& types : ProbeElementTypes(op)) {
    report["element_types"].push_back({{"operand", types.operand},
                                       {"supported", Names(types.supported)},
                                       {"rejected", Names(types.rejected)},
                                       {"not_yet", Names(types.not_yet)},
                                       {"rejection", types.rejection}});
  }
  return report;
}

std::string Text(const OperandTypes& types) {
  const auto names = [](std::span<const ElementType> list) {
    return Join(list, " ", [](ElementType type) { return Name(type); });
  };
  if (types.rejected.empty() && types.not_yet.empty()) return "takes  all element types";
  std::string text = StrCat("takes  ", names(types.supported), " only");
  if (!types.not_yet.empty()) StrAppend(text, "; not yet ", names(types.not_yet));
  return text;
}

// "  operand lhs": one line for each part of the op.
std::string Text(const OpInfo& op) {
  std::string text = StrCat(op.name, ": ", op.summary, "\n", op.semantics, "\n\n");
  const std::vector<OperandTypes> all_types = ProbeElementTypes(op);
  const auto add_types = [&](size_t i) {
    if (i < all_types.size()) StrAppend(text, "    ", Text(all_types[i]), "\n");
  };
  for (size_t i = 0; i < op.operands.size(); ++i) {
    StrAppend(text, "  operand ", op.operands[i].name, op.operands[i].variadic ? "..." : "", "\n");
    add_types(i);
  }
  if (op.declared_shape) {
    text += "  result, of the shape that the program declares\n";
    add_types(op.operands.size());
  }
  for (const AttributeInfo& attribute : op.attributes) {
    StrAppend(text, "  attribute ", attribute.name, ": ", attribute.kind);
    if (attribute.presence == "required") {
      text += ", required";
    } else if (!attribute.default_value.empty()) {
      StrAppend(text, ", ", attribute.default_value, " by default");
    }
    if (!attribute.values.empty()) {
      StrAppend(text, "\n    one of ", Join(attribute.values, ", "));
    }
    text += "\n";
  }
  for (const auto& callees : {op.callees, op.alternative_callees}) {
    for (const OperandInfo& callee : callees) {
      StrAppend(text, "  calls ", callee.name, callee.variadic ? "..." : "", "\n");
    }
  }
  for (const std::string_view call : op.builder_calls) StrAppend(text, "  builder   ", call, "\n");
  StrAppend(text, "  accuracy  ", op.accuracy, "\n  lowering  ", op.lowering, "\n");
  if (!op.traits.empty()) StrAppend(text, "  traits    ", Join(op.traits, ", "), "\n");
  return StrCat(text, "  source    ", op.source, "\n");
}

int Ops(Session& session) {
  std::vector<OpInfo> ops;
  for (const std::string& name : session.options().files) {
    const auto op = DescribeOp(name);
    if (!op) {
      std::vector<std::string_view> names;
      for (const OpInfo& known : DescribeOps()) names.push_back(known.name);
      return session.Usage(
          StrCat("ops: there is no \"", PrintableText(name), "\"", DidYouMean(name, names)));
    }
    ops.push_back(*op);
  }
  if (ops.empty()) ops = DescribeOps();
  if (session.options().json) {
    Json report = NewReport("ops");
    report["ops"] = Json::array();
    for (const OpInfo& op : ops) {
      if (const Status status = session.limits().CheckNow(); !status.ok()) {
        return session.Fail(status);
      }
      report["ops"].push_back(Report(op));
    }
    session.Out(ToLine(report));
    return kYes;
  }
  for (const OpInfo& op : ops) {
    if (!session.options().files.empty()) {
      session.Out(Text(op));
      continue;
    }
    const size_t width = std::max<size_t>(op.name.size() + 2, 24);
    session.Out(StrCat(op.name, std::string(width - op.name.size(), ' '), op.summary, "\n"));
  }
  return kYes;
}

constexpr OptionUse kOptions[] = {
    {"json", "one object for all"},
    {"time-limit"},
};

}  // namespace

const Verb kOpsVerb = {
    .name = "ops",
    .summary = "the operations, or what one of them means",
    .examples =
        "axle ops                  one line for each operation\n"
        "axle ops select           operands, element types, attributes, meaning\n"
        "axle ops --json           everything; schema axle.ops/1\n",
    .description =
        "Element types are determined by running small programs. They are not shown for\n"
        "operations that need larger ones.\n",
    .options = kOptions,
    .run = Ops};

}  // namespace axle::tool
