// What a call costs through the PJRT plugin, beside the same call of the C++ client: Execute of a
// program that adds 1 to four floats, from the entry of PJRT_LoadedExecutable_Execute to its
// return, and the destruction of its event and its result.
//
//   bench_pjrt [LIBRARY]      libaxle_pjrt.so beside the program's libraries, if none is named
//
// CPU nanoseconds per call, the fastest of several rounds. Bounds: 2 us, and 3 us more than the
// client.
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

#include "axle/client/client.h"
#include "axle/pjrt/c_abi.h"

namespace axle {
namespace {

double CpuSeconds() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

template <typename Fn>
double Fastest(int calls, Fn fn) {
  double fastest = 1e9;
  for (int round = 0; round < 9; ++round) {
    const double begin = CpuSeconds();
    for (int i = 0; i < calls; ++i) fn();
    fastest = std::min(fastest, CpuSeconds() - begin);
  }
  return 1e9 * fastest / calls;
}

[[noreturn]] void Stop(const std::string& why) {
  std::fprintf(stderr, "bench_pjrt: %s\n", why.c_str());
  std::exit(1);
}

constexpr char kProgram[] =
    "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
    "  %one = stablehlo.constant dense<1.0> : tensor<4xf32>\n"
    "  %y = stablehlo.add %x, %one : tensor<4xf32>\n"
    "  return %y : tensor<4xf32>\n"
    "}\n";

const PJRT_Api* api = nullptr;

// Calls a function of the table; an error ends the program.
template <typename Args>
void Check(PJRT_Error* (*function)(Args*), Args& args) {
  PJRT_Error* error = function(&args);
  if (error == nullptr) return;
  PJRT_Error_Message_Args message = {};
  message.struct_size = sizeof(message);
  message.error = error;
  api->Error_Message(&message);
  Stop(std::string(message.message, message.message_size));
}

template <typename Args>
Args New() {
  Args args = {};
  args.struct_size = sizeof(args);
  return args;
}

double ThroughPlugin(const char* library) {
  void* const handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) Stop(dlerror());
  using Get = const PJRT_Api* (*)();
  api = reinterpret_cast<Get>(dlsym(handle, "GetPjrtApi"))();

  auto create = New<PJRT_Client_Create_Args>();
  Check(api->Client_Create, create);
  auto devices = New<PJRT_Client_Devices_Args>();
  devices.client = create.client;
  Check(api->Client_Devices, devices);

  auto program = New<PJRT_Program>();
  program.code = const_cast<char*>(kProgram);
  program.code_size = sizeof(kProgram) - 1;
  program.format = "mlir";
  program.format_size = 4;
  auto compile = New<PJRT_Client_Compile_Args>();
  compile.client = create.client;
  compile.program = &program;
  Check(api->Client_Compile, compile);

  const float data[4] = {1, 2, 3, 4};
  const int64_t dims[1] = {4};
  auto put = New<PJRT_Client_BufferFromHostBuffer_Args>();
  put.client = create.client;
  put.data = data;
  put.type = 11;  // f32
  put.dims = dims;
  put.num_dims = 1;
  put.device = devices.devices[0];
  Check(api->Client_BufferFromHostBuffer, put);

  return Fastest(20000, [&] {
    auto options = New<PJRT_ExecuteOptions>();
    PJRT_Buffer* const arguments[1] = {put.buffer};
    PJRT_Buffer* const* const lists[1] = {arguments};
    PJRT_Buffer* outputs[1] = {};
    PJRT_Buffer** const output_lists[1] = {outputs};
    PJRT_Event* done[1] = {};
    auto execute = New<PJRT_LoadedExecutable_Execute_Args>();
    execute.executable = compile.executable;
    execute.options = &options;
    execute.argument_lists = lists;
    execute.num_devices = 1;
    execute.num_args = 1;
    execute.output_lists = output_lists;
    execute.device_complete_events = done;
    Check(api->LoadedExecutable_Execute, execute);
    auto event = New<PJRT_Event_Destroy_Args>();
    event.event = done[0];
    Check(api->Event_Destroy, event);
    auto result = New<PJRT_Buffer_Destroy_Args>();
    result.buffer = outputs[0];
    Check(api->Buffer_Destroy, result);
  });
}

double ThroughClient() {
  const auto client = Client::Create();
  if (!client.ok()) Stop(client.status().ToString());
  const auto executable = (*client)->Compile(kProgram);
  if (!executable.ok()) Stop(executable.status().ToString());
  const float data[4] = {1, 2, 3, 4};
  const auto buffer = (*client)->BufferFromHost(data, Shape(F32, {4}));
  if (!buffer.ok()) Stop(buffer.status().ToString());
  return Fastest(20000, [&] {
    const auto results = (*executable)->Execute({*buffer});
    if (!results.ok()) Stop(results.status().ToString());
  });
}

int Main(int argc, char** argv) {
  const double client = ThroughClient();
  const double plugin = ThroughPlugin(argc > 1 ? argv[1] : "libaxle_pjrt.so");
  std::printf("%-46s %10.0f ns\n", "x + 1 of four floats, the C++ client", client);
  std::printf("%-46s %10.0f ns\n", "the same through the PJRT plugin", plugin);
  return 0;
}

}  // namespace
}  // namespace axle

int main(int argc, char** argv) {
  return axle::Main(argc, argv);
}
