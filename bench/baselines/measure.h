// Timing: warm up, then at least 5 samples and half a second; median and spread. What is compared
// is timed in one process, in turns, so that both see the same machine.
#pragma once
#include <functional>
#include <utility>

namespace axle::bench {

struct Timing {
  double median = 0;  // seconds
  double low = 0;     // the 10 % and 90 % points
  double high = 0;
  int samples = 0;
};

Timing Measure(const std::function<void()>& run, double min_seconds = 0.5);
// Times both in turns.
std::pair<Timing, Timing> MeasureBoth(const std::function<void()>& first,
                                      const std::function<void()>& second,
                                      double min_seconds = 0.5);

// Seconds per call: samples of at least 2 ms, of which the 20th percentile counts. Of two in turns.
double PerCall(const std::function<void()>& run, int samples = 15);
std::pair<double, double> PerCallBoth(const std::function<void()>& first,
                                      const std::function<void()>& second, int samples = 15);

// The best that this thread can do here: fused multiply-adds and reads plus writes of memory.
double PeakGflops();
double CopyGigabytesPerSecond();

}  // namespace axle::bench
