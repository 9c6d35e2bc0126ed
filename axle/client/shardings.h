// How a program for several partitions divides its arguments and results among them.
#pragma once
#include <string>
#include <vector>

#include "axle/core/status.h"

namespace axle {

class Module;  // ir/module.h

// Serialized OpSharding messages, one for each array or token. What the program leaves open is
// replicated, as Client::Compile has it.
struct ProgramShardings {
  std::vector<std::string> parameters, results;
};

// Of a program as it was before it was compiled: afterwards it takes and gives parts. Empty for one
// partition. INVALID_ARGUMENT for shardings of other numbers of values.
StatusOr<ProgramShardings> ShardingsOf(const Module& module);

}  // namespace axle
