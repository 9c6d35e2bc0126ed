// Patterns: several instructions that belong together, as programs have them.
#pragma once
#include "axle/gen/recipes.h"

namespace axle {

// Adds one pattern of some kind on values of the body.
void DrawPattern(Body& body);
// Chains of idioms (chain.h): integers.cc, floats.cc.
void DrawIntegers(Body& body);
void DrawFloats(Body& body);
void DrawDenseIntegers(Body& body);
void DrawDenseFloats(Body& body);
// Few elements in other orders: shuffles.cc.
void DrawShuffles(Body& body);
// `operand` reduced along these dimensions with an op that its type has; null if it has none.
Instruction* Reduced(Body& body, Instruction* operand, const Dims& dims);
// Adds the operation where a compiler makes other code than for the operation alone: settings.cc.
void DrawSetting(Body& body, const OpDef& def, ElementType type);
// The same in each of those places, in most of them with arguments of its own.
void DrawSettings(Body& body, const OpDef& def, ElementType type);

}  // namespace axle
