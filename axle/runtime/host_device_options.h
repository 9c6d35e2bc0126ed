// How much the queues and channels of a device hold, and what it shares with others.
#pragma once
#include <memory>

#include "axle/core/element_type.h"

namespace axle {

class CustomCallRegistry;  // runtime/custom_call_registry.h
class TransferHub;         // runtime/host_device.h

struct HostDeviceOptions {
  // In bytes, of each queue and of the hub that the device makes.
  i64 queue_capacity = i64{1} << 30;
  // Of each of them too, because an array may have no bytes.
  i64 max_buffers = i64{1} << 20;
  std::shared_ptr<TransferHub> hub = nullptr;  // null: one of its own
  // False for a host that does nothing else while its program runs: what the program takes (infeed,
  // recv of a host transfer) must be there when it asks, and what the host takes likewise; a wait
  // for the other side is INVALID_ARGUMENT, or RESOURCE_EXHAUSTED where a queue is full.
  bool waits_for_host = true;
  // Null: one of its own, in which nothing is registered.
  std::shared_ptr<CustomCallRegistry> custom_calls = nullptr;
};

}  // namespace axle
