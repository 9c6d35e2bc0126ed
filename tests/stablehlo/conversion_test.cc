// What the conversion refuses, with the exact text.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "axle/client/client.h"
#include "axle/client/load.h"
#include "axle/ops/open_sizes.h"
#include "axle/stablehlo/convert.h"
#include "axle/stablehlo/mlir/text.h"

namespace axle {
namespace {

struct Refused {
  std::string_view text;
  std::string_view error;
};

// clang-format off
constexpr Refused kRefused[] = {
    {R"(module {
}
)",
     R"(INVALID_ARGUMENT: t 1:1: the module has no function
module {
^)"},
    {R"(func.func @f() {
  return
}
func.func @g() {
  return
}
)",
     R"(INVALID_ARGUMENT: t 1:1: the module has no function @main, and 2 public ones; the one to run is called @main
func.func @f() {
^)"},
    {R"(func.func @main() {
  call @f() : () -> ()
  return
}
)",
     R"(INVALID_ARGUMENT: t 2:3: func.call: there is no function @f
  call @f() : () -> ()
  ^)"},
    {R"(func.func @main() {
  call @main() : () -> ()
  return
}
)",
     R"(INVALID_ARGUMENT: t 1:1: function @main calls itself; XLA has no recursion
func.func @main() {
^)"},
    {R"(func.func @main() {
  call @f() : () -> ()
  return
}
func.func private @f() {
  call @g() : () -> ()
  return
}
func.func private @g() {
  call @f() : () -> ()
  return
}
)",
     R"(INVALID_ARGUMENT: t 5:1: function @f calls itself; XLA has no recursion
func.func private @f() {
^)"},
    {R"(func.func private @main(tensor<f32>) -> tensor<f32>
)",
     R"(INVALID_ARGUMENT: t 1:1: function @main has no body
func.func private @main(tensor<f32>) -> tensor<f32>
^)"},
    {R"(module {
  module @inner {
  }
  func.func @main() {
    return
  }
}
)",
     R"(UNIMPLEMENTED: t 2:3: a module inside of a module has no form in HLO
  module @inner {
  ^)"},
    {R"(func.func @main(%x: tensor<2xf32>) -> tensor<3xf32> {
  return %x : tensor<2xf32>
}
)",
     R"(INVALID_ARGUMENT: t 2:3: result 0 of @main is tensor<2xf32>, not tensor<3xf32>
  return %x : tensor<2xf32>
  ^)"},
    {R"(func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x, %x : tensor<2xf32>, tensor<2xf32>
}
)",
     R"(INVALID_ARGUMENT: t 2:3: @main returns 2 values, not 1
  return %x, %x : tensor<2xf32>, tensor<2xf32>
  ^)"},
    {R"(module attributes {mhlo.num_replicas = 0 : i32} {
  func.func @main() {
    return
  }
}
)",
     R"(INVALID_ARGUMENT: t 1:1: module attribute "mhlo.num_replicas" is a positive number
