// convolution, for the files that it takes: its definition (convolution.cc) and how it runs with
// dynamic dimensions (convolution_dynamic.cc).
#pragma once
#include "axle/ops/op_def.h"

namespace axle {

// The dimensions of one side by role. For the kernel, `batch` is its input feature and `feature`
// its output feature.
struct Roles {
  i64 batch = -1, feature = -1;
  Dims spatial;
};

struct ConvolutionRoles {
  Roles lhs, rhs, output;
};

// Reads the roles of dimensions from dim_labels, which must give each dimension one role.
StatusOr<ConvolutionRoles> FindConvolutionRoles(const Instruction& inst);

// The convolution, of static shapes, as if the kernel had only its first kernel_sizes[s] elements
// in spatial dimension s: window positions that mean others are skipped as padding of lhs is.
StatusOr<Literal> Convolve(const Instruction& inst, std::span<Literal> operands,
                           const Dims& kernel_sizes, const EvalContext& context);

StatusOr<Literal> EvalConvolutionDynamic(const Instruction& inst, std::span<Literal> operands,
                                         const EvalContext& context);

}  // namespace axle
