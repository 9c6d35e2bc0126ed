#include "axle/distributed/engine/connector.h"

#include <poll.h>

#include <algorithm>
#include <charconv>

#include "axle/core/strings.h"
#include "axle/distributed/engine/control_plane.h"

namespace axle {
namespace {

// How long a guest may take to say who it is, and how many such there may be.
constexpr std::chrono::seconds kProofLimit{5};
constexpr size_t kMostGuests = 256;
// For how long another secret is looked at again: the value may be one that an earlier job left.
constexpr std::chrono::seconds kRefusalLimit{3};
constexpr std::chrono::milliseconds kPause{20}, kLongestPause{160};
// For how long others are told why it does not come about: those who are there, those who come.
constexpr std::chrono::milliseconds kShortTelling{500}, kTelling{3000};

std::vector<std::string_view> Lines(std::string_view bytes) {
  std::vector<std::string_view> lines;
  while (true) {
    const size_t end = bytes.find('\n');
    lines.push_back(bytes.substr(0, end));
    if (end == bytes.npos) return lines;
    bytes.remove_prefix(end + 1);
  }
}

int ToNumber(std::string_view text, int otherwise) {
  int value = 0;
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const auto [rest, error] = std::from_chars(begin, end, value);
  return error == std::errc() && rest == end ? value : otherwise;
}

std::string OneLine(std::string_view text) {
  return PrintableText(text);
}

Status Precondition(std::string message) {
  return FailedPrecondition(std::move(message));
}

}  // namespace

std::string CauseToBytes(const Status& cause, int lost) {
  constexpr size_t kMostText = 8192;
  return StrCat(static_cast<int>(cause.code()), "\n", lost, "\n",
                std::string_view(cause.message()).substr(0, kMostText));
}

ParsedCause ParseCause(std::string_view bytes) {
  ParsedCause cause;
  const size_t first = bytes.find('\n');
  const size_t second = first == bytes.npos ? first : bytes.find('\n', first + 1);
  if (second == bytes.npos) return cause;
  const int code = ToNumber(bytes.substr(0, first), 0);
  if (code > 0 && code <= static_cast<int>(StatusCode::kUnauthenticated)) {
    cause.code = static_cast<StatusCode>(code);
  }
  cause.lost = ToNumber(bytes.substr(first + 1, second - first - 1), -1);
  cause.text = bytes.substr(second + 1);
  return cause;
}

std::string ProcessGreeting::ToBytes() const {
  return StrCat(process_id, "\n", num_processes, "\n", OneLine(version), "\n", OneLine(fingerprint),
                "\n", OneLine(host));
}

std::optional<ProcessGreeting> ProcessGreeting::Parse(std::string_view bytes) {
  const std::vector<std::string_view> lines = Lines(bytes);
  if (lines.size() < 5) return std::nullopt;
  ProcessGreeting greeting;
  greeting.process_id = ToNumber(lines[0], -1);
  greeting.num_processes = ToNumber(lines[1], 0);
  greeting.version = lines[2];
  greeting.fingerprint = lines[3];
  greeting.host = lines[4];
  return greeting;
}

Connector::Connector(const TransportOptions& options, KeyValueStore& store, std::string own_host)
    : options_(options), store_(store), own_host_(std::move(own_host)) {}

std::string Connector::KeyOf(int process) const {
  return StrCat("axle/", options_.job, "/", options_.epoch, "/process/", process);
}

std::unique_ptr<Channel> Connector::NewChannel(Descriptor socket, Channel::Side side) const {
  // Bound to the epoch too: who comes late from an earlier one is a stranger.
  auto channel = std::make_unique<Channel>(std::move(socket), side, options_.secret,
                                           StrCat(options_.job, "/", options_.epoch));
  const ProcessGreeting own = {options_.version, options_.fingerprint, own_host_,
                               options_.num_processes, options_.process_id};
  channel->Queue(static_cast<std::uint8_t>(NoteType::kHello), own.ToBytes());
  if (!cause_.empty()) channel->Queue(static_cast<std::uint8_t>(NoteType::kCause), cause_);
  return channel;
}

Status Connector::Compare(const ProcessGreeting& other) const {
  const std::string who = StrCat("connect: process ", other.process_id, " (", other.host, ")");
  const std::string self = StrCat("process ", options_.process_id, " (", own_host_, ")");
  if (other.version != OneLine(options_.version)) {
    return Precondition(StrCat(who, " has version ", other.version, " of axle, and ", self,
                               " version ", options_.version));
  }
  if (other.num_processes != options_.num_processes) {
    return Precondition(StrCat(who, " belongs to ", other.num_processes, " processes, and ", self,
                               " to ", options_.num_processes));
  }
  if (other.fingerprint != OneLine(options_.fingerprint)) {
    return Precondition(StrCat(who, " has \"", other.fingerprint, "\", and ", self, " has \"",
                               options_.fingerprint, "\""));
  }
  return {};
}

// Takes the first frame of a channel, which says who is there, and keeps the channel.
Status Connector::Greet(std::unique_ptr<Channel>& channel, const Channel::Frame& frame,
                        int expected) {
  const std::optional<ProcessGreeting> greeting = ProcessGreeting::Parse(frame.bytes);
  AXLE_INVARIANT(greeting.has_value() && frame.type == static_cast<int>(NoteType::kHello),
                 "connect: a process of the job has said something else than who it is");
  AXLE_TRY(Compare(*greeting));
  const int process = greeting->process_id;
  const bool is_right = expected >= 0
                            ? process == expected
                            : process > options_.process_id && process < options_.num_processes;
  if (!is_right || found_[static_cast<size_t>(process)].channel != nullptr) {
    return Precondition(StrCat("connect: there are two processes ", process, ", on ",
                               greeting->host, " and ",
                               is_right ? found_[static_cast<size_t>(process)].host : own_host_));
  }
  found_[static_cast<size_t>(process)] = {std::move(channel), greeting->host};
  --num_missing_;
  return {};
}

Status Connector::LookUp(Target& target) {
  StatusOr<std::optional<std::string>> value = store_.TryGet(KeyOf(target.process));
  if (!value.ok()) return Refuse(target, value.status());
  if (!value->has_value()) {
    Retry(target);
    return {};
  }
  const std::vector<std::string_view> lines = Lines(**value);
  AXLE_INVARIANT(lines.size() == 3, "connect: a value of the rendezvous is none of axle's");
  target.address = {std::string(lines[0]), ToNumber(lines[1], 0)};
  if (lines[2] != own_host_ && IsLoopback(target.address.host)) {
    return Precondition(StrCat("connect: process ", target.process, " listens at ",
                               target.address.host, " of ", lines[2], ", which process ",
                               options_.process_id, " on ", own_host_,
                               " does not reach: set AXLE_LISTEN_ADDRESS"));
  }
  StatusOr<Descriptor> socket = BeginConnect(target.address);
  if (socket.ok()) {
    target.socket = *std::move(socket);
  } else {
    Retry(target);
  }
  return {};
}

void Connector::Retry(Target& target) {
  target.socket.Close();
  target.channel.reset();
  // Each time a little later: many processes look at one store.
  target.pause = std::min(2 * target.pause, kLongestPause);
  target.next_try = Clock::now() + target.pause;
}

// Another secret, or a store that is gone: an error, once it is clear that it stays.
Status Connector::Refuse(Target& target, const Status& why) {
  Retry(target);
  if (why.code() != StatusCode::kPermissionDenied) return why;
  if (target.refusal.ok()) {
    target.refusal = why;
    target.first_refusal = Clock::now();
  }
  if (Clock::now() < target.first_refusal + kRefusalLimit) return {};
  return {why.code(), StrCat("connect: process ", target.process, ": ", why.message())};
}

Status Connector::StepTarget(Target& target) {
  if (target.is_done || Clock::now() < target.next_try) return {};
  if (target.channel == nullptr && !target.socket.valid()) return LookUp(target);
  if (target.channel == nullptr) {
    pollfd polled = {target.socket.get(), POLLOUT, 0};
    if (poll(&polled, 1, 0) != 1) return {};
    if (!ConnectResult(target.socket.get(), target.address).ok()) {
      Retry(target);  // the address is one of an earlier job, or the process is not so far
      return {};
    }
    target.channel = NewChannel(std::move(target.socket), Channel::Side::kConnects);
  }
  const Status pumped = target.channel->Pump();
  Channel::Frame frame;
  if (target.channel->Take(frame)) {
    AXLE_TRY(Greet(target.channel, frame, target.process));
    target.is_done = true;
    return {};
  }
  if (pumped.code() == StatusCode::kPermissionDenied) return Refuse(target, pumped);
  if (!pumped.ok()) Retry(target);
  return {};
}

void Connector::AcceptGuests() {
  while (guests_.size() < kMostGuests) {
    Descriptor accepted = Accept(listener_);
    if (!accepted.valid()) break;
    guests_.push_back({.channel = NewChannel(std::move(accepted), Channel::Side::kAccepts),
                       .since = Clock::now()});
  }
}

Status Connector::StepGuests() {
  AcceptGuests();
  for (auto at = guests_.begin(); at != guests_.end();) {
    const Status pumped = at->channel->Pump();
    Channel::Frame frame;
    if (at->channel->Take(frame)) {
      AXLE_TRY(Greet(at->channel, frame, -1));
      at = guests_.erase(at);
    } else if (!pumped.ok() || Clock::now() > at->since + kProofLimit) {
      num_refused_ += at->channel->is_open() ? 0 : 1;
      at = guests_.erase(at);
    } else {
      ++at;
    }
  }
  return {};
}

// Takes the frames of a process until it is ready; later ones are for the control plane.
Status Connector::TakeReady(size_t process) {
  Found& found = found_[process];
  Channel::Frame frame;
  while (!found.is_ready && found.channel->Take(frame)) {
    if (frame.type == static_cast<int>(NoteType::kCause)) {
      const ParsedCause cause = ParseCause(frame.bytes);
      return {cause.code, cause.text};
    }
    if (frame.type == static_cast<int>(NoteType::kReady)) {
      found.is_ready = true;
      --num_unready_;
    }
  }
  return {};
}

// Looks after the processes that are connected already, some of which are through with all others
// and expect heartbeats.
Status Connector::Watch() {
  const bool beats = Clock::now() >= next_heartbeat_;
  if (beats) next_heartbeat_ = Clock::now() + HeartbeatInterval(options_);
  for (size_t p = 0; p < found_.size(); ++p) {
    if (found_[p].channel == nullptr) continue;
    Channel& channel = *found_[p].channel;
    if (beats) channel.Queue(static_cast<std::uint8_t>(NoteType::kHeartbeat), "");
    const bool has_news = channel.wants_to_write() || ready_.contains(channel.descriptor());
    const Status pumped = has_news ? channel.Pump() : Status();
    AXLE_TRY(TakeReady(p));
    if (pumped.ok() || found_[p].is_ready) continue;
    return {StatusCode::kUnavailable,
            StrCat("connect: process ", p, " (", found_[p].host,
                   ") has ended while others were not connected yet: ", pumped.message())};
  }
  return {};
}

void Connector::PollAll() {
  std::vector<pollfd> polled = {{listener_.socket.get(), POLLIN, 0}};
  const auto add = [&polled](const Channel& channel) {
    const int events = POLLIN | (channel.wants_to_write() ? POLLOUT : 0);
    polled.push_back({channel.descriptor(), static_cast<short>(events), 0});
  };
  auto wait = kPause;
  for (const Target& target : targets_) {
    if (target.is_done) continue;
    if (target.socket.valid()) polled.push_back({target.socket.get(), POLLOUT, 0});
    if (target.channel != nullptr) add(*target.channel);
    if (target.channel == nullptr && !target.socket.valid()) {
      wait = std::clamp(
          std::chrono::duration_cast<std::chrono::milliseconds>(target.next_try - Clock::now()),
          std::chrono::milliseconds(0), wait);
    }
  }
  for (const Guest& guest : guests_) add(*guest.channel);
  for (const Found& found : found_) {
    if (found.channel != nullptr) add(*found.channel);
  }
  poll(polled.data(), polled.size(), static_cast<int>(wait.count()));
  ready_.clear();
  for (const pollfd& each : polled) {
    if (each.revents != 0) ready_.insert(each.fd);
  }
}

Status Connector::Step() {
  for (Target& target : targets_) AXLE_TRY(StepTarget(target));
  AXLE_TRY(StepGuests());
  return Watch();
}

std::string Connector::MissingText() {
  std::vector<size_t> missing;
  std::string text;
  for (size_t p = 0; p < found_.size(); ++p) {
    if (!found_[p].is_ready && static_cast<int>(p) != options_.process_id &&
        (num_missing_ == 0 || found_[p].channel == nullptr)) {
      missing.push_back(p);
    }
  }
  StrAppend(text, missing.size() == 1 ? "process " : "processes ", Join(missing, ", "),
            missing.size() == 1 ? " has" : " have",
            num_missing_ == 0 ? " not found all others within " : " not come within ",
            options_.connect_limit, " s");
  if (num_refused_ > 0) {
    StrAppend(
        text, "; ", num_refused_,
        num_refused_ == 1 ? " connection of a stranger was" : " connections of strangers were",
        " refused");
  }
  return text;
}

// Tells a process why it does not come about. True when it is through: it says why itself, as it
// does once it knows, or is gone.
bool Connector::Tell(Channel& channel, int& process) {
  const Status pumped = channel.Pump();
  bool knows = false;
  for (Channel::Frame frame; channel.Take(frame);) {
    const std::optional<ProcessGreeting> greeting = ProcessGreeting::Parse(frame.bytes);
    if (frame.type == static_cast<int>(NoteType::kHello) && greeting) {
      process = greeting->process_id;
    }
    knows = knows || frame.type == static_cast<int>(NoteType::kCause);
  }
  return knows || !pumped.ok();
}

void Connector::TellTargets(std::set<int>& told) {
  for (Target& target : targets_) {
    if (target.is_done || Clock::now() < target.next_try) continue;
    if (target.channel == nullptr) {
      // A second error here changes nothing any more.
      if (!StepTarget(target).ok()) Retry(target);
    } else if (Tell(*target.channel, target.process)) {
      target.is_done = target.channel->is_open();
      if (target.is_done) told.insert(target.process);
      Retry(target);
    }
  }
}

void Connector::TellGuests(std::set<int>& told) {
  AcceptGuests();
  for (auto at = guests_.begin(); at != guests_.end();) {
    if (!Tell(*at->channel, at->process)) {
      ++at;
      continue;
    }
    if (at->process >= 0 && at->process < options_.num_processes) told.insert(at->process);
    at = guests_.erase(at);
  }
}

// Tells all others why it does not come about, also those that come a little later: they would wait
// for this process otherwise. A connection that is closed with unread bytes takes what it has sent
// with it, so that this waits for answers.
void Connector::TellOthers(const Status& why, Clock::time_point end, Limits* limits) {
  cause_ = CauseToBytes(why, -1);
  const auto queue = [this](const std::unique_ptr<Channel>& channel) {
    if (channel != nullptr) channel->Queue(static_cast<std::uint8_t>(NoteType::kCause), cause_);
  };
  for (const Found& found : found_) queue(found.channel);
  for (const Guest& guest : guests_) queue(guest.channel);
  for (const Target& target : targets_) queue(target.channel);
  std::set<int> told;
  while (static_cast<int>(told.size()) + 1 < options_.num_processes && Clock::now() < end) {
    for (size_t p = 0; p < found_.size(); ++p) {
      int process = static_cast<int>(p);
      if (found_[p].channel == nullptr || !Tell(*found_[p].channel, process)) continue;
      found_[p].channel.reset();
      told.insert(static_cast<int>(p));
    }
    TellTargets(told);
    TellGuests(told);
    if (limits != nullptr && !limits->CheckNow().ok()) return;
    PollAll();
  }
}

// How long the others are told: not for long if this process was told to stop, or if it has waited
// for them already.
Connector::Clock::time_point Connector::EndOfTelling(const Status& why,
                                                     Clock::time_point connect_end) {
  const auto now = Clock::now();
  const bool is_over =
      why.code() == StatusCode::kDeadlineExceeded || why.code() == StatusCode::kCancelled;
  return is_over ? now + kShortTelling
                 : std::max(now + kShortTelling, std::min(connect_end, now + kTelling));
}

StatusOr<std::vector<Connector::Found>> Connector::Connect(Limits* limits) {
  found_.resize(static_cast<size_t>(options_.num_processes));
  num_missing_ = num_unready_ = options_.num_processes - 1;
  AXLE_ASSIGN(listener_, Listen({options_.listen_address, 0}));
  AXLE_TRY(store_.Set(KeyOf(options_.process_id),
                      StrCat(options_.listen_address, "\n", listener_.port, "\n", own_host_)));
  for (int p = 0; p < options_.process_id; ++p) targets_.push_back({.process = p});
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(options_.connect_limit));
  bool has_told = false;
  // No process goes on before all have found all: process 0 takes the store along when it leaves.
  while (true) {
    if (num_missing_ == 0 && !has_told) {
      has_told = true;
      for (const Found& found : found_) {
        if (found.channel == nullptr) continue;
        found.channel->Queue(static_cast<std::uint8_t>(NoteType::kReady), "");
        // If this fails, the next look at the channel returns the error.
        static_cast<void>(found.channel->Pump());
      }
    }
    if (num_missing_ == 0 && num_unready_ == 0) break;
    PollAll();
    Status status = Step();
    if (status.ok() && limits != nullptr) status = limits->CheckNow();
    if (status.ok() && num_unready_ > 0 && Clock::now() > end) {
      status = DeadlineExceeded(StrCat("connect: ", MissingText()));
    }
    if (!status.ok()) {
      TellOthers(status, EndOfTelling(status, end), limits);
      return status;
    }
  }
  // Connections that are still guests have proved nothing.
  return std::move(found_);
}

}  // namespace axle