module attributes {mhlo.num_replicas = 0 : i32} {
^)"},
    {R"(func.func @main(%x: tensor<2xf32>) {
  %0 = call @f(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}
func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
)",
     R"(INVALID_ARGUMENT: t 2:3: func.call: operands for @f: 2 values, not 1
  %0 = call @f(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  ^)"},
    {R"(sdy.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%y: tensor<1xf32>) {
    sdy.return %y : tensor<1xf32>
  } : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
)",
     R"(UNIMPLEMENTED: t 3:3: sdy.manual_computation: the program is divided among devices, operand 0 is f32[2] and its part f32[1]: programs of one device run
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%y...
  ^)"},
    {R"(func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>, %i: tensor<2xi32>) -> tensor<2xf32> {
  %0 = stablehlo.add %x, %y : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>
  return %x : tensor<2xf32>
}
)",
     R"(INVALID_ARGUMENT: t 2:3: stablehlo.add: operands and results have different shapes: tensor<2xf32>, tensor<2xf32>, tensor<3xf32>
  %0 = stablehlo.add %x, %y : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>
  ^)"},
    {R"(func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>, %i: tensor<2xi32>) -> tensor<2xf32> {
  %0 = "stablehlo.add"(%x, %i) : (tensor<2xf32>, tensor<2xi32>) -> tensor<2xf32>
  return %x : tensor<2xf32>
}
)",
     R"(INVALID_ARGUMENT: t 2:3: stablehlo.add: operands and result have different elements: tensor<2xf32>, tensor<2xi32>, tensor<2xf32>
  %0 = "stablehlo.add"(%x, %i) : (tensor<2xf32>, tensor<2xi32>) -> tensor<2xf32>
  ^)"},
    {R"(func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>, %i: tensor<2xi32>) -> tensor<2xf32> {
  %0 = stablehlo.and %x, %y : tensor<2xf32>
  return %x : tensor<2xf32>
}
)",
     R"(INVALID_ARGUMENT: t 2:3: stablehlo.and: operand 0 (lhs) is tensor<2xf32>, not a tensor of i1 or integers
  %0 = stablehlo.and %x, %y : tensor<2xf32>
  ^)"},
    {R"(func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>, %i: tensor<2xi32>) -> tensor<2xf32> {
  %0 = "stablehlo.abs"(%x, %y) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %x : tensor<2xf32>
}
)",
     R"(INVALID_ARGUMENT: t 2:8: stablehlo.abs has 2 operands, not 1
  %0 = "stablehlo.abs"(%x, %y) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
       ^)"},
    {R"(func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>, %i: tensor<2xi32>) -> tensor<2xf32> {
  %0 = stablehlo.reshape %x : (tensor<2xf32>) -> tensor<3xf32>
  return %x : tensor<2xf32>
}
)",
     R"(INVALID_ARGUMENT: t 2:3: stablehlo.reshape: tensor<2xf32> has 2 elements, tensor<3xf32> has 3
  %0 = stablehlo.reshape %x : (tensor<2xf32>) -> tensor<3xf32>
  ^)"},
    {R"(func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>, %i: tensor<2xi32>) -> tensor<2xf32> {
  %0 = stablehlo.transpose %x, dims = [1] : (tensor<2xf32>) -> tensor<2xf32>
  return %x : tensor<2xf32>
}
)",
     R"(INVALID_ARGUMENT: t 2:3: stablehlo.transpose: "permutation" has 1, which is not a dimension of rank 1
  %0 = stablehlo.transpose %x, dims = [1] : (tensor<2xf32>) -> tensor<2xf32>
  ^)"},
    {R"(func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>, %i: tensor<2xi32>) -> tensor<2xf32> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [0, 1] : (tensor<2xf32>) -> tensor<2x2xf32>
  return %x : tensor<2xf32>
}
)",
     R"(INVALID_ARGUMENT: t 2:3: stablehlo.broadcast_in_dim: "broadcast_dimensions" has 2 entries for tensor<2xf32>
  %0 = stablehlo.broadcast_in_dim %x, dims = [0, 1] : (tensor<2xf32>) -> tensor<2x2xf32>
  ^)"},
    {R"(func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>, %i: tensor<2xi32>) -> tensor<2xf32> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [2] : (tensor<2xf32>) -> tensor<2x2xf32>
  return %x : tensor<2xf32>
}
)",
     R"(INVALID_ARGUMENT: t 2:3: stablehlo.broadcast_in_dim: "broadcast_dimensions" has 2, which is not a dimension of rank 2
  %0 = stablehlo.broadcast_in_dim %x, dims = [2] : (tensor<2xf32>) -> tensor<2x2xf32>
  ^)"},
    {R"(func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>, %i: tensor<2xi32>) -> tensor<2xf32> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<2xf32>) -> tensor<3xf32>
  return %x : tensor<2xf32>
}
)",
     R"(INVALID_ARGUMENT: t 2:3: stablehlo.broadcast_in_dim: dimension 0 has size 2, dimension 0 of the result has 3
  %0 = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<2xf32>) -> tensor<3xf32>
  ^)"},
    {R"(func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>, %i: tensor<2xi32>) -> tensor<2xf32> {
  %0 = stablehlo.slice %x [0:3] : (tensor<2xf32>) -> tensor<3xf32>
  return %x : tensor<2xf32>
}
)",
     R"(INVALID_ARGUMENT: t 2:3: stablehlo.slice: [0:3:1] is no range of dimension 0 of tensor<2xf32>
  %0 = stablehlo.slice %x [0:3] : (tensor<2xf32>) -> tensor<3xf32>
  ^)"},
    {R"(func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>, %i: tensor<2xi32>) -> tensor<2xf32> {
  %0 = stablehlo.concatenate %x, %y, dim = 1 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  return %x : tensor<2xf32>
}
)",
     R"(INVALID_ARGUMENT: t 2:3: stablehlo.concatenate: "dimension" has 1, which is not a dimension of rank 1
  %0 = stablehlo.concatenate %x, %y, dim = 1 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  ^)"},
    {R"(func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>, %i: tensor<2xi32>) -> tensor<2xf32> {
  %0 = stablehlo.compare LT, %x, %y, SIGNED : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  return %x : tensor<2xf32>
}
)",
     R"(INVALID_ARGUMENT: t 2:3: stablehlo.compare: compare_type of tensor<2xf32> is not SIGNED
  %0 = stablehlo.compare LT, %x, %y, SIGNED : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  ^)"},
    {R"(func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>, %i: tensor<2xi32>) -> tensor<2xf32> {
  %0 = stablehlo.compare LT, %i, %i, FLOAT : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  return %x : tensor<2xf32>
}
)",
     R"(INVALID_ARGUMENT: t 2:3: stablehlo.compare: compare_type of tensor<2xi32> is not FLOAT
  %0 = stablehlo.compare LT, %i, %i, FLOAT : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  ^)"},
    {R"(func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>, %i: tensor<2xi32>) -> tensor<2xf32> {
  %0 = stablehlo.compare LT, %i, %i, TOTALORDER : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  return %x : tensor<2xf32>
}
)",
     R"(INVALID_ARGUMENT: t 2:3: stablehlo.compare: compare_type of tensor<2xi32> is not TOTALORDER
  %0 = stablehlo.compare LT, %i, %i, TOTALORDER : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  ^)"},
    {R"(func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>, %i: tensor<2xi32>) -> tensor<2xf32> {
  %0 = stablehlo.compare LT, %i, %i, UNSIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  return %x : tensor<2xf32>
}
)",
     R"(INVALID_ARGUMENT: t 2:3: stablehlo.compare: compare_type of tensor<2xi32> is not UNSIGNED
  %0 = stablehlo.compare LT, %i, %i, UNSIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  ^)"},
    {R"(func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>, %i: tensor<2xi32>) -> tensor<2xf32> {
  %0 = "stablehlo.iota"() : () -> tensor<2xf32>
  return %x : tensor<2xf32>
}
)",
     R"(INVALID_ARGUMENT: t 2:3: stablehlo.iota: attribute "iota_dimension" is missing
  %0 = "stablehlo.iota"() : () -> tensor<2xf32>
  ^)"},
    {R"(func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>, %i: tensor<2xi32>) -> tensor<2xf32> {
  %0 = "stablehlo.iota"() <{iota_dimension = "a"}> : () -> tensor<2xf32>
  return %x : tensor<2xf32>
}
)",
     R"(INVALID_ARGUMENT: t 2:3: stablehlo.iota: attribute "iota_dimension" is a string, not an integer
  %0 = "stablehlo.iota"() <{iota_dimension = "a"}> : () -> tensor<2xf32>
  ^)"},
    {R"(func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>, %i: tensor<2xi32>) -> tensor<2xf32> {
  %0 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<2xf32>
  return %x : tensor<2xf32>
}
)",
     R"(INVALID_ARGUMENT: t 2:3: stablehlo.iota: "iota_dimension" has 1, which is not a dimension of rank 1
  %0 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<2xf32>
  ^)"},
    {R"(func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>, %i: tensor<2xi32>) -> tensor<2xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [0] x [1] : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
  return %x : tensor<2xf32>
}
)",
     R"(INVALID_ARGUMENT: t 2:3: stablehlo.dot_general: "rhs_contracting_dimensions" has 1, which is not a dimension of rank 1
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [0] x [1] : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
  ^)"},
    {R"(func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>, %i: tensor<2xi32>) -> tensor<2xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0], algorithm = <lhs_precision_type = f16, rhs_precision_type = f32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 2, allow_imprecise_accumulation = false> : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
  return %x : tensor<2xf32>
}
)",
     R"(INVALID_ARGUMENT: t 2:3: stablehlo.dot_general: no algorithm of HLO multiplies f16 and f32 into f32 with 2 products of 1 and 1 components
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0], algorithm = <lhs_precision_type = f16, rhs_precision_...
  ^)"},
    {R"(func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>, %i: tensor<2xi32>) -> tensor<2xf32> {
  %0 = stablehlo.einsum %x, %y, config = "a,b" : (tensor<2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  return %x : tensor<2xf32>
}
)",
     R"(INVALID_ARGUMENT: t 2:3: stablehlo.einsum: einsum_config "a,b" is not of the form "ab,bc->ac"
  %0 = stablehlo.einsum %x, %y, config = "a,b" : (tensor<2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  ^)"},
    {R"(func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>, %i: tensor<2xi32>) -> tensor<2xf32> {
  %0 = stablehlo.einsum %x, %y, config = "ab,b->a" : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %x : tensor<2xf32>
}
)",
     R"(INVALID_ARGUMENT: t 2:3: stablehlo.einsum: "ab" does not label the dimensions of f32[2], each with a letter of its own
  %0 = stablehlo.einsum %x, %y, config = "ab,b->a" : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  ^)"},
    {R"(func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>, %i: tensor<2xi32>) -> tensor<2xf32> {
  %0 = "stablehlo.sort"(%x) <{dimension = 1 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<2xf32>) -> tensor<2xf32>
  return %x : tensor<2xf32>
}
)",
     R"(INVALID_ARGUMENT: t 2:3: stablehlo.sort: "dimension" has 1, which is not a dimension of rank 1
  %0 = "stablehlo.sort"(%x) <{dimension = 1 : i64}> ({
  ^)"},
    {R"(func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>, %i: tensor<2xi32>) -> tensor<2xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  return %x : tensor<2xf32>
}
)",
     R"(INVALID_ARGUMENT: t 3:3: stablehlo.reduce: "dimensions" has 1, which is not a dimension of rank 1
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (tensor<2xf32>, tensor<f32>) -> ten...
  ^)"},
    {R"(func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>, %i: tensor<2xi32>) -> tensor<2xf32> {
  %z = stablehlo.slice %x [0:1] : (tensor<2xf32>) -> tensor<1xf32>
  %s = stablehlo.reshape %z : (tensor<1xf32>) -> tensor<f32>
  %0 = "stablehlo.map"(%x) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>):
    %c = stablehlo.add %a, %s : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<2xf32>) -> tensor<2xf32>
  return %x : tensor<2xf32>
}
)",
     R"(UNIMPLEMENTED: t 4:3: stablehlo.map: region computation uses a value from around it that is no constant: pass it as an operand
  %0 = "stablehlo.map"(%x) <{dimensions = array<i64: 0>}> ({
  ^)"},
    {R"(func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>, %i: tensor<2xi32>) -> tensor<2xf32> {
  %p = stablehlo.constant dense<true> : tensor<i1>
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<2xf32>
  }, {
    stablehlo.return %i : tensor<2xi32>
  }) : (tensor<i1>) -> tensor<2xf32>
  return %x : tensor<2xf32>
}
)",
     R"(INVALID_ARGUMENT: t 3:3: stablehlo.if: results of branch 1: value 0 is tensor<2xi32>, not tensor<2xf32>
  %0 = "stablehlo.if"(%p) ({
  ^)"},
    {R"(func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>, %i: tensor<2xi32>) -> tensor<2xf32> {
  %0 = stablehlo.while(%a = %x) : tensor<2xf32>
  cond {
    stablehlo.return %a : tensor<2xf32>
  } do {
    stablehlo.return %a : tensor<2xf32>
  }
  return %x : tensor<2xf32>
}
)",
     R"(INVALID_ARGUMENT: t 2:3: stablehlo.while: region cond returns (tensor<2xf32>), not tensor<i1>
  %0 = stablehlo.while(%a = %x) : tensor<2xf32>
  ^)"},
    {R"(func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>, %i: tensor<2xi32>) -> tensor<2xf32> {
  %0 = stablehlo.while(%a = %x) : tensor<2xf32>
  cond {
    %p = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    stablehlo.return %a, %a : tensor<2xf32>, tensor<2xf32>
  }
  return %x : tensor<2xf32>
}
)",
     R"(INVALID_ARGUMENT: t 2:3: stablehlo.while: results of region body: 2 values, not 1
  %0 = stablehlo.while(%a = %x) : tensor<2xf32>
  ^)"},
    {R"(func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>, %i: tensor<2xi32>) -> tensor<2xf32> {
  %0 = "stablehlo.collective_reduce"(%x) <{replica_groups = dense<0> : tensor<1x1xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<2xf32>) -> tensor<2xf32>
  return %x : tensor<2xf32>
}
)",
     R"(UNIMPLEMENTED: t 2:3: operation stablehlo.collective_reduce has no form in HLO
  %0 = "stablehlo.collective_reduce"(%x) <{replica_groups = dense<0> : tensor<1x1xi64>}> ({
  ^)"},
    {R"(func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>, %i: tensor<2xi32>) -> tensor<2xf32> {
  %0 = "other.op"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %x : tensor<2xf32>
}
)",
     R"(UNIMPLEMENTED: t 2:3: operation other.op has no form in HLO
  %0 = "other.op"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  ^)"},
    {R"(func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>, %i: tensor<2xi32>) -> tensor<2xf32> {
  %0 = stablehlo.dynamic_reshape %x, %i : (tensor<2xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  return %x : tensor<2xf32>
}
)",
     R"(UNIMPLEMENTED: t 2:3: stablehlo.dynamic_reshape: the sizes in operand 1 do not follow from the shapes of the arguments
  %0 = stablehlo.dynamic_reshape %x, %i : (tensor<2xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  ^)"},
    {R"(func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>, %i: tensor<2xi32>) -> tensor<2xf32> {
  %0 = "stablehlo.triangular_solve"(%x, %y) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose TRANSPOSE_INVALID>}> : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %x : tensor<2xf32>
}
)",
     R"(INVALID_ARGUMENT: t 2:3: stablehlo.triangular_solve: a is tensor<2xf32>, not square matrices
  %0 = "stablehlo.triangular_solve"(%x, %y) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stab...
  ^)"},
    {R"(func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>, %i: tensor<2xi32>) -> tensor<2xf32> {
  %0 = stablehlo.uniform_dequantize %x : (tensor<2xf32>) -> tensor<2xf32>
  return %x : tensor<2xf32>
}
)",
     R"(INVALID_ARGUMENT: t 2:3: stablehlo.uniform_dequantize: operand 0 (operand) is tensor<2xf32>, not a tensor of numbers quantized per tensor or numbers quantized per axis
  %0 = stablehlo.uniform_dequantize %x : (tensor<2xf32>) -> tensor<2xf32>
  ^)"},
    {R"(func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>, %i: tensor<2xi32>) -> tensor<2xf32> {
  %0 = stablehlo.uniform_quantize %x : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32:0, {1.0, 1.0, 1.0}>>
  return %x : tensor<2xf32>
}
)",
     R"(INVALID_ARGUMENT: t 2:3: stablehlo.uniform_quantize: result 0 is tensor<2x!quant.uniform<i8<-128:127>:f32:0, {1.0, 1.0, 1.0}>>, which has no dimension 0 of size 3
  %0 = stablehlo.uniform_quantize %x : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32:0, {1.0, 1.0, 1.0}>>
  ^)"},
    {R"(func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>, %i: tensor<2xi32>) -> tensor<2xf32> {
  %0 = stablehlo.bitcast_convert %x : (tensor<2xf32>) -> tensor<2x16xi1>
  return %x : tensor<2xf32>
}
)",
     R"(INVALID_ARGUMENT: t 2:3: stablehlo.bitcast_convert: the last dimension of tensor<2x16xi1> does not fill elements of tensor<2xf32>
  %0 = stablehlo.bitcast_convert %x : (tensor<2xf32>) -> tensor<2x16xi1>
  ^)"},
    {R"(func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>, %i: tensor<2xi32>) -> tensor<2xf32> {
  %0 = "stablehlo.torch_index_select"(%x, %i) <{batch_dims = 1 : i64, dim = 0 : i64}> : (tensor<2xf32>, tensor<2xi32>) -> tensor<2xf32>
  return %x : tensor<2xf32>
}
)",
     R"(INVALID_ARGUMENT: t 2:3: stablehlo.torch_index_select: batch_dims is at most dim and the rank of the index, dim a dimension
  %0 = "stablehlo.torch_index_select"(%x, %i) <{batch_dims = 1 : i64, dim = 0 : i64}> : (tensor<2xf32>, tensor<2xi32>) -...
  ^)"},
    {R"(func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>, %i: tensor<2xi32>) -> tensor<2xf32> {
  %0 = stablehlo.composite "my.op" %x {decomposition = @none} : (tensor<2xf32>) -> tensor<2xf32>
  return %x : tensor<2xf32>
}
)",
     R"(INVALID_ARGUMENT: t 2:3: stablehlo.composite: there is no function @none
  %0 = stablehlo.composite "my.op" %x {decomposition = @none} : (tensor<2xf32>) -> tensor<2xf32>
  ^)"},
    {R"(func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>, %i: tensor<2xi32>) -> tensor<2xf32> {
  %p = stablehlo.constant dense<false> : tensor<i1>
  %n = stablehlo.constant dense<7> : tensor<i32>
  stablehlo.custom_call @shape_assertion(%p, %n) {error_message = "a must be even, is {0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  return %x : tensor<2xf32>
}
)",
     R"(INVALID_ARGUMENT: t 4:3: stablehlo.custom_call: a must be even, is 7
  stablehlo.custom_call @shape_assertion(%p, %n) {error_message = "a must be even, is {0}", has_side_effect = true} : (t...
  ^)"},
};
// clang-format on

