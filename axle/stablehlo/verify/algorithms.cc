// Operations with an algorithm of their own: norms, decompositions, transforms, random numbers.
#include <algorithm>

#include "axle/stablehlo/verify/rules.h"

namespace axle::stablehlo {

using mlir::Type;

// Operands of rank 1 have one entry for each feature; the others have one shape.
Status VerifyBatchNorm(const Subject& op) {
  const Type& operand = op.operand();
  const i64 feature = op.Int("feature_index");
  AXLE_TRY(CheckDimsInRange(op, "feature_index", {feature}, RankOf(operand)));
  const auto at = static_cast<size_t>(feature);
  const Type features = TensorOf(*operand.of, {operand.dims[at]}, {BoundOf(operand, at)});
  const bool is_grad = op.op().name == "stablehlo.batch_norm_grad";
  for (size_t i = 1; i < op.num_operands(); ++i) {
    const Type& expected = is_grad && i == 4 ? operand : features;
    if (CompatibleShapes(op.operand(i), expected)) continue;
    return op.Error(op.row().operands[i].name, " is ", op.operand(i).ToString(), ", not ",
                    expected.ToString());
  }
  for (size_t i = 2; i < op.num_operands() && !is_grad; ++i) {
    if (CompatibleShapes(op.operand(i), op.operand(1))) continue;
    return op.Error("the sizes of ", op.operand(1).ToString(), " and ", op.operand(i).ToString(),
                    " differ");
  }
  std::vector<Type> implied{operand};
  for (size_t i = 1; i < op.num_results(); ++i) implied.push_back(features);
  return op.CheckResults(implied);
}

Status VerifyCholesky(const Subject& op) {
  const Type& a = op.operand();
  const size_t rank = a.dims.size();
  if (rank < 2 || !CompatibleSizes(a.dims[rank - 2], a.dims[rank - 1])) {
    return op.Error("a is ", a.ToString(), ", not square matrices");
  }
  return op.CheckResult(a);
}

Status VerifyTriangularSolve(const Subject& op) {
  const Type& a = op.operand(0);
  const Type& b = op.operand(1);
  const size_t rank = a.dims.size();
  if (rank < 2 || !CompatibleSizes(a.dims[rank - 2], a.dims[rank - 1])) {
    return op.Error("a is ", a.ToString(), ", not square matrices");
  }
  if (b.dims.size() != rank) {
    return op.Error("the ranks of ", a.ToString(), " and ", b.ToString(), " differ");
  }
  const size_t shared = rank - (op.Bool("left_side") ? 2 : 1);
  const bool fits = CompatibleSizes(a.dims[rank - 1], b.dims[shared]) &&
                    CompatibleDims(Dims(a.dims.begin(), a.dims.end() - 2),
                                   Dims(b.dims.begin(), b.dims.end() - 2));
  if (!fits) return op.Error(a.ToString(), " does not solve for ", b.ToString());
  if (op.Text("transpose_a") == "TRANSPOSE_INVALID") {
    return op.Error("\"transpose_a\" is TRANSPOSE_INVALID");
  }
  return op.CheckResult(b);
}

Status VerifyFft(const Subject& op) {
  const Type& operand = op.operand();
  const Dims lengths = op.Ints("fft_length");
  const std::string_view type = op.Text("fft_type");
  const size_t rank = operand.dims.size();
  const size_t count = lengths.size();
  if (count < 1 || count > 3 || count > rank) {
    return op.Error("\"fft_length\" has ", count, " entries for ", operand.ToString());
  }
  const ElementType element = mlir::ElementOf(operand);
  const bool takes = type == "RFFT" ? element == F32 || element == F64 : IsComplex(element);
  if (!takes) return op.Error(type, " does not take ", operand.ToString());
  Type implied = operand;
  const i64 last = lengths.back();
  const i64 half = last == 0 ? 0 : last / 2 + 1;
  for (size_t i = 0; i < count && type.ends_with("RFFT"); ++i) {
    const i64 size = operand.dims[rank - count + i];
    const bool is_half = type == "IRFFT" && i + 1 == count;
    if (CompatibleSizes(size, is_half ? half : lengths[i])) continue;
    return op.Error("\"fft_length\" is ", DimsText(lengths), " for ", operand.ToString());
  }
  if (type.ends_with("RFFT")) {
    implied.dims.back() = type == "RFFT" ? half : last;
    if (!implied.bounds.empty()) implied.bounds.back() = mlir::kDynamic;
    const ElementType real = element == C64 ? F32 : F64;
    const ElementType complex = element == F32 ? C64 : C128;
    implied.of = &op.Element(type == "RFFT" ? complex : real);
  }
  return op.CheckResult(std::move(implied));
}

Status VerifyRng(const Subject& op) {
  if (!SameElements(op.operand(0), op.operand(1))) {
    return op.Error("a and b are ", op.operand(0).ToString(), " and ", op.operand(1).ToString());
  }
  if (op.Text("rng_distribution") == "NORMAL" && !IsFloating(mlir::ElementOf(op.operand()))) {
    return op.Error("NORMAL does not take ", op.operand().ToString());
  }
  const auto rank = static_cast<size_t>(op.operand(2).dims.front());
  if (rank != op.result().dims.size()) {
    return op.Error("shape is ", op.operand(2).ToString(), ", the result is ",
                    op.result().ToString());
  }
  const std::optional<Dims> sizes = op.ConstantInts(2);
  return op.CheckResult(TensorOf(*op.operand().of, sizes.value_or(Dims(rank, mlir::kDynamic))));
}

Status VerifyRngBitGenerator(const Subject& op) {
  if (CompatibleShapes(op.operand(), op.result(0))) return {};
  return op.Error("the state is ", op.operand().ToString(), " before and ", op.result(0).ToString(),
                  " after it");
}

Status VerifyTopK(const Subject& op) {
  const Type& operand = op.operand();
  if (!operand.is_tensor()) return {};
  const i64 k = op.Int("k");
  if (operand.dims.empty()) return op.Error("the operand is a scalar");
  if (!IsOpenSize(operand.dims.back()) && operand.dims.back() < k) {
    return op.Error("k is ", k, " for ", operand.ToString());
  }
  Type values = operand;
  values.dims.back() = k;
  if (!values.bounds.empty()) values.bounds.back() = mlir::kDynamic;
  Type indices = values;
  indices.of = &op.Element(S32);
  return op.CheckResults({values, indices});
}

}  // namespace axle::stablehlo
