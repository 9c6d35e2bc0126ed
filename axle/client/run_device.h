// RunDevice: the device as one run of a program sees it, with the number of the replica, the random
// seed and the other devices of the run.
#pragma once
#include <map>

#include "axle/core/paired_transfers.h"
#include "axle/ir/module.h"
#include "axle/runtime/group_device.h"
#include "axle/runtime/group_run.h"

namespace axle {

// For the thread of the run.
class RunDevice : public GroupDevice, public PairedTransfers {
 public:
  // `group` is null for a run on one device. Everything outlives this.
  RunDevice(DeviceContext& host, i64 device, const ModuleConfig& config, std::uint64_t random_seed,
            GroupRun* group)
      : host_(host), device_(device), config_(config), random_seed_(random_seed), group_(group) {}

  // What is known of the run.
  i64 replica_id() const override { return device_ / config_.num_partitions; }
  i64 partition_id() const override { return device_ % config_.num_partitions; }
  i64 num_replicas() const override { return config_.replica_count; }
  i64 num_partitions() const override { return config_.num_partitions; }
  std::uint64_t random_seed() const override { return random_seed_; }
  GroupRun* group() const override { return group_; }
  StatusOr<std::vector<Literal>> Exchange(const Rendezvous& rendezvous,
                                          std::span<const i64> participants, Literal value,
                                          Limits* limits) override {
    if (group_ == nullptr) {
      return DeviceContext::Exchange(rendezvous, participants, std::move(value), limits);
    }
    return group_->Meet(device_id(), rendezvous, participants, std::move(value), limits);
  }

  // Those of the device.
  StatusOr<Literal> Infeed(const Shape& shape, std::string_view config, Limits* limits) override {
    return host_.Infeed(shape, config, limits);
  }
  Status Outfeed(const Literal& value, const Shape& shape, std::string_view config,
                 Limits* limits) override {
    return host_.Outfeed(value, shape, config, limits);
  }
  Status Send(const TransferChannel& channel, const Literal& value, Limits* limits) override {
    return host_.Send(channel, value, limits);
  }
  StatusOr<i64> StartRecv(const TransferChannel& channel) override {
    return host_.StartRecv(channel);
  }
  StatusOr<Literal> FinishRecv(const TransferChannel& channel, i64 place, const Shape& shape,
                               Limits* limits) override {
    return host_.FinishRecv(channel, place, shape, limits);
  }
  // Through the group; where the run has one device or the transfer names no pairs, through the
  // channels of the device.
  Status SendTo(const TransferChannel& channel, const TransferPairs* pairs, const Literal& value,
                Limits* limits) override;
  StatusOr<i64> StartRecvFrom(const TransferChannel& channel, const TransferPairs* pairs) override;
  StatusOr<Literal> FinishRecvFrom(const TransferChannel& channel, const TransferPairs* pairs,
                                   i64 place, const Shape& shape, Limits* limits) override;
  // Those of the device, which the runs on it share.
  bool HasCustomCall(std::string_view target) const override { return host_.HasCustomCall(target); }
  std::vector<std::string> CustomCallTargets() const override { return host_.CustomCallTargets(); }
  StatusOr<Literal> CustomCall(const CustomCallInvocation& invocation) override {
    return host_.CustomCall(invocation);
  }

 private:
  // The route on which this device sends, or receives; none if it is no source, or no target.
  // INVALID_ARGUMENT if the run does not have the other device.
  StatusOr<std::optional<GroupRun::Route>> RouteOf(const TransferChannel& channel,
                                                   const TransferPairs& pairs,
                                                   bool is_sender) const;
  Status CheckWithoutPairs(const TransferChannel& channel, bool is_sender) const;

  DeviceContext& host_;
  const i64 device_;
  const ModuleConfig& config_;
  const std::uint64_t random_seed_;
  GroupRun* const group_;
  std::map<GroupRun::Route, i64> num_recvs_;  // that have begun
};

}  // namespace axle
