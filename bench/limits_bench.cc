// What this machine can do at most: the bandwidth of copies and of reads by the size of the arrays,
// and the arithmetic of registers.
//
//   bench_limits [--json] [--threads N]
//
// Each thread has arrays of its own. Best of several rounds, in which all threads begin together.
#include <sys/mman.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "bench/baselines/vector_kernels.h"

namespace axle::bench {
namespace {

using baselines::VectorKernels;

double Now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The fewest seconds that `work`, called once by each thread, took in any round.
double Fastest(int threads, const std::function<void(int thread)>& work) {
  constexpr int kRounds = 9;
  double fastest = 1e9, begin = 0;
  std::barrier start(threads, [&]() noexcept { begin = Now(); });
  std::barrier stop(threads, [&]() noexcept { fastest = std::min(fastest, Now() - begin); });
  std::vector<std::thread> others;
  const auto run = [&](int thread) {
    work(thread);
    for (int round = 0; round < kRounds; ++round) {
      start.arrive_and_wait();
      work(thread);
      stop.arrive_and_wait();
    }
  };
  for (int thread = 1; thread < threads; ++thread) others.emplace_back(run, thread);
  run(0);
  for (std::thread& other : others) other.join();
  return fastest;
}

// Memory of huge pages, if the system gives them.
class Array {
 public:
  explicit Array(long bytes) : bytes_((bytes + kHuge - 1) / kHuge * kHuge) {
    data_ = std::aligned_alloc(kHuge, static_cast<size_t>(bytes_));
    if (data_ == nullptr) std::abort();
    madvise(data_, static_cast<size_t>(bytes_), MADV_HUGEPAGE);
    std::memset(data_, 0, static_cast<size_t>(bytes_));
  }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() { std::free(data_); }
  float* floats() { return static_cast<float*>(data_); }

 private:
  static constexpr long kHuge = 2L << 20;
  long bytes_;
  void* data_;
};

// Bytes per second, read and written, of all threads, of arrays of so many bytes together.
double CopyRate(const VectorKernels& kernels, int threads, long bytes) {
  const long n = std::max(64L, bytes / threads / 4 / 64 * 64);
  const long repeats = std::max(1L, (8L << 20) / (4 * n));
  // From a page and a half into the other array: the same lines of two arrays share cache sets.
  constexpr long kShift = 1536;
  std::vector<std::unique_ptr<Array>> from, to;
  for (int i = 0; i < threads; ++i) {
    from.push_back(std::make_unique<Array>(4 * n));
    to.push_back(std::make_unique<Array>(4 * (n + kShift)));
  }
  const double seconds = Fastest(threads, [&](int thread) {
    for (long i = 0; i < repeats; ++i) {
      kernels.copy(from[thread]->floats(), to[thread]->floats() + kShift, n);
    }
  });
  return 8.0 * static_cast<double>(n * repeats * threads) / seconds;
}

// The same of arrays that are only read.
double ReadRate(const VectorKernels& kernels, int threads, long bytes) {
  const long n = std::max(64L, bytes / threads / 4 / 64 * 64);
  const long repeats = std::max(1L, (8L << 20) / (4 * n));
  std::vector<std::unique_ptr<Array>> from;
  for (int i = 0; i < threads; ++i) from.push_back(std::make_unique<Array>(4 * n));
  const double seconds = Fastest(threads, [&](int thread) {
    for (long i = 0; i < repeats; ++i) {
      float sum = 0;
      kernels.row_sums(from[thread]->floats(), &sum, 1, n);
    }
  });
  return 4.0 * static_cast<double>(n * repeats * threads) / seconds;
}

double Rate(int threads, long per_step, void (*steps)(long)) {
  constexpr long kSteps = 400'000;
  const double seconds = Fastest(threads, [&](int) { steps(kSteps); });
  return static_cast<double>(per_step * kSteps * threads) / seconds;
}

int Main(int argc, char** argv) {
  bool json = false;
  int threads = 1;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--json") == 0) {
      json = true;
    } else if (std::strcmp(argv[i], "--threads") == 0 && i + 1 < argc) {
      threads = static_cast<int>(std::clamp(std::strtol(argv[++i], nullptr, 10), 1L, 1024L));
    } else {
      std::fprintf(stderr, "usage: bench_limits [--json] [--threads N]\n");
      return 2;
    }
  }
  const VectorKernels& kernels = baselines::BestVectorKernels();
  std::printf(json ? "{\"threads\": %d, \"isa\": \"%s\", \"copy_gbps\": {" : "%d threads, %s\n",
              threads, kernels.isa);
  const char* separator = "";
  const auto ladder = [&](const char* what, auto rate_of) {
    separator = "";
    for (const long kib : {8, 16, 64, 256, 512, 1024, 2048, 4096, 16384, 65536}) {
      const double rate = rate_of(kernels, threads, kib << 10) * 1e-9;
      if (json) {
        std::printf("%s\"%ld\": %.1f", separator, kib << 10, rate);
      } else {
        std::printf("%s of %9ld bytes %8.1f GB/s\n", what, kib << 10, rate);
      }
      separator = ", ";
    }
  };
  ladder("copy", CopyRate);
  if (json) std::printf("}, \"read_gbps\": {");
  ladder("read", ReadRate);
  if (json) std::printf("}, \"gflops\": {");
  separator = "";
  const auto print = [&](const char* name, double rate) {
    std::printf(json ? "%s\"%s\": %.1f" : "%s%-6s %12.1f Gop/s\n", json ? separator : "", name,
                rate * 1e-9);
    separator = ", ";
  };
  print("f32", Rate(threads, kernels.fma_f32_flops, kernels.fma_f32));
  print("f64", Rate(threads, kernels.fma_f64_flops, kernels.fma_f64));
  if (baselines::HasTiles()) {
    print("bf16", Rate(threads, baselines::kTileBf16Flops, baselines::TileBf16));
    print("s8", Rate(threads, baselines::kTileS8Ops, baselines::TileS8));
  }
  if (json) std::printf("}}\n");
  return 0;
}

}  // namespace
}  // namespace axle::bench

int main(int argc, char** argv) {
  return axle::bench::Main(argc, argv);
}
