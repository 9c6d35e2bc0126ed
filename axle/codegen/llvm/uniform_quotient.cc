// Markstein's way, with y the divisor and RN rounding to nearest even:
//
//   z = RN(1 / y),  q = RN(x z),  r = RN(q y - x),  result = RN(q - r z)
//
// gives RN(x / y) where y and z are normal, q is normal, and x is so large that r loses no bits to
// underflow. Proof, for a precision of p bits and (scaled) 1 <= x, y < 2; Q = x / y, u the distance
// of two numbers at Q, so u = 2^-p for Q < 1 and 2^(1-p) above; d = z - 1 / y, |d| <= 2^(-p-1).
//
// 1. x / y is never halfway between two numbers, and keeps at least 2^(-p) u / y away from there:
//    x - m y is a multiple of 2^(-p) u for such a middle m, and m has too many bits for x = m y.
// 2. |x d| is below u / 2 for Q >= 1 and below u for Q < 1. So |q - Q| < u for Q >= 1 (for Q = 1
//    the result is 1) and where Q < 1 <= x z, as q is 1 then; and |q - Q| <= x 2^(-p-1) + u / 2,
//    below 3 u / 2, otherwise.
// 3. If |q - Q| <= u, r is exact (a multiple of 2^(1-p) u of size up to 2 u), and the result is RN
//    of Q + r d. That rounds as Q does unless a middle m lies between them; then |q - m| = u / 2,
//    |r| <= (u / 2 + |Q - m|) y and |Q - m| <= |r d|, so |Q - m| <= y u 2^(-p-2) (1 + 2^-p), which
//    contradicts 1 for every y up to 2 - 2^(1-p).
// 4. If |q - Q| > u, then Q < 1, and q - r z differs from Q by less than 4 u 2^(-p), r rounded or
//    not. A middle that close to Q would be 3 u / 2 away from q; with x = 2 - 2 j u, y = 2 - 2 k u,
//    j > k >= 1, 2 says that |q - Q| <= 3 u / 2 - j u 2^(-p), so j < 4. But then Q is
//    1 - (j - k) u - k (j - k) u^2 - ..., next to a number and far from a middle.
//
// Zeros of both signs come out right because r is q y - x: +0 for either.
//
// The ranges: 2^-24 <= y <= 2^24 and 2^-101 <= |x| < 2^101 in f32, 2^-100, 2^100, 2^-900 and 2^900
// in f64; or x = 0. Vectors with any other lane are divided.
#include "axle/codegen/llvm/uniform_quotient.h"

#include <llvm/IR/Module.h>

namespace axle {

using llvm::Value;

namespace {

struct Ranges {
  int fraction_bits, bias;
  int divisor, dividend;  // from 2^-n to 2^n

  std::uint64_t PatternOfPower(int n) const {
    return static_cast<std::uint64_t>(bias + n) << fraction_bits;
  }
  // The bounds of dividends, shifted left by one: patterns then have no sign and are even, but this
  // is odd.
  std::uint64_t BelowLeast() const { return (PatternOfPower(-dividend) << 1) - 1; }
  std::uint64_t AboveMost() const { return PatternOfPower(dividend) << 1; }
};
constexpr Ranges RangesOf(LaneType type) {
  return type == LaneType::kF32 ? Ranges{23, 127, 24, 101} : Ranges{52, 1023, 100, 900};
}

}  // namespace

UniformQuotient::UniformQuotient(llvm::IRBuilder<>& b, LaneEmitter& emitter, LaneType type,
                                 Value* divisor)
    : type_(type), divisor_(divisor) {
  const Ranges ranges = RangesOf(type);
  const LaneType bits = UnsignedOf(type);
  const auto constant = [&](std::uint64_t x) { return emitter.Constant(bits, x); };
  reciprocal_ = b.CreateFDiv(emitter.Constant(type, ranges.PatternOfPower(0)), divisor);
  const std::uint64_t least = ranges.PatternOfPower(-ranges.divisor);
  const std::uint64_t most = ranges.PatternOfPower(ranges.divisor);
  Value* above = b.CreateSub(b.CreateBitCast(divisor, emitter.Vector(bits)), constant(least));
  Value* fits = b.CreateICmpULE(above, constant(most - least));
  // See Divide: a lane is to be divided if its pattern, shifted, differs from zero_ and is more
  // than range_ above BelowLeast(). With 1 and 0, all of them are.
  all_ = b.CreateSExt(fits, emitter.Vector(bits));
  zero_ = b.CreateSelect(fits, constant(0), constant(1));
  range_ =
      b.CreateSelect(fits, constant(ranges.AboveMost() - 1 - ranges.BelowLeast()), constant(0));
}

std::vector<Value*> UniformQuotient::Divide(llvm::IRBuilder<>& b, LaneEmitter& emitter,
                                            std::span<Value* const> xs) const {
  const LaneType bits = UnsignedOf(type_);
  const auto constant = [&](std::uint64_t x) { return emitter.Constant(bits, x); };
  llvm::Function* function = b.GetInsertBlock()->getParent();
  const auto new_block = [&](const char* name) {
    return llvm::BasicBlock::Create(b.getContext(), name, function);
  };
  auto *test = new_block("test"), *multiply = new_block("multiply");
  auto *divide = new_block("divide"), *done = new_block("divided");

  // At first glance: the exponent is near that of 1 where its two upper bits differ, which is where
  // the upper one is set when 1 has been added to the lower one.
  const std::uint64_t exponent_bit = std::uint64_t{1} << (axle::BitsOf(type_) - 2);
  std::vector<Value*> patterns;
  Value* common = all_;
  for (Value* x : xs) {
    patterns.push_back(b.CreateBitCast(x, emitter.Vector(bits)));
    common = b.CreateAnd(common, b.CreateAdd(patterns.back(), constant(exponent_bit / 2)));
  }
  Value* is_far = b.CreateICmpEQ(b.CreateAnd(common, constant(exponent_bit)), constant(0));
  b.CreateCondBr(b.CreateOrReduce(is_far), test, multiply);

  b.SetInsertPoint(test);
  Value* any_beyond = nullptr;
  for (Value* pattern : patterns) {
    Value* size = b.CreateShl(pattern, constant(1));
    Value* above = b.CreateSub(size, constant(RangesOf(type_).BelowLeast()));
    Value* is_beyond = b.CreateAnd(b.CreateICmpNE(size, zero_), b.CreateICmpUGT(above, range_));
    any_beyond = any_beyond == nullptr ? is_beyond : b.CreateOr(any_beyond, is_beyond);
  }
  b.CreateCondBr(b.CreateOrReduce(any_beyond), divide, multiply);

  std::vector<Value*> products, quotients;
  b.SetInsertPoint(multiply);
  for (Value* x : xs) {
    Value* product = b.CreateFMul(x, reciprocal_);
    Value* rest = emitter.Fma(product, divisor_, b.CreateFNeg(x));
    products.push_back(emitter.Fma(b.CreateFNeg(rest), reciprocal_, product));
  }
  b.CreateBr(done);
  b.SetInsertPoint(divide);
  for (Value* x : xs) quotients.push_back(b.CreateFDiv(x, divisor_));
  b.CreateBr(done);
  b.SetInsertPoint(done);
  std::vector<Value*> results;
  for (size_t i = 0; i < xs.size(); ++i) {
    auto* result = b.CreatePHI(xs[i]->getType(), 2);
    result->addIncoming(products[i], multiply);
    result->addIncoming(quotients[i], divide);
    results.push_back(result);
  }
  return results;
}

}  // namespace axle
