// The forms of operations: for each row of the dialects a pretty and a generic text, which are one
// tree, and which are printed and read back. Rows with one of the regular formats make their own.
#include <algorithm>
#include <map>

#include "axle/core/strings.h"
#include "axle/stablehlo/mlir/dialect.h"
#include "tests/stablehlo/mlir_text.h"

namespace axle::mlir {
namespace {

// The parameters that the texts below use.
constexpr std::string_view kParameters =
    "%x: tensor<2x3xf32>, %y: tensor<2x3xf32>, %i: tensor<2x3xi32>, %p: tensor<2x3xi1>, "
    "%s: tensor<f32>, %n: tensor<i32>, %m: tensor<i32>, %q: tensor<i1>, %c: "
    "tensor<2x3xcomplex<f32>>, "
    "%u: tensor<2xi64>, %k: tensor<2xui64>, %t: !stablehlo.token, "
    "%v: tuple<tensor<2x3xf32>, tensor<i32>>, %image: tensor<1x8x8x3xf32>, "
    "%filter: tensor<3x3x3x4xf32>";

struct Form {
  std::string_view name;
  std::string_view pretty;  // "" where there is none
  std::string_view generic;
};

constexpr Form kForms[] =
    {
        {"builtin.module", "module @a attributes {b = 1 : i32} { }",
         R"("builtin.module"() <{sym_name = "a"}> ({ ^bb0: }) {b = 1 : i32} : () -> ())"},
        {"builtin.unrealized_conversion_cast",
         "%0 = builtin.unrealized_conversion_cast %x : tensor<2x3xf32> to tensor<3x2xf32>",
         R"(%0 = "builtin.unrealized_conversion_cast"(%x) : (tensor<2x3xf32>) -> tensor<3x2xf32>)"},
        {"check.expect_almost_eq",
         "check.expect_almost_eq %x, %y, tolerance = 0.5 : tensor<2x3xf32>",
         R"("check.expect_almost_eq"(%x, %y) {tolerance = 0.5 : f64} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ())"},
        {"check.expect_almost_eq_const",
         "check.expect_almost_eq_const %x, dense<1.0> : tensor<2x3xf32>",
         R"("check.expect_almost_eq_const"(%x) <{value = dense<1.0> : tensor<2x3xf32>}> : (tensor<2x3xf32>) -> ())"},
        {"check.expect_close",
         "check.expect_close %x, %y, max_ulp_difference = 3, min_ulp_difference = 1 : "
         "tensor<2x3xf32>, "
         "tensor<2x3xf32>",
         R"("check.expect_close"(%x, %y) {max_ulp_difference = 3 : ui64, min_ulp_difference = 1 : ui64} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ())"},
        {"check.expect_eq", "check.expect_eq %x, %y : tensor<2x3xf32>",
         R"("check.expect_eq"(%x, %y) : (tensor<2x3xf32>, tensor<2x3xf32>) -> ())"},
        {"check.expect_eq_const", "check.expect_eq_const %n, dense<7> : tensor<i32>",
         R"("check.expect_eq_const"(%n) {value = dense<7> : tensor<i32>} : (tensor<i32>) -> ())"},
        {"check.expect_serialized_eq",
         R"(check.expect_serialized_eq %x, probe_id = "a", iter = 2 : tensor<2x3xf32>)",
         R"("check.expect_serialized_eq"(%x) {probe_id = "a", iteration = 2 : ui32} : (tensor<2x3xf32>) -> ())"},
        {"chlo.broadcast_compare",
         "%0 = chlo.broadcast_compare %x, %s {broadcast_dimensions = array<i64>, "
         "comparison_direction = "
         "#chlo<comparison_direction LT>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xi1>",
         R"(%0 = "chlo.broadcast_compare"(%x, %s) {broadcast_dimensions = array<i64>, comparison_direction = #chlo<comparison_direction LT>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xi1>)"},
        {"chlo.broadcast_select",
         "%0 = chlo.broadcast_select %q, %x, %y : (tensor<i1>, tensor<2x3xf32>, tensor<2x3xf32>) "
         "-> "
         "tensor<2x3xf32>",
         R"(%0 = "chlo.broadcast_select"(%q, %x, %y) : (tensor<i1>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>)"},
        {"chlo.constant", "%0 = chlo.constant dense<1> : tensor<2xi32>",
         R"(%0 = "chlo.constant"() {value = dense<[1, 1]> : tensor<2xi32>} : () -> tensor<2xi32>)"},
        {"chlo.constant_like", "",
         R"(%0 = "chlo.constant_like"(%x) {value = 3.0 : f32} : (tensor<2x3xf32>) -> tensor<2x3xf32>)"},
        {"chlo.ragged_dot", "",
         R"(%0 = "chlo.ragged_dot"(%x, %y, %u) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>, precision_config = [#chlo<precision DEFAULT>, #chlo<precision HIGH>]} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2xi64>) -> tensor<2x2xf32>)"},
        {"chlo.scan",
         "%0:2 = chlo.scan(%x) inits (%s) dimension=1 attributes {is_reverse = true} {\n^bb0(%a: "
         "tensor<2xf32>, "
         "%b: tensor<f32>):\n stablehlo.return %a, %b : tensor<2xf32>, tensor<f32>\n} : "
         "(tensor<2x3xf32>, "
         "tensor<f32>) -> (tensor<2x3xf32>, tensor<f32>)",
         R"(%0:2 = "chlo.scan"(%x, %s) <{dimension = 1 : i64, is_reverse = true, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
^bb0(%a: tensor<2xf32>, %b: tensor<f32>):
  "stablehlo.return"(%a, %b) : (tensor<2xf32>, tensor<f32>) -> ()
}) : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xf32>, tensor<f32>))"},
        {"chlo.top_k",
         "%0:2 = chlo.top_k(%x, k = 2, is_stable = false) : tensor<2x3xf32> -> (tensor<2x2xf32>, "
         "tensor<2x2xi32>)",
         R"(%0:2 = "chlo.top_k"(%x) {k = 2 : i64, is_stable = false} : (tensor<2x3xf32>) -> (tensor<2x2xf32>, tensor<2x2xi32>))"},
        {"func.call",
         "%0:2 = func.call @g(%x, %n) {a} : (tensor<2x3xf32>, tensor<i32>) -> (tensor<f32>, i1)",
         R"(%0:2 = "func.call"(%x, %n) <{callee = @g}> {a} : (tensor<2x3xf32>, tensor<i32>) -> (tensor<f32>, i1))"},
        {"func.constant", "%0 = constant @g : (i32) -> i32",
         R"(%0 = "func.constant"() {value = @g} : () -> ((i32) -> i32))"},
        {"func.func",
         "func.func private @g(%a: tensor<2xf32> {b.c = 1 : i32}, %d: tensor<i1>) -> "
         "(tensor<2xf32> {e}, "
         "tensor<i1>) attributes {h = \"i\"} { return %a, %d : tensor<2xf32>, tensor<i1> }",
         R"("func.func"() <{arg_attrs = [{b.c = 1 : i32}, {}], function_type = (tensor<2xf32>, tensor<i1>) -> (tensor<2xf32>, tensor<i1>), res_attrs = [{e}, {}], sym_name = "g", sym_visibility = "private"}> ({
^bb0(%a: tensor<2xf32>, %d: tensor<i1>):
  "func.return"(%a, %d) : (tensor<2xf32>, tensor<i1>) -> ()
}) {h = "i"} : () -> ())"},
        {"func.return", "return %x, %n : tensor<2x3xf32>, tensor<i32>",
         R"("func.return"(%x, %n) : (tensor<2x3xf32>, tensor<i32>) -> ())"},
        {"interpreter.print", "interpreter.print %x : tensor<2x3xf32>",
         R"("interpreter.print"(%x) : (tensor<2x3xf32>) -> ())"},
        {"interpreter.probe", R"(%0 = interpreter.probe %x, probe_id = "a" : tensor<2x3xf32>)",
         R"(%0 = "interpreter.probe"(%x) {probe_id = "a"} : (tensor<2x3xf32>) -> tensor<2x3xf32>)"},
        {"interpreter.run_parallel", "",
         R"(%0:2 = "interpreter.run_parallel"(%x, %y) {programs = [[@a], [@b]]} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2xf32>, tensor<2xf32>))"},
        {"sdy.all_gather",
         R"(%0 = sdy.all_gather [{"a"}, {}] %x out_sharding=<@m, [{}, {}]> : tensor<2x3xf32>)",
         R"(%0 = "sdy.all_gather"(%x) <{gathering_axes = #sdy<list_of_axis_ref_lists[{"a"}, {}]>, out_sharding = #sdy.sharding<@m, [{}, {}]>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>)"},
        {"sdy.all_reduce",
         R"(%0 = sdy.all_reduce {"a"} %x out_sharding=<@m, [{}, {}]> : tensor<2x3xf32>)",
         R"(%0 = "sdy.all_reduce"(%x) <{reduction_axes = #sdy<axis_ref_list{"a"}>, out_sharding = #sdy.sharding<@m, [{}, {}]>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>)"},
        {"sdy.all_slice",
         R"(%0 = sdy.all_slice [{"a"}, {}] %x out_sharding=<@m, [{"a"}, {}]> : tensor<2x3xf32>)",
         R"(%0 = "sdy.all_slice"(%x) <{slicing_axes = #sdy<list_of_axis_ref_lists[{"a"}, {}]>, out_sharding = #sdy.sharding<@m, [{"a"}, {}]>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>)"},
        {"sdy.all_to_all",
         R"(%0 = sdy.all_to_all [{"a"}: 0->1] %x out_sharding=<@m, [{}, {"a"}]> : tensor<2x3xf32>)",
         R"(%0 = "sdy.all_to_all"(%x) <{params = #sdy<all_to_all_param_list[{"a"}: 0->1]>, out_sharding = #sdy.sharding<@m, [{}, {"a"}]>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>)"},
        {"sdy.collective_permute",
         R"(%0 = sdy.collective_permute %x out_sharding=<@m, [{}, {}]> : tensor<2x3xf32>)",
         R"(%0 = "sdy.collective_permute"(%x) <{out_sharding = #sdy.sharding<@m, [{}, {}]>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>)"},
        {"sdy.constant", "%0 = sdy.constant dense<1.0> : tensor<2xf32>",
         R"(%0 = "sdy.constant"() {value = dense<1.0> : tensor<2xf32>} : () -> tensor<2xf32>)"},
        {"sdy.data_flow_edge",
         R"(%0 = sdy.data_flow_edge %x sharding=<@m, [{}, {}]> : tensor<2x3xf32>)",
         R"(%0 = "sdy.data_flow_edge"(%x) <{sharding = #sdy.sharding<@m, [{}, {}]>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>)"},
        {"sdy.manual_computation",
         R"(%0 = sdy.manual_computation(%x) in_shardings=[<@m, [{"a"}, {}]>] out_shardings=[<@m, [{"a"}, {}]>] manual_axes={"a"} (%x: tensor<1x3xf32>) {
  sdy.return %x : tensor<1x3xf32>
} : (tensor<2x3xf32>) -> tensor<2x3xf32>)",
         R"(%0 = "sdy.manual_computation"(%x) <{in_shardings = #sdy.sharding_per_value<[<@m, [{"a"}, {}]>]>, manual_axes = #sdy<manual_axes{"a"}>, out_shardings = #sdy.sharding_per_value<[<@m, [{"a"}, {}]>]>}> ({
