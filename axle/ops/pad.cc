// pad: an index map of two pieces. The first fills the result with the padding value; the second
// writes operand element i to position low + i * (interior + 1), if that is in the result. Example:
// {1, 2, 3} with low -1, high 1, interior 1 and the padding value 0 becomes {0, 2, 0, 3, 0}. low,
// high and interior are only bounded by the size of the result, so positions are counted in 128
// bits.

#include <algorithm>

#include "axle/ops/dim_order.h"
#include "axle/ops/dynamic.h"
#include "axle/ops/elementwise.h"

namespace axle {

extern const OpDef kPadDef;

namespace {

constexpr OperandSpec kOperands[] = {{"operand"}, {"padding_value"}};
// The padding of a scalar has no spelling, so it is left out.
constexpr AttrSpec kAttrs[] = {
    Attr<&PadAttrs::padding>("padding", {.field = 21}, Presence::kOptional),
};

// size + low + high + max(size - 1, 0) * interior, if it fits.
// Each step is checked: attributes may be as large as 64 bits allow.
std::optional<i64> PaddedSize(i64 size, const PaddingDim& padding) {
  const auto holes = CheckedMul(std::max<i64>(size - 1, 0), padding.interior);
  const auto spread = holes ? CheckedAdd(size, *holes) : std::nullopt;
  const auto low = spread ? CheckedAdd(*spread, padding.low) : std::nullopt;
  return low ? CheckedAdd(*low, padding.high) : std::nullopt;
}

// Each size is that of the operand, with its interior padding, plus low and high, which may be
// negative and then crop. A size below 0 is an error; 0 is not.
StatusOr<Shape> InferPad(const Instruction& inst) {
  AXLE_TRY(ExpectArray(inst, 0));
  AXLE_TRY(ExpectArray(inst, 1));
  const PaddingConfig& padding = inst.attrs<PadAttrs>().padding;
  const Shape &operand = inst.operand(0)->shape(), &value = inst.operand(1)->shape();
  if (!value.is_scalar()) return OpError(inst, "padding_value must be a scalar");
  if (value.type() != operand.type()) {
    return OpError(inst, StrCat("operands have different element types ", Name(operand.type()),
                                " and ", Name(value.type())));
  }
  if (static_cast<i64>(padding.size()) != operand.rank()) {
    return OpError(inst, StrCat("padding has ", padding.size(), " dimensions but operand has rank ",
                                operand.rank()));
  }
  Shape result(operand.type());
  for (i64 d = 0; d < operand.rank(); ++d) {
    const auto& [low, high, interior] = padding[d];
    if (interior < 0) {
      return OpError(
          inst, StrCat("interior padding of dimension ", d, " is ", interior, ", must be >= 0"));
    }
    const std::optional<i64> size = PaddedSize(operand.dim(d), padding[d]);
    if (!size) return OpError(inst, StrCat("dimension ", d, " would have too many elements"));
    if (*size < 0) {
      return OpError(inst, StrCat("dimension ", d, " would have size ", *size, " (", operand.dim(d),
                                  " + low ", low, " + high ", high, " + interior ",
                                  std::max<i64>(operand.dim(d) - 1, 0) * interior, ")"));
    }
    result.AppendDim(*size, operand.is_dynamic(d));
  }
  return result;
}

// Finds the operand elements whose position is in the result. low and high may be anything that
// leaves a size of 64 bits, so positions can be wider.
IndexMap PadMap(const Instruction& inst) {
  using Wide = __int128;
  const PaddingConfig& padding = inst.attrs<PadAttrs>().padding;
  const Shape &operand = inst.operand(0)->shape(), &result = inst.shape();
  IndexPiece body;
  bool is_everything = true;
  for (i64 d = 0; d < result.rank(); ++d) {
    const Wide low = padding[d].low, size = operand.dim(d);
    // With at most one element there are no holes between elements; the step is then 1, since
    // interior + 1 might not fit into 64 bits.
    const Wide step = size > 1 ? Wide{padding[d].interior} + 1 : 1;
    const Wide first = low >= 0 ? 0 : std::min(size, (-1 - low) / step + 1);
    const Wide last_position = result.dim(d) - 1 - low;
    // The first and the end of the elements whose position is at least 0 and below the size of the
    // result.
    const Wide end = last_position < 0 ? 0 : std::min(size, last_position / step + 1);
    const auto count = static_cast<i64>(std::max<Wide>(end - first, 0));
    body.dims.push_back({.begin = count > 0 ? static_cast<i64>(low + first * step) : 0,
                         .count = count,
                         .step = static_cast<i64>(step),
                         .source_dim = d});
    body.source_begin.push_back(static_cast<i64>(first));
    is_everything = is_everything && count == result.dim(d);
  }
  // If nothing is padded, the piece of the padding value is left out, and the map is a plain copy.
  if (is_everything) return {body};
  return {WholeResult(result, 1, 0, Dims(result.rank(), kNoSourceDim)), body};
}

// Negative padding may take more elements than there are at run time: then nothing is left.
StatusOr<Literal> EvalPadDynamic(const Instruction& inst, std::span<Literal> operands,
                                 const EvalContext& context) {
  const PaddingConfig& padding = inst.attrs<PadAttrs>().padding;
  Dims sizes(inst.shape().rank());
  bool is_negative = false;
  for (i64 d = 0; d < inst.shape().rank(); ++d) {
    const __int128 size = operands[0].size(d);
    const __int128 padded =
        size + padding[d].low + padding[d].high + (size > 1 ? (size - 1) * padding[d].interior : 0);
    is_negative |= padded < 0;
    sizes[d] = static_cast<i64>(std::max<__int128>(padded, 0));
  }
  if (!is_negative) return EvaluateCut(inst, operands, context);
  return PutIntoBounds(inst, Literal(Shape(inst.shape().type(), sizes)));
}

}  // namespace

const OpDef kPadDef = {
    .opcode = Opcode::kPad,
    .text = "pad",
    .summary = "Grows, shrinks or spreads out each dimension, filling with padding_value.",
    .semantics =
        "Element i of a dimension goes to position low + i * (interior + 1) of "
        "size + low + high + max(size - 1, 0) * interior. Negative low and high drop positions "
        "after the spreading, holes included. interior and the resulting size are at least 0. A "
        "dynamic dimension stays dynamic and is padded where its elements end at run time; if "
        "fewer than none would be left, none are.",
    .source = "XLA Pad; StableHLO pad",
    .operands = kOperands,
    .attrs = Schema<PadAttrs>(kAttrs),
    .lowering = Lowering::kIndexMap,
    .infer = InferPad,
    .index_map = PadMap,
    .eval_dynamic = EvalPadDynamic,
    .permute = {PermuteForm::kAlike,
                [](const Instruction& inst, const Order& order, const Order&) {
                  return BlockOf(inst, PadAttrs{InOrder(inst.attrs<PadAttrs>().padding, order)});
                }},
};

}  // namespace axle
