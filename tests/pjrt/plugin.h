// The plugin as its clients see it: the library, loaded as they load it, and short ways to call it.
//
//   const Own<PJRT_Client> client = MakeClient();
//   const Own<PJRT_Buffer> x = Put<float>(client, {1, 2, 3}, {3});
//   EXPECT_EQ(Do(Api().Buffer_IsDeleted, {.buffer = x}).is_deleted, false);
//   EXPECT_EQ(Error(Api().Buffer_Device, {.buffer = nullptr}), "INVALID_ARGUMENT: ...");
//
// Errors are texts here, "OK" or the name of the code and the message, so that one comparison has
// both.
#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "axle/core/element_type.h"
#include "axle/pjrt/c_abi.h"

// Members of arguments that a call does not name are zero.
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

namespace axle::plugin {

// The table of the library in the build that the test is part of.
const PJRT_Api& Api();
// The node of the chain of extensions that has this type.
const PJRT_Extension_Base* Extension(int type);

// "OK" for null, otherwise "INVALID_ARGUMENT: what is wrong"; destroys the error.
std::string Take(PJRT_Error* error);

// The error of a call.
template <typename Args>
std::string Error(PJRT_Error* (*function)(Args*), std::type_identity_t<Args> args) {
  args.struct_size = sizeof(Args);
  return Take(function(&args));
}
// The arguments after a call that must succeed.
template <typename Args>
Args Do(PJRT_Error* (*function)(Args*), std::type_identity_t<Args> args) {
  args.struct_size = sizeof(Args);
  EXPECT_EQ(Take(function(&args)), "OK");
  return args;
}

struct Destroyer {
  void operator()(PJRT_Client* client) const;
  void operator()(PJRT_Buffer* buffer) const;
  void operator()(PJRT_Event* event) const;
  void operator()(PJRT_LoadedExecutable* executable) const;
  void operator()(PJRT_Executable* executable) const;
  void operator()(PJRT_ExecuteContext* context) const;
  void operator()(PJRT_AsyncHostToDeviceTransferManager* manager) const;
};

// An object of the plugin, which is destroyed through its interface.
template <typename T>
struct Own : std::unique_ptr<T, Destroyer> {
  using std::unique_ptr<T, Destroyer>::unique_ptr;
  operator T*() const { return this->get(); }  // NOLINT(google-explicit-constructor)
};

// A client of so many devices.
Own<PJRT_Client> MakeClient(i64 num_devices = 1);
PJRT_Device* DeviceAt(PJRT_Client* client, size_t index);
PJRT_Memory* MemoryAt(PJRT_Client* client, size_t index);
// The bytes that the live buffers of the client take.
i64 LiveBytes(PJRT_Client* client);

template <typename T>
inline constexpr PJRT_Buffer_Type kTypeOf = 0;
template <>
inline constexpr PJRT_Buffer_Type kTypeOf<std::int8_t> = 2;
template <>
inline constexpr PJRT_Buffer_Type kTypeOf<std::int32_t> = 4;
template <>
inline constexpr PJRT_Buffer_Type kTypeOf<std::int64_t> = 5;
template <>
inline constexpr PJRT_Buffer_Type kTypeOf<float> = 11;
template <>
inline constexpr PJRT_Buffer_Type kTypeOf<double> = 12;

// A copy of these elements, on the first device unless another one is given.
Own<PJRT_Buffer> PutBytes(PJRT_Client* client, PJRT_Buffer_Type type, const void* data,
                          const std::vector<i64>& dims, PJRT_Device* device);
template <typename T>
Own<PJRT_Buffer> Put(PJRT_Client* client, const std::vector<T>& elements,
                     const std::vector<i64>& dims, PJRT_Device* device = nullptr) {
  return PutBytes(client, kTypeOf<T>, elements.data(), dims, device);
}

// Waits for the event and destroys it.
std::string Await(PJRT_Event* event);
// The elements of a buffer, row-major; none and a failure of the test if there is an error.
template <typename T>
std::vector<T> Get(PJRT_Buffer* buffer) {
  const size_t size = Do(Api().Buffer_ToHostBuffer, {.src = buffer}).dst_size;
  std::vector<T> elements(size / sizeof(T));
  T none = {};
  void* target = elements.empty() ? &none : elements.data();
  EXPECT_EQ(
      Await(Do(Api().Buffer_ToHostBuffer, {.src = buffer, .dst = target, .dst_size = size}).event),
      "OK");
  return elements;
}
// The error of a buffer's value.
std::string Ready(PJRT_Buffer* buffer);

// A CompileOptionsProto.
struct Options {
  i64 replicas = 1;
  i64 partitions = 1;
  i64 ordinal = -1;
  std::vector<std::vector<i64>> assignment = {};  // for each partition the devices of its replicas
  bool is_portable = false;
  bool is_tupled = false;
  std::vector<std::pair<std::string, std::string>> user = {};
  std::string Bytes() const;
};
// The error of a compilation.
std::string CompileError(PJRT_Client* client, std::string_view program,
                         std::string_view options = Options().Bytes(),
                         std::string_view format = "mlir");
Own<PJRT_LoadedExecutable> Compile(PJRT_Client* client, std::string_view program,
                                   std::string_view options = Options().Bytes(),
                                   std::string_view format = "mlir");
Own<PJRT_Executable> ExecutableOf(PJRT_LoadedExecutable* loaded);

// What an execution on one device gives.
struct Outcome {
  std::string error;
  std::vector<Own<PJRT_Buffer>> results;
  Own<PJRT_Event> done;
};
Outcome Execute(PJRT_LoadedExecutable* executable, const std::vector<PJRT_Buffer*>& arguments,
                PJRT_Device* device = nullptr, PJRT_ExecuteOptions options = {});

// "abc" of a pointer and a size.
inline std::string Text(const char* data, size_t size) {
  return {data, size};
}

// add(a, b) of f32[3].
inline constexpr std::string_view kAdd = R"(
module @add {
  func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.add %a, %b : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
})";

}  // namespace axle::plugin
