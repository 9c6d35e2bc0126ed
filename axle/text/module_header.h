// The head of a module: "HloModule name, attribute=value, ..." and the four tables of stack frames.
#pragma once
#include <string>

#include "axle/core/scanner.h"
#include "axle/ir/module.h"

namespace axle {

// Reads what follows the module's name; checks what can be checked without the computations.
Status ParseModuleHeader(Scanner& scanner, ModuleConfig& config);

// What follows the module's name on the first line. `module` gives the shapes of the entry if the
// config does not state them.
std::string ModuleHeaderText(const Module& module);

// The four tables, each block with an empty line before it; "" if there are none.
std::string StackFramesText(const StackFrameIndex& frames);

}  // namespace axle
