// Case tables: the meaning of each op, as rows. tests/op_cases_test.cc makes every row a module of
// HLO text, sends it through the printer and back, runs it on every engine and with other layouts,
// and compares bits (every NaN equals every NaN).
//
//   static const OpCase kRows[] = {
//       {"edges", {"f32[2] {1, 2}", "f32[] 9"}, "padding=1_2", "f32[5] {9, 1, 2, 9, 9}"},
//       {"C3 interior is not negative", {"f32[1]", "f32[]"}, "padding=0_0_-1",
//        Error("pad: interior padding of dimension 0 is -1, must be >= 0; operand f32[1], "
//              "padding_value f32[]")},
//   };
//   extern const CaseTable kPadCases;
//   const CaseTable kPadCases = {"pad", kRows};
//
// A row shows one thing with the smallest shapes that do. tests/op_table_test.cc says which kinds
// of rows a table needs at least.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "axle/core/status.h"

namespace axle {

// What a row expects: a value, "f32[2] {1, 2}"; or the exact text of an error; or a shape only.
struct Expect {
  enum class Kind { kValue, kError, kShape };

  Expect(const char* value) : text(value) {}  // NOLINT(google-explicit-constructor)
  Expect(Kind kind, std::string_view text, std::string_view declared_shape,
         StatusCode code = StatusCode::kOk)
      : kind(kind), text(text), declared_shape(declared_shape), code(code) {}

  Kind kind = Kind::kValue;
  std::string_view text;
  std::string_view declared_shape;  // of a failing op whose shape is not implied
  StatusCode code = StatusCode::kOk;
};

// The message without position and caret, of an INVALID_ARGUMENT. Operands may be shapes without
// values: "f32[2,3]".
inline Expect Error(std::string_view text, std::string_view declared_shape = "") {
  return {Expect::Kind::kError, text, declared_shape, StatusCode::kInvalidArgument};
}
// The same of another code.
inline Expect ErrorOf(StatusCode code, std::string_view text,
                      std::string_view declared_shape = "") {
  return {Expect::Kind::kError, text, declared_shape, code};
}
// The op is legal and has this shape; nothing is run. For dynamic dimensions, say.
inline Expect Infers(std::string_view shape) {
  return {Expect::Kind::kShape, shape, shape};
}

struct CaseOptions {
  // The expected value has more than 80 % equal elements on purpose.
  bool degenerate = false;
  // Floats may differ from the expected ones by as many units in the last place.
  std::uint64_t within_ulp = 0;
  // NaNs must have the expected bits too, as in ops that copy.
  bool exact_nan = false;
  // What stands between the parentheses, instead of the operands: constant, parameter.
  std::string_view parens = "";
  // Attributes of the module: "replica_count=4".
  std::string_view module = "";
  // All instructions behind the parameters p0, p1, ..., for ops that do not stand alone.
  std::string_view body = "";
};

struct OpCase {
  std::string_view what;
  std::vector<std::string_view> operands;  // "f32[2] {1, 2}", "(f32[], s32[2]) (1, {2, 3})"
  std::string_view attrs;                  // as in HLO text; may name computations of kHelpers
  Expect expect;
  CaseOptions options = {};
};

struct CaseTable {
  std::string_view op;
  std::span<const OpCase> cases;
  std::string_view helpers = "";  // more computations, besides kHelpers
  // There are no values to show: they are tokens, or need a device. tests/runtime/ runs the op.
  bool without_values = false;
};

// One table per row of AllOpDefs(), in its order: kFooCases for opcode Foo.
std::span<const CaseTable* const> AllCaseTables();

// "f32[2] {1, 2}" -> "f32[2]"; "" if there is no shape.
std::string_view ShapeText(std::string_view value);

// Computations that rows may call.
inline constexpr std::string_view kHelpers = R"(
sum { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }
flipped_sum { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(b, a) }
product { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] multiply(a, b) }
max { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] maximum(a, b) }
min { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] minimum(a, b) }
last { a = f32[] parameter(0)  ROOT b = f32[] parameter(1) }
less { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = pred[] compare(a, b), direction=LT }
greater { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = pred[] compare(a, b), direction=GT }
at_least { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = pred[] compare(a, b), direction=GE }
horner { a = f32[] parameter(0)  b = f32[] parameter(1)  ten = f32[] constant(10)
  scaled = f32[] multiply(a, ten)  ROOT r = f32[] add(scaled, b) }
sum_f16 { a = f16[] parameter(0)  b = f16[] parameter(1)  ROOT r = f16[] add(a, b) }
sum_bf16 { a = bf16[] parameter(0)  b = bf16[] parameter(1)  ROOT r = bf16[] add(a, b) }
sum_f64 { a = f64[] parameter(0)  b = f64[] parameter(1)  ROOT r = f64[] add(a, b) }
sum_c64 { a = c64[] parameter(0)  b = c64[] parameter(1)  ROOT r = c64[] add(a, b) }
sum_s32 { a = s32[] parameter(0)  b = s32[] parameter(1)  ROOT r = s32[] add(a, b) }
product_s32 { a = s32[] parameter(0)  b = s32[] parameter(1)  ROOT r = s32[] multiply(a, b) }
max_s32 { a = s32[] parameter(0)  b = s32[] parameter(1)  ROOT r = s32[] maximum(a, b) }
min_s32 { a = s32[] parameter(0)  b = s32[] parameter(1)  ROOT r = s32[] minimum(a, b) }
last_s32 { a = s32[] parameter(0)  ROOT b = s32[] parameter(1) }
less_s32 { a = s32[] parameter(0)  b = s32[] parameter(1)  ROOT r = pred[] compare(a, b), direction=LT }
horner_s32 { a = s32[] parameter(0)  b = s32[] parameter(1)  ten = s32[] constant(10)
  scaled = s32[] multiply(a, ten)  ROOT r = s32[] add(scaled, b) }
all { a = pred[] parameter(0)  b = pred[] parameter(1)  ROOT r = pred[] and(a, b) }
any { a = pred[] parameter(0)  b = pred[] parameter(1)  ROOT r = pred[] or(a, b) }
argmax { v = f32[] parameter(0)  i = s32[] parameter(1)  w = f32[] parameter(2)  j = s32[] parameter(3)
  keep = pred[] compare(v, w), direction=GE
  value = f32[] select(keep, v, w)  index = s32[] select(keep, i, j)
  ROOT r = (f32[], s32[]) tuple(value, index) }
below_100 { s = s32[] parameter(0)  limit = s32[] constant(100)
  ROOT r = pred[] compare(s, limit), direction=LT }
double { s = s32[] parameter(0)  ROOT r = s32[] add(s, s) }
)";

}  // namespace axle
