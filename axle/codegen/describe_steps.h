// What the records of compiled programs are, for profiles.
#pragma once
#include <vector>

#include "axle/codegen/compiler.h"
#include "axle/core/step_description.h"

namespace axle {

// One group for each program of `compiled`; the key is its address. `report` is of the same module,
// compiled in the same way: its records are those of the programs, but for copies.
std::vector<StepGroupDescription> DescribeSteps(const CompiledModule& compiled,
                                                const CompileReport& report);

}  // namespace axle
