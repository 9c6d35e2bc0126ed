// Late numbers: integers that are the same whatever the inputs are, where the code generator may
// find that out only after it has looked at what uses them.
#include "tests/codegen/random_kernels/program_generator.h"

namespace axle {
namespace {

// A type without a sign and narrower than `type`, or that itself.
LaneType NarrowerThan(LaneType type, Random& random) {
  const auto narrower = static_cast<LaneType>(random.Between(1, 4));
  return BytesOf(narrower) < BytesOf(type) ? narrower : UnsignedOf(type);
}

}  // namespace

Term ProgramGenerator::LateZero(LaneType type, i64 num_elements) {
  const int bits = BitsOf(type);
  const int above_counts = bits == 8 ? 4 : 7;  // no count of bits reaches that bit
  const Term x = Value(type, num_elements);
  const auto k = static_cast<int>(random_.Between(1, bits - 1));
  Term shifted_out = LogicalRight(LogicalRight(x, k), bits - k);
  switch (random_.Below(13)) {
    case 0:
      return (x << k) << (bits - k);
    case 1: {
      const std::uint64_t mask = SpecialBits(type);
      return (x & mask) & ~mask;
    }
    case 2: {
      const LaneType narrow = NarrowerThan(type, random_);
      if (BytesOf(narrow) == BytesOf(type)) return LogicalRight(Popcount(x), above_counts);
      return LogicalRight(Resized(type, Value(narrow, num_elements)), BitsOf(narrow));
    }
    case 3:
      return Cast(type, MulHigh(Cast(UnsignedOf(type), x), 1));
    case 4:
      return x % 1;
    case 5:
      return LogicalRight(Clz(x), above_counts);
    case 6:
      return Select(Condition(num_elements), shifted_out, 0);
    case 7:
      return Resized(type, Cast(UnsignedOf(type), x) < 0);
    case 8:
      return (x & LowBits(k)) & ~LowBits(k) & x;
    case 9:
      return is_small() ? Stored(shifted_out) : shifted_out;
    case 10:
      return is_small() ? Zeros(type, num_elements) : x - x;
    case 11:
      return LogicalRight(Resized(type, Condition(num_elements)), k);
    default:
      return shifted_out;
  }
}

Term ProgramGenerator::LateConstant(const KernelOp& op) {
  Term zero = LateZero(op.type, op.num_elements);
  const int bits = BitsOf(op.type);
  if (op.immediate == 0) return zero;
  if (op.immediate == LowBits(bits) && Percent(60)) return ~zero;
  if (op.immediate == 1 && Percent(50)) return LogicalRight(~zero, bits - 1);
  switch (random_.Below(3)) {
    case 0:
      return zero | op.immediate;
    case 1:
      return zero ^ op.immediate;
    default:
      return zero + op.immediate;
  }
}

}  // namespace axle
