// Prebuilt kernels of dot and convolution, one thread, against the multiply-adds that the same
// thread does in registers, measured beside each row.
//
//   bench_kernels [v3] [PART OF A NAME]
//
// v3: the kernels of the baseline, as processors without AVX-512 run them.
#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "axle/kernels/convolution.h"
#include "axle/kernels/dot.h"
#include "bench/baselines/vector_kernels.h"

namespace axle::bench {
namespace {

struct Options {
  InstructionSet set = HostInstructionSet();
  std::string part;
};

// Of huge pages, as the memory that programs run in.
class Memory {
 public:
  Memory(i64 bytes, ElementType type)
      : data_(static_cast<std::byte*>(
            std::aligned_alloc(1 << 21, static_cast<size_t>((bytes / (1 << 21) + 1) << 21)))) {
    madvise(data_, static_cast<size_t>((bytes / (1 << 21) + 1) << 21), MADV_HUGEPAGE);
    std::memset(data_, 0, static_cast<size_t>(bytes));
    // Small numbers, none of which makes sums overflow or underflow.
    if (type == F32) Fill<float>(bytes, [](int i) { return static_cast<float>(i % 64 - 32) / 64; });
    if (type == F64)
      Fill<double>(bytes, [](int i) { return static_cast<double>(i % 64 - 32) / 64; });
    if (type == BF16) Fill<std::uint16_t>(bytes, [](int i) { return 0x3f80 + i % 64; });
  }
  ~Memory() { std::free(data_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  void* data() const { return data_; }

 private:
  template <typename T, typename Fn>
  void Fill(i64 bytes, const Fn& fn) {
    T* x = reinterpret_cast<T*>(data_);
    for (i64 i = 0; i < bytes / static_cast<i64>(sizeof(T)); ++i)
      x[i] = static_cast<T>(fn(static_cast<int>(i)));
  }
  std::byte* data_;
};

double ThreadSeconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Processor seconds per call of two functions, taken in turns: samples of at least 2 ms, of which
// the second fastest of ten counts. Other programs that take the processor in between do not.
template <typename First, typename Second>
std::pair<double, double> SecondsOfBoth(const First& first, const Second& second) {
  const auto sample = [](const auto& run, i64 calls) {
    const double begin = ThreadSeconds();
    for (i64 i = 0; i < calls; ++i) run();
    return (ThreadSeconds() - begin) / static_cast<double>(calls);
  };
  const auto calls = [&](const auto& run) {
    sample(run, 1);
    i64 n = 1;
    while (sample(run, n) * static_cast<double>(n) < 2e-3) n *= 2;
    return n;
  };
  const i64 first_calls = calls(first), second_calls = calls(second);
  std::vector<double> a, b;
  for (int i = 0; i < 10; ++i) {
    a.push_back(sample(first, first_calls));
    b.push_back(sample(second, second_calls));
  }
  std::ranges::sort(a);
  std::ranges::sort(b);
  return {a[1], b[1]};
}

// One row: a kernel's rate, and the part of the peak that it is.
template <typename Kernel>
void Row(const Options& options, const std::string& name, const Kernel& kernel, ElementType type,
         double flops, i64 lhs_bytes, i64 rhs_bytes, i64 result_bytes) {
  if (name.find(options.part) == std::string::npos) return;
  if (!kernel.reason.empty()) {
    std::printf("| %-34s | %.*s |\n", name.c_str(), static_cast<int>(kernel.reason.size()),
                kernel.reason.data());
    return;
  }
  const Memory lhs(lhs_bytes, type), rhs(rhs_bytes, type), result(result_bytes, PRED);
  const Memory scratch(kernel.scratch_bytes + 64, PRED);
  void* buffers[] = {lhs.data(), rhs.data(), result.data(), scratch.data()};
  const auto& baseline =
      *baselines::VectorKernelsOf(options.set == InstructionSet::kX86V4 ? "avx512" : "avx2");
  const long steps =
      type == F64 ? 20'000'000 / baseline.fma_f64_flops : 20'000'000 / baseline.fma_f32_flops;
  const auto [ours, peak] =
      SecondsOfBoth([&] { kernel.function(nullptr, &kernel.plan, buffers, 0, kernel.num_tiles); },
                    [&] { type == F64 ? baseline.fma_f64(steps) : baseline.fma_f32(steps); });
  const double peak_rate =
      static_cast<double>(steps * (type == F64 ? baseline.fma_f64_flops : baseline.fma_f32_flops)) /
      peak;
  std::printf("| %-34s | %11.2f | %8.1f | %8.1f | %4.0f %% | %6lld |\n", name.c_str(), ours * 1e6,
              flops / ours * 1e-9, peak_rate * 1e-9, 100 * flops / ours / peak_rate,
              static_cast<long long>(kernel.num_tiles));
}

// [batch, m, k] times [batch, k, n]; `layout` "nn", or t for an operand whose two dimensions have
// changed places.
void Dot(const Options& options, i64 batch, i64 m, i64 n, i64 k, const std::string& layout = "nn",
         ElementType type = F32, ElementType result = F32) {
  const bool lhs_t = layout[0] == 't', rhs_t = layout[1] == 't';
  const DotDim batches[] = {{batch, m * k, k * n, m * n}};
  const DotDim rows[] = {{m, lhs_t ? 1 : k, 0, n}};
  const DotDim columns[] = {{n, 0, rhs_t ? k : 1, 1}};
  const DotDim depth[] = {{k, lhs_t ? m : 1, rhs_t ? 1 : n, 0}};
  DotDescription dot = {
      .batch = batches, .lhs_free = rows, .rhs_free = columns, .contracting = depth, .types = {}};
  dot.types.lhs = dot.types.lhs_factor = dot.types.rhs = dot.types.rhs_factor = type;
  dot.types.result = result;
  dot.types.sum = type == BF16 || type == F16 ? F32 : type == S8 ? S32 : type;
  if (type == S8) dot.types.lhs_factor = dot.types.rhs_factor = S32;
  if (type == BF16) dot.types.order = DotOrder::kTile;
  if (type == F32 && (n == 1 || (m == 1 && rhs_t))) {
    dot.types.order = DotOrder::kCanonical;
    dot.lanes = k < 512 ? 16 : 64;
  }
  std::string name = batch > 1 ? std::to_string(batch) + " * " : "";
  name += std::to_string(m) + " x " + std::to_string(n) + " x " + std::to_string(k);
  if (layout != "nn") name += " " + layout;
  name = std::string(Name(type)) + (type == result ? "" : "->" + std::string(Name(result))) + " " +
         name;
  const i64 bytes = Info(type).bytes;
  Row(options, name, PlanDot(dot, options.set), type, 2.0 * static_cast<double>(batch * m * n * k),
      batch * m * k * bytes, batch * k * n * bytes, batch * m * n * Info(result).bytes);
}

void Dots(const Options& options) {
  for (i64 n : {32, 64, 128, 256, 512, 1024, 2048}) Dot(options, 1, n, n, n);
  for (const char* layout : {"nt", "tn", "tt"}) {
    for (i64 n : {64, 256, 1024}) Dot(options, 1, n, n, n, layout);
  }
  for (i64 m : {1, 2, 4, 8, 16, 32, 64}) Dot(options, 1, m, 1024, 1024);
  for (i64 m : {1, 8, 32}) Dot(options, 1, m, 4096, 4096);
  Dot(options, 1, 128, 768, 3072);
  Dot(options, 1, 1024, 1, 1024);
  Dot(options, 1, 4096, 1, 4096);
  Dot(options, 1, 1, 4096, 4096, "nt");
  Dot(options, 1, 1024, 10, 1024);
  Dot(options, 1, 33, 17, 65);
  Dot(options, 64, 64, 64, 64);
  Dot(options, 256, 16, 16, 16);
  Dot(options, 64, 32, 32, 32);
  Dot(options, 12, 128, 128, 64, "nt");
  Dot(options, 1024, 4, 4, 4);
  Dot(options, 1024, 8, 8, 8);
  Dot(options, 1, 6, 6, 6, "nn", F64, F64);
  for (i64 n : {256, 1024}) Dot(options, 1, n, n, n, "nn", F64, F64);
  for (i64 n : {64, 256, 1024}) Dot(options, 1, n, n, n, "nn", BF16, BF16);
  Dot(options, 1, 8, 4096, 4096, "nn", BF16, BF16);
  Dot(options, 1, 256, 256, 256, "nn", F16, F16);
  for (i64 n : {256, 1024}) Dot(options, 1, n, n, n, "nn", S8, S32);
  for (i64 n : {256, 1024}) Dot(options, 1, n, n, n, "nn", S32, S32);
}

// NHWC by HWIO, square images and windows; `groups` of features.
void Convolution(const Options& options, i64 batch, i64 size, i64 in, i64 out, i64 window,
                 i64 stride, i64 pad, i64 groups = 1, ElementType type = F32) {
  const i64 output = (size + 2 * pad - window) / stride + 1;
  ConvolutionDim spatial[2];
  for (int s = 0; s < 2; ++s) {
    ConvolutionDim& dim = spatial[s];
    dim.window = window;
    dim.stride = stride;
    dim.pad_low = pad;
    dim.lhs_size = size;
    dim.output_size = output;
    dim.lhs_stride = s == 0 ? size * in : in;
    dim.rhs_stride = (s == 0 ? window : 1) * in / groups * out;
    dim.output_stride = s == 0 ? output * out : out;
  }
  ConvolutionDescription convolution = {};
  convolution.spatial = spatial;
  convolution.batch = batch;
  convolution.lhs_batch_stride = size * size * in;
  convolution.output_batch_stride = output * output * out;
  convolution.input_features = in / groups;
  convolution.lhs_feature_stride = 1;
  convolution.rhs_input_stride = out;
  convolution.output_features = out / groups;
  convolution.rhs_output_stride = convolution.output_feature_stride = 1;
  convolution.groups = groups;
  convolution.lhs_group_stride = in / groups;
  ProductTypes& types = convolution.types;
  types.lhs = types.rhs = types.lhs_factor = types.rhs_factor = types.result = type;
  types.sum = F32;
  if (type == BF16) types.order = DotOrder::kTile;
  const std::string name =
      std::string(Name(type)) + " " + std::to_string(window) + "x" + std::to_string(window) +
      (stride > 1 ? "/" + std::to_string(stride) : "") + " " + std::to_string(batch) + "x" +
      std::to_string(size) + "x" + std::to_string(size) + " " + std::to_string(in) + "-" +
      std::to_string(out) + (groups > 1 ? " groups " + std::to_string(groups) : "");
  const i64 bytes = Info(type).bytes;
  const i64 products = batch * output * output * out * window * window * in / groups;
  const double flops = 2.0 * static_cast<double>(products);
  const auto row = [&](const auto& kernel) {
    Row(options, name, kernel, type, flops, batch * size * size * in * bytes,
        window * window * in / groups * out * bytes, batch * output * output * out * bytes);
  };
  const DotKernel dot = PlanConvolutionAsDot(convolution, options.set);
  if (dot.reason.empty()) return row(dot);
  row(PlanConvolution(convolution, options.set));
}

// The layers of ResNet-50 at batch 1.
void Convolutions(const Options& options) {
  Convolution(options, 1, 224, 3, 64, 7, 2, 3);
  Convolution(options, 1, 56, 64, 64, 1, 1, 0);
  Convolution(options, 1, 56, 64, 64, 3, 1, 1);
  Convolution(options, 1, 56, 64, 256, 1, 1, 0);
  Convolution(options, 1, 56, 256, 64, 1, 1, 0);
  Convolution(options, 1, 56, 128, 128, 3, 2, 1);
  Convolution(options, 1, 28, 128, 128, 3, 1, 1);
  Convolution(options, 1, 28, 512, 128, 1, 1, 0);
  Convolution(options, 1, 14, 256, 256, 3, 1, 1);
  Convolution(options, 1, 14, 1024, 256, 1, 1, 0);
  Convolution(options, 1, 7, 512, 512, 3, 1, 1);
  Convolution(options, 1, 7, 2048, 512, 1, 1, 0);
  Convolution(options, 8, 56, 64, 64, 3, 1, 1);
  Convolution(options, 1, 56, 128, 128, 3, 1, 1, 128);
  Convolution(options, 1, 28, 128, 128, 3, 1, 1, 4);
  Convolution(options, 1, 28, 128, 128, 3, 1, 1, 1, BF16);
}

int Main(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    if (std::string(argv[i]) == "v3") {
      options.set = InstructionSet::kX86V3;
    } else {
      options.part = argv[i];
    }
  }
  std::printf("| m x n x k | us | GFLOP/s | peak | of it | tiles |\n|---|---|---|---|---|---|\n");
  Dots(options);
  Convolutions(options);
  return 0;
}

}  // namespace
}  // namespace axle::bench

int main(int argc, char** argv) {
  return axle::bench::Main(argc, argv);
}
