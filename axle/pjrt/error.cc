// PJRT_Error: a status. Each begins with a pointer to a table of functions, so that code that has
// only the error can read it.
#include <new>

#include "axle/pjrt/handles.h"

struct PJRT_Error {
  const PJRT_Error_FunctionTable* table;  // the first member, as clients expect
  axle::Status status;
};

namespace axle::pjrt {
namespace {

void Destroy(PJRT_Error* error) {
  if (error != OutOfMemoryError()) delete error;
}

void Message(const PJRT_Error* error, const char** message, size_t* size) {
  *message = error->status.message().data();
  *size = error->status.message().size();
}

PJRT_Error_Code Code(const PJRT_Error* error) {
  return static_cast<PJRT_Error_Code>(error->status.code());
}

// Errors have no payloads.
void ForEachPayload(const PJRT_Error* /*error*/, PJRT_Error_PayloadVisitor /*visitor*/,
                    void* /*user_arg*/) {}

constexpr PJRT_Error_FunctionTable kTable = {.struct_size = sizeof(PJRT_Error_FunctionTable),
                                             .instance_size = sizeof(PJRT_Error),
                                             .extension_start = nullptr,
                                             .destroy = Destroy,
                                             .message = Message,
                                             .get_code = Code,
                                             .for_each_payload = ForEachPayload};

}  // namespace

PJRT_Error* OutOfMemoryError() {
  static PJRT_Error error{&kTable, ResourceExhausted("pjrt: no memory")};
  return &error;
}

PJRT_Error* MakeError(const Status& status) {
  if (status.ok()) return nullptr;
  auto* error = new (std::nothrow) PJRT_Error{&kTable, status};
  return error != nullptr ? error : OutOfMemoryError();
}

const Status& StatusOf(const PJRT_Error& error) {
  return error.status;
}

void DestroyError(PJRT_Error* error) {
  if (error != nullptr) Destroy(error);
}

Status TakeStatus(PJRT_Error* error) {
  if (error == nullptr) return {};
  Status status = error->status;
  Destroy(error);
  return status;
}

Status StatusFrom(PJRT_Error_Code code, std::string_view message) {
  if (code == 0) return {};
  const bool is_known = code > 0 && code <= static_cast<int>(StatusCode::kUnauthenticated);
  return {is_known ? static_cast<StatusCode>(code) : StatusCode::kUnknown, std::string(message)};
}

Status Error_GetCode(PJRT_Error_GetCode_Args& args) {
  args.code = Code(args.error);
  return {};
}

Status Error_ForEachPayload(PJRT_Error_ForEachPayload_Args& args) {
  ForEachPayload(args.error, args.visitor, args.user_arg);
  return {};
}

}  // namespace axle::pjrt
