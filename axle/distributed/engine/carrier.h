// Carrier: what a library that carries bytes does for an Endpoint.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "axle/core/status.h"

namespace axle {

// In front of each message.
struct MessageHeader {
  std::uint64_t run = 0, instruction = 0;
  std::int64_t execution = 0;
  std::uint64_t group = 0;
  std::uint64_t num_bytes = 0;
};

// Takes the messages that arrive. Called by the threads of a carrier; the calls of one process
// come one after the other.
class MessageSink {
 public:
  virtual ~MessageSink() = default;
  // A message arrives. Returns where its bytes go, or null if they cannot be taken, and sets
  // `receipt`, which Arrived gets.
  virtual std::byte* Place(int process, const MessageHeader& header, void*& receipt) = 0;
  // The bytes of the message are in their place.
  virtual void Arrived(int process, void* receipt) = 0;
  // They will never be; nobody writes to their place any more.
  virtual void Dropped(int process, void* receipt) = 0;
  // The connection that carries the messages of a process has ended.
  virtual void LinkBroken(int process, const std::string& why) = 0;
  // Sends a note to a carrier of another process, over the control plane.
  virtual void SendNote(int process, std::string_view bytes) = 0;
};

class Carrier {
 public:
  Carrier() = default;
  Carrier(const Carrier&) = delete;
  Carrier& operator=(const Carrier&) = delete;
  // Ends all threads. Nothing is in progress.
  virtual ~Carrier() = default;

  // Sends a message, and returns when its bytes may be changed. `check` is called now and then; its
  // error ends the call, and breaks the connection if part of the message is gone.
  virtual Status Send(int process, const MessageHeader& header, std::span<const std::byte> bytes,
                      const std::function<Status()>& check) = 0;
  // Takes a note that SendNote of the other side has sent. Does not block.
  virtual void TakeNote(int process, std::string_view bytes) = 0;
  // Ends what is in progress, for good: no call of the sink begins afterwards, but those that have
  // begun may still return.
  virtual void BreakAll() = 0;
};

}  // namespace axle
