// Where in the source of a program an instruction comes from.
#ifndef AXLE_IR_SOURCE_PLACE_H_
#define AXLE_IR_SOURCE_PLACE_H_

#include <string>

#include "axle/ir/instruction.h"

namespace axle {

// The line that made an instruction, "net.py:17", from its metadata: the file and line, or the
// innermost frame of its stack. It is empty if the instruction has neither, and if an id of its
// frame is not in the tables of the module.
std::string SourcePlace(const Instruction& instruction);

}  // namespace axle

#endif  // AXLE_IR_SOURCE_PLACE_H_
