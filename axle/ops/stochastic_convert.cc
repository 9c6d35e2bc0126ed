// stochastic-convert: floats to integers, up or down at random.
//
// |x| is split into an integral part and a fraction, and the fraction is compared with the random
// number as a fixed-point number of its width. The sign is put back at the end, so that rounding is
// symmetric. Values at the limits, and NaN, are selected separately.
#include "axle/ops/elementwise.h"

namespace axle {

extern const OpDef kStochasticConvertDef;

namespace {

constexpr OperandSpec kStochasticOperands[] = {{"operand"}, {"random"}};

// The random operand has one number of the width of the element for each element.
StatusOr<Shape> InferStochasticConvert(const Instruction& inst) {
  for (i64 i : {0, 1}) AXLE_TRY(ExpectArray(inst, i));
  Shape result = inst.operand(0)->shape();
  const Shape& random = inst.operand(1)->shape();
  const ElementType from = result.type(), to = inst.shape().type();
  if (!IsFloating(from)) return OpError(inst, "operand must be a float");
  if (!IsUnsigned(random.type())) return OpError(inst, "random must be an unsigned integer");
  if (Info(from).bits != Info(random.type()).bits) {
    return OpError(inst, StrCat("random must have as many bits as operand: ",
                                Info(random.type()).bits, ", not ", Info(from).bits));
  }
  if (!SameDims(result, random)) return OpError(inst, "operands must have the same dimensions");
  if (!IsArrayType(to)) return OpError(inst, StrCat("cannot convert to ", inst.shape().ToString()));
  if (!IsSigned(to)) {
    return OpError(inst, StrCat("converts to signed integers only, not to ", Name(to)),
                   StatusCode::kUnimplemented);
  }
  MergeDynamic(random, result);
  return result.WithType(to);
}

// The integral part of |x|, one more if the random number is below the fraction as a fixed-point
// number of its width. The sum wraps, so that 127.5 can become -128 as an s8 of a negative number.
Lane EmitStochasticConvert(const Instruction& inst, std::span<const Lane> operands) {
  const Lane x = operands[0], random = operands[1];
  const ElementType to = inst.shape().type();
  const int random_bits = Info(inst.operand(1)->shape().type()).bits, to_bits = Info(to).bits;
  const LaneType type = StorageType(to);
  const auto max = static_cast<i64>((std::uint64_t{1} << (to_bits - 1)) - 1);
  const double bound = static_cast<double>(std::uint64_t{1} << (to_bits - 1));  // of |x|

  const Lane magnitude = Abs(x);
  // Values beyond the limits are replaced by 0, because the conversion to an integer would
  // overflow.
  const Lane safe = Select(magnitude < bound, magnitude, x.Like(0));
  const Lane whole = Trunc(safe);
  const LaneType wide = random_bits == 64 ? LaneType::kU64 : LaneType::kU32;
  const double scale = static_cast<double>(std::uint64_t{1} << (random_bits - 1)) * 2;
  const Lane fraction = ToInt(wide, (safe - whole) * scale);
  const Lane up = Resize(wide, random) < fraction;

  const LaneType through = BytesOf(type) == 8 ? LaneType::kS64 : LaneType::kS32;
  const Lane truncated = Resize(type, ToInt(through, whole));
  const Lane rounded = truncated + Resize(type, up);
  const Lane inside = Select(x < 0, -rounded, rounded);
  const Lane high = Select(x >= static_cast<double>(max), inside.Like(max), inside);
  const Lane result = Select(x <= -bound, inside.Like(-max - 1), high);
  return Select(IsNan(x), inside.Like(0), result);
}

}  // namespace

const OpDef kStochasticConvertDef = {
    .opcode = Opcode::kStochasticConvert,
    .text = "stochastic-convert",
    .summary = "Each float as one of the two integers around it, by random bits.",
    .semantics =
        "`random` has unsigned integers of as many bits as the floats, and operand's dimensions. "
        "The magnitude is truncated; one is added if the random number is below the part that was "
        "cut off, as a fraction of all random numbers; then the sign is put back. Values at or "
        "beyond the limits of the result type give the limit, NaN gives 0. The result type is a "
        "signed integer; other types are UNIMPLEMENTED.",
    .source = "XLA StochasticConvertType",
    .operands = kStochasticOperands,
    .declared_shape = true,
    .lowering = Lowering::kElementwise,
    .infer = InferStochasticConvert,
    .emit = EmitStochasticConvert,
};

}  // namespace axle
