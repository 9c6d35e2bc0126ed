// The client, its devices, their memories and its topology.
//
// Options of PJRT_Client_Create, all of them optional; names that are not listed are ignored, since
// frameworks pass options of their own:
//
//   platform_name             what the client calls its platform, "axle" if nothing else is said;
//   JAX
//                             chooses its lowering rules by it
//   num_devices               how many devices there are, each of them the whole processor; without
//   it the cpu_device_count          environment variable AXLE_NUM_DEVICES says, or
//                             --xla_force_host_platform_device_count in XLA_FLAGS, or there is one
//   num_threads               how many threads work; AXLE_NUM_THREADS, or one per processor
//
// Numbers may come as texts.
#include <charconv>
#include <cstdlib>

#include "axle/client/device.h"
#include "axle/client/memory_budget.h"
#include "axle/core/strings.h"
#include "axle/pjrt/handles.h"

namespace axle::pjrt {
namespace {

std::string_view NameOf(const PJRT_NamedValue& value) {
  return TextOf(value.name, value.name_size);
}

// A number in a range, which errors give with the name of what is wrong.
struct Range {
  std::string_view what;
  i64 least;
  i64 most;

  Status Error(std::string_view value) const {
    return InvalidArgument(
        StrCat("pjrt: ", what, " is ", value, ", must be a number from ", least, " to ", most));
  }
  StatusOr<i64> Check(i64 number) const {
    if (number < least || number > most) return Error(StrCat(number));
    return number;
  }
  StatusOr<i64> Parse(std::string_view text) const {
    i64 number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_number = error == std::errc() && end == text.data() + text.size();
    if (is_number && number >= least && number <= most) return number;
    return Error(StrCat("\"", PrintableText(text), "\""));
  }
};

// 0 stands for "what the environment says".
StatusOr<i64> NumberOf(const PJRT_NamedValue& value, int most) {
  const std::string what = StrCat("the option ", NameOf(value));
  const Range range = {what, 0, most};
  if (value.type == PJRT_NamedValue_kInt64) return range.Check(value.int64_value);
  if (value.type == PJRT_NamedValue_kString) {
    return range.Parse(TextOf(value.string_value, value.value_size));
  }
  return range.Error("of another type");
}

// The value of --xla_force_host_platform_device_count, which is the last one; 1 without it.
StatusOr<i64> DeviceCountOfXlaFlags() {
  const char* flags = std::getenv("XLA_FLAGS");
  if (flags == nullptr) return 1;
  constexpr std::string_view kFlag = "--xla_force_host_platform_device_count=";
  const std::string_view text = flags;
  const size_t at = text.rfind(kFlag);
  if (at == std::string_view::npos) return 1;
  const std::string_view rest = text.substr(at + kFlag.size());
  constexpr Range kRange = {
      "--xla_force_host_platform_device_count of the environment variable XLA_FLAGS", 1,
      kMaxClientDevices};
  return kRange.Parse(rest.substr(0, rest.find(' ')));
}

StatusOr<i64> NumDevicesOfEnvironment() {
  const char* count = std::getenv("AXLE_NUM_DEVICES");
  if (count == nullptr || *count == '\0') return DeviceCountOfXlaFlags();
  constexpr Range kRange = {"the environment variable AXLE_NUM_DEVICES", 1, kMaxClientDevices};
  return kRange.Parse(count);
}

struct CreateOptions {
  std::string platform_name = "axle";
  ClientOptions client = {};
};

StatusOr<CreateOptions> ReadOptions(const PJRT_NamedValue* values, size_t num_values) {
  CreateOptions options;
  i64 num_devices = 0;
  for (size_t i = 0; i < num_values; ++i) {
    const PJRT_NamedValue& value = values[i];
    const std::string_view name = NameOf(value);
    if (name == "platform_name" && value.type == PJRT_NamedValue_kString) {
      options.platform_name = TextOf(value.string_value, value.value_size);
    } else if (name == "num_devices" || name == "cpu_device_count") {
      AXLE_ASSIGN(num_devices, NumberOf(value, kMaxClientDevices));
    } else if (name == "num_threads") {
      AXLE_ASSIGN(const i64 num_threads, NumberOf(value, kMaxClientThreads));
      options.client.num_threads = static_cast<int>(num_threads);
    }
  }
  if (num_devices == 0) {
    AXLE_ASSIGN(num_devices, NumDevicesOfEnvironment());
  }
  options.client.num_devices = num_devices;
  return options;
}

void* GetUserData(PJRT_Memory* memory, void* key) {
  const std::lock_guard lock(memory->mutex);
  const auto found = memory->attached.find(key);
  return found == memory->attached.end() ? nullptr : found->second.data;
}

void SetUserData(PJRT_Memory* memory, void* key, void* data, void (*destructor)(void*)) {
  PJRT_Memory::Attached old = {nullptr, nullptr};
  {
    const std::lock_guard lock(memory->mutex);
    PJRT_Memory::Attached& attached = memory->attached[key];
    old = std::exchange(attached, {data, destructor});
  }
  if (old.destructor != nullptr) old.destructor(old.data);
}

constexpr PJRT_Memory_FunctionTable kMemoryTable = {
    .struct_size = sizeof(PJRT_Memory_FunctionTable),
    .extension_start = nullptr,
    .instance_struct_size = sizeof(PJRT_Memory),
    .get_user_data = GetUserData,
    .set_user_data = SetUserData};

// "Axle" of "axle", as JAX names the devices of its platforms.
std::string Capitalized(std::string_view name) {
  std::string text(name);
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] -= 'a' - 'A';
  return text;
}

template <typename Args>
void SetText(Args& args, const char* Args::*text, size_t Args::*size, std::string_view value) {
  args.*text = value.data();
  args.*size = value.size();
}

}  // namespace

