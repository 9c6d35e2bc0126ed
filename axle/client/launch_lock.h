// LaunchLock: held while a run is put into the queues of its devices, so that any two runs of a
// client are in the same order on all devices that they share, and neither waits for a device on
// which the other one is first.
#pragma once
#include <mutex>

namespace axle {

struct LaunchLock {
  std::mutex mutex;
};

}  // namespace axle
