// The rows of the verification: what types an operation takes, and what they have to do with each
// other.
//
// Kinds of types are words of letters, one word for each name of operands and results in the row of
// dialect.h: "sfcq 0i -> sfq". A tensor has a rank, unless the word begins with `*`; its elements
// are of one of the letters:
//   p  i1                        f  floats of any width       q  quantized per tensor
//   s  signed integers           g  f32, f64                  a  quantized per axis
//   u  unsigned integers         c  complex numbers           x  index
//   i  s and u                   w  i32       y  ui32
// Before the letters a number is the rank, `=` asks for a static shape, `<` for a static shape or
// one bounded dimension and no open one. Types that are no tensors are capital letters:
//   T  tokens      U  tuples     M  buffers    V  futures
#pragma once
#include <string_view>

#include "axle/stablehlo/verify/subject.h"

namespace axle::stablehlo {

enum Relation : unsigned {
  kNone = 0,
  kSameShape = 1U << 0U,            // all operands and results have compatible shapes
  kSameElement = 1U << 1U,          // all operands and results have one element type
  kAlikeElement = 1U << 2U,         // the same, whatever their scales and zero points
  kAlikeOperandElement = 1U << 3U,  // all operands, whatever their scales and zero points
  kAlike = 1U << 4U,                // all operands and results have compatible types
  kPairedElement = 1U << 5U,        // result i has the element type of operand i
  kPaired = 1U << 6U,               // result i has the type of operand i
};

using VerifyFn = Status (*)(const Subject& op);

struct Rule {
  std::string_view name;
  std::string_view kinds;
  unsigned relations = kNone;
  VerifyFn verify = nullptr;    // the other rules; may be null
  std::string_view least = {};  // "dimension 0, split_count 1": the least value of attributes
};

// Null if there is no row.
const Rule* FindRule(std::string_view name);
std::span<const Rule> AllRules();

// kinds.cc: every operand and result is of its kind.
Status VerifyKinds(const Subject& op, const Rule& rule);

// elementwise.cc
Status VerifyAbs(const Subject& op);
Status VerifyAccuracy(const Subject& op);
Status VerifyClamp(const Subject& op);
Status VerifyCompare(const Subject& op);
Status VerifyComplex(const Subject& op);
Status VerifyConstant(const Subject& op);
Status VerifyIota(const Subject& op);
Status VerifyRealPart(const Subject& op);  // real, imag
Status VerifySelect(const Subject& op);
// movement.cc
Status VerifyBitcastConvert(const Subject& op);
Status VerifyBroadcast(const Subject& op);
Status VerifyBroadcastInDim(const Subject& op);
Status VerifyConcatenate(const Subject& op);
Status VerifyDynamicSlice(const Subject& op);
Status VerifyDynamicUpdateSlice(const Subject& op);
Status VerifyGetDimensionSize(const Subject& op);
Status VerifyPad(const Subject& op);
Status VerifyReshape(const Subject& op);
Status VerifyReverse(const Subject& op);
Status VerifySetDimensionSize(const Subject& op);
Status VerifySlice(const Subject& op);
Status VerifyTranspose(const Subject& op);
// dynamic.cc
Status VerifyDynamicBroadcastInDim(const Subject& op);
Status VerifyDynamicIota(const Subject& op);
Status VerifyDynamicPad(const Subject& op);
Status VerifyDynamicReshape(const Subject& op);
Status VerifyRealDynamicSlice(const Subject& op);
// gather_scatter.cc
Status VerifyDynamicGather(const Subject& op);
Status VerifyGather(const Subject& op);
Status VerifyScatter(const Subject& op);
// contractions.cc
Status VerifyDot(const Subject& op);
Status VerifyDotGeneral(const Subject& op);
Status VerifyRaggedDot(const Subject& op);
// windows.cc
Status VerifyConvolution(const Subject& op);
Status VerifyDynamicConv(const Subject& op);
Status VerifyReduceWindow(const Subject& op);
Status VerifySelectAndScatter(const Subject& op);
// algorithms.cc
Status VerifyBatchNorm(const Subject& op);
Status VerifyCholesky(const Subject& op);
Status VerifyFft(const Subject& op);
Status VerifyRng(const Subject& op);
Status VerifyRngBitGenerator(const Subject& op);
Status VerifyTopK(const Subject& op);
Status VerifyTriangularSolve(const Subject& op);
// reducers.cc: operations that apply a region to elements
Status VerifyMap(const Subject& op);
Status VerifyReduce(const Subject& op);
Status VerifySort(const Subject& op);
// control.cc
Status VerifyAsyncDone(const Subject& op);
Status VerifyAsyncStart(const Subject& op);
Status VerifyBranches(const Subject& op);  // if, case
Status VerifyCall(const Subject& op);
Status VerifyComposite(const Subject& op);
Status VerifyRunParallel(const Subject& op);
Status VerifyScan(const Subject& op);
Status VerifyWhile(const Subject& op);
// collectives.cc
Status VerifyAllGather(const Subject& op);
Status VerifyAllReduce(const Subject& op);
Status VerifyAllToAll(const Subject& op);
Status VerifyCollectiveBroadcast(const Subject& op);
Status VerifyCollectivePermute(const Subject& op);
Status VerifyCollectiveReduce(const Subject& op);
Status VerifyReduceScatter(const Subject& op);
// effects.cc
Status VerifyCustomCall(const Subject& op);
Status VerifyGetTupleElement(const Subject& op);
Status VerifyInfeed(const Subject& op);
Status VerifyRecv(const Subject& op);
Status VerifySend(const Subject& op);
Status VerifyTuple(const Subject& op);
// quantized.cc
Status VerifyAdd(const Subject& op);
Status VerifyUniformDequantize(const Subject& op);
Status VerifyUniformQuantize(const Subject& op);
// chlo.cc
Status VerifyChloBroadcast(const Subject& op);
Status VerifyChloConstantLike(const Subject& op);

}  // namespace axle::stablehlo
