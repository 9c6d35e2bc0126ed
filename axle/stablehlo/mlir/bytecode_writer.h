// Writes a portable artifact of StableHLO: VHLO in MLIR bytecode, version 6 of the container, which
// every reader of StableHLO 0.15 or newer takes.
//
// The module is in the form of ir.h. Attributes that it does not state are written with their
// defaults, as VHLO wants them. Shardy's operations keep the types of the dialect builtin; where a
// value crosses between them and VHLO's, a builtin.unrealized_conversion_cast is put, unless the
// module has one there.
#pragma once
#include <string>

#include "axle/core/status.h"
#include "axle/stablehlo/mlir/ir.h"
#include "axle/stablehlo/mlir/vhlo_codes.h"

namespace axle::mlir {

struct BytecodeWriteOptions {
  StableHloVersion stablehlo_version = kNewestStableHlo;  // 0.9.0 to kNewestStableHlo
};

// Errors: UNIMPLEMENTED for what that version of StableHLO lacks, naming it and the version that
// brought it, and for operations that VHLO has none of (chlo.erf); INVALID_ARGUMENT for a module
// that lacks an attribute, or refers from an isolated region to values around it.
StatusOr<std::string> WriteMlirBytecode(const MlirModule& module,
                                        const BytecodeWriteOptions& options = {});

}  // namespace axle::mlir
