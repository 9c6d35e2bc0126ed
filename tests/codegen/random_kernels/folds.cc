#include "tests/codegen/random_kernels/folds.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "axle/emit/primitives.h"

namespace axle {
namespace {

std::uint64_t FloatIdentity(Primitive join, LaneType type) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double number = join == Primitive::kAdd   ? 0
                        : join == Primitive::kMul ? 1
                        : join == Primitive::kMin ? kInfinity
                                                  : -kInfinity;
  if (type == LaneType::kF64) return std::bit_cast<std::uint64_t>(number);
  return std::bit_cast<std::uint32_t>(static_cast<float>(number));
}

std::uint64_t IntegerIdentity(Primitive join, LaneType type) {
  const int bits = BitsOf(type);
  switch (join) {
    case Primitive::kMul:
      return 1;
    case Primitive::kAnd:
      return LowBits(bits);
    case Primitive::kMin:
      return LowBits(IsSigned(type) ? bits - 1 : bits);
    case Primitive::kMax:
      return IsSigned(type) ? std::uint64_t{1} << (bits - 1) : 0;
    default:
      return 0;
  }
}

// For types that do not take the program's, another one.
Primitive JoinOf(const RandomProgram& program, LaneType type) {
  const bool is_of_bits = program.join == Primitive::kAnd || program.join == Primitive::kOr;
  if (type == LaneType::kPred && !is_of_bits) return Primitive::kOr;
  return IsFloat(type) && is_of_bits ? Primitive::kMax : program.join;
}

}  // namespace

LoopFold FoldOf(const RandomProgram& program, LaneType type) {
  LoopFold fold;
  fold.join = JoinOf(program, type);
  if (type == LaneType::kPred) {
    fold.identity = fold.join == Primitive::kAnd ? 1 : 0;
  } else {
    fold.identity =
        IsFloat(type) ? FloatIdentity(fold.join, type) : IntegerIdentity(fold.join, type);
  }
  return fold;
}

Elements FoldedRows(const RandomProgram& program, LaneType type, const Elements& elements) {
  const LoopFold fold = FoldOf(program, type);
  LaneProgram lanes;
  lanes.code = {{Primitive::kInput, type}, {Primitive::kInput, type}, {fold.join, type, {0, 1}}};
  const StepFn step = FindStep(lanes, lanes.code.back());
  const auto join = [&](Elements& into, i64 at, const Elements& from, i64 first, i64 count) {
    const i64 bytes = BytesOf(type);
    Elements joined(static_cast<size_t>(count * bytes));
    StepArgs args{};
    args.result = joined.data();
    args.operands[0] = into.data() + at * bytes;
    args.operands[1] = from.data() + first * bytes;
    args.count = count;
    step(args);
    std::copy(joined.begin(), joined.end(), into.begin() + at * bytes);
  };
  Elements folded(static_cast<size_t>(program.rows * BytesOf(type)));
  for (i64 row = 0; row < program.rows; ++row) {
    Elements sums(static_cast<size_t>(program.lanes * BytesOf(type)));
    for (i64 k = 0; k < program.lanes; ++k) SetElement(type, sums, k, fold.identity);
    for (i64 i = 0; i < program.inner; ++i) {
      join(sums, i % program.lanes, elements, row * program.inner + i, 1);
    }
    for (i64 half = program.lanes / 2; half > 0; half /= 2) join(sums, 0, sums, half, half);
    SetElement(type, folded, row, ElementBits(type, sums, 0));
  }
  return folded;
}

}  // namespace axle