TEST(Conversion, RefusesWithThePlace) {
  for (const Refused& refused : kRefused) {
    const auto module = LoadModule(refused.text, {.label = "t"});
    EXPECT_EQ(module.status().ToString(), refused.error) << refused.text;
  }
}

// A file in bytecode may use values before it defines them; the reader of text does not.
TEST(Conversion, ValuesAreDefinedBeforeTheyAreUsed) {
  const auto source = mlir::ParseMlirText(
      "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n"
      "  %0 = stablehlo.add %x, %x : tensor<f32>\n"
      "  %1 = stablehlo.negate %0 : tensor<f32>\n  return %1 : tensor<f32>\n}\n",
      {.label = "t"});
  ASSERT_TRUE(source.ok()) << source.status().ToString();
  mlir::Operation* function = (*source)->top()->regions[0].blocks[0].operations[0];
  std::vector<mlir::Operation*>& operations = function->regions[0].blocks[0].operations;
  std::swap(operations[0], operations[1]);
  EXPECT_EQ(ConvertToHlo(**source).status().ToString(),
            "INVALID_ARGUMENT: t 3:3: stablehlo.negate: a value is used before it is defined\n"
            "  %1 = stablehlo.negate %0 : tensor<f32>\n  ^");
}

// Shapes of arguments that do not fit, and sizes that nobody gives.
TEST(Conversion, OpenSizes) {
  constexpr std::string_view kText =
      "func.func @main(%x: tensor<?x2xf32>) -> tensor<?x2xf32> {\n"
      "  %0 = stablehlo.add %x, %x : tensor<?x2xf32>\n  return %0 : tensor<?x2xf32>\n}\n";
  const auto module = LoadModule(kText, {.label = "t"});
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  EXPECT_TRUE(HasOpenSize(**module));
  const auto shape_for = [&](const Shape& argument) -> std::string {
    const auto made = ForArgumentShapes(**module, {{argument}});
    return made.ok() ? (*made)->entry()->root()->shape().ToString() : made.status().ToString();
  };
  EXPECT_EQ(shape_for(Shape(F32, {3, 2})), "f32[3,2]");
  EXPECT_EQ(shape_for(Shape(F32, {0, 2})), "f32[0,2]");
  EXPECT_EQ(shape_for(Shape(F32, {3, 4})),
            "INVALID_ARGUMENT: argument 0 is f32[3,4], but parameter 0 \"Arg_0\" is f32[?,2]");
  EXPECT_EQ(shape_for(Shape(S32, {3, 2})),
            "INVALID_ARGUMENT: argument 0 is s32[3,2], but parameter 0 \"Arg_0\" is f32[?,2]");
}

