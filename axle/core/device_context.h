// DeviceContext: what an op may ask of the device it runs on. Ops that need more than numbers
// (infeed, outfeed, send and recv, collectives, custom calls, random seeds) get it through
// EvalContext. The base class is device 0 of 1, which has no queues, channels or registered
// targets: asking for one is FAILED_PRECONDITION. runtime/host_device.h has the device with all of
// them.
//
// Thread safety: a device may be used by several runs at a time.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "axle/core/custom_call.h"
#include "axle/core/limits.h"
#include "axle/core/literal.h"

namespace axle {

// Where a send and a recv meet: the k-th send of a channel pairs with its k-th recv.
struct TransferChannel {
  std::optional<i64> id;  // transfers without a channel_id meet each other
  // To or from the host. Such channels and those between devices are apart, and so are the two
  // directions.
  bool is_host_transfer = false;
};
// "channel 3", or "the channel without an id".
std::string ChannelText(std::optional<i64> id);

class DeviceContext {
 public:
  virtual ~DeviceContext() = default;

  virtual i64 replica_id() const { return 0; }
  virtual i64 partition_id() const { return 0; }
  virtual i64 num_replicas() const { return 1; }
  virtual i64 num_partitions() const { return 1; }
  // Position among all devices of the program.
  i64 device_id() const { return replica_id() * num_partitions() + partition_id(); }

  // Where the devices of a collective meet: at any op with this channel, or, without a channel, at
  // this instruction. Meetings at one place are told apart by their order on each device.
  struct Rendezvous {
    std::optional<i64> channel_id;
    std::uint64_t instruction = 0;  // the same on all devices of a run
  };
  // Gives `value` to all participants of a collective and waits for what they give; the result is
  // in the order of `participants`. Those are device ids, this device's among them, and the same
  // list on each participant. The base class knows one device only.
  virtual StatusOr<std::vector<Literal>> Exchange(const Rendezvous& rendezvous,
                                                  std::span<const i64> participants, Literal value,
                                                  Limits* limits);
  // Of the `rng` op; a constant unless execution options say otherwise.
  virtual std::uint64_t random_seed() const { return 0; }

  // The next buffers of the infeed queue: one for an array, one per element for a tuple, taken at
  // once. Waits for the host to transfer them; CANCELLED or DEADLINE_EXCEEDED if the limits end the
  // wait, INVALID_ARGUMENT if a buffer has another shape. The result is row-major.
  virtual StatusOr<Literal> Infeed(const Shape& shape, std::string_view config, Limits* limits);
  // Puts the leaves of `value`, which is row-major, into the outfeed queue in the layouts of
  // `shape`, all at once. Waits while the queue is full.
  virtual Status Outfeed(const Literal& value, const Shape& shape, std::string_view config,
                         Limits* limits);

  // Starts to send; the value is stored until a recv asks for it.
  virtual Status Send(const TransferChannel& channel, const Literal& value, Limits* limits);
  // Takes a place in the channel's line of recvs; FinishRecv waits for the value of that place.
  virtual StatusOr<i64> StartRecv(const TransferChannel& channel);
  virtual StatusOr<Literal> FinishRecv(const TransferChannel& channel, i64 place,
                                       const Shape& shape, Limits* limits);

  // Targets that are registered with this device, which go before the built-in ones. Arbitrary
  // symbols are never looked up.
  virtual bool HasCustomCall(std::string_view target) const;
  virtual std::vector<std::string> CustomCallTargets() const;
  virtual StatusOr<Literal> CustomCall(const CustomCallInvocation& invocation);
};

// The device of runs that name none: an object of the base class.
DeviceContext& DefaultDevice();

}  // namespace axle
