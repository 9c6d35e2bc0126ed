// The builder's functions for random numbers, linear algebra, Fourier transforms and batch
// normalisation, with XLA's names. The header is included by xla_builder.h, which states what holds
// for all of the builder's functions.
#pragma once
#include "axle/builder/xla_op.h"
#include "axle/ops/attributes/attribute_types.h"

namespace axle {

// Returns (new state, bits): random bits from a state that the caller keeps;
// docs/ops/rng-bit-generator.md.
//
//   initial_state  u64[2] or u64[3]; for kThreeFry u64[2]
//   bits           `shape`, its element type replaced by the unsigned integer of its width
//
// Errors: INVALID_ARGUMENT if there is no such integer.
XlaOp RngBitGenerator(RandomAlgorithm algorithm, XlaOp initial_state, const Shape& shape,
                      Location location = std::source_location::current());
// Return `shape` filled with numbers of [a, b), or of a normal distribution; the bits depend on
// ExecuteOptions::random_seed. The bounds, or mean and deviation, are [] of the shape's element
// type: floats, or for RngUniform integers or pred. Dynamic dimensions are UNIMPLEMENTED when the
// program runs. docs/ops/rng.md.
XlaOp RngUniform(XlaOp a, XlaOp b, const Shape& shape,
                 Location location = std::source_location::current());
XlaOp RngNormal(XlaOp mu, XlaOp sigma, const Shape& shape,
                Location location = std::source_location::current());
// Returns `shape`, of u32: 1 with the probability `mean`, f32[], else 0. Older programs use it.
XlaOp RngBernoulli(XlaOp mean, const Shape& shape,
                   Location location = std::source_location::current());

// Returns the factor L of L L^H = a, or U of U^H U = a if not `lower`; the other triangle is 0. For
// a matrix that is not positive definite the result is NaN. docs/ops/cholesky.md.
//
//   a       [batch..., n, n], floats or complex; Hermitian, of which one triangle is read
//   result  [batch..., n, n]
XlaOp Cholesky(XlaOp a, bool lower, Location location = std::source_location::current());
// The names in XLA's messages for what TriangularSolve does with its matrix, such as
// TriangularSolveOptions::ADJOINT.
struct TriangularSolveOptions {
  using Transpose = TransposeOption;
  using enum TransposeOption;
};
// Solves op(a) x = b, or x op(a) = b if not left_side. `lower` states which triangle of a holds the
// matrix, before transpose_a; with unit_diagonal its diagonal is taken as 1.
// docs/ops/triangular-solve.md.
//
//   a       [batch..., n, n], floats or complex
//   b       [batch..., n, k], or [batch..., k, n] if not left_side; of a's type
//   result  b's shape
//
// Errors: INVALID_ARGUMENT if transpose_a is kInvalid.
XlaOp TriangularSolve(XlaOp a, XlaOp b, bool left_side, bool lower, bool unit_diagonal,
                      TransposeOption transpose_a,
                      Location location = std::source_location::current());
// Transforms the last 1 to 3 dimensions, as many as there are lengths; docs/ops/fft.md.
//
//   operand     [batch..., n...], c64 or c128; of kRfft f32 or f64; the last dimension of kIrfft is
//               n / 2 + 1
//   fft_length  n..., in elements
//   result      [batch..., n...], complex, of kIrfft real; the last dimension of kRfft is n / 2 + 1
XlaOp Fft(XlaOp operand, FftType fft_type, ArraySlice<i64> fft_length,
          Location location = std::source_location::current());

// Normalises each of the f features, the positions along feature_index, by the mean and (biased)
// variance of its elements; docs/ops/batch-norm-training.md.
//
//   operand  [dims], floats; scale, offset [f] of the same type
//   result   (output [dims], batch_mean [f], batch_var [f])
XlaOp BatchNormTraining(XlaOp operand, XlaOp scale, XlaOp offset, float epsilon, i64 feature_index,
                        Location location = std::source_location::current());
// Returns [dims]: the same with a mean and a variance [f] that are given;
// docs/ops/batch-norm-inference.md.
XlaOp BatchNormInference(XlaOp operand, XlaOp scale, XlaOp offset, XlaOp mean, XlaOp variance,
                         float epsilon, i64 feature_index,
                         Location location = std::source_location::current());
// Returns the gradients of BatchNormTraining: (grad_operand [dims], grad_scale [f], grad_offset
// [f]); grad_output is [dims]. docs/ops/batch-norm-grad.md.
XlaOp BatchNormGrad(XlaOp operand, XlaOp scale, XlaOp batch_mean, XlaOp batch_var,
                    XlaOp grad_output, float epsilon, i64 feature_index,
                    Location location = std::source_location::current());

}  // namespace axle
