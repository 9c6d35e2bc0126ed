// ControlPlane: a connection from each process of the job to each other one, beside those that
// carry messages, and a thread that watches them.
//
// Each process listens at a port of its own, and puts its address into the key-value store. Process
// i connects to all below i, over channels (channel.h), on which both sides first say who they are:
// number of processes, version, fingerprint. From then on each sends a heartbeat every fifth of
// the silence limit. A process is lost when its connection closes before it has said that it
// leaves, or when it is silent for the limit. A process that was itself stopped for a while does
// not take that for the silence of the others.
//
// The first cause, a lost process or what Fail was called with, is kept and sent to all others.
//
// A report takes the place of a heartbeat; one that is sent at once calls on_heartbeat there. It is
// sent to a process only when nothing else is on its way there, so that reports do not pile up
// before one that does not read; it then has the newest.
#pragma once
#include <poll.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "axle/distributed/engine/channel.h"
#include "axle/distributed/transport.h"

namespace axle {

// The kinds of notes that processes send each other over the control plane.
enum class NoteType : std::uint8_t {
  kHello = 1,
  kHeartbeat,
  kReady,  // has greeted all others
  kCause,
  kLeaves,    // the number of messages that the process has sent to the other
  kMayLeave,  // the answer, when they are all there
  kAddress,   // of a carrier
  kReport,    // Transport::SetReport
  kLook,      // Transport::SendReportNow: at the report, at once
};

class ControlPlane {
 public:
  // The owner. It is called by the thread of the control plane, for OnFailure also by the one that
  // calls Fail. No lock is held.
  class Observer {
   public:
    virtual ~Observer() = default;
    virtual void OnNote(int process, NoteType type, std::string_view bytes) = 0;
    // There is a first cause, or one more process is lost or has left.
    virtual void OnChange() = 0;
  };

  // Connects with all other processes. `options` are complete.
  static StatusOr<std::unique_ptr<ControlPlane>> Connect(const TransportOptions& options,
                                                         KeyValueStore& store, Limits* limits);
  // Sends what is still to be sent, for a moment, and closes the connections.
  ~ControlPlane();
  ControlPlane(const ControlPlane&) = delete;
  ControlPlane& operator=(const ControlPlane&) = delete;

  // Starts the thread. The observer outlives Stop.
  void Start(Observer* observer);
  // Ends the thread: no call of the observer after it.
  void Stop();

  // These are thread-safe.
  void Send(int process, NoteType type, std::string_view bytes);
  // Keeps the cause, unless there is one, and tells all others.
  void Fail(const Status& cause);
  Status failure() const;
  TransportState state() const;
  bool has_left(int process) const;
  bool is_lost(int process) const;
  // See Transport.
  void SetReport(std::string report);
  void SendReportNow();
  std::string report(int process) const;
  // Waits for a call of on_heartbeat that is under way. None follows.
  void EndHeartbeatCalls();
  // "process 1 (host)".
  std::string Name(int process) const;
  const std::string& host(int process) const { return peers_[Index(process)].host; }
  const std::string& session_key(int process) const { return peers_[Index(process)].session_key; }

 private:
  using Clock = std::chrono::steady_clock;
  using Report = std::shared_ptr<const std::string>;
  struct Peer {
    std::unique_ptr<Channel> channel;
    std::string host, session_key;
    Clock::time_point last_heard = {};
    std::string report;           // the newest one of it
    Report sent_report;           // null before the first one
    bool is_owed_report = false;  // at once, not with the next heartbeat
    bool looks = false;           // was told to look at what was sent
    bool has_left = false, is_lost = false;
  };

  explicit ControlPlane(const TransportOptions& options);
  static size_t Index(int process) { return static_cast<size_t>(process); }
  void Run();
  void Poll(std::vector<pollfd>& polled);
  void Read(int process);
  void TakeCause(int process, std::string_view bytes);
  void Lose(int process, const std::string& why);
  void SetFailure(const Status& cause, int lost, std::optional<int> named);
  void Wake();
  void CallOnHeartbeat();
  void TakeUrgentReports();
  void Beat(Peer& peer, bool is_time);

  const TransportOptions options_;
  std::string own_host_;
  std::vector<Peer> peers_;   // by process; this one has no channel
  mutable std::mutex mutex_;  // guards what follows, the channels and what changes of peers
  Status failure_;
  std::atomic<bool> has_failed_ = false;
  bool stops_ = false;
  Report own_report_;
  Observer* observer_ = nullptr;
  Descriptor wake_;             // an eventfd
  std::mutex heartbeat_mutex_;  // held during a call of on_heartbeat
  bool has_heartbeat_calls_ = true;
  bool has_urgent_report_ = false;  // for the thread: one has come that was sent at once
  std::thread thread_;
};

}  // namespace axle
