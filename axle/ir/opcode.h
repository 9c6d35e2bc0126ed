// Opcode: one enumerator per operation, those that are still to come included.
#pragma once
#include <cstdint>

namespace axle {

enum class Opcode : std::uint8_t {
#define OP(name) k##name,
#define PLANNED(name, text) k##name,
#include "axle/ir/opcodes.def"
#undef OP
#undef PLANNED
};

inline constexpr int kOpcodeCount = 0
#define OP(name) +1
#define PLANNED(name, text) +1
#include "axle/ir/opcodes.def"
#undef OP
#undef PLANNED
    ;

}  // namespace axle
