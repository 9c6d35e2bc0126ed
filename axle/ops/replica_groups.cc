// Replica groups are kept as they were written: as lists, as an iota with a permutation
// ([2,4]<=[8]), or as axes of a mesh. A list of n ids is checked in time n log n or better; an iota
// and mesh axes are checked from their sizes, because a short text can stand for billions of ids.
// When a program runs, only the group that this device is in is listed: by a search through the
// lists, or by turning the device's id into a position and walking the axes of the group from
// there.

#include "axle/ops/replica_groups.h"

#include <algorithm>
#include <optional>

#include "axle/core/strings.h"

namespace axle {
namespace {

const ModuleConfig& ConfigOf(const Instruction& inst) {
  return inst.parent()->module()->config();
}

// The sizes of the mesh axes, or parts of axes, along which a group lies.
// A mesh axis may be used in part: `size` is 0 for the whole axis.
i64 MeshGroupSize(const DeviceMesh& mesh, const std::vector<MeshAxisRef>& refs) {
  i64 size = 1;
  for (const MeshAxisRef& ref : refs) size *= ref.size == 0 ? mesh.axes[ref.axis].size : ref.size;
  return size;
}

bool HasAxes(const DeviceMesh& mesh, const std::vector<MeshAxisRef>& refs) {
  return std::ranges::all_of(refs, [&](const MeshAxisRef& ref) {
    return ref.axis >= 0 && ref.axis < static_cast<i64>(mesh.axes.size());
  });
}

// The product of the axes, unless it overflows or an axis is empty.
std::optional<i64> MeshSize(const DeviceMesh& mesh) {
  std::optional<i64> size = 1;
  for (const DeviceMesh::Axis& axis : mesh.axes) {
    size = axis.size < 1 ? std::nullopt : CheckedMul(*size, axis.size);
    if (!size) return size;
  }
  return size;
}

// Checks that each id of 0..n-1 is there once; `n` is the number of ids that are listed.
Status CheckIdsOnce(const Instruction& inst, std::span<const Dims> lists) {
  size_t n = 0;
  for (const Dims& list : lists) n += list.size();
  std::vector<bool> seen(n);
  for (const Dims& list : lists) {
    for (i64 id : list) {
      if (id < 0 || id >= static_cast<i64>(n)) {
        return OpError(inst, StrCat("replica_groups list ", n, " ids, so id ", id,
                                    " must be in [0, ", n, ")"));
      }
      if (seen[id]) return OpError(inst, StrCat("id ", id, " is twice in replica_groups"));
      seen[id] = true;
    }
  }
  return {};
}

// Checks that no id is there twice; ids may leave gaps.
Status CheckIdsDistinct(const Collective& c) {
  const i64 count = NumIds(c.inst, c.mode);
  Dims ids;
  for (const Dims& group : c.groups.groups) ids.insert(ids.end(), group.begin(), group.end());
  std::ranges::sort(ids);
  if (const auto twice = std::ranges::adjacent_find(ids); twice != ids.end()) {
    return OpError(c.inst, StrCat("id ", *twice, " is twice in replica_groups"));
  }
  for (i64 id : ids) {
    if (id >= 0 && (id < count || count == 1)) continue;
    return OpError(c.inst, StrCat("id ", id, " in replica_groups must be in [0, ", count, ")"));
  }
  return {};
}

// An iota is a permutation of 0 .. n - 1 by construction, if its transposition is one.
Status CheckIota(const Instruction& inst, const IotaDevices& iota) {
  const auto rank = static_cast<i64>(iota.reshape.size());
  std::optional<i64> product = 1;
  for (i64 size : iota.reshape) product = size < 1 ? std::nullopt : CheckedMul(*product, size);
  bool fits = product && static_cast<i64>(iota.transpose.size()) == rank;
  std::vector<bool> seen(rank);
  for (size_t i = 0; fits && i < iota.transpose.size(); ++i) {
    const i64 dim = iota.transpose[i];
    fits = dim >= 0 && dim < rank && !seen[dim];
    if (fits) seen[dim] = true;
  }
  if (fits) return {};
  return OpError(inst, StrCat("replica_groups have the iota ", IotaDevicesText(iota),
                              ", which is no transposition of sizes >= 1"));
}

// Checks that the axes exist and that the parts of one axis do not overlap.
Status CheckAxes(const Instruction& inst, const DeviceMesh& mesh, std::vector<MeshAxisRef> refs) {
  for (MeshAxisRef& ref : refs) {
    const bool exists = ref.axis >= 0 && ref.axis < static_cast<i64>(mesh.axes.size());
    const i64 axis_size = exists ? mesh.axes[ref.axis].size : 0;
    if (ref.size == 0) ref.size = axis_size;
    const auto end = CheckedMul(ref.pre_size, ref.size);
    if (exists && ref.pre_size >= 1 && ref.size >= 1 && end && axis_size % *end == 0) continue;
    return OpError(inst, "replica_groups name a part of an axis that the mesh does not have");
  }
  std::ranges::sort(refs, {},
                    [](const MeshAxisRef& ref) { return std::pair(ref.axis, ref.pre_size); });
  for (size_t i = 1; i < refs.size(); ++i) {
    if (refs[i - 1].axis == refs[i].axis &&
        refs[i - 1].pre_size * refs[i - 1].size > refs[i].pre_size) {
      return OpError(inst, "replica_groups name axes that overlap");
    }
  }
  return {};
}

// The number of ids that are listed, once they are known to be 0..n-1.
// The three forms are checked by their own rules; each is then known to hold every id exactly once.
StatusOr<i64> CheckListedIds(const Collective& c) {
  const ReplicaGroups& g = c.groups;
  if (g.iota) {
    AXLE_TRY(CheckIota(c.inst, *g.iota));
    const auto product = CheckedMul(g.num_groups, g.group_size);
    if (g.num_groups < 1 || g.group_size < 1 || !product || *product != g.iota->size()) {
      return OpError(c.inst, StrCat("replica_groups are ", g.num_groups, " groups of ",
                                    g.group_size, " but list ", g.iota->size(), " ids"));
    }
    return *product;
  }
  if (g.mesh) {
    if (g.mesh->maximal_device) {
      AXLE_TRY(CheckIdsOnce(c.inst, std::vector<Dims>{{*g.mesh->maximal_device}}));
      return 1;
    }
    if (g.mesh->iota) AXLE_TRY(CheckIota(c.inst, *g.mesh->iota));
    const std::optional<i64> size = MeshSize(*g.mesh);
    if (!size) return OpError(c.inst, "the mesh of replica_groups is too large");
    AXLE_TRY(CheckAxes(c.inst, *g.mesh, g.axes));
    if (!g.mesh->device_ids.empty() && static_cast<i64>(g.mesh->device_ids.size()) != *size) {
      return OpError(c.inst, StrCat("the mesh of replica_groups has ", *size, " places but lists ",
                                    g.mesh->device_ids.size(), " devices"));
    }
    if (g.mesh->iota && g.mesh->iota->size() != *size) {
      return OpError(c.inst, StrCat("the mesh of replica_groups has ", *size, " places but lists ",
                                    g.mesh->iota->size(), " devices"));
    }
    AXLE_TRY(CheckIdsOnce(c.inst, {&g.mesh->device_ids, 1}));
    return *size;
  }
  for (size_t i = 0; i < g.groups.size(); ++i) {
    if (g.groups[i].empty()) return OpError(c.inst, StrCat("replica group ", i, " is empty"));
  }
  AXLE_TRY(CheckIdsOnce(c.inst, g.groups));
  i64 n = 0;
  for (const Dims& group : g.groups) n += static_cast<i64>(group.size());
  return n;
}

bool IsEmpty(const ReplicaGroups& groups) {
  return groups.groups.empty() && !groups.iota && !groups.mesh;
}

// The device at a position of a mesh, and the other way round; -1 if it is not there.
i64 DeviceAt(const DeviceMesh& mesh, i64 position) {
  if (mesh.maximal_device) return *mesh.maximal_device;
  if (!mesh.device_ids.empty()) return mesh.device_ids[position];
  return mesh.iota ? mesh.iota->device(position) : position;
}

// The inverse of DeviceAt. Lists are searched; an iota is inverted by arithmetic.
i64 PositionOf(const DeviceMesh& mesh, i64 device, i64 size) {
  if (mesh.maximal_device) return *mesh.maximal_device == device ? 0 : -1;
  if (!mesh.device_ids.empty()) {
    const auto it = std::ranges::find(mesh.device_ids, device);
    return it == mesh.device_ids.end() ? -1 : it - mesh.device_ids.begin();
  }
  if (device < 0 || device >= size) return -1;
  return mesh.iota ? mesh.iota->position(device) : device;
}

// The ids of the group that `id` is in: along the axes, the first of them slowest.
Dims MeshGroup(const DeviceMesh& mesh, const std::vector<MeshAxisRef>& refs, i64 id) {
  const i64 own = PositionOf(mesh, id, MeshSize(mesh).value_or(0));
  if (own < 0) return {};
  Dims axis_strides(mesh.axes.size(), 1);
  for (size_t i = mesh.axes.size(); i-- > 1;) {
    axis_strides[i - 1] = axis_strides[i] * mesh.axes[i].size;
  }
  Dims sizes, strides;
  i64 first = own;  // the position in the mesh of the group's first member
  for (const MeshAxisRef& ref : refs) {
    const i64 size = ref.size == 0 ? mesh.axes[ref.axis].size : ref.size;
    const i64 minor = mesh.axes[ref.axis].size / (ref.pre_size * size);
    sizes.push_back(size);
    strides.push_back(axis_strides[ref.axis] * minor);
    first -= own / strides.back() % size * strides.back();
  }
  Dims group(MeshGroupSize(mesh, refs));
  for (size_t k = 0; k < group.size(); ++k) {
    i64 position = first;
    i64 rest = static_cast<i64>(k);
    for (size_t i = sizes.size(); i-- > 0; rest /= sizes[i]) {
      position += rest % sizes[i] * strides[i];
    }
    group[k] = DeviceAt(mesh, position);
  }
  return group;
}

// The ids of the group that `id` is in; empty if there is none.
// No groups at all is one group of everything.
Dims GroupOf(const Collective& c, i64 id) {
  const ReplicaGroups& g = c.groups;
  Dims group;
  if (IsEmpty(g)) {
    const i64 count = NumIds(c.inst, c.mode);
    for (i64 other = 0; other < count && id < count; ++other) group.push_back(other);
  } else if (g.iota) {
    if (id >= g.iota->size()) return {};
    const i64 begin = g.iota->position(id) / g.group_size * g.group_size;
    for (i64 k = 0; k < g.group_size; ++k) group.push_back(g.iota->device(begin + k));
  } else if (g.mesh) {
    group = MeshGroup(*g.mesh, g.axes, id);
  } else {
    for (const Dims& candidate : g.groups) {
      if (std::ranges::find(candidate, id) != candidate.end()) return candidate;
    }
  }
  return group;
}

// The number of ids in the group of the collective's first device.
i64 IdsPerGroup(const Collective& c) {
  const std::optional<i64> listed = ListedGroupSize(c.groups);
  return listed ? *listed : NumIds(c.inst, c.mode);
}

// More devices than there are cannot meet, and are not listed.
Status CheckThatManyDevices(const Instruction& inst, i64 count, const DeviceContext& device) {
  const i64 devices = device.num_replicas() * device.num_partitions();
  if (count <= devices) return {};
  return OpError(inst, StrCat("a group of ", count, " devices, but the program runs on ", devices),
                 StatusCode::kUnimplemented);
}

}  // namespace

// The size of the first group, or of the largest one in a list.
std::optional<i64> ListedGroupSize(const ReplicaGroups& groups) {
  if (groups.iota) return groups.group_size;
  if (groups.mesh) {
    if (!HasAxes(*groups.mesh, groups.axes)) return std::nullopt;
    return MeshGroupSize(*groups.mesh, groups.axes);
  }
  if (groups.groups.empty()) return std::nullopt;
  size_t largest = 0;
  for (const Dims& group : groups.groups) largest = std::max(largest, group.size());
  return static_cast<i64>(largest);
}

// What an id counts depends on the mode: replicas, partitions, or devices of both.
i64 NumIds(const Instruction& inst, GroupMode mode) {
  const ModuleConfig& config = ConfigOf(inst);
  switch (mode) {
    case GroupMode::kCrossReplica:
    case GroupMode::kCrossReplicaAndPartition:
      return config.replica_count;
    case GroupMode::kCrossPartition:
      return config.num_partitions;
    default:
      return CheckedMul(config.replica_count, config.num_partitions).value_or(0);
  }
}

std::string_view IdsText(GroupMode mode) {
  if (mode == GroupMode::kCrossPartition) return "partitions";
  return mode == GroupMode::kFlattenedId ? "devices" : "replicas";
}

Status CheckChannel(const Instruction& inst, std::optional<i64> channel_id) {
  if (!channel_id || *channel_id >= 0) return {};
  return OpError(inst, StrCat("channel_id is ", *channel_id, ", must be >= 0"));
}

Status CheckDeviceIds(const Instruction& inst, std::optional<i64> channel_id,
                      bool use_global_device_ids) {
  AXLE_TRY(CheckChannel(inst, channel_id));
  if (channel_id || !use_global_device_ids) return {};
  return OpError(inst, "use_global_device_ids needs a channel_id");
}

// The rules differ between collectives: unequal groups, and groups that leave out devices.
Status CheckReplicaGroups(const Collective& c, unsigned rules) {
  AXLE_TRY(CheckChannel(c.inst, c.channel_id));
  if (IsEmpty(c.groups)) {
    if (c.mode != GroupMode::kFlattenedId) return {};
    return OpError(c.inst, "use_global_device_ids needs replica_groups that are not empty");
  }
  if ((rules & kPartialGroups) != 0 && !c.groups.iota && !c.groups.mesh) {
    for (size_t i = 0; i < c.groups.groups.size(); ++i) {
      if (c.groups.groups[i].empty()) {
        return OpError(c.inst, StrCat("replica group ", i, " is empty"));
      }
    }
    AXLE_TRY(CheckIdsDistinct(c));
  } else {
    AXLE_ASSIGN(const i64 listed, CheckListedIds(c));
    const i64 count = NumIds(c.inst, c.mode);
    if (count != 1 && listed != count) {
      return OpError(c.inst, StrCat("replica_groups list ", listed, " ids but the module has ",
                                    count, " ", IdsText(c.mode)));
    }
  }
  if ((rules & kUnequalGroups) != 0) return {};
  const std::vector<Dims>& groups = c.groups.groups;
  for (size_t i = 1; i < groups.size(); ++i) {
    if (groups[i].size() == groups[0].size()) continue;
    return OpError(c.inst,
                   StrCat("replica groups must be of one size, but group 0 has ", groups[0].size(),
                          " ids and group ", i, " has ", groups[i].size()));
  }
  return {};
}

Status NoSuchId(const Instruction& inst, std::string_view what, i64 id, GroupMode mode) {
  const ModuleConfig& config = ConfigOf(inst);
  const std::string_view ids = IdsText(mode);
  return OpError(inst, StrCat(what, " name ", ids.substr(0, ids.size() - 1), " ", id,
                              ", but the program is compiled for ", config.replica_count,
                              " replicas x ", config.num_partitions, " partitions"));
}

// With one replica the lists may be for more devices, which is checked when the program is compiled
// for devices.
Status CheckGroupsExist(const Collective& c) {
  // More than one id has been compared with the lists already.
  if (NumIds(c.inst, c.mode) != 1 || IsEmpty(c.groups)) return {};
  i64 last = 0;  // lists other than partial ones hold 0, 1, ...
  if (c.groups.iota) {
    last = c.groups.iota->size() - 1;
  } else if (c.groups.mesh) {
    last = c.groups.mesh->maximal_device ? *c.groups.mesh->maximal_device
                                         : MeshSize(*c.groups.mesh).value_or(0) - 1;
  }
  for (const Dims& group : c.groups.groups) {
    for (const i64 id : group) last = std::max(last, id);
  }
  if (last == 0) return {};
  return NoSuchId(c.inst, "replica_groups", last, c.mode);
}

StatusOr<i64> GroupSize(const Collective& c) {
  const i64 ids = IdsPerGroup(c);
  if (c.mode != GroupMode::kCrossReplicaAndPartition) return ids;
  const auto devices = CheckedMul(ids, ConfigOf(c.inst).num_partitions);
  if (devices) return *devices;
  return OpError(c.inst, "the number of devices of a replica group does not fit into 64 bits");
}

bool EachIsAlone(const Collective& c) {
  const StatusOr<i64> size = GroupSize(c);
  if (IsEmpty(c.groups) || !size.ok() || *size != 1) return false;
  i64 num_listed = static_cast<i64>(c.groups.groups.size());
  if (c.groups.iota) num_listed = c.groups.iota->size();
  if (c.groups.mesh) {
    num_listed = c.groups.mesh->maximal_device ? 1 : MeshSize(*c.groups.mesh).value_or(0);
  }
  return num_listed == NumIds(c.inst, c.mode);
}

// A run without devices is one device alone.
DeviceContext& DeviceOf(const EvalContext& context) {
  static DeviceContext alone;  // without state
  return context.device == nullptr ? alone : *context.device;
}

// Replica and partition number make the device number: replica * num_partitions + partition.
StatusOr<Dims> DevicesOf(const Instruction& inst, GroupMode mode, const Dims& ids,
                         const DeviceContext& device) {
  AXLE_TRY(CheckThatManyDevices(inst, static_cast<i64>(ids.size()), device));
  Dims devices;
  for (i64 id : ids) {
    devices.push_back(mode == GroupMode::kCrossReplica
                          ? id * device.num_partitions() + device.partition_id()
                          : device.replica_id() * device.num_partitions() + id);
  }
  return devices;
}

// The devices of this device's group, in the order of the group, which is the order of exchanged
// values.
StatusOr<Dims> Participants(const Collective& c, const DeviceContext& device) {
  if (c.groups.groups.empty()) {
    // Before the group, which may be as long as it likes, is listed.
    AXLE_ASSIGN(const i64 size, GroupSize(c));
    AXLE_TRY(CheckThatManyDevices(c.inst, size, device));
  }
  switch (c.mode) {
    case GroupMode::kCrossReplica:
      return DevicesOf(c.inst, c.mode, GroupOf(c, device.replica_id()), device);
    case GroupMode::kCrossPartition:
      return DevicesOf(c.inst, c.mode, GroupOf(c, device.partition_id()), device);
    default:
      break;
  }
  const bool is_flattened = c.mode == GroupMode::kFlattenedId;
  const Dims ids = GroupOf(c, is_flattened ? device.device_id() : device.replica_id());
  const i64 per_id = is_flattened ? 1 : device.num_partitions();
  const auto count = CheckedMul(static_cast<i64>(ids.size()), per_id);
  AXLE_TRY(CheckThatManyDevices(c.inst, count.value_or(INT64_MAX), device));
  Dims devices;
  for (i64 id : ids) {
    for (i64 k = 0; k < per_id; ++k) devices.push_back(id * per_id + k);
  }
  return devices;
}

std::uint64_t RendezvousId(const Instruction& inst) {
  const OpId id = inst.id();
  return std::uint64_t{id.computation} << 32 | std::uint64_t{id.ordinal};
}

// Devices meet at the channel and the instruction: two collectives of one channel do not mix.
StatusOr<std::vector<Literal>> Exchange(const Instruction& inst, std::optional<i64> channel_id,
                                        const Dims& participants, Literal value,
                                        const EvalContext& context) {
  const DeviceContext::Rendezvous rendezvous = {channel_id, RendezvousId(inst)};
  const Shape own = value.shape();
  auto values =
      DeviceOf(context).Exchange(rendezvous, participants, std::move(value), context.limits);
  if (!values.ok()) return OpError(inst, values.status().message(), values.status().code());
  // Run-time sizes may differ, and so may programs that meet at a channel.
  for (size_t i = 0; i < values->size(); ++i) {
    const Shape& shape = (*values)[i].shape();
    if (EqualIgnoringLayout(shape, own)) continue;
    return OpError(inst,
                   StrCat("device ", participants[i], " gives ", shape.ToString(), ", and device ",
                          DeviceOf(context).device_id(), " ", own.ToString()));
  }
  return values;
}

// The position of this device in its group says which part is its own.
StatusOr<GroupValues> ExchangeInGroup(const Collective& c, Literal value,
                                      const EvalContext& context) {
  const DeviceContext& device = DeviceOf(context);
  AXLE_ASSIGN(const Dims participants, Participants(c, device));
  const auto own = std::ranges::find(participants, device.device_id());
  if (own == participants.end()) {
    return OpError(c.inst, StrCat("device ", device.device_id(), " is in no replica group"));
  }
  GroupValues group = {{}, own - participants.begin()};
  AXLE_ASSIGN(group.values,
              Exchange(c.inst, c.channel_id, participants, std::move(value), context));
  return group;
}

}  // namespace axle
