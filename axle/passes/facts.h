// What passes ask about instructions and computations before they change anything. When one of
// these says no, a pass leaves the instruction alone.
#pragma once
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "axle/ops/op_def.h"

namespace axle {

// For rules, whose rows name operations. Other code uses the queries below.
inline bool Is(const Instruction& inst, Opcode opcode) {
  return inst.opcode() == opcode;
}

// Side effects of instructions and computations, callees included.
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

// Computations whose form may decide about bits, with everything that they call. The reducer of a
// reduction, window or scatter is recognised by its lane program, and the order of evaluation
// follows from that (numerics.md, N4), so even a rewrite that keeps the value of each call may
// change the result. Passes copy them as they are.
std::unordered_set<const HloComputation*> FrozenComputations(const Module& module);

// Whether a reducer with components of these types is scalar arithmetic without a sum or product of
// floats or complex numbers: then it takes one element after the other (numerics.md, N4).
bool FoldsOneByOne(const HloComputation& reducer, std::span<const ElementType> types);

// Whether the instruction carries information for a partitioner, scheduler or back end: sharding,
// frontend attributes, control edges, a backend config, an accuracy.
bool HasAnnotations(const Instruction& inst);

// Whether two instructions that differ in their names only have the same value, so that one can
// replace the other. False for random numbers, collectives, custom calls, barriers and tokens.
// Effects and callees are separate queries.
bool IsMergeable(const Instruction& inst);

// Its value is known when its operands are, and does not depend on the device or the run.
bool IsFoldable(const Instruction& inst);

// A token or an opaque value is in the shape.
bool HasTokens(const Shape& shape);

}  // namespace axle
