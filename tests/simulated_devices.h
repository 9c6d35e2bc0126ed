// Runs one module on several devices, each a thread of this process, to prove the evaluators of
// collectives: devices meet in memory through DeviceContext::Exchange.
#pragma once
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <tuple>

#include "axle/core/strings.h"
#include "axle/eval/evaluate.h"

namespace axle {

// Where the devices of one run meet.
class MeetingPlace {
 public:
  // Collectives of one place, among the same participants, are told apart by their number.
  using Key = std::tuple<std::optional<i64>, std::uint64_t, Dims, i64>;

  StatusOr<std::vector<Literal>> Meet(const Key& key, i64 device, Literal value) {
    const Dims& participants = std::get<Dims>(key);
    std::unique_lock lock(mutex_);
    std::map<i64, Literal>& values = meetings_[key];
    values.emplace(device, std::move(value));
    changed_.notify_all();
    const bool complete = changed_.wait_for(lock, std::chrono::seconds(5), [&] {
      return failed_ || values.size() == participants.size();
    });
    if (!complete || values.size() != participants.size()) {
      failed_ = true;
      changed_.notify_all();
      return Internal("a participant did not come");
    }
    std::vector<Literal> result;
    for (i64 participant : participants) result.push_back(values.at(participant));
    return result;
  }

  // A device that fails lets nobody wait for it.
  void Fail() {
    const std::lock_guard lock(mutex_);
    failed_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<Key, std::map<i64, Literal>> meetings_;
  bool failed_ = false;
};

class SimulatedDevice : public DeviceContext {
 public:
  SimulatedDevice(MeetingPlace& place, i64 replicas, i64 partitions, i64 device)
      : place_(place), replicas_(replicas), partitions_(partitions), device_(device) {}

  i64 replica_id() const override { return device_ / partitions_; }
  i64 partition_id() const override { return device_ % partitions_; }
  i64 num_replicas() const override { return replicas_; }
  i64 num_partitions() const override { return partitions_; }
  StatusOr<std::vector<Literal>> Exchange(const Rendezvous& rendezvous,
                                          std::span<const i64> participants, Literal value,
                                          Limits*) override {
    const Dims list(participants.begin(), participants.end());
    i64& count = count_[{rendezvous.channel_id, rendezvous.instruction, list}];
    return place_.Meet(
        {rendezvous.channel_id, rendezvous.channel_id ? 0 : rendezvous.instruction, list, count++},
        device_, std::move(value));
  }

 private:
  MeetingPlace& place_;
  i64 replicas_, partitions_, device_;
  std::map<std::tuple<std::optional<i64>, std::uint64_t, Dims>, i64> count_;
};

// The results of all devices, or the first error. `arguments` has a list for each device.
inline StatusOr<std::vector<Literal>> RunOnDevices(
    const Module& module, const std::vector<std::vector<Literal>>& arguments) {
  const i64 replicas = module.config().replica_count;
  const i64 partitions = module.config().num_partitions;
  const auto count = static_cast<i64>(arguments.size());
  if (count != replicas * partitions) return InvalidArgument("one list of arguments per device");
  MeetingPlace place;
  std::vector<StatusOr<Literal>> results(count, Literal());
  std::vector<std::thread> threads;
  for (i64 device = 0; device < count; ++device) {
    threads.emplace_back([&, device] {
      SimulatedDevice context(place, replicas, partitions, device);
      results[device] = Evaluate(module, arguments[device], {.device = &context});
      if (!results[device].ok()) place.Fail();
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<Literal> values;
  for (StatusOr<Literal>& result : results) {
    if (!result.ok() && result.status().message() != "a participant did not come") {
      return result.status();
    }
  }
  for (StatusOr<Literal>& result : results) {
    if (!result.ok()) return result.status();
    values.push_back(*std::move(result));
  }
  return values;
}

}  // namespace axle
