// The dialect `check`: custom calls with a side effect, which are errors where arrays differ.
#include "axle/core/strings.h"
#include "axle/ops/attributes/attributes.h"
#include "axle/stablehlo/conversions.h"

namespace axle::stablehlo {

Status ConvertCheck(const Site& site) {
  constexpr std::string_view kConst = "_const";
  Instructions operands = site.operands();
  std::string target = site.name();
  if (target.ends_with(kConst)) {
    target.resize(target.size() - kConst.size());
    AXLE_ASSIGN(Literal value, mlir::FullLiteral(*site.Find("value")));
    AXLE_ASSIGN(Instruction* const expected, site.Constant(std::move(value)));
    operands.push_back(expected);
  }
  CustomCallAttrs attrs;
  attrs.custom_call_target = target;
  attrs.custom_call_has_side_effect = true;
  attrs.api_version = CustomCallApi::kTyped;
  AXLE_ASSIGN(Instruction* const call,
              site.Add(Opcode::kCustomCall, operands, std::move(attrs), {}, Shape::Tuple({})));
  std::vector<std::string> config;
  for (const std::string_view name : {"tolerance", "min_ulp_difference", "max_ulp_difference"}) {
    const mlir::Attribute* value = site.Find(name);
    if (value != nullptr) config.push_back(StrCat(name, " = ", value->ToString()));
  }
  // The operation's default; that of a custom call is wider.
  if (target == "check.expect_close" && site.Find("max_ulp_difference") == nullptr) {
    config.push_back("max_ulp_difference = 1 : ui64");
  }
  InstructionExtras& extras = site.frame().computation->MutableExtras(call);
  extras.backend_config = StrCat("{", Join(config, ", "), "}");
  extras.has_backend_config = true;
  return {};
}

}  // namespace axle::stablehlo
