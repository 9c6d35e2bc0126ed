// SerialQueue: tasks on an executor, one at a time, in the order in which they came: what is
// enqueued on a device runs in the order of the calls. Thread-safe.
#pragma once
#include <atomic>
#include <functional>
#include <memory>

#include "axle/core/executor.h"
#include "axle/core/status.h"

namespace axle {

// `executor`, whose last reference goes on a thread of its own if it would go in a task of a queue:
// the destructor of an executor waits for its threads, which no thread can do for itself.
std::shared_ptr<Executor> ReleasedOutsideTasks(std::shared_ptr<Executor> executor);

class SerialQueue {
 public:
  // What a task is told: OK; or why it cannot do its work on the executor, whose Schedule threw. It
  // is called once in any case, then on the thread that scheduled it or that ran the task before
  // it.
  using Task = std::function<void(const Status& scheduled)>;

  // The executor outlives what is scheduled; the queue itself may go before its tasks have run.
  explicit SerialQueue(Executor& executor);
  void Schedule(Task task);

 private:
  struct State;
  static void ScheduleNext(const std::shared_ptr<State>& state);
  static bool RunOne(const std::shared_ptr<State>& state, const Status& scheduled);
  std::atomic<std::shared_ptr<State>> state_;
};

}  // namespace axle
