// The calls that jaxlib makes to create a client, compile, run and copy, in its order, with structs of the sizes that
// jaxlibs of several ages know: jaxlib_calls LIBRARY. As in jaxlib, a struct of arguments lies on the stack and is not
// cleared, so that members that are no input are garbage, and what lies behind a struct is somebody else's.
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "axle/pjrt/c_abi.h"

enum { kFiller = 0xA5, kGuard = 64 };

static const PJRT_Api* api;
static int minor;  // of the jaxlib that is played

static void Fail(const char* what, const char* why) {
  fprintf(stderr, "jaxlib_calls: minor %d: %s: %s\n", minor, what, why);
  exit(1);
}

static void Require(int holds, const char* what) {
  if (!holds) Fail(what, "does not hold");
}

// The structs that have grown since minor 57, with the first member that came with each minor.
typedef struct {
  const char* function;
  int since;
  size_t size_before;
} Growth;
#define BEFORE(function, since, member) \
  { #function, since, offsetof(PJRT_##function##_Args, member) }
#define OPTIONS_BEFORE(since, member) \
  { "ExecuteOptions", since, offsetof(PJRT_ExecuteOptions, member) }
static const Growth kGrowths[] = {
    BEFORE(Client_Create, 61, kv_try_get_callback),
    OPTIONS_BEFORE(64, context),
    BEFORE(Client_CreateViewOfDeviceBuffer, 66, memory),
    BEFORE(Executable_GetCompiledMemoryStats, 72, peak_memory_in_bytes),
    OPTIONS_BEFORE(76, call_location),
    OPTIONS_BEFORE(78, num_tasks),
    BEFORE(Executable_GetCompiledMemoryStats, 90, total_size_in_bytes),
    OPTIONS_BEFORE(97, multi_slice_config),
    BEFORE(Executable_GetCompiledMemoryStats, 104, total_allocation_bytes),
    OPTIONS_BEFORE(108, use_major_to_minor_data_layout_for_callbacks),
    OPTIONS_BEFORE(112, hlo_output_callbacks),
    BEFORE(Device_MemoryStats, 113, peak_allocated_bytes),
};

// The size of the struct for the jaxlib that is played.
static size_t SizeNow(const char* function, size_t full) {
  for (size_t i = 0; i < sizeof(kGrowths) / sizeof(kGrowths[0]); ++i) {
    if (strcmp(kGrowths[i].function, function) == 0 && minor < kGrowths[i].since) {
      return kGrowths[i].size_before;
    }
  }
  return full;
}

static void Prepare(void* block, size_t block_size, size_t size) {
  memset(block, kFiller, block_size);
  memcpy(block, &size, sizeof(size));
  void* none = NULL;
  memcpy((char*)block + sizeof(size), &none, sizeof(none));  // extension_start
}

// What lies behind the struct must be as it was.
static void CheckGuard(const char* function, const void* block, size_t block_size) {
  size_t size;
  memcpy(&size, block, sizeof(size));
  for (size_t i = size; i < block_size; ++i) {
    if (((const unsigned char*)block)[i] != kFiller) Fail(function, "writes behind the struct");
  }
}

static void CheckCall(const char* function, PJRT_Error* error, const void* block,
                      size_t block_size);

#define BLOCK(type, name)                                 \
  struct {                                                \
    type args;                                            \
    unsigned char guard[kGuard];                          \
  } name##_block;                                         \
  type* const name = &name##_block.args
#define ARGS(function, name)                \
  BLOCK(PJRT_##function##_Args, name);      \
  Prepare(&name##_block, sizeof(name##_block), SizeNow(#function, sizeof(*name)))
#define CALL(function, name) \
  CheckCall(#function, api->function(name), &name##_block, sizeof(name##_block))

static void DestroyError(PJRT_Error* error) {
  ARGS(Error_Destroy, destroy);
  destroy->error = error;
  api->Error_Destroy(destroy);
  CheckGuard("Error_Destroy", &destroy_block, sizeof(destroy_block));
}

// As jaxlib reads an error: code, message, payloads.
static PJRT_Error_Code CodeOf(PJRT_Error* error) {
  ARGS(Error_GetCode, code);
  code->error = error;
  CALL(Error_GetCode, code);
  ARGS(Error_Message, message);
  message->error = error;
  api->Error_Message(message);
  CheckGuard("Error_Message", &message_block, sizeof(message_block));
  Require(message->message_size > 0, "an error has a message");
  fprintf(stdout, "error %d: %.*s\n", code->code, (int)message->message_size, message->message);
  if (minor >= 99) {
    ARGS(Error_ForEachPayload, payloads);
    payloads->error = error;
    payloads->visitor = NULL;
    payloads->user_arg = NULL;
    CALL(Error_ForEachPayload, payloads);
  }
  return code->code;
}

static void CheckCall(const char* function, PJRT_Error* error, const void* block,
                      size_t block_size) {
  CheckGuard(function, block, block_size);
  if (error == NULL) return;
  CodeOf(error);
  DestroyError(error);
  Fail(function, "returns an error");
}

// --- Events

static int num_called;

// jaxlib destroys the event of an execution in its callback.
static void OnReady(PJRT_Error* error, void* user_arg) {
  ++num_called;
  Require(error == NULL, "no error of an event");
  if (user_arg == NULL) return;
  ARGS(Event_Destroy, destroy);
  destroy->event = user_arg;
  CALL(Event_Destroy, destroy);
}

static void CallWhenReady(PJRT_Event* event, void* user_arg) {
  ARGS(Event_OnReady, on_ready);
  on_ready->event = event;
  on_ready->callback = OnReady;
  on_ready->user_arg = user_arg;
  CALL(Event_OnReady, on_ready);
}

static void DestroyEvent(PJRT_Event* event) {
  ARGS(Event_Destroy, destroy);
  destroy->event = event;
  CALL(Event_Destroy, destroy);
}

static void AwaitEvent(PJRT_Event* event) {
  ARGS(Event_Await, await);
  await->event = event;
  CALL(Event_Await, await);
}

// --- The client

static void InitializePlugin(void) {
  Require(api->pjrt_api_version.major_version == 0, "major version 0");
  Require(api->pjrt_api_version.minor_version >= 29, "a minor version that jaxlib takes");
  int profilers = 0;
  for (const PJRT_Extension_Base* node = api->extension_start; node != NULL; node = node->next) {
    profilers += node->type == PJRT_Extension_Type_Profiler;
  }
  Require(profilers == 1, "one profiler");
  ARGS(Plugin_Initialize, initialize);
  CALL(Plugin_Initialize, initialize);
}

static PJRT_Client* CreateClient(void) {
  ARGS(Client_Create, create);  // without a store of keys and values, whose members are garbage
  create->create_options = NULL;
  create->num_options = 0;
  CALL(Client_Create, create);
  return create->client;
}

static void DescribeTopology(PJRT_Client* client) {
  ARGS(Client_TopologyDescription, topology);
  topology->client = client;
  CALL(Client_TopologyDescription, topology);
  ARGS(TopologyDescription_PlatformVersion, version);
  version->topology = topology->topology;
  CALL(TopologyDescription_PlatformVersion, version);
  ARGS(TopologyDescription_PlatformName, name);
  name->topology = topology->topology;
  CALL(TopologyDescription_PlatformName, name);
  Require(name->platform_name_size == 4 && memcmp(name->platform_name, "axle", 4) == 0,
          "the platform is axle");
  ARGS(TopologyDescription_Attributes, attributes);
  attributes->topology = topology->topology;
  CALL(TopologyDescription_Attributes, attributes);
}

static void DescribeDevice(PJRT_Client* client, PJRT_Device* device, int id) {
  ARGS(Device_GetDescription, get);
  get->device = device;
  CALL(Device_GetDescription, get);
  ARGS(DeviceDescription_Attributes, attributes);
  attributes->device_description = get->device_description;
  CALL(DeviceDescription_Attributes, attributes);
  Require(attributes->num_attributes == 0, "no attributes of devices");
  if (minor >= 92) Require(api->Device_GetAttributes == NULL, "Device_GetAttributes is null");
  ARGS(Device_IsAddressable, addressable);
  addressable->device = device;
  CALL(Device_IsAddressable, addressable);
  Require(addressable->is_addressable, "the device is addressable");
  ARGS(DeviceDescription_Id, its_id);
  its_id->device_description = get->device_description;
  CALL(DeviceDescription_Id, its_id);
  Require(its_id->id == id, "the id of the device");
  ARGS(DeviceDescription_ProcessIndex, process);
  process->device_description = get->device_description;
  CALL(DeviceDescription_ProcessIndex, process);
  Require(process->process_index == 0, "process 0");
  ARGS(Client_LookupDevice, lookup);
  lookup->client = client;
  lookup->id = id;
  CALL(Client_LookupDevice, lookup);
  Require(lookup->device == device, "a lookup finds the device");
  ARGS(Device_LocalHardwareId, hardware);
  hardware->device = device;
  CALL(Device_LocalHardwareId, hardware);
  ARGS(DeviceDescription_Kind, kind);
  kind->device_description = get->device_description;
  CALL(DeviceDescription_Kind, kind);
  ARGS(DeviceDescription_ToString, text);
  text->device_description = get->device_description;
  CALL(DeviceDescription_ToString, text);
  ARGS(DeviceDescription_DebugString, debug);
  debug->device_description = get->device_description;
  CALL(DeviceDescription_DebugString, debug);
}

static void DescribeMemory(PJRT_Memory* memory, PJRT_Device* device) {
  ARGS(Memory_AddressableByDevices, devices);
  devices->memory = memory;
  CALL(Memory_AddressableByDevices, devices);
  Require(devices->num_devices == 1 && devices->devices[0] == device, "the memory's device");
  ARGS(Memory_Id, id);
  id->memory = memory;
  CALL(Memory_Id, id);
  ARGS(Memory_Kind, kind);
  kind->memory = memory;
  CALL(Memory_Kind, kind);
  Require(kind->kind_size == 6 && memcmp(kind->kind, "device", 6) == 0, "the kind is device");
  ARGS(Memory_Kind_Id, kind_id);
  kind_id->memory = memory;
  CALL(Memory_Kind_Id, kind_id);
  ARGS(Memory_ToString, text);
  text->memory = memory;
  CALL(Memory_ToString, text);
}

// Returns the first device.
static PJRT_Device* DescribeClient(PJRT_Client* client) {
  DescribeTopology(client);
  ARGS(Client_PlatformVersion, version);
  version->client = client;
  CALL(Client_PlatformVersion, version);
  ARGS(Client_PlatformName, name);
  name->client = client;
  CALL(Client_PlatformName, name);
  ARGS(Client_Devices, devices);
  devices->client = client;
  CALL(Client_Devices, devices);
  ARGS(Client_AddressableDevices, addressable);
  addressable->client = client;
  CALL(Client_AddressableDevices, addressable);
  Require(devices->num_devices == addressable->num_addressable_devices, "all are addressable");
  ARGS(Client_AddressableMemories, memories);
  memories->client = client;
  CALL(Client_AddressableMemories, memories);
  for (size_t i = 0; i < devices->num_devices; ++i) {
    DescribeDevice(client, devices->devices[i], (int)i);
    ARGS(Device_AddressableMemories, own);
    own->device = devices->devices[i];
    CALL(Device_AddressableMemories, own);
    Require(own->num_memories == 1, "one memory");
    DescribeMemory(own->memories[0], devices->devices[i]);
    ARGS(Device_DefaultMemory, memory);
    memory->device = devices->devices[i];
    CALL(Device_DefaultMemory, memory);
    Require(memory->memory == memories->addressable_memories[i], "the default memory");
  }
  ARGS(Plugin_Attributes, attributes);
  CALL(Plugin_Attributes, attributes);
  Require(attributes->num_attributes == 3, "three attributes of the plugin");
  ARGS(Client_ProcessIndex, process);
  process->client = client;
  CALL(Client_ProcessIndex, process);
  return devices->devices[0];
}

// --- Programs and values

static const int64_t kDims[] = {2, 3};

static PJRT_Buffer* PutArray(PJRT_Client* client, PJRT_Memory* memory, const float* data) {
  ARGS(Client_BufferFromHostBuffer, put);
  put->client = client;
  put->data = data;
  put->type = 11;
  put->dims = kDims;
  put->num_dims = 2;
  put->byte_strides = NULL;
  put->num_byte_strides = 0;
  put->host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes;
  put->device = NULL;
  put->memory = memory;
  put->device_layout = NULL;
  CALL(Client_BufferFromHostBuffer, put);
  CallWhenReady(put->done_with_host_buffer, NULL);
  DestroyEvent(put->done_with_host_buffer);
  return put->buffer;
}

static char program_text[] =
    "module @jit_f { func.func public @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> tensor<2x3xf32> { "
    "%0 = stablehlo.add %a, %b : tensor<2x3xf32> return %0 : tensor<2x3xf32> } }";

// A CompileOptionsProto: device ordinal -1, one replica, one partition, the device assignment {0}, profile version -1.
static const unsigned char kOptions[] = {
    0x1A, 0x1A, 0x08, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01,
    0x20, 0x01, 0x28, 0x01, 0x4A, 0x09, 0x08, 0x01, 0x10, 0x01, 0x1A, 0x03, 0x0A,
    0x01, 0x00, 0x28, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01};

// A node that comes with compilations and executions, and is skipped.
static PJRT_Extension_Base profiler = {sizeof(profiler), PJRT_Extension_Type_Profiler, NULL};

static PJRT_LoadedExecutable* CompileProgram(PJRT_Client* client, PJRT_Device* device) {
  ARGS(Device_MemoryStats, stats);
  stats->device = device;
  CALL(Device_MemoryStats, stats);
  Require(!stats->bytes_limit_is_set, "no limit of bytes");
  BLOCK(PJRT_Program, program);
  Prepare(&program_block, sizeof(program_block), sizeof(*program));
  program->code = program_text;
  program->code_size = sizeof(program_text) - 1;
  program->format = "mlir";
  program->format_size = 4;
  ARGS(Client_Compile, compile);
  compile->extension_start = &profiler;
  compile->client = client;
  compile->program = program;
  compile->compile_options = (const char*)kOptions;
  compile->compile_options_size = sizeof(kOptions);
  CALL(Client_Compile, compile);
  return compile->executable;
}

// The extension with the layouts and that with the shardings of an executable.
static const PJRT_Extension_Base* FindExtension(int type) {
  const PJRT_Extension_Base* node = api->extension_start;
  while (node->type != type) node = node->next;
  return node;
}

static void DescribeOutputs(PJRT_Executable* executable) {
  const PJRT_Layouts_Extension* layouts =
      (const PJRT_Layouts_Extension*)FindExtension(PJRT_Extension_Type_Layouts);
  const PJRT_Shardings_Extension* shardings =
      (const PJRT_Shardings_Extension*)FindExtension(PJRT_Extension_Type_Shardings);
  BLOCK(PJRT_Shardings_Executable_OutputShardings_Args, sharding);
  Prepare(&sharding_block, sizeof(sharding_block), sizeof(*sharding));
  sharding->executable = executable;
  CheckCall("OutputShardings", shardings->Executable_OutputShardings(sharding), &sharding_block,
            sizeof(sharding_block));
  Require(sharding->num_outputs == 1 && sharding->shardings == NULL, "no shardings");
  ARGS(Executable_OutputMemoryKinds, kinds);
  kinds->executable = executable;
  CALL(Executable_OutputMemoryKinds, kinds);
  Require(kinds->num_outputs == 1, "one kind of memory");
  BLOCK(PJRT_Layouts_Executable_GetOutputLayouts_Args, layout);
  Prepare(&layout_block, sizeof(layout_block), sizeof(*layout));
  layout->executable = executable;
  CheckCall("GetOutputLayouts", layouts->Executable_GetOutputLayouts(layout), &layout_block,
            sizeof(layout_block));
  Require(layout->num_outputs == 1, "one layout");
  BLOCK(PJRT_Layouts_MemoryLayout_Serialize_Args, text);
  Prepare(&text_block, sizeof(text_block), sizeof(*text));
  text->layout = layout->layouts[0];
  CheckCall("MemoryLayout_Serialize", layouts->MemoryLayout_Serialize(text), &text_block,
            sizeof(text_block));
  Require(text->serialized_bytes_size == 5 && memcmp(text->serialized_bytes, "{1,0}", 5) == 0,
          "the layout is row-major");
  text->serialized_layout_deleter(text->serialized_layout);
}

static PJRT_Executable* DescribeExecutable(PJRT_LoadedExecutable* loaded) {
  ARGS(LoadedExecutable_GetExecutable, get);
  get->loaded_executable = loaded;
  CALL(LoadedExecutable_GetExecutable, get);
  ARGS(LoadedExecutable_AddressableDevices, devices);
  devices->executable = loaded;
  CALL(LoadedExecutable_AddressableDevices, devices);
  Require(devices->num_addressable_devices == 1, "one device");
  if (minor >= 96) {
    ARGS(LoadedExecutable_AddressableDeviceLogicalIds, ids);
    ids->executable = loaded;
    CALL(LoadedExecutable_AddressableDeviceLogicalIds, ids);
    Require(ids->num_addressable_device_logical_ids == 1, "one logical id");
  }
  if (minor >= 79) {
    ARGS(LoadedExecutable_GetDeviceAssignment, assignment);
    assignment->executable = loaded;
    CALL(LoadedExecutable_GetDeviceAssignment, assignment);
    Require(assignment->serialized_bytes_size == 9, "the device assignment");
    assignment->serialized_device_assignment_deleter(assignment->serialized_device_assignment);
  }
  PJRT_Executable* executable = get->executable;
  DescribeOutputs(executable);
  ARGS(Executable_Fingerprint, fingerprint);
  fingerprint->executable = executable;
  CALL(Executable_Fingerprint, fingerprint);
  ARGS(Executable_Name, name);
  name->executable = executable;
  CALL(Executable_Name, name);
  Require(name->executable_name_size == 5 && memcmp(name->executable_name, "jit_f", 5) == 0,
          "the name of the program");
  ARGS(Executable_GetCompiledMemoryStats, stats);
  stats->executable = executable;
  CALL(Executable_GetCompiledMemoryStats, stats);
  Require(stats->argument_size_in_bytes == 48, "48 bytes of arguments");
  return executable;
}

static PJRT_Buffer* Run(PJRT_LoadedExecutable* loaded, PJRT_Executable* executable, PJRT_Buffer* a,
                        PJRT_Buffer* b) {
  ARGS(Executable_NumOutputs, outputs);
  outputs->executable = executable;
  CALL(Executable_NumOutputs, outputs);
  Require(outputs->num_outputs == 1, "one output");
  BLOCK(PJRT_ExecuteOptions, options);
  Prepare(&options_block, sizeof(options_block), SizeNow("ExecuteOptions", sizeof(*options)));
  options->send_callbacks = NULL;
  options->recv_callbacks = NULL;
  options->num_send_ops = 0;
  options->num_recv_ops = 0;
  options->launch_id = 0;
  options->non_donatable_input_indices = NULL;
  options->num_non_donatable_input_indices = 0;
  if (minor >= 64) options->context = NULL;
  if (minor >= 76) options->call_location = NULL;
  if (minor >= 78) options->num_tasks = 0;
  PJRT_Buffer* const arguments[] = {a, b};
  PJRT_Buffer* const* const argument_list = arguments;
  PJRT_Buffer* output = NULL;
  PJRT_Buffer** const output_list = &output;
  PJRT_Event* done = NULL;
  ARGS(LoadedExecutable_Execute, execute);
  execute->extension_start = &profiler;
  execute->executable = loaded;
  execute->options = options;
  execute->argument_lists = &argument_list;
  execute->num_devices = 1;
  execute->num_args = 2;
  execute->output_lists = &output_list;
  execute->device_complete_events = &done;
  execute->execute_device = NULL;
  CALL(LoadedExecutable_Execute, execute);
  CheckGuard("ExecuteOptions", &options_block, sizeof(options_block));
  CallWhenReady(done, done);
  return output;
}

static void WaitFor(PJRT_Buffer* buffer) {
  ARGS(Buffer_IsDeleted, deleted);
  deleted->buffer = buffer;
  CALL(Buffer_IsDeleted, deleted);
  Require(!deleted->is_deleted, "the result is not deleted");
  ARGS(Buffer_ReadyEvent, ready);
  ready->buffer = buffer;
  CALL(Buffer_ReadyEvent, ready);
  AwaitEvent(ready->event);
  ARGS(Event_IsReady, is_ready);
  is_ready->event = ready->event;
  CALL(Event_IsReady, is_ready);
  Require(is_ready->is_ready, "the result is ready");
  ARGS(Event_Error, error);
  error->event = ready->event;
  CALL(Event_Error, error);
  DestroyEvent(ready->event);
}

// The first array element of the result through a view, then all of it column-major in a copy.
static void ReadBack(PJRT_Buffer* buffer) {
  ARGS(Buffer_Dimensions, dims);
  dims->buffer = buffer;
  CALL(Buffer_Dimensions, dims);
  Require(dims->num_dims == 2 && dims->dims[1] == 3, "the dimensions of the result");
  ARGS(Buffer_ElementType, type);
  type->buffer = buffer;
  CALL(Buffer_ElementType, type);
  Require(type->type == 11, "the result is f32");
  ARGS(Buffer_IsOnCpu, on_cpu);
  on_cpu->buffer = buffer;
  CALL(Buffer_IsOnCpu, on_cpu);
  Require(on_cpu->is_on_cpu, "the result is on a cpu");
  ARGS(Buffer_IncreaseExternalReferenceCount, more);
  more->buffer = buffer;
  CALL(Buffer_IncreaseExternalReferenceCount, more);
  ARGS(Buffer_OpaqueDeviceMemoryDataPointer, pointer);
  pointer->buffer = buffer;
  CALL(Buffer_OpaqueDeviceMemoryDataPointer, pointer);
  Require(((const float*)pointer->device_memory_ptr)[5] == 66, "the last element");
  ARGS(Buffer_DecreaseExternalReferenceCount, less);
  less->buffer = buffer;
  CALL(Buffer_DecreaseExternalReferenceCount, less);

  ARGS(Buffer_DynamicDimensionIndices, dynamic);
  dynamic->buffer = buffer;
  CALL(Buffer_DynamicDimensionIndices, dynamic);
  Require(dynamic->num_dynamic_dims == 0, "no dynamic dimensions");
  const int64_t order[] = {0, 1};
  PJRT_Buffer_MemoryLayout layout;  // its sizes and extensions are garbage in jaxlib
  memset(&layout, kFiller, sizeof(layout));
  layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  layout.tiled.minor_to_major = order;
  layout.tiled.minor_to_major_size = 2;
  layout.tiled.num_tiles = 0;
  float host[6];
  ARGS(Buffer_ToHostBuffer, copy);
  copy->src = buffer;
  copy->host_layout = &layout;
  copy->dst = host;
  copy->dst_size = sizeof(host);
  CALL(Buffer_ToHostBuffer, copy);
  CallWhenReady(copy->event, NULL);
  AwaitEvent(copy->event);
  DestroyEvent(copy->event);
  const float expected[] = {11, 44, 22, 55, 33, 66};
  Require(memcmp(host, expected, sizeof(host)) == 0, "the elements, column-major");
}

// device_put between memories compares where the buffer is, and copies.
static void CopyBuffer(PJRT_Buffer* buffer, PJRT_Device* device, PJRT_Memory* memory) {
  ARGS(Buffer_Device, its_device);
  its_device->buffer = buffer;
  CALL(Buffer_Device, its_device);
  Require(its_device->device == device, "the device of the result");
  ARGS(Buffer_Memory, its_memory);
  its_memory->buffer = buffer;
  CALL(Buffer_Memory, its_memory);
  Require(its_memory->memory == memory, "the memory of the result");
  ARGS(Buffer_CopyToMemory, copy);
  copy->buffer = buffer;
  copy->dst_memory = memory;
  CALL(Buffer_CopyToMemory, copy);
  WaitFor(copy->dst_buffer);
  ARGS(Buffer_Destroy, destroy);
  destroy->buffer = copy->dst_buffer;
  CALL(Buffer_Destroy, destroy);
}

// An error is an object that jaxlib reads and destroys.
static void MakeAnError(PJRT_Client* client) {
  ARGS(Client_LookupDevice, lookup);
  lookup->client = client;
  lookup->id = 1000;
  PJRT_Error* error = api->Client_LookupDevice(lookup);
  CheckGuard("Client_LookupDevice", &lookup_block, sizeof(lookup_block));
  Require(error != NULL && CodeOf(error) == 3, "device 1000 is an invalid argument");
  DestroyError(error);
}

static void PlayJaxlib(void) {
  num_called = 0;
  InitializePlugin();
  PJRT_Client* client = CreateClient();
  PJRT_Device* device = DescribeClient(client);
  ARGS(Device_DefaultMemory, memory);
  memory->device = device;
  CALL(Device_DefaultMemory, memory);
  const float first[] = {1, 2, 3, 4, 5, 6}, second[] = {10, 20, 30, 40, 50, 60};
  PJRT_Buffer* buffers[3] = {PutArray(client, memory->memory, first),
                             PutArray(client, memory->memory, second), NULL};
  PJRT_LoadedExecutable* loaded = CompileProgram(client, device);
  PJRT_Executable* executable = DescribeExecutable(loaded);
  buffers[2] = Run(loaded, executable, buffers[0], buffers[1]);
  WaitFor(buffers[2]);
  ReadBack(buffers[2]);
  CopyBuffer(buffers[2], device, memory->memory);
  MakeAnError(client);
  if (minor >= 86) {
    ARGS(Device_CreateAsyncTrackingEvent, tracking);
    tracking->device = device;
    tracking->description = "run";
    tracking->description_size = 3;
    CALL(Device_CreateAsyncTrackingEvent, tracking);
    Require(tracking->event == NULL, "no tracking");
  }
  for (int i = 0; i < 3; ++i) {
    ARGS(Buffer_Delete, delete_it);
    delete_it->buffer = buffers[i];
    CALL(Buffer_Delete, delete_it);
    ARGS(Buffer_Destroy, destroy);
    destroy->buffer = buffers[i];
    CALL(Buffer_Destroy, destroy);
  }
  ARGS(Executable_Destroy, executable_destroy);
  executable_destroy->executable = executable;
  CALL(Executable_Destroy, executable_destroy);
  ARGS(LoadedExecutable_Destroy, loaded_destroy);
  loaded_destroy->executable = loaded;
  CALL(LoadedExecutable_Destroy, loaded_destroy);
  ARGS(Client_Destroy, client_destroy);
  client_destroy->client = client;
  CALL(Client_Destroy, client_destroy);
  // Two arrays, the run, and the copy to the host.
  Require(num_called == 4, "four callbacks");
}

int main(int argc, char** argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: jaxlib_calls LIBRARY\n");
    return 2;
  }
  void* library = dlopen(argv[1], RTLD_LAZY | RTLD_LOCAL);
  if (library == NULL) Fail("dlopen", dlerror());
  const PJRT_Api* (*get_api)(void);
  *(void**)&get_api = dlsym(library, "GetPjrtApi");
  if (get_api == NULL) Fail("dlsym", dlerror());
  api = get_api();
  const int minors[] = {57, 69, 81, 99, 114};
  for (size_t i = 0; i < sizeof(minors) / sizeof(minors[0]); ++i) {
    minor = minors[i];
    PlayJaxlib();
    printf("minor %d: ok\n", minor);
  }
  return 0;
}
