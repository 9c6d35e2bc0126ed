func.func @functions() {
  %a = stablehlo.constant dense<[0.25, 0.5]> : tensor<2xf64>
  %b = stablehlo.constant dense<[1.25, 1.5]> : tensor<2xf64>
  %0 = chlo.acos %a : tensor<2xf64> -> tensor<2xf64>
  check.expect_almost_eq_const %0, dense<[1.318116071652818, 1.0471975511965979]> : tensor<2xf64>, tolerance = 1.0e-14
  %1 = chlo.acosh %b : tensor<2xf64> -> tensor<2xf64>
  check.expect_almost_eq_const %1, dense<[0.6931471805599453, 0.9624236501192069]> : tensor<2xf64>, tolerance = 1.0e-14
  %2 = chlo.asin %a : tensor<2xf64> -> tensor<2xf64>
  check.expect_almost_eq_const %2, dense<[0.25268025514207865, 0.5235987755982989]> : tensor<2xf64>, tolerance = 1.0e-14
  %3 = chlo.asinh %a : tensor<2xf64> -> tensor<2xf64>
  check.expect_almost_eq_const %3, dense<[0.24746646154726346, 0.48121182505960347]> : tensor<2xf64>, tolerance = 1.0e-14
  %4 = chlo.atan %a : tensor<2xf64> -> tensor<2xf64>
  check.expect_almost_eq_const %4, dense<[0.24497866312686414, 0.4636476090008061]> : tensor<2xf64>, tolerance = 1.0e-14
  %5 = chlo.atanh %a : tensor<2xf64> -> tensor<2xf64>
  check.expect_almost_eq_const %5, dense<[0.25541281188299536, 0.5493061443340549]> : tensor<2xf64>, tolerance = 1.0e-14
  %6 = chlo.cosh %a : tensor<2xf64> -> tensor<2xf64>
  check.expect_almost_eq_const %6, dense<[1.0314130998795732, 1.1276259652063807]> : tensor<2xf64>, tolerance = 1.0e-14
  %7 = chlo.sinh %a : tensor<2xf64> -> tensor<2xf64>
  check.expect_almost_eq_const %7, dense<[0.2526123168081683, 0.5210953054937474]> : tensor<2xf64>, tolerance = 1.0e-14
  %8 = chlo.tan %a : tensor<2xf64> -> tensor<2xf64>
  check.expect_almost_eq_const %8, dense<[0.25534192122103627, 0.5463024898437905]> : tensor<2xf64>, tolerance = 1.0e-14
  %9 = chlo.erf %a : tensor<2xf64> -> tensor<2xf64>
  check.expect_almost_eq_const %9, dense<[0.2763263901682369, 0.5204998778130465]> : tensor<2xf64>, tolerance = 1.0e-14
  %10 = chlo.erfc %a : tensor<2xf64> -> tensor<2xf64>
  check.expect_almost_eq_const %10, dense<[0.7236736098317631, 0.4795001221869535]> : tensor<2xf64>, tolerance = 1.0e-14
  %11 = chlo.erf_inv %a : tensor<2xf64> -> tensor<2xf64>
  check.expect_almost_eq_const %11, dense<[0.2253120550121781, 0.4769362762044699]> : tensor<2xf64>, tolerance = 1.0e-13
  %12 = chlo.lgamma %a : tensor<2xf64> -> tensor<2xf64>
  check.expect_almost_eq_const %12, dense<[1.2880225246980774, 0.5723649429247001]> : tensor<2xf64>, tolerance = 1.0e-13
  %13 = chlo.digamma %a : tensor<2xf64> -> tensor<2xf64>
  check.expect_almost_eq_const %13, dense<[-4.2274535333762654, -1.9635100260214235]> : tensor<2xf64>, tolerance = 1.0e-13
  %n = stablehlo.constant dense<1.0> : tensor<2xf64>
  %14 = chlo.polygamma %n, %a : tensor<2xf64>, tensor<2xf64> -> tensor<2xf64>
  check.expect_almost_eq_const %14, dense<[17.197329154507109, 4.934802200544679]> : tensor<2xf64>, tolerance = 1.0e-11
  %two = stablehlo.constant dense<2.0> : tensor<2xf64>
  %15 = chlo.zeta %two, %n : tensor<2xf64>, tensor<2xf64> -> tensor<2xf64>
  check.expect_almost_eq_const %15, dense<[1.6449340668482264, 1.6449340668482264]> : tensor<2xf64>, tolerance = 1.0e-13
  %16 = chlo.bessel_i1e %a : tensor<2xf64> -> tensor<2xf64>
  check.expect_almost_eq_const %16, dense<[0.09811262869736827, 0.15642080318487167]> : tensor<2xf64>, tolerance = 1.0e-12
  %17 = chlo.square %a : tensor<2xf64> -> tensor<2xf64>
  check.expect_eq_const %17, dense<[0.0625, 0.25]> : tensor<2xf64>
  %18 = chlo.next_after %a, %n : tensor<2xf64>, tensor<2xf64> -> tensor<2xf64>
  check.expect_close %18, %a, max_ulp_difference = 1, min_ulp_difference = 1 : tensor<2xf64>, tensor<2xf64>
  func.return
}

