// What layers of neural networks are made of.
//
//   Relu(x), Softmax(logits), LayerNorm(x, scale, offset), OneHot(labels, 10, F32)
//
// `dimension` counts from the end if negative: -1 is the last one. Softmax, LogSoftmax and
// LayerNorm take floats and give the operand's shape, [dims]; floats narrower than f32 are computed
// in f32 and rounded once. Errors are as xla_builder.h says for all functions; INVALID_ARGUMENT for
// a dimension that is not there or another type.
#pragma once
#include "axle/builder/xla_builder.h"

namespace axle {

// max(x, 0), elementwise, of real numbers; NaN stays.
XlaOp Relu(XlaOp x, Location location = std::source_location::current());
// exp(x) / sum of exp(x) along `dimension`, of x - max(x), so that nothing overflows. NaN along a
// line with NaN, with inf, or of -inf only.
XlaOp Softmax(XlaOp logits, i64 dimension = -1,
              Location location = std::source_location::current());
// The logarithm of that: x - max(x) - log(sum of exp(x - max(x))).
XlaOp LogSoftmax(XlaOp logits, i64 dimension = -1,
                 Location location = std::source_location::current());
// (x - mean) / sqrt(variance + epsilon) * scale + offset, with the mean and the biased variance
// along `dimension`, whose size is n; scale and offset are [n], of the operand's type.
XlaOp LayerNorm(XlaOp x, XlaOp scale, XlaOp offset, float epsilon = 1e-5F, i64 dimension = -1,
                Location location = std::source_location::current());
// `indices` [dims] of integers give type[dims.., depth], with the new dimension at `axis` of the
// result: 1 at each index, 0 elsewhere, and 0 everywhere for an index outside of 0..depth - 1.
XlaOp OneHot(XlaOp indices, i64 depth, PrimitiveType type, i64 axis = -1,
             Location location = std::source_location::current());

}  // namespace axle
