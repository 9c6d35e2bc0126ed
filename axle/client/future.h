// Future: the end of something that runs on another thread, good or bad. Copies are the same event.
//
//   AXLE_ASSIGN(ExecuteResult result, executable->ExecuteAsync(arguments));
//   ...
//   AXLE_TRY(result.done.Await());
//
// Thread-safe.
#pragma once
#include <functional>
#include <memory>

#include "axle/core/limits.h"
#include "axle/core/status.h"

namespace axle {

class Future {
 public:
  // Over already, with this status.
  explicit Future(Status status = {});
  // Waits for a Set, which is called once.
  static Future Pending();

  // Whether it has ended; Await does not wait then.
  bool is_ready() const;
  // Waits, and gives the status that was set. The limits may end the wait, and only that, with
  // CANCELLED or DEADLINE_EXCEEDED. In a child of fork, what was pending in the parent is
  // FAILED_PRECONDITION: it does not exist there.
  Status Await(Limits* limits = nullptr) const;
  // Calls `callback` once with what Await returns: at once if that is there, else on the thread
  // that sets it. That may be the one of a device's queue: a callback waits for no other run there.
  void OnReady(std::function<void(const Status&)> callback) const;
  // Ends it, once, for those who made it with Pending. Runs the callbacks.
  void Set(Status status) const;

 private:
  struct State;
  std::shared_ptr<State> state_;  // null: over, and good
};

}  // namespace axle