^bb0(%a: tensor<1x3xf32>):
  "sdy.return"(%a) : (tensor<1x3xf32>) -> ()
}) : (tensor<2x3xf32>) -> tensor<2x3xf32>)"},
        {"sdy.mesh", R"(sdy.mesh @m = <["a"=2, "b"=4], device_ids=[0, 1]>)",
         R"("sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=4], device_ids=[0, 1]>, sym_name = "m"}> : () -> ())"},
        {"sdy.named_computation",
         R"(%0 = sdy.named_computation<"f">(%x) in_shardings=[<@m, [{}, {}]>] (%a: tensor<2x3xf32>) {
  sdy.return %a : tensor<2x3xf32>
} : (tensor<2x3xf32>) -> tensor<2x3xf32>)",
         R"(%0 = "sdy.named_computation"(%x) <{in_shardings = #sdy.sharding_per_value<[<@m, [{}, {}]>]>, name = "f"}> ({
^bb0(%a: tensor<2x3xf32>):
  "sdy.return"(%a) : (tensor<2x3xf32>) -> ()
}) : (tensor<2x3xf32>) -> tensor<2x3xf32>)"},
        {"sdy.propagation_barrier",
         "%0 = sdy.propagation_barrier %x allowed_direction=BACKWARD : tensor<2x3xf32>",
         R"(%0 = "sdy.propagation_barrier"(%x) {allowed_direction = #sdy<propagation_direction BACKWARD>} : (tensor<2x3xf32>) -> tensor<2x3xf32>)"},
        {"sdy.reduce_scatter",
         R"(%0 = sdy.reduce_scatter [{}, {"a"}] %x out_sharding=<@m, [{}, {"a"}]> : tensor<2x3xf32>)",
         R"(%0 = "sdy.reduce_scatter"(%x) <{reduce_scatter_axes = #sdy<list_of_axis_ref_lists[{}, {"a"}]>, out_sharding = #sdy.sharding<@m, [{}, {"a"}]>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>)"},
        {"sdy.replicated_to_unreduced",
         R"(%0 = sdy.replicated_to_unreduced {"a"} %x out_sharding=<@m, [{}, {}]> : tensor<2x3xf32>)",
         R"(%0 = "sdy.replicated_to_unreduced"(%x) <{axes = #sdy<axis_ref_list{"a"}>, out_sharding = #sdy.sharding<@m, [{}, {}]>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>)"},
        {"sdy.reshard",
         R"(%0 = sdy.reshard %x <@m, [{"a", "b"}, {?}], replicated={"c"}> : tensor<2x3xf32>)", R"(%0 = "sdy.reshard"(%x) <{sharding = #sdy.sharding<@m, [{"a", "b"}, {?}], replicated={"c"}>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>)"},
        {"sdy.return", "sdy.return", R"("sdy.return"() : () -> ())"},
        {"sdy.sharded_to_unreduced",
         R"(%0 = sdy.sharded_to_unreduced [{"a"}, {}] %x out_sharding=<@m, [{}, {}]> : tensor<2x3xf32>)",
         R"(%0 = "sdy.sharded_to_unreduced"(%x) <{axes = #sdy<list_of_axis_ref_lists[{"a"}, {}]>, out_sharding = #sdy.sharding<@m, [{}, {}]>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>)"},
        {"sdy.sharding_constraint",
         R"(%0 = sdy.sharding_constraint %x <@m, [{"a"}p1, {}]> : tensor<2x3xf32>)",
         R"(%0 = "sdy.sharding_constraint"(%x) <{sharding = #sdy.sharding<@m, [{"a"}p1, {}]>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>)"},
        {"sdy.sharding_group", "sdy.sharding_group %x group_id=21 : tensor<2x3xf32>",
         R"("sdy.sharding_group"(%x) {group_id = 21 : i64} : (tensor<2x3xf32>) -> ())"},
        {"stablehlo.after_all", "%0 = stablehlo.after_all %t, %t : !stablehlo.token",
         R"(%0 = "stablehlo.after_all"(%t, %t) : (!stablehlo.token, !stablehlo.token) -> !stablehlo.token)"},
        {"stablehlo.all_gather", "",
         R"(%0 = "stablehlo.all_gather"(%x) {all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids} : (tensor<2x3xf32>) -> tensor<2x6xf32>)"},
        {"stablehlo.all_reduce", "",
         R"(%0 = "stablehlo.all_reduce"(%x) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "a", sub_axis_info = (1)2>]>}> ({
^bb0(%a: tensor<f32>, %b: tensor<f32>):
  %1 = stablehlo.add %a, %b : tensor<f32>
  stablehlo.return %1 : tensor<f32>
}) : (tensor<2x3xf32>) -> tensor<2x3xf32>)"},
        {"stablehlo.all_to_all", "",
         R"(%0:2 = "stablehlo.all_to_all"(%x, %y) {split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<1x6xf32>, tensor<1x6xf32>))"},
        {"stablehlo.async_done", "",
         R"(%1 = "stablehlo.async_start"(%x) ({
^bb0(%a: tensor<2x3xf32>):
  stablehlo.return %a : tensor<2x3xf32>
}) : (tensor<2x3xf32>) -> !stablehlo.future<tensor<2x3xf32>>
%0 = "stablehlo.async_done"(%1) : (!stablehlo.future<tensor<2x3xf32>>) -> tensor<2x3xf32>)"},
        {"stablehlo.async_start", "",
         R"(%1 = "stablehlo.async_start"(%x) ({
^bb0(%a: tensor<2x3xf32>):
  stablehlo.return %a : tensor<2x3xf32>
}) : (tensor<2x3xf32>) -> !stablehlo.future<tensor<2x3xf32>>)"},
        {"stablehlo.batch_norm_grad", "",
         R"(%0:3 = "stablehlo.batch_norm_grad"(%x, %s, %s, %s, %y) {epsilon = 1.0e-5 : f32, feature_index = 1 : i64} : (tensor<2x3xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<f32>, tensor<f32>))"},
        {"stablehlo.batch_norm_inference", "",
         R"(%0 = "stablehlo.batch_norm_inference"(%x, %s, %s, %s, %s) {epsilon = 0x3727C5AC : f32, feature_index = 1 : i64} : (tensor<2x3xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<2x3xf32>)"},
        {"stablehlo.batch_norm_training", "",
         R"(%0:3 = "stablehlo.batch_norm_training"(%x, %s, %s) {epsilon = 1.0e-5 : f32, feature_index = 1 : i64} : (tensor<2x3xf32>, tensor<f32>, tensor<f32>) -> (tensor<2x3xf32>, tensor<f32>, tensor<f32>))"},
        {"stablehlo.broadcast",
         "%0 = stablehlo.broadcast %x, sizes = [4] : (tensor<2x3xf32>) -> tensor<4x2x3xf32>",
         R"(%0 = "stablehlo.broadcast"(%x) {broadcast_sizes = dense<[4]> : tensor<1xi64>} : (tensor<2x3xf32>) -> tensor<4x2x3xf32>)"},
        {"stablehlo.broadcast_in_dim",
         "%0 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<2x3xf32>",
         R"(%0 = "stablehlo.broadcast_in_dim"(%s) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x3xf32>)"},
        {"stablehlo.case", "",
         R"(%0 = "stablehlo.case"(%n) ({
  stablehlo.return %x : tensor<2x3xf32>
}, {
  stablehlo.return %y : tensor<2x3xf32>
}) : (tensor<i32>) -> tensor<2x3xf32>)"},
        {"stablehlo.cholesky", "%0 = stablehlo.cholesky %x, lower = true {a} : tensor<2x3xf32>",
         R"(%0 = "stablehlo.cholesky"(%x) {lower = true, a} : (tensor<2x3xf32>) -> tensor<2x3xf32>)"},
        {"stablehlo.clamp",
         "%0 = stablehlo.clamp %s, %x, %s : (tensor<f32>, tensor<2x3xf32>, tensor<f32>) -> "
         "tensor<2x3xf32>",
         R"(%0 = "stablehlo.clamp"(%s, %x, %s) : (tensor<f32>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>)"},
        {"stablehlo.collective_broadcast", "",
         R"(%0 = "stablehlo.collective_broadcast"(%x) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, has_dynamic_root} : (tensor<2x3xf32>) -> tensor<2x3xf32>)"},
        {"stablehlo.collective_permute", "",
         R"(%0 = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>} : (tensor<2x3xf32>) -> tensor<2x3xf32>)"},
        {"stablehlo.collective_reduce", "",
         R"(%0 = "stablehlo.collective_reduce"(%x) ({
^bb0(%a: tensor<f32>, %b: tensor<f32>):
  stablehlo.return %a : tensor<f32>
}) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x3xf32>) -> tensor<2x3xf32>)"},
        {"stablehlo.compare",
         "%0 = stablehlo.compare  LT, %x, %y,  TOTALORDER : (tensor<2x3xf32>, tensor<2x3xf32>) -> "
         "tensor<2x3xi1>",
         R"(%0 = "stablehlo.compare"(%x, %y) {comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type TOTALORDER>} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>)"},
        {"stablehlo.complex", "%0 = stablehlo.complex %x, %y : tensor<2x3xcomplex<f32>>",
         R"(%0 = "stablehlo.complex"(%x, %y) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xcomplex<f32>>)"},
        {"stablehlo.composite",
         R"(%0 = stablehlo.composite "a.b" %x, %y {composite_attributes = {k = 1 : i64}, decomposition = @f, version = 1 : i32} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>)", R"(%0 = "stablehlo.composite"(%x, %y) <{composite_attributes = {k = 1 : i64}, decomposition = @f, name = "a.b", version = 1 : i32}> : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>)"},
        {"stablehlo.composite",
         R"(%0 = stablehlo.composite "a.b" %x ({
^bb0(%a: tensor<f32>):
  stablehlo.return %a : tensor<f32>
}, {
^bb0(%a: tensor<i1>):
  stablehlo.return %a : tensor<i1>
}) {decomposition = @f} : (tensor<2x3xf32>) -> tensor<2x3xf32>)",
         R"(%0 = "stablehlo.composite"(%x) <{decomposition = @f, name = "a.b"}> ({
