#include "axle/kernels/block_kernels.h"

namespace axle {

#if defined(__x86_64__)
namespace isa_v3 {
extern const BlockKernels<float> kBlockKernelsF32;
extern const BlockKernels<double> kBlockKernelsF64;
}  // namespace isa_v3
namespace isa_v4 {
extern const BlockKernels<float> kBlockKernelsF32;
extern const BlockKernels<double> kBlockKernelsF64;
}  // namespace isa_v4

template <>
const BlockKernels<float>* BlockKernelsOf(InstructionSet instruction_set) {
  return instruction_set == InstructionSet::kX86V4 ? &isa_v4::kBlockKernelsF32
                                                   : &isa_v3::kBlockKernelsF32;
}
template <>
const BlockKernels<double>* BlockKernelsOf(InstructionSet instruction_set) {
  return instruction_set == InstructionSet::kX86V4 ? &isa_v4::kBlockKernelsF64
                                                   : &isa_v3::kBlockKernelsF64;
}
#else
template <>
const BlockKernels<float>* BlockKernelsOf(InstructionSet) {
  return nullptr;
}
template <>
const BlockKernels<double>* BlockKernelsOf(InstructionSet) {
  return nullptr;
}
#endif

}  // namespace axle
