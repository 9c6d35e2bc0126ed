// RunDevices: where the devices of a program are.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "axle/client/device.h"

namespace axle {

class Job;

// Of a program that several processes run.
struct RunPlacement {
  std::shared_ptr<Job> job;
  std::vector<int> process_of;  // by number of the device in the run
  std::uint64_t processes = 0;  // a hash of those that take part
  std::uint64_t program = 0;    // a hash of the program, its numerics and its devices
};

struct RunDevices {
  std::vector<std::shared_ptr<Device>> local;               // those of this process
  std::vector<i64> numbers;                                 // of each in the run, ascending
  i64 num_devices = 0;                                      // in all processes
  std::shared_ptr<const RunPlacement> placement = nullptr;  // null: all are in this process
};

}  // namespace axle
