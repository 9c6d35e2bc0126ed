#include "axle/client/device.h"

#include "axle/client/launcher.h"
#include "axle/client/memory_budget.h"
#include "axle/core/strings.h"
#include "axle/runtime/host_device.h"
#include "axle/runtime/serial_queue.h"

namespace axle {

Device::Device(i64 ordinal, const HostDeviceOptions& options, std::shared_ptr<Executor> executor,
               std::shared_ptr<MemoryBudget> memory, std::shared_ptr<Launcher> launcher)
    : ordinal_(ordinal),
      host_(std::make_unique<HostDevice>(options)),
      executor_(std::move(executor)),
      queue_(std::make_unique<SerialQueue>(*executor_)),
      memory_(std::move(memory)),
      launcher_(std::move(launcher)) {}

Device::~Device() = default;

std::string Device::ToString() const {
  return StrCat("cpu:", ordinal_);
}

}  // namespace axle
