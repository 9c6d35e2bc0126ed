// Prebuilt kernels of dot and convolution, one thread, against the multiply-adds that the same
// thread does in registers, measured beside each row.
//
//   bench_kernels [v3] [PART OF A NAME]
//
// v3: the kernels of the baseline, as processors without AVX-512 run them.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "axle/kernels/dot.h"
#include "bench/yardsticks/measure.h"
#include "bench/yardsticks/vector_kernels.h"

namespace axle::bench {
namespace {

struct Options {
  InstructionSet set = HostInstructionSet();
  std::string part;
};

class Memory {
 public:
  Memory(i64 bytes, ElementType type)
      : data_(static_cast<std::byte*>(
            std::aligned_alloc(1 << 21, static_cast<size_t>((bytes / (1 << 21) + 1) << 21)))) {
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
  const auto& yardstick =
      *yardsticks::VectorKernelsOf(options.set == InstructionSet::kX86V4 ? "avx512" : "avx2");
  const long steps =
      type == F64 ? 20'000'000 / yardstick.fma_f64_flops : 20'000'000 / yardstick.fma_f32_flops;
  const auto [ours, peak] =
      PerCallBoth([&] { kernel.function(nullptr, &kernel.plan, buffers, 0, kernel.num_tiles); },
                  [&] { type == F64 ? yardstick.fma_f64(steps) : yardstick.fma_f32(steps); });
  const double peak_rate = static_cast<double>(steps * (type == F64 ? yardstick.fma_f64_flops
                                                                    : yardstick.fma_f32_flops)) /
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
  return 0;
}

}  // namespace
}  // namespace axle::bench

int main(int argc, char** argv) {
  return axle::bench::Main(argc, argv);
}
