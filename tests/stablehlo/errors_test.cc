// Texts that are wrong, and what is said of them, whole: code, place, message, the line and a
// caret.
#include "tests/stablehlo/mlir_text.h"

namespace axle::mlir {
namespace {

struct ErrorRow {
  const char* what;
  const char* text;
  const char* expected;
};

// clang-format off
constexpr ErrorRow kErrors[] = {
    {"no operation",
     R"(module {
  "a
})",
     R"(INVALID_ARGUMENT: t 2:3: the string has no end on its line
  "a
  ^)"},
    {"text that ends",
     R"(func.func @f() {)",
     R"(INVALID_ARGUMENT: t 1:17: expected an operation before the end of the text
func.func @f() {
                ^)"},
    {"a word that is no operation",
     R"(func.func @f() {
  foo.bar %a : f32
})",
     R"(INVALID_ARGUMENT: t 2:3: "foo.bar" is of no dialect that is known here; write it in the generic form, "foo.bar"(...) : (...) -> ..., as mlir-opt --mlir-print-op-generic prints it
  foo.bar %a : f32
  ^)"},
    {"an operation without a form",
     R"(%0 = stablehlo.gather %a : tensor<f32>)",
     R"(INVALID_ARGUMENT: t 1:6: "stablehlo.gather" has no form of its own; write it in the generic form, "stablehlo.gather"(...) : (...) -> ..., as mlir-opt --mlir-print-op-generic prints it
%0 = stablehlo.gather %a : tensor<f32>
     ^)"},
    {"return outside of a function",
     R"(return)",
     R"(INVALID_ARGUMENT: t 1:1: "return" stands directly in a function only; elsewhere it is func.return
return
^)"},
    {"an undefined value",
     R"(func.func @f() {
  return %x : f32
})",
     R"(INVALID_ARGUMENT: t 2:10: the value %x is not defined
  return %x : f32
         ^)"},
    {"an undefined value of a module",
     R"("a.b"(%x) : (f32) -> ()
"a.b"(%y) : (f32) -> ())",
     R"(INVALID_ARGUMENT: t 1:7: the value %x is not defined
"a.b"(%x) : (f32) -> ()
      ^)"},
    {"a value used before its definition",
     R"(func.func @f() {
  "a.b"(%x) : (f32) -> ()
  %x = "a.b"() : () -> f32
})",
     R"(INVALID_ARGUMENT: t 2:9: the value %x is not defined
  "a.b"(%x) : (f32) -> ()
        ^)"},
    {"a value of a region used outside",
     R"(func.func @f() {
  "a.b"() ({
    %x = "a.c"() : () -> f32
  }) : () -> ()
  "a.b"(%x) : (f32) -> ()
})",
     R"(INVALID_ARGUMENT: t 5:9: the value %x is not defined
  "a.b"(%x) : (f32) -> ()
        ^)"},
    {"a value from around an isolated operation",
     R"(%x = "a.b"() : () -> f32
func.func @f() {
  "a.b"(%x) : (f32) -> ()
})",
     R"(INVALID_ARGUMENT: t 3:9: the value %x is not defined
  "a.b"(%x) : (f32) -> ()
        ^)"},
    {"a value defined twice",
     R"(func.func @f(%x: f32) {
  %x = "a.b"() : () -> f32
})",
     R"(INVALID_ARGUMENT: t 2:3: the value %x is already defined, in line 1
  %x = "a.b"() : () -> f32
  ^)"},
    {"a value that shadows one of around",
     R"(func.func @f() {
  %x = "a.b"() : () -> f32
  "a.b"() ({
    %x = "a.c"() : () -> f32
  }) : () -> ()
})",
     R"(INVALID_ARGUMENT: t 4:5: the value %x is already defined, in line 2
    %x = "a.c"() : () -> f32
    ^)"},
    {"another type than that of the definition",
     R"(func.func @f(%x: tensor<2xf32>) {
  %0 = stablehlo.abs %x : tensor<3xf32>
})",
     R"(INVALID_ARGUMENT: t 2:22: %x has the type tensor<2xf32> and is used as tensor<3xf32>
  %0 = stablehlo.abs %x : tensor<3xf32>
                     ^)"},
    {"another type than that of a later definition",
     R"("a.b"(%x) : (i32) -> ()
%x = "a.c"() : () -> f32)",
     R"(INVALID_ARGUMENT: t 1:7: %x has the type f32 and is used as i32
