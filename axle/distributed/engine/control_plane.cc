#include "axle/distributed/engine/control_plane.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "axle/core/blocked_signals.h"
#include "axle/core/strings.h"
#include "axle/distributed/engine/connector.h"

namespace axle {
namespace {

// How long what is still to be sent may take at the end.
constexpr std::chrono::milliseconds kFlushLimit{200};

}  // namespace

StatusOr<std::unique_ptr<ControlPlane>> ControlPlane::Connect(const TransportOptions& options,
                                                              KeyValueStore& store,
                                                              Limits* limits) {
  std::unique_ptr<ControlPlane> plane(new ControlPlane(options));
  if (!plane->wake_.valid()) return ResourceExhausted("connect: no more file descriptors");
  axle::Connector connector(plane->options_, store, plane->own_host_);
  AXLE_ASSIGN(std::vector<axle::Connector::Found> found, connector.Connect(limits));
  for (size_t p = 0; p < found.size(); ++p) {
    Peer& peer = plane->peers_[p];
    peer.host = found[p].host;
    if (found[p].channel == nullptr) {
      peer.host = plane->own_host_;
      continue;
    }
    peer.session_key = found[p].channel->session_key();
    peer.channel = std::move(found[p].channel);
  }
  return plane;
}

ControlPlane::ControlPlane(const TransportOptions& options)
    : options_(options),
      own_host_(HostName()),
      peers_(static_cast<size_t>(options.num_processes)),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

ControlPlane::~ControlPlane() {
  Stop();
}

void ControlPlane::Start(Observer* observer) {
  observer_ = observer;
  const auto now = Clock::now();
  for (Peer& peer : peers_) peer.last_heard = now;
  const ScopedBlockedSignals blocked;
  thread_ = std::thread([this] { Run(); });
}

void ControlPlane::Stop() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stops_ = true;
  }
  Wake();
  thread_.join();
}

void ControlPlane::Wake() {
  const std::uint64_t one = 1;
  static_cast<void>(!write(wake_.get(), &one, sizeof one));
}

void ControlPlane::SetReport(std::string report) {
  if (report.size() > kMostReportBytes) report.resize(kMostReportBytes);
  auto shared = std::make_shared<const std::string>(std::move(report));
  const std::lock_guard lock(mutex_);
  own_report_.swap(shared);
}

void ControlPlane::SendReportNow() {
  {
    const std::lock_guard lock(mutex_);
    for (Peer& peer : peers_) {
      peer.is_owed_report = true;
      // Before anything that this process says after it.
      if (peer.channel != nullptr) Beat(peer, /*is_time=*/false);
    }
  }
  Wake();
}

std::string ControlPlane::report(int process) const {
  const std::lock_guard lock(mutex_);
  if (process != options_.process_id) return peers_[Index(process)].report;
  return own_report_ == nullptr ? "" : *own_report_;
}

void ControlPlane::EndHeartbeatCalls() {
  const std::lock_guard lock(heartbeat_mutex_);
  has_heartbeat_calls_ = false;
}

void ControlPlane::CallOnHeartbeat() {
  const std::lock_guard lock(heartbeat_mutex_);
  if (!has_heartbeat_calls_ || !options_.on_heartbeat) return;
  try {
    options_.on_heartbeat();
  } catch (...) {
    // The heartbeat goes out nevertheless.
  }
}

void ControlPlane::TakeUrgentReports() {
  if (std::exchange(has_urgent_report_, false)) CallOnHeartbeat();
}

// Sends a process the newest report or, if it has that and it is time for it, a heartbeat. Who is
// owed a report is told to look at it, also if it has come with a heartbeat.
void ControlPlane::Beat(Peer& peer, bool is_time) {
  const auto is_new = [&] {
    return own_report_ != nullptr && own_report_ != peer.sent_report &&
           (peer.sent_report == nullptr || *own_report_ != *peer.sent_report);
  };
  if (is_new() && (is_time || peer.is_owed_report) && !peer.channel->wants_to_write()) {
    peer.channel->Queue(static_cast<std::uint8_t>(NoteType::kReport), *own_report_);
    peer.sent_report = own_report_;
    peer.looks = false;
  } else if (is_time) {
    peer.channel->Queue(static_cast<std::uint8_t>(NoteType::kHeartbeat), "");
  }
  if (!peer.is_owed_report || is_new()) return;
  peer.is_owed_report = false;
  if (peer.sent_report != nullptr && !std::exchange(peer.looks, true)) {
    peer.channel->Queue(static_cast<std::uint8_t>(NoteType::kLook), "");
  }
}