^bb0(%a: tensor<f32>):
  stablehlo.return %a : tensor<f32>
}, {
^bb0(%a: tensor<i1>):
  stablehlo.return %a : tensor<i1>
}) : (tensor<2x3xf32>) -> tensor<2x3xf32>)"},
        {"stablehlo.concatenate",
         "%0 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> "
         "tensor<4x3xf32>",
         R"(%0 = "stablehlo.concatenate"(%x, %y) {dimension = 0 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>)"},
        {"stablehlo.constant",
         "%0 = stablehlo.constant {a = 1 : i8} dense<[[1, 2], [3, -4]]> : tensor<2x2xi32>",
         R"(%0 = "stablehlo.constant"() {value = dense<"0x010000000200000003000000FCFFFFFF"> : tensor<2x2xi32>, a = 1 : i8} : () -> tensor<2x2xi32>)"},
        {"stablehlo.constant",
         "%0 = stablehlo.constant() <{value = dense<1> : tensor<2xi8>}> : () -> "
         "tensor<2x!quant.uniform<i8:f32, 0.5:3>>",
         R"(%0 = "stablehlo.constant"() {value = dense<1> : tensor<2xi8>} : () -> tensor<2x!quant.uniform<i8<-128:127>:f32, 0.5:3>>)"},
        {"stablehlo.convolution",
         "%0 = stablehlo.convolution(%image, %filter) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, "
         "0, 1, f], window = "
         "{stride = [2, 1], pad = [[1, 1], [0, 2]], lhs_dilate = [1, 1], rhs_dilate = [1, 2], "
         "reverse = [false, true]} "
         "{batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = "
         "[#stablehlo<precision "
         "DEFAULT>, #stablehlo<precision HIGH>]} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> "
         "tensor<1x4x6x4xf32>",
         R"(%0 = "stablehlo.convolution"(%image, %filter) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>, feature_group_count = 1 : i64, lhs_dilation = dense<1> : tensor<2xi64>, padding = dense<[[1, 1], [0, 2]]> : tensor<2x2xi64>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGH>], rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: false, true>, window_strides = array<i64: 2, 1>} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x4x6x4xf32>)"},
        {"stablehlo.convolution",
         "%0 = stablehlo.convolution(%image, %filter) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, "
         "0, 1, f], window = {} "
         "{batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, "
         "tensor<3x3x3x4xf32>) -> "
         "tensor<1x6x6x4xf32>",
         R"(%0 = "stablehlo.convolution"(%image, %filter) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x6x6x4xf32>)"},
        {"stablehlo.create_token", "%0 = stablehlo.create_token : !stablehlo.token",
         R"(%0 = "stablehlo.create_token"() : () -> !stablehlo.token)"},
        {"stablehlo.cross-replica-sum", "",
         R"(%0 = "stablehlo.cross-replica-sum"(%x) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x3xf32>) -> tensor<2x3xf32>)"},
        {"stablehlo.custom_call",
         R"(%0:2 = stablehlo.custom_call @"a.b-c"(%x, %n) {api_version = 2 : i32, backend_config = "x\0Ay", called_computations = [@f], has_side_effect = true, mhlo.frontend_attributes = {a = "b"}, operand_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<> : tensor<0xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]} : (tensor<2x3xf32>, tensor<i32>) -> (tensor<2x3xf32>, tensor<i32>))",
         R"(%0:2 = "stablehlo.custom_call"(%x, %n) <{api_version = 2 : i32, backend_config = "x\ny", call_target_name = "a.b-c", called_computations = [@f], has_side_effect = true, operand_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<> : tensor<0xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]}> {mhlo.frontend_attributes = {a = "b"}} : (tensor<2x3xf32>, tensor<i32>) -> (tensor<2x3xf32>, tensor<i32>))"},
        {"stablehlo.custom_call",
         "stablehlo.custom_call @f() {backend_config = {a = 1 : ui8}} : () -> ()",
         R"("stablehlo.custom_call"() {call_target_name = "f", backend_config = {a = 1 : ui8}} : () -> ())"},
        {"stablehlo.dot",
         "%0 = stablehlo.dot %x, %y, precision = [HIGH, DEFAULT] : (tensor<2x3xf32>, "
         "tensor<2x3xf32>) -> tensor<2x3xf32>",
         R"(%0 = "stablehlo.dot"(%x, %y) {precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision DEFAULT>]} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>)"},
        {"stablehlo.dot_general",
         "%0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [1] x "
         "[1], precision = "
         "[DEFAULT, DEFAULT], algorithm = <lhs_precision_type = tf32, rhs_precision_type = bf16, "
         "accumulation_type = f32, "
         "lhs_component_count = 1, rhs_component_count = 2, num_primitive_operations = 3, "
         "allow_imprecise_accumulation = "
         "false> : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2xf32>",
         R"(%0 = "stablehlo.dot_general"(%x, %y) <{algorithm = #stablehlo.dot_algorithm<lhs_precision_type = tf32, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 2, num_primitive_operations = 3, allow_imprecise_accumulation = false>, dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2xf32>)"},
        {"stablehlo.dot_general",
         "%0 = stablehlo.dot_general %x, %y, contracting_dims = [0, 1] x [0, 1] : "
         "(tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<f32>",
         R"(%0 = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0, 1], rhs_contracting_dimensions = [0, 1]>} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<f32>)"},
        {"stablehlo.dynamic_broadcast_in_dim",
         "%0 = stablehlo.dynamic_broadcast_in_dim %s, %u, dims = [] {known_expanding_dimensions = "
         "array<i64>} : (tensor<f32>, tensor<2xi64>) -> tensor<?x?xf32>",
         R"(%0 = "stablehlo.dynamic_broadcast_in_dim"(%s, %u) {broadcast_dimensions = array<i64>, known_expanding_dimensions = array<i64>} : (tensor<f32>, tensor<2xi64>) -> tensor<?x?xf32>)"},
        {"stablehlo.dynamic_conv", "",
         R"(%0 = "stablehlo.dynamic_conv"(%image, %filter, %i) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>, tensor<2x3xi32>) -> tensor<1x?x?x4xf32>)"},
        {"stablehlo.dynamic_gather", "",
         R"(%0 = "stablehlo.dynamic_gather"(%x, %i, %u) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = true} : (tensor<2x3xf32>, tensor<2x3xi32>, tensor<2xi64>) -> tensor<2x?xf32>)"},
        {"stablehlo.dynamic_iota",
         "%0 = stablehlo.dynamic_iota %u, dim = 1 : (tensor<2xi64>) -> tensor<?x?xi32>",
         R"(%0 = "stablehlo.dynamic_iota"(%u) {iota_dimension = 1 : i64} : (tensor<2xi64>) -> tensor<?x?xi32>)"},
        {"stablehlo.dynamic_pad",
         "%0 = stablehlo.dynamic_pad %x, %s, %u, %u, %u : (tensor<2x3xf32>, tensor<f32>, "
         "tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>",
         R"(%0 = "stablehlo.dynamic_pad"(%x, %s, %u, %u, %u) : (tensor<2x3xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>)"},
        {"stablehlo.dynamic_reshape",
         "%0 = stablehlo.dynamic_reshape %x, %u : (tensor<2x3xf32>, tensor<2xi64>) -> "
         "tensor<?x?xf32>",
         R"(%0 = "stablehlo.dynamic_reshape"(%x, %u) : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<?x?xf32>)"},
        {"stablehlo.dynamic_slice",
         "%0 = stablehlo.dynamic_slice %x, %n, %m, sizes = [1, 2] : (tensor<2x3xf32>, tensor<i32>, "
         "tensor<i32>) -> tensor<1x2xf32>",
         R"(%0 = "stablehlo.dynamic_slice"(%x, %n, %m) {slice_sizes = array<i64: 1, 2>} : (tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>)"},
        {"stablehlo.dynamic_slice",
         "%0 = stablehlo.dynamic_slice %s, sizes = [] : (tensor<f32>) -> tensor<f32>",
         R"(%0 = "stablehlo.dynamic_slice"(%s) {slice_sizes = array<i64>} : (tensor<f32>) -> tensor<f32>)"},
        {"stablehlo.dynamic_update_slice",
         "%0 = stablehlo.dynamic_update_slice %x, %y, %n, %m : (tensor<2x3xf32>, tensor<2x3xf32>, "
         "tensor<i32>, tensor<i32>) -> tensor<2x3xf32>",
         R"(%0 = "stablehlo.dynamic_update_slice"(%x, %y, %n, %m) : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>)"},
        {"stablehlo.dynamic_update_slice",
         "%0 = stablehlo.dynamic_update_slice %s, %s : (tensor<f32>, tensor<f32>) -> tensor<f32>",
         R"(%0 = "stablehlo.dynamic_update_slice"(%s, %s) : (tensor<f32>, tensor<f32>) -> tensor<f32>)"},
        {"stablehlo.einsum",
         R"(%0 = stablehlo.einsum %x, %y, config = "ab,cb->ac" : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>)",
         R"(%0 = "stablehlo.einsum"(%x, %y) {einsum_config = "ab,cb->ac"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>)"},
        {"stablehlo.exponential",
         "%0 = stablehlo.exponential %x {result_accuracy = #stablehlo.result_accuracy<atol = "
         "1.0e-2, ulps = 3, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2x3xf32>",
         R"(%0 = "stablehlo.exponential"(%x) {result_accuracy = #stablehlo.result_accuracy<atol = 0.01, rtol = 0.0, ulps = 3, mode = #stablehlo<result_accuracy_mode TOLERANCE>>} : (tensor<2x3xf32>) -> tensor<2x3xf32>)"},
        {"stablehlo.fft",
         "%0 = stablehlo.fft %c, type = IFFT, length = [3] : (tensor<2x3xcomplex<f32>>) -> "
         "tensor<2x3xcomplex<f32>>",
         R"(%0 = "stablehlo.fft"(%c) {fft_length = dense<3> : tensor<1xi64>, fft_type = #stablehlo<fft_type IFFT>} : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xcomplex<f32>>)"},
        {"stablehlo.gather", "",
         R"(%0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 3>}> : (tensor<2x3xf32>, tensor<2x3xi32>) -> tensor<2x3x3xf32>)"},
        {"stablehlo.get_dimension_size",
         "%0 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<2x3xf32>) -> tensor<i32>",
         R"(%0 = "stablehlo.get_dimension_size"(%x) {dimension = 1 : i64} : (tensor<2x3xf32>) -> tensor<i32>)"},
        {"stablehlo.get_tuple_element",
         "%0 = stablehlo.get_tuple_element %v[1] : (tuple<tensor<2x3xf32>, tensor<i32>>) -> "
         "tensor<i32>",
         R"(%0 = "stablehlo.get_tuple_element"(%v) {index = 1 : i32} : (tuple<tensor<2x3xf32>, tensor<i32>>) -> tensor<i32>)"},
        {"stablehlo.if", "",
         R"(%0 = "stablehlo.if"(%q) ({
  "stablehlo.return"(%x) : (tensor<2x3xf32>) -> ()
}, {
  "stablehlo.return"(%y) : (tensor<2x3xf32>) -> ()
}) : (tensor<i1>) -> tensor<2x3xf32>)"},
        {"stablehlo.infeed", "",
         R"(%0:2 = "stablehlo.infeed"(%t) {infeed_config = "a", layout = [[0, 1]]} : (!stablehlo.token) -> (tensor<2x3xf32>, !stablehlo.token))"},
        {"stablehlo.iota", "%0 = stablehlo.iota dim = 1 : tensor<2x3xi32>",
         R"(%0 = "stablehlo.iota"() {iota_dimension = 1 : i64} : () -> tensor<2x3xi32>)"},
        {"stablehlo.map", "",
         R"(%0 = "stablehlo.map"(%x) ({
^bb0(%a: tensor<f32>):
  stablehlo.return %a : tensor<f32>
}) {dimensions = array<i64: 0, 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>)"},
        {"stablehlo.optimization_barrier",
         "%0:2 = stablehlo.optimization_barrier %x, %n : tensor<2x3xf32>, tensor<i32>",
         R"(%0:2 = "stablehlo.optimization_barrier"(%x, %n) : (tensor<2x3xf32>, tensor<i32>) -> (tensor<2x3xf32>, tensor<i32>))"},
        {"stablehlo.optimization_barrier", "stablehlo.optimization_barrier ()",
         R"("stablehlo.optimization_barrier"() : () -> ())"},
        {"stablehlo.outfeed", "",
         R"(%0 = "stablehlo.outfeed"(%x, %t) {outfeed_config = ""} : (tensor<2x3xf32>, !stablehlo.token) -> !stablehlo.token)"},
        {"stablehlo.pad",
         "%0 = stablehlo.pad %x, %s, low = [0, -1], high = [1, 0], interior = [0, 2] : "
         "(tensor<2x3xf32>, tensor<f32>) -> tensor<3x6xf32>",
         R"(%0 = "stablehlo.pad"(%x, %s) {edge_padding_high = array<i64: 1, 0>, edge_padding_low = array<i64: 0, -1>, interior_padding = array<i64: 0, 2>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<3x6xf32>)"},
        {"stablehlo.real_dynamic_slice",
         "%0 = stablehlo.real_dynamic_slice %x, %u, %u, %u : (tensor<2x3xf32>, tensor<2xi64>, "
         "tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>",
         R"(%0 = "stablehlo.real_dynamic_slice"(%x, %u, %u, %u) : (tensor<2x3xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>)"},
        {"stablehlo.recv", "",
         R"(%0:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 5, type = 3>, is_host_transfer = true} : (!stablehlo.token) -> (tensor<2x3xf32>, !stablehlo.token))"},
        {"stablehlo.reduce",
         "%0 = stablehlo.reduce(%x init: %s) applies stablehlo.add across dimensions = [1] {a} : "
         "(tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>",
         R"(%0 = "stablehlo.reduce"(%x, %s) <{dimensions = array<i64: 1>}> ({
^bb0(%a: tensor<f32>, %b: tensor<f32>):
  %1 = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  "stablehlo.return"(%1) : (tensor<f32>) -> ()
}) {a} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>)"},
        {"stablehlo.reduce",
         R"(%0:2 = stablehlo.reduce(%x init: %s), (%i init: %n) across dimensions = [0, 1] : (tensor<2x3xf32>, tensor<2x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
  reducer(%a: tensor<f32>, %b: tensor<f32>) (%d: tensor<i32>, %e: tensor<i32>) {
    stablehlo.return %b, %d : tensor<f32>, tensor<i32>
  })",
         R"(%0:2 = "stablehlo.reduce"(%x, %i, %s, %n) ({
