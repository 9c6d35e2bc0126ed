// The interpreter against hand-written loops: elementwise operations on 1 M elements (bound: three
// arrays of 4 MB through the caches), dot and convolution (bound: fused multiply-adds).
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "axle/client/arguments.h"
#include "axle/core/strings.h"
#include "axle/eval/evaluate.h"
#include "axle/text/parse.h"
#include "bench/baselines/loops.h"
#include "bench/baselines/measure.h"

namespace axle::bench {
namespace {

constexpr i64 kElements = 1 << 20;

template <typename T>
T ValueOrExit(StatusOr<T> value) {
  if (value.ok()) return *std::move(value);
  std::fprintf(stderr, "%s\n", value.status().ToString().c_str());
  std::exit(1);
}

// A module that is one instruction on parameters of these shapes.
class Program {
 public:
  Program(const std::string& shape, const std::string& op, const std::vector<std::string>& operands,
          const std::string& attrs = "") {
    std::string text = "HloModule m\n\nENTRY main {\n", names;
    for (size_t i = 0; i < operands.size(); ++i) {
      StrAppend(text, "  p", i, " = ", operands[i], " parameter(", i, ")\n");
      StrAppend(names, i == 0 ? "" : ", ", "p", i);
    }
    StrAppend(text, "  ROOT r = ", shape, " ", op, "(", names, ")", attrs, "\n}\n");
    Load(text);
  }
  explicit Program(const std::string& text) { Load(text); }

  void Run() { result_ = ValueOrExit(Evaluate(*module_, arguments_)); }
  const Literal& argument(size_t i) const { return arguments_[i]; }

 private:
  void Load(const std::string& text) {
    module_ = ValueOrExit(Parse(text));
    i64 leaf = 0;
    for (const Shape& shape : ArgumentLeaves(*module_->entry())) {
      arguments_.push_back(ValueOrExit(FakeLiteral(shape, "random:1", leaf++)));
    }
  }

