// Executables that the interpreter runs.
#pragma once
#include <memory>

#include "axle/client/executable.h"
#include "axle/client/run_devices.h"

namespace axle {

// Makes the executable of a module that is verified and can run. `devices` must not be empty.
std::shared_ptr<Executable> MakeInterpreted(std::shared_ptr<const Module> module,
                                            ProgramShape shape, RunDevices devices);

}  // namespace axle
