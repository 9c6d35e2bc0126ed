// Whether two trees say the same: what tests of readers and printers ask.
#pragma once
#include <string>

#include "axle/stablehlo/mlir/ir.h"

namespace axle::mlir {

struct CompareOptions {
  bool locations = false;  // of operations and arguments, too
};

// "" if they are equal, else where the first difference is and what it is: "in stablehlo.add
// (operation 12): the attribute x is 1 : i64 against 2 : i64". Names of values, positions and the
// order of attributes do not count; an attribute with its default is one that is absent; elements
// count by their values.
std::string FirstDifference(const MlirModule& a, const MlirModule& b,
                            const CompareOptions& options = {});
bool SameAttribute(const Attribute& a, const Attribute& b);

}  // namespace axle::mlir