  std::unique_ptr<Module> module_;
  std::vector<Literal> arguments_;
  Literal result_;
};

template <typename T>
const T* Data(const Program& program, size_t i) {
  return program.argument(i).UncheckedData<T>().data();
}

void PrintRow(const std::string& name, std::pair<Timing, Timing> times) {
  const auto [ours, plain] = times;
  std::printf("| %-22s | %8.3f | %8.3f | %5.2fx | %4.0f %% | %d |\n", name.c_str(),
              ours.median * 1e3, plain.median * 1e3, plain.median / ours.median,
              (ours.high - ours.low) / ours.median * 100, ours.samples);
}

void Elementwise() {
  const std::string shape = StrCat("f32[", kElements, "]"), preds = StrCat("pred[", kElements, "]"),
                    ints = StrCat("s32[", kElements, "]");
  std::vector<float> out(kElements);
  std::vector<int> int_out(kElements);
  const std::unique_ptr<bool[]> bool_out(new bool[kElements]());
  std::printf(
      "\n%lld elements, ms; ratio = plain loop / interpreter, bar 0.3x\n\n"
      "| operation | interpreter | plain loop | ratio | spread | samples |\n"
      "|---|---|---|---|---|---|\n",
      static_cast<long long>(kElements));
  const auto binary = [&](const char* op, auto loop) {
    Program program(shape, op, {shape, shape});
    const float *x = Data<float>(program, 0), *y = Data<float>(program, 1);
    PrintRow(op, MeasureBoth([&] { program.Run(); }, [&] { loop(x, y, out.data(), kElements); }));
  };
  const auto unary = [&](const char* op, auto loop) {
    Program program(shape, op, {shape});
    const float* x = Data<float>(program, 0);
    PrintRow(op, MeasureBoth([&] { program.Run(); }, [&] { loop(x, out.data(), kElements); }));
  };
  binary("add", baselines::Add);
  binary("multiply", baselines::Multiply);
  binary("maximum", baselines::Maximum);
  unary("exponential", baselines::Exp);
  unary("tanh", baselines::Tanh);
  {
    Program program(ints, "add", {ints, ints});
    PrintRow("add s32", MeasureBoth([&] { program.Run(); },
                                    [&] {
                                      baselines::AddInt(Data<int>(program, 0),
                                                        Data<int>(program, 1), int_out.data(),
                                                        kElements);
                                    }));
  }
  {
    Program program(preds, "compare", {shape, shape}, ", direction=LT");
    PrintRow("compare", MeasureBoth([&] { program.Run(); },
                                    [&] {
                                      baselines::CompareLess(Data<float>(program, 0),
                                                             Data<float>(program, 1),
                                                             bool_out.get(), kElements);
                                    }));
  }
  {
    Program program(shape, "select", {preds, shape, shape});
    PrintRow("select", MeasureBoth([&] { program.Run(); },
                                   [&] {
                                     baselines::Select(
                                         Data<bool>(program, 0), Data<float>(program, 1),
                                         Data<float>(program, 2), out.data(), kElements);
                                   }));
  }
  {
    std::string text = StrCat("HloModule m\n\nENTRY main {\n  x0 = ", shape,
                              " parameter(0)\n  y = ", shape, " parameter(1)\n");
    constexpr int kOps = 10;
    for (int i = 1; i <= kOps; ++i) {
      StrAppend(text, "  ", i == kOps ? "ROOT " : "", "x", i, " = ", shape,
                i % 2 == 0 ? " multiply(x" : " add(x", i - 1, ", y)\n");
    }
    Program program(text + "}\n");
    PrintRow("10 adds and multiplies",
             MeasureBoth([&] { program.Run(); },
                         [&] {
                           const float *x = Data<float>(program, 0), *y = Data<float>(program, 1);
                           for (int i = 1; i <= kOps; ++i) {
                             (i % 2 == 0 ? baselines::Multiply : baselines::Add)(x, y, out.data(),
                                                                                 kElements);
                             x = out.data();
                           }
                         }));
  }
}

void Contraction(const std::string& name, Program program, double flops, double peak) {
  const Timing timing = Measure([&] { program.Run(); });
  const double gflops = flops / timing.median * 1e-9;
  std::printf("| %-34s | %9.3f | %6.2f | %4.1f %% | %d |\n", name.c_str(), timing.median * 1e3,
              gflops, gflops / peak * 100, timing.samples);
}

void Contractions() {
  const double peak = PeakGflops();
  std::printf("\nPeak of one thread: %.1f GFLOP/s (f32 fma, 256 bits), copy %.1f GB/s\n", peak,
              CopyGigabytesPerSecond());
  std::printf(
      "\nStrict order, bar 3 GFLOP/s\n\n| problem | ms | GFLOP/s | of peak | samples |\n"
      "|---|---|---|---|---|\n");
  const std::string contract = ", lhs_contracting_dims={1}, rhs_contracting_dims={0}";
  Contraction("dot 256x256 . 256x256",
              Program("f32[256,256]", "dot", {"f32[256,256]", "f32[256,256]"}, contract),
              2.0 * 256 * 256 * 256, peak);
  Contraction("dot 64x512 . 512x512",
              Program("f32[64,512]", "dot", {"f32[64,512]", "f32[512,512]"}, contract),
              2.0 * 64 * 512 * 512, peak);
  Contraction("dot 256x256 . 256x256 transposed",
              Program("f32[256,256]", "dot", {"f32[256,256]", "f32[256,256]"},
                      ", lhs_contracting_dims={1}, rhs_contracting_dims={1}"),
              2.0 * 256 * 256 * 256, peak);
  Contraction("dot 1x1024 . 1024x1024",
              Program("f32[1,1024]", "dot", {"f32[1,1024]", "f32[1024,1024]"}, contract),
              2.0 * 1024 * 1024, peak);
  const std::string window = ", window={size=3x3 pad=1_1x1_1}, dim_labels=";
  Contraction("conv 4x28x28x64, 3x3x64x64 NHWC",
              Program("f32[4,28,28,64]", "convolution", {"f32[4,28,28,64]", "f32[3,3,64,64]"},
                      window + "b01f_01io->b01f"),
              2.0 * 4 * 28 * 28 * 64 * 9 * 64, peak);
  Contraction("conv 4x64x28x28, 64x64x3x3 NCHW",
              Program("f32[4,64,28,28]", "convolution", {"f32[4,64,28,28]", "f32[64,64,3,3]"},
                      window + "bf01_oi01->bf01"),
              2.0 * 4 * 28 * 28 * 64 * 9 * 64, peak);
}

}  // namespace
}  // namespace axle::bench

int main() {
  axle::bench::Elementwise();
  axle::bench::Contractions();
  return 0;
}
