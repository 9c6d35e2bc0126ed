#include "axle/builder/library_ops.h"

#include "axle/builder/emit.h"
#include "axle/core/strings.h"

namespace axle {
namespace {

// Returns the unsigned type of the same width; pred, and a type without such a type, are returned
// unchanged.
PrimitiveType UnsignedOfWidth(PrimitiveType type) {
  for (PrimitiveType candidate : {U1, U2, U4, U8, U16, U32, U64}) {
    if (type != PRED && Info(type).bits == Info(candidate).bits) return candidate;
  }
  return type;
}

}  // namespace

XlaOp RngBitGenerator(RandomAlgorithm algorithm, XlaOp initial_state, const Shape& shape,
                      Location location) {
  Shape declared;
  if (initial_state.valid()) {
    const Shape& state = initial_state.instruction()->shape();
    declared = Shape::Tuple({state, shape.WithType(UnsignedOfWidth(shape.type()))});
  }
  return Emit(Opcode::kRngBitGenerator, {initial_state}, location, RngBitGeneratorAttrs{algorithm},
              {}, declared);
}

XlaOp RngUniform(XlaOp a, XlaOp b, const Shape& shape, Location location) {
  return Emit(Opcode::kRng, {a, b}, location, RngAttrs{RandomDistribution::kUniform}, {}, shape);
}

XlaOp RngNormal(XlaOp mu, XlaOp sigma, const Shape& shape, Location location) {
  return Emit(Opcode::kRng, {mu, sigma}, location, RngAttrs{RandomDistribution::kNormal}, {},
              shape);
}

XlaOp RngBernoulli(XlaOp mean, const Shape& shape, Location location) {
  if (!mean.valid()) return Emit(Opcode::kRng, {mean, mean}, location, RngAttrs{});
  const Shape& given = mean.instruction()->shape();
  if (!given.is_scalar() || given.type() != F32 || shape.type() != U32) {
    return Fail({mean},
                StrCat("rng bernoulli: mean must be f32[] and the shape of u32, not ",
                       given.ToString(), " and ", shape.ToString()),
                location);
  }
  XlaBuilder* builder = mean.builder_or_null();
  const XlaOp drawn =
      RngUniform(ConstantR0<float>(builder, 0, location), ConstantR0<float>(builder, 1, location),
                 shape.WithType(F32), location);
  return ConvertElementType(Lt(drawn, mean, {}, location), U32, location);
}

XlaOp Cholesky(XlaOp a, bool lower, Location location) {
  return Emit(Opcode::kCholesky, {a}, location, CholeskyAttrs{lower});
}

XlaOp TriangularSolve(XlaOp a, XlaOp b, bool left_side, bool lower, bool unit_diagonal,
                      TransposeOption transpose_a, Location location) {
  return Emit(Opcode::kTriangularSolve, {a, b}, location,
              TriangularSolveAttrs{left_side, lower, unit_diagonal, transpose_a});
}

XlaOp Fft(XlaOp operand, FftType fft_type, ArraySlice<i64> fft_length, Location location) {
  return Emit(Opcode::kFft, {operand}, location,
              FftAttrs{fft_type, Dims(fft_length.begin(), fft_length.end())});
}

XlaOp BatchNormTraining(XlaOp operand, XlaOp scale, XlaOp offset, float epsilon, i64 feature_index,
                        Location location) {
  return Emit(Opcode::kBatchNormTraining, {operand, scale, offset}, location,
              BatchNormAttrs{epsilon, feature_index});
}

XlaOp BatchNormInference(XlaOp operand, XlaOp scale, XlaOp offset, XlaOp mean, XlaOp variance,
                         float epsilon, i64 feature_index, Location location) {
  return Emit(Opcode::kBatchNormInference, {operand, scale, offset, mean, variance}, location,
              BatchNormAttrs{epsilon, feature_index});
}

XlaOp BatchNormGrad(XlaOp operand, XlaOp scale, XlaOp batch_mean, XlaOp batch_var,
                    XlaOp grad_output, float epsilon, i64 feature_index, Location location) {
  return Emit(Opcode::kBatchNormGrad, {operand, scale, batch_mean, batch_var, grad_output},
              location, BatchNormAttrs{epsilon, feature_index});
}

}  // namespace axle
