// Lane programs to LLVM IR with explicit vectors: one switch over primitives. The results are those
// of emit/executor.h, bit for bit, whatever the vector width and the effort of the code generator.
#pragma once
#include <string>
#include <vector>

#include "axle/emit/lane_program.h"

namespace llvm {
class Module;
}  // namespace llvm

namespace axle {

// A compiled program: inputs[i] and outputs[i] are arrays of `count` elements. An output may be the
// same array as an input, but not overlap it otherwise.
using LaneKernel = void(const void* const* inputs, void* const* outputs, i64 count);

struct LaneKernelSpec {
  const LaneProgram* program;
  // One per input: it is a single element, the same for all lanes.
  std::vector<bool> uniform;
};

// Adds the function `name` to `module`: a main loop over whole vectors and one masked tail.
void EmitLaneKernel(const LaneKernelSpec& spec, int vector_bytes, const std::string& name,
                    llvm::Module& module);

// The runtime functions that kernels may call, T(T, T): emit/executor.h's FloatRemainder.
inline constexpr char kRemainderF32[] = "axle_remainder_f32";
inline constexpr char kRemainderF64[] = "axle_remainder_f64";

}  // namespace axle
