// CustomCallRegistry: the custom-call targets of a user, by name. Nothing else is ever called: no
// symbol of the process is looked up.
//
//   CustomCallRegistry registry;
//   registry.Register("negate", [](void* out, const void** in) {
//     *static_cast<float*>(out) = -*static_cast<const float*>(in[0]);
//   });
//
// There are four kinds of functions, one for each api_version that a program may ask for. The first
// three get raw buffers: in[i] is the i-th array of the operands, tuples taken apart; out is the
// array of the result, or for a tuple an array of pointers to its arrays, taken apart likewise. The
// fourth gets the same buffers with their shapes. Buffers are dense, in the layouts that the
// instruction names; PRED and types of 6 bits have a byte per element, complex numbers are pairs,
// and types of 1, 2 and 4 bits are packed, the first element in the low bits. Result buffers start
// as zeros. Tokens have no buffer.
//
// Thread-safe. Functions are called without a lock held, from any thread that runs a program, maybe
// from several at a time. What they throw becomes INTERNAL.
#pragma once
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "axle/core/custom_call.h"
#include "axle/core/status.h"

// How a status-returning function says that it failed; XLA's names. A status is success until
// XlaCustomCallStatusSetFailure is called. Inline: libaxle.so must not give these names to others
// in the process, whose XlaCustomCallStatus is another.
struct XlaCustomCallStatus {
  bool failed = false;
  std::string message;
};
// Takes a failure back.
inline void XlaCustomCallStatusSetSuccess(XlaCustomCallStatus* status) {
  status->failed = false;
  status->message.clear();
}
// The run ends with INTERNAL and the message, `message_len` bytes, which are copied.
inline void XlaCustomCallStatusSetFailure(XlaCustomCallStatus* status, const char* message,
                                          size_t message_len) {
  status->failed = true;
  status->message.assign(message, message_len);
}

namespace axle {

// One array of an operand or result of a typed function.
struct CustomCallBuffer {
  Shape shape;  // an array, with its layout
  void* data = nullptr;
  i64 num_bytes = 0;

  // Of a type with at least a byte per element; in the order of the layout.
  template <typename T>
  std::span<T> elements() const {
    return {static_cast<T*>(data), static_cast<size_t>(num_bytes) / sizeof(T)};
  }
};

// What a typed function works on.
struct CustomCallFrame {
  const CustomCallInvocation& invocation;  // target, backend_config, frontend attributes, limits
  const CustomCallAttributes& attributes;  // backend_config as a dictionary
  std::span<const CustomCallBuffer> operands;
  std::span<const CustomCallBuffer> results;
};

class CustomCallRegistry {
 public:
  using Function = std::function<void(void* out, const void** in)>;
  using StatusFunction =
      std::function<void(void* out, const void** in, XlaCustomCallStatus* status)>;
  using UnifiedFunction = std::function<void(void* out, const void** in, const char* opaque,
                                             size_t opaque_len, XlaCustomCallStatus* status)>;
  using TypedFunction = std::function<Status(const CustomCallFrame& frame)>;

  CustomCallRegistry() = default;
  CustomCallRegistry(const CustomCallRegistry&) = delete;
  CustomCallRegistry& operator=(const CustomCallRegistry&) = delete;

  // INVALID_ARGUMENT for an empty name or function, ALREADY_EXISTS for a name that is taken.
  Status Register(std::string_view name, Function function);
  Status Register(std::string_view name, void (*function)(void* out, void** in));
  Status RegisterStatusReturning(std::string_view name, StatusFunction function);
  Status RegisterUnified(std::string_view name, UnifiedFunction function);
  Status RegisterTyped(std::string_view name, TypedFunction function);

  // Whether a target has this name; all names.
  bool Contains(std::string_view name) const;
  std::vector<std::string> Names() const;  // sorted
  // Makes the buffers, calls the target and makes the result, row-major. Errors say what is wrong
  // without the target's name: NOT_FOUND, FAILED_PRECONDITION if it is registered for another
  // api_version, INTERNAL with the message of a function that failed.
  StatusOr<Literal> Call(const CustomCallInvocation& invocation) const;

 private:
  // In the order of CustomCallApi, from kOriginal on.
  using Target = std::variant<Function, StatusFunction, UnifiedFunction, TypedFunction>;
  Status Add(std::string_view name, Target target);

  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const Target>, std::less<>> targets_;
};

}  // namespace axle
