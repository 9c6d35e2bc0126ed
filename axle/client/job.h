// Job: the processes that run programs together, as one of them sees it.
//
// Each process has a client with devices of its own. All devices of the job have numbers from 0:
// first those of process 0, then those of process 1, and so on. A program names them in
// CompileOptions::devices, and each process runs what is on its own devices:
//
//   ClientOptions options;
//   options.distributed = TransportOptions{.rendezvous = "file:///shared/job"};
//   AXLE_ASSIGN(auto client, Client::Create(options));       // in every process
//   AXLE_ASSIGN(auto program, client->Compile(module, {.replicas = client->job()->num_devices()}));
//   AXLE_ASSIGN(auto results, program->ExecuteReplicated(arguments));  // of its own devices
//
// All processes run the same programs in the same order. Where a run fails in one of them, it ends
// in all with that cause, and so does every later run, until all have called Client::Reconnect. A
// process that is lost ends all runs.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "axle/core/element_type.h"
#include "axle/distributed/transport.h"

namespace axle {

class BegunRuns;  // client/begun_runs.h
class GroupRun;
struct RunLink;

// Thread-safe.
class Job {
 public:
  ~Job();
  // Connects with the other processes, for Client::Create; this one has so many devices. Errors:
  // those of ConnectTransport.
  static StatusOr<std::shared_ptr<Job>> Connect(const TransportOptions& options, i64 num_devices,
                                                Limits* limits);
  // The same processes again, with the next epoch. What ran over the old connections fails.
  Status Reconnect(Limits* limits);
  // Tells the others that this process has done its part, so that they do not take it for lost
  // when it ends. Runs with other processes are UNAVAILABLE here from then on.
  void Leave();

  // This process, and how many there are.
  int process_id() const { return process_id_; }
  int num_processes() const { return static_cast<int>(first_.size()) - 1; }
  // The devices of all processes; the number of the first one of a process, whose others follow.
  i64 num_devices() const { return first_.back(); }
  i64 first_device() const { return FirstDeviceOf(process_id_); }
  i64 FirstDeviceOf(int process) const { return first_[static_cast<size_t>(process)]; }
  // The process of a device, 0 <= device < num_devices().
  int ProcessOf(i64 device) const;
  // Of the current epoch. Whoever uses it keeps it.
  std::shared_ptr<Transport> transport() const;
  // Numbers the run of this link and group: it counts the runs of the same processes, from 1, the
  // same in all of them. If another process begins the run of this number with another program, the
  // job ends with FAILED_PRECONDITION, within some seconds. If devices wait for each other, the run
  // ends with INVALID_ARGUMENT. The group is there until EndRun. The cause if this run or one
  // before it has failed in some process.
  Status NextRun(RunLink& link, std::string_view program, GroupRun& group);
  // The run has failed here. It and later ones end in all processes; those that others have begun
  // before it go on.
  void FailRun(const GroupRun& group, const Status& cause) noexcept;
  // The run is over here, and all its devices have finished it if it `is_whole`.
  void EndRun(const GroupRun& group, bool is_whole) noexcept;

 private:
  explicit Job(TransportOptions options);
  StatusOr<std::shared_ptr<Transport>> ConnectAgain(Limits* limits);

  TransportOptions options_;
  const std::shared_ptr<BegunRuns> runs_;
  int process_id_ = 0;
  std::vector<i64> first_;  // by process, and the number of all devices
  mutable std::mutex mutex_;
  std::shared_ptr<Transport> transport_;
  std::map<std::uint64_t, std::uint64_t> num_runs_;
};

}  // namespace axle
