// StableHLO to HLO: a module of computations from a tree that a reader has made (mlir/ir.h).
//
//   AXLE_ASSIGN(auto source, mlir::ParseMlirText(text));
//   AXLE_ASSIGN(std::unique_ptr<Module> module, ConvertToHlo(*source));
//
// Functions become computations, @main the entry. Thread-safe. Sets and restores the
// floating-point mode itself where constants are computed.
#pragma once
#include <memory>
#include <span>

#include "axle/core/limits.h"
#include "axle/core/status.h"
#include "axle/ir/module.h"
#include "axle/stablehlo/mlir/ir.h"

namespace axle {

struct ConvertOptions {
  Limits* limits = nullptr;
  // One for each argument of @main, or none. A program that leaves sizes open, tensor<?x4xf32>, is
  // converted for these; all other sizes follow from them. What its own shape assertions refuse is
  // INVALID_ARGUMENT with their text.
  std::span<const Shape> argument_shapes = {};
};

// A verified module, or an error: INVALID_ARGUMENT for what breaks a rule of StableHLO's
// specification, UNIMPLEMENTED for what HLO has no form for, with the place in the program and what
// the program's location says. `source` is read during the call only.
StatusOr<std::unique_ptr<Module>> ConvertToHlo(const mlir::MlirModule& source,
                                               const ConvertOptions& options = {});

// The same of a program that leaves sizes open, for which no shapes are given: a module with its
// parameters, whose results are open too, and that is made once the shapes of its arguments are
// known (Module::open_program). `source` lives as long as that module.
StatusOr<std::unique_ptr<Module>> ConvertOrKeepOpen(std::shared_ptr<const mlir::MlirModule> source,
                                                    const ConvertOptions& options = {});

}  // namespace axle
