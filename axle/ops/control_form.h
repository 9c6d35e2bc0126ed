// The ops that run computations on whole values and have a form of their own in compiled code.
#pragma once
#include <cstdint>

#include "axle/ir/instruction.h"

namespace axle {

enum class ControlForm : std::uint8_t {
  kNone,
  kCall,         // callee 0 on the operands
  kWhile,        // callee 0 is the condition, callee 1 the body, operand 0 the state
  kConditional,  // operand 0 chooses callee i, which runs on operand 1 + i: a pred (true is callee
                 // 0), or an s32 (the last callee if there is none of that number)
};
ControlForm ControlFormOf(const Instruction& inst);

}  // namespace axle
