// Executable::Call and Executable::Launch: an accepted run of a program on one device, and what the
// devices of one run share.
#pragma once
#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "axle/client/buffer_storage.h"
#include "axle/client/executable.h"
#include "axle/client/run_devices.h"
#include "axle/core/limits.h"
#include "axle/runtime/group_run.h"
#include "axle/runtime/run_link.h"

namespace axle {

// One run on several devices. Its limits have a part for each device, so that any device can end
// all others.
struct Executable::Launch {
  // `limits` of the options, or null. `num_here` of the devices are in this process.
  Launch(const std::shared_ptr<const Module>& module, size_t num_devices, size_t num_here,
         std::shared_ptr<RunLink> with_others, Limits* limits);
  ~Launch();
  Launch(const Launch&) = delete;

  // Gives the run its number, if it has a part in other processes. UNAVAILABLE, with the name of
  // the program, if a process was lost before.
  Status Begin(std::string_view program);

  // The device is done, with this status. A failure ends the run of all others.
  void Leave(i64 device, const Status& status) noexcept;
  void Cancel();
  // The run is over in this process, all devices having finished it or not.
  void End(bool is_whole) noexcept;

  std::shared_ptr<RunLink> link;                  // null: all devices are in this process
  std::shared_ptr<const RunPlacement> placement;  // with the link
  GroupRun group;
  Limits own;       // where the options have none
  i64 live_before;  // bytes that the limits had accounted for
  std::vector<std::unique_ptr<Limits>> parts;
  std::atomic<size_t> num_finished = 0;  // devices here
  std::atomic<bool> is_watched = false;  // by the job
};

// Donated arguments belong to the call from the start; of the others it is one user among several.
struct Executable::Call {
  i64 device = 0;
  std::shared_ptr<Launch> launch;  // of a run on several devices
  // Set by the thread that runs the call, which happens once: a call whose turn has not come can be
  // ended by others.
  std::atomic<bool> is_taken = false;
  ExecuteOptions options;
  std::vector<std::shared_ptr<BufferStorage>> arguments;
  std::vector<BufferUse> uses;
  struct Donated {
    BufferPtr buffer;
    size_t argument;
  };
  std::vector<Donated> donated;
  std::vector<std::shared_ptr<BufferStorage>> promised;
  std::vector<std::pair<Future, Status>> news;  // of the pending results; has room for all
  std::vector<BufferPtr> results;               // for the caller; moved out before the run
  Future done = Future::Pending();

  // Undoes an accepted call that will not run: donated arguments are returned to their buffers.
  void Undo() {
    for (const Donated& given : donated) given.buffer->TakeBack(arguments[given.argument]);
  }
};

}  // namespace axle
