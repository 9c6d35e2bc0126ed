// Modules as bytes of a format that client/load.h reads: for those who use the client alone.
// Thread-safe.
#pragma once
#include <string>

#include "axle/ir/module.h"

namespace axle {

struct ModuleTextOptions {
  bool short_form = false;  // no % signs, metadata and program shapes
  // Arrays of more than 10 elements as {...}: what reads the text back has no values of them.
  bool elide_constants = false;
};
// HLO text.
std::string ModuleToText(const Module& module, const ModuleTextOptions& options = {});
// HloModuleProto.
std::string ModuleToProto(const Module& module);

}  // namespace axle
