// HLO to StableHLO: the inverse of convert.h, a tree in the one form of mlir/ir.h.
//
//   AXLE_ASSIGN(std::unique_ptr<mlir::MlirModule> tree, ExportToStablehlo(*module));
//   std::string text = mlir::PrintMlirText(*tree);
//
// What it makes of a module:
//  * The entry is @main, public, with one argument for each parameter and, if its root is a tuple,
//    one result for each element of it. Arguments and results that are tuples (the elements of a
//    root) stay tuples. A computation that is called is a private function.
//  * Computations of loops, branches, reductions, sorts and the like are regions, once for each
//    use. One that is large and used more than once, or that would be nested too deeply, is a
//    private function that the region calls.
//  * Fusions and asynchronous computations stand where they run. Copies, domains and other
//    operations that give their operand are left out. Operations that StableHLO does not have, but
//    CHLO does, are those of CHLO.
//  * Layouts are left out, since they change no value: of bitcasts, whose meaning they are part of,
//    a transposition says the same; custom calls keep layouts that they constrain.
//  * Metadata are locations, shardings and frontend attributes those of MHLO (mhlo.sharding).
//    Control dependencies, schedules, statistics and backend_configs of operations that are no
//    custom calls are left out, as are aliases of parts of a parameter.
//
// Thread-safe.
#pragma once
#include <memory>

#include "axle/core/limits.h"
#include "axle/core/status.h"
#include "axle/ir/module.h"
#include "axle/stablehlo/mlir/ir.h"

namespace axle {

struct ExportOptions {
  // Operations of CHLO as composites of their names, as JAX sends them: for portable artifacts,
  // which have no CHLO. The decomposition of each is a custom call of mhlo.<name>, for readers that
  // do not know the composite. chlo.scan, which has a region, stays.
  bool chlo_as_composites = false;
  Limits* limits = nullptr;
};

// `module` is verified, and read during the call only. Errors: UNIMPLEMENTED for what neither
// StableHLO nor CHLO has a form for, which names the instruction and says what to do;
// INVALID_ARGUMENT for a module without an entry; what the limits say.
StatusOr<std::unique_ptr<mlir::MlirModule>> ExportToStablehlo(const Module& module,
                                                              const ExportOptions& options = {});

}  // namespace axle
