#include "axle/runtime/serial_queue.h"

#include <unistd.h>

#include <deque>
#include <mutex>
#include <new>

namespace axle {

struct SerialQueue::State {
  explicit State(Executor& executor) : executor(executor) {}
  // Without memory to do it on the executor, a task runs on this thread: later ones wait for it.
  static void ScheduleOne(const std::shared_ptr<State>& state) {
    try {
      state->executor.Schedule([state] { RunOne(state); });
    } catch (const std::bad_alloc&) {
      RunOne(state);
    }
  }
  Executor& executor;
  const pid_t process = getpid();
  std::mutex mutex;
  std::deque<std::function<void()>> tasks;
  bool is_running = false;
};

SerialQueue::SerialQueue(Executor& executor) : state_(std::make_shared<State>(executor)) {}

void SerialQueue::Schedule(std::function<void()> task) {
  std::shared_ptr<State> state = state_.load();
  // After a fork the parent's tasks do not exist, and its lock may be held for ever.
  while (state->process != getpid()) {
    auto fresh = std::make_shared<State>(state->executor);
    if (state_.compare_exchange_weak(state, fresh)) state = std::move(fresh);
  }
  {
    const std::lock_guard lock(state->mutex);
    state->tasks.push_back(std::move(task));
    if (state->is_running) return;
    state->is_running = true;
  }
  State::ScheduleOne(state);
}

// One task for each time the executor runs us, so that queues take turns.
void SerialQueue::RunOne(const std::shared_ptr<State>& state) {
  std::function<void()> task;
  {
    const std::lock_guard lock(state->mutex);
    task = std::move(state->tasks.front());
    state->tasks.pop_front();
  }
  task();
  task = nullptr;  // what it holds goes before the next one begins
  {
    const std::lock_guard lock(state->mutex);
    if (state->tasks.empty()) {
      state->is_running = false;
      return;
    }
  }
  State::ScheduleOne(state);
}

}  // namespace axle
