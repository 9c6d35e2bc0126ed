// What passes ask about instructions and computations before they change anything. When one of
// these says no, a pass leaves the instruction alone.
#pragma once
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "axle/ops/op_def.h"

namespace axle {

// For rules, whose rows name the ops that they are about. Other code asks for facts.
inline bool Is(const Instruction& inst, Opcode opcode) {
  return inst.opcode() == opcode;
}

// What instructions and computations do, with everything that they call.
class Effects {
 public:
  explicit Effects(const Module& module);
  // Does more than give a value.
  bool Of(const Instruction& inst) const;
  bool Of(const HloComputation& computation) const { return effects_.contains(&computation); }
  // Has no effect, and nothing in it or below it is an exception of IsMergeable.
  bool IsPlain(const Instruction& inst) const;
  bool IsPlain(const HloComputation& computation) const { return plain_.contains(&computation); }

 private:
  std::unordered_set<const HloComputation*> effects_, plain_;
};

// Whether it runs what it calls as it is written, on whole values: a call, a loop, a branch.
bool IsTransparentCaller(const Instruction& inst);

// Computations whose form may decide about bits: what reductions and their kind call is recognised
// by its lane program, and its order of evaluation follows (numerics.md, N4), so that even a
// rewrite that keeps the value of each call may change the result. With everything that they call.
// Passes copy them as they are.
std::unordered_set<const HloComputation*> FrozenComputations(const Module& module);

// A reducer, with components of these types, is scalar arithmetic and none of its components is a
// sum or a product of floats or complex numbers: folding one element after the other gives the bits
// (numerics.md, N4).
bool FoldsOneByOne(const HloComputation& reducer, std::span<const ElementType> types);

// Says something to a partitioner, a scheduler or a back end that another instruction would not
// say: sharding, frontend attributes, control edges, a backend config, an accuracy.
bool HasAnnotations(const Instruction& inst);

// Two instructions that are equal but for their names have the same value, and one of them can do
// for both. Not for random numbers, collectives, custom calls, barriers and tokens. Effects and
// what is called are asked for apart.
bool IsMergeable(const Instruction& inst);

// Its value is known when its operands are, and does not depend on the device or the run.
bool IsFoldable(const Instruction& inst);

// A token or an opaque value is in the shape.
bool HasTokens(const Shape& shape);

}  // namespace axle
