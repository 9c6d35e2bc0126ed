// The rows, sorted by name, and the reader of their notation.
#include "axle/stablehlo/mlir/dialect.h"

#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "axle/core/check.h"

namespace axle::mlir {
namespace {

struct Row {
  std::string_view name;
  std::string_view values;
  std::string_view attributes = {};
  std::string_view regions = {};
  std::string_view format = {};
  std::string_view structs = {};
};

constexpr Row kRows[] = {
    {"builtin.module", "->", "sym_name: string = empty, sym_visibility: string = empty",
     "isolated body", "custom module"},
    {"builtin.unrealized_conversion_cast", "inputs* -> outputs*", "", "",
     "($inputs : types)? to result_types {}"},
    {"check.expect_almost_eq", "lhs, rhs ->", "tolerance: float = absent", "",
     "$lhs, $rhs (, tolerance = $tolerance)? {} : type"},
    {"check.expect_almost_eq_const", "lhs ->", "tolerance: float = absent, value: elements", "",
     "$lhs, $value (, tolerance = $tolerance)? {} %like_value"},
    {"check.expect_close", "actual, expected ->",
     "max_ulp_difference: ui64, min_ulp_difference: ui64 = 0", "",
     "$actual, $expected, max_ulp_difference = $max_ulp_difference (, min_ulp_difference "
     "= $min_ulp_difference)? : {} types"},
    {"check.expect_eq", "lhs, rhs ->", "", "", "$lhs, $rhs {} : type"},
    {"check.expect_eq_const", "lhs ->", "value: elements", "", "$lhs, $value {} %like_value"},
    {"check.expect_serialized_eq", "expected ->", "iteration: ui32 = 0, probe_id: string", "",
     "$expected, probe_id = $probe_id (, iter = $iteration)? {} : type"},
    {"chlo._asin_acos_kernel", "operand -> result", "", "", "$operand {} : arrow"},
    {"chlo.acos", "operand -> result", "", "", "$operand {} : arrow"},
    {"chlo.acosh", "operand -> result", "", "", "$operand {} : arrow"},
    {"chlo.asin", "operand -> result", "", "", "$operand {} : arrow"},
    {"chlo.asinh", "operand -> result", "", "", "$operand {} : arrow"},
    {"chlo.atan", "operand -> result", "", "", "$operand {} : arrow"},
    {"chlo.atanh", "operand -> result", "", "", "$operand {} : arrow"},
    {"chlo.bessel_i1e", "operand -> result", "", "", "$operand {} : arrow"},
    {"chlo.broadcast_add", "lhs, rhs -> result", "broadcast_dimensions: ints = absent", "",
     "$lhs, $rhs {} : function"},
    {"chlo.broadcast_and", "lhs, rhs -> result", "broadcast_dimensions: ints = absent", "",
     "$lhs, $rhs {} : function"},
    {"chlo.broadcast_atan2", "lhs, rhs -> result", "broadcast_dimensions: ints = absent", "",
     "$lhs, $rhs {} : function"},
    {"chlo.broadcast_compare", "lhs, rhs -> result",
     "broadcast_dimensions: ints = absent, compare_type: comparison_type = NOTYPE, "
     "comparison_direction: comparison_direction",
     "", "$lhs, $rhs {} : function"},
    {"chlo.broadcast_complex", "lhs, rhs -> result", "broadcast_dimensions: ints = absent", "",
     "$lhs, $rhs {} : function"},
    {"chlo.broadcast_divide", "lhs, rhs -> result", "broadcast_dimensions: ints = absent", "",
     "$lhs, $rhs {} : function"},
    {"chlo.broadcast_maximum", "lhs, rhs -> result", "broadcast_dimensions: ints = absent", "",
     "$lhs, $rhs {} : function"},
    {"chlo.broadcast_minimum", "lhs, rhs -> result", "broadcast_dimensions: ints = absent", "",
     "$lhs, $rhs {} : function"},
    {"chlo.broadcast_multiply", "lhs, rhs -> result", "broadcast_dimensions: ints = absent", "",
     "$lhs, $rhs {} : function"},
    {"chlo.broadcast_next_after", "lhs, rhs -> result", "broadcast_dimensions: ints = absent", "",
     "$lhs, $rhs {} : function"},
    {"chlo.broadcast_or", "lhs, rhs -> result", "broadcast_dimensions: ints = absent", "",
     "$lhs, $rhs {} : function"},
    {"chlo.broadcast_polygamma", "lhs, rhs -> result", "broadcast_dimensions: ints = absent", "",
     "$lhs, $rhs {} : function"},
    {"chlo.broadcast_power", "lhs, rhs -> result", "broadcast_dimensions: ints = absent", "",
     "$lhs, $rhs {} : function"},
    {"chlo.broadcast_remainder", "lhs, rhs -> result", "broadcast_dimensions: ints = absent", "",
     "$lhs, $rhs {} : function"},
    {"chlo.broadcast_select", "pred, on_true, on_false -> result", "", "",
     "$pred, $on_true, $on_false {} : function"},
    {"chlo.broadcast_shift_left", "lhs, rhs -> result", "broadcast_dimensions: ints = absent", "",
     "$lhs, $rhs {} : function"},
    {"chlo.broadcast_shift_right_arithmetic", "lhs, rhs -> result",
     "broadcast_dimensions: ints = absent", "", "$lhs, $rhs {} : function"},
    {"chlo.broadcast_shift_right_logical", "lhs, rhs -> result",
     "broadcast_dimensions: ints = absent", "", "$lhs, $rhs {} : function"},
    {"chlo.broadcast_subtract", "lhs, rhs -> result", "broadcast_dimensions: ints = absent", "",
     "$lhs, $rhs {} : function"},
    {"chlo.broadcast_xor", "lhs, rhs -> result", "broadcast_dimensions: ints = absent", "",
     "$lhs, $rhs {} : function"},
    {"chlo.broadcast_zeta", "lhs, rhs -> result", "broadcast_dimensions: ints = absent", "",
     "$lhs, $rhs {} : function"},
    {"chlo.conj", "operand -> result", "", "", "$operand {} : arrow"},
    {"chlo.constant", "-> output", "value: elements", "", "custom constant"},
    {"chlo.constant_like", "operand -> result", "value: any"},
    {"chlo.cosh", "operand -> result", "", "", "$operand {} : arrow"},
    {"chlo.digamma", "operand -> result", "", "", "$operand {} : arrow"},
    {"chlo.erf", "operand -> result", "", "", "$operand {} : arrow"},
    {"chlo.erf_inv", "operand -> result", "", "", "$operand {} : arrow"},
    {"chlo.erfc", "operand -> result", "", "", "$operand {} : arrow"},
    {"chlo.is_inf", "operand -> result", "", "", "$operand {} : arrow"},
    {"chlo.is_neg_inf", "operand -> result", "", "", "$operand {} : arrow"},
    {"chlo.is_pos_inf", "operand -> result", "", "", "$operand {} : arrow"},
    {"chlo.lgamma", "operand -> result", "", "", "$operand {} : arrow"},
    {"chlo.mulhi", "lhs, rhs -> result", "", "", "$lhs, $rhs {} : arrow"},
    {"chlo.next_after", "x, y -> result", "", "", "$x, $y {} : arrow"},
    {"chlo.polygamma", "n, x -> result", "", "", "$n, $x {} : arrow"},
    {"chlo.ragged_dot", "lhs, rhs, group_sizes -> result",
     "lhs_batching_dimensions: ints = [], lhs_contracting_dimensions: ints = [], "
     "lhs_ragged_dimensions: ints = [], precision_config: precisions = DEFAULT, "
     "rhs_batching_dimensions: ints = [], rhs_contracting_dimensions: ints = [], "
     "rhs_group_dimensions: ints = []",
     "", "", "ragged_dot_dimension_numbers: ragged_dot"},
    {"chlo.scan", "inputs*, inits* -> outputs*, carries*",
     "dimension: int, is_associative: bool = absent, is_reverse: bool = false, "
     "resultSegmentSizes: ints, scan_dim_size: int = absent",
     "isolated body", "custom scan"},
    {"chlo.sinh", "operand -> result", "", "", "$operand {} : arrow"},
    {"chlo.square", "operand -> result", "", "", "$operand {} : arrow"},
    {"chlo.tan", "operand -> result", "", "", "$operand {} : arrow"},
    {"chlo.top_k", "operand -> values, indices", "k: int, is_stable: bool = true", "",
     "($operand, k = $k (, is_stable = $is_stable)?) {} : arrow"},
    {"chlo.zeta", "x, q -> result", "", "", "$x, $q {} : arrow"},
    {"func.call", "operands* -> results*", "callee: symbol", "",
     "$callee($operands) {} : function"},
    {"func.constant", "-> result", "value: symbol", "", "$value {} : results"},
    {"func.func", "->",
     "arg_attrs: array = [], function_type: type, res_attrs: array = [], sym_name: "
     "string, sym_visibility: string = empty",
     "isolated body", "custom func"},
    {"func.return", "operands* ->", "", "", "$operands {} (: types)?"},
    {"interpreter.print", "operand ->", "", "", "$operand {} : types"},
    {"interpreter.probe", "operand -> result", "probe_id: string", "",
     "$operand, probe_id = $probe_id {} : same"},
    {"interpreter.run_parallel", "inputs* -> results*", "infeed: array = absent, programs: array"},
    {"sdy.all_gather", "tensor -> result",
     "gathering_axes: sdy.list_of_axis_ref_lists, out_sharding: sdy.sharding", "",
     "$gathering_axes $tensor out_sharding=$out_sharding {} : same"},
    {"sdy.all_reduce", "tensor -> result",
     "out_sharding: sdy.sharding, reduction_axes: sdy.axis_ref_list", "",
     "$reduction_axes $tensor out_sharding=$out_sharding {} : same"},
    {"sdy.all_slice", "tensor -> result",
     "slicing_axes: sdy.list_of_axis_ref_lists, out_sharding: sdy.sharding", "",
     "$slicing_axes $tensor out_sharding=$out_sharding {} : same"},
    {"sdy.all_to_all", "tensor -> result",
     "out_sharding: sdy.sharding, params: sdy.all_to_all_param_list", "",
     "$params $tensor out_sharding=$out_sharding {} : same"},
    {"sdy.collective_permute", "tensor -> result", "out_sharding: sdy.sharding", "",
     "$tensor out_sharding=$out_sharding {} : same"},
    {"sdy.constant", "-> output", "value: elements", "", "custom constant"},
    {"sdy.data_flow_edge", "input -> result", "sharding: sdy.sharding = absent", "",
     "$input (sharding=$sharding)? {} : same"},
    {"sdy.manual_computation", "tensors* -> results*",
     "in_shardings: sdy.sharding_per_value, manual_axes: sdy.manual_axes, out_shardings: "
     "sdy.sharding_per_value",
     "isolated body", "custom manual_computation"},
    {"sdy.mesh", "->", "mesh: sdy.mesh, sym_name: string", "", "@$sym_name = $mesh {}"},
    {"sdy.named_computation", "operands* -> results*",
     "in_shardings: sdy.sharding_per_value = absent, name: string, out_shardings: "
     "sdy.sharding_per_value = absent",
     "isolated body", "custom named_computation"},
    {"sdy.propagation_barrier", "input -> result", "allowed_direction: propagation_direction", "",
     "$input allowed_direction=$allowed_direction {} : same"},
    {"sdy.reduce_scatter", "tensor -> result",
     "reduce_scatter_axes: sdy.list_of_axis_ref_lists, out_sharding: sdy.sharding", "",
     "$reduce_scatter_axes $tensor out_sharding=$out_sharding {} : same"},
    {"sdy.replicated_to_unreduced", "tensor -> result",
     "axes: sdy.axis_ref_list, out_sharding: sdy.sharding", "",
     "$axes $tensor out_sharding=$out_sharding {} : same"},
    {"sdy.reshard", "input -> result", "sharding: sdy.sharding", "", "$input $sharding {} : same"},
    {"sdy.return", "results* ->", "", "", "$results {} (: types)?"},
    {"sdy.sharded_to_unreduced", "tensor -> result",
     "axes: sdy.list_of_axis_ref_lists, out_sharding: sdy.sharding", "",
     "$axes $tensor out_sharding=$out_sharding {} : same"},
    {"sdy.sharding_constraint", "input -> result", "sharding: sdy.sharding", "",
     "$input $sharding {} : same"},
    {"sdy.sharding_group", "input ->", "group_id: int", "", "$input group_id=$group_id {} : types"},
    {"stablehlo.abs", "operand -> result", "", "", "$operand {} : same"},
    {"stablehlo.add", "lhs, rhs -> result", "", "", "$lhs, $rhs {} : same"},
    {"stablehlo.after_all", "inputs* -> result", "", "", "$inputs {} : same"},
    {"stablehlo.all_gather", "operands* -> results*",
     "all_gather_dim: int, channel_id: int = 0, replica_groups: elements, "
     "use_global_device_ids: unit = false",
     "", "", "channel_handle: channel_handle"},
    {"stablehlo.all_reduce", "operands* -> results*",
     "channel_id: int = 0, replica_groups: elements, use_global_device_ids: unit = false",
     "computation", "", "channel_handle: channel_handle"},
    {"stablehlo.all_to_all", "operands* -> results*",
     "channel_id: int = 0, concat_dimension: int, replica_groups: elements, split_count: "
     "int, split_dimension: int",
     "", "", "channel_handle: channel_handle"},
    {"stablehlo.and", "lhs, rhs -> result", "", "", "$lhs, $rhs {} : same"},
    {"stablehlo.async_done", "operand -> result"},
    {"stablehlo.async_start", "operands* -> result", "", "collective"},
    {"stablehlo.atan2", "lhs, rhs -> result", "", "", "$lhs, $rhs {} : same"},
    {"stablehlo.batch_norm_grad",
     "operand, scale, mean, variance, grad_output -> grad_operand, grad_scale, grad_offset",
     "epsilon: float, feature_index: int"},
    {"stablehlo.batch_norm_inference", "operand, scale, offset, mean, variance -> result",
     "epsilon: float, feature_index: int"},
    {"stablehlo.batch_norm_training", "operand, scale, offset -> output, batch_mean, batch_var",
     "epsilon: float, feature_index: int"},
    {"stablehlo.bitcast_convert", "operand -> result", "", "", "$operand {} : function"},
    {"stablehlo.broadcast", "operand -> result", "broadcast_sizes: ints", "",
     "$operand, sizes = $broadcast_sizes {} : function"},
    {"stablehlo.broadcast_in_dim", "operand -> result", "broadcast_dimensions: ints", "",
     "$operand, dims = $broadcast_dimensions {} : function"},
    {"stablehlo.case", "index -> results*", "", "branches*"},
    {"stablehlo.cbrt", "operand -> result", "result_accuracy: accuracy = default since 2", "",
     "$operand {} : same"},
    {"stablehlo.ceil", "operand -> result", "", "", "$operand {} : same"},
    {"stablehlo.cholesky", "a -> result", "lower: bool = false", "",
     "$a (, lower = $lower)? {} : same"},
    {"stablehlo.clamp", "min, operand, max -> result", "", "", "$min, $operand, $max {} : same"},
    {"stablehlo.collective_broadcast", "operands* -> results*",
     "channel_id: int = 0, has_dynamic_root: unit = false since 2, replica_groups: "
     "elements",
     "", "", "channel_handle: channel_handle"},
    {"stablehlo.collective_permute", "operand -> result",
     "channel_id: int = 0, source_target_pairs: elements", "", "",
     "channel_handle: channel_handle"},
    {"stablehlo.collective_reduce", "operands* -> results*",
     "channel_id: int = 0, has_dynamic_root: unit = false, replica_groups: elements, "
     "use_global_device_ids: unit = false",
     "computation", "", "channel_handle: channel_handle"},
    {"stablehlo.compare", "lhs, rhs -> result",
     "compare_type: comparison_type = NOTYPE, comparison_direction: comparison_direction", "",
     "$comparison_direction, $lhs, $rhs (, $compare_type)? {} : function"},
    {"stablehlo.complex", "lhs, rhs -> result", "", "", "$lhs, $rhs {} : complex"},
    {"stablehlo.composite", "inputs* -> results*",
     "composite_attributes: dict = {}, decomposition: symbol, name: string, version: int "
     "= 0",
     "composite_regions*", "$name $inputs (($composite_regions))? {} : function"},
    {"stablehlo.concatenate", "inputs* -> result", "dimension: int", "",
     "$inputs, dim = $dimension {} : function"},
    {"stablehlo.constant", "-> output", "value: elements", "", "custom constant"},
    {"stablehlo.convert", "operand -> result", "", "", "$operand {} : same"},
    {"stablehlo.convolution", "lhs, rhs -> result",
     "batch_group_count: int, feature_group_count: int, input_batch_dimension: int, "
     "input_feature_dimension: int, input_spatial_dimensions: ints, "
     "kernel_input_feature_dimension: int, kernel_output_feature_dimension: int, "
     "kernel_spatial_dimensions: ints, lhs_dilation: ints = 1, output_batch_dimension: "
     "int, output_feature_dimension: int, output_spatial_dimensions: ints, padding: "
     "elements = 0, precision_config: precisions = DEFAULT, rhs_dilation: ints = 1, "
     "window_reversal: bools = false, window_strides: ints = 1",
     "", "($lhs, $rhs) dim_numbers = $dimension_numbers, window = %window {} : function",
     "dimension_numbers: conv"},
    {"stablehlo.cosine", "operand -> result", "result_accuracy: accuracy = default since 2", "",
     "$operand {} : same"},
    {"stablehlo.count_leading_zeros", "operand -> result", "", "", "$operand {} : same"},
    {"stablehlo.create_token", "-> output", "", "", "{} : results"},
    {"stablehlo.cross-replica-sum", "operand -> result", "replica_groups: elements"},
    {"stablehlo.custom_call", "inputs* -> results*",
     "api_version: api_version = ORIGINAL, backend_config: any = empty, call_target_name: "
     "string, called_computations: symbols = [], has_side_effect: bool = false, "
     "operand_layouts: array = [], output_operand_aliases: array = [], result_layouts: "
     "array = [], result_tilings: array = [] since 2",
     "", "@$call_target_name($inputs) {} : function"},
    {"stablehlo.divide", "lhs, rhs -> result", "", "", "$lhs, $rhs {} : same"},
    {"stablehlo.dot", "lhs, rhs -> result", "precision_config: precisions = DEFAULT", "",
     "$lhs, $rhs (, precision = $precision_config)? {} : function"},
    {"stablehlo.dot_general", "lhs, rhs -> result",
     "accumulation_type: type = none since 2, allow_imprecise_accumulation: bool = none "
     "since 2, lhs_batching_dimensions: ints = [], lhs_component_count: int = none since "
     "2, lhs_contracting_dimensions: ints = [], lhs_precision_type: type = none since 2, "
     "num_primitive_operations: int = none since 2, precision_config: precisions = "
     "DEFAULT, rhs_batching_dimensions: ints = [], rhs_component_count: int = none since "
     "2, rhs_contracting_dimensions: ints = [], rhs_precision_type: type = none since 2",
     "",
     "$lhs, $rhs, (batching_dims = $lhs_batching_dimensions x $rhs_batching_dimensions,)? "
     "contracting_dims = $lhs_contracting_dimensions x $rhs_contracting_dimensions (, "
     "precision = $precision_config)? (, algorithm = $algorithm)? {} : function",
     "dot_dimension_numbers: dot, algorithm: dot_algorithm"},
    {"stablehlo.dynamic_broadcast_in_dim", "operand, output_dimensions -> result",
     "broadcast_dimensions: ints, known_expanding_dimensions: ints = [], "
     "known_nonexpanding_dimensions: ints = []",
     "", "$operand, $output_dimensions, dims = $broadcast_dimensions {} : function"},
    {"stablehlo.dynamic_conv", "lhs, rhs, padding -> result",
     "batch_group_count: int, feature_group_count: int, input_batch_dimension: int, "
     "input_feature_dimension: int, input_spatial_dimensions: ints, "
     "kernel_input_feature_dimension: int, kernel_output_feature_dimension: int, "
     "kernel_spatial_dimensions: ints, lhs_dilation: ints = 1, output_batch_dimension: "
     "int, output_feature_dimension: int, output_spatial_dimensions: ints, padding: "
     "elements = 0 until 1, precision_config: precisions = DEFAULT, rhs_dilation: ints = "
     "1, window_reversal: bools = false, window_strides: ints = 1",
     "", "", "dimension_numbers: conv"},
    {"stablehlo.dynamic_gather", "operand, start_indices, slice_sizes -> result",
     "collapsed_slice_dims: ints = [], index_vector_dim: int = 0, indices_are_sorted: "
     "bool = false, offset_dims: ints = [], operand_batching_dims: ints = [] since 2, "
     "start_index_map: ints = [], start_indices_batching_dims: ints = [] since 2",
     "", "", "dimension_numbers: gather"},
    {"stablehlo.dynamic_iota", "output_shape -> result", "iota_dimension: int", "",
     "$output_shape, dim = $iota_dimension {} : function"},
    {"stablehlo.dynamic_pad",
     "operand, padding_value, edge_padding_low, edge_padding_high, interior_padding -> "
     "result",
     "", "",
     "$operand, $padding_value, $edge_padding_low, $edge_padding_high, $interior_padding "
     "{} : function"},
    {"stablehlo.dynamic_reshape", "operand, output_shape -> result", "", "",
     "$operand, $output_shape {} : function"},
    {"stablehlo.dynamic_slice", "operand, start_indices* -> result", "slice_sizes: ints", "",
     "$operand, $start_indices, sizes = $slice_sizes {} : function"},
    {"stablehlo.dynamic_update_slice", "operand, update, start_indices* -> result", "", "",
     "$operand, $update (, $start_indices)? {} : function"},
    {"stablehlo.einsum", "lhs, rhs -> result", "einsum_config: string", "",
     "$lhs, $rhs, config = $einsum_config {} : function"},
    {"stablehlo.exponential", "operand -> result", "result_accuracy: accuracy = default since 2",
     "", "$operand {} : same"},
    {"stablehlo.exponential_minus_one", "operand -> result",
     "result_accuracy: accuracy = default since 2", "", "$operand {} : same"},
    {"stablehlo.fft", "operand -> result", "fft_length: ints, fft_type: fft_type", "",
     "$operand, type = $fft_type, length = $fft_length {} : function"},
    {"stablehlo.floor", "operand -> result", "", "", "$operand {} : same"},
    {"stablehlo.gather", "operand, start_indices -> result",
     "collapsed_slice_dims: ints = [], index_vector_dim: int = 0, indices_are_sorted: "
     "bool = false, offset_dims: ints = [], operand_batching_dims: ints = [] since 2, "
     "slice_sizes: ints, start_index_map: ints = [], start_indices_batching_dims: ints = "
     "[] since 2",
     "", "", "dimension_numbers: gather"},
    {"stablehlo.get_dimension_size", "operand -> result", "dimension: int", "",
     "$operand, dim = $dimension {} : function"},
    {"stablehlo.get_tuple_element", "operand -> result", "index: i32", "",
     "$operand[$index] {} : function"},
    {"stablehlo.if", "pred -> results*", "", "true_branch, false_branch"},
    {"stablehlo.imag", "operand -> result", "", "", "$operand {} : same"},
    {"stablehlo.infeed", "token -> results*", "infeed_config: string = empty, layout: array = []"},
    {"stablehlo.iota", "-> output", "iota_dimension: int", "",
     "dim = $iota_dimension {} : results"},
    {"stablehlo.is_finite", "x -> y", "", "", "$x {} : function"},
    {"stablehlo.log", "operand -> result", "result_accuracy: accuracy = default since 2", "",
     "$operand {} : same"},
    {"stablehlo.log_plus_one", "operand -> result", "result_accuracy: accuracy = default since 2",
     "", "$operand {} : same"},
    {"stablehlo.logistic", "operand -> result", "result_accuracy: accuracy = default since 2", "",
     "$operand {} : same"},
    {"stablehlo.map", "inputs* -> result", "dimensions: ints", "computation"},
    {"stablehlo.maximum", "lhs, rhs -> result", "", "", "$lhs, $rhs {} : same"},
    {"stablehlo.minimum", "lhs, rhs -> result", "", "", "$lhs, $rhs {} : same"},
    {"stablehlo.multiply", "lhs, rhs -> result", "", "", "$lhs, $rhs {} : same"},
    {"stablehlo.negate", "operand -> result", "", "", "$operand {} : same"},
    {"stablehlo.not", "operand -> result", "", "", "$operand {} : same"},
    {"stablehlo.optimization_barrier", "operand* -> result*", "", "",
     "{} ($operand : pairs | ())?"},
    {"stablehlo.or", "lhs, rhs -> result", "", "", "$lhs, $rhs {} : same"},
    {"stablehlo.outfeed", "inputs*, token -> result", "outfeed_config: string = empty"},
    {"stablehlo.pad", "operand, padding_value -> result",
     "edge_padding_high: ints, edge_padding_low: ints, interior_padding: ints", "",
     "$operand, $padding_value, low = $edge_padding_low, high = $edge_padding_high, "
     "interior = $interior_padding {} : function"},
    {"stablehlo.partition_id", "-> result", "", "", "{} : results"},
    {"stablehlo.popcnt", "operand -> result", "", "", "$operand {} : same"},
    {"stablehlo.power", "lhs, rhs -> result", "", "", "$lhs, $rhs {} : same"},
    {"stablehlo.real", "operand -> result", "", "", "$operand {} : same"},
    {"stablehlo.real_dynamic_slice", "operand, start_indices, limit_indices, strides -> result", "",
     "", "$operand, $start_indices, $limit_indices, $strides {} : function"},
    {"stablehlo.recv", "token -> results*",
     "channel_id: int = 0, channel_type: int = 0, is_host_transfer: bool = false, "
     "source_target_pairs: elements since 2",
     "", "", "channel_handle: channel_handle"},
    {"stablehlo.reduce", "inputs*, init_values* -> results*", "dimensions: ints", "body",
     "custom reduce"},
    {"stablehlo.reduce_precision", "operand -> output", "exponent_bits: int, mantissa_bits: int",
     "", "$operand, format = %format {} : same"},
    {"stablehlo.reduce_scatter", "operand -> result",
     "channel_id: int = 0, replica_groups: elements, scatter_dimension: int, "
     "use_global_device_ids: unit = false",
     "computation", "", "channel_handle: channel_handle"},
    {"stablehlo.reduce_window", "inputs*, init_values* -> results*",
     "base_dilations: ints = 1, padding: elements = 0, window_dilations: ints = 1, "
     "window_dimensions: ints, window_strides: ints = 1",
     "body"},
    {"stablehlo.remainder", "lhs, rhs -> result", "", "", "$lhs, $rhs {} : same"},
    {"stablehlo.replica_id", "-> result", "", "", "{} : results"},
    {"stablehlo.reshape", "operand -> result", "", "", "$operand {} : function"},
    {"stablehlo.return", "results* ->", "", "", "$results {} (: types)?"},
    {"stablehlo.reverse", "operand -> result", "dimensions: ints", "",
     "$operand, dims = $dimensions {} : same"},
    {"stablehlo.rng", "a, b, shape -> result", "rng_distribution: rng_distribution", "",
     "$a, $b, $shape, distribution = $rng_distribution {} : function"},
    {"stablehlo.rng_bit_generator", "initial_state -> output_state, output",
     "rng_algorithm: rng_algorithm", "",
     "$initial_state, algorithm = $rng_algorithm {} : function"},
    {"stablehlo.round_nearest_afz", "operand -> result", "", "", "$operand {} : same"},
    {"stablehlo.round_nearest_even", "operand -> result", "", "", "$operand {} : same"},
    {"stablehlo.rsqrt", "operand -> result", "result_accuracy: accuracy = default since 2", "",
     "$operand {} : same"},
    {"stablehlo.scatter", "inputs*, scatter_indices, updates* -> results*",
     "index_vector_dim: int = 0, indices_are_sorted: bool = false, input_batching_dims: "
     "ints = [] since 2, inserted_window_dims: ints = [], scatter_dims_to_operand_dims: "
     "ints = [], scatter_indices_batching_dims: ints = [] since 2, unique_indices: bool = "
     "false, update_window_dims: ints = []",
     "update_computation", "", "scatter_dimension_numbers: scatter"},
    {"stablehlo.select", "pred, on_true, on_false -> result", "", "",
     "$pred, $on_true, $on_false {} : select"},
    {"stablehlo.select_and_scatter", "operand, source, init_value -> result",
     "padding: elements = 0, window_dimensions: ints, window_strides: ints = 1", "select, scatter"},
    {"stablehlo.send", "inputs*, token -> result",
     "channel_id: int = 0, channel_type: int = 0, is_host_transfer: bool = false, "
     "source_target_pairs: elements since 2",
     "", "", "channel_handle: channel_handle"},
    {"stablehlo.set_dimension_size", "operand, size -> result", "dimension: int", "",
     "$operand, $size, dim = $dimension {} : function"},
    {"stablehlo.shift_left", "lhs, rhs -> result", "", "", "$lhs, $rhs {} : same"},
    {"stablehlo.shift_right_arithmetic", "lhs, rhs -> result", "", "", "$lhs, $rhs {} : same"},
    {"stablehlo.shift_right_logical", "lhs, rhs -> result", "", "", "$lhs, $rhs {} : same"},
    {"stablehlo.sign", "operand -> result", "", "", "$operand {} : same"},
    {"stablehlo.sine", "operand -> result", "result_accuracy: accuracy = default since 2", "",
     "$operand {} : same"},
    {"stablehlo.slice", "operand -> result",
     "limit_indices: ints, start_indices: ints, strides: ints", "",
     "$operand %ranges {} : function"},
    {"stablehlo.sort", "inputs* -> results*", "dimension: int = -1, is_stable: bool = false",
     "comparator"},
    {"stablehlo.sqrt", "operand -> result", "result_accuracy: accuracy = default since 2", "",
     "$operand {} : same"},
    {"stablehlo.subtract", "lhs, rhs -> result", "", "", "$lhs, $rhs {} : same"},
    {"stablehlo.tan", "operand -> result", "result_accuracy: accuracy = default since 2", "",
     "$operand {} : same"},
    {"stablehlo.tanh", "operand -> result", "result_accuracy: accuracy = default since 2", "",
     "$operand {} : same"},
    {"stablehlo.torch_index_select", "operand, index -> result", "batch_dims: int, dim: int"},
    {"stablehlo.transpose", "operand -> result", "permutation: ints", "",
     "$operand, dims = $permutation {} : function"},
    {"stablehlo.triangular_solve", "a, b -> result",
     "left_side: bool, lower: bool = false, transpose_a: transpose, unit_diagonal: bool"},
    {"stablehlo.tuple", "val* -> result", "", "", "$val {} : tuple"},
    {"stablehlo.unary_einsum", "operand -> result", "einsum_config: string", "",
     "$operand, config = $einsum_config {} : function"},
    {"stablehlo.uniform_dequantize", "operand -> result", "", "", "$operand {} : same"},
    {"stablehlo.uniform_quantize", "operand -> result", "", "", "$operand {} : same"},
    {"stablehlo.while", "operand* -> results*", "", "cond, body", "custom while"},
    {"stablehlo.xor", "lhs, rhs -> result", "", "", "$lhs, $rhs {} : same"},
};

std::string_view Trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// The parts of a list; none of an empty text.
std::vector<std::string_view> Split(std::string_view text) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    const std::string_view part = Trimmed(text.substr(0, comma));
    if (!part.empty()) parts.push_back(part);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return parts;
}

std::vector<OperandSyntax> ReadNames(std::string_view text) {
  std::vector<OperandSyntax> result;
  for (std::string_view part : Split(text)) {
    const bool variadic = part.ends_with('*');
    if (variadic) part.remove_suffix(1);
    result.push_back({part, variadic});
  }
  return result;
}

// "name: kind [= default] [since N] [until N]"
AttributeSyntax ReadAttribute(std::string_view text) {
  AttributeSyntax result;
  const auto take_number = [&](std::string_view word, int& number) {
    const size_t at = text.rfind(word);
    if (at == std::string_view::npos) return;
    const std::string_view digits = Trimmed(text.substr(at + word.size()));
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    text = Trimmed(text.substr(0, at));
  };
  take_number(" until ", result.until);
  take_number(" since ", result.since);
  const size_t colon = text.find(':');
  result.name = text.substr(0, colon);
  text = Trimmed(text.substr(colon + 1));
  const size_t equals = text.find(" = ");
  result.kind = text.substr(0, equals);
  result.required = equals == std::string_view::npos;
  if (!result.required) result.fallback = text.substr(equals + 3);
  return result;
}

// "name[/attribute]: kind [= default]"
FieldSyntax ReadField(std::string_view text) {
  const AttributeSyntax entry = ReadAttribute(text);
  const size_t slash = std::min(entry.name.find('/'), entry.name.size());
  return {.name = entry.name.substr(0, slash),
          .attribute = slash == entry.name.size() ? entry.name : entry.name.substr(slash + 1),
          .kind = entry.kind,
          .fallback = entry.fallback,
          .required = entry.required};
}

struct StructRow {
  std::string_view dialect, mnemonic, fields;
};

constexpr StructRow kStructs[] = {
    {"chlo", "ragged_dot",
     "lhs_batching_dimensions: ints = [], rhs_batching_dimensions: ints = [], "
     "lhs_contracting_dimensions: ints = [], rhs_contracting_dimensions: ints = [], "
     "lhs_ragged_dimensions: ints = [], rhs_group_dimensions: ints = []"},
    {"stablehlo", "axis_ref", "name: string, sub_axis_info: sub_axis_info = absent"},
    {"stablehlo", "channel_handle", "handle/channel_id: int, type/channel_type: int = 1"},
    {"stablehlo", "conv",
     "input_batch_dimension: int, input_feature_dimension: int, input_spatial_dimensions: ints, "
     "kernel_input_feature_dimension: int, kernel_output_feature_dimension: int, "
     "kernel_spatial_dimensions: ints, output_batch_dimension: int, "
     "output_feature_dimension: int, output_spatial_dimensions: ints"},
    {"stablehlo", "dot",
     "lhs_batching_dimensions: ints = [], rhs_batching_dimensions: ints = [], "
     "lhs_contracting_dimensions: ints = [], rhs_contracting_dimensions: ints = []"},
    {"stablehlo", "dot_algorithm",
     "lhs_precision_type: type, rhs_precision_type: type, accumulation_type: type, "
     "lhs_component_count: int, rhs_component_count: int, num_primitive_operations: int, "
     "allow_imprecise_accumulation: bool"},
    {"stablehlo", "gather",
     "offset_dims: ints = [], collapsed_slice_dims: ints = [], operand_batching_dims: ints = [], "
     "start_indices_batching_dims: ints = [], start_index_map: ints = [], "
     "index_vector_dim: int = 0"},
    {"stablehlo", "mesh", "axes: structs, device_ids: elements = absent"},
    {"stablehlo", "mesh_axis", "name: string, size: int"},
    {"stablehlo", "output_operand_alias",
     "output_tuple_indices: ints, operand_index: int, operand_tuple_indices: ints"},
    {"stablehlo", "replica_group_mesh_axes", "mesh: any, axes: array"},
    {"stablehlo", "result_accuracy",
     "atol: float = 0, rtol: float = 0, ulps: int = 0, mode: result_accuracy_mode"},
    {"stablehlo", "scatter",
     "update_window_dims: ints = [], inserted_window_dims: ints = [], "
     "input_batching_dims: ints = [], scatter_indices_batching_dims: ints = [], "
     "scatter_dims_to_operand_dims: ints = [], index_vector_dim: int = 0"},
    {"stablehlo", "sub_axis_info", "pre_size: int, size: int"},
};

const std::vector<StructSyntax>& Structs() {
  static const std::vector<StructSyntax> structs = [] {
    std::vector<StructSyntax> made;
    for (const StructRow& row : kStructs) {
      StructSyntax& entry = made.emplace_back();
      entry.dialect = row.dialect;
      entry.mnemonic = row.mnemonic;
      for (const std::string_view part : Split(row.fields)) {
        entry.fields.push_back(ReadField(part));
      }
    }
    return made;
  }();
  return structs;
}

// The versions of StableHLO that brought each version of a VHLO operation, where that is not only
// 0.9.0, the oldest.
struct VersionRow {
  std::string_view name, versions;
};

constexpr VersionRow kVersions[] = {
    {"stablehlo.all_gather", "0.9.0, 1.5.0"},
    {"stablehlo.all_reduce", "0.9.0, 1.5.0"},
    {"stablehlo.all_to_all", "0.9.0, 1.5.0"},
    {"stablehlo.async_done", "1.15.0"},
    {"stablehlo.async_start", "1.15.0"},
    {"stablehlo.cbrt", "0.9.0, 1.10.0"},
    {"stablehlo.collective_broadcast", "0.16.0, 1.20.0"},
    {"stablehlo.collective_reduce", "1.19.0"},
    {"stablehlo.composite", "0.19.0, 1.14.0"},
    {"stablehlo.cosine", "0.9.0, 1.10.0"},
    {"stablehlo.custom_call", "0.9.0, 1.18.0"},
    {"stablehlo.dot_general", "0.9.0, 1.6.0"},
    {"stablehlo.dynamic_conv", "0.9.0, 0.20.0"},
    {"stablehlo.dynamic_gather", "0.9.0, 1.1.0"},
    {"stablehlo.exponential", "0.9.0, 1.9.0"},
    {"stablehlo.exponential_minus_one", "0.9.0, 1.10.0"},
    {"stablehlo.gather", "0.9.0, 1.1.0"},
    {"stablehlo.log", "0.9.0, 1.10.0"},
    {"stablehlo.log_plus_one", "0.9.0, 1.10.0"},
    {"stablehlo.logistic", "0.9.0, 1.10.0"},
    {"stablehlo.recv", "0.9.0, 1.12.0"},
    {"stablehlo.rsqrt", "0.9.0, 1.10.0"},
    {"stablehlo.scatter", "0.9.0, 1.1.0"},
    {"stablehlo.send", "0.9.0, 1.12.0"},
    {"stablehlo.sine", "0.9.0, 1.10.0"},
    {"stablehlo.sqrt", "0.9.0, 1.10.0"},
    {"stablehlo.tan", "1.4.0, 1.10.0"},
    {"stablehlo.tanh", "0.9.0, 1.10.0"},
};

std::vector<std::string_view> VersionsOf(std::string_view name) {
  for (const VersionRow& row : kVersions) {
    if (row.name == name) return Split(row.versions);
  }
  const bool has_vhlo = name.starts_with("stablehlo.") || name.starts_with("func.");
  return has_vhlo && name != "func.constant" ? std::vector<std::string_view>{"0.9.0"}
                                             : std::vector<std::string_view>();
}

struct Table {
  std::vector<OpSyntax> rows;
  std::vector<const OpSyntax*> pointers;
  std::unordered_map<std::string_view, const OpSyntax*> by_name;
};

OpSyntax ReadRow(const Row& row) {
  const size_t arrow = row.values.find("->");
  constexpr std::string_view kIsolated = "isolated ";
  const bool isolated = row.regions.starts_with(kIsolated);
  OpSyntax syntax{.name = row.name,
                  .operands = ReadNames(row.values.substr(0, arrow)),
                  .results = ReadNames(row.values.substr(arrow + 2)),
                  .attributes = {},
                  .regions = ReadNames(row.regions.substr(isolated ? kIsolated.size() : 0)),
                  .format = row.format,
                  .isolated = isolated,
                  .structs = {},
                  .versions = VersionsOf(row.name)};
  for (const std::string_view part : Split(row.attributes)) {
    syntax.attributes.push_back(ReadAttribute(part));
  }
  std::ranges::sort(syntax.attributes, {}, &AttributeSyntax::name);
  for (const std::string_view part : Split(row.structs)) {
    const AttributeSyntax use = ReadAttribute(part);
    syntax.structs.push_back({use.name, FindStruct(use.kind)});
  }
  return syntax;
}

const Table& GetTable() {
  static const Table table = [] {
    Table made;
    for (const Row& row : kRows) made.rows.push_back(ReadRow(row));
    std::ranges::sort(made.rows, {}, &OpSyntax::name);
    for (const OpSyntax& row : made.rows) {
      made.pointers.push_back(&row);
      made.by_name.emplace(row.name, &row);
    }
    return made;
  }();
  return table;
}

struct Enum {
  std::string_view mnemonic;
  std::vector<std::string_view> values;
  std::string_view dialect = "stablehlo";
};

const std::vector<Enum>& Enums() {
  static const std::vector<Enum> enums = {
      {"api_version",
       {"UNSPECIFIED", "ORIGINAL", "STATUS_RETURNING", "STATUS_RETURNING_UNIFIED", "TYPED_FFI"}},
      {"comparison_direction", {"EQ", "NE", "GE", "GT", "LE", "LT"}},
      {"comparison_type", {"NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"}},
      {"fft_type", {"FFT", "IFFT", "RFFT", "IRFFT"}},
      {"precision", {"DEFAULT", "HIGH", "HIGHEST"}},
      {"propagation_direction", {"NONE", "FORWARD", "BACKWARD", "BOTH"}, "sdy"},
      {"result_accuracy_mode", {"DEFAULT", "HIGHEST", "TOLERANCE"}},
      {"rng_algorithm", {"DEFAULT", "THREE_FRY", "PHILOX"}},
      {"rng_distribution", {"UNIFORM", "NORMAL"}},
      {"transpose", {"TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"}},
  };
  return enums;
}

}  // namespace

