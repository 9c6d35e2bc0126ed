// Fft steps against the interpreter, bit for bit, on all instruction sets and with threads.
#include "tests/codegen/step_test.h"

namespace axle {
namespace {

// A transform over the last `lengths` of the sizes `dims`, which are those of the complex numbers
// or of the real ones.
std::string Fft(std::string_view kind, bool is_f64, Dims dims, size_t num_lengths) {
  const std::string real = is_f64 ? "f64" : "f32", complex = is_f64 ? "c128" : "c64";
  const Dims lengths(dims.end() - static_cast<std::ptrdiff_t>(num_lengths), dims.end());
  const std::string whole = StrCat("[", Join(dims, ","), "]");
  dims.back() = dims.back() / 2 + 1;
  const std::string half = StrCat("[", Join(dims, ","), "]");
  const std::string from = kind == "RFFT"    ? real + whole
                           : kind == "IRFFT" ? complex + half
                                             : complex + whole;
  const std::string to = kind == "RFFT"    ? complex + half
                         : kind == "IRFFT" ? real + whole
                                           : complex + whole;
  return StrCat("HloModule m\nENTRY e {\n  p = ", from, " parameter(0)\n  ROOT r = ", to,
                " fft(p), fft_type=", kind, ", fft_length={", Join(lengths, ","), "}\n}\n");
}

std::string KindOf(const CompileReport& report) {
  const auto& records = report.programs.back().records;
  return records.empty() ? "none" : records[0].kind;
}

constexpr std::string_view kKinds[] = {"FFT", "IFFT", "RFFT", "IRFFT"};

class FftStepTest : public StepTest {
 protected:
  void ExpectSame(const std::string& text, std::uint32_t seed) {
    // One number in many is special: NaNs spread over the line.
    ExpectSameBits(text, seed, /*special_every=*/seed % 2 == 1 ? 4096 : 512,
                   [](const CompileReport& report) { EXPECT_EQ(KindOf(report), "fft"); });
  }
  void ExpectKinds(const Dims& dims, size_t num_lengths, std::uint32_t seed) {
    for (const std::string_view kind : kKinds) {
      for (const bool is_f64 : {false, true}) {
        ExpectSame(Fft(kind, is_f64, dims, num_lengths), seed);
      }
    }
  }
};

// Every radix, and more than a vector of lines, one line, and lines that are left over.
TEST_P(FftStepTest, LinesOfAnyLength) {
  for (const i64 n : {1,  2,  3,  4,  5,  6,   7,   8,   9,   10,  11,  12,  13,  15,
                      16, 17, 19, 23, 24, 25,  27,  29,  30,  31,  32,  36,  37,  48,
                      62, 64, 74, 93, 96, 101, 120, 125, 128, 144, 155, 200, 243, 256}) {
    for (const i64 lines : {1, 3, 18}) ExpectKinds({lines, n}, 1, 2);
  }
}

// Rows, whose columns fill vectors or do not.
TEST_P(FftStepTest, LongLines) {
  for (const i64 n : {343, 360, 512, 514, 640, 961, 1000, 1009, 1024, 1536, 2018, 2048, 3125, 4096,
                      4464 /* 31 * 144 */, 6561, 16384}) {
    ExpectKinds({2, n}, 1, 2);
  }
}

// Few and many lines between the elements of a line, and dimensions of one element.
TEST_P(FftStepTest, SeveralDimensions) {
  for (const Dims& dims :
       {Dims{2, 3}, Dims{4, 1}, Dims{1, 4}, Dims{8, 17}, Dims{16, 36}, Dims{37, 5}, Dims{31, 34},
        Dims{300, 2}, Dims{128, 130}, Dims{1024, 3}, Dims{4096, 18}}) {
    ExpectKinds(dims, 2, 2);
  }
  for (const Dims& dims : {Dims{2, 3, 4, 5}, Dims{1, 8, 8, 8}, Dims{3, 5, 37, 18}}) {
    ExpectKinds(dims, 3, 2);
  }
}

TEST_P(FftStepTest, NaNsAndInfinities) {
  for (const i64 n : {4, 16, 37, 128, 1000, 1024}) ExpectKinds({20, n}, 1, 3);
  ExpectKinds({5, 32, 24}, 2, 3);
}

// The result takes the place of the operand.
TEST_P(FftStepTest, InPlace) {
  for (const i64 n : {2, 16, 37, 256, 1000}) {
    for (const i64 inner : {1, 20}) {
      const std::string shape = StrCat("c64[18,", inner, ",", n, "]");
      const std::string text =
          StrCat("HloModule m\nENTRY e {\n  p = ", shape, " parameter(0)\n  f = ", shape,
                 " fft(p), fft_type=FFT, fft_length={", inner, ",", n, "}\n  ROOT r = ", shape,
                 " fft(f), fft_type=IFFT, fft_length={", inner, ",", n, "}\n}\n");
      ExpectSame(text, 2);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Isas, FftStepTest, kStepParameters, StepParameterName);

TEST(FftStep, WhatHasNoKernel) {
  const auto client = *Client::Create({.num_threads = 1});
  const auto kind = [&](const std::string& text) -> std::string {
    CompileOptions options;
    options.debug.report = true;
    options.debug.run_passes = false;
    const auto executable = client->Compile(text, options);
    if (!executable.ok()) return executable.status().ToString();
    return KindOf(*(*executable)->report());
  };
  EXPECT_EQ(kind(Fft("FFT", false, {0, 4}, 1)), "none");
  // Its convolution would need more than 64 MB of tables.
  EXPECT_EQ(kind(Fft("FFT", false, {4194319}, 1)), "evaluate");
  EXPECT_EQ(kind(Fft("FFT", false, {1 << 20}, 1)), "fft");
}

TEST(FftStep, LongOnesLookWhetherTheyAreStopped) {
  const auto client = *Client::Create({.num_threads = 1});
  const auto executable =
      *client->Compile(Fft("FFT", false, {40000, 1009}, 1), {.engine = EngineKind::kNative});
  std::vector<Literal> arguments;
  for (const Instruction* parameter : executable->module().entry()->parameters()) {
    arguments.emplace_back(parameter->shape().WithoutLayout());
  }
  Limits limits;
  limits.set_time_limit(0.02);
  const auto result = executable->Execute(arguments, {.limits = &limits});
  EXPECT_EQ(result.status().code(), StatusCode::kDeadlineExceeded) << result.status().ToString();
}

}  // namespace
}  // namespace axle
