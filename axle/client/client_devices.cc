// Which devices a client has, and which of them run a program.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <vector>

#include "axle/client/client.h"
#include "axle/client/job.h"
#include "axle/client/run_devices.h"
#include "axle/client/save.h"
#include "axle/core/strings.h"
#include "axle/ir/module.h"

namespace axle {

static std::uint64_t HashOf(std::string_view bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

StatusOr<std::shared_ptr<Device>> Client::DeviceAt(i64 ordinal, std::string_view what) const {
  if (ordinal >= 0 && ordinal < static_cast<i64>(devices_.size())) return devices_[ordinal];
  return InvalidArgument(
      StrCat(what, ": there is no device ", ordinal, ", the client has ", devices_.size()));
}

StatusOr<RunDevices> Client::DevicesFor(const Module& module, const CompileOptions& options) const {
  const i64 replicas = module.config().replica_count;
  const i64 partitions = module.config().num_partitions;
  if (replicas < 1 || partitions < 1) {
    return InvalidArgument(StrCat("compile: replicas is ", replicas, " and partitions ", partitions,
                                  ", must be >= 1"));
  }
  // A device that the caller passes knows the other devices of its run.
  if (options.device != nullptr) return RunDevices{{devices_[0]}, {0}, 1, nullptr};
  const i64 num_all = job_ == nullptr ? std::ssize(devices_) : job_->num_devices();
  const auto num_devices = CheckedMul(replicas, partitions);
  if (!num_devices || *num_devices > num_all) {
    return InvalidArgument(StrCat("compile: ", replicas, " replicas x ", partitions,
                                  " partitions need more devices than the ",
                                  job_ == nullptr ? "client" : "job", " has, ", num_all));
  }
  if (!options.devices.empty() && std::ssize(options.devices) != *num_devices) {
    return InvalidArgument(StrCat("compile: ", options.devices.size(), " devices for ", replicas,
                                  " replicas x ", partitions, " partitions"));
  }
  RunDevices chosen;
  chosen.num_devices = *num_devices;
  std::vector<int> process_of;
  std::vector<bool> is_taken(static_cast<size_t>(num_all));
  const i64 first = job_ == nullptr ? 0 : job_->first_device();
  for (i64 number = 0; number < *num_devices; ++number) {
    const i64 device =
        options.devices.empty() ? number : options.devices[static_cast<size_t>(number)];
    if (device < 0 || device >= num_all) {
      return InvalidArgument(StrCat("compile: there is no device ", device, ", the ",
                                    job_ == nullptr ? "client" : "job", " has ", num_all));
    }
    if (is_taken[static_cast<size_t>(device)]) {
      return InvalidArgument(StrCat("compile: device ", device, " is listed twice"));
    }
    is_taken[static_cast<size_t>(device)] = true;
    process_of.push_back(job_ == nullptr ? 0 : job_->ProcessOf(device));
    if (device < first || device >= first + std::ssize(devices_)) continue;
    chosen.local.push_back(devices_[static_cast<size_t>(device - first)]);
    chosen.numbers.push_back(number);
  }
  if (chosen.local.empty()) {
    return InvalidArgument(StrCat("compile: \"", module.name(), "\" has none of its ", *num_devices,
                                  " devices in process ", job_->process_id(),
                                  ", which need not compile it"));
  }
  if (std::ssize(chosen.local) < *num_devices) {
    std::vector<int> processes = process_of;
    std::ranges::sort(processes);
    processes.erase(std::ranges::unique(processes).begin(), processes.end());
    auto placement = std::make_shared<RunPlacement>();
    placement->job = job_;
    placement->processes = HashOf(Join(processes, ","));
    placement->program = HashOf(StrCat(
        HashOf(ModuleToProto(module)), " ", options.numerics == Numerics::kFast ? "fast " : "",
        // Which exchanges other messages.
        options.engine == EngineKind::kInterpret ? "interpreted " : "", replicas, " ", partitions,
        " ", Join(options.devices, ",")));
    placement->process_of = std::move(process_of);
    chosen.placement = std::move(placement);
  }
  return chosen;
}

Status Client::Reconnect(Limits* limits) {
  if (job_ == nullptr) {
    return FailedPrecondition("connect: the client is in no job: set ClientOptions::distributed");
  }
  return job_->Reconnect(limits);
}

}  // namespace axle
