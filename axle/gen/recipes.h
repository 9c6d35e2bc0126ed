// How each operation is generated. Operations whose operands are alike and whose attributes all
// have defaults need no line anywhere: their rows tell what they accept (signatures). Operations
// with attributes, called computations or a declared shape have a recipe, and a few are not
// generated, for a stated reason. tests/gen/ checks that every operation is one of the three.
#pragma once
#include <optional>
#include <string_view>

#include "axle/gen/body.h"

namespace axle {

// Adds the op with `type` as the element type of its first operand (of its result if it has none),
// and whatever it needs; null if it does not take the type, or not this time.
using DrawFn = Instruction* (*)(Body& body, ElementType type);

struct Recipe {
  Opcode opcode;
  DrawFn draw;
};

// The files of recipes.
std::span<const Recipe> MovementRecipes();
std::span<const Recipe> NumericRecipes();
std::span<const Recipe> FoldRecipes();
std::span<const Recipe> ControlRecipes();
std::span<const Recipe> DeviceRecipes();

// The ops that are drawn, in the order of the opcodes.
std::span<const OpDef* const> DrawnOps();
// Why an op is not among them; "" if it is.
std::string_view WhyNotDrawn(Opcode opcode);

// One instruction of this op, on values of the body; null if there is none this time. The arrays of
// its result become values of the body.
Instruction* Draw(Body& body, const OpDef& def, ElementType type);
// A few instructions of any ops, and of ops without called computations, attributes or several
// operand types: what scalar functions are made of.
void DrawSome(Body& body, int count);
void DrawLanes(Body& body, int count);

// A computation of scalars that returns scalars of these types, a tuple if there are several or
// `as_tuple`.
HloComputation* DrawScalarFunction(Body& body, std::span<const ElementType> parameters,
                                   std::span<const ElementType> results, bool as_tuple = false);
// A reducer of accumulators and values of these types.
HloComputation* DrawReducer(Body& body, std::span<const ElementType> types);
// A comparator for sorting by these types.
HloComputation* DrawComparator(Body& body, std::span<const ElementType> types);

}  // namespace axle
