// Quantized types: integers that stand for (stored - zero_point) * scale. HLO has none of them; the
// storage is what travels, and what computes does so on the numbers that it stands for: operands
// are dequantized, the operation runs in the expressed type, the result is quantized.
//
//   dequantize   convert(stored - zero_point) * scale, the difference in a wider integer type
//   quantize     round_nearest_even(clamp(min, x / scale + zero_point, max)), min and max those of
//                the storage
//
// Operations that move elements, and those with regions, take the storage as it is; they need one
// quantization for all. Scales and zero points of an axis are arrays along it.
#include <algorithm>

#include "axle/core/convert.h"
#include "axle/core/strings.h"
#include "axle/ops/attributes/attributes.h"
#include "axle/stablehlo/conversions.h"
#include "axle/stablehlo/verify/types.h"

namespace axle::stablehlo {
namespace {

// Numbers of the quantization, one for all elements or one for each of an axis, as an array of
// [dims].
StatusOr<Instruction*> Parameters(const Site& site, const mlir::Quantization& quantization,
                                  Literal values, ElementType type, const Dims& dims) {
  if (quantization.axis < 0) {
    AXLE_ASSIGN(values, values.Reshape(Dims{}));
  } else if (quantization.axis >= static_cast<i64>(dims.size()) ||
             values.shape().dim(0) != dims[static_cast<size_t>(quantization.axis)]) {
    return site.Error(StrCat("a type is quantized with ", values.shape().dim(0),
                             " scales along dimension ", quantization.axis,
                             ", which has another size"));
  }
  AXLE_ASSIGN(Literal converted, Convert(values, type));
  AXLE_ASSIGN(Instruction* const constant, site.Constant(std::move(converted)));
  const Dims mapping = quantization.axis < 0 ? Dims{} : Dims{quantization.axis};
  if (dims.empty()) return constant;
  return site.Broadcast(constant, dims, mapping);
}

Literal Scales(const mlir::Quantization& quantization) {
  return Literal::Array<double>(F64, {static_cast<i64>(quantization.scales.size())},
                                quantization.scales);
}

Literal ZeroPoints(const mlir::Quantization& quantization) {
  return Literal::Array<std::int64_t>(S64, {static_cast<i64>(quantization.zero_points.size())},
                                      quantization.zero_points);
}

StatusOr<Instruction*> Dequantize(const Site& site, Instruction* stored,
                                  const mlir::Quantization& quantization) {
  const Dims dims = stored->shape().dims();
  const ElementType wide = Info(quantization.storage).bits < 32 ? S32 : S64;
  AXLE_ASSIGN(Instruction* const wider, site.Convert(stored, wide));
  AXLE_ASSIGN(Instruction* const zero_points,
              Parameters(site, quantization, ZeroPoints(quantization), wide, dims));
  AXLE_ASSIGN(Instruction* const difference, site.Add(Opcode::kSubtract, {wider, zero_points}));
  AXLE_ASSIGN(Instruction* const number, site.Convert(difference, quantization.expressed));
  AXLE_ASSIGN(Instruction* const scales,
              Parameters(site, quantization, Scales(quantization), quantization.expressed, dims));
  return site.Add(Opcode::kMultiply, {number, scales});
}

StatusOr<Instruction*> Quantize(const Site& site, Instruction* number,
                                const mlir::Quantization& quantization) {
  const Dims dims = number->shape().dims();
  const ElementType type = quantization.expressed;
  AXLE_ASSIGN(Instruction* const expressed, site.Convert(number, type));
  AXLE_ASSIGN(Instruction* const scales,
              Parameters(site, quantization, Scales(quantization), type, dims));
  AXLE_ASSIGN(Instruction* const zero_points,
              Parameters(site, quantization, ZeroPoints(quantization), type, dims));
  AXLE_ASSIGN(Instruction* const scaled, site.Add(Opcode::kDivide, {expressed, scales}));
  AXLE_ASSIGN(Instruction* const shifted, site.Add(Opcode::kAdd, {scaled, zero_points}));
  Instructions bounds;
  for (const i64 bound : {quantization.storage_min, quantization.storage_max}) {
    AXLE_ASSIGN(Literal literal, Convert(Literal::Scalar<std::int64_t>(S64, bound), type));
    AXLE_ASSIGN(Instruction * constant, site.Constant(std::move(literal)));
    if (!dims.empty()) {
      AXLE_ASSIGN(constant, site.Broadcast(constant, dims, {}));
    }
    bounds.push_back(constant);
  }
  AXLE_ASSIGN(Instruction* const clamped,
              site.Add(Opcode::kClamp, {bounds[0], shifted, bounds[1]}));
  AXLE_ASSIGN(Instruction* const rounded, site.Add(Opcode::kRoundNearestEven, {clamped}));
  return site.Convert(rounded, quantization.storage);
}

}  // namespace

bool IsQuantized(const mlir::Operation& op) {
  const auto quantized = [](const mlir::Type& type) { return QuantizationOf(type) != nullptr; };
  return std::ranges::any_of(op.operands, [&](auto* value) { return quantized(*value->type); }) ||
         std::ranges::any_of(op.results, [&](auto& value) { return quantized(*value.type); });
}

bool HasOneQuantization(const mlir::Operation& op) {
  const mlir::Quantization* first = nullptr;
  const auto agrees = [&](const mlir::Type& type) {
    const mlir::Quantization* next = QuantizationOf(type);
    if (next == nullptr) return true;
    if (first == nullptr) first = next;
    // The axis of a quantization moves with the dimensions.
    return next->storage == first->storage && next->expressed == first->expressed &&
           next->storage_min == first->storage_min && next->storage_max == first->storage_max &&
           next->scales == first->scales && next->zero_points == first->zero_points;
  };
  return std::ranges::all_of(op.operands, [&](auto* value) { return agrees(*value->type); }) &&
         std::ranges::all_of(op.results, [&](auto& value) { return agrees(*value.type); });
}

Status ConvertExpressed(const Site& site, ConvertFn convert) {
  const mlir::Operation& op = site.op();
  Instructions operands;
  for (size_t i = 0; i < site.num_operands(); ++i) {
    const mlir::Quantization* quantization = QuantizationOf(site.operand_type(i));
    Instruction* operand = site.operand(i);
    if (quantization != nullptr) {
      AXLE_ASSIGN(operand, Dequantize(site, operand, *quantization));
    }
    operands.push_back(operand);
  }
  std::vector<const mlir::Type*> types;
  for (const mlir::Value& result : op.results) {
    const mlir::Quantization* quantization = QuantizationOf(*result.type);
    types.push_back(quantization == nullptr
                        ? result.type
                        : site.converter().WithElement(*result.type, quantization->expressed));
  }
  AXLE_TRY(convert(site.Expressed(std::move(operands), std::move(types))));
  for (size_t i = 0; i < op.results.size(); ++i) {
    const mlir::Quantization* quantization = QuantizationOf(*op.results[i].type);
    if (quantization == nullptr) continue;
    Instruction* const number = site.converter().Find(site.frame(), op.results[i]);
    AXLE_TRY(site.Return(Quantize(site, number, *quantization), i));
  }
  return {};
}

// Of a number or of a quantized type, which is dequantized first.
Status ConvertUniformQuantize(const Site& site) {
  const mlir::Quantization& to = *QuantizationOf(site.result_type());
  Instruction* number = site.operand(0);
  if (const mlir::Quantization* from = QuantizationOf(site.operand_type(0)); from != nullptr) {
    AXLE_ASSIGN(number, Dequantize(site, number, *from));
  }
  return site.Return(Quantize(site, number, to));
}

Status ConvertUniformDequantize(const Site& site) {
  return site.Return(Dequantize(site, site.operand(0), *QuantizationOf(site.operand_type(0))));
}

}  // namespace axle::stablehlo
