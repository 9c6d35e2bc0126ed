// Values as axle run shows them: as text that people and --arg read, and as JSON.
#pragma once
#include <string>

#include "axle/core/literal.h"

namespace axle::tool {

// An array as a literal: a scalar and a vector on one line, anything larger with one row of the
// last dimension on each line and its elements under each other. With `full` all of it, which --arg
// and ParseLiteral read back; else, of more than kShownElements elements, only the first and last
// kShownEdge along each dimension that has more than twice as many, with "..." between them.
std::string ValueText(const Literal& value, bool full);

inline constexpr i64 kShownElements = 200;
inline constexpr i64 kShownEdge = 3;

// The same as JSON, always all of it: nested lists, row-major; a number for a scalar. Integers are
// exact, also those of 64 bits; floats have the digits that read back as the same value of their
// type; pred is true or false; a complex number is the list [re, im]. What JSON has no number for
// is a string: "nan", "inf", "-inf".
void AppendJson(const Literal& value, std::string& out);

}  // namespace axle::tool
