// Rules of quantized types: what one has to be, and how those of operands and results go together.
#include <limits>

#include "axle/stablehlo/verify/rules.h"

namespace axle::stablehlo {

using mlir::Quantization;
using mlir::Type;

namespace {

double PowerOfTwo(int exponent) {
  double power = 1;
  for (; exponent > 0; --exponent) power *= 2;
  for (; exponent < 0; ++exponent) power /= 2;
  return power;
}

// The least and the largest positive number of a type.
std::pair<double, double> PositiveRange(ElementType type) {
  if (type != F16 && type != BF16 && type != F32) {
    return {std::numeric_limits<double>::denorm_min(), std::numeric_limits<double>::max()};
  }
  const FloatFormat& format = Info(type).format;
  return {PowerOfTwo(1 - format.bias - format.mantissa_bits),
          (2 - PowerOfTwo(-format.mantissa_bits)) * PowerOfTwo(format.bias)};
}

}  // namespace

Status CheckQuantization(const Subject& op, const Type& type, std::string_view what) {
  const Quantization* quantization = QuantizationOf(type);
  if (quantization == nullptr || !op.program().IsFirst(type)) return {};
  for (const i64 zero_point : quantization->zero_points) {
    if (zero_point >= quantization->storage_min && zero_point <= quantization->storage_max) {
      continue;
    }
    return op.Error(what, " is ", type.ToString(), ", with zero point ", zero_point,
                    " outside of its storage");
  }
  const auto [least, largest] = PositiveRange(quantization->expressed);
  for (const double scale : quantization->scales) {
    if (scale >= least && scale <= largest) continue;
    return op.Error(what, " is ", type.ToString(), ", with scale ", scale, ", which ",
                    Name(quantization->expressed), " does not represent");
  }
  if (quantization->axis < 0 || !type.is_tensor()) return {};
  const auto axis = static_cast<size_t>(quantization->axis);
  const auto count = static_cast<i64>(quantization->scales.size());
  if (axis < type.dims.size() && CompatibleSizes(type.dims[axis], count)) return {};
  return op.Error(what, " is ", type.ToString(), ", which has no dimension ", axis, " of size ",
                  count);
}

namespace {

bool SameScales(const Quantization& a, const Quantization& b) {
  return a.scales == b.scales && a.zero_points == b.zero_points;
}

Status DifferentScales(const Subject& op, const Type& a, const Type& b) {
  return op.Error("scales and zero points of ", a.ToString(), " and ", b.ToString(), " differ");
}

}  // namespace

Status CheckSameScales(const Subject& op, const Type& operand, const Type& result) {
  const Quantization* from = QuantizationOf(operand);
  const Quantization* to = QuantizationOf(result);
  if (from == nullptr || to == nullptr || IsPerAxis(from) != IsPerAxis(to)) return {};
  const bool same = IsPerAxis(from) ? SameScales(*from, *to) : *from == *to;
  return same ? Status() : DifferentScales(op, operand, result);
}

Status CheckBroadcastScales(const Subject& op, const Dims& dimensions) {
  const Type& operand = op.operand();
  const Type& result = op.result();
  const Quantization* from = QuantizationOf(operand);
  const Quantization* to = QuantizationOf(result);
  if (!IsPerAxis(from) || !IsPerAxis(to)) return {};
  const auto axis = static_cast<size_t>(from->axis);
  if (dimensions[axis] != to->axis) {
    return op.Error("the operand is quantized along dimension ", axis, ", which becomes ",
                    dimensions[axis], ", the result along ", to->axis);
  }
  if (operand.dims[axis] != 1) return {};
  for (size_t i = 0; i < to->scales.size(); ++i) {
    if (to->scales[i] == from->scales[0] && to->zero_points[i] == from->zero_points[0]) continue;
    return DifferentScales(op, operand, result);
  }
  return {};
}

Status CheckReshapeScales(const Subject& op) {
  const Type& operand = op.operand();
  const Type& result = op.result();
  AXLE_TRY(CheckSameScales(op, operand, result));
  const Quantization* from = QuantizationOf(operand);
  const Quantization* to = QuantizationOf(result);
  if (!IsPerAxis(from) || !IsPerAxis(to)) return {};
  const auto before = [](const Type& type, i64 axis) {
    return NumElements(TensorOf(*type.of, Dims(type.dims.begin(), type.dims.begin() + axis)));
  };
  const i64 size = operand.dims[static_cast<size_t>(from->axis)];
  const i64 other = result.dims[static_cast<size_t>(to->axis)];
  const bool fits =
      CompatibleSizes(size, other) && (!operand.is_static_tensor() || !result.is_static_tensor() ||
                                       before(operand, from->axis) == before(result, to->axis));
  if (fits) return {};
  return op.Error("dimension ", from->axis, " of ", operand.ToString(),
                  " does not become dimension ", to->axis, " of ", result.ToString());
}

Status VerifyAdd(const Subject& op) {
  const Quantization* lhs = QuantizationOf(op.operand(0));
  const Quantization* rhs = QuantizationOf(op.operand(1));
  const Quantization* result = QuantizationOf(op.result());
  const auto differ = [&](std::string_view what) {
    return op.Error(what, ": ", TypesText({&op.operand(0), &op.operand(1), &op.result()}));
  };
  if (lhs == nullptr && rhs == nullptr && result == nullptr) {
    if (!SameElements(op.operand(0), op.operand(1)) || !SameElements(op.operand(0), op.result())) {
      return differ("operands and result have different elements");
    }
    AXLE_ASSIGN(Type implied, MostSpecific(op, op.operands()));
    return op.CheckResult(std::move(implied));
  }
  if (lhs == nullptr || rhs == nullptr || result == nullptr) {
    return differ("some of operands and result are quantized");
  }
  for (const Quantization* other : {rhs, result}) {
    if (other->storage != lhs->storage || other->expressed != lhs->expressed) {
      return differ("operands and result are quantized with different types");
    }
  }
  if ((IsPerAxis(lhs) || IsPerAxis(rhs)) != IsPerAxis(result)) {
    return differ("operands or result alone are quantized per axis");
  }
  for (const Quantization* operand : {lhs, rhs}) {
    if (IsPerAxis(operand) && operand->axis != result->axis) {
      return differ("operands and result are quantized along different dimensions");
    }
  }
  return {};
}

Status CheckProductScales(const Subject& op) {
  const Quantization* lhs = QuantizationOf(op.operand(0));
  const Quantization* rhs = QuantizationOf(op.operand(1));
  const Quantization* result = QuantizationOf(op.result());
  if (lhs == nullptr && rhs == nullptr && result == nullptr) return {};
  const auto differ = [&](std::string_view what) {
    return op.Error(what, ": ", TypesText({&op.operand(0), &op.operand(1), &op.result()}));
  };
  if (rhs == nullptr || (lhs == nullptr) != (result == nullptr)) {
    return differ("rhs alone, or lhs, rhs and result are quantized");
  }
  if (lhs == nullptr) {
    const ElementType element = mlir::ElementOf(op.operand(0));
    if (element == rhs->expressed && element == mlir::ElementOf(op.result())) return {};
    return differ("lhs and result have other elements than rhs stands for");
  }
  if (lhs->storage != rhs->storage || lhs->expressed != rhs->expressed ||
      lhs->expressed != result->expressed) {
    return differ("operands and result are quantized with different types");
  }
  if (!IsPerAxis(rhs) && IsPerAxis(result)) {
    return differ("the result is quantized per axis, rhs is not");
  }
  return {};
}

Status VerifyUniformDequantize(const Subject& op) {
  const Quantization& quantization = *QuantizationOf(op.operand());
  return op.CheckResult(TensorOf(op.Element(quantization.expressed), op.operand().dims));
}

Status VerifyUniformQuantize(const Subject& op) {
  const Quantization* from = QuantizationOf(op.operand());
  const ElementType expressed = from == nullptr ? mlir::ElementOf(op.operand()) : from->expressed;
  if (QuantizationOf(op.result())->expressed == expressed) return {};
  return op.Error("the operand is ", op.operand().ToString(), ", the result ",
                  op.result().ToString(), " stands for other numbers");
}

}  // namespace axle::stablehlo