std::string ControlPlane::Name(int process) const {
  return StrCat("process ", process, " (", host(process), ")");
}

void ControlPlane::Send(int process, NoteType type, std::string_view bytes) {
  {
    const std::lock_guard lock(mutex_);
    Channel* channel = peers_[Index(process)].channel.get();
    if (channel != nullptr) channel->Queue(static_cast<std::uint8_t>(type), bytes);
  }
  Wake();
}

Status ControlPlane::failure() const {
  if (!has_failed_.load(std::memory_order_acquire)) return {};
  const std::lock_guard lock(mutex_);
  return failure_;
}

TransportState ControlPlane::state() const {
  const std::lock_guard lock(mutex_);
  TransportState state = {.first_cause = failure_, .lost = {}, .left = {}};
  for (size_t p = 0; p < peers_.size(); ++p) {
    if (peers_[p].is_lost) state.lost.push_back(static_cast<int>(p));
    if (peers_[p].has_left) state.left.push_back(static_cast<int>(p));
  }
  return state;
}

bool ControlPlane::has_left(int process) const {
  const std::lock_guard lock(mutex_);
  return peers_[Index(process)].has_left;
}

bool ControlPlane::is_lost(int process) const {
  const std::lock_guard lock(mutex_);
  return peers_[Index(process)].is_lost;
}

void ControlPlane::Fail(const Status& cause) {
  SetFailure(cause, kNobody, kNobody);
}

// Keeps a cause, and calls the observer if it is the first one. All processes are told of it, with
// `named` in the note, also of one that another process has told: this one may leave, and it must
// not be found to have left by a process that does not know why yet.
void ControlPlane::SetFailure(const Status& cause, int lost, std::optional<int> named) {
  {
    const std::lock_guard lock(mutex_);
    if (lost >= 0 && lost < static_cast<int>(peers_.size())) peers_[Index(lost)].is_lost = true;
    if (failure_.ok()) {
      failure_ = cause;
      has_failed_.store(true, std::memory_order_release);
      for (Peer& peer : peers_) {
        if (!named || peer.channel == nullptr) continue;
        peer.channel->Queue(static_cast<std::uint8_t>(NoteType::kCause),
                            CauseToBytes(cause, *named));
      }
    }
  }
  Wake();
  if (observer_ != nullptr) observer_->OnChange();
}

void ControlPlane::Lose(int process, const std::string& why) {
  SetFailure({StatusCode::kUnavailable, StrCat(Name(process), " is lost: ", why)}, process,
             process);
}

void ControlPlane::TakeCause(int process, std::string_view bytes) {
  const ParsedCause cause = ParseCause(bytes);
  if (cause.lost == options_.process_id) {
    SetFailure({cause.code, StrCat(Name(process), " has given this process up: ", cause.text)},
               kNobody, std::nullopt);
  } else if (cause.lost >= 0) {
    SetFailure({cause.code, cause.text}, cause.lost, cause.lost);
  } else if (cause.lost == kAnother) {
    SetFailure({cause.code, cause.text}, kNobody, kAnother);
  } else {
    SetFailure({cause.code, StrCat(Name(process), " has failed: ", cause.text)}, kNobody, kAnother);
  }
}

