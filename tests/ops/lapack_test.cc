// The custom calls that JAX makes for linear algebra: LAPACK's conventions for what goes in and
// comes out. tests/ops/factorization_test.cc looks at the numbers.
#include "tests/ops/call_target.h"

namespace axle {
namespace {

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
  const auto value =
      CallTarget("lapack_spotrf_ffi", "uplo = 76 : ui8", "(f32[3,2,2], s32[3])",
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
  const auto value = CallTarget("lapack_dgesdd_ffi", "mode = 83 : ui8",
                                "(f64[1,2], f64[1], f64[1,1], f64[1,2], s32[])", {wide});
  ASSERT_TRUE(value.ok()) << value.status().message();
  EXPECT_EQ(value->element(1).ToString(), "{5}");
  EXPECT_EQ(value->element(4).ToString(), "0");
  const auto full = CallTarget("lapack_dgesdd_ffi", "mode = 65 : ui8",
                               "(f64[2,1], f64[1], f64[2,2], f64[1,1], s32[])", {tall});
  ASSERT_TRUE(full.ok()) << full.status().message();
  const auto u = full->element(2).data<double>();
  EXPECT_NEAR(u[0] * u[1] + u[2] * u[3], 0, 1e-15);
  EXPECT_NEAR(u[1] * u[1] + u[3] * u[3], 1, 1e-15);
  EXPECT_NEAR(u[0] * 5 * full->element(3).data<double>()[0], 3, 1e-14);
  const auto none =
      CallTarget("lapack_sgesdd_ffi", "mode = 78 : ui8",
                 "(f32[2,2], f32[2], f32[2,2], f32[2,2], s32[])", {"f32[2,2] {{0, 2}, {-3, 0}}"});
  ASSERT_TRUE(none.ok()) << none.status().message();
  EXPECT_EQ(none->element(1).ToString(), "{3, 2}");
  const auto empty = CallTarget("lapack_cgesdd_ffi", "mode = 65 : ui8",
                                "(c64[0,2], f32[0], c64[0,0], c64[2,2], s32[])", {"c64[0,2] {}"});
  ASSERT_TRUE(empty.ok()) << empty.status().message();
  EXPECT_EQ(empty->element(3).ToString(), "{ { (1, 0), (0, 0) }, { (0, 0), (1, 0) } }");
}

TEST(Lapack, GesvdIsGesddByAnotherName) {
  ExpectCall("lapack_dgesvd_ffi", "mode = 78 : ui8",
             "(f64[2,2], f64[2], f64[2,2], f64[2,2], s32[])", {"f64[2,2] {{0, 2}, {-3, 0}}"},
             "({{0, 0}, {0, 0}}, {3, 2}, {{0, 0}, {0, 0}}, {{0, 0}, {0, 0}}, 0)");
}

TEST(Lapack, PivotedQrChoosesColumns) {
  ExpectCall("lapack_dgeqp3_ffi", "", "(f64[2,2], s32[2], f64[2])",
             {"f64[2,2] {{1, 3}, {0, 4}}", "s32[2] {0, 0}"},
             "({{-5, -0.6}, {0.5, -0.8}}, {2, 1}, {1.6, 0})");
  ExpectCall("lapack_cgeqp3_ffi", "", "(c64[1,2], s32[2], c64[1])",
             {"c64[1,2] {{(1, 0), (2, 0)}}", "s32[2] {1, 0}"},
             "({{(1, 0), (2, 0)}}, {1, 2}, {(0, 0)})");
  ExpectCall("lapack_sgeqp3_ffi", "", "(f32[0,3], s32[3], f32[0])",
             {"f32[0,3] {}", "s32[3] {0, 0, 0}"}, "({}, {1, 2, 3}, {})");
}

TEST(Lapack, ProductsWithQ) {
  // Q = {{-0.6, -0.8}, {-0.8, 0.6}}.
  const std::string a = "f64[2,1] {{-5}, {0.5}}", taus = "f64[1] {1.6}";
  ExpectCall("lapack_dormqr_ffi", "left = true, transpose = false", "f64[2,1]",
             {a, taus, "f64[2,1] {{1}, {0}}"}, "{{-0.6}, {-0.8}}");
  ExpectCall("lapack_dormqr_ffi", "left = false, transpose = true", "f64[1,2]",
             {a, taus, "f64[1,2] {{0, 1}}"}, "{{-0.8, 0.6}}");
  // Q = {{-0.6, 0.8i}, {-0.8i, 0.6}}; the adjoint conjugates.
  const std::string complex = "c64[2,1] {{(-5, 0)}, {(0, 0.5)}}", tau = "c64[1] {(1.6, 0)}";
  ExpectCall("lapack_cunmqr_ffi", "left = true, transpose = true", "c64[2,1]",
             {complex, tau, "c64[2,1] {{(1, 0)}, {(0, 0)}}"}, "{{(-0.6, 0)}, {(0, -0.8)}}");
}

TEST(Lapack, TridiagonalSystems) {
  // The middle equation is exchanged with the last one; what is outside of the matrix is not read.
  ExpectCall(
      "lapack_dgtsv_ffi", "", "(f64[3], f64[3], f64[3], f64[3,1], s32[])",
      {"f64[3] {9, 1, 4}", "f64[3] {1, 2, 2}", "f64[3] {1, 2, 9}", "f64[3,1] {{2}, {5}, {6}}"},
      "({9, 0, 4}, {1, 4, 1.5}, {1, 2, 9}, {{1}, {1}, {1}}, 0)");
  ExpectCall("lapack_zgtsv_ffi", "", "(c128[2,1], c128[2,1], c128[2,1], c128[2,1,1], s32[2])",
             {"c128[2,1] {{(0, 0)}, {(0, 0)}}", "c128[2,1] {{(0, 2)}, {(0, 0)}}",
              "c128[2,1] {{(0, 0)}, {(0, 0)}}", "c128[2,1,1] {{{(2, 0)}}, {{(3, 0)}}}"},
             "({{(0, 0)}, {(0, 0)}}, {{(0, 2)}, {(0, 0)}}, {{(0, 0)}, {(0, 0)}}, "
             "{{{(0, -1)}}, {{(3, 0)}}}, {0, 1})");
  ExpectCall("tridiagonal_solve_perturbed_ffi", "", "f64[2,1]",
             {"f64[2] {0, 0}", "f64[2] {0, 1}", "f64[2] {0, 0}", "f64[2,1] {{1}, {2}}"},
             "{{4503599627370496}, {2}}");
  ExpectCall(
      "tridiagonal_solve_perturbed_ffi", "", "c64[1,2]",
      {"c64[1] {(0, 0)}", "c64[1] {(0, 2)}", "c64[1] {(0, 0)}", "c64[1,2] {{(2, 0), (4, 0)}}"},
      "{{(0, -1), (0, -2)}}");
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
  ExpectError("lapack_sorgqr_ffi", "", "f32[1,2]", {wide, "f32[1] {1}"},
              "Q would have 1 rows but 2 columns");
  ExpectError("lapack_sorgqr_ffi", "", "f32[2,2]", {square, "f32[3] {1, 1, 1}"},
              "the sizes of the reflectors and their factors do not go together");
  ExpectError("lapack_sgetrf_ffi", "", "(f32[2,2], s32[2], s32[])", {square, square},
              "takes 1 operand, not 2");
  ExpectError("lapack_sgeqp3_ffi", "", "(f32[2,2], s32[2], f32[2])", {square, "s32[1] {0}"},
              "operand 1 must be s32[2], not s32[1]");
  ExpectError("lapack_sormqr_ffi", "left = true, transpose = false", "f32[1,2]",
              {square, "f32[2] {1, 1}", wide},
              "the sizes of the reflectors and c do not go together");
  ExpectError("lapack_sormqr_ffi", "transpose = false", "f32[2,2]",
              {square, "f32[2] {1, 1}", square}, "left");
  ExpectError("lapack_sgtsv_ffi", "", "(f32[2], f32[2], f32[2], f32[2,2], s32[])",
              {"f32[2] {0, 0}", "f32[1] {0}", "f32[2] {0, 0}", square},
              "operand 1 is f32[1] but the right sides are of systems with f32[2]");
  ExpectError("Qr", "", "(s32[1,2], s32[1])", {"s32[1,2] {{1, 2}}"}, "takes f32, f64, c64 or c128");
}

}  // namespace
}  // namespace axle
