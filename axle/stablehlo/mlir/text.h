// Reads MLIR text: the generic form of every operation and the pretty form of those that have a row
// in dialect.h.
//
//   AXLE_ASSIGN(auto module, mlir::ParseMlirText(text, {.label = "model.mlir"}));
//
// One text is one module; lines `// -----`, which divide a file into several, are comments here.
#pragma once
#include <memory>
#include <string_view>

#include "axle/core/limits.h"
#include "axle/core/status.h"
#include "axle/stablehlo/mlir/ir.h"

namespace axle::mlir {

struct TextOptions {
  std::string_view label = "mlir text";  // opens every message
  Limits* limits = nullptr;              // may be null
};

// The tree in the form of ir.h. It keeps a copy of the text, into which names and errors point.
// Errors: INVALID_ARGUMENT with the place and a caret: what is not MLIR, what an operation's form
// does not take, undefined and twice defined values, types that differ from those of definitions,
// numbers of operands, results and regions that the row does not have, nesting deeper than 250
// regions or 128 brackets. UNIMPLEMENTED: branches between blocks, quantization of sub-channels.
// CANCELLED and DEADLINE_EXCEEDED as the limits say.
StatusOr<std::unique_ptr<MlirModule>> ParseMlirText(std::string_view text,
                                                    const TextOptions& options = {});

}  // namespace axle::mlir
