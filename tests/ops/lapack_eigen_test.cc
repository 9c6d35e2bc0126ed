// The custom calls for eigenvalues: LAPACK's conventions for what goes in and comes out.
// tests/ops/schur_test.cc and tridiagonal_test.cc look at the numbers on the way.
#include <cmath>

#include "tests/ops/call_target.h"
#include "tests/ops/matrix_test.h"

namespace axle {
namespace {

// All numbers of a value, complex ones as two.
void Flatten(const Literal& value, std::vector<double>& out) {
  if (value.shape().is_tuple()) {
    for (i64 i = 0; i < value.shape().num_tuple_elements(); ++i) Flatten(value.element(i), out);
    return;
  }
  const auto append = [&](auto numbers) { out.insert(out.end(), numbers.begin(), numbers.end()); };
  switch (value.shape().type()) {
    case S32:
      return append(value.data<std::int32_t>());
    case F32:
      return append(value.data<float>());
    case F64:
      return append(value.data<double>());
    case C64:
      for (const auto x : value.data<std::complex<float>>()) append(std::array{x.real(), x.imag()});
      return;
    default:
      for (const auto x : value.data<std::complex<double>>())
        append(std::array{x.real(), x.imag()});
  }
}

void ExpectClose(std::string_view target, std::string_view config, std::string_view result,
                 const std::vector<std::string>& operands, std::string_view expected) {
  const auto value = CallTarget(target, config, result, operands);
  ASSERT_TRUE(value.ok()) << value.status().message();
  const auto literal = ParseLiteral(StrCat(result, " ", expected));
  ASSERT_TRUE(literal.ok()) << literal.status().message();
  std::vector<double> actual, wanted;
  Flatten(*value, actual);
  Flatten(*literal, wanted);
  ASSERT_EQ(actual.size(), wanted.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    EXPECT_NEAR(actual[i], wanted[i], 1e-13) << target << " " << i << ": " << value->ToString();
  }
}

constexpr std::string_view kBoth = "compute_left = 86 : ui8, compute_right = 86 : ui8";
constexpr std::string_view kNeither = "compute_left = 78 : ui8, compute_right = 78 : ui8";
constexpr std::string_view kSchur = "mode = 86 : ui8, sort = 78 : ui8";

TEST(LapackEigen, HessenbergKeepsItsReflectors) {
  ExpectClose("lapack_dgehrd_ffi", "high = 3 : i32, low = 1 : i32", "(f64[3,3], f64[2], s32[])",
              {"f64[3,3] {{1, 2, 3}, {3, 4, 5}, {4, 6, 7}}"},
              "({{1, -3.6, 0.2}, {-5, 11.2, 0.6}, {0.5, -0.4, -0.2}}, {1.6, 0}, 0)");
  // Nothing to do in a range of one row.
  ExpectClose("lapack_dgehrd_ffi", "high = 2 : i32, low = 2 : i32", "(f64[2,2], f64[1], s32[])",
              {"f64[2,2] {{1, 2}, {0, 4}}"}, "({{1, 2}, {0, 4}}, {0}, 0)");
  ExpectClose("lapack_zgehrd_ffi", "high = 1 : i32, low = 1 : i32", "(c128[1,1], c128[0], s32[])",
              {"c128[1,1] {{(3, 4)}}"}, "({{(3, 4)}}, {}, 0)");
}

TEST(LapackEigen, TridiagonalFormOfEitherTriangle) {
  ExpectClose("lapack_dsytrd_ffi", "uplo = 76 : ui8", "(f64[3,3], f64[3], f64[2], f64[2], s32[])",
              {"f64[3,3] {{1, 7, 8}, {3, 2, 9}, {4, 1, 3}}"},
              "({{1, 7, 8}, {-5, 3.6, 9}, {0.5, -0.2, 1.4}}, {1, 3.6, 1.4}, {-5, -0.2}, {1.6, 0}, "
              "0)");
  ExpectClose("lapack_dsytrd_ffi", "uplo = 85 : ui8", "(f64[3,3], f64[3], f64[2], f64[2], s32[])",
              {"f64[3,3] {{3, 1, 4}, {9, 2, 3}, {8, 7, 1}}"},
              "({{1.4, -0.2, 0.5}, {9, 3.6, -5}, {8, 7, 1}}, {1.4, 3.6, 1}, {-0.2, -5}, {0, 1.6}, "
              "0)");
  // A complex subdiagonal element becomes real.
  ExpectClose("lapack_zhetrd_ffi", "uplo = 76 : ui8", "(c128[2,2], f64[2], f64[1], c128[1], s32[])",
              {"c128[2,2] {{(1, 0), (9, 9)}, {(3, 4), (2, 0)}}"},
              "({{(1, 0), (9, 9)}, {(-5, 0), (2, 0)}}, {1, 2}, {-5}, {(1.6, 0.8)}, 0)");
}

TEST(LapackEigen, SchurForms) {
  // A pair stays a block; a triangle is only permuted.
  ExpectClose("lapack_dgees_ffi", kSchur,
              "(f64[2,2,2], f64[2,2,2], f64[2,2], f64[2,2], s32[2], s32[2])",
              {"f64[2,2,2] {{{0, 2}, {-2, 0}}, {{1, 0}, {5, 2}}}"},
              "({{{0, 2}, {-2, 0}}, {{2, 5}, {0, 1}}}, {{{1, 0}, {0, 1}}, {{0, 1}, {1, 0}}}, "
              "{{0, 0}, {2, 1}}, {{2, -2}, {0, 0}}, {0, 0}, {0, 0})");
  ExpectClose("lapack_zgees_ffi", "mode = 78 : ui8, sort = 78 : ui8",
              "(c128[2,2], c128[2,2], c128[2], s32[], s32[])",
              {"c128[2,2] {{(1, 0), (0, 3)}, {(0, 0), (0, 2)}}"},
              "({{(1, 0), (0, 3)}, {(0, 0), (0, 2)}}, {{(0, 0), (0, 0)}, {(0, 0), (0, 0)}}, "
              "{(1, 0), (0, 2)}, 0, 0)");
  ExpectClose("lapack_sgees_ffi", kSchur, "(f32[0,0], f32[0,0], f32[0], f32[0], s32[], s32[])",
              {"f32[0,0] {}"}, "({}, {}, {}, {}, 0, 0)");
}

TEST(LapackEigen, EigenvectorsOnEitherSide) {
  ExpectClose("lapack_dgeev_ffi", kBoth, "(f64[2], f64[2], c128[2,2], c128[2,2], s32[])",
              {"f64[2,2] {{1, 0}, {0.75, 2}}"},
              "({2, 1}, {0, 0}, {{(0.6, 0), (1, 0)}, {(0.8, 0), (0, 0)}}, "
              "{{(0, 0), (0.8, 0)}, {(1, 0), (-0.6, 0)}}, 0)");
  // The positive imaginary part comes first.
  const std::string large = "0.89442719099991588", small = "0.44721359549995794";
  ExpectClose("lapack_dgeev_ffi", kBoth, "(f64[2], f64[2], c128[2,2], c128[2,2], s32[])",
              {"f64[2,2] {{0, 4}, {-1, 0}}"},
              StrCat("({0, 0}, {2, -2}, {{(0, -", small, "), (0, ", small, ")}, {(", large,
                     ", 0), (", large, ", 0)}}, {{(", large, ", 0), (", large, ", 0)}, {(0, ",
                     small, "), (0, -", small, ")}}, 0)"));
  ExpectClose("lapack_cgeev_ffi", kNeither, "(c64[1], c64[1,1], c64[1,1], s32[])",
              {"c64[1,1] {{(3, 4)}}"}, "({(3, 4)}, {{(0, 0)}}, {{(0, 0)}}, 0)");
  ExpectClose("lapack_zgeev_ffi", "compute_left = 78 : ui8, compute_right = 86 : ui8",
              "(c128[1], c128[1,1], c128[1,1], s32[])", {"c128[1,1] {{(3, 4)}}"},
              "({(3, 4)}, {{(0, 0)}}, {{(1, 0)}}, 0)");
}

TEST(LapackEigen, MatricesThatAreNotFiniteEnd) {
  for (const char* bad : {"nan", "inf", "-inf"}) {
    const std::string a = StrCat("f64[1,2,2] {{{1, ", bad, "}, {1, 1}}}");
    const auto eigen = CallTarget("lapack_dgeev_ffi", kBoth,
                                  "(f64[1,2], f64[1,2], c128[1,2,2], c128[1,2,2], s32[1])", {a});
    ASSERT_TRUE(eigen.ok()) << eigen.status().message();
    EXPECT_EQ(eigen->element(4).ToString(), "{-4}");
    EXPECT_TRUE(std::isnan(eigen->element(0).data<double>()[0]));
    EXPECT_TRUE(std::isnan(eigen->element(3).data<std::complex<double>>()[3].real()));
    const auto schur =
        CallTarget("lapack_dgees_ffi", kSchur,
                   "(f64[1,2,2], f64[1,2,2], f64[1,2], f64[1,2], s32[1], s32[1])", {a});
    ASSERT_TRUE(schur.ok()) << schur.status().message();
    for (int i = 0; i < 4; ++i) EXPECT_TRUE(std::isnan(schur->element(i).data<double>()[0]));
    for (const auto& [target, config, result] : std::vector<std::array<std::string, 3>>{
             {"lapack_dgehrd_ffi", "high = 2 : i32, low = 1 : i32",
              "(f64[1,2,2], f64[1,1], s32[1])"},
             {"lapack_dsytrd_ffi", "uplo = 76 : ui8",
              "(f64[1,2,2], f64[1,2], f64[1,1], f64[1,1], s32[1])"}}) {
      EXPECT_TRUE(CallTarget(target, config, result, {a}).ok());
    }
  }
}

// No matrices take no memory, however large they would be.
TEST(LapackEigen, EmptyBatchesOfHugeMatrices) {
  const std::string square = "f32[0,30000,30000]", values = "f32[0,30000]", info = "s32[0]";
  const std::string vectors = "c64[0,30000,30000]", a = square + " {}";
  const auto expect_ok = [](std::string_view target, std::string_view config,
                            const std::string& result, const std::vector<std::string>& operands) {
    const auto value = CallTarget(target, config, result, operands);
    EXPECT_TRUE(value.ok()) << target << ": " << value.status().message();
  };
  expect_ok("lapack_ssyevd_ffi", "mode = 86 : ui8, uplo = 76 : ui8",
            StrCat("(", square, ", ", values, ", ", info, ")"), {a});
  expect_ok(
      "lapack_sgees_ffi", kSchur,
      StrCat("(", square, ", ", square, ", ", values, ", ", values, ", ", info, ", ", info, ")"),
      {a});
  expect_ok("lapack_sgeev_ffi", "compute_left = 86 : ui8, compute_right = 86 : ui8",
            StrCat("(", values, ", ", values, ", ", vectors, ", ", vectors, ", ", info, ")"), {a});
  expect_ok("lapack_strsm_ffi",
            "diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8", square,
            {a, a});
}

TEST(LapackEigen, Errors) {
  const std::string square = "f32[2,2] {{4, 2}, {2, 5}}", wide = "f32[1,2] {{1, 2}}";
  ExpectError("lapack_sgehrd_ffi", "high = 3 : i32, low = 1 : i32", "(f32[2,2], f32[1], s32[])",
              {square}, "attributes low = 1 and high = 3 are not a range of the rows 1 to 2");
  ExpectError("lapack_sgehrd_ffi", "high = -5 : i32, low = 1 : i32", "(f32[2,2], f32[1], s32[])",
              {square}, "attributes low = 1 and high = -5 are not a range of the rows 1 to 2");
  ExpectError("lapack_sgehrd_ffi", "high = 2 : i32", "(f32[2,2], f32[1], s32[])", {square}, "low");
  ExpectError("lapack_ssytrd_ffi", "uplo = 76 : ui8", "(f32[2,2], f32[2], f32[2], f32[2], s32[])",
              {square}, "gives (f32[2,2], f32[2], f32[1], f32[1], s32[])");
  ExpectError("lapack_ssytrd_ffi", "uplo = 76 : ui8", "(f32[1,2], f32[2], f32[1], f32[1], s32[])",
              {wide}, "operand 0 must be square but is 1 by 2");
  ExpectError("lapack_sgees_ffi", "mode = 86 : ui8, sort = 83 : ui8",
              "(f32[2,2], f32[2,2], f32[2], f32[2], s32[], s32[])", {square},
              "attribute sort is 83, must be the code of one of N");
  ExpectError("lapack_cgees_ffi", kSchur, "(c64[2,2], c64[2,2], c64[2], s32[], s32[])", {square},
              "operand 0 must be of type c64, not f32[2,2]");
  ExpectError("lapack_sgeev_ffi", kBoth, "(f32[2], c64[2,2], c64[2,2], s32[])", {square},
              "gives (f32[2], f32[2], c64[2,2], c64[2,2], s32[]), not (f32[2], c64[2,2], c64[2,2], "
              "s32[])");
  ExpectError("lapack_sgeev_ffi", "compute_left = 86 : ui8",
              "(f32[2], f32[2], c64[2,2], c64[2,2], s32[])", {square}, "compute_right");
}

template <typename T>
class GeevTest : public MatrixTest<T> {};
TYPED_TEST_SUITE(GeevTest, MatrixScalars);

// A V = V W and U^H A = W U^H, columns of norm 1, on random and on hard matrices.
TYPED_TEST(GeevTest, VectorsSatisfyTheirEquations) {
  using T = TypeParam;
  using P = PartType<T>;
  using Complex = std::complex<P>;
  constexpr bool kIsComplex = kIsComplexScalar<T>, kIsDouble = sizeof(P) == 8;
  const std::string type = kIsComplex ? kIsDouble ? "c128" : "c64" : kIsDouble ? "f64" : "f32";
  const std::string complex = kIsDouble ? "c128" : "c64";
  const std::string target = StrCat("lapack_",
                                    kIsComplex  ? kIsDouble ? "z" : "c"
                                    : kIsDouble ? "d"
                                                : "s",
                                    "geev_ffi");
  for (i64 n : {1, 2, 3, 8, 25}) {
    std::vector<OwnedMatrix<T>> all = this->SpecialSquares(n);
    for (P scale : {P(1), std::numeric_limits<P>::max() / 64, std::numeric_limits<P>::min() * 64}) {
      all.push_back(this->Random(n, n));
      for (T& x : all.back().values) x = Scale(x, scale);
    }
    const i64 batch = static_cast<i64>(all.size());
    const std::string b = StrCat("[", batch, ",", n), square = StrCat(b, ",", n, "]");
    const std::string values = StrCat(type, b, "], ", kIsComplex ? "" : StrCat(type, b, "], "));
    const std::string result =
        StrCat("(", values, complex, square, ", ", complex, square, ", s32[", batch, "])");
    const auto module = Parse(
        StrCat("HloModule m\nENTRY e {\n  p = ", type, square, " parameter(0)\n  ROOT r = ", result,
               " custom-call(p), custom_call_target=\"", target,
               "\", api_version=API_VERSION_TYPED_FFI, backend_config={", kBoth, "}\n}"));
    ASSERT_TRUE(module.ok()) << module.status().message();
    auto operand = Literal::Create((*module)->entry()->parameters()[0]->shape());
    ASSERT_TRUE(operand.ok());
    T* data = reinterpret_cast<T*>(operand->mutable_bytes());
    for (auto& a : all) data = std::ranges::copy(a.values, data).out;
    const auto value = Evaluate(**module, std::vector<Literal>{*operand});
    ASSERT_TRUE(value.ok()) << value.status().message();
    const i64 first = kIsComplex ? 1 : 2;
    for (i64 m = 0; m < batch; ++m) {
      auto& a = all[m];
      EXPECT_EQ(value->element(first + 2).data<std::int32_t>()[m], 0);
      const P size = std::max(LargestPart(a.view()), std::numeric_limits<P>::min());
      const P bound = 200 * n * this->kEpsilon;
      for (i64 j = 0; j < n; ++j) {
        Complex w;
        if constexpr (kIsComplex) {
          w = value->element(0).template data<T>()[m * n + j];
        } else {
          w = {value->element(0).template data<T>()[m * n + j],
               value->element(1).template data<T>()[m * n + j]};
        }
        w /= size;
        for (int side = 0; side < 2; ++side) {
          const auto v = value->element(first + side).template data<Complex>().subspan(m * n * n);
          P norm = 0, largest = 0, largest_real = 0;
          for (i64 i = 0; i < n; ++i) {
            const Complex x = v[i * n + j];
            Complex rest = -(side == 0 ? std::conj(w) : w) * x;
            for (i64 k = 0; k < n; ++k) {
              const T element = side == 0 ? Conjugate(a(k, i)) : a(i, k);
              rest += Complex(DivideByReal(element, size)) * v[k * n + j];
            }
            EXPECT_LE(LargestPart(rest), bound) << target << " " << m << " " << j << " " << side;
            norm = AddSquare(x, norm);
            largest = std::max(largest, AbsoluteValue(x));
            if (x.imag() == 0) largest_real = std::max(largest_real, AbsoluteValue(x));
          }
          EXPECT_LE(Magnitude(norm - 1), bound);
          EXPECT_GE(largest_real, largest * (1 - 8 * this->kEpsilon));
        }
      }
    }
  }
}

}  // namespace
}  // namespace axle
