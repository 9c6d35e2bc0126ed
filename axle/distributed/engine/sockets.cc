#include "axle/distributed/engine/sockets.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstring>
#include <memory>

#include "axle/core/strings.h"

namespace axle {
namespace {

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

Status Unavailable(std::string message) {
  return {StatusCode::kUnavailable, std::move(message)};
}

std::string Text(const HostPort& address) {
  return StrCat(address.host, ":", address.port);
}

StatusOr<Addresses> Resolve(const HostPort& address, bool to_listen) {
  addrinfo hints = {};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV | (to_listen ? AI_PASSIVE : 0);
  addrinfo* found = nullptr;
  const int error =
      getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &found);
  if (error != 0) {
    return Unavailable(
        StrCat("no address of \"", PrintableText(address.host), "\": ", gai_strerror(error)));
  }
  return Addresses(found, &freeaddrinfo);
}

Descriptor NewSocket(const addrinfo& address) {
  return Descriptor(socket(address.ai_family, address.ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC,
                           address.ai_protocol));
}

void SendAtOnce(int socket) {
  const int on = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

}  // namespace

void Descriptor::Close() {
  if (file_ >= 0) close(file_);
  file_ = -1;
}

StatusOr<HostPort> ParseHostPort(std::string_view text) {
  const size_t colon = text.rfind(':');
  HostPort address;
  bool right = colon != text.npos && colon > 0;
  if (right) {
    std::string_view host = text.substr(0, colon);
    if (host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
    address.host = host;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data() + colon + 1, end, address.port);
    right = error == std::errc() && rest == end && address.port >= 0 && address.port <= 65535;
  }
  if (right) return address;
  return InvalidArgument(StrCat("\"", PrintableText(text), "\" is not HOST:PORT"));
}

StatusOr<Listener> Listen(const HostPort& address) {
  AXLE_ASSIGN(const Addresses found, Resolve(address, true));
  int error = 0;
  for (const addrinfo* at = found.get(); at != nullptr; at = at->ai_next) {
    Listener listener = {NewSocket(*at)};
    const int on = 1;
    if (!listener.socket.valid() ||
        setsockopt(listener.socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        bind(listener.socket.get(), at->ai_addr, at->ai_addrlen) != 0 ||
        listen(listener.socket.get(), SOMAXCONN) != 0) {
      error = errno;
      continue;
    }
    sockaddr_storage own = {};
    socklen_t size = sizeof own;
    if (getsockname(listener.socket.get(), reinterpret_cast<sockaddr*>(&own), &size) != 0) {
      error = errno;
      continue;
    }
    listener.port =
        ntohs(own.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(own).sin6_port
                                        : reinterpret_cast<const sockaddr_in&>(own).sin_port);
    return listener;
  }
  return Unavailable(StrCat("cannot listen at ", Text(address), ": ", std::strerror(error)));
}

Descriptor Accept(const Listener& listener) {
  Descriptor accepted(
      accept4(listener.socket.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (accepted.valid()) SendAtOnce(accepted.get());
  return accepted;
}

StatusOr<Descriptor> BeginConnect(const HostPort& address) {
  AXLE_ASSIGN(const Addresses found, Resolve(address, false));
  int error = 0;
  for (const addrinfo* at = found.get(); at != nullptr; at = at->ai_next) {
    Descriptor socket = NewSocket(*at);
    if (!socket.valid()) {
      error = errno;
      continue;
    }
    SendAtOnce(socket.get());
    if (connect(socket.get(), at->ai_addr, at->ai_addrlen) == 0 || errno == EINPROGRESS) {
      return socket;
    }
    error = errno;
  }
  return Unavailable(StrCat("cannot connect to ", Text(address), ": ", std::strerror(error)));
}

Status ConnectResult(int socket, const HostPort& address) {
  int error = 0;
  socklen_t size = sizeof error;
  if (getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
  if (error == 0) return {};
  return Unavailable(StrCat("cannot connect to ", Text(address), ": ", std::strerror(error)));
}

bool IsLoopback(const std::string& host) {
  const StatusOr<Addresses> found = Resolve({host, 0}, false);
  if (!found.ok()) return false;
  for (const addrinfo* at = found->get(); at != nullptr; at = at->ai_next) {
    if (at->ai_family == AF_INET6) {
      const auto& address = reinterpret_cast<const sockaddr_in6*>(at->ai_addr)->sin6_addr;
      if (!IN6_IS_ADDR_LOOPBACK(&address)) return false;
    } else {
      const auto& address = reinterpret_cast<const sockaddr_in*>(at->ai_addr)->sin_addr;
      if (ntohl(address.s_addr) >> 24 != 127) return false;
    }
  }
  return true;
}

std::string AddressTowards(const std::string& host) {
  constexpr const char* kLoopback = "127.0.0.1";
  const StatusOr<Addresses> found = Resolve({host, 9}, false);
  if (!found.ok()) return kLoopback;
  for (const addrinfo* at = found->get(); at != nullptr; at = at->ai_next) {
    // No packet is sent: connecting a datagram socket only looks up the route.
    const Descriptor probe(socket(at->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    sockaddr_storage own = {};
    socklen_t size = sizeof own;
    std::array<char, INET6_ADDRSTRLEN> text = {};
    if (!probe.valid() || connect(probe.get(), at->ai_addr, at->ai_addrlen) != 0 ||
        getsockname(probe.get(), reinterpret_cast<sockaddr*>(&own), &size) != 0 ||
        getnameinfo(reinterpret_cast<sockaddr*>(&own), size, text.data(), text.size(), nullptr, 0,
                    NI_NUMERICHOST) != 0) {
      continue;
    }
    return text.data();
  }
  return kLoopback;
}

std::string HostName() {
  std::array<char, HOST_NAME_MAX + 1> name = {};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

}  // namespace axle
