#include "axle/runtime/serial_queue.h"

#include <unistd.h>

#include <deque>
#include <mutex>
#include <new>
#include <thread>

#include "axle/core/blocked_signals.h"
#include "axle/core/callback.h"

namespace axle {
namespace {

// The tasks that this thread is in.
thread_local int num_tasks = 0;

struct CountedTask {
  CountedTask() { ++num_tasks; }
  ~CountedTask() { --num_tasks; }
};

}  // namespace

std::shared_ptr<Executor> ReleasedOutsideTasks(std::shared_ptr<Executor> executor) {
  Executor* const plain = executor.get();
  auto* const kept = new std::shared_ptr<Executor>(std::move(executor));
  return {plain, [kept](Executor*) {
            if (num_tasks == 0) return delete kept;
            try {
              const ScopedBlockedSignals blocked;
              std::thread([kept] { delete kept; }).detach();
            } catch (const std::exception&) {
              // Without a thread or memory the executor stays: a leak, not the end of the program.
            }
          }};
}

struct SerialQueue::State {
  explicit State(Executor& executor) : executor(executor) {}
  Executor& executor;
  const pid_t process = getpid();
  std::mutex mutex;
  std::deque<Task> tasks;
  bool is_running = false;
};

SerialQueue::SerialQueue(Executor& executor) : state_(std::make_shared<State>(executor)) {}

void SerialQueue::Schedule(Task task) {
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
  ScheduleNext(state);
}

// Gives the first task to the executor. If that fails the task is run here, the others after it.
void SerialQueue::ScheduleNext(const std::shared_ptr<State>& state) {
  while (true) {
    Status scheduled;
    // Schedule may throw although it has taken the task: whoever comes first runs it.
    std::shared_ptr<std::atomic<bool>> is_taken;
    try {
      is_taken = std::make_shared<std::atomic<bool>>(false);
      scheduled = CallUser("Executor::Schedule", [&] {
        state->executor.Schedule([state, is_taken] {
          if (!is_taken->exchange(true) && RunOne(state, {})) ScheduleNext(state);
        });
      });
      if (scheduled.ok()) return;
    } catch (const std::bad_alloc&) {
      scheduled = Status();
    }
    // Without memory, later tasks wait for this one.
    if (scheduled.code() == StatusCode::kResourceExhausted) scheduled = Status();
    if (is_taken != nullptr && is_taken->exchange(true)) return;
    if (!RunOne(state, scheduled)) return;
  }
}

// One task for each time the executor runs us, so that queues take turns. True if there are more.
bool SerialQueue::RunOne(const std::shared_ptr<State>& state, const Status& scheduled) {
  Task task;
  {
    const std::lock_guard lock(state->mutex);
    task = std::move(state->tasks.front());
    state->tasks.pop_front();
  }
  {
    const CountedTask counted;
    task(scheduled);
    task = nullptr;  // what it holds goes before the next one begins
  }
  const std::lock_guard lock(state->mutex);
  if (state->tasks.empty()) state->is_running = false;
  return state->is_running;
}

}  // namespace axle
