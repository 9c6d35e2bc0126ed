// The builder's functions for random numbers, linear algebra, Fourier transforms and batch
// normalisation, with XLA's names.
// Included by xla_builder.h.
#pragma once
#include "axle/builder/xla_op.h"
#include "axle/ops/attributes.h"

namespace axle {

// (new state, bits): `shape` with its element type replaced by the unsigned integer of its width.
XlaOp RngBitGenerator(RandomAlgorithm algorithm, XlaOp initial_state, const Shape& shape,
                      Location location = std::source_location::current());
// `shape` filled with numbers of [a, b), or of a normal distribution.
XlaOp RngUniform(XlaOp a, XlaOp b, const Shape& shape,
                 Location location = std::source_location::current());
XlaOp RngNormal(XlaOp mu, XlaOp sigma, const Shape& shape,
                Location location = std::source_location::current());
// 1 with the probability `mean`, f32[], else 0; the element type of `shape` is u32. Of older
// programs.
XlaOp RngBernoulli(XlaOp mean, const Shape& shape,
                   Location location = std::source_location::current());

XlaOp Cholesky(XlaOp a, bool lower, Location location = std::source_location::current());
// Solves op(a) x = b, or x op(a) = b if not left_side.
XlaOp TriangularSolve(XlaOp a, XlaOp b, bool left_side, bool lower, bool unit_diagonal,
                      TransposeOption transpose_a,
                      Location location = std::source_location::current());
XlaOp Fft(XlaOp operand, FftType fft_type, ArraySlice<i64> fft_length,
          Location location = std::source_location::current());

// (output, batch_mean, batch_var).
XlaOp BatchNormTraining(XlaOp operand, XlaOp scale, XlaOp offset, float epsilon, i64 feature_index,
                        Location location = std::source_location::current());
XlaOp BatchNormInference(XlaOp operand, XlaOp scale, XlaOp offset, XlaOp mean, XlaOp variance,
                         float epsilon, i64 feature_index,
                         Location location = std::source_location::current());
// (grad_operand, grad_scale, grad_offset).
XlaOp BatchNormGrad(XlaOp operand, XlaOp scale, XlaOp batch_mean, XlaOp batch_var,
                    XlaOp grad_output, float epsilon, i64 feature_index,
                    Location location = std::source_location::current());

}  // namespace axle