// Takes what a process has sent, and finds out whether its connection is closed.
void ControlPlane::Read(int process) {
  std::vector<Channel::Frame> frames;
  Status pumped;
  {
    const std::lock_guard lock(mutex_);
    Peer& peer = peers_[Index(process)];
    const std::uint64_t before = peer.channel->num_bytes_received();
    pumped = peer.channel->Pump();
    Channel::Frame frame;
    while (peer.channel->Take(frame)) frames.push_back(std::move(frame));
    // A report may take longer than the silence limit to come.
    const bool has_come = !frames.empty() || peer.channel->num_bytes_received() != before;
    if (has_come) peer.last_heard = Clock::now();
    for (const Channel::Frame& taken : frames) {
      if (taken.type == static_cast<std::uint8_t>(NoteType::kLeaves)) peer.has_left = true;
      if (taken.type == static_cast<std::uint8_t>(NoteType::kReport)) peer.report = taken.bytes;
      if (taken.type == static_cast<std::uint8_t>(NoteType::kLook)) has_urgent_report_ = true;
    }
  }
  for (const Channel::Frame& frame : frames) {
    const auto type = static_cast<NoteType>(frame.type);
    const bool says_more =
        type != NoteType::kHeartbeat && type != NoteType::kReport && type != NoteType::kLook;
    if (!says_more) continue;
    TakeUrgentReports();  // which came before it
    if (type == NoteType::kCause) {
      TakeCause(process, frame.bytes);
    } else {
      observer_->OnNote(process, type, frame.bytes);
    }
  }
  if (pumped.ok()) return;
  TakeUrgentReports();
  bool is_expected = false;
  {
    const std::lock_guard lock(mutex_);
    Peer& peer = peers_[Index(process)];
    peer.channel.reset();
    is_expected = peer.has_left || peer.is_lost;
  }
  if (is_expected) {
    observer_->OnChange();
  } else {
    Lose(process, pumped.message());
  }
}

// Waits until there is something to read, or to write.
void ControlPlane::Poll(std::vector<pollfd>& polled) {
  polled.assign({{wake_.get(), POLLIN, 0}});
  {
    const std::lock_guard lock(mutex_);
    for (const Peer& peer : peers_) {
      const bool writes = peer.channel != nullptr && peer.channel->wants_to_write();
      const int events = POLLIN | (writes ? POLLOUT : 0);
      // A negative descriptor is not looked at.
      const int descriptor = peer.channel == nullptr ? -1 : peer.channel->descriptor();
      polled.push_back({descriptor, static_cast<short>(events), 0});
    }
  }
  const auto interval =
      std::chrono::duration_cast<std::chrono::milliseconds>(HeartbeatInterval(options_)).count();
  poll(polled.data(), polled.size(),
       static_cast<int>(std::clamp<std::int64_t>(interval / 4, 1, 250)));
  if (polled[0].revents != 0) {
    std::uint64_t count = 0;
    static_cast<void>(!read(wake_.get(), &count, sizeof count));
  }
}

void ControlPlane::Run() {
  const auto interval = HeartbeatInterval(options_);
  auto last_turn = Clock::now(), next_heartbeat = last_turn;
  Clock::time_point flush_end = {};
  std::vector<pollfd> polled;
  // Frames that came together with the last greetings are in the channels already.
  for (size_t p = 0; p < peers_.size(); ++p) {
    if (peers_[p].channel != nullptr) Read(static_cast<int>(p));
  }
  while (true) {
    Poll(polled);
    // Everything that has come is read before anybody's silence is judged.
    for (size_t p = 0; p < peers_.size(); ++p) {
      // The channels are taken away by this thread only.
      if (peers_[p].channel != nullptr && polled[p + 1].revents != 0) Read(static_cast<int>(p));
    }
    const auto now = Clock::now();
    // This process was stopped, or had no processor: the others were not silent for so long.
    const auto gap = now - last_turn;
    last_turn = now;
    const bool is_time = now >= next_heartbeat;
    if (is_time) {
      next_heartbeat = now + interval;
      has_urgent_report_ = false;
      CallOnHeartbeat();
    } else {
      TakeUrgentReports();
    }
    std::vector<int> silent;
    bool has_unsent = false;
    {
      const std::lock_guard lock(mutex_);
      for (size_t p = 0; p < peers_.size(); ++p) {
        Peer& peer = peers_[p];
        if (peer.channel == nullptr) continue;
        if (gap > interval) peer.last_heard = std::min(now, peer.last_heard + gap);
        Beat(peer, is_time);
        has_unsent = has_unsent || peer.channel->wants_to_write();
        const std::chrono::duration<double> silence = now - peer.last_heard;
        if (silence.count() > options_.silence_limit && !peer.is_lost && !peer.has_left) {
          silent.push_back(static_cast<int>(p));
        }
      }
      if (stops_ && flush_end == Clock::time_point()) flush_end = now + kFlushLimit;
      if (stops_ && (!has_unsent || now > flush_end)) return;
    }
    for (const int process : silent) {
      Lose(process, StrCat("nothing was heard of it for ", options_.silence_limit, " s"));
    }
  }
}

}  // namespace axle
