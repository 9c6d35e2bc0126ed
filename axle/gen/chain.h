// Chain: values of one shape, each made of earlier ones by an idiom: a few instructions that
// processors have one instruction for, so that code generators match them and may match them
// wrongly. The derived classes hold the idioms: integers.cc, floats.cc. Most miscompiles found so
// far need a value that is the same whatever the arguments are, which the code generator discovers
// only after it has chosen a form. Dense chains are therefore longer, of few types, and have such
// late constants as operands of many operations.
#pragma once
#include <vector>

#include "axle/gen/body.h"

namespace axle {

enum class ChainKind { kPlain, kDense };

class Chain {
 public:
  // Begins with a value of this type that `body` has or makes, of dimensions that are drawn.
  Chain(Body& body, ElementType type, ChainKind kind);
  // Some 3 to 16 values, dense ones 16 to 48, and now and then the last one reduced along a
  // dimension: sums of products have instructions of their own.
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
  // Zero, computed from an integer whose bits are all shifted out, masked or divided away: a late
  // constant for code generators.
  Instruction* NoBits(Instruction* integer);
  // In a dense chain, Other returns this value from now on, more often than others.
  Instruction* FoundLate(Instruction* value);
  // A comparison in a random direction.
  Instruction* Compared(Instruction* lhs, Instruction* rhs);

  Body& body_;
  Random& random_;
  const Dims dims_;
  const bool is_dense_;
  std::vector<Instruction*> made_;  // none is null but the first, perhaps

 private:
  std::vector<Instruction*> found_late_;
};

}  // namespace axle
