#include "bench/baselines/measure.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <vector>

#include "bench/baselines/loops.h"

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

namespace {

double SecondsOf(const std::function<void()>& run, long calls) {
  const auto begin = Clock::now();
  for (long i = 0; i < calls; ++i) run();
  return Seconds(begin);
}

// How many calls take 2 ms or more.
long CallsPerSample(const std::function<void()>& run) {
  constexpr double kSample = 2e-3;
  run();
  for (long calls = 1;;) {
    const double seconds = SecondsOf(run, calls);
    if (seconds >= kSample) return calls;
    const double factor = 1.2 * kSample / std::max(seconds, 1e-9);
    calls = std::max(calls + 1,
                     static_cast<long>(static_cast<double>(calls) * std::min(factor, 100.0)));
  }
}

double TwentiethPercentile(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  return samples[samples.size() / 5];
}

}  // namespace

std::pair<double, double> PerCallBoth(const std::function<void()>& first,
                                      const std::function<void()>& second, int samples) {
  const long first_calls = CallsPerSample(first), second_calls = CallsPerSample(second);
  std::vector<double> a, b;
  for (int i = 0; i < samples; ++i) {
    a.push_back(SecondsOf(first, first_calls) / static_cast<double>(first_calls));
    b.push_back(SecondsOf(second, second_calls) / static_cast<double>(second_calls));
  }
  return {TwentiethPercentile(a), TwentiethPercentile(b)};
}

double PerCall(const std::function<void()>& run, int samples) {
  const long calls = CallsPerSample(run);
  std::vector<double> all;
  for (int i = 0; i < samples; ++i)
    all.push_back(SecondsOf(run, calls) / static_cast<double>(calls));
  return TwentiethPercentile(all);
}

double PeakGflops() {
  constexpr long kSteps = 2'000'000;
  const Timing timing = Measure([] { baselines::FmaPeak(kSteps); });
  return static_cast<double>(baselines::FmaPeakFlops(kSteps)) / timing.median * 1e-9;
}

double CopyGigabytesPerSecond() {
  std::vector<float> from(1 << 24, 1.0f), to(1 << 24);
  const Timing timing =
      Measure([&] { std::memcpy(to.data(), from.data(), from.size() * sizeof(float)); });
  return 2 * static_cast<double>(from.size() * sizeof(float)) / timing.median * 1e-9;
}

}  // namespace axle::bench
