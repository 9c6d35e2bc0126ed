// Patterns: several instructions that belong together, as programs have them.
#pragma once
#include "axle/gen/recipes.h"

namespace axle {

// Adds one pattern of some kind on values of the body.
void DrawPattern(Body& body);

}  // namespace axle
