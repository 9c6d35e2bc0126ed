// SerialQueue: tasks on an executor, one at a time, in the order in which they came: what is
// enqueued on a device runs in the order of the calls. Thread-safe.
#pragma once
#include <atomic>
#include <functional>
#include <memory>

#include "axle/core/executor.h"

namespace axle {

class SerialQueue {
 public:
  // The executor outlives what is scheduled; the queue itself may go before its tasks have run.
  explicit SerialQueue(Executor& executor);
  void Schedule(std::function<void()> task);

 private:
  struct State;
  static void RunOne(const std::shared_ptr<State>& state);
  std::atomic<std::shared_ptr<State>> state_;
};

}  // namespace axle
