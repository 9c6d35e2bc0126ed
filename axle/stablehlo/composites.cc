// Composites: a function of a known name with attributes, and how it is made of StableHLO. Those
// that are operations of HLO are converted to them; of others the decomposition is called.
#include <algorithm>

#include "axle/core/strings.h"
#include "axle/ops/attributes/attributes.h"
#include "axle/stablehlo/conversions.h"

namespace axle::stablehlo {

// Composites of CHLO have a version 1 with the operands, results and attributes of the operation.
bool IsKnownComposite(const mlir::Operation& op) {
  const mlir::Attribute* name = op.Find("name");
  const mlir::Attribute* version = op.Find("version");
  if (name == nullptr || !name->text.starts_with("chlo.")) return false;
  if (version != nullptr && mlir::Int(*version).value_or(2) > 1) return false;
  const mlir::OpSyntax* row = mlir::FindSyntax(name->text);
  return FindConversion(name->text) != nullptr && row != nullptr && row->regions.empty() &&
         row->operands.size() == op.operands.size() && row->results.size() == op.results.size();
}

Status ConvertComposite(const Site& site) {
  AXLE_ASSIGN(const std::string name, site.String("name"));
  AXLE_ASSIGN(const i64 version, site.Int("version", 0));
  AXLE_ASSIGN(const std::string decomposition, site.String("decomposition"));
  const mlir::Attribute* attributes = site.Find("composite_attributes");
  static const mlir::Attribute none{.kind = mlir::AttributeKind::kDictionary};
  if (attributes == nullptr) attributes = &none;
  if (IsKnownComposite(site.op())) {
    return FindConversion(name)(site.Renamed(name, {}, attributes));
  }
  AXLE_ASSIGN(HloComputation* const computation,
              site.converter().Function(site, decomposition, site.operands()));
  AXLE_ASSIGN(Instruction* const call,
              site.Add(Opcode::kCall, site.operands(), CallAttrs{true}, {computation}));
  InstructionExtras& extras = site.frame().computation->MutableExtras(call);
  extras.frontend_attributes = {
      {"composite.attributes", StrCat("\"", CEscape(attributes->ToString()), "\"")},
      {"composite.name", StrCat("\"", CEscape(name), "\"")},
      {"composite.version", StrCat("\"", version, "\"")}};
  return site.ReturnAll(call);
}

}  // namespace axle::stablehlo