^bb0(%a: tensor<f32>, %d: tensor<i32>, %b: tensor<f32>, %e: tensor<i32>):
  stablehlo.return %b, %d : tensor<f32>, tensor<i32>
}) {dimensions = dense<[0, 1]> : tensor<2xi64>} : (tensor<2x3xf32>, tensor<2x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>))"},
        {"stablehlo.reduce_precision",
         "%0 = stablehlo.reduce_precision %x, format = e5m10 : tensor<2x3xf32>",
         R"(%0 = "stablehlo.reduce_precision"(%x) {exponent_bits = 5 : i32, mantissa_bits = 10 : i32} : (tensor<2x3xf32>) -> tensor<2x3xf32>)"},
        {"stablehlo.reduce_scatter", "",
         R"(%0 = "stablehlo.reduce_scatter"(%x) ({
^bb0(%a: tensor<f32>, %b: tensor<f32>):
  stablehlo.return %a : tensor<f32>
}) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, use_global_device_ids} : (tensor<2x3xf32>) -> tensor<1x3xf32>)"},
        {"stablehlo.reduce_window", "",
         R"(%0 = "stablehlo.reduce_window"(%x, %s) <{padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 1, 1>}> ({
^bb0(%a: tensor<f32>, %b: tensor<f32>):
  stablehlo.return %a : tensor<f32>
}) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>)"},
        {"stablehlo.return", "stablehlo.return %x : tensor<2x3xf32>",
         R"("stablehlo.return"(%x) : (tensor<2x3xf32>) -> ())"},
        {"stablehlo.return", "stablehlo.return", R"("stablehlo.return"() : () -> ())"},
        {"stablehlo.reverse", "%0 = stablehlo.reverse %x, dims = [0] : tensor<2x3xf32>",
         R"(%0 = "stablehlo.reverse"(%x) {dimensions = array<i64: 0>} : (tensor<2x3xf32>) -> tensor<2x3xf32>)"},
        {"stablehlo.rng",
         "%0 = stablehlo.rng %s, %s, %u, distribution = NORMAL : (tensor<f32>, tensor<f32>, "
         "tensor<2xi64>) -> tensor<2x3xf32>",
         R"(%0 = "stablehlo.rng"(%s, %s, %u) {rng_distribution = #stablehlo.rng_distribution<NORMAL>} : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2x3xf32>)"},
        {"stablehlo.rng_bit_generator",
         "%0, %1 = stablehlo.rng_bit_generator %k, algorithm = THREE_FRY : (tensor<2xui64>) -> "
         "(tensor<2xui64>, tensor<2x3xui32>)",
         R"(%0:2 = "stablehlo.rng_bit_generator"(%k) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>} : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x3xui32>))"},
        {"stablehlo.scatter", "",
         R"(%0 = "stablehlo.scatter"(%x, %i, %y) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
^bb0(%a: tensor<f32>, %b: tensor<f32>):
  stablehlo.return %b : tensor<f32>
}) : (tensor<2x3xf32>, tensor<2x3xi32>, tensor<2x3xf32>) -> tensor<2x3xf32>)"},
        {"stablehlo.select", "%0 = stablehlo.select %p, %x, %y : tensor<2x3xi1>, tensor<2x3xf32>",
         R"(%0 = "stablehlo.select"(%p, %x, %y) : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>)"},
        {"stablehlo.select",
         "%0 = stablehlo.select %q, %x, %y : (tensor<i1>, tensor<2x3xf32>, tensor<2x3xf32>) -> "
         "tensor<2x?xf32>",
         R"(%0 = "stablehlo.select"(%q, %x, %y) : (tensor<i1>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x?xf32>)"},
        {"stablehlo.select_and_scatter", "",
         R"(%0 = "stablehlo.select_and_scatter"(%x, %y, %s) ({
^bb0(%a: tensor<f32>, %b: tensor<f32>):
  %1 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
  stablehlo.return %1 : tensor<i1>
}, {
^bb0(%a: tensor<f32>, %b: tensor<f32>):
  stablehlo.return %a : tensor<f32>
}) {window_dimensions = array<i64: 1, 1>} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>)"},
        {"stablehlo.send", "",
         R"(%0 = "stablehlo.send"(%x, %t) {channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>, is_host_transfer = true, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x3xf32>, !stablehlo.token) -> !stablehlo.token)"},
        {"stablehlo.set_dimension_size",
         "%0 = stablehlo.set_dimension_size %x, %n, dim = 1 : (tensor<2x3xf32>, tensor<i32>) -> "
         "tensor<2x?xf32, #stablehlo.bounds<?, 3>>",
         R"(%0 = "stablehlo.set_dimension_size"(%x, %n) {dimension = 1 : i64} : (tensor<2x3xf32>, tensor<i32>) -> tensor<2x?xf32, #stablehlo.type_extensions<bounds = [?, 3]>>)"},
        {"stablehlo.slice",
         "%0 = stablehlo.slice %x [0:2, 1:3:2] : (tensor<2x3xf32>) -> tensor<2x1xf32>",
         R"(%0 = "stablehlo.slice"(%x) {limit_indices = array<i64: 2, 3>, start_indices = array<i64: 0, 1>, strides = array<i64: 1, 2>} : (tensor<2x3xf32>) -> tensor<2x1xf32>)"},
        {"stablehlo.sort", "",
         R"(%0:2 = "stablehlo.sort"(%x, %i) <{dimension = 1 : i64, is_stable = true}> ({
^bb0(%a: tensor<f32>, %b: tensor<f32>, %d: tensor<i32>, %e: tensor<i32>):
  %1 = stablehlo.compare LT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
  stablehlo.return %1 : tensor<i1>
}) : (tensor<2x3xf32>, tensor<2x3xi32>) -> (tensor<2x3xf32>, tensor<2x3xi32>))"},
        {"stablehlo.torch_index_select", "",
         R"(%0 = "stablehlo.torch_index_select"(%x, %i) {batch_dims = 0 : i64, dim = 0 : i64} : (tensor<2x3xf32>, tensor<2x3xi32>) -> tensor<2x3x3xf32>)"},
        {"stablehlo.transpose",
         "%0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>",
         R"(%0 = "stablehlo.transpose"(%x) {permutation = dense<[1, 0]> : tensor<2xi64>} : (tensor<2x3xf32>) -> tensor<3x2xf32>)"},
        {"stablehlo.triangular_solve", "",
         R"(%0 = "stablehlo.triangular_solve"(%x, %y) {left_side = true, lower = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>)"},
        {"stablehlo.tuple", "%0 = stablehlo.tuple %x, %n : tuple<tensor<2x3xf32>, tensor<i32>>",
         R"(%0 = "stablehlo.tuple"(%x, %n) : (tensor<2x3xf32>, tensor<i32>) -> tuple<tensor<2x3xf32>, tensor<i32>>)"},
        {"stablehlo.unary_einsum",
         R"(%0 = stablehlo.unary_einsum %x, config = "ab->a" : (tensor<2x3xf32>) -> tensor<2xf32>)",
         R"(%0 = "stablehlo.unary_einsum"(%x) {einsum_config = "ab->a"} : (tensor<2x3xf32>) -> tensor<2xf32>)"},
        {"stablehlo.while",
         R"(%0:2 = stablehlo.while(%a = %n, %b = %x) : tensor<i32>, tensor<2x3xf32> attributes {e = "f"}
 cond {
  %1 = stablehlo.compare LT, %a, %m, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.return %1 : tensor<i1>
} do {
  stablehlo.return %a, %b : tensor<i32>, tensor<2x3xf32>
})",
         R"(%0:2 = "stablehlo.while"(%n, %x) ({
