// The head of a module: "HloModule name, attribute=value, ..." and the four tables of stack frames.
#pragma once
#include <string>

#include "axle/core/scanner.h"
#include "axle/ir/module.h"

namespace axle {

// Where the attributes stand that can be checked only when the computations are there; 0: nowhere.
struct HeaderPositions {
  size_t entry_layout = 0;
  size_t aliases = 0;
  size_t donors = 0;
};

// Reads what follows the module's name, the tables included.
Status ParseModuleHeader(Scanner& scanner, ModuleConfig& config, HeaderPositions& positions);
// CheckModuleConfig (ops/attributes/module_config.h) that says where in the text the trouble is.
Status CheckModuleHeader(const Scanner& scanner, const Module& module,
                         const HeaderPositions& positions);

// What follows the module's name on the first line. If the config does not state the shapes of the
// entry, they are those of its instructions.
std::string ModuleHeaderText(const Module& module);

// The four tables, each block with an empty line before it; "" if there are none.
std::string StackFramesText(const StackFrameIndex& frames);

}  // namespace axle
