// HostDevice: a device with everything that DeviceContext names, for runs on the host's CPU: an
// infeed and an outfeed queue, channels for send and recv, and a registry of custom calls.
//
//   HostDevice device;
//   device.TransferToInfeed(literal);                      // from any thread
//   executable->Execute(arguments, {.device = &device});   // infeed() in the program takes it
//
// The queues hold arrays ("buffers"): a tuple is its elements, one behind the other, which enter
// and leave a queue together. Every wait ends with CANCELLED or DEADLINE_EXCEEDED if the limits of
// the waiting side say so; limits of null wait for ever. What is queued is at most as large, and as
// many arrays, as the options say.
//
// Between devices, the k-th send of a channel meets the k-th recv of it, in whatever program or
// thread they run, as long as they run on this device or on one with the same hub. A send does not
// wait: what nobody has received yet is RESOURCE_EXHAUSTED when it gets too large.
//
// Thread-safe. A device outlives the runs on it.
#pragma once
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>

#include "axle/core/device_context.h"
#include "axle/runtime/custom_call_registry.h"
#include "axle/runtime/host_device_options.h"
#include "axle/runtime/wait.h"

namespace axle {

// Arrays on their way between a device and the host, first in, first out.
class BufferQueue {
 public:
  // `name` opens error messages; `capacity` is in bytes. If it does not wait, a call that would is
  // an error instead: RESOURCE_EXHAUSTED of Push, INVALID_ARGUMENT of Pop.
  BufferQueue(std::string_view name, i64 capacity, i64 max_buffers, bool waits = true)
      : name_(name), capacity_(capacity), max_buffers_(max_buffers), waits_(waits) {}

  // Adds the leaves of an array or of a tuple of arrays, at once. Waits for room;
  // RESOURCE_EXHAUSTED if there never will be any, INVALID_ARGUMENT for other shapes.
  Status Push(const Literal& value, Limits* limits);
  // Takes what `shape` says, an array or a tuple of arrays, at once, and waits for it.
  // INVALID_ARGUMENT, and nothing is taken, if a buffer has another type or other sizes; a
  // dimension that is static in `shape` is full.
  StatusOr<Literal> Pop(const Shape& shape, Limits* limits);

  // Arrays that are queued now.
  i64 num_buffers() const;
  // Drops what is queued.
  void Clear();

 private:
  Status CheckBuffers(std::span<const Shape> shapes) const;
  Status CheckCount(i64 count) const;

  const std::string name_;
  const i64 capacity_, max_buffers_;
  const bool waits_;
  mutable std::mutex mutex_;
  ForkableCondition changed_;
  std::deque<Literal> buffers_;
  i64 bytes_ = 0;
};

// The values under way in channels. Devices that share a hub can send to each other.
class TransferHub {
 public:
  // `capacity` is in bytes, `max_buffers` of all arrays that nobody has received yet.
  TransferHub(i64 capacity, i64 max_buffers) : capacity_(capacity), max_buffers_(max_buffers) {}

  enum class Kind { kDeviceToDevice, kDeviceToHost, kHostToDevice };
  // Keeps a copy until it is received. Channels of different kinds are different ones.
  Status Send(Kind kind, std::optional<i64> channel, const Literal& value);
  // Takes the place of the next value to come, from 0.
  i64 StartRecv(Kind kind, std::optional<i64> channel);
  // Waits for the value of a place. Each place can be waited for once: FAILED_PRECONDITION. A place
  // whose wait the limits end is lost, and so is its value; as is a value that does not fit
  // `shape`, which is INVALID_ARGUMENT.
  StatusOr<Literal> FinishRecv(Kind kind, std::optional<i64> channel, i64 place, const Shape& shape,
                               Limits* limits);
  // Both in one; a wait that the limits end takes no place.
  StatusOr<Literal> Recv(Kind kind, std::optional<i64> channel, const Shape& shape, Limits* limits);

  // Between devices: these channels are sent to by a program that may run. From the first call on,
  // a FinishRecv that would wait for a channel that none has named is INVALID_ARGUMENT.
  void AddSenders(std::span<const std::optional<i64>> channels);
  // FinishRecv and Recv that would wait for, or from, the host are INVALID_ARGUMENT.
  void NeverWaitForHost();

 private:
  struct Line {
    i64 num_sends = 0, num_recvs = 0;
    std::map<i64, Literal> values;  // by place
    std::set<i64> lost;             // places that nobody waits for any more
  };
  StatusOr<Literal> Take(Line& line, std::optional<i64> channel, i64 place, const Shape& shape);
  // OK if a value may come.
  Status CheckMayCome(Kind kind, std::optional<i64> channel) const;

  const i64 capacity_, max_buffers_;
  bool knows_senders_ = false, waits_for_host_ = true;
  std::set<std::optional<i64>> senders_;
  std::mutex mutex_;
  ForkableCondition changed_;
  std::map<std::pair<Kind, std::optional<i64>>, Line> lines_;
  i64 bytes_ = 0, buffers_ = 0;
};

class HostDevice : public DeviceContext {
 public:
  // Keeps the hub and the registry that the options name.
  explicit HostDevice(const HostDeviceOptions& options = {});

  // --- The host's side ---------------------------------------------------------------------------

  // An array, or a tuple of arrays, for the infeeds of programs; in any layout.
  Status TransferToInfeed(const Literal& value, Limits* limits = nullptr);
  // What outfeeds have left: an array or a tuple of arrays of this shape.
  StatusOr<Literal> TransferFromOutfeed(const Shape& shape, Limits* limits = nullptr);
  // For the recvs and from the sends of a channel with is_host_transfer=true; without a number,
  // those that have no channel_id.
  Status SendToDevice(std::optional<i64> channel, const Literal& value);
  StatusOr<Literal> RecvFromDevice(std::optional<i64> channel, const Shape& shape,
                                   Limits* limits = nullptr);
  // Of the hub, TransferHub::AddSenders.
  void AddSenders(std::span<const std::optional<i64>> channels) { hub_->AddSenders(channels); }

  // Its parts, which live as long as the device.
  BufferQueue& infeed() { return infeed_; }
  BufferQueue& outfeed() { return outfeed_; }
  CustomCallRegistry& custom_calls() { return *custom_calls_; }

  // --- The program's side ------------------------------------------------------------------------

  // As core/device_context.h says; the configs are not looked at.
  StatusOr<Literal> Infeed(const Shape& shape, std::string_view config, Limits* limits) override;
  Status Outfeed(const Literal& value, const Shape& shape, std::string_view config,
                 Limits* limits) override;
  Status Send(const TransferChannel& channel, const Literal& value, Limits* limits) override;
  StatusOr<i64> StartRecv(const TransferChannel& channel) override;
  StatusOr<Literal> FinishRecv(const TransferChannel& channel, i64 place, const Shape& shape,
                               Limits* limits) override;
  bool HasCustomCall(std::string_view target) const override;
  std::vector<std::string> CustomCallTargets() const override;
  StatusOr<Literal> CustomCall(const CustomCallInvocation& invocation) override;

 private:
  BufferQueue infeed_;
  BufferQueue outfeed_;
  std::shared_ptr<TransferHub> hub_;
  std::shared_ptr<CustomCallRegistry> custom_calls_;
};

}  // namespace axle