"a.b"(%x) : (i32) -> ()
      ^)"},
    {"a result that is not there",
     R"(%x:2 = "a.c"() : () -> (f32, f32)
"a.b"(%x#2) : (f32) -> ())",
     R"(INVALID_ARGUMENT: t 2:7: %x stands for 2 values, counted from #0
"a.b"(%x#2) : (f32) -> ()
      ^)"},
    {"a number behind a single value",
     R"(%x = "a.c"() : () -> f32
"a.b"(%x#1) : (f32) -> ())",
     R"(INVALID_ARGUMENT: t 2:7: %x stands for 1 value, counted from #0
"a.b"(%x#1) : (f32) -> ()
      ^)"},
    {"too many names of results",
     R"(%x:3 = "a.c"() : () -> (f32, f32))",
     R"(INVALID_ARGUMENT: t 1:1: a.c has 2 results, but names for 3
%x:3 = "a.c"() : () -> (f32, f32)
^)"},
    {"names without results",
     R"(%x = "a.c"() : () -> ())",
     R"(INVALID_ARGUMENT: t 1:1: a.c has 0 results, but names for 1
%x = "a.c"() : () -> ()
^)"},
    {"no results under a name",
     R"(%x:0 = "a.c"() : () -> ())",
     R"(INVALID_ARGUMENT: t 1:4: a value stands for one result or more
%x:0 = "a.c"() : () -> ()
   ^)"},
    {"fewer types than operands",
     R"(func.func @f(%x: f32) {
  "a.b"(%x, %x) : (f32) -> ()
})",
     R"(INVALID_ARGUMENT: t 2:3: a.b has 2 operands, but types for 1
  "a.b"(%x, %x) : (f32) -> ()
  ^)"},
    {"too many operands",
     R"(func.func @f(%x: f32) {
  %0 = "stablehlo.abs"(%x, %x) : (f32, f32) -> f32
})",
     R"(INVALID_ARGUMENT: t 2:8: stablehlo.abs has 2 operands, not 1
  %0 = "stablehlo.abs"(%x, %x) : (f32, f32) -> f32
       ^)"},
    {"too few operands",
     R"(func.func @f(%x: f32) {
  %0 = "stablehlo.dynamic_slice"() : () -> f32
})",
     R"(INVALID_ARGUMENT: t 2:8: stablehlo.dynamic_slice has 0 operands, not at least 1
  %0 = "stablehlo.dynamic_slice"() : () -> f32
       ^)"},
    {"too many results",
     R"(func.func @f(%x: f32) {
  %0:2 = "stablehlo.abs"(%x) : (f32) -> (f32, f32)
})",
     R"(INVALID_ARGUMENT: t 2:10: stablehlo.abs has 2 results, not 1
  %0:2 = "stablehlo.abs"(%x) : (f32) -> (f32, f32)
         ^)"},
    {"too few regions",
     R"(func.func @f(%x: i1) {
  "stablehlo.if"(%x) ({}) : (i1) -> ()
})",
     R"(INVALID_ARGUMENT: t 2:3: stablehlo.if has 1 region, not 2
  "stablehlo.if"(%x) ({}) : (i1) -> ()
  ^)"},
    {"a missing operand",
     R"(func.func @f(%x: f32) {
  %0 = stablehlo.add %x : f32
})",
     R"(INVALID_ARGUMENT: t 2:25: expected ','
  %0 = stablehlo.add %x : f32
                        ^)"},
    {"a branch",
     R"("cf.br"()[^bb1] : () -> ())",
     R"(UNIMPLEMENTED: t 1:10: branches between blocks are not supported
"cf.br"()[^bb1] : () -> ()
         ^)"},
    {"segments that do not add up",
     R"(func.func @f(%x: f32) {
  "a.b"(%x) {operandSegmentSizes = array<i32: 1, 1>} : (f32) -> ()
})",
     R"(INVALID_ARGUMENT: t 2:3: operandSegmentSizes do not add up to the number of operands, 1
  "a.b"(%x) {operandSegmentSizes = array<i32: 1, 1>} : (f32) -> ()
  ^)"},
    {"an attribute given twice",
     R"("a.b"() {x = 1 : i32, y, x} : () -> ())",
     R"(INVALID_ARGUMENT: t 1:1: the attribute "x" is given twice
"a.b"() {x = 1 : i32, y, x} : () -> ()
^)"},
    {"an attribute in both lists",
     R"(%0 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> {iota_dimension = 0 : i64} : () -> tensor<2xi32>)",
     R"(INVALID_ARGUMENT: t 1:6: the attribute "iota_dimension" is given twice
%0 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> {iota_dimension = 0 : i64} : () -> tensor<2xi32>
     ^)"},
    {"an attribute twice in a dictionary",
     R"(module attributes {a = {b, b}} {})",
     R"(INVALID_ARGUMENT: t 1:24: the attribute "b" is given twice
module attributes {a = {b, b}} {}
                       ^)"},
    {"an attribute without a value",
     R"(module attributes {a = } {})",
     R"(INVALID_ARGUMENT: t 1:24: expected an attribute
module attributes {a = } {}
                       ^)"},
    {"an unknown type",
     R"(module attributes {a = tensor<2xf33>} {})",
     R"(INVALID_ARGUMENT: t 1:33: "f33" is no type
module attributes {a = tensor<2xf33>} {}
                                ^)"},
    {"a dimension without x",
     R"(module attributes {a = tensor<2>} {})",
     R"(INVALID_ARGUMENT: t 1:32: expected 'x' behind the size of a dimension
module attributes {a = tensor<2>} {}
                               ^)"},
    {"a dimension that is too large",
     R"(module attributes {a = tensor<99999999999999999999xf32>} {})",
     R"(INVALID_ARGUMENT: t 1:31: the size of a dimension does not fit into 64 bits
module attributes {a = tensor<99999999999999999999xf32>} {}
                              ^)"},
    {"complex of other types",
     R"(module attributes {a = complex<bf16>} {})",
     R"(INVALID_ARGUMENT: t 1:32: complex<bf16> is not supported, only f32 and f64
module attributes {a = complex<bf16>} {}
                               ^)"},
    {"bounds for other dimensions",
     R"(module attributes {a = tensor<?x?xf32, #stablehlo.bounds<3>>} {})",
     R"(INVALID_ARGUMENT: t 1:40: 1 bounds for 2 dimensions
module attributes {a = tensor<?x?xf32, #stablehlo.bounds<3>>} {}
                                       ^)"},
    {"quantization of sub-channels",
     R"(module attributes {a = !quant.uniform<i8:f32:{0:1, 1:2}, {{1.0}}>} {})",
     R"(UNIMPLEMENTED: t 1:46: quantization of sub-channels, with scales for blocks, is not supported
module attributes {a = !quant.uniform<i8:f32:{0:1, 1:2}, {{1.0}}>} {}
                                             ^)"},
    {"storage of a quantized type",
     R"(module attributes {a = !quant.uniform<f32:f32, 1.0>} {})",
     R"(INVALID_ARGUMENT: t 1:39: values cannot be stored as f32
module attributes {a = !quant.uniform<f32:f32, 1.0>} {}
                                      ^)"},
    {"a range of a quantized type",
     R"(module attributes {a = !quant.uniform<i8<-129:127>:f32, 1.0>} {})",
     R"(INVALID_ARGUMENT: t 1:41: the range -129:127 is not within i8
module attributes {a = !quant.uniform<i8<-129:127>:f32, 1.0>} {}
                                        ^)"},
    {"a number that is too large",
     R"(module attributes {a = 256 : i8} {})",
     R"(INVALID_ARGUMENT: t 1:24: 256 is out of the range of i8
module attributes {a = 256 : i8} {}
                       ^)"},
    {"a negative number without a sign",
     R"(module attributes {a = -1 : ui8} {})",
     R"(INVALID_ARGUMENT: t 1:24: -1 is out of the range of ui8
module attributes {a = -1 : ui8} {}
                       ^)"},
    {"an integer of a float type",
     R"(module attributes {a = 1 : f32} {})",
     R"(INVALID_ARGUMENT: t 1:24: an integer of the float type f32; write 1.0
module attributes {a = 1 : f32} {}
                       ^)"},
    {"a float of an integer type",
     R"(module attributes {a = 1.5 : i32} {})",
     R"(INVALID_ARGUMENT: t 1:24: 1.5 is no number of the type i32
module attributes {a = 1.5 : i32} {}
                       ^)"},
    {"a float out of range",
     R"(module attributes {a = 1.0e99 : f32} {})",
     R"(INVALID_ARGUMENT: t 1:24: 1.0e99 is out of the range of f32
module attributes {a = 1.0e99 : f32} {}
                       ^)"},
    {"bits that a type does not have",
     R"(module attributes {a = 0x123456789 : f32} {})",
     R"(INVALID_ARGUMENT: t 1:24: 0x123456789 has more bits than f32
module attributes {a = 0x123456789 : f32} {}
                       ^)"},
    {"a string without an end",
     R"(module attributes {a = "abc} {}
)",
     R"(INVALID_ARGUMENT: t 1:24: the string has no end on its line
