// What is behind the opaque types of axle/c_api.h, and the ways across: options in, statuses out.
#pragma once
#include <cstring>
#include <exception>
#include <initializer_list>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "axle/c_api.h"
#include "axle/capi/status.h"
#include "axle/client/buffer.h"
#include "axle/client/client.h"
#include "axle/client/future.h"
#include "axle/client/host_array.h"
#include "axle/client/profile.h"
#include "axle/core/array_slice.h"
#include "axle/core/strings.h"

struct axle_bytes {
  std::string value;
};

struct axle_limits {
  axle::Limits value;
};

struct axle_profile {
  explicit axle_profile(const axle::ProfileOptions& options) : value(options) {}
  axle::Profile value;
};

struct axle_shape {
  axle_shape(const axle_shape&) = delete;
  axle_shape& operator=(const axle_shape&) = delete;
  explicit axle_shape(axle::Shape shape);
  const axle::Shape value;
  const std::string text;
  std::vector<std::unique_ptr<const axle_shape>> elements;
};

struct axle_module {
  explicit axle_module(std::shared_ptr<const axle::Module> module);
  const std::shared_ptr<const axle::Module> value;
  std::vector<std::unique_ptr<const axle_shape>> parameters;
  std::vector<std::string> parameter_names;
  axle_shape result;
};

struct axle_client {
  const std::unique_ptr<axle::Client> value;
};

struct axle_buffer {
  axle_buffer(axle::BufferPtr buffer, bool is_zero_copy)
      : value(std::move(buffer)), shape(value->shape()), is_zero_copy(is_zero_copy) {}
  const axle::BufferPtr value;
  const axle_shape shape;
  const bool is_zero_copy;
};

struct axle_view {
  axle::Buffer::View value;
};

struct axle_future {
  const axle::Future value;
};

struct axle_executable {
  const std::shared_ptr<axle::Executable> value;
  const axle_module module;
};

namespace axle {

// Null for OK. Finds the place that the message names.
axle_status* ToC(const Status& status);

// Runs `body`, which returns a Status, and lets no exception out.
template <typename Body>
axle_status* Guarded(const char* function, Body body) noexcept {
  try {
    try {
      return ToC(body());
    } catch (const std::bad_alloc&) {
      return OutOfMemoryStatus();
    } catch (const std::exception& e) {
      return ToC(Internal(StrCat(function, ": exception: ", e.what())));
    }
  } catch (...) {
    return OutOfMemoryStatus();
  }
}

struct NamedArgument {
  const char* name;
  const void* value;
};
// INVALID_ARGUMENT that names the first one that is null.
Status CheckNotNull(const char* function, std::initializer_list<NamedArgument> arguments);

// The checks behind ReadStruct: how many bytes of the struct are known on both sides. Of a struct
// that is read, the rest must be zeros.
StatusOr<size_t> CheckStruct(const char* function, const void* data, size_t known_size,
                             bool check_rest);

// A copy of a struct that begins with struct_size, in this version's size: what the caller does not
// know is zero. Null gives zeros. An error if the caller knows more, and uses it.
template <typename T>
StatusOr<T> ReadStruct(const char* function, const T* from) {
  static_assert(sizeof(T) % 8 == 0);
  T to = {};
  if (from == nullptr) return to;
  AXLE_ASSIGN(const size_t size, CheckStruct(function, from, sizeof(T), /*check_rest=*/true));
  std::memcpy(static_cast<void*>(&to), from, size);
  return to;
}

inline Limits* LimitsOf(axle_limits* limits) {
  return limits == nullptr ? nullptr : &limits->value;
}

inline Profile* ProfileOf(axle_profile* profile) {
  return profile == nullptr ? nullptr : &profile->value;
}

// An axle_array in a form that can be used; the pointers are the caller's.
struct HostArray {
  Shape shape = {};
  ArraySlice<i64> byte_strides = {};
  void* data = nullptr;
  i64* sizes = nullptr;
};
StatusOr<HostArray> ReadArray(const char* function, const axle_array* array);
// "FUNCTION: WHAT is s32[4], must be f32[4]"; layouts and dynamic flags do not count.
Status CheckArrayFits(const char* function, std::string_view what, const HostArray& array,
                      const Shape& expected);
// The elements as a value of this shape, which fits, with the run-time sizes that the array names.
// Borrows the memory if it can.
StatusOr<Literal> ReadValue(const char* function, std::string_view what, const HostArray& array,
                            const Shape& shape, HostRead read);
// Null data is left out.
Status WriteValue(const Literal& value, const HostArray& array);

}  // namespace axle
