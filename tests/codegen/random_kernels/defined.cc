#include "tests/codegen/random_kernels/defined.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "tests/codegen/random_kernels/program.h"

namespace axle {
namespace {

std::uint64_t BitsAt(LaneType type, const void* elements, i64 k) {
  std::uint64_t bits = 0;
  const size_t bytes = static_cast<size_t>(BytesOf(type));
  std::memcpy(&bits, static_cast<const char*>(elements) + static_cast<size_t>(k) * bytes, bytes);
  return bits;
}

double FloatAt(LaneType type, const void* elements, i64 k) {
  const std::uint64_t bits = BitsAt(type, elements, k);
  return type == LaneType::kF64 ? std::bit_cast<double>(bits)
                                : std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}

bool IsQuotientDefined(LaneType type, const StepArgs& args, i64 k) {
  if (IsFloat(type)) return true;
  const std::uint64_t divisor = BitsAt(type, args.operands[1], k);
  if (divisor == 0) return false;
  const int bits = BitsOf(type);
  const bool is_least = BitsAt(type, args.operands[0], k) == std::uint64_t{1} << (bits - 1);
  return !(IsSigned(type) && is_least && divisor == LowBits(bits));
}

bool IsInRange(LaneType to, double x) {
  const double bound = std::ldexp(1.0, BitsOf(to) - (IsSigned(to) ? 1 : 0));
  return (IsSigned(to) ? -bound <= x : -1 < x) && x < bound;
}

bool IsPowerInRange(LaneType type, double x, double n) {
  const int bias = type == LaneType::kF32 ? 127 : 1023;
  if (n != std::trunc(n)) return false;
  if (std::abs(n) <= 1) return true;
  const double size = std::abs(x);
  const bool is_near_one = 0.25 <= size && size <= 4;
  return std::abs(n) <= 2 * bias - 8 && (x == 0 || !std::isfinite(x) || is_near_one);
}

}  // namespace

bool IsDefined(const LaneProgram& program, const LaneOp& op, const StepArgs& args) {
  const LaneType from = program.code[op.operands[0]].type;
  const auto is_defined = [&](i64 k) {
    switch (op.primitive) {
      case Primitive::kShl:
      case Primitive::kShr:
        return BitsAt(from, args.operands[1], k) < static_cast<std::uint64_t>(BitsOf(from));
      case Primitive::kDiv:
      case Primitive::kRem:
        return IsQuotientDefined(from, args, k);
      case Primitive::kToInt:
        return IsInRange(op.type, FloatAt(from, args.operands[0], k));
      case Primitive::kTimesPowerOfTwo:
        return IsPowerInRange(from, FloatAt(from, args.operands[0], k),
                              FloatAt(from, args.operands[1], k));
      default:
        return true;
    }
  };
  for (i64 k = 0; k < args.count; ++k) {
    if (!is_defined(k)) return false;
  }
  return true;
}

}  // namespace axle