const OpSyntax* FindSyntax(std::string_view name) {
  const auto& by_name = GetTable().by_name;
  const auto found = by_name.find(name);
  return found == by_name.end() ? nullptr : found->second;
}

std::span<const OpSyntax* const> AllSyntax() {
  return GetTable().pointers;
}

namespace {
const Enum* FindEnum(std::string_view mnemonic) {
  for (const Enum& entry : Enums()) {
    if (entry.mnemonic == mnemonic) return &entry;
  }
  return nullptr;
}
}  // namespace

std::span<const std::string_view> EnumValues(std::string_view mnemonic) {
  const Enum* found = FindEnum(mnemonic);
  return found == nullptr ? std::span<const std::string_view>() : found->values;
}

std::string_view EnumDialect(std::string_view mnemonic) {
  const Enum* found = FindEnum(mnemonic);
  return found == nullptr ? "stablehlo" : found->dialect;
}

const StructSyntax* FindStruct(std::string_view mnemonic) {
  for (const StructSyntax& entry : Structs()) {
    if (entry.mnemonic == mnemonic) return &entry;
  }
  return nullptr;
}

const AttributeSyntax* OpSyntax::FindAttribute(std::string_view attribute) const {
  const auto found = std::ranges::lower_bound(attributes, attribute, {}, &AttributeSyntax::name);
  return found == attributes.end() || found->name != attribute ? nullptr : &*found;
}

}  // namespace axle::mlir
