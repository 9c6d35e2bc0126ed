// axle_accuracy: the long run behind docs/accuracy.md. Every f32 through every function of one
// argument, many doubles, and pairs of both through functions of two; prints a table of the largest
// errors.
//
//   axle_accuracy [--op=NAME] [--stride=1] [--doubles=100000000] [--pairs=100000000]
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
#include <fstream>
#include <functional>
#include <map>
#include <string>

#include "tests/accuracy/accuracy.h"
#include "tests/accuracy/complex_accuracy.h"

namespace axle {
namespace {

constexpr std::uint64_t kChunk = 1 << 16;

struct Options {
  std::string op, table;
  std::uint64_t stride = 1;
  std::uint64_t doubles = 100'000'000;
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

// The rows of the table, of this run and of the file that it is to go into. A row is found by
// function and type.
class Table {
 public:
  // Rows of the file, except that those of this run replace them.
  void Read(const std::string& path) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with("| ") && !line.starts_with("| function ")) rows_[KeyOf(line)] = line;
    }
  }
  bool Write(const std::string& path) const {
    std::ofstream file(path);
    file << kIntroduction << kHeader;
    for (const auto& [key, line] : rows_) file << line << '\n';
    return static_cast<bool>(file.flush());
  }
  void Add(const std::string& line) {
    std::printf("%s\n", line.c_str());
    std::fflush(stdout);
    rows_[KeyOf(line)] = line;
  }

  static constexpr const char* kHeader =
      "| function | type | max ulp | of the larger part | at | values "
      "|\n|---|---|---|---|---|---|\n";

 private:
  static constexpr const char* kIntroduction =
      "# Largest errors that were measured\n\n"
      "Written by `axle_accuracy --table=docs/accuracy-table.md` (docs/accuracy.md), a function at "
      "a time or all.\n4294967296 values of f32, and 65536 of f16 and bf16, are all there are. "
      "Complex: the error of a part in ulps\nof that part, and in ulps of the larger part.\n\n";

  static std::pair<std::string, int> KeyOf(const std::string& line) {
    const size_t end = line.find(" | ", 2), type_end = line.find(" | ", end + 3);
    const std::string type = line.substr(end + 3, type_end - end - 3);
    constexpr const char* kTypes[] = {"bf16", "f16", "f32", "f64", "c64", "c128"};
    const auto* const found = std::find(std::begin(kTypes), std::end(kTypes), type);
    return {line.substr(2, end - 2), static_cast<int>(found - std::begin(kTypes))};
  }

  std::map<std::pair<std::string, int>, std::string> rows_;
};

std::string Text(const char* format, double x, double y = 0) {
  char text[96];
  std::snprintf(text, sizeof text, format, x, y);
  return text;
}

void AddRow(Table& table, std::string_view op, const char* type, const Worst& worst,
            std::int64_t num_values, bool is_binary) {
  const std::string where =
      worst.ulp > 0 ? Text(is_binary ? "`%a, %a`" : "`%a`", worst.x, worst.y) : "-";
  // Errors of at most half an ulp are not looked at: the value is the correctly rounded one.
  const std::string ulp = worst.ulp > 0 ? Text("%.4f", worst.ulp) : "0.5";
  table.Add("| " + std::string(op) + " | " + type + " | " + ulp + " | - | " + where + " | " +
            std::to_string(num_values) + " |");
}

void MeasureUnary(const UnaryFunction& function, const Options& options, Table& table) {
  for (const auto& [type, name] : {std::pair(BF16, "bf16"), std::pair(F16, "f16")}) {
    AddRow(table, function.op, name, MeasureNarrow(function, type), 65536, false);
  }
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
  // Of an odd or even function the other half counts: it was compared bit for bit.
  const int halves = function.symmetry != Symmetry::kNone ? 2 : 1;
  AddRow(table, function.op, "f32", f32.worst(), halves * f32.num_values(), false);

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
  AddRow(table, function.op, "f64", f64.worst(), f64.num_values(), false);
}

template <typename T>
void MeasureBinary(const BinaryFunction& function, PairMaker<T> make_pair, const char* type,
                   const Options& options, Table& table) {
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
  AddRow(table, function.op, type, measurement.worst(), measurement.num_values(), true);
}

template <typename T>
void MeasureComplex(const ComplexFunction& function, const char* type, const Options& options,
                    Table& table) {
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
  std::string where = Text("`(%a, %a)", part.z.real(), part.z.imag());
  if (function.lane2 != nullptr) where += Text(", (%a, %a)", part.w.real(), part.w.imag());
  table.Add("| " + std::string(function.op) + " | " + type +
            Text(" | %.4f | %.4f | ", part.ulp, measurement.worst_larger().ulp) + where + "` | " +
            std::to_string(measurement.num_values()) + " |");
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
    } else if (name == "--table" && !value.empty()) {
      options.table = value;
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
      std::fprintf(stderr,
                   "axle_accuracy: cannot use \"%s\"; usage: axle_accuracy [--op=NAME] "
                   "[--table=FILE] [--stride=N] "
                   "[--doubles=N] [--pairs=N] [--complexes=N] [--seed=N]\n",
                   argument.c_str());
      return 2;
    }
  }
  const auto wanted = [&](std::string_view op) { return options.op.empty() || options.op == op; };
  bool any = false;
  Table table;
  if (!options.table.empty()) table.Read(options.table);
  std::printf("%s", Table::kHeader);
  for (const UnaryFunction& function : UnaryFunctions()) {
    if (!wanted(function.op)) continue;
    MeasureUnary(function, options, table);
    any = true;
  }
  for (const BinaryFunction& function : BinaryFunctions()) {
    if (!wanted(function.op)) continue;
    MeasureBinary<float>(function, function.f32_pair, "f32", options, table);
    MeasureBinary<double>(function, function.f64_pair, "f64", options, table);
    any = true;
  }
  for (const ComplexFunction& function : ComplexFunctions()) {
    if (!wanted(function.op) || options.complexes == 0) continue;
    MeasureComplex<float>(function, "c64", options, table);
    MeasureComplex<double>(function, "c128", options, table);
    any = true;
  }
  if (!any) {
    std::fprintf(stderr, "axle_accuracy: no function \"%s\"\n", options.op.c_str());
    return 2;
  }
  if (!options.table.empty() && !table.Write(options.table)) {
    std::fprintf(stderr, "axle_accuracy: cannot write %s\n", options.table.c_str());
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace axle

int main(int argc, char** argv) {
  return axle::Main(argc, argv);
}
