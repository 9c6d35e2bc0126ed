#include "axle/client/run_device.h"

#include "axle/core/strings.h"

namespace axle {

// The numbers of the pairs are of partitions, inside of a replica, or of replicas if there is one
// partition, which makes them numbers of devices.
StatusOr<std::optional<GroupRun::Route>> RunDevice::RouteOf(const TransferChannel& channel,
                                                            const TransferPairs& pairs,
                                                            bool is_sender) const {
  const bool of_partitions = num_partitions() > 1;
  const i64 count = of_partitions ? num_partitions() : num_replicas();
  const i64 own = of_partitions ? partition_id() : replica_id();
  const i64 first = of_partitions ? device_ - partition_id() : 0;
  for (const auto& [source, target] : pairs) {
    if ((is_sender ? source : target) != own) continue;
    const i64 other = is_sender ? target : source;
    if (other < 0 || other >= count) {
      return InvalidArgument(StrCat(is_sender ? "send: " : "recv: ", ChannelText(channel.id),
                                    ": the pair {", source, ",", target, "} names ", other,
                                    ", but there are ", count,
                                    of_partitions ? " partitions" : " replicas"));
    }
    return std::optional(GroupRun::Route{channel.id, first + source, first + target});
  }
  return std::optional<GroupRun::Route>();
}

// Devices of other processes are found by the pairs alone.
Status RunDevice::CheckWithoutPairs(const TransferChannel& channel, bool is_sender) const {
  if (group_->link() != nullptr && !channel.is_host_transfer) {
    return Unimplemented(
        StrCat(is_sender ? "send: " : "recv: ", ChannelText(channel.id),
               ": the program runs in several processes; say which devices meet with the frontend "
               "attribute _xla_send_recv_source_target_pairs={{source,target},...}"));
  }
  return group_->CheckOnlyEnd(channel.id, is_sender, device_);
}

Status RunDevice::SendTo(const TransferChannel& channel, const TransferPairs* pairs,
                         const Literal& value, Limits* limits) {
  if (group_ == nullptr) return Send(channel, value, limits);
  if (pairs == nullptr) {
    AXLE_TRY(CheckWithoutPairs(channel, /*is_sender=*/true));
    return Send(channel, value, limits);
  }
  AXLE_ASSIGN(const auto route, RouteOf(channel, *pairs, /*is_sender=*/true));
  return route ? group_->Send(*route, value, limits) : Status();
}

StatusOr<i64> RunDevice::StartRecvFrom(const TransferChannel& channel, const TransferPairs* pairs) {
  if (group_ == nullptr) return StartRecv(channel);
  if (pairs == nullptr) {
    AXLE_TRY(CheckWithoutPairs(channel, /*is_sender=*/false));
    return StartRecv(channel);
  }
  AXLE_ASSIGN(const auto route, RouteOf(channel, *pairs, /*is_sender=*/false));
  return route ? num_recvs_[*route]++ : 0;
}

StatusOr<Literal> RunDevice::FinishRecvFrom(const TransferChannel& channel,
                                            const TransferPairs* pairs, i64 place,
                                            const Shape& shape, Limits* limits) {
  if (group_ == nullptr || pairs == nullptr) return FinishRecv(channel, place, shape, limits);
  AXLE_ASSIGN(const auto route, RouteOf(channel, *pairs, /*is_sender=*/false));
  return route ? group_->Receive(*route, place, shape, limits)
               : Literal::Create(shape.WithoutLayout());
}

}  // namespace axle
