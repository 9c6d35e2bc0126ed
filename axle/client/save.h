// Writes modules as bytes of a format that client/load.h reads, for programs that use only the
// client. The functions are thread-safe.
#pragma once
#include <string>

#include "axle/core/limits.h"
#include "axle/core/status.h"
#include "axle/ir/module.h"

namespace axle {

// A StableHLO program that leaves sizes open has instructions only for shapes of arguments, so it
// cannot be written. Errors: UNIMPLEMENTED for such a program.
Status CheckCanBeWritten(const Module& module);

struct ModuleTextOptions {
  bool short_form = false;  // without % signs, metadata and program shapes
  // Writes arrays of more than 10 elements as {...}; a reader of the text does not get their
  // values.
  bool elide_constants = false;
};
// Returns the module as HLO text.
std::string ModuleToText(const Module& module, const ModuleTextOptions& options = {});
// Returns the module as an HloModuleProto.
std::string ModuleToProto(const Module& module);

struct StablehloOptions {
  // A portable artifact: VHLO as MLIR bytecode. Otherwise text.
  bool bytecode = false;
  // Of text: what metadata say, as locations behind each operation.
  bool locations = true;
  Limits* limits = nullptr;
};
// Returns the module as StableHLO. Errors: UNIMPLEMENTED for an instruction that has no form there,
// with what to do; those of CheckCanBeWritten; what the limits say.
StatusOr<std::string> ModuleToStablehlo(const Module& module, const StablehloOptions& options = {});

}  // namespace axle
