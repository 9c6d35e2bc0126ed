#include "axle/core/limits.h"

#include <algorithm>

#include "axle/core/strings.h"

namespace axle {

void Limits::set_time_limit(double seconds) {
  has_deadline_ = true;
  deadline_ = std::chrono::steady_clock::now() +
              std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                  std::chrono::duration<double>(std::clamp(seconds, 0.0, 1e9)));
}

Status Limits::CheckSlowly() {
  if (cancelled()) return Cancelled("cancelled");
  if (has_deadline_ && std::chrono::steady_clock::now() > deadline_) {
    return DeadlineExceeded("the time limit is used up");
  }
  return {};
}

Status Limits::StepLimitError() const {
  return ResourceExhausted(StrCat("the limit of ", step_limit_, " steps is used up"));
}

Status Limits::Reserve(i64 bytes) {
  if (bytes > memory_cap_ - live_bytes_) {
    return ResourceExhausted(StrCat("needs ", bytes, " bytes beside ", live_bytes_,
                                    " live ones, but the memory limit is ", memory_cap_));
  }
  live_bytes_ += bytes;
  peak_bytes_ = std::max(peak_bytes_, live_bytes_);
  return {};
}

}  // namespace axle
