#include "axle/client/op_table.h"

#include <algorithm>
#include <array>

#include "axle/core/strings.h"
#include "axle/ops/op_def.h"

namespace axle {
namespace {

std::string_view LoweringName(Lowering lowering) {
  switch (lowering) {
    case Lowering::kElementwise:
      return "elementwise";
    case Lowering::kIndexMap:
      return "index map";
    case Lowering::kReduce:
      return "reduce";
    case Lowering::kWindow:
      return "window";
    case Lowering::kScatter:
      return "scatter";
    case Lowering::kSort:
      return "sort";
    case Lowering::kDot:
      return "dot";
    case Lowering::kConvolution:
      return "convolution";
    case Lowering::kIota:
      return "iota";
    case Lowering::kControlFlow:
      return "control flow";
    case Lowering::kData:
      return "data";
    default:
      return "other";
  }
}

std::string_view PresenceName(Presence presence) {
  switch (presence) {
    case Presence::kRequired:
      return "required";
    case Presence::kOptional:
      return "optional";
    default:
      return "printed";
  }
}

// Returns the values of an enumeration: its reader lists them in the error for an unknown one.
std::vector<std::string> EnumValues(const AttrSpec& spec, const AttrSchema& schema) {
  constexpr std::string_view kBefore = "; it is one of: ";
  const std::shared_ptr<void> values = schema.create();
  Scanner scanner("no_such_value");
  const Status status = spec.kind->parse(scanner, Shape(F32), spec.field(values.get()));
  const std::string& message = status.message();
  size_t begin = message.find(kBefore);
  if (begin == message.npos) return {};
  begin += kBefore.size();
  std::vector<std::string> texts;
  const size_t line_end = std::min(message.find('\n', begin), message.size());
  while (begin < line_end) {
    const size_t end = std::min(message.find(", ", begin), line_end);
    texts.push_back(message.substr(begin, end - begin));
    begin = end + 2;
  }
  return texts;
}

std::vector<OperandInfo> Describe(std::span<const CalleeSpec> specs) {
  std::vector<OperandInfo> callees;
  for (const CalleeSpec& spec : specs) callees.push_back({spec.text, spec.variadic});
  return callees;
}

struct BuilderCall {
  Opcode opcode;
  std::string_view signature;
};
constexpr BuilderCall kBuilderCalls[] = {
#include "axle/client/builder_calls.inc"
};

OpInfo Describe(const OpDef& def) {
  OpInfo op;
  op.name = def.text;
  op.summary = def.summary;
  op.semantics = def.semantics;
  op.source = def.source;
  op.accuracy = def.accuracy;
  op.lowering = LoweringName(def.lowering);
  op.callees = Describe(def.callees);
  op.alternative_callees = Describe(def.alternative_callees);
  op.attribute_in_parens = def.parens == ParenSyntax::kAttribute;
  op.declared_shape = def.declared_shape;
  for (const OperandSpec& spec : def.operands) op.operands.push_back({spec.name, spec.variadic});
  for (const AttrSpec& spec : def.attrs.specs) {
    AttributeInfo& attribute = op.attributes.emplace_back();
    attribute.name = spec.text;
    attribute.kind = spec.kind->name;
    attribute.presence = PresenceName(spec.presence);
    attribute.values = EnumValues(spec, def.attrs);
    if (spec.presence == Presence::kRequired) continue;
    const void* value = spec.Field(def.attrs.defaults);
    const bool is_nothing = spec.kind == &kAttrKind<std::optional<i64>> &&
                            !*static_cast<const std::optional<i64>*>(value);
    if (!is_nothing) attribute.default_value = spec.kind->print(value);
  }
  for (const BuilderCall& call : kBuilderCalls) {
    if (call.opcode == def.opcode) op.builder_calls.push_back(call.signature);
  }
  constexpr std::pair<Traits, std::string_view> kTraits[] = {{kCommutative, "commutative"},
                                                             {kSideEffect, "side effect"},
                                                             {kMixedPrecision, "mixed precision"},
                                                             {kGivesOperand, "gives operand"}};
  for (const auto& [trait, name] : kTraits) {
    if (def.has(trait)) op.traits.push_back(name);
  }
  return op;
}

}  // namespace

std::vector<OpInfo> DescribeOps() {
  std::vector<OpInfo> ops;
  for (const OpDef* def : AllOpDefs()) ops.push_back(Describe(*def));
  return ops;
}

std::optional<OpInfo> DescribeOp(std::string_view name) {
  const OpDef* def = FindOpDef(name);
  if (def == nullptr) return {};
  return Describe(*def);
}

std::string_view OpName(const Instruction& inst) {
  return GetOpDef(inst).text;
}

bool IsConstantOp(const Instruction& inst) {
  return IsConstant(inst);
}

}  // namespace axle
