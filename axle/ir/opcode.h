// Opcode: one enumerator per operation.
#pragma once
#include <cstdint>

namespace axle {

enum class Opcode : std::uint8_t {
#define OP(name) k##name,
#include "axle/ir/opcodes.def"
#undef OP
};

inline constexpr int kOpcodeCount = 0
#define OP(name) +1
#include "axle/ir/opcodes.def"
#undef OP
    ;

}  // namespace axle
