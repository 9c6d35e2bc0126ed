// HloModuleProto out: the same bytes for the same module. Fields are in ascending order, and those
// at their default are left out, as XLA does it.
//
// Instruction ids are (computation id << 32 | position + 1), computation ids 1, 2, ...
#pragma once
#include <span>
#include <string>

#include "axle/core/literal.h"
#include "axle/ir/module.h"

namespace axle {

std::string WriteModuleProto(const Module& module);  // HloModuleProto
std::string WriteHloProto(const Module& module);
// With arguments and result; an empty `result` is left out.
std::string WriteHloSnapshot(const Module& module, std::span<const Literal> arguments,
                             const Literal* result = nullptr);

}  // namespace axle
