#include "axle/core/limits.h"

#include <algorithm>
#include <chrono>

#include "axle/core/callback.h"
#include "axle/core/strings.h"

namespace axle {
namespace {

// Longer ones count as this: it fits into any clock.
constexpr double kMaxSeconds = 1e9;

// Nanoseconds of a clock that nobody sets.
i64 Now() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

// A number of the thread that asks.
const void* ThisThread() {
  thread_local const char here = 0;
  return &here;
}

i64 ToNanoseconds(double seconds) {
  return static_cast<i64>(seconds * 1e9);
}

std::string_view DefaultText(const Limits::Note& note) {
  return note.is_default ? " (the default)" : "";
}

std::string RemedyText(const Limits::Note& note) {
  return note.remedy.empty() ? std::string() : StrCat("; ", note.remedy);
}

}  // namespace

void Limits::set_time_limit(double seconds) {
  has_deadline_ = has_clock_ = true;
  seconds_ = seconds > 0 ? std::min(seconds, kMaxSeconds) : 0;  // a NaN is not above 0
  StartClock();
}

void Limits::StartClock() {
  deadline_ = Now() + ToNanoseconds(seconds_);
  checks_ = ~0U;  // the next Check looks at the clock
}

void Limits::set_poll(std::function<void()> poll, double seconds) {
  poll_ = std::move(poll);
  poll_interval_ = ToNanoseconds(std::clamp(seconds, 0.0, kMaxSeconds));
  has_clock_ = has_deadline_ || poll_ != nullptr;
}

void Limits::Extend(double seconds) {
  if (has_deadline_) deadline_ += ToNanoseconds(std::clamp(seconds, 0.0, kMaxSeconds));
}

void Limits::BecomePartOf(Limits& whole, bool tells_progress) {
  whole_ = &whole;
  has_deadline_ = whole.has_deadline_;
  seconds_ = whole.seconds_;
  deadline_ = whole.deadline_;
  memory_cap_ = whole.memory_cap_;
  step_limit_ = whole.step_limit_;
  what_ = whole.what_;
  name_ = whole.name_;
  activity_ = whole.activity_;
  memory_note_ = whole.memory_note_;
  time_note_ = whole.time_note_;
  if (tells_progress) {
    progress_ = whole.progress_;
    poll_ = whole.poll_;
    poll_interval_ = whole.poll_interval_;
    BeginPolls();
  }
  has_clock_ = has_deadline_ || poll_ != nullptr;
}

void Limits::BeginPolls() {
  caller_ = ThisThread();
  next_poll_ = Now() + poll_interval_;
}

void Limits::BeginCall(std::string_view what, std::string_view name) {
  in_call_ = true;
  what_ = what;
  name_ = name;
  steps_ = 0;
  reasons_.fetch_and(~kCallbackThrew, std::memory_order_relaxed);
  if (has_deadline_) StartClock();
  if (poll_ && whole_ == nullptr) BeginPolls();  // a part may begin on a thread of its own
}

void Limits::EndCall() {
  in_call_ = false;
  what_ = name_ = {};
  activity_.clear();
}

std::string Limits::Activity() const {
  if (!activity_.empty()) return activity_;
  if (what_.empty() || name_.empty()) return std::string(what_);
  return StrCat(what_, " \"", name_, "\"");
}

// Other threads that work on the call look at the limits too.
void Limits::PollIfDue() {
  if (caller_ != ThisThread() || Now() < next_poll_) return;
  CallBack("poll", poll_);
  next_poll_ = Now() + poll_interval_;
}

Status Limits::CheckSlowly() {
  if (poll_) PollIfDue();
  AXLE_TRY(progress_error());
  if (!cancelled() && (!has_deadline_ || Now() < deadline_)) return {};
  const std::string activity = Activity();
  if (cancelled()) {
    return Cancelled(StrCat("cancelled", activity.empty() ? "" : " during ", activity));
  }
  return DeadlineExceeded(StrCat("the time limit of ", seconds_, " s", DefaultText(time_note_),
                                 activity.empty() ? " is used up" : " ended ", activity,
                                 RemedyText(time_note_)));
}

void Limits::CallProgress(double done) {
  CallBack("progress", [&] { progress_(done); });
}

void Limits::CallBack(std::string_view name, const std::function<void()>& callback) {
  if ((reasons_.load(std::memory_order_relaxed) & kCallbackThrew) != 0) return;
  Status status = CallUser(name, callback);
  if (status.ok()) return;
  callback_error_ = std::move(status);
  reasons_.fetch_or(kCallbackThrew, std::memory_order_release);
}

Status Limits::progress_error() const {
  const bool threw = (reasons_.load(std::memory_order_acquire) & kCallbackThrew) != 0;
  return threw ? callback_error_ : Status();
}

Status Limits::StepLimitError() const {
  const std::string activity = Activity();
  return ResourceExhausted(StrCat("the limit of ", step_limit_, " steps",
                                  activity.empty() ? " is used up" : " ended ", activity));
}

std::string Limits::MemoryLimitText() const {
  return StrCat("the memory limit of ", HumanBytes(memory_cap_), DefaultText(memory_note_));
}

std::string Limits::MemoryLimitEnding() const {
  const std::string activity = Activity();
  return StrCat(activity.empty() ? "" : " in ", activity, RemedyText(memory_note_));
}

std::string Limits::BesideText() const {
  const i64 live = live_bytes();
  return live > 0 ? StrCat(" beside ", HumanBytes(live), " in use") : std::string();
}

Status Limits::ReserveForPart(i64 bytes, const Limits& part) {
  const std::atomic_ref<i64> live(live_bytes_), peak(peak_bytes_);
  i64 before = live.load(std::memory_order_relaxed);
  do {
    if (bytes > part.memory_cap_ - before) {
      return ResourceExhausted(StrCat("needs ", HumanBytes(bytes), part.BesideText(), ", above ",
                                      part.MemoryLimitText(), part.MemoryLimitEnding()));
    }
  } while (!live.compare_exchange_weak(before, before + bytes, std::memory_order_relaxed));
  i64 most = peak.load(std::memory_order_relaxed);
  while (most < before + bytes &&
         !peak.compare_exchange_weak(most, before + bytes, std::memory_order_relaxed)) {
  }
  return {};
}

void Limits::ReleaseOfPart(i64 bytes) {
  std::atomic_ref<i64>(live_bytes_).fetch_sub(bytes, std::memory_order_relaxed);
}

i64 Limits::live_bytes_of_parts() const {
  // The reference writes nothing; C++20 has none to a constant.
  return std::atomic_ref<i64>(const_cast<Limits*>(this)->live_bytes_)  // NOLINT
      .load(std::memory_order_relaxed);
}

Status Limits::Reserve(i64 bytes) {
  if (whole_ != nullptr) return whole_->ReserveForPart(bytes, *this);
  if (bytes > memory_cap_ - live_bytes_) {
    return ResourceExhausted(StrCat("needs ", HumanBytes(bytes), BesideText(), ", above ",
                                    MemoryLimitText(), MemoryLimitEnding()));
  }
  live_bytes_ += bytes;
  peak_bytes_ = std::max(peak_bytes_, live_bytes_);
  return {};
}

}  // namespace axle
