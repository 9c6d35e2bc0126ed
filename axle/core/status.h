// Status and StatusOr: how every function of Axle fails. The codes are absl's and PJRT's, so that
// nothing is translated at the C ABI. An OK status is one null pointer. Threads: as std::string.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace axle {

enum class StatusCode {
  kOk = 0,
  kCancelled = 1,
  kUnknown = 2,
  kInvalidArgument = 3,
  kDeadlineExceeded = 4,
  kNotFound = 5,
  kAlreadyExists = 6,
  kPermissionDenied = 7,
  kResourceExhausted = 8,
  kFailedPrecondition = 9,
  kAborted = 10,
  kOutOfRange = 11,
  kUnimplemented = 12,
  kInternal = 13,
  kUnavailable = 14,
  kDataLoss = 15,
  kUnauthenticated = 16,
};

// "INVALID_ARGUMENT" and so on, as absl and PJRT spell them.
std::string_view StatusCodeName(StatusCode code);

class [[nodiscard]] Status {
 public:
  Status() = default;  // OK
  // An error; the code is not kOk.
  Status(StatusCode code, std::string message);

  // An OK status has the code kOk and no message. The message lives as long as the status.
  bool ok() const { return rep_ == nullptr; }
  StatusCode code() const { return ok() ? StatusCode::kOk : rep_->code; }
  const std::string& message() const;
  // "INVALID_ARGUMENT: pad: ..." or "OK".
  std::string ToString() const;

 private:
  struct Rep {
    StatusCode code;
    std::string message;
  };
  std::shared_ptr<const Rep> rep_;
};

// An error of each code that the library uses. Internal ends the message with kBugSuffix.
inline Status Cancelled(std::string message) {
  return {StatusCode::kCancelled, std::move(message)};
}
inline Status DeadlineExceeded(std::string message) {
  return {StatusCode::kDeadlineExceeded, std::move(message)};
}
inline Status NotFound(std::string message) {
  return {StatusCode::kNotFound, std::move(message)};
}
inline Status ResourceExhausted(std::string message) {
  return {StatusCode::kResourceExhausted, std::move(message)};
}
inline Status FailedPrecondition(std::string message) {
  return {StatusCode::kFailedPrecondition, std::move(message)};
}
inline Status InvalidArgument(std::string message) {
  return {StatusCode::kInvalidArgument, std::move(message)};
}
inline Status Unimplemented(std::string message) {
  return {StatusCode::kUnimplemented, std::move(message)};
}
inline constexpr std::string_view kBugSuffix = " (this is a bug in axle)";
// An invariant of the library is broken.
inline Status Internal(std::string message) {
  return {StatusCode::kInternal, std::move(message) += kBugSuffix};
}

// True if the status says that an invariant of the library is broken: made by Internal().
inline bool IsBug(const Status& status) {
  return status.code() == StatusCode::kInternal && status.message().ends_with(kBugSuffix);
}

// Ends the program as AXLE_CHECK does (core/check.h): prints `status`, the reason why a StatusOr
// whose value was asked for has none.
[[noreturn]] void StopWithoutValue(const Status& status);

// The status of a StatusOr that is made of an OK one.
Status NoValueInOk();

// Either a T or the reason why there is none. Whoever asks for the value asks ok() first: the value
// of a failure ends the program with the status printed. A StatusOr is copied if a T can be.
//
// Not a std::variant, whose visitors every program that includes axle.h would compile.
template <typename T>
class [[nodiscard]] StatusOr {
 public:
  // `status` is an error; an OK one counts as INTERNAL, because there is no T.
  StatusOr(T value) : value_(std::move(value)) {}  // NOLINT(google-explicit-constructor)
  StatusOr(Status status)                          // NOLINT(google-explicit-constructor)
      : status_(status.ok() ? NoValueInOk() : std::move(status)) {}
  // What was moved from is as it was, but for its T.
  StatusOr(const StatusOr& other) requires std::is_copy_constructible_v<T>
      : status_(other.status_) {
    if (ok()) std::construct_at(&value_, other.value_);
  }
  StatusOr(StatusOr&& other) noexcept(std::is_nothrow_move_constructible_v<T>) {
    if (other.ok()) {
      std::construct_at(&value_, std::move(other.value_));
    } else {
      status_ = other.status_;  // not moved: an OK status says that there is a value
    }
  }
  StatusOr& operator=(const StatusOr& other) requires std::is_copy_constructible_v<T> {
    return *this = StatusOr(other);
  }
  StatusOr& operator=(StatusOr&& other) noexcept(std::is_nothrow_move_constructible_v<T>) {
    if (this == &other) return *this;
    if (ok()) std::destroy_at(&value_);
    if (other.ok()) {
      // Were the T to throw, there would be an error and no value.
      status_ = kMayThrow ? NoValueInOk() : Status();
      std::construct_at(&value_, std::move(other.value_));
      status_ = {};
    } else {
      status_ = other.status_;
    }
    return *this;
  }
  ~StatusOr() {
    if (ok()) std::destroy_at(&value_);
  }

