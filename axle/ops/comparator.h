// Recognises comparators: most compare one function of their left element with the same function of
// their right one, however it is computed (floats in total order, -0 and NaN made equal, ...).
#pragma once
#include <optional>

#include "axle/emit/lane_program.h"

namespace axle {

// comparator(.., a, b, ..) == key(a) < key(b), with <= for `or_equal`, and a and b swapped for
// `descending`.
struct KeyedComparator {
  size_t operand = 0;  // a and b are inputs 2 * operand and 2 * operand + 1
  LaneProgram key;     // one input, one output of one part
  bool or_equal = false;
  bool descending = false;
};

// Nothing if the program is not of that form, or not recognised.
std::optional<KeyedComparator> FindKey(const LaneProgram& comparator);

}  // namespace axle
