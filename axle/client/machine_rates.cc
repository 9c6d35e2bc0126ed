// Memory: each thread copies its part of an array that is larger than most caches, twice, and the
// better of the two counts; the bytes of the copy are read once and written once. Arithmetic: each
// thread does chains of fused multiplications and additions that do not wait for each other, in
// registers. All threads start together, and the slowest one counts.
#include "axle/client/machine_rates.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace axle {
namespace {

constexpr std::int64_t kArrayBytes = std::int64_t{8} << 20;
constexpr int kRounds = 3;   // the first one takes the page faults
constexpr int kChains = 12;  // of each thread: latency times throughput of any processor
constexpr std::int64_t kLinks = 20'000;  // of each chain

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Each chain is x = x * a + b; the values stay near 1.
#if defined(__x86_64__)
__attribute__((target("avx512f"))) float RunWideChains() {
  __m512 x[kChains];
  for (int i = 0; i < kChains; ++i) x[i] = _mm512_set1_ps(1.0F + static_cast<float>(i));
  const __m512 a = _mm512_set1_ps(0.5F), b = _mm512_set1_ps(0.5F);
  for (std::int64_t link = 0; link < kLinks; ++link) {
#pragma GCC unroll 12
    for (int i = 0; i < kChains; ++i) x[i] = _mm512_fmadd_ps(x[i], a, b);
  }
  float sum = 0;
  for (int i = 0; i < kChains; ++i) sum += _mm512_cvtss_f32(x[i]);
  return sum;
}

__attribute__((target("avx2,fma"))) float RunChains() {
  __m256 x[kChains];
  for (int i = 0; i < kChains; ++i) x[i] = _mm256_set1_ps(1.0F + static_cast<float>(i));
  const __m256 a = _mm256_set1_ps(0.5F), b = _mm256_set1_ps(0.5F);
  for (std::int64_t link = 0; link < kLinks; ++link) {
#pragma GCC unroll 12
    for (int i = 0; i < kChains; ++i) x[i] = _mm256_fmadd_ps(x[i], a, b);
  }
  float sum = 0;
  for (int i = 0; i < kChains; ++i) sum += _mm256_cvtss_f32(x[i]);
  return sum;
}

bool HasWideVectors() {
  return __builtin_cpu_supports("avx512f") != 0;
}
int VectorLanes() {
  return HasWideVectors() ? 16 : 8;
}
float RunAnyChains() {
  return HasWideVectors() ? RunWideChains() : RunChains();
}
#else
int VectorLanes() {
  return 4;
}
float RunAnyChains() {
  float x[kChains * 4];
  for (int i = 0; i < kChains * 4; ++i) x[i] = 1.0F + static_cast<float>(i);
  for (std::int64_t link = 0; link < kLinks; ++link) {
    for (float& value : x) value = value * 0.5F + 0.5F;
  }
  float sum = 0;
  for (const float value : x) sum += value;
  return sum;
}
#endif

// Runs `work(thread, round)` on so many threads at a time, and returns the seconds of the slowest
// thread in its best round. Where the system gives fewer threads, fewer run.
template <typename F>
double BestSeconds(int threads, int& started, const F& work) {
  std::vector<double> best(static_cast<size_t>(threads), 1e9);
  std::atomic<int> ready = 0;
  std::atomic<int> expected = threads;
  const auto run = [&](int thread) {
    ++ready;
    while (ready < expected) std::this_thread::yield();
    for (int round = 0; round < kRounds; ++round) {
      double& seconds = best[static_cast<size_t>(thread)];
      seconds = std::min(seconds, work(thread, round));
    }
  };
  std::vector<std::thread> others;
  started = 1;
  try {
    for (; started < threads; ++started) others.emplace_back(run, started);
  } catch (const std::system_error&) {
    expected = started;
  }
  run(0);
  for (std::thread& other : others) other.join();
  return *std::max_element(best.begin(), best.begin() + started);
}

MachineRates Measure(int threads) {
  MachineRates rates = {.threads = threads};
  const auto bytes = static_cast<size_t>(kArrayBytes);
  const std::unique_ptr<std::byte[]> from(new (std::nothrow) std::byte[bytes]);
  const std::unique_ptr<std::byte[]> to(new (std::nothrow) std::byte[bytes]);
  if (from != nullptr && to != nullptr) {
    std::memset(from.get(), 1, bytes);
    const size_t part = bytes / static_cast<size_t>(threads);
    int started = 0;
    const double seconds = BestSeconds(threads, started, [&](int thread, int) {
      const auto begin = Clock::now();
      const size_t offset = part * static_cast<size_t>(thread);
      std::memcpy(to.get() + offset, from.get() + offset, part);
      return SecondsSince(begin);
    });
    rates.bytes_per_second = 2.0 * static_cast<double>(part) * started / seconds;
  }
  std::vector<float> sums(static_cast<size_t>(threads));
  int started = 0;
  const double seconds = BestSeconds(threads, started, [&](int thread, int) {
    const auto begin = Clock::now();
    sums[static_cast<size_t>(thread)] += RunAnyChains();
    return SecondsSince(begin);
  });
  rates.flops_per_second =
      2.0 * kChains * VectorLanes() * static_cast<double>(kLinks) * started / seconds;
  volatile float kept = 0;  // so that the compiler leaves nothing out
  for (const float sum : sums) kept = kept + sum;
  return rates;
}

}  // namespace

MachineRates MeasuredRates(int threads) {
  static std::mutex mutex;
  static std::map<int, MachineRates> known;
  const std::lock_guard lock(mutex);
  const auto found = known.find(threads);
  if (found != known.end()) return found->second;
  return known.emplace(threads, Measure(threads < 1 ? 1 : threads)).first->second;
}

}  // namespace axle