^bb0(%a: tensor<i32>, %b: tensor<2x3xf32>):
  %1 = stablehlo.compare LT, %a, %m, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.return %1 : tensor<i1>
}, {
^bb0(%a: tensor<i32>, %b: tensor<2x3xf32>):
  stablehlo.return %a, %b : tensor<i32>, tensor<2x3xf32>
}) {e = "f"} : (tensor<i32>, tensor<2x3xf32>) -> (tensor<i32>, tensor<2x3xf32>))"},
        {"stablehlo.while",
         R"(stablehlo.while() cond { stablehlo.return %q : tensor<i1> } do { stablehlo.return })",
         R"("stablehlo.while"() ({ stablehlo.return %q : tensor<i1> }, { stablehlo.return }) : () -> ())"},
};

// Of a row with a regular format; "" otherwise.
Form Regular(const OpSyntax& row, std::string& pretty, std::string& generic) {
  constexpr std::string_view kTensor = "tensor<2x3xf32>";
  const size_t count = row.operands.size();
  const std::string values = count == 1 ? "%x" : "%x, %y";
  const std::string types = count == 1 ? std::string(kTensor) : StrCat(kTensor, ", ", kTensor);
  const bool fixed = row.results.size() == 1 && (count == 1 || count == 2) &&
                     std::ranges::none_of(row.operands, &OperandSyntax::variadic);
  const std::string_view tail =
      std::string_view(row.format).substr(std::min(row.format.find("{}"), row.format.size()));
  std::string listed = StrCat("$", row.operands.empty() ? "" : row.operands[0].name);
  if (count == 2) StrAppend(listed, ", $", row.operands[1].name);
  if (!fixed && row.format == "{} : results") {
    pretty = StrCat("%0 = ", row.name, " : tensor<ui32>");
    generic = StrCat("%0 = \"", row.name, "\"() : () -> tensor<ui32>");
    return {row.name, pretty, generic};
  }
  if (!fixed || row.format != StrCat(listed, " ", tail)) return {};
  generic = StrCat("%0 = \"", row.name, "\"(", values, ") {a} : (", types, ") -> ", kTensor);
  pretty = StrCat("%0 = ", row.name, " ", values, " {a} : ");
  if (tail == "{} : same") {
    pretty += kTensor;
  } else if (tail == "{} : arrow") {
    StrAppend(pretty, types, " -> ", kTensor);
  } else if (tail == "{} : function") {
    StrAppend(pretty, "(", types, ") -> ", kTensor);
  } else {
    return {};
  }
  return {row.name, pretty, generic};
}