// -----

func.func @predicates() {
  %a = stablehlo.constant dense<[0x7F800000, 0xFF800000, 1.0, 0x7FC00000]> : tensor<4xf32>
  %0 = chlo.is_inf %a : tensor<4xf32> -> tensor<4xi1>
  check.expect_eq_const %0, dense<[true, true, false, false]> : tensor<4xi1>
  %1 = chlo.is_pos_inf %a : tensor<4xf32> -> tensor<4xi1>
  check.expect_eq_const %1, dense<[true, false, false, false]> : tensor<4xi1>
  %2 = chlo.is_neg_inf %a : tensor<4xf32> -> tensor<4xi1>
  check.expect_eq_const %2, dense<[false, true, false, false]> : tensor<4xi1>
  %c = stablehlo.constant dense<[(1.0, 2.0)]> : tensor<1xcomplex<f32>>
  %3 = chlo.conj %c : tensor<1xcomplex<f32>> -> tensor<1xcomplex<f32>>
  check.expect_eq_const %3, dense<[(1.0, -2.0)]> : tensor<1xcomplex<f32>>
  %i = stablehlo.constant dense<[2147483647, -2147483648]> : tensor<2xi32>
  %4 = chlo.mulhi %i, %i : tensor<2xi32>, tensor<2xi32> -> tensor<2xi32>
  check.expect_eq_const %4, dense<[1073741823, 1073741824]> : tensor<2xi32>
  func.return
}

// -----

func.func @top_k() {
  %a = stablehlo.constant dense<[[3.0, 1.0, 4.0], [1.0, 5.0, 9.0]]> : tensor<2x3xf32>
  %v, %i = chlo.top_k(%a, k = 2) : tensor<2x3xf32> -> (tensor<2x2xf32>, tensor<2x2xi32>)
  check.expect_eq_const %v, dense<[[4.0, 3.0], [9.0, 5.0]]> : tensor<2x2xf32>
  check.expect_eq_const %i, dense<[[2, 0], [2, 1]]> : tensor<2x2xi32>
  func.return
}

// -----

