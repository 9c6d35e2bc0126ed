// Operations on elements, and what makes arrays of constants.
#include "axle/stablehlo/verify/rules.h"

namespace axle::stablehlo {

using mlir::Type;

namespace {

// The element type with the parts of complex numbers.
ElementType RealOf(const Type& type) {
  const ElementType element = mlir::ElementOf(type);
  if (!IsComplex(element)) return element;
  return element == C64 ? F32 : F64;
}

}  // namespace

Status VerifyAbs(const Subject& op) {
  const Type& operand = op.operand();
  if (!IsComplex(mlir::ElementOf(operand))) return op.CheckResult(operand);
  return op.CheckResult(TensorOf(op.Element(RealOf(operand)), operand.dims, operand.bounds));
}

Status VerifyRealPart(const Subject& op) {
  const Type& operand = op.operand();
  return op.CheckResult(TensorOf(op.Element(RealOf(operand)), operand.dims, operand.bounds));
}

Status VerifyComplex(const Subject& op) {
  if (!SameElements(op.operand(0), op.operand(1))) {
    return op.Error("the parts are ", op.operand(0).ToString(), " and ", op.operand(1).ToString());
  }
  const Type& part = op.operand();
  const ElementType element = mlir::ElementOf(part) == F32 ? C64 : C128;
  return op.CheckResult(TensorOf(op.Element(element), part.dims, part.bounds));
}

Status VerifyAccuracy(const Subject& op) {
  const mlir::Attribute* accuracy = op.Find("result_accuracy");
  if (accuracy == nullptr) return {};
  const mlir::Attribute* mode = accuracy->Field("mode");
  bool is_zero = true;
  for (const std::string_view name : {"atol", "rtol", "ulps"}) {
    const mlir::Attribute* field = accuracy->Field(name);
    if (field == nullptr) continue;
    const double value = field->kind == mlir::AttributeKind::kFloat
                             ? field->number
                             : static_cast<double>(field->integer);
    if (value < 0) return op.Error("\"", name, "\" of result_accuracy is ", value);
    is_zero = is_zero && value == 0;
  }
  if (mode == nullptr || mode->text == "TOLERANCE" || is_zero) return {};
  return op.Error("result_accuracy has tolerances, which mode ", mode->text, " does not take");
}

Status VerifyClamp(const Subject& op) {
  const Type& operand = op.operand(1);
  for (const size_t i : {0, 2}) {
    const Type& limit = op.operand(i);
    if (limit.dims.empty() || CompatibleShapes(limit, operand)) continue;
    return op.Error(op.row().operands[i].name, " is ", limit.ToString(),
                    ", neither a scalar nor of the shape of ", operand.ToString());
  }
  return op.CheckResult(operand);
}

Status VerifyCompare(const Subject& op) {
  return op.CheckResult(TensorOf(op.Element(PRED), op.operand().dims, op.operand().bounds));
}

Status VerifyConstant(const Subject& op) {
  const mlir::Attribute& value = *op.Find("value");
  if (value.kind != mlir::AttributeKind::kElements || value.type == nullptr) return {};
  const Type& type = *value.type;
  if (!type.is_static_tensor()) return op.Error("the elements are ", type.ToString());
  const mlir::Quantization* quantization = QuantizationOf(op.result());
  if (quantization == nullptr || QuantizationOf(type) != nullptr) {
    if (type.dims == op.result().dims && SameElements(type, op.result())) return {};
  } else if (type.dims == op.result().dims && mlir::ElementOf(type) == quantization->storage) {
    return {};
  }
  return op.Error("the elements are ", type.ToString(), ", the result is ", op.result().ToString());
}

Status VerifyIota(const Subject& op) {
  const i64 rank = RankOf(op.result());
  if (rank == 0) return op.Error("the result is a scalar");
  return CheckDimsInRange(op, "iota_dimension", {op.Int("iota_dimension")}, rank);
}

Status VerifySelect(const Subject& op) {
  const Type& pred = op.operand(0);
  const Type& on_true = op.operand(1);
  const Type& on_false = op.operand(2);
  if (!CompatibleShapes(on_true, on_false) || !SameElements(on_true, on_false)) {
    return op.Error("on_true and on_false are ", on_true.ToString(), " and ", on_false.ToString());
  }
  if (!pred.dims.empty() && !CompatibleShapes(pred, on_true)) {
    return op.Error("pred is ", pred.ToString(), ", neither a scalar nor of the shape of ",
                    on_true.ToString());
  }
  AXLE_ASSIGN(Type implied, MostSpecific(op, op.operands(1, 3)));
  return op.CheckResult(std::move(implied));
}

}  // namespace axle::stablehlo
