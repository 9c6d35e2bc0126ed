#include "axle/runtime/group_run.h"

#include <algorithm>
#include <new>
#include <utility>

#include "axle/core/strings.h"

namespace axle {
namespace {

// What a message lists at most.
constexpr size_t kMaxShown = 8;

std::string DevicesText(std::span<const i64> devices) {
  const std::span<const i64> shown = devices.first(std::min(devices.size(), kMaxShown));
  std::string text = StrCat(devices.size() == 1 ? "device " : "devices ", Join(shown, ", "));
  if (devices.size() > shown.size())
    StrAppend(text, " and ", devices.size() - shown.size(), " more");
  return text;
}

// Gives the arrays of a value storage that no other literal shares.
void Unshare(Literal& value) {
  std::vector<Literal*> rest = {&value};
  while (!rest.empty()) {
    Literal& next = *rest.back();
    rest.pop_back();
    if (next.shape().is_array()) next.mutable_bytes();
    for (Literal& element : next.mutable_elements()) rest.push_back(&element);
  }
}

}  // namespace

GroupRun::GroupRun(i64 num_devices, std::function<std::string(std::uint64_t)> name_of)
    : name_of_(std::move(name_of)),
      members_(static_cast<size_t>(num_devices)),
      failure_without_memory_(StatusCode::kCancelled,
                              "another device failed, or all wait, and no memory is left to say "
                              "more") {}

StatusOr<std::vector<Literal>> GroupRun::Meet(i64 device,
                                              const DeviceContext::Rendezvous& rendezvous,
                                              std::span<const i64> participants, Literal value,
                                              Limits* limits) {
  Member& self = members_[static_cast<size_t>(device)];
  const i64 execution = self.num_executions[rendezvous.instruction]++;
  if (participants.size() == 1 && participants[0] == device) {
    return std::vector<Literal>{std::move(value)};
  }
  // The value may be a view of memory that this device writes to after the meeting, and its storage
  // may be shared with values that this device changes in place.
  Unshare(value);

  std::unique_lock lock(mutex_);
  if (!failure_.ok()) return failure_;
  const auto it = meetings_
                      .try_emplace({rendezvous.instruction, execution,
                                    Dims(participants.begin(), participants.end())})
                      .first;
  Meeting& meeting = it->second;
  const auto is_complete = [&] { return meeting.values.size() == participants.size(); };
  meeting.values.emplace(device, std::move(value));
  if (is_complete()) {
    for (const i64 participant : participants) {
      members_[static_cast<size_t>(participant)].waits_at = nullptr;
    }
    changed_->notify_all();
  } else {
    self.waits_at = &*it;
    const auto cannot_come = [&](i64 participant) {
      const Member& member = members_[static_cast<size_t>(participant)];
      return member.has_left || member.waits_at != nullptr;
    };
    if (std::ranges::any_of(Missing(*it), cannot_come)) FindDeadlock();
  }
  const Status waited =
      WaitFor(*changed_, lock, limits, [&] { return is_complete() || !failure_.ok(); });
  self.waits_at = nullptr;
  if (!is_complete()) return waited.ok() ? failure_ : waited;

  // Everybody has come, so that nobody writes to the values, and the last reader drops them: copies
  // are made without the lock.
  lock.unlock();
  std::vector<Literal> values;
  try {
    values.reserve(participants.size());
    for (const i64 participant : participants) {
      Unshare(values.emplace_back(meeting.values.at(participant)));
    }
  } catch (const std::bad_alloc&) {
    values.clear();
  }
  lock.lock();
  if (++meeting.num_readers == participants.size()) meetings_.erase(it);
  if (values.empty()) return ResourceExhausted("no memory for the values of the other devices");
  return values;
}

void GroupRun::Leave(i64 device, const Status& status) noexcept {
  const std::lock_guard lock(mutex_);
  members_[static_cast<size_t>(device)].has_left = true;
  members_[static_cast<size_t>(device)].waits_at = nullptr;
  if (!status.ok() && !first_failure_) first_failure_ = device;
  try {
    const auto waits = [](const Member& member) { return member.waits_at != nullptr; };
    if (!status.ok()) {
      Fail({StatusCode::kCancelled, StrCat("device ", device, " failed: ", status.message())});
    } else if (std::ranges::any_of(members_, waits)) {
      FindDeadlock();
    }
  } catch (const std::bad_alloc&) {
    Fail(std::move(failure_without_memory_));
  }
}

std::optional<i64> GroupRun::first_failure() const {
  const std::lock_guard lock(mutex_);
  return first_failure_;
}

std::vector<i64> GroupRun::Missing(const Meetings::value_type& meeting) const {
  std::vector<i64> missing;
  for (const i64 participant : std::get<Dims>(meeting.first)) {
    if (!meeting.second.values.contains(participant)) missing.push_back(participant);
  }
  return missing;
}

void GroupRun::FindDeadlock() {
  // Devices that run make progress; a device that waits does if all do that it waits for.
  std::vector<bool> progresses(members_.size());
  for (size_t d = 0; d < members_.size(); ++d) {
    progresses[d] = !members_[d].has_left && members_[d].waits_at == nullptr;
  }
  for (bool changed = true; std::exchange(changed, false);) {
    for (size_t d = 0; d < members_.size(); ++d) {
      if (progresses[d] || members_[d].waits_at == nullptr) continue;
      const std::vector<i64> missing = Missing(*members_[d].waits_at);
      progresses[d] = std::ranges::all_of(
          missing, [&](i64 participant) { return progresses[static_cast<size_t>(participant)]; });
      changed = changed || progresses[d];
    }
  }
  for (size_t d = 0; d < members_.size(); ++d) {
    if (progresses[d] || members_[d].waits_at == nullptr) continue;
    Fail(InvalidArgument(DeadlockText(progresses)));
    return;
  }
}

// Of devices that wait at the same place, the first one stands for all.
std::string GroupRun::DeadlockText(const std::vector<bool>& progresses) const {
  std::string text = "deadlock:";
  std::vector<const Meetings::value_type*> told;
  std::vector<i64> left;
  for (size_t d = 0; d < members_.size(); ++d) {
    const Member& member = members_[d];
    if (member.has_left) left.push_back(static_cast<i64>(d));
    if (progresses[d] || member.waits_at == nullptr || told.size() == kMaxShown ||
        std::ranges::find(told, member.waits_at) != told.end()) {
      continue;
    }
    StrAppend(text, told.empty() ? " " : "; ", "device ", d, " waits at \"",
              name_of_(std::get<std::uint64_t>(member.waits_at->first)), "\" for ",
              DevicesText(Missing(*member.waits_at)));
    told.push_back(member.waits_at);
  }
  if (!left.empty()) {
    StrAppend(text, "; ", DevicesText(left), left.size() == 1 ? " has" : " have",
              " finished the program");
  }
  return text;
}

void GroupRun::Fail(Status status) {
  if (failure_.ok()) failure_ = std::move(status);
  changed_->notify_all();
}

}  // namespace axle
