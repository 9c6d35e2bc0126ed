// Sizes that are operands, known when the program is converted.
func.func @known_sizes() {
  %a = stablehlo.iota dim = 0 : tensor<6xi32>
  %s = stablehlo.constant dense<[2, 3]> : tensor<2xi32>
  %0 = stablehlo.dynamic_reshape %a, %s : (tensor<6xi32>, tensor<2xi32>) -> tensor<?x?xi32>
  %1 = stablehlo.dynamic_iota %s, dim = 1 : (tensor<2xi32>) -> tensor<?x?xi32>
  %2 = stablehlo.add %0, %1 : tensor<?x?xi32>
  %3 = stablehlo.reshape %2 : (tensor<?x?xi32>) -> tensor<6xi32>
  check.expect_eq_const %3, dense<[0, 2, 4, 3, 5, 7]> : tensor<6xi32>
  func.return
}

// -----

func.func @more_known_sizes() {
  %a = stablehlo.iota dim = 0 : tensor<3xi32>
  %s = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [1] : (tensor<3xi32>, tensor<2xi64>) -> tensor<?x3xi32>
  %1 = stablehlo.get_dimension_size %0, dim = 0 : (tensor<?x3xi32>) -> tensor<i32>
  check.expect_eq_const %1, dense<2> : tensor<i32>
  %v = stablehlo.constant dense<9> : tensor<i32>
  %lo = stablehlo.constant dense<1> : tensor<1xi32>
  %hi = stablehlo.constant dense<0> : tensor<1xi32>
  %2 = stablehlo.dynamic_pad %a, %v, %lo, %hi, %hi : (tensor<3xi32>, tensor<i32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xi32>
  %3 = stablehlo.reshape %2 : (tensor<?xi32>) -> tensor<4xi32>
  check.expect_eq_const %3, dense<[9, 0, 1, 2]> : tensor<4xi32>
  %two = stablehlo.constant dense<3> : tensor<1xi32>
  %4 = stablehlo.real_dynamic_slice %a, %lo, %two, %lo : (tensor<3xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xi32>
  %5 = stablehlo.reshape %4 : (tensor<?xi32>) -> tensor<2xi32>
  check.expect_eq_const %5, dense<[1, 2]> : tensor<2xi32>
  %ok = stablehlo.constant dense<true> : tensor<i1>
  stablehlo.custom_call @shape_assertion(%ok) {error_message = "never", has_side_effect = true} : (tensor<i1>) -> ()
  func.return
}
