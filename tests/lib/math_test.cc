// The special functions against values computed at 30 digits, and their edges.
#include "axle/lib/math.h"

#include <cmath>
#include <limits>

#include "tests/lib/lib_test.h"

namespace axle {
namespace {

using Ops = std::vector<XlaOp>;
using Rows = std::vector<std::vector<double>>;  // arguments, value

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// clang-format off
const Rows kErfc= {
    {0.0, 1.0},
    {1e-10, 0.999999999887162},
    {0.3, 0.6713732405408726},
    {-0.3, 1.3286267594591274},
    {0.99, 0.1614919304446302},
    {1.5, 0.033894853524689274},
    {-2.0, 1.9953222650189528},
    {3.25, 4.302779463675122e-06},
    {6.0, 2.1519736712498913e-17},
    {9.0, 4.13703174651381e-37},
    {15.0, 7.212994172451207e-100},
    {26.0, 5.663192408856143e-296},
    {-7.0, 2.0},
};
const Rows kErfInv= {
    {0.0, 0.0},
    {1e-12, 8.86226925452758e-13},
    {0.1, 0.08885599049425769},
    {-0.5, -0.4769362762044699},
    {0.84, 0.9935356283473041},
    {0.86, 1.0435418436397588},
    {0.99, 1.8213863677184494},
    {-0.999999, -3.458910737275499},
    {0.9999999999999, 5.261483331372676},
};
const Rows kLgamma= {
    {1e-300, 690.7755278982137},
    {0.001, 6.907178885383853},
    {0.3, 1.0957979948180756},
    {0.5, 0.5723649429247001},
    {1.5, -0.12078223763524522},
    {2.5, 0.2846828704729192},
    {4.0, 1.791759469228055},
    {10.5, 13.940625219403763},
    {171.0, 706.5730622457874},
    {100000.0, 1051287.7089736569},
    {1e+300, 6.897755278982137e+302},
    {-0.5, 1.2655121234846454},
    {-1.5, 0.860047015376481},
    {-3.75, -1.3172679424463636},
    {-20.3, -41.887292480135244},
};
const Rows kDigamma= {
    {1e-05, -100000.57719921567},
    {0.1, -10.423754940411076},
    {0.5, -1.9635100260214235},
    {1.0, -0.5772156649015329},
    {1.5, 0.03648997397857652},
    {2.0, 0.42278433509846713},
    {10.25, 2.277704790686724},
    {100000.0, 11.512920464961896},
    {-0.5, 0.03648997397857652},
    {-1.25, 3.714139120213528},
    {-10.4, 3.409878305635927},
};
const Rows kI0e= {
    {0.0, 1.0},
    {0.5, 0.6450352704491501},
    {-1.0, 0.46575960759364043},
    {3.0, 0.2430003541618254},
    {7.999, 0.14344107205089568},
    {8.0, 0.14343178185685032},
    {8.5, 0.13900184305484758},
    {20.0, 0.08978031188482602},
    {700.0, 0.015081295651531358},
    {1000000.0, 0.00039894233026924577},
};
const Rows kI1e= {
    {0.0, 0.0},
    {0.5, 0.1564208031848717},
    {-1.0, -0.20791041534970844},
    {3.0, 0.19682671329730086},
    {7.999, 0.13414997242586205},
    {8.0, 0.13414249329269817},
    {-8.5, -0.13054935509459586},
    {20.0, 0.08750622218328867},
    {700.0, 0.015070519444716848},
    {1000000.0, 0.0003989421307980308},
};
const Rows kIgamma= {
    {0.5, 0.2, 0.4729107431344619},
    {1.0, 1.0, 0.6321205588285577},
    {2.5, 0.3, 0.011996757205906266},
    {2.5, 4.0, 0.8437643724222776},
    {10.0, 8.0, 0.2833757412729891},
    {10.0, 14.0, 0.890600630357261},
    {0.01, 0.5, 0.9943732438060329},
    {0.1, 3.0, 0.9984347282528856},
    {100.0, 90.0, 0.15822098918643016},
    {100.0, 120.0, 0.9721362601094793},
    {0.001, 1e-05, 0.9891230446957827},
    {5.0, 60.0, 1.0},
};
const Rows kIgammac= {
    {0.5, 0.2, 0.5270892568655381},
    {1.0, 1.0, 0.36787944117144233},
    {2.5, 0.3, 0.9880032427940937},
    {2.5, 4.0, 0.15623562757772233},
    {10.0, 8.0, 0.7166242587270109},
    {10.0, 14.0, 0.109399369642739},
    {0.01, 0.5, 0.0056267561939671844},
    {0.1, 3.0, 0.001565271747114354},
    {100.0, 90.0, 0.8417790108135699},
    {100.0, 120.0, 0.027863739890520663},
    {0.001, 1e-05, 0.01087695530421733},
    {5.0, 60.0, 5.060046065842574e-21},
};
const Rows kIgammaGradA= {
    {0.5, 0.2, -0.8201614064863388},
    {1.0, 1.0, -0.4317297106348987},
    {2.5, 0.3, -0.02798157427941372},
    {2.5, 4.0, -0.14765686908718714},
    {10.0, 8.0, -0.11260572310818615},
    {10.0, 14.0, -0.05669099771532573},
    {0.01, 0.5, -0.5655459117152578},
    {0.1, 3.0, -0.018386756430579753},
    {100.0, 90.0, -0.02461191684397991},
    {100.0, 120.0, -0.006213185929140656},
};
const Rows kRandomGammaGrad= {
    {0.5, 0.2, 0.7940505663308434},
    {1.0, 1.0, 1.1735630272247268},
    {2.5, 0.3, 0.30557287974671365},
    {2.5, 4.0, 1.3396081953658443},
    {10.0, 8.0, 0.9075477177235484},
    {10.0, 14.0, 1.1974228977739496},
    {0.01, 0.5, 46.67927940515068},
    {0.1, 3.0, 9.4436171440946},
    {100.0, 90.0, 0.9498259498011414},
    {100.0, 120.0, 1.0957525107070083},
};
const Rows kZeta= {
    {2.0, 1.0, 1.6449340668482264},
    {1.5, 0.5, 4.776537947554833},
    {3.0, 10.0, 0.0055249174854010335},
    {20.0, 1.0, 1.0000009539620338},
    {1.001, 1.0, 1000.5772884760116},
    {50.0, 2.5, 1.267650662831828e-20},
    {2.0, 0.001, 1000001.6425331958},
    {4.0, 100.25, 3.3582901052489585e-07},
    {2.0, -0.5, 8.934802200544679},
    {3.0, -2.25, -61.94847488703008},
};
const Rows kPolygamma= {
    {0.0, 0.5, -1.9635100260214235},
    {1.0, 1.0, 1.6449340668482264},
    {1.0, 0.1, 101.43329915079275},
    {2.0, 3.5, -0.1082040516417274},
    {3.0, 10.0, 0.0023199013042898686},
    {5.0, 2.25, 1.0564876812920458},
    {10.0, 1.5, -42108.85876897549},
};
const Rows kBeta= {
    {1.0, 1.0, 0.25, 0.25},
    {0.5, 0.5, 0.1, 0.20483276469913345},
    {2.0, 3.0, 0.6, 0.8208},
    {5.0, 1.0, 0.9, 0.5904900000000001},
    {10.0, 20.0, 0.3, 0.3640040810719442},
    {0.1, 8.0, 0.01, 0.8067817141617238},
    {50.0, 40.0, 0.7, 0.9979524488148463},
    {1.5, 0.25, 0.999, 0.7965603514903307},
};
// clang-format on

using Function = std::function<XlaOp(Ops)>;
Function Unary(XlaOp (*function)(XlaOp, Location)) {
  return [function](Ops p) { return function(p[0], std::source_location::current()); };
}
Function Binary(XlaOp (*function)(XlaOp, XlaOp, Location)) {
  return [function](Ops p) { return function(p[0], p[1], std::source_location::current()); };
}

// The function on the columns of the arguments, as numbers of T.
template <typename T>
std::vector<T> Values(const Function& function, const Rows& rows) {
  XlaBuilder b("test");
  const auto count = static_cast<i64>(rows.size());
  Ops parameters;
  std::vector<Literal> arguments;
  for (size_t column = 0; column + 1 < rows[0].size(); ++column) {
    Literal argument{Shape(NativeToPrimitiveType<T>(), {count})};
    for (size_t i = 0; i < rows.size(); ++i) {
      argument.mutable_data<T>()[i] = static_cast<T>(rows[i][column]);
    }
    parameters.push_back(Parameter(&b, static_cast<i64>(column), argument.shape(), "p"));
    arguments.push_back(argument);
  }
  const auto computation = b.Build(function(parameters));
  EXPECT_TRUE(computation.ok()) << computation.status().message();
  if (!computation.ok()) return std::vector<T>(rows.size());
  const auto result = Evaluate(computation->module(), arguments);
  EXPECT_TRUE(result.ok()) << result.status().message();
  if (!result.ok()) return std::vector<T>(rows.size());
  return {result->data<T>().begin(), result->data<T>().end()};
}

template <typename T>
void Check(const Function& function, const Rows& rows, double relative, double absolute) {
  const std::vector<T> values = Values<T>(function, rows);
  for (size_t i = 0; i < rows.size(); ++i) {
    std::string arguments;
    for (size_t a = 0; a + 1 < rows[i].size(); ++a) arguments += StrCat(rows[i][a], " ");
    const double wanted = rows[i].back(), value = values[i];
    const bool same = value == wanted || (std::isnan(value) && std::isnan(wanted));
    if (same) continue;
    EXPECT_LE(std::abs(value - wanted), relative * std::abs(wanted) + absolute)
        << "at " << arguments << ": " << ToText(value) << " against " << ToText(wanted);
  }
}

// In f64 with these bounds, and in f32 for arguments that f32 has, or nearly.
void CheckF64(const Function& function, const Rows& rows, double relative, double absolute = 0) {
  Check<double>(function, rows, relative, absolute);
}

// f32 arguments, evaluated in f64 too: one rounding apart.
void CheckF32(const Function& function, Rows rows) {
  for (auto& row : rows) {
    for (size_t a = 0; a + 1 < row.size(); ++a) row[a] = static_cast<float>(row[a]);
  }
  const std::vector<double> wide = Values<double>(function, rows);
  const std::vector<float> narrow = Values<float>(function, rows);
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto rounded = static_cast<float>(wide[i]);
    EXPECT_TRUE(rounded == narrow[i] || (std::isnan(rounded) && std::isnan(narrow[i])))
        << rows[i][0] << ": " << rounded << " against " << narrow[i];
  }
}

TEST(Math, Erfc) {
  CheckF64(Unary(Erfc), kErfc, 4e-15);
  CheckF32(Unary(Erfc), kErfc);
  CheckF64(Unary(Erfc), {{kInf, 0}, {-kInf, 2}, {kNan, kNan}, {1e300, 0}, {-1e300, 2}}, 0);
}

TEST(Math, ErfInv) {
  CheckF64(Unary(ErfInv), kErfInv, 2e-15);
  CheckF32(Unary(ErfInv), kErfInv);
  CheckF64(Unary(ErfInv), {{1, kInf}, {-1, -kInf}, {1.5, kNan}, {-2, kNan}, {kNan, kNan}}, 0);
}

TEST(Math, Lgamma) {
  CheckF64(Unary(Lgamma), kLgamma, 4e-15, 4e-15);
  CheckF32(Unary(Lgamma), {{0.5, 0}, {3.25, 0}, {-1.5, 0}});
  CheckF64(
      Unary(Lgamma),
      {{0, kInf}, {-0.0, kInf}, {-1, kInf}, {-7, kInf}, {kInf, kInf}, {-kInf, kInf}, {kNan, kNan}},
      0);
  CheckF64(Unary(Lgamma), {{1, 0}, {2, 0}}, 0, 4e-15);
}

TEST(Math, Digamma) {
  CheckF64(Unary(Digamma), kDigamma, 4e-15, 4e-15);
  CheckF64(Unary(Digamma), {{0, kNan}, {-1, kNan}, {-3, kNan}, {kInf, kInf}, {kNan, kNan}}, 0);
}

TEST(Math, Bessel) {
  CheckF64(Unary(BesselI0e), kI0e, 1e-15);
  CheckF64(Unary(BesselI1e), kI1e, 2e-15);
  CheckF32(Unary(BesselI1e), kI1e);
  CheckF64(Unary(BesselI0e), {{kInf, 0}, {-kInf, 0}, {kNan, kNan}}, 0);
  CheckF64(Unary(BesselI1e), {{kInf, 0}, {-kInf, 0}, {kNan, kNan}}, 0);
}

TEST(Math, IncompleteGamma) {
  // The scale x^a exp(-x) / gamma(a) loses what its logarithms are long.
  CheckF64(Binary(Igamma), kIgamma, 2e-13, 2e-15);
  CheckF64(Binary(Igammac), kIgammac, 2e-13, 2e-15);
  CheckF32(Binary(Igamma), kIgamma);
  // Thousands of steps.
  CheckF64(Binary(Igamma), {{1e5, 1e5, 0.50042052211036518}, {1e6, 1e6, 0.50013298076087259}},
           1e-8);
  CheckF64(Binary(Igammac), {{1e5, 1e5 + 1, 0.49831792109029277}}, 1e-8);
  const Rows edges = {{1, 0, 0},          {0, 1, kNan},     {-1, 1, kNan},   {1, -1, kNan},
                      {1, kInf, 1},       {kInf, 1, 0},     {kNan, 1, kNan}, {1, kNan, kNan},
                      {kInf, kInf, kNan}, {1e-300, 1e5, 1}, {1e5, 1, 0}};
  CheckF64(Binary(Igamma), edges, 0);
  Rows upper = edges;
  for (auto& row : upper) row[2] = 1 - row[2];
  CheckF64(Binary(Igammac), upper, 0);
}

TEST(Math, IncompleteGammaDerivatives) {
  CheckF64(Binary(IgammaGradA), kIgammaGradA, 2e-12);
  CheckF64(Binary(RandomGammaGrad), kRandomGammaGrad, 2e-12);
  CheckF64(Binary(IgammaGradA), {{1, 0, 0}, {-1, 1, kNan}, {1, kNan, kNan}}, 0);
}

TEST(Math, ZetaAndPolygamma) {
  CheckF64(Binary(Zeta), kZeta, 1e-14);
  CheckF64(Binary(Polygamma), kPolygamma, 1e-13);
  CheckF64(Binary(Zeta),
           {{1, 2, kInf},
            {0.5, 2, kNan},
            {2, 0, kInf},
            {2, -3, kInf},
            {2.5, -0.5, kNan},
            {kInf, 2, 0},
            {kInf, 1, 1},
            {kNan, 1, kNan},
            {1e10, 2, 0}},
           0);
  CheckF64(Binary(Polygamma), {{-1, 1, kNan}, {0.5, 1, kNan}, {1, kNan, kNan}, {1, 0, kInf}}, 0);
}

TEST(Math, RegularizedIncompleteBeta) {
  const Function betainc = [](Ops p) { return RegularizedIncompleteBeta(p[0], p[1], p[2]); };
  CheckF64(betainc, kBeta, 1e-13);
  CheckF32(betainc, kBeta);
  CheckF64(betainc,
           {{1, 2, 0, 0},
            {1, 2, 1, 1},
            {0, 1, 0.5, kNan},
            {1, -1, 0.5, kNan},
            {1, 1, 1.5, kNan},
            {1, 1, -0.5, kNan},
            {1, 1, kNan, kNan},
            {kInf, 1, 0.5, kNan}},
           0);
}

// A scalar goes with any shape, and a narrow type is rounded once.
TEST(Math, ShapesAndTypes) {
  EXPECT_EQ(
      Result([](XlaBuilder&, Ops p) { return Igamma(p[0], p[1]); }, {"f32[] 1", "f32[2] {1, 2}"}),
      "f32[2] {0.63212055, 0.864664733}");
  EXPECT_EQ(Result([](XlaBuilder&, Ops p) { return Lgamma(p[0]); }, {"bf16[1,2] {{4, 10}}"}),
            "bf16[1,2] { { 1.789, 12.81 } }");
  EXPECT_EQ(Result([](XlaBuilder&, Ops p) { return Igamma(p[0], p[1]); }, {"f32[0] {}", "f32[] 1"}),
            "f32[0] {}");
  EXPECT_EQ(Result([](XlaBuilder&, Ops p) { return Lgamma(p[0]); }, {"s32[] 4"}),
            "lgamma: takes floats of one type and shape, or scalars; operand s32[]");
  EXPECT_EQ(Result([](XlaBuilder&, Ops p) { return Igamma(p[0], p[1]); },
                   {"f32[2] {1, 1}", "f32[3] {1, 2, 3}"}),
            "igamma: takes floats of one type and shape, or scalars; operands f32[2], f32[3]");
  EXPECT_EQ(Result([](XlaBuilder&, Ops p) { return Zeta(p[0], p[1]); }, {"f32[] 2", "f64[] 1"}),
            "zeta: takes floats of one type and shape, or scalars; operands f32[], f64[]");
}

TEST(Math, Predicates) {
  const auto ask = [](XlaOp (*function)(XlaOp, Location)) {
    return Result(
        [=](XlaBuilder&, Ops p) { return function(p[0], std::source_location::current()); },
        {"f32[6] {inf, -inf, nan, -0.0, 0.0, 1}"});
  };
  EXPECT_EQ(ask(IsPosInf), "pred[6] {1, 0, 0, 0, 0, 0}");
  EXPECT_EQ(ask(IsNegInf), "pred[6] {0, 1, 0, 0, 0, 0}");
  EXPECT_EQ(ask(IsInf), "pred[6] {1, 1, 0, 0, 0, 0}");
  EXPECT_EQ(ask(IsNan), "pred[6] {0, 0, 1, 0, 0, 0}");
  EXPECT_EQ(ask(IsNegZero), "pred[6] {0, 0, 0, 1, 0, 0}");
  EXPECT_EQ(Result([](XlaBuilder&, Ops p) { return IsNegZero(p[0]); }, {"f4e2m1fn[2] {-0.0, 1}"}),
            "pred[2] {1, 0}");
  EXPECT_EQ(Result([](XlaBuilder&, Ops p) { return IsInf(p[0]); }, {"f8e4m3fn[1] {448}"}),
            "pred[1] {0}");
  EXPECT_EQ(Result([](XlaBuilder&, Ops p) { return IsInf(p[0]); }, {"f8e4m3fn[<=3](2) {448, 1}"}),
            "pred[<=3](2) {0, 0}");
  EXPECT_EQ(Result([](XlaBuilder&, Ops p) { return IsNan(p[0]); }, {"s32[] 1"}),
            "is nan: takes floats; operand s32[]");
}

TEST(Math, NextAfter) {
  const auto next = [](std::string_view from, std::string_view to) {
    return Result([](XlaBuilder&, Ops p) { return NextAfter(p[0], p[1]); }, {from, to});
  };
  EXPECT_EQ(next("f32[5] {1, 1, 0.0, -0.0, 2}", "f32[5] {2, 0, -1, 1, 2}"),
            "f32[5] {1.00000012, 0.99999994, -1.4013e-45, 1.4013e-45, 2}");
  EXPECT_EQ(next("f32[4] {inf, -1, nan, 3.40282347e+38}", "f32[4] {0, -2, 1, inf}"),
            "f32[4] {3.40282347e+38, -1.00000012, nan, inf}");
  EXPECT_EQ(next("bf16[1] {1}", "bf16[1] {2}"), "bf16[1] {1.008}");
  EXPECT_EQ(next("f64[2] {-4.9406564584124654e-324, 0.0}", "f64[2] {1, -0.0}"), "f64[2] {-0, -0}");
  EXPECT_EQ(next("f32[1] {1}", "f64[1] {2}"),
            "next after: takes IEEE floats of one type and shape; operands f32[1], f64[1]");
}

TEST(Math, PolynomialsAndSmallThings) {
  EXPECT_EQ(Result(
                [](XlaBuilder&, Ops p) {
                  return EvaluatePolynomial(p[0], {1, 2, 3});
                },
                {"f32[2] {2, -1}"}),
            "f32[2] {11, 2}");
  EXPECT_EQ(
      Result([](XlaBuilder&, Ops p) { return EvaluatePolynomial(p[0], {5}); }, {"f32[2] {2, inf}"}),
      "f32[2] {5, 5}");
  EXPECT_EQ(Result([](XlaBuilder&, Ops p) { return EvaluatePolynomial(p[0], {}); }, {"f32[1] {2}"}),
            "f32[1] {0}");
  // 3 T_2 + 2 T_1 + 4 / 2 at 1 / 2.
  EXPECT_EQ(Result(
                [](XlaBuilder&, Ops p) {
                  return EvaluateChebyshevPolynomial(p[0], {3, 2, 4});
                },
                {"f32[1] {1}"}),
            "f32[1] {1.5}");
  EXPECT_EQ(Result([](XlaBuilder&, Ops p) { return Square(p[0]) + Reciprocal(p[0]); }, {"f32[] 2"}),
            "f32[] 4.5");
  EXPECT_EQ(Result([](XlaBuilder&, Ops p) { return RoundToEven(p[0]); }, {"f32[2] {0.5, 1.5}"}),
            "f32[2] {0, 2}");
  EXPECT_EQ(Result([](XlaBuilder&, Ops p) { return MaybeConjugate(p[0], true); }, {"c64[] (1, 2)"}),
            "c64[] (1, -2)");
}

}  // namespace
}  // namespace axle
