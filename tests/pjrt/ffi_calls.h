// Handlers of custom calls in tests, which are written as the C interface of XLA's FFI has them,
// without XLA's headers. axle/pjrt/ffi_abi.h has the interface.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "axle/pjrt/ffi_abi.h"
#include "tests/pjrt/plugin.h"

namespace axle::plugin {

inline const PJRT_FFI_Extension& Ffi() {
  return *reinterpret_cast<const PJRT_FFI_Extension*>(Extension(PJRT_Extension_Type_FFI));
}

// A handler is first asked for the version that it was compiled with. Returns whether this is that
// call, and answers it.
inline bool IsVersionCall(const XLA_FFI_CallFrame* frame, int minor = 3) {
  if (frame->extension_start == nullptr || frame->extension_start->type != 1) return false;
  auto* extension = reinterpret_cast<XLA_FFI_Metadata_Extension*>(frame->extension_start);
  extension->metadata->api_version.major_version = 0;
  extension->metadata->api_version.minor_version = minor;
  return true;
}

inline std::string RegisterPointer(std::string_view name, void* handler, int api_version) {
  PJRT_FFI_Register_Handler_Args args = {.struct_size = sizeof(args),
                                         .target_name = name.data(),
                                         .target_name_size = name.size(),
                                         .api_version = api_version,
                                         .handler = handler,
                                         .platform_name = "axle",
                                         .platform_name_size = 4};
  return Take(Ffi().register_handler(&args));
}
inline std::string Register(std::string_view name, XLA_FFI_Handler* handler, int api_version = 1) {
  return RegisterPointer(name, reinterpret_cast<void*>(handler), api_version);
}

// The functions that handlers may call, which come with each call.
inline const XLA_FFI_Api* ffi_api = nullptr;
inline XLA_FFI_Error* LearnApi(XLA_FFI_CallFrame* frame) {
  ffi_api = frame->api;
  IsVersionCall(frame);
  return nullptr;
}
inline const XLA_FFI_Api& FfiApi() {
  if (ffi_api == nullptr) {
    EXPECT_EQ(Register("test.learn_api", LearnApi), "OK");
  }
  return *ffi_api;
}

// The error that a function of the FFI gave, as a text; destroys it.
inline std::string TakeFfi(XLA_FFI_Error* error) {
  if (error == nullptr) return "OK";
  XLA_FFI_Error_GetMessage_Args message = {.struct_size = sizeof(message), .error = error};
  FfiApi().Error_GetMessage(&message);
  std::string text = message.message;
  XLA_FFI_Error_Destroy_Args destroy = {.struct_size = sizeof(destroy), .error = error};
  FfiApi().Error_Destroy(&destroy);
  return text;
}
inline XLA_FFI_Error* MakeFfi(const XLA_FFI_CallFrame* frame, int code, const char* message) {
  XLA_FFI_Error_Create_Args args = {.struct_size = sizeof(args), .message = message, .errc = code};
  return frame->api->Error_Create(&args);
}

// A bundle, which only a handler can register: the extension takes one function.
inline std::string RegisterBundle(std::string_view name, XLA_FFI_Handler_Bundle bundle) {
  XLA_FFI_Handler_Register_Args args = {.struct_size = sizeof(args),
                                        .name = {name.data(), name.size()},
                                        .platform = {"axle", 4},
                                        .bundle = bundle};
  return TakeFfi(FfiApi().Handler_Register(&args));
}

// The handler's functions on f32[3], with these attributes.
inline std::string Program(std::string_view target, std::string_view attributes = "") {
  return R"(
    module @calls { func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {
      %0 = stablehlo.custom_call @)" +
         std::string(target) + "(%a) {api_version = 4 : i32, backend_config = {" +
         std::string(attributes) + R"(}} : (tensor<3xf32>) -> tensor<3xf32>
      return %0 : tensor<3xf32> } })";
}

// The call of a target on 1, 2, 3.
struct Called {
  std::string error;
  std::vector<float> result;
};
inline Called CallTarget(PJRT_Client* client, PJRT_LoadedExecutable* executable,
                         PJRT_ExecuteOptions options) {
  const auto x = Put<float>(client, {1, 2, 3}, {3});
  const Outcome outcome = Execute(executable, {x}, nullptr, options);
  if (outcome.error != "OK") return {outcome.error, {}};
  const std::string error = Ready(outcome.results[0]);
  return {error, error == "OK" ? Get<float>(outcome.results[0]) : std::vector<float>()};
}
inline Called CallTarget(std::string_view target, std::string_view attributes = "") {
  const auto client = MakeClient();
  return CallTarget(client, Compile(client, Program(target, attributes)), {});
}

inline float* ResultOf(const XLA_FFI_CallFrame* frame) {
  return static_cast<float*>(static_cast<XLA_FFI_Buffer*>(frame->rets.rets[0])->data);
}
inline const float* OperandOf(const XLA_FFI_CallFrame* frame) {
  return static_cast<const float*>(static_cast<XLA_FFI_Buffer*>(frame->args.args[0])->data);
}
// The result is the operand plus a number.
inline void AddNumber(const XLA_FFI_CallFrame* frame, float number) {
  for (int i = 0; i < 3; ++i) ResultOf(frame)[i] = OperandOf(frame)[i] + number;
}

}  // namespace axle::plugin
