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

// How an input is read along the inner loop.
enum class InnerStride : std::uint8_t {
  kUnit,     // neighbours
  kUniform,  // one element for the whole row
  kAny,      // elements `inner_strides` bytes apart
};

// A compiled loop over `outer` rows of `inner` positions. `pointers` are the elements that the
// first position reads and writes, inputs first; along a row outputs are neighbours; from row to
// row operand i moves by outer_strides[i] bytes. An output may be the same array as inputs that are
// read at the same positions, but not overlap them otherwise.
using LoopKernel = void(void* const* pointers, i64 inner, i64 outer, const i64* outer_strides,
                        const i64* inner_strides);

struct LoopKernelSpec {
  const LaneProgram* program;
  std::vector<InnerStride> inputs;
};

// Adds the function `name` to `module`. For each row: a main loop over whole vectors and one masked
// tail.
void EmitLoopKernel(const LoopKernelSpec& spec, int vector_bytes, const std::string& name,
                    llvm::Module& module);

// The runtime functions that kernels may call, T(T, T): emit/executor.h's FloatRemainder.
inline constexpr char kRemainderF32[] = "axle_remainder_f32";
inline constexpr char kRemainderF64[] = "axle_remainder_f64";

}  // namespace axle
