// Comparators split into keys and a comparison: most compare the same function of their left and of
// their right elements (floats in total order, -0 and NaN made equal, ...). A sort computes such
// keys once per element instead of once per comparison.
#pragma once
#include <optional>
#include <vector>

#include "axle/emit/lane_program.h"

namespace axle {

// comparator(a, b) == less(keys(a), keys(b)), where a and b are elements of all operands.
struct SplitComparator {
  std::vector<size_t> operands;  // the operands it reads, ascending
  LaneProgram keys;  // of an element of each of these: everything that depends on one side alone
  LaneProgram less;  // inputs 2 * k and 2 * k + 1: output k of `keys` for a and for b
};
SplitComparator Split(const LaneProgram& comparator);

// comparator(.., a, b, ..) == key(a) < key(b), with <= for `or_equal`, and a and b swapped for
// `descending`.
struct KeyedComparator {
  size_t operand = 0;  // a and b are inputs 2 * operand and 2 * operand + 1
  LaneProgram key;     // one input, one output of one part
  bool or_equal = false;
  bool descending = false;
};

// Nothing if the program is not of that form.
std::optional<KeyedComparator> FindKey(const LaneProgram& comparator);

}  // namespace axle
