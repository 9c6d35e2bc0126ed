// The first half of a control plane: finds the other processes and connects with each.
#pragma once
#include <chrono>
#include <list>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "axle/distributed/engine/channel.h"
#include "axle/distributed/transport.h"

namespace axle {

// Two processes say this of themselves when they meet.
struct ProcessGreeting {
  std::string version, fingerprint, host;
  int num_processes = 0, process_id = -1;

  std::string ToBytes() const;
  static std::optional<ProcessGreeting> Parse(std::string_view bytes);
};

class Connector {
 public:
  struct Found {
    std::unique_ptr<Channel> channel;
    std::string host;
    bool is_ready = false;  // has greeted all others
  };
  Connector(const TransportOptions& options, KeyValueStore& store, std::string own_host);

  // Connects; by process, with null for this one. The errors are those of ConnectTransport.
  StatusOr<std::vector<Found>> Connect(Limits* limits);

 private:
  using Clock = std::chrono::steady_clock;
  // Another process with a lower number, to which this one connects.
  struct Target {
    int process = 0;
    HostPort address = {};
    Descriptor socket = {};                 // of a connection that has begun
    std::unique_ptr<Channel> channel = {};  // until the other side has said who it is
    Clock::time_point next_try = {};
    std::chrono::milliseconds pause{5};
    Status refusal = {};  // of the secret
    Clock::time_point first_refusal = {};
    bool is_done = false;
  };
  struct Guest {
    std::unique_ptr<Channel> channel;
    Clock::time_point since;
    int process = -1;  // who it is, once it has said that to Tell
  };

  Status Step();
  void PollAll();
  Status StepTarget(Target& target);
  Status LookUp(Target& target);
  void Retry(Target& target);
  Status Refuse(Target& target, const Status& why);
  Status StepGuests();
  Status Watch();
  Status TakeReady(size_t process);
  Status Greet(std::unique_ptr<Channel>& channel, const Channel::Frame& frame, int expected);
  Status Compare(const ProcessGreeting& other) const;
  std::unique_ptr<Channel> NewChannel(Descriptor socket, Channel::Side side) const;
  std::string KeyOf(int process) const;
  std::string MissingText();
  void AcceptGuests();
  static bool Tell(Channel& channel, int& process);
  void TellTargets(std::set<int>& told);
  void TellGuests(std::set<int>& told);
  void TellOthers(const Status& why, Clock::time_point end, Limits* limits);
  static Clock::time_point EndOfTelling(const Status& why, Clock::time_point connect_end);

  const TransportOptions& options_;
  KeyValueStore& store_;
  const std::string own_host_;
  Listener listener_;
  std::vector<Target> targets_;
  std::list<Guest> guests_;
  std::vector<Found> found_;
  std::set<int> ready_;  // descriptors with something to read, or to write
  int num_missing_ = 0;
  int num_unready_ = 0;
  int num_refused_ = 0;  // connections of strangers
  std::string cause_;    // why it does not come about, once that is so
  Clock::time_point next_heartbeat_ = {};
};

inline std::chrono::steady_clock::duration HeartbeatInterval(const TransportOptions& options) {
  return std::chrono::duration_cast<std::chrono::steady_clock::duration>(
      std::chrono::duration<double>(options.silence_limit / 5));
}

// Whom a cause names: the process that was lost, or one of these.
constexpr int kNobody = -1;   // the sender has failed itself
constexpr int kAnother = -2;  // the text says who has failed: the sender was told so
// How a cause is sent: its code, whom it names, and its text.
std::string CauseToBytes(const Status& cause, int lost);
struct ParsedCause {
  StatusCode code = StatusCode::kUnavailable;
  int lost = kNobody;
  std::string text;
};
ParsedCause ParseCause(std::string_view bytes);

}  // namespace axle
