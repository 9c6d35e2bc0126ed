func.func @quantize() {
  %a = stablehlo.constant dense<[-1.0, 0.3, 100.0]> : tensor<3xf32>
  %0 = stablehlo.uniform_quantize %a : (tensor<3xf32>) -> tensor<3x!quant.uniform<i8:f32, 0.5:3>>
  %1 = stablehlo.bitcast_convert %0 : (tensor<3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<3xi8>
  check.expect_eq_const %1, dense<[1, 4, 127]> : tensor<3xi8>
  %2 = stablehlo.uniform_dequantize %0 : (tensor<3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<3xf32>
  check.expect_eq_const %2, dense<[-1.0, 0.5, 62.0]> : tensor<3xf32>
  // Another scale: the numbers stay.
  %3 = stablehlo.uniform_quantize %0 : (tensor<3x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<3x!quant.uniform<i8:f32, 0.25>>
  %4 = stablehlo.bitcast_convert %3 : (tensor<3x!quant.uniform<i8:f32, 0.25>>) -> tensor<3xi8>
  check.expect_eq_const %4, dense<[-4, 2, 127]> : tensor<3xi8>
  func.return
}

// -----

// What computes does so on the numbers, what moves elements on the storage.
func.func @compute() {
  %a = stablehlo.constant() <{value = dense<[2, 4]> : tensor<2xi8>}> : () -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  %b = stablehlo.constant() <{value = dense<[1, 10]> : tensor<2xi8>}> : () -> tensor<2x!quant.uniform<i8:f32, 0.25>>
  %0 = stablehlo.add %a, %b : (tensor<2x!quant.uniform<i8:f32, 0.5>>, tensor<2x!quant.uniform<i8:f32, 0.25>>) -> tensor<2x!quant.uniform<i8:f32, 0.125:1>>
  %1 = stablehlo.reverse %0, dims = [0] : tensor<2x!quant.uniform<i8:f32, 0.125:1>>
  %2 = stablehlo.bitcast_convert %1 : (tensor<2x!quant.uniform<i8:f32, 0.125:1>>) -> tensor<2xi8>
  check.expect_eq_const %2, dense<[37, 11]> : tensor<2xi8>
  func.return
}

// -----

// Each row has a scale of its own.
func.func @per_axis() {
  %a = stablehlo.constant dense<[[1.0, 2.0], [1.0, 2.0]]> : tensor<2x2xf32>
  %0 = stablehlo.uniform_quantize %a : (tensor<2x2xf32>) -> tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 0.5:-1}>>
  %1 = stablehlo.bitcast_convert %0 : (tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 0.5:-1}>>) -> tensor<2x2xi8>
  check.expect_eq_const %1, dense<[[1, 2], [1, 3]]> : tensor<2x2xi8>
  func.return
}
