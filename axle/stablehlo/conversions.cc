// The rows: which function converts which operation.
#include "axle/stablehlo/conversions.h"

#include <algorithm>

namespace axle::stablehlo {
namespace {

struct Conversion {
  std::string_view name;
  ConvertFn convert;
  Quantized quantized = kExpressed;
};

// Sorted by name.
constexpr Conversion kConversions[] = {
    {"builtin.unrealized_conversion_cast", ConvertIdentity, kStored},
    {"check.expect_almost_eq", ConvertCheck},
    {"check.expect_almost_eq_const", ConvertCheck},
    {"check.expect_close", ConvertCheck},
    {"check.expect_eq", ConvertCheck, kStored},
    {"check.expect_eq_const", ConvertCheck, kStored},
    {"chlo.acos", ConvertSameName},
    {"chlo.acosh", ConvertSameName},
    {"chlo.asin", ConvertSameName},
    {"chlo.asinh", ConvertSameName},
    {"chlo.atan", ConvertChloLibrary},
    {"chlo.atanh", ConvertSameName},
    {"chlo.bessel_i1e", ConvertChloLibrary},
    {"chlo.broadcast_add", ConvertChloBroadcast},
    {"chlo.broadcast_and", ConvertChloBroadcast},
    {"chlo.broadcast_atan2", ConvertChloBroadcast},
    {"chlo.broadcast_compare", ConvertChloBroadcast},
    {"chlo.broadcast_complex", ConvertChloBroadcast},
    {"chlo.broadcast_divide", ConvertChloBroadcast},
    {"chlo.broadcast_maximum", ConvertChloBroadcast},
    {"chlo.broadcast_minimum", ConvertChloBroadcast},
    {"chlo.broadcast_multiply", ConvertChloBroadcast},
    {"chlo.broadcast_next_after", ConvertChloBroadcast},
    {"chlo.broadcast_or", ConvertChloBroadcast},
    {"chlo.broadcast_polygamma", ConvertChloBroadcast},
    {"chlo.broadcast_power", ConvertChloBroadcast},
    {"chlo.broadcast_remainder", ConvertChloBroadcast},
    {"chlo.broadcast_select", ConvertChloBroadcast},
    {"chlo.broadcast_shift_left", ConvertChloBroadcast},
    {"chlo.broadcast_shift_right_arithmetic", ConvertChloBroadcast},
    {"chlo.broadcast_shift_right_logical", ConvertChloBroadcast},
    {"chlo.broadcast_subtract", ConvertChloBroadcast},
    {"chlo.broadcast_xor", ConvertChloBroadcast},
    {"chlo.broadcast_zeta", ConvertChloBroadcast},
    {"chlo.conj", ConvertChloLibrary},
    {"chlo.constant", ConvertConstant},
    {"chlo.constant_like", ConvertChloConstantLike},
    {"chlo.cosh", ConvertSameName},
    {"chlo.digamma", ConvertChloLibrary},
    {"chlo.erf", ConvertSameName},
    {"chlo.erf_inv", ConvertChloLibrary},
    {"chlo.erfc", ConvertChloLibrary},
    {"chlo.is_inf", ConvertChloLibrary},
    {"chlo.is_neg_inf", ConvertChloLibrary},
    {"chlo.is_pos_inf", ConvertChloLibrary},
    {"chlo.lgamma", ConvertChloLibrary},
    {"chlo.mulhi", ConvertSameName},
    {"chlo.next_after", ConvertChloLibrary},
    {"chlo.polygamma", ConvertChloLibrary},
    {"chlo.ragged_dot", ConvertChloRaggedDot},
    {"chlo.scan", ConvertChloScan},
    {"chlo.sinh", ConvertSameName},
    {"chlo.square", ConvertChloLibrary},
    {"chlo.tan", ConvertSameName},
    {"chlo.top_k", ConvertChloTopK},
    {"chlo.zeta", ConvertChloLibrary},
    {"func.call", ConvertCall, kStored},
    {"sdy.propagation_barrier", ConvertIdentity, kStored},
    {"sdy.reshard", ConvertIdentity, kStored},
    {"sdy.sharding_constraint", ConvertIdentity, kStored},
    {"stablehlo.abs", ConvertSameName},
    {"stablehlo.add", ConvertSameName},
    {"stablehlo.after_all", ConvertSameName},
    {"stablehlo.all_gather", ConvertAllGather, kStored},
    {"stablehlo.all_reduce", ConvertAllReduce},
    {"stablehlo.all_to_all", ConvertAllToAll, kStored},
    {"stablehlo.and", ConvertSameName},
    {"stablehlo.async_done", ConvertAsyncDone},
    {"stablehlo.async_start", ConvertAsyncStart},
    {"stablehlo.atan2", ConvertSameName},
    {"stablehlo.batch_norm_grad", ConvertBatchNorm},
    {"stablehlo.batch_norm_inference", ConvertBatchNorm},
    {"stablehlo.batch_norm_training", ConvertBatchNorm},
    {"stablehlo.bitcast_convert", ConvertBitcastConvert, kItself},
    {"stablehlo.broadcast", ConvertBroadcast, kStored},
    {"stablehlo.broadcast_in_dim", ConvertBroadcastInDim, kStored},
    {"stablehlo.case", ConvertCase, kStored},
    {"stablehlo.cbrt", ConvertSameName},
    {"stablehlo.ceil", ConvertSameName},
    {"stablehlo.cholesky", ConvertCholesky},
    {"stablehlo.clamp", ConvertClamp},
    {"stablehlo.collective_broadcast", ConvertCollectiveBroadcast, kStored},
    {"stablehlo.collective_permute", ConvertCollectivePermute, kStored},
    {"stablehlo.compare", ConvertCompare},
    {"stablehlo.complex", ConvertSameName},
    {"stablehlo.composite", ConvertComposite, kStored},
    {"stablehlo.concatenate", ConvertConcatenate, kStored},
    {"stablehlo.constant", ConvertConstant, kStored},
    {"stablehlo.convert", ConvertConvert},
    {"stablehlo.convolution", ConvertConvolution},
    {"stablehlo.cosine", ConvertSameName},
    {"stablehlo.count_leading_zeros", ConvertSameName},
    {"stablehlo.create_token", ConvertCreateToken},
    {"stablehlo.cross-replica-sum", ConvertCrossReplicaSum},
    {"stablehlo.custom_call", ConvertCustomCall, kStored},
    {"stablehlo.divide", ConvertSameName},
    {"stablehlo.dot", ConvertDot},
    {"stablehlo.dot_general", ConvertDotGeneral},
    {"stablehlo.dynamic_broadcast_in_dim", ConvertDynamicBroadcastInDim, kStored},
    {"stablehlo.dynamic_conv", ConvertDynamicConv},
    {"stablehlo.dynamic_gather", ConvertDynamicGather, kStored},
    {"stablehlo.dynamic_iota", ConvertDynamicIota},
    {"stablehlo.dynamic_pad", ConvertDynamicPad, kStored},
    {"stablehlo.dynamic_reshape", ConvertDynamicReshape, kStored},
    {"stablehlo.dynamic_slice", ConvertDynamicSlice, kStored},
    {"stablehlo.dynamic_update_slice", ConvertSameName, kStored},
    {"stablehlo.einsum", ConvertEinsum},
    {"stablehlo.exponential", ConvertSameName},
    {"stablehlo.exponential_minus_one", ConvertSameName},
    {"stablehlo.fft", ConvertFft},
    {"stablehlo.floor", ConvertSameName},
    {"stablehlo.gather", ConvertGather, kStored},
    {"stablehlo.get_dimension_size", ConvertGetDimensionSize, kStored},
    {"stablehlo.get_tuple_element", ConvertGetTupleElement, kStored},
    {"stablehlo.if", ConvertIf, kStored},
    {"stablehlo.imag", ConvertSameName},
    {"stablehlo.infeed", ConvertInfeed},
    {"stablehlo.iota", ConvertIota},
    {"stablehlo.is_finite", ConvertSameName},
    {"stablehlo.log", ConvertSameName},
    {"stablehlo.log_plus_one", ConvertSameName},
    {"stablehlo.logistic", ConvertSameName},
    {"stablehlo.map", ConvertMap, kStored},
    {"stablehlo.maximum", ConvertMinMax},
    {"stablehlo.minimum", ConvertMinMax},
    {"stablehlo.multiply", ConvertSameName},
    {"stablehlo.negate", ConvertSameName},
    {"stablehlo.not", ConvertSameName},
    {"stablehlo.optimization_barrier", ConvertOptimizationBarrier, kStored},
    {"stablehlo.or", ConvertSameName},
    {"stablehlo.outfeed", ConvertOutfeed},
    {"stablehlo.pad", ConvertPad, kStored},
    {"stablehlo.partition_id", ConvertSameName},
    {"stablehlo.popcnt", ConvertSameName},
    {"stablehlo.power", ConvertSameName},
    {"stablehlo.real", ConvertSameName},
    {"stablehlo.real_dynamic_slice", ConvertRealDynamicSlice, kStored},
    {"stablehlo.recv", ConvertRecv},
    {"stablehlo.reduce", ConvertReduce, kStored},
    {"stablehlo.reduce_precision", ConvertReducePrecision},
    {"stablehlo.reduce_scatter", ConvertReduceScatter},
    {"stablehlo.reduce_window", ConvertReduceWindow, kStored},
    {"stablehlo.remainder", ConvertSameName},
    {"stablehlo.replica_id", ConvertSameName},
    {"stablehlo.reshape", ConvertDeclared, kStored},
    {"stablehlo.reverse", ConvertReverse, kStored},
    {"stablehlo.rng", ConvertRng},
    {"stablehlo.rng_bit_generator", ConvertRngBitGenerator},
    {"stablehlo.round_nearest_afz", ConvertSameName},
    {"stablehlo.round_nearest_even", ConvertSameName},
    {"stablehlo.rsqrt", ConvertSameName},
    {"stablehlo.scatter", ConvertScatter, kStored},
    {"stablehlo.select", ConvertSelect, kStored},
    {"stablehlo.select_and_scatter", ConvertSelectAndScatter, kStored},
    {"stablehlo.send", ConvertSend},
    {"stablehlo.set_dimension_size", ConvertSetDimensionSize, kStored},
    {"stablehlo.shift_left", ConvertSameName},
    {"stablehlo.shift_right_arithmetic", ConvertSameName},
    {"stablehlo.shift_right_logical", ConvertSameName},
    {"stablehlo.sign", ConvertSameName},
    {"stablehlo.sine", ConvertSameName},
    {"stablehlo.slice", ConvertSlice, kStored},
    {"stablehlo.sort", ConvertSort, kStored},
    {"stablehlo.sqrt", ConvertSameName},
    {"stablehlo.subtract", ConvertSameName},
    {"stablehlo.tan", ConvertSameName},
    {"stablehlo.tanh", ConvertSameName},
    {"stablehlo.torch_index_select", ConvertTorchIndexSelect, kStored},
    {"stablehlo.transpose", ConvertTranspose, kStored},
    {"stablehlo.triangular_solve", ConvertTriangularSolve},
    {"stablehlo.tuple", ConvertSameName, kStored},
    {"stablehlo.unary_einsum", ConvertUnaryEinsum},
    {"stablehlo.uniform_dequantize", ConvertUniformDequantize, kItself},
    {"stablehlo.uniform_quantize", ConvertUniformQuantize, kItself},
    {"stablehlo.while", ConvertWhile, kStored},
    {"stablehlo.xor", ConvertSameName},
};
static_assert(std::ranges::is_sorted(kConversions, {}, &Conversion::name));

const Conversion* FindRow(std::string_view name) {
  const auto* const found = std::ranges::lower_bound(kConversions, name, {}, &Conversion::name);
  return found == std::end(kConversions) || found->name != name ? nullptr : found;
}

}  // namespace

ConvertFn FindConversion(std::string_view name) {
  const Conversion* row = FindRow(name);
  return row == nullptr ? nullptr : row->convert;
}

Quantized HowQuantized(std::string_view name) {
  const Conversion* row = FindRow(name);
  return row == nullptr ? kExpressed : row->quantized;
}

std::vector<std::string_view> ConversionNames() {
  std::vector<std::string_view> names;
  for (const Conversion& row : kConversions) names.push_back(row.name);
  return names;
}

}  // namespace axle::stablehlo
