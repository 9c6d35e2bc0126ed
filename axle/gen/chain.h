// Chain: values of one shape, each made of those before it by some idiom: a few instructions for
// which processors have one, so that code generators look for them, and are wrong when they see
// them where they are not. What idioms there are is of the classes under it: integers.cc,
// floats.cc. Of those faults that code generators had, most need a number that is the same whatever
// the arguments are, which they find out after they have chosen a form; so some chains are dense:
// longer, of few types, and with such numbers on one side of many operations.
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
  // 0, of an integer all of whose bits are shifted out, or masked, or divided away: code generators
  // may find that out later than passes do.
  Instruction* NoBits(Instruction* integer);
  // What Other may give from now on, more often than others, if the chain is dense.
  Instruction* FoundLate(Instruction* value);
  // In any direction.
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
