#include "axle/distributed/engine/endpoint.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>

#include "axle/core/strings.h"

namespace axle {
namespace {

// How often a wait looks at what nobody signals: its limits, and the clock.
constexpr std::chrono::milliseconds kLook{20};
// How long the end waits at least for the others to have what was sent to them.
constexpr double kLeaveLimit = 2;
// How long a receive that is given up waits for the rest of a message that has begun to arrive.
constexpr std::chrono::seconds kRestLimit{2};
// How long the control plane has to say why a connection broke.
constexpr std::chrono::milliseconds kBlameDelay{300};
// No run has this number: of barriers.
constexpr std::uint64_t kBarrierRun = ~std::uint64_t{0};

double Seconds(std::chrono::steady_clock::duration time) {
  return std::chrono::duration<double>(time).count();
}

}  // namespace

Endpoint::Endpoint(const TransportOptions& options, std::unique_ptr<KeyValueStore> store,
                   std::unique_ptr<ControlPlane> control)
    : options_(options),
      store_(std::move(store)),
      control_(std::move(control)),
      peers_(static_cast<size_t>(options.num_processes)) {}

Status Endpoint::Start(const std::function<StatusOr<std::unique_ptr<Carrier>>(
                           MessageSink& sink, ControlPlane& control)>& make) {
  AXLE_ASSIGN(carrier_, make(*this, *control_));
  control_->Start(this);
  return {};
}

Endpoint::~Endpoint() {
  control_->EndHeartbeatCalls();
  if (carrier_ != nullptr) Leave();
  control_->Stop();
  ends_ = true;  // what breaks now is no failure
  carrier_.reset();
}

// Says goodbye, and waits until nothing is on its way. A process whose heartbeat calls the user,
// who takes long, answers late: it may be silent for as long as that is no failure.
void Endpoint::Leave() {
  for (int p = 0; p < num_processes(); ++p) {
    if (p == process_id()) continue;
    std::uint64_t sent = 0;
    {
      const std::lock_guard lock(mutex_);
      sent = peers_[static_cast<size_t>(p)].num_sent;
    }
    control_->Send(p, NoteType::kLeaves, std::to_string(sent));
  }
  const double limit = std::max(kLeaveLimit, options_.silence_limit);
  const auto since = Clock::now();
  std::unique_lock lock(mutex_);
  while (Seconds(Clock::now() - since) < limit && control_->failure().ok()) {
    bool waits = false;
    for (int p = 0; p < num_processes(); ++p) {
      const Peer& peer = peers_[static_cast<size_t>(p)];
      // One that has left itself has answered before, or needs nothing any more.
      waits = waits || (p != process_id() && !peer.lets_leave && !peer.leaves);
      // Its own messages come while this process is there to take them.
      waits = waits || (peer.leaves && !peer.has_answered);
    }
    if (!waits) return;
    leaving_.wait_for(lock, kLook);
  }
}

std::string Endpoint::host(int process) const {
  return CheckProcess(process).ok() || process == process_id() ? control_->host(process) : "";
}

std::string Endpoint::report(int process) const {
  return CheckProcess(process).ok() || process == process_id() ? control_->report(process) : "";
}

Status Endpoint::CheckProcess(int process) const {
  if (process >= 0 && process < num_processes() && process != process_id()) return {};
  return InvalidArgument(StrCat("transport: process ", process, " is none of the others: this is ",
                                process_id(), " of ", num_processes()));
}

// "all-reduce "sum": receive of 4 bytes from process 1 (host)".
std::string Endpoint::Text(const Operation& operation) const {
  return StrCat(operation.name, operation.name.empty() ? "" : ": ", operation.verb, " of ",
                operation.num_bytes, " bytes ", operation.direction, " ",
                control_->Name(operation.process));
}

// Why an operation cannot come about any more, or OK. The lock may be held.
Status Endpoint::WhyNot(const Operation& operation) const {
  const Status failure = control_->failure();
  if (failure.ok()) return {};
  return {failure.code(), StrCat(Text(operation), ": ", failure.message())};
}

void Endpoint::Warn(const std::string& text) const {
  if (!options_.warn) {
    std::fprintf(stderr, "axle: %s\n", text.c_str());
    return;
  }
  try {
    options_.warn(text);
  } catch (...) {
    // An exception of the function for warnings changes nothing.
  }
}

// Warns of a process that is late, once, or gives it up.
Status Endpoint::Late(const Operation& operation, Clock::time_point since, bool& has_warned) const {
  const double waited = Seconds(Clock::now() - since);
  if (waited >= options_.late_limit) {
    return {StatusCode::kUnavailable,
            StrCat(Text(operation), ": ", control_->Name(operation.process),
                   " is alive, and this has waited for it for ", options_.late_limit, " s")};
  }
  if (waited >= options_.late_warning && !has_warned) {
    has_warned = true;
    Warn(StrCat(Text(operation), " has waited for ", options_.late_warning, " s; ",
                control_->Name(operation.process), " is alive and is waited for up to ",
                options_.late_limit, " s"));
  }
  return {};
}

Status Endpoint::Send(int process, const MessageKey& key, std::span<const std::byte> bytes,
                      Limits* limits) {
  AXLE_TRY(CheckProcess(process));
  const Operation operation = {key.operation, "send", "to", bytes.size(), process};
  AXLE_TRY(WhyNot(operation));
  {
    const std::lock_guard lock(mutex_);
    Peer& peer = peers_[static_cast<size_t>(process)];
    if (peer.leaves) {
      return {StatusCode::kUnavailable,
              StrCat(Text(operation), ": ", control_->Name(process), " has left")};
    }
    ++peer.num_sent;
  }
  const MessageHeader header = {key.run, key.instruction, key.execution, key.group, bytes.size()};
  const auto since = Clock::now();
  bool has_warned = false;
  Status status = carrier_->Send(process, header, bytes, [&]() -> Status {
    AXLE_TRY(WhyNot(operation));
    if (limits != nullptr) AXLE_TRY(limits->CheckNow());
    return Late(operation, since, has_warned);
  });
  if (status.ok()) {
    const std::lock_guard lock(mutex_);
    SentMessages& sent = peers_[static_cast<size_t>(process)].sent;
    ++sent.count;
    sent.bytes += static_cast<std::int64_t>(bytes.size());
    return {};
  }
  // A send that fails may have left half of the message behind.
  if (status.code() == StatusCode::kUnavailable) {
    BlameLink(process, status.message());
    return WhyNot(operation);
  }
  control_->Fail({status.code(), StrCat(Text(operation), ": ", status.message())});
  return status;
}

SentMessages Endpoint::sent(int process) const {
  if (!CheckProcess(process).ok()) return {};
  const std::lock_guard lock(mutex_);
  return peers_[static_cast<size_t>(process)].sent;
}

// Makes a broken connection the first cause, unless there is one. The control plane finds out at
// once whether the process is there no more, and says it better.
void Endpoint::BlameLink(int process, const std::string& why) {
  const auto end = Clock::now() + kBlameDelay;
  std::unique_lock lock(mutex_);
  while (control_->failure().ok() && Clock::now() < end) leaving_.wait_for(lock, kLook);
  lock.unlock();
  Lose(process, why);
}

void Endpoint::Lose(int process, const std::string& why) {
  control_->Fail({StatusCode::kUnavailable, StrCat(control_->Name(process), " is lost: ", why)});
}

Endpoint::SlotPtr Endpoint::BeginReceive(int process, const MessageKey& key,
                                         std::span<std::byte> bytes) {
  const Address address = {process, key.run, key.instruction, key.execution, key.group};
  const std::lock_guard lock(mutex_);
  const auto found = messages_.find(address);
  if (found != messages_.end()) {
    SlotPtr slot = found->second.front();
    found->second.pop_front();
    if (found->second.empty()) messages_.erase(found);
    slot->destination = bytes;
    slot->has_receive = true;
    return slot;
  }
  auto slot = std::make_shared<Slot>();
  slot->address = address;
  slot->destination = bytes;
  slot->has_receive = true;
  receives_[address].push_back(slot);
  return slot;
}

Status Endpoint::SizeError(const Operation& operation, std::uint64_t sent) {
  const Status error =
      FailedPrecondition(StrCat(operation.name, operation.name.empty() ? "" : ": ",
                                control_->Name(operation.process), " sends ", sent, " bytes, and ",
                                control_->Name(process_id()), " receives ", operation.num_bytes));
  control_->Fail(error);
  return error;
}

Status Endpoint::EndReceive(const SlotPtr& slot, const MessageKey& key, Limits* limits) {
  const int process = std::get<0>(slot->address);
  const Operation operation = {key.operation, "receive", "from", slot->destination.size(), process};
  const auto since = Clock::now();
  bool has_warned = false;
  std::unique_lock lock(mutex_);
  while (!slot->has_arrived) {
    Status status = WhyNot(operation);
    if (status.ok() && limits != nullptr) status = limits->CheckNow();
    const Peer& peer = peers_[static_cast<size_t>(process)];
    if (status.ok() && !slot->is_moving && peer.leaves && peer.num_arrived >= peer.num_announced) {
      status = {StatusCode::kUnavailable,
                StrCat(Text(operation), ": ", control_->Name(process), " has left")};
    }
    if (status.ok()) {
      lock.unlock();  // a warning calls the user
      status = Late(operation, since, has_warned);
      lock.lock();
    }
    if (!status.ok() && !slot->has_arrived) {
      lock.unlock();
      Abandon(slot);
      return status;
    }
    if (!slot->has_arrived) slot->changed.wait_for(lock, kLook);
  }
  lock.unlock();
  AXLE_TRY(WhyNot(operation));
  if (slot->num_bytes != slot->destination.size()) return SizeError(operation, slot->num_bytes);
  if (slot->kept != nullptr) {
    std::memcpy(slot->destination.data(), slot->kept.get(), slot->num_bytes);
    slot->kept.reset();
    lock.lock();
    kept_bytes_ -= static_cast<std::int64_t>(slot->num_bytes);
  }
  return {};
}

// Gives a receive up: nobody writes to its destination any more when this returns.
void Endpoint::Abandon(const SlotPtr& slot) {
  std::unique_lock lock(mutex_);
  if (slot->is_abandoned) return;
  slot->is_abandoned = true;
  const auto found = receives_.find(slot->address);
  if (found != receives_.end()) {
    std::erase(found->second, slot);
    if (found->second.empty()) receives_.erase(found);
  }
  if (slot->kept != nullptr || !slot->is_moving) return;
  // The carrier writes to the destination. Breaking it is what ends that for certain.
  const auto end = Clock::now() + kRestLimit;
  while (slot->is_moving && Clock::now() < end && control_->failure().ok()) {
    slot->changed.wait_for(lock, kLook);
  }
  if (!slot->is_moving) return;
  lock.unlock();
  control_->Fail({StatusCode::kCancelled, "a receive was given up while its message arrived"});
  carrier_->BreakAll();
  lock.lock();
  while (slot->is_moving) slot->changed.wait_for(lock, kLook);
}

Status Endpoint::Receive(int process, const MessageKey& key, std::span<std::byte> bytes,
                         Limits* limits) {
  AXLE_TRY(CheckProcess(process));
  return EndReceive(BeginReceive(process, key, bytes), key, limits);
}

class Endpoint::Receiver : public PendingReceive {
 public:
  Receiver(Endpoint& endpoint, SlotPtr slot, const MessageKey& key)
      : endpoint_(endpoint), slot_(std::move(slot)), key_(key), operation_(key.operation) {
    key_.operation = operation_;
  }
  ~Receiver() override {
    if (slot_ != nullptr) endpoint_.Abandon(slot_);
  }
  Status Wait(Limits* limits) override {
    AXLE_INVARIANT(slot_ != nullptr, "transport: a receive is waited for twice");
    const SlotPtr slot = std::move(slot_);
    slot_ = nullptr;
    return endpoint_.EndReceive(slot, key_, limits);
  }