PJRT_NamedValue& NamedValues::Next(std::string name) {
  texts_.push_back(std::make_unique<const std::string>(std::move(name)));
  PJRT_NamedValue& value = values_.emplace_back();
  value.struct_size = sizeof(PJRT_NamedValue);
  value.name = texts_.back()->data();
  value.name_size = texts_.back()->size();
  value.value_size = 1;
  return value;
}

void NamedValues::Add(std::string name, std::string value) {
  PJRT_NamedValue& next = Next(std::move(name));
  texts_.push_back(std::make_unique<const std::string>(std::move(value)));
  next.type = PJRT_NamedValue_kString;
  next.string_value = texts_.back()->data();
  next.value_size = texts_.back()->size();
}

void NamedValues::Add(std::string name, i64 value) {
  PJRT_NamedValue& next = Next(std::move(name));
  next.type = PJRT_NamedValue_kInt64;
  next.int64_value = value;
}

void NamedValues::Add(std::string name, float value) {
  PJRT_NamedValue& next = Next(std::move(name));
  next.type = PJRT_NamedValue_kFloat;
  next.float_value = value;
}

void NamedValues::Add(std::string name, std::vector<i64> value) {
  PJRT_NamedValue& next = Next(std::move(name));
  lists_.push_back(std::make_unique<const std::vector<i64>>(std::move(value)));
  next.type = PJRT_NamedValue_kInt64List;
  next.int64_array_value = lists_.back()->data();
  next.value_size = lists_.back()->size();
}

}  // namespace axle::pjrt

PJRT_Memory::PJRT_Memory(int id, PJRT_Device* device)
    : table(&axle::pjrt::kMemoryTable),
      id(id),
      device(device),
      debug_string(axle::StrCat("memory of axle:", id)) {}

PJRT_Memory::~PJRT_Memory() {
  for (const auto& [key, value] : attached) {
    if (value.destructor != nullptr) value.destructor(value.data);
  }
}

PJRT_Device::PJRT_Device(axle::Device& device, axle::i64 ordinal, std::string_view platform)
    : device(device),
      description{
          .id = static_cast<int>(ordinal),
          .debug_string = axle::StrCat("axle:", ordinal),
          .to_string = axle::StrCat(axle::pjrt::Capitalized(platform), "Device(id=", ordinal, ")"),
          .attributes = {}},
      memory(static_cast<int>(ordinal), this),
      memories{&memory} {}