// Operands of lower rank, or with sizes of 1, are broadcast.
func.func @broadcasts() {
  %a = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %b = stablehlo.constant dense<[10, 20]> : tensor<2xi32>
  %s = stablehlo.constant dense<3> : tensor<i32>
  %0 = chlo.broadcast_add %a, %b : (tensor<2x2xi32>, tensor<2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %0, dense<[[11, 22], [13, 24]]> : tensor<2x2xi32>
  %1 = chlo.broadcast_subtract %a, %b {broadcast_dimensions = array<i64: 0>} : (tensor<2x2xi32>, tensor<2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %1, dense<[[-9, -8], [-17, -16]]> : tensor<2x2xi32>
  %2 = chlo.broadcast_multiply %a, %s : (tensor<2x2xi32>, tensor<i32>) -> tensor<2x2xi32>
  check.expect_eq_const %2, dense<[[3, 6], [9, 12]]> : tensor<2x2xi32>
  %3 = chlo.broadcast_divide %b, %s : (tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
  check.expect_eq_const %3, dense<[3, 6]> : tensor<2xi32>
  %4 = chlo.broadcast_remainder %b, %s : (tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
  check.expect_eq_const %4, dense<[1, 2]> : tensor<2xi32>
  %5 = chlo.broadcast_maximum %a, %s : (tensor<2x2xi32>, tensor<i32>) -> tensor<2x2xi32>
  check.expect_eq_const %5, dense<[[3, 3], [3, 4]]> : tensor<2x2xi32>
  %6 = chlo.broadcast_minimum %a, %s : (tensor<2x2xi32>, tensor<i32>) -> tensor<2x2xi32>
  check.expect_eq_const %6, dense<[[1, 2], [3, 3]]> : tensor<2x2xi32>
  %7 = chlo.broadcast_and %a, %s : (tensor<2x2xi32>, tensor<i32>) -> tensor<2x2xi32>
  check.expect_eq_const %7, dense<[[1, 2], [3, 0]]> : tensor<2x2xi32>
  %8 = chlo.broadcast_or %a, %s : (tensor<2x2xi32>, tensor<i32>) -> tensor<2x2xi32>
  check.expect_eq_const %8, dense<[[3, 3], [3, 7]]> : tensor<2x2xi32>
  %9 = chlo.broadcast_xor %a, %s : (tensor<2x2xi32>, tensor<i32>) -> tensor<2x2xi32>
  check.expect_eq_const %9, dense<[[2, 1], [0, 7]]> : tensor<2x2xi32>
  %10 = chlo.broadcast_power %a, %s : (tensor<2x2xi32>, tensor<i32>) -> tensor<2x2xi32>
  check.expect_eq_const %10, dense<[[1, 8], [27, 64]]> : tensor<2x2xi32>
  %11 = chlo.broadcast_shift_left %a, %s : (tensor<2x2xi32>, tensor<i32>) -> tensor<2x2xi32>
  check.expect_eq_const %11, dense<[[8, 16], [24, 32]]> : tensor<2x2xi32>
  %12 = chlo.broadcast_shift_right_arithmetic %b, %s : (tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
  check.expect_eq_const %12, dense<[1, 2]> : tensor<2xi32>
  %13 = chlo.broadcast_shift_right_logical %b, %s : (tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
  check.expect_eq_const %13, dense<[1, 2]> : tensor<2xi32>
  %14 = chlo.broadcast_compare %a, %s {comparison_direction = #chlo<comparison_direction LT>} : (tensor<2x2xi32>, tensor<i32>) -> tensor<2x2xi1>
  check.expect_eq_const %14, dense<[[true, true], [false, false]]> : tensor<2x2xi1>
  %15 = chlo.broadcast_select %14, %a, %s : (tensor<2x2xi1>, tensor<2x2xi32>, tensor<i32>) -> tensor<2x2xi32>
  check.expect_eq_const %15, dense<[[1, 2], [3, 3]]> : tensor<2x2xi32>
  %f = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %g = stablehlo.constant dense<1.0> : tensor<f32>
  %16 = chlo.broadcast_atan2 %f, %g : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  check.expect_almost_eq_const %16, dense<[0.785398163, 1.10714872]> : tensor<2xf32>
  %17 = chlo.broadcast_complex %f, %g : (tensor<2xf32>, tensor<f32>) -> tensor<2xcomplex<f32>>
  check.expect_eq_const %17, dense<[(1.0, 1.0), (2.0, 1.0)]> : tensor<2xcomplex<f32>>
  %18 = chlo.broadcast_next_after %f, %g : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  check.expect_close %18, %f, max_ulp_difference = 1, min_ulp_difference = 0 : tensor<2xf32>, tensor<2xf32>
  %19 = chlo.broadcast_polygamma %g, %f : (tensor<f32>, tensor<2xf32>) -> tensor<2xf32>
  check.expect_almost_eq_const %19, dense<[1.64493406, 0.644934065]> : tensor<2xf32>
  %h = stablehlo.constant dense<2.0> : tensor<f32>
  %20 = chlo.broadcast_zeta %h, %f : (tensor<f32>, tensor<2xf32>) -> tensor<2xf32>
  check.expect_almost_eq_const %20, dense<[1.64493406, 0.644934065]> : tensor<2xf32>
  func.return
}

// -----

func.func @constants() {
  %a = chlo.constant dense<[1, 2]> : tensor<2xi32>
  %0 = "chlo.constant_like"(%a) <{value = 7 : i32}> : (tensor<2xi32>) -> tensor<2xi32>
  check.expect_eq_const %0, dense<7> : tensor<2xi32>
  func.return
}

// -----

// Two groups of rows: each takes a matrix of its own.
func.func @ragged_dot() {
  %a = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %b = stablehlo.constant dense<[[[1.0], [0.0]], [[0.0], [1.0]]]> : tensor<2x2x1xf32>
  %n = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %0 = "chlo.ragged_dot"(%a, %b, %n) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>, precision_config = [#chlo<precision DEFAULT>, #chlo<precision DEFAULT>]}> : (tensor<3x2xf32>, tensor<2x2x1xf32>, tensor<2xi32>) -> tensor<3x1xf32>
  check.expect_eq_const %0, dense<[[1.0], [4.0], [6.0]]> : tensor<3x1xf32>
  func.return
}

// -----

// A known composite is the operation; the decomposition is not asked.
func.func @main() {
  %a = stablehlo.constant dense<0.5> : tensor<f64>
  %0 = stablehlo.composite "chlo.erf" %a {decomposition = @wrong, version = 1 : i32} : (tensor<f64>) -> tensor<f64>
  check.expect_almost_eq_const %0, dense<0.5204998778130465> : tensor<f64>, tolerance = 1.0e-14
  %1 = stablehlo.composite "my.double" %a {composite_attributes = {by = 2 : i64}, decomposition = @double} : (tensor<f64>) -> tensor<f64>
  check.expect_eq_const %1, dense<1.0> : tensor<f64>
  func.return
}
func.func private @wrong(%x: tensor<f64>) -> tensor<f64> {
  return %x : tensor<f64>
}
func.func private @double(%x: tensor<f64>) -> tensor<f64> {
  %0 = stablehlo.add %x, %x : tensor<f64>
  return %0 : tensor<f64>
}
