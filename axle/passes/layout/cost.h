// The cost of an order of dimensions, roughly, in bytes that memory moves; measured on AVX-512
// machines. Only comparisons of these numbers mean anything.
#pragma once
#include "axle/ops/convolution.h"
#include "axle/passes/layout/permute.h"

namespace axle {

// Moving all elements of an array from one order to another one.
i64 MoveCost(const Shape& shape, const Order& from, const Order& to);

// Convolutions, by what their kernels are good at: they read the features of a window position in
// place where those are neighbours, and gather all elements of each window otherwise.
class ConvolutionCost {
 public:
  explicit ConvolutionCost(const Instruction& inst);

  // The orders that it likes best: features last.
  const Order& lhs() const { return lhs_; }
  const Order& rhs() const { return rhs_; }
  const Order& output() const { return output_; }
  // Each feature for itself, by a kernel that wants all three arrays so, or it is slow.
  bool is_depthwise() const { return is_depthwise_; }

  // Reading the operand that lies so, for a result that lies so; writing the result so.
  i64 Read(const Order& lhs, const Order& output) const;
  i64 Write(const Order& output) const;

 private:
  const Instruction& inst_;
  ConvolutionRoles roles_;
  Order lhs_, rhs_, output_;
  bool is_plain_ = false;  // f32 or f64 all of it: elements are multiplied as they lie
  bool is_depthwise_ = false;
  bool has_window_ = false;  // of more than one position
  i64 gathered_ = 0;         // bytes, if every element of every window is
};

// Whether a dot reads its operand `i` where it lies, in this order.
bool DotReadsInPlace(const Instruction& dot, i64 i, const Order& order);
// Whether it writes its result in this order.
bool DotWritesInPlace(const Instruction& dot, const Order& order);

}  // namespace axle
