// Prints a tree as MLIR text: pretty forms where an operation has one and fits it, else the generic
// form, as mlir-opt does. Values are numbered anew, arguments of regions are %arg0, ... .
#pragma once
#include <string>

#include "axle/stablehlo/mlir/ir.h"

namespace axle::mlir {

struct PrintTextOptions {
  bool generic = false;  // every operation in the generic form
  bool locations =
      false;  // loc(#loc1) behind each operation and argument; what they say at the end
};

// ParseMlirText reads it back as an equal tree (compare.h).
std::string PrintMlirText(const MlirModule& module, const PrintTextOptions& options = {});

}  // namespace axle::mlir
