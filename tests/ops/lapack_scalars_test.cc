// The custom calls for linear algebra that take flags and sizes as scalars and have results for
// LAPACK to work in: the values are those of the typed calls, which tests/ops/lapack_test.cc
// checks.
#include "tests/ops/call_target.h"

namespace axle {
namespace {

TEST(LapackScalars, Cholesky) {
  ExpectCall("lapack_spotrf", "", "(f32[2,2], s32[])",
             {"s32[] 1", "s32[] 1", "s32[] 2", "f32[2,2] {{4, 7}, {2, 5}}"},
             "({{2, 7}, {1, 2}}, 0)");
  ExpectCall("lapack_dpotrf", "", "(f64[2,2], s32[])",
             {"s32[] 0", "s32[] 1", "s32[] 2", "f64[2,2] {{4, 2}, {7, 5}}"},
             "({{2, 1}, {7, 2}}, 0)");
  ExpectCall("lapack_cpotrf", "", "(c64[2,1,1], s32[2])",
             {"s32[] 1", "s32[] 2", "s32[] 1", "c64[2,1,1] {{{(9, 0)}}, {{(-1, 0)}}}"},
             "({{{(3, 0)}}, {{(nan, 0)}}}, {0, 1})");
}

TEST(LapackScalars, TriangularSolve) {
  ExpectCall("blas_strsm", "", "f32[2,1]",
             {"s32[] 1", "s32[] 1", "s32[] 0", "s32[] 0", "s32[] 2", "s32[] 1", "s32[] 1",
              "f32[] 1", "f32[2,2] {{2, 9}, {1, 4}}", "f32[2,1] {{2}, {9}}"},
             "{{1}, {2}}");
  // From the right, upper, transposed, with ones on the diagonal; alpha 2.
  ExpectCall("blas_dtrsm", "", "f64[1,2]",
             {"s32[] 0", "s32[] 0", "s32[] 1", "s32[] 1", "s32[] 1", "s32[] 2", "s32[] 1",
              "f64[] 2", "f64[2,2] {{9, 3}, {9, 9}}", "f64[1,2] {{7, 2}}"},
             "{{2, 4}}");
  ExpectCall("blas_ztrsm", "", "c128[1,1]",
             {"s32[] 1", "s32[] 1", "s32[] 2", "s32[] 0", "s32[] 1", "s32[] 1", "s32[] 1",
              "c128[] (0, 1)", "c128[1,1] {{(1, 1)}}", "c128[1,1] {{(2, 0)}}"},
             "{{(-1, 1)}}");
  ExpectCall("blas_ctrsm", "", "c64[1,1]",  // alpha 0 is zeros, even for infinities
             {"s32[] 1", "s32[] 1", "s32[] 0", "s32[] 0", "s32[] 1", "s32[] 1", "s32[] 1",
              "c64[] (0, 0)", "c64[1,1] {{(1, 1)}}", "c64[1,1] {{(inf, 0)}}"},
             "{{(0, 0)}}");
}

TEST(LapackScalars, Factorisations) {
  ExpectCall("lapack_sgetrf", "", "(f32[2,2], s32[2], s32[])",
             {"s32[] 1", "s32[] 2", "s32[] 2", "f32[2,2] {{1, 2}, {4, 6}}"},
             "({{4, 6}, {0.25, 0.5}}, {2, 2}, 0)");
  ExpectCall("lapack_dgeqrf", "", "(f64[2,1], f64[1], s32[], f64[7])",
             {"s32[] 1", "s32[] 2", "s32[] 1", "s32[] 7", "f64[2,1] {{3}, {4}}"},
             "({{-5}, {0.5}}, {1.6}, 0, {0, 0, 0, 0, 0, 0, 0})");
  ExpectCall("lapack_cgeqrf", "", "(c64[2,1], c64[1], s32[], c64[1])",
             {"s32[] 1", "s32[] 2", "s32[] 1", "s32[] 1", "c64[2,1] {{(3, 0)}, {(0, 4)}}"},
             "({{(-5, 0)}, {(0, 0.5)}}, {(1.6, 0)}, 0, {(0, 0)})");
  ExpectCall("lapack_dorgqr", "", "(f64[2,1], s32[], f64[3])",
             {"s32[] 1", "s32[] 2", "s32[] 1", "s32[] 1", "s32[] 3", "f64[2,1] {{-5}, {0.5}}",
              "f64[1] {1.6}"},
             "({{-0.6}, {-0.8}}, 0, {0, 0, 0})");
  ExpectCall("lapack_cungqr", "", "(c64[2,1], s32[], c64[1])",
             {"s32[] 1", "s32[] 2", "s32[] 1", "s32[] 1", "s32[] 1",
              "c64[2,1] {{(-5, 0)}, {(0, 0.5)}}", "c64[1] {(1.6, 0)}"},
             "({{(-0.6, 0)}, {(0, -0.8)}}, 0, {(0, 0)})");
}

// The results of the typed call and of this one, each in its place.
void ExpectTheTypedResults(const std::string& name, std::string_view attributes,
                           std::string_view typed_result, const std::vector<std::string>& arrays,
                           std::vector<std::string> operands, std::string_view result,
                           const std::vector<int>& places) {
  const auto typed = CallTarget(name + "_ffi", attributes, typed_result, arrays);
  ASSERT_TRUE(typed.ok()) << typed.status().message();
  operands.insert(operands.end(), arrays.begin(), arrays.end());
  const auto value = CallTarget(name, "", result, operands);
  ASSERT_TRUE(value.ok()) << name << ": " << value.status().message();
  ASSERT_EQ(value->elements().size(), places.size());
  for (size_t i = 0; i < places.size(); ++i) {
    const Literal& element = value->element(static_cast<i64>(i));
    if (places[i] >= 0) {
      EXPECT_TRUE(SameValue(element, typed->element(places[i]))) << name << " " << i;
    } else {
      EXPECT_EQ(element, Literal(element.shape())) << name << " " << i;
    }
  }
}

TEST(LapackScalars, OthersAreTheTypedCalls) {
  const std::string a = "f64[2,2] {{1, 2}, {3, 5}}",
                    c = "c64[2,2] {{(1, 1), (0, 2)}, {(3, 0), (5, 1)}}";
  const std::vector<std::string> sizes = {"s32[] 1", "s32[] 2", "s32[] 2", "s32[] 9"};
  ExpectTheTypedResults("lapack_dgeqp3", "", "(f64[2,2], s32[2], f64[2])", {a, "s32[2] {0, 0}"},
                        sizes, "(f64[2,2], s32[2], f64[2], s32[], f64[9])", {0, 1, 2, -1, -1});
  ExpectTheTypedResults("lapack_cgeqp3", "", "(c64[2,2], s32[2], c64[2])", {c, "s32[2] {0, 0}"},
                        sizes, "(c64[2,2], s32[2], c64[2], s32[], c64[9], f32[4])",
                        {0, 1, 2, -1, -1, -1});
  for (const auto& [full, vectors, mode] : {std::tuple("s32[] 1", "s32[] 1", "mode = 65 : ui8"),
                                            std::tuple("s32[] 0", "s32[] 1", "mode = 83 : ui8"),
                                            std::tuple("s32[] 1", "s32[] 0", "mode = 78 : ui8")}) {
    ExpectTheTypedResults("lapack_dgesdd", mode, "(f64[2,2], f64[2], f64[2,2], f64[2,2], s32[])",
                          {a}, {full, vectors, "s32[] 1", "s32[] 2", "s32[] 2", "s32[] 9"},
                          "(f64[2,2], f64[2], f64[2,2], f64[2,2], s32[], s32[16], f64[9])",
                          {0, 1, 2, 3, 4, -1, -1});
    ExpectTheTypedResults("lapack_cgesdd", mode, "(c64[2,2], f32[2], c64[2,2], c64[2,2], s32[])",
                          {c}, {full, vectors, "s32[] 1", "s32[] 2", "s32[] 2", "s32[] 9"},
                          "(c64[2,2], f32[2], c64[2,2], c64[2,2], s32[], s32[16], f32[9], c64[9])",
                          {0, 1, 2, 3, 4, -1, -1, -1});
  }
  ExpectTheTypedResults("lapack_dsyevd", "mode = 86 : ui8, uplo = 76 : ui8",
                        "(f64[2,2], f64[2], s32[])", {a}, {"s32[] 1", "s32[] 1", "s32[] 2"},
                        "(f64[2,2], f64[2], s32[], f64[9], s32[9])", {0, 1, 2, -1, -1});
  ExpectTheTypedResults("lapack_cheevd", "mode = 86 : ui8, uplo = 85 : ui8",
                        "(c64[2,2], f32[2], s32[])", {c}, {"s32[] 0", "s32[] 1", "s32[] 2"},
                        "(c64[2,2], f32[2], s32[], c64[9], f32[9], s32[9])", {0, 1, 2, -1, -1, -1});
  ExpectTheTypedResults("lapack_dsytrd", "uplo = 76 : ui8",
                        "(f64[2,2], f64[2], f64[1], f64[1], s32[])", {a},
                        {"s32[] 2", "s32[] 1", "s32[] 2", "s32[] 1", "s32[] 9"},
                        "(f64[2,2], f64[2], f64[1], f64[1], s32[], f64[9])", {0, 1, 2, 3, 4, -1});
  ExpectTheTypedResults("lapack_dgehrd", "low = 1 : i32, high = 2 : i32",
                        "(f64[2,2], f64[1], s32[])", {a},
                        {"s32[] 2", "s32[] 1", "s32[] 2", "s32[] 2", "s32[] 1", "s32[] 9"},
                        "(f64[2,2], f64[1], s32[], f64[9])", {0, 1, 2, -1});
}

TEST(LapackScalars, EigenvaluesStandAmongWorkspaces) {
  const std::string a = "f64[2,2] {{1, 2}, {3, 5}}",
                    c = "c64[2,2] {{(1, 1), (0, 2)}, {(3, 0), (5, 1)}}";
  const std::vector<std::string> geev = {"s32[] 1", "s32[] 2", "u8[] 86", "u8[] 78"};
  constexpr std::string_view kGeev = "compute_left = 86 : ui8, compute_right = 78 : ui8";
  ExpectTheTypedResults(
      "lapack_dgeev", kGeev, "(f64[2], f64[2], c128[2,2], c128[2,2], s32[])", {a}, geev,
      "(f64[2,2], f64[2,2], f64[2,2], f64[2], f64[2], c128[2,2], c128[2,2], s32[])",
      {-1, -1, -1, 0, 1, 2, 3, 4});
  ExpectTheTypedResults("lapack_cgeev", kGeev, "(c64[2], c64[2,2], c64[2,2], s32[])", {c}, geev,
                        "(c64[2,2], f32[4], c64[2], c64[2,2], c64[2,2], s32[])",
                        {-1, -1, 0, 1, 2, 3});
  const std::vector<std::string> gees = {"s32[] 1", "s32[] 2", "u8[] 86", "u8[] 78"};
  constexpr std::string_view kGees = "mode = 86 : ui8, sort = 78 : ui8";
  ExpectTheTypedResults("lapack_dgees", kGees, "(f64[2,2], f64[2,2], f64[2], f64[2], s32[], s32[])",
                        {a}, gees, "(f64[2,2], f64[2], f64[2], f64[2,2], s32[], s32[])",
                        {0, 2, 3, 1, 4, 5});
  ExpectTheTypedResults("lapack_cgees", kGees, "(c64[2,2], c64[2,2], c64[2], s32[], s32[])", {c},
                        gees, "(c64[2,2], f32[2], c64[2], c64[2,2], s32[], s32[])",
                        {0, -1, 2, 1, 3, 4});
}

TEST(LapackScalars, WrongCalls) {
  const std::string a = "f32[2,2] {{4, 7}, {2, 5}}";
  ExpectError("lapack_spotrf", "", "(f32[2,2], s32[])", {a}, "takes 4 operands, not 1");
  ExpectError("lapack_spotrf", "", "(f32[2,2], s32[])", {"s32[] 1", "s32[] 1", "s32[] 3", a},
              "operand 2 is 3 but the array f32[2,2] has 2");
  ExpectError("lapack_spotrf", "", "(f32[2,2], s32[])", {"s32[] 1", "s32[] 4", "s32[] 2", a},
              "operand 1 is 4 but the array f32[2,2] has 1");
  ExpectError("lapack_spotrf", "", "(f32[2,2], s32[])", {"f32[] 1", "s32[] 1", "s32[] 2", a},
              "operand 0 must be an integer scalar, not f32[]");
  ExpectError("lapack_spotrf", "", "f32[2,2]", {"s32[] 1", "s32[] 1", "s32[] 2", a},
              "gives 2 results or more, not f32[2,2]");
  ExpectError("lapack_dpotrf", "", "(f32[2,2], s32[])", {"s32[] 1", "s32[] 1", "s32[] 2", a},
              "must be of type f64");
  ExpectError("lapack_spotrf", "", "(f32[2], s32[])",
              {"s32[] 1", "s32[] 1", "s32[] 2", "f32[2] {1, 2}"},
              "operand 3 must be a matrix, not f32[2]");
  ExpectError("blas_strsm", "", "f32[2,2]",
              {"s32[] 1", "s32[] 1", "s32[] 3", "s32[] 0", "s32[] 2", "s32[] 2", "s32[] 1",
               "f32[] 1", a, a},
              "operand 2 is 3, must be 0, 1 or 2");
  ExpectError("blas_strsm", "", "f32[2,2]",
              {"s32[] 1", "s32[] 1", "s32[] 0", "s32[] 0", "s32[] 2", "s32[] 2", "s32[] 1",
               "f64[] 1", a, a},
              "operand 7 must be f32[], not f64[]");
}

}  // namespace
}  // namespace axle
