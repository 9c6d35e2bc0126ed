// ProgressPace: how often a loop tells its progress. A loop cannot look at the clock each time, and
// does not know how long one iteration takes, a nanosecond or a minute. It counts down to its next
// report instead, and each report looks at the clock and sets the distance to the next one: twice
// as far if the last came early, half as far if it came late.
//
//   if (pace.IsDue()) limits->Progress(done);   // in each iteration: a decrement and a comparison
//
// Reports begin with the first iteration and come some 20 to 100 ms apart, or with each iteration
// if those take longer; never more than kMaxApart iterations apart, so that quick loops report
// more often than that. For one thread.
#pragma once
#include <algorithm>
#include <chrono>

namespace axle {

class ProgressPace {
 public:
  bool IsDue() {
    if (--left_ > 0) [[likely]]
      return false;
    SetNext();
    return true;
  }

  static constexpr int kMaxApart = 1024;

 private:
  using Clock = std::chrono::steady_clock;
  void SetNext() {
    constexpr auto kEarly = std::chrono::milliseconds(20), kLate = std::chrono::milliseconds(100);
    const auto now = Clock::now();
    if (now - last_ < kEarly) apart_ = std::min(2 * apart_, kMaxApart);
    if (now - last_ > kLate) apart_ = std::max(apart_ / 2, 1);
    last_ = now;
    left_ = apart_;
  }

  int left_ = 1, apart_ = 1;
  Clock::time_point last_;  // the clock's epoch: long ago
};

}  // namespace axle