std::string InFunction(std::string_view body) {
  return StrCat("func.func @main(", kParameters, ") {\n", body, "\n}\n");
}

void ExpectForm(const Form& form) {
  SCOPED_TRACE(std::string(form.name));
  const auto generic = ReadOrFail(InFunction(form.generic));
  ASSERT_NE(generic, nullptr);
  ExpectPrintsBack(*generic);
  const std::string text = PrintMlirText(*generic);
  if (form.pretty.empty()) {
    EXPECT_NE(text.find(StrCat("\"", form.name, "\"(")), text.npos) << text;
    return;
  }
  const auto pretty = ReadOrFail(InFunction(form.pretty));
  ASSERT_NE(pretty, nullptr);
  EXPECT_EQ(FirstDifference(*pretty, *generic), "");
  ExpectPrintsBack(*pretty);
  // The pretty form is what is printed, and another printing changes nothing.
  EXPECT_EQ(PrintMlirText(*pretty), text);
  EXPECT_EQ(text.find(StrCat("\"", form.name, "\"(")), text.npos) << text;
  const auto again = ReadOrFail(text);
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(PrintMlirText(*again), text);
}

TEST(MlirForms, EveryRowHasATextInItsForms) {
  std::map<std::string_view, int> seen;
  for (const Form& form : kForms) {
    const OpSyntax* row = FindSyntax(form.name);
    ASSERT_NE(row, nullptr) << form.name;
    EXPECT_EQ(form.pretty.empty(), row->format.empty()) << form.name;
    ++seen[form.name];
    ExpectForm(form);
  }
  for (const OpSyntax* row : AllSyntax()) {
    std::string pretty, generic;
    const Form form = Regular(*row, pretty, generic);
    if (!form.name.empty()) {
      ++seen[form.name];
      ExpectForm(form);
    }
    EXPECT_GT(seen[row->name], 0) << row->name << " has no text here";
  }
}

