// What HLO text asks of an instruction beside what its row does. Protos are held to it too, so that
// every module can be written as text.
#pragma once
#include <string_view>

#include "axle/ir/module.h"

namespace axle {

// An error if text would take the name for an element type.
Status CheckInstructionName(std::string_view name);

// `text` is {true,false}, one flag for each of the `num_leaves` leaves of a parameter's shape.
Status CheckParameterReplication(const Instruction& inst, std::string_view text, i64 num_leaves);

}  // namespace axle
