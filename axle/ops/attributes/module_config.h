// Checks of the head of a module against its entry: readers of every format and the builder call
// them.
#pragma once
#include <span>

#include "axle/ir/module.h"

namespace axle {

// INVALID_ARGUMENT if parameters, results or elements of them are named that the entry does not
// have, an output is aliased twice, or the layout is of other shapes.
Status CheckEntryLayout(const ProgramShape& program, const HloComputation& entry);
Status CheckAliases(std::span<const AliasEntry> aliases, const HloComputation& entry);
Status CheckDonors(std::span<const BufferDonor> donors, const HloComputation& entry);
// All three for config().
Status CheckModuleConfig(const Module& module);

}  // namespace axle
