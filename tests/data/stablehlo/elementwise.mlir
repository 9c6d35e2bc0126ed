// Programs that check themselves: each one ends with an error where Axle differs from the values
// that are written here. Divided by lines of dashes; tests/stablehlo/programs_test.cc runs them.
func.func @real_numbers() {
  %a = stablehlo.constant dense<[1.5, -2.5, 4.0]> : tensor<3xf32>
  %b = stablehlo.constant dense<[2.0, 0.5, -8.0]> : tensor<3xf32>
  %0 = stablehlo.abs %a : tensor<3xf32>
  check.expect_eq_const %0, dense<[1.5, 2.5, 4.0]> : tensor<3xf32>
  %1 = stablehlo.add %a, %b : tensor<3xf32>
  check.expect_eq_const %1, dense<[3.5, -2.0, -4.0]> : tensor<3xf32>
  %2 = stablehlo.subtract %a, %b : tensor<3xf32>
  check.expect_eq_const %2, dense<[-0.5, -3.0, 12.0]> : tensor<3xf32>
  %3 = stablehlo.multiply %a, %b : tensor<3xf32>
  check.expect_eq_const %3, dense<[3.0, -1.25, -32.0]> : tensor<3xf32>
  %4 = stablehlo.divide %a, %b : tensor<3xf32>
  check.expect_eq_const %4, dense<[0.75, -5.0, -0.5]> : tensor<3xf32>
  %5 = stablehlo.remainder %a, %b : tensor<3xf32>
  check.expect_eq_const %5, dense<[1.5, -0.0, 4.0]> : tensor<3xf32>
  %6 = stablehlo.maximum %a, %b : tensor<3xf32>
  check.expect_eq_const %6, dense<[2.0, 0.5, 4.0]> : tensor<3xf32>
  %7 = stablehlo.minimum %a, %b : tensor<3xf32>
  check.expect_eq_const %7, dense<[1.5, -2.5, -8.0]> : tensor<3xf32>
  %8 = stablehlo.negate %a : tensor<3xf32>
  check.expect_eq_const %8, dense<[-1.5, 2.5, -4.0]> : tensor<3xf32>
  %9 = stablehlo.sign %a : tensor<3xf32>
  check.expect_eq_const %9, dense<[1.0, -1.0, 1.0]> : tensor<3xf32>
  %10 = stablehlo.ceil %a : tensor<3xf32>
  check.expect_eq_const %10, dense<[2.0, -2.0, 4.0]> : tensor<3xf32>
  %11 = stablehlo.floor %a : tensor<3xf32>
  check.expect_eq_const %11, dense<[1.0, -3.0, 4.0]> : tensor<3xf32>
  %12 = stablehlo.round_nearest_afz %a : tensor<3xf32>
  check.expect_eq_const %12, dense<[2.0, -3.0, 4.0]> : tensor<3xf32>
  %13 = stablehlo.round_nearest_even %a : tensor<3xf32>
  check.expect_eq_const %13, dense<[2.0, -2.0, 4.0]> : tensor<3xf32>
  %14 = stablehlo.power %a, %b : tensor<3xf32>
  check.expect_almost_eq_const %14, dense<[2.25, 0x7FC00000, 1.52587890625e-05]> : tensor<3xf32>
  %15 = stablehlo.is_finite %a : (tensor<3xf32>) -> tensor<3xi1>
  check.expect_eq_const %15, dense<true> : tensor<3xi1>
  %16 = stablehlo.reduce_precision %a, format = e5m1 : tensor<3xf32>
  check.expect_eq_const %16, dense<[1.5, -2.0, 4.0]> : tensor<3xf32>
  %17 = stablehlo.atan2 %a, %a : tensor<3xf32>
  check.expect_almost_eq_const %17, dense<[0.785398163, -2.35619449, 0.785398163]> : tensor<3xf32>
  func.return
}

// -----

