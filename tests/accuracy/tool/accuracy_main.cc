// axle_accuracy: the long run behind docs/accuracy.md. Every f32 through every function of one
// argument, many doubles, and pairs of both through functions of two; prints a table of the largest
// errors.
//
//   axle_accuracy [--op=NAME] [--stride=1] [--doubles=10000000] [--pairs=100000000]
//                 [--complexes=200000] [--seed=1]
//
// --stride=N takes every N-th f32 pattern. One thread: nice it and let it run (about two minutes a
// function with --stride=1).
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

#include "tests/accuracy/accuracy.h"
#include "tests/accuracy/complex_accuracy.h"

namespace axle {
namespace {

constexpr std::uint64_t kChunk = 1 << 16;

struct Options {
  std::string op;
  std::uint64_t stride = 1;
  std::uint64_t doubles = 10'000'000;
  std::uint64_t pairs = 100'000'000;
  std::uint64_t complexes = 200'000;
  std::uint64_t seed = 1;
};

// A bar on stderr, once half a second has passed, if somebody is looking.
class Progress {
 public:
  explicit Progress(std::string label) : label_(std::move(label)) {}
  ~Progress() {
    if (shown_) std::fprintf(stderr, "\r%*s\r", 78, "");
  }
  void Advance(std::uint64_t done, std::uint64_t total) {
    const auto now = std::chrono::steady_clock::now();
    if (!isatty(2) || now - last_ < std::chrono::milliseconds(500)) return;
    last_ = now;
    shown_ = true;
    const int filled = static_cast<int>(done * 40 / total);
    std::fprintf(stderr, "\r%-28s [%-40.*s] %3d %%", label_.c_str(), filled,
                 "########################################", filled * 100 / 40);
  }

