// DeviceContext: what an op may ask of the device it runs on. A null pointer or the base class
// is a device 0 of 1 without queues; runtime/ will implement queues and collectives. Ops that need
// more than numbers (infeed, outfeed, collectives, custom calls, random seeds) get it through
// EvalContext.
#pragma once
#include <span>
#include <string_view>

#include "axle/core/literal.h"

namespace axle {

class DeviceContext {
 public:
  virtual ~DeviceContext() = default;

  virtual i64 replica_id() const { return 0; }
  virtual i64 partition_id() const { return 0; }
  virtual i64 num_replicas() const { return 1; }
  virtual i64 num_partitions() const { return 1; }
  // Of the `rng` op; a constant unless execution options say otherwise.
  virtual std::uint64_t random_seed() const { return 0; }

  virtual StatusOr<Literal> Infeed(const Shape& shape);
  virtual Status Outfeed(const Literal& value);
  // Calls a registered target. Arbitrary symbols are never looked up.
  virtual StatusOr<Literal> CustomCall(std::string_view target, std::span<const Literal> operands,
                                       const Shape& result, std::string_view backend_config);
};

}  // namespace axle
