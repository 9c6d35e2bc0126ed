func.func @shapes() {
  %a = stablehlo.iota dim = 0 : tensor<6xi32>
  %0 = stablehlo.reshape %a : (tensor<6xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %0, dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<2x3xi32>) -> tensor<3x2xi32>
  check.expect_eq_const %1, dense<[[0, 3], [1, 4], [2, 5]]> : tensor<3x2xi32>
  %2 = stablehlo.reverse %0, dims = [1] : tensor<2x3xi32>
  check.expect_eq_const %2, dense<[[2, 1, 0], [5, 4, 3]]> : tensor<2x3xi32>
  %3 = stablehlo.slice %0 [0:2, 0:3:2] : (tensor<2x3xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %3, dense<[[0, 2], [3, 5]]> : tensor<2x2xi32>
  %4 = stablehlo.concatenate %3, %0, dim = 1 : (tensor<2x2xi32>, tensor<2x3xi32>) -> tensor<2x5xi32>
  check.expect_eq_const %4, dense<[[0, 2, 0, 1, 2], [3, 5, 3, 4, 5]]> : tensor<2x5xi32>
  %v = stablehlo.constant dense<9> : tensor<i32>
  %5 = stablehlo.pad %3, %v, low = [0, -1], high = [1, 0], interior = [0, 1] : (tensor<2x2xi32>, tensor<i32>) -> tensor<3x2xi32>
  check.expect_eq_const %5, dense<[[9, 2], [9, 5], [9, 9]]> : tensor<3x2xi32>
  %c = stablehlo.constant dense<[[1], [2]]> : tensor<2x1xi32>
  %6 = stablehlo.broadcast_in_dim %c, dims = [0, 1] : (tensor<2x1xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %6, dense<[[1, 1], [2, 2]]> : tensor<2x2xi32>
  %7 = "stablehlo.broadcast"(%v) <{broadcast_sizes = array<i64: 2>}> : (tensor<i32>) -> tensor<2xi32>
  check.expect_eq_const %7, dense<9> : tensor<2xi32>
  func.return
}

// -----

// A start that lies too far right is moved so that the slice fits.
func.func @dynamic_slices() {
  %a = stablehlo.iota dim = 0 : tensor<5xi32>
  %i = stablehlo.constant dense<4> : tensor<i64>
  %0 = stablehlo.dynamic_slice %a, %i, sizes = [3] : (tensor<5xi32>, tensor<i64>) -> tensor<3xi32>
  check.expect_eq_const %0, dense<[2, 3, 4]> : tensor<3xi32>
  %u = stablehlo.constant dense<[7, 8]> : tensor<2xi32>
  %1 = stablehlo.dynamic_update_slice %a, %u, %i : (tensor<5xi32>, tensor<2xi32>, tensor<i64>) -> tensor<5xi32>
  check.expect_eq_const %1, dense<[0, 1, 2, 7, 8]> : tensor<5xi32>
  func.return
}

// -----

func.func @gather_and_scatter() {
  %a = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  %i = stablehlo.constant dense<[[2], [0]]> : tensor<2x1xi32>
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 2>}> : (tensor<3x2xi32>, tensor<2x1xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %0, dense<[[5, 6], [1, 2]]> : tensor<2x2xi32>
  %n = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %1 = "stablehlo.dynamic_gather"(%a, %i, %n) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false}> : (tensor<3x2xi32>, tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x2xi32>
  check.expect_eq %0, %1 : tensor<2x2xi32>
  %2 = "stablehlo.scatter"(%a, %i, %0) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %s = stablehlo.add %x, %y : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<3x2xi32>, tensor<2x1xi32>, tensor<2x2xi32>) -> tensor<3x2xi32>
  check.expect_eq_const %2, dense<[[2, 4], [3, 4], [10, 12]]> : tensor<3x2xi32>
  %j = stablehlo.constant dense<[1, 1]> : tensor<2xi32>
  %3 = "stablehlo.torch_index_select"(%a, %j) <{batch_dims = 0 : i64, dim = 0 : i64}> : (tensor<3x2xi32>, tensor<2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %3, dense<[[3, 4], [3, 4]]> : tensor<2x2xi32>
  %k = stablehlo.constant dense<[[1], [0], [1]]> : tensor<3x1xi32>
  %4 = "stablehlo.torch_index_select"(%a, %k) <{batch_dims = 1 : i64, dim = 1 : i64}> : (tensor<3x2xi32>, tensor<3x1xi32>) -> tensor<3x1xi32>
  check.expect_eq_const %4, dense<[[2], [3], [6]]> : tensor<3x1xi32>
  func.return
}

// -----

func.func @sizes_and_tuples() {
  %a = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %0 = stablehlo.get_dimension_size %a, dim = 0 : (tensor<3xi32>) -> tensor<i32>
  check.expect_eq_const %0, dense<3> : tensor<i32>
  %n = stablehlo.constant dense<2> : tensor<i32>
  %1 = stablehlo.set_dimension_size %a, %n, dim = 0 : (tensor<3xi32>, tensor<i32>) -> tensor<?xi32, #stablehlo.bounds<3>>
  %2 = stablehlo.get_dimension_size %1, dim = 0 : (tensor<?xi32, #stablehlo.bounds<3>>) -> tensor<i32>
  check.expect_eq_const %2, dense<2> : tensor<i32>
  %t = stablehlo.tuple %a, %0 : tuple<tensor<3xi32>, tensor<i32>>
  %3 = stablehlo.get_tuple_element %t[0] : (tuple<tensor<3xi32>, tensor<i32>>) -> tensor<3xi32>
  check.expect_eq %3, %a : tensor<3xi32>
  func.return
}
