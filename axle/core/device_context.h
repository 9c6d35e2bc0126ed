// DeviceContext: what an op may ask of the device it runs on. A null pointer or the base class
// is a device 0 of 1 without queues; runtime/ will implement queues and collectives. Ops that need
// more than numbers (infeed, outfeed, collectives, custom calls, random seeds) get it through
// EvalContext.
#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "axle/core/limits.h"
#include "axle/core/literal.h"

namespace axle {

class DeviceContext {
 public:
  virtual ~DeviceContext() = default;

  virtual i64 replica_id() const { return 0; }
  virtual i64 partition_id() const { return 0; }
  virtual i64 num_replicas() const { return 1; }
  virtual i64 num_partitions() const { return 1; }
  // Position among all devices of the program.
  i64 device_id() const { return replica_id() * num_partitions() + partition_id(); }

  // Where the devices of a collective meet: at any op with this channel, or, without a channel
  // (0), at this instruction. Meetings at one place are told apart by their order on each device.
  struct Rendezvous {
    i64 channel_id = 0;
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

  virtual StatusOr<Literal> Infeed(const Shape& shape);
  virtual Status Outfeed(const Literal& value);
  // Calls a registered target. Arbitrary symbols are never looked up.
  virtual StatusOr<Literal> CustomCall(std::string_view target, std::span<const Literal> operands,
                                       const Shape& result, std::string_view backend_config);
};

}  // namespace axle
