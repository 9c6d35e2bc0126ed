// Future: the end of a task that runs on another thread, with its status. Copies refer to the same
// task.
//
//   AXLE_ASSIGN(ExecuteResult result, executable->ExecuteAsync(arguments));
//   ...
//   AXLE_TRY(result.done.Await());
//
// All functions are thread-safe.
#pragma once
#include <functional>
#include <memory>

#include "axle/core/limits.h"
#include "axle/core/status.h"

namespace axle {

class Future {
 public:
  // Makes a future that is set already, with this status.
  explicit Future(Status status = {});
  // Makes a future that is set later, by one call of Set.
  static Future Pending();

  // Returns whether it is set; Await does not wait then.
  bool is_ready() const;
  // Waits and returns the status that was set. The limits may end the wait, but not the task, with
  // CANCELLED or DEADLINE_EXCEEDED. In a child of fork, a future that was pending in the parent is
  // FAILED_PRECONDITION, since its task does not exist there.
  Status Await(Limits* limits = nullptr) const;
  // Calls `callback` once with what Await returns: at once if the future is set, else on the thread
  // that sets it. That may be the thread of a device's queue, so that a callback must not wait for
  // another run of that device.
  void OnReady(std::function<void(const Status&)> callback) const;
  // Sets the status, once, for a future made by Pending, and runs the callbacks.
  void Set(Status status) const;

 private:
  struct State;
  std::shared_ptr<State> state_;  // null: set, with OK
};

}  // namespace axle