module attributes {a = "abc} {}
                       ^)"},
    {"an unknown escape",
     R"(module attributes {a = "\q"} {})",
     R"(INVALID_ARGUMENT: t 1:24: the string has an escape that is none of \n, \t, \\, \" and \2A
module attributes {a = "\q"} {}
                       ^)"},
    {"an array without an end",
     R"(module attributes {a = [1, 2} {})",
     R"(INVALID_ARGUMENT: t 1:29: expected ']'
module attributes {a = [1, 2} {}
                            ^)"},
    {"an alias that is not defined",
     R"(module attributes {a = #b} {})",
     R"(INVALID_ARGUMENT: t 1:24: the alias #b is not defined
module attributes {a = #b} {}
                       ^)"},
    {"an alias for itself",
     R"(#a = [#b]
#b = [#a])",
     R"(INVALID_ARGUMENT: t 1:1: the alias #a stands for itself
#a = [#b]
^)"},
    {"an alias defined twice",
     R"(#a = 1 : i32
#a = 2 : i32)",
     R"(INVALID_ARGUMENT: t 2:1: the alias #a is defined twice
#a = 2 : i32
^)"},
    {"a resource that is not there",
     R"(module attributes {a = dense_resource<r> : tensor<1xf32>} {})",
     R"(INVALID_ARGUMENT: t 1:39: the text has no resource "r"
module attributes {a = dense_resource<r> : tensor<1xf32>} {}
                                      ^)"},
    {"a resource without its alignment",
     R"(module attributes {a = dense_resource<r> : tensor<1xf32>} {}
{-# dialect_resources: { builtin: { r: "0x01" } } #-})",
     R"(INVALID_ARGUMENT: t 1:39: the resource "r" is no "0x..." with at least the four bytes of its alignment
module attributes {a = dense_resource<r> : tensor<1xf32>} {}
                                      ^)"},
    {"too few elements",
     R"(module attributes {a = dense<[1, 2]> : tensor<3xi32>} {})",
     R"(INVALID_ARGUMENT: t 1:35: 2 elements in a list do not fit tensor<3xi32>
module attributes {a = dense<[1, 2]> : tensor<3xi32>} {}
                                  ^)"},
    {"too many elements",
     R"(module attributes {a = dense<[1, 2]> : tensor<1xi32>} {})",
     R"(INVALID_ARGUMENT: t 1:34: too many elements for tensor<1xi32>
module attributes {a = dense<[1, 2]> : tensor<1xi32>} {}
                                 ^)"},
    {"no elements",
     R"(module attributes {a = dense<> : tensor<3xi32>} {})",
     R"(INVALID_ARGUMENT: t 1:30: no elements for tensor<3xi32>
module attributes {a = dense<> : tensor<3xi32>} {}
                             ^)"},
    {"elements not nested as deep as the type",
     R"(module attributes {a = dense<[1, 2]> : tensor<1x2xi32>} {})",
     R"(INVALID_ARGUMENT: t 1:31: the list is not nested as deep as tensor<1x2xi32>
module attributes {a = dense<[1, 2]> : tensor<1x2xi32>} {}
                              ^)"},
    {"elements nested deeper than the type",
     R"(module attributes {a = dense<[[1, 2]]> : tensor<2xi32>} {})",
     R"(INVALID_ARGUMENT: t 1:32: the list is nested deeper than tensor<2xi32>
module attributes {a = dense<[[1, 2]]> : tensor<2xi32>} {}
                               ^)"},
    {"an element of another type",
     R"(module attributes {a = dense<[1, 2.5]> : tensor<2xi32>} {})",
     R"(INVALID_ARGUMENT: t 1:34: 2.5 is no value of i32
module attributes {a = dense<[1, 2.5]> : tensor<2xi32>} {}
                                 ^)"},
    {"an integer among floats",
     R"(module attributes {a = dense<[1.0, 2]> : tensor<2xf32>} {})",
     R"(INVALID_ARGUMENT: t 1:36: an integer of a float type; write 2.0
module attributes {a = dense<[1.0, 2]> : tensor<2xf32>} {}
                                   ^)"},
    {"an element out of range",
     R"(module attributes {a = dense<[1, 256]> : tensor<2xui8>} {})",
     R"(INVALID_ARGUMENT: t 1:34: 256 is no value of ui8
module attributes {a = dense<[1, 256]> : tensor<2xui8>} {}
                                 ^)"},
    {"true among integers",
     R"(module attributes {a = dense<true> : tensor<2xi8>} {})",
     R"(INVALID_ARGUMENT: t 1:30: true and false are no i8
module attributes {a = dense<true> : tensor<2xi8>} {}
                             ^)"},
    {"elements of open sizes",
     R"(module attributes {a = dense<1> : tensor<?xi32>} {})",
     R"(INVALID_ARGUMENT: t 1:47: elements of tensor<?xi32>; expected a tensor of numbers with static sizes
module attributes {a = dense<1> : tensor<?xi32>} {}
                                              ^)"},
    {"more elements than the text can have",
     R"(module attributes {a = dense<[1, 2]> : tensor<1000000000000xi32>} {})",
     R"(INVALID_ARGUMENT: t 1:30: too few elements for tensor<1000000000000xi32>
module attributes {a = dense<[1, 2]> : tensor<1000000000000xi32>} {}
                             ^)"},
    {"bytes that make no elements",
     R"(module attributes {a = dense<"0x010203"> : tensor<4xi32>} {})",
     R"(INVALID_ARGUMENT: t 1:30: 3 bytes do not make the elements of tensor<4xi32>
module attributes {a = dense<"0x010203"> : tensor<4xi32>} {}
                             ^)"},
    {"bytes that are none",
     R"(module attributes {a = dense<"0x01020G04"> : tensor<1xi32>} {})",
     R"(INVALID_ARGUMENT: t 1:30: a character that is no hexadecimal digit
module attributes {a = dense<"0x01020G04"> : tensor<1xi32>} {}
                             ^)"},
    {"a complex number without brackets",
     R"(module attributes {a = dense<[1.0]> : tensor<1xcomplex<f32>>} {})",
     R"(INVALID_ARGUMENT: t 1:31: expected a complex number, (real, imaginary)
module attributes {a = dense<[1.0]> : tensor<1xcomplex<f32>>} {}
                              ^)"},
    {"an enum without such a value",
     R"(module attributes {a = #stablehlo<precision LOW>} {})",
     R"(INVALID_ARGUMENT: t 1:45: expected one of DEFAULT, HIGH, HIGHEST for precision
module attributes {a = #stablehlo<precision LOW>} {}
                                            ^)"},
    {"a field that a structure does not have",
     R"(module attributes {a = #stablehlo.gather<offset = [1]>} {})",
     R"(INVALID_ARGUMENT: t 1:42: #stablehlo.gather has no field "offset"
module attributes {a = #stablehlo.gather<offset = [1]>} {}
                                         ^)"},
    {"a field that a structure needs",
     R"(module attributes {a = #stablehlo.channel_handle<type = 1>} {})",
     R"(INVALID_ARGUMENT: t 1:49: #stablehlo.channel_handle needs the field "handle"
module attributes {a = #stablehlo.channel_handle<type = 1>} {}
                                                ^)"},
    {"labels of dimensions given twice",
     R"(module attributes {a = #stablehlo.conv<[b, 0, b]x[0, i, o]->[b, 0, f]>} {})",
     R"(INVALID_ARGUMENT: t 1:47: expected numbers, and each of the letters bf once
module attributes {a = #stablehlo.conv<[b, 0, b]x[0, i, o]->[b, 0, f]>} {}
                                              ^)"},
    {"a label that is missing",
     R"(module attributes {a = #stablehlo.conv<[b, 0]x[0, i, o]->[b, 0, f]>} {})",
     R"(INVALID_ARGUMENT: t 1:40: the dimension f is missing
module attributes {a = #stablehlo.conv<[b, 0]x[0, i, o]->[b, 0, f]>} {}
                                       ^)"},
    {"numbers of dimensions with a gap",
     R"(module attributes {a = #stablehlo.conv<[b, 0, 2, f]x[0, i, o]->[b, 0, f]>} {})",
     R"(INVALID_ARGUMENT: t 1:40: expected each of the numbers from 0 to 1 once
module attributes {a = #stablehlo.conv<[b, 0, 2, f]x[0, i, o]->[b, 0, f]>} {}
                                       ^)"},
    {"a location that is none",
     R"("a.b"() : () -> () loc(somewhere))",
     R"(INVALID_ARGUMENT: t 1:24: expected a location
"a.b"() : () -> () loc(somewhere)
                       ^)"},
    {"a compare without a direction",
     R"(func.func @f(%x: f32) {
  %0 = stablehlo.compare XX, %x, %x : (f32, f32) -> i1
})",
     R"(INVALID_ARGUMENT: t 2:26: expected one of EQ, NE, GE, GT, LE, LT for comparison_direction
  %0 = stablehlo.compare XX, %x, %x : (f32, f32) -> i1
                         ^)"},
    {"a complex type that is none",
     R"(func.func @f(%x: f32) {
  %0 = stablehlo.complex %x, %x : tensor<f32>
})",
     R"(INVALID_ARGUMENT: t 2:35: expected a tensor of complex numbers, not tensor<f32>
  %0 = stablehlo.complex %x, %x : tensor<f32>
                                  ^)"},
    {"a tuple type that is none",
     R"(func.func @f(%x: f32) {
  %0 = stablehlo.tuple %x : tensor<f32>
})",
     R"(INVALID_ARGUMENT: t 2:29: expected a tuple, not tensor<f32>
  %0 = stablehlo.tuple %x : tensor<f32>
                            ^)"},
    {"a select with one type",
     R"(func.func @f(%x: f32) {
  %0 = stablehlo.select %x, %x, %x : f32
})",
     R"(INVALID_ARGUMENT: t 2:38: expected two types, of the predicate and of the result
  %0 = stablehlo.select %x, %x, %x : f32
                                     ^)"},
    {"a reduce that applies another operation",
     R"(func.func @f(%x: tensor<2xf32>, %y: tensor<f32>) {
  %0 = stablehlo.reduce(%x init: %y) applies stablehlo.subtract across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
})",
     R"(INVALID_ARGUMENT: t 2:46: a reduce applies one of stablehlo.add, stablehlo.and, stablehlo.maximum, stablehlo.minimum, stablehlo.multiply, stablehlo.or, stablehlo.xor
  %0 = stablehlo.reduce(%x init: %y) applies stablehlo.subtract across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -...
                                             ^)"},
    {"a format that is none",
     R"(func.func @f(%x: f32) {
  %0 = stablehlo.reduce_precision %x, format = e8 : f32
})",
     R"(INVALID_ARGUMENT: t 2:48: expected a format like e8m10: bits of exponent and mantissa
  %0 = stablehlo.reduce_precision %x, format = e8 : f32
                                               ^)"},
    {"a window with an unknown word",
     R"(func.func @f(%x: f32) {
  %0 = stablehlo.convolution(%x, %x) dim_numbers = [b, f]x[i, o]->[b, f], window = {size = [1]} : (f32, f32) -> f32
})",
     R"(INVALID_ARGUMENT: t 2:85: expected stride, pad, lhs_dilate, rhs_dilate, reverse or '}'
  %0 = stablehlo.convolution(%x, %x) dim_numbers = [b, f]x[i, o]->[b, f], window = {size = [1]} : (f32, f32) -> f32
                                                                                    ^)"},
    {"padding that is no pair",
     R"(func.func @f(%x: f32) {
  %0 = stablehlo.convolution(%x, %x) dim_numbers = [b, f]x[i, o]->[b, f], window = {pad = [[1]]} : (f32, f32) -> f32
})",
     R"(INVALID_ARGUMENT: t 2:94: expected two numbers of padding, [low, high]
  %0 = stablehlo.convolution(%x, %x) dim_numbers = [b, f]x[i, o]->[b, f], window = {pad = [[1]]} : (f32, f32) -> f32
                                                                                             ^)"},
    {"a while with fewer types",
     R"(func.func @f(%x: f32) {
  %0:2 = stablehlo.while(%a = %x, %b = %x) : f32 cond { stablehlo.return } do { stablehlo.return }
})",
     R"(INVALID_ARGUMENT: t 2:10: stablehlo.while has 2 operands, but types for 1
  %0:2 = stablehlo.while(%a = %x, %b = %x) : f32 cond { stablehlo.return } do { stablehlo.return }
         ^)"},
    {"a slice without a limit",
     R"(func.func @f(%x: f32) {
  %0 = stablehlo.slice %x [0] : (f32) -> f32
})",
     R"(INVALID_ARGUMENT: t 2:29: expected ':'
  %0 = stablehlo.slice %x [0] : (f32) -> f32
                            ^)"},
    {"a function without names of parameters",
     R"(func.func @f(f32) {
  return
})",
     R"(INVALID_ARGUMENT: t 1:1: the parameters of a function with a body need names
