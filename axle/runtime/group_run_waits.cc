// What a GroupRun tells for the search for deadlocks over all processes (run_waits.h).
#include <algorithm>
#include <map>
#include <tuple>

#include "axle/runtime/group_run.h"

namespace axle {

// A device that waits like this is no longer in the search of this process alone.
Status GroupRun::AwaitFar(i64 device, const FarWait& wait, PendingReceive& receive) {
  Member& self = members_[static_cast<size_t>(device)];
  {
    const std::lock_guard lock(mutex_);
    if (!failure_.ok()) return failure_;
    self.far = wait;
    self.waits_since = std::chrono::steady_clock::now();
  }
  const Status waited = receive.Wait(wait.limits);
  const std::lock_guard lock(mutex_);
  self.far = {};
  return waited.ok() || failure_.ok() ? waited : failure_;
}

Status GroupRun::AwaitMessage(const Seat& seat, PendingReceive& receive, int process,
                              Limits* limits) {
  const FarWait wait = {.at = {.station = seat.station, .execution = seat.execution},
                        .process = process,
                        .limits = limits};
  return AwaitFar(seat.station->team().members[seat.position], wait, receive);
}

void GroupRun::EndWith(const Status& status) {
  const std::lock_guard lock(mutex_);
  Fail(status);
  for (const Member& member : members_) {
    if (member.far.limits != nullptr) member.far.limits->Cancel();
  }
}

// Looks for the participants of a station, which happens when somebody has waited for long.
std::pair<MeetingPlace, Dims> GroupRun::PlaceOf(const Wait& wait) const {
  using Kind = MeetingPlace::Kind;
  if (wait.meeting != nullptr) {
    const auto& [instruction, execution, participants] = wait.meeting->first;
    const std::uint64_t group = HashOfNumbers(participants, link_->program);
    return {{Kind::kLiterals, instruction, execution, group}, participants};
  }
  if (wait.line != nullptr) {
    const MessageKey key = KeyOf(wait.line->first, wait.place, "");
    return {{Kind::kTransfer, key.instruction, key.execution, key.group},
            {wait.line->first.source}};
  }
  const auto station = std::ranges::find_if(
      stations_, [&](const auto& entry) { return &entry.second == wait.station; });
  const auto team = std::ranges::find_if(
      teams_, [&](const auto& entry) { return &entry.second == &wait.station->team(); });
  const std::uint64_t form = station->first.first.second;
  const std::uint64_t group = HashOfNumbers(team->first, link_->program) ^ form;
  return {{Kind::kStation, wait.station->instruction(), static_cast<i64>(wait.execution), group},
          team->first};
}

DeviceWait GroupRun::TellWait(i64 device) const {
  const Member& member = members_[static_cast<size_t>(device)];
  const Wait& wait = member.waits_at ? member.waits_at : member.far.at;
  DeviceWait told;
  told.device = device;
  told.text = PlaceText(wait);
  std::tie(told.place, told.participants) = PlaceOf(wait);
  if (!member.waits_at) {
    told.leader = member.far.leader;
    told.process = member.far.process;
    return told;
  }
  told.process = link_->self();
  // All here have come to a meeting of literals, and the last one talks to the others.
  if (wait.meeting != nullptr) told.leader = wait.meeting->second.leader;
  return told;
}

// Calls fn(arrival) for the last arrival of each device here at each place.
template <typename Fn>
void GroupRun::ForArrivals(const Fn& fn) const {
  using Kind = MeetingPlace::Kind;
  std::map<const Team*, std::uint64_t> hashes;
  for (const auto& [participants, team] : teams_) {
    hashes[&team] = HashOfNumbers(participants, link_->program);
  }
  for (const auto& [key, station] : stations_) {
    const std::uint64_t group = hashes.at(key.second) ^ key.first.second;
    const Dims& members = station.team().members;
    for (size_t i = 0; i < members.size(); ++i) {
      const auto execution = static_cast<i64>(station.LastArrival(i));
      fn(Arrival{{Kind::kStation, station.instruction(), execution, group}, members[i]});
    }
  }
  for (size_t d = 0; d < members_.size(); ++d) {
    for (const auto& [instruction, count] : members_[d].num_executions) {
      fn(Arrival{{Kind::kLiterals, instruction, count - 1, 0}, static_cast<i64>(d)});
    }
  }
  for (const auto& [route, line] : lines_) {
    if (!IsHere(route.source) || line.num_sent == 0) continue;
    const MessageKey key = KeyOf(route, line.num_sent - 1, "");
    fn(Arrival{{Kind::kTransfer, key.instruction, key.execution, key.group}, route.source});
  }
}

Arrivals GroupRun::ArrivalsHere() const {
  Arrivals arrivals;
  const std::lock_guard lock(mutex_);
  ForArrivals([&](const Arrival& arrival) { arrivals.push_back(arrival); });
  std::ranges::sort(arrivals);
  return arrivals;
}

RunWaits GroupRun::Waits(std::span<const MeetingPlace> asked, std::chrono::milliseconds age) const {
  RunWaits waits;
  const std::lock_guard lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  for (size_t d = 0; d < members_.size(); ++d) {
    const auto device = static_cast<i64>(d);
    const Member& member = members_[d];
    if (member.has_left) waits.finished.push_back(device);
    if ((!member.waits_at && !member.far.at) || now - member.waits_since < age) continue;
    const DeviceWait& told = waits.waits.emplace_back(TellWait(device));
    waits.arrivals[told.place];
  }
  for (const MeetingPlace& place : asked) waits.arrivals[place];
  if (waits.arrivals.empty()) return waits;
  // A few places, of which a program may have thousands.
  std::map<std::uint64_t, bool> instructions;
  for (const auto& [place, devices] : waits.arrivals) instructions[place.instruction] = true;
  Arrivals arrivals;
  ForArrivals([&](const Arrival& arrival) {
    if (instructions.contains(arrival.place.instruction)) arrivals.push_back(arrival);
  });
  std::ranges::sort(arrivals);
  for (auto& [place, devices] : waits.arrivals) devices = ArrivedAt(place, arrivals);
  return waits;
}

}  // namespace axle
