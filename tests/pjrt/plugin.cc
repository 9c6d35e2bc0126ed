#include "tests/pjrt/plugin.h"

#include <dlfcn.h>

#include "axle/core/status.h"
#include "axle/core/wire.h"
#include "tests/paths.h"

namespace axle::plugin {

const PJRT_Api& Api() {
  static const PJRT_Api& api = [&]() -> const PJRT_Api& {
    const auto path = BuildFolder() / "lib" / "libaxle_pjrt.so";
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(library, nullptr) << dlerror();
    using Get = const PJRT_Api* (*)();
    return *reinterpret_cast<Get>(dlsym(library, "GetPjrtApi"))();
  }();
  return api;
}

const PJRT_Extension_Base* Extension(int type) {
  for (const PJRT_Extension_Base* node = Api().extension_start; node != nullptr;
       node = node->next) {
    if (node->type == type) return node;
  }
  return nullptr;
}

std::string Take(PJRT_Error* error) {
  if (error == nullptr) return "OK";
  PJRT_Error_GetCode_Args code = {.struct_size = sizeof(code), .error = error};
  EXPECT_EQ(Api().Error_GetCode(&code), nullptr);
  PJRT_Error_Message_Args message = {.struct_size = sizeof(message), .error = error};
  Api().Error_Message(&message);
  std::string text = std::string(StatusCodeName(static_cast<StatusCode>(code.code))) + ": " +
                     Text(message.message, message.message_size);
  PJRT_Error_Destroy_Args destroy = {.struct_size = sizeof(destroy), .error = error};
  Api().Error_Destroy(&destroy);
  return text;
}

void Destroyer::operator()(PJRT_Client* client) const {
  Do(Api().Client_Destroy, {.client = client});
}
void Destroyer::operator()(PJRT_Buffer* buffer) const {
  Do(Api().Buffer_Destroy, {.buffer = buffer});
}
void Destroyer::operator()(PJRT_Event* event) const {
  Do(Api().Event_Destroy, {.event = event});
}
void Destroyer::operator()(PJRT_LoadedExecutable* executable) const {
  Do(Api().LoadedExecutable_Destroy, {.executable = executable});
}
void Destroyer::operator()(PJRT_Executable* executable) const {
  Do(Api().Executable_Destroy, {.executable = executable});
}
void Destroyer::operator()(PJRT_ExecuteContext* context) const {
  Do(Api().ExecuteContext_Destroy, {.context = context});
}
void Destroyer::operator()(PJRT_AsyncHostToDeviceTransferManager* manager) const {
  Do(Api().AsyncHostToDeviceTransferManager_Destroy, {.transfer_manager = manager});
}

Own<PJRT_Client> MakeClient(i64 num_devices) {
  PJRT_NamedValue devices = {.struct_size = sizeof(devices),
                             .name = "num_devices",
                             .name_size = 11,
                             .type = PJRT_NamedValue_kInt64,
                             .int64_value = num_devices,
                             .value_size = 1};
  return Own<PJRT_Client>(
      Do(Api().Client_Create, {.create_options = &devices, .num_options = 1}).client);
}

PJRT_Device* DeviceAt(PJRT_Client* client, size_t index) {
  const auto args = Do(Api().Client_Devices, {.client = client});
  EXPECT_LT(index, args.num_devices);
  return args.devices[index];
}

PJRT_Memory* MemoryAt(PJRT_Client* client, size_t index) {
  return Do(Api().Device_DefaultMemory, {.device = DeviceAt(client, index)}).memory;
}

i64 LiveBytes(PJRT_Client* client) {
  return Do(Api().Device_MemoryStats, {.device = DeviceAt(client, 0)}).bytes_in_use;
}

Own<PJRT_Buffer> PutBytes(PJRT_Client* client, PJRT_Buffer_Type type, const void* data,
                          const std::vector<i64>& dims, PJRT_Device* device) {
  if (device == nullptr) device = DeviceAt(client, 0);
  const auto args = Do(Api().Client_BufferFromHostBuffer,
                       {.client = client,
                        .data = data,
                        .type = type,
                        .dims = dims.data(),
                        .num_dims = dims.size(),
                        .host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableOnlyDuringCall,
                        .device = device});
  EXPECT_EQ(Await(args.done_with_host_buffer), "OK");
  return Own<PJRT_Buffer>(args.buffer);
}

std::string Await(PJRT_Event* event) {
  const Own<PJRT_Event> own(event);
  return Error(Api().Event_Await, {.event = event});
}

std::string Ready(PJRT_Buffer* buffer) {
  return Await(Do(Api().Buffer_ReadyEvent, {.buffer = buffer}).event);
}

std::string Options::Bytes() const {
  WireWriter build;
  build.Int(1, ordinal);
  build.Int(4, replicas);
  build.Int(5, partitions);
  if (!assignment.empty()) {
    WireWriter message;
    message.Int(1, static_cast<i64>(assignment[0].size()));
    message.Int(2, static_cast<i64>(assignment.size()));
    for (const std::vector<i64>& devices : assignment) {
      WireWriter partition;
      partition.Ints(1, devices);
      message.Message(3, partition);
    }
    build.Message(9, message);
  }
  WireWriter out;
  out.Bool(2, is_tupled);
  out.Message(3, build);
  out.Bool(4, is_portable);
  for (const auto& [name, text] : user) {
    WireWriter value, entry;
    value.Text(1, text);
    entry.Text(1, name);
    entry.Message(2, value);
    out.Message(7, entry);
  }
  return out.Take();
}

namespace {

std::string CompileTo(PJRT_Client* client, std::string_view program, std::string_view options,
                      std::string_view format, PJRT_LoadedExecutable*& executable) {
  const PJRT_Program code = {.struct_size = sizeof(code),
                             .code = const_cast<char*>(program.data()),
                             .code_size = program.size(),
                             .format = format.data(),
                             .format_size = format.size()};
  PJRT_Client_Compile_Args args = {.struct_size = sizeof(args),
                                   .client = client,
                                   .program = &code,
                                   .compile_options = options.data(),
                                   .compile_options_size = options.size()};
  std::string error = Take(Api().Client_Compile(&args));
  executable = args.executable;
  return error;
}

}  // namespace

std::string CompileError(PJRT_Client* client, std::string_view program, std::string_view options,
                         std::string_view format) {
  PJRT_LoadedExecutable* executable = nullptr;
  std::string error = CompileTo(client, program, options, format, executable);
  const Own<PJRT_LoadedExecutable> own(executable);
  return error;
}

Own<PJRT_LoadedExecutable> Compile(PJRT_Client* client, std::string_view program,
                                   std::string_view options, std::string_view format) {
  PJRT_LoadedExecutable* executable = nullptr;
  EXPECT_EQ(CompileTo(client, program, options, format, executable), "OK");
  return Own<PJRT_LoadedExecutable>(executable);
}

Own<PJRT_Executable> ExecutableOf(PJRT_LoadedExecutable* loaded) {
  return Own<PJRT_Executable>(
      Do(Api().LoadedExecutable_GetExecutable, {.loaded_executable = loaded}).executable);
}

Outcome Execute(PJRT_LoadedExecutable* executable, const std::vector<PJRT_Buffer*>& arguments,
                PJRT_Device* device, PJRT_ExecuteOptions options) {
  const size_t num_outputs =
      Do(Api().Executable_NumOutputs, {.executable = ExecutableOf(executable)}).num_outputs;
  std::vector<PJRT_Buffer*> outputs(num_outputs + 1);
  PJRT_Buffer** const output_list = outputs.data();
  PJRT_Buffer* const* const argument_list = arguments.data();
  PJRT_Event* done = nullptr;
  options.struct_size = sizeof(options);
  Outcome outcome;
  outcome.error = Error(Api().LoadedExecutable_Execute, {.executable = executable,
                                                         .options = &options,
                                                         .argument_lists = &argument_list,
                                                         .num_devices = 1,
                                                         .num_args = arguments.size(),
                                                         .output_lists = &output_list,
                                                         .device_complete_events = &done,
                                                         .execute_device = device});
  if (outcome.error != "OK") return outcome;
  for (size_t i = 0; i < num_outputs; ++i) outcome.results.emplace_back(outputs[i]);
  outcome.done = Own<PJRT_Event>(done);
  return outcome;
}

}  // namespace axle::plugin
