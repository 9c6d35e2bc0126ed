// The client, its devices, their memories and its topology.
#include <algorithm>

#include "axle/client/device.h"
#include "axle/client/job.h"
#include "axle/client/memory_budget.h"
#include "axle/core/strings.h"
#include "axle/pjrt/create_options.h"
#include "axle/pjrt/handles.h"

namespace axle::pjrt {
namespace {

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

PJRT_Device::PJRT_Device(axle::Device* device, axle::i64 id, int process, std::string_view platform)
    : device(device),
      description{
          .id = static_cast<int>(id),
          .process_index = process,
          .debug_string = axle::StrCat("axle:", id),
          .to_string = axle::StrCat(axle::pjrt::Capitalized(platform), "Device(id=", id, ")"),
          .attributes = {}},
      memory(device == nullptr ? nullptr
                               : std::make_unique<PJRT_Memory>(static_cast<int>(id), this)),
      memories{memory.get()} {}

int PJRT_Device::local_ordinal() const {
  return device == nullptr ? -1 : static_cast<int>(device->ordinal());
}

namespace axle::pjrt {

StatusOr<PJRT_Device*> ClientState::Choose(const PJRT_Device* device,
                                           const PJRT_Memory* memory) const {
  if (memory != nullptr) device = memory->device;
  for (PJRT_Device* candidate : own_devices) {
    if (candidate == device) return candidate;
  }
  if (device == nullptr) return InvalidArgument("pjrt: neither a device nor a memory is given");
  if (std::ranges::find(device_pointers, device) != device_pointers.end()) {
    return InvalidArgument(StrCat("pjrt: ", device->description.debug_string,
                                  " is a device of process ", device->description.process_index,
                                  ", this is process ", process_index));
  }
  return InvalidArgument("pjrt: the device belongs to another client");
}

StatusOr<std::vector<i64>> ClientState::DefaultDevices(i64 replicas, i64 partitions) const {
  const i64 needed = replicas * partitions;
  const auto num_own = static_cast<i64>(own_devices.size());
  const auto num_all = static_cast<i64>(device_pointers.size());
  if (needed > num_all) {
    return InvalidArgument(StrCat("pjrt: ", needed, " devices are needed, there are ", num_all));
  }
  const i64 first = needed <= num_own ? own_devices[0]->description.id : 0;
  std::vector<i64> ids;
  for (i64 i = 0; i < needed; ++i) ids.push_back(first + i);
  return ids;
}

Status Client_Create(PJRT_Client_Create_Args& args) {
  AXLE_ASSIGN(CreateOptions options, ReadCreateOptions(args));
  auto state = std::make_shared<ClientState>();
  AXLE_ASSIGN(state->client, Client::Create(options.client));
  state->platform_name = std::move(options.platform_name);
  state->platform_version = StrCat("axle ", AxleVersion());
  const auto& own = state->client->devices();
  const std::shared_ptr<Job> job = state->client->job();
  const auto num_own = static_cast<i64>(own.size());
  const i64 num_devices = job == nullptr ? num_own : job->num_devices();
  const i64 first = job == nullptr ? 0 : job->first_device();
  if (job != nullptr) {
    state->process_index = job->process_id();
    state->num_processes = job->num_processes();
  }
  for (i64 id = 0; id < num_devices; ++id) {
    const bool is_own = id >= first && id < first + num_own;
    Device* device = is_own ? own[static_cast<size_t>(id - first)].get() : nullptr;
    const int process = job == nullptr ? 0 : job->ProcessOf(id);
    state->devices.push_back(
        std::make_unique<PJRT_Device>(device, id, process, state->platform_name));
    PJRT_Device* made = state->devices.back().get();
    state->device_pointers.push_back(made);
    state->topology.descriptions.push_back(&made->description);
    if (!is_own) continue;
    state->own_devices.push_back(made);
    state->memory_pointers.push_back(made->memory.get());
  }
  state->topology.client = state.get();
  args.client = new PJRT_Client{std::move(state)};
  return {};
}

// The other processes of a job are told that this one has done its part: executables and buffers
// may live on, and would keep the connection.
Status Client_Destroy(PJRT_Client_Destroy_Args& args) {
  if (args.client != nullptr) {
    const std::shared_ptr<Job> job = args.client->state->client->job();
    if (job != nullptr) job->Leave();
  }
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
  args.process_index = args.client->state->process_index;
  return {};
}

Status Client_Devices(PJRT_Client_Devices_Args& args) {
  args.devices = args.client->state->device_pointers.data();
  args.num_devices = args.client->state->device_pointers.size();
  return {};
}

Status Client_AddressableDevices(PJRT_Client_AddressableDevices_Args& args) {
  args.addressable_devices = args.client->state->own_devices.data();
  args.num_addressable_devices = args.client->state->own_devices.size();
  return {};
}

static StatusOr<PJRT_Device*> Lookup(const std::vector<PJRT_Device*>& devices, int id) {
  if (id < 0 || static_cast<size_t>(id) >= devices.size()) {
    return InvalidArgument(
        StrCat("pjrt: there is no device ", id, ", there are ", devices.size(), " devices"));
  }
  return devices[static_cast<size_t>(id)];
}

Status Client_LookupDevice(PJRT_Client_LookupDevice_Args& args) {
  AXLE_ASSIGN(args.device, Lookup(args.client->state->device_pointers, args.id));
  return {};
}

Status Client_LookupAddressableDevice(PJRT_Client_LookupAddressableDevice_Args& args) {
  AXLE_ASSIGN(args.addressable_device,
              Lookup(args.client->state->own_devices, args.local_hardware_id));
  return {};
}

Status Client_AddressableMemories(PJRT_Client_AddressableMemories_Args& args) {
  args.addressable_memories = args.client->state->memory_pointers.data();
  args.num_addressable_memories = args.client->state->memory_pointers.size();
  return {};
}

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
  AXLE_ASSIGN(const std::vector<i64> devices,
              args.client->state->DefaultDevices(replicas, partitions));
  if (args.default_assignment == nullptr) return InvalidArgument("pjrt: the assignment is null");
  for (size_t i = 0; i < devices.size(); ++i) {
    args.default_assignment[i] = static_cast<int>(devices[i]);
  }
  return {};
}

// A process that is lost is noticed by the connection to it (docs/distributed.md).
Status Client_UpdateGlobalProcessInfo(PJRT_Client_UpdateGlobalProcessInfo_Args& /*args*/) {
  return {};
}

Status DeviceDescription_Id(PJRT_DeviceDescription_Id_Args& args) {
  args.id = args.device_description->id;
  return {};
}

Status DeviceDescription_ProcessIndex(PJRT_DeviceDescription_ProcessIndex_Args& args) {
  args.process_index = args.device_description->process_index;
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
  args.is_addressable = args.device->is_addressable();
  return {};
}

Status Device_LocalHardwareId(PJRT_Device_LocalHardwareId_Args& args) {
  args.local_hardware_id = args.device->local_ordinal();
  return {};
}

static Status CheckAddressable(const PJRT_Device& device) {
  if (device.is_addressable()) return {};
  return InvalidArgument(StrCat("pjrt: ", device.description.debug_string,
                                " is a device of process ", device.description.process_index));
}

Status Device_AddressableMemories(PJRT_Device_AddressableMemories_Args& args) {
  args.memories = args.device->memories;
  args.num_memories = args.device->is_addressable() ? std::size(args.device->memories) : 0;
  return {};
}

Status Device_DefaultMemory(PJRT_Device_DefaultMemory_Args& args) {
  AXLE_TRY(CheckAddressable(*args.device));
  args.memory = args.device->memory.get();
  return {};
}

// What the buffers take, which all devices share. Nothing is reserved in advance, and no heap has
// free blocks. Members that a caller does not know are not written; jaxlib shows -1 for those that
// it expects and that are not set.
Status Device_MemoryStats(PJRT_Device_MemoryStats_Args& args) {
  AXLE_TRY(CheckAddressable(*args.device));
  const MemoryBudget& memory = args.device->device->memory();
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

// A text that tells topologies apart, for keys of caches: platform, version, number of devices, and
// of processes if there are several. It is the same in all of them.
static std::string TopologyText(const PJRT_TopologyDescription& topology) {
  const ClientState& client = *topology.client;
  const std::string processes =
      client.num_processes == 1 ? "" : StrCat(";", client.num_processes, " processes");
  return StrCat(client.platform_name, ";", client.platform_version, ";",
                topology.descriptions.size(), processes);
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
