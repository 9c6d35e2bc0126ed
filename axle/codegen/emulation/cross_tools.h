// Tools of other packages, as processes: what makes and runs code of processors that this machine
// does not have. For tests.
#pragma once
#include <string>
#include <vector>

#include "axle/core/status.h"

namespace axle {

// The path of a tool that is in PATH; FAILED_PRECONDITION if it is not.
StatusOr<std::string> FindTool(const std::string& name);

// Runs a tool to its end. INTERNAL with what it wrote if that is no success.
Status RunTool(const std::vector<std::string>& command);

}  // namespace axle
