// Opcode: one enumerator per implemented operation. The names of operations that are still to come
// are known too, so that they are told apart from misspelt ones.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

namespace axle {

enum class Opcode : std::uint8_t {
#define OP(name) k##name,
#define PLANNED(text)
#include "axle/ir/opcodes.def"
#undef OP
#undef PLANNED
};

inline constexpr int kOpcodeCount = 0
#define OP(name) +1
#define PLANNED(text)
#include "axle/ir/opcodes.def"
#undef OP
#undef PLANNED
    ;

// HLO text names of operations that Axle does not have yet.
inline constexpr std::string_view kPlannedOps[] = {
#define OP(name)
#define PLANNED(text) text,
#include "axle/ir/opcodes.def"
#undef OP
#undef PLANNED
};

}  // namespace axle