func.func @functions() {
  %a = stablehlo.constant dense<[0.25, 0.5]> : tensor<2xf64>
  %0 = stablehlo.exponential %a : tensor<2xf64>
  check.expect_almost_eq_const %0, dense<[1.2840254166877414, 1.6487212707001282]> : tensor<2xf64>, tolerance = 1.0e-15
  %1 = stablehlo.exponential_minus_one %a : tensor<2xf64>
  check.expect_almost_eq_const %1, dense<[0.2840254166877414, 0.6487212707001282]> : tensor<2xf64>, tolerance = 1.0e-15
  %2 = stablehlo.log %a : tensor<2xf64>
  check.expect_almost_eq_const %2, dense<[-1.3862943611198906, -0.6931471805599453]> : tensor<2xf64>, tolerance = 1.0e-15
  %3 = stablehlo.log_plus_one %a : tensor<2xf64>
  check.expect_almost_eq_const %3, dense<[0.22314355131420976, 0.4054651081081644]> : tensor<2xf64>, tolerance = 1.0e-15
  %4 = stablehlo.logistic %a : tensor<2xf64>
  check.expect_almost_eq_const %4, dense<[0.5621765008857981, 0.6224593312018546]> : tensor<2xf64>, tolerance = 1.0e-15
  %5 = stablehlo.sqrt %a : tensor<2xf64>
  check.expect_almost_eq_const %5, dense<[0.5, 0.7071067811865476]> : tensor<2xf64>, tolerance = 1.0e-15
  %6 = stablehlo.rsqrt %a : tensor<2xf64>
  check.expect_almost_eq_const %6, dense<[2.0, 1.4142135623730951]> : tensor<2xf64>, tolerance = 1.0e-15
  %7 = stablehlo.cbrt %a : tensor<2xf64>
  check.expect_almost_eq_const %7, dense<[0.6299605249474366, 0.7937005259840998]> : tensor<2xf64>, tolerance = 1.0e-15
  %8 = stablehlo.sine %a : tensor<2xf64>
  check.expect_almost_eq_const %8, dense<[0.24740395925452294, 0.479425538604203]> : tensor<2xf64>, tolerance = 1.0e-15
  %9 = stablehlo.cosine %a : tensor<2xf64>
  check.expect_almost_eq_const %9, dense<[0.9689124217106447, 0.8775825618903728]> : tensor<2xf64>, tolerance = 1.0e-15
  %10 = stablehlo.tan %a : tensor<2xf64>
  check.expect_almost_eq_const %10, dense<[0.25534192122103627, 0.5463024898437905]> : tensor<2xf64>, tolerance = 1.0e-15
  %11 = stablehlo.tanh %a : tensor<2xf64>
  check.expect_almost_eq_const %11, dense<[0.24491866240370913, 0.46211715726000973]> : tensor<2xf64>, tolerance = 1.0e-15
  %12 = stablehlo.exponential %a {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<2xf64>
  check.expect_close %0, %12, max_ulp_difference = 0, min_ulp_difference = 0 : tensor<2xf64>, tensor<2xf64>
  %13 = stablehlo.tanh %a {result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2xf64>
  check.expect_almost_eq %11, %13 : tensor<2xf64>
  func.return
}

// -----

func.func @bits() {
  %a = stablehlo.constant dense<[12, -7, 1]> : tensor<3xi8>
  %b = stablehlo.constant dense<[10, 3, 9]> : tensor<3xi8>
  %0 = stablehlo.and %a, %b : tensor<3xi8>
  check.expect_eq_const %0, dense<[8, 1, 1]> : tensor<3xi8>
  %1 = stablehlo.or %a, %b : tensor<3xi8>
  check.expect_eq_const %1, dense<[14, -5, 9]> : tensor<3xi8>
  %2 = stablehlo.xor %a, %b : tensor<3xi8>
  check.expect_eq_const %2, dense<[6, -6, 8]> : tensor<3xi8>
  %3 = stablehlo.not %a : tensor<3xi8>
  check.expect_eq_const %3, dense<[-13, 6, -2]> : tensor<3xi8>
  %4 = stablehlo.shift_left %a, %b : tensor<3xi8>
  check.expect_eq_const %4, dense<[0, -56, 0]> : tensor<3xi8>
  %5 = stablehlo.shift_right_arithmetic %a, %b : tensor<3xi8>
  check.expect_eq_const %5, dense<[0, -1, 0]> : tensor<3xi8>
  %6 = stablehlo.shift_right_logical %a, %b : tensor<3xi8>
  check.expect_eq_const %6, dense<[0, 31, 0]> : tensor<3xi8>
  %7 = stablehlo.popcnt %a : tensor<3xi8>
  check.expect_eq_const %7, dense<[2, 6, 1]> : tensor<3xi8>
  %8 = stablehlo.count_leading_zeros %a : tensor<3xi8>
  check.expect_eq_const %8, dense<[4, 0, 7]> : tensor<3xi8>
  %9 = stablehlo.bitcast_convert %a : (tensor<3xi8>) -> tensor<3xui8>
  check.expect_eq_const %9, dense<[12, 249, 1]> : tensor<3xui8>
  func.return
}

// -----

// A number of n bits is n values of i1, the lowest bit first.
func.func @bits_of_i1() {
  %a = stablehlo.constant dense<[5, -128]> : tensor<2xi8>
  %0 = stablehlo.bitcast_convert %a : (tensor<2xi8>) -> tensor<2x8xi1>
  check.expect_eq_const %0, dense<[[true, false, true, false, false, false, false, false], [false, false, false, false, false, false, false, true]]> : tensor<2x8xi1>
  %1 = stablehlo.bitcast_convert %0 : (tensor<2x8xi1>) -> tensor<2xi8>
  check.expect_eq %a, %1 : tensor<2xi8>
  %f = stablehlo.constant dense<-2.0> : tensor<f32>
  %2 = stablehlo.bitcast_convert %f : (tensor<f32>) -> tensor<32xi1>
  %3 = stablehlo.bitcast_convert %2 : (tensor<32xi1>) -> tensor<f32>
  check.expect_eq %f, %3 : tensor<f32>
  func.return
}

// -----

func.func @compare_and_choose() {
  %a = stablehlo.constant dense<[1.0, 2.0, 0x7FC00000]> : tensor<3xf32>
  %b = stablehlo.constant dense<[1.0, 1.0, 1.0]> : tensor<3xf32>
  %eq = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  check.expect_eq_const %eq, dense<[true, false, false]> : tensor<3xi1>
  %ne = stablehlo.compare NE, %a, %b : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  check.expect_eq_const %ne, dense<[false, true, true]> : tensor<3xi1>
  %gt = stablehlo.compare GT, %a, %b, TOTALORDER : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  check.expect_eq_const %gt, dense<[false, true, true]> : tensor<3xi1>
  %i = stablehlo.constant dense<[-1, 0, 1]> : tensor<3xi32>
  %zero = stablehlo.constant dense<0> : tensor<3xi32>
  %lt = stablehlo.compare LT, %i, %zero, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
  check.expect_eq_const %lt, dense<[true, false, false]> : tensor<3xi1>
  %u = stablehlo.constant dense<[1, 200, 3]> : tensor<3xui8>
  %le = stablehlo.compare LE, %u, %u, UNSIGNED : (tensor<3xui8>, tensor<3xui8>) -> tensor<3xi1>
  check.expect_eq_const %le, dense<true> : tensor<3xi1>
  %ge = stablehlo.compare GE, %i, %zero : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
  %0 = stablehlo.select %ge, %i, %zero : tensor<3xi1>, tensor<3xi32>
  check.expect_eq_const %0, dense<[0, 0, 1]> : tensor<3xi32>
  %p = stablehlo.constant dense<false> : tensor<i1>
  %1 = stablehlo.select %p, %i, %zero : (tensor<i1>, tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  check.expect_eq %1, %zero : tensor<3xi32>
  %lo = stablehlo.constant dense<0> : tensor<i32>
  %hi = stablehlo.constant dense<5> : tensor<3xi32>
  %2 = stablehlo.clamp %lo, %i, %hi : (tensor<i32>, tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  check.expect_eq_const %2, dense<[0, 0, 1]> : tensor<3xi32>
  func.return
}

// -----

func.func @complex_numbers() {
  %re = stablehlo.constant dense<[3.0, 1.0]> : tensor<2xf32>
  %im = stablehlo.constant dense<[4.0, -1.0]> : tensor<2xf32>
  %c = stablehlo.complex %re, %im : tensor<2xcomplex<f32>>
  check.expect_eq_const %c, dense<[(3.0, 4.0), (1.0, -1.0)]> : tensor<2xcomplex<f32>>
  %0 = stablehlo.real %c : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  check.expect_eq %0, %re : tensor<2xf32>
  %1 = stablehlo.imag %c : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  check.expect_eq %1, %im : tensor<2xf32>
  %2 = stablehlo.abs %c : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  check.expect_almost_eq_const %2, dense<[5.0, 1.41421354]> : tensor<2xf32>
  %3 = stablehlo.convert %c : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  check.expect_eq %3, %re : tensor<2xf32>
  %d = stablehlo.constant dense<[(3.0, 5.0), (0.5, 9.0)]> : tensor<2xcomplex<f32>>
  %4 = stablehlo.maximum %c, %d : tensor<2xcomplex<f32>>
  check.expect_eq_const %4, dense<[(3.0, 5.0), (1.0, -1.0)]> : tensor<2xcomplex<f32>>
  %5 = stablehlo.minimum %c, %d : tensor<2xcomplex<f32>>
  check.expect_eq_const %5, dense<[(3.0, 4.0), (0.5, 9.0)]> : tensor<2xcomplex<f32>>
  func.return
}

// -----

func.func @convert() {
  %a = stablehlo.constant dense<[1.75, -3.5, 300.0]> : tensor<3xf32>
  %0 = stablehlo.convert %a : (tensor<3xf32>) -> tensor<3xi8>
  check.expect_eq_const %0, dense<[1, -3, 127]> : tensor<3xi8>
  %1 = stablehlo.convert %a : (tensor<3xf32>) -> tensor<3xbf16>
  check.expect_eq_const %1, dense<[1.75, -3.5, 300.0]> : tensor<3xbf16>
  %2 = stablehlo.convert %a : (tensor<3xf32>) -> tensor<3xi1>
  check.expect_eq_const %2, dense<true> : tensor<3xi1>
  %b = stablehlo.constant dense<[-1, 2]> : tensor<2xi4>
  %3 = stablehlo.convert %b : (tensor<2xi4>) -> tensor<2xf8E4M3FN>
  check.expect_eq_const %3, dense<[-1.0, 2.0]> : tensor<2xf8E4M3FN>
  func.return
}

// -----

// What says something about its operand alone, and casts between dialects.
func.func @identities() {
  %a = stablehlo.constant dense<7> : tensor<i32>
  %0 = builtin.unrealized_conversion_cast %a : tensor<i32> to tensor<i32>
  %1 = stablehlo.custom_call @Sharding(%0) : (tensor<i32>) -> tensor<i32>
  check.expect_eq %a, %1 : tensor<i32>
  %2:2 = stablehlo.optimization_barrier %a, %1 : tensor<i32>, tensor<i32>
  check.expect_eq %2#0, %2#1 : tensor<i32>
  %3 = stablehlo.optimization_barrier %a : tensor<i32>
  check.expect_eq %3, %a : tensor<i32>
  func.return
}
