// The pass `batch-norm`: expands batch norms into sums and arithmetic.
#pragma once
#include "axle/passes/pass.h"

namespace axle {

// Writes batch-norm-training, batch-norm-inference and batch-norm-grad as reductions and
// elementwise instructions: those of docs/ops, in f64 for f64 and else in f32, rounded to the
// declared type at the end. Those with annotations or dynamic dimensions stay.
StatusOr<std::unique_ptr<Module>> WriteBatchNorms(const Module& module, PassContext& context);

}  // namespace axle
