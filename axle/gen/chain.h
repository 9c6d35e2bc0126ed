// Chain: values of one shape, each made of those before it by some idiom: a few instructions for
// which processors have one, so that code generators look for them, and are wrong when they see
// them where they are not. What idioms there are is of the classes under it: integers.cc,
// floats.cc.
#pragma once
#include <vector>

#include "axle/gen/body.h"

namespace axle {

class Chain {
 public:
  // Begins with a value of this type that `body` has or makes, of dimensions that are drawn.
  Chain(Body& body, ElementType type);
  // Some 3 to 16 values, and now and then the last one reduced along a dimension: sums of products
  // have instructions of their own.
  void Draw();

 protected:
  ~Chain() = default;
  // Made of `x` and others; null if an op refuses them.
  virtual Instruction* Next(Instruction* x) = 0;

  // Constants of the chain's shape: this number; any.
  Instruction* Number(ElementType type, double value);
  Instruction* AnyNumber(ElementType type);
  // A constant, or a value of the chain, of this type.
  Instruction* Other(ElementType type);
  // In any direction.
  Instruction* Compared(Instruction* lhs, Instruction* rhs);

  Body& body_;
  Random& random_;
  const Dims dims_;
  std::vector<Instruction*> made_;  // none is null but the first, perhaps
};

}  // namespace axle
