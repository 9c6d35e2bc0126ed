// What can be computed now.
#pragma once
#include "axle/passes/pass.h"

namespace axle {

// Runs instructions whose operands are constants through the interpreter and puts the result in
// their place. Elementwise ops on repeated scalars are computed once and repeated. What fails when
// it runs stays, to fail then. Not what gives more elements than it reads, so that a program does
// not grow, but for iotas of one dimension; nothing above these sizes, in bytes.
StatusOr<std::unique_ptr<Module>> FoldConstants(const Module& module, PassContext& context);
inline constexpr i64 kMaxFoldedBytes = 64 << 10;
inline constexpr i64 kMaxFoldedOperandBytes = 1 << 20;  // of ops that look at each element once
inline constexpr i64 kMaxFoldedWorkBytes = 16 << 10;    // operands of all others
inline constexpr i64 kMaxFoldedIota = 4096;             // elements

}  // namespace axle
