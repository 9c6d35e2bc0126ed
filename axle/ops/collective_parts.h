// Shapes and pieces of arrays that collectives have in common, and the checks of their asynchronous
// pairs.
#pragma once
#include "axle/ops/op_def.h"

namespace axle {

// The one entry of a list of dimensions of `shape`.
StatusOr<i64> OneDimension(const Instruction& inst, const Dims& dimensions, const Shape& shape);

// `shape`, without a layout, with another size of dimension `dim`.
Shape WithDim(const Shape& shape, i64 dim, i64 size);

// Part `i` of the result's stated shape (the whole if it is no tuple), where it is an array of the
// rank of operand `i`; else null.
const Shape* DeclaredPart(const Shape& declared, i64 i, const Instruction& inst);

// Copies `count` positions of dimension `dim`, from `begin` on, to positions from `at` on; the
// arrays, row-major, agree in all other dimensions.
void CopyBlock(const Literal& from, i64 begin, i64 count, i64 dim, i64 at, Literal& to);

// The positions of dimension `dim` from `begin` on that make up an array of shape `result`.
StatusOr<Literal> BlockOf(const Literal& array, i64 dim, i64 begin, const Shape& result);

// One array for each, or the array alone; the same of values.
Shape ResultOf(std::vector<Shape> shapes);
Literal ResultOf(std::vector<Literal> values);
Literal TupleOf(std::span<Literal> values);

// An error unless each of `results`, one shape or a tuple of one per operand, is that of its
// operand: a group of one device has nothing to put together or to take apart.
Status CheckAloneUnchanged(const Instruction& inst, const Shape& results);

// An error unless operand 0 is one of `starts`.
Status CheckStartedBy(const Instruction& inst, std::span<const Opcode> starts);
// A custom call that only orders instructions, and that XLA does not count among their readers.
bool IsControlDependency(const Instruction& inst);
// An error unless exactly one instruction reads the result, one of `readers`.
Status CheckReadOnceBy(const Instruction& inst, std::span<const Opcode> readers);

template <Opcode... kReaders>
Status CheckReadBy(const Instruction& inst) {
  static constexpr Opcode kList[] = {kReaders...};
  return CheckReadOnceBy(inst, kList);
}

}  // namespace axle
