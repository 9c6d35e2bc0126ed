// Compiled programs against code that was written by hand for the same thing, in one process.
//
//   bench_codegen [--engine native|interpret] [kernels] [loops] [dispatch] [compile]
//
// kernels   one fused program each, against explicit vectors, with what a run costs and without.
//           Bar: 0.9x their speed; streaming 0.9x of the copy
// loops     while loops of scalars and chains of tiny arrays. Bar: 1 ns per turn beyond the C++
//           loop, and 1.5x of its time for the last three
// dispatch  what a run costs. Bar: 300 ns for one kernel, 10 ns for each tiny one more
// compile   from parsed module to executable
//
// Without a name, all of them. A program that the engine refuses is a row with its message. Times
// are 20th percentiles of samples of 2 ms and more, in turns.
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "axle/client/arguments.h"
#include "axle/client/client.h"
#include "axle/core/file.h"
#include "axle/core/strings.h"
#include "axle/runtime/compile_report.h"
#include "axle/text/parse.h"
#include "bench/baselines/measure.h"
#include "bench/baselines/scalar_loops.h"
#include "bench/baselines/vector_kernels.h"

namespace axle::bench {
namespace {

using baselines::Bf16;

template <typename T>
T ValueOrExit(StatusOr<T> value) {
  if (value.ok()) return *std::move(value);
  std::fprintf(stderr, "%s\n", value.status().ToString().c_str());
  std::exit(1);
}

// A compiled program with its arguments on the device.
class Program {
 public:
  static StatusOr<std::unique_ptr<Program>> Create(Client& client, EngineKind engine,
                                                   std::string_view text,
                                                   std::vector<Literal> arguments = {}) {
    auto program = std::make_unique<Program>();
    AXLE_ASSIGN(program->executable_, client.Compile(text, {.engine = engine}));
    const HloComputation& entry = *program->executable_->module().entry();
    for (const Shape& shape : ArgumentLeaves(entry)) {
      if (arguments.size() <= program->arguments_.size()) {
        const auto leaf = static_cast<i64>(program->arguments_.size());
        AXLE_ASSIGN(Literal argument, FakeLiteral(shape, "random:1", leaf));
        arguments.push_back(std::move(argument));
      }
      Literal& argument = arguments[program->arguments_.size()];
      program->arguments_.push_back(argument);
      AXLE_ASSIGN(BufferPtr buffer, client.BufferFromLiteral(argument));
      program->buffers_.push_back(std::move(buffer));
    }
    AXLE_TRY(program->Execute());
    return program;
  }

  Status Execute() {
    results_.clear();  // their memory may serve the next ones
    AXLE_ASSIGN(results_, executable_->Execute(buffers_));
    return {};
  }
  void Run() {
    if (const Status status = Execute(); !status.ok()) {
      std::fprintf(stderr, "%s\n", status.ToString().c_str());
      std::exit(1);
    }
  }
  // The same on literals.
  void RunOnLiterals() { literal_ = ValueOrExit(executable_->Execute(arguments_)); }
  template <typename T>
  const T* argument(size_t i) const {
    return reinterpret_cast<const T*>(arguments_[i].bytes());
  }
  Literal result(size_t i) const { return ValueOrExit(results_[i]->ToLiteral()); }

