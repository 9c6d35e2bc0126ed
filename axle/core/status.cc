#include "axle/core/status.h"

#include "axle/core/check.h"

namespace axle {

std::string_view StatusCodeName(StatusCode code) {
  switch (code) {
    case StatusCode::kOk:
      return "OK";
    case StatusCode::kCancelled:
      return "CANCELLED";
    case StatusCode::kUnknown:
      return "UNKNOWN";
    case StatusCode::kInvalidArgument:
      return "INVALID_ARGUMENT";
    case StatusCode::kDeadlineExceeded:
      return "DEADLINE_EXCEEDED";
    case StatusCode::kNotFound:
      return "NOT_FOUND";
    case StatusCode::kAlreadyExists:
      return "ALREADY_EXISTS";
    case StatusCode::kPermissionDenied:
      return "PERMISSION_DENIED";
    case StatusCode::kResourceExhausted:
      return "RESOURCE_EXHAUSTED";
    case StatusCode::kFailedPrecondition:
      return "FAILED_PRECONDITION";
    case StatusCode::kAborted:
      return "ABORTED";
    case StatusCode::kOutOfRange:
      return "OUT_OF_RANGE";
    case StatusCode::kUnimplemented:
      return "UNIMPLEMENTED";
    case StatusCode::kInternal:
      return "INTERNAL";
    case StatusCode::kUnavailable:
      return "UNAVAILABLE";
    case StatusCode::kDataLoss:
      return "DATA_LOSS";
    case StatusCode::kUnauthenticated:
      return "UNAUTHENTICATED";
  }
  return "UNKNOWN";
}

Status::Status(StatusCode code, std::string message)
    : rep_(std::make_shared<const Rep>(Rep{code, std::move(message)})) {}

const std::string& Status::message() const {
  static const std::string kNone;
  return ok() ? kNone : rep_->message;
}

std::string Status::ToString() const {
  return ok() ? "OK" : std::string(StatusCodeName(code())) + ": " + message();
}

Status Cancelled(std::string message) {
  return {StatusCode::kCancelled, std::move(message)};
}
Status DeadlineExceeded(std::string message) {
  return {StatusCode::kDeadlineExceeded, std::move(message)};
}
Status NotFound(std::string message) {
  return {StatusCode::kNotFound, std::move(message)};
}
Status ResourceExhausted(std::string message) {
  return {StatusCode::kResourceExhausted, std::move(message)};
}
Status FailedPrecondition(std::string message) {
  return {StatusCode::kFailedPrecondition, std::move(message)};
}
Status InvalidArgument(std::string message) {
  return {StatusCode::kInvalidArgument, std::move(message)};
}
Status Unimplemented(std::string message) {
  return {StatusCode::kUnimplemented, std::move(message)};
}
Status Internal(std::string message) {
  return {StatusCode::kInternal, std::move(message) += kBugSuffix};
}
Status BrokenInvariant(std::string_view what) {
  return Internal(std::string(what));
}

bool IsBug(const Status& status) {
  return status.code() == StatusCode::kInternal && status.message().ends_with(kBugSuffix);
}

void StopWithoutValue(const Status& status) {
  CheckFailed(__FILE__, __LINE__, "a StatusOr has no value, ask ok() first: " + status.ToString());
}

}  // namespace axle
