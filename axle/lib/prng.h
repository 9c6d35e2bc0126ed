// Random numbers from an explicit key and counter, with XLA's names.
//
//   RngOutput out =
//       UniformFloatingPointDistribution(key, state, ThreeFryBitGenerator, Zero(&b, F32),
//                                        One(&b, F32), ShapeUtil::MakeShape(F32, {8}));
//   out.value, f32[8] in [0, 1); out.state goes into the next call
//
// The bits are those of the op RngBitGenerator, whose definition (docs/ops/rng-bit-generator.md)
// says how blocks become elements. The same key and state give the same numbers everywhere. Errors
// are as xla_builder.h says for all functions.
#pragma once
#include <functional>
#include <utility>

#include "axle/builder/xla_builder.h"

namespace axle {

// `state` has the shape of the initial one.
struct RngOutput {
  XlaOp value;
  XlaOp state;
};

// What makes bits: (key u64[], initial state, shape) to unsigned integers of the width of shape's
// element type, and the state after them.
using BitGeneratorTy = std::function<RngOutput(XlaOp key, XlaOp initial_state, const Shape& shape)>;

// Threefry-2x32: initial_state u64[], a counter.
RngOutput ThreeFryBitGenerator(XlaOp key, XlaOp initial_state, const Shape& shape);
// Philox-4x32: initial_state u64[2], a counter of 128 bits, low half first.
RngOutput PhiloxBitGenerator(XlaOp key, XlaOp initial_state, const Shape& shape);
// (state u64[2], key u64[]) for PhiloxBitGenerator from a key that need not be strong: the words of
// the block at counter `key` under a fixed key; the first two are the new key, the others the high
// half of the state.
std::pair<XlaOp, XlaOp> ScramblePhiloxKey(XlaOp key,
                                          Location location = std::source_location::current());

// `shape`, of f16, bf16, f32 or f64, in [minval, maxval): the leading random bits are the
// significand of a number in [1, 2). minval and maxval are scalars of the type; where these have
// few numbers between them, as 999999 and 1000000 in f32, rounding gives maxval too.
RngOutput UniformFloatingPointDistribution(XlaOp key, XlaOp initial_state,
                                           const BitGeneratorTy& bit_generator, XlaOp minval,
                                           XlaOp maxval, const Shape& shape,
                                           Location location = std::source_location::current());
// `shape`, of an integral type of at least 8 bits, in [minval, maxval), by the remainder: numbers
// are evenly likely if maxval - minval, which is not 0, is a power of two, and nearly so if it is
// small.
RngOutput UniformIntDistribution(XlaOp key, XlaOp initial_state,
                                 const BitGeneratorTy& bit_generator, XlaOp minval, XlaOp maxval,
                                 const Shape& shape,
                                 Location location = std::source_location::current());
// `shape`, of f16, bf16, f32 or f64, of mean 0 and variance 1, by Box and Muller's transform of two
// halves of uniform numbers; f16 and bf16 by way of f32.
RngOutput NormalFloatingPointDistribution(XlaOp key, XlaOp initial_state,
                                          const BitGeneratorTy& bit_generator, const Shape& shape,
                                          Location location = std::source_location::current());

}  // namespace axle
