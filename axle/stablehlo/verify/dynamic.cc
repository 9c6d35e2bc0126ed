// Operations whose sizes are operands. What they imply is checked where those are constants.
#include <algorithm>

#include "axle/stablehlo/verify/rules.h"

namespace axle::stablehlo {

using mlir::Type;

namespace {

// Operand `i`, if it is a constant, has the sizes of the result.
Status CheckOutputShape(const Subject& op, size_t i) {
  const std::optional<Dims> sizes = op.ConstantInts(i);
  if (!sizes) return {};
  const bool fits = std::ranges::all_of(*sizes, [](i64 size) { return size >= 0; }) &&
                    CompatibleTypes(TensorOf(*op.result().of, *sizes), op.result());
  if (fits) return {};
  return op.Error(op.row().operands[i].name, " is ", DimsText(*sizes), ", the result is ",
                  op.result().ToString());
}

Status CheckElements(const Subject& op) {
  if (QuantizationOf(op.operand()) != nullptr || QuantizationOf(op.result()) != nullptr ||
      CompatibleElements(op.operand(), op.result())) {
    return {};
  }
  return op.Error("the operand is ", op.operand().ToString(), ", the result is ",
                  op.result().ToString(), ", of other elements");
}

}  // namespace

Status VerifyDynamicBroadcastInDim(const Subject& op) {
  const Type& operand = op.operand();
  const Type& result = op.result();
  AXLE_TRY(CheckElements(op));
  const Dims dimensions = op.Ints("broadcast_dimensions");
  if (dimensions.size() != operand.dims.size()) {
    return op.Error("\"broadcast_dimensions\" has ", dimensions.size(), " entries for ",
                    operand.ToString());
  }
  AXLE_TRY(CheckDistinct(op, "broadcast_dimensions", dimensions));
  AXLE_TRY(CheckDimsInRange(op, "broadcast_dimensions", dimensions, RankOf(result)));
  const std::optional<Dims> sizes = op.ConstantInts(1);
  AXLE_TRY(CheckOutputShape(op, 1));
  for (size_t i = 0; i < dimensions.size(); ++i) {
    const i64 size = operand.dims[i];
    const auto to = static_cast<size_t>(dimensions[i]);
    const i64 expanded = sizes ? (*sizes)[to] : result.dims[to];
    if (size == 1 || (CompatibleSizes(size, result.dims[to]) && CompatibleSizes(size, expanded))) {
      continue;
    }
    return op.Error("dimension ", i, " has size ", size, ", dimension ", to, " of the result has ",
                    SizeText(expanded));
  }
  const Dims expanding = op.Ints("known_expanding_dimensions");
  const Dims nonexpanding = op.Ints("known_nonexpanding_dimensions");
  AXLE_TRY(CheckDistinct(op, "known_expanding_dimensions", expanding,
                         "known_nonexpanding_dimensions", nonexpanding));
  AXLE_TRY(CheckDimsInRange(op, "known_expanding_dimensions", expanding, RankOf(operand)));
  AXLE_TRY(CheckDimsInRange(op, "known_nonexpanding_dimensions", nonexpanding, RankOf(operand)));
  return CheckBroadcastScales(op, dimensions);
}

Status VerifyDynamicIota(const Subject& op) {
  AXLE_TRY(CheckDimsInRange(op, "iota_dimension", {op.Int("iota_dimension")}, RankOf(op.result())));
  return CheckOutputShape(op, 0);
}

Status VerifyDynamicPad(const Subject& op) {
  const Type& operand = op.operand();
  const Type& result = op.result();
  if (!SameElements(operand, op.operand(1)) || !SameElements(operand, result)) {
    return op.Error("operand, padding and result have different elements: ", operand.ToString(),
                    ", ", op.operand(1).ToString(), ", ", result.ToString());
  }
  if (result.dims.size() != operand.dims.size()) {
    return op.Error("the ranks of ", operand.ToString(), " and ", result.ToString(), " differ");
  }
  for (size_t i = 2; i < 5; ++i) {
    if (op.operand(i).dims.front() == RankOf(operand) && op.operand(i) == op.operand(2)) continue;
    return op.Error(op.row().operands[i].name, " is ", op.operand(i).ToString(), " for ",
                    operand.ToString());
  }
  const std::optional<Dims> interior = op.ConstantInts(4);
  if (!interior) return {};
  for (const i64 between : *interior) {
    if (between < 0) return op.Error("interior_padding has ", between);
  }
  const std::optional<Dims> low = op.ConstantInts(2);
  const std::optional<Dims> high = op.ConstantInts(3);
  if (!low || !high) return {};
  for (size_t d = 0; d < operand.dims.size(); ++d) {
    if (IsOpenSize(operand.dims[d]) || IsOpenSize(result.dims[d])) continue;
    const i64 size = operand.dims[d];
    const std::optional<i64> inside = CheckedMul(std::max<i64>(size - 1, 0), (*interior)[d]);
    const std::optional<i64> edges = CheckedAdd((*low)[d], (*high)[d]);
    const std::optional<i64> added =
        inside && edges ? CheckedAdd(*inside, *edges) : std::optional<i64>();
    // -1: it does not fit.
    const i64 padded = added ? CheckedAdd(*added, size).value_or(-1) : -1;
    if (padded == result.dims[d]) continue;
    return op.Error("dimension ", d, " of the result has size ", result.dims[d], ", not ",
                    padded >= 0 ? StrCat(padded) : std::string("one that fits"));
  }
  return {};
}

Status VerifyDynamicReshape(const Subject& op) {
  const Type& operand = op.operand();
  const Type& result = op.result();
  AXLE_TRY(CheckElements(op));
  const std::optional<i64> from = NumElements(operand);
  const std::optional<i64> to = NumElements(result);
  if (from && to && *from != *to) {
    return op.Error(operand.ToString(), " has ", *from, " elements, ", result.ToString(), " has ",
                    *to);
  }
  if (op.operand(1).dims.front() != RankOf(result)) {
    return op.Error("output_shape is ", op.operand(1).ToString(), ", the result is ",
                    result.ToString());
  }
  AXLE_TRY(CheckOutputShape(op, 1));
  const std::optional<Dims> sizes = op.ConstantInts(1);
  if (sizes && from) {
    const std::optional<i64> count = NumElements(TensorOf(*result.of, *sizes));
    if (count != from) {
      return op.Error(operand.ToString(), " has ", *from, " elements, output_shape is ",
                      DimsText(*sizes));
    }
  }
  return CheckReshapeScales(op);
}

Status VerifyRealDynamicSlice(const Subject& op) {
  const Type& operand = op.operand();
  if (!SameElements(operand, op.result())) {
    return op.Error("the operand is ", operand.ToString(), ", the result is ",
                    op.result().ToString(), ", of other elements");
  }
  for (size_t i = 1; i < 4; ++i) {
    if (op.operand(i) == op.operand(1) && CompatibleSizes(op.operand(i).dims[0], RankOf(operand))) {
      continue;
    }
    return op.Error(op.row().operands[i].name, " is ", op.operand(i).ToString(), " for ",
                    operand.ToString());
  }
  return {};
}

}  // namespace axle::stablehlo
