// Writes modules as bytes of a format that client/load.h reads, for programs that use only the
// client. The functions are thread-safe.
#pragma once
#include <string>

#include "axle/ir/module.h"

namespace axle {

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

}  // namespace axle
