// The store that process 0 serves. A request is a frame: kSet with the length of the key, the key
// and the value, or kTryGet with the key; the answer is kDone, kValue or kNone.
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <list>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "axle/core/blocked_signals.h"
#include "axle/core/strings.h"
#include "axle/distributed/engine/channel.h"
#include "axle/distributed/engine/stores.h"

namespace axle {
namespace {

using Clock = std::chrono::steady_clock;

enum FrameType : std::uint8_t { kSet = 1, kTryGet, kDone, kValue, kNone };
// Connections that have not proved anything yet: how long, and how many.
constexpr std::chrono::seconds kProofLimit{5};
constexpr size_t kMostStrangers = 64;
// How long a client waits for an answer.
constexpr std::chrono::seconds kAnswerLimit{10};

std::string SetRequest(std::string_view key, std::string_view value) {
  return StrCat(key.size(), "\n", key, value);
}

class Server : public KeyValueStore {
 public:
  Server(Listener listener, Descriptor wake_read, Descriptor wake_write, std::string secret,
         std::string job)
      : listener_(std::move(listener)),
        wake_read_(std::move(wake_read)),
        wake_write_(std::move(wake_write)),
        secret_(std::move(secret)),
        job_(std::move(job)) {}
  ~Server() override {
    wake_write_.Close();  // ends the thread
    if (thread_.joinable()) thread_.join();
  }
  void Start() {
    const ScopedBlockedSignals blocked;
    thread_ = std::thread([this] { Serve(); });
  }

  Status Set(std::string_view key, std::string_view value) override {
    const std::lock_guard lock(mutex_);
    values_[std::string(key)] = value;
    return {};
  }
  StatusOr<std::optional<std::string>> TryGet(std::string_view key) override {
    const std::lock_guard lock(mutex_);
    const auto found = values_.find(key);
    if (found == values_.end()) return std::optional<std::string>();
    return std::optional<std::string>(found->second);
  }

 private:
  struct Connection {
    Channel channel;
    Clock::time_point since = Clock::now();
  };

  void Answer(Channel& channel, const Channel::Frame& frame) {
    const std::string_view bytes = frame.bytes;
    if (frame.type == kTryGet) {
      const auto value = TryGet(bytes);
      channel.Queue(*value ? kValue : kNone, *value ? std::string_view(**value) : "");
      return;
    }
    const size_t line = std::min(bytes.find('\n'), bytes.size());
    size_t length = 0;
    for (const char c : bytes.substr(0, line)) {
      length = length * 10 + static_cast<size_t>(c - '0');
    }
    const std::string_view rest = bytes.substr(std::min(line + 1, bytes.size()));
    length = std::min(length, rest.size());
    static_cast<void>(Set(rest.substr(0, length), rest.substr(length)));
    channel.Queue(kDone, "");
  }

  void Serve() {
    std::list<Connection> connections;
    std::vector<pollfd> polled;
    while (true) {
      polled.assign({{wake_read_.get(), POLLIN, 0}, {listener_.socket.get(), POLLIN, 0}});
      for (const Connection& connection : connections) {
        const Channel& channel = connection.channel;
        const int events = POLLIN | (channel.wants_to_write() ? POLLOUT : 0);
        polled.push_back({channel.descriptor(), static_cast<short>(events), 0});
      }
      poll(polled.data(), polled.size(), 1000);
      if (polled[0].revents != 0) return;
      const size_t strangers = static_cast<size_t>(std::ranges::count_if(
          connections, [](const Connection& c) { return !c.channel.is_open(); }));
      if (polled[1].revents != 0 && strangers < kMostStrangers) {
        Descriptor accepted = Accept(listener_);
        if (accepted.valid()) {
          connections.push_back(
              {Channel(std::move(accepted), Channel::Side::kAccepts, secret_, job_)});
        }
      }
      for (auto at = connections.begin(); at != connections.end();) {
        Channel& channel = at->channel;
        bool ends = false;
        // While an answer is written the next request may come, which poll would not tell.
        for (bool is_asked = true; is_asked && !ends;) {
          ends = !channel.Pump().ok();
          is_asked = false;
          for (Channel::Frame frame; channel.Take(frame); is_asked = true) Answer(channel, frame);
        }
        ends = ends || (!channel.is_open() && Clock::now() > at->since + kProofLimit);
        at = ends ? connections.erase(at) : std::next(at);
      }
    }
  }

  const Listener listener_;
  const Descriptor wake_read_;
  Descriptor wake_write_;
  const std::string secret_, job_;
  std::mutex mutex_;
  std::map<std::string, std::string, std::less<>> values_;
  std::thread thread_;
};

class RemoteStore : public KeyValueStore {
 public:
  RemoteStore(std::unique_ptr<Channel> channel, std::string address)
      : channel_(std::move(channel)), address_(std::move(address)) {}