func.func @f(f32) {
^)"},
    {"a function of any number of arguments",
     R"(func.func private @f(f32, ...))",
     R"(INVALID_ARGUMENT: t 1:27: functions of any number of arguments are not supported
func.func private @f(f32, ...)
                          ^)"},
    {"a bracket that is never closed",
     R"(module attributes {a = #b.c<[} {})",
     R"(INVALID_ARGUMENT: t 1:28: the bracket is never closed
module attributes {a = #b.c<[} {}
                           ^)"},
    {"too many lists of elements",
     R"(module attributes {a = dense<[[1, 2], [3, 4], [5, 6]]> : tensor<2x2xi32>} {})",
     R"(INVALID_ARGUMENT: t 1:48: too many lists for tensor<2x2xi32>
module attributes {a = dense<[[1, 2], [3, 4], [5, 6]]> : tensor<2x2xi32>} {}
                                               ^)"},
    {"a field of another kind",
     R"(#b = [1 : i64]
module attributes {a = #stablehlo.gather<offset_dims = #b>} {})",
     R"(INVALID_ARGUMENT: t 2:56: the field "offset_dims" is no [1 : i64]
module attributes {a = #stablehlo.gather<offset_dims = #b>} {}
                                                       ^)"},
    {"an attribute where an enum stands",
     R"(func.func @f(%x: f32) {
  %0 = stablehlo.compare #stablehlo<precision HIGH>, %x, %x : (f32, f32) -> i1
})",
     R"(INVALID_ARGUMENT: t 2:26: expected an attribute comparison_direction, not #stablehlo<precision HIGH>
  %0 = stablehlo.compare #stablehlo<precision HIGH>, %x, %x : (f32, f32) -> i1
                         ^)"},
    {"a sign alone",
     R"(module attributes {a = dense<+> : tensor<i32>} {})",
     R"(INVALID_ARGUMENT: t 1:30: expected an element
module attributes {a = dense<+> : tensor<i32>} {}
                             ^)"},
};
// clang-format on

