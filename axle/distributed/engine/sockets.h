// TCP sockets: addresses, listening, connecting. Nothing blocks.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "axle/core/status.h"

namespace axle {

struct HostPort {
  std::string host;
  int port = 0;
};
// "host:port"; "[::1]:80" is an address of IPv6. INVALID_ARGUMENT otherwise.
StatusOr<HostPort> ParseHostPort(std::string_view text);

// A descriptor that is closed with the object.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int file) : file_(file) {}
  ~Descriptor() { Close(); }
  Descriptor(Descriptor&& other) noexcept : file_(other.file_) { other.file_ = -1; }
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) {
      Close();
      file_ = other.file_;
      other.file_ = -1;
    }
    return *this;
  }
  int get() const { return file_; }
  bool valid() const { return file_ >= 0; }
  void Close();

 private:
  int file_ = -1;
};

struct Listener {
  Descriptor socket;
  int port = 0;
};
// Listens at an address of this machine; a port of 0 is any free one. UNAVAILABLE, with the
// address, if that is not possible.
StatusOr<Listener> Listen(const HostPort& address);
// A connection that somebody has made, or none if nobody waits.
Descriptor Accept(const Listener& listener);
// Begins to connect. UNAVAILABLE, with the address. The socket can be written to when it is done.
StatusOr<Descriptor> BeginConnect(const HostPort& address);
// OK, or why a connection that has begun did not come about.
Status ConnectResult(int socket, const HostPort& address);

// Whether a name or number is one of this machine for itself: 127.0.0.1, localhost.
bool IsLoopback(const std::string& host);
// The address of this machine from which `host` is reached; loopback if it cannot be found out.
std::string AddressTowards(const std::string& host);
std::string HostName();

}  // namespace axle
