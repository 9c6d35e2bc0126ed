// Recognises reducers. A reducer is an add if its lane program is the one of the operation `add`:
// the definitions themselves are compared, so no pattern has to follow them.
#pragma once
#include "axle/ops/op_def.h"

namespace axle {

// How one component of a reducer combines its accumulator and its new value.
enum class ReducerKind : std::uint8_t {
  kGeneral,   // folds in index order, accumulator on the left
  kAdd,       // on floats: canonical order of numerics.md; on other types exact in any order
  kMultiply,  // likewise
  kMinimum,   // exact, so any order gives the same bits
  kMaximum,
  kAnd,
  kOr,
  kXor,
};

// The operation of a kind that is not kGeneral; on pred kAdd is an or, kMultiply an and.
Primitive PrimitiveOf(ReducerKind kind);
// The identity of this kind and type, in the low bits: -0.0 for sums of floats.
std::uint64_t IdentityBits(ReducerKind kind, LaneType type);

// How a reducer with n accumulators and n new values (inputs 0..n-1 and n..2n-1, results 0..n-1)
// treats each component. A component that is not independent of the others, or of another kind, is
// kGeneral. Narrow floats that the reducer widens to f32, adds, and rounds back count as sums.
std::vector<ReducerKind> ClassifyReducer(const LaneProgram& program,
                                         std::span<const ElementType> types);

// Whether folds of this kind may be put together from blocks and parts, as running folds and
// windows are (N8), and are carried in f32 for narrow floats: sums and products of floats, and sums
// of complex numbers. The product of complex numbers has no exact identity.
bool IsSumOrProduct(ReducerKind kind, ElementType type);

// True if every result is select(p, accumulator i, value i) with one p for all, as argmax does.
bool IsSelection(const LaneProgram& program);

// The program of a binary op on scalars of `type`, e.g. the f32 sum behind a bf16 one.
LaneProgram BinaryProgram(Opcode opcode, ElementType type);

// How a sum or product of narrow floats takes an element of `type`: the accumulator stays f32.
LaneProgram WideningProgram(ReducerKind kind, ElementType type);

// The program of a conversion between scalars.
LaneProgram ConversionProgram(ElementType from, ElementType to);

}  // namespace axle
