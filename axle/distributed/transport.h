// Transport: messages between the processes of one job.
//
// Each process has a number, 0 to num_processes - 1. A message is told apart by its key and by who
// sends it, never by when it comes, so that threads of several runs use one transport at once.
// Messages of one key between the same two processes arrive in the order in which they were sent.
//
// Send never waits for the Receive of the other side, whatever the size: what comes before its
// Receive is kept. Two processes that send to each other first and receive then do not wait for
// each other. StartReceive says beforehand where a message goes, and saves a copy.
//
// A process that is lost ends every wait and every later call, in all processes, with UNAVAILABLE,
// which names the process, its host and what was being done. A process is lost when its connection
// closes although it has not said that it leaves, or when nothing has been heard of it for
// `silence_limit`. A process that is heard of and late is waited for, up to `late_limit`. The first
// cause ends the transport for good; the processes may connect again with the next epoch.
//
// Thread-safe but for the destructor. No function throws, and none ends the process.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "axle/core/limits.h"
#include "axle/core/status.h"
#include "axle/distributed/key_value_store.h"

namespace axle {

// What tells messages of two processes apart.
struct MessageKey {
  std::uint64_t run = 0;          // a counter of the runs on the same devices
  std::uint64_t instruction = 0;  // of the program
  std::int64_t execution = 0;     // how often the device has come to the instruction
  std::uint64_t group = 0;        // a hash of the participants
  // For messages alone, "all-reduce \"sum\"": not compared, and only used during the call.
  std::string_view operation = {};
};
// Whether all but the names of the operations are equal.
inline bool SameMessage(const MessageKey& a, const MessageKey& b) {
  return a.run == b.run && a.instruction == b.instruction && a.execution == b.execution &&
         a.group == b.group;
}

// A receive that has begun. Destroying it gives the receive up. The transport outlives it.
class PendingReceive {
 public:
  virtual ~PendingReceive() = default;
  // Waits until the message is there: what Transport::Receive returns. Called once.
  virtual Status Wait(Limits* limits) = 0;
};

// How things stand with the processes of the job.
struct TransportState {
  Status first_cause;     // OK while nothing is wrong
  std::vector<int> lost;  // processes that were lost, in ascending order
  std::vector<int> left;  // processes that have said that they leave
};

// The messages that one process has sent to another one, without what the engine sends for itself.
struct SentMessages {
  std::int64_t count = 0, bytes = 0;
};

// Bytes of a report, at most.
inline constexpr size_t kMostReportBytes = size_t{64} << 10;

class Transport {
 public:
  Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  // Tells the others that this process leaves, and waits up to two seconds until they have what
  // was sent to them.
  virtual ~Transport() = default;

  // This process, and how many there are.
  virtual int process_id() const = 0;
  virtual int num_processes() const = 0;
  // The host of a process, for messages.
  virtual std::string host(int process) const = 0;

  // Sends a message, and returns when the bytes may be changed. Errors: INVALID_ARGUMENT for a
  // process that is none of the others; UNAVAILABLE; CANCELLED and DEADLINE_EXCEEDED as the limits,
  // unless null, say.
  virtual Status Send(int process, const MessageKey& key, std::span<const std::byte> bytes,
                      Limits* limits) = 0;
  // Waits for a message, which has just so many bytes. Errors: those of Send; FAILED_PRECONDITION,
  // with both sizes, for one of another size, which ends the transport.
  virtual Status Receive(int process, const MessageKey& key, std::span<std::byte> bytes,
                         Limits* limits) = 0;
  // The beginning of Receive. The bytes outlive what is returned.
  virtual StatusOr<std::unique_ptr<PendingReceive>> StartReceive(int process, const MessageKey& key,
                                                                 std::span<std::byte> bytes) = 0;
  // What Send has sent to one of the others since the processes were connected; 0 for any other
  // number.
  virtual SentMessages sent(int process) const = 0;
  // Waits until all processes have called it as often. Errors: those of Receive.
  virtual Status Barrier(Limits* limits) = 0;

  // What the processes share beside messages.
  virtual KeyValueStore& store() = 0;

  // Sets what this process tells all others of itself, whatever that is. The newest report goes out
  // with the next heartbeat, to each process that was sent another one last; what came between is
  // not sent. Of a longer one the first kMostReportBytes bytes are kept. Cheap.
  virtual void SetReport(std::string report) = 0;
  // Sends the newest report at once, and on_heartbeat is called where it has come. Does not wait
  // until it is there.
  virtual void SendReportNow() = 0;
  // The newest report of another process that has come, "" before the first one; of this process,
  // what it has set.
  virtual std::string report(int process) const = 0;

  // Ends the transport in all processes: every wait and every later call returns the cause, unless
  // there was an earlier one.
  virtual void Abort(const Status& cause) = 0;
  virtual TransportState state() const = 0;
};

// Which library carries the bytes.
enum class TransportKind : std::uint8_t { kGloo, kMpi };

// Of a transport. What is left empty is taken from the environment (axle/distributed/environment.h)
// where that says something.
struct TransportOptions {
  TransportKind kind = TransportKind::kGloo;
  // file:///FOLDER or tcp://HOST:PORT; not needed for MPI. `callbacks` are taken instead if given.
  std::string rendezvous = {};
  std::optional<KeyValueCallbacks> callbacks = {};
  int process_id = -1;
  int num_processes = 0;
  // What only the processes of the job know. Without it: a file store makes one that only its owner
  // can read; else all addresses must be loopback, unless allow_no_secret.
  std::string secret = {};
  bool allow_no_secret = false;
  std::string job = {};  // tells jobs with one rendezvous apart
  int epoch = 0;         // goes up with each new connection of the same processes
  // A name or number of this machine to which the others connect. "": loopback if the rendezvous is
  // a file or on loopback, else the address from which the rendezvous is reached.
  std::string listen_address = {};
  std::string version = {};      // of the library; "": this one
  std::string fingerprint = {};  // of what else must be equal, the numerics
  // Seconds: until all processes are connected; after which silence one is lost; when Receive
  // warns of a late one and gives it up.
  double connect_limit = 120;
  double silence_limit = 5;
  double late_warning = 20;
  double late_limit = 1800;
  // Bytes of messages that have come before their Receive; more end the transport.
  std::int64_t max_kept_bytes = std::int64_t{4} << 30;
  // Receives warnings, from any thread; without it they go to stderr. Exceptions are dropped.
  std::function<void(std::string_view)> warn = {};
  // Called every fifth of silence_limit, just before a heartbeat goes out, and when a report has
  // come that another process has sent with SendReportNow. It is called from the thread that sends
  // heartbeats, and must return soon, or this process seems lost. It may use the transport, but for
  // the destructor, and may come before ConnectTransport has returned. Exceptions are dropped. The
  // destructor of the transport begins by waiting for a call that is under way; none follows.
  std::function<void()> on_heartbeat = {};
};

// Connects this process with the others: loads the library of options.kind at the first call and
// returns when all processes are there. Errors: INVALID_ARGUMENT for wrong options; UNAVAILABLE
// with the name of the package if the library is not there; DEADLINE_EXCEEDED with the processes
// that did not come; FAILED_PRECONDITION, in all processes, for another version, fingerprint or
// number of processes; PERMISSION_DENIED for another secret.
StatusOr<std::unique_ptr<Transport>> ConnectTransport(const TransportOptions& options,
                                                      Limits* limits = nullptr);

}  // namespace axle
