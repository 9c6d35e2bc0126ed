// Device: one of a client's devices, which all are this machine's processor. It has an infeed and
// an outfeed queue and channels of its own; the registry of custom calls is the client's.
// Thread-safe; lives as long as the client, its buffers or its executables.
#pragma once
#include <memory>
#include <string>
#include <utility>

#include "axle/core/strings.h"
#include "axle/runtime/host_device.h"
#include "axle/runtime/serial_queue.h"

namespace axle {

// The memory that the buffers of one client take together, in bytes.
class MemoryBudget {
 public:
  // `cap` is in bytes.
  explicit MemoryBudget(i64 cap) : cap_(cap) {}
  // RESOURCE_EXHAUSTED if there is not so much left.
  Status Reserve(i64 bytes);
  // Gives back what was reserved.
  void Release(i64 bytes) { live_ -= bytes; }
  i64 cap() const { return cap_; }
  i64 live() const { return live_; }

 private:
  const i64 cap_;
  std::atomic<i64> live_ = 0;
};

class Device {
 public:
  // For a client, which makes all of its devices.
  Device(i64 ordinal, const HostDeviceOptions& options, std::shared_ptr<Executor> executor,
         std::shared_ptr<MemoryBudget> memory)
      : ordinal_(ordinal),
        host_(options),
        executor_(std::move(executor)),
        queue_(*executor_),
        memory_(std::move(memory)) {}

  // Its place among the client's devices, from 0; "cpu:0".
  i64 ordinal() const { return ordinal_; }
  std::string ToString() const { return StrCat("cpu:", ordinal_); }
  // The queues and channels.
  HostDevice& host() { return host_; }
  // Where asynchronous runs wait their turn.
  SerialQueue& queue() { return queue_; }
  // That of the client, whose devices share it.
  MemoryBudget& memory() { return *memory_; }

 private:
  const i64 ordinal_;
  HostDevice host_;
  std::shared_ptr<Executor> executor_;
  SerialQueue queue_;
  std::shared_ptr<MemoryBudget> memory_;
};

}  // namespace axle
