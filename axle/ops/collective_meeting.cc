// The participants of a collective-permute are all sources and targets, in ascending order; a
// device that is neither takes no part. Those of the others are the devices of a replica group.
#include "axle/ops/collective_meeting.h"

#include <algorithm>

#include "axle/ops/attributes/attributes.h"

namespace axle {
namespace {

template <typename Attrs>
Collective WithDeviceIds(const Instruction& inst) {
  const Attrs& attrs = inst.attrs<Attrs>();
  return {inst, attrs.channel_id, attrs.replica_groups,
          ModeWithDeviceIds(attrs.channel_id, attrs.use_global_device_ids)};
}

template <typename Attrs>
Collective OfChannel(const Instruction& inst) {
  const Attrs& attrs = inst.attrs<Attrs>();
  return {inst, attrs.channel_id, attrs.replica_groups, ModeOfChannel(attrs.channel_id)};
}

StatusOr<CollectiveMeeting> PermuteMeeting(const Instruction& inst, const DeviceContext& device) {
  const CollectivePermuteAttrs& attrs = inst.attrs<CollectivePermuteAttrs>();
  const GroupMode mode = ModeOfChannel(attrs.channel_id);
  const i64 own = mode == GroupMode::kCrossReplica ? device.replica_id() : device.partition_id();
  Dims ids;
  i64 from = -1;
  for (const auto& [source, target] : attrs.source_target_pairs) {
    ids.push_back(source);
    ids.push_back(target);
    if (target == own) from = source;
  }
  std::ranges::sort(ids);
  ids.erase(std::ranges::unique(ids).begin(), ids.end());
  CollectiveMeeting meeting;
  if (!std::ranges::binary_search(ids, own)) return meeting;
  AXLE_ASSIGN(meeting.participants, DevicesOf(inst, mode, ids, device));
  const auto position_of = [&](i64 id) { return std::ranges::lower_bound(ids, id) - ids.begin(); };
  if (from >= 0) meeting.source = position_of(from);
  meeting.sources.assign(ids.size(), -1);
  for (const auto& [source, target] : attrs.source_target_pairs) {
    meeting.sources[static_cast<size_t>(position_of(target))] = position_of(source);
  }
  return meeting;
}

}  // namespace

ExchangeForm ExchangeFormOf(const Instruction& inst) {
  switch (inst.opcode()) {
    case Opcode::kAllReduce:
    case Opcode::kAllReduceStart:
      return ExchangeForm::kReduce;
    case Opcode::kReduceScatter:
      return ExchangeForm::kReduceScatter;
    case Opcode::kAllGather:
    case Opcode::kAllGatherStart:
      return ExchangeForm::kGather;
    case Opcode::kAllToAll:
      return inst.attrs<AllToAllAttrs>().dimensions.empty() ? ExchangeForm::kDeal
                                                            : ExchangeForm::kAllToAll;
    case Opcode::kCollectivePermute:
    case Opcode::kCollectivePermuteStart:  // some update slices in place
      return inst.attrs<CollectivePermuteAttrs>().slice_sizes.empty() ? ExchangeForm::kPermute
                                                                      : ExchangeForm::kNone;
    case Opcode::kCollectiveBroadcast:  // some have roots that are computed
      return inst.attrs<CollectiveBroadcastAttrs>().has_dynamic_root == TriState::kTrue
                 ? ExchangeForm::kNone
                 : ExchangeForm::kBroadcast;
    default:
      return ExchangeForm::kNone;
  }
}

bool GivesCollectiveState(const Instruction& inst) {
  return inst.opcode() == Opcode::kAllGatherStart ||
         inst.opcode() == Opcode::kCollectivePermuteStart;
}

DoneForm DoneFormOf(const Instruction& inst) {
  switch (inst.opcode()) {
    case Opcode::kAllReduceDone:
      return DoneForm::kOperand;
    case Opcode::kAllGatherDone:
    case Opcode::kCollectivePermuteDone:
      return DoneForm::kResults;
    default:
      return DoneForm::kNone;
  }
}

Collective CollectiveOf(const Instruction& inst) {
  switch (inst.opcode()) {
    case Opcode::kAllGather:
    case Opcode::kAllGatherStart:
      return WithDeviceIds<AllGatherAttrs>(inst);
    case Opcode::kReduceScatter:
      return WithDeviceIds<ReduceScatterAttrs>(inst);
    case Opcode::kAllToAll:
      return OfChannel<AllToAllAttrs>(inst);
    case Opcode::kRaggedAllToAll:
      return OfChannel<RaggedAllToAllAttrs>(inst);
    case Opcode::kCollectiveBroadcast:
      return OfChannel<CollectiveBroadcastAttrs>(inst);
    default:
      return WithDeviceIds<AllReduceAttrs>(inst);
  }
}

// Without groups, or where they may leave out devices, it depends on the number of devices, which
// is perhaps not that of the run yet.
bool MeetsOthers(const Instruction& inst) {
  switch (ExchangeFormOf(inst)) {
    case ExchangeForm::kReduce:
    case ExchangeForm::kReduceScatter:
    case ExchangeForm::kGather:
    case ExchangeForm::kAllToAll:
    case ExchangeForm::kDeal:
      return !CheckGroupsExist(CollectiveOf(inst)).ok() || !EachIsAlone(CollectiveOf(inst));
    default:
      return true;
  }
}

StatusOr<CollectiveMeeting> MeetingOf(const Instruction& inst, const DeviceContext& device) {
  if (inst.opcode() == Opcode::kCollectivePermute ||
      inst.opcode() == Opcode::kCollectivePermuteStart) {
    return PermuteMeeting(inst, device);
  }
  CollectiveMeeting meeting;
  AXLE_ASSIGN(meeting.participants, Participants(CollectiveOf(inst), device));
  return meeting;
}

}  // namespace axle