  Status Set(std::string_view key, std::string_view value) override {
    AXLE_ASSIGN(const Channel::Frame answer, Ask(kSet, SetRequest(key, value)));
    AXLE_INVARIANT(answer.type == kDone, "rendezvous: a wrong answer to a request");
    return {};
  }
  StatusOr<std::optional<std::string>> TryGet(std::string_view key) override {
    AXLE_ASSIGN(const Channel::Frame answer, Ask(kTryGet, key));
    if (answer.type == kNone) return std::optional<std::string>();
    AXLE_INVARIANT(answer.type == kValue, "rendezvous: a wrong answer to a request");
    return std::optional<std::string>(answer.bytes);
  }

 private:
  StatusOr<Channel::Frame> Ask(FrameType type, std::string_view bytes) {
    const std::lock_guard lock(mutex_);
    AXLE_TRY(failure_);
    channel_->Queue(type, bytes);
    const auto end = Clock::now() + kAnswerLimit;
    Channel::Frame answer;
    while (true) {
      const Status pumped = channel_->Pump();
      if (channel_->Take(answer)) return answer;
      if (!pumped.ok()) {
        return failure_ = Status(pumped.code(), StrCat("rendezvous: the store of process 0 at ",
                                                       address_, ": ", pumped.message()));
      }
      if (Clock::now() > end) {
        return failure_ = Status(StatusCode::kUnavailable,
                                 StrCat("rendezvous: the store of process 0 at ", address_,
                                        " has not answered for ", kAnswerLimit.count(), " s"));
      }
      const int events = POLLIN | (channel_->wants_to_write() ? POLLOUT : 0);
      pollfd polled = {channel_->descriptor(), static_cast<short>(events), 0};
      poll(&polled, 1, 100);
    }
  }

  std::mutex mutex_;
  const std::unique_ptr<Channel> channel_;
  const std::string address_;
  Status failure_;  // once there is one, answers no longer belong to requests
};

// One attempt to reach the server.
StatusOr<std::unique_ptr<Channel>> TryToOpen(const HostPort& address, const std::string& secret,
                                             const std::string& job, Clock::time_point end) {
  AXLE_ASSIGN(Descriptor socket, BeginConnect(address));
  pollfd polled = {socket.get(), POLLOUT, 0};
  const auto left = [end] {
    return static_cast<int>(std::clamp<std::int64_t>(
        std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count(), 0,
        1000));
  };
  if (poll(&polled, 1, left()) == 1) AXLE_TRY(ConnectResult(socket.get(), address));
  auto channel =
      std::make_unique<Channel>(std::move(socket), Channel::Side::kConnects, secret, job);
  while (!channel->is_open()) {
    AXLE_TRY(channel->Pump());
    if (channel->is_open()) break;
    if (left() == 0) {
      return Status(StatusCode::kUnavailable, "the other side does not answer");
    }
    const int events = POLLIN | (channel->wants_to_write() ? POLLOUT : 0);
    polled = {channel->descriptor(), static_cast<short>(events), 0};
    poll(&polled, 1, std::min(left(), 50));
  }
  return channel;
}

}  // namespace

StatusOr<std::unique_ptr<KeyValueStore>> ServeTcpStore(const std::string& address,
                                                       const std::string& secret,
                                                       const std::string& job, int* port) {
  AXLE_ASSIGN(const HostPort parsed, ParseHostPort(address));
  StatusOr<Listener> listener = Listen(parsed);
  if (!listener.ok()) {
    return Status(listener.status().code(), StrCat("rendezvous: ", listener.status().message()));
  }
  if (port != nullptr) *port = listener->port;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return ResourceExhausted("rendezvous: no more pipes");
  auto server = std::make_unique<Server>(*std::move(listener), Descriptor(ends[0]),
                                         Descriptor(ends[1]), secret, job);
  server->Start();
  return std::unique_ptr<KeyValueStore>(std::move(server));
}

StatusOr<std::unique_ptr<KeyValueStore>> OpenTcpStore(const std::string& address,
                                                      const std::string& secret,
                                                      const std::string& job, double seconds,
                                                      Limits* limits) {
  AXLE_ASSIGN(const HostPort parsed, ParseHostPort(address));
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(seconds));
  while (true) {
    StatusOr<std::unique_ptr<Channel>> channel = TryToOpen(parsed, secret, job, end);
    if (channel.ok()) {
      return std::unique_ptr<KeyValueStore>(
          std::make_unique<RemoteStore>(*std::move(channel), address));
    }
    const Status& why = channel.status();
    const std::string text =
        StrCat("rendezvous: the store of process 0 at ", address, ": ", why.message());
    if (why.code() == StatusCode::kPermissionDenied) return Status(why.code(), text);
    if (limits != nullptr) AXLE_TRY(limits->CheckNow());
    if (Clock::now() > end) {
      return DeadlineExceeded(StrCat(text, "; tried for ", seconds, " s"));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

}  // namespace axle
