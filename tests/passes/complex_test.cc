// Reducers of complex numbers become reducers of their parts.
#include "tests/passes/passes_test.h"

namespace axle {
namespace {

std::string Reduction(std::string_view line) {
  return StrCat(R"(HloModule m
kept { a = c64[] parameter(0)  x = c64[] parameter(1)  z = c64[] subtract(x, a)
  ROOT n = c64[] negate(z) }
sum { a = c64[] parameter(0)  x = c64[] parameter(1)  ROOT s = c64[] add(x, a) }
product { a = c64[] parameter(0)  x = c64[] parameter(1)  ROOT s = c64[] multiply(x, a) }
half_a_sum { a = c64[] parameter(0)  x = c64[] parameter(1)  re = f32[] real(x)  i = f32[] imag(a)
  j = f32[] imag(x)  im = f32[] add(i, j)  ROOT s = c64[] complex(re, im) }
wide { a = c64[] parameter(0)  b = f64[] parameter(1)  x = c64[] parameter(2)
  y = f64[] parameter(3)  ROOT s = (c64[], f64[]) tuple(x, y) }
ENTRY e {
  x = c64[3,40] parameter(0)
  y = f64[3,40] parameter(1)
  z = c64[] constant((1, 2))
  w = f64[] constant(3)
  ROOT r = )",
                line, "\n}");
}

TEST(Complex, ReducersOfParts) {
  EXPECT_EQ(After(Reduction("c64[3] reduce(x, z), dimensions={1}, to_apply=kept"),
                  {"complex", "simplify"}),
            R"(kept.1 {
  parameter.1 = f32[] parameter(0)
  parameter.2 = f32[] parameter(1)
  complex.1 = c64[] complex(parameter.1, parameter.2)
  parameter.3 = f32[] parameter(2)
  parameter.4 = f32[] parameter(3)
  complex.2 = c64[] complex(parameter.3, parameter.4)
  z.1 = c64[] subtract(complex.2, complex.1)
  n.1 = c64[] negate(z.1)
  real.1 = f32[] real(n.1)
  imag.1 = f32[] imag(n.1)
  ROOT tuple.1 = (f32[], f32[]) tuple(real.1, imag.1)
}

ENTRY e {
  x = c64[3,40]{1,0} parameter(0)
  y = f64[3,40]{1,0} parameter(1)
  z = c64[] constant((1, 2))
  real.2 = f32[3,40]{1,0} real(x)
  imag.2 = f32[3,40]{1,0} imag(x)
  real.3 = f32[] real(z)
  imag.3 = f32[] imag(z)
  reduce.1 = (f32[3]{0}, f32[3]{0}) reduce(real.2, imag.2, real.3, imag.3), dimensions={1}, to_apply=kept.1
  get-tuple-element.1 = f32[3]{0} get-tuple-element(reduce.1), index=0
  get-tuple-element.2 = f32[3]{0} get-tuple-element(reduce.1), index=1
  ROOT complex.3 = c64[3]{0} complex(get-tuple-element.1, get-tuple-element.2)
}
)");
}

TEST(Complex, LeavesTheRest) {
  for (const std::string_view line : {
           // The canonical order, or would be.
           "c64[3] reduce(x, z), dimensions={1}, to_apply=sum",
           "c64[3] reduce(x, z), dimensions={1}, to_apply=product",
           "c64[3] reduce(x, z), dimensions={1}, to_apply=half_a_sum",
           // Parts of two types.
           "(c64[3], f64[3]) reduce(x, y, z, w), dimensions={1}, to_apply=wide",
           "c64[3] reduce(x, z), dimensions={1}, to_apply=kept, sharding={replicated}",
       }) {
    EXPECT_EQ(After(Reduction(line), {"dce", "complex"}), After(Reduction(line), {"dce"}));
  }
}

}  // namespace
}  // namespace axle
