// Operands of dot and convolution that hold only some elements of each block, and what further
// operands say which ones. They are read and printed, and do not run.
#pragma once
#include "axle/ops/op_def.h"

namespace axle {

inline constexpr OperandSpec kSparseOperands[] = {{"lhs"}, {"rhs"}, {"indices", kVariadic}};

inline bool HasSparseOperand(const SparsityConfig& config) {
  return config.lhs.has_value() || config.rhs.has_value();
}
inline bool HasSparseOperand(const DotAttrs& attrs) {
  return HasSparseOperand(attrs.sparsity_config) || !attrs.sparsity.empty();
}
inline bool HasSparseOperand(const ConvolutionAttrs& attrs) {
  return HasSparseOperand(attrs.sparsity_config);
}

// INVALID_ARGUMENT if there are operands behind rhs and nothing is sparse.
Status CheckSparseOperands(const Instruction& inst, bool is_sparse);
// UNIMPLEMENTED if something is.
Status CheckNothingIsSparse(const Instruction& inst, bool is_sparse);

}  // namespace axle
