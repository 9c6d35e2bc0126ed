#include "axle/client/future.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <utility>
#include <vector>

#include "axle/core/callback.h"
#include "axle/runtime/fork_count.h"
#include "axle/runtime/wait.h"

namespace axle {
struct Future::State {
  const std::uint32_t forks_before = ForkCount();
  std::mutex mutex;
  std::condition_variable changed;
  // It is written once, under the mutex, before is_set; afterwards it is only read.
  Status status;
  std::atomic<bool> is_set = false;
  std::vector<std::function<void(const Status&)>> callbacks;

  // In a child of fork no thread sets it, and its mutex may be locked for ever.
  bool is_lost() const { return !is_set && forks_before != ForkCount(); }
};

namespace {

Status Lost() {
  return FailedPrecondition("await: the run belongs to the process that this one was forked from");
}

}  // namespace

Future::Future(Status status) {
  if (status.ok()) return;
  state_ = std::make_shared<State>();
  state_->status = std::move(status);
  state_->is_set = true;
}

Future Future::Pending() {
  Future future;
  future.state_ = std::make_shared<State>();
  return future;
}

bool Future::is_ready() const {
  return state_ == nullptr || state_->is_set;
}

Status Future::Await(Limits* limits) const {
  if (state_ == nullptr) return {};
  if (state_->is_set) return state_->status;
  if (state_->is_lost()) return Lost();
  const LimitedCall call(limits, "the wait for a run");
  std::unique_lock lock(state_->mutex);
  AXLE_TRY(WaitFor(state_->changed, lock, limits, [this] { return state_->is_set.load(); }));
  return state_->status;
}

void Future::OnReady(std::function<void(const Status&)> callback) const {
  // An exception of a callback has no receiver, here and in Set.
  const auto call = [&](const Status& status) {
    (void)CallUser("OnReady", [&] { callback(status); });
  };
  if (state_ == nullptr) return call({});
  if (state_->is_lost()) return call(Lost());
  if (!state_->is_set) {
    const std::lock_guard lock(state_->mutex);
    if (!state_->is_set) return state_->callbacks.push_back(std::move(callback));
  }
  call(state_->status);
}

void Future::Set(Status status) const {
  std::vector<std::function<void(const Status&)>> callbacks;
  {
    const std::lock_guard lock(state_->mutex);
    state_->status = std::move(status);
    state_->is_set = true;
    callbacks = std::move(state_->callbacks);
  }
  state_->changed.notify_all();
  for (const auto& callback : callbacks) {
    (void)CallUser("OnReady", [&] { callback(state_->status); });
  }
}

}  // namespace axle
