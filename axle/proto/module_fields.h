// The fields of HloModuleProto beside its computations: what the head of a module's text says.
#pragma once
#include <span>
#include <string>

#include "axle/core/wire.h"
#include "axle/ir/module.h"

namespace axle {

// All of them but the schedule, whose ids the writer of the computations knows.
void WriteModuleConfig(const Module& module, WireWriter& out);

// One field of the module; those of others are skipped.
Status ReadModuleConfigField(const WireReader& in, ModuleConfig& config);

ProgramShape ProgramShapeOf(const HloComputation& computation);
// XLA wants as many names as parameters; those that are not in `names` are p0, p1, ...
WireWriter ProgramShapeMessage(const ProgramShape& program,
                               std::span<Instruction* const> names = {});

}  // namespace axle
