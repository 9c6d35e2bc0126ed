// Reads MLIR bytecode: portable artifacts of StableHLO (VHLO of any version since 0.9.0, as JAX's
// export and PJRT send them, with Shardy's operations in between), and the plain bytecode of the
// dialects builtin, func, stablehlo, chlo and sdy, which MLIR's tools write. All versions of the
// container, 0 to 6.
//
// The module is in the one form of ir.h. Its constants are copies; nothing refers to the bytes
// afterwards. Reading does not recurse, takes memory in proportion to the file, and time that is
// linear in it.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "axle/core/limits.h"
#include "axle/core/status.h"
#include "axle/stablehlo/mlir/ir.h"

namespace axle::mlir {

struct BytecodeOptions {
  std::string label = "MLIR bytecode";  // opens every message: the name of the file
  Limits* limits = nullptr;             // may be null
};

// Whether they begin as MLIR bytecode does; else they are text.
bool IsMlirBytecode(std::string_view bytes);

// Errors name the offset and what was expected there: "f.bc: byte 17: ...". INVALID_ARGUMENT for
// damaged files, UNIMPLEMENTED for what is newer than this reader or has no place in the tree.
StatusOr<std::unique_ptr<MlirModule>> ReadMlirBytecode(std::string_view bytes,
                                                       const BytecodeOptions& options = {});

// What the head of a file says of itself.
struct BytecodeInfo {
  int container_version = 0;  // 0 to 6
  std::string producer;       // "StableHLO_v1.13.7", "MLIR23.0.0git"
  // "1.13.7", of a portable artifact; "" if it is none.
  std::string stablehlo_version;
};
StatusOr<BytecodeInfo> ReadBytecodeInfo(std::string_view bytes,
                                        const std::string& label = "MLIR bytecode");

}  // namespace axle::mlir
