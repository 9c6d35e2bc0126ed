// The plugin, its client, devices, memories and topology; errors and events are in error_test.cc
// and event_test.cc.
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>

#include "tests/pjrt/plugin.h"

namespace axle::plugin {
namespace {

PJRT_NamedValue Named(std::string_view name, std::string_view text) {
  return {.struct_size = sizeof(PJRT_NamedValue),
          .name = name.data(),
          .name_size = name.size(),
          .type = PJRT_NamedValue_kString,
          .string_value = text.data(),
          .value_size = text.size()};
}

PJRT_NamedValue Named(std::string_view name, i64 number) {
  return {.struct_size = sizeof(PJRT_NamedValue),
          .name = name.data(),
          .name_size = name.size(),
          .type = PJRT_NamedValue_kInt64,
          .int64_value = number,
          .value_size = 1};
}

// The client of these options, or the error in its place.
struct Created {
  std::string error;
  Own<PJRT_Client> client;
};
Created Create(const std::vector<PJRT_NamedValue>& options) {
  PJRT_Client_Create_Args args = {
      .struct_size = sizeof(args), .create_options = options.data(), .num_options = options.size()};
  Created created;
  created.error = Take(Api().Client_Create(&args));
  if (created.error == "OK") created.client = Own<PJRT_Client>(args.client);
  return created;
}

size_t NumDevices(PJRT_Client* client) {
  return Do(Api().Client_Devices, {.client = client}).num_devices;
}

TEST(PjrtPlugin, VersionAndSizes) {
  EXPECT_EQ(Api().struct_size, 1144U);
  EXPECT_EQ(Api().pjrt_api_version.struct_size, 24U);
  EXPECT_EQ(Api().pjrt_api_version.extension_start, nullptr);
  EXPECT_EQ(Api().pjrt_api_version.major_version, 0);
  EXPECT_EQ(Api().pjrt_api_version.minor_version, 114);
  EXPECT_EQ(Error(Api().Plugin_Initialize, {}), "OK");
  EXPECT_EQ(Error(Api().Plugin_Initialize, {}), "OK");
}

TEST(PjrtPlugin, AttributesNameVersions) {
  const auto args = Do(Api().Plugin_Attributes, {});
  std::map<std::string, const PJRT_NamedValue*> by_name;
  for (size_t i = 0; i < args.num_attributes; ++i) {
    const PJRT_NamedValue& value = args.attributes[i];
    EXPECT_EQ(value.struct_size, sizeof(PJRT_NamedValue));
    by_name[Text(value.name, value.name_size)] = &value;
  }
  ASSERT_EQ(by_name.size(), 3U);
  ASSERT_TRUE(by_name.contains("xla_version"));
  EXPECT_EQ(by_name["xla_version"]->type, PJRT_NamedValue_kInt64);
  EXPECT_EQ(by_name["xla_version"]->int64_value, 2);
  EXPECT_EQ(by_name["xla_version"]->value_size, 1U);
  for (const char* name : {"stablehlo_current_version", "stablehlo_minimum_version"}) {
    ASSERT_TRUE(by_name.contains(name)) << name;
    EXPECT_EQ(by_name[name]->type, PJRT_NamedValue_kInt64List);
    ASSERT_EQ(by_name[name]->value_size, 3U);
  }
  const auto version = [&](const char* name) {
    const i64* numbers = by_name[name]->int64_array_value;
    return std::vector<i64>(numbers, numbers + 3);
  };
  EXPECT_EQ(version("stablehlo_minimum_version"), std::vector<i64>({0, 9, 0}));
  EXPECT_LT(version("stablehlo_minimum_version"), version("stablehlo_current_version"));
  // The list is the same one for the life of the process.
  EXPECT_EQ(Do(Api().Plugin_Attributes, {}).attributes, args.attributes);
}

TEST(PjrtClient, PlatformAndProcess) {
  const auto client = MakeClient();
  const auto name = Do(Api().Client_PlatformName, {.client = client});
  EXPECT_EQ(Text(name.platform_name, name.platform_name_size), "axle");
  const auto version = Do(Api().Client_PlatformVersion, {.client = client});
  EXPECT_EQ(Text(version.platform_version, version.platform_version_size).substr(0, 5), "axle ");
  EXPECT_EQ(Do(Api().Client_ProcessIndex, {.client = client}).process_index, 0);
  EXPECT_EQ(Error(Api().Client_UpdateGlobalProcessInfo, {.client = client}), "OK");
}

TEST(PjrtClient, OptionsOfCreation) {
  const auto named = Create({Named("platform_name", "metal"), Named("num_devices", 3)});
  ASSERT_EQ(named.error, "OK");
  const auto name = Do(Api().Client_PlatformName, {.client = named.client});
  EXPECT_EQ(Text(name.platform_name, name.platform_name_size), "metal");
  EXPECT_EQ(NumDevices(named.client), 3U);
  PJRT_Device* const device =
      Do(Api().Client_LookupDevice, {.client = named.client, .id = 2}).device;
  PJRT_DeviceDescription* const description =
      Do(Api().Device_GetDescription, {.device = device}).device_description;
  const auto text = Do(Api().DeviceDescription_ToString, {.device_description = description});
  EXPECT_EQ(Text(text.to_string, text.to_string_size), "MetalDevice(id=2)");
  EXPECT_EQ(
      CompileError(named.client, R"(
    func.func @main() -> tensor<f32> {
      %0 = stablehlo.custom_call @nobody() : () -> tensor<f32>
      return %0 : tensor<f32> })"),
      "NOT_FOUND: custom-call: no FFI handler \"nobody\" is registered for platform metal; in "
      "JAX: jax.ffi.register_ffi_target(\"nobody\", handler, platform=\"metal\")");
  // A number may be a text, and options of others are ignored.
  EXPECT_EQ(NumDevices(Create({Named("cpu_device_count", "2"), Named("visible", "x")}).client), 2U);
  EXPECT_EQ(Create({Named("num_threads", 2)}).error, "OK");
  EXPECT_EQ(Create({Named("num_devices", 0)}).error, "OK");

  EXPECT_EQ(Create({Named("num_devices", "two")}).error,
            "INVALID_ARGUMENT: pjrt: the option num_devices is \"two\", must be a number from 0 to "
            "1024");
  EXPECT_EQ(
      Create({Named("cpu_device_count", "2x")}).error,
      "INVALID_ARGUMENT: pjrt: the option cpu_device_count is \"2x\", must be a number from 0 "
      "to 1024");
  EXPECT_EQ(
      Create({Named("num_devices", -1)}).error,
      "INVALID_ARGUMENT: pjrt: the option num_devices is -1, must be a number from 0 to 1024");
  EXPECT_EQ(Create({Named("num_devices", 1025)}).error,
            "INVALID_ARGUMENT: pjrt: the option num_devices is 1025, must be a number from 0 to "
            "1024");
  EXPECT_EQ(
      Create({Named("num_threads", -1)}).error,
      "INVALID_ARGUMENT: pjrt: the option num_threads is -1, must be a number from 0 to 1024");
  EXPECT_EQ(Create({Named("num_threads", 5000000000)}).error,
            "INVALID_ARGUMENT: pjrt: the option num_threads is 5000000000, must be a number from 0 "
            "to 1024");
  PJRT_NamedValue flag = Named("num_devices", 1);
  flag.type = PJRT_NamedValue_kBool;
  EXPECT_EQ(Create({flag}).error,
            "INVALID_ARGUMENT: pjrt: the option num_devices is of another type, must be a number "
            "from 0 to 1024");
}

// The environment says how many devices there are if no option does.
TEST(PjrtClient, EnvironmentOfCreation) {
  const auto count = [] { return NumDevices(Create({}).client); };
  setenv("XLA_FLAGS",
         "--xla_force_host_platform_device_count=2 "
         "--xla_force_host_platform_device_count=3 --xla_other=1",
         1);
  EXPECT_EQ(count(), 3U);
  setenv("AXLE_NUM_DEVICES", "4", 1);
  EXPECT_EQ(count(), 4U);
  EXPECT_EQ(NumDevices(Create({Named("num_devices", 1)}).client), 1U);
  for (const std::string value :
       {"many", "0", "-1", "1025", "100000", "3 ", "99999999999999999999"}) {
    setenv("AXLE_NUM_DEVICES", value.c_str(), 1);
    EXPECT_EQ(Create({}).error,
              "INVALID_ARGUMENT: pjrt: the environment variable AXLE_NUM_DEVICES is \"" + value +
                  "\", must be a number from 1 to 1024");
  }
  setenv("AXLE_NUM_DEVICES", "", 1);  // as if it were not there
  EXPECT_EQ(count(), 3U);
  unsetenv("AXLE_NUM_DEVICES");
  for (const std::string value : {"", "0", "x"}) {
    setenv("XLA_FLAGS", ("--xla_force_host_platform_device_count=" + value + " --xla").c_str(), 1);
    EXPECT_EQ(Create({}).error,
              "INVALID_ARGUMENT: pjrt: --xla_force_host_platform_device_count of the environment "
              "variable XLA_FLAGS is \"" +
                  value + "\", must be a number from 1 to 1024");
  }
  unsetenv("XLA_FLAGS");
  EXPECT_EQ(count(), 1U);
}

TEST(PjrtClient, DevicesAndLookups) {
  const auto client = MakeClient(3);
  const auto devices = Do(Api().Client_Devices, {.client = client});
  const auto addressable = Do(Api().Client_AddressableDevices, {.client = client});
  ASSERT_EQ(devices.num_devices, 3U);
  ASSERT_EQ(addressable.num_addressable_devices, 3U);
  for (int i = 0; i < 3; ++i) {
    PJRT_Device* device = devices.devices[i];
    EXPECT_EQ(addressable.addressable_devices[i], device);
    EXPECT_EQ(Do(Api().Client_LookupDevice, {.client = client, .id = i}).device, device);
    EXPECT_EQ(Do(Api().Client_LookupAddressableDevice, {.client = client, .local_hardware_id = i})
                  .addressable_device,
              device);
    EXPECT_TRUE(Do(Api().Device_IsAddressable, {.device = device}).is_addressable);
    EXPECT_EQ(Do(Api().Device_LocalHardwareId, {.device = device}).local_hardware_id, i);
  }
  for (const int id : {-1, 3, std::numeric_limits<int>::max()}) {
    const std::string error = "INVALID_ARGUMENT: pjrt: there is no device " + std::to_string(id) +
                              ", there are 3 devices";
    EXPECT_EQ(Error(Api().Client_LookupDevice, {.client = client, .id = id}), error);
    EXPECT_EQ(
        Error(Api().Client_LookupAddressableDevice, {.client = client, .local_hardware_id = id}),
        error);
  }
}

TEST(PjrtClient, DefaultDeviceAssignment) {
  const auto client = MakeClient(4);
  std::vector<int> places(5, -7);
  const auto assign = [&](int replicas, int partitions, size_t size) {
    return Error(Api().Client_DefaultDeviceAssignment, {.client = client,
                                                        .num_replicas = replicas,
                                                        .num_partitions = partitions,
                                                        .default_assignment_size = size,
                                                        .default_assignment = places.data()});
  };
  EXPECT_EQ(assign(2, 2, 5), "OK");
  EXPECT_EQ(places, std::vector<int>({0, 1, 2, 3, -7}));
  EXPECT_EQ(assign(2, 2, 3),
            "FAILED_PRECONDITION: pjrt: the assignment has room for 3 devices, 4 are needed");
  EXPECT_EQ(assign(0, 2, 5),
            "INVALID_ARGUMENT: pjrt: 0 replicas and 2 partitions: both must be at least 1");
  EXPECT_EQ(assign(2, -1, 5),
            "INVALID_ARGUMENT: pjrt: 2 replicas and -1 partitions: both must be at least 1");
  EXPECT_EQ(assign(5, 1, 5), "INVALID_ARGUMENT: pjrt: 5 devices are needed, there are 4");
  // The product has more than 32 bits, and its low 32 bits are 0.
  EXPECT_EQ(assign(1 << 16, 1 << 16, 5),
            "FAILED_PRECONDITION: pjrt: the assignment has room for 5 devices, 4294967296 are "
            "needed");
  EXPECT_EQ(
      Error(
          Api().Client_DefaultDeviceAssignment,
          {.client = client, .num_replicas = 1, .num_partitions = 1, .default_assignment_size = 1}),
      "INVALID_ARGUMENT: pjrt: the assignment is null");
}

TEST(PjrtClient, DeviceDescriptions) {
  const auto client = MakeClient(2);
  PJRT_DeviceDescription* description =
      Do(Api().Device_GetDescription, {.device = DeviceAt(client, 1)}).device_description;
  EXPECT_EQ(Do(Api().DeviceDescription_Id, {.device_description = description}).id, 1);
  EXPECT_EQ(
      Do(Api().DeviceDescription_ProcessIndex, {.device_description = description}).process_index,
      0);
  EXPECT_EQ(
      Do(Api().DeviceDescription_Attributes, {.device_description = description}).num_attributes,
      0U);
  const auto kind = Do(Api().DeviceDescription_Kind, {.device_description = description});
  EXPECT_EQ(Text(kind.device_kind, kind.device_kind_size), "cpu");
  const auto debug = Do(Api().DeviceDescription_DebugString, {.device_description = description});
  EXPECT_EQ(Text(debug.debug_string, debug.debug_string_size), "axle:1");
  const auto text = Do(Api().DeviceDescription_ToString, {.device_description = description});
  EXPECT_EQ(Text(text.to_string, text.to_string_size), "AxleDevice(id=1)");
}

TEST(PjrtClient, MemoriesOfDevices) {
  const auto client = MakeClient(2);
  const auto all = Do(Api().Client_AddressableMemories, {.client = client});
  ASSERT_EQ(all.num_addressable_memories, 2U);
  for (size_t i = 0; i < 2; ++i) {
    PJRT_Device* device = DeviceAt(client, i);
    PJRT_Memory* memory = MemoryAt(client, i);
    EXPECT_EQ(all.addressable_memories[i], memory);
    const auto own = Do(Api().Device_AddressableMemories, {.device = device});
    ASSERT_EQ(own.num_memories, 1U);
    EXPECT_EQ(own.memories[0], memory);
    const auto devices = Do(Api().Memory_AddressableByDevices, {.memory = memory});
    ASSERT_EQ(devices.num_devices, 1U);
    EXPECT_EQ(devices.devices[0], device);
    EXPECT_EQ(Do(Api().Memory_Id, {.memory = memory}).id, static_cast<int>(i));
    EXPECT_EQ(Do(Api().Memory_Kind_Id, {.memory = memory}).kind_id, 0);
    const auto kind = Do(Api().Memory_Kind, {.memory = memory});
    EXPECT_EQ(Text(kind.kind, kind.kind_size), "device");
    const std::string name = "memory of axle:" + std::to_string(i);
    const auto debug = Do(Api().Memory_DebugString, {.memory = memory});
    EXPECT_EQ(Text(debug.debug_string, debug.debug_string_size), name);
    const auto text = Do(Api().Memory_ToString, {.memory = memory});
    EXPECT_EQ(Text(text.to_string, text.to_string_size), name);
  }
}

// What a client attaches to a memory: the old value is destroyed when another one comes, and the
// last one with the memory.
TEST(PjrtClient, UserDataOfMemories) {
  auto client = MakeClient();
  PJRT_Memory* memory = MemoryAt(client, 0);
  const auto& table = **reinterpret_cast<const PJRT_Memory_FunctionTable* const*>(memory);
  EXPECT_EQ(table.struct_size, sizeof(PJRT_Memory_FunctionTable));
  EXPECT_EQ(table.extension_start, nullptr);
  EXPECT_GE(table.instance_struct_size, sizeof(void*));
  int key = 0, other_key = 0, first = 0, second = 0, last = 0;
  const auto count = [](void* data) { ++*static_cast<int*>(data); };
  EXPECT_EQ(table.get_user_data(memory, &key), nullptr);
  table.set_user_data(memory, &key, &first, count);
  table.set_user_data(memory, &other_key, &last, nullptr);
  EXPECT_EQ(table.get_user_data(memory, &key), &first);
  EXPECT_EQ(table.get_user_data(memory, &other_key), &last);
  EXPECT_EQ(first, 0);
  table.set_user_data(memory, &key, &second, count);
  EXPECT_EQ(first, 1);
  EXPECT_EQ(table.get_user_data(memory, &key), &second);
  client.reset();
  EXPECT_EQ(first, 1);
  EXPECT_EQ(second, 1);
  EXPECT_EQ(last, 0);
}

TEST(PjrtClient, MemoryStatsOfAllSizes) {
  const auto client = MakeClient();
  const i64 before = LiveBytes(client);
  const auto buffer = Put<float>(client, {1, 2, 3, 4}, {4});
  Do(Api().Buffer_Delete, {.buffer = Put<float>(client, {5, 6}, {2})});
  PJRT_Device_MemoryStats_Args args;
  const PJRT_Device_MemoryStats_Args filler = [] {
    PJRT_Device_MemoryStats_Args bytes;
    std::memset(&bytes, 0xA5, sizeof(bytes));
    return bytes;
  }();
  // Without the members that came last, or with all of them.
  for (const size_t size : {offsetof(PJRT_Device_MemoryStats_Args, pool_bytes),
                            offsetof(PJRT_Device_MemoryStats_Args, peak_allocated_bytes),
                            sizeof(PJRT_Device_MemoryStats_Args)}) {
    args = filler;
    args.struct_size = size;
    args.extension_start = nullptr;
    args.device = DeviceAt(client, 0);
    ASSERT_EQ(Take(Api().Device_MemoryStats(&args)), "OK");
    EXPECT_EQ(args.bytes_in_use, before + 16);
    EXPECT_TRUE(args.peak_bytes_in_use_is_set);
    EXPECT_EQ(args.peak_bytes_in_use, before + 24);
    EXPECT_TRUE(args.num_allocs_is_set);
    EXPECT_EQ(args.num_allocs, 2);
    EXPECT_TRUE(args.largest_alloc_size_is_set);
    EXPECT_EQ(args.largest_alloc_size, 16);
    EXPECT_FALSE(args.bytes_limit_is_set);
    EXPECT_TRUE(args.bytes_reserved_is_set);
    EXPECT_EQ(args.bytes_reserved, 0);
    EXPECT_TRUE(args.peak_bytes_reserved_is_set);
    EXPECT_EQ(args.peak_bytes_reserved, 0);
    EXPECT_FALSE(args.bytes_reservable_limit_is_set);
    EXPECT_TRUE(args.largest_free_block_bytes_is_set);
    EXPECT_EQ(args.largest_free_block_bytes, 0);
    const auto* bytes = reinterpret_cast<const unsigned char*>(&args);
    for (size_t i = size; i < sizeof(args); ++i) EXPECT_EQ(bytes[i], 0xA5) << i;
    if (size == sizeof(args)) {
      EXPECT_FALSE(args.pool_bytes_is_set);
      EXPECT_FALSE(args.peak_pool_bytes_is_set);
      EXPECT_FALSE(args.peak_allocated_bytes_is_set);
    }
  }
}

TEST(PjrtClient, AsyncTrackingEventsAreNull) {
  const auto client = MakeClient();
  auto* some = reinterpret_cast<PJRT_AsyncTrackingEvent*>(client.get());
  EXPECT_EQ(
      Do(Api().Device_CreateAsyncTrackingEvent, {.device = DeviceAt(client, 0), .event = some})
          .event,
      nullptr);
}

TEST(PjrtClient, Topology) {
  const auto client = MakeClient(2);
  PJRT_TopologyDescription* topology =
      Do(Api().Client_TopologyDescription, {.client = client}).topology;
  const auto name = Do(Api().TopologyDescription_PlatformName, {.topology = topology});
  EXPECT_EQ(Text(name.platform_name, name.platform_name_size), "axle");
  const auto version = Do(Api().TopologyDescription_PlatformVersion, {.topology = topology});
  const std::string version_text = Text(version.platform_version, version.platform_version_size);
  EXPECT_EQ(version_text.substr(0, 5), "axle ");
  EXPECT_EQ(Do(Api().TopologyDescription_Attributes, {.topology = topology}).num_attributes, 0U);
  const auto descriptions =
      Do(Api().TopologyDescription_GetDeviceDescriptions, {.topology = topology});
  ASSERT_EQ(descriptions.num_descriptions, 2U);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(descriptions.descriptions[i],
              Do(Api().Device_GetDescription, {.device = DeviceAt(client, i)}).device_description);
  }
  const auto bytes = Do(Api().TopologyDescription_Serialize, {.topology = topology});
  EXPECT_EQ(Text(bytes.serialized_bytes, bytes.serialized_bytes_size),
            "axle;" + version_text + ";2");
  bytes.serialized_topology_deleter(bytes.serialized_topology);
  const auto fingerprint = [](PJRT_Client* of) {
    PJRT_TopologyDescription* its = Do(Api().Client_TopologyDescription, {.client = of}).topology;
    return Do(Api().TopologyDescription_Fingerprint, {.topology = its}).fingerprint;
  };
  EXPECT_EQ(fingerprint(client), fingerprint(MakeClient(2)));
  EXPECT_NE(fingerprint(client), fingerprint(MakeClient(1)));
  EXPECT_EQ(Error(Api().TopologyDescription_Destroy, {.topology = topology}), "OK");
  EXPECT_EQ(Do(Api().TopologyDescription_Attributes, {.topology = topology}).num_attributes, 0U);
}

}  // namespace
}  // namespace axle::plugin