 private:
  std::shared_ptr<Executable> executable_;
  std::vector<Literal> arguments_;
  Literal literal_;
  std::vector<BufferPtr> buffers_, results_;
};

struct Aligned {
  void operator()(void* memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<void, Aligned>;

Memory Allocate(size_t bytes) {
  void* memory = std::aligned_alloc(64, (bytes + 63) / 64 * 64);
  if (memory == nullptr) std::abort();
  std::memset(memory, 0, bytes);
  return Memory(memory);
}

double ToDouble(float x) {
  return x;
}
double ToDouble(Bf16 x) {
  const std::uint32_t bits = std::uint32_t{x} << 16;
  float value = 0;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

// The largest difference, as a part of the largest number.
template <typename T>
double Difference(const T* x, const T* y, i64 n) {
  double difference = 0, largest = 0;
  for (i64 i = 0; i < n; ++i) {
    difference = std::max(difference, std::fabs(ToDouble(x[i]) - ToDouble(y[i])));
    largest = std::max(largest, std::fabs(ToDouble(y[i])));
  }
  return difference / (largest > 0 ? largest : 1);
}

std::string Reduction(std::string_view operand, int dim, std::string_view to, std::string_view op) {
  return StrCat(to, " reduce(", operand, op == "add" ? ", zero)" : ", low)", ", dimensions={", dim,
                "}, to_apply=", op);
}

constexpr std::string_view kComputations =
    "add {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT r = f32[] add(a, b)\n}\n"
    "max {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT r = f32[] maximum(a, "
    "b)\n}\n";
constexpr std::string_view kConstants =
    "  zero = f32[] constant(0)\n  low = f32[] constant(-inf)\n  half = f32[] constant(0.5)\n"
    "  one = f32[] constant(1)\n";

// A module whose entry has these lines; the parameters are x, y, ... of these shapes.
std::string Module(const std::vector<std::string>& parameters, const std::string& lines) {
  std::string text = StrCat("HloModule bench\n\n", kComputations, "ENTRY main {\n", kConstants);
  for (size_t i = 0; i < parameters.size(); ++i) {
    StrAppend(text, "  ", std::string(1, "xyz"[i]), " = ", parameters[i], " parameter(", i, ")\n");
  }
  return StrCat(text, lines, "}\n");
}

class Bench {
 public:
  explicit Bench(EngineKind engine) : engine_(engine), client_(ValueOrExit(Client::Create())) {}

  void Kernels();
  void Loops();
  void Dispatch();
  void Compile();

 private:
  // One row: the program against `baseline`, which writes `count` elements to its last argument,
  // the same ones if `same`. `bytes` is what either must move.
  template <typename Out>
  void Kernel(const std::string& name, const std::string& text, i64 count, i64 bytes, double bar,
              const std::function<void(const Program&, Out*)>& baseline, bool same = true) {
    StatusOr<std::unique_ptr<Program>> made = Program::Create(*client_, engine_, text);
    if (!made.ok()) return Refused(name, 8, made.status());
    Program& program = **made;
    const Memory memory = Allocate(static_cast<size_t>(count) * sizeof(Out));
    Out* out = static_cast<Out*>(memory.get());
    baseline(program, out);
    const Literal result = program.result(0);
    const double error = Difference(reinterpret_cast<const Out*>(result.bytes()), out, count);
    const auto [ours, theirs] =
        PerCallBoth([&] { program.Run(); }, [&] { baseline(program, out); });
    std::printf("| %-24s | %10.2f | %10.2f | %6.2fx | %6.2fx | %5.2fx | %7.1f | ", name.c_str(),
                ours * 1e6, theirs * 1e6, theirs / ours, theirs / (ours - execute_), bar,
                static_cast<double>(bytes) / ours * 1e-9);
    std::printf(same ? "%7.1e |\n" : "        |\n", error);
  }

  // One row: nanoseconds per turn of the program and of the C++ loop.
  void Loop(const std::string& name, StatusOr<std::unique_ptr<Program>> made, i64 turns,
            const std::string& bar, const std::function<void(const Program&)>& baseline) {
    if (!made.ok()) return Refused(name, 6, made.status());
    Program& program = **made;
    const auto [ours, theirs] = PerCallBoth([&] { program.Run(); }, [&] { baseline(program); });
    const double factor = 1e9 / static_cast<double>(turns);
    std::printf("| %-24s | %10.2f | %10.2f | %+8.2f | %6.2fx | %s |\n", name.c_str(), ours * factor,
                theirs * factor, (ours - theirs) * factor, ours / theirs, bar.c_str());
  }

  StatusOr<std::unique_ptr<Program>> FromFile(const std::string& id,
                                              std::vector<Literal> arguments = {}) {
    AXLE_ASSIGN(const std::string text, ReadProgram(id));
    return Program::Create(*client_, engine_, text, std::move(arguments));
  }
  static StatusOr<std::string> ReadProgram(const std::string& id) {
    return ReadFile(StrCat(AXLE_SOURCE_DIR, "/bench/programs/", id, ".hlo"));
  }

  static void Refused(const std::string& name, int columns, const Status& status) {
    const std::string message = status.ToString();
    std::printf("| %-24s | %s", name.c_str(), message.substr(0, message.find('\n')).c_str());
    for (int i = 1; i < columns; ++i) std::printf(" |");
    std::printf("\n");
  }

  EngineKind engine_;
  std::unique_ptr<Client> client_;
  double execute_ = 0;  // seconds that a run of one kernel of 16 elements takes
};

void Bench::Kernels() {
  const baselines::VectorKernels& best = baselines::BestVectorKernels();
  const auto few = ValueOrExit(Program::Create(
      *client_, engine_, Module({"f32[16]"}, "  ROOT r = f32[16] exponential(x)\n")));
  execute_ = PerCall([&] { few->Run(); });
  std::printf(
      "\nKernels, us per run; baselines in %s; alone: without the %.2f us that a kernel of 16 "
      "elements takes\n\n"
      "| kernel                   |       Axle |  baseline |   speed |   alone |    bar |    GB/s "
      "| difference |\n|---|--:|--:|--:|--:|--:|--:|--:|\n",
      best.isa, execute_ * 1e6);
  const auto map = [&](const std::string& name, i64 n, const auto& lines,
                       void (*kernel)(const float*, float*, long)) {
    const std::string shape = StrCat("f32[", n, "]");
    Kernel<float>(
        StrCat(name, " ", n), Module({shape}, lines(shape)), n, 8 * n, 0.9,
        [kernel, n](const Program& p, float* out) { kernel(p.argument<float>(0), out, n); });
  };
  const auto unary = [](const char* op) {
    return
        [op](const std::string& shape) { return StrCat("  ROOT r = ", shape, " ", op, "(x)\n"); };
  };
  const auto gelu = [](const std::string& shape) {
    std::string lines = "  a = f32[] constant(0.797884583)\n  b = f32[] constant(0.044715)\n";
    for (const char* name : {"a", "b", "half", "one"}) {
      StrAppend(lines, "  all_", name, " = ", shape, " broadcast(", name, "), dimensions={}\n");
    }
    const char* const steps[][2] = {
        {"square", "multiply(x, x)"},           {"cube", "multiply(square, x)"},
        {"scaled", "multiply(cube, all_b)"},    {"sum", "add(x, scaled)"},
        {"inner", "multiply(all_a, sum)"},      {"t", "tanh(inner)"},
        {"shifted", "add(all_one, t)"},         {"halved", "multiply(all_half, x)"},
        {"ROOT r", "multiply(halved, shifted)"}};
    for (const auto& [name, op] : steps) StrAppend(lines, "  ", name, " = ", shape, " ", op, "\n");
    return lines;
  };
  for (const i64 n : {i64{4096}, i64{1} << 16, i64{1} << 20}) {
    map("exp", n, unary("exponential"), best.exp);
    map("tanh", n, unary("tanh"), best.tanh);
    map("gelu", n, gelu, best.gelu);
  }

  for (const i64 rows : {64, 1024}) {
    constexpr i64 kColumns = 1024;
    const std::string size = StrCat(rows, "x", kColumns);
    const std::string shape = StrCat("f32[", rows, ",", kColumns, "]");
    const std::string row = StrCat("f32[", rows, "]"), column = StrCat("f32[", kColumns, "]");
    const i64 n = rows * kColumns;
    const auto matrix = [&](const std::string& name, const std::string& lines, i64 count,
                            void (*kernel)(const float*, float*, long, long)) {
      Kernel<float>(StrCat(name, " ", size), Module({shape}, lines), count, 4 * (n + count), 0.9,
                    [kernel, rows](const Program& p, float* out) {
                      kernel(p.argument<float>(0), out, rows, kColumns);
                    });
    };
    const auto all = [&](std::string_view name, std::string_view operand) {
      return StrCat("  ", name, " = ", shape, " broadcast(", operand, "), dimensions={0}\n");
    };
    matrix("softmax",
           StrCat("  top = ", Reduction("x", 1, row, "max"), "\n", all("tops", "top"),
                  "  d = ", shape, " subtract(x, tops)\n  e = ", shape,
                  " exponential(d)\n  s = ", Reduction("e", 1, row, "add"), "\n", all("sums", "s"),
                  "  ROOT r = ", shape, " divide(e, sums)\n"),
           n, best.softmax);
    const std::string part = StrCat("  part = f32[] constant(", 1.0 / kColumns,
                                    ")\n  epsilon = f32[] constant(1e-5)\n  parts = ", row,
                                    " broadcast(part), dimensions={}\n  epsilons = ", row,
                                    " broadcast(epsilon), dimensions={}\n");
    matrix("layer norm",
           StrCat(part, "  s = ", Reduction("x", 1, row, "add"), "\n  mean = ", row,
                  " multiply(s, parts)\n", all("means", "mean"), "  d = ", shape,
                  " subtract(x, means)\n  q = ", shape,
                  " multiply(d, d)\n  v = ", Reduction("q", 1, row, "add"), "\n  variance = ", row,
                  " multiply(v, parts)\n  safe = ", row, " add(variance, epsilons)\n  f = ", row,
                  " rsqrt(safe)\n", all("fs", "f"), "  ROOT r = ", shape, " multiply(d, fs)\n"),
           n, best.layer_norm);
    matrix("row sums", StrCat("  ROOT r = ", Reduction("x", 1, row, "add"), "\n"), rows,
           best.row_sums);
    matrix("column sums", StrCat("  ROOT r = ", Reduction("x", 0, column, "add"), "\n"), kColumns,
           best.column_sums);
    matrix("transpose",
           StrCat("  ROOT r = f32[", kColumns, ",", rows, "] transpose(x), dimensions={1,0}\n"), n,
           best.transpose);
  }

  constexpr i64 kConverted = 1 << 20;
  const auto conversion = [&](std::string_view from, std::string_view to) {
    return Module({StrCat(from, "[", kConverted, "]")},
                  StrCat("  ROOT r = ", to, "[", kConverted, "] convert(x)\n"));
  };
  Kernel<Bf16>("f32 to bf16 1M", conversion("f32", "bf16"), kConverted, 6 * kConverted, 0.9,
               [&](const Program& p, Bf16* out) {
                 best.f32_to_bf16(p.argument<float>(0), out, kConverted);
               });
  Kernel<float>("bf16 to f32 1M", conversion("bf16", "f32"), kConverted, 6 * kConverted, 0.9,
                [&](const Program& p, float* out) {
                  best.bf16_to_f32(p.argument<Bf16>(0), out, kConverted);
                });
  Kernel<float>("s8 to f32 1M", conversion("s8", "f32"), kConverted, 5 * kConverted, 0.9,
                [&](const Program& p, float* out) {
                  best.s8_to_f32(p.argument<std::int8_t>(0), out, kConverted);
                });

  for (const i64 n : {i64{1} << 20, i64{1} << 24}) {
    const std::string shape = StrCat("f32[", n, "]");
    Kernel<float>(StrCat("triad ", n),
                  Module({shape, shape},
                         StrCat("  h = ", shape, " broadcast(half), dimensions={}\n  m = ", shape,
                                " multiply(y, h)\n  ROOT r = ", shape, " add(x, m)\n")),
                  n, 12 * n, 0.9, [&](const Program& p, float* out) {
                    best.triad(p.argument<float>(0), p.argument<float>(1), out, n);
                  });
    // The baseline moves the same bytes and computes nothing.
    Kernel<float>(
        StrCat("abs ", n, ", to a copy"),
        Module({shape}, StrCat("  ROOT r = ", shape, " abs(x)\n")), n, 8 * n, 0.9,
        [&](const Program& p, float* out) { best.copy(p.argument<float>(0), out, n); }, false);
  }
}

void Bench::Loops() {
  std::printf(
      "\nLoops, ns per turn\n\n"
      "| loop                     |       Axle |        C++ | difference |   ratio | bar |\n"
      "|---|--:|--:|--:|--:|---|\n");
  const Literal two = Literal::Scalar<float>(F32, 2);
  for (const auto& [id, turns] :
       {std::pair{"W1.newton.10k", i64{10'000}}, std::pair{"W1.newton.100k", i64{100'000}}}) {
    Loop(StrCat(id, " f32"), FromFile(id, {two}), turns, "+1 ns", [turns = turns](const Program&) {
      volatile float a = 2;
      a = baselines::Newton(a, turns);
    });
  }
  constexpr i64 kTurns = 100'000;
  const std::string counter = StrCat(
      "HloModule counter\n\ncondition {\n  i = s32[] parameter(0)\n  n = s32[] constant(", kTurns,
      ")\n  ROOT c = pred[] compare(i, n), direction=LT\n}\nbody {\n  i = s32[] parameter(0)\n"
      "  one = s32[] constant(1)\n  ROOT r = s32[] add(i, one)\n}\nENTRY main {\n"
      "  i = s32[] parameter(0)\n  ROOT r = s32[] while(i), condition=condition, body=body\n}\n");
  Loop("counter 100k",
       Program::Create(*client_, engine_, counter, {Literal::Scalar<std::int32_t>(S32, 0)}), kTurns,
       "+1 ns", [](const Program&) { (void)baselines::Count(static_cast<int>(kTurns)); });
  const std::string congruential = StrCat(
      "HloModule congruential\n\ncondition {\n  s = (s32[], u64[]) parameter(0)\n"
      "  i = s32[] get-tuple-element(s), index=0\n  n = s32[] constant(",
      kTurns,
      ")\n  ROOT c = pred[] compare(i, n), direction=LT\n}\nbody {\n"
      "  s = (s32[], u64[]) parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n"
      "  x = u64[] get-tuple-element(s), index=1\n  one = s32[] constant(1)\n"
      "  next = s32[] add(i, one)\n  a = u64[] constant(6364136223846793005)\n"
      "  m = u64[] multiply(x, a)\n  c = u64[] constant(1442695040888963407)\n"
      "  y = u64[] add(m, c)\n  ROOT r = (s32[], u64[]) tuple(next, y)\n}\nENTRY main {\n"
      "  x = u64[] parameter(0)\n  i = s32[] constant(0)\n  s = (s32[], u64[]) tuple(i, x)\n"
      "  w = (s32[], u64[]) while(s), condition=condition, body=body\n"
      "  ROOT r = u64[] get-tuple-element(w), index=1\n}\n");
  Loop("congruential 100k u64",
       Program::Create(*client_, engine_, congruential, {Literal::Scalar<std::uint64_t>(U64, 1)}),
       kTurns, "+1 ns",
       [](const Program&) { (void)baselines::Congruential(1, static_cast<int>(kTurns)); });
  std::vector<float> last(3), states(6000);
  Loop("W2, scan of 3 numbers", FromFile("W2"), 2000, "1.5x", [&](const Program& p) {
    baselines::Scan3(p.argument<float>(0), p.argument<float>(1), last.data(), states.data(), 2000);
  });
  std::vector<double> product(36);
  for (const i64 n : {5, 50}) {
    Loop(StrCat("W5.dots.", n, ", 6x6 f64"), FromFile(StrCat("W5.dots.", n)), n, "1.5x",
         [&](const Program& p) { baselines::Chain6(p.argument<double>(0), product.data(), n); });
  }
}

void Bench::Dispatch() {
  std::printf("\nDispatch\n\n| what | ns | bar |\n|---|--:|--:|\n");
  const auto row = [](const std::string& what, double seconds, const char* bar) {
    std::printf("| %-44s | %10.1f | %s |\n", what.c_str(), seconds * 1e9, bar);
  };
  for (const auto& [what, lines] :
       {std::pair{"execute, no operation", "  ROOT r = f32[16] copy(x)\n"},
        std::pair{"execute, one kernel of 16 elements", "  ROOT r = f32[16] exponential(x)\n"}}) {
    auto made = Program::Create(*client_, engine_, Module({"f32[16]"}, lines));
    if (!made.ok()) {
      Refused(what, 3, made.status());
      continue;
    }
    const auto [literals, buffers] =
        PerCallBoth([&] { (*made)->RunOnLiterals(); }, [&] { (*made)->Run(); });
    row(StrCat(what, ", literals"), literals, "300");
    row(StrCat(what, ", buffers"), buffers, "");
  }
  auto single = FromFile("W6.1"), many = FromFile("W6.1000");
  if (!single.ok() || !many.ok()) {
    return Refused("per tiny kernel (W6)", 3, single.ok() ? many.status() : single.status());
  }
  const auto [short_run, long_run] =
      PerCallBoth([&] { (*single)->Run(); }, [&] { (*many)->Run(); });
  row("execute, W6.1 (transpose and 4x4 dot), buffers", short_run, "");
  row("each of 999 more of them (W6.1000)", (long_run - short_run) / 999, "10");
}

// --- Compilation
// ----------------------------------------------------------------------------------

std::string TinyOps(int n) {
  std::string lines = "  c = f32[16] broadcast(half), dimensions={}\n  v0 = f32[16] add(x, c)\n";
  const char* const ops[] = {"add", "multiply", "maximum", "subtract"};
  for (int i = 1; i < n; ++i) {
    StrAppend(lines, i == n - 1 ? "  ROOT v" : "  v", i, " = f32[16] ", ops[i % 4], "(v", i - 1,
              i % 2 == 0 ? ", x)\n" : ", c)\n");
  }
  return Module({"f32[16]"}, lines);
}

// Each a chain of ten operations of its own with a sum at its end.
std::string DistinctFusions(int n) {
  std::string lines, results, shapes;
  for (int i = 0; i < n; ++i) {
    StrAppend(lines, "  k", i, " = f32[] constant(", 1 + i, ")\n  b", i, " = f32[256] broadcast(k",
              i, "), dimensions={}\n  v", i, "_0 = f32[256] multiply(x, b", i, ")\n");
    for (int bit = 0; bit < 10; ++bit) {
      const bool other = (i >> bit & 1) != 0;
      StrAppend(lines, "  v", i, "_", bit + 1, " = f32[256] ", other ? "maximum" : "add", "(v", i,
                "_", bit, bit % 2 != 0 ? ", x)\n" : StrCat(", b", i, ")\n"));
    }
    StrAppend(lines, "  r", i, " = ", Reduction(StrCat("v", i, "_10"), 0, "f32[]", "add"), "\n");
    StrAppend(results, i == 0 ? "" : ", ", "r", i);
    StrAppend(shapes, i == 0 ? "" : ", ", "f32[]");
  }
  return Module({"f32[256]"}, StrCat(lines, "  ROOT r = (", shapes, ") tuple(", results, ")\n"));
}

std::string ReduceChain(int n) {
  std::string lines = "  h = f32[4,4] broadcast(half), dimensions={}\n", last = "x";
  for (int i = 0; i < n; ++i) {
    StrAppend(lines, "  t", i, " = f32[4,4] transpose(", last, "), dimensions={1,0}\n  m", i,
              " = f32[4,4] multiply(t", i, ", h)\n  r", i, " = f32[] reduce(", last,
              ", zero), dimensions={0,1}, to_apply=add\n  b", i, " = f32[4,4] broadcast(r", i,
              "), dimensions={}\n");
    StrAppend(lines, i == n - 1 ? "  ROOT v" : "  v", i, " = f32[4,4] add(m", i, ", b", i, ")\n");
    last = StrCat("v", i);
  }
  return Module({"f32[4,4]"}, lines);
}

void Bench::Compile() {
  std::printf(
      "\nCompilation of parsed modules; fastest of 3; kernels are different ones, also those from "
      "precompiled\n\n"
      "| module                   | instructions | kernels |         ms | us per instruction "
      "| ms per kernel | bar, ms |\n"
      "|---|--:|--:|--:|--:|--:|--:|\n");
  const auto row = [&](const std::string& name, StatusOr<std::string> text, const char* bar) {
    StatusOr<std::unique_ptr<axle::Module>> parsed = Parse(ValueOrExit(std::move(text)));
    const std::shared_ptr<const axle::Module> module = ValueOrExit(std::move(parsed));
    double fastest = 1e9;
    for (int i = 0; i < 3; ++i) {
      const auto begin = std::chrono::steady_clock::now();
      const auto executable = client_->Compile(module, {.engine = engine_});
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
      if (!executable.ok()) return Refused(name, 7, executable.status());
      fastest = std::min(fastest, took.count());
    }
    // Not in what is timed: a report takes time of its own.
    const auto reported = client_->Compile(module, {.engine = engine_, .debug = {.report = true}});
    if (!reported.ok()) return Refused(name, 7, reported.status());
    const axle::CompileReport* const report = (*reported)->report();
    const i64 kernels = report == nullptr ? 0 : report->num_kernels;  // 0: interpreted
    const auto instructions = static_cast<double>(module->num_instructions());
    std::printf("| %-24s | %12.0f | %7lld | %10.3f | %10.2f | %10.3f | %s |\n", name.c_str(),
                instructions, static_cast<long long>(kernels), fastest * 1e3,
                fastest * 1e6 / instructions,
                kernels == 0 ? 0 : fastest * 1e3 / static_cast<double>(kernels), bar);
  };
  for (const char* id :
       {"E3", "T2", "N1.1Kx1K", "N2.grad", "M1.sgd", "M1.adam", "M2.n1", "M3.fwd.f32.128",
        "M3.bwd.f32.128", "M3.bwd.bf16.128", "M4.n1", "M5.test", "M5.train", "M7", "W5.mass35"}) {
    row(id, ReadProgram(id), "3 per kernel");
  }
  row("one operation, precompiled",
      std::string("ENTRY e {\n  x = f32[64,100] parameter(0)\n"
                  "  ROOT r = f32[64,100] exponential(x)\n}\n"),
      "");
  row("1,000 tiny ops", TinyOps(1000), "60");
  row("1,000 distinct fusions", DistinctFusions(1000), "1500");
  row("1,000 of x.T * 0.5 + sum(x)", ReduceChain(1000), "100");
  row("10,000 tiny ops", TinyOps(10'000), "1000 without kernels");
}

// On one processor: baselines have one thread.
void StayOnOneProcessor() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return;
  for (int cpu = CPU_SETSIZE - 1; cpu >= 0; --cpu) {
    if (!CPU_ISSET(cpu, &set)) continue;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    sched_setaffinity(0, sizeof(set), &set);
    return;
  }
}

int Main(int argc, char** argv) {
  EngineKind engine = EngineKind::kNative;
  std::vector<std::string_view> parts;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--engine" && i + 1 < argc) {
      engine =
          std::string_view(argv[++i]) == "interpret" ? EngineKind::kInterpret : EngineKind::kNative;
    } else {
      parts.push_back(argument);
    }
  }
  const std::pair<std::string_view, void (Bench::*)()> known[] = {{"kernels", &Bench::Kernels},
                                                                  {"loops", &Bench::Loops},
                                                                  {"dispatch", &Bench::Dispatch},
                                                                  {"compile", &Bench::Compile}};
  for (const std::string_view part : parts) {
    if (std::none_of(std::begin(known), std::end(known),
                     [part](const auto& one) { return one.first == part; })) {
      std::fprintf(stderr,
                   "usage: bench_codegen [--engine native|interpret] [kernels] [loops] [dispatch] "
                   "[compile]\n");
      return 2;
    }
  }
  StayOnOneProcessor();
  std::printf("engine: %s, one thread\n", engine == EngineKind::kNative ? "native" : "interpret");
  Bench bench(engine);
  for (const auto& [name, run] : known) {
    if (parts.empty() || std::find(parts.begin(), parts.end(), name) != parts.end()) (bench.*run)();
  }
  return 0;
}

}  // namespace
}  // namespace axle::bench

int main(int argc, char** argv) {
  return axle::bench::Main(argc, argv);
}