TEST(MlirForms, TypesThatDoNotAgreeAreASignature) {
  const auto module = ReadOrFail(InFunction(
      "%0 = stablehlo.add %x, %y : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x?xf32>\n"
      "%1 = stablehlo.complex %x, %y : (tensor<2x3xf32>, tensor<2x3xf32>) -> "
      "tensor<?x3xcomplex<f32>>\n"));
  ASSERT_NE(module, nullptr);
  const std::string text = PrintMlirText(*module);
  EXPECT_NE(
      text.find(
          "stablehlo.add %arg0, %arg1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x?xf32>"),
      text.npos)
      << text;
  EXPECT_NE(text.find("stablehlo.complex %arg0, %arg1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> "
                      "tensor<?x3xcomplex<f32>>"),
            text.npos)
      << text;
  ExpectPrintsBack(*module);
}

// Attributes of a structure that are of other kinds than it has stay what they are.
TEST(MlirForms, StructuresAreOfTheirKinds) {
  const auto module = ReadOrFail(InFunction(
      "%0 = \"stablehlo.dot_general\"(%x, %y) {lhs_contracting_dimensions = [1 : i64], "
      "rhs_contracting_dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<2x3xf32>) -> "
      "tensor<2x2xf32>\n"));
  ASSERT_NE(module, nullptr);
  const std::string text = PrintMlirText(*module);
  EXPECT_NE(text.find("lhs_contracting_dimensions = [1 : i64]"), text.npos) << text;
  ExpectPrintsBack(*module);
}

