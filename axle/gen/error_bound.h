// How far results may be from the strict ones if a compilation rounds as it likes: the relaxations
// that docs/numerics.md allows `fast`, followed through a module instruction by instruction.
#pragma once
#include <memory>
#include <string>

#include "axle/core/literal.h"
#include "axle/core/status.h"
#include "axle/ir/module.h"

namespace axle {

// A module with the parameters of `module`, which has had its passes, and the result
// (r, (b0, b1, ...)): r is that of `module`, and each b an f64 array of bounds for an array of r,
// depth first, |fast - strict| <= b. 0: the same bits. Infinity or NaN: nothing is known, as after
// a comparison that may go either way, near an overflow, and behind loops. Verified: INTERNAL if
// the bounds are no valid HLO.
StatusOr<std::unique_ptr<Module>> WithErrorBounds(const Module& module);

struct BoundedElements {
  i64 exact = 0, within = 0, unknown = 0;  // elements that were compared, or not
  std::string violation;                   // "" or the first element that is too far away
  void Count(const BoundedElements& others) {
    exact += others.exact;
    within += others.within;
    unknown += others.unknown;
  }
};
// Compares one result with the result of the module above. With several devices both are tuples of
// what the devices give.
BoundedElements CompareWithin(const Literal& fast, const Literal& strict_and_bounds,
                              i64 num_devices = 1);

}  // namespace axle