 private:
  std::string label_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

template <typename T>
void PrintRow(std::string_view op, const char* type, const Measurement<T>& measurement,
              bool is_binary, const char* note = "") {
  const Worst& worst = measurement.worst();
  std::string where = "-";
  char text[96];
  if (worst.ulp > 0) {
    std::snprintf(text, sizeof text, is_binary ? "%a, %a" : "%a", worst.x, worst.y);
    where = text;
  }
  std::printf("| %.*s | %s | %.4f | %s | %lld%s |\n", static_cast<int>(op.size()), op.data(), type,
              worst.ulp, where.c_str(), static_cast<long long>(measurement.num_values()), note);
  std::fflush(stdout);
}

void MeasureUnary(const UnaryFunction& function, const Options& options) {
  Measurement<float> f32(function);
  {
    Progress progress(std::string(function.op) + " f32");
    // Of odd and even functions one half is measured, and the other compared with it bit for bit.
    const bool halved = function.symmetry != Symmetry::kNone;
    const std::uint64_t end = std::uint64_t{1} << (halved ? 31 : 32);
    const LaneProgram program = ProgramOf(function.lane, LaneType::kF32);
    BlockExecutor executor;
    std::vector<float> x;
    for (std::uint64_t bits = 0; bits < end;) {
      for (x.clear(); x.size() < kChunk && bits < end; bits += options.stride) {
        x.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
      }
      f32.Run(x);
      if (halved && !IsSymmetric(function, executor, program, x)) {
        std::printf("%.*s is not symmetric around %a\n", static_cast<int>(function.op.size()),
                    function.op.data(), x[0]);
        std::exit(1);
      }
      progress.Advance(bits, end);
    }
  }
  PrintRow(function.op, "f32", f32, false,
           function.symmetry != Symmetry::kNone ? ", and their negatives" : "");

  Measurement<double> f64(function);
  {
    Progress progress(std::string(function.op) + " f64");
    f64.Run(InterestingValues<double>());
    Random random(options.seed);
    std::vector<double> x(kChunk);
    for (std::uint64_t done = 0; done < options.doubles; done += kChunk) {
      for (double& value : x) value = RandomDouble(random);
      f64.Run(x);
      progress.Advance(done, options.doubles);
    }
  }
  PrintRow(function.op, "f64", f64, false);
}

template <typename T>
void MeasureBinary(const BinaryFunction& function, PairMaker<T> make_pair, const char* type,
                   const Options& options) {
  Measurement<T> measurement(function);
  {
    Progress progress(std::string(function.op) + " " + type);
    Random random(options.seed);
    std::vector<T> x, y;
    for (T base : SpecialValues<T>()) {
      for (T exponent : SpecialValues<T>()) {
        x.push_back(base);
        y.push_back(exponent);
      }
    }
    measurement.Run(x, y);
    x.resize(kChunk);
    y.resize(kChunk);
    for (std::uint64_t done = 0; done < options.pairs; done += kChunk) {
      for (size_t i = 0; i < kChunk; ++i) make_pair(random, x[i], y[i]);
      measurement.Run(x, y);
      progress.Advance(done, options.pairs);
    }
  }
  PrintRow(function.op, type, measurement, true);
}

template <typename T>
void MeasureComplex(const ComplexFunction& function, const char* type, const Options& options) {
  ComplexMeasurement<T> measurement(function);
  {
    constexpr std::uint64_t kStep = 1 << 12;
    Progress progress(std::string(function.op) + " " + type);
    for (std::uint64_t done = 0; done < options.complexes; done += kStep) {
      measurement.RunRandom(options.seed + done,
                            static_cast<int>(std::min(kStep, options.complexes - done)));
      progress.Advance(done, options.complexes);
    }
  }
  const ComplexWorst& part = measurement.worst_part();
  std::printf("| %.*s | %s | %.4f; %.4f of the larger part | (%a, %a)",
              static_cast<int>(function.op.size()), function.op.data(), type, part.ulp,
              measurement.worst_larger().ulp, part.z.real(), part.z.imag());
  if (function.lane2 != nullptr) std::printf(", (%a, %a)", part.w.real(), part.w.imag());
  std::printf(" | %lld |\n", static_cast<long long>(measurement.num_values()));
  std::fflush(stdout);
}

int Main(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const size_t equals = argument.find('=');
    const std::string name = argument.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : argument.substr(equals + 1);
    const std::uint64_t number = std::strtoull(value.c_str(), nullptr, 10);
    if (name == "--op" && !value.empty()) {
      options.op = value;
    } else if (name == "--stride" && number > 0) {
      options.stride = number;
    } else if (name == "--doubles" && !value.empty()) {
      options.doubles = number;
    } else if (name == "--pairs" && !value.empty()) {
      options.pairs = number;
    } else if (name == "--complexes" && !value.empty()) {
      options.complexes = number;
    } else if (name == "--seed" && !value.empty()) {
      options.seed = number;
    } else {
      std::fprintf(
          stderr,
          "axle_accuracy: cannot use \"%s\"; usage: axle_accuracy [--op=NAME] [--stride=N] "
          "[--doubles=N] [--pairs=N] [--complexes=N] [--seed=N]\n",
          argument.c_str());
      return 2;
    }
  }
  const auto wanted = [&](std::string_view op) { return options.op.empty() || options.op == op; };
  bool any = false;
  std::printf("| function | type | max ulp | at | values |\n|---|---|---|---|---|\n");
  for (const UnaryFunction& function : UnaryFunctions()) {
    if (!wanted(function.op)) continue;
    MeasureUnary(function, options);
    any = true;
  }
  for (const BinaryFunction& function : BinaryFunctions()) {
    if (!wanted(function.op)) continue;
    MeasureBinary<float>(function, function.f32_pair, "f32", options);
    MeasureBinary<double>(function, function.f64_pair, "f64", options);
    any = true;
  }
  for (const ComplexFunction& function : ComplexFunctions()) {
    if (!wanted(function.op) || options.complexes == 0) continue;
    MeasureComplex<float>(function, "c64", options);
    MeasureComplex<double>(function, "c128", options);
    any = true;
  }
  if (!any) {
    std::fprintf(stderr, "axle_accuracy: no function \"%s\"\n", options.op.c_str());
    return 2;
  }
  return 0;
}

}  // namespace
}  // namespace axle

int main(int argc, char** argv) {
  return axle::Main(argc, argv);
}