  // Whether there is a T; OK, or why there is none.
  bool ok() const { return status_.ok(); }
  Status status() const { return status_; }
  // XLA's spellings of the same; ConsumeValueOrDie is the oldest.
  const T& value() const& { return Checked(), value_; }
  T& value() & { return Checked(), value_; }
  T&& value() && { return Checked(), std::move(value_); }
  T ConsumeValueOrDie() { return Checked(), std::move(value_); }
  T& operator*() & { return Checked(), value_; }
  const T& operator*() const& { return Checked(), value_; }
  T&& operator*() && { return Checked(), std::move(value_); }
  T* operator->() { return Checked(), &value_; }
  const T* operator->() const { return Checked(), &value_; }

 private:
  static constexpr bool kMayThrow = !std::is_nothrow_move_constructible_v<T>;
  void Checked() const {
    if (!ok()) [[unlikely]]
      StopWithoutValue(status_);
  }

  Status status_;
  union {
    T value_;  // there while status_ is OK
  };
};

}  // namespace axle

#define AXLE_CONCAT_(a, b) a##b
#define AXLE_CONCAT(a, b) AXLE_CONCAT_(a, b)

// Returns from the caller when `expr`, a Status, is an error.
#define AXLE_TRY(expr)                                                              \
  do {                                                                              \
    if (::axle::Status axle_status = (expr); !axle_status.ok()) return axle_status; \
  } while (false)

// AXLE_ASSIGN(auto x, F()): x = *F(), or returns F()'s error from the caller. Also
// AXLE_ASSIGN(auto [a, b], F()), of up to five names.
#define AXLE_ASSIGN(...)                                                                 \
  AXLE_SEVENTH_(__VA_ARGS__, AXLE_ASSIGN6_, AXLE_ASSIGN5_, AXLE_ASSIGN4_, AXLE_ASSIGN3_, \
                AXLE_ASSIGN2_, )                                                         \
  (AXLE_CONCAT(axle_or_, __LINE__), __VA_ARGS__)
#define AXLE_SEVENTH_(a, b, c, d, e, f, g, ...) g
#define AXLE_ASSIGN2_(result, a, expr) AXLE_ASSIGN_(result, expr, a)
#define AXLE_ASSIGN3_(result, a, b, expr) AXLE_ASSIGN_(result, expr, a, b)
#define AXLE_ASSIGN4_(result, a, b, c, expr) AXLE_ASSIGN_(result, expr, a, b, c)
#define AXLE_ASSIGN5_(result, a, b, c, d, expr) AXLE_ASSIGN_(result, expr, a, b, c, d)
#define AXLE_ASSIGN6_(result, a, b, c, d, e, expr) AXLE_ASSIGN_(result, expr, a, b, c, d, e)
#define AXLE_ASSIGN_(result, expr, ...)     \
  auto result = (expr);                     \
  if (!result.ok()) return result.status(); \
  __VA_ARGS__ = *std::move(result)

// For broken invariants of our own, never for user data: returns INTERNAL from the caller.
// AXLE_INVARIANT(condition, "what must hold").
#define AXLE_INVARIANT(condition, what)              \
  do {                                               \
    if (!(condition)) return ::axle::Internal(what); \
  } while (false)
