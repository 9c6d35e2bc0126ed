// Workarounds for bugs of LLVM: IR that LLVM compiles wrongly is replaced by IR with the same
// meaning that it compiles correctly.
//
// Each bug has a reproducer, tests/codegen/llvm_bugs/NAME.ll, whose header says what is wrong,
// where and in which versions of LLVM; scripts/llvm_bugs.py (ctest scripts.llvm_bugs) checks that
// the LLVM at hand still has it, and docs/llvm-workarounds.md is the page for readers. Programs and
// kernels that showed a bug are in tests/data/found, tests/codegen/llvm_workarounds_test.cc and
// tests/codegen/random_kernels/found_kernels_test.cc.
#pragma once
#include <llvm/IR/Module.h>

#include "axle/codegen/llvm/jit.h"

namespace axle {

// Adds the workarounds to the functions of `module`, whose IR no pass may change afterwards: a pass
// could form the patterns again. In NAME.ll order of the code:
//
//   narrow_mul_trunc, narrow_mul_lshr   high products of narrow factors lose bits
//   mulhu_by_one                        the high half of x * 1 is undefined
//   fdiv_zero_by_zero                   0 / 0 is taken for 0
//   sdiv_of_shuffled_lanes              divisions with undefined divisors in unread lanes
//   rotate_by_zero                      vector rotates by 0, without AVX-512
//   bit_test_cannot_select              scalar bit tests that end the process
//   shift_of_partly_constant_vector     constant lanes are lost in shifts
//   or_of_late_all_ones                 lanes that are absorbed by or and and
//   select_of_bit_select                masked bit-selects, AVX-512
//   abds_of_unsigned                    unsigned absolute differences of i64, without AVX-512
//   umax_of_truncation                  a truncated maximum is taken for the whole
//
// The first three lines and sdiv_of_shuffled_lanes are worked around on all processors, the others
// on x86. Bugs that are worked around elsewhere:
//
//   select_of_shuffled_select           a pass of LLVM that does not run (jit.cc, kPassOptions)
//   shuffles_of_eight_i64               functions of few elements keep to registers of 32 bytes
//                                       (small_values.h, ForSmallValues); in loops, only complex
//                                       numbers are shuffled, which does not form the pattern
//   shuffle_recursion                   functions of few elements are never compiled at O0
//                                       (kernel_cache/kernel_table.cc, CodegenLevel)
//   insert_subvector_narrow             shuffles with LLVM 19 (llvm_versions.h, InsertVector)
void WorkAroundLlvm(llvm::Module& module, const JitTarget& target);

}  // namespace axle
