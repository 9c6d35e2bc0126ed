#include "axle/distributed/engine/channel.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "axle/core/strings.h"
#include "axle/distributed/engine/sha256.h"

namespace axle {
namespace {

constexpr std::string_view kMagic = "axle-job";
constexpr size_t kNonceBytes = 32;
constexpr size_t kCodeBytes = 16;
constexpr size_t kHeadBytes = 5;  // length, type
// Frames are short: what goes over a channel are notes. More is no frame of ours.
constexpr size_t kMostBytes = size_t{1} << 20;

std::string Number(std::uint64_t value, size_t bytes) {
  std::string text(bytes, '\0');
  for (size_t i = 0; i < bytes; ++i) text[i] = static_cast<char>(value >> (8 * i));
  return text;
}

Status Denied(std::string message) {
  return {StatusCode::kPermissionDenied, std::move(message)};
}

}  // namespace

Channel::Channel(Descriptor socket, Side side, std::string secret, std::string job)
    : socket_(std::move(socket)),
      side_(side),
      secret_(std::move(secret)),
      job_(std::move(job)),
      own_nonce_(RandomBytes(kNonceBytes)) {
  if (side_ == Side::kConnects) out_ = StrCat(kMagic, own_nonce_);
}

std::string Channel::Proof(std::string_view who) const {
  const bool connects = side_ == Side::kConnects;
  return Hmac(secret_,
              StrCat(who, "\n", job_.size(), "\n", job_, connects ? own_nonce_ : other_nonce_,
                     connects ? other_nonce_ : own_nonce_));
}

std::string Channel::FrameCode(Side sender, std::uint64_t number, std::string_view frame) const {
  const char direction = sender == Side::kConnects ? '>' : '<';
  return Hmac(session_key_, StrCat(direction, Number(number, 8), frame)).substr(0, kCodeBytes);
}

void Channel::Open() {
  session_key_ = Proof("session");
  state_ = State::kOpen;
  for (const Frame& frame : waiting_) QueueNow(frame.type, frame.bytes);
  waiting_.clear();
}

void Channel::QueueNow(std::uint8_t type, std::string_view bytes) {
  const std::string frame = StrCat(Number(bytes.size(), 4), static_cast<char>(type), bytes);
  StrAppend(out_, frame, FrameCode(side_, num_sent_++, frame));
}

void Channel::Queue(std::uint8_t type, std::string_view bytes) {
  if (state_ == State::kOpen) {
    QueueNow(type, bytes);
  } else {
    waiting_.push_back({type, std::string(bytes)});
  }
}

bool Channel::Take(Frame& frame) {
  if (received_.empty()) return false;
  frame = std::move(received_.front());
  received_.pop_front();
  return true;
}

Status Channel::TakeHello() {
  const size_t need = kMagic.size() + kNonceBytes + (side_ == Side::kConnects ? kDigestBytes : 0);
  const std::string_view seen = std::string_view(in_).substr(0, kMagic.size());
  if (seen != kMagic.substr(0, seen.size())) {
    return Denied("the other side is no process of axle");
  }
  if (in_.size() < need) return {};
  other_nonce_ = in_.substr(kMagic.size(), kNonceBytes);
  const std::string proof = in_.substr(kMagic.size() + kNonceBytes, need);
  in_.erase(0, need);
  if (side_ == Side::kAccepts) {
    StrAppend(out_, kMagic, own_nonce_, Proof("accepts"));
    state_ = State::kProof;
    return {};
  }
  if (!SameBytes(std::string_view(proof).substr(0, kDigestBytes), Proof("accepts"))) {
    return Denied("the other side has another secret or belongs to another job");
  }
  out_ += Proof("connects");
  Open();
  return {};
}

Status Channel::TakeProof() {
  if (in_.size() < kDigestBytes) return {};
  if (!SameBytes(std::string_view(in_).substr(0, kDigestBytes), Proof("connects"))) {
    return Denied("the other side has another secret or belongs to another job");
  }
  in_.erase(0, kDigestBytes);
  Open();
  return {};
}

Status Channel::TakeFrames() {
  size_t at = 0;
  const Side other = side_ == Side::kConnects ? Side::kAccepts : Side::kConnects;
  while (in_.size() - at >= kHeadBytes) {
    size_t length = 0;
    for (size_t i = 0; i < 4; ++i) {
      length |= size_t{static_cast<unsigned char>(in_[at + i])} << (8 * i);
    }
    if (length > kMostBytes) return Denied("a frame on the connection was changed");
    if (in_.size() - at < kHeadBytes + length + kCodeBytes) break;
    const std::string_view frame = std::string_view(in_).substr(at, kHeadBytes + length);
    const std::string_view code =
        std::string_view(in_).substr(at + kHeadBytes + length, kCodeBytes);
    if (!SameBytes(code, FrameCode(other, num_received_, frame))) {
      return Denied("a frame on the connection was changed");
    }
    ++num_received_;
    received_.push_back(
        {static_cast<std::uint8_t>(frame[4]), std::string(frame.substr(kHeadBytes))});
    at += kHeadBytes + length + kCodeBytes;
  }
  in_.erase(0, at);
  return {};
}

Status Channel::Advance() {
  if (state_ == State::kHello) AXLE_TRY(TakeHello());
  if (state_ == State::kProof) AXLE_TRY(TakeProof());
  if (state_ == State::kOpen) return TakeFrames();
  return {};
}

Status Channel::Pump() {
  while (!out_.empty()) {
    const ssize_t sent = send(socket_.get(), out_.data(), out_.size(), MSG_NOSIGNAL);
    if (sent > 0) {
      out_.erase(0, static_cast<size_t>(sent));
    } else if (errno != EINTR) {
      break;  // what is wrong, if anything is, reading tells
    }
  }
  std::array<char, 4096> bytes;
  while (true) {
    const ssize_t got = recv(socket_.get(), bytes.data(), bytes.size(), 0);
    if (got > 0) {
      in_.append(bytes.data(), static_cast<size_t>(got));
      num_bytes_received_ += static_cast<std::uint64_t>(got);
      AXLE_TRY(Advance());
      continue;
    }
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return {};
    return {StatusCode::kUnavailable, got == 0
                                          ? std::string("its connection was closed")
                                          : StrCat("its connection broke: ", std::strerror(errno))};
  }
}

}  // namespace axle