// As JAX exports programs with symbolic sizes: the names are at the function that @main calls.
TEST(Conversion, NamesOfArgumentsAreWhereTheyGo) {
  constexpr std::string_view kText = R"(
func.func @main(%0: tensor<?xf32> loc(unknown), %1: tensor<?xf32> loc("mine"), %2: tensor<?xf32> loc(unknown)) -> tensor<?xf32> {
  %size = stablehlo.get_dimension_size %0, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %first = call @ignore(%2) : (tensor<?xf32>) -> tensor<?xf32>
  %r = call @f(%size, %0, %1) : (tensor<i32>, tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func private @ignore(%x: tensor<?xf32> loc(unknown)) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}
func.func private @f(%n: tensor<i32> loc("n"), %w: tensor<?xf32> loc("p['w']"), %y: tensor<?xf32> loc("y")) -> tensor<?xf32> {
  %s = stablehlo.add %w, %y : tensor<?xf32>
  return %s : tensor<?xf32>
})";
  const auto module = LoadModule(kText);
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  const Shape shape(F32, {2});
  const auto fixed = ForArgumentShapes(**module, {{shape, shape, shape}});
  ASSERT_TRUE(fixed.ok()) << fixed.status().ToString();
  for (const Module* read : {module->get(), fixed->get()}) {
    const auto& parameters = read->entry()->parameters();
    ASSERT_EQ(parameters.size(), 3U);
    EXPECT_EQ(parameters[0]->name(), "p__w__");
    EXPECT_EQ(parameters[0]->metadata().op_name, "p['w']");
    EXPECT_EQ(parameters[1]->name(), "mine");
    EXPECT_EQ(parameters[2]->name(), "Arg_2");
  }
}

