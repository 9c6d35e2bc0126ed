// Arguments from the command line, results to files.
#pragma once
#include <vector>

#include "axle/core/literal.h"
#include "axle/ir/module.h"
#include "tools/axle/session.h"

namespace axle::tool {

// One literal per parameter: --arg goes before --inputs, --fake fills what is left. Without any of
// them, those that were stored with the program.
StatusOr<std::vector<Literal>> ReadArguments(Session& session, const HloComputation& entry,
                                             std::vector<Literal> stored = {});
// out_0, ... into an .npz file, or into a folder of .npy files.
Status WriteResult(const std::string& path, const Literal& result);

}  // namespace axle::tool
