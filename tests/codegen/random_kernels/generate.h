// Draws random programs.
#pragma once
#include "axle/gen/random.h"
#include "tests/codegen/random_kernels/program.h"

namespace axle {

// The same for the same arguments, on every machine. Its operations are defined on all inputs.
RandomProgram Generate(std::uint64_t seed, std::uint64_t index, KernelForm form);
// What its inputs are drawn from.
inline Random InputStream(std::uint64_t seed, std::uint64_t index) {
  return {~seed, index};
}

}  // namespace axle
