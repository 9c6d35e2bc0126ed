#include "bench/yardsticks/measure.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <vector>

#include "bench/yardsticks/loops.h"

namespace axle::bench {
namespace {

using Clock = std::chrono::steady_clock;

double Seconds(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

Timing Summary(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const size_t n = samples.size();
  return {samples[n / 2], samples[n / 10], samples[n - 1 - n / 10], static_cast<int>(n)};
}

}  // namespace

std::pair<Timing, Timing> MeasureBoth(const std::function<void()>& first,
                                      const std::function<void()>& second, double min_seconds) {
  for (int i = 0; i < 2; ++i) first(), second();
  std::vector<double> a, b;
  const auto begin = Clock::now();
  while (a.size() < 5 || Seconds(begin) < 2 * min_seconds) {
    const auto start = Clock::now();
    first();
    a.push_back(Seconds(start));
    const auto middle = Clock::now();
    second();
    b.push_back(Seconds(middle));
  }
  return {Summary(a), Summary(b)};
}

Timing Measure(const std::function<void()>& run, double min_seconds) {
  for (int i = 0; i < 2; ++i) run();
  std::vector<double> samples;
  const auto begin = Clock::now();
  while (samples.size() < 5 || Seconds(begin) < min_seconds) {
    const auto start = Clock::now();
    run();
    samples.push_back(Seconds(start));
  }
  return Summary(samples);
}

double PeakGflops() {
  constexpr long kSteps = 2'000'000;
  const Timing timing = Measure([] { yardsticks::FmaPeak(kSteps); });
  return static_cast<double>(yardsticks::FmaPeakFlops(kSteps)) / timing.median * 1e-9;
}

double CopyGigabytesPerSecond() {
  std::vector<float> from(1 << 24, 1.0f), to(1 << 24);
  const Timing timing =
      Measure([&] { std::memcpy(to.data(), from.data(), from.size() * sizeof(float)); });
  return 2 * static_cast<double>(from.size() * sizeof(float)) / timing.median * 1e-9;
}

}  // namespace axle::bench
