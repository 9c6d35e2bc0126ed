// concatenate: an index map with one piece per operand. The piece of operand i begins where the
// sizes of the operands before it along the concatenated dimension end; in all other dimensions it
// covers the whole result.

#include "axle/ops/dim_order.h"
#include "axle/ops/elementwise.h"

namespace axle {

extern const OpDef kConcatenateDef;

namespace {

constexpr OperandSpec kOperands[] = {{"operand", kVariadic}};
constexpr AttrSpec kAttrs[] = {
    Attr<&DimensionsAttrs::dimensions>("dimensions", {.field = 14}),
};

// All sizes but that of the concatenated dimension agree. A dimension is dynamic if it is dynamic
// in every operand, or, if it is the concatenated one, in any of them.
StatusOr<Shape> InferConcatenate(const Instruction& inst) {
  if (inst.num_operands() == 0) return OpError(inst, "needs at least one operand");
  for (i64 i = 0; i < inst.num_operands(); ++i) AXLE_TRY(ExpectArray(inst, i));
  const Dims& dimensions = inst.attrs<DimensionsAttrs>().dimensions;
  Shape result = inst.operand(0)->shape();
  if (dimensions.size() != 1) {
    return OpError(inst, StrCat("dimensions names ", dimensions.size(), " dimensions, not 1"));
  }
  AXLE_TRY(CheckDims(inst, "dimensions", dimensions, result.rank()));
  for (i64 i = 1; i < inst.num_operands(); ++i) {
    const Shape& operand = inst.operand(i)->shape();
    if (operand.type() != result.type()) {
      return OpError(inst, StrCat("operands have different element types ", Name(result.type()),
                                  " and ", Name(operand.type())));
    }
    if (operand.rank() != result.rank()) {
      return OpError(
          inst, StrCat("operands have different ranks ", result.rank(), " and ", operand.rank()));
    }
    for (i64 d = 0; d < result.rank(); ++d) {
      if (d == dimensions[0]) {
        const std::optional<i64> size = CheckedAdd(result.dim(d), operand.dim(d));
        if (!size) return OpError(inst, StrCat("dimension ", d, " would have too many elements"));
        result.set_dim(d, *size);
        if (operand.is_dynamic(d)) result.set_dynamic(d, true);
      } else if (operand.dim(d) != result.dim(d)) {
        return OpError(inst, StrCat("operand ", i, " has size ", operand.dim(d), " in dimension ",
                                    d, ", not ", result.dim(d)));
      } else if (!operand.is_dynamic(d)) {
        result.set_dynamic(d, false);  // a bound that is always reached is a size
      }
    }
  }
  return result;
}

// Pieces are in the order of the operands; an operand of size 0 gives an empty piece.
IndexMap ConcatenateMap(const Instruction& inst) {
  const i64 dimension = inst.attrs<DimensionsAttrs>().dimensions[0];
  IndexMap map;
  Dims begin(inst.shape().rank(), 0);
  for (i64 i = 0; i < inst.num_operands(); ++i) {
    const Shape& operand = inst.operand(i)->shape();
    map.push_back(WholeOperand(operand, static_cast<int>(i), begin));
    begin[dimension] += operand.dim(dimension);
  }
  return map;
}

}  // namespace

const OpDef kConcatenateDef = {
    .opcode = Opcode::kConcatenate,
    .text = "concatenate",
    .summary = "The operands one after another along one dimension.",
    .semantics =
        "Operands have one element type and agree in all other dimensions; the sizes of the named "
        "one are added up, and it is dynamic if it is in any operand.",
    .source = "XLA ConcatInDim; StableHLO concatenate",
    .operands = kOperands,
    .attrs = Schema<DimensionsAttrs>(kAttrs),
    .lowering = Lowering::kIndexMap,
    .infer = InferConcatenate,
    .index_map = ConcatenateMap,
    .permute = {PermuteForm::kAlike, RenumberedDimensions},
};

}  // namespace axle