// C's values: a zero keeps its sign, and an infinity gives a quarter of a turn.
TEST(Conversion, ChloAtanOfComplexNumbers) {
  const auto client = Client::Create();
  ASSERT_TRUE(client.ok()) << client.status().ToString();
  const auto executable = (*client)->Compile(R"(
func.func @main(%x: tensor<6xcomplex<f32>>) -> tensor<6xcomplex<f32>> {
  %0 = chlo.atan %x : tensor<6xcomplex<f32>> -> tensor<6xcomplex<f32>>
  return %0 : tensor<6xcomplex<f32>>
})",
                                             {.engine = EngineKind::kInterpret});
  ASSERT_TRUE(executable.ok()) << executable.status().ToString();
  const Literal x =
      *ParseLiteral("c64[6] {(0.5, 0), (0.5, -0.0), (inf, 0), (0, 2), (-0.0, -2), (nan, 0)}");
  const auto result = (*executable)->Execute({x});
  ASSERT_TRUE(result.ok()) << result.status().ToString();
  EXPECT_EQ(result->ToString(),
            "{(0.463647604, 0), (0.463647604, -0), (1.57079637, 0), (1.57079637, 0.549306154), "
            "(-1.57079637, -0.549306154), (nan, 0)}");
}

}  // namespace
}  // namespace axle
