// On one device a collective has nobody to exchange values with.
func.func @collectives() {
  %a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<0> : tensor<1x1xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2xf32>) -> tensor<2xf32>
  check.expect_eq %0, %a : tensor<2xf32>
  %1 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
  check.expect_eq %1, %a : tensor<2xf32>
  %2 = "stablehlo.all_to_all"(%a) <{concat_dimension = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>, split_count = 1 : i64, split_dimension = 0 : i64}> : (tensor<2xf32>) -> tensor<2xf32>
  check.expect_eq %2, %a : tensor<2xf32>
  %m = stablehlo.constant dense<[[1.0, 2.0]]> : tensor<1x2xf32>
  %3 = "stablehlo.all_to_all"(%m) <{concat_dimension = 1 : i64, replica_groups = dense<0> : tensor<1x1xi64>, split_count = 1 : i64, split_dimension = 0 : i64}> : (tensor<1x2xf32>) -> tensor<1x2xf32>
  check.expect_eq %3, %m : tensor<1x2xf32>
  %4 = "stablehlo.reduce_scatter"(%a) <{replica_groups = dense<0> : tensor<1x1xi64>, scatter_dimension = 0 : i64}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2xf32>) -> tensor<2xf32>
  check.expect_eq %4, %a : tensor<2xf32>
  %5 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<0> : tensor<1x2xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
  check.expect_eq %5, %a : tensor<2xf32>
  %6 = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
  check.expect_eq %6, %a : tensor<2xf32>
  %7 = "stablehlo.cross-replica-sum"(%a) <{replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
  check.expect_eq %7, %a : tensor<2xf32>
  %f = "stablehlo.async_start"(%a) ({
  ^bb0(%z: tensor<2xf32>):
    %g = "stablehlo.all_gather"(%z) <{all_gather_dim = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
    stablehlo.return %g : tensor<2xf32>
  }) : (tensor<2xf32>) -> !stablehlo.future<tensor<2xf32>>
  %8 = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<2xf32>>) -> tensor<2xf32>
  check.expect_eq %8, %a : tensor<2xf32>
  %t = stablehlo.create_token : !stablehlo.token
  %u = stablehlo.after_all %t, %t : !stablehlo.token
  %r = stablehlo.replica_id : tensor<ui32>
  check.expect_eq_const %r, dense<0> : tensor<ui32>
  %p = stablehlo.partition_id : tensor<ui32>
  check.expect_eq_const %p, dense<0> : tensor<ui32>
  func.return
}

// -----

sdy.mesh @mesh = <["x"=1]>
func.func @shardings() {
  %a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = sdy.sharding_constraint %a <@mesh, [{"x"}]> : tensor<2xf32>
  %1 = sdy.reshard %0 <@mesh, [{}]> : tensor<2xf32>
  %2 = sdy.propagation_barrier %1 allowed_direction=NONE : tensor<2xf32>
  check.expect_eq %2, %a : tensor<2xf32>
  func.return
}

// -----

// What one device does of a program of one device is all of it.
module @sharded_bodies {
  sdy.mesh @mesh = <["x"=1]>
  func.func @main() {
    %a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %0:2 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>, <@mesh, []>] manual_axes={"x"} (%b: tensor<2xf32>) {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %s = stablehlo.reduce(%b init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
      %d = stablehlo.add %b, %b : tensor<2xf32>
      sdy.return %d, %s : tensor<2xf32>, tensor<f32>
    } : (tensor<2xf32>) -> (tensor<2xf32>, tensor<f32>)
    %1 = sdy.named_computation<"f">(%0#0) (%b: tensor<2xf32>) {
      %d = stablehlo.add %b, %b : tensor<2xf32>
      sdy.return %d : tensor<2xf32>
    } : (tensor<2xf32>) -> tensor<2xf32>
  check.expect_eq_const %0#0, dense<[2.0, 4.0]> : tensor<2xf32>
  check.expect_eq_const %0#1, dense<3.0> : tensor<f32>
  check.expect_eq_const %1, dense<[4.0, 8.0]> : tensor<2xf32>
    return
  }
}
