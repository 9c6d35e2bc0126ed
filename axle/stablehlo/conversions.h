// The functions that convert operations, by files; conversions.cc has the rows that name them.
#pragma once
#include <unordered_set>

#include "axle/stablehlo/converter.h"

namespace axle::stablehlo {

// composites.cc: whether a composite is converted as the operation of its name, so that nobody
// needs its decomposition.
bool IsKnownComposite(const mlir::Operation& op);

// elementwise.cc
Status ConvertSameName(const Site& site);  // HLO's operation of the same name, without attributes
Status ConvertBroadcastInDim(const Site& site);
Status ConvertBroadcast(const Site& site);
Status ConvertBitcastConvert(const Site& site);
Status ConvertMinMax(const Site& site);
Status ConvertClamp(const Site& site);
Status ConvertCompare(const Site& site);
Status ConvertConstant(const Site& site);
Status ConvertConvert(const Site& site);
Status ConvertIota(const Site& site);
Status ConvertReducePrecision(const Site& site);
Status ConvertSelect(const Site& site);
// movement.cc
Status ConvertConcatenate(const Site& site);
Status ConvertDeclared(const Site& site);  // HLO's operation of the same name and the type's shape
Status ConvertDynamicSlice(const Site& site);
Status ConvertGather(const Site& site);
Status GatherWith(const Site& site, Dims slice_sizes);
Status ConvertGetDimensionSize(const Site& site);
Status ConvertGetTupleElement(const Site& site);
Status ConvertPad(const Site& site);
Status ConvertReverse(const Site& site);
Status ConvertSetDimensionSize(const Site& site);
Status ConvertSlice(const Site& site);
Status ConvertTorchIndexSelect(const Site& site);
Status ConvertTranspose(const Site& site);
// contractions.cc
Status ConvertConvolution(const Site& site);
Status ConvertDot(const Site& site);
Status ConvertDotGeneral(const Site& site);
Status ConvertEinsum(const Site& site);
Status ConvertUnaryEinsum(const Site& site);
Status ConvolutionWith(const Site& site, const std::vector<std::pair<i64, i64>>& padding);
// dynamic.cc: operations whose sizes are operands
Status ConvertDynamicBroadcastInDim(const Site& site);
Status ConvertDynamicConv(const Site& site);
Status ConvertDynamicGather(const Site& site);
Status ConvertDynamicIota(const Site& site);
Status ConvertDynamicPad(const Site& site);
Status ConvertDynamicReshape(const Site& site);
Status ConvertRealDynamicSlice(const Site& site);
Status ConvertShapeAssertion(const Site& site);
ConvertFn FindDynamicCall(std::string_view target);  // of a custom call; null for others
StatusOr<std::vector<Shape>> ResultShapesOfCall(const Site& site);
// quantization.cc
Status ConvertUniformDequantize(const Site& site);
Status ConvertUniformQuantize(const Site& site);
// algorithms.cc: operations with an algorithm of their own
Status ConvertBatchNorm(const Site& site);
Status ConvertCholesky(const Site& site);
Status ConvertFft(const Site& site);
Status ConvertRng(const Site& site);
Status ConvertRngBitGenerator(const Site& site);
Status ConvertTriangularSolve(const Site& site);
// structured.cc
Status ConvertAsyncDone(const Site& site);
Status ConvertAsyncStart(const Site& site);
Status ConvertCall(const Site& site);
Status ConvertCase(const Site& site);
Status ConvertShardedBody(const Site& site);  // a region of what one device does
Status ConvertIf(const Site& site);
Status ConvertMap(const Site& site);
Status ConvertReduce(const Site& site);
Status ConvertReduceWindow(const Site& site);
Status ConvertScatter(const Site& site);
Status ConvertSelectAndScatter(const Site& site);
Status ConvertSort(const Site& site);
Status ConvertWhile(const Site& site);
// collectives.cc
Status ConvertAllGather(const Site& site);
Status ConvertAllReduce(const Site& site);
Status ConvertAllToAll(const Site& site);
Status ConvertCollectiveBroadcast(const Site& site);
Status ConvertCollectivePermute(const Site& site);
Status ConvertCrossReplicaSum(const Site& site);
Status ConvertReduceScatter(const Site& site);
// effects.cc: tokens, transfers, calls of what is not in the module
Status ConvertCreateToken(const Site& site);
Status ConvertCustomCall(const Site& site);
Status ConvertInfeed(const Site& site);
Status ConvertOptimizationBarrier(const Site& site);
Status ConvertOutfeed(const Site& site);
Status ConvertRecv(const Site& site);
Status ConvertSend(const Site& site);
Status ConvertIdentity(const Site& site);  // what says something about its operand alone
// shardings.cc
Status ConvertManualComputation(const Site& site);
Status ConvertShardingConstraint(const Site& site);
// composites.cc
Status ConvertComposite(const Site& site);
// checks.cc
Status ConvertCheck(const Site& site);  // check.expect_eq and the like
// chlo.cc
Status ConvertChloBroadcast(const Site& site);
Status ConvertChloLibrary(const Site& site);  // made of HLO by lib/
Status ConvertChloScan(const Site& site);
Status ConvertChloTopK(const Site& site);
Status ConvertChloRaggedDot(const Site& site);
Status ConvertChloConstantLike(const Site& site);

}  // namespace axle::stablehlo