 private:
  Endpoint& endpoint_;
  SlotPtr slot_;
  MessageKey key_;
  const std::string operation_;
};

StatusOr<std::unique_ptr<PendingReceive>> Endpoint::StartReceive(int process, const MessageKey& key,
                                                                 std::span<std::byte> bytes) {
  AXLE_TRY(CheckProcess(process));
  AXLE_TRY(WhyNot({key.operation, "receive", "from", bytes.size(), process}));
  return std::unique_ptr<PendingReceive>(
      std::make_unique<Receiver>(*this, BeginReceive(process, key, bytes), key));
}

// In log2(n) rounds each process hears, over others, of twice as many.
Status Endpoint::Barrier(Limits* limits) {
  const std::lock_guard one_at_a_time(barrier_mutex_);
  MessageKey key = {.run = kBarrierRun, .execution = num_barriers_++, .operation = "barrier"};
  const int n = num_processes();
  for (int step = 1; step < n; step *= 2) {
    key.instruction = static_cast<std::uint64_t>(step);
    AXLE_TRY(Send((process_id() + step) % n, key, {}, limits));
    AXLE_TRY(Receive((process_id() - step + n) % n, key, {}, limits));
  }
  return {};
}

void Endpoint::OnNote(int process, NoteType type, std::string_view bytes) {
  if (type == NoteType::kAddress) {
    carrier_->TakeNote(process, bytes);
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    Peer& peer = peers_[static_cast<size_t>(process)];
    if (type == NoteType::kLeaves) {
      peer.leaves = true;
      peer.num_announced = 0;
      for (const char c : bytes) {
        if (IsDigit(c))
          peer.num_announced = 10 * peer.num_announced + static_cast<unsigned>(c - '0');
      }
    } else if (type == NoteType::kMayLeave) {
      peer.lets_leave = true;
    }
  }
  AnswerLeaving(process);
  OnChange();
}

// Lets a process leave that has said so, once all its messages are there.
void Endpoint::AnswerLeaving(int process) {
  {
    const std::lock_guard lock(mutex_);
    Peer& peer = peers_[static_cast<size_t>(process)];
    if (!peer.leaves || peer.has_answered || peer.num_arrived < peer.num_announced) return;
    peer.has_answered = true;
  }
  control_->Send(process, NoteType::kMayLeave, "");
  leaving_.notify_all();
}

// Wakes everybody who waits, to look at what has happened.
void Endpoint::OnChange() {
  if (!ends_ && !control_->failure().ok()) carrier_->BreakAll();
  const std::lock_guard lock(mutex_);
  for (const auto& [address, slots] : receives_) {
    for (const SlotPtr& slot : slots) slot->changed.notify_all();
  }
  for (const auto& [key, slot] : moving_) slot->changed.notify_all();
  leaving_.notify_all();
}

std::byte* Endpoint::Place(int process, const MessageHeader& header, void*& receipt) {
  static std::byte nothing;
  const Address address = {process, header.run, header.instruction, header.execution, header.group};
  std::unique_lock lock(mutex_);
  SlotPtr slot;
  const auto found = receives_.find(address);
  if (found != receives_.end()) {
    slot = found->second.front();
    found->second.pop_front();
    if (found->second.empty()) receives_.erase(found);
  } else {
    slot = std::make_shared<Slot>();
    slot->address = address;
    messages_[address].push_back(slot);
  }
  slot->num_bytes = header.num_bytes;
  slot->is_moving = true;
  const bool fits = slot->has_receive && slot->destination.size() == header.num_bytes;
  if (!fits && header.num_bytes > 0) {  // a wrong size is found by the receive
    kept_bytes_ += static_cast<std::int64_t>(header.num_bytes);
    const bool is_too_much = kept_bytes_ > options_.max_kept_bytes;
    if (!is_too_much) slot->kept.reset(new (std::nothrow) std::byte[header.num_bytes]);
    if (slot->kept == nullptr) {
      lock.unlock();
      control_->Fail(ResourceExhausted(StrCat(
          "transport: no room for a message of ", header.num_bytes, " bytes from ",
          control_->Name(process), ", which nobody receives yet",
          is_too_much ? StrCat("; at most ", options_.max_kept_bytes, " bytes are kept") : "")));
      return nullptr;
    }
  }
  moving_[slot.get()] = slot;
  receipt = slot.get();
  return header.num_bytes == 0 ? &nothing : fits ? slot->destination.data() : slot->kept.get();
}

void Endpoint::Arrived(int process, void* receipt) {
  {
    const std::lock_guard lock(mutex_);
    const auto moving = moving_.find(static_cast<Slot*>(receipt));
    Slot& slot = *moving->second;
    slot.is_moving = false;
    slot.has_arrived = true;
    ++peers_[static_cast<size_t>(process)].num_arrived;
    if (slot.is_abandoned && slot.kept != nullptr) {
      kept_bytes_ -= static_cast<std::int64_t>(slot.num_bytes);
    }
    slot.changed.notify_all();
    moving_.erase(moving);
  }
  AnswerLeaving(process);
}

void Endpoint::Dropped(int /*process*/, void* receipt) {
  const std::lock_guard lock(mutex_);
  const auto moving = moving_.find(static_cast<Slot*>(receipt));
  moving->second->is_moving = false;
  moving->second->changed.notify_all();
  moving_.erase(moving);
}

// The goodbye of a process comes over another connection, and may be read later than the end of
// this one.
void Endpoint::LinkBroken(int process, const std::string& why) {
  const auto end = Clock::now() + kBlameDelay;
  std::unique_lock lock(mutex_);
  const Peer& peer = peers_[static_cast<size_t>(process)];
  while (true) {
    const bool has_all = !peer.leaves || peer.num_arrived >= peer.num_announced;
    const bool is_over = control_->has_left(process) || !control_->failure().ok();
    if (ends_ || (is_over && has_all) || peer.has_answered) return;
    if (Clock::now() >= end) break;
    leaving_.wait_for(lock, kLook);
  }
  lock.unlock();
  Lose(process, why);
}

void Endpoint::SendNote(int process, std::string_view bytes) {
  control_->Send(process, NoteType::kAddress, bytes);
}

}  // namespace axle
