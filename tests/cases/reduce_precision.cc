#include "tests/op_cases.h"

namespace axle {

extern const CaseTable kReducePrecisionCases;

// clang-format off
static const OpCase kRows[] = {
    {"mantissa to nearest even", {"f32[4] {1.00048828, 1.00146484, 1.0006, -1.0001}"}, "exponent_bits=8, mantissa_bits=10", "f32[4] {1, 1.00195312, 1.00097656, -1}"},
    {"scalar", {"f64[] 0.1"}, "exponent_bits=8, mantissa_bits=23", "f64[] 0.10000000149011612"},
    {"one element", {"f16[1] {1.0625}"}, "exponent_bits=5, mantissa_bits=3", "f16[1] {1}"},
    {"no elements", {"f32[0] {}"}, "exponent_bits=5, mantissa_bits=10", "f32[0] {}"},
    {"too large becomes infinity", {"f32[4] {65504, 65519, 65520, -1e6}"}, "exponent_bits=5, mantissa_bits=10", "f32[4] {65504, 65504, inf, -inf}"},
    {"too small becomes zero, subnormals of the format too", {"f32[4] {6.1035156e-5, 6.1e-5, -6.0e-5, -1e-45}"}, "exponent_bits=5, mantissa_bits=10",
     "f32[4] {6.1035156e-05, 0, -0.0, -0.0}"},
    {"what rounds up to the smallest normal stays", {"f32[2] {6.1035152e-5, 6.0e-5}"}, "exponent_bits=5, mantissa_bits=10", "f32[2] {6.1035156e-05, 0}"},
    {"zeros, infinities and NaN stay", {"f32[5] {0, -0.0, inf, -inf, nan}"}, "exponent_bits=2, mantissa_bits=1", "f32[5] {0, -0.0, inf, -inf, nan}"},
    {"NaN stays without mantissa bits", {"f32[3] {nan, -nan(0x1), 1}"}, "exponent_bits=8, mantissa_bits=0", "f32[3] {nan, -nan(0x1), 1}", {.exact_nan = true}},
    {"no mantissa bits: powers of two, halves to even exponents", {"f32[5] {1.5, 1.25, 3, -6, 1.75}"}, "exponent_bits=8, mantissa_bits=0", "f32[5] {2, 1, 2, -8, 2}"},
    {"a carry can overflow", {"f32[2] {3.4028235e38, -3.4e38}"}, "exponent_bits=8, mantissa_bits=3", "f32[2] {inf, -inf}"},
    {"one exponent bit leaves zero and infinity", {"f32[4] {0.5, 1, 2, -4}"}, "exponent_bits=1, mantissa_bits=23", "f32[4] {0, 0, inf, -inf}"},
    {"enough bits change nothing", {"f32[3] {1e-45, 3.4028235e38, 0.1}"}, "exponent_bits=8, mantissa_bits=23", "f32[3] {1e-45, 3.4028235e38, 0.1}"},
    {"more bits change nothing", {"f32[3] {1e-45, 3.4028235e38, 0.1}"}, "exponent_bits=100, mantissa_bits=9223372036854775807", "f32[3] {1e-45, 3.4028235e38, 0.1}"},
    {"subnormals of the type are rounded with all exponent bits", {"f32[3] {1.1754942e-38, 1e-39, 1e-45}"}, "exponent_bits=8, mantissa_bits=2",
     "f32[3] {1.17549435e-38, 0, 0}"},
    {"f64 to the range of f32", {"f64[4] {3.5e38, -1e-40, 1.0000000000000002, 1e308}"}, "exponent_bits=8, mantissa_bits=23", "f64[4] {inf, -0.0, 1, inf}"},
    {"f64 mantissa only", {"f64[3] {1e308, 5e-324, 3.3}"}, "exponent_bits=11, mantissa_bits=2", "f64[3] {8.9884656743115795e307, 0, 3.5}"},
    {"f16 to e4m3", {"f16[5] {240, 247, 248, 0.015625, 0.0078125}"}, "exponent_bits=4, mantissa_bits=3", "f16[5] {240, 240, inf, 0.015625, 0}"},
    {"f16 keeps its subnormals with all exponent bits", {"f16[3] {6e-8, 1.7881393e-07, -6e-8}"}, "exponent_bits=5, mantissa_bits=9", "f16[3] {0, 2.3841858e-07, -0.0}"},
    {"bf16", {"bf16[4] {1.0078125, 1.0234375, 3e38, nan}"}, "exponent_bits=5, mantissa_bits=6", "bf16[4] {1, 1.03125, inf, nan}"},
    {"f8e5m2", {"f8e5m2[4] {1.25, 1.75, 57344, -256}"}, "exponent_bits=4, mantissa_bits=1", "f8e5m2[4] {1, 2, inf, -inf}"},
    {"f8e4m3fn has NaN instead of infinity", {"f8e4m3fn[4] {448, 1.125, 16, 8}"}, "exponent_bits=3, mantissa_bits=2", "f8e4m3fn[4] {nan, 1, nan, 8}"},
    {"f8e4m3fn: a carry", {"f8e4m3fn[3] {448, 1.75, 0.001953125}"}, "exponent_bits=4, mantissa_bits=1", "f8e4m3fn[3] {nan, 2, 0.001953125}"},
    {"f8e4m3fnuz has no -0", {"f8e4m3fnuz[3] {-0.0078125, 240, -1}"}, "exponent_bits=3, mantissa_bits=3", "f8e4m3fnuz[3] {0, nan, -1}"},
    {"f4e2m1fn saturates", {"f4e2m1fn[4] {1.5, 3, 6, 0.5}"}, "exponent_bits=2, mantissa_bits=0", "f4e2m1fn[4] {2, 2, 6, 0.5}"},
    {"f8e8m0fnu", {"f8e8m0fnu[3] {1, 7.8886091e-31, nan}"}, "exponent_bits=7, mantissa_bits=0", "f8e8m0fnu[3] {1, nan, nan}"},
    {"keeps dynamic dimensions", {"f32[<=3]"}, "exponent_bits=5, mantissa_bits=10", Infers("f32[<=3]")},
    {"one exponent bit at least", {"f32[3]"}, "exponent_bits=0, mantissa_bits=10",
     Error("reduce-precision: exponent_bits is 0, must be >= 1; operand f32[3]")},
    {"mantissa bits are not negative", {"f32[3]"}, "exponent_bits=5, mantissa_bits=-1",
     Error("reduce-precision: mantissa_bits is -1, must be >= 0; operand f32[3]")},
    {"needs exponent_bits", {"f32[3]"}, "mantissa_bits=1", Error("\"reduce-precision\" needs exponent_bits=...")},
    {"floats only", {"s32[3]"}, "exponent_bits=5, mantissa_bits=10", Error("reduce-precision: takes floats only; operand s32[3]")},
    {"not for complex numbers", {"c64[3]"}, "exponent_bits=5, mantissa_bits=10", Error("reduce-precision: takes floats only; operand c64[3]")},
};
// clang-format on
const CaseTable kReducePrecisionCases = {"reduce-precision", kRows};

}  // namespace axle
