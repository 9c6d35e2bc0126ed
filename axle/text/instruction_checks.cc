#include "axle/text/instruction_checks.h"

#include <algorithm>

#include "axle/core/strings.h"
#include "axle/ops/op_def.h"

namespace axle {

Status CheckInstructionName(std::string_view name) {
  const bool is_type = ElementTypeFromName(name) != PRIMITIVE_TYPE_INVALID || name == "token" ||
                       name == "opaque" || name == "opaque_type";
  if (!is_type) return {};
  return InvalidArgument(StrCat("\"", name,
                                "\" is an element type and no name of an instruction; \"", name,
                                "_\" can be one"));
}

Status CheckParameterReplication(const Instruction& inst, std::string_view text, i64 num_leaves) {
  if (!IsParameter(inst)) return InvalidArgument("parameter_replication is for parameters only");
  const i64 num_flags = std::ranges::count(text, ',') + (text == "{}" ? 0 : 1);
  if (num_flags == num_leaves) return {};
  return InvalidArgument(StrCat("parameter_replication has ", num_flags,
                                " flags but the shape has ", num_leaves, " leaves"));
}

}  // namespace axle
