// StableHLO's static verification: the constraints of its specification that can be checked on the
// program alone. HLO's own inference comes later, where the program is converted, and knows neither
// quantized types nor open sizes; a program that leaves sizes open is converted only when its
// arguments are known, but verified when it is read.
//
//   AXLE_TRY(VerifyProgram(*source, limits));
//
// Every operation is looked at on its own, an operation before what is inside of it:
//   structure.cc  counts of operands, results and regions, kinds and ranges of attributes, blocks
//   kinds.cc      the types that an operand or result may have
//   rules.cc      the rows: kinds, relations between types, and the function with the other rules
//   others        these functions, by families of operations
#pragma once
#include <string>

#include "axle/core/limits.h"
#include "axle/core/status.h"
#include "axle/stablehlo/mlir/ir.h"

namespace axle::stablehlo {

// What breaks a rule.
struct Refusal {
  const mlir::Operation* op = nullptr;
  std::string what;  // "stablehlo.add: ..."
};

// The first error in the program's order, INVALID_ARGUMENT with its place. Operations of dialects
// without rows here are not looked at. `limits` may be null; `refusal`, if it is not
// null, gets the operation and the text without the place.
Status VerifyProgram(const mlir::MlirModule& source, Limits* limits = nullptr,
                     Refusal* refusal = nullptr);

}  // namespace axle::stablehlo
