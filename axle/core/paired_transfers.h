// PairedTransfers: what a device whose run has several devices does with sends and recvs between
// them. A program that runs on several devices says which of them send to which: the k-th send of a
// source to a target meets the k-th recv that this target has from this source.
#pragma once
#include <string_view>
#include <utility>
#include <vector>

#include "axle/core/device_context.h"

namespace axle {

// Numbers of devices {source, target}: of partitions, or of replicas if there is one partition.
// Each is at most once a source and at most once a target.
using TransferPairs = std::vector<std::pair<i64, i64>>;

// The frontend attribute of an instruction that has them, {{source,target},...}, as in XLA.
inline constexpr std::string_view kTransferPairsAttribute = "_xla_send_recv_source_target_pairs";

// Part of a DeviceContext. `pairs` is null for a transfer that names none: of those, one device of
// the run may send to a channel, and one may receive from it.
class PairedTransfers {
 public:
  virtual ~PairedTransfers() = default;

  // As the functions of DeviceContext. A device that is no source sends nothing, and one that is no
  // target receives zeros.
  virtual Status SendTo(const TransferChannel& channel, const TransferPairs* pairs,
                        const Literal& value, Limits* limits) = 0;
  virtual StatusOr<i64> StartRecvFrom(const TransferChannel& channel,
                                      const TransferPairs* pairs) = 0;
  virtual StatusOr<Literal> FinishRecvFrom(const TransferChannel& channel,
                                           const TransferPairs* pairs, i64 place,
                                           const Shape& shape, Limits* limits) = 0;
};

}  // namespace axle