TEST(MlirForms, AppliesNeedsACommutativeOperationAlone) {
  const auto module = ReadOrFail(InFunction(R"(
%0 = stablehlo.reduce(%x init: %s) across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
 reducer(%a: tensor<f32>, %b: tensor<f32>) {
  %1 = stablehlo.maximum %a, %b : tensor<f32>
  stablehlo.return %1 : tensor<f32>
}
%2 = stablehlo.reduce(%x init: %s) across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
 reducer(%a: tensor<f32>, %b: tensor<f32>) {
  %1 = stablehlo.maximum %b, %a : tensor<f32>
  stablehlo.return %1 : tensor<f32>
})"));
  ASSERT_NE(module, nullptr);
  const std::string text = PrintMlirText(*module);
  const size_t first = text.find("applies stablehlo.maximum");
  EXPECT_NE(first, text.npos);
  EXPECT_EQ(text.find("applies", first + 1), text.npos) << text;
  EXPECT_NE(text.find("reducer(%arg15: tensor<f32>, %arg16: tensor<f32>)"), text.npos) << text;
}

TEST(MlirForms, TheLocationOfAReductionStandsBehindItsReducer) {
  const auto module = ReadOrFail(InFunction(R"(
%0 = stablehlo.reduce(%x init: %s) across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
 reducer(%a: tensor<f32>, %b: tensor<f32>) {
  stablehlo.return %b : tensor<f32>
} loc("here"))"));
  ASSERT_NE(module, nullptr);
  const std::string text = PrintMlirText(*module, {.locations = true});
  EXPECT_NE(text.find("-> tensor<2xf32> reducer("), text.npos) << text;
  EXPECT_NE(text.find("    } loc(#"), text.npos) << text;
  ExpectPrintsBack(*module);
}

}  // namespace
}  // namespace axle::mlir
