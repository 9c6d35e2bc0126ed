// How the functions of the plugin meet PJRT's C interface. A function is written as
//
//   Status Buffer_Device(PJRT_Buffer_Device_Args& args) { args.device = args.buffer->device; return
//   {}; }
//
// and the table gets a wrapper of it, which makes a PJRT_Error of a failure, lets no exception out,
// and refuses missing arguments. Functions are declared below, all of them, so that a missing one
// is an error of the linker.
#pragma once
#include <cstddef>
#include <string_view>

#include "axle/core/status.h"
#include "axle/pjrt/c_abi.h"

// Whether the caller knows this member of its struct of arguments. Members that came with a minor
// version above 57 are neither read nor written without this question.
#define AXLE_PJRT_HAS(args, member) \
  ((args).struct_size >=            \
   offsetof(std::remove_cvref_t<decltype(args)>, member) + sizeof((args).member))

namespace axle::pjrt {

#define AXLE_PJRT_OF(name, since) Status name(PJRT_##name##_Args& args);
#define AXLE_PJRT_FREE(name, since) Status name(PJRT_##name##_Args& args);
#include "axle/pjrt/functions.def"

// Null for OK; the caller destroys it.
PJRT_Error* MakeError(const Status& status);
// The error in the place of one that there is no memory for.
PJRT_Error* OutOfMemoryError();
// Null is accepted.
void DestroyError(PJRT_Error* error);
const Status& StatusOf(const PJRT_Error& error);
// What a client describes by a code and a message; codes that there are not become UNKNOWN.
Status StatusFrom(PJRT_Error_Code code, std::string_view message);
// The status of an error that a callback of the client returned, which is destroyed.
Status TakeStatus(PJRT_Error* error);

// Calls `function`, a Status(Args&), for an entry of the table, `name`.
template <typename Args, typename Function>
PJRT_Error* Call(const char* name, bool has_object, Args* args, Function function) noexcept {
  try {
    try {
      if (args == nullptr)
        return MakeError(InvalidArgument(std::string(name) + ": null arguments"));
      if (has_object) {
        // The object is the first member behind the size and the extensions.
        void* object = *reinterpret_cast<void**>(reinterpret_cast<char*>(args) + 16);
        if (object == nullptr) {
          return MakeError(InvalidArgument(std::string(name) + ": the object is null"));
        }
      }
      return MakeError(function(*args));
    } catch (const std::bad_alloc&) {
      return MakeError(ResourceExhausted(std::string(name) + ": no memory"));
    } catch (const std::exception& e) {
      return MakeError(Internal(std::string(name) + ": exception: " + e.what()));
    }
  } catch (...) {
    return OutOfMemoryError();
  }
}

// The text of a pointer and a size, which may be null and 0.
inline std::string_view TextOf(const char* data, size_t size) {
  return data == nullptr ? std::string_view() : std::string_view(data, size);
}

}  // namespace axle::pjrt
