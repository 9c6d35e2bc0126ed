// The functions that export operations of HLO, by files; export_rows.cc has the rows that name
// them.
#pragma once
#include "axle/stablehlo/exporter.h"

namespace axle::stablehlo {

// export_elementwise.cc
StatusOr<Bundle*> ExportSameName(const Spot& spot);  // without attributes
StatusOr<Bundle*> ExportBitcastConvert(const Spot& spot);
StatusOr<Bundle*> ExportBroadcast(const Spot& spot);
StatusOr<Bundle*> ExportCompare(const Spot& spot);
StatusOr<Bundle*> ExportConstant(const Spot& spot);
StatusOr<Bundle*> ExportIota(const Spot& spot);
StatusOr<Bundle*> ExportReducePrecision(const Spot& spot);
StatusOr<Bundle*> ExportReshape(const Spot& spot);
// export_movement.cc
StatusOr<Bundle*> ExportBitcast(const Spot& spot);
StatusOr<Bundle*> ExportConcatenate(const Spot& spot);
StatusOr<Bundle*> ExportDynamicReshape(const Spot& spot);
StatusOr<Bundle*> ExportDynamicSlice(const Spot& spot);
StatusOr<Bundle*> ExportDynamicUpdateSlice(const Spot& spot);
StatusOr<Bundle*> ExportGather(const Spot& spot);
StatusOr<Bundle*> ExportGetDimensionSize(const Spot& spot);
StatusOr<Bundle*> ExportPad(const Spot& spot);
StatusOr<Bundle*> ExportReverse(const Spot& spot);
StatusOr<Bundle*> ExportSetDimensionSize(const Spot& spot);
StatusOr<Bundle*> ExportSlice(const Spot& spot);
StatusOr<Bundle*> ExportTopk(const Spot& spot);
StatusOr<Bundle*> ExportTranspose(const Spot& spot);
// export_algorithms.cc
StatusOr<Bundle*> ExportBatchNorm(const Spot& spot);
StatusOr<Bundle*> ExportCholesky(const Spot& spot);
StatusOr<Bundle*> ExportConvolution(const Spot& spot);
StatusOr<Bundle*> ExportDot(const Spot& spot);
StatusOr<Bundle*> ExportFft(const Spot& spot);
StatusOr<Bundle*> ExportRaggedDot(const Spot& spot);
StatusOr<Bundle*> ExportRng(const Spot& spot);
StatusOr<Bundle*> ExportRngBitGenerator(const Spot& spot);
StatusOr<Bundle*> ExportTriangularSolve(const Spot& spot);
// export_structured.cc
StatusOr<Bundle*> ExportCall(const Spot& spot);
StatusOr<Bundle*> ExportConditional(const Spot& spot);
StatusOr<Bundle*> ExportFusion(const Spot& spot);
StatusOr<Bundle*> ExportMap(const Spot& spot);
StatusOr<Bundle*> ExportReduce(const Spot& spot);
StatusOr<Bundle*> ExportReduceWindow(const Spot& spot);
StatusOr<Bundle*> ExportScan(const Spot& spot);
StatusOr<Bundle*> ExportScatter(const Spot& spot);
StatusOr<Bundle*> ExportSelectAndScatter(const Spot& spot);
StatusOr<Bundle*> ExportSort(const Spot& spot);
StatusOr<Bundle*> ExportWhile(const Spot& spot);
// export_effects.cc
StatusOr<Bundle*> ExportAddDependency(const Spot& spot);
StatusOr<Bundle*> ExportAfterAll(const Spot& spot);
StatusOr<Bundle*> ExportAsyncDone(const Spot& spot);
StatusOr<Bundle*> ExportAsyncStart(const Spot& spot);
StatusOr<Bundle*> ExportAsyncUpdate(const Spot& spot);
StatusOr<Bundle*> ExportCopyStart(const Spot& spot);
StatusOr<Bundle*> ExportCustomCall(const Spot& spot);
StatusOr<Bundle*> ExportElement0(const Spot& spot);  // the first or second element of operand 0
StatusOr<Bundle*> ExportElement1(const Spot& spot);
StatusOr<Bundle*> ExportGetTupleElement(const Spot& spot);
StatusOr<Bundle*> ExportInfeed(const Spot& spot);
StatusOr<Bundle*> ExportOperand(const Spot& spot);  // it is its operand
StatusOr<Bundle*> ExportOptBarrier(const Spot& spot);
StatusOr<Bundle*> ExportOutfeed(const Spot& spot);
StatusOr<Bundle*> ExportRecv(const Spot& spot);
StatusOr<Bundle*> ExportRecvDone(const Spot& spot);
StatusOr<Bundle*> ExportSend(const Spot& spot);
StatusOr<Bundle*> ExportSendDone(const Spot& spot);
StatusOr<Bundle*> ExportTuple(const Spot& spot);
// export_collectives.cc
StatusOr<Bundle*> ExportAllGather(const Spot& spot);
StatusOr<Bundle*> ExportAllGatherStart(const Spot& spot);
StatusOr<Bundle*> ExportAllReduce(const Spot& spot);
StatusOr<Bundle*> ExportAllToAll(const Spot& spot);
StatusOr<Bundle*> ExportCollectiveBroadcast(const Spot& spot);
StatusOr<Bundle*> ExportCollectivePermute(const Spot& spot);
StatusOr<Bundle*> ExportCollectivePermuteStart(const Spot& spot);
StatusOr<Bundle*> ExportReduceScatter(const Spot& spot);

}  // namespace axle::stablehlo
