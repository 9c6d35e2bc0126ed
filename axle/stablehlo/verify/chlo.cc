// Operations of CHLO that broadcast their operands.
#include "axle/stablehlo/verify/rules.h"

namespace axle::stablehlo {

Status VerifyChloConstantLike(const Subject& op) {
  const mlir::Attribute& value = *op.Find("value");
  if (value.type == nullptr || ElementTypeOf(*value.type) == ElementTypeOf(op.result())) return {};
  return op.Error("the value is ", value.ToString(), ", the result ", op.result().ToString());
}

// The operands that are combined have one element type; a predicate comes before them.
Status VerifyChloBroadcast(const Subject& op) {
  const size_t count = op.num_operands();
  if (CompatibleElements(op.operand(count - 2), op.operand(count - 1))) return {};
  return op.Error("the elements of ", op.operand(count - 2).ToString(), " and ",
                  op.operand(count - 1).ToString(), " differ");
}

}  // namespace axle::stablehlo