namespace axle::pjrt {

StatusOr<PJRT_Device*> ClientState::Choose(const PJRT_Device* device,
                                           const PJRT_Memory* memory) const {
  if (memory != nullptr) device = memory->device;
  for (PJRT_Device* candidate : device_pointers) {
    if (candidate == device) return candidate;
  }
  if (device == nullptr) return InvalidArgument("pjrt: neither a device nor a memory is given");
  return InvalidArgument("pjrt: the device belongs to another client");
}

Status Client_Create(PJRT_Client_Create_Args& args) {
  AXLE_ASSIGN(CreateOptions options, ReadOptions(args.create_options, args.num_options));
  auto state = std::make_shared<ClientState>();
  AXLE_ASSIGN(state->client, Client::Create(options.client));
  state->platform_name = std::move(options.platform_name);
  state->platform_version = StrCat("axle ", AxleVersion());
  for (const std::shared_ptr<Device>& device : state->client->devices()) {
    state->devices.push_back(
        std::make_unique<PJRT_Device>(*device, device->ordinal(), state->platform_name));
    PJRT_Device* made = state->devices.back().get();
    state->device_pointers.push_back(made);
    state->memory_pointers.push_back(&made->memory);
    state->topology.descriptions.push_back(&made->description);
  }
  state->topology.client = state.get();
  args.client = new PJRT_Client{std::move(state)};
  return {};
}

Status Client_Destroy(PJRT_Client_Destroy_Args& args) {
  delete args.client;
  return {};
}

Status Client_PlatformName(PJRT_Client_PlatformName_Args& args) {
  SetText(args, &PJRT_Client_PlatformName_Args::platform_name,
          &PJRT_Client_PlatformName_Args::platform_name_size, args.client->state->platform_name);
  return {};
}

Status Client_PlatformVersion(PJRT_Client_PlatformVersion_Args& args) {
  SetText(args, &PJRT_Client_PlatformVersion_Args::platform_version,
          &PJRT_Client_PlatformVersion_Args::platform_version_size,
          args.client->state->platform_version);
  return {};
}

Status Client_ProcessIndex(PJRT_Client_ProcessIndex_Args& args) {
  args.process_index = 0;
  return {};
}

Status Client_Devices(PJRT_Client_Devices_Args& args) {
  args.devices = args.client->state->device_pointers.data();
  args.num_devices = args.client->state->device_pointers.size();
  return {};
}

Status Client_AddressableDevices(PJRT_Client_AddressableDevices_Args& args) {
  args.addressable_devices = args.client->state->device_pointers.data();
  args.num_addressable_devices = args.client->state->device_pointers.size();
  return {};
}

static StatusOr<PJRT_Device*> Lookup(const PJRT_Client& client, int id) {
  const std::vector<PJRT_Device*>& devices = client.state->device_pointers;
  if (id < 0 || static_cast<size_t>(id) >= devices.size()) {
    return InvalidArgument(
        StrCat("pjrt: there is no device ", id, ", there are ", devices.size(), " devices"));
  }
  return devices[static_cast<size_t>(id)];
}

Status Client_LookupDevice(PJRT_Client_LookupDevice_Args& args) {
  AXLE_ASSIGN(args.device, Lookup(*args.client, args.id));
  return {};
}

Status Client_LookupAddressableDevice(PJRT_Client_LookupAddressableDevice_Args& args) {
  AXLE_ASSIGN(args.addressable_device, Lookup(*args.client, args.local_hardware_id));
  return {};
}

Status Client_AddressableMemories(PJRT_Client_AddressableMemories_Args& args) {
  args.addressable_memories = args.client->state->memory_pointers.data();
  args.num_addressable_memories = args.client->state->memory_pointers.size();
  return {};
}

// Device r * partitions + p runs replica r of partition p.
Status Client_DefaultDeviceAssignment(PJRT_Client_DefaultDeviceAssignment_Args& args) {
  const i64 replicas = args.num_replicas, partitions = args.num_partitions;
  if (replicas <= 0 || partitions <= 0) {
    return InvalidArgument(StrCat("pjrt: ", replicas, " replicas and ", partitions,
                                  " partitions: both must be at least 1"));
  }
  const i64 needed = replicas * partitions;
  if (static_cast<std::uint64_t>(needed) > args.default_assignment_size) {
    return FailedPrecondition(StrCat("pjrt: the assignment has room for ",
                                     args.default_assignment_size, " devices, ", needed,
                                     " are needed"));
  }
  const size_t num_devices = args.client->state->device_pointers.size();
  if (static_cast<std::uint64_t>(needed) > num_devices) {
    return InvalidArgument(
        StrCat("pjrt: ", needed, " devices are needed, there are ", num_devices));
  }
  if (args.default_assignment == nullptr) return InvalidArgument("pjrt: the assignment is null");
  for (i64 i = 0; i < needed; ++i) args.default_assignment[i] = static_cast<int>(i);
  return {};
}

// There is one process.
Status Client_UpdateGlobalProcessInfo(PJRT_Client_UpdateGlobalProcessInfo_Args& /*args*/) {
  return {};
}

Status DeviceDescription_Id(PJRT_DeviceDescription_Id_Args& args) {
  args.id = args.device_description->id;
  return {};
}

Status DeviceDescription_ProcessIndex(PJRT_DeviceDescription_ProcessIndex_Args& args) {
  args.process_index = 0;
  return {};
}

Status DeviceDescription_Attributes(PJRT_DeviceDescription_Attributes_Args& args) {
  args.attributes = args.device_description->attributes.data();
  args.num_attributes = args.device_description->attributes.size();
  return {};
}

Status DeviceDescription_Kind(PJRT_DeviceDescription_Kind_Args& args) {
  SetText(args, &PJRT_DeviceDescription_Kind_Args::device_kind,
          &PJRT_DeviceDescription_Kind_Args::device_kind_size, kDeviceKind);
  return {};
}

Status DeviceDescription_DebugString(PJRT_DeviceDescription_DebugString_Args& args) {
  SetText(args, &PJRT_DeviceDescription_DebugString_Args::debug_string,
          &PJRT_DeviceDescription_DebugString_Args::debug_string_size,
          args.device_description->debug_string);
  return {};
}

Status DeviceDescription_ToString(PJRT_DeviceDescription_ToString_Args& args) {
  SetText(args, &PJRT_DeviceDescription_ToString_Args::to_string,
          &PJRT_DeviceDescription_ToString_Args::to_string_size,
          args.device_description->to_string);
  return {};
}

Status Device_GetDescription(PJRT_Device_GetDescription_Args& args) {
  args.device_description = &args.device->description;
  return {};
}

Status Device_IsAddressable(PJRT_Device_IsAddressable_Args& args) {
  args.is_addressable = true;
  return {};
}

Status Device_LocalHardwareId(PJRT_Device_LocalHardwareId_Args& args) {
  args.local_hardware_id = args.device->description.id;
  return {};
}

Status Device_AddressableMemories(PJRT_Device_AddressableMemories_Args& args) {
  args.memories = args.device->memories;
  args.num_memories = std::size(args.device->memories);
  return {};
}

Status Device_DefaultMemory(PJRT_Device_DefaultMemory_Args& args) {
  args.memory = &args.device->memory;
  return {};
}

// What the buffers take, which all devices share. Nothing is reserved in advance, and no heap has
// free blocks. Members that a caller does not know are not written; jaxlib shows -1 for those that
// it expects and that are not set.
Status Device_MemoryStats(PJRT_Device_MemoryStats_Args& args) {
  const MemoryBudget& memory = args.device->device.memory();
  args.bytes_in_use = memory.live();
#define AXLE_SET(member, value)                 \
  do {                                          \
    if (AXLE_PJRT_HAS(args, member##_is_set)) { \
      args.member = value;                      \
      args.member##_is_set = true;              \
    }                                           \
  } while (false)
  AXLE_SET(peak_bytes_in_use, memory.peak());
  AXLE_SET(num_allocs, memory.num_reservations());
  AXLE_SET(largest_alloc_size, memory.largest_reservation());
  AXLE_SET(bytes_reserved, 0);
  AXLE_SET(peak_bytes_reserved, 0);
  AXLE_SET(largest_free_block_bytes, 0);
#undef AXLE_SET
  if (AXLE_PJRT_HAS(args, bytes_limit_is_set)) args.bytes_limit_is_set = false;
  if (AXLE_PJRT_HAS(args, bytes_reservable_limit_is_set)) {
    args.bytes_reservable_limit_is_set = false;
  }
  if (AXLE_PJRT_HAS(args, pool_bytes_is_set)) args.pool_bytes_is_set = false;
  if (AXLE_PJRT_HAS(args, peak_pool_bytes_is_set)) args.peak_pool_bytes_is_set = false;
  if (AXLE_PJRT_HAS(args, peak_allocated_bytes_is_set)) args.peak_allocated_bytes_is_set = false;
  return {};
}

// Runs are not tracked: the event is null, which clients accept.
Status Device_CreateAsyncTrackingEvent(PJRT_Device_CreateAsyncTrackingEvent_Args& args) {
  args.event = nullptr;
  return {};
}

Status AsyncTrackingEvent_Destroy(PJRT_AsyncTrackingEvent_Destroy_Args& /*args*/) {
  return {};
}

Status Memory_Id(PJRT_Memory_Id_Args& args) {
  args.id = args.memory->id;
  return {};
}

Status Memory_Kind(PJRT_Memory_Kind_Args& args) {
  SetText(args, &PJRT_Memory_Kind_Args::kind, &PJRT_Memory_Kind_Args::kind_size, kMemoryKind);
  return {};
}

Status Memory_Kind_Id(PJRT_Memory_Kind_Id_Args& args) {
  args.kind_id = 0;
  return {};
}

Status Memory_DebugString(PJRT_Memory_DebugString_Args& args) {
  SetText(args, &PJRT_Memory_DebugString_Args::debug_string,
          &PJRT_Memory_DebugString_Args::debug_string_size, args.memory->debug_string);
  return {};
}

Status Memory_ToString(PJRT_Memory_ToString_Args& args) {
  SetText(args, &PJRT_Memory_ToString_Args::to_string, &PJRT_Memory_ToString_Args::to_string_size,
          args.memory->debug_string);
  return {};
}

Status Memory_AddressableByDevices(PJRT_Memory_AddressableByDevices_Args& args) {
  args.devices = &args.memory->device;
  args.num_devices = 1;
  return {};
}

Status Client_TopologyDescription(PJRT_Client_TopologyDescription_Args& args) {
  args.topology = &args.client->state->topology;
  return {};
}

// The topology belongs to its client.
Status TopologyDescription_Destroy(PJRT_TopologyDescription_Destroy_Args& /*args*/) {
  return {};
}

Status TopologyDescription_PlatformName(PJRT_TopologyDescription_PlatformName_Args& args) {
  SetText(args, &PJRT_TopologyDescription_PlatformName_Args::platform_name,
          &PJRT_TopologyDescription_PlatformName_Args::platform_name_size,
          args.topology->client->platform_name);
  return {};
}

Status TopologyDescription_PlatformVersion(PJRT_TopologyDescription_PlatformVersion_Args& args) {
  SetText(args, &PJRT_TopologyDescription_PlatformVersion_Args::platform_version,
          &PJRT_TopologyDescription_PlatformVersion_Args::platform_version_size,
          args.topology->client->platform_version);
  return {};
}

Status TopologyDescription_GetDeviceDescriptions(
    PJRT_TopologyDescription_GetDeviceDescriptions_Args& args) {
  args.descriptions = args.topology->descriptions.data();
  args.num_descriptions = args.topology->descriptions.size();
  return {};
}

Status TopologyDescription_Attributes(PJRT_TopologyDescription_Attributes_Args& args) {
  args.attributes = args.topology->attributes.data();
  args.num_attributes = args.topology->attributes.size();
  return {};
}

// A text that tells topologies apart, for keys of caches: platform, version, number of devices.
static std::string TopologyText(const PJRT_TopologyDescription& topology) {
  return StrCat(topology.client->platform_name, ";", topology.client->platform_version, ";",
                topology.descriptions.size());
}

Status TopologyDescription_Serialize(PJRT_TopologyDescription_Serialize_Args& args) {
  auto text = std::make_unique<std::string>(TopologyText(*args.topology));
  args.serialized_bytes = text->data();
  args.serialized_bytes_size = text->size();
  args.serialized_topology_deleter = [](PJRT_SerializedTopology* topology) {
    delete reinterpret_cast<std::string*>(topology);
  };
  args.serialized_topology = reinterpret_cast<PJRT_SerializedTopology*>(text.release());
  return {};
}

// FNV-1a of the text.
Status TopologyDescription_Fingerprint(PJRT_TopologyDescription_Fingerprint_Args& args) {
  args.fingerprint = FingerprintOf(TopologyText(*args.topology));
  return {};
}

}  // namespace axle::pjrt
