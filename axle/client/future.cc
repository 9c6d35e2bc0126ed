#include "axle/client/future.h"

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace axle {
namespace {

// How often a wait looks at its limits, which nobody signals.
constexpr std::chrono::milliseconds kPollInterval{2};

}  // namespace

struct Future::State {
  const pid_t process = getpid();
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<Status> status;
  std::vector<std::function<void(const Status&)>> callbacks;
};

Future::Future(Status status) : state_(std::make_shared<State>()) {
  state_->status = std::move(status);
}

Future Future::Pending() {
  Future future;
  future.state_->status.reset();
  return future;
}

bool Future::is_ready() const {
  const std::lock_guard lock(state_->mutex);
  return state_->status.has_value();
}

Status Future::Await(Limits* limits) const {
  std::unique_lock lock(state_->mutex);
  while (!state_->status) {
    if (state_->process != getpid()) {
      return FailedPrecondition(
          "await: the run belongs to the process that this one was forked from");
    }
    if (limits == nullptr) {
      state_->changed.wait(lock);
      continue;
    }
    AXLE_TRY(limits->CheckNow());
    state_->changed.wait_for(lock, kPollInterval);
  }
  return *state_->status;
}

void Future::OnReady(std::function<void(const Status&)> callback) const {
  std::unique_lock lock(state_->mutex);
  if (!state_->status) return state_->callbacks.push_back(std::move(callback));
  const Status status = *state_->status;
  lock.unlock();
  callback(status);
}

void Future::Set(Status status) const {
  std::vector<std::function<void(const Status&)>> callbacks;
  {
    const std::lock_guard lock(state_->mutex);
    state_->status = status;
    callbacks = std::move(state_->callbacks);
  }
  state_->changed.notify_all();
  for (const auto& callback : callbacks) callback(status);
}

}  // namespace axle
