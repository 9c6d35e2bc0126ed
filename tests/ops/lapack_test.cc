// The custom calls that JAX makes for linear algebra: LAPACK's conventions for what goes in and
// comes out. tests/ops/factorization_test.cc looks at the numbers.
#include <gtest/gtest.h>

#include "axle/core/strings.h"
#include "axle/eval/evaluate.h"
#include "axle/text/parse.h"

namespace axle {
namespace {

StatusOr<Literal> Call(std::string_view target, std::string_view config, std::string_view result,
                       const std::vector<std::string>& operands) {
  std::string text = "HloModule m\nENTRY e {\n", names;
  std::vector<Literal> arguments;
  for (size_t i = 0; i < operands.size(); ++i) {
    const auto value = ParseLiteral(operands[i]);
    if (!value.ok()) return value.status();
    arguments.push_back(*value);
    text += StrCat("  p", i, " = ", value->shape().ToString(), " parameter(", i, ")\n");
    names += StrCat(i == 0 ? "p" : ", p", i);
  }
  text += StrCat("  ROOT r = ", result, " custom-call(", names, "), custom_call_target=\"", target,
                 "\", api_version=API_VERSION_TYPED_FFI, backend_config={", config, "}\n}\n");
  const auto module = Parse(text);
  if (!module.ok()) return module.status();
  return Evaluate(**module, arguments);
}

void ExpectCall(std::string_view target, std::string_view config, std::string_view result,
                const std::vector<std::string>& operands, std::string_view expected) {
  const auto value = Call(target, config, result, operands);
  ASSERT_TRUE(value.ok()) << value.status().message();
  const auto literal = ParseLiteral(StrCat(result, " ", expected));
  ASSERT_TRUE(literal.ok()) << literal.status().message();
  const auto difference = FirstDifference(*value, *literal);
  EXPECT_TRUE(!difference || difference->max_ulp <= 4)
      << target << ": " << value->ToString() << "\n"
      << difference->ToString();
}

void ExpectError(std::string_view target, std::string_view config, std::string_view result,
                 const std::vector<std::string>& operands, std::string_view what) {
  const auto value = Call(target, config, result, operands);
  ASSERT_FALSE(value.ok());
  EXPECT_NE(value.status().message().find(what), std::string::npos) << value.status().message();
}

TEST(Lapack, CholeskyKeepsTheOtherTriangle) {
  ExpectCall("lapack_spotrf_ffi", "uplo = 76 : ui8", "(f32[2,2], s32[])",
             {"f32[2,2] {{4, 7}, {2, 5}}"}, "({{2, 7}, {1, 2}}, 0)");
  ExpectCall("lapack_dpotrf_ffi", "uplo = 85 : ui8", "(f64[2,2], s32[])",
             {"f64[2,2] {{4, 2}, {7, 5}}"}, "({{2, 1}, {7, 2}}, 0)");
  ExpectCall("lapack_cpotrf_ffi", "uplo = 76 : ui8", "(c64[2,2], s32[])",
             {"c64[2,2] {{(4, 0), (9, 9)}, {(2, 2), (6, 0)}}"},
             "({{(2, 0), (9, 9)}, {(1, 1), (2, 0)}}, 0)");
}

TEST(Lapack, CholeskySaysWhichMinorFails) {
  const auto value = Call("lapack_spotrf_ffi", "uplo = 76 : ui8", "(f32[3,2,2], s32[3])",
                          {"f32[3,2,2] {{{1, 0}, {2, 1}}, {{-1, 0}, {0, 1}}, {{0, 0}, {0, 1}}}"});
  ASSERT_TRUE(value.ok()) << value.status().message();
  EXPECT_EQ(value->element(1).ToString(), "{2, 1, 1}");
}

TEST(Lapack, TriangularSolves) {
  ExpectCall("lapack_strsm_ffi",
             "diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8", "f32[2,1]",
             {"f32[2,2] {{2, 9}, {1, 4}}", "f32[2,1] {{2}, {9}}"}, "{{1}, {2}}");
  ExpectCall("lapack_dtrsm_ffi",
             "diag = 85 : ui8, side = 82 : ui8, trans_x = 84 : ui8, uplo = 85 : ui8", "f64[1,2]",
             {"f64[2,2] {{9, 3}, {9, 9}}", "f64[1,2] {{7, 2}}"}, "{{1, 2}}");
  ExpectCall("lapack_ztrsm_ffi",
             "diag = 78 : ui8, side = 76 : ui8, trans_x = 67 : ui8, uplo = 76 : ui8", "c128[1,1]",
             {"c128[1,1] {{(1, 1)}}", "c128[1,1] {{(2, 0)}}"}, "{{(1, 1)}}");
}

TEST(Lapack, LuPivotsCountFromOne) {
  ExpectCall("lapack_sgetrf_ffi", "", "(f32[2,2], s32[2], s32[])", {"f32[2,2] {{1, 2}, {4, 6}}"},
             "({{4, 6}, {0.25, 0.5}}, {2, 2}, 0)");
  ExpectCall("lapack_zgetrf_ffi", "", "(c128[1,2], s32[1], s32[])",
             {"c128[1,2] {{(0, 0), (1, 0)}}"}, "({{(0, 0), (1, 0)}}, {1}, 1)");
  ExpectCall("lapack_dgetrf_ffi", "", "(f64[0,2,2], s32[0,2], s32[0])", {"f64[0,2,2] {}"},
             "({}, {}, {})");
}

TEST(Lapack, QrAndItsQ) {
  for (const char* target : {"lapack_dgeqrf_ffi", "Qr"}) {
    ExpectCall(target, "", "(f64[2,1], f64[1])", {"f64[2,1] {{3}, {4}}"}, "({{-5}, {0.5}}, {1.6})");
  }
  for (const char* target : {"lapack_dorgqr_ffi", "ProductOfElementaryHouseholderReflectors"}) {
    ExpectCall(target, "", "f64[2,1]", {"f64[2,1] {{-5}, {0.5}}", "f64[1] {1.6}"},
               "{{-0.6}, {-0.8}}");
  }
  ExpectCall("lapack_cgeqrf_ffi", "", "(c64[2,1], c64[1])", {"c64[2,1] {{(3, 0)}, {(0, 4)}}"},
             "({{(-5, 0)}, {(0, 0.5)}}, {(1.6, 0)})");
  ExpectCall("lapack_cungqr_ffi", "", "c64[2,1]",
             {"c64[2,1] {{(-5, 0)}, {(0, 0.5)}}", "c64[1] {(1.6, 0)}"},
             "{{(-0.6, 0)}, {(0, -0.8)}}");
}

TEST(Lapack, EigenvaluesIncrease) {
  // Only the lower triangle is read.
  ExpectCall("lapack_dsyevd_ffi", "mode = 86 : ui8, uplo = 76 : ui8", "(f64[2,2], f64[2], s32[])",
             {"f64[2,2] {{5, 99}, {0, 3}}"}, "({{0, 1}, {1, 0}}, {3, 5}, 0)");
  ExpectCall("lapack_ssyevd_ffi", "mode = 78 : ui8, uplo = 85 : ui8", "(f32[2,2], f32[2], s32[])",
             {"f32[2,2] {{2, 1}, {99, 2}}"}, "({{0, 0}, {0, 0}}, {1, 3}, 0)");
  ExpectCall("lapack_zheevd_ffi", "mode = 78 : ui8, uplo = 76 : ui8", "(c128[2,2], f64[2], s32[])",
             {"c128[2,2] {{(2, 7), (0, 0)}, {(0, 1), (2, 0)}}"},
             "({{(0, 0), (0, 0)}, {(0, 0), (0, 0)}}, {1, 3}, 0)");
}

TEST(Lapack, SingularValuesDecrease) {
  const std::string wide = "f64[1,2] {{3, 4}}", tall = "f64[2,1] {{3}, {4}}";
  const auto value = Call("lapack_dgesdd_ffi", "mode = 83 : ui8",
                          "(f64[1,2], f64[1], f64[1,1], f64[1,2], s32[])", {wide});
  ASSERT_TRUE(value.ok()) << value.status().message();
  EXPECT_EQ(value->element(1).ToString(), "{5}");
  EXPECT_EQ(value->element(4).ToString(), "0");
  const auto full = Call("lapack_dgesdd_ffi", "mode = 65 : ui8",
                         "(f64[2,1], f64[1], f64[2,2], f64[1,1], s32[])", {tall});
  ASSERT_TRUE(full.ok()) << full.status().message();
  const auto u = full->element(2).data<double>();
  EXPECT_NEAR(u[0] * u[1] + u[2] * u[3], 0, 1e-15);
  EXPECT_NEAR(u[1] * u[1] + u[3] * u[3], 1, 1e-15);
  EXPECT_NEAR(u[0] * 5 * full->element(3).data<double>()[0], 3, 1e-14);
  const auto none =
      Call("lapack_sgesdd_ffi", "mode = 78 : ui8", "(f32[2,2], f32[2], f32[2,2], f32[2,2], s32[])",
           {"f32[2,2] {{0, 2}, {-3, 0}}"});
  ASSERT_TRUE(none.ok()) << none.status().message();
  EXPECT_EQ(none->element(1).ToString(), "{3, 2}");
  const auto empty = Call("lapack_cgesdd_ffi", "mode = 65 : ui8",
                          "(c64[0,2], f32[0], c64[0,0], c64[2,2], s32[])", {"c64[0,2] {}"});
  ASSERT_TRUE(empty.ok()) << empty.status().message();
  EXPECT_EQ(empty->element(3).ToString(), "{ { (1, 0), (0, 0) }, { (0, 0), (1, 0) } }");
}

TEST(Lapack, Errors) {
  const std::string square = "f32[2,2] {{4, 2}, {2, 5}}", wide = "f32[1,2] {{1, 2}}";
  const std::string pair = "(f32[2,2], s32[])";
  ExpectError("lapack_spotrf_ffi", "", pair, {square}, "uplo");
  ExpectError("lapack_spotrf_ffi", "uplo = 77 : ui8", pair, {square},
              "attribute uplo is 77, must be the code of one of LU");
  ExpectError("lapack_spotrf_ffi", "uplo = 76 : ui8", "f32[2,2]", {square},
              "gives (f32[2,2], s32[]), not f32[2,2]");
  ExpectError("lapack_dpotrf_ffi", "uplo = 76 : ui8", pair, {square},
              "operand 0 must be of type f64, not f32[2,2]");
  ExpectError("lapack_spotrf_ffi", "uplo = 76 : ui8", "(f32[1,2], s32[])", {wide},
              "operand 0 must be square but is 1 by 2");
  ExpectError("lapack_sgetrf_ffi", "", "(f32[2], s32[2], s32[])", {"f32[2] {1, 2}"},
              "operand 0 must be a matrix, not f32[2]");
  ExpectError("lapack_sorgqr_ffi", "", "f32[1,2]", {wide, "f32[1] {1}"}, "do not go together");
  ExpectError("lapack_sgetrf_ffi", "", "(f32[2,2], s32[2], s32[])", {square, square},
              "takes 1 operand, not 2");
  ExpectError("Qr", "", "(s32[1,2], s32[1])", {"s32[1,2] {{1, 2}}"}, "takes f32, f64, c64 or c128");
}

}  // namespace
}  // namespace axle
