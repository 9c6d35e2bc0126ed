// Channel: a connection on which both sides have proved that they know the secret of the job.
//
//   connects:  magic, 32 random bytes C
//   accepts:   magic, 32 random bytes A, HMAC(secret, "accepts" job C A)
//   connects:  HMAC(secret, "connects" job C A)
//
// Then frames go both ways: length, type, bytes, and the first 16 bytes of their HMAC with a key
// that is made of the secret, C and A, over the direction and the number of the frame too. A
// stranger who does not know the secret can neither take part nor repeat or change frames of
// others.
//
// Nothing blocks; the owner polls the descriptor and calls Pump. Not thread-safe.
#pragma once
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "axle/core/status.h"
#include "axle/distributed/engine/sockets.h"

namespace axle {

class Channel {
 public:
  enum class Side : std::uint8_t { kConnects, kAccepts };
  struct Frame {
    std::uint8_t type;
    std::string bytes;
  };

  Channel(Descriptor socket, Side side, std::string secret, std::string job);

  int descriptor() const { return socket_.get(); }
  // Whether the other side has proved that it knows the secret.
  bool is_open() const { return state_ == State::kOpen; }
  // Whether there is something to write, so that poll should ask for POLLOUT.
  bool wants_to_write() const { return !out_.empty(); }
  // Reads and writes what is possible. Errors: UNAVAILABLE if the other side has closed the
  // connection; PERMISSION_DENIED if it does not know the secret, or is none of ours at all. Frames
  // that came before can be taken nevertheless.
  Status Pump();
  // Bytes that have come, whether they make a frame or not. Those of somebody else end the channel
  // when the frame is whole.
  std::uint64_t num_bytes_received() const { return num_bytes_received_; }
  // The next frame that has come.
  bool Take(Frame& frame);
  // Sends a frame, once the channel is open.
  void Queue(std::uint8_t type, std::string_view bytes);
  // A key that only the two sides know, the same on both.
  const std::string& session_key() const { return session_key_; }

 private:
  enum class State : std::uint8_t { kHello, kProof, kOpen };
  Status Advance();
  Status TakeHello();
  Status TakeProof();
  Status TakeFrames();
  std::string Proof(std::string_view who) const;
  std::string FrameCode(Side sender, std::uint64_t number, std::string_view frame) const;
  void Open();
  void QueueNow(std::uint8_t type, std::string_view bytes);

  Descriptor socket_;
  const Side side_;
  const std::string secret_, job_;
  State state_ = State::kHello;
  std::string own_nonce_, other_nonce_, session_key_;
  std::string in_, out_;
  std::uint64_t num_sent_ = 0, num_received_ = 0;  // frames
  std::uint64_t num_bytes_received_ = 0;
  std::deque<Frame> received_, waiting_;
};

}  // namespace axle
