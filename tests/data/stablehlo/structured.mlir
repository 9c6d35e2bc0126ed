// Regions use values from around them: constants, and %x, which is none.
func.func @main() {
  %x = call @iota() : () -> tensor<4xi32>
  %limit = stablehlo.constant dense<3> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %sum = %x) : tensor<i32>, tensor<4xi32>
  cond {
    %c = stablehlo.compare LT, %i, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i32>
    %s = stablehlo.add %sum, %x : tensor<4xi32>
    stablehlo.return %j, %s : tensor<i32>, tensor<4xi32>
  }
  check.expect_eq_const %0#0, dense<3> : tensor<i32>
  check.expect_eq_const %0#1, dense<[0, 4, 8, 12]> : tensor<4xi32>
  // One value alone.
  %1 = stablehlo.while(%i = %zero) : tensor<i32>
  cond {
    %c = stablehlo.compare LT, %i, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j : tensor<i32>
  }
  check.expect_eq_const %1, dense<3> : tensor<i32>
  func.return
}
func.func private @iota() -> tensor<4xi32> {
  %0 = stablehlo.iota dim = 0 : tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

// A branch in a loop in a branch takes a value from the outermost one.
func.func @nested() {
  %x = stablehlo.iota dim = 0 : tensor<3xf32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %n = stablehlo.constant dense<4> : tensor<i32>
  %p = stablehlo.constant dense<true> : tensor<i1>
  %0 = "stablehlo.if"(%p) ({
    %1:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<3xf32>
    cond {
      %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %two = stablehlo.constant dense<2> : tensor<i32>
      %k = stablehlo.remainder %i, %two : tensor<i32>
      %2 = "stablehlo.case"(%k) ({
        %3 = stablehlo.add %a, %x : tensor<3xf32>
        stablehlo.return %3 : tensor<3xf32>
      }, {
        stablehlo.return %a : tensor<3xf32>
      }) : (tensor<i32>) -> tensor<3xf32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %2 : tensor<i32>, tensor<3xf32>
    }
    stablehlo.return %1#1 : tensor<3xf32>
  }, {
    stablehlo.return %x : tensor<3xf32>
  }) : (tensor<i1>) -> tensor<3xf32>
  check.expect_eq_const %0, dense<[0.0, 3.0, 6.0]> : tensor<3xf32>
  func.return
}

// -----

// An index out of range takes the last branch; branches may give several values or none.
func.func @branches() {
  %i = stablehlo.constant dense<-5> : tensor<i32>
  %a = stablehlo.constant dense<1.0> : tensor<f32>
  %b = stablehlo.constant dense<[2.0, 3.0]> : tensor<2xf32>
  %0:2 = "stablehlo.case"(%i) ({
    stablehlo.return %a, %a : tensor<f32>, tensor<f32>
  }, {
    %c = stablehlo.add %a, %a : tensor<f32>
    stablehlo.return %c, %a : tensor<f32>, tensor<f32>
  }) : (tensor<i32>) -> (tensor<f32>, tensor<f32>)
  check.expect_eq_const %0#0, dense<2.0> : tensor<f32>
  func.return
}

// -----

func.func @reductions() {
  %a = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x3xi32>, tensor<i32>) -> tensor<2xi32>
  check.expect_eq_const %0, dense<[6, 15]> : tensor<2xi32>
  // The combiner uses a constant from around it.
  %two = stablehlo.constant dense<2> : tensor<i32>
  %1 = stablehlo.reduce(%a init: %zero) across dimensions = [0, 1] : (tensor<2x3xi32>, tensor<i32>) -> tensor<i32>
   reducer(%x: tensor<i32>, %y: tensor<i32>) {
    %m = stablehlo.maximum %x, %y : tensor<i32>
    %n = stablehlo.maximum %m, %two : tensor<i32>
    stablehlo.return %n : tensor<i32>
  }
  check.expect_eq_const %1, dense<6> : tensor<i32>
  %k = stablehlo.iota dim = 1 : tensor<2x3xi32>
  %2:2 = stablehlo.reduce(%a init: %zero), (%k init: %zero) across dimensions = [1] : (tensor<2x3xi32>, tensor<2x3xi32>, tensor<i32>, tensor<i32>) -> (tensor<2xi32>, tensor<2xi32>)
   reducer(%x: tensor<i32>, %y: tensor<i32>) (%ix: tensor<i32>, %iy: tensor<i32>) {
    %c = stablehlo.compare GE, %x, %y : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %v = stablehlo.select %c, %x, %y : tensor<i1>, tensor<i32>
    %i = stablehlo.select %c, %ix, %iy : tensor<i1>, tensor<i32>
    stablehlo.return %v, %i : tensor<i32>, tensor<i32>
  }
  check.expect_eq_const %2#0, dense<[3, 6]> : tensor<2xi32>
  check.expect_eq_const %2#1, dense<2> : tensor<2xi32>
  %3 = "stablehlo.reduce_window"(%a, %zero) <{padding = dense<[[0, 0], [1, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 1>}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %s = stablehlo.add %x, %y : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<2x3xi32>, tensor<i32>) -> tensor<2x3xi32>
  check.expect_eq_const %3, dense<[[1, 3, 5], [4, 9, 11]]> : tensor<2x3xi32>
  %f = stablehlo.constant dense<[1.0, 5.0, 2.0, 3.0]> : tensor<4xf32>
  %s = stablehlo.constant dense<[10.0, 20.0]> : tensor<2xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %4 = "stablehlo.select_and_scatter"(%f, %s, %z) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %c = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %t = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %t : tensor<f32>
  }) : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  check.expect_eq_const %4, dense<[0.0, 10.0, 0.0, 20.0]> : tensor<4xf32>
  %5 = "stablehlo.map"(%a) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%x: tensor<i32>):
    %t = stablehlo.multiply %x, %x : tensor<i32>
    stablehlo.return %t : tensor<i32>
  }) : (tensor<2x3xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %5, dense<[[1, 4, 9], [16, 25, 36]]> : tensor<2x3xi32>
  func.return
}

// -----

func.func @sort() {
  %a = stablehlo.constant dense<[3, 1, 2]> : tensor<3xi32>
  %b = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %0:2 = "stablehlo.sort"(%a, %b) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>, %u: tensor<f32>, %v: tensor<f32>):
    %c = stablehlo.compare LT, %x, %y : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<3xi32>, tensor<3xf32>) -> (tensor<3xi32>, tensor<3xf32>)
  check.expect_eq_const %0#0, dense<[1, 2, 3]> : tensor<3xi32>
  check.expect_eq_const %0#1, dense<[2.0, 3.0, 1.0]> : tensor<3xf32>
  func.return
}

// -----

func.func @scan() {
  %x = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %init = stablehlo.constant dense<10.0> : tensor<f32>
  %0:2 = "chlo.scan"(%x, %init) <{dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%a: tensor<f32>, %c: tensor<f32>):
    %s = stablehlo.add %a, %c : tensor<f32>
    stablehlo.return %s, %s : tensor<f32>, tensor<f32>
  }) : (tensor<3xf32>, tensor<f32>) -> (tensor<3xf32>, tensor<f32>)
  check.expect_eq_const %0#0, dense<[11.0, 13.0, 16.0]> : tensor<3xf32>
  check.expect_eq_const %0#1, dense<16.0> : tensor<f32>
  func.return
}
