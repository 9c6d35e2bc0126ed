// Device: one of a client's devices, all of which are this machine's processor. It has its own
// infeed and outfeed queue and channels; the registry of custom calls is the client's. Its
// functions are thread-safe. It lives as long as the client, its buffers or its executables.
#pragma once
#include <memory>
#include <string>

#include "axle/core/element_type.h"

namespace axle {

class Executor;            // core/executor.h
class HostDevice;          // runtime/host_device.h
struct HostDeviceOptions;  // runtime/host_device_options.h
struct Launcher;           // client/launcher.h
class MemoryBudget;        // client/memory_budget.h
class SerialQueue;         // runtime/serial_queue.h

class Device {
 public:
  // The constructor for Client, which makes all of its devices.
  Device(i64 ordinal, const HostDeviceOptions& options, std::shared_ptr<Executor> executor,
         std::shared_ptr<MemoryBudget> memory, std::shared_ptr<Launcher> launcher);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  // The ordinal among the client's devices, from 0; and the name, as "cpu:0".
  i64 ordinal() const { return ordinal_; }
  std::string ToString() const;
  // The queues and channels.
  HostDevice& host() { return *host_; }
  // The queue in which asynchronous runs wait.
  SerialQueue& queue() { return *queue_; }
  // Of the client (client/launcher.h).
  Launcher& launcher() { return *launcher_; }
  // The client's memory budget, which its devices share.
  MemoryBudget& memory() { return *memory_; }

 private:
  const i64 ordinal_;
  const std::unique_ptr<HostDevice> host_;
  const std::shared_ptr<Executor> executor_;
  const std::unique_ptr<SerialQueue> queue_;
  const std::shared_ptr<MemoryBudget> memory_;
  const std::shared_ptr<Launcher> launcher_;
};

}  // namespace axle
