#include "axle/runtime/group_run.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <new>
#include <thread>
#include <utility>

#include "axle/core/storage_block.h"
#include "axle/core/strings.h"
#include "axle/runtime/literal_message.h"
#include "axle/runtime/thread_pool.h"

namespace axle {
namespace {

// How long a device looks for the others before it blocks. To block and to be woken takes two
// threads some 10 microseconds or more.
constexpr std::chrono::microseconds kSpinTime{50};
// Looks before others get the processor: about 2 microseconds.
constexpr int kLooks = 64;

// The smallest slot.
constexpr i64 kMinSlotBytes = 1024;

void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

SpanningGroup SpanningGroupOf(const Dims& participants, const RunLink& link) {
  SpanningGroup group;
  std::map<int, int> ranks;
  for (size_t position = 0; position < participants.size(); ++position) {
    const int process = link.process_of[static_cast<size_t>(participants[position])];
    const auto [it, is_new] = ranks.try_emplace(process, static_cast<int>(ranks.size()));
    if (is_new) {
      group.processes.push_back(process);
      group.members.emplace_back();
    }
    group.rank_of.push_back(it->second);
    group.members[static_cast<size_t>(it->second)].push_back(static_cast<i64>(position));
  }
  group.self = ranks.at(link.self());
  group.hash = HashOfNumbers(participants, link.program);
  return group;
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

GroupRun::GroupRun(i64 num_devices, std::function<std::string(std::uint64_t)> name_of,
                   const RunLink* link)
    : name_of_(std::move(name_of)),
      link_(link),
      members_(static_cast<size_t>(num_devices)),
      failure_without_memory_(StatusCode::kCancelled,
                              "another device failed, or all wait, and no memory is left to say "
                              "more") {}

StatusOr<std::vector<Literal>> GroupRun::Meet(i64 device,
                                              const DeviceContext::Rendezvous& rendezvous,
                                              std::span<const i64> participants, Literal value,
                                              Limits* limits) {
  Member& self = members_[static_cast<size_t>(device)];
  i64 execution = 0;
  {
    const std::lock_guard lock(mutex_);
    execution = self.num_executions[rendezvous.instruction]++;
  }
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
  if (meeting.num_here == 0) {
    meeting.num_here = static_cast<size_t>(
        std::ranges::count_if(participants, [&](i64 participant) { return IsHere(participant); }));
  }
  const auto is_complete = [&] { return meeting.values.size() == participants.size(); };
  meeting.values.emplace(device, std::move(value));
  if (meeting.values.size() == meeting.num_here && !is_complete()) {
    // Only this thread writes to the values until all are there.
    meeting.leader = device;
    lock.unlock();
    StatusOr<std::map<i64, Literal>> others = ExchangeWithOthers(*it, limits);
    lock.lock();
    AXLE_TRY(others.status());
    if (!failure_.ok()) return failure_;
    meeting.values.merge(*others);
  }
  if (is_complete()) {
    for (const i64 participant : participants) {
      members_[static_cast<size_t>(participant)].waits_at = {};
    }
    changed_->notify_all();
  } else {
    self.waits_at.meeting = &*it;
    self.waits_since = std::chrono::steady_clock::now();
    FindDeadlockIfOneIsMissing(self.waits_at);
  }
  const Status waited =
      WaitFor(*changed_, lock, limits, [&] { return is_complete() || !failure_.ok(); });
  self.waits_at = {};
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
  if (++meeting.num_readers == meeting.num_here) meetings_.erase(it);
  if (values.empty()) return ResourceExhausted("no memory for the values of the other devices");
  return values;
}

// Every process sends all that its devices have to every other one: the literals of evaluators are
// small or rare.
StatusOr<std::map<i64, Literal>> GroupRun::ExchangeWithOthers(const Meetings::value_type& meeting,
                                                              Limits* limits) {
  const auto& [instruction, execution, participants] = meeting.first;
  const std::map<i64, Literal>& values = meeting.second.values;
  const std::string operation = name_of_(instruction);
  const MessageKey message = {link_->run, instruction, execution,
                              HashOfNumbers(participants, link_->program), operation};
  const Shape& shape = values.begin()->second.shape();
  const auto bytes = static_cast<size_t>(PackedBytes(shape));
  std::map<int, std::vector<i64>> others;  // the devices of other processes, in their order there
  for (const i64 participant : participants) {
    if (!IsHere(participant)) {
      others[link_->process_of[static_cast<size_t>(participant)]].push_back(participant);
    }
  }
  for (auto& [process, devices] : others) std::ranges::sort(devices);
  // The receives end before their memory does.
  std::map<int, StorageBlock> received;
  std::map<int, std::unique_ptr<PendingReceive>> receives;
  for (const auto& [process, devices] : others) {
    const size_t size = bytes * devices.size();
    std::byte* const buffer = (received[process] = StorageBlock(static_cast<i64>(size))).data();
    AXLE_ASSIGN(receives[process],
                link_->transport->StartReceive(process, message, {buffer, size}));
  }
  const StorageBlock own(static_cast<i64>(bytes * values.size()));
  std::byte* to = own.data();
  for (const auto& [device, value] : values) {
    PackLiteral(value.ToRowMajor(), to);
    to += bytes;
  }
  for (const auto& [process, devices] : others) {
    AXLE_TRY(link_->transport->Send(process, message, {own.data(), bytes * values.size()}, limits));
  }
  std::map<i64, Literal> result;
  for (const auto& [process, devices] : others) {
    const FarWait wait = {.at = {.meeting = &meeting}, .process = process, .limits = limits};
    AXLE_TRY(AwaitFar(meeting.second.leader, wait, *receives[process]));
    const std::byte* from = received[process].data();
    for (const i64 device : devices) {
      AXLE_ASSIGN(Literal value, UnpackLiteral(shape, from));
      result.emplace(device, std::move(value));
      from += bytes;
    }
  }
  return result;
}

Seat* GroupRun::FindSeat(i64 device, std::uint64_t instruction, std::uint64_t form) {
  auto& seats = members_[static_cast<size_t>(device)].seats;
  const auto it = seats.find({instruction, form});
  return it == seats.end() ? nullptr : &it->second;
}

StatusOr<Seat*> GroupRun::TakeSeat(i64 device, std::uint64_t instruction, std::uint64_t form,
                                   const Dims& participants) {
  try {
    const SeatKey key = {instruction, form};
    Seat& seat = members_[static_cast<size_t>(device)].seats[key];
    if (participants.empty()) return &seat;
    const std::lock_guard lock(mutex_);
    Dims here;
    for (const i64 participant : participants) {
      if (IsHere(participant)) here.push_back(participant);
    }
    seat.position = static_cast<size_t>(std::ranges::find(here, device) - here.begin());
    if (here.size() < participants.size()) {
      const auto [it, is_new] = spanning_.try_emplace(participants);
      if (is_new) it->second = SpanningGroupOf(participants, *link_);
      seat.spanning = &it->second;
    }
    Team& team = teams_.try_emplace(participants, std::move(here)).first->second;
    const std::pair<SeatKey, const Team*> place = {key, &team};
    seat.station = &stations_.try_emplace(place, instruction, team).first->second;
    return &seat;
  } catch (const std::bad_alloc&) {
    return ResourceExhausted("no memory for a meeting of devices");
  }
}

std::byte* GroupRun::NextSlot(Seat& seat, i64 bytes) {
  Team::Slots& slots = seat.station->team().slots[seat.position];
  if (slots.bytes < bytes || slots.data == nullptr) {
    const auto size =
        static_cast<i64>(std::bit_ceil(static_cast<std::uint64_t>(std::max(bytes, kMinSlotBytes))));
    try {
      slots.memory.reserve(slots.memory.size() + 1);
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
    std::byte* data = nullptr;
    auto memory = AllocateStorage(2 * size, /*zeroed=*/false, &data);
    if (memory == nullptr) return nullptr;
    slots.memory.push_back(std::move(memory));
    slots.data = data;
    slots.bytes = size;
  }
  slots.second = !slots.second;
  return slots.data + (slots.second ? slots.bytes : 0);
}

// First it only looks, if the process has a processor for each device. Then it lets other threads
// run between two looks, among them those that it waits for. Where processors are busy with
// something else, this loses the time that a scheduler gives to others, and the device blocks at
// once for some time: losses cost at most one twentieth.
template <typename Done>
bool GroupRun::Spin(const Seat& seat, const Done& done) {
  using Clock = std::chrono::steady_clock;
  static const auto num_processors = static_cast<size_t>(AvailableProcessors());
  const int num_looks = members_.size() <= num_processors ? kLooks : 1;
  for (int i = 0; i < num_looks; ++i) {
    if (done()) return true;
    Pause();
  }
  Member& self = members_[static_cast<size_t>(seat.station->team().members[seat.position])];
  Clock::time_point now = Clock::now();
  if (now < self.rests_until) return false;
  for (const auto end = now + kSpinTime; now < end;) {
    const auto before = std::exchange(now, (std::this_thread::yield(), Clock::now()));
    if (now - before > kSpinTime) self.rests_until = now + 20 * (now - before);
    if (done()) return true;
  }
  return false;
}

Status GroupRun::Arrive(Seat& seat, i64 device, const void* shown, Limits* limits) {
  Station& station = *seat.station;
  const std::uint64_t execution = ++seat.execution;
  station.Show(seat.position, execution, shown);
  if (station.size() == 1) {
    station.Arrive(seat.position, execution);  // other processes may ask
    return {};
  }
  if (has_failed_.load()) return AwaitFailure();
  if (station.Arrive(seat.position, execution)) {
    WakeBlocked(station);
    return {};
  }
  Spin(seat, [&] {
    return station.IsComplete(execution) || has_failed_.load(std::memory_order_relaxed);
  });
  if (station.IsComplete(execution)) return {};
  return Block(seat, device, limits);
}

Status GroupRun::Block(Seat& seat, i64 device, Limits* limits) {
  Station& station = *seat.station;
  Member& self = members_[static_cast<size_t>(device)];
  std::unique_lock lock(mutex_);
  // Whoever arrives from now on sees that somebody is to be woken, or has been seen to arrive.
  ++station.num_blocked();
  self.waits_at = {nullptr, &station, seat.execution};
  self.waits_since = std::chrono::steady_clock::now();
  FindDeadlockIfOneIsMissing(self.waits_at);
  const Status waited = WaitFor(*changed_, lock, limits, [&] {
    return station.IsComplete(seat.execution) || !failure_.ok();
  });
  self.waits_at = {};
  --station.num_blocked();
  // The others may be reading what this device shows, and then it takes part to the end.
  if (!station.Close(seat.execution)) return {};
  return waited.ok() ? failure_ : waited;
}

Status GroupRun::Depart(Seat& seat, bool whole) {
  Station& station = *seat.station;
  if (station.size() == 1) return {};
  if (station.Depart(seat.execution, whole)) {
    WakeBlocked(station);
  } else if (!Spin(seat, [&] { return station.IsEmpty(seat.execution); })) {
    std::unique_lock lock(mutex_);
    ++station.num_blocked();
    Member& self = members_[static_cast<size_t>(station.team().members[seat.position])];
    if (seat.spanning != nullptr && seat.position > 0) {
      self.far = {.at = {.station = &station, .execution = seat.execution},
                  .leader = station.team().members[0]};
      self.waits_since = std::chrono::steady_clock::now();
    }
    changed_->wait(lock, [&] { return station.IsEmpty(seat.execution); });
    self.far = {};
    --station.num_blocked();
  }
  return whole && station.is_spoiled() ? AwaitFailure() : Status();
}

void GroupRun::WakeBlocked(const Station& station) {
  if (!station.has_blocked()) return;
  const std::lock_guard lock(mutex_);
  changed_->notify_all();
}

// Another device has failed, or is about to say so.
Status GroupRun::AwaitFailure() {
  std::unique_lock lock(mutex_);
  changed_->wait(lock, [&] { return !failure_.ok(); });
  return failure_;
}

namespace {

Status ReceivedBefore(const GroupRun::Route& route, i64 place) {
  return FailedPrecondition(StrCat("recv: value ", place, " of ", ChannelText(route.channel),
                                   " has been received before"));
}

}  // namespace

MessageKey GroupRun::KeyOf(const Route& route, i64 place, std::string_view operation) const {
  const i64 numbers[] = {route.channel.value_or(0), route.channel ? 1 : 0, route.source,
                         route.target};
  // No instruction has this id.
  return {link_->run, ~std::uint64_t{0}, place, HashOfNumbers(numbers, link_->program), operation};
}

StatusOr<Literal> GroupRun::ReceiveFromOther(const Lines::value_type& line, i64 place,
                                             const Shape& shape, Limits* limits) {
  const Route& route = line.first;
  const int process = link_->process_of[static_cast<size_t>(route.source)];
  std::uint64_t hash = 0;
  const auto size = static_cast<i64>(sizeof hash) + PackedBytes(shape);
  const StorageBlock message(size);
  const std::string operation = ChannelText(route.channel);  // which the message refers to
  AXLE_ASSIGN(const auto receive,
              link_->transport->StartReceive(process, KeyOf(route, place, operation),
                                             {message.data(), static_cast<size_t>(size)}));
  const FarWait wait = {
      .at = {.line = &line, .place = place}, .process = process, .limits = limits};
  AXLE_TRY(AwaitFar(route.target, wait, *receive));
  std::memcpy(&hash, message.data(), sizeof hash);
  if (hash == HashOfShape(shape)) return UnpackLiteral(shape, message.data() + sizeof hash);
  return InvalidArgument(StrCat("recv: ", ChannelText(route.channel),
                                " has been sent another shape of as many bytes, but ",
                                shape.ToString(), " is asked for"));
}

Status GroupRun::SendToOther(const Route& route, const Literal& value, Limits* limits) {
  const std::uint64_t hash = HashOfShape(value.shape());
  const auto size = static_cast<i64>(sizeof hash) + PackedBytes(value.shape());
  const StorageBlock message(size);
  std::memcpy(message.data(), &hash, sizeof hash);
  PackLiteral(value.ToRowMajor(), message.data() + sizeof hash);
  i64 place = 0;
  {
    const std::lock_guard lock(mutex_);
    place = lines_[route].num_sent++;
  }
  const std::string operation = ChannelText(route.channel);
  return link_->transport->Send(link_->process_of[static_cast<size_t>(route.target)],
                                KeyOf(route, place, operation),
                                {message.data(), static_cast<size_t>(size)}, limits);
}

Status GroupRun::Send(const Route& route, const Literal& value, Limits* limits) {
  if (!IsHere(route.target)) return SendToOther(route, value, limits);
  Literal own = value;
  // As for a meeting: the memory may be written to while the value is under way.
  Unshare(own);
  const std::lock_guard lock(mutex_);
  Line& line = lines_[route];
  line.values.emplace(line.num_sent++, std::move(own));
  changed_->notify_all();
  return {};
}

StatusOr<Literal> GroupRun::Receive(const Route& route, i64 place, const Shape& shape,
                                    Limits* limits) {
  Member& self = members_[static_cast<size_t>(route.target)];
  std::unique_lock lock(mutex_);
  if (!failure_.ok()) return failure_;
  const auto it = lines_.try_emplace(route).first;
  Line& line = it->second;
  if (!IsHere(route.source)) {
    // Places below num_sent have been received, and those of the values.
    const bool is_first = place >= line.num_sent && line.values.emplace(place, Literal()).second;
    while (line.values.erase(line.num_sent) > 0) ++line.num_sent;
    lock.unlock();
    return is_first ? ReceiveFromOther(*it, place, shape, limits) : ReceivedBefore(route, place);
  }
  if (line.num_sent <= place) {
    self.waits_at.line = &*it;
    self.waits_at.place = place;
    self.waits_since = std::chrono::steady_clock::now();
    FindDeadlockIfOneIsMissing(self.waits_at);
  }
  const Status waited =
      WaitFor(*changed_, lock, limits, [&] { return line.num_sent > place || !failure_.ok(); });
  self.waits_at = {};
  if (line.num_sent <= place) return waited.ok() ? failure_ : waited;
  const auto found = line.values.find(place);
  if (found == line.values.end()) return ReceivedBefore(route, place);
  Literal value = std::move(found->second);
  line.values.erase(found);
  if (EqualIgnoringLayout(value.shape(), shape)) return value;
  return InvalidArgument(StrCat("recv: ", ChannelText(route.channel), " has been sent ",
                                value.ShapeToString(), " but ", shape.ToString(), " is asked for"));
}

Status GroupRun::CheckOnlyEnd(std::optional<i64> channel, bool is_sender, i64 device) {
  const std::lock_guard lock(mutex_);
  const auto it = ends_.try_emplace({channel, is_sender}, device).first;
  if (it->second == device) return {};
  const auto [first, second] = std::minmax(it->second, device);
  return InvalidArgument(StrCat(is_sender ? "send: " : "recv: ", ChannelText(channel), ": devices ",
                                first, " and ", second, is_sender ? " both send" : " both receive",
                                "; say which devices meet with the frontend attribute "
                                "_xla_send_recv_source_target_pairs={{source,target},...}"));
}

void GroupRun::Leave(i64 device, const Status& status) noexcept {
  const std::lock_guard lock(mutex_);
  members_[static_cast<size_t>(device)].has_left = true;
  members_[static_cast<size_t>(device)].waits_at = {};
  if (!status.ok() && !first_failure_) first_failure_ = device;
  try {
    const auto waits = [](const Member& member) { return static_cast<bool>(member.waits_at); };
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

// Those who are at a station, or on their way into it.
std::vector<i64> GroupRun::Missing(const Wait& wait) const {
  std::vector<i64> missing;
  if (wait.meeting != nullptr) {
    for (const i64 participant : std::get<Dims>(wait.meeting->first)) {
      if (IsHere(participant) && !wait.meeting->second.values.contains(participant))
        missing.push_back(participant);
    }
    return missing;
  }
  if (wait.line != nullptr) {
    if (wait.line->second.num_sent <= wait.place) missing.push_back(wait.line->first.source);
    return missing;
  }
  const Dims& members = wait.station->team().members;
  for (size_t i = 0; i < members.size(); ++i) {
    if (!wait.station->HasArrived(i, wait.execution)) missing.push_back(members[i]);
  }
  return missing;
}

void GroupRun::FindDeadlockIfOneIsMissing(const Wait& wait) {
  const auto cannot_come = [&](i64 participant) {
    const Member& member = members_[static_cast<size_t>(participant)];
    return member.has_left || member.waits_at;
  };
  if (std::ranges::any_of(Missing(wait), cannot_come)) FindDeadlock();
}

void GroupRun::FindDeadlock() {
  // Devices that run make progress; a device that waits does if all do that it waits for.
  std::vector<bool> progresses(members_.size());
  for (size_t d = 0; d < members_.size(); ++d) {
    progresses[d] = !members_[d].has_left && !members_[d].waits_at;
  }
  for (bool changed = true; std::exchange(changed, false);) {
    for (size_t d = 0; d < members_.size(); ++d) {
      if (progresses[d] || !members_[d].waits_at) continue;
      const std::vector<i64> missing = Missing(members_[d].waits_at);
      progresses[d] = std::ranges::all_of(
          missing, [&](i64 participant) { return progresses[static_cast<size_t>(participant)]; });
      changed = changed || progresses[d];
    }
  }
  for (size_t d = 0; d < members_.size(); ++d) {
    if (progresses[d] || !members_[d].waits_at) continue;
    Fail(InvalidArgument(DeadlockText(progresses)));
    return;
  }
}

std::string GroupRun::PlaceText(const Wait& wait) const {
  if (wait.line != nullptr)
    return StrCat("to receive from ", ChannelText(wait.line->first.channel));
  const std::uint64_t instruction = wait.meeting != nullptr
                                        ? std::get<std::uint64_t>(wait.meeting->first)
                                        : wait.station->instruction();
  return StrCat("at ", name_of_(instruction));
}

// Of devices that wait at the same place, the first one stands for all.
std::string GroupRun::DeadlockText(const std::vector<bool>& progresses) const {
  std::string text = "deadlock:";
  std::vector<Wait> told;
  std::vector<i64> left;
  for (size_t d = 0; d < members_.size(); ++d) {
    const Member& member = members_[d];
    if (member.has_left) left.push_back(static_cast<i64>(d));
    if (progresses[d] || !member.waits_at || told.size() == kMostInDeadlock ||
        std::ranges::find(told, member.waits_at) != told.end()) {
      continue;
    }
    StrAppend(text, told.empty() ? " " : "; ", "device ", d, " waits ", PlaceText(member.waits_at),
              " for ", DevicesText(Missing(member.waits_at)));
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
  has_failed_.store(true);
  changed_->notify_all();
}

}  // namespace axle
