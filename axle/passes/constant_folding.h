// The pass `constant-folding`.
#pragma once
#include "axle/passes/pass.h"

namespace axle {

// Runs instructions whose operands are constants through the interpreter and replaces them by the
// result. Elementwise operations on broadcast scalars are computed once and broadcast. An
// instruction that fails stays, so that it fails at run time. Instructions that give more elements
// than they read stay, so that the program does not grow, except iotas of one dimension. Larger
// arrays than these limits, in bytes, stay.
StatusOr<std::unique_ptr<Module>> FoldConstants(const Module& module, PassContext& context);
inline constexpr i64 kMaxFoldedBytes = 64 << 10;
inline constexpr i64 kMaxFoldedOperandBytes = 1 << 20;  // of index maps and elementwise operations
inline constexpr i64 kMaxFoldedWorkBytes = 16 << 10;    // operands of all others
inline constexpr i64 kMaxFoldedIota = 4096;             // elements

}  // namespace axle
