// One number between its text and its bits, rounded once and in any locale, for every element type.
// Literals, attributes and the command line read and print numbers through here.
#pragma once
#include <string>
#include <string_view>

#include "axle/core/element_type.h"
#include "axle/core/status.h"

namespace axle {

// A float of this format as HLO text prints it: with `digits` significant digits if that reads back
// as the same value, else with `max_digits`. NaNs print their payload if it is not the usual one.
void AppendFloat(const ElementTypeInfo& info, std::uint64_t bits, std::string& out);

// Reads a number token (see Scanner::NumberToken). The value is the decimal number rounded once to
// nearest even. On an error the message says why, without a position: "1e99 is out of the range of
// f16".
StatusOr<std::uint64_t> ParseFloat(const ElementTypeInfo& info, std::string_view token);

// The nearest f64 (f32) of any number token; beyond the range it is infinity or zero.
double ParseDouble(std::string_view token);
float ParseSingle(std::string_view token);

}  // namespace axle
