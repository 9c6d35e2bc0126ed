// What a program takes on the devices of many processes, without running it.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "axle/core/limits.h"
#include "axle/ir/module.h"
#include "tools/axle/topology.h"

namespace axle::tool {

struct JobOptions {
  i64 replicas = 1, partitions = 1;
  i64 devices_per_process = 1;
  double flops = 1;             // operations per second of one device
  double memory_bandwidth = 1;  // bytes per second of one device
  std::optional<double> compute =
      {};  // seconds of a step that are no collectives, if they are known
};

// A collective of the program.
struct CollectiveCost {
  std::string name, op, shape;
  double runs = 1;  // per step
  i64 groups = 0;
  i64 group_size = 0;  // devices of the largest group
  i64 group_processes = 0;
  size_t rounds = 0;
  double sent = 0;      // bytes per run of the process that sends most
  double messages = 0;  // likewise
  double seconds = 0;   // of one run
  double network = 0;   // the part of it that is not in memory
  std::string bound;    // what most of it is: "memory", "latency", "rack bytes", "rack messages"
};

// The links of one level, over a step.
struct LinkCost {
  NetworkLevel level;
  i64 links = 0;
  double bytes = 0;     // all links, both directions
  double busiest = 0;   // bytes of the link that carries most, in its busier direction
  double messages = 0;  // of that link, in and out
  double seconds = 0;   // that it is busy
};

struct PathStep {
  std::string name, op;
  double seconds = 0;
};

struct JobCost {
  i64 processes = 0;
  double step = 0, compute = 0, collectives = 0;  // seconds; step is the sum
  double flops = 0, bytes = 0;                    // of a device per step
  // The longest chain of instructions that need each other, and those of the entry in it.
  double critical_path = 0;
  std::vector<PathStep> path;
  std::vector<CollectiveCost> costs;
  std::vector<LinkCost> links;
  i64 value_bytes = 0;    // of all devices of a process
  i64 message_bytes = 0;  // the most that a process sends and receives in one round
  i64 memory_bytes() const { return value_bytes + message_bytes; }
  i64 unknown_loops = 0;  // of which one iteration counts
  i64 transfers = 0;      // sends and receives, which do not count
};

// The program for so many devices: verified, and divided if it has shardings. Errors: those of the
// rules of its collectives.
StatusOr<std::unique_ptr<Module>> ForDevices(const Module& module, const JobOptions& options,
                                             Limits* limits);
StatusOr<JobCost> Predict(const Module& module, const JobOptions& options, const Topology& topology,
                          Limits* limits);

}  // namespace axle::tool