TEST(MlirErrors, NameThePlaceAndTheCause) {
  for (const ErrorRow& row : kErrors) {
    EXPECT_EQ(ParseMlirText(row.text, {.label = "t"}).status().ToString(), row.expected)
        << row.what;
  }
}

// The first line of the message.
std::string FirstLine(const std::string& text) {
  const std::string message = ParseMlirText(text, {.label = "t"}).status().ToString();
  return message.substr(0, message.find('\n'));
}

TEST(MlirErrors, OfWhatIsTooDeep) {
  EXPECT_EQ(FirstLine("module attributes {a = " + std::string(200, '[')),
            "INVALID_ARGUMENT: t 1:152: nested too deeply");
  std::string regions;
  for (int i = 0; i < 260; ++i) regions += "\"a.b\"() ({\n";
  EXPECT_EQ(FirstLine(regions),
            "INVALID_ARGUMENT: t 250:10: more than 250 regions inside of each other");
}

TEST(MlirErrors, TheLimitsEndTheReading) {
  Limits limits;
  limits.Cancel();
  const auto module = ParseMlirText("\"a.b\"() : () -> ()", {.label = "t", .limits = &limits});
  EXPECT_EQ(module.status().code(), StatusCode::kCancelled);
}

}  // namespace
}  // namespace axle::mlir
