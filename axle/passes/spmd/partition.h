#pragma once
#include <memory>
#include <string>
#include <vector>

#include "axle/passes/pass.h"

namespace axle {

// A program for several partitions that says how values are divided among them becomes one that
// every partition runs as it stands: its parameters and results have the shapes of their parts.
// Programs for one partition, and those without shardings, stay as they are. Unlike other passes it
// changes the shapes of the entry. Errors: INVALID_ARGUMENT for shardings that do not fit their
// values or the number of partitions; UNIMPLEMENTED for those that nothing here gathers.
StatusOr<std::unique_ptr<Module>> GatherShardings(const Module& module, PassContext& context);

// The shardings of the entry's results, one for each array or token, as the pass has them: where
// the program leaves one open, that of the values that a result is made of element by element, as
// far as they are next to each other in the entry, or else {replicated}. INVALID_ARGUMENT for
// shardings of another number of values.
StatusOr<std::vector<std::string>> ResultShardings(const Module& module);

}  // namespace axle
