// Endpoint: the Transport over a control plane and a carrier. It matches messages with receives.
//
// A message that has a receive when it arrives goes where that wants it; any other is kept until
// its receive comes. One lock guards all of this; bytes are moved without it.
#pragma once
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <tuple>
#include <vector>

#include "axle/distributed/engine/carrier.h"
#include "axle/distributed/engine/control_plane.h"
#include "axle/distributed/transport.h"

namespace axle {

class Endpoint : public Transport, private ControlPlane::Observer, private MessageSink {
 public:
  Endpoint(const TransportOptions& options, std::unique_ptr<KeyValueStore> store,
           std::unique_ptr<ControlPlane> control);
  ~Endpoint() override;
  // Makes the carrier with this object as its sink, and begins. Called once.
  Status Start(const std::function<
               StatusOr<std::unique_ptr<Carrier>>(MessageSink& sink, ControlPlane& control)>& make);

  int process_id() const override { return options_.process_id; }
  int num_processes() const override { return options_.num_processes; }
  std::string host(int process) const override;
  Status Send(int process, const MessageKey& key, std::span<const std::byte> bytes,
              Limits* limits) override;
  Status Receive(int process, const MessageKey& key, std::span<std::byte> bytes,
                 Limits* limits) override;
  StatusOr<std::unique_ptr<PendingReceive>> StartReceive(int process, const MessageKey& key,
                                                         std::span<std::byte> bytes) override;
  SentMessages sent(int process) const override;
  Status Barrier(Limits* limits) override;
  KeyValueStore& store() override { return *store_; }
  void SetReport(std::string report) override { control_->SetReport(std::move(report)); }
  void SendReportNow() override { control_->SendReportNow(); }
  std::string report(int process) const override;
  void Abort(const Status& cause) override { control_->Fail(cause); }
  TransportState state() const override { return control_->state(); }

 private:
  using Clock = std::chrono::steady_clock;
  // Process, then the four numbers of the key.
  using Address = std::tuple<int, std::uint64_t, std::uint64_t, std::int64_t, std::uint64_t>;

  // A message that arrives or is kept, or a receive that waits for one.
  struct Slot {
    Address address;
    std::span<std::byte> destination;   // of a receive
    std::unique_ptr<std::byte[]> kept;  // of a message without one
    std::uint64_t num_bytes = 0;
    bool has_receive = false;
    bool is_moving = false;  // the carrier writes to its bytes
    bool has_arrived = false;
    bool is_abandoned = false;  // no thread waits for it any more
    std::condition_variable changed;
  };
  using SlotPtr = std::shared_ptr<Slot>;
  class Receiver;
  // The purpose of a wait, for error messages.
  struct Operation {
    std::string_view name, verb, direction;  // "send" and "to", "receive" and "from"
    std::uint64_t num_bytes;
    int process;
  };

  Status CheckProcess(int process) const;
  std::string Text(const Operation& operation) const;
  Status WhyNot(const Operation& operation) const;
  Status Late(const Operation& operation, Clock::time_point since, bool& has_warned) const;
  void Warn(const std::string& text) const;
  Status SizeError(const Operation& operation, std::uint64_t sent);
  SlotPtr BeginReceive(int process, const MessageKey& key, std::span<std::byte> bytes);
  Status EndReceive(const SlotPtr& slot, const MessageKey& key, Limits* limits);
  void Abandon(const SlotPtr& slot);
  void BlameLink(int process, const std::string& why);
  // Makes the loss of a process the first cause, unless there is one.
  void Lose(int process, const std::string& why);
  void AnswerLeaving(int process);
  void Leave();

  void OnNote(int process, NoteType type, std::string_view bytes) override;
  void OnChange() override;
  std::byte* Place(int process, const MessageHeader& header, void*& receipt) override;
  void Arrived(int process, void* receipt) override;
  void Dropped(int process, void* receipt) override;
  void LinkBroken(int process, const std::string& why) override;
  void SendNote(int process, std::string_view bytes) override;

  const TransportOptions options_;
  std::unique_ptr<KeyValueStore> store_;
  std::unique_ptr<ControlPlane> control_;
  std::unique_ptr<Carrier> carrier_;

  mutable std::mutex mutex_;
  std::map<Address, std::deque<SlotPtr>> receives_;  // that have no message yet
  std::map<Address, std::deque<SlotPtr>> messages_;  // that have no receive yet
  std::map<Slot*, SlotPtr> moving_;
  std::int64_t kept_bytes_ = 0;
  struct Peer {
    SentMessages sent;
    std::uint64_t num_sent = 0, num_arrived = 0;
    std::uint64_t num_announced = 0;  // when it left
    bool leaves = false, has_answered = false;
    bool lets_leave = false;  // has all that was sent to it
    std::string broken;       // why messages of it no longer come
  };
  std::vector<Peer> peers_;
  std::condition_variable leaving_;
  std::atomic<bool> ends_ = false;  // the destructor is at work
  std::atomic<std::int64_t> num_barriers_ = 0;
  std::mutex barrier_mutex_;
};

}  // namespace axle
